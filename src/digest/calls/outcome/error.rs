//! The line of a result that says what went wrong.
//!
//! Responsible for choosing that line, and for what is told with it: a reason or place for failed tests, the
//! reason of a panic below its place, the rest of a quote that continues on later lines.

use std::borrow::Cow;

use super::frame::{is_frame, without_rules};
use super::lines::{Plainness, is_error_line, is_packed, plainness, says_what};
use crate::line::leaves_open;
use crate::span::span_in;

/// How many failed tests are named.
pub(super) const NAMED: usize = 3;

/// The line that says what went wrong: the first one of the plainest kind. For tests: the names of the first
/// few, with the first reason or place.
pub(crate) fn first_error(text: &str) -> Option<String> {
    let text = without_sought(text);
    let mut best: Option<(Plainness, &str)> = None;
    let mut tests: Vec<&str> = Vec::new();
    let (mut reason, mut place): (Option<&str>, Option<&str>) = (None, None);
    let mut read = 0;
    for line in text.lines().take_while(|line| {
        read += line.len() + 1;
        read <= 200_000
    }) {
        let line = tagless(line.trim());
        let is_visible = !is_frame(line) && !is_packed(line) && line != "<tool_use_error>";
        if !is_visible || line.bytes().filter(u8::is_ascii_alphabetic).count() < 4 {
            continue;
        }
        let plain = plainness(line);
        match plain {
            // The title of a part of the output gives no reason.
            _ if without_rules(line) != line => {}
            Plainness::Test if tests.len() < NAMED => tests.push(line),
            Plainness::Placed | Plainness::Named | Plainness::Worded if says_what(line) => {
                reason = reason.or(Some(line));
            }
            Plainness::Placed => place = place.or(Some(line)),
            _ => {}
        }
        if best.is_none_or(|(known, _)| known < plain) {
            best = Some((plain, line));
        }
    }
    match best? {
        (Plainness::Test, _) => {
            let reason = reason.or(place).map(|line| whole(text, line));
            let tests = tests.into_iter().map(str::to_owned);
            Some(tests.chain(reason).collect::<Vec<_>>().join("; "))
        }
        (_, line) => Some(whole(text, line)),
    }
}

/// An editor's refusal without the text that it should have replaced, which follows below.
fn without_sought(text: &str) -> &str {
    let refused = text.strip_prefix("<tool_use_error>");
    refused.and_then(|refused| refused.split_once("\nString: ")).map_or(text, |(why, _)| why)
}

/// Over how many lines an open quote is followed.
const QUOTED: usize = 4;

/// A line with the following ones up to the end of an open quote, or with the reason of a panic.
fn whole(text: &str, line: &str) -> String {
    let is_open = |line: &str| leaves_open(line, '`') || leaves_open(line, '"');
    let end = span_in(text, line).end;
    if let Some(panic) = Panic::of(line) {
        return panic.told(text[end..].lines().nth(1).unwrap_or_default().trim());
    }
    let mut whole = line.to_owned();
    for next in text[end..].lines().skip(1).take(QUOTED).filter(|_| is_open(line)) {
        whole.push(' ');
        whole.push_str(next.trim());
        if !is_open(&whole) {
            return whole;
        }
    }
    line.to_owned()
}

/// The line of a panic, whose reason stands below it: `thread 'a' panicked at src/a.rs:1:2:`.
struct Panic<'l> {
    thread: &'l str,
    place: &'l str,
}

impl<'l> Panic<'l> {
    fn of(line: &'l str) -> Option<Self> {
        let (thread, place) = line.strip_suffix(':')?.split_once("panicked at ")?;
        let is_numbered = place.ends_with(|c: char| c.is_ascii_digit()) && place.contains(':');
        let is_one = !place.contains(char::is_whitespace);
        (is_numbered && is_one).then_some(Self { thread, place })
    }

    /// The panic with its reason. A place in foreign code is told by its file alone, and the main thread is not
    /// named.
    fn told(&self, why: &str) -> String {
        let is_far = self.place.starts_with('/') || self.place.contains(":\\");
        let file = self.place.rfind(['/', '\\']).filter(|_| is_far).map_or(0, |at| at + 1);
        let thread = if self.thread.starts_with("thread 'main' ") { "" } else { self.thread };
        format!("{thread}panicked at {}: {why}", &self.place[file..]).trim_end().to_owned()
    }
}

/// A line that begins with a place, without the folders before the file.
pub(super) fn without_folders(line: &str) -> &str {
    let place = line.split(':').next().unwrap_or(line);
    let is_place = place.len() < line.len() && !place.contains(char::is_whitespace);
    let start = place.rfind('/').filter(|_| is_place).map_or(0, |at| at + 1);
    &line[start..]
}

/// A line without the tag or field name that a tool puts before it, and without the name of the task that
/// printed it.
pub(super) fn tagless(line: &str) -> &str {
    const FIELDS: &[&str] = &["Output: ", "Stdout: ", "STDOUT: ", "Stderr: ", "STDERR: "];
    let untagged =
        ["tool_use_error", "system", "stderr", "stdout", "error"].iter().find_map(|tag| {
            let rest = line.strip_prefix('<')?.strip_prefix(tag)?.strip_prefix('>')?;
            Some(
                rest.strip_suffix('>')
                    .and_then(|rest| rest.strip_suffix(tag))
                    .map_or(rest, |rest| rest.trim_end_matches(['<', '/'])),
            )
        });
    let field = || FIELDS.iter().find_map(|field| line.strip_prefix(field));
    without_task(untagged.or_else(field).unwrap_or(line))
}

/// A line without the label that task runners put before it: `[lint:go] 2 issues:`. A level as in `[error] …`
/// is no label.
fn without_task(line: &str) -> &str {
    let is_name = |label: &str| {
        label.starts_with(|c: char| c.is_ascii_lowercase())
            && label
                .bytes()
                .all(|byte| byte.is_ascii_lowercase() || b":-_./0123456789".contains(&byte))
            && !is_error_line(label)
    };
    let parts = line.strip_prefix('[').and_then(|rest| rest.split_once("] "));
    parts.filter(|(label, _)| is_name(label)).map_or(line, |(_, rest)| rest)
}

/// The least bytes of a line that counts as the beginning of the command.
const SHOWN: usize = 20;

/// The output of a failed command without lines that repeat the command, which are no reason.
pub(super) fn without_command<'t>(text: &'t str, command: &str) -> Cow<'t, str> {
    let command = command.trim();
    let lines: Vec<&str> = command.lines().map(str::trim).filter(|line| !line.is_empty()).collect();
    let shows = |line: &str| {
        let line = line.trim();
        let begins = |line: &str| line.len() >= SHOWN && command.starts_with(line);
        let is_it = |line: &str| lines.contains(&line) || begins(line);
        // The command may follow a prompt, or be cut.
        let bare = line.split_once("$ ").map_or(line, |(_, rest)| rest);
        [line, bare, bare.trim_start_matches(['+', '>', ' ']), line.trim_end_matches(['…', '.'])]
            .into_iter()
            .any(is_it)
    };
    if !text.lines().any(shows) {
        return Cow::Borrowed(text);
    }
    text.lines().filter(|line| !shows(line)).collect::<Vec<_>>().join("\n").into()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_a_linter_draws_is_no_reason() {
        let drawn = "oil/a.ts:16:22 lint/noUnused  FIXABLE  ━━━━\n\n  ! Several are unused.\n\n  > 16 │ throw new Error()\n     │  ^^^";
        let error = "a.ts(16,58): error TS2305: Module '\"b\"' has no exported member 'C'.";
        assert_eq!(first_error(&format!("{drawn}\n{error}")).as_deref(), Some(error));
        let parse = "oil/a.ts:205:2 parse ━━━━\n\n  × Expected a semicolon\n\n  > 204 │ * @throws Error if no model";
        assert_eq!(first_error(parse).as_deref(), Some("× Expected a semicolon"));
        let framed = "Initializing...\n╷\n│ Error: Unsupported argument\n│ \n│   on main.tf line 3";
        assert_eq!(first_error(framed).as_deref(), Some("│ Error: Unsupported argument"));
    }

    #[test]
    fn a_command_that_is_shown_is_no_reason() {
        let command = "cd /w && python3 ../reproduce_error.py";
        let why = "python3: can't open file '/w/a.py': [Errno 2] No such file or directory";
        for shown in [
            "cd /w && python3 ../reproduce_error.py",
            "me@host:/w$ cd /w && python3 ../reproduce_error.py",
            "+ cd /w && python3 ../reproduce_error.py",
            "cd /w && python3 ../reproduce_err…",
        ] {
            assert_eq!(without_command(&format!("{shown}\n{why}"), command), why, "{shown}");
        }
        assert_eq!(without_command("cd /w\nerror", command), "cd /w\nerror");
    }

    #[test]
    fn what_an_edit_was_to_replace_is_no_reason() {
        let refused = "<tool_use_error>Found 2 matches of the string to replace.\n\
                       String: \t// See error.\n\treturn error.New(\"no oil\")</tool_use_error>";
        let why = "Found 2 matches of the string to replace.";
        assert_eq!(first_error(refused).as_deref(), Some(why));
    }

    #[test]
    fn a_title_of_the_output_is_no_reason() {
        let log = "==== FAILURES ====\n____ test_lit ____\n>   assert lit() == 2\nE   assert 1 == 2\n\n\
                   a.py:8: AssertionError\n==== short test summary info ====\n\
                   FAILED a.py::test_lit - assert 1 == 2\n1 failed in 0.1s";
        let told = first_error(log).unwrap_or_default();
        assert!(told.contains("a.py::test_lit") && !told.contains("===="), "{told}");
    }

    #[test]
    fn finds_the_line_that_decides() {
        let text = "Exit code: 101\nrunning 3 tests\nerror: no such thing\n2 passed; 1 failed";
        assert_eq!(first_error(text).as_deref(), Some("error: no such thing"));
        let log =
            "--- FAIL: TestA\n  hooks.go:9: begins\n  a_test.go:3: got 1, want 2\nFAIL\ta/b\t0.1s";
        assert_eq!(
            first_error(log).as_deref(),
            Some("--- FAIL: TestA; a_test.go:3: got 1, want 2")
        );
        let thrown = "loading\nTraceback (most recent call last):\n  File \"a.py\", line 3\nKeyError: 'alpha'";
        assert_eq!(first_error(thrown).as_deref(), Some("KeyError: 'alpha'"));
        let packed = format!("x=\"error\";{}", "a(b,c);".repeat(40));
        let node = format!("a.js:1\n{packed}\nthrow error\nError: Cannot find module 'a'\n  at b");
        assert_eq!(first_error(&node).as_deref(), Some("Error: Cannot find module 'a'"));
        let shell = "Command: ls /x\nDirectory: /tmp\nOutput: ls: /x: No such file or directory\n\
                     Error: (none)\nExit Code: 1\nProcess Group PGID: 12";
        assert_eq!(first_error(shell).as_deref(), Some("ls: /x: No such file or directory"));
        assert_eq!(without_folders("a/b.go:3:1: no"), "b.go:3:1: no");
        assert_eq!(without_folders("FAIL\ta/b\t0.1s"), "FAIL\ta/b\t0.1s");
        assert_eq!(tagless("[lint:go] a.go:3:1: undefined: b"), "a.go:3:1: undefined: b");
        assert_eq!(tagless("[error] a.java: no"), "[error] a.java: no");
        assert_eq!(tagless("[main 1a2b3c4] Begin"), "[main 1a2b3c4] Begin");
        let panic = "thread 'main' panicked at /home/me/deps/wait-0.2.1/src/unix.rs:55:52:\n\
                     called `Result::unwrap()` on an `Err` value: Os { kind: PermissionDenied }\n\
                     note: run with `RUST_BACKTRACE=1`";
        assert_eq!(
            first_error(panic).as_deref(),
            Some(
                "panicked at unix.rs:55:52: called `Result::unwrap()` on an `Err` value: \
                 Os { kind: PermissionDenied }"
            )
        );
        let panic = "test a::b ... FAILED\nthread 'a::b' panicked at src/a.rs:3:5:\nno rows";
        assert_eq!(
            first_error(panic).as_deref(),
            Some("test a::b ... FAILED; thread 'a::b' panicked at src/a.rs:3:5: no rows")
        );
        let headed = "a.go:1: : # lamp/oil [lamp/oil.test]\noil_test.go:300:19: undefined: plumbing.Signature (typecheck)";
        let undefined = "oil_test.go:300:19: undefined: plumbing.Signature (typecheck)";
        assert_eq!(first_error(headed).as_deref(), Some(undefined));
        let blanks = "Output:   abcdé: no such x\nExit code 2";
        assert_eq!(
            first_error(blanks).map(|line| line.trim().to_owned()).as_deref(),
            Some("abcdé: no such x")
        );
        let cut = "a.rs:3:1: string `one\n  two` is not closed\nb";
        assert_eq!(first_error(cut).as_deref(), Some("a.rs:3:1: string `one two` is not closed"));
    }
}
