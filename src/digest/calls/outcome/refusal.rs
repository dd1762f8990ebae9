//! A call that was kept from running: the user did not let it happen, or a rule did not.
//!
//! Responsible for the sentences with which agents answer for such a call, and for the user's words among them.
//! A file or a log may speak of a refusal as well: only whole sentences at the beginning of a result are known by
//! themselves.

use std::borrow::Cow;

use super::Unended;
use crate::begins::begins_with_any;
use crate::json::Json;
use crate::marks;
use crate::message::observation::{FEEDBACK, PICTURE, REFUSED};

/// What an agent says whose user refused the call, without its last full stop.
const BY_USER: &[&str] = &[
    "the user doesn't want to proceed with this tool use",
    "the user doesn't want to take this action right now",
    "the user rejected permission to use this tool",
    "the user rejected permission to use this specific tool call",
    "the user rejected this tool call",
    "the user rejected the edit",
    "the user cancelled the tool call",
    "the user chose to skip the command",
    "the user denied this operation",
    "the user denied this operation and provided the following feedback:",
    "the user has declined to run this tool",
    "user rejected tool use",
    "user rejected the command",
    "exec command rejected by user",
    "patch rejected by user",
    "rejected by user",
    "tool use was rejected by the user",
    "tool use was cancelled by the user",
    "[operation cancelled] reason: user did not allow tool call",
    "[operation cancelled] reason: user denied execution",
];

/// How a refusal begins that names what it is of, and what its first line says further on.
const BY_USER_OF: &[[&str; 2]] = &[
    ["exec_command failed", "rejected by user"],
    ["patch rejected: ", "rejected by user"],
    ["Claude requested permissions to ", "you haven't granted it yet"],
];

/// The same, where a rule and no person refused.
const BY_RULE: &[[&str; 2]] = &[
    ["Permission to use ", " has been denied"],
    ["The user has specified a rule which prevents you from using ", ""],
    ["This command requires approval", ""],
    ["PreToolUse:", " hook error: "],
    ["Command blocked by policy", ""],
    ["Path ", " is blocked by policy"],
];

/// How many lines a rule says at most in refusing.
const BRIEF: usize = 2;

/// What stands before the words in which an agent says that a call failed.
const PREFIXES: &[&str] = &["Error calling tool: ", "Error: "];

/// Who kept a call from running, by the beginning of its result; `is_error` is what the result's flag says, and
/// `may_be_refused` whether nothing else speaks against it.
pub(super) fn refused(
    head: &str,
    is_error: bool,
    may_be_refused: impl Fn() -> bool,
) -> Option<Unended> {
    let text = PREFIXES.iter().find_map(|prefix| head.strip_prefix(prefix)).unwrap_or(head);
    let first = text.lines().next().unwrap_or_default();
    let is_one_of = |all: &[[&str; 2]]| {
        all.iter().any(|[begin, within]| {
            first.strip_prefix(begin).is_some_and(|rest| rest.contains(within))
        })
    };
    // What shows something may speak of a rule, at length.
    let is_brief = head.lines().nth(BRIEF).is_none();
    if head.starts_with(DENIED) && head.contains(REFUSED) {
        return Some(Unended::Rejected);
    }
    // What the user said in refusing may count something.
    let is_known = || is_error || may_be_refused();
    let says = is_sentence(text) || is_one_of(BY_USER_OF);
    if says && is_known() || is_error && tells_of_user(head) && may_be_refused() {
        return Some(Unended::Rejected);
    }
    (is_one_of(BY_RULE) && is_brief && is_known()).then_some(Unended::Denied)
}

/// Whether a text begins with a sentence by which an agent says that the user refused the call.
fn is_sentence(text: &str) -> bool {
    BY_USER.iter().any(|sentence| {
        let head = text.get(..sentence.len());
        head.is_some_and(|head| head.eq_ignore_ascii_case(sentence))
            && !text[sentence.len()..].starts_with(|c: char| c != '.' && c != '\n')
    })
}

/// Whether what a failed call answers speaks of such a refusal.
fn tells_of_user(text: &str) -> bool {
    const REFUSALS: &[&str] = &[
        "doesn't want to proceed", "doesn't want to take this action", "rejected by user",
        "rejected by the user", "user rejected",
    ];
    REFUSALS.iter().any(|words| text.contains(words))
}

/// What stands before the user's words in an answer that quotes them.
const SAID: &str = "the user said:";

/// What an answer begins with that has the user's words in a tag.
const ANSWERS: &[&str] = &[REFUSED, "The user approved this operation"];

/// The same of a record.
const RECORDS: &[&str] = &[DENIED, "{\"status\":\"approved\","];
const DENIED: &str = "{\"status\":\"denied\",";

/// Whether a result that begins so may quote the user, whatever its flag says.
pub(crate) fn may_quote_user(opening: &str) -> bool {
    begins_with_any(opening, ANSWERS) || begins_with_any(opening, RECORDS)
}

/// What the user said to a call, as its result quotes it; `is_error` is what the result's flag says.
pub(crate) fn said_by_user(text: &str, is_error: bool) -> Option<Cow<'_, str>> {
    if let Some(record) = record(text) {
        return record.str_member("feedback").filter(|words| !words.trim().is_empty());
    }
    if may_quote_user(text) {
        // Behind the words stand pictures at most: a page that was fetched may begin alike.
        let (_, words) = text.split_once("\n<feedback>\n")?;
        let (words, behind) = words.rsplit_once(FEEDBACK[1])?;
        let is_picture = |line: &str| line.trim().is_empty() || line == PICTURE;
        return behind.lines().all(is_picture).then(|| words.trim().into());
    }
    let (_, words) = text.split_once(SAID).or_else(|| behind_cut(text)).filter(|_| is_error)?;
    Some(words.into())
}

/// A refusal that was cut where the user's words begin: what stands before the cut and behind it.
fn behind_cut(text: &str) -> Option<(&str, &str)> {
    let (_, text) = marks::behind_cut_header(text)?;
    let cut = text.lines().find(|line| marks::truncated_in(line).is_some())?;
    text.split_once(cut).filter(|(before, _)| is_sentence(before))
}

/// An answer of Roo's as it gives them to native calls, in which the user's words are a member.
fn record(text: &str) -> Option<Json<'_>> {
    if !begins_with_any(text, RECORDS) {
        return None;
    }
    let record = Json::parse(text.trim())?;
    let says = |message: &str| ANSWERS.iter().any(|answer| message.starts_with(answer));
    record.str_member("message").filter(|message| says(message)).map(|_| record)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_the_user_said_is_known_behind_a_cut() {
        let begin =
            "The user doesn't want to proceed with this tool use. The tool use was rejected";
        let whole = format!("{begin}. To tell you how to proceed, the user said:\nNo, by hand.");
        let cut = format!("Total output lines: 2\n{begin}\n…22 tokens truncated…\nNo, by hand.");
        for text in [&whole, &cut] {
            assert_eq!(said_by_user(text, true).as_deref().map(str::trim), Some("No, by hand."));
        }
        assert_eq!(said_by_user("Total output lines: 2\nx\n…22 tokens truncated…\ny", true), None);
    }

    #[test]
    fn knows_who_refused() {
        let who = |text: &str| refused(text, false, || true);
        for text in [
            "The user denied this operation.",
            "The user denied this operation and provided the following feedback:\n<feedback>\nno\n</feedback>",
            "Error calling tool: The user rejected the edit.",
            "The user has declined to run this tool. DO NOT attempt to call this tool again.",
            "exec_command failed: CreateProcess { message: \"Rejected(\\\"rejected by user\\\")\" }",
            "patch rejected: writing outside of the project; rejected by user approval settings",
            "Claude requested permissions to use Bash, but you haven't granted it yet.",
        ] {
            assert_eq!(who(text), Some(Unended::Rejected), "{text}");
        }
        for text in [
            "Permission to use Bash with command git push has been denied.",
            "PreToolUse:Bash hook error: [python check.py]: blocked",
            "Path /w/src/q.ts is blocked by policy",
            "This command requires approval",
        ] {
            assert_eq!(who(text), Some(Unended::Denied), "{text}");
        }
        for text in [
            "The user denied this operation was ever theirs",
            "Permission to use the road",
            "log: The user denied this operation.",
            "Path a is free",
        ] {
            assert_eq!(who(text), None, "{text}");
        }
    }

    #[test]
    fn a_refusal_may_quote_the_user() {
        let text = "The user denied this operation and provided the following feedback:\n<feedback>\nput it in lib\n</feedback>";
        assert_eq!(said_by_user(text, false).as_deref(), Some("put it in lib"));
        assert_eq!(
            said_by_user(&format!("{text}\n[Image]\n[Image]"), false).as_deref(),
            Some("put it in lib")
        );
        assert_eq!(said_by_user(&format!("{text} and more"), false), None);
        assert_eq!(said_by_user("No. the user said:\nlater", true).as_deref(), Some("\nlater"));
        assert_eq!(said_by_user("No. the user said:\nlater", false), None);
        assert_eq!(said_by_user("The user denied this operation.", false), None);
    }

    #[test]
    fn a_record_may_quote_the_user() {
        let record = r#"{"status":"denied","message":"The user denied this operation and provided the following feedback","feedback":"use \"tabs\""}"#;
        assert_eq!(refused(record, false, || false), Some(Unended::Rejected));
        assert_eq!(said_by_user(record, false).as_deref(), Some("use \"tabs\""));
        let approved = record.replace("denied", "approved");
        assert_eq!(refused(&approved, false, || true), None);
        assert_eq!(said_by_user(&approved, false).as_deref(), Some("use \"tabs\""));
        assert_eq!(said_by_user(r#"{"status":"denied","feedback":"1"}"#, false), None);
    }
}
