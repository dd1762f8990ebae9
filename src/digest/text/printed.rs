//! What a tool printed, where its result is a record of how it ran.
//!
//! Responsible for knowing such a record: one text, and nothing beside it but how the program ended. Any
//! other record is data, and told as that.

use std::borrow::Cow;

use memchr::memmem;

use crate::json::Json;

/// The members that hold what was printed, those that say what went wrong, and others that say how the
/// program ran.
const OUTPUTS: [&str; 2] = ["output", "stdout"];
const ERRORS: [&str; 2] = ["stderr", "error"];
const BESIDE: &[&str] = &[
    "metadata", "exit_code", "exitcode", "duration", "duration_ms", "duration_seconds", "success",
    "status", "signal", "pid", "truncated", "interrupted", "timed_out",
];

/// What was printed; the text itself where it is no such record.
pub(crate) fn printed(text: &str) -> Cow<'_, str> {
    unwrapped(text).map_or(Cow::Borrowed(text), Cow::Owned)
}

/// What each of several commands or files printed, where the result is a list of such records.
fn listed(list: &str) -> Option<String> {
    const MEMBERS: [&str; 4] = ["query", "result", "error", "success"];
    memmem::find(list.as_bytes(), b"\"success\"")?;
    let list = Json::parse(list).filter(|list| list.items().next().is_some())?;
    let mut texts = Vec::new();
    for record in list.items() {
        let is_known = record.members().all(|(key, _)| MEMBERS.contains(&key.text().as_ref()));
        texts.push(record.member("result").filter(|_| is_known)?.text()?);
        texts.extend(record.member("error").and_then(Json::text));
    }
    let texts = texts.iter().map(|text| text.trim_end()).filter(|text| !text.is_empty());
    Some(texts.collect::<Vec<_>>().join("\n"))
}

fn unwrapped(text: &str) -> Option<String> {
    let record = text.trim();
    if record.starts_with('[') && record.ends_with(']') {
        return listed(record);
    }
    // Mostly it begins as no record does.
    if !(record.starts_with('{') && record.ends_with('}')) {
        return None;
    }
    OUTPUTS.iter().find(|name| memmem::find(record.as_bytes(), name.as_bytes()).is_some())?;
    let record = Json::parse(record)?;
    let (mut out, mut errors) = (None, Vec::new());
    for (key, value) in record.members() {
        let key = key.text();
        if OUTPUTS.contains(&key.as_ref()) {
            if out.replace(value.text()?).is_some() {
                return None;
            }
        } else if ERRORS.contains(&key.as_ref()) {
            if value.is_object() || value.is_array() {
                return None;
            }
            errors.extend(value.text());
        } else if !BESIDE.contains(&key.to_ascii_lowercase().as_str()) {
            return None;
        }
    }
    let texts: Vec<_> = out.into_iter().chain(errors).collect();
    let texts = texts.iter().map(|text| text.trim_end()).filter(|text| !text.is_empty());
    Some(texts.collect::<Vec<_>>().join("\n"))
}

#[cfg(test)]
mod tests {
    use super::*;

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
