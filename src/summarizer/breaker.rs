//! The breaker: after a row of failures, no more calls.
//!
//! Relies on the caller to count conversations, not attempts. Invariant: it opens after three
//! failures in a row, and only a success closes it. Threads may share one.

use std::sync::atomic::{AtomicUsize, Ordering};

/// How many conversations in a row may fail before no more calls are made.
const ROW: usize = 3;

/// Counts the conversations whose summary failed, in a row.
#[derive(Debug, Default)]
pub struct Breaker(AtomicUsize);

impl Breaker {
    /// Tells whether calls are over.
    pub fn is_open(&self) -> bool {
        self.0.load(Ordering::Relaxed) >= ROW
    }

    /// Takes note of how a conversation went.
    pub fn record(&self, succeeded: bool) {
        if succeeded {
            self.0.store(0, Ordering::Relaxed);
        } else {
            self.0.fetch_add(1, Ordering::Relaxed);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::Breaker;

    #[test]
    fn three_failures_in_a_row_open_it() {
        let breaker = Breaker::default();
        for succeeded in [false, false, true, false, false] {
            breaker.record(succeeded);
            assert!(!breaker.is_open());
        }
        breaker.record(false);
        assert!(breaker.is_open());
        breaker.record(true);
        assert!(!breaker.is_open());
    }
}
