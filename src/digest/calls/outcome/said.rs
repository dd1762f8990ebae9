//! What a tool says of its own failure, whatever it did.
//!
//! Responsible for the first words of a result, and for records that report an error or deny success. It relies
//! on nothing that was run.

use memchr::memmem;

use crate::begins::begins_with_any;
use crate::json::Json;
use crate::line::on_one_line;

/// Whether a tool says in its own words that it failed.
pub(super) fn says_failure(text: &str) -> bool {
    const WORDS: &[&str] = &[
        "<tool_use_error>",
        "execution error:",
        "failed in sandbox ",
        "exec_command failed for ",
        "write_stdin failed: ",
        "unsupported call: ",
        "<system>ERROR",
        "Error executing",
        "apply_patch verification failed",
        "Your proposed edit has introduced new syntax error",
        "EXECUTION TIMED OUT",
    ];
    begins_with_any(text, WORDS)
}

/// Whether a result begins with an error. A shown file may do so too.
pub(super) fn leads_with_error(text: &str) -> bool {
    const WORDS: &[&str] = &["Error:", "error:", "Traceback (most recent call last)"];
    begins_with_any(text, WORDS) || is_error_record(text) || is_cell_error(text)
}

/// The most lines of a result that only reports a failure.
const FEW: usize = 4;

/// Whether a result only says that the tool failed: few lines with such a beginning, or a single error.
pub(super) fn only_fails(text: &str) -> bool {
    const WORDS: &[&str] = &[
        "ERROR:", "ERROR while calling tool:", "Error calling tool:",
        "Request failed with status code ", "Operation failed:", "API Error: ", "MCP error ",
        "Agent failed:", "<error>", "### Result\nError:", "cannot execute ",
    ];
    let is_short = || text.lines().nth(FEW).is_none();
    let is_line = !text.contains('\n');
    begins_with_any(text, WORDS) && is_short()
        || begins_with_status(text) && is_short()
        || tells_ill(text)
        || is_line && (is_thrown(text) || begins_with_any(text, &["Failed to ", "failed to "]))
}

/// Whether a text begins with the status of a failed request: `HTTP 500 Internal Server Error`, `HTTP/1.1 404
/// Not Found`.
fn begins_with_status(text: &str) -> bool {
    let behind = text.strip_prefix("HTTP").and_then(|rest| rest.split_once(' '));
    behind.is_some_and(|(version, rest)| {
        let number = rest.split([' ', '\n', ':']).next().unwrap_or_default();
        version.len() <= 4 && number.parse().is_ok_and(|it: u16| (400..600).contains(&it))
    })
}

/// Whether a line is the name of a language's error and its message: `KeyError: 'a'`.
pub(super) fn is_thrown(line: &str) -> bool {
    let Some((name, _)) = line.split_once(": ") else { return false };
    let own = name.rsplit('.').next().unwrap_or(name);
    let is_name = own.starts_with(|c: char| c.is_ascii_uppercase())
        && name.bytes().all(|byte| byte.is_ascii_alphanumeric() || b"._".contains(&byte));
    is_name
        && (own.len() > 5 && own.ends_with("Error") || own.len() > 9 && own.ends_with("Exception"))
}

/// Whether a text begins with the uncaught error of a notebook's cell: a rule, and the head of the traceback
/// below it.
fn is_cell_error(text: &str) -> bool {
    let mut lines = text.lines();
    let is_rule = |line: &str| line.len() > 20 && line.bytes().all(|byte| byte == b'-');
    lines.next().is_some_and(is_rule)
        && lines.next().is_some_and(|line| line.ends_with("Traceback (most recent call last)"))
}

/// The most members of a record that only reports how something went.
const MEMBERS: usize = 4;

/// Members by which a record tells or denies success, members that tell how it went, and the bad values of
/// these.
const SUCCESS: &[&str] = &["success", "ok"];
const HOW: &[&str] = &["status", "result", "outcome"];
const ILL: &[&str] = &[
    "failed", "failure", "error", "denied", "rejected", "refused", "declined", "down", "unhealthy",
];

/// Whether a text is a record of an error, or denies its success: `{"error":"no such user"}`.
fn is_error_record(text: &str) -> bool {
    let Some(begins) = text.strip_prefix('{').map(str::trim_start) else { return false };
    let begins_with_error = begins.starts_with("\"error\"");
    // Most records have neither, and need not be parsed.
    if !begins_with_error && !names_any(text, SUCCESS) {
        return false;
    }
    // A record that cannot be parsed was cut.
    let Some(json) = Json::parse(text).map(inner) else { return begins_with_error };
    let is = |name: &str, says: fn(Json<'_>) -> bool| json.member(name).is_some_and(says);
    let is_false = |it: Json<'_>| it.source() == "false";
    begins_with_error && is("error", says_something) || SUCCESS.iter().any(|it| is(it, is_false))
}

/// The most bytes of a record that only reports how something went.
const LONGEST: usize = 2000;

/// The record in a record that holds nothing else: `{"result":{"success":false}}`.
fn inner(record: Json<'_>) -> Json<'_> {
    let held = record.member("result").filter(|held| held.is_object());
    held.filter(|_| record.members().count() == 1).unwrap_or(record)
}

/// Joins a record of several lines into one, because its first line says nothing.
pub(super) fn record_on_one_line(text: &str) -> Option<String> {
    let may_be = text.len() <= LONGEST && text.starts_with('{') && text.contains('\n');
    (may_be && Json::parse(text).is_some()).then(|| on_one_line(text))
}

/// Whether a text contains one of these names.
fn names_any(text: &str, names: &[&str]) -> bool {
    names.iter().any(|name| memmem::find(text.as_bytes(), name.as_bytes()).is_some())
}

/// Whether a text is a record that only reports a bad outcome: `{"status":"failed","reason":"sold out"}`.
fn tells_ill(text: &str) -> bool {
    const TELLING: &[&str] = &["status", "result", "outcome", "error"];
    let record = Some(text).filter(|text| text.starts_with('{') && names_any(text, TELLING));
    let Some(json) = record.and_then(Json::parse).map(inner) else { return false };
    let is = |name: &str, says: fn(Json<'_>) -> bool| json.member(name).is_some_and(says);
    // A record with an id, or with many members, may be the thing that was asked for.
    let names = || json.members().map(|(name, _)| name.text());
    let is_of_thing =
        names().any(|name| name == "id" || name.ends_with("_id") || name.ends_with("Id"));
    let is_ill =
        |it: Json<'_>| it.text().is_some_and(|it| ILL.contains(&&*it.to_ascii_lowercase()));
    let is_refusal = |it: Json<'_>| it.as_u64().is_some_and(|it| (400..600).contains(&it));
    !is_of_thing
        && names().count() <= MEMBERS
        && (is("error", says_something)
            || is("errorMessages", says_something)
            || HOW.iter().any(|name| is(name, is_ill))
            || ["status_code", "statusCode"].iter().any(|name| is(name, is_refusal)))
}

/// Whether an `error` member names an error.
fn says_something(error: Json<'_>) -> bool {
    !matches!(error.source(), "null" | "false" | "\"\"" | "{}" | "[]" | "0")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_record_of_several_lines_is_one() {
        let text = "{\n  \"error\": {\n    \"code\": 3\n  }\n}";
        let line = record_on_one_line(text).expect("it is one");
        assert_eq!(line, r#"{ "error": { "code": 3 } }"#);
        assert!(is_error_record(&line) && record_on_one_line("{\n").is_none());
    }

    #[test]
    fn a_record_begins_with_an_error_where_there_is_one() {
        for text in [
            r#"{"error":"no such user"}"#,
            r#"{ "error": {"code":3}}"#,
            r#"{"error": "cut"#,
            r#"{"to":"a.rs","success":false}"#,
            r#"{"ok":false,"error":"channel_not_found"}"#,
            r#"{"result":{"success":false,"message":"no"}}"#,
        ] {
            assert!(is_error_record(text), "{text}");
        }
        for text in [
            r#"{"status":"failed","reason":"sold out"}"#,
            r#"{"result":"denied","code":"POLICY_7"}"#,
            r#"{"code":"42501","error":"permission denied"}"#,
            r#"{"errorMessages":["Issue does not exist"],"errors":{}}"#,
            r#"{"status_code":403,"body":"forbidden"}"#,
            r#"{"status":"DOWN","db":{"status":"DOWN","error":"no encryption"}}"#,
        ] {
            assert!(tells_ill(text), "{text}");
        }
        for text in [
            r#"{"error":null,"id":3}"#,
            r#"{"error": false}"#,
            r#"{"error":""}"#,
            "{}",
            "error",
            r#"{"success":true}"#,
            r#"{"of":{"success":false}}"#,
            r#"{"id":"p1","status":"failed"}"#,
            r#"{"payment_id":"p1","status":"failed"}"#,
            r#"{"a":1,"b":2,"c":3,"d":4,"status":"failed"}"#,
            r#"{"status":200,"result":"error log is empty"}"#,
            r#"{"errors":[],"failed":0}"#,
        ] {
            assert!(!is_error_record(text) && !tells_ill(text), "{text}");
        }
    }

    #[test]
    fn a_tool_may_say_nothing_but_that_it_failed() {
        for text in [
            "Request failed with status code 404",
            "MCP error -32001: Request timed out",
            "ERROR:  update or delete on table \"t\" violates foreign key constraint",
            "Operation failed: Timeout 30000ms exceeded.\nCall log:\n  - waiting for x",
            "HTTP 500 Internal Server Error",
            "HTTP/1.1 404 Not Found\nServer: x",
            "KeyError: 'a'",
        ] {
            assert!(only_fails(text), "{text}");
        }
        for text in
            ["HTTP 200 OK", "HTTPS is on", "Error handling: done", "Note: failed to", "a: b"]
        {
            assert!(!only_fails(text), "{text}");
        }
        assert!(!only_fails(&format!("Failed to start\n{}", "a line\n".repeat(5))));
        let rule = "-".repeat(75);
        let cell = format!("{rule}\nKeyError        Traceback (most recent call last)\nCell In[3]");
        assert!(leads_with_error(&cell) && !leads_with_error(&rule));
    }
}
