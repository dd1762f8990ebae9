//! Results that nobody has read yet and that are summarised or cut: the agent waits for them.
//!
//! Responsible for choosing the lines that matter most: the first errors, then the lines at both ends.

use std::ops::Range;

use super::Reader;
use crate::digest::calls::outcome;
use crate::digest::reading::survey::Unread;
use crate::digest::text::records::Field;
use crate::hash::hash;

/// The worth of an error.
pub(super) const ERROR: f32 = 20.0;
/// How many errors of a result count: more mostly have the same cause. If most lines look like errors, they
/// are hits of a search, and none counts.
const ERRORS: usize = 8;
/// The worth of any other line of a summarised result; at its end twice as much.
const LINE: f32 = 3.0;
/// The distance in bytes at which the nearness to an end has fallen to half: about a line.
const BYTES: f32 = 80.0;
/// The factor for the nearness to the beginning, beside that to the end.
const OF_FIRST: f32 = 0.8;

/// What the agent still waits for in a result; by default nothing.
#[derive(Default)]
pub(crate) struct Awaited {
    /// Whether nobody has read the result yet and it is summarised: some of it is always told.
    pub(super) is_unread: bool,
    /// The range of a visible result that is nevertheless left out.
    gap: Option<Range<usize>>,
    /// The hashes of the errors found so far; `None` if the error lines are hits of a search.
    errors: Option<Vec<u64>>,
}

impl Awaited {
    pub(crate) fn of(text: &str, is_unread: bool, gap: Option<Range<usize>>) -> Self {
        let errors = || text.lines().filter(|line| outcome::is_error_line(line)).count();
        let is_awaited = is_unread || gap.is_some();
        let has_hits = is_awaited && errors() > ERRORS.max(text.lines().count() / 2);
        Self { is_unread, gap, errors: (!has_hits).then(Vec::new) }
    }

    pub(super) fn is_some(&self) -> bool {
        self.is_unread || self.is_cut()
    }

    /// Whether the result is visible but for a gap.
    pub(super) fn is_cut(&self) -> bool {
        self.gap.is_some()
    }

    /// Whether a part of the result lies in its gap.
    pub(super) fn leaves_out(&self, range: &Range<usize>) -> bool {
        self.gap.as_ref().is_some_and(|gap| gap.start <= range.start && range.end <= gap.end)
    }

    /// Whether a line is one of the first errors of the result, or repeats one of them.
    fn is_error(&mut self, line: &str) -> bool {
        let Some(errors) = self.errors.as_mut().filter(|_| outcome::is_error_line(line)) else {
            return false;
        };
        let is_known = errors.iter().any(|known| *known == hash(line.as_bytes()));
        if !is_known && errors.len() < ERRORS {
            errors.push(hash(line.as_bytes()));
            return true;
        }
        is_known
    }
}

impl Reader<'_> {
    /// Whether a part of a result is unread, and its worth as such.
    pub(super) fn unread(&mut self, text: &str, range: &Range<usize>) -> (Unread, f32) {
        let line = &text[range.clone()];
        // A line that is drawn of blocks and rules says nothing.
        let says = || line.chars().any(char::is_alphanumeric);
        if !self.awaited.is_some() || self.shows(range) || !says() {
            return (Unread::No, 0.0);
        }
        if self.awaited.is_error(line) {
            return (Unread::Error, ERROR);
        }
        if self.awaited.is_unread { (Unread::Line, worth(text, range)) } else { (Unread::No, 0.0) }
    }

    /// Whether a field of a record is unread. An error counts as one only if the field has a value.
    pub(super) fn unread_field(&mut self, text: &str, field: &Field) -> Unread {
        const NOTHING: &[&str] = &["null", "false", "0", "", "none", "None"];
        let value = text[field.value.clone()].trim_matches('"');
        match NOTHING.contains(&value) {
            true if self.awaited.is_unread => Unread::Line,
            true => Unread::No,
            false => self.unread(text, &field.range).0,
        }
    }
}

/// The worth of a line that is no error: most at the end, which tells how it all ended, a little less at
/// the beginning, and less the farther it is from both.
#[allow(clippy::cast_precision_loss, reason = "of large numbers only the ratio counts")]
fn worth(text: &str, line: &Range<usize>) -> f32 {
    let nearness = |bytes: usize| BYTES / (BYTES + bytes as f32);
    LINE * (1.0 + nearness(text.len() - line.end).max(nearness(line.start) * OF_FIRST))
}
