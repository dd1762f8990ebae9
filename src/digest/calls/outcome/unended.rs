//! A call that came to no end of its own: refused, stopped by the user, or still running.
//!
//! Responsible for the words with which agents answer a call that was stopped or is still running; refusals
//! have a file of their own. Such a call is neither a failure of the work nor a success.

use super::refusal::refused;
use crate::begins::begins_with_any;
use crate::digest::text::prose::is_tag;

/// Why a call has no end of its own.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Unended {
    /// The user refused the call.
    Rejected,
    /// A rule forbade the call.
    Denied,
    /// The user stopped the call.
    Interrupted,
    /// The process with this number is still running.
    Running(Box<str>),
    /// Its result is gone.
    Cleared,
    /// Its result does not tell how it went: it has no status, or that of another program.
    Unclear,
    /// It was put into the background, and nothing more was seen of it.
    Background,
    /// The call has no result yet (`Pending`), or got none before the work went on (`Abandoned`).
    Pending,
    Abandoned,
}

impl Unended {
    /// The words for a call whose process is still running.
    pub(super) const RUNNING: &str = "still running";

    /// The reasons that leave the outcome of a call unknown.
    pub(crate) const UNKNOWN: [Self; 5] =
        [Self::Cleared, Self::Unclear, Self::Background, Self::Pending, Self::Abandoned];

    /// The words that a digest tells for it.
    pub(crate) fn words(&self) -> &'static str {
        match self {
            Self::Rejected => "rejected by the user",
            Self::Denied => "not permitted",
            Self::Interrupted => "interrupted",
            Self::Running(_) => Self::RUNNING,
            Self::Cleared => "result cleared",
            Self::Unclear => "unclear",
            Self::Background => "started in the background",
            Self::Pending => "no answer yet",
            Self::Abandoned => "no answer",
        }
    }
}

/// Within how many first lines a result tells of its process.
const FRAME: usize = 4;

/// Why a call with this result came to no end of its own; `None` if it did. `is_error` is the result's flag.
pub(super) fn unended(
    text: &str,
    is_error: bool,
    may_be_refused: impl Fn() -> bool,
) -> Option<Unended> {
    let head = &text[..text.floor_char_boundary(400)];
    if let Some(refused) = refused(head, is_error, may_be_refused) {
        Some(refused)
    } else if is_interrupted(text) {
        Some(Unended::Interrupted)
    } else {
        let running = head.lines().take(FRAME).find_map(process);
        let mut ends = text.lines().rev().skip_while(|line| super::is_frame(line));
        let mut waits = || ends.next().is_some_and(waits_for_more);
        running.or_else(|| waits().then(Box::default)).map(Unended::Running)
    }
}

/// Whether a line, the last of a result, says that the command is still running and was no longer waited for.
fn waits_for_more(line: &str) -> bool {
    let waited = ["[The command has no new output after ", "[The command timed out after "];
    // It asks for what nobody types.
    let asked = ["Username for '", "Password for '", "Enter passphrase for "];
    begins_with_any(line, &waited) && line.contains("You may wait longer")
        || begins_with_any(line, &asked) && line.trim_end().ends_with(':')
}

/// Whether the first or the last line says that the user stopped the call.
fn is_interrupted(text: &str) -> bool {
    const WHOLE: &[&str] =
        &["aborted", "Command aborted", "Operation aborted", "Tool execution aborted"];
    const BEGINNINGS: &[&str] = &[
        "aborted by user", "User aborted", "[Request interrupted by user",
        "Command was cancelled by user", "Command was aborted", "<error>Command was aborted",
        "[Operation Cancelled]",
    ];
    let is_stop = |line: &str| {
        let line = line.trim();
        WHOLE.contains(&line) || begins_with_any(line, BEGINNINGS)
    };
    // The first line may tell the time it took.
    let mut first = text.lines().filter(|line| !super::is_frame(line));
    // The last line may be a closing tag.
    let last = text.lines().rev().find(|line| !is_tag(line.trim()));
    first.next().is_some_and(is_stop) || last.is_some_and(is_stop)
}

/// The number of the process that a line says is running; empty if the line names none.
fn process(line: &str) -> Option<Box<str>> {
    const WORDS: &[&str] = &[
        "Process running with session ID ",
        "Command running in background with ID: ",
        "Monitor started (task ",
    ];
    const GOES_ON: &[&str] =
        &["<status>running</status>", "Command is still running in the user's terminal."];
    if GOES_ON.contains(&line) {
        return Some("".into());
    }
    let rest = WORDS.iter().find_map(|words| line.strip_prefix(words))?;
    let number = rest.split(|c: char| !c.is_alphanumeric() && c != '_').next()?;
    (!number.is_empty()).then(|| number.into())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_stands_behind_the_last_word_is_a_frame() {
        let waits = "a\n[The command timed out after 300 seconds. You may wait longer to see more]\n\
                     [Current working directory: /w]";
        assert_eq!(unended(waits, false, || true), Some(Unended::Running("".into())));
    }

    #[test]
    fn knows_what_has_no_end() {
        for (text, wanted) in [
            ("The user doesn't want to proceed with this tool use.", Unended::Rejected),
            ("exec command rejected by user", Unended::Rejected),
            ("Error: The user rejected permission to use this tool.", Unended::Rejected),
            ("User rejected tool use", Unended::Rejected),
            ("[Request interrupted by user for tool use]", Unended::Interrupted),
            (
                "a\n\n<bash_metadata>\nUser aborted the command\n</bash_metadata>",
                Unended::Interrupted,
            ),
            ("Command is still running in the user's terminal.\nx", Unended::Running("".into())),
            ("[Operation Cancelled] Reason: User did not allow tool call", Unended::Rejected),
            ("[Operation Cancelled] Reason: User cancelled", Unended::Interrupted),
            ("aborted by user after 33.4s", Unended::Interrupted),
            ("aborted", Unended::Interrupted),
            ("Wall time: 3.2 seconds\naborted by user", Unended::Interrupted),
            ("compiling a\n\nCommand aborted", Unended::Interrupted),
            (
                "Chunk ID: 89\nWall time: 1.0 seconds\nProcess running with session ID 24629\nOutput:\n",
                Unended::Running("24629".into()),
            ),
            (
                "<retrieval_status>success</retrieval_status>\n\n<status>running</status>\n\nx",
                Unended::Running("".into()),
            ),
            (
                "Command running in background with ID: b7_x. Output is written to /tmp/b7_x",
                Unended::Running("b7_x".into()),
            ),
            (
                "Monitor started (task b2x9, timeout 700000ms). You will be notified on each event.",
                Unended::Running("b2x9".into()),
            ),
            ("Username for 'https://lamp.org':", Unended::Running("".into())),
            (
                "on port 80\n[The command has no new output after 30 seconds. You may wait longer to see more.]",
                Unended::Running("".into()),
            ),
        ] {
            assert_eq!(unended(text, false, || true), Some(wanted), "{text}");
        }
        for text in [
            "",
            "1a2b3c4 handle user rejected promises\n2b3c4d5 start",
            "User rejected promise handling",
            "User rejected the old parser: go back to the first one\nAdd the lamp",
            "User rejected the request: code 4001 of the wallet_api",
            "Process exited with code 0\nOutput:\naborted the merge",
            "the transaction was aborted\nretrying",
            "a\nb\nc\nd\nProcess running with session ID 1",
        ] {
            assert_eq!(unended(text, false, || true), None, "{text}");
        }
        let quoted = "Permission to run this was rejected by user: not now";
        assert_eq!(unended(quoted, true, || true), Some(Unended::Rejected));
        assert_eq!(unended(quoted, true, || false), None);
    }
}
