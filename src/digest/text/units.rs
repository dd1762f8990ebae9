//! Units: the lines of outputs and code, and the sentences of prose.
//!
//! Responsible for cutting texts where a reader would, in any script, and for removing what is no part of a line:
//! its number, its indentation, the marks of a list. Invariant: a unit is a range of its text that begins and ends
//! with something visible and is at most [`LONGEST`] bytes long.

mod clauses;
mod numbered;
mod pieces;
mod short;

use std::ops::Range;

use super::kinds::{Block, Kinds, Within};
pub(crate) use clauses::{clauses, without_end};
pub(crate) use numbered::without_numbers;
use numbered::{Numbered, after, end_of_line};
use pieces::pieces;

/// The greatest length of a unit in bytes: a longer line is cut at its sentences or at white space.
pub(crate) const LONGEST: usize = 280;

/// Calls `then` with the lines of a text, without numbers and indentation; long ones in pieces.
pub(crate) fn lines(text: &str, mut then: impl FnMut(Range<usize>)) {
    let (mut before, mut is_counted) = (None, false);
    let mut start = 0;
    while start < text.len() {
        let end = end_of_line(text, start);
        let number = Numbered::of(&text.as_bytes()[start..end]);
        let own = number.filter(|number| number.is_one(before, is_counted, || after(text, end)));
        let line = trimmed(text, start + own.map_or(0, |number| number.length)..end);
        (before, is_counted) = (number, own.is_some());
        emit(text, line, &mut then);
        start = end + 1;
    }
}

/// A sentence of prose, or a line of code within it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Sentence {
    pub(crate) range: Range<usize>,
    /// Whether it stands between code fences.
    pub(crate) is_code: bool,
    /// Whether it is the first of its line.
    pub(crate) starts_line: bool,
}

/// The greatest length of a one-line title, in bytes.
const TITLE: usize = 60;

/// Calls `then` with the sentences of a text, split at line breaks and after `.`, `!`, `?` and their wide forms.
/// Lines between code fences are code, and whole.
pub(crate) fn sentences(text: &str, then: impl FnMut(Sentence)) {
    split(text, false, |_, _| false, then);
}

/// Calls `then` with the statements of a text. A statement is a sentence with the one that leans on it, or several
/// short ones of a line: the second half says why. Sentences that only `announces` accepts stay apart.
pub(crate) fn statements(text: &str, announces: impl Fn(&str) -> bool, then: impl FnMut(Sentence)) {
    let goes_on =
        |said: &str, rest: &str| leans_back(rest) || !announces(said) && !announces(rest.trim());
    split(text, true, goes_on, then);
}

/// Cuts a text at the ends of its sentences, except where `goes_on` says that the rest of the line continues what
/// was said. If it `may_lead`, a title is joined with the line that it leads.
fn split(
    text: &str,
    may_lead: bool,
    goes_on: impl Fn(&str, &str) -> bool,
    mut then: impl FnMut(Sentence),
) {
    let mut is_code = false;
    let is_ascii = text.is_ascii();
    // A title, which is joined with this line.
    let mut lead: Option<Range<usize>> = None;
    lines_whole(text, |line| {
        let line = lead.take().map_or(line.start, |lead| lead.start)..line.end;
        if may_lead && !is_code && leads(&text[line.clone()], &text[line.end..]) {
            lead = Some(line);
            return;
        }
        if text[line.clone()].starts_with("```") {
            is_code = !is_code;
            return;
        }
        let mut starts_line = true;
        let mut then = |range: Range<usize>| {
            then(Sentence { range, is_code, starts_line });
            starts_line = false;
        };
        // A row of a table is one statement.
        if is_code || text[line.clone()].starts_with('|') {
            emit(text, line, &mut then);
            return;
        }
        let mut start = line.start;
        marks(&text.as_bytes()[line.start..line.end - 1], is_ascii, |at| {
            if !is_end(&text.as_bytes()[line.clone()], at) {
                return;
            }
            let end = line.start + at;
            // A few characters are no sentence: `1.`, `e.g.`, `Dr.`
            let length = end - start;
            let goes_on = || {
                let (said, rest) = (&text[start..end], &text[end..line.end]);
                is_in_code(said, rest) || goes_on(said, rest)
            };
            if length >= LONGEST / 2 || length >= 12 && !goes_on() {
                emit(text, trimmed(text, start..end), &mut then);
                start = end;
            }
        });
        let rest = if start > line.start { trimmed(text, start..line.end) } else { line };
        emit(text, rest, &mut then);
    });
}

/// Whether code begun in what was said goes on in the rest of its line: `git add ... && git commit ...`
fn is_in_code(said: &str, rest: &str) -> bool {
    let near = &rest[..rest.floor_char_boundary(LONGEST)];
    memchr::memchr_iter(b'`', said.as_bytes()).count() % 2 == 1 && near.contains('`')
}

/// Whether a line is a bold title of the next line: `**Why:**`.
fn leads(line: &str, rest: &str) -> bool {
    let is_title = line.len() <= TITLE && line.starts_with("**") && line.ends_with(":**");
    let next = rest.strip_prefix('\n').unwrap_or("\n");
    let begins = |c: char| c.is_alphabetic() || c == '`';
    is_title && next.starts_with(begins) && !next.starts_with("```")
}

/// Emits a unit if it is not empty, a long one in pieces.
fn emit(text: &str, unit: Range<usize>, then: &mut impl FnMut(Range<usize>)) {
    if unit.len() > LONGEST {
        pieces(text, unit, then);
    } else if !unit.is_empty() {
        then(unit);
    }
}

fn lines_whole(text: &str, mut then: impl FnMut(Range<usize>)) {
    let mut start = 0;
    for end in memchr::memchr_iter(b'\n', text.as_bytes()).chain([text.len()]) {
        let unit = trimmed(text, start..end);
        if !unit.is_empty() {
            then(unit);
        }
        start = end + 1;
    }
}

/// Calls `then` with the offsets after the marks of a line that may end a sentence.
fn marks(line: &[u8], is_ascii: bool, then: impl FnMut(usize)) {
    if is_ascii {
        memchr::memchr3_iter(b'.', b'!', b'?', line).map(|at| at + 1).for_each(then);
    } else {
        // These include the last bytes of 。！？.
        let is_mark = |byte: &u8| matches!(byte, b'.' | b'!' | b'?' | 0x81 | 0x82 | 0x9F);
        (1..).zip(line).filter(|(_, byte)| is_mark(byte)).map(|(at, _)| at).for_each(then);
    }
}

/// Whether a sentence of `line` ends before `at`, right after a mark.
fn is_end(line: &[u8], at: usize) -> bool {
    let is_mark = match line[..at] {
        // The marks are 。！？.
        [.., 0xE3, 0x80, 0x82] | [.., 0xEF, 0xBC, 0x81 | 0x9F] => true,
        [.., b'.' | b'!' | b'?'] => line.get(at).is_some_and(u8::is_ascii_whitespace),
        _ => false,
    };
    // A lower-case letter continues the sentence: `e.g. this`.
    let goes_on = || line[at..].trim_ascii_start().first().is_some_and(u8::is_ascii_lowercase);
    let is_inside = || short::goes_on(&line[..at - 1], &line[at..]);
    is_mark && !(line[at - 1] == b'.' && (is_inside() || goes_on()))
}

/// Whether a sentence is only understood with the one before it: it begins with a word that points back.
fn leans_back(text: &str) -> bool {
    const WORDS: &[&str] = &[
        "It", "Its", "This", "That", "These", "Those", "They", "None", "Both", "So", "But", "Then",
        "However", "Therefore", "Otherwise", "Instead",
    ];
    let word = text.trim_start().split(|c: char| !c.is_alphabetic()).next().unwrap_or("");
    WORDS.contains(&word)
}

fn trimmed(text: &str, range: Range<usize>) -> Range<usize> {
    let inside = &text[range.clone()];
    // The fast path: mostly there are only spaces before the text, if anything.
    let blanks = inside.bytes().take_while(|byte| *byte == b' ').count();
    if let [first, ..] = inside.as_bytes()[blanks..]
        && first.is_ascii_graphic()
        && inside.as_bytes().last().is_some_and(u8::is_ascii_graphic)
    {
        return range.start + blanks..range.end;
    }
    let start = range.start + (inside.len() - inside.trim_start().len());
    start..start.max(range.start + inside.trim_end().len())
}

/// Calls `then` with the words of a sentence: runs of letters and digits of any script.
pub(crate) fn words<'t>(sentence: &'t str, kinds: Within<'_>, mut then: impl FnMut(&'t str)) {
    let is_wide = kinds.has(Block::wide);
    for run in kinds.runs(|block| block.alphanumeric() | block.wide()) {
        let run = &sentence[run];
        if is_wide {
            let words = run.split(|c: char| !c.is_alphanumeric());
            words.filter(|word| !word.is_empty()).for_each(&mut then);
        } else {
            then(run);
        }
    }
}

/// A text in lower case; `room` is the buffer if that differs.
pub(crate) fn small<'t>(text: &'t str, room: &'t mut String) -> &'t str {
    if text.bytes().all(|byte| byte.is_ascii_lowercase() || byte.is_ascii_digit()) {
        return text;
    }
    if text.is_ascii() {
        text.clone_into(room);
        room.make_ascii_lowercase();
    } else {
        *room = text.to_lowercase();
    }
    room
}

/// A line without the marks of a list, a quote or a heading at its beginning.
pub(crate) fn without_marks(line: &str) -> &str {
    let mut bare = line;
    while bare.starts_with(['-', '*', '•', '>', '#', '+'])
        && let Some(rest) = ["- ", "* ", "• ", "> ", "+ "]
            .iter()
            .find_map(|mark| bare.strip_prefix(mark))
            // `#[derive]`, `#include` and `#12` are no headings.
            .or_else(|| bare.trim_start_matches('#').strip_prefix(' '))
    {
        bare = rest.trim_start();
    }
    if bare.is_empty() { line } else { bare }
}

/// The approximate number of tokens of a text.
pub(crate) fn estimate(text: &str) -> u16 {
    estimated(Kinds::of(text).all())
}

/// The approximate number of tokens of a text whose kinds are known: by its words, pieces of long words, groups of
/// three digits, and marks.
pub(crate) fn estimated(kinds: Within<'_>) -> u16 {
    // Costs are in quarters of a token.
    let word = |length: usize| if length < 10 { 4 } else { length / 5 * 4 };
    // A word begins at a capital after a lower-case letter; lower-case letters after capitals continue the word.
    let mut capital = 0;
    let words = |run: Range<usize>| {
        if capital <= run.start {
            capital = kinds.find(run.start + 1, Block::capitals);
        }
        if capital >= run.end {
            return word(run.len());
        }
        let (mut start, mut all) = (run.start, 0);
        while start < run.end {
            let end = kinds.find(kinds.find(start, Block::small), Block::capitals).min(run.end);
            all += word(end - start);
            start = end;
        }
        all
    };
    let mut all: usize = kinds.runs(Block::letters).map(words).sum();
    all += kinds.runs(Block::digits).map(|run| 4 + run.len() / 3 * 4).sum::<usize>();
    let (runs, marks) = kinds.tally(Block::marks);
    all += 3 * runs + marks;
    let (runs, wide) = kinds.tally(Block::wide);
    all += 4 * runs + wide;
    u16::try_from(all / 4 + 1).unwrap_or(u16::MAX)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn said(text: &str) -> Vec<&str> {
        let mut found = Vec::new();
        sentences(text, |sentence| found.push(&text[sentence.range]));
        found
    }

    fn cut(text: &str) -> Vec<&str> {
        let mut found = Vec::new();
        lines(text, |range| found.push(&text[range]));
        found
    }

    #[test]
    fn cuts_sentences_in_any_script() {
        assert_eq!(
            said("It failed twice. Why? Because of e.g. this."),
            ["It failed twice.", "Why? Because of e.g. this."]
        );
        assert_eq!(
            said("The teacher is Mrs. Okafor. It runs on JS. We use it."),
            ["The teacher is Mrs. Okafor.", "It runs on JS.", "We use it."]
        );
        assert_eq!(
            said("Sie kommt am 4. Juni nach Utrecht. Es waren 12. Mehr nicht."),
            ["Sie kommt am 4. Juni nach Utrecht.", "Es waren 12.", "Mehr nicht."]
        );
        assert_eq!(
            said("问题是令牌过期。所以我们改为刷新！"),
            ["问题是令牌过期。", "所以我们改为刷新！"]
        );
    }

    #[test]
    fn short_sentences_of_a_line_are_one_statement() {
        let mut found = Vec::new();
        let text =
            "The lamp was out. The wind had turned. Let me look.\nLet me see it. The oil is low.";
        let announces = |said: &str| said.starts_with("Let me");
        statements(text, announces, |said| found.push(&text[said.range]));
        let together = "The lamp was out. The wind had turned.";
        assert_eq!(found, [together, "Let me look.", "Let me see it.", "The oil is low."]);
    }

    #[test]
    fn code_in_a_sentence_does_not_end_it() {
        let whole = "I use the combined `git add ... && git commit ...` form.";
        assert_eq!(said(&format!("{whole} Then I stop.")), [whole, "Then I stop."]);
        assert_eq!(
            said("The mark ` is odd here. Then I stop."),
            ["The mark ` is odd here.", "Then I stop."]
        );
    }

    #[test]
    fn takes_the_marks_of_headings_and_lists_alone() {
        for (line, bare) in [
            ("## - A title", "A title"),
            ("#[derive(Debug)]", "#[derive(Debug)]"),
            ("#12 is open", "#12 is open"),
            ("- #include <a.h>", "#include <a.h>"),
            ("#", "#"),
        ] {
            assert_eq!(without_marks(line), bare);
        }
    }

    #[test]
    fn takes_numbers_and_indentation_from_lines() {
        assert_eq!(cut("    12→\tlet a = 1;\n13:  b\n\n  c"), ["let a = 1;", "b", "c"]);
        assert_eq!(cut("L7: c\n1:d\n2-e\n3\tf\n4|g"), ["c", "d", "e", "f", "g"]);
        assert_eq!(cut(" 7|d\n 8|e"), ["d", "e"]);
        // Numbers that follow each other may be those of records and days.
        for text in ["41|Anna\n42|Bea", "12-May\n13-May", "404: missing\n405: wrong", "1|a\n2|b"] {
            assert_eq!(cut(text), text.lines().collect::<Vec<_>>());
        }
        for line in
            ["10:30 begins", "30-minute timeout", "404: page missing", "3-way merge", "42|Anna"]
        {
            assert_eq!(cut(&format!("a\n{line}\n9: b")), ["a", line, "9: b"]);
        }
    }

    #[test]
    fn cuts_long_lines_at_white_space() {
        let long = "word ".repeat(200);
        assert!(cut(&long).iter().all(|piece| piece.len() <= LONGEST && piece.ends_with("word")));
        let wide = "字".repeat(500);
        assert_eq!(cut(&wide).concat(), wide);
    }
}
