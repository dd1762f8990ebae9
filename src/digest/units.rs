//! Units: the lines of outputs and code, and the sentences of prose.
//!
//! Responsible for cutting texts where a reader would, in any script, and for taking away what is
//! no part of a line: its number, its indentation, the marks of a list. Invariant: a unit is a range
//! of its text that begins and ends with something visible and is at most [`LONGEST`] bytes long.

use std::ops::Range;

/// A longer line is cut at its sentences, or where there is white space.
pub(super) const LONGEST: usize = 280;

/// The lines of a text, without numbers and indentation; long ones in pieces.
pub(super) fn lines(text: &str, mut then: impl FnMut(Range<usize>)) {
    let bytes = text.as_bytes();
    let mut start = 0;
    while start < bytes.len() {
        let end = memchr::memchr(b'\n', &bytes[start..]).map_or(bytes.len(), |n| start + n);
        let line = trimmed(text, start + number_length(&bytes[start..end])..end);
        if line.len() > LONGEST {
            pieces(text, line, &mut then);
        } else if !line.is_empty() {
            then(line);
        }
        start = end + 1;
    }
}

/// A sentence of prose, or a line of code within it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Sentence {
    pub(super) range: Range<usize>,
    /// Whether it stands between fences.
    pub(super) is_code: bool,
    /// Whether a line begins with it.
    pub(super) starts_line: bool,
}

/// The sentences of a text: split at line breaks and behind `.`, `!`, `?` and their wide forms.
/// Lines between fences are code, and whole.
pub(super) fn sentences(text: &str, then: impl FnMut(Sentence)) {
    split(text, |_| false, then);
}

/// The same, but what leans on the sentence before it is one with that.
pub(super) fn statements(text: &str, then: impl FnMut(Sentence)) {
    split(text, leans_back, then);
}

fn split(text: &str, leans_back: impl Fn(&str) -> bool, mut then: impl FnMut(Sentence)) {
    let mut is_code = false;
    let mut marks = marks(text).peekable();
    lines_whole(text, |line| {
        if text[line.clone()].starts_with("```") {
            is_code = !is_code;
            return;
        }
        let mut starts_line = true;
        let mut then = |range: Range<usize>| {
            then(Sentence { range, is_code, starts_line });
            starts_line = false;
        };
        // The row of a table is one statement.
        if is_code || text[line.clone()].starts_with('|') {
            emit(text, line, &mut then);
            return;
        }
        let mut start = line.start;
        while let Some(end) = marks.next_if(|end| *end < line.end) {
            if end <= line.start || !is_end(&text.as_bytes()[line.clone()], end - line.start) {
                continue;
            }
            // A few characters are no sentence: `1.`, `e.g.`, `Dr.`
            let length = end - start;
            if length >= LONGEST / 2 || length >= 12 && !leans_back(&text[end..line.end]) {
                emit(text, trimmed(text, start..end), &mut then);
                start = end;
            }
        }
        emit(text, trimmed(text, start..line.end), &mut then);
    });
}

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

/// The places behind the marks of a text that may end a sentence.
fn marks(text: &str) -> Box<dyn Iterator<Item = usize> + '_> {
    if text.is_ascii() {
        let marks = memchr::memchr3_iter(b'.', b'!', b'?', text.as_bytes());
        return Box::new(marks.map(|at| at + 1));
    }
    // The last bytes of 。！？ as well.
    let is_mark = |byte: &u8| matches!(byte, b'.' | b'!' | b'?' | 0x81 | 0x82 | 0x9F);
    Box::new((1..).zip(text.bytes()).filter(move |(_, byte)| is_mark(byte)).map(|(at, _)| at))
}

/// Whether a sentence of `line` ends before `at`, behind a mark.
fn is_end(line: &[u8], at: usize) -> bool {
    let is_mark = match line[..at] {
        // 。！？
        [.., 0xE3, 0x80, 0x82] | [.., 0xEF, 0xBC, 0x81 | 0x9F] => true,
        [.., b'.' | b'!' | b'?'] => line.get(at).is_some_and(u8::is_ascii_whitespace),
        _ => false,
    };
    // A small letter goes on: `e.g. this`.
    let goes_on = || line[at..].trim_ascii_start().first().is_some_and(u8::is_ascii_lowercase);
    is_mark && !(line[at - 1] == b'.' && (is_title(&line[..at - 1]) || goes_on()))
}

/// Whether a text ends with a title that a name follows, as `Mrs`: a capital, and small letters without
/// a vowel.
fn is_title(text: &[u8]) -> bool {
    let word = text.iter().rev().take(5).take_while(|byte| byte.is_ascii_alphabetic()).count();
    let [first, rest @ ..] = &text[text.len() - word..] else { return false };
    let is_consonant = |byte: &u8| byte.is_ascii_lowercase() && !b"aeiouy".contains(byte);
    (1..=3).contains(&rest.len()) && first.is_ascii_uppercase() && rest.iter().all(is_consonant)
}

/// Whether a sentence is understood by the one before it alone: it begins with a word that points
/// back. Such a pair is one unit.
fn leans_back(text: &str) -> bool {
    const WORDS: &[&str] = &[
        "It",
        "Its",
        "This",
        "That",
        "These",
        "Those",
        "They",
        "None",
        "Both",
        "So",
        "But",
        "Then",
        "However",
        "Therefore",
        "Otherwise",
        "Instead",
    ];
    let word = text.trim_start().split(|c: char| !c.is_alphabetic()).next().unwrap_or("");
    WORDS.contains(&word)
}

/// Cuts a long unit at sentence ends, separators or white space.
fn pieces(text: &str, unit: Range<usize>, then: &mut impl FnMut(Range<usize>)) {
    let bytes = text.as_bytes();
    let mut start = unit.start;
    while unit.end - start > LONGEST {
        let limit = start + LONGEST;
        let window = &bytes[start + LONGEST / 2..limit];
        let back = |wanted: &dyn Fn(u8) -> bool| window.iter().rposition(|&byte| wanted(byte));
        let cut = back(&|byte| matches!(byte, b';' | b'|'))
            .or_else(|| back(&|byte| byte == b','))
            .or_else(|| back(&|byte| byte == b' '))
            .map_or(limit, |n| start + LONGEST / 2 + n + 1);
        let cut = text.floor_char_boundary(cut);
        let piece = trimmed(text, start..cut);
        if !piece.is_empty() {
            then(piece);
        }
        start = cut;
    }
    let rest = trimmed(text, start..unit.end);
    if !rest.is_empty() {
        then(rest);
    }
}

fn trimmed(text: &str, range: Range<usize>) -> Range<usize> {
    let inside = &text[range.clone()];
    // Mostly there are blanks before it, if anything.
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

/// The length of a line's number as tools print it: `  12→`, `  12|`, `12:`, `12-`, `L12:`.
fn number_length(line: &[u8]) -> usize {
    let blank = line.iter().take_while(|byte| **byte == b' ').count();
    let letter = usize::from(line.get(blank) == Some(&b'L'));
    let digits = line[blank + letter..].iter().take_while(|byte| byte.is_ascii_digit()).count();
    let at = blank + letter + digits;
    if digits == 0 || digits > 6 {
        return 0;
    }
    match line.get(at..) {
        Some([0xE2, 0x86, 0x92, ..]) => at + 3,
        Some([b'\t' | b'|', ..]) => at + 1,
        Some([b':' | b'-', next, ..]) if !next.is_ascii_digit() => at + 1,
        _ => 0,
    }
}

/// The words of a sentence: runs of letters and digits of any script.
pub(super) fn words<'t>(sentence: &'t str, mut then: impl FnMut(&'t str)) {
    let bytes = sentence.as_bytes();
    let (mut start, mut at) = (0, 0);
    loop {
        at += run(&bytes[at..], |kind| kind & ALPHANUMERIC != 0);
        let outside = match bytes.get(at) {
            Some(0x80..) => {
                let c = sentence[at..].chars().next().unwrap_or_default();
                if c.is_alphanumeric() {
                    at += c.len_utf8();
                    continue;
                }
                c.len_utf8()
            }
            _ => 1,
        };
        if start < at {
            then(&sentence[start..at]);
        }
        if at >= bytes.len() {
            return;
        }
        at += outside;
        start = at;
    }
}

/// How many bytes at the beginning are of some kind.
fn run(bytes: &[u8], is_it: impl Fn(u8) -> bool) -> usize {
    bytes.iter().take_while(|byte| is_it(KINDS[usize::from(**byte)])).count()
}

/// A text in small letters, in `room` where they are others.
pub(super) fn small<'t>(text: &'t str, room: &'t mut String) -> &'t str {
    if run(text.as_bytes(), |kind| kind & (SMALL | DIGIT) != 0) == text.len() {
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

/// A line without the marks of a list, a quote or a heading before it.
pub(super) fn without_marks(line: &str) -> &str {
    let mut bare = line;
    while bare.starts_with(['-', '*', '•', '>', '#', '+'])
        && let Some(rest) = ["- ", "* ", "• ", "> ", "# ", "#", "+ "]
            .iter()
            .find_map(|mark| bare.strip_prefix(mark))
    {
        bare = rest.trim_start();
    }
    if bare.is_empty() { line } else { bare }
}

const BLANK: u8 = 0;
const SMALL: u8 = 1;
const CAPITAL: u8 = 2;
const DIGIT: u8 = 4;
const ALPHANUMERIC: u8 = SMALL | CAPITAL | DIGIT;
const MARK: u8 = 8;
/// Part of a character that takes several bytes.
const WIDE: u8 = 16;

/// What each byte is.
static KINDS: [u8; 256] = kinds();

const fn kinds() -> [u8; 256] {
    let mut kinds = [MARK; 256];
    let mut at = 0;
    while at < 256 {
        #[allow(clippy::cast_possible_truncation, reason = "at is below 256")]
        let byte = at as u8;
        kinds[at] = match byte {
            b'a'..=b'z' => SMALL,
            b'A'..=b'Z' => CAPITAL,
            b'0'..=b'9' => DIGIT,
            b' ' => BLANK,
            0x80.. => WIDE,
            _ => MARK,
        };
        at += 1;
    }
    kinds
}

/// About how many tokens a text has: words, pieces of long ones, digits by three, marks.
pub(super) fn estimate(text: &str) -> u16 {
    let (mut quarters, mut kind, mut length) = (0, BLANK, 0);
    for byte in text.bytes() {
        let next = KINDS[usize::from(byte)];
        // Small letters behind capitals go on with the word.
        if next != kind && (kind, next) != (CAPITAL, SMALL) {
            quarters += quarters_of(kind, length);
            length = 0;
        }
        (kind, length) = (next, length + 1);
    }
    quarters += quarters_of(kind, length);
    u16::try_from(quarters / 4 + 1).unwrap_or(u16::MAX)
}

/// About how many quarters of a token so many bytes of one kind are.
fn quarters_of(kind: u8, length: usize) -> usize {
    match kind {
        BLANK => 0,
        SMALL | CAPITAL if length < 10 => 4,
        SMALL | CAPITAL => 8 + (length - 10) / 5 * 4,
        DIGIT => 4 + length / 3 * 4,
        MARK => 3 + length,
        _ => 4 + length,
    }
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
            said("问题是令牌过期。所以我们改为刷新！"),
            ["问题是令牌过期。", "所以我们改为刷新！"]
        );
    }

    #[test]
    fn takes_numbers_and_indentation_from_lines() {
        assert_eq!(cut("    12→\tlet a = 1;\n13:  b\n\n  c"), ["let a = 1;", "b", "c"]);
        assert_eq!(cut("10:30 begins"), ["10:30 begins"]);
    }

    #[test]
    fn cuts_long_lines_at_white_space() {
        let long = "word ".repeat(200);
        assert!(cut(&long).iter().all(|piece| piece.len() <= LONGEST && piece.ends_with("word")));
        let wide = "字".repeat(500);
        assert_eq!(cut(&wide).concat(), wide);
    }
}
