//! The circuit breaker: no more calls after several failures in a row.
//!
//! Relies on the caller to count conversations, not attempts. Invariants: it opens after three failures in a
//! row, and only a success closes it. Until one call succeeds, no more than three are made, however many
//! threads there are, so that a wrong key costs no more with many threads.

use std::sync::{Condvar, Mutex, MutexGuard, PoisonError};

/// The number of conversations in a row that may fail before calls stop.
const ROW: usize = 3;

/// Counts the conversations whose summary failed, in a row.
#[derive(Debug, Default)]
pub struct Breaker {
    state: Mutex<State>,
    changed: Condvar,
}

#[derive(Debug, Default)]
struct State {
    failed_in_a_row: usize,
    under_way: usize,
    has_succeeded: bool,
}

/// The right to ask for one summary; it counts as failed unless it succeeds.
#[derive(Debug)]
pub struct Permit<'b> {
    breaker: &'b Breaker,
    succeeded: bool,
}

impl Breaker {
    /// Waits for the right to ask for a summary; `None` once calls have stopped.
    pub fn permit(&self) -> Option<Permit<'_>> {
        let must_wait = |state: &mut State| {
            let risk = state.failed_in_a_row + state.under_way;
            state.failed_in_a_row < ROW && !state.has_succeeded && risk >= ROW
        };
        let state = self.changed.wait_while(self.state(), must_wait);
        let mut state = state.unwrap_or_else(PoisonError::into_inner);
        if state.failed_in_a_row >= ROW {
            return None;
        }
        state.under_way += 1;
        Some(Permit { breaker: self, succeeded: false })
    }

    fn state(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Permit<'_> {
    /// Records whether the conversation succeeded.
    pub fn record(mut self, succeeded: bool) {
        self.succeeded = succeeded;
    }
}

impl Drop for Permit<'_> {
    fn drop(&mut self) {
        let mut state = self.breaker.state();
        state.under_way -= 1;
        if self.succeeded {
            state.failed_in_a_row = 0;
            state.has_succeeded = true;
        } else {
            state.failed_in_a_row += 1;
        }
        drop(state);
        self.breaker.changed.notify_all();
    }
}

#[cfg(test)]
mod tests {
    use std::sync::atomic::{AtomicUsize, Ordering};
    use std::thread;
    use std::time::Duration;

    use super::*;

    #[test]
    fn three_failures_in_a_row_open_it() {
        let breaker = Breaker::default();
        for succeeded in [false, false, true, false, false, false] {
            breaker.permit().expect("calls are not over").record(succeeded);
        }
        assert!(breaker.permit().is_none());
    }

    #[test]
    fn a_success_under_way_closes_it() {
        let breaker = Breaker::default();
        breaker.permit().unwrap().record(true);
        let late = breaker.permit().unwrap();
        for _ in 0..3 {
            breaker.permit().unwrap().record(false);
        }
        assert!(breaker.permit().is_none());
        late.record(true);
        assert!(breaker.permit().is_some());
    }

    #[test]
    fn many_threads_risk_no_more_than_one() {
        let (breaker, asked) = (Breaker::default(), AtomicUsize::new(0));
        thread::scope(|scope| {
            for _ in 0..8 {
                scope.spawn(|| {
                    while let Some(permit) = breaker.permit() {
                        asked.fetch_add(1, Ordering::SeqCst);
                        thread::sleep(Duration::from_millis(5));
                        permit.record(false);
                    }
                });
            }
        });
        assert_eq!(asked.into_inner(), ROW);
    }
}
