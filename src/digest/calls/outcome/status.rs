//! The exit status that a result names.
//!
//! Responsible for telling the status from a text that merely mentions one: a status stands where tools write
//! it, at the beginning of a line or in a member of JSON.

use memchr::memmem;

use super::frame::{is_frame, of_line};
use crate::conversation::Part;
use crate::json::Json;

/// How many bytes at the beginning and at the end of a text are searched for a status.
const HEAD: usize = 400;
const FOOT: usize = 200;

/// The exit status in a result. A shell's result (`of_command`) may tell it at its end too. If the output is
/// data (`is_data`), only the frame of the tool counts, because the data may tell the status of another run.
pub(super) fn exit_status(text: &str, of_command: bool, is_data: bool) -> Option<i32> {
    if text.starts_with(['{', '['])
        && let Some(json) = Json::parse(text)
    {
        let all = json.items().filter_map(|record| of_record(record, is_data));
        return of_record(json, is_data).or_else(|| of_all(all));
    }
    let head = text.floor_char_boundary(HEAD);
    let start = text.ceil_char_boundary(text.len().saturating_sub(FOOT));
    // The head ends at the end of a line; the line in which the foot begins does not belong to it.
    let head = &text[..text[head..].find('\n').map_or(text.len(), |at| head + at)];
    let foot = match start {
        0 => text,
        _ => text[start..].split_once('\n').map_or("", |(_, rest)| rest),
    };
    let is_around = |line: &&str| !is_data || is_frame(line);
    let foot = foot.lines().rev().take_while(is_around).filter(|_| of_command);
    head.lines().take_while(is_around).chain(foot).find_map(of_line)
}

/// The status of several programs together: the first that is not zero.
fn of_all(statuses: impl Iterator<Item = i32>) -> Option<i32> {
    statuses.reduce(|all, status| if all == 0 { status } else { all })
}

/// The status that is recorded beside a result's text; `-1` stands for a command that is still running.
pub(super) fn beside(part: &Part<'_>) -> Option<i32> {
    const MEMBERS: &[&str] = &["extras.metadata.exit_code", "metadata.exit"];
    if let Some(runs) = part.json.member("output").filter(|runs| runs.is_array()) {
        // OpenAI's shell tool records each of its programs.
        let status = |run: Json<'_>| run.at("outcome.exit_code")?.source().parse().ok();
        return of_all(runs.items().filter_map(status));
    }
    part.body.filter(|body| !body.is(part.json) && body.is_string())?;
    MEMBERS.iter().find_map(|path| part.json.at(path)?.source().parse().ok())
}

/// Whether the result of a call has a flag by which its agent tells that a command failed.
pub(super) fn is_flagged(part: &Part<'_>) -> bool {
    // In blocks of Anthropic and Bedrock it may be left out of what went well.
    const FLAGS: &[&str] = &["is_error", "isError", "tool_use_id", "toolResult"];
    FLAGS.iter().any(|flag| part.json.member(flag).is_some())
}

/// The status in a record, `{"output":"","metadata":{"exit_code":2}}`. A record without an output tells of
/// another run, unless it has nothing but the status.
fn of_record(json: Json<'_>, is_data: bool) -> Option<i32> {
    const MEMBERS: &[&str] = &[
        "metadata.exit_code", "exit_code", "exitCode", "outcome.exit_code", "returncode",
        "return_code",
    ];
    const OUTPUTS: &[&str] = &["output", "stdout", "stderr"];
    // Most records have no status.
    ["xit", "eturn"]
        .iter()
        .find(|it| memmem::find(json.source().as_bytes(), it.as_bytes()).is_some())?;
    let is_alone = || !is_data && json.members().count() == 1;
    let has_output = OUTPUTS.iter().any(|name| json.member(name).is_some());
    let status = MEMBERS.iter().find_map(|path| json.at(path)?.source().parse().ok());
    status.filter(|_| has_output || is_alone())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn reads_exit_statuses() {
        for (text, wanted) in [
            ("Exit code 1\nboom", Some(1)),
            ("Wall time: 1\nProcess exited with code 0\nOutput:", Some(0)),
            (r#"{"output":"","metadata":{"exit_code":2}}"#, Some(2)),
            ("Error: (none)\nExit Code: 1\nSignal: 0", Some(1)),
            ("done\n\n[Command finished with exit code -1]", Some(-1)),
            ("(exit code: 3)", Some(3)),
            ("<exit_code>4</exit_code>", Some(4)),
            ("Error: Exit code 5", Some(5)),
            ("Error: Command failed (exit code: 1)", Some(1)),
            ("all is well", None),
            ("The tool returns exit code 2 on failure.", None),
            ("Exit code 2 means trouble", None),
            ("src/main.rs:12: // exit status 3 means trouble", None),
            ("12\tlet code = 7; // exit code 7 is for trouble", None),
            (r#"{"output":"exit code 3 is documented","metadata":{"exit_code":0}}"#, Some(0)),
            (r#"{"output":"exit code 3"}"#, None),
            (r#"{"returncode": 2, "output": "x"}"#, Some(2)),
            (r#"{"exit_code":3}"#, Some(3)),
            (r#"[{"stdout":"","stderr":"x","outcome":{"type":"exit","exit_code":2}}]"#, Some(2)),
            (r#"[{"stdout":"","outcome":{"type":"timeout"}}]"#, None),
        ] {
            assert_eq!(exit_status(text, true, false), wanted, "{text}");
        }
        let long = format!("{}\nExit code: 9", "x".repeat(500));
        assert_eq!(exit_status(&long, true, false), Some(9));
        assert_eq!(exit_status(&long, false, false), None);
        let within = format!("{} exit code 3", "x ".repeat(300));
        assert_eq!(exit_status(&within, true, false), None);
        let cut = format!("{}\nexit code 127\n{}", "x".repeat(388), "y\n".repeat(300));
        assert_eq!(exit_status(&cut, true, false), Some(127));
    }

    #[test]
    fn a_status_in_what_is_shown_is_not_that_of_the_call() {
        for text in [
            "# Exit codes of the tool\n\nExit status 3\n  the file was not there",
            r#"{"suite":"nightly","exit_code":1}"#,
            r#"{"exit_code":1}"#,
        ] {
            assert_eq!(exit_status(text, true, true), None, "{text}");
        }
        for text in [
            "Wall time: 1\nProcess exited with code 3\nOutput:\nExit status 4\nmeans trouble",
            "some data\n\n[Command finished with exit code 3]",
            "Output: ls: /x: No such file\nExit Code: 3\nSignal: 0",
            r#"{"output":"some data","metadata":{"exit_code":3}}"#,
        ] {
            assert_eq!(exit_status(text, true, true), Some(3), "{text}");
        }
    }
}
