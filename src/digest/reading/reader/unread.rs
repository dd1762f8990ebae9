//! Results that nobody has read yet, and that go or are cut: the agent waits for them.
//!
//! Responsible for which of their lines matter most: errors, then those at an end.

use std::ops::Range;

/// What an error is worth.
pub(crate) const ERROR: f32 = 20.0;
/// What any other line is worth of a result that goes: at its end twice as much.
const LINE: f32 = 3.0;
/// How many bytes a line has, about, and how near to an end the first is.
const BYTES: f32 = 80.0;
const OF_FIRST: f32 = 0.8;

/// What a line that is no error is worth: most at the end, which tells how it ended, a little less at the
/// beginning, and ever less far from both.
#[allow(clippy::cast_precision_loss, reason = "of large numbers only the ratio counts")]
pub(crate) fn worth(text: &str, line: &Range<usize>) -> f32 {
    let nearness = |bytes: usize| BYTES / (BYTES + bytes as f32);
    LINE * (1.0 + nearness(text.len() - line.end).max(nearness(line.start) * OF_FIRST))
}
