//! Weighs together everything that a result says of how its call ended.
//!
//! Responsible for which sign is believed: the status before the words, and the words only if there is no
//! status or if it may be another program's. It relies on the files beside it for the signs themselves.

use super::done::came_to;
use super::echoed::Echoed;
use super::failing::{
    conflicts, ends_in_failed_tests, ends_well, has_count, stops, tells_failures,
};
use super::frame::{is_frame, says_nothing};
use super::giving_up::{gives_up, is_told_by};
use super::report::lead;
use super::said::{begins_with_error, only_fails, says_failure};
use super::unchanged::leaves_all_unchanged;
use super::unended::unended;
use super::verdict::verdict;
use super::{Of, Unended, aim, repository, shell, status};
use crate::conversation::Part;

/// The status that is recorded beside the output of a command that is still running.
const GOES_ON: i32 = -1;

/// The signs that a result gives.
pub(super) struct Signs<'r> {
    /// The kind of call; its command is without the part that prints its own status.
    of: Of<'r>,
    /// Whether the result is flagged as an error.
    is_error: bool,
    /// The whole text of the tool, a record included.
    whole: &'r str,
    /// The output, without the status that the command itself prints.
    pub(super) text: &'r str,
    pub(super) status: Option<i32>,
    /// Whether the command's own `echo` says that all of it went well.
    is_sure: bool,
    /// Whether the recorded status is that of a command that is still running.
    goes_on: bool,
    /// Whether the command shows data, which may tell of another run.
    shows: bool,
    pub(super) is_check: bool,
}

impl<'r> Signs<'r> {
    /// Reads the signs of a result with the text `whole`, of which a program printed `printed`.
    pub(super) fn new(
        part: &Part<'_>,
        of: Of<'r>,
        whole: &'r str,
        printed: &'r str,
        echoed: Option<&'r Echoed>,
    ) -> Self {
        // A status that a command prints belongs neither to its output nor to what it runs.
        let of = echoed.map_or(of, |it| Of::Command(&it.command));
        let text = echoed.map_or(printed, |it| it.text.as_str());
        let command = of.command();
        let shows = command.is_some_and(shell::shows_data);
        let is_data = !part.is_error && (shows || command.is_none());
        // What a command prints may read like the words of a tool.
        let framed = if echoed.is_some() && !whole.starts_with('{') { text } else { whole };
        let beside = command.and_then(|_| status::beside(part));
        let told = status::exit_status(framed, command.is_some(), is_data)
            .or(beside.filter(|it| *it != GOES_ON));
        let own = echoed.and_then(|it| it.status);
        let status = own.filter(|_| told.is_none_or(|told| told == 0)).or(told);
        Self {
            of,
            is_error: part.is_error,
            whole,
            text,
            status,
            is_sure: own == Some(0),
            goes_on: status.is_none() && beside == Some(GOES_ON),
            shows,
            is_check: command.is_some_and(aim::is_check),
        }
    }

    pub(super) fn command(&self) -> Option<&'r str> {
        self.of.command()
    }

    /// Why the call came to no end of its own; `None` if it did.
    pub(super) fn unended(&self) -> Option<Unended> {
        // A refused call has no status and no counts.
        let may_be_refused = || self.status.is_none() && !self.shows && !has_count(self.text);
        let is_launched = || {
            matches!(self.of, Of::Errand)
                && self.text.starts_with("Async agent launched successfully")
        };
        let is_running = || self.goes_on || is_launched();
        unended(self.text, self.is_error, may_be_refused)
            .or_else(|| is_running().then(|| Unended::Running("".into())))
    }

    /// The meaning of status 1 where it is an answer: that nothing was found, or that files differ.
    pub(super) fn answer(&self) -> Option<&'static str> {
        let command = self.command().filter(|_| self.status == Some(1))?;
        let printed = self.text.lines().find(|line| !says_nothing(line) && !is_frame(line));
        shell::answer_of_status(command, printed.unwrap_or_default())
    }

    /// Whether the call failed: by its flag, by its status, or without one by its words.
    pub(super) fn fails(&self) -> bool {
        self.is_error
            || self.status.map_or_else(|| self.says_failure(), |status| status != 0)
            || self.is_masked()
    }

    /// Whether the words say that the call failed.
    fn says_failure(&self) -> bool {
        let text = self.text;
        says_failure(text)
            || matches!(self.of, Of::Editor) && leaves_all_unchanged(text)
            || self.is_check && tells_failures(text)
            || match self.command() {
                Some(command) if self.shows => is_told_by(command, text),
                Some(command) => {
                    (self.tells_error() || gives_up(text)) && !self.has_passed()
                        || repository::does(command) && (conflicts(text).is_some() || stops(text))
                        || aim::runs_script(command) && ends_in_failed_tests(text)
                }
                None => self.tells_error(),
            }
    }

    /// Whether the result begins with an error or is nothing else.
    fn tells_error(&self) -> bool {
        let is_error = |it| begins_with_error(it) || !matches!(self.of, Of::Look) && only_fails(it);
        is_error(self.whole) || is_error(self.text)
    }

    /// Whether the output ends like that of a check that passed.
    pub(super) fn has_passed(&self) -> bool {
        self.is_check && ends_well(self.text)
    }

    /// The command, if its status may be that of another program.
    fn unsure_command(&self) -> Option<&'r str> {
        self.command().filter(|_| !self.is_sure)
    }

    /// Whether the status belongs to another program than the one that failed.
    fn is_masked(&self) -> bool {
        self.unsure_command().is_some_and(aim::masks_status) && tells_failures(self.text)
    }

    /// The line in which a program says that it failed, where the status may hide that.
    pub(super) fn hidden_failure(&self) -> Option<&'r str> {
        let hides = |command: &&str| !self.shows && aim::may_hide(command, self.status);
        self.unsure_command().filter(hides).and_then(|_| verdict(self.text))
    }

    /// What a successful call came to, and whether that tells what it has done.
    pub(super) fn came_to(&self) -> (Option<String>, bool) {
        match self.of {
            Of::Command(command) => came_to(self.text, command),
            Of::Errand => {
                let lead = lead(self.text);
                let says = lead.is_some();
                (lead, says)
            }
            Of::Editor | Of::Look | Of::Other => (None, false),
        }
    }
}
