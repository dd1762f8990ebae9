//! Cutting a result that is JSON, so that it still is JSON.
//!
//! Responsible for long arrays, wide objects and long strings: all keep their ends, and a string or a
//! key says what is gone. Numbers and the nesting stay. It gives less and less room to each until the
//! whole fits; objects of a few members lose them last, for these say what a value is.

use crate::count::Meter;
use crate::document::Document;
use crate::json::{Json, quote};
use crate::numbers::scaled;
use crate::truncate::cut::Limit;

/// Nesting below which values stay as they are: nothing that a tool prints lies deeper.
const DEEPEST: usize = 60;

/// The text within the limit, still JSON; `None` where it is no single JSON value, or is so already.
pub fn cut(text: &str, limit: &Limit, meter: &Meter) -> Option<String> {
    let document = Document::parse(text.trim().as_bytes()).ok()?;
    let [value] = document.values() else { return None };
    let is_container = value.is_object() || value.is_array();
    if !is_container || document.torn().is_some() || limit.measure.of(text, meter) <= limit.most {
        return None;
    }
    let mut ends = Ends { items: 128, members: 128, chars: 4096, head_share: limit.head_share };
    loop {
        let mut shorter = String::new();
        write(*value, &ends, 0, &mut shorter);
        if limit.measure.of(&shorter, meter) <= limit.most {
            return (meter.text(&shorter) < meter.text(text)).then_some(shorter);
        }
        if ends.members == 1 {
            // Not even its bones fit: a string that says so is JSON too.
            let gone = quote(&format!("…{} tokens truncated…", meter.text(text)));
            return (limit.measure.of(&gone, meter) <= limit.most).then_some(gone);
        }
        let is_least = ends.items == 1 && ends.chars == 16;
        ends.items = (ends.items / 2).max(1);
        ends.chars = (ends.chars / 2).max(16);
        ends.members = if is_least { ends.members / 2 } else { ends.items.max(FEW) };
    }
}

/// So many members of an object stay until nothing else is left to shorten.
const FEW: usize = 32;

/// How much of long arrays, objects and strings stays.
struct Ends {
    items: usize,
    members: usize,
    chars: usize,
    head_share: f64,
}

impl Ends {
    /// How many of `all` stay at the beginning.
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
        let note = |gone| quote(&format!("…{gone} items truncated…"));
        write_ends(&items, ends.items, ends, note, out, |item, out| {
            write(*item, ends, depth + 1, out);
        });
        out.push(']');
    } else if value.is_object() {
        let members: Vec<_> = value.members().collect();
        out.push('{');
        let note = |gone| format!("{}:null", quote(&format!("…{gone} members truncated…")));
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

/// Writes both ends of a long list, so many of all, with a note between them.
fn write_ends<T>(
    all: &[T],
    most: usize,
    ends: &Ends,
    note: impl Fn(usize) -> String,
    out: &mut String,
    write: impl Fn(&T, &mut String),
) {
    let gone = all.len().saturating_sub(most);
    // One more is no longer than the note.
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

/// Both ends of a long string.
fn shortened(text: &str, ends: &Ends) -> String {
    let chars = text.chars().count();
    if chars <= ends.chars + 24 {
        return text.to_owned();
    }
    let head = ends.head(ends.chars);
    let tail = ends.chars - head;
    let at = |index: usize| text.char_indices().nth(index).map_or(text.len(), |(at, _)| at);
    let gone = chars - ends.chars;
    format!("{}…{gone} chars truncated…{}", &text[..at(head)], &text[at(chars - tail)..])
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::tokenizer::Encoding;
    use crate::truncate::cut::Measure;

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
    fn leaves_other_texts_alone() {
        let meter = Meter::new(Encoding::O200kBase);
        let limit = Limit { measure: Measure::Chars, most: 3, head_share: 0.5 };
        assert_eq!(cut("{\"a\": 1} and more", &limit, &meter), None);
        assert_eq!(cut("plain text", &limit, &meter), None);
    }
}
