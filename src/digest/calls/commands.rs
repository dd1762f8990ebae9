//! A command of the ledger: how its runs ended, and the line that says so.
//!
//! Responsible for writing that line and for reading it back from an earlier digest.

mod names;

use std::fmt::Write;

use super::aim::is_check;
use super::folder::Folder;
use super::outcome::{Ended, FAILED, OK, Outcome};
use super::shell;
use crate::digest::text::labels::ARROW;
use crate::digest::text::point::Point;
use crate::line::on_one_line;

pub(crate) use names::{
    compared, identity, is_shown, is_whole, named, named_in, shortened, told_in, unmarked,
};

/// A command, and how its runs ended.
#[derive(Debug)]
pub(crate) struct Command {
    /// The whole command on one line.
    pub(crate) text: Box<str>,
    /// The text that its heading shows of the command.
    pub(crate) shown: Box<str>,
    /// The folder that it runs in.
    pub(crate) within: Folder,
    is_check: bool,
    pub(crate) times: u32,
    /// The last failed and the last passed run, before the last run.
    pub(crate) failed: Option<Point>,
    pub(crate) passed: Option<Point>,
    pub(crate) last: Point,
    /// How the last run ended.
    pub(crate) outcome: Ended,
    /// Whether only the user ran it.
    pub(crate) is_users: bool,
}

/// Marks a command that the user ran.
const USERS: &str = " by the user";

impl Command {
    /// A command that has not run yet.
    pub(crate) fn of(text: &str, shown: Box<str>, within: &Folder) -> Self {
        Self {
            text: on_one_line(text).into(),
            shown,
            within: within.clone(),
            is_check: is_check(text),
            times: 0,
            failed: None,
            passed: None,
            last: Point::default(),
            outcome: Ended::pending(),
            is_users: false,
        }
    }

    /// Whether a text is this command, and does not only read like it.
    pub(crate) fn is(&self, text: &str) -> bool {
        // The text may be one that an earlier digest shortened.
        let may_be = self.is_short() && self.text.contains('…');
        may_be || compared(&self.text) == compared(text)
    }

    /// Starts anew with `text` if that is another command that only reads like this one.
    fn become_of(&mut self, text: &str) {
        if !self.is(text) {
            let shown = std::mem::take(&mut self.shown);
            let new = Self::of(&self.text, shown, &self.within);
            *self = Self { text: on_one_line(text).into(), ..new };
        }
    }

    /// Enters the outcome of a run at a place. A run that never happened only counts if there is no other.
    pub(crate) fn run(&mut self, text: &str, outcome: &Outcome, is_users: bool, place: Point) {
        let never_ran = outcome.never_ran();
        if never_ran && self.times > 0 {
            return;
        }
        if self.times > 0 && self.outcome.failed() {
            self.failed = Some(self.last);
        } else if self.times > 0 && self.outcome.went_well() {
            self.passed = Some(self.last);
        }
        self.become_of(text);
        // A command that the model ran too is not told as the user's.
        let is_users = is_users && (self.times == 0 || self.is_users);
        self.times += u32::from(!never_ran);
        (self.last, self.outcome) = (place, Ended::of(outcome));
        self.is_users = is_users;
    }

    /// The line of the ledger: the command with its outcome.
    pub(crate) fn heading(&self) -> String {
        let mut line = format!("$ {}", self.shown);
        if self.times > 1 {
            let _ = write!(line, " ×{}", self.times);
        }
        line.push_str(if self.is_users { USERS } else { "" });
        line.push_str(ARROW);
        let outcome = &self.outcome;
        let (word, before) =
            if outcome.failed() { (OK, self.passed) } else { (FAILED, self.failed) };
        if let Some(before) = before {
            let _ = write!(line, "{word} [{before}], then ");
        }
        let _ = write!(line, "{outcome} [{}]", self.last);
        line
    }

    /// Whether it made a commit that its outcome tells.
    pub(crate) fn committed(&self) -> bool {
        self.commit().is_some()
    }

    /// The hash and the subject of the commit that it made, as far as its outcome tells them.
    pub(crate) fn commit(&self) -> Option<(&str, &str)> {
        self.outcome.commit()
    }

    /// Whether it only looked and its outcome does not tell what it saw, or it was cancelled with another call.
    pub(crate) fn only_looked(&self) -> bool {
        self.outcome.is_cancelled() || self.outcome.is_bare() && shell::does_nothing(&self.text)
    }

    /// Whether its heading shows the whole command.
    pub(crate) fn is_short(&self) -> bool {
        self.shown == self.text
    }

    /// Whether its outcome tells the state of the work: a test, a build, or a failure.
    pub(crate) fn is_verdict(&self) -> bool {
        let has_failed = self.times > 0 && self.outcome.failed();
        self.failed.is_some() || has_failed || self.is_check
    }

    /// Parses a heading of an earlier digest. A heading does not tell where the session began.
    pub(crate) fn parse(line: &str, generation: u32) -> Option<Self> {
        let (text, rest) = line.strip_prefix("$ ")?.split_once(ARROW)?;
        let bare = text.strip_suffix(USERS);
        let (text, is_users) = (bare.unwrap_or(text), bare.is_some());
        let (text, times) = match text.rsplit_once(" ×") {
            Some((text, times)) if times.bytes().all(|byte| byte.is_ascii_digit()) => (text, times),
            _ => (text, "1"),
        };
        let rest = rest.strip_suffix(']')?;
        let (outcome, last) = rest.rsplit_once(" [")?;
        let before = |word| outcome.strip_prefix(word)?.strip_prefix(" [")?.split_once("], then ");
        let point = |(at, _): (&str, &str)| Point::parse(at, generation);
        let (failed, passed) = (before(FAILED), before(OK));
        let outcome = failed.or(passed).map_or(outcome, |(_, outcome)| outcome);
        let (failed, passed) = (failed.and_then(point), passed.and_then(point));
        Some(Self {
            text: text.into(),
            shown: text.into(),
            within: Folder::default(),
            is_check: is_check(text),
            times: times.parse().unwrap_or(1),
            failed,
            passed,
            last: Point::parse(last, generation)?,
            outcome: Ended::from(outcome),
            is_users,
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn of(text: &str) -> Command {
        Command::of(text, shortened(text).into(), Folder::HERE)
    }

    #[test]
    fn a_heading_tells_both_ways_of_ending() {
        let ended = |failed: bool| Outcome { failed, ..Outcome::default() };
        let mut command = of("make lamps");
        for (at, failed) in [(1, false), (3, true)] {
            command.run("make lamps", &ended(failed), true, Point::now(at));
        }
        let heading = "$ make lamps ×2 by the user → ok [1], then failed [3]";
        assert_eq!(command.heading(), heading);
        let back = Command::parse(heading, 0).unwrap();
        assert_eq!((&*back.text, back.heading().as_str()), ("make lamps", heading));
        command.run("make lamps", &ended(false), false, Point::now(5));
        command.run("make lamps", &ended(false), true, Point::now(7));
        assert_eq!(command.heading(), "$ make lamps ×4 → failed [3], then ok [7]");
    }

    #[test]
    fn a_command_reads_back_as_it_was_written() {
        let command = Command {
            times: 2,
            failed: Some(Point::now(3)),
            last: Point::now(7),
            outcome: "ok: 12 passed".into(),
            ..of("cargo test")
        };
        assert_eq!(command.heading(), "$ cargo test ×2 → failed [3], then ok: 12 passed [7]");
        let back = Command::parse(&command.heading(), 1).unwrap();
        assert_eq!(back.heading(), "$ cargo test ×2 → failed [1.3], then ok: 12 passed [1.7]");
    }

    #[test]
    fn commands_are_one_that_run_the_same_check_or_are_the_same() {
        let check = "cd /a/long/way && cargo test --lib 2>&1 | tail -5";
        assert_eq!(identity(check), identity("set -e\ncargo  test --lib"));
        let looks = |at: &str| {
            format!("cd /a/long/way/down/to/where/the/code/is/kept/{at} && node a.js {at}")
        };
        assert_ne!(identity(&looks("one")), identity(&looks("two")));
        assert_eq!(named(&looks("one")), "node a.js one");
    }

    #[test]
    fn unlike_commands_are_not_counted_as_one() {
        let long = |end: &str| format!("node -e '{}{end}'…", "one(); ".repeat(60));
        let mut command = Command { times: 3, ..of(&long("a")) };
        command.become_of(&long("b"));
        assert_eq!(command.times, 0);
        let mut command = Command { times: 3, ..of(&shortened(&long("a"))) };
        command.become_of(&long("b"));
        assert_eq!(command.times, 3);
    }

    #[test]
    fn a_shortened_command_shows_what_it_runs_and_is_known_again() {
        let way = "cd /a/long/way/down/to/where/the/code/is/done/since/the/first/day";
        let command = format!("{way}\nnode scripts/build.js --all --with-every-option --and-more");
        let heading = of(&command).heading();
        assert_eq!(
            heading,
            "$ cd /a/long/way/down/to/where/the/code/is/done/since/the/firs… \
             node scripts/build.js --all --with-every… → no answer yet [0]"
        );
        let back = Command::parse(&heading, 1).unwrap();
        assert_eq!(shortened(&command), back.text.as_ref());
        let again = Command::parse(&back.heading(), 2).unwrap();
        assert_eq!(again.shown, back.shown);
        assert!(!again.is_short() || again.text.ends_with('…'));
    }
}
