//! What the user answered: a few words to a question.
//!
//! Responsible for putting such words beside what they were said to: `yes` decides nothing without
//! its question.

use std::collections::HashMap;
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

/// How many words an answer has at most that says little by itself, and nothing at all; and that need not
/// begin as one: more words may be about something else.
const FEW: usize = 7;
const TINY: usize = 5;
const TINIEST: usize = 2;

/// How much is told of an answer, and of what was typed behind a client's command, in bytes.
const ANSWER: usize = 80;
/// The same of each question of several that are told in a row.
const LISTED: usize = 80;
/// Of how many at most.
const MOST_LISTED: usize = 6;
const TYPED: usize = 600;

/// What stands between the number of a message and its question, and before the answer.
const ASKED: &str = "] Asked: ";
const ANSWERED: &str = "user: \"";

/// An answer as it is told.
pub(crate) struct Answer {
    /// The message that it is told under.
    pub(crate) message: usize,
    pub(crate) line: String,
    /// The same, with less of what was chosen between.
    pub(crate) short: String,
    /// What the line quotes of that message.
    pub(crate) told: Vec<Range<usize>>,
    /// How much the line adds to the answer's own words.
    pub(crate) adds: Adds,
}

/// How much a line adds to the words of an answer, the most first.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Adds {
    /// What was chosen, or what stands in no message of the user's.
    All,
    /// What a word or two were said to.
    Question,
    /// What something was said to that is understood without it.
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

/// The answer in a line of an earlier digest behind the number of its message, if it tells one.
pub(crate) fn answer_in(line: &str) -> Option<&str> {
    let (question, answer) = line.strip_prefix(ASKED)?.rsplit_once(ANSWERED)?;
    question.ends_with(ARROW).then(|| answer.strip_suffix('"'))?
}

/// Every answer, in order.
pub(crate) fn answers(known: &Known<'_>) -> Vec<Answer> {
    let request = known.request;
    let mut found = typed(request);
    found.extend(to_tools(known));
    let messages = &request.conversation.messages;
    let mut asked: Option<usize> = None;
    for (at, message) in messages.iter().enumerate() {
        if message.role == Role::Assistant {
            asked = request.summarised[at].then_some(at);
        } else if message.is_request() && (request.summarised[at] || request.shown[at]) {
            // Only the first words behind a question answer it.
            let is_command = typed::asked(&message.text()).is_some();
            let Some(asked) = asked.take().filter(|_| !is_command) else { continue };
            let (text, answer) = (messages[asked].text(), attached::said(message));
            if let Some(list) = listed(&text, &answer).filter(|_| request.shown[at]) {
                found.push(Answer::of(asked, list, &answer));
                continue;
            }
            let numbered = numbered(&text, &answer);
            let whole = if numbered.is_empty() { answered(&text, &answer) } else { None };
            found.extend(whole.map(|question| Answer::of(asked, question, &answer)));
            let parts = numbered.into_iter();
            found.extend(parts.map(|(question, answer)| Answer::of(asked, question, answer)));
        }
    }
    found.sort_by_key(|answer| answer.message);
    found
}

/// The question of a text, if an answer says little without it.
fn answered(text: &str, answer: &str) -> Option<Question> {
    questions::question(text, answer).filter(|question| accepts(answer) || question.is_chosen)
}

/// Whether a tool is one that asks the user.
pub(super) fn asks_the_user(tool: &str) -> bool {
    let tool = tool.to_ascii_lowercase();
    tool.contains("question")
        || tool.contains("user") && (tool.contains("ask") || tool.contains("input"))
}

/// What the user answered to tools that ask.
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

/// What a tool asks the user, on one line.
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

/// What a result says to one of the questions: `"question"="answer"` in a sentence, or JSON that names
/// the question by its words, its id or its place.
fn answer_to(asked: Json<'_>, at: usize, question: &str, result: &str) -> Option<String> {
    let quoted = format!("\"{question}\"=\"");
    if let Some((_, rest)) = result.split_once(&quoted) {
        // The next question begins behind a comma.
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

/// What the question said of the option that was chosen.
fn described(asked: Json<'_>, answer: &str) -> Option<Box<str>> {
    let options = asked.member("options")?;
    let chosen = options
        .objects()
        .find(|option| option.member("label").is_some_and(|label| label.says(answer)))?;
    let description = chosen.str_member("description").filter(|text| !text.trim().is_empty())?;
    Some(clip(&on_one_line(&description), questions::LONGEST))
}

/// The commands of its client that the user typed, which stand in no message of the user's.
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

/// Whether what a message says is such an answer: mostly it is longer.
pub(crate) fn accepts_in(message: &Message<'_>) -> bool {
    message.length() <= questions::LONGEST && accepts(&message.text())
}

/// Whether an answer is understood by what it was said to alone.
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

/// A line behind its number.
fn number(line: &str) -> Option<(&str, &str)> {
    let line = line.trim_start_matches(['*', ' ', '-']);
    let (number, words) = line.split_once(['.', ')'])?;
    (number.parse::<u8>().is_ok() && words.starts_with(' ')).then_some((number, words))
}

/// How many answers are read in a row.
const MOST_NUMBERED: usize = 20;

/// The numbered answers of a line: `1. yes 2. no`; the line itself where it has but one.
fn in_a_row(line: &str) -> Vec<&str> {
    let mut all = Vec::new();
    let (mut start, mut next) = (0, 2);
    while next <= MOST_NUMBERED
        && let Some(at) =
            [".", ")"].iter().find_map(|end| line[start..].find(&format!(" {next}{end} ")))
    {
        all.push(&line[start..start + at]);
        (start, next) = (start + at + 1, next + 1);
    }
    all.push(&line[start..]);
    if all.len() > 1 && number(all[0]).is_none() { vec![line] } else { all }
}

/// The lines of a text that ask something behind a number.
fn asked_by_number(text: &str) -> HashMap<&str, &str> {
    let asked = text.lines().filter(|line| line.contains(['?', '？']));
    asked.filter_map(|line| Some((number(line)?.0, line))).collect()
}

/// The numbered questions of a text that an answer which stays answers by their numbers: without them that says
/// nothing, and with one of them little.
fn listed(text: &str, answer: &str) -> Option<Question> {
    let asked = asked_by_number(text);
    let answers = answer.lines().flat_map(in_a_row).filter_map(number);
    let mut wanted: Vec<&str> =
        answers.filter_map(|(wanted, _)| asked.get(wanted).copied()).collect();
    wanted.dedup();
    let list = |most| {
        let lines = wanted.iter().map(|line| questions::plain(line, most));
        lines.collect::<Vec<_>>().join(" ")
    };
    let (line, short) = (list(LISTED), list(LISTED / 2));
    (2..=MOST_LISTED).contains(&wanted.len()).then(|| Question {
        line,
        short,
        told: Vec::new(),
        is_chosen: true,
    })
}

/// The numbered questions of a text that lines of an answer with the same numbers answer in a few
/// words, with these.
fn numbered<'a>(text: &str, answer: &'a str) -> Vec<(Question, &'a str)> {
    let lines = answer.lines().flat_map(in_a_row);
    let answers = lines.filter_map(number).filter(|(_, words)| is_short(words));
    let asked = asked_by_number(text);
    let questioned = answers.filter_map(|(wanted, words)| {
        let line = questions::plain(asked.get(wanted)?, questions::LONGEST);
        let question = Question { short: line.clone(), line, told: Vec::new(), is_chosen: false };
        Some((question, words.trim()))
    });
    questioned.collect()
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
    fn numbered_answers_stand_beside_their_questions() {
        let text = "Questions:\n1. **Old ones**: show them?\n2. How far back?\n3. Fold them?";
        let answer = "1. no\n2. as far as the log of the last release goes, and then two before it, all of it\n3) yes\n4. ok";
        let told = numbered(text, answer);
        let told: Vec<_> = told.iter().map(|(q, words)| (q.line.as_str(), *words)).collect();
        assert_eq!(told, [("1. Old ones: show them?", "no"), ("3. Fold them?", "yes")]);
        let told = numbered(text, "1. no 2. two weeks, no more 3. yes");
        let told: Vec<_> = told.iter().map(|(_, words)| *words).collect();
        assert_eq!(told, ["no", "two weeks, no more", "yes"]);
        assert_eq!(in_a_row("in 2. and 3. place"), ["in 2. and 3. place"]);
        let list = |answer| listed(text, answer).map(|list| list.line);
        let told = "1. Old ones: show them? 3. Fold them?";
        assert_eq!(
            list("1. no, only those of the last week, I think\n3. yes").as_deref(),
            Some(told)
        );
        assert_eq!(list("3. yes"), None);
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
