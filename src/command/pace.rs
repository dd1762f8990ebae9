//! How many conversations are worked on at once.
//!
//! Responsible for the number of threads if none is given.

use std::num::NonZero;

use crate::cores::cores;

/// How many conversations are handled at once, and in which portions.
#[derive(Clone, Copy, Debug)]
pub struct Pace {
    /// The number of threads.
    pub jobs: usize,
    /// Whether each line of a data set gets a thread, because it waits for a model.
    pub by_line: bool,
}

impl Pace {
    /// As many threads as were asked for, else one per core.
    pub fn of(jobs: Option<NonZero<usize>>) -> Self {
        Self { jobs: jobs.map_or_else(cores, NonZero::get), by_line: false }
    }

    /// As many threads as were asked for, else one: names that depend on existing files are the same in each
    /// run only if conversations are handled one after the other.
    pub fn in_turn(jobs: Option<NonZero<usize>>) -> Self {
        Self { jobs: jobs.map_or(1, NonZero::get), by_line: false }
    }
}
