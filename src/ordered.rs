//! Results of several threads, taken in the order in which the work was given out.

use std::collections::BTreeMap;

/// Passes numbered results to `take`, each as soon as all results before it were passed.
pub(crate) struct Ordered<T, F> {
    take: F,
    taken: usize,
    /// Results that came before an earlier one.
    waiting: BTreeMap<usize, T>,
}

impl<T, F: FnMut(T)> Ordered<T, F> {
    pub(crate) fn new(take: F) -> Self {
        Self { take, taken: 0, waiting: BTreeMap::new() }
    }

    /// How many results were taken, which is the number of the next one.
    pub(crate) fn taken(&self) -> usize {
        self.taken
    }

    pub(crate) fn add(&mut self, number: usize, result: T) {
        self.waiting.insert(number, result);
        while let Some(next) = self.waiting.remove(&self.taken) {
            self.taken += 1;
            (self.take)(next);
        }
    }
}
