//! Cutting a result that is JSON so that it stays JSON.
//!
//! Responsible for long arrays, wide objects and long strings: all keep their ends, and a string or a key
//! says what is gone, with what an earlier cut took. Numbers and the nesting stay. All get as much room as fits;
//! objects with few members lose members last, because these say what a value is. If not even that fits, one
//! string stands for the whole value, so that the result still is JSON.

use std::iter;

use crate::count::Meter;
use crate::document::Document;
use crate::json::{Json, Key, quote};
use crate::marks::{around_truncated, truncated, truncated_in};
use crate::truncate::cut::{Limit, Whole};
use crate::within::{largest, scaled};

/// The depth below which values stay as they are: no tool's output is nested deeper.
const DEEPEST: usize = 60;

/// The text cut to the limit, as JSON if it is a single JSON value; `None` if it is within the limit already
/// or cutting would not make it smaller.
pub fn cut(whole: &Whole<'_>, limit: &Limit, meter: &Meter) -> Option<String> {
    if whole.is_within(limit) {
        return None;
    }
    let document = Document::parse(whole.text.trim().as_bytes()).ok();
    let document = document.filter(|document| document.torn().is_none());
    let Some([value]) = document.as_ref().map(Document::values) else {
        return whole.cut(limit, meter);
    };
    let shorter = within(*value, whole.text.len(), limit, meter);
    let shorter = shorter.unwrap_or_else(|| least(whole.text, limit, meter));
    Some(shorter).filter(|shorter| whole.counts_more_than(shorter, meter))
}

/// As much of the value, which has `bytes` bytes, as fits; `None` if not even its skeleton does.
fn within(value: Json<'_>, bytes: usize, limit: &Limit, meter: &Meter) -> Option<String> {
    let written = |value: Json<'_>, room: usize| {
        let mut written = String::new();
        write(value, &Ends::of(room, limit.head_share), 0, &mut written);
        written
    };
    let fits = |text: &String| limit.measure.of(text, meter) <= limit.most;
    // The steps are the same for every limit, so a larger limit keeps no less.
    let holds_all = |room: usize| room / GROWTH > FEW + CHARS_AN_ITEM * bytes;
    let mut rooms = iter::successors(Some(1), |room| Some(room * GROWTH));
    let too_large = rooms.find(|room| holds_all(*room) || !fits(&written(value, *room)))?;
    // What is cut again is cut as the whole it was, and from here on that is much shorter.
    let wide = written(value, too_large);
    let value = Json::parse(&wide)?;
    let rooms = (too_large / GROWTH).max(1)..too_large;
    largest(rooms, |room| Some(written(value, room)).filter(fits))
}

/// By how much the room grows until it is too large.
const GROWTH: usize = 8;

/// The string that stands for a value of which nothing stays: the most telling one that fits, else an empty
/// one.
fn least(text: &str, limit: &Limit, meter: &Meter) -> String {
    let gone = quote(&truncated(meter.text(text), "tokens"));
    let fits = |string: &String| limit.measure.of(string, meter) <= limit.most;
    [gone, quote("…")].into_iter().find(fits).unwrap_or_else(|| quote(""))
}

/// The number of members that objects keep until nothing else is left to shorten.
const FEW: usize = 32;

/// The fewest characters of a string that stay.
const LEAST_CHARS: usize = 16;

/// How many characters stay of each string for an item of each array.
const CHARS_AN_ITEM: usize = 32;

/// How much of long arrays, objects and strings stays: numbers of items, members and characters.
struct Ends {
    items: usize,
    members: usize,
    chars: usize,
    head_share: f64,
}

impl Ends {
    /// The ends for a room: the first `FEW` steps of it add a member each, all further ones a character.
    fn of(room: usize, head_share: f64) -> Self {
        let chars = LEAST_CHARS + room.saturating_sub(FEW);
        let items = (chars / CHARS_AN_ITEM).max(1);
        Self { items, members: items.max(room.min(FEW)), chars, head_share }
    }

    /// How many of `all` kept elements stand at the beginning.
    fn head(&self, all: usize) -> usize {
        scaled(all, self.head_share, f64::round).min(all)
    }
}

fn write(value: Json<'_>, ends: &Ends, depth: usize, out: &mut String) {
    if depth == DEEPEST {
        out.push_str(value.source());
    } else if let Some(text) = value.text() {
        out.push_str(&quote(&shortened(&text, ends)));
    } else if value.is_array() {
        let items: Vec<Json<'_>> = value.items().collect();
        out.push('[');
        let note = |gone| quote(&truncated(gone, ITEMS));
        let stands_for = |item: &Json<'_>| stands_for(item.text()?.as_ref(), ITEMS);
        write_ends(&items, (ends, ends.items), (stands_for, note), out, |item, out| {
            write(*item, ends, depth + 1, out);
        });
        out.push(']');
    } else if value.is_object() {
        let members: Vec<_> = value.members().collect();
        out.push('{');
        let note = |gone| format!("{}:null", quote(&truncated(gone, MEMBERS)));
        let stands_for = |(key, _): &(Key<'_>, _)| stands_for(key.text().as_ref(), MEMBERS);
        write_ends(
            &members,
            (ends, ends.members),
            (stands_for, note),
            out,
            |(key, member), out| {
                out.push_str(key.json().source());
                out.push(':');
                write(*member, ends, depth + 1, out);
            },
        );
        out.push('}');
    } else {
        out.push_str(value.source());
    }
}

/// The units of what is gone, as the notes name them.
const ITEMS: &str = "items";
const MEMBERS: &str = "members";
const CHARS: &str = "chars";

/// The number of elements that a note of an earlier cut stands for; `None` if the text is none.
fn stands_for(text: &str, unit: &str) -> Option<usize> {
    truncated_in(text).filter(|(_, its)| *its == unit).map(|(number, _)| number)
}

/// Writes `most` elements from both ends of a long list, with a note between them; `stands_for` tells a note of
/// an earlier cut.
fn write_ends<T>(
    all: &[T],
    (ends, most): (&Ends, usize),
    (stands_for, note): (impl Fn(&T) -> Option<usize>, impl Fn(usize) -> String),
    out: &mut String,
    write: impl Fn(&T, &mut String),
) {
    let gone = all.len().saturating_sub(most);
    // A single further element is no longer than the note.
    let head = if gone > 1 { ends.head(most) } else { all.len() };
    let behind = if gone > 1 { head + gone } else { all.len() };
    for (at, one) in all[..head].iter().enumerate() {
        out.push_str(if at > 0 { "," } else { "" });
        write(one, out);
    }
    if behind > head {
        out.push_str(if head > 0 { "," } else { "" });
        out.push_str(&note(all[head..behind].iter().map(|one| stands_for(one).unwrap_or(1)).sum()));
    }
    for one in &all[behind..] {
        out.push(',');
        write(one, out);
    }
}

/// The text, or both ends of it if it is long.
fn shortened(text: &str, ends: &Ends) -> String {
    let chars = text.chars().count();
    if chars <= ends.chars + 24 {
        return text.to_owned();
    }
    let count = |text: &str| text.chars().count();
    let earlier = around_truncated(text, CHARS);
    let all = earlier.map_or(chars, |(before, gone, behind)| count(before) + gone + count(behind));
    let (before, _, behind) = earlier.unwrap_or((text, 0, text));
    let for_head = ends.head(ends.chars);
    let head = before.char_indices().nth(for_head).map_or(before, |(end, _)| &before[..end]);
    let tail = match ends.chars - for_head {
        0 => "",
        most => behind.char_indices().nth_back(most - 1).map_or(behind, |(at, _)| &behind[at..]),
    };
    format!("{head}{}{tail}", truncated(all - count(head) - count(tail), CHARS))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::tokenizer::Encoding;
    use crate::truncate::cut::Measure;

    fn cut(text: &str, limit: &Limit, meter: &Meter) -> Option<String> {
        super::cut(&Whole::of(text, limit.measure, meter), limit, meter)
    }

    #[test]
    fn what_is_cut_still_parses_and_fits() {
        let rows: Vec<String> = (0..500)
            .map(|n| format!(r#"{{"id": {n}, "name": "row {n}", "log": "{}"}}"#, "x".repeat(90)))
            .collect();
        let text = format!("[{}]", rows.join(",\n"));
        let meter = Meter::new(Encoding::O200kBase);
        for most in [40, 100, 500, 2000] {
            let limit = Limit { measure: Measure::Tokens, most, head_share: 0.5 };
            let shorter = cut(&text, &limit, &meter).unwrap();
            assert!(meter.text(&shorter) <= most);
            assert!(serde_json::from_str::<serde_json::Value>(&shorter).is_ok(), "{shorter}");
            assert_eq!(cut(&shorter, &limit, &meter), None);
        }
    }

    #[test]
    fn what_is_cut_again_is_cut_as_the_whole_it_was() {
        let rows: Vec<String> =
            (0..300).map(|n| format!(r#"{{"id":{n},"name":"row {n}"}}"#)).collect();
        let wide: Vec<String> = (0..300).map(|n| format!(r#""k{n}":{n}"#)).collect();
        let meter = Meter::new(Encoding::O200kBase);
        for text in [
            format!(r#"{{"items":[{}],"total":300}}"#, rows.join(",")),
            format!("{{{}}}", wide.join(",")),
            format!(r#"{{"stdout":{},"exit_code":1}}"#, quote(&"a line of é\n".repeat(2000))),
        ] {
            let limit = |most| Limit { measure: Measure::Tokens, most, head_share: 0.5 };
            let once = cut(&text, &limit(1000), &meter).unwrap();
            assert_eq!(cut(&once, &limit(100), &meter), cut(&text, &limit(100), &meter));
        }
    }

    #[test]
    fn most_of_the_limit_is_used() {
        let rows: Vec<String> =
            (0..900).map(|n| format!(r#"{{"id":{n},"name":"row {n}"}}"#)).collect();
        let meter = Meter::new(Encoding::O200kBase);
        for text in [format!("[{}]", rows.join(",")), quote(&"a line\n".repeat(9000))] {
            for most in [300, 1000, 1500, 2000, 4000] {
                let limit = Limit { measure: Measure::Tokens, most, head_share: 0.5 };
                let used = meter.text(&cut(&text, &limit, &meter).unwrap());
                assert!(used > most * 9 / 10, "{used} of {most}");
            }
        }
    }

    #[test]
    fn a_larger_limit_keeps_no_less() {
        // The longest rows stand in the middle.
        let row = |n: usize| quote(&"x".repeat(n.min(900 - n) / 4));
        let text =
            format!("[{}]", (0..900).map(row).collect::<Vec<_>>().join(",").replace('x', "x "));
        let meter = Meter::of_words();
        let mut before = 0;
        for most in (100..9000).step_by(50) {
            let limit = Limit { measure: Measure::Chars, most, head_share: 0.5 };
            let length = cut(&text, &limit, &meter).unwrap().len();
            assert!(length >= before, "{most}: {length} after {before}");
            before = length;
        }
    }

    #[test]
    fn a_wide_object_keeps_the_members_at_its_ends() {
        let members: Vec<String> = (0..600).map(|n| format!(r#""pkg-{n}":{{"v":{n}}}"#)).collect();
        let text = format!(r#"{{"error":"ENOENT",{},"exit_code":1}}"#, members.join(","));
        let meter = Meter::new(Encoding::O200kBase);
        for most in [60, 500, 2000] {
            let limit = Limit { measure: Measure::Tokens, most, head_share: 0.5 };
            let shorter = cut(&text, &limit, &meter).unwrap();
            assert!(meter.text(&shorter) <= most);
            let value = serde_json::from_str::<serde_json::Value>(&shorter).unwrap();
            assert_eq!((&value["error"], &value["exit_code"]), (&"ENOENT".into(), &1.into()));
        }
    }

    #[test]
    fn cuts_other_texts_as_texts() {
        let meter = Meter::new(Encoding::O200kBase);
        let limit = Limit { measure: Measure::Chars, most: 3, head_share: 0.5 };
        assert_eq!(cut("{\"a\": 1} and more", &limit, &meter).as_deref(), Some("{\"…"));
        assert_eq!(cut("plain text", &limit, &meter).as_deref(), Some("pla"));
    }

    #[test]
    fn what_was_json_stays_json_however_little_may_stay() {
        let meter = Meter::new(Encoding::O200kBase);
        let numbers: Vec<String> = (0..300).map(|n| n.to_string()).collect();
        for text in [
            quote(&"a long text ".repeat(40)),
            quote(&"\"é\"\n".repeat(90)),
            format!("[{}]", numbers.join(", ")),
            format!(r#"{{"a": {}}}"#, quote(&"a long text ".repeat(40))),
            format!(r#"{{"{}": 1}}"#, "k".repeat(500)),
            format!("{}1{}", "[".repeat(70), "]".repeat(70)),
            "1".repeat(400),
        ] {
            for measure in [Measure::Tokens, Measure::Bytes, Measure::Chars] {
                for most in [0, 1, 2, 3, 5, 8, 10, 15, 30, 60] {
                    let limit = Limit { measure, most, head_share: 0.5 };
                    let Some(shorter) = cut(&text, &limit, &meter) else { continue };
                    let is_json = serde_json::from_str::<serde_json::Value>(&shorter).is_ok();
                    assert!(is_json, "{most}: {shorter}");
                    assert!(measure.of(&shorter, &meter) <= most || shorter == "\"\"", "{shorter}");
                    assert_eq!(cut(&shorter, &limit, &meter), None, "{most}: {shorter}");
                }
            }
        }
    }
}
