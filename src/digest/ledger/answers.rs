//! Short answers of the user to questions of the model.
//!
//! Responsible for putting such an answer beside its question: `yes` decides nothing without it.

use std::ops::Range;

use crate::conversation::{Message, Origin, Role};
use crate::digest::Request;
use crate::digest::calls::{self, Call};
use crate::digest::known::Known;
use crate::digest::text::attached;
use crate::digest::text::labels::ARROW;
use crate::digest::text::prose;
use crate::digest::text::questions::{self, Question};
use crate::json::Json;
use crate::line::{clip, on_one_line};
use crate::message::typed;

/// An answer of at most this many words is short: it says little without its question.
const FEW: usize = 7;
/// An answer of at most this many words says nothing without its question.
const TINY: usize = 5;
/// An answer of at most this many words need not begin like one; a longer one may be about something else.
const TINIEST: usize = 2;

/// How much is told of an answer, in bytes.
const ANSWER: usize = 80;
/// How much is told of a command that the user typed into the client, in bytes.
const TYPED: usize = 600;

/// The text between the number of a message and its question.
const ASKED: &str = "] Asked: ";
/// The text between the question and the answer.
const ANSWERED: &str = "user: \"";

/// An answer with its question, ready to be written.
pub(crate) struct Answer {
    /// The message whose number the line begins with.
    pub(crate) message: usize,
    pub(crate) line: String,
    /// The line with a shorter question or choice.
    pub(crate) short: String,
    /// The ranges of that message which the line quotes.
    pub(crate) told: Vec<Range<usize>>,
    /// How much the line adds to the bare words of the answer.
    pub(crate) adds: Adds,
}

/// How much a line adds to the words of an answer, from most to least.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Adds {
    /// The answer is a choice, or it stands in no message of the user's.
    All,
    /// The answer has few words and means nothing without its question.
    Question,
    /// The answer is understood by itself; the line adds what it was said to.
    Occasion,
}

impl Answer {
    fn of(message: usize, question: Question, answer: &str) -> Self {
        let most = if question.is_chosen { ANSWER / 2 } else { ANSWER };
        let answer = clip(&on_one_line(answer), most);
        let line = |question| format!("[{message}{ASKED}{question}{ARROW}{ANSWERED}{answer}\"");
        let adds = match answer.split_whitespace().nth(TINY) {
            _ if question.is_chosen => Adds::All,
            None => Adds::Question,
            Some(_) => Adds::Occasion,
        };
        let (line, short) = (line(question.line), line(question.short));
        Self { message, line, short, told: question.told, adds }
    }
}

/// The answer in a line of an earlier digest, given the line from after the number of its message; `None`
/// if the line tells no answer.
pub(crate) fn answer_in(line: &str) -> Option<&str> {
    let (question, answer) = line.strip_prefix(ASKED)?.rsplit_once(ANSWERED)?;
    question.ends_with(ARROW).then(|| answer.strip_suffix('"'))?
}

/// Returns every answer, in the order of the messages.
pub(crate) fn answers(known: &Known<'_>) -> Vec<Answer> {
    let request = known.request;
    let mut found = in_no_message(known);
    let messages = &request.conversation.messages;
    let mut asked: Option<usize> = None;
    for (at, message) in messages.iter().enumerate() {
        if message.role == Role::Assistant {
            asked = request.summarised[at].then_some(at);
        } else if message.is_request() && (request.summarised[at] || request.shown[at]) {
            // Only the first request after a question answers it.
            let is_command = typed::asked(&message.text()).is_some();
            let Some(asked) = asked.take().filter(|_| !is_command) else { continue };
            let (text, answer) = (messages[asked].text(), attached::said(message));
            let replies = replies(asked, &text, &answer);
            let question = replies.is_empty().then(|| answered(&text, &answer)).flatten();
            found.extend(replies);
            found.extend(question.map(|question| Answer::of(asked, question, &answer)));
        }
    }
    found.sort_by_key(|answer| answer.message);
    found
}

/// The short replies of an answer to several questions, each with its own. Empty unless every one has a question
/// and one of them begins like an answer: a list may be of something else.
fn replies(message: usize, text: &str, answer: &str) -> Vec<Answer> {
    let replies = questions::replies(answer);
    let asked: Option<Vec<_>> =
        replies.iter().map(|(number, _)| questions::numbered(text, number)).collect();
    let asked = asked.filter(|_| replies.iter().any(|(_, reply)| prose::answers(reply)));
    let pairs = asked.unwrap_or_default().into_iter().zip(replies);
    let short = pairs.filter(|(_, (_, reply))| accepts(reply));
    short.map(|(question, (_, reply))| Answer::of(message, question, reply)).collect()
}

/// The question in a text, if the answer needs it to be understood.
fn answered(text: &str, answer: &str) -> Option<Question> {
    questions::question(text, answer).filter(|question| accepts(answer) || question.is_chosen)
}

/// Whether a tool is one that asks the user a question.
pub(crate) fn asks_the_user(tool: &str) -> bool {
    let tool = tool.to_ascii_lowercase();
    tool.contains("question")
        || tool.contains("user") && (tool.contains("ask") || tool.contains("input"))
}

/// What the user typed into the client, and answered to tools that ask: it stands in no message of the user's.
pub(crate) fn in_no_message(known: &Known<'_>) -> Vec<Answer> {
    let mut found = typed(known.request);
    found.extend(to_tools(known));
    found
}

/// The answers that the user gave to tools that ask.
fn to_tools(known: &Known<'_>) -> Vec<Answer> {
    let Known { request, calls: all, .. } = *known;
    let mut found = Vec::new();
    for call in all.iter().filter(|call| asks_the_user(&call.tool) && call.outcome.went_well()) {
        let Some(result) = call.result else { continue };
        let part = request.conversation.part(call.place);
        calls::with_arguments(part, |arguments| {
            let result = calls::result_text(request.conversation, result);
            let asked = arguments.member("questions").into_iter().flat_map(Json::objects);
            for (at, asked) in asked.enumerate() {
                let told = asked.str_member("question").and_then(|question| {
                    let answer = answer_to(asked, at, &question, &result)?;
                    let line = match described(asked, &answer) {
                        Some(why) => format!("{} ({answer}: {})", on_one_line(&question), why),
                        None => on_one_line(&question),
                    };
                    let question =
                        Question { short: line.clone(), line, told: Vec::new(), is_chosen: true };
                    Some(Answer::of(call.place.0, question, &answer))
                });
                found.extend(told);
            }
        });
    }
    found
}

/// The questions that a call asks the user, on one line; `None` if it asks none.
pub(super) fn questions_of(request: &Request<'_, '_>, call: &Call) -> Option<String> {
    let part = request.conversation.part(call.place);
    let questions = |arguments: Json<'_>| {
        let asked = arguments.member("questions").into_iter().flat_map(Json::objects);
        let asked = asked.filter_map(|asked| asked.str_member("question"));
        asked.map(|question| on_one_line(&question)).collect::<Vec<_>>().join(" ")
    };
    let asked = asks_the_user(&call.tool).then(|| calls::with_arguments(part, questions));
    let asked = asked.flatten().filter(|asked| !asked.is_empty())?;
    Some(clip(&asked, questions::LONGEST).into())
}

/// The answer in a tool result to one of its questions. The result is either a sentence with
/// `"question"="answer"`, or JSON that names the question by its text, its id or its index.
fn answer_to(asked: Json<'_>, at: usize, question: &str, result: &str) -> Option<String> {
    let quoted = format!("\"{question}\"=\"");
    if let Some((_, rest)) = result.split_once(&quoted) {
        // The next `"question"="answer"` follows after a comma.
        let own = rest.split_once("\"=\"").map_or(rest, |(own, _)| own);
        let own = own
            .rsplit_once("\", \"")
            .filter(|_| own.len() < rest.len())
            .map_or(own, |(own, _)| own);
        let answer = if own.len() < rest.len() { own } else { own.rsplit_once('"')?.0 };
        return Some(answer.to_owned()).filter(|answer| !answer.trim().is_empty());
    }
    let answers = Json::parse(result)?.member("answers")?;
    let id = asked.str_member("id");
    let names = [Some(question.into()), id, Some(at.to_string().into())];
    let answer = names.into_iter().flatten().find_map(|name| answers.member(&name))?;
    let texts = [answer, answer.member("answers").unwrap_or(answer)];
    texts.into_iter().find_map(|json| {
        let words: Vec<_> =
            json.text().into_iter().chain(json.items().filter_map(Json::text)).collect();
        (!words.concat().trim().is_empty()).then(|| words.join(", "))
    })
}

/// The description of the option that was chosen.
fn described(asked: Json<'_>, answer: &str) -> Option<Box<str>> {
    let options = asked.member("options")?;
    let chosen = options
        .objects()
        .find(|option| option.member("label").is_some_and(|label| label.says(answer)))?;
    let description = chosen.str_member("description").filter(|text| !text.trim().is_empty())?;
    Some(clip(&on_one_line(&description), questions::LONGEST))
}

/// The commands that the user typed into the client, which stand in no message of the user's.
fn typed(request: &Request<'_, '_>) -> Vec<Answer> {
    let messages = &request.conversation.messages;
    let typed = (0..messages.len()).filter(|&at| request.summarised[at]).filter_map(|at| {
        let message = &messages[at];
        if message.role != Role::User || message.origin != Origin::Injected {
            return None;
        }
        let line = format!(
            "[{at}] User typed: {}",
            clip(&on_one_line(&typed::asked(&message.text())?), TYPED)
        );
        let (short, told) = (line.clone(), Vec::new());
        Some(Answer { message: at, short, line, told, adds: Adds::All })
    });
    typed.collect()
}

/// Whether a message is such an answer. The length is tested first: most messages are longer.
pub(crate) fn accepts_in(message: &Message<'_>) -> bool {
    message.length() <= questions::LONGEST && accepts(&message.text())
}

/// Whether an answer is only understood with its question.
fn accepts(answer: &str) -> bool {
    let is_tiny = answer.split_whitespace().nth(TINIEST).is_none();
    let is_number = answer.starts_with(|c: char| c.is_ascii_digit());
    is_short(answer)
        && !answer.trim_end().ends_with(['?', '？'])
        && (is_tiny || is_number || prose::answers(answer))
}

fn is_short(answer: &str) -> bool {
    answer.split_whitespace().nth(FEW).is_none() && answer.len() <= questions::LONGEST
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_few_words_need_not_be_an_answer() {
        for answer in [
            "yes, do 1", "yeah let's do length only", "2 please, and then the rest", "length only",
            "好的",
        ] {
            assert!(accepts(answer), "{answer}");
        }
        for remark in [
            "we have an import cycle now", "another one, longer", "I see it in the log", "yes?",
            "jesus, everything works",
        ] {
            assert!(!accepts(remark), "{remark}");
        }
    }

    #[test]
    fn a_tool_that_asks_is_answered_in_words_or_in_json() {
        let asked = r#"{"id":"oil","question":"Which oil?","options":[{"label":"Colza","description":"burns long"}]}"#;
        let asked = Json::parse(asked).unwrap();
        let said =
            "User has answered: \"Which lamp?\"=\"the old one\", \"Which oil?\"=\"Colza\". Go on.";
        let by_id = r#"{"answers":{"oil":{"answers":["Colza"]}}}"#;
        let by_place = r#"{"answers":{"1":"Colza"}}"#;
        for result in [said, by_id, by_place] {
            assert_eq!(
                answer_to(asked, 1, "Which oil?", result).as_deref(),
                Some("Colza"),
                "{result}"
            );
        }
        assert_eq!(answer_to(asked, 1, "Which oil?", "none"), None);
        assert_eq!(described(asked, "Colza").as_deref(), Some("burns long"));
    }
}
