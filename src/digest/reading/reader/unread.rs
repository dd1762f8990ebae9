//! Results that nobody has read yet, and that go or are cut: the agent waits for them.
//!
//! Responsible for which of their lines matter most: the first errors, then those at an end.

use std::ops::Range;

use super::Reader;
use crate::digest::calls::outcome;
use crate::digest::reading::survey::Unread;
use crate::digest::text::records::Field;
use crate::hash::hash;

/// What an error is worth, and how many of a result are taken for some: more mostly have one cause. Where most lines
/// are, they are hits of a search, and none.
pub(super) const ERROR: f32 = 20.0;
const ERRORS: usize = 8;
/// What any other line is worth of a result that goes: at its end twice as much.
const LINE: f32 = 3.0;
/// How many bytes a line has, about, and how near to an end the first is.
const BYTES: f32 = 80.0;
const OF_FIRST: f32 = 0.8;

impl Reader<'_> {
    /// Begins a result.
    pub(super) fn begin_result(&mut self, text: &str) {
        let is_new = self.is_unread || self.gap.is_some();
        let errors = || text.lines().filter(|line| outcome::is_error_line(line)).count();
        let has_hits = is_new && errors() > ERRORS.max(text.lines().count() / 2);
        self.errors = (!has_hits).then(Vec::new);
    }

    /// What a part of a result is to who waits for it, and what it is worth.
    pub(super) fn unread(&mut self, text: &str, range: &Range<usize>) -> (Unread, f32) {
        let line = &text[range.clone()];
        // What is drawn of blocks and rules says nothing.
        let says = || line.chars().any(char::is_alphanumeric);
        if !self.is_unread && self.gap.is_none() || self.shows(range) || !says() {
            return (Unread::No, 0.0);
        }
        if self.is_error(line) {
            return (Unread::Error, ERROR);
        }
        if self.is_unread { (Unread::Line, worth(text, range)) } else { (Unread::No, 0.0) }
    }

    /// Whether a line is one of the first errors of the result, or one of them again.
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

    /// What a field of a record is: an error is one that has a value.
    pub(super) fn unread_field(&mut self, text: &str, field: &Field) -> Unread {
        const NOTHING: &[&str] = &["null", "false", "0", "", "none", "None"];
        let value = text[field.value.clone()].trim_matches('"');
        match NOTHING.contains(&value) {
            true if self.is_unread => Unread::Line,
            true => Unread::No,
            false => self.unread(text, &field.range).0,
        }
    }
}

/// What a line that is no error is worth: most at the end, which tells how it ended, a little less at the
/// beginning, and ever less far from both.
#[allow(clippy::cast_precision_loss, reason = "of large numbers only the ratio counts")]
fn worth(text: &str, line: &Range<usize>) -> f32 {
    let nearness = |bytes: usize| BYTES / (BYTES + bytes as f32);
    LINE * (1.0 + nearness(text.len() - line.end).max(nearness(line.start) * OF_FIRST))
}
