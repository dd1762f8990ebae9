//! Numbers that fit into a room.
//!
//! Responsible for shares of a number, the level at which sizes fit, and the largest number that works.

use std::ops::Range;

/// A number times a share or factor, made whole by `round`.
#[allow(
    clippy::cast_possible_truncation,
    clippy::cast_sign_loss,
    clippy::cast_precision_loss,
    reason = "counts are far below 2^52, and no factor is negative"
)]
pub(crate) fn scaled(number: usize, factor: f64, round: fn(f64) -> f64) -> usize {
    round(number as f64 * factor) as usize
}

/// The level to which all larger sizes have to be reduced so that the sum is at most `room`. It limits
/// nothing if the sum fits already.
pub(crate) fn level_within(mut room: usize, mut sizes: Vec<usize>) -> usize {
    sizes.sort_unstable();
    let mut left = sizes.len();
    for size in sizes {
        if size.saturating_mul(left) > room {
            return room / left;
        }
        room -= size;
        left -= 1;
    }
    usize::MAX
}

/// The result of `of` for the largest number for which it has one, given that it has none for any larger
/// number.
pub(crate) fn largest<T>(
    mut numbers: Range<usize>,
    mut of: impl FnMut(usize) -> Option<T>,
) -> Option<T> {
    let mut best = None;
    while !numbers.is_empty() {
        let middle = usize::midpoint(numbers.start, numbers.end - 1);
        match of(middle) {
            Some(better) => (numbers.start, best) = (middle + 1, Some(better)),
            None => numbers.end = middle,
        }
    }
    best
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn levels_fill_the_room() {
        assert_eq!(level_within(10, vec![5, 5]), usize::MAX);
        assert_eq!(level_within(102, vec![2, 100, 100]), 50);
        assert_eq!(level_within(0, vec![]), usize::MAX);
    }

    #[test]
    fn the_largest_number_that_is_small_enough_is_found() {
        for most in 0..9 {
            let found = largest(1..8, |number| (number <= most).then_some(number));
            assert_eq!(found, Some(most.min(7)).filter(|most| *most > 0));
        }
        assert_eq!(largest(5..5, Some), None);
    }
}
