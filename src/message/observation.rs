//! Messages in the user's role that are the output of a program.
//!
//! Responsible for recognising them where an agent and its tools talk in plain text: the model writes a call
//! into its text, in tags or a fenced block, and the output comes back as a user message. It goes by the
//! words that such agents put around the output and by the call before it, because a person may write the
//! same words. The user's first message is the task, whatever surrounds it.

use super::{Kind, Message, Origin, Role};
use crate::begins::begins_with_any;

/// Words that introduce an observation.
pub(crate) const OBSERVED: [&str; 2] = ["OBSERVATION:", "Observation:"];

/// The tags around each answer where one message holds several: those of Hermes, and of Claude.
pub(crate) const SEVERAL: [[&str; 2]; 2] =
    [["<tool_response>", "</tool_response>"], ["<function_results>", "</function_results>"]];

/// Marks in the model's text that show which kind of call it made.
const BLOCK: &[&str] = &["```", "<execute_"];
const ACTION: &[&str] = &["Action", "```", "<execute_"];
const TAGS: &[&str] = &["<tool_call>", "<function=", "<invoke "];
const KEYS: &[&str] = &["\"keystrokes\"", "\"commands\""];

/// How an answer that names no tool begins, and marks of which the call before it holds at least one: of
/// `mini-SWE-agent`, of SWE-agent and `CodeAct`, of `ReAct`, of Hermes and Claude, of Terminus, and of Cline.
const BEGINNINGS: &[(&str, &[&str])] = &[
    ("<returncode>", BLOCK),
    ("The last command <command>", BLOCK),
    (OBSERVED[0], BLOCK),
    (OBSERVED[1], ACTION),
    ("<observation>", ACTION),
    (SEVERAL[0][0], TAGS),
    (SEVERAL[1][0], TAGS),
    ("New Terminal Output:", KEYS),
    ("Current Terminal Screen:", KEYS),
    // The call before was missing, or there were several: any text may stand before these.
    ("Please always provide EXACTLY ONE action in triple backticks", &[""]),
    ("[ERROR] You did not use a tool in your previous response!", &[""]),
];

/// The text around the name of the tool: of OpenHands, and of Cline.
const EXECUTED: &str = "EXECUTION RESULT of [";
const BEHIND_TOOL: &str = "] Result:";

/// How an answer of SWE-agent ends, in JSON's escaped form.
const END: &str = r"\nbash-$";

/// Tools by which the model speaks to the user, each with the argument that holds the text. The user, not a
/// program, answers them. Of Cline, and of OpenHands.
const SPEAKING: [[&str; 2]; 5] = [
    ["attempt_completion", "result"],
    ["plan_mode_respond", "response"],
    ["act_mode_respond", "response"],
    ["ask_followup_question", "question"],
    ["finish", "message"],
];

/// The tags around the user's words in the answer to such a tool.
pub(crate) const FEEDBACK: [&str; 2] = ["<feedback>", "</feedback>"];
pub(crate) const USER_MESSAGE: [&str; 2] = ["<user_message>", "</user_message>"];
const WORDS: [[&str; 2]; 3] = [FEEDBACK, USER_MESSAGE, ["<answer>", "</answer>"]];

/// How an answer begins that says only that the user refused the call, and why.
pub(crate) const REFUSED: &str = "The user denied this operation";

/// The placeholder for a picture that the user sent along.
pub(crate) const PICTURE: &str = "[Image]";

/// Marks user messages behind the first request that are the output of a program.
pub(crate) fn mark_observations(messages: &mut [Message<'_>]) {
    let task = messages.iter().position(Message::is_request).unwrap_or(messages.len());
    // The index of the model's last message, as long as only answers follow it.
    let mut caller = None;
    for at in task..messages.len() {
        let message = &messages[at];
        if message.role == Role::Assistant {
            caller = (!message.has(Kind::ToolCall)).then_some(at);
        } else if message.is_request() && at > task {
            let is_answer = |caller: usize| is_answer(message, &messages[caller]);
            if !is_observation(message) || !caller.is_some_and(is_answer) {
                caller = None;
            } else if !is_said_by_user(message) {
                messages[at].origin = Origin::Injected;
            }
        }
    }
}

/// Whether `message`, which looks like an answer, answers a call in the text of `caller`.
fn is_answer(message: &Message<'_>, caller: &Message<'_>) -> bool {
    let (text, said) = (message.text(), caller.text());
    let holds = |call: &[&str]| call.iter().any(|mark| said.contains(mark));
    if let Some((tool, _)) = answered(&text) {
        let is_named = |before: &str| said.contains(&format!("{before}{tool}"));
        return ["<", "<function=", "<invoke name=\"", "\"name\": \"", "\"name\":\""]
            .into_iter()
            .any(is_named);
    }
    let begins = BEGINNINGS.iter().find(|(beginning, _)| text.trim_start().starts_with(beginning));
    holds(begins.map_or(BLOCK, |(_, call)| call))
}

/// Whether a message begins or ends like the output of a program.
pub(crate) fn is_observation(message: &Message<'_>) -> bool {
    let Some((_, part)) = message.parts_of(Kind::Text).next() else { return false };
    let ends = |body: &str| body.trim_end_matches('"').ends_with(END);
    if part.body.is_some_and(|body| ends(body.source())) {
        return true;
    }
    let beginnings = || BEGINNINGS.iter().map(|(beginning, _)| *beginning);
    if !part.may_begin_with(beginnings().chain(["[", EXECUTED])) {
        return false;
    }
    let opening = part.opening();
    let opening = opening.trim_start();
    beginnings().any(|beginning| opening.starts_with(beginning))
        || begins_with_any(opening, &["[", EXECUTED]) && answered(&part.text()).is_some()
}

/// Whether `message` answers a tool by which the model speaks, and holds the user's words.
pub(crate) fn is_said_by_user(message: &Message<'_>) -> bool {
    let text = message.text();
    answered(&text).is_some_and(|(tool, _)| speaks(tool).is_some())
        && words_of_user(&text).is_some()
}

/// The name of the argument that holds the text, if `tool` is one by which the model speaks to the user.
pub(crate) fn speaks(tool: &str) -> Option<&'static str> {
    SPEAKING.iter().find(|[name, _]| *name == tool).map(|[_, argument]| *argument)
}

/// The tool that an answer names, and the text behind it: `[read_file for 'src/a.rs'] Result:`.
pub(crate) fn answered(text: &str) -> Option<(&str, &str)> {
    let text = text.trim_start();
    if let Some(rest) = text.strip_prefix(EXECUTED) {
        return rest.split_once("]:");
    }
    let named = text.strip_prefix('[')?;
    let end = named.find(|c: char| !(c.is_ascii_alphanumeric() || c == '_'))?;
    let (tool, rest) = named.split_at(end);
    // The part behind the tool's name may span several lines.
    let about = [(" for '", "'"), ("(", ")"), ("]", "")].into_iter().find_map(|(open, close)| {
        rest.starts_with(open).then(|| rest.split_once(&[close, BEHIND_TOOL].concat()))?
    });
    // `[read_file for 3 files] Result:` and prose in brackets differ only in the name.
    let first = || rest.lines().next().unwrap_or_default().contains(BEHIND_TOOL);
    let named = || rest.split_once(BEHIND_TOOL).filter(|_| tool.contains('_') && first());
    let (_, says) = about.or_else(named)?;
    (!tool.is_empty()).then_some((tool, says))
}

/// The user's words in an answer, if it holds any.
pub(crate) fn words_of_user(answer: &str) -> Option<&str> {
    let between = |[open, close]: &[&str; 2]| answer.split_once(open)?.1.split_once(close);
    let words = WORDS.iter().find_map(between).map(|(words, _)| words.trim());
    words.filter(|words| !words.is_empty())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_answer_may_name_its_tool() {
        for (text, wanted) in [
            ("[read_file for 'a.rs'] Result:\n1", Some(("read_file", "\n1"))),
            ("[execute_command for 'cat <<E\n1\nE'] Result:\n1", Some(("execute_command", "\n1"))),
            ("[attempt_completion] Result:", Some(("attempt_completion", ""))),
            ("EXECUTION RESULT of [execute_bash]:\n1", Some(("execute_bash", "\n1"))),
            ("[note] Result:", Some(("note", ""))),
            ("[read_file for 3 files] Result:\n1", Some(("read_file", "\n1"))),
            ("[apply_diff for 'a.ts' and 1 more file] Result: 1", Some(("apply_diff", " 1"))),
            ("[switch_mode to 'code' because: it's time] Result:", Some(("switch_mode", ""))),
            ("[create_issue({\"a\":1})] Result: 1", Some(("create_issue", " 1"))),
            ("[see the note] Result:", None),
            ("[a link](b) Result:", None),
            ("[1] no", None),
        ] {
            assert_eq!(answered(text), wanted, "{text}");
        }
        assert_eq!(words_of_user("<feedback>\nshorter\n</feedback>"), Some("shorter"));
        assert_eq!(words_of_user("<answer>\n</answer>"), None);
    }
}
