//! The part of a piece before a line that can't be read.
//!
//! Responsible for finding the conversations of a data set that are complete before the broken line, so that
//! they are processed as if the line had not been read yet.

use std::cell::OnceCell;

use super::{InputError, Name, Piece, first_conversation};
use crate::dialect::Dialect;

/// On how many lines before the one that shows the error a broken value may begin.
const LINES: usize = 4;

impl Piece {
    /// The part before the line for which the piece was `refused`, if it consists of conversations of a data
    /// set.
    pub(crate) fn before(
        &self,
        name: &Name,
        refused: &InputError,
        dialect: Option<&'static dyn Dialect>,
    ) -> Option<Self> {
        let (line, _) = refused.place?;
        let begins_set = || {
            let first = first_conversation(&self.bytes, dialect);
            first.is_some_and(|(is_one, _)| is_one)
        };
        if !self.is_data_set && !begins_set() {
            return None;
        }
        let breaks = memchr::memchr_iter(b'\n', &self.bytes).map(|at| at + 1);
        let ends: Vec<usize> = breaks.take(line.checked_sub(self.lines + 1)?).collect();
        // The broken value may begin on a line before the one that shows the error.
        ends.into_iter().rev().take(LINES).find_map(|end| {
            let before = Self {
                bytes: self.bytes[..end].to_vec(),
                is_data_set: true,
                is_last: false,
                ends: OnceCell::new(),
                ..*self
            };
            let is_whole = before.parse(name).is_ok_and(|(document, _)| {
                let is_set = self.is_data_set || document.values().len() > 1;
                is_set && document.torn().is_none()
            });
            is_whole.then_some(before)
        })
    }
}
