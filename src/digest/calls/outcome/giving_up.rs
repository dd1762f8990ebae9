//! Whether a program gave up, where no exit status says so.
//!
//! Responsible for the words with which shells, the system and uncaught errors of a language end a program, and
//! for lines that may say so.
//! They count in the last line, or in the first of few lines.

use super::complaint::{Speech, ends_in_reason, finds_no_command, is_reason, names_reason, speech};
use super::error::tagless;
use super::errors::{begins_with_error, heads_error};
use super::foot::foot;
use super::frame::is_frame;
use super::lines::{counts_failures, is_code, is_error_line, is_total, is_well};
use super::said;
use crate::begins::begins_with_any;
use crate::digest::text::prose::is_tag;

/// The most lines of an output whose first line may tell that the program gave up.
const SHORT: usize = 5;

/// Whether a command gave up without an exit status: by its last line, by the first of few lines, or by an
/// uncaught error that nothing follows.
pub(super) fn gives_up(text: &str) -> bool {
    is_thrown(text) || is_thrown_in_cell(text) || is_pointed_at(text) || last_word(text).is_some()
}

/// The line in which a program gives up, other than by an uncaught error.
pub(super) fn last_word(text: &str) -> Option<&str> {
    let last = || text.lines().next_back().filter(|line| numbers_error(line));
    ends(text).find(|line| gives_up_in(tagless(line))).or_else(last)
}

/// The line in which a program of the command says that it failed, or may say so. Of a command that `shows` data,
/// any other line may be a part of the data.
pub(super) fn complaint<'t>(
    command: &str,
    shows: bool,
    text: &'t str,
) -> Option<(Speech, &'t str)> {
    // If the shell could not redirect the output, it printed nothing else.
    let shows = shows && (text.contains('\n') || !command.contains('>'));
    // PowerShell frames its message; the program of the command stands above the frame.
    let mut pairs = text.lines().zip(text.lines().skip(1));
    let is_framed = pairs.any(|(above, line)| {
        let (program, _) = above.split_once(':').unwrap_or_default();
        line == "Line |" && !program.is_empty() && command.contains(program)
    });
    if is_framed {
        let message = text.lines().next_back()?.trim_start_matches([' ', '|']);
        return Some((Speech::Complaint, message));
    }
    let spoken = ends(text).filter_map(|line| Some((speech(command, shows, tagless(line))?, line)));
    spoken.min_by_key(|(speech, _)| *speech == Speech::Unclear)
}

/// A line that reads like an error where a program says why it gave up: the last line, or the first of few. The
/// last line of a check may be any line about an error.
pub(super) fn doubt(text: &str, is_check: bool) -> Option<&str> {
    let last = text.lines().next_back().filter(|_| is_check);
    let is_any =
        |line: &&str| is_error_line(line) && !is_total(line) && !is_code(line) && !is_well(line);
    let mut ends = ends(text).map(tagless);
    ends.find(|line| reads_as_error(line)).or_else(|| last.filter(is_any))
}

/// Whether a line reads like an error, which it may only report: `level=error msg=…`, `Could not reach the lamp`.
fn reads_as_error(line: &str) -> bool {
    const BEGINNINGS: &[&str] = &[
        "Cannot ", "Can't ", "Could not ", "Couldn't ", "Unable to ", "Failed to ", "Invalid ",
        "Unknown ", "No such ", "Missing ", "Unexpected ", "Parse error", "Runtime error",
        "cannot ", "could not ", "unable to ", "failed to ", "invalid ", "unknown ", "no such ",
        "BUILD FAILURE", "ABORTED", "Aborted", "Timed out ", "Login failed", "Unhandled rejection",
        "Unhandled promise", "Unhandled exception", "Error 4", "Error 5",
    ];
    const LEVELS: &[&str] =
        &["level=error", "level=fatal", " ERROR ", "[ERROR]", " FATAL ", "[error]"];
    begins_with_any(line, BEGINNINGS)
        || LEVELS.iter().any(|level| line.contains(level))
        || heads_error(line)
        || said::is_thrown(line)
        || line.split_once(": ").is_some_and(|(_, why)| ends_in_reason(why))
        || is_reason(line)
        || line == "FAILED"
        || line.ends_with(" failed")
        || says_cannot(line)
        || tells_status(line)
        || counts_failures(line)
        || is_of_perl(line)
}

/// Whether a program says behind its name what it cannot do: `psql: could not connect to server`.
fn says_cannot(line: &str) -> bool {
    const CANNOT: &[&str] = &["could not ", "cannot ", "can't ", "unable to ", "failed to "];
    const HARMLESS: &[&str] = &["warning", "warn", "note", "info", "hint", "debug", "skipped"];
    line.split_once(": ").is_some_and(|(program, why)| {
        !program.contains(' ')
            && !HARMLESS.contains(&&*program.to_ascii_lowercase())
            && begins_with_any(&why.to_ascii_lowercase(), CANNOT)
    })
}

/// Whether a script tells the status of what it ran, and that is not zero: `rc=1`, `exit code: 2`.
fn tells_status(line: &str) -> bool {
    const NAMES: &[&str] = &["rc", "exit code", "exit status", "return code"];
    let name = line.trim_end_matches(|c: char| c.is_ascii_digit());
    let failed = line[name.len()..].parse::<u8>().is_ok_and(|status| status > 0);
    let name = name.trim_end_matches([' ', ':', '=']).to_ascii_lowercase();
    failed && NAMES.iter().any(|status| name.ends_with(status))
}

/// Whether a line ends with a place in a script as Perl tells it: `the lamp is out at a.pl line 3.`
fn is_of_perl(line: &str) -> bool {
    let place = line.strip_suffix('.').and_then(|line| line.rsplit_once(" line "));
    place.is_some_and(|(said, number)| said.contains(" at ") && number.parse::<u32>().is_ok())
}

/// The last line, and the first one if there are few.
fn ends(text: &str) -> impl Iterator<Item = &str> {
    let is_short = text.lines().nth(SHORT).is_none();
    let first = text.lines().next().filter(|_| is_short);
    // The last one may be closed by a tag.
    let last = text.lines().rev().map(str::trim_end).find(|line| !is_tag(line));
    first.into_iter().chain(last).map(str::trim_end)
}

/// The first line of Python's report of an uncaught error.
pub(super) const HEAD: &str = "Traceback (most recent call last):";

/// Whether a text ends with Python's report of an uncaught error.
fn is_thrown(text: &str) -> bool {
    let foot = foot(text);
    let Some(at) = foot.rfind(HEAD).filter(|&at| at == 0 || foot[..at].ends_with('\n')) else {
        return false;
    };
    let mut behind = foot[at..].lines().skip(1);
    // The frames are indented; the error is not, and only what it lists follows it. A program that logs an
    // error goes on.
    let error = behind.find(|line| !line.starts_with(char::is_whitespace) && !line.is_empty());
    error.is_some() && behind.all(|line| line.trim().is_empty() || line.starts_with("  "))
}

/// Whether a text ends with the uncaught error of a notebook's cell: there the error's name also stands before
/// the head, which has no colon.
fn is_thrown_in_cell(text: &str) -> bool {
    let foot = foot(text);
    let named = foot.lines().find_map(|line| line.strip_suffix(HEAD.trim_end_matches(':')));
    let named = named.map(str::trim_end).filter(|name| !name.is_empty());
    let last = foot.lines().rev().find(|line| !is_frame(line) && !line.trim().is_empty());
    let error = named.and_then(|named| last?.strip_prefix(named));
    error.is_some_and(|error| error.is_empty() || error.starts_with(':'))
}

/// Whether a text ends with an uncaught error as Node and Python show it: a line of carets below the source,
/// the error, and only frames behind it.
fn is_pointed_at(text: &str) -> bool {
    let lines: Vec<&str> = foot(text).lines().filter(|line| !line.trim().is_empty()).collect();
    let is_caret = |line: &&str| line.trim().bytes().all(|byte| byte == b'^');
    let Some(at) = lines.iter().rposition(is_caret) else { return false };
    let [error, frames @ ..] = &lines[at + 1..] else { return false };
    let is_frame =
        |line: &&str| line.starts_with([' ', '\t', '{', '}', ']']) || line.starts_with("Node.js v");
    (error.starts_with("Error: ") || said::is_thrown(error)) && frames.iter().all(is_frame)
}

/// Whether a line begins like the last words of a program that gives up.
pub(super) fn gives_up_in(line: &str) -> bool {
    // `STOPPED`: what is printed of a stopped program. `UNDONE`: the last words of programs that failed.
    const STOPPED: &[&str] =
        &["Killed", "Aborted", "Terminated", "Segmentation fault", "Bus error"];
    const UNDONE: &[&str] = &[
        "curl: (",
        "npm ERR! ",
        "npm error ",
        "Error from server",
        "Automatic merge failed",
        "command timed out",
        "Command timed out",
        "The command timed out",
        "Command execution timed out after ",
        "Some tests failed",
        "E: ",
        "FATAL",
        "panic: ",
        "Host key verification failed",
        "Cannot connect to the Docker daemon",
        "Uncaught ",
        "An error occurred (",
        "Error response from daemon: ",
        "docker: Error response from daemon: ",
        "upload failed: ",
        "download failed: ",
        "ELIFECYCLE ",
        "rsync error: ",
        "kex_exchange_identification: ",
        "Unhandled exception. ",
        "× No solution found",
        "pull request create failed: ",
        "tool execution timed out",
        "bash tool terminated command after exceeding timeout",
        "zsh: permission denied: ",
        "Cannot find path ",
        "Could Not Find ",
        "The system cannot find ",
        "Access is denied.",
        "0 file(s) copied",
        "connection timed out; no servers could be reached",
        ";; connection timed out; no servers could be reached",
        "The connection to the server ",
        "Unable to connect to the server: ",
        "Execution halted",
        "Parse error: near ",
        "Parse error near line ",
        "Runtime error near line ",
        "lost connection",
    ];
    // What interpreters say that have nothing to run.
    const NOTHING: &[&str] = &["can't open file ", "cannot open ", "No module named "];
    let starts_with = |words: &[&str]| begins_with_any(line, words);
    let is_job = |c: char| "[]".contains(c) || c.is_ascii_digit();
    let is_of_make = |rest: &str| rest.trim_start_matches(is_job).starts_with(": *** ");
    begins_with_error(line)
        || starts_with(UNDONE)
        || STOPPED.contains(&line.trim_end_matches(" (core dumped)"))
        || line.strip_prefix("make").is_some_and(is_of_make)
        || line
            .split_once(": ")
            .is_some_and(|(program, why)| !program.contains(' ') && begins_with_any(why, NOTHING))
        || finds_no_command(line)
        || line.starts_with("husky - ") && line.contains(" failed (code ")
        || line.strip_prefix("FAILED: ").is_some_and(|rest| rest.starts_with(char::is_alphabetic))
        || names_reason(line)
        || line.split(':').next().is_some_and(|name| name.contains('.')) && said::is_thrown(line)
        || goes_nowhere(line)
        || line.starts_with("Tool \"") && line.ends_with("\" timed out")
        || line.starts_with("Job for ") && line.contains(" failed because ")
}

/// Whether a line is a numbered error: `ERROR 1045 (28000): Access denied`, `2024-01-01 ERROR 404: Not Found.`,
/// `(error) WRONGTYPE`. Only in the last line does it end the program.
fn numbers_error(line: &str) -> bool {
    let behind = |rest: &str| {
        let number = rest.find(|c: char| !c.is_ascii_digit()).unwrap_or(0);
        (3..=4).contains(&number) && [": ", " ("].iter().any(|end| rest[number..].starts_with(end))
    };
    let is_date =
        |before: &str| before.bytes().all(|it| it.is_ascii_digit() || b" -:".contains(&it));
    line.starts_with("(error) ")
        || line.strip_prefix("ERROR ").is_some_and(behind)
        || line.split_once(" ERROR ").is_some_and(|(date, rest)| is_date(date) && behind(rest))
}

/// Whether a line says that a shell could not go to a folder.
pub(crate) fn goes_nowhere(line: &str) -> bool {
    const REASONS: &[&str] =
        &["no such file", "not a directory", "can't cd to", "permission denied"];
    let Some((before, why)) = line.split_once("cd:") else { return false };
    let is_shell = before.is_empty()
        || before.ends_with(": ")
        || before.ends_with(':') && !before.contains(' ');
    let why = why.to_ascii_lowercase();
    is_shell && REASONS.iter().any(|reason| why.contains(reason))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn knows_who_gives_up() {
        for text in [
            "fatal: not a git repository (or any of the parent directories): .git",
            "cc -c a.c\nmake: *** [all] Error 2",
            "make[1]: *** [Makefile:3: all] Error 1\n",
            "bash: foo: command not found",
            "/bin/sh: 1: foo: not found",
            "zsh: command not found: foo",
            "python3: can't open file '/w/a.py': [Errno 2] No such file or directory",
            "/usr/bin/python3: No module named pytest",
            "npm ERR! code ELIFECYCLE\nnpm ERR! errno 1",
            "loading\nTraceback (most recent call last):\n  File \"a.py\", line 3\nKeyError: 'alpha_key'",
            "loading\nTraceback (most recent call last):\n  File \"a.py\", line 3\nInvalid: 2 errors\n  alpha_key\n",
            "1\n---\nKeyError            Traceback (most recent call last)\nCell In[1]\n\nKeyError: 'a'",
            "uploading\nerror: deploy failed with code 7",
            "<system>ERROR: Shell blocked by hook</system>",
            "loading\nSegmentation fault (core dumped)",
            "Killed",
            "curl: (22) The requested URL returned error: 500",
            "bash: line 1: cd: web: No such file or directory",
            "(eval):cd:1: no such file or directory: web",
            "sh: 1: cd: can't cd to web",
            "sed: can't read nofile.py: No such file or directory",
            "rm: cannot remove 'build': Permission denied",
            "mkdir: cannot create directory '/x': Read-only file system",
            "panic: runtime error: index out of range",
            "psql: error: connection to server failed: FATAL: database \"x\" does not exist",
            "ssh: connect to host prod port 22: Connection timed out",
            "Permission denied (publickey).",
            "E: Unable to locate package foo",
            "tar: Error is not recoverable: exiting now",
            "The command timed out after 120 seconds",
            "Error response from daemon: port is already allocated",
            "ELIFECYCLE  Command failed with exit code 1.",
            "husky - pre-commit script failed (code 1)",
            "unzip:  cannot find or open a.zip.",
            "zsh: permission denied: ./x.sh",
            "bash: kill: (9999) - No such process",
            "sqlalchemy.exc.OperationalError: could not connect",
            "node:internal/modules:1\n  throw err;\n  ^\n\nError: Cannot find module 'a'\n    at Module.a",
            "/w/b.js:1\nfoo()\n^\n\nReferenceError: foo is not defined\n    at b\n\nNode.js v20.1.0",
            "  File \"a.py\", line 3\n    x = \n        ^\nSyntaxError: invalid syntax",
            "make: building\n\n<bash_metadata>\nbash tool terminated command after exceeding timeout 9 ms\n</bash_metadata>",
            "The system cannot find the file specified.",
            "Tool \"run_shell_command\" timed out",
        ] {
            assert!(gives_up(text), "{text}");
        }
        for text in [
            "",
            "ok",
            "error handling is tested\n12 passed",
            "  error: string,",
            "bash: line editing is enabled",
            "Killed 3 of 4",
            "KeyError: 'a' was logged",
            "a.py:3: warning\n   ^\nvalue: 3\n12 passed",
            "make: Nothing to be done for 'all'.",
            "note that a.py: cannot open the log twice",
            "Traceback (most recent call last):\n  File \"a.py\", line 3\nKeyError: 'a'\n1\n2\n3\n4\n5\n6",
            "start\nTraceback (most recent call last):\n  File \"a.py\", line 3\nKeyError: 'a'\nINFO rebuilt the cache",
            "fatal: no upstream\na\nb\nc\nd\ne\n12 passed",
        ] {
            assert!(!gives_up(text), "{text}");
        }
    }
}
