//! Cutting a result that is the record of a program's run.
//!
//! Responsible for cutting the program's output by its lines, so that the record stays one and tells how the
//! program ended. It relies on `printed` to recognise such a record. All texts are cut to one limit, the
//! largest with which the record is within its own.

use std::borrow::Cow;
use std::ops::Range;

use crate::count::Meter;
use crate::json::quote;
use crate::printed;
use crate::truncate::cut::{Limit, Measure, Whole};
use crate::within::largest;

/// A record, read and measured once, so that it can be cut to several limits.
pub struct Record<'t> {
    source: &'t str,
    texts: Vec<Text<'t>>,
}

/// A text of output: the span of its string in the record, the unescaped text, its size, and its number of
/// lines.
struct Text<'t> {
    string: Range<usize>,
    says: Cow<'t, str>,
    size: usize,
    lines: usize,
}

impl<'t> Record<'t> {
    /// The record that `source` is; `None` if it is none.
    pub fn of(source: &'t str, measure: Measure, meter: &Meter) -> Option<Self> {
        let texts = printed::texts(source)?.into_iter();
        let texts = texts.map(|(string, says)| {
            let (size, lines) = (measure.of(&says, meter), says.lines().count());
            Text { string, says, size, lines }
        });
        Some(Self { source, texts: texts.collect() })
    }

    /// The record cut to the limit; `None` if the rest of it leaves no room for a text.
    pub fn cut(&self, limit: &Limit, meter: &Meter) -> Option<String> {
        let within = |most: usize| {
            let record = self.with_texts_of(&Limit { most, ..*limit }, meter)?;
            (limit.measure.of(&record, meter) <= limit.most).then_some(record)
        };
        let longest = self.texts.iter().map(|text| text.size).max()?;
        largest(1..limit.most.min(longest) + 1, within)
    }

    /// The record with each text cut to the limit; `None` if nothing would be left of one, as if nothing had
    /// been printed.
    fn with_texts_of(&self, limit: &Limit, meter: &Meter) -> Option<String> {
        let mut record = String::new();
        let mut end = 0;
        for text in &self.texts {
            let whole = Whole::measured(&text.says, limit.measure, text.size, text.lines);
            if let Some(shorter) = whole.cut(limit, meter) {
                if shorter.is_empty() {
                    return None;
                }
                record.push_str(&self.source[end..text.string.start]);
                record.push_str(&quote(&shorter));
                end = text.string.end;
            }
        }
        record.push_str(&self.source[end..]);
        Some(record)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::json::Json;

    /// Rows with colour codes, which are twice as long when written as JSON.
    fn rows(name: &str) -> String {
        let row = |at| format!("\u{1b}[1m{name} {at}\u{1b}[0m \"is\" stored\n");
        (0..80).map(row).collect()
    }

    #[test]
    fn what_is_cut_is_a_record_and_never_keeps_less_of_it_in_more_room() {
        let meter = Meter::of_words();
        let (out, errors) = (quote(&rows("row")), quote(&rows("fault")));
        for source in [
            format!(r#"{{"output":{out},"metadata":{{"exit_code":1}}}}"#),
            format!(r#"{{"stdout":{out},"stderr":{errors},"exit_code":1}}"#),
        ] {
            for measure in [Measure::Tokens, Measure::Chars] {
                let record = Record::of(&source, measure, &meter).unwrap();
                let mut kept = 0;
                for most in (60..measure.of(&source, &meter)).step_by(37) {
                    let limit = Limit { measure, most, head_share: 0.5 };
                    let Some(cut) = record.cut(&limit, &meter) else {
                        assert!(most < 120, "{measure:?} {most}");
                        continue;
                    };
                    assert!(measure.of(&cut, &meter) <= most);
                    assert!(Json::parse(&cut).is_some() && printed::texts(&cut).is_some(), "{cut}");
                    let stored = cut.matches("stored").count();
                    assert!(stored >= kept, "{measure:?} {most}: {stored} of {kept}");
                    kept = stored;
                }
                assert!(kept > 40, "{measure:?} {kept}");
            }
        }
    }
}
