//! The frame that a tool puts around what a command printed.
//!
//! Responsible for the text that precedes the output, for the lines of the frame, and for the exit status in
//! one of them. It relies on how known agents write their frames; a program's own line may look the same.

use std::borrow::Cow;

use super::cut::leaves_out;
use super::lines::is_hash;
use super::said::record_on_one_line;
use crate::begins::begins_with_any;
use crate::marks;

/// The beginning of a line of Roo that may also tell the status.
const IN_TERMINAL: &str = "Command executed in terminal";

/// What Cline puts before the output of a command, however the command ended.
const EXECUTED: &str = "Command executed.\nOutput:\n";

/// A result without its header. For a command, its repeated text, as in a terminal, is removed too; for other
/// tools, a record is joined into one line.
pub(super) fn unframed<'t>(text: &'t str, command: Option<&str>) -> Cow<'t, str> {
    let text = text.trim();
    let text = marks::behind_cut_header(text).map_or(text, |(_, body)| body);
    let text = text.strip_prefix(EXECUTED).unwrap_or(text);
    let Some(command) = command else {
        return record_on_one_line(text).map_or(Cow::Borrowed(text), Cow::Owned);
    };
    let behind = text.strip_prefix(command.trim()).and_then(|rest| rest.strip_prefix('\n'));
    behind.unwrap_or(text).into()
}

/// Whether a line can only be part of a tool's frame.
pub(crate) fn is_framing(line: &str) -> bool {
    const FRAMES: &[&str] = &[
        "Chunk ID: ",
        "Command: /bin/",
        "Wall time: ",
        "Process exited with code ",
        "Process running with session ID ",
        "Command running in background with ID: ",
        "Monitor started (task ",
        "Original token count: ",
        "Total output lines: ",
        "Process Group PGID: ",
        "Background PIDs: ",
        "Co-Authored-By: ",
        "(use \"git ",
        "no changes added to commit",
        "Changes not staged for commit",
        "Changes to be committed",
        "\\ No newline at end of file",
        "<returncode>",
        "(Open file: ",
        "(Current directory: ",
        "[Current working directory: ",
        "[Python Interpreter: ",
        "[Python interpreter: ",
        "[Jupyter current working directory: ",
        "[Jupyter Python interpreter: ",
        IN_TERMINAL,
    ];
    const LINES: &[&str] = &[
        "Output:", "Stdout:", "STDOUT:", "Stderr:", "STDERR:", "<type>file</type>", "<output>",
        "</output>", "bash-$",
    ];
    LINES.contains(&line)
        || line.starts_with('[') && of_line(line).is_some()
        || line.starts_with("<system>") && says_nothing(line)
        || line.starts_with("<status>") && line.ends_with("</status>")
        || is_index(line)
        || leaves_out(line)
        || line.starts_with("Duration: ") && line.ends_with(" seconds")
        || begins_with_any(line, FRAMES)
}

/// Whether a line is a header of a diff or of one of its hunks: `--- a/src/a.rs`, `@@ -3,7 +3,9 @@ fn a()`.
pub(crate) fn heads_change(line: &str) -> bool {
    const HEADS: &[&str] =
        &["diff --git ", "--- a/", "--- /dev/null", "+++ b/", "+++ /dev/null", "@@ -"];
    begins_with_any(line, HEADS)
}

/// Whether a line of a diff names the two states of a file: `index 0123abc..0a1b2c3 100644`.
fn is_index(line: &str) -> bool {
    let states = line.strip_prefix("index ").and_then(|rest| rest.split(' ').next());
    let states = states.and_then(|states| states.split_once(".."));
    states.is_some_and(|(old, new)| is_hash(old) && is_hash(new))
}

/// Whether a line may be part of a tool's frame; a program's own line may look the same.
pub(super) fn is_frame(line: &str) -> bool {
    const FRAMES: &[&str] = &[
        "Exit code", "Exit Code", "exit code", "Wall time", "Error: (none)", "Signal: ",
        "Command:", "Directory: ", "Process exited", "Success. Updated", "Shell cwd was reset",
    ];
    is_framing(line) || begins_with_any(line, FRAMES) || of_line(line).is_some()
}

/// Whether a line only says that nothing was printed, or is a divider.
pub(super) fn says_nothing(line: &str) -> bool {
    const WORDS: &[&str] = &[
        "(empty)",
        "(no content)",
        "Command executed successfully.",
        "<system>Command executed successfully.</system>",
        "Your command ran successfully and did not produce any output.",
        "Tool ran without output or errors",
        // An empty error that was given a word, since providers want one.
        "error",
    ];
    let is_of_tool = line.starts_with('(') && line.ends_with("no output)") || WORDS.contains(&line);
    is_of_tool || line.is_empty() || is_rule(line)
}

/// Whether a line is a divider of one repeated sign: `---`, `=====`.
pub(super) fn is_rule(line: &str) -> bool {
    const SIGNS: [char; 8] = ['-', '=', '*', '_', '~', '#', '─', '═'];
    let sign = line.chars().next().filter(|sign| SIGNS.contains(sign));
    sign.is_some_and(|sign| line.chars().count() > 2 && line.chars().all(|c| c == sign))
}

/// A line without the dividers that a test runner draws on both sides of it: `=== 9 passed in 1.2s ===`.
pub(super) fn without_rules(line: &str) -> &str {
    let is_ruled = line.starts_with("==") && line.ends_with("==");
    if is_ruled { line.trim_matches(['=', ' ']) } else { line }
}

/// The status in a line that begins as those of tools do: `Exit code 1`, `[Command finished with exit code 0]`.
pub(super) fn of_line(line: &str) -> Option<i32> {
    const BEGINNINGS: &[&str] = &[
        "exit code",
        "exit_code",
        "returncode",
        "exit status",
        "exited with code",
        "process exited with code",
        "command exited with code",
        "command finished with exit code",
        "command failed with exit code",
        "command failed (exit code",
        "the command completed with exit code",
    ];
    let line = line.trim_start().trim_start_matches(['[', '(', '<']);
    let line = line.strip_prefix("Error: ").unwrap_or(line);
    let line = match line.rfind("Exit code: ") {
        Some(at) if line.starts_with(IN_TERMINAL) => &line[at..],
        _ => line,
    };
    let begins = |words: &&&str| {
        line.get(..words.len()).is_some_and(|head| head.eq_ignore_ascii_case(words))
    };
    let rest = &line[BEGINNINGS.iter().find(begins)?.len()..];
    let number = rest.trim_start_matches([':', '=', ' ', '>']);
    let length = number.bytes().take_while(|byte| byte.is_ascii_digit() || *byte == b'-').count();
    let (number, behind) = number.split_at(length);
    // In a sentence, words follow the number.
    let goes_on = behind.trim_start().starts_with(char::is_alphanumeric);
    number.parse().ok().filter(|_| !goes_on)
}
