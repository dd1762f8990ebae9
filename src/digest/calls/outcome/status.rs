//! The exit status that a result names.
//!
//! Responsible for telling it from a text that speaks of one: a status stands where tools write it, at
//! the beginning of a line or in a member of JSON.

use memchr::memmem;

use crate::json::Json;

/// How far from either end of a text a status is looked for.
const HEAD: usize = 400;
const FOOT: usize = 200;

/// The exit status of a result, `of_command` that of a shell: these name it at their end too.
pub(super) fn exit_status(text: &str, of_command: bool) -> Option<i32> {
    if text.starts_with('{')
        && let Some(json) = Json::parse(text)
    {
        return of_record(json);
    }
    let head = &text[..text.floor_char_boundary(HEAD)];
    let start = text.ceil_char_boundary(text.len().saturating_sub(FOOT));
    // The line in which the foot begins is none of its own.
    let foot = match start {
        0 => text,
        _ => text[start..].split_once('\n').map_or("", |(_, rest)| rest),
    };
    let foot = foot.lines().rev().filter(|_| of_command);
    head.lines().chain(foot).find_map(of_line)
}

/// `{"output":"","metadata":{"exit_code":2}}`
fn of_record(json: Json<'_>) -> Option<i32> {
    const MEMBERS: &[&str] = &["metadata.exit_code", "exit_code", "exitCode"];
    memmem::find(json.source().as_bytes(), b"xit")?;
    MEMBERS.iter().find_map(|path| json.at(path)?.source().parse().ok())
}

/// What a line names that begins as those of tools do: `Exit code 1`, `[Command finished with exit code 0]`.
fn of_line(line: &str) -> Option<i32> {
    const BEGINNINGS: &[&str] = &[
        "exit code",
        "exit_code",
        "exit status",
        "exited with code",
        "process exited with code",
        "command exited with code",
        "command finished with exit code",
        "command failed with exit code",
        "command failed (exit code",
        "the command completed with exit code",
        "finished with status code: exit status",
    ];
    let line = line.trim_start().trim_start_matches(['[', '(', '<']);
    let line = line.strip_prefix("Error: ").unwrap_or(line);
    let begins = |words: &&&str| {
        line.get(..words.len()).is_some_and(|head| head.eq_ignore_ascii_case(words))
    };
    let rest = match BEGINNINGS.iter().find(begins) {
        Some(words) => &line[words.len()..],
        None => line.strip_prefix("failed in sandbox")?.split_once("exit code")?.1,
    };
    let number = rest.trim_start_matches([':', '=', ' ', '>']);
    let length = number.bytes().take_while(|byte| byte.is_ascii_digit() || *byte == b'-').count();
    let (number, behind) = number.split_at(length);
    // A sentence goes on behind its number.
    let goes_on = behind.trim_start().starts_with(char::is_alphanumeric);
    number.parse().ok().filter(|_| !goes_on)
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
            (
                "failed in sandbox None with execution error: denied, exit code: 101, stdout:",
                Some(101),
            ),
            ("all is well", None),
            ("The tool returns exit code 2 on failure.", None),
            ("Exit code 2 means trouble", None),
            ("src/main.rs:12: // exit status 3 means trouble", None),
            ("12\tlet code = 7; // exit code 7 is for trouble", None),
            (r#"{"output":"exit code 3 is documented","metadata":{"exit_code":0}}"#, Some(0)),
            (r#"{"output":"exit code 3"}"#, None),
        ] {
            assert_eq!(exit_status(text, true), wanted, "{text}");
        }
        let long = format!("{}\nExit code: 9", "x".repeat(500));
        assert_eq!(exit_status(&long, true), Some(9));
        assert_eq!(exit_status(&long, false), None);
        let within = format!("{} exit code 3", "x ".repeat(300));
        assert_eq!(exit_status(&within, true), None);
    }
}
