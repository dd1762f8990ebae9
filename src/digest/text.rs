//! What can be said of a text on its own.
//!
//! Responsible for what a text consists of (units, names, words), what its sentences do, and how lines of the
//! digest quote it and point at it. It relies on nothing else of the digest: no call, no file, no budget.

pub(super) mod asides;
pub(super) mod attached;
pub(super) mod colours;
pub(super) mod common;
pub(super) mod cues;
pub(super) mod index;
pub(super) mod kinds;
pub(super) mod labels;
pub(super) mod lists;
pub(super) mod more;
pub(super) mod names;
pub(super) mod packed;
pub(super) mod point;
pub(super) mod prose;
pub(super) mod questions;
pub(super) mod records;
pub(super) mod rules;
pub(super) mod talk;
pub(super) mod tidy;
pub(super) mod told;
pub(super) mod units;
pub(super) mod words;
