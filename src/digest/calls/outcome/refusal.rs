//! Calls that were kept from running by the user or by a rule.
//!
//! Responsible for the sentences with which agents answer such a call, and for the user's words in them. A file
//! or a log may speak of a refusal as well, so only whole sentences at the beginning of a result are recognised
//! by themselves.

use std::borrow::Cow;

use super::Unended;
use crate::begins::begins_with_any;
use crate::json::Json;
use crate::marks;
use crate::message::observation::{FEEDBACK, PICTURE, REFUSED};

/// What agents answer if the user refused the call, without the last full stop.
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

/// The beginning of a refusal that names what was refused, and what its first line says further on.
const BY_USER_OF: &[[&str; 2]] = &[
    ["exec_command failed", "rejected by user"],
    ["patch rejected: ", "rejected by user"],
    ["Claude requested permissions to ", "you haven't granted it yet"],
];

/// The beginning of a refusal by a rule instead of a person, and what its first line says further on.
const BY_RULE: &[[&str; 2]] = &[
    ["Permission to use ", " has been denied"],
    ["The user has specified a rule which prevents you from using ", ""],
    ["This command requires approval", ""],
    ["PreToolUse:", " hook error: "],
    ["Command blocked by policy", ""],
    ["approval policy is ", "; reject command"],
    ["Path ", " is blocked by policy"],
];

/// The most lines of a refusal by a rule.
const BRIEF: usize = 2;

/// What agents put before the words that say that a call failed.
const PREFIXES: &[&str] = &["Error calling tool: ", "Error: "];

/// Who kept a call from running, judged by the beginning of its result. `is_error` is the result's flag;
/// `may_be_refused` says whether nothing else contradicts a refusal.
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
    // A long text may merely mention a rule.
    let is_brief = head.lines().nth(BRIEF).is_none();
    if head.starts_with(DENIED) && head.contains(REFUSED) {
        return Some(Unended::Rejected);
    }
    // The flag decides first, because the user's words in a refusal may contain a count.
    let is_known = || is_error || may_be_refused();
    let says = is_sentence(text) || is_one_of(BY_USER_OF);
    if says && is_known() || is_error && tells_of_user(head) && may_be_refused() {
        return Some(Unended::Rejected);
    }
    (is_one_of(BY_RULE) && is_brief && is_known()).then_some(Unended::Denied)
}

/// Whether a text begins with a sentence that says that the user refused the call.
fn is_sentence(text: &str) -> bool {
    BY_USER.iter().any(|sentence| {
        let head = text.get(..sentence.len());
        head.is_some_and(|head| head.eq_ignore_ascii_case(sentence))
            && !text[sentence.len()..].starts_with(|c: char| c != '.' && c != '\n')
    })
}

/// Whether the answer to a failed call mentions a refusal by the user.
fn tells_of_user(text: &str) -> bool {
    const REFUSALS: &[&str] = &[
        "doesn't want to proceed", "doesn't want to take this action", "rejected by user",
        "rejected by the user", "user rejected",
    ];
    REFUSALS.iter().any(|words| text.contains(words))
}

/// What precedes the user's words in an answer that quotes them.
const SAID: &str = "the user said:";

/// The beginnings of answers that hold the user's words in a tag.
const ANSWERS: &[&str] = &[REFUSED, "The user approved this operation"];

/// The beginnings of records that hold the user's words in a member.
const RECORDS: &[&str] = &[DENIED, "{\"status\":\"approved\","];
const DENIED: &str = "{\"status\":\"denied\",";

/// Whether a result with this opening may quote the user, whatever its flag is.
pub(crate) fn may_quote_user(opening: &str) -> bool {
    begins_with_any(opening, ANSWERS) || begins_with_any(opening, RECORDS)
}

/// The user's words about a call, as its result quotes them. `is_error` is the result's flag.
pub(crate) fn said_by_user(text: &str, is_error: bool) -> Option<Cow<'_, str>> {
    if let Some(record) = record(text) {
        return record.str_member("feedback").filter(|words| !words.trim().is_empty());
    }
    if may_quote_user(text) {
        // At most pictures follow the words; a fetched page that begins alike goes on.
        let (_, words) = text.split_once("\n<feedback>\n")?;
        let (words, behind) = words.rsplit_once(FEEDBACK[1])?;
        let is_picture = |line: &str| line.trim().is_empty() || line == PICTURE;
        return behind.lines().all(is_picture).then(|| words.trim().into());
    }
    let (_, words) = text.split_once(SAID).or_else(|| behind_cut(text)).filter(|_| is_error)?;
    Some(words.into())
}

/// Splits a refusal that was cut where the user's words begin: the text before the cut and the text behind it.
fn behind_cut(text: &str) -> Option<(&str, &str)> {
    let (_, text) = marks::behind_cut_header(text)?;
    let cut = text.lines().find(|line| marks::truncated_in(line).is_some())?;
    text.split_once(cut).filter(|(before, _)| is_sentence(before))
}

/// Parses an answer of Roo to a native call, which holds the user's words in a member.
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
            "approval policy is Never; reject command — you should not ask for escalated permissions",
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
