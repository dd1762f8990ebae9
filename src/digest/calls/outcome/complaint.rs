//! What a program says under its own name: `cp: cannot stat 'a'`.
//!
//! Responsible for telling a complaint from a remark, whatever the program and its language. The name is what
//! makes such a line believable: the command runs that program, so it is no shown text.

use super::errors::heads_error;
use super::lines::is_error_line;
use crate::begins::begins_with_any;
use crate::digest::calls::shell;
use crate::digest::files::paths;

/// How a program speaks of itself in a line.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Speech {
    /// It says that it failed.
    Complaint,
    /// It may say that.
    Unclear,
}

/// The programs that speak for a shell. `(eval)` is zsh that reads a text.
const SHELLS: &[&str] =
    &["bash", "-bash", "sh", "-sh", "zsh", "dash", "ksh", "/bin/sh", "/bin/bash", "(eval)"];

/// Words of remarks: warnings in several languages, and what went well.
const REMARKS: &[&str] = &[
    "warn", "avertissement", "advertencia", "avviso", "aviso", "предупреждение", "警告", "경고",
    "note:", "info", "(ignored)", "up to date", "success", " is ok", "binary file",
];

/// Words of complaints, beside those that any line about an error has.
const COMPLAINTS: &[&str] = &[
    "missing", "omitting", "unknown", "unrecognized", "unrecognised", "unsupported",
    "unterminated", "unmatched", "illegal", "refused", "unreachable", "not exist", "timed out",
    "too many", "too few", "bad ", "no such", "required", "not a ", "not in ", "usage:",
];

/// How a program of the command speaks of itself in a line; `None` if it only remarks something, or if no
/// program of the command speaks. Of a command that `shows` data, it also has to name a word of the command or
/// use one of the words of complaints.
pub(super) fn speech(command: &str, shows: bool, line: &str) -> Option<Speech> {
    let (name, said) = line.split_once(':')?;
    if name.len() > LONGEST_NAME || said.trim().is_empty() {
        return None;
    }
    // jq used not to say its name.
    let name = name.trim_end();
    let (name, said) = if line.starts_with("parse error: ") { ("jq", line) } else { (name, said) };
    let is_shell = SHELLS.contains(&name) && said.contains([':', '：']);
    if !is_shell && !runs(command, paths::name(name)) {
        return None;
    }
    let lowered = said.to_lowercase();
    let has = |words: &[&str]| words.iter().any(|word| lowered.contains(word));
    let is_worded =
        || is_error_line(said) || has(COMPLAINTS) || heads_error(said) || names_reason(line);
    if has(REMARKS) || is_harmless(name, said) || tells_progress(said) {
        None
    } else if is_shell {
        (!shows || names_word(command, said)).then_some(Speech::Complaint)
    } else if is_worded() || shows && names_word(command, said) {
        Some(Speech::Complaint)
    } else if shows {
        None
    } else if shell::QUIET.has(paths::name(name)) {
        Some(Speech::Complaint)
    } else {
        Some(Speech::Unclear)
    }
}

/// Whether a command runs a program, by itself or by way of another one.
fn runs(command: &str, program: &str) -> bool {
    const THROUGH: &[&str] = &["xargs", "-exec", "-execdir", "--"];
    if program.is_empty() || !command.contains(program) {
        return false;
    }
    shell::parts(command).iter().any(|part| {
        let words = shell::words(shell::bare(part.text));
        let is_it = |word: &str| paths::name(shell::unquoted(word)) == program;
        // The program that does the work, and those before it that only run it.
        let begun = words.len() - shell::unwrapped(shell::unopened(&words)).len() + 1;
        let is_inside = |pair: &[&str]| {
            (THROUGH.contains(&pair[0]) || shell::wrapped(pair).is_some()) && is_it(pair[1])
        };
        words.iter().take(begun).any(|word| is_it(word))
            || words.windows(2).any(is_inside)
            || ["$(", "`", "(", "{ "]
                .iter()
                .any(|open| part.text.contains(&format!("{open}{program} ")))
    })
}

/// Whether a message names a word of the command as programs do: quoted, or with a colon behind it or before it.
fn names_word(command: &str, said: &str) -> bool {
    const QUOTES: [char; 10] = ['\'', '"', '`', '‘', '’', '“', '”', '„', '«', '»'];
    const ENDS: [char; 13] = [' ', '\n', '"', '\'', '|', '&', ';', '>', '<', '(', ')', '`', '='];
    let mut is_behind_colon = false;
    said.split([' ', '\t']).any(|piece| {
        let bare = piece.split('：').next().unwrap_or(piece).trim_end_matches([':', ',', '.']);
        let is_set_off = bare.len() < piece.len() || piece.starts_with(QUOTES) || is_behind_colon;
        is_behind_colon = piece.ends_with(':');
        let bare = bare.trim_matches(QUOTES);
        is_set_off && !bare.is_empty() && command.split(ENDS).any(|word| word == bare)
    })
}

/// Whether a message of sudo or of a shell does not keep it from running the command.
fn is_harmless(name: &str, said: &str) -> bool {
    let said = said.trim_start();
    name == "sudo" && said.starts_with("unable to resolve host ")
        || said.starts_with("cannot set terminal process group")
}

/// Whether a message tells what was or is being done: `downloading x`, `Entering directory`, `created y`. One that
/// gives a reason does not, nor do `missing operand` and `failed to …`.
fn tells_progress(said: &str) -> bool {
    let said = said.trim_start();
    let first = said.split(' ').next().unwrap_or_default();
    let is_bad = is_error_line(first) || COMPLAINTS.iter().any(|it| first.contains(it.trim_end()));
    let tells = first.ends_with("ing") || first.ends_with("ed");
    tells && !is_bad && !said.contains(": ") && !ends_in_reason(said)
}

/// The most bytes of a program's name before its message.
const LONGEST_NAME: usize = 40;

/// Whether a line is a program's name followed by the reason that the system gave it.
pub(super) fn names_reason(line: &str) -> bool {
    const BEGINNINGS: &[&str] = &["cannot ", "can't ", "error: ", "fatal: ", "Cannot find path "];
    let Some((program, rest)) = line.split_once(": ") else {
        return line.eq_ignore_ascii_case("permission denied (publickey).");
    };
    let is_program = !program.is_empty()
        && program.len() <= LONGEST_NAME
        && program.bytes().all(|byte| byte.is_ascii_alphanumeric() || b"-_./+".contains(&byte));
    is_program
        && !is_harmless(program, rest)
        && (ends_in_reason(rest) || begins_with_any(rest.trim_start(), BEGINNINGS))
}

/// The system's reasons, and those of some old programs.
const REASONS: &[&str] = &[
    "no such file or directory",
    "permission denied",
    "permission denied (publickey).",
    "not a directory",
    "is a directory",
    "file exists",
    "directory not empty",
    "read-only file system",
    "no space left on device",
    "operation not permitted",
    "cannot allocate memory",
    "device or resource busy",
    "text file busy",
    "exec format error",
    "argument list too long",
    "no such process",
    "connection refused",
    "connection timed out",
    "connection reset by peer",
    "network is unreachable",
    "no route to host",
    "name or service not known",
    "temporary failure in name resolution",
    "command not found",
    "not recoverable: exiting now",
    "exiting with failure status due to previous errors",
];

/// Whether a text ends with a reason of the system.
pub(super) fn ends_in_reason(text: &str) -> bool {
    let end = |reason: &str| text.get(text.len().checked_sub(reason.len())?..);
    REASONS.iter().any(|reason| end(reason).is_some_and(|end| end.eq_ignore_ascii_case(reason)))
}

/// Whether a text is nothing but a reason of the system.
pub(super) fn is_reason(text: &str) -> bool {
    REASONS.iter().any(|reason| text.eq_ignore_ascii_case(reason))
}

/// Whether a line is a shell's message that a command was not found.
pub(super) fn finds_no_command(line: &str) -> bool {
    let of_shell = line.split_once(": ").is_some_and(|(name, _)| SHELLS.contains(&name));
    of_shell && (line.ends_with("not found") || line.contains(": command not found: "))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_program_is_believed_that_the_command_runs() {
        let complaint = Some(Speech::Complaint);
        for (command, line, wanted) in [
            ("cat x.txt", "cat: x.txt: No such file or directory", complaint),
            ("cd web && /bin/cat x.txt", "cat: x.txt: No such file or directory", complaint),
            ("tail -5 build.log", "cat: x.txt: No such file or directory", None),
            ("cat x.txt", "cat: a pet", None),
            ("cat x.txt", "cat: x.txt: 没有那个文件或目录", complaint),
            ("jq . a.json", "parse error: Invalid numeric literal at line 1, column 5", complaint),
            ("cat parser.log", "parse error: Invalid numeric literal", None),
            ("sed s/a a.c", "sed: -e expression #1, char 3: unterminated `s' command", complaint),
            ("grep -r a .", "grep: ./a.bin: binary file matches", None),
            ("find . | xargs grep a", "grep: a pet", None),
            ("ls | xargs rm", "rm: b: Keine Berechtigung", complaint),
            ("cp a /mnt", "cp: Fehler beim Schreiben von '/mnt/a'", complaint),
            ("ping -c1 lamp", "ping: unknown host lamp", complaint),
            ("go get lamp.org/errors", "go: added lamp.org/errors v0.9.1", None),
            ("make all", "make: 'all' is up to date.", None),
            ("make clean", "make: [Makefile:3: clean] Error 1 (ignored)", None),
            ("gcc x.c", "gcc: Fehler: x.c: Datei oder Verzeichnis nicht gefunden", complaint),
            ("foo", "bash: foo: Kommando nicht gefunden.", complaint),
            ("foo", "bash: warning: setlocale: LC_ALL: cannot change locale", None),
            ("foo", "bash: line editing is enabled", None),
            ("lint ./...", "(eval):1: command not found: lint", complaint),
            ("timeout 9 lamp", "timeout: failed to run command 'lamp': no oil", complaint),
            ("sudo -n lamp", "sudo: a password is required", complaint),
        ] {
            let shows = shell::shows_data(command);
            assert_eq!(speech(command, shows, line), wanted, "{command}: {line}");
        }
    }
}
