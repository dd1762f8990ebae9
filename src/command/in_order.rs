//! Work for several threads, whose results are taken in the order in which the work was given out.
//!
//! Responsible for giving out only a few units ahead of the results, so that memory does not grow with the
//! input, and for starting a thread only if it has something to do. Relies on [`cores`](crate::cores) for new
//! threads. Invariant: results are taken one at a time and in order.

use std::sync::{Condvar, Mutex, MutexGuard, PoisonError};
use std::thread::{self, Scope};

use crate::cores::spawn_beside;
use crate::ordered::Ordered;

/// A unit of work, as it is given out.
pub(super) struct Unit<U> {
    /// The work.
    pub(super) unit: U,
    /// Whether this is the last unit, as far as is known.
    pub(super) is_last: bool,
}

/// Does `work` on the units that `next` gives out, with at most `jobs` threads, and passes the results to
/// `take`. A thread may be `ahead` units beyond the oldest unfinished one, so up to that many results wait
/// for a slow unit.
///
/// Each thread makes its own `worker`, which is told whether all results before its unit were taken already.
///
/// # Errors
///
/// A worker can't be made; then no further units are given out.
pub(super) fn in_order<U, T, W>(
    jobs: usize,
    ahead: usize,
    next: impl FnMut() -> Option<Unit<U>> + Send,
    worker: impl Fn() -> anyhow::Result<W> + Sync,
    take: impl FnMut(T) + Send,
) -> anyhow::Result<()>
where
    U: Send,
    T: Send,
    W: FnMut(U, bool) -> T,
{
    let results = Results { in_order: Ordered::new(take), end: None };
    let shop = Shop {
        jobs,
        ahead: jobs * ahead,
        orders: Mutex::new(Orders { next, given: 0, threads: 1 }),
        results: Mutex::new(results),
        changed: Condvar::new(),
        worker,
    };
    thread::scope(|scope| shop.run(scope));
    let results = shop.results.into_inner().unwrap_or_else(PoisonError::into_inner);
    results.end.unwrap_or(Ok(()))
}

/// The source of units.
struct Orders<N> {
    next: N,
    given: usize,
    threads: usize,
}

/// The results so far.
struct Results<T, D> {
    in_order: Ordered<T, D>,
    /// Why the work ends, once it does.
    end: Option<anyhow::Result<()>>,
}

/// The state that the threads share.
struct Shop<N, T, D, F> {
    jobs: usize,
    /// How many results may wait.
    ahead: usize,
    orders: Mutex<Orders<N>>,
    results: Mutex<Results<T, D>>,
    /// Signals that a result was taken, or that the work ends.
    changed: Condvar,
    worker: F,
}

impl<U, T, N, D, F, W> Shop<N, T, D, F>
where
    U: Send,
    T: Send,
    N: FnMut() -> Option<Unit<U>> + Send,
    D: FnMut(T) + Send,
    F: Fn() -> anyhow::Result<W> + Sync,
    W: FnMut(U, bool) -> T,
{
    /// The main loop of a thread.
    fn run<'s>(&'s self, scope: &'s Scope<'s, '_>) {
        let _alarm = Alarm(self);
        let mut worker = match (self.worker)() {
            Ok(worker) => worker,
            Err(error) => return self.end(Err(error)),
        };
        while let Some((number, unit, is_next, hires)) = self.order() {
            if hires {
                let _ = spawn_beside(scope, || self.run(scope));
            }
            self.deliver(number, worker(unit, is_next));
        }
    }

    /// Waits until there is room for another result, and takes the next unit. Returns its number, the unit,
    /// whether all results before it were taken, and whether another thread would have work.
    fn order(&self) -> Option<(usize, U, bool, bool)> {
        let mut orders = lock(&self.orders);
        let number = orders.given;
        let is_far_ahead = |results: &mut Results<T, D>| {
            results.end.is_none() && number >= results.in_order.taken() + self.ahead
        };
        let results = self.changed.wait_while(lock(&self.results), is_far_ahead);
        let results = results.unwrap_or_else(PoisonError::into_inner);
        let (is_next, is_over) = (results.in_order.taken() == number, results.end.is_some());
        drop(results);
        let Unit { unit, is_last } = (orders.next)().filter(|_| !is_over)?;
        orders.given += 1;
        let hires = !is_last && orders.threads < self.jobs;
        orders.threads += usize::from(hires);
        Some((number, unit, is_next, hires))
    }

    /// Adds a result, and takes all results whose turn it is.
    fn deliver(&self, number: usize, result: T) {
        lock(&self.results).in_order.add(number, result);
        self.changed.notify_all();
    }
}

impl<N, T, D, F> Shop<N, T, D, F> {
    fn end(&self, result: anyhow::Result<()>) {
        lock(&self.results).end.get_or_insert(result);
        self.changed.notify_all();
    }
}

/// Ends the work if a thread panics, so that no thread waits for its result forever.
struct Alarm<'s, N, T, D, F>(&'s Shop<N, T, D, F>);

impl<N, T, D, F> Drop for Alarm<'_, N, T, D, F> {
    fn drop(&mut self) {
        if thread::panicking() {
            self.0.end(Ok(()));
        }
    }
}

fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

#[cfg(test)]
mod tests {
    use std::sync::atomic::{AtomicUsize, Ordering};
    use std::time::Duration;

    use super::*;

    const AHEAD: usize = 4;

    fn numbers(most: usize) -> impl FnMut() -> Option<Unit<usize>> + Send {
        let mut numbers = 0..most;
        move || Some(Unit { unit: numbers.next()?, is_last: numbers.is_empty() })
    }

    #[test]
    fn results_come_in_order_and_not_far_ahead() {
        for jobs in [1, 2, 7] {
            let (taken, ahead) = (AtomicUsize::new(0), AtomicUsize::new(0));
            let mut results = Vec::new();
            let work = |number: usize, _| {
                ahead.fetch_max(number - taken.load(Ordering::SeqCst), Ordering::SeqCst);
                thread::sleep(Duration::from_micros(number as u64 * 7919 % 300));
                number
            };
            let take = |number| {
                taken.fetch_add(1, Ordering::SeqCst);
                results.push(number);
            };
            in_order(jobs, AHEAD, numbers(200), || Ok(work), take).unwrap();
            assert_eq!(results, (0..200).collect::<Vec<_>>());
            assert!(ahead.into_inner() <= jobs * AHEAD);
        }
    }

    #[test]
    fn threads_are_hired_for_work_only() {
        for (units, expected) in [(0, 1), (1, 1), (2, 2), (50, 4)] {
            let made = AtomicUsize::new(0);
            let worker = || {
                made.fetch_add(1, Ordering::SeqCst);
                Ok(|_: usize, _| thread::sleep(Duration::from_millis(2)))
            };
            in_order(4, AHEAD, numbers(units), worker, |()| {}).unwrap();
            assert_eq!(made.into_inner(), expected, "{units}");
        }
    }

    #[test]
    fn without_a_worker_nothing_is_done() {
        let none = || -> anyhow::Result<fn(usize, bool)> { anyhow::bail!("no worker") };
        assert!(
            in_order(3, AHEAD, numbers(9), none, |()| unreachable!("nothing is done")).is_err()
        );
    }

    #[test]
    fn a_panic_is_not_waited_for() {
        let work = |number, _| assert_ne!(number, 5, "a panic");
        let run = || in_order(3, AHEAD, numbers(usize::MAX), || Ok(work), |()| {});
        assert!(std::panic::catch_unwind(run).is_err());
    }
}
