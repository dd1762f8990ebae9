//! How a call ended: whether it failed, and the line of its result that decides.
//!
//! Responsible for weighing the status, the words and the marks of a result, and for the words in which an
//! outcome is told. Each kind of sign has a file of its own.

mod cleared;
mod complaint;
mod cut;
mod done;
mod echoed;
mod ended;
mod ending;
mod error;
mod errors;
mod failing;
mod foot;
mod frame;
mod giving_up;
mod lines;
mod refusal;
mod report;
mod repository;
mod said;
mod screen;
mod short;
mod signs;
mod status;
mod tally;
mod tested;
mod unchanged;
mod unended;
mod unseen;
mod verdict;
mod why;

use super::{aim, shell};
use crate::conversation::Part;
use crate::digest::text::colours::without_colours;
use crate::marks;
use crate::message::typed;
use crate::printed::printed;
pub(crate) use cleared::line;
use done::last_line;
use echoed::echoed;
pub(crate) use ended::{Ended, FAILED, OK, running_as};
pub use ending::{Ending, ending, has_failed};
pub(crate) use error::first_error;
pub(crate) use failing::{is_in_conflict, is_of_check};
pub(crate) use frame::{heads_change, is_framing};
use frame::{is_frame, unframed, without_rules};
pub(crate) use giving_up::goes_nowhere;
pub use lines::is_error_line;
pub(crate) use lines::{
    commit, is_hash, is_headed, is_listed, is_of_course, is_vague, names_place, names_test,
};
pub(crate) use refusal::{may_quote_user, said_by_user};
pub(super) use report::lead;
pub(crate) use screen::{Screen, says_error};
pub(crate) use short::{bare, failed_tests, shorten};
use signs::Signs;
pub(crate) use tally::ran_none;
pub(crate) use tested::tested;
pub(crate) use unended::Unended;
use why::why;

/// How a call ended.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Outcome {
    pub(crate) failed: bool,
    /// Why the call came to no end of its own; `None` if it did. A call without an end neither failed nor went
    /// well.
    pub(crate) unended: Option<Unended>,
    /// The exit status, if the result tells one.
    pub(crate) status: Option<i32>,
    /// The first line of the error, what was made, the totals, or the last line.
    pub(crate) line: Option<Box<str>>,
    /// Whether the line tells what the call achieved: the totals of a test or a build, or what was made.
    pub(crate) is_total: bool,
    /// Whether the call failed with output that only its check can have printed, so that everything before the
    /// check was done.
    pub(crate) ran_check: bool,
}

impl Outcome {
    /// The outcome of a call that came to no end of its own.
    pub(super) fn without_end(why: Unended) -> Self {
        Self { unended: Some(why), ..Self::default() }
    }

    /// Whether the call came to its end and did not fail.
    pub(crate) fn went_well(&self) -> bool {
        !self.failed && self.unended.is_none() && !self.never_ran()
    }

    /// Whether the user refused the call.
    pub(crate) fn is_rejected(&self) -> bool {
        self.unended == Some(Unended::Rejected)
    }

    /// Whether the call's process is still running.
    pub(crate) fn is_running(&self) -> bool {
        matches!(self.unended, Some(Unended::Running(_)))
    }

    /// Whether the outcome is unknown because the result is gone.
    pub(crate) fn is_cleared(&self) -> bool {
        self.unended == Some(Unended::Cleared)
    }

    /// Whether nothing tells how the call ended, and a line of its result reads like an error.
    fn is_unclear(&self) -> bool {
        self.unended == Some(Unended::Unclear)
    }

    /// Why the outcome is unknown, in the words of the digest; `None` if it is known.
    pub(crate) fn unknown(&self) -> Option<&'static str> {
        self.unended.as_ref().filter(|why| Unended::UNKNOWN.contains(why)).map(Unended::words)
    }

    /// Whether nothing says that the call failed or came to no end of its own.
    pub(crate) fn may_have_gone_well(&self) -> bool {
        self.went_well() || self.unknown().is_some()
    }

    /// Whether the user or a rule refused the call.
    fn is_refused(&self) -> bool {
        self.is_rejected() || self.unended == Some(Unended::Denied)
    }

    /// Whether the user or a rule refused the call, or its agent cancelled it with another one.
    pub(crate) fn never_ran(&self) -> bool {
        self.is_refused() || self.line.as_deref().is_some_and(is_cancelled)
    }
}

/// Whether an agent answers with this line for a call that it did not make because another call beside it
/// failed.
pub(crate) fn is_cancelled(line: &str) -> bool {
    line.contains("Sibling tool call errored") || line.contains("Cancelled: parallel tool call")
}

/// How many bytes of a result's line are kept.
pub(crate) const LONGEST: usize = 300;

/// The kind of call that a result belongs to.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Of<'c> {
    Command(&'c str),
    /// A tool that changes files.
    Editor,
    /// A tool that only looks: what it shows may speak of a failure.
    Look,
    /// A tool that runs an errand and reports on it.
    Errand,
    Other,
}

impl<'c> Of<'c> {
    /// The kind of a call that ran `command`, or else one that changes files or not.
    pub(super) fn new(command: Option<&'c str>, changes: bool) -> Self {
        match command {
            Some(command) => Self::Command(command),
            None if changes => Self::Editor,
            None => Self::Other,
        }
    }

    /// The command, if one was run.
    fn command(self) -> Option<&'c str> {
        if let Self::Command(command) = self { Some(command) } else { None }
    }
}

/// Judges the result of a call.
pub(crate) fn judge(part: &Part<'_>, of: Of<'_>) -> Outcome {
    let text = typed::printed(part.text());
    let text = without_colours(text.trim());
    let result = unframed(&text, of.command());
    let whole = cleared::told_part(&result);
    if marks::is_placeholder(whole) {
        return cleared::judge(part, whole);
    }
    let printed = printed(whole);
    let echoed = of.command().and_then(|command| echoed(command, &printed));
    let signs = Signs::new(part, of, whole, &printed, echoed.as_ref());
    let (text, status) = (signs.text, signs.status);
    if let Some(unended) = signs.unended() {
        return Outcome::without_end(unended);
    }
    if let Some(answer) = signs.answer() {
        let (line, unended) = (Some(answer.into()), signs.unseen());
        return Outcome { status, line, is_total: true, unended, ..Outcome::default() };
    }
    let kept = |line: String| shorten(without_rules(&line), LONGEST);
    let fails = signs.fails();
    let told = signs.complaint().or_else(|| signs.hidden_failure().filter(|_| !fails));
    if fails || told.is_some() {
        let last = || told.or_else(|| last_line(text)).map(str::to_owned);
        return Outcome {
            failed: true,
            status,
            line: why(text, signs.command()).or_else(last).map(kept),
            ran_check: signs.is_check && is_of_check(text),
            ..Outcome::default()
        };
    }
    // Of output that was written to a file, the result only has the beginning.
    if marks::is_spilled(&result) && signs.is_check && !signs.has_passed() {
        return Outcome::without_end(Unended::Cleared);
    }
    if let Some(line) = signs.doubt() {
        let line = Some(kept(line.trim().to_owned()));
        return Outcome { line, ..Outcome::without_end(Unended::Unclear) };
    }
    if let Some(unseen) = signs.unseen() {
        return Outcome::without_end(unseen);
    }
    let (line, is_total) = signs.came_to();
    Outcome { status, line: line.map(kept), is_total, ..Outcome::default() }
}

#[cfg(test)]
mod tests {
    use super::done::{answer, totals};
    use super::*;

    #[test]
    fn a_short_answer_is_the_outcome() {
        for (text, command, wanted) in [
            ("9b6bd9e1", "cat a.json | jq -r .base", Some("9b6bd9e1")),
            (" M a.rs\n?? b.rs", "git status --short", Some("M a.rs, ?? b.rs")),
            ("(Bash completed with no output)", "git remote -v", Some("(nothing)")),
            ("", "git -C web remote -v", Some("(nothing)")),
            ("", "git -C web remote add mine ../mine", None),
            ("  3 a.rs\n  4 b.rs\n  5 c.rs\n  6 d.rs\n 18 total", "wc -l *.rs", Some("18 total")),
            ("", "mkdir a", None),
            ("[Command finished with exit code 0]", "sed -i s/a/b/ a.rs", None),
            ("a\nb\nc\nd", "ls", None),
            ("fine", "make test", None),
            ("", "grep -n foo src/a.rs", Some("nothing found")),
            ("", "grep -q foo src/a.rs", None),
            ("", "rg -iq foo src", None),
            ("", "grep --quiet foo a.rs || grep foo b.rs", None),
            ("", "grep -rL foo src", None),
            ("}", "grep '}' src/a.rs", Some("}")),
            ("---", "rg -N '^---$' doc.md", None),
            ("---\n---", "cat doc.md", None),
            ("---\na: 1\n---", "cat doc.md", Some("a: 1")),
            ("[]", "jq .errors out.json", None),
            ("✗", "ls a", Some("✗")),
            ("…", "cat a", Some("…")),
        ] {
            assert_eq!(answer(text, command).as_deref(), wanted, "{command}");
        }
    }

    #[test]
    fn knows_what_tools_say_of_their_own_output() {
        for line in [
            "[688 more lines in file. Use offset=200 to continue.]",
            "(12 lines truncated)",
            "<type>file</type>",
            "index 0123abc..0a1b2c3 100644",
            "Command: /bin/zsh -lc 'make test'",
        ] {
            assert!(is_framing(line), "{line}");
        }
        for line in
            ["[line 3 of the file]", "<type>jar</type>", "index of names..all", "Command: make"]
        {
            assert!(!is_framing(line), "{line}");
        }
    }

    #[test]
    fn finds_totals_and_the_last_line() {
        let total = |text| totals(text, true);
        assert_eq!(total("warming up\n12 passed, 0 failed\nbye"), Some("12 passed, 0 failed"));
        assert_eq!(total("0 issues.\nFinished in 3.09s"), Some("0 issues."));
        assert_eq!(total("a_test.go:814: test 3 completed successfully\nPASS"), None);
        let packed = format!("x=\"error\";{}", "a(b,c);".repeat(40));
        assert_eq!(last_line(&format!("said\n{packed}")), Some("said"));
        assert!(!is_error_line("0 errors"));
        assert_eq!(total("ok  \texample.com/a\t0.4s\nok  \texample.com/b\t3.6s"), None);
        assert_eq!(total("drwx------@ 3 me staff 96 Oct 15 __tests__\n}"), None);
        let installed = "npm warn deprecated glob@7.2.3: tests fail with version 8\n\n\
                         added 57 packages, and audited 58 packages in 3s\n\n\
                         10 packages are looking for funding\n  run `npm fund` for details\n\n\
                         found 0 vulnerabilities";
        let added = "added 57 packages, and audited 58 packages in 3s";
        assert_eq!(totals(installed, false), Some(added));
    }
}
