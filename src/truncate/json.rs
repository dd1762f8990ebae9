//! Cutting a result that is JSON so that it stays JSON.
//!
//! Responsible for long arrays, wide objects and long strings: all keep their ends, and a string or a key
//! says what is gone. Numbers and the nesting stay. The room for each shrinks until the whole fits; objects
//! with few members lose members last, because these say what a value is. If not even that fits, one string
//! stands for the whole value, so that the result still is JSON.

use crate::count::Meter;
use crate::document::Document;
use crate::json::{Json, quote};
use crate::marks::truncated;
use crate::truncate::cut::{Limit, Whole};
use crate::within::scaled;

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
    let shorter = within(*value, limit, meter).unwrap_or_else(|| least(whole.text, limit, meter));
    Some(shorter).filter(|shorter| whole.counts_more_than(shorter, meter))
}

/// As much of the value as fits; `None` if not even its skeleton does.
fn within(value: Json<'_>, limit: &Limit, meter: &Meter) -> Option<String> {
    // Each item takes some tokens, so no more than this can fit. Halving powers of two gives the same steps
    // for every limit, so a larger limit keeps no less.
    let most = (limit.most / 4).max(128).next_power_of_two();
    let chars = 32 * most;
    let mut ends = Ends { items: most, members: most, chars, head_share: limit.head_share };
    loop {
        let mut shorter = String::new();
        write(value, &ends, 0, &mut shorter);
        if limit.measure.of(&shorter, meter) <= limit.most {
            return Some(shorter);
        }
        if ends.members == 1 {
            return None;
        }
        let is_least = ends.items == 1 && ends.chars == 16;
        ends.items = (ends.items / 2).max(1);
        ends.chars = (ends.chars / 2).max(16);
        ends.members = if is_least { ends.members / 2 } else { ends.items.max(FEW) };
    }
}

/// The string that stands for a value of which nothing stays: the most telling one that fits, else an empty
/// one.
fn least(text: &str, limit: &Limit, meter: &Meter) -> String {
    let gone = quote(&truncated(meter.text(text), "tokens"));
    let fits = |string: &String| limit.measure.of(string, meter) <= limit.most;
    [gone, quote("…")].into_iter().find(fits).unwrap_or_else(|| quote(""))
}

/// The number of members that objects keep until nothing else is left to shorten.
const FEW: usize = 32;

/// How much of long arrays, objects and strings stays: numbers of items, members and characters.
struct Ends {
    items: usize,
    members: usize,
    chars: usize,
    head_share: f64,
}

impl Ends {
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
        let note = |gone| quote(&truncated(gone, "items"));
        write_ends(&items, ends.items, ends, note, out, |item, out| {
            write(*item, ends, depth + 1, out);
        });
        out.push(']');
    } else if value.is_object() {
        let members: Vec<_> = value.members().collect();
        out.push('{');
        let note = |gone| format!("{}:null", quote(&truncated(gone, "members")));
        write_ends(&members, ends.members, ends, note, out, |(key, member), out| {
            out.push_str(key.json().source());
            out.push(':');
            write(*member, ends, depth + 1, out);
        });
        out.push('}');
    } else {
        out.push_str(value.source());
    }
}

/// Writes `most` elements from both ends of a long list, with a note between them.
fn write_ends<T>(
    all: &[T],
    most: usize,
    ends: &Ends,
    note: impl Fn(usize) -> String,
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
        out.push_str(&note(gone));
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
    let head = ends.head(ends.chars);
    let tail = ends.chars - head;
    let at = |index: usize| text.char_indices().nth(index).map_or(text.len(), |(at, _)| at);
    let gone = truncated(chars - ends.chars, "chars");
    format!("{}{gone}{}", &text[..at(head)], &text[at(chars - tail)..])
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
