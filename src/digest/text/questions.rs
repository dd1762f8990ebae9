//! Questions of the model, and the option that an answer names.
//!
//! Responsible for finding the question in a message and the option that an answer names: `B` says nothing
//! without it. It relies on how models write options down: one per line, with a letter or a number before it.

use std::ops::Range;

use super::units;
use crate::begins::begins_with_any;
use crate::line::{clip, is_number, leaves_open, on_one_line};

/// How many sentences may follow a question that is answered.
const BEHIND: usize = 2;

/// A question of at most this many words, such as `OK?`, is told with the sentence before it.
const BARE: usize = 2;

/// With these a model asks itself, if it goes on after the question.
const WHY: &[&str] = &["Why ", "Warum ", "Pourquoi ", "¿Por qué ", "为什么", "なぜ"];

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
    let is_answered =
        |range: &Range<usize>| behind > 0 && begins_with_any(&text[range.clone()], WHY);
    let asked = before.or(last).filter(|_| behind <= BEHIND || option.is_some());
    let asked = asked.filter(|range| option.is_some() || !is_answered(range));
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

/// The numbered question with this number, for a reply that answers several by their numbers. `None` if several
/// have it.
pub(crate) fn numbered(text: &str, number: &str) -> Option<Question> {
    let is_asked = |line: &str| line.contains(['?', '？']) && name_of(line) == Some(number);
    let mut asked = lines(text).filter(|range| is_asked(&text[range.clone()]));
    let range = asked.next().filter(|_| asked.next().is_none())?;
    let told = |most| plain(&text[range.clone()], most);
    Some(Question { line: told(LONGEST), short: told(SHORT), told: vec![range], is_chosen: false })
}

/// The ranges of the lines of a text, without the blanks that end them.
fn lines(text: &str) -> impl Iterator<Item = Range<usize>> {
    let mut end = 0;
    text.split_inclusive('\n').map(move |line| {
        let start = end;
        end += line.len();
        start..start + line.trim_end().len()
    })
}

/// The number and the words of each line of a reply to several questions: `1. no`. Empty if some line has no number.
pub(crate) fn replies(answer: &str) -> Vec<(&str, &str)> {
    let lines = answer.lines().map(str::trim).filter(|line| !line.is_empty());
    let replies = lines.map(|line| {
        let number = name_of(line).filter(|it| line.starts_with(it) && is_number(it))?;
        Some((number, line[number.len()..].trim_start_matches(['.', ')', ':', ' '])))
    });
    let replies: Option<Vec<_>> = replies.collect();
    replies.filter(|replies| replies.len() > 1).unwrap_or_default()
}

/// The option that an answer names.
fn option(text: &str, answer: &str) -> Option<Range<usize>> {
    names(answer).find_map(|name| named(text, name))
}

/// What an answer may call an option by: all of it (`B`, `option 2`), or if it is short and refuses nothing the letter
/// or number that it begins with (`B. is fine`) or that it ends with after words of choice (`yes, do 2`).
fn names(answer: &str) -> impl Iterator<Item = &str> {
    let is_mark = |c: char| !c.is_alphanumeric();
    let whole = answer.trim_matches(is_mark);
    let head = whole.get(..7).filter(|head| head.eq_ignore_ascii_case("option "));
    let whole = head.map_or(whole, |head| &whole[head.len()..]);
    let is_short = answer.len() <= SHORT && !answer.trim().contains('\n');
    let short = Some(answer).filter(|answer| is_short && !refuses(answer));
    let first = short.and_then(|answer| name_of(answer).filter(|it| answer.starts_with(it)));
    let last = short.and_then(|answer| {
        let (before, last) = answer.trim_end_matches(is_mark).rsplit_once(' ')?;
        let is_name = is_number(last) || last.len() == 1 && last.as_bytes()[0].is_ascii_uppercase();
        let before = before.to_ascii_lowercase();
        (is_name && CHOOSING.iter().any(|words| before.ends_with(words))).then_some(last)
    });
    // An answer that names two compares them.
    let only = match (first, last) {
        (Some(first), Some(last)) if !first.eq_ignore_ascii_case(last) => None,
        (first, last) => first.or(last),
    };
    [Some(whole), only].into_iter().flatten()
}

/// Words behind which an answer names an option.
const CHOOSING: &[&str] =
    &["do", "take", "go with", "go for", "option", "number", "pick", "choose", "use", "prefer"];

/// Whether an answer may be against the option that it names.
fn refuses(answer: &str) -> bool {
    const AGAINST: &[&str] = &["not", "never", "no", "except", "without", "wrong", "skip", "drop"];
    let words = answer.split(|c: char| !c.is_alphanumeric() && !matches!(c, '\'' | '’'));
    let mut words = words.map(str::to_ascii_lowercase);
    words.any(|word| AGAINST.contains(&&*word) || word.ends_with("n't") || word.ends_with("n’t"))
}

/// The line of the option with this name. `None` if several lines have it.
fn named(text: &str, name: &str) -> Option<Range<usize>> {
    let is_named = |line: &str| name_of(line).is_some_and(|it| it.eq_ignore_ascii_case(name));
    let mut own = lines(text).filter(|range| is_named(&text[range.clone()]));
    match own.next() {
        Some(first) => own.next().is_none().then_some(first),
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
        for answer in
            ["b.", "B", "option b", "B. is fine, but log it", "ok, let's go with option B"]
        {
            let told = asked(text, answer);
            assert_eq!(
                told.as_deref(),
                Some("Which one do you want? (B. At push time)"),
                "{answer}"
            );
        }
        for answer in [
            "yes", "A better one", "not A, the B", "2", "C++", "vitamin B", "with c",
            "please don't do B", "A. is wrong, go with B", "all, but not option B",
        ] {
            assert_eq!(asked(text, answer).as_deref(), Some("Which one do you want?"), "{answer}");
        }
        let text = "First:\n1. Cache\n2. Drop\nThen:\n1. Edit\n2. Delete\nWhich option?";
        assert_eq!(asked(text, "2").as_deref(), Some("Which option?"));
    }

    #[test]
    fn several_questions_are_answered_by_their_numbers() {
        assert_eq!(replies("1. no\n2) the old one\n"), [("1", "no"), ("2", "the old one")]);
        assert_eq!(replies("1. no"), []);
        assert_eq!(replies("Well:\n1. no\n2. yes"), []);
        let text = "Steps:\n1. Trim it\nQuestions:\n1. **Oil**: shall it stay?\n\n2. How long?";
        assert_eq!(
            numbered(text, "1").map(|it| it.line).as_deref(),
            Some("1. Oil: shall it stay?")
        );
        assert!(numbered(text, "3").is_none());
        assert!(numbered(&format!("{text}\n1. Or not?"), "1").is_none());
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
        assert_eq!(asked("Why did it go out? Because of the wind.", "great"), None);
        let why = "Why did it go out?";
        assert_eq!(asked(why, "the wind").as_deref(), Some(why));
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
