//! The words of the digest's own that lines and sections begin with.
//!
//! Responsible for saying them once: what writes a digest and what reads an earlier one back both
//! take them from here.

pub(crate) const STORY: &str = "What was asked, decided, found and done";
pub(crate) const CHANGED: &str = "Files changed";
pub(crate) const READ: &str = "Files read";
/// Before lines of a file that was changed which no edit wrote.
pub(crate) const SEEN: &str = "  seen:";
pub(crate) const COMMANDS: &str = "Commands run";
pub(crate) const FAILURES: &str = "Failures and what fixed them";
pub(crate) const FOUND: &str = "Other findings";
pub(crate) const RECORDS: &str = "Records";
/// The same where files and commands are the matter, and some calls are of neither.
pub(crate) const ACTS: &str = "Other calls";
pub(crate) const PLAN: &str = "Plan";
pub(crate) const STATE: &str = "Where the work stands";

/// What stands before the folder that paths are told from.
pub(crate) const BASED: &str = "Paths are below ";

/// What stands before a quoted line that an edit put in, and before one of a command's own text.
pub(crate) const PUT: &str = "+ ";
pub(crate) const RUN: &str = "$ ";

/// The titles of all sections.
pub(crate) const TITLES: &[&str] =
    &[STORY, CHANGED, READ, COMMANDS, FAILURES, RECORDS, ACTS, FOUND, PLAN, STATE];

/// What stands between the number of a user's message that stays visible and its first words.
pub(crate) const KEPT: &str = "] User (kept): ";
/// What stands between the number of a call that the user refused and what it was, with the words.
pub(crate) const REFUSING: &str = "] User, refusing ";
/// What stands between the number of the message behind which the user said something, while the model
/// worked, and the words.
pub(crate) const MEANWHILE: &str = "] User, meanwhile";
/// What stands behind the number of a user's message of which parts follow.
pub(crate) const PARTS: &str = " User, in parts:";
/// What stands behind the number of a message of the model that begins like one of the user's, and where no
/// line above says how the others are read.
pub(crate) const SAID: &str = " Assistant:";
/// What lines of talk begin with that are of nobody who has a name.
pub(crate) const SPEAKERS: [&str; 2] = ["User: ", "Assistant: "];
/// What stands behind the number of a plan that the user approved.
pub(crate) const APPROVED: &str = " Approved plan:";
/// What stands behind the number of what the model gave up when the user objected.
pub(crate) const AMENDED: &str = " Amended since:";
/// What stands behind the number of the newest request where parts of it follow.
pub(crate) const NEWEST: &str = " User, the newest request, in parts:";
/// All that stands between the number of a message and its words.
pub(crate) const OF_WORDS: &[&str] = &[NEWEST, PARTS, SUMMARY, APPROVED, AMENDED, SAID];
/// What is said of the user's messages that stand below a summary though they were sent before its end.
pub(crate) const OLDER: &str = "The user's messages below came before this";
pub(crate) const OLDER_BUT_NEWEST: &str =
    "The user's messages below came before this, all but the newest";
/// What stands before the last words of the model.
pub(crate) const LAST_WORDS: &str = "The assistant's last words";
/// What stands before the number of the message with those words and the files that were changed behind it.
pub(crate) const CHANGED_SINCE: &str = "Changed since ";
/// What stands before the last step.
pub(crate) const LAST_STEP: &str = "The last step";
/// What stands before the folder that a shell was sent to last.
pub(crate) const LAST_FOLDER: &str = "The last cd";
/// What all lines of where the work stands begin with that have a number.
pub(crate) const OF_STATE: &[&str] =
    &[LAST_WORDS, CHANGED_SINCE, LAST_STEP, LAST_FOLDER, LAST_COMMIT];
/// What stands between the last folder and the one that the session began in.
pub(crate) const BEGUN: &str = "; the session began in ";
/// What stands behind the label of something last where the work goes on in messages that stay visible.
pub(crate) const BEFORE: &str = " before the messages below";
/// What stands before the last checks.
pub(crate) const CHECKS: &str = "The last checks";
/// Stands for the lines of archives that have no room; like those it begins with `The messages `.
pub(crate) const OLDER_ARCHIVES: &str =
    "The messages before these are in files that the first archive below names.";
/// What stands before the last commit, and before the number of the message that pushed it, or that wanted to and
/// found nothing to push.
pub(crate) const LAST_COMMIT: &str = "The last commit";
pub(crate) const PUSHED: &str = ", pushed ";
pub(crate) const UP_TO_DATE: &str = ", nothing to push ";
/// What stands behind a check or a commit before a command that took the work to another state.
pub(crate) const MOVED: &str = ", then ";
/// What ends the part of a check that failed.
pub(crate) const NOT_RUN: &str = ", not run since";
/// What stands between a command or tool and its error.
pub(crate) const FAILED: &str = " failed: ";
/// What ends the line of a failure that was fixed.
pub(crate) const PASSED: &str = " → passed";
/// What ends the line of one that failed to the last.
pub(crate) const AGAIN: &str = " → failed again ";
/// What stands before the message that says of a failure that it was to be seen.
pub(crate) const WANTED: &str = " → as wanted ";
/// What stands between the last words that say something and the message that announces more.
pub(crate) const ANNOUNCED: &str = " … then ";
/// What ends the line of one behind which the same command failed of something else, and did so at last.
pub(crate) const OTHERWISE: &str = " → failed otherwise ";
pub(crate) const AT_LAST: &str = " → failed otherwise at last ";
/// What stands before the place of another failure that is the same.
pub(crate) const ALSO: &str = ", also [";
/// What stands before what the model said of a failure.
pub(crate) const DIAGNOSIS: &str = " → said ";
/// What stands before and behind the number of the request for which the model found what is wrong.
pub(crate) const FOUND_FOR: &str = "found for ";
pub(crate) const FOUND_END: &str = "]: ";

/// Whether the line of a failure tells what the model found, and no call.
pub(crate) fn is_found(line: &str) -> bool {
    line.split_once("] ").is_some_and(|(_, line)| line.starts_with(FOUND_FOR))
}

/// What stands before what the model said would mend it.
pub(crate) const PROPOSED: &str = " → proposed ";
/// What stands behind the number of another tool's summary.
pub(crate) const SUMMARY: &str = " Earlier summary:";
/// What stands behind the number of a result of which more stays visible, and of one whose call is not told of.
pub(crate) const CUT_RESULT: &str = "left out of a result";
pub(crate) const RESULT: &str = "a result";
/// What ends the heading of what a call said that failed, and of one whose command has passed since.
pub(crate) const HAS_FAILED: &str = " (failed)";
pub(crate) const WENT_WELL: &str = " (ok)";
pub(crate) const PASSED_SINCE: &str = " (failed, then passed)";

/// What stands between the records of a call.
pub(crate) const NEXT_RECORD: &str = "; ";

/// What stands between what was done and how it ended, and between what something was and what it is.
pub(crate) const ARROW: &str = " → ";

/// Whether words that stand behind `[n]` alone would read as another's: `User: do it`, `Asked: …`.
pub(crate) fn is_taken(words: &str) -> bool {
    const LABELS: &[&str] = &[
        "user:", "user,", "user (", "user typed:", "asked:", "assistant:", "approved plan:",
        "earlier summary:", "amended since:",
    ];
    LABELS
        .iter()
        .any(|label| words.get(..label.len()).is_some_and(|head| head.eq_ignore_ascii_case(label)))
}

/// What a line that tells the last folder says behind its label.
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
