//! Checks of whose run nothing was seen: their status is hidden or not recorded, and their output is empty or
//! went elsewhere.
//!
//! Responsible for telling that apart from a check that was silent because all is well. It relies on the caller
//! for whether the output says how the run went.

use super::frame::{is_frame, says_nothing};
use super::unended::Unended;
use crate::digest::calls::aim;
use crate::digest::calls::shell::{self, COUNTING, IDLE, Joint, Part, SHOWING, in_background};
use crate::span::span_in;

/// Why it is unknown how a command went whose output `text` does not say so; `None` if nothing hides it.
/// `is_told` says that the status of the shell is known, and is zero.
pub(super) fn unseen(command: &str, text: &str, is_told: bool) -> Option<Unended> {
    let parts = shell::parts(command);
    if is_left_behind(command, &parts) {
        return Some(Unended::Background);
    }
    // What only prepares or selects from the output may look like a check too.
    let checks = aim::check(command).map_or(usize::MAX, |check| check.start);
    let is_check =
        |part: &&Part<'_>| part.range.end > checks && aim::tests_or_builds(shell::bare(part.text));
    let run = Run { command, parts: &parts, text, is_told };
    let mut checks = (0..parts.len()).filter(|&at| is_check(&&parts[at])).peekable();
    checks.peek()?;
    checks.all(|at| !run.is_known(at)).then_some(Unended::Unclear)
}

/// Whether a command ends once it has put into the background what it is run for.
fn is_left_behind(command: &str, parts: &[Part<'_>]) -> bool {
    let core = aim::core_range(command);
    let Some(at) = parts.iter().rposition(|part| part.range.start < core.end) else { return false };
    let last = parts[at..].iter().position(|part| part.joint == Joint::End).map(|it| at + it);
    let is_idle = |part: &Part<'_>| {
        IDLE.has(part.program().0) || part.program().0 == "disown" || part.text.starts_with(')')
    };
    last.is_some_and(|last| {
        in_background(command, &parts[last]) && parts[last + 1..].iter().all(is_idle)
    })
}

/// A command that came to its end, and what it printed.
struct Run<'r> {
    command: &'r str,
    parts: &'r [Part<'r>],
    text: &'r str,
    is_told: bool,
}

impl Run<'_> {
    /// Whether the status or the output shows how the check at an index went. A test prints something however
    /// it ends; a build or a linter may be silent if all is well.
    fn is_known(&self, at: usize) -> bool {
        self.is_told && self.owns_status(at)
            || self.has_witness(at)
            || self.is_visible(at) && (self.says_something() || !aim::is_test(self.parts[at].text))
    }

    /// Whether the command can only have succeeded if the part at an index did.
    fn owns_status(&self, at: usize) -> bool {
        let part = &self.parts[at];
        let Some(next) = self.parts.get(at + 1) else { return !in_background(self.command, part) };
        match part.joint {
            Joint::And => self.owns_status(at + 1),
            Joint::Or => matches!(next.program().0, "exit" | "return"),
            Joint::Pipe => self.command.contains("pipefail") && self.owns_status(at + 1),
            Joint::End => {
                self.command.contains("set -e")
                    && !in_background(self.command, part)
                    && self.owns_status(at + 1)
            }
        }
    }

    /// Whether what follows the part at an index shows that it succeeded: what only runs then has printed
    /// something, or what prints something otherwise has not.
    fn has_witness(&self, at: usize) -> bool {
        let part = &self.parts[at];
        let Some(next) = self.parts.get(at + 1) else { return false };
        match (part.joint, literal(next)) {
            (Joint::And, Some(words)) => self.prints(words),
            (Joint::And, None) => self.says_something() || self.has_witness(at + 1),
            (Joint::Or, Some(words)) => !self.prints(words),
            (Joint::Or, None) => SHOWING.has(next.program().0) && !self.says_something(),
            _ => false,
        }
    }

    /// Whether the output of the part at an index goes to where it is seen, or is shown later.
    fn is_visible(&self, at: usize) -> bool {
        let rest = &self.parts[at..];
        let piped = rest.iter().take_while(|part| part.joint == Joint::Pipe).count();
        let Some(target) = rest[..=piped].iter().find_map(|part| target(part.text)) else {
            return true;
        };
        let is_shown = |part: &Part<'_>| {
            let program = part.program().0;
            let names = |word: &&str| shell::unquoted(word) == shell::unquoted(target);
            SHOWING.has(program)
                && !COUNTING.has(program)
                && shell::words(part.text).iter().any(names)
        };
        rest[piped + 1..].iter().any(is_shown)
    }

    /// Whether the output has a line that the command does not print in any case.
    fn says_something(&self) -> bool {
        let spoken: Vec<&str> = self.parts.iter().filter_map(literal).collect();
        self.text.lines().map(str::trim).any(|line| {
            !says_nothing(line) && !is_frame(line) && !spoken.iter().any(|it| is_of(line, it))
        })
    }

    fn prints(&self, words: &str) -> bool {
        self.text.lines().any(|line| is_of(line.trim(), words))
    }
}

/// The words that a part prints, up to what the shell puts into them; `None` if it prints no words of its own.
fn literal<'c>(part: &Part<'c>) -> Option<&'c str> {
    let words = shell::words(shell::bare(part.text));
    let [program, words @ ..] = shell::unopened(&words) else { return None };
    let first = words.iter().find(|word| !word.starts_with('-'))?;
    let at = span_in(part.text, first).start;
    let said = shell::unquoted(shell::bare(&part.text[at..]));
    let end = said.find(['$', '`', '"', '\'', '\\']).unwrap_or(said.len());
    (*program == "echo").then_some(said[..end].trim())
}

/// Whether a line is what these words print.
fn is_of(line: &str, words: &str) -> bool {
    !words.is_empty() && line.starts_with(words)
}

/// Where the output of a part is written to instead of being shown; `None` if it is shown.
fn target(part: &str) -> Option<&str> {
    let at = shell::redirection(part)?;
    let mut words = shell::words(&part[at..]).into_iter();
    while let Some(word) = words.next() {
        let Some((descriptor, target)) = word.split_once('>') else { continue };
        let target = target.trim_start_matches(['>', '|']);
        // Errors alone may go elsewhere, and a descriptor may stand for the screen.
        if matches!(descriptor, "" | "1" | "&") && !target.starts_with('&') {
            return if target.is_empty() { words.next() } else { Some(target) };
        }
    }
    None
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_check_is_unseen_whose_status_and_output_are_hidden() {
        for (command, text) in [
            ("pytest > r.txt 2>&1 || true; wc -l r.txt", "120 r.txt"),
            ("pytest > /dev/null 2>&1; echo finished", "finished"),
            ("timeout 10 pytest; true", ""),
            ("make test > l 2>&1; git status --short", "M a.py"),
            ("make test 2>&1 | tee log >/dev/null", ""),
            ("pytest -q 2>&1 | grep -E 'passed|failed'", ""),
            ("make test &>/dev/null && echo yes || true", ""),
            ("make test &>/dev/null && echo yes || echo no", "no"),
            ("npm run build > log; echo \"built in $PWD\"", "built in /w"),
        ] {
            assert_eq!(unseen(command, text, true), Some(Unended::Unclear), "{command}");
        }
        for (command, text) in [
            ("pytest > log", ""),
            ("cd a && make test >log 2>&1 && touch done", ""),
            ("make test > log || exit 1; echo done", "done"),
            ("set -e; make lint > log; echo done", "done"),
            ("set -o pipefail; make test | tee log >/dev/null", ""),
            ("make test &>/dev/null && echo yes || true", "yes"),
            ("make test &>/dev/null || echo no", ""),
            ("make lint > log 2>&1 || tail log; true", ""),
            ("make test > log 2>&1; tail -5 log", "5 passed"),
            ("make -s build > log && ./lamp; true", "burning"),
            ("npx tsc --noEmit | head", ""),
            ("make test 2>/dev/null | tail -3", "all is well"),
            ("cat a.txt > b.txt; ls", ""),
        ] {
            assert_eq!(unseen(command, text, true), None, "{command}");
        }
    }

    #[test]
    fn without_a_status_an_unseen_check_may_have_failed() {
        for command in ["make test > out.log 2>&1", "pytest -q", "npm run build > /dev/null"] {
            assert_eq!(unseen(command, "", false), Some(Unended::Unclear), "{command}");
        }
        for command in ["npx tsc --noEmit", "mkdir a", "git add a.rs"] {
            assert_eq!(unseen(command, "", false), None, "{command}");
        }
    }

    #[test]
    fn nothing_is_known_of_what_was_left_behind() {
        for command in [
            "pytest &> r.txt &",
            "nohup npm run dev > log 2>&1 & echo $!",
            "(cd a && make test) &",
            "cd a && make serve & disown",
            "git push &",
        ] {
            assert_eq!(unseen(command, "[1] 12", true), Some(Unended::Background), "{command}");
        }
        for command in ["pytest a & pytest b & wait", "npm start & sleep 3; curl localhost"] {
            assert_eq!(unseen(command, "fine", true), None, "{command}");
        }
    }
}
