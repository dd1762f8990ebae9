//! How many conversations are worked on at once.
//!
//! Responsible for the number of threads where nobody names one.

use std::num::NonZero;

use crate::cores::cores;

/// How many conversations are handled at once, and in which portions.
#[derive(Clone, Copy, Debug)]
pub struct Pace {
    /// How many threads work.
    pub jobs: usize,
    /// Whether a line of a data set is worth a thread: it waits for a model.
    pub by_line: bool,
}

impl Pace {
    /// As many as were asked for, or one for each core.
    pub fn of(jobs: Option<NonZero<usize>>) -> Self {
        Self { jobs: jobs.map_or_else(cores, NonZero::get), by_line: false }
    }

    /// As many as were asked for, or one: what is called by what is there already is called the same each time
    /// only where one conversation follows the other.
    pub fn in_turn(jobs: Option<NonZero<usize>>) -> Self {
        Self { jobs: jobs.map_or(1, NonZero::get), by_line: false }
    }
}
