//! Cutting one text in its middle: both ends stay, a marker says what is gone.
//!
//! Responsible for the limit: the header and the marker are inside it, so a cut text never counts more than
//! asked, and cutting it again changes nothing. Whole lines stay if that costs little, and no character is
//! ever split. A text that was cut before is cut as if it were still whole.

use std::cell::OnceCell;

use crate::count::Meter;
use crate::marks;
use crate::within::scaled;

/// How much of a text stays.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Limit {
    /// The unit of the limit.
    pub measure: Measure,
    /// The most that the cut text may measure, in that unit.
    pub most: usize,
    /// The share of the kept text that the beginning gets, between 0 and 1; the end gets the rest.
    pub head_share: f64,
}

/// The unit in which the size of a text is measured.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Measure {
    /// Tokens.
    Tokens,
    /// Bytes of UTF-8.
    Bytes,
    /// Characters.
    Chars,
}

impl Measure {
    /// The size of a text in this unit.
    pub fn of(self, text: &str, meter: &Meter) -> usize {
        match self {
            Self::Tokens => meter.text(text),
            Self::Bytes => text.len(),
            Self::Chars => text.chars().count(),
        }
    }

    fn prefix<'t>(self, text: &'t str, most: usize, meter: &Meter) -> &'t str {
        match self {
            Self::Tokens => meter.prefix(text, most),
            Self::Bytes => &text[..text.floor_char_boundary(most)],
            Self::Chars => text.char_indices().nth(most).map_or(text, |(end, _)| &text[..end]),
        }
    }

    fn suffix<'t>(self, text: &'t str, most: usize, meter: &Meter) -> &'t str {
        match self {
            Self::Tokens => meter.suffix(text, most),
            Self::Bytes => &text[text.ceil_char_boundary(text.len().saturating_sub(most))..],
            Self::Chars => {
                let skip = text.chars().count().saturating_sub(most);
                text.char_indices().nth(skip).map_or("", |(start, _)| &text[start..])
            }
        }
    }

    /// The unit as the marker names it: bytes are reported as characters, as the agents' own markers do.
    fn name(self) -> &'static str {
        match self {
            Self::Tokens => "tokens",
            Self::Bytes | Self::Chars => "chars",
        }
    }

    /// The size of a text as the marker reports it.
    fn told(self, text: &str, meter: &Meter) -> usize {
        match self {
            Self::Tokens => meter.text(text),
            Self::Bytes | Self::Chars => text.chars().count(),
        }
    }
}

/// The text cut to the limit; `None` if it is within the limit already or cutting would not make it smaller.
pub fn cut(text: &str, limit: &Limit, meter: &Meter) -> Option<String> {
    Whole::of(text, limit.measure, meter).cut(limit, meter)
}

/// Cuts words that are not the output of a program to at most `most` tokens, like [`cut`] but without the
/// header that tells the number of lines.
pub fn cut_words(text: &str, most: usize, head_share: f64, meter: &Meter) -> Option<String> {
    let limit = Limit { measure: Measure::Tokens, most, head_share };
    let whole = Whole { is_output: false, ..Whole::of(text, limit.measure, meter) };
    whole.cut(&limit, meter)
}

/// A text to be cut, measured once, so that it can be cut to several limits.
pub struct Whole<'t> {
    /// The text.
    pub text: &'t str,
    measure: Measure,
    size: usize,
    /// The number of its lines, counted on first use.
    lines: OnceCell<usize>,
    /// Whether it is output, so that a header tells how many lines it had.
    is_output: bool,
}

impl<'t> Whole<'t> {
    /// Measures a text.
    pub fn of(text: &'t str, measure: Measure, meter: &Meter) -> Self {
        let size = measure.of(text, meter);
        Self { text, measure, size, lines: OnceCell::new(), is_output: true }
    }

    /// A text whose size and number of lines are known.
    pub fn measured(text: &'t str, measure: Measure, size: usize, lines: usize) -> Self {
        Self { text, measure, size, lines: lines.into(), is_output: true }
    }

    fn lines(&self) -> usize {
        *self.lines.get_or_init(|| self.text.lines().count())
    }

    /// The size of the text, in its unit.
    pub fn size(&self) -> usize {
        self.size
    }

    /// Whether the text is within a limit.
    pub fn is_within(&self, limit: &Limit) -> bool {
        self.size <= limit.most
    }

    /// Whether `shorter` counts fewer tokens than this text.
    pub fn counts_more_than(&self, shorter: &str, meter: &Meter) -> bool {
        let tokens = meter.text(shorter);
        match self.measure {
            Measure::Tokens => tokens < self.size,
            // Usually the first tokens are enough to tell.
            _ => {
                meter.prefix(self.text, tokens + 1).len() < self.text.len()
                    || tokens < meter.text(self.text)
            }
        }
    }

    /// The text cut to the limit; `None` if it is within the limit already or cutting would not make it
    /// smaller.
    pub fn cut(&self, limit: &Limit, meter: &Meter) -> Option<String> {
        let Limit { measure, most, .. } = *limit;
        if self.is_within(limit) {
            return None;
        }
        let source = Source::of(self, meter);
        let mut room = most;
        // The first attempt shows the size of header and marker; each further attempt gives back the excess.
        for _ in 0..8 {
            let shorter = source.within(room, limit, meter);
            let over = measure.of(&shorter, meter).saturating_sub(most);
            if over == 0 && self.counts_more_than(&shorter, meter) {
                return Some(shorter);
            }
            if over == 0 || room == 0 {
                break;
            }
            room = room.saturating_sub(over);
        }
        // The marker does not fit, or counts as much as what it replaces: take as much of the beginning as
        // fits, with the shortest mark of a cut if there is room.
        let head = |room: usize| measure.prefix(self.text, room, meter);
        let fits = |text: &String| measure.of(text, meter) <= most;
        let marked =
            (0..most).rev().map(|room| format!("{}{}", head(room), marks::REST)).find(fits);
        let mut heads = marked.into_iter().chain([head(most).to_owned()]);
        heads.find(|head| self.counts_more_than(head, meter))
    }
}

/// A text to be cut, as the whole text that it was before an earlier cut.
struct Source<'t> {
    head: &'t str,
    tail: &'t str,
    /// The number of lines to report in the header, if there is to be one.
    lines: Option<usize>,
    /// The size of the whole text, as the marker reports it.
    told: usize,
    was_cut: bool,
}

impl<'t> Source<'t> {
    fn of(whole: &Whole<'t>, meter: &Meter) -> Self {
        let Whole { text, measure, size, is_output, .. } = *whole;
        let told = |text| measure.told(text, meter);
        let header = marks::behind_cut_header(text).filter(|_| is_output);
        let (lines, body) = header.unwrap_or_else(|| (whole.lines(), text));
        let lines = is_output.then_some(lines);
        // Tokens and characters do not add up: a marker in the other unit counts as ordinary text.
        let was_cut = header.is_some() || !is_output;
        let earlier = was_cut.then(|| earlier_marker(body)).flatten();
        let earlier = earlier.filter(|(_, (_, unit), _)| *unit == measure.name());
        if let Some((head, (gone, _), tail)) = earlier {
            return Self { head, tail, lines, told: told(head) + gone + told(tail), was_cut: true };
        }
        let is_known = measure == Measure::Tokens && header.is_none();
        let told = if is_known { size } else { told(body) };
        Self { head: body, tail: body, lines, told, was_cut: false }
    }

    /// Both ends of the text with header and marker, in about `room`.
    fn within(&self, room: usize, limit: &Limit, meter: &Meter) -> String {
        let Limit { measure, head_share, .. } = *limit;
        let header = self.lines.map_or(String::new(), marks::cut_header);
        let frame = format!("{header}\n{}\n", marks::truncated(99_999, measure.name()));
        let room = room.saturating_sub(measure.of(&frame, meter));
        let for_head = scaled(room, head_share, f64::floor);
        let head = whole_lines_of_head(measure.prefix(self.head, for_head, meter), self.head);
        let tail = measure.suffix(self.tail, room - for_head, meter);
        let tail = if !self.was_cut && head.len() + tail.len() > self.tail.len() {
            &self.tail[head.len()..]
        } else {
            whole_lines_of_tail(tail, self.tail)
        };
        let stays = measure.told(head, meter) + measure.told(tail, meter);
        let gone = marks::truncated(self.told.saturating_sub(stays), measure.name());
        let line_break = if head.is_empty() || head.ends_with('\n') { "" } else { "\n" };
        format!("{header}{head}{line_break}{gone}\n{tail}")
    }
}

/// The text before and behind its own earlier marker, and the number and unit of that marker.
fn earlier_marker(text: &str) -> Option<(&str, (usize, &'static str), &str)> {
    let mut start = 0;
    for line in text.split_inclusive('\n') {
        if let Some((number, unit)) = marks::truncated_in(line) {
            let unit = ["tokens", "chars"].into_iter().find(|known| *known == unit);
            if let Some(unit) = unit {
                return Some((&text[..start], (number, unit), &text[start + line.len()..]));
            }
        }
        start += line.len();
    }
    None
}

/// `head` back to its last line break, if that keeps at least half of it.
fn whole_lines_of_head<'t>(head: &'t str, text: &str) -> &'t str {
    if head.len() == text.len() {
        return head;
    }
    match head.rfind('\n') {
        Some(end) if (end + 1) * 2 >= head.len() => &head[..=end],
        _ => head,
    }
}

/// `tail` from its first line break on, if that keeps at least half of it.
fn whole_lines_of_tail<'t>(tail: &'t str, text: &str) -> &'t str {
    if text[..text.len() - tail.len()].ends_with('\n') {
        return tail;
    }
    match tail.find('\n') {
        Some(start) if (tail.len() - start - 1) * 2 >= tail.len() => &tail[start + 1..],
        _ => tail,
    }
}

#[cfg(test)]
mod tests {
    use std::cell::Cell;
    use std::rc::Rc;

    use super::*;
    use crate::tokenizer::{Encoding, Tokenizer};

    fn limit(measure: Measure, most: usize) -> Limit {
        Limit { measure, most, head_share: 0.5 }
    }

    fn lines(count: usize) -> String {
        let lines: Vec<String> = (1..=count).map(|n| format!("line {n}\n")).collect();
        lines.concat()
    }

    #[test]
    fn words_are_cut_without_a_line_that_counts_theirs() {
        let meter = Meter::of_words();
        let text = format!("Total output lines: 812\n{}", lines(200));
        let once = cut_words(&text, 60, 0.5, &meter).unwrap();
        assert!(once.starts_with("Total output lines: 812\n"), "{once}");
        let twice = cut_words(&once, 30, 0.5, &meter).unwrap();
        assert_eq!(Some(twice), cut_words(&text, 30, 0.5, &meter));
    }

    #[test]
    fn only_the_beginning_stays_where_a_marker_counts_as_much_as_the_rest() {
        let meter = Meter::new(Encoding::O200kBase);
        let spaces = " ".repeat(900);
        let shorter = cut(&spaces, &limit(Measure::Bytes, 80), &meter).unwrap();
        assert_eq!(shorter, format!("{}{}", &spaces[..77], marks::REST));
    }

    #[test]
    fn keeps_both_ends_within_the_limit() {
        let text = lines(40);
        let shorter = cut(&text, &limit(Measure::Tokens, 15), &Meter::of_words()).unwrap();
        assert_eq!(
            shorter,
            "Total output lines: 40\nline 1\nline 2\n…72 tokens truncated…\nline 39\nline 40\n"
        );
        assert_eq!(Meter::of_words().text(&shorter), 15);
    }

    /// Counts a token per byte, and adds up the lengths of all texts it is given.
    struct Measured(Rc<Cell<usize>>);

    impl Tokenizer for Measured {
        fn count(&self, text: &str) -> usize {
            self.0.set(self.0.get() + text.len());
            text.len()
        }

        fn prefix<'t>(&self, text: &'t str, most: usize) -> &'t str {
            &text[..most.min(text.len())]
        }

        fn suffix<'t>(&self, text: &'t str, most: usize) -> &'t str {
            &text[text.len() - most.min(text.len())..]
        }
    }

    #[test]
    fn a_long_text_is_measured_once_however_often_it_is_cut() {
        let measured = Rc::new(Cell::new(0));
        let meter = Meter::with(Box::new(Measured(Rc::clone(&measured))), None);
        let text = "a".repeat(1_000_000);
        let whole = Whole::of(&text, Measure::Tokens, &meter);
        for most in (100..1100).step_by(100) {
            assert!(whole.cut(&limit(Measure::Tokens, most), &meter).is_some());
        }
        assert!(measured.get() < text.len() + 100_000, "{}", measured.get());
    }

    #[test]
    fn a_cut_text_is_cut_as_the_whole_it_was() {
        let text = lines(40);
        let once = cut(&text, &limit(Measure::Tokens, 19), &Meter::of_words()).unwrap();
        assert_eq!(cut(&once, &limit(Measure::Tokens, 19), &Meter::of_words()), None);
        let twice = cut(&once, &limit(Measure::Tokens, 15), &Meter::of_words()).unwrap();
        assert_eq!(Some(twice), cut(&text, &limit(Measure::Tokens, 15), &Meter::of_words()));
    }

    #[test]
    fn what_is_cut_says_so_however_little_may_stay() {
        let meter = Meter::new(Encoding::default());
        for most in 1..12 {
            let shorter = cut(&lines(400), &limit(Measure::Tokens, most), &meter).unwrap();
            assert!(shorter.contains('…'), "{most}: {shorter}");
        }
        let shorter = |most| cut("one two three", &limit(Measure::Chars, most), &meter);
        assert_eq!(shorter(5).as_deref(), Some("one …"));
        assert_eq!(shorter(0).as_deref(), Some(""));
    }

    #[test]
    fn never_splits_a_character() {
        let text = "é".repeat(400);
        for most in 0..120 {
            for measure in [Measure::Bytes, Measure::Chars] {
                let shorter = cut(&text, &limit(measure, most), &Meter::new(Encoding::default()));
                assert!(measure.of(&shorter.unwrap(), &Meter::of_words()) <= most);
            }
        }
    }
}
