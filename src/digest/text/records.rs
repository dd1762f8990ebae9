//! Records: results that are JSON, as the tools of service conversations give them.
//!
//! Responsible for finding the fields of a record with their names, as ranges of the text, so that
//! several of one record can be written on a line.

use std::ops::Range;

use super::units;
use crate::json::Json;
use crate::line::on_one_line;

/// Whether a text is a JSON object or array, and so made of fields.
pub(crate) fn is_record(text: &str) -> bool {
    let text = text.trim();
    let shaped = text.starts_with('{') && text.ends_with('}')
        || text.starts_with('[') && text.ends_with(']');
    shaped && text.len() > 2 && Json::parse(text).is_some()
}

/// The fields of records: from the name to the end of the value, the value, the record's number.
pub(crate) fn fields(text: &str, mut then: impl FnMut(Range<usize>, Range<usize>, u32)) {
    let Some(json) = Json::parse(text) else { return };
    let base = text.as_ptr().addr();
    let span = |json: Json<'_>| {
        let start = json.source().as_ptr().addr() - base;
        start..start + json.source().len()
    };
    let mut open = vec![(json, 0)];
    let mut records = 0;
    while let Some((value, record)) = open.pop() {
        let at = open.len();
        let is_map =
            value.members().nth(1).is_some() && value.members().all(|(_, it)| it.is_object());
        for (key, member) in value.members() {
            let is_list = member.items().next().is_some_and(Json::is_object);
            if member.is_object() || is_list {
                // What a record holds is told with it, the records of a list or a map each for itself.
                let is_apart = is_list || is_map;
                records += u32::from(is_apart);
                if is_map && !member.members().any(|(_, it)| it.source() == key.json().source()) {
                    then(span(key.json()), span(key.json()), records);
                }
                open.push((member, if is_apart { records } else { record }));
            } else {
                let (start, value) = (span(key.json()).start, span(member));
                if value.len() > LONGEST {
                    pieces(text, value, |piece| then(piece.clone(), piece, record));
                } else {
                    then(start..value.end, value, record);
                }
            }
        }
        for item in value.items() {
            if item.is_object() || item.is_array() {
                records += 1;
                open.push((item, records));
            } else {
                then(span(item), span(item), record);
            }
        }
        open[at..].reverse();
    }
}

/// A longer value is a text of its own.
const LONGEST: usize = 200;

/// The lines of a long string, still escaped, in pieces.
fn pieces(text: &str, value: Range<usize>, mut then: impl FnMut(Range<usize>)) {
    let mut start = value.start;
    for line in text[value].split("\\n") {
        let base = start;
        units::lines(line, |range| then(base + range.start..base + range.end));
        start += line.len() + 2;
    }
}

/// A field as it is written: `name: value`, without quotes and escapes.
pub(crate) fn plain(field: &str) -> String {
    // A piece of a long value has no name.
    let named = field.split_once(':').filter(|(key, _)| key.trim_end().ends_with('"'));
    let Some((key, value)) = named else {
        return said(field.trim_matches('"'));
    };
    let value = match Json::parse(value).and_then(Json::text) {
        Some(text) => on_one_line(&text),
        None => said(&value.replace(['"', '[', ']'], "")),
    };
    format!("{}: {value}", said(key.trim().trim_matches('"')))
}

/// What escaped text says, on one line. A piece may end within an escape, which stays as it is.
fn said(piece: &str) -> String {
    let quoted = format!("\"{piece}\"");
    Json::parse(&quoted)
        .and_then(Json::text)
        .map_or_else(|| on_one_line(piece), |text| on_one_line(&text))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_field_is_told_without_quotes_and_escapes() {
        for (field, wanted) in [
            (r#""customer": "M\u00fcller \u4e2d\u6587""#, "customer: Müller 中文"),
            (r#""say": "a \"b\"\nc""#, "say: a \"b\" c"),
            (r#""total":12.50"#, "total: 12.50"),
            (r#""tags": ["a", "b"]"#, "tags: a, b"),
            (r"caf\u00e9 is open", "café is open"),
            (r"cut here \u00", r"cut here \u00"),
        ] {
            assert_eq!(plain(field), wanted);
        }
    }
}
