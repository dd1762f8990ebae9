//! Questions of the model, and the options that an answer names.
//!
//! Responsible for finding the question in a message and the options that it offers: `B` says nothing without its
//! option. It relies on how models write options down: one per line, with a letter or a number before it.

use std::ops::Range;

use super::{units, words};
use crate::begins::begins_with_any;
use crate::line::{clip, leaves_open, on_one_line};
use crate::span::span_in;

/// How many sentences may follow a question that is answered.
const BEHIND: usize = 2;

/// How much of a question is told, in bytes.
pub(crate) const LONGEST: usize = 160;
/// How much of the chosen option is told, in bytes.
const OPTION: usize = 160;
/// How much of the chosen option is told where there is little room, in bytes.
const SHORT: usize = 80;
/// How much of an option that was not chosen is told, in bytes.
const REFUSED: usize = 40;
/// How many options that were not chosen are told.
const MOST_REFUSED: usize = 4;

/// How much of the statement before a question is told, in bytes.
const SUBJECT: usize = 120;
/// A statement needs more than this many words for a question to point at it.
const FEWEST: usize = 3;

/// Within how many of its first words an answer names its option.
const NAMED_WITHIN: usize = 10;

/// Words that make the letter or number after them the name of an option.
const NAMING: &[&str] = &["option", "options", "approach", "choice", "alternative", "number"];

/// Words that choose the option whose capital letter follows them.
const CHOOSING: &[&str] =
    &["with", "think", "prefer", "choose", "pick", "take", "want", "like", "do", "say", "yes"];

/// Words that add nothing to the names of options.
const FILLING: &[&str] = &[
    "and", "&", "+", "both", "plus", "also", "only", "just", "please", "yes", "yeah", "yep", "ok",
    "okay", "sure", "thanks", "let's", "lets", "go", "the", "do", "with", "take", "pick", "try",
];

/// Words with which a question points at what was said before it.
const POINTING: &[&str] = &[
    "this", "that", "these", "those", "it", "them", "das", "dies", "diese", "diesen", "cela", "ça",
    "ceci", "esto", "eso", "isso", "это",
];
/// A question of at most this many words says nothing alone.
const BARE: usize = 2;
/// A question with `which` of at most this many words says nothing alone.
const BARE_CHOICE: usize = 5;
/// The pointing words of scripts without spaces.
const POINTING_WIDE: &[&str] = &["这", "那", "これ", "それ", "その", "この"];

/// Words with which an answer may name what is not wanted.
const DENYING: &[&str] = &[
    "no", "not", "never", "neither", "nor", "skip", "without", "instead", "rather", "than",
    "against", "wrong", "worst", "but", "cannot", "nicht", "kein", "keine", "statt",
];

/// A question and the option that answers it, on one line, with the places of both in the text.
pub(crate) struct Question {
    pub(crate) line: String,
    /// The line with only the beginning of the chosen option, and without the others.
    pub(crate) short: String,
    pub(crate) told: Vec<Range<usize>>,
    /// Whether the answer names an option.
    pub(crate) is_chosen: bool,
}

/// A line that begins with the name of an option.
struct Choice<'t> {
    name: &'t str,
    range: Range<usize>,
}

/// The question that an answer belongs to: the last before the options of a text, else the last of all, with the
/// options that the answer names. `None` if the text asks nothing, or only in passing.
pub(crate) fn question(text: &str, answer: &str) -> Option<Question> {
    let named = chosen(answer);
    let choices = choices(text, &named);
    let first = choices.first().map_or(text.len(), |choice| choice.range.start);
    let (mut before, mut last, mut behind) = (None, None, 0);
    units::sentences(text, |sentence| {
        behind += 1;
        let words = &text[sentence.range.clone()];
        // Within code the mark is an operator.
        if words.ends_with(['?', '？']) && !leaves_open(words, '`') {
            let slot = if sentence.range.end <= first { &mut before } else { &mut last };
            // Consecutive questions are asked together.
            let start = slot.take().map(|range: Range<usize>| range.start);
            let start = start.filter(|start| behind == 1 && sentence.range.end - start <= LONGEST);
            *slot = Some(start.unwrap_or(sentence.range.start)..sentence.range.end);
            behind = 0;
        }
    });
    let is_chosen =
        |choice: &&Choice<'_>| named.iter().any(|name| choice.name.eq_ignore_ascii_case(name));
    let chosen: Vec<&Choice<'_>> = choices.iter().filter(is_chosen).collect();
    let asked = if choices.is_empty() {
        before.filter(|_| behind <= BEHIND)
    } else if chosen.is_empty() {
        // `yes` answers a question that names its option: `Shall I go with A?`
        let is_own = |range: &Range<usize>| !self::named(&text[range.clone()]).is_empty();
        last.clone().filter(is_own).or(before).or(last).filter(|_| behind <= BEHIND)
    } else {
        before.or(last)
    };
    let subject =
        asked.as_ref().filter(|_| chosen.is_empty()).and_then(|range| subject(text, range));
    let mut told: Vec<_> = subject.iter().chain(&asked).cloned().collect();
    let asked = asked.map(|range| plain(&text[range], LONGEST));
    let asked = match (subject, asked) {
        (Some(subject), Some(asked)) => Some(format!("{} {asked}", plain(&text[subject], SUBJECT))),
        (_, asked) => asked,
    };
    let join = |choices: &mut dyn Iterator<Item = &Choice<'_>>, most| {
        let lines = choices.map(|choice| plain(&text[choice.range.clone()], most));
        let lines: Vec<String> = lines.map(|line| line.trim_end_matches('.').to_owned()).collect();
        lines.join("; ")
    };
    let mut options = join(&mut chosen.iter().copied(), OPTION);
    let short = join(&mut chosen.iter().copied(), SHORT);
    if !chosen.is_empty() {
        // The other options are cut short: at length they would read as if they had been chosen too.
        told.extend(choices.iter().map(|choice| choice.range.clone()));
        let mut others = choices.iter().filter(|choice| !is_chosen(choice)).take(MOST_REFUSED);
        let others = join(&mut others, REFUSED);
        if !others.is_empty() {
            options = format!("{options}; not: {others}");
        }
    }
    // Without a question, an answer of many words is about something else.
    let is_brief = answer.split_whitespace().nth(2).is_none();
    if asked.is_none() && (options.is_empty() || !is_brief) {
        return None;
    }
    let with = |options: String| match &asked {
        Some(asked) if options.is_empty() => asked.clone(),
        Some(asked) => format!("{asked} ({options})"),
        None => options,
    };
    Some(Question { line: with(options), short: with(short), told, is_chosen: !chosen.is_empty() })
}

/// The statement that a question points at: `Shall I do that?` says nothing alone. `None` if the question stands
/// alone.
fn subject(text: &str, question: &Range<usize>) -> Option<Range<usize>> {
    let asked = text[question.clone()].to_lowercase();
    let mut words = asked.split(|c: char| !c.is_alphanumeric());
    let is_wide = || POINTING_WIDE.iter().any(|known| asked.contains(known));
    // For example `OK?`, `Shall I?`, `Which do you prefer?`
    let few = asked.split_whitespace().count();
    let is_bare = few <= BARE || few <= BARE_CHOICE && asked.starts_with("which ");
    if !is_bare && !words.any(|word| POINTING.contains(&word)) && !is_wide() {
        return None;
    }
    let mut last = None;
    units::sentences(&text[..question.start], |sentence| {
        let words = &text[sentence.range.clone()];
        let is_point =
            words.starts_with(['|', '#']) || units::without_marks(words).len() < words.len();
        // An announcement says nothing without what follows.
        let announces = words.ends_with([':', '：']);
        let is_said = !sentence.is_code && !announces && !is_point && name_of(words).is_none();
        if is_said && words::number_of(words) > FEWEST {
            last = Some(sentence.range);
        }
    });
    last
}

/// A line in at most `most` bytes, without the marks of lists, tables and emphasis.
pub(crate) fn plain(line: &str, most: usize) -> String {
    let line = units::without_marks(line.trim_matches(['|', ' ']));
    let line = line.replace("**", "").replace(" | ", ": ");
    clip(&on_one_line(&line), most).into_string()
}

/// The names of the options in an answer: `B`, `1 and 3`, `go with A`, `option 2`. None if the answer may be about
/// what is not wanted.
fn named(answer: &str) -> Vec<&str> {
    let words: Vec<&str> = answer.split_whitespace().take(NAMED_WITHIN + 1).collect();
    let is =
        |list: &[&str], word: &str| list.iter().any(|known| bare(word).eq_ignore_ascii_case(known));
    let denies = |word: &&str| {
        let word = word.replace('’', "'");
        is(DENYING, &word)
            || bare(&word).to_ascii_lowercase().ends_with("n't")
            || word.contains(['不', '别'])
    };
    if words.iter().any(denies) {
        return Vec::new();
    }
    let says_no_more = words.len() <= NAMED_WITHIN
        && words.iter().all(|word| is_name(bare(word)) || is(FILLING, word) || is(NAMING, word));
    let chooses = |at: usize, name: &str| {
        let before = at.checked_sub(1).map_or("", |at| words[at]);
        let is_capital = name.as_bytes()[0].is_ascii_uppercase();
        let leads = at == 0 && words[0].ends_with(['.', ',', ')', ':']);
        is(NAMING, before) || is_capital && (leads || is(CHOOSING, before))
    };
    let names = words.iter().enumerate().map(|(at, word)| (at, bare(word)));
    let names = names.filter(|&(at, name)| is_name(name) && (says_no_more || chooses(at, name)));
    names.map(|(_, name)| name).collect()
}

/// The options that an answer chooses: those that it only asks about are left out.
fn chosen(answer: &str) -> Vec<&str> {
    let mut named = named(answer);
    named.retain(|name| {
        let end = span_in(answer, name).end;
        let mark = answer[end..].find(['.', '!', '?', '？', '。', '！', '\n']);
        !mark.is_some_and(|at| answer[end + at..].starts_with(['?', '？']))
    });
    named
}

/// A word without the marks around it.
fn bare(word: &str) -> &str {
    word.trim_matches(|c: char| !c.is_alphanumeric() && !matches!(c, '&' | '+'))
}

/// Whether a word is a number or a letter, except the pronoun `I`.
fn is_name(word: &str) -> bool {
    let is_letter = word.len() == 1 && word.as_bytes()[0].is_ascii_alphabetic() && word != "I";
    is_letter || word.parse::<u8>().is_ok()
}

/// The options of a text, with letters or numbers as in `named`. Of nested lists only the outermost counts; if
/// there are several lists, there is no choice.
fn choices<'t>(text: &'t str, named: &[&str]) -> Vec<Choice<'t>> {
    let is_number = |name: &str| name.parse::<u8>().is_ok();
    let is_small = |name: &str| name.as_bytes()[0].is_ascii_lowercase();
    let wants_numbers = named.first().is_some_and(|name| is_number(name));
    let mut lists: Vec<(usize, Vec<Choice<'t>>)> = Vec::new();
    let mut start = 0;
    for line in text.split_inclusive('\n') {
        let range = start..start + line.trim_end().len();
        start += line.len();
        let depth = line.len() - line.trim_start().len();
        // A numbered list may be one of steps.
        let name = name_of(line).filter(|name| is_number(name) == wants_numbers);
        let Some(name) = name else { continue };
        if matches!(name, "A" | "a" | "1") {
            lists.push((depth, Vec::new()));
        }
        let goes_on = |list: &[Choice<'_>]| list.last().is_none_or(|last| follows(last.name, name));
        let list = lists.iter_mut().rfind(|(at, list)| *at == depth && goes_on(list));
        if let Some((_, list)) = list {
            list.push(Choice { name, range });
        }
    }
    lists.retain(|(_, list)| list.len() > 1);
    let outermost = lists.iter().map(|(depth, _)| *depth).min().unwrap_or_default();
    lists.retain(|(depth, _)| *depth == outermost);
    if lists.iter().any(|(_, list)| !is_small(list[0].name)) {
        lists.retain(|(_, list)| !is_small(list[0].name));
    }
    if lists.len() == 1 { lists.remove(0).1 } else { Vec::new() }
}

/// The letter or number that a line begins with, as the options of a list do.
fn name_of(line: &str) -> Option<&str> {
    let line = line.trim_start_matches(|c: char| c.is_whitespace() || "|*-#>•([_`".contains(c));
    let (first, rest) = line.split_once(' ').unwrap_or((line, ""));
    let is_naming = NAMING.iter().any(|word| first.eq_ignore_ascii_case(word));
    let line = if is_naming { rest } else { line };
    let end = line.find(|c: char| !c.is_ascii_alphanumeric())?;
    let (name, rest) = line.split_at(end);
    let is_marked = is_naming || rest.starts_with(['.', ')', ':', '*', ']']);
    let is_parted = begins_with_any(rest, &[" -", " –", " —", " |"]);
    (is_name(name) && (is_marked || is_parted)).then_some(name)
}

fn follows(last: &str, name: &str) -> bool {
    match (last.parse::<u8>(), name.parse::<u8>()) {
        (Ok(last), Ok(name)) => last.checked_add(1) == Some(name),
        _ => last.len() == 1 && name.len() == 1 && last.as_bytes()[0] + 1 == name.as_bytes()[0],
    }
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
        let told = Some("Which one do you want? (B. At push time; not: A. At commit time)");
        for answer in
            ["b.", "B", "option b", "I think B, we can change it later", "yes, go with B."]
        {
            assert_eq!(asked(text, answer).as_deref(), told, "{answer}");
        }
        for answer in [
            "yes",
            "A better one",
            "I want both",
            "not A, the B",
            "What happens with B?",
            "What do you think of option B? I know it not",
            "I don't want B",
            "2 files",
            "C++",
        ] {
            assert_eq!(asked(text, answer).as_deref(), Some("Which one do you want?"), "{answer}");
        }
    }

    #[test]
    fn a_question_stands_before_its_choices_or_at_the_end() {
        let text = "**Next question:** What if it fails?\n\n| Option | What |\n|---|---|\n\
            | **A. Go on (Recommended)** | Log it. |\n| **B. Stop** | Return an error. |\n\n\
            I recommend A because:\n- It is rare.\n- It is logged.\n- It was so before.";
        assert_eq!(
            asked(text, "A. is fine").as_deref(),
            Some(
                "Next question: What if it fails? \
                 (A. Go on (Recommended): Log it; not: B. Stop: Return an error)"
            )
        );
        let text = "1. Which lamp?\n2. Which oil?";
        assert_eq!(asked(text, "whatever burns").as_deref(), Some("1. Which lamp? 2. Which oil?"));
        assert_eq!(asked("It is done.", "thanks"), None);
        assert_eq!(asked("Why? It was late. The lamp was lit. It went out.", "again"), None);
    }

    #[test]
    fn questions_that_stand_together_are_asked_together() {
        let text = "All of it is written. Do you want me to push? Also, should I tag the release?";
        let told = Some("Do you want me to push? Also, should I tag the release?");
        assert_eq!(asked(text, "no, but tag it").as_deref(), told);
        let text = "How should errors end?\nA. Stop\nB. Warn\nShall I go with A?";
        assert_eq!(asked(text, "yes").as_deref(), Some("Shall I go with A?"));
    }

    #[test]
    fn a_question_is_told_with_what_it_points_at() {
        let text = "The hook reads the branch twice.\nThree ways:\n- one way to go there\n\
            Do you want me to fix that too?";
        let told = Some("The hook reads the branch twice. Do you want me to fix that too?");
        assert_eq!(asked(text, "yes").as_deref(), told);
        let text = "Хук читает ветку два раза. Это исправить?";
        assert_eq!(asked(text, "да").as_deref(), Some(text));
        let text = "The hook reads the branch twice. Do you want a release now?";
        assert_eq!(asked(text, "yes").as_deref(), Some("Do you want a release now?"));
    }

    #[test]
    fn an_operator_in_code_asks_nothing() {
        let text = "I changed the `title` to `isMac() ? shown : hidden`. All tests pass.";
        assert_eq!(asked(text, "commit it"), None);
        let text = "The status of the file is `?? plugins/SKILL.md`, so it is untracked.";
        assert_eq!(asked(text, "commit"), None);
        assert_eq!(asked("Is it `a ? b : c`?", "yes").as_deref(), Some("Is it `a ? b : c`?"));
    }

    #[test]
    fn several_numbers_are_several_options() {
        let text = "What next?\n1. The lamp\n2. The oil\n   a. old\n   b. new\n3. The stairs";
        let told = Some("What next? (1. The lamp; 3. The stairs; not: 2. The oil)");
        for answer in ["1 and 3", "1, 3", "option 1 and option 3", "yes, do 1 and 3"] {
            assert_eq!(asked(text, answer).as_deref(), told, "{answer}");
        }
        assert_eq!(asked(text, "it takes 3 days"), None);
        assert_eq!(asked(text, "1. this has happened twice"), None);
        let text = "First:\n1. Cache\n2. Drop\nThen:\n1. Edit\n2. Delete\nWhich option?";
        assert_eq!(asked(text, "2").as_deref(), Some("Which option?"));
        let text = "Which?\nA. SQLite\na. fast\nb. small\nB. Postgres";
        assert_eq!(asked(text, "B").as_deref(), Some("Which? (B. Postgres; not: A. SQLite)"));
    }
}
