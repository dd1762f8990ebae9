//! Short forms of a value: its structure without long texts.

use super::Json;
use super::escape::{quote, unescape};
use super::walk::string_end;

impl Json<'_> {
    /// The value without long texts, with its arrays cut short and nothing at deep levels: enough to
    /// recognise it, and equal for many values.
    pub fn sketch(self, items: usize) -> String {
        let mut out = String::new();
        self.sketch_into(&mut out, items, 5);
        out
    }

    fn sketch_into(self, out: &mut String, items: usize, depth: usize) {
        let short = self.text.len() <= SHORT;
        if short || !(self.is_string() || self.is_array() || self.is_object()) {
            out.push_str(self.text);
        } else if self.is_string() {
            out.push_str("\"\"");
        } else if depth == 0 {
            out.push_str(if self.is_array() { "[]" } else { "{}" });
        } else if self.is_array() {
            out.push('[');
            for (at, item) in self.items().take(items).enumerate() {
                out.push_str(if at == 0 { "" } else { "," });
                item.sketch_into(out, items, depth - 1);
            }
            out.push(']');
        } else {
            out.push('{');
            for (at, (key, value)) in self.members().enumerate() {
                out.push_str(if at == 0 { "" } else { "," });
                out.push_str(key.json().text);
                out.push(':');
                value.sketch_into(out, items, depth - 1);
            }
            out.push('}');
        }
    }

    /// The value without long texts, made in one pass; equal for many values.
    pub fn outline(self) -> String {
        let mut out = String::new();
        let (mut kept, mut at) = (0, 0);
        while let Some(quote) = memchr::memchr(b'"', &self.text.as_bytes()[at..]) {
            let start = at + quote;
            at = string_end(self.text.as_bytes(), start);
            if at - start > SHORT {
                out.push_str(&self.text[kept..start]);
                out.push_str("\"\"");
                kept = at;
            }
        }
        out.push_str(&self.text[kept..]);
        out
    }

    /// The value without white space between tokens and with strings escaped in one way, so that two layouts
    /// of the same value give the same text.
    pub fn compact(self) -> String {
        let mut out = String::with_capacity(self.text.len());
        let mut rest = self.text;
        while let Some(byte) = rest.bytes().next() {
            let end = match byte {
                b'"' => {
                    let end = string_end(rest.as_bytes(), 0);
                    let inner = &rest[1..end - 1];
                    if memchr::memchr(b'\\', inner.as_bytes()).is_some() {
                        out.push_str(&quote(&unescape(inner)));
                    } else {
                        out.push_str(&rest[..end]);
                    }
                    end
                }
                b' ' | b'\t' | b'\n' | b'\r' => 1,
                _ => {
                    let end = rest
                        .find(|c: char| c == '"' || c.is_ascii_whitespace())
                        .unwrap_or(rest.len());
                    out.push_str(&rest[..end]);
                    end
                }
            };
            rest = &rest[end..];
        }
        out
    }
}

/// The most bytes of a string that is kept: types, roles and names are never longer.
const SHORT: usize = 64;

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn compact_is_the_same_for_every_layout() {
        let pretty = Json::from_checked("{\n  \"a\" : [ 1e400 , \"x \\u00e9\" ],\n \"b\": {} }");
        assert_eq!(pretty.compact(), r#"{"a":[1e400,"x é"],"b":{}}"#);
    }

    #[test]
    fn an_outline_leaves_out_long_texts_alone() {
        let long = "\\\"x".repeat(99);
        let json = format!(r#"{{"role":"user", "n":[1,"{long}"],"{long}":"short"}}"#);
        let outline = Json::from_checked(&json).outline();
        assert_eq!(outline, r#"{"role":"user", "n":[1,""],"":"short"}"#);
    }

    #[test]
    fn a_sketch_keeps_the_shape() {
        let long = format!(
            r#"{{"a":"{}","b":[{{"c":1}},2,3],"d":{{"e":"x\\n{}"}}}}"#,
            "é".repeat(99),
            "y".repeat(99)
        );
        let sketch = Json::from_checked(&long).sketch(2);
        let sketch = Json::from_checked(&sketch);
        assert_eq!(sketch.at("b").unwrap().source(), r#"[{"c":1},2,3]"#);
        assert_eq!(sketch.at("a").unwrap().source(), "\"\"");
        assert_eq!(sketch.at("d.e").unwrap().source(), "\"\"");
    }
}
