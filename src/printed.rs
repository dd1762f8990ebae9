//! The output of a tool whose result is the record of a program's run.
//!
//! Responsible for recognising such a record: one text of output, and beside it only how the program ended.
//! Any other record is data, and shown as data.

use std::borrow::Cow;
use std::ops::Range;

use memchr::memmem;

use crate::json::Json;
use crate::marks;
use crate::span::span_in;

/// The members that hold output, those that hold errors, and others that tell how the program ran.
const OUTPUTS: [&str; 2] = ["output", "stdout"];
const ERRORS: [&str; 2] = ["stderr", "error"];
const BESIDE: &[&str] = &[
    "metadata", "exit_code", "exitcode", "returncode", "return_code", "outcome", "duration",
    "duration_ms", "duration_seconds", "success", "status", "signal", "pid", "truncated",
    "interrupted", "timed_out",
];

/// The output in a record; the text itself if it is no such record.
pub(crate) fn printed(text: &str) -> Cow<'_, str> {
    unwrapped(text, |text| text).map_or(Cow::Borrowed(text), Cow::Owned)
}

/// The output in a record whose texts may be cut, without their headers.
pub(crate) fn printed_of_cut(text: &str) -> Cow<'_, str> {
    unwrapped(text, behind_header).map_or(Cow::Borrowed(text), Cow::Owned)
}

fn behind_header(text: &str) -> &str {
    marks::behind_cut_header(text).map_or(text, |(_, body)| body)
}

/// The texts of a record, in order, each with the range of its string; `None` if it is no record.
pub(crate) fn texts(record: &str) -> Option<Vec<(Range<usize>, Cow<'_, str>)>> {
    let texts = strings(record_in(record)?)?
        .into_iter()
        .map(|(_, string)| Some((span_in(record, string.source()), string.text()?)));
    texts.collect()
}

/// The outputs of several commands or files, if the result is a list of such records.
fn listed(list: &str) -> Option<String> {
    const MEMBERS: [&str; 4] = ["query", "result", "error", "success"];
    let has = |name: &str| memmem::find(list.as_bytes(), name.as_bytes()).is_some();
    if !has("\"success\"") && !has("\"outcome\"") {
        return None;
    }
    let list = Json::parse(list).filter(|list| list.items().next().is_some())?;
    if list.items().all(|record| record.at(HOW).is_some()) {
        return of_runs(list);
    }
    let mut texts = Vec::new();
    for record in list.items() {
        let is_known = record.members().all(|(key, _)| MEMBERS.contains(&key.text().as_ref()));
        texts.push(record.member("result").filter(|_| is_known)?.text()?);
        texts.extend(record.member("error").and_then(Json::text));
    }
    let texts = texts.iter().map(|text| text.trim_end()).filter(|text| !text.is_empty());
    Some(texts.collect::<Vec<_>>().join("\n"))
}

/// Where a record of OpenAI's shell tool says whether the program came to its end.
const HOW: &str = "outcome.type";

/// What several programs printed, and that one was stopped.
fn of_runs(list: Json<'_>) -> Option<String> {
    let mut texts = Vec::new();
    for record in list.items() {
        texts.push(joined(strings(record)?, |text| text));
        let is_stopped = record.at(HOW).is_some_and(|how| how.says("timeout"));
        texts.extend(is_stopped.then(|| "Command timed out".to_owned()));
    }
    texts.retain(|text| !text.is_empty());
    Some(texts.join("\n"))
}

fn unwrapped(text: &str, body: impl Fn(&str) -> &str) -> Option<String> {
    let list = text.trim();
    if list.starts_with('[') && list.ends_with(']') {
        return listed(list);
    }
    Some(joined(strings(record_in(text)?)?, body))
}

/// The texts of a record's strings.
fn joined(mut strings: Vec<(bool, Json<'_>)>, body: impl Fn(&str) -> &str) -> String {
    // Errors come last, wherever they stand in the record.
    strings.sort_by_key(|(is_error, _)| *is_error);
    let texts: Vec<_> = strings.into_iter().filter_map(|(_, string)| string.text()).collect();
    let texts = texts.iter().map(|text| body(text).trim_end()).filter(|text| !text.is_empty());
    texts.collect::<Vec<_>>().join("\n")
}

/// The text as JSON, if it may be the record of a run.
fn record_in(text: &str) -> Option<Json<'_>> {
    let record = text.trim();
    // Most texts do not even begin like a record.
    if !(record.starts_with('{') && record.ends_with('}')) {
        return None;
    }
    OUTPUTS.iter().find(|name| memmem::find(record.as_bytes(), name.as_bytes()).is_some())?;
    Json::parse(record)
}

/// The strings of output, each with whether it holds errors; `None` if the record holds anything else.
fn strings(record: Json<'_>) -> Option<Vec<(bool, Json<'_>)>> {
    let mut strings = Vec::new();
    for (key, value) in record.members() {
        let key = key.text();
        if OUTPUTS.contains(&key.as_ref()) {
            if !value.is_string() || strings.iter().any(|(is_error, _)| !is_error) {
                return None;
            }
            strings.push((false, value));
        } else if ERRORS.contains(&key.as_ref()) {
            if value.is_object() || value.is_array() {
                return None;
            }
            strings.extend(Some((true, value)).filter(|_| value.is_string()));
        } else if !BESIDE.contains(&key.to_ascii_lowercase().as_str()) {
            return None;
        }
    }
    Some(strings)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_texts_of_a_record_have_places_in_it() {
        let text = r#" {"stdout":"a","stderr":"b\"c","exit_code":1}"#;
        let texts = texts(text).unwrap();
        assert_eq!(texts, [(11..14, "a".into()), (24..30, "b\"c".into())]);
        assert_eq!(super::texts(r#"{"output":"12","id":"oil"}"#), None);
    }

    #[test]
    fn what_is_cut_has_no_line_before_it() {
        let text = r#"{"stdout":"a","stderr":"Total output lines: 9\nb\n…"}"#;
        assert_eq!(printed_of_cut(text), "a\nb\n…");
        assert_eq!(printed_of_cut("Total output lines: 9\nb"), "Total output lines: 9\nb");
    }

    #[test]
    fn a_record_of_how_a_program_ran_is_what_it_printed() {
        for (text, wanted) in [
            (r#"{"output":"a\n\"b\"\n","metadata":{"exit_code":0}}"#, "a\n\"b\""),
            (r#"{"stdout":"a","stderr":"b\n","exitCode":1}"#, "a\nb"),
            (r#" {"output":""} "#, ""),
            (r#"{"output":"a","stderr":null,"error":"no oil"}"#, "a\nno oil"),
            (r#"{"stdout":"a","error":false}"#, "a"),
            (r#"[{"query":"ls","result":"a\nb\n","success":true}]"#, "a\nb"),
            (
                r#"[{"query":"ls","result":"a","success":true},{"query":"x","result":"","error":"b","success":false}]"#,
                "a\nb",
            ),
            (r#"{"returncode":2,"output":"x"}"#, "x"),
            (
                r#"[{"stdout":"a\n","stderr":"b","outcome":{"type":"exit","exit_code":2}},{"stdout":"","stderr":"","outcome":{"type":"timeout"}}]"#,
                "a\nb\nCommand timed out",
            ),
        ] {
            assert_eq!(printed(text), wanted, "{text}");
        }
        for text in [
            r#"{"output":"12","id":"oil"}"#,
            r#"[{"result":"12","id":"oil","success":true}]"#,
            r#"[{"result":"12"}]"#,
            "[]",
            r#"{"output":{"a":1}}"#,
            r#"{"output":"","error":{"code":5}}"#,
            r#"{"output":"cut"#,
            "output",
            "{}",
            r#"{"error":"no such user"}"#,
        ] {
            assert_eq!(printed(text), text);
        }
    }
}
