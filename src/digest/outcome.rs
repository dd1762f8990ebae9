//! How a call ended: whether it failed, and the line of its result that decides.
//!
//! Responsible for exit statuses as tools write them, for the first line of an error and for the
//! totals of a test run. It relies on words that programs print, not on one program's.

use std::sync::LazyLock;

use memchr::memmem;

use super::calls::clip;
use super::cues::Cues;
use super::{common, shell, units};
use crate::conversation::Part;
use crate::line::on_one_line;
use crate::marks;

/// How a call ended.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct Outcome {
    pub(super) failed: bool,
    /// The user did not let it happen.
    pub(super) rejected: bool,
    /// The exit status, where the result says one.
    pub(super) status: Option<i32>,
    /// The first line of the error, the totals, or the last line.
    pub(super) line: Option<Box<str>>,
    /// What the line says: a test's or a build's totals.
    pub(super) is_total: bool,
}

/// How much of a result's line is kept.
const LONGEST: usize = 200;

/// How far from either end of a result its status and totals are looked for.
const NEAR: usize = 4000;

/// Whether a tool says that it failed: by its flag, by an exit status, or by its first words or its
/// last line. `command` is what was run, of a shell.
#[must_use]
pub fn has_failed(result: &Part<'_>, command: Option<&str>) -> bool {
    judge(result, command).failed
}

/// Judges a result, of a `command` or of another tool.
pub(super) fn judge(part: &Part<'_>, command: Option<&str>) -> Outcome {
    let of_command = command.is_some();
    let text = part.text();
    let text = text.trim();
    if marks::is_placeholder(text) {
        return Outcome::default();
    }
    let head = &text[..text.floor_char_boundary(400)];
    let foot = &text[text.ceil_char_boundary(text.len().saturating_sub(200))..];
    let status = exit_status(head).or_else(|| exit_status(foot).filter(|_| of_command));
    let said = head.starts_with("<tool_use_error>")
        || head.starts_with("Error:")
        || head.starts_with("error:")
        || head.starts_with("Traceback (most recent call last)")
        || head.starts_with("{\"error\"")
        || head.starts_with("Error executing")
        || head.starts_with("apply_patch verification failed")
        || command.is_some_and(|command| !shell::shows_data(command)) && gives_up(text);
    let rejected = [
        "doesn't want to proceed",
        "doesn't want to take this action",
        "rejected by user",
        "user rejected",
    ]
    .iter()
    .any(|words| memmem::find(head.as_bytes(), words.as_bytes()).is_some());
    let failed =
        part.is_error || status.is_some_and(|status| status != 0) || said && status.is_none();
    let (line, is_total) = if failed {
        (first_error(text).or_else(|| last_line(text).map(str::to_owned)), false)
    } else if of_command {
        match totals(text) {
            Some(line) => (Some(line.to_owned()), true),
            None => (last_line(text).map(str::to_owned), false),
        }
    } else {
        (None, false)
    };
    Outcome {
        failed: failed && !rejected,
        rejected,
        status,
        line: line.map(|line| clip(&line, LONGEST)),
        is_total,
    }
}

/// How many lines a program writes at most that gives up in the first.
const SHORT: usize = 5;

/// Whether a command gives up without an exit status: in its last line, or in the first of few.
fn gives_up(text: &str) -> bool {
    let is_short = text.lines().nth(SHORT).is_none();
    let first = text.lines().next().filter(|_| is_short);
    first.into_iter().chain(text.lines().next_back()).any(|line| gives_up_in(line.trim_end()))
}

/// Whether a line begins as programs do that give up.
fn gives_up_in(line: &str) -> bool {
    const SHELLS: &[&str] = &["bash: ", "-bash: ", "sh: ", "-sh: ", "zsh: ", "/bin/sh: "];
    const REASONS: &[&str] = &["not found", "No such file or directory", "Permission denied"];
    let starts_with = |words: &[&str]| words.iter().any(|word| line.starts_with(word));
    let of_make = || {
        let rest = line
            .strip_prefix("make")?
            .trim_start_matches(|c: char| "[]".contains(c) || c.is_ascii_digit());
        rest.strip_prefix(": *** ")
    };
    starts_with(&["fatal: ", "npm ERR! ", "npm error ", "error: ", "Error: ", "ERROR: "])
        || of_make().is_some()
        || starts_with(SHELLS)
            && (REASONS.iter().any(|reason| line.ends_with(reason))
                || line.contains(": command not found: "))
}

/// The exit status that a text names: `Exit code 1`, `exited with code 0`, `"exit_code":2`.
fn exit_status(text: &str) -> Option<i32> {
    let bytes = text.as_bytes();
    for words in ["xit code", "exited with code", "exit_code\"", "exit status", "exit_code"] {
        for at in memmem::find_iter(bytes, words) {
            let rest = text[at + words.len()..].trim_start_matches([':', '=', ' ', '"']);
            let length = rest
                .bytes()
                .enumerate()
                .take_while(|(at, byte)| byte.is_ascii_digit() || *at == 0 && *byte == b'-')
                .count();
            if let Ok(status) = rest[..length].parse() {
                return Some(status);
            }
        }
    }
    None
}

/// Lines that tools put before the output proper.
pub(super) fn is_frame(line: &str) -> bool {
    const FRAMES: &[&str] = &[
        "Exit code",
        "exit code",
        "Wall time",
        "Output:",
        "Chunk ID:",
        "Process exited",
        "Original token count",
        "Total output lines",
        "Command:",
        "Process running",
        "Success. Updated",
    ];
    FRAMES.iter().any(|frame| line.starts_with(frame))
}

const ERRORS: &[&str] = &[
    "error",
    "fail",
    "panic",
    "traceback",
    "fatal",
    "not found",
    "no such file",
    "denied",
    "cannot",
    "can't",
    "undefined",
    "exception",
    "unexpected",
    "unable to",
    "invalid",
    "✗",
    "✘",
    "❌",
];
const NEGATIONS: &[&str] = &["0 error", "no error", "0 fail", "without error", "0 warning"];
const TOTALS: &[&str] = &[
    "passed",
    "failed",
    "passing",
    "failing",
    "test result",
    "tests",
    "issues",
    "warnings",
    "errors",
    "0 errors",
    "finished",
    "built in",
    "compiled",
    "success",
    "pass",
    "fail",
    "ok",
    "files changed",
    "insertions",
];

static SIGNS: LazyLock<Cues> = LazyLock::new(|| Cues::new(&[ERRORS, NEGATIONS, TOTALS]));

/// Whether a line says that something went wrong.
pub(super) fn is_error_line(line: &str) -> bool {
    SIGNS.find(line) & 3 == 1
}

/// Whether a line sums up a run: a number, and a word for how it went.
fn is_total(line: &str) -> bool {
    line.len() <= 200
        && line.bytes().any(|byte| byte.is_ascii_digit())
        && !is_code(line)
        && SIGNS.find(line) & 4 != 0
}

/// Whether a line is one of a program, a change or a listing of files and not of a report.
fn is_code(line: &str) -> bool {
    is_listed(line)
        || line.ends_with(['{', '}', ';', ','])
        || line.starts_with(['+', '-', '@', '*', '/', '#'])
        || line.contains("return ")
}

/// Whether a line is one of a long listing of files: it begins with what may be done to the file.
pub(super) fn is_listed(line: &str) -> bool {
    let mode = line.as_bytes();
    mode.len() > 10
        && b"-dlbcps".contains(&mode[0])
        && mode[1..10].iter().all(|byte| b"rwxsStT-".contains(byte))
        && !mode[1..10].iter().all(|byte| *byte == b'-')
}

/// How plainly a line of a failed run says what went wrong, plainest last.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum Plainness {
    /// It says nothing of it.
    Silent,
    /// It says that something did.
    Vague,
    /// It says what.
    Worded,
    /// It says where.
    Placed,
    /// It names a test.
    Test,
}

/// Lines that tell that something failed and not what.
const VAGUE: &[&str] = &["task failed", "exit status", "exit code", "command failed", "lifecycle"];

/// Beginnings of the lines that name a test that failed.
const TESTS: &[&str] = &["--- FAIL", "FAILED ", "FAIL: ", "not ok ", "✗ ", "✘ ", "✕ "];

fn plainness(line: &str) -> Plainness {
    if TESTS.iter().any(|test| line.starts_with(test)) || line.ends_with("... FAILED") {
        return Plainness::Test;
    }
    // `src/a.rs:12:3: what is wrong there`
    let place = line.split_whitespace().next().unwrap_or(line);
    let mut parts = place.split(':');
    let file = parts.next().and_then(|file| file.rsplit_once('.'));
    let is_file = file.is_some_and(|(_, extension)| common::is_extension(extension.as_bytes()));
    let is_numbered = parts.next().is_some_and(|number| {
        !number.is_empty() && number.bytes().all(|byte| byte.is_ascii_digit())
    });
    if is_file && is_numbered && place.len() < line.len() && !line.contains("warning") {
        Plainness::Placed
    } else if !is_error_line(line) || line.len() <= 8 {
        Plainness::Silent
    } else if VAGUE.iter().any(|words| memmem::find(line.as_bytes(), words.as_bytes()).is_some()) {
        Plainness::Vague
    } else {
        Plainness::Worded
    }
}

/// How many failed tests are named.
const NAMED: usize = 3;

/// The line that says what went wrong: of the plainest the first, of tests the first few with the
/// first place that is named.
pub(super) fn first_error(text: &str) -> Option<String> {
    let mut best: Option<(Plainness, &str)> = None;
    let (mut tests, mut place): (Vec<&str>, Option<&str>) = (Vec::new(), None);
    let mut read = 0;
    for line in text.lines().take_while(|line| {
        read += line.len() + 1;
        read <= 200_000
    }) {
        let line = tagless(line.trim());
        let is_visible = !line.is_empty() && !is_frame(line) && line != "<tool_use_error>";
        if !is_visible || line.bytes().filter(u8::is_ascii_alphabetic).count() < 4 {
            continue;
        }
        let plain = plainness(line);
        match plain {
            Plainness::Test if tests.len() < NAMED => tests.push(line),
            Plainness::Placed => place = place.or(Some(line)),
            _ => {}
        }
        if best.is_none_or(|(known, _)| known < plain) {
            best = Some((plain, line));
        }
    }
    match best? {
        (Plainness::Test, _) => Some(tests.into_iter().chain(place).collect::<Vec<_>>().join("; ")),
        (_, line) => Some(line.to_owned()),
    }
}

fn tagless(line: &str) -> &str {
    line.strip_prefix("<tool_use_error>")
        .map_or(line, |rest| rest.trim_end_matches("</tool_use_error>"))
}

/// Whether a line says of one test or package that nothing is wrong with it.
pub(super) fn is_well(line: &str) -> bool {
    line.starts_with("--- PASS")
        || line.starts_with("=== RUN")
        || line.starts_with("ok ") && line.ends_with(['s', ')'])
        || line.starts_with("ok\t")
        || line.ends_with(" ok")
        || line.ends_with("[no test files]")
}

/// The last line of the totals near the end; what is said of one package is none.
fn totals(text: &str) -> Option<&str> {
    let foot = &text[text.ceil_char_boundary(text.len().saturating_sub(NEAR))..];
    foot.lines().rev().map(str::trim).find(|line| is_total(line) && !is_well(line))
}

fn last_line(text: &str) -> Option<&str> {
    text.lines().rev().map(str::trim).find(|line| !line.is_empty() && !is_frame(line))
}

/// How the outcome is written behind an arrow.
pub(super) fn phrase(outcome: &Outcome) -> String {
    let word = match (outcome.rejected, outcome.failed, outcome.status) {
        (true, ..) => "rejected by the user".to_owned(),
        (_, true, Some(status)) if status != 0 => format!("failed (exit {status})"),
        (_, true, _) => "failed".to_owned(),
        _ => "ok".to_owned(),
    };
    match &outcome.line {
        Some(line) if outcome.failed || outcome.is_total => {
            let line = on_one_line(units::without_marks(line));
            format!("{word}: {line}")
        }
        _ => word,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn reads_exit_statuses() {
        assert_eq!(exit_status("Exit code 1\nboom"), Some(1));
        assert_eq!(exit_status("Process exited with code 0"), Some(0));
        assert_eq!(exit_status(r#"{"output":"","metadata":{"exit_code":2}}"#), Some(2));
        assert_eq!(exit_status("all is well"), None);
    }

    #[test]
    fn knows_who_gives_up() {
        for text in [
            "fatal: not a git repository (or any of the parent directories): .git",
            "cc -c a.c\nmake: *** [all] Error 2",
            "make[1]: *** [Makefile:3: all] Error 1\n",
            "bash: foo: command not found",
            "/bin/sh: 1: foo: not found",
            "zsh: command not found: foo",
            "npm ERR! code ELIFECYCLE\nnpm ERR! errno 1",
            "uploading\nerror: deploy failed with code 7",
        ] {
            assert!(gives_up(text), "{text}");
        }
        for text in [
            "",
            "ok",
            "error handling is tested\n12 passed",
            "  error: string,",
            "bash: line editing is enabled",
            "make: Nothing to be done for 'all'.",
            "fatal: no upstream\na\nb\nc\nd\ne\n12 passed",
        ] {
            assert!(!gives_up(text), "{text}");
        }
    }

    #[test]
    fn finds_the_line_that_decides() {
        let text = "Exit code: 101\nrunning 3 tests\nerror: no such thing\n2 passed; 1 failed";
        assert_eq!(first_error(text).as_deref(), Some("error: no such thing"));
        assert_eq!(totals("warming up\n12 passed, 0 failed\nbye"), Some("12 passed, 0 failed"));
        assert!(!is_error_line("0 errors"));
        assert_eq!(totals("ok  \texample.com/a\t0.4s\nok  \texample.com/b\t3.6s"), None);
        assert_eq!(totals("drwx------@ 3 me staff 96 Oct 15 __tests__\n}"), None);
    }
}
