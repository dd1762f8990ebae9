//! Questions of the model, and the option that an answer names.
//!
//! Responsible for finding the question in a message and the option that is all of an answer: `B` says nothing
//! without it. It relies on how models write options down: one per line, with a letter or a number before it.

use std::ops::Range;

use super::units;
use crate::line::{clip, leaves_open, on_one_line};

/// How many sentences may follow a question that is answered.
const BEHIND: usize = 2;

/// A question of at most this many words, such as `OK?`, is told with the sentence before it.
const BARE: usize = 2;

/// How much of a question or of the chosen option is told, in bytes.
pub(crate) const LONGEST: usize = 160;
/// How much of the chosen option is told where there is little room, in bytes.
const SHORT: usize = 80;

/// A question and the option that answers it, on one line, with the places of both in the text.
pub(crate) struct Question {
    pub(crate) line: String,
    /// The line with only the beginning of the chosen option.
    pub(crate) short: String,
    pub(crate) told: Vec<Range<usize>>,
    /// Whether the answer names an option.
    pub(crate) is_chosen: bool,
}

/// The question that an answer belongs to: the last before the option that it names, else the last of the text.
/// `None` if the text asks nothing, or only in passing.
pub(crate) fn question(text: &str, answer: &str) -> Option<Question> {
    let option = option(text, answer);
    let first = option.as_ref().map_or(text.len(), |option| option.start);
    let (mut before, mut last, mut behind, mut above) = (None, None, 0, None);
    units::sentences(text, |sentence| {
        behind += 1;
        let words = &text[sentence.range.clone()];
        // Within code the mark is an operator.
        if words.ends_with(['?', '？']) && !leaves_open(words, '`') {
            let slot = if sentence.range.end <= first { &mut before } else { &mut last };
            // Consecutive questions are asked together.
            let start = slot.take().map(|range: Range<usize>| range.start);
            let start = start.filter(|_| behind == 1);
            let is_bare = !sentence.starts_line && words.split_whitespace().nth(BARE).is_none();
            let start = start.or(above.filter(|_| is_bare));
            let start = start.filter(|start| sentence.range.end - start <= LONGEST);
            *slot = Some(start.unwrap_or(sentence.range.start)..sentence.range.end);
            behind = 0;
        }
        above = Some(sentence.range.start);
    });
    let asked = before.or(last).filter(|_| behind <= BEHIND || option.is_some());
    let told: Vec<Range<usize>> = asked.iter().chain(&option).cloned().collect();
    let is_chosen = option.is_some();
    let line = |most| {
        let chosen = option.clone().map(|range| plain(&text[range], most));
        match (asked.clone().map(|range| plain(&text[range], LONGEST)), chosen) {
            (Some(asked), Some(chosen)) => format!("{asked} ({chosen})"),
            (asked, chosen) => asked.or(chosen).unwrap_or_default(),
        }
    };
    let (line, short) = (line(LONGEST), line(SHORT));
    (!told.is_empty()).then_some(Question { line, short, told, is_chosen })
}

/// The line of the option that is all of an answer: `B`, `option 2`. `None` if several lines have that name.
fn option(text: &str, answer: &str) -> Option<Range<usize>> {
    let name = answer.trim_matches(|c: char| !c.is_alphanumeric());
    let head = name.get(..7).filter(|head| head.eq_ignore_ascii_case("option "));
    let name = head.map_or(name, |head| &name[head.len()..]);
    let mut start = 0;
    let lines = text.split_inclusive('\n').map(|line| {
        start += line.len();
        (start - line.len()..start - line.len() + line.trim_end().len(), line)
    });
    let mut own =
        lines.filter(|(_, line)| name_of(line).is_some_and(|it| it.eq_ignore_ascii_case(name)));
    match own.next() {
        Some((first, _)) => own.next().is_none().then_some(first),
        None => option_within(text, name),
    }
}

/// The option with this name among those of one line: `A) a view B) a hash`. `None` if it has that name alone, or
/// if several have it.
fn option_within(text: &str, name: &str) -> Option<Range<usize>> {
    let (mut own, mut end_of_line) = (None, 0);
    for line in text.split_inclusive('\n') {
        let start = end_of_line;
        end_of_line += line.len();
        let marks = line.match_indices(')').filter_map(|(at, _)| {
            let head = line[..at].trim_end_matches(|c: char| c.is_ascii_alphanumeric());
            let word = head.len();
            let is_apart = head.is_empty() || head.ends_with([' ', '(']);
            (is_apart && name_of(&line[word..]).is_some()).then_some((word, &line[word..at]))
        });
        let marks: Vec<(usize, &str)> = marks.collect();
        for (at, (from, _)) in marks.iter().enumerate().filter(|_| marks.len() > 1) {
            if marks[at].1.eq_ignore_ascii_case(name) {
                let end = marks.get(at + 1).map_or(line.len(), |(next, _)| *next);
                let said = line[*from..end].trim_end_matches([' ', '(', ',', ';', '\n']);
                let range = start + from..start + from + said.len();
                if own.replace(range).is_some() {
                    return None;
                }
            }
        }
    }
    own
}

/// A line in at most `most` bytes, without the marks of lists, tables and emphasis.
fn plain(line: &str, most: usize) -> String {
    let line = units::without_marks(line.trim_matches(['|', ' ']));
    let line = line.replace("**", "").replace(" | ", ": ");
    clip(&on_one_line(&line), most).into_string()
}

/// The letter or number that a line begins with, as the options of a list do.
fn name_of(line: &str) -> Option<&str> {
    let line = line.trim_start_matches(|c: char| c.is_whitespace() || "|*-#>•([_`".contains(c));
    let end = line.find(|c: char| !c.is_ascii_alphanumeric())?;
    let (name, rest) = line.split_at(end);
    let is_letter = name.len() == 1 && name.as_bytes()[0].is_ascii_alphabetic();
    let is_name = is_letter || name.parse::<u8>().is_ok();
    (is_name && rest.starts_with(['.', ')', ':', '*', ']'])).then_some(name)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn asked(text: &str, answer: &str) -> Option<String> {
        question(text, answer).map(|question| question.line)
    }

    #[test]
    fn an_answer_is_told_with_the_option_that_it_names() {
        let text =
            "Two ways:\n- **A.** At commit time\n- **B.** At push time\nWhich one do you want?";
        for answer in ["b.", "B", "option b"] {
            let told = asked(text, answer);
            assert_eq!(
                told.as_deref(),
                Some("Which one do you want? (B. At push time)"),
                "{answer}"
            );
        }
        for answer in ["yes", "A better one", "not A, the B", "2", "C++"] {
            assert_eq!(asked(text, answer).as_deref(), Some("Which one do you want?"), "{answer}");
        }
        let text = "First:\n1. Cache\n2. Drop\nThen:\n1. Edit\n2. Delete\nWhich option?";
        assert_eq!(asked(text, "2").as_deref(), Some("Which option?"));
    }

    #[test]
    fn options_may_stand_behind_each_other() {
        let text = "Where shall it live? A) in a view, B) in a hash (C) nowhere.";
        let told = asked(text, "b");
        assert_eq!(told.as_deref(), Some("Where shall it live? (B) in a hash)"));
        assert_eq!(asked(text, "C").as_deref(), Some("Where shall it live? (C) nowhere.)"));
        assert_eq!(asked("Is it f(a)?", "a").as_deref(), Some("Is it f(a)?"));
        let text = "A) or B)? Or rather a) or b)?\nSay it.";
        assert_eq!(asked(text, "b").as_deref(), Some("A) or B)? Or rather a) or b)?"));
    }

    #[test]
    fn questions_that_stand_together_are_asked_together() {
        let text = "All of it is written. Do you want me to push? Also, should I tag the release?";
        let told = Some("Do you want me to push? Also, should I tag the release?");
        assert_eq!(asked(text, "no, but tag it").as_deref(), told);
        let text = "I would take the old lamp. OK?";
        assert_eq!(asked(text, "ok").as_deref(), Some(text));
        assert_eq!(asked("It is done.", "thanks"), None);
        assert_eq!(asked("Why? It was late. The lamp was lit. It went out.", "again"), None);
    }

    #[test]
    fn an_operator_in_code_asks_nothing() {
        let text = "I changed the `title` to `isMac() ? shown : hidden`. All tests pass.";
        assert_eq!(asked(text, "commit it"), None);
        let text = "The status of the file is `?? plugins/SKILL.md`, so it is untracked.";
        assert_eq!(asked(text, "commit"), None);
        assert_eq!(asked("Is it `a ? b : c`?", "yes").as_deref(), Some("Is it `a ? b : c`?"));
    }
}
