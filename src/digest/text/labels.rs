//! The digest's own words with which its lines and sections begin.
//!
//! Responsible for having each of them only once: the code that writes a digest and the code that reads an
//! earlier one back both take them from here.

pub(crate) const STORY: &str = "What was asked, decided, found and done";
pub(crate) const CHANGED: &str = "Files changed";
pub(crate) const READ: &str = "Files read";
/// Precedes the lines of a changed file that no edit wrote.
pub(crate) const SEEN: &str = "  seen:";
pub(crate) const COMMANDS: &str = "Commands run";
pub(crate) const FAILURES: &str = "Failures and what fixed them";
pub(crate) const FOUND: &str = "Other findings";
pub(crate) const RECORDS: &str = "Records";
/// The title of the records in work on files: calls that concern neither files nor commands.
pub(crate) const ACTS: &str = "Other calls";
pub(crate) const PLAN: &str = "Plan";
pub(crate) const STATE: &str = "Where the work stands";

/// Precedes the folder that paths are relative to.
pub(crate) const BASED: &str = "Paths are below ";

/// Precedes a quoted line that an edit wrote.
pub(crate) const PUT: &str = "+ ";
/// Precedes a quoted line of the text of a command.
pub(crate) const RUN: &str = "$ ";

/// The titles of all sections.
pub(crate) const TITLES: &[&str] =
    &[STORY, CHANGED, READ, COMMANDS, FAILURES, RECORDS, ACTS, FOUND, PLAN, STATE];

/// Stands between the number of a user's message that stays visible and its first words.
pub(crate) const KEPT: &str = "] User (kept): ";
/// Stands between the number of a call that the user refused, and the call with the user's words.
pub(crate) const REFUSING: &str = "] User, refusing ";
/// Stands between the number of a call whose output alone says that the user refused it, and the call with the words.
pub(crate) const CLAIMED: &str = "] Only the output says that the user refused ";
/// Stands between a number and words that the user said while the model worked, after the message of that number.
pub(crate) const MEANWHILE: &str = "] User, meanwhile";
/// Follows the number of a user's message of which parts are told.
pub(crate) const PARTS: &str = " User, in parts:";
/// Follows the number of a message of the model that begins like one of the user's, or that stands where no
/// line above says whose words the lines are.
pub(crate) const SAID: &str = " Assistant:";
/// Precede the lines of talk of speakers without a name.
pub(crate) const SPEAKERS: [&str; 2] = ["User: ", "Assistant: "];
/// Follows the number of a plan that the user approved.
pub(crate) const APPROVED: &str = " Approved plan:";
/// Follows the number of what the model gave up when the user objected.
pub(crate) const AMENDED: &str = " Amended since:";
/// Follows the number of the newest request if parts of it are told.
pub(crate) const NEWEST: &str = " User, the newest request, in parts:";
/// All labels between the number of a message and its words.
pub(crate) const OF_WORDS: &[&str] = &[NEWEST, PARTS, SUMMARY, APPROVED, AMENDED, SAID];
/// Says that the user's messages below a summary were sent before its end.
pub(crate) const OLDER: &str = "The user's messages below came before this";
pub(crate) const OLDER_BUT_NEWEST: &str =
    "The user's messages below came before this, all but the newest";
/// Precedes the last words of the model.
pub(crate) const LAST_WORDS: &str = "The assistant's last words";
/// Precedes the report of the last subagent, if nothing was said or changed since.
pub(crate) const LAST_REPORT: &str = "The last subagent's report";
/// Precedes the last step.
pub(crate) const LAST_STEP: &str = "The last step";
/// Precedes the folder that a shell last changed to.
pub(crate) const LAST_FOLDER: &str = "The last cd";
/// The beginnings of all numbered lines of the state.
pub(crate) const OF_STATE: &[&str] =
    &[LAST_WORDS, LAST_REPORT, LAST_STEP, LAST_FOLDER, LAST_COMMIT];
/// Stands between the last folder and the one that the session began in.
pub(crate) const BEGUN: &str = "; the session began in ";
/// Follows a label of something last if the work continues in messages that stay visible.
pub(crate) const BEFORE: &str = " before the messages below";
/// Precedes the last checks.
pub(crate) const CHECKS: &str = "The last checks";
/// Replaces the lines of archives that have no room; like those it begins with `The messages `.
pub(crate) const OLDER_ARCHIVES: &str =
    "The messages before these are in files that the first archive below names.";
/// Precedes the last commit.
pub(crate) const LAST_COMMIT: &str = "The last commit";
/// Precedes the message that pushed the last commit.
pub(crate) const PUSHED: &str = ", pushed ";
/// Precedes the message that tried to push and found nothing to push.
pub(crate) const UP_TO_DATE: &str = ", nothing to push ";
/// Follows a check or a commit, before a command that moved the work to another state.
pub(crate) const MOVED: &str = ", then ";
/// Ends the part of a check that failed.
pub(crate) const NOT_RUN: &str = ", not run since";
/// Stands between a command or a tool and its error.
pub(crate) const FAILED: &str = " failed: ";
/// Ends the line of a failure that passed later.
pub(crate) const PASSED: &str = " → passed";
/// Ends the line of a failure that failed again to the last.
pub(crate) const AGAIN: &str = " → failed again ";
/// Ends the line of a failure after which the same command failed for another reason.
pub(crate) const OTHERWISE: &str = " → failed otherwise ";
/// Ends the line of a failure whose command failed for another reason in its last run.
pub(crate) const AT_LAST: &str = " → failed otherwise at last ";
/// Precedes the message of an equal failure.
pub(crate) const ALSO: &str = ", also [";
/// Precedes what the model said of a failure.
pub(crate) const DIAGNOSIS: &str = " → said ";

/// Follows the number of another tool's summary.
pub(crate) const SUMMARY: &str = " Earlier summary:";
/// Follows the number of a result of which a part stays visible.
pub(crate) const CUT_RESULT: &str = "left out of a result";
/// Follows the number of a result whose call is not told.
pub(crate) const RESULT: &str = "a result";
/// Ends the heading of a call that failed.
pub(crate) const HAS_FAILED: &str = " (failed)";
/// Ends the heading of a command that went well.
pub(crate) const WENT_WELL: &str = " (ok)";
/// Ends the heading of a failed call whose command has passed since.
pub(crate) const PASSED_SINCE: &str = " (failed, then passed)";

/// Separates the records of a call.
pub(crate) const NEXT_RECORD: &str = "; ";

/// Stands between a deed and its outcome, and between the old and the new state of something.
pub(crate) const ARROW: &str = " → ";

/// Whether words directly after `[n]` would be read as somebody else's: `User: do it`, `Asked: …`.
pub(crate) fn is_taken(words: &str) -> bool {
    const LABELS: &[&str] = &[
        "user:", "user,", "user (", "user typed:", "asked:", "assistant:", "approved plan:",
        "earlier summary:", "amended since:",
    ];
    LABELS
        .iter()
        .any(|label| words.get(..label.len()).is_some_and(|head| head.eq_ignore_ascii_case(label)))
}

/// The text after the label in the line of the last folder; `None` for any other line.
pub(crate) fn last_folder(line: &str) -> Option<&str> {
    line.split_once("] ")?.1.strip_prefix(LAST_FOLDER)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_last_folder_is_told_in_a_line_of_its_own() {
        assert_eq!(last_folder("- [3] The last cd: /w/web"), Some(": /w/web"));
        assert_eq!(last_folder("- [3] The last step: ran `echo The last cd: /w`"), None);
    }
}
