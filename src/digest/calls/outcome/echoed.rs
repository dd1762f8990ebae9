//! The exit status that a command prints itself: `make lint; echo "exit: $?"`.
//!
//! Responsible for reading the status from the line that such an `echo` prints, and for the command and the
//! output without it. It relies on the words around the number: a line with other words tells no status, and a
//! bare number only does if nothing is printed behind it.

use std::ops::Range;

use super::foot::foot;
use super::frame::{is_frame, says_nothing};
use crate::digest::calls::shell::{self, Joint, PREPARING, Part, WATCHING};
use crate::line::is_number;
use crate::span::span_in;

/// A command and its output, both without the statuses that it prints.
pub(super) struct Echoed {
    /// The status of what the command is run for. Zero is only told if no pipe and no list hides another
    /// status; `None` if it is not known.
    pub(super) status: Option<i32>,
    pub(super) command: String,
    pub(super) text: String,
}

/// Stands for the status in the words of an `echo`.
const STATUS: char = '\0';

/// A part of a command that prints a status: the words around the number.
struct Printing {
    before: String,
    behind: String,
    /// Whether the status belongs to a program that only looks: its failure says that nothing is there.
    only_looks: bool,
}

impl Printing {
    /// The status in a line, if this part printed it.
    fn read(&self, line: &str) -> Option<i32> {
        let number =
            line.trim().strip_prefix(self.before.as_str())?.strip_suffix(self.behind.as_str())?;
        number.parse().ok().filter(|status| is_number(number) && *status < 256)
    }

    /// Whether the part prints a number without any word.
    fn is_bare(&self) -> bool {
        !self.before.contains(char::is_alphabetic) && !self.behind.contains(char::is_alphabetic)
    }
}

/// What a command prints of its own status; `None` if it prints none or the output lacks the line.
pub(super) fn echoed(command: &str, text: &str) -> Option<Echoed> {
    if !["$?", "PIPESTATUS", "pipestatus"].iter().any(|name| command.contains(name)) {
        return None;
    }
    let parts = shell::parts(command);
    let Printings { all, ranges, is_sure } = Printings::of(command, &parts);
    let is_last = parts.last().is_some_and(|part| ranges.contains(&part.range));
    let start = text.len() - foot(text).len();
    let mut lines: Vec<Range<usize>> = Vec::new();
    let mut statuses: Vec<(i32, bool)> = Vec::new();
    let mut left = all.as_slice();
    let mut is_behind = true;
    for line in text[start..].lines().rev() {
        let ignored = says_nothing(line.trim()) || is_frame(line.trim());
        // The last part that prints such a line counts; a loop prints it again.
        let found = left.iter().enumerate().rev().find_map(|(at, printing)| {
            let may_be = !printing.is_bare() || is_behind && is_last;
            Some((at, printing.read(line).filter(|_| may_be)?))
        });
        if let Some((at, status)) = found {
            statuses.push((status, left[at].only_looks));
            left = &left[..at.max(1)];
            lines.push(span_in(text, line));
        }
        is_behind &= ignored && found.is_none();
    }
    if lines.is_empty() {
        return None;
    }
    let command = without(command, &ranges);
    lines.reverse();
    let is_other = |part: &&Part<'_>| !is_aside(part);
    let is_alone = shell::parts(&command).iter().filter(is_other).count() == 0;
    let counts = |(status, only_looks): &&(i32, bool)| *status > 0 && (is_alone || !only_looks);
    let failed = statuses.iter().rev().find(counts).map(|(status, _)| *status);
    let is_sure = is_sure && statuses.len() >= all.len();
    Some(Echoed { status: failed.or(is_sure.then_some(0)), text: without(text, &lines), command })
}

/// A text without some ranges of it.
fn without(text: &str, pieces: &[Range<usize>]) -> String {
    let (mut left, mut at) = (String::new(), 0);
    for piece in pieces {
        left.push_str(&text[at..piece.start]);
        at = piece.end;
    }
    left.push_str(&text[at..]);
    left.trim().to_owned()
}

/// The parts of a command that print a status.
struct Printings {
    all: Vec<Printing>,
    /// The ranges of these parts, and of the assignments that only keep a status for them.
    ranges: Vec<Range<usize>>,
    /// Whether the status of each list is printed, and none is hidden by a pipe.
    is_sure: bool,
}

impl Printings {
    fn of(command: &str, parts: &[Part<'_>]) -> Self {
        let mut found = Self { all: Vec::new(), ranges: Vec::new(), is_sure: true };
        let is_strict = command.contains("pipefail");
        // `kept`: the variable that holds a status. `list`: the parts of the list that the status belongs to.
        let mut kept: Option<&str> = None;
        let mut list: Vec<&Part<'_>> = Vec::new();
        let mut is_told = true;
        for (at, part) in parts.iter().enumerate() {
            let text = part.text;
            if let Some(name) = text.strip_suffix("=$?").filter(|name| shell::is_name(name)) {
                (kept, is_told) = (Some(name), true);
                found.ranges.push(part.range.clone());
                continue;
            }
            let printed = printed_by(text, kept);
            if let Some((words, whose)) = printed.filter(|_| is_seen(part, parts.get(at + 1))) {
                let (before, behind) = words.split_once(STATUS).unwrap_or_default();
                let is_piped = list.iter().any(|part| part.joint == Joint::Pipe);
                found.is_sure &= !is_piped || is_strict || whose == Whose::First;
                found.is_sure &= whose != Whose::Kept || is_told;
                // In a pipe the status may belong to any program.
                let is_of_all = is_strict || whose == Whose::First;
                let only_looks = if is_of_all {
                    list.iter().all(|part| is_aside(part))
                } else {
                    let programs = list.iter().map(|part| part.program().0);
                    let ran = programs.rev().find(|program| !PREPARING.has(program));
                    ran.is_some_and(|program| WATCHING.has(program))
                };
                found.all.push(Printing {
                    before: before.trim_start().to_owned(),
                    behind: behind.trim_end().to_owned(),
                    only_looks,
                });
                found.ranges.push(part.range.clone());
                is_told = true;
                continue;
            }
            if kept.is_some() && is_aside(part) {
                continue;
            }
            if at == 0 || parts[at - 1].joint == Joint::End {
                // Without `is_told`, the status of the list before is not printed.
                found.is_sure &= is_told;
                (list, is_told) = (Vec::new(), true);
            }
            is_told &= is_aside(part);
            list.push(part);
        }
        found.is_sure &= is_told;
        found
    }
}

/// Whether a part only looks or prepares.
fn is_aside(part: &Part<'_>) -> bool {
    let program = part.program().0;
    PREPARING.has(program) || WATCHING.has(program)
}

/// Whether the output of a part is visible.
fn is_seen(part: &Part<'_>, next: Option<&Part<'_>>) -> bool {
    let is_kept = part.joint != Joint::Pipe || next.is_some_and(|next| next.program().0 == "tee");
    is_kept
        && shell::redirection(part.text).is_none_or(|at| part.text[at..].trim_end().ends_with("&2"))
}

/// Whose status is printed: the last program's, the first one's in a pipe, or one that was kept in a variable.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Whose {
    Last,
    First,
    Kept,
}

/// The words that a part prints, with [`STATUS`] in place of the status, and whose status that is. `None` if
/// another piece of the words is unknown.
fn printed_by(part: &str, kept: Option<&str>) -> Option<(String, Whose)> {
    let all = shell::words(shell::bare(part));
    let mut words = shell::unopened(&all).iter().copied();
    let program = words.next()?;
    let is_flag = |word: &&str| matches!(*word, "-e" | "-n" | "-ne" | "-en" | "-E" | "--");
    let mut whose = Whose::Last;
    let mut read = |word: &str| spoken(word, kept, &mut whose);
    let mut words = words.skip_while(is_flag);
    let text = match program {
        "echo" => words.map(read).collect::<Option<Vec<_>>>()?.join(" "),
        "printf" => {
            let mut text = read(words.next()?)?;
            for word in words {
                let place = ["%s", "%d"].iter().filter_map(|place| text.find(place)).min()?;
                text.replace_range(place..place + 2, &read(word)?);
            }
            text
        }
        _ => return None,
    };
    // Of several lines, only the one with the status tells it.
    let line = text.split(['\n', '\r']).flat_map(|line| line.split("\\n"));
    let mut line = line.filter(|line| line.contains(STATUS));
    let line = line.next().filter(|line| line.matches(STATUS).count() == 1)?.to_owned();
    Some((line, whose))
}

/// A word as the shell prints it, with [`STATUS`] in place of a status.
fn spoken(word: &str, kept: Option<&str>, whose: &mut Whose) -> Option<String> {
    const OF_FIRST: &[&str] = &["${PIPESTATUS[0]}", "${pipestatus[1]}", "$PIPESTATUS"];
    let mut text = String::new();
    let mut rest = word;
    let mut is_quoted = false;
    while let Some(c) = rest.chars().next() {
        let behind = &rest[c.len_utf8()..];
        rest = match c {
            '"' => {
                is_quoted = !is_quoted;
                behind
            }
            '\'' if !is_quoted => {
                let (literal, behind) = behind.split_once('\'')?;
                text.push_str(literal);
                behind
            }
            '\\' if behind.starts_with(['"', '\\', '$', '`']) => {
                text.push_str(&behind[..1]);
                &behind[1..]
            }
            '$' => {
                let names = kept.map(|name| [format!("${{{name}}}"), format!("${name}")]);
                let first = OF_FIRST.iter().find_map(|name| rest.strip_prefix(name));
                let status = ["$?", "${?}"].into_iter().find_map(|name| rest.strip_prefix(name));
                let own = names.into_iter().flatten().find_map(|name| {
                    let behind = rest.strip_prefix(name.as_str())?;
                    (name.ends_with('}') || !behind.starts_with(shell::is_in_name))
                        .then_some(behind)
                });
                text.push(STATUS);
                *whose = match (first, own) {
                    (Some(_), _) => Whose::First,
                    (_, Some(_)) => Whose::Kept,
                    _ => *whose,
                };
                first.or(status).or(own)?
            }
            '`' => return None,
            c => {
                text.push(c);
                behind
            }
        };
    }
    Some(text)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_status_is_read_where_it_is_printed() {
        for (command, text, wanted) in [
            ("make lint; echo $?", "a.go:1: bad\n1", Some(1)),
            ("make lint; echo $?", "a.go: 3\n0", Some(0)),
            ("make lint\necho \"exit: $?\"", "bad\nexit: 2", Some(2)),
            ("make lint; echo EXIT=$?", "EXIT=0", Some(0)),
            ("make lint | tail -3; echo EXIT=$?", "bad\nEXIT=0", None),
            ("make lint | tail -3; echo EXIT=${PIPESTATUS[0]}", "bad\nEXIT=2", Some(2)),
            ("make lint | tail -3; echo \"rc=${PIPESTATUS[0]}\"", "rc=0", Some(0)),
            ("set -o pipefail; make lint | tail; echo rc=$?", "rc=0", Some(0)),
            ("make > log 2>&1; rc=$?; tail -3 log; echo \"rc: $rc\"", "bad\nrc: 2", Some(2)),
            ("make > log 2>&1; rc=$?; tail -3 log; echo \"rc: $rc\"", "fine\nrc: 0", Some(0)),
            ("a; echo \"a=$?\"; b; echo \"b=$?\"", "x\na=1\ny\nb=0", Some(1)),
            ("a; echo \"rc=$?\"; b; echo \"rc=$?\"", "rc=0\nrc=3", Some(3)),
            ("a; b; echo $?", "0", None),
            ("a; b; echo $?", "4", Some(4)),
            ("make && echo ok || echo \"failed with $?\"", "failed with 2", Some(2)),
            ("make; echo \"-- exit $? --\"; git status", "x\n-- exit 2 --\nM a", Some(2)),
            ("make; printf 'exit=%s\\n' $?", "exit=2", Some(2)),
            ("make; echo -e \"\\nexit $?\"", "\nexit 2", Some(2)),
            ("(make; echo $?)", "2", Some(2)),
            ("make; echo $?", "2\n\n[Command finished with exit code 0]", Some(2)),
        ] {
            assert_eq!(echoed(command, text).and_then(|it| it.status), wanted, "{command}: {text}");
        }
    }

    #[test]
    fn another_line_says_no_status() {
        for (command, text) in [
            ("make; echo $?", "1\nbye"),
            ("make; echo $?", "exit 1"),
            ("make; echo \"exit: $?\"", "exit: 1 of 3"),
            ("make; echo \"exit: $?\"", "exit: x"),
            ("make; echo '$?'", "1"),
            ("make; echo \"\\$?\"", "1"),
            ("make; echo \"$name $?\"", "a 1"),
            ("make; echo $? > log", "1"),
            ("make; echo $? | wc -l", "1"),
            ("make; echo $?; ls", "1"),
            ("echo 3", "3"),
        ] {
            assert!(echoed(command, text).is_none(), "{command}: {text}");
        }
    }

    #[test]
    fn what_is_printed_of_it_is_no_output() {
        let read = echoed("make lint 2>&1; echo \"exit: $?\"", "a.go:3: bad\nexit: 1\n").unwrap();
        assert_eq!((read.command.as_str(), read.text.as_str()), ("make lint 2>&1;", "a.go:3: bad"));
        let found = echoed("make; grep -q x f; echo $?", "1").unwrap();
        assert_eq!(found.status, None);
        assert_eq!(echoed("grep -q x f; echo $?", "1").unwrap().status, Some(1));
    }
}
