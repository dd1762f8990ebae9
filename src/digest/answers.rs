//! What the user answered: a few words to a question, or a refusal of a call.
//!
//! Responsible for putting such words beside what they were said to: `yes` decides nothing without
//! its question, and what a user says in refusing a call stands in no message of the user's.

use std::ops::Range;

use super::calls::{self, Call};
use super::ledger::Ledger;
use super::{Request, commands, units};
use crate::conversation::{Origin, Role};
use crate::line::{clip, on_one_line};

/// How many words an answer has at most that says nothing by itself.
const FEW: usize = 5;

/// How many sentences stand behind a question at most that is answered.
const BEHIND: usize = 2;

/// How much of a question or of an option is told, and of what was said to a refusal, in bytes.
const QUESTION: usize = 160;
const REFUSAL: usize = 600;

/// What stands before the words of a user who refused a call.
const SAID: &str = "the user said:";

/// An answer as it is told.
pub(super) struct Answer {
    /// The message that it is told under.
    pub(super) message: usize,
    pub(super) line: String,
    /// What the line quotes of that message.
    pub(super) told: Vec<Range<usize>>,
}

/// Every answer, in order.
pub(super) fn answers(request: &Request<'_, '_>, all: &[Call], ledger: &Ledger) -> Vec<Answer> {
    let mut found = refusals(request, all, ledger);
    found.extend(typed(request));
    let messages = &request.conversation.messages;
    let mut asked: Option<usize> = None;
    for (at, message) in messages.iter().enumerate() {
        if message.role == Role::Assistant {
            asked = request.summarised[at].then_some(at);
        } else if message.is_request() && (request.summarised[at] || request.shown[at]) {
            // Only the first words behind a question answer it.
            let Some(asked) = asked.take() else { continue };
            let (text, answer) = (messages[asked].text(), message.text());
            let mut tell = |question: &str, answer: &str, told: Vec<Range<usize>>| {
                let line = format!("[{asked}] Asked: {question} → user: \"{answer}\"");
                found.push(Answer { message: asked, line, told });
            };
            if is_short(&answer) && !answer.trim_end().ends_with(['?', '？']) {
                let answer = on_one_line(&answer);
                if let Some((question, told)) = question(&text, &answer) {
                    tell(&question, &answer, told);
                }
            } else {
                numbered(&text, &answer)
                    .for_each(|(question, answer)| tell(&question, answer, Vec::new()));
            }
        }
    }
    found.sort_by_key(|answer| answer.message);
    found
}

/// What the user refused, and said to it.
fn refusals(request: &Request<'_, '_>, all: &[Call], ledger: &Ledger) -> Vec<Answer> {
    let refused = all.iter().filter(|call| call.outcome.is_rejected());
    let tell = |call: &Call| {
        let text = calls::result_text(request.conversation, call.result?);
        let (_, words) = text.split_once(SAID)?;
        let words = words.trim();
        let command =
            call.command.as_deref().map(|command| format!("`{}`", commands::named(command)));
        let file =
            || call.touches.first().map(|touch| ledger.paths.relative(&touch.path).into_owned());
        let what = format!("{} {}", call.tool, command.or_else(file).unwrap_or_default());
        let line = format!(
            "[{}] User, refusing {}: \"{}\"",
            call.place.0,
            what.trim_end(),
            on_one_line(&clip(words, REFUSAL))
        );
        let message = call.place.0;
        (!words.is_empty()).then_some(Answer { message, line, told: Vec::new() })
    };
    refused.filter_map(tell).collect()
}

/// Commands of a client that only concern the client itself.
const OWN: &[&str] = &[
    "clear",
    "compact",
    "model",
    "exit",
    "quit",
    "login",
    "logout",
    "cost",
    "help",
    "context",
    "status",
    "resume",
    "config",
    "mcp",
    "permissions",
    "memory",
    "doctor",
    "usage",
    "ide",
    "vim",
    "theme",
    "export",
    "rename",
    "hooks",
    "agents",
    "plugin",
];

/// The commands of its client that the user typed, which stand in no message of the user's.
fn typed(request: &Request<'_, '_>) -> Vec<Answer> {
    let messages = &request.conversation.messages;
    let typed = (0..messages.len()).filter(|&at| request.summarised[at]).filter_map(|at| {
        let message = &messages[at];
        if message.role != Role::User || message.origin != Origin::Injected {
            return None;
        }
        let text = message.text();
        let name = between(&text, "<command-name>", "</command-name>")?.trim();
        let own = name.trim_start_matches('/');
        let arguments = between(&text, "<command-args>", "</command-args>").unwrap_or("");
        let (name, arguments) = (clip(&on_one_line(name), QUESTION), on_one_line(arguments));
        let line = format!("[{at}] User typed: {name} {}", clip(&arguments, REFUSAL));
        let line = line.trim_end().to_owned();
        (!OWN.contains(&own)).then_some(Answer { message: at, line, told: Vec::new() })
    });
    typed.collect()
}

fn between<'t>(text: &'t str, from: &str, to: &str) -> Option<&'t str> {
    text.split_once(from)?.1.split_once(to).map(|(inner, _)| inner)
}

fn is_short(answer: &str) -> bool {
    answer.split_whitespace().nth(FEW).is_none() && answer.len() <= QUESTION
}

/// A line behind its number.
fn number(line: &str) -> Option<(&str, &str)> {
    let line = line.trim_start_matches(['*', ' ', '-']);
    line.split_once(['.', ')']).filter(|(number, _)| number.parse::<u8>().is_ok())
}

/// The numbered questions of a text that lines of an answer with the same numbers answer in a few
/// words, with these.
fn numbered<'a>(text: &'a str, answer: &'a str) -> impl Iterator<Item = (Box<str>, &'a str)> {
    answer.lines().filter_map(number).filter(|(_, words)| is_short(words)).filter_map(
        move |(wanted, words)| {
            let is_asked = |line: &&str| {
                line.contains(['?', '？']) && number(line).is_some_and(|(found, _)| found == wanted)
            };
            let question = text.lines().rfind(is_asked)?;
            Some((clip(question.trim(), QUESTION), words.trim()))
        },
    )
}

/// The last question of a text, and the option that an answer of one letter or number names; with
/// where they stand.
fn question(text: &str, answer: &str) -> Option<(String, Vec<Range<usize>>)> {
    let (mut last, mut option) = (None, None);
    let mut behind = 0;
    let choice: String = answer.chars().take_while(|c| c.is_alphanumeric()).collect();
    units::sentences(text, |sentence| {
        let line = &text[sentence.range.clone()];
        behind += 1;
        if line.ends_with(['?', '？']) {
            last = Some(sentence.range.clone());
            behind = 0;
        }
        let bare = line.trim_start_matches(|c: char| !c.is_alphanumeric());
        let named = bare.get(..choice.len()).filter(|head| head.eq_ignore_ascii_case(&choice));
        if choice.chars().count() == 1
            && named.is_some()
            && bare[choice.len()..].starts_with(['.', ')', ':', '*', ' '])
        {
            option = Some(sentence.range);
        }
    });
    // What was asked in passing is not answered.
    let last = last.filter(|_| behind <= BEHIND);
    let told = [&last, &option].into_iter().flatten().cloned().collect();
    let words = |range: Range<usize>| clip(units::without_marks(&text[range]), QUESTION);
    let line = match (last.map(words), option.map(words)) {
        (Some(last), Some(option)) => format!("{last} ({option})"),
        (last, option) => last.or(option)?.into(),
    };
    Some((line, told))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_answer_stands_beside_its_question() {
        let text =
            "Two ways:\n- **A.** At commit time\n- **B.** At push time\nWhich one do you want?";
        let asked = |text, answer| question(text, answer).map(|(question, _)| question);
        assert_eq!(
            asked(text, "b.").as_deref(),
            Some("Which one do you want? (**B.** At push time)")
        );
        assert_eq!(asked(text, "yes").as_deref(), Some("Which one do you want?"));
        assert_eq!(asked("It is done.", "thanks"), None);
        assert_eq!(asked("Why? It was late. The lamp was lit. It went out.", "again"), None);
        let text = "Questions:\n1. **Old ones**: show them?\n2. How far back?\n3. Fold them?";
        let answer = "1. no\n2. as far as the log of the last release goes\n3) yes\n4. ok";
        let told: Vec<_> = numbered(text, answer).collect();
        assert_eq!(
            told,
            [("1. **Old ones**: show them?".into(), "no"), ("3. Fold them?".into(), "yes")]
        );
    }
}
