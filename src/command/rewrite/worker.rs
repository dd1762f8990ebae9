//! The worker of one core, which handles pieces of inputs.
//!
//! Responsible for the messages about a piece, and for the conversations before a line that can't be read. It
//! relies on `piece` for the conversations.

use std::mem::replace;

use super::inputs::ReadPiece;
use super::piece::Undone;
use super::{Done, Product, Rewrite};
use crate::cli::Reading;
use crate::command::{Shell, fail};
use crate::input::Name;

pub(super) struct Worker<'r, R> {
    pub(super) rewrite: R,
    pub(super) names: &'r [Name],
    pub(super) reading: &'r Reading,
    /// Whether all inputs share the output.
    pub(super) is_shared: bool,
    pub(super) undone: Undone,
    pub(super) quiet: bool,
}

impl<R: Rewrite> Worker<'_, R> {
    /// Returns the results of a piece: that of the lines before a broken one, if there are any, and its own.
    pub(super) fn take(&mut self, read: ReadPiece, is_next: bool) -> Vec<Done<R::Report>> {
        let ReadPiece { input, version, what } = read;
        let done = |shell: Shell, product| Done { version, said: shell.finish(), product };
        let (mut all, mut shell) = (Vec::new(), self.shell(is_next));
        let mut product = match what {
            Ok(None) => Ok(Product::End),
            Err(why) => Err(why.into()),
            Ok(Some(piece)) => self.rewritten(input, piece, &mut shell),
        };
        // A pipe gets what can be done, up to the broken line.
        let refused = product.as_mut().err().filter(|_| self.undone == Undone::IsLeftOut);
        if let Some(before) = refused.and_then(|refused| refused.before.take()) {
            match self.rewritten(input, *before, &mut shell) {
                Ok(first) => all.push(done(replace(&mut shell, self.shell(false)), Ok(first))),
                failed => product = failed,
            }
        }
        let product = product.map_err(|refused| {
            fail(&mut shell, &self.names[input], &refused.why);
            refused.reports
        });
        all.push(done(shell, product));
        all
    }

    fn shell(&self, is_next: bool) -> Shell {
        Shell::in_turn(self.quiet, is_next).before_writing()
    }
}
