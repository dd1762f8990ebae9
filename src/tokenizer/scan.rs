//! The pre-tokenizers: the ends of a text's pieces.
//!
//! Each encoding is defined with a regular expression that splits a text into pieces, which are then encoded
//! one by one. These scanners find the same ends by hand, leftmost-first like a backtracking matcher. They
//! rely on `class_at`, and every piece that they return has at least one character.

use super::classes::class_at;
use super::layout::class::{CASELESS, LOWER, MARK, NEWLINE, NUMBER, OTHER, SPACE, UPPER};

const LETTER: u8 = UPPER | LOWER | CASELESS;
/// The classes that may precede a word as a part of it.
const PREFIX: u8 = MARK | SPACE | OTHER;
/// The classes in the first part of an o200k word; capitals occur only here.
const HEAD: u8 = UPPER | CASELESS | MARK;
/// The classes in the second part of an o200k word; small letters occur only here.
const TAIL: u8 = LOWER | CASELESS | MARK;
const SYMBOL: u8 = MARK | OTHER;
const WHITE: u8 = NEWLINE | SPACE;

/// A way to split texts into pieces.
pub(super) trait Pattern {
    /// Returns where the piece that starts at `at` ends. `at` lies inside the text.
    fn end(text: &[u8], at: usize) -> usize;

    /// Whether a capital behind a small letter begins a new piece.
    const PARTS_CASES: bool;

    /// Whether symbols include slashes among the newlines behind them.
    const TAKES_SLASHES: bool;

    /// Whether a contraction needs no word before it.
    const CONTRACTS_ANYWHERE: bool;
}

/// The pattern of `o200k_base`. With U = `[\p{Lu}\p{Lt}\p{Lm}\p{Lo}\p{M}]`, W = `[\p{Ll}\p{Lm}\p{Lo}\p{M}]`
/// and C = `(?i:'s|'t|'re|'ve|'m|'ll|'d)`, the first of:
///
/// - `[^\r\n\p{L}\p{N}]?U*W+C?`
/// - `[^\r\n\p{L}\p{N}]?U+W*C?`
/// - `\p{N}{1,3}`
/// - ` ?[^\s\p{L}\p{N}]+[\r\n/]*`
/// - `\s*[\r\n]+`
/// - `\s+(?!\S)`
/// - `\s+`
pub(super) struct O200k;

impl Pattern for O200k {
    const PARTS_CASES: bool = true;
    const TAKES_SLASHES: bool = true;
    const CONTRACTS_ANYWHERE: bool = false;

    fn end(text: &[u8], at: usize) -> usize {
        let (class, len) = class_at(text, at);
        if class & LETTER != 0 {
            return match word(text, at) {
                Word::Lower(end) | Word::Upper(end) => contraction(text, end),
                Word::None => unreachable!("a letter begins a word"),
            };
        }
        if class & NUMBER != 0 {
            return number(text, at + len);
        }
        if class & PREFIX != 0 {
            match word(text, at + len) {
                // The first alternative without its prefix takes precedence over the second one with it.
                Word::Upper(_) | Word::None if class & MARK != 0 => {
                    return contraction(text, at + len);
                }
                Word::Lower(end) | Word::Upper(end) => return contraction(text, end),
                Word::None => {}
            }
        }
        if let Some(end) = symbols(text, at) {
            return end + text[end..].iter().take_while(|byte| b"\r\n/".contains(byte)).count();
        }
        let run = White::run(text, at);
        run.newline.unwrap_or_else(|| run.without_last(text))
    }
}

/// The pattern of `cl100k_base`: the first of
///
/// - `'(?i:[sdmt]|ll|ve|re)`
/// - `[^\r\n\p{L}\p{N}]?\p{L}+`
/// - `\p{N}{1,3}`
/// - ` ?[^\s\p{L}\p{N}]+[\r\n]*`
/// - `\s+$`
/// - `\s*[\r\n]`
/// - `\s+(?!\S)`
/// - `\s`
pub(super) struct Cl100k;

impl Pattern for Cl100k {
    const PARTS_CASES: bool = false;
    const TAKES_SLASHES: bool = false;
    const CONTRACTS_ANYWHERE: bool = true;

    fn end(text: &[u8], at: usize) -> usize {
        let (class, len) = class_at(text, at);
        if class & LETTER != 0 {
            return skip(text, at + len, LETTER);
        }
        if class & NUMBER != 0 {
            return number(text, at + len);
        }
        let contracted = contraction(text, at);
        if contracted > at {
            return contracted;
        }
        if class & PREFIX != 0 {
            let end = skip(text, at + len, LETTER);
            if end > at + len {
                return end;
            }
        }
        if let Some(end) = symbols(text, at) {
            return end + text[end..].iter().take_while(|byte| b"\r\n".contains(byte)).count();
        }
        let run = White::run(text, at);
        if run.end == text.len() {
            return run.end;
        }
        run.newline.unwrap_or_else(|| run.without_last(text))
    }
}

/// The end of an o200k word, and the alternative that matched.
enum Word {
    Lower(usize),
    Upper(usize),
    None,
}

/// Matches `U*W+`, else `U+W*`.
fn word(text: &[u8], start: usize) -> Word {
    let mut at = start;
    // U* is greedy and then gives back, until W+ has one character.
    let mut given_back = None;
    loop {
        let (class, len) = class_at(text, at);
        if class & LOWER != 0 {
            return Word::Lower(skip(text, at + len, TAIL));
        }
        if class & HEAD == 0 {
            break;
        }
        at += len;
        if class & TAIL != 0 {
            given_back = Some(at);
        }
    }
    match given_back {
        Some(end) => Word::Lower(end),
        None if at > start => Word::Upper(at),
        None => Word::None,
    }
}

/// Returns the end of the characters of the given classes.
#[inline]
fn skip(text: &[u8], mut at: usize, classes: u8) -> usize {
    loop {
        let (class, len) = class_at(text, at);
        if class & classes == 0 {
            return at;
        }
        at += len;
    }
}

/// Matches the rest of `\p{N}{1,3}`.
fn number(text: &[u8], mut at: usize) -> usize {
    for _ in 0..2 {
        let (class, len) = class_at(text, at);
        if class & NUMBER == 0 {
            break;
        }
        at += len;
    }
    at
}

/// Matches `(?i:'s|'t|'re|'ve|'m|'ll|'d)?`. If case is ignored, the long s (U+017F) is an s too.
#[inline]
fn contraction(text: &[u8], at: usize) -> usize {
    let lower = |offset: usize| text.get(at + offset).map(u8::to_ascii_lowercase);
    if text.get(at) != Some(&b'\'') {
        return at;
    }
    match (lower(1), lower(2)) {
        (Some(b's' | b't' | b'm' | b'd'), _) => at + 2,
        (Some(b'r' | b'v'), Some(b'e')) | (Some(b'l'), Some(b'l')) | (Some(0xC5), Some(0xBF)) => {
            at + 3
        }
        _ => at,
    }
}

/// Matches ` ?[^\s\p{L}\p{N}]+`.
fn symbols(text: &[u8], at: usize) -> Option<usize> {
    let start = at + usize::from(text[at] == b' ');
    let end = skip(text, start, SYMBOL);
    (end > start).then_some(end)
}

/// A run of white space.
struct White {
    end: usize,
    /// The end of the last newline in the run.
    newline: Option<usize>,
    /// The end of the first character.
    first: usize,
    /// The start of the last character.
    last: usize,
}

impl White {
    fn run(text: &[u8], at: usize) -> Self {
        let (_, len) = class_at(text, at);
        let mut run = Self { end: at, newline: None, first: at + len, last: at };
        loop {
            let (class, len) = class_at(text, run.end);
            if class & WHITE == 0 {
                return run;
            }
            run.last = run.end;
            run.end += len;
            if class == NEWLINE {
                run.newline = Some(run.end);
            }
        }
    }

    /// Matches `\s+(?!\S)`, else `\s`: the last space belongs to the text that follows, if there is another
    /// one.
    fn without_last(&self, text: &[u8]) -> usize {
        if self.end == text.len() { self.end } else { self.last.max(self.first) }
    }
}
