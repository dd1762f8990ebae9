//! What a tool says of its own failure, whatever it did.
//!
//! Responsible for the first words of a result, and for records that tell an error or deny their success. It
//! relies on nothing that was run.

use memchr::memmem;

use crate::begins::begins_with_any;
use crate::json::Json;

/// Whether a tool says in its own words that it failed.
pub(super) fn says_failure(text: &str) -> bool {
    const WORDS: &[&str] = &[
        "<tool_use_error>",
        "execution error:",
        "failed in sandbox ",
        "<system>ERROR",
        "Error executing",
        "apply_patch verification failed",
    ];
    begins_with_any(text, WORDS)
}

/// Whether a result begins with an error; a file that is shown may too.
pub(super) fn begins_with_error(text: &str) -> bool {
    const WORDS: &[&str] = &["Error:", "error:", "Traceback (most recent call last)"];
    begins_with_any(text, WORDS) || is_error_record(text)
}

/// Whether a text is a record that begins with an error, or denies its success: `{"error":"no such user"}`.
fn is_error_record(text: &str) -> bool {
    let Some(begins) = text.strip_prefix('{').map(str::trim_start) else { return false };
    if !begins.starts_with("\"error\"") {
        let is_told = memmem::find(text.as_bytes(), b"\"success\"").is_some();
        let record = is_told.then(|| Json::parse(text)).flatten();
        return record
            .and_then(|json| json.member("success"))
            .is_some_and(|it| it.source() == "false");
    }
    // What cannot be read was cut.
    let Some(json) = Json::parse(text) else { return true };
    let error = json.member("error").map_or("", Json::source);
    !matches!(error, "null" | "false" | "\"\"" | "{}" | "[]" | "0")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_record_begins_with_an_error_where_there_is_one() {
        for text in [
            r#"{"error":"no such user"}"#,
            r#"{ "error": {"code":3}}"#,
            r#"{"error": "cut"#,
            r#"{"to":"a.rs","success":false}"#,
        ] {
            assert!(is_error_record(text), "{text}");
        }
        for text in [
            r#"{"error":null,"id":3}"#,
            r#"{"error": false}"#,
            r#"{"error":""}"#,
            "{}",
            "error",
            r#"{"success":true}"#,
            r#"{"of":{"success":false}}"#,
        ] {
            assert!(!is_error_record(text), "{text}");
        }
    }
}
