//! Limits of size: the window of a model, and a count that must not be exceeded.
//!
//! Plain functions of numbers: the caller decides who counted and for which model.

use super::OwnRule;

/// The conversation reaches the threshold.
pub const THRESHOLD: OwnRule = OwnRule {
    name: "threshold",
    holds: "the conversation counts fewer tokens than the threshold",
    repair: "compact",
};

/// The conversation is over the hard limit.
pub const HARD_LIMIT: OwnRule = OwnRule {
    name: "hard-limit",
    holds: "it counts no more tokens than --hard",
    repair: "compact, or truncate --budget",
};

/// The window is too small to work in.
pub const WINDOW: OwnRule = OwnRule {
    name: "window",
    holds: "a window that is given has 16,000 tokens or more",
    repair: "choose a model with a larger window",
};

/// A window of fewer tokens is worth a warning.
pub const SMALL_WINDOW: usize = 32_000;

/// A window of fewer tokens is too small to work in.
pub const LEAST_WINDOW: usize = 16_000;

/// The verdict on a window.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum WindowGuard {
    /// Nothing.
    Fine,
    /// It is small: a warning.
    Small,
    /// It is too small: a fault.
    TooSmall,
}

/// Judges a window, in tokens.
pub fn guard_window(window: usize) -> WindowGuard {
    match window {
        ..LEAST_WINDOW => WindowGuard::TooSmall,
        LEAST_WINDOW..SMALL_WINDOW => WindowGuard::Small,
        _ => WindowGuard::Fine,
    }
}

/// The fault, in words, if `tokens` exceed the hard limit.
pub fn over_hard_limit(tokens: usize, hard: usize) -> Option<String> {
    (tokens > hard).then(|| format!("{tokens} tokens are over the hard limit of {hard}"))
}

/// Scales `tokens` to the provider's count, which was `recorded` for a conversation that counts `own`.
pub fn corrected(tokens: usize, own: usize, recorded: usize) -> usize {
    if own == 0 {
        return tokens;
    }
    let exact = tokens as u128 * recorded as u128 / own as u128;
    usize::try_from(exact).unwrap_or(usize::MAX)
}

#[cfg(test)]
mod tests {
    use super::WindowGuard::{Fine, Small, TooSmall};
    use super::*;

    #[test]
    fn windows_are_judged_at_their_exact_limits() {
        let judged = [15_999, 16_000, 31_999, 32_000].map(guard_window);
        assert_eq!(judged, [TooSmall, Small, Small, Fine]);
        let least = format!("{},000 tokens or more", LEAST_WINDOW / 1000);
        assert!(WINDOW.holds.ends_with(&least), "{}", WINDOW.holds);
    }

    #[test]
    fn a_hard_limit_may_be_reached_and_not_exceeded() {
        assert_eq!(over_hard_limit(10, 10), None);
        assert_eq!(over_hard_limit(11, 10).unwrap(), "11 tokens are over the hard limit of 10");
    }

    #[test]
    fn recorded_usage_corrects_in_proportion() {
        assert_eq!(corrected(100, 200, 300), 150);
        assert_eq!(corrected(100, 0, 300), 100);
    }
}
