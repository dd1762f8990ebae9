//! The outputs of a run, and the reports on them.
//!
//! Responsible for the order of events: a file is replaced, then reported as done, and the archive that it
//! names is kept. If it is not replaced, nothing is reported and the archive is removed; a signal comes
//! before both or after both. It relies on `sink` for where results go.

use std::mem::take;
use std::path::Path;

use super::piece::Undone;
use super::sink::{Rewritten, Sink};
use super::{Done, Product};
use crate::command::shell::print_error;
use crate::command::{Outcome, Shell, Sums, fail};
use crate::input::Name;
use crate::interrupt;
use crate::line::counted;
use crate::output::{NewFiles, Version, shown};
use crate::progress::Progress;

/// The outputs of a run, and the state of reporting.
pub(super) struct Outputs<'r, 's, F, T> {
    pub(super) names: &'r [Name],
    /// The output that all inputs share.
    pub(super) shared: Option<Sink>,
    /// The output of the current input, if each has its own.
    pub(super) own: Option<Sink>,
    pub(super) shell: &'s mut Shell,
    pub(super) report: F,
    /// Reports that become true once the file is replaced.
    pub(super) pending: Pending<T>,
    pub(super) progress: Progress,
    /// Counts of the conversations of the current input.
    pub(super) sums: Sums,
    /// What becomes of conversations that can't be done.
    pub(super) undone: Undone,
}

/// Reports on results, and the files that these name.
pub(super) struct Pending<T> {
    done: String,
    reports: Vec<T>,
    files: NewFiles,
}

impl<T> Default for Pending<T> {
    fn default() -> Self {
        Self { done: String::new(), reports: Vec::new(), files: NewFiles::default() }
    }
}

impl<F: FnMut(T), T> Outputs<'_, '_, F, T> {
    /// Writes the result of a piece; returns the index of the first input that is still wanted.
    pub(super) fn take(&mut self, input: usize, done: Done<T>) -> usize {
        print_error(&done.said.held);
        self.shell.note(done.said.outcome);
        self.sums.add(done.said.sums);
        let name = &self.names[input];
        let written = match done.product {
            Ok(Product::Rewritten { text, reports, files, told }) => {
                told.into_iter().for_each(&mut self.report);
                self.progress.advance(text.bytes.len());
                self.pending.done.push_str(&done.said.done);
                self.pending.reports.extend(reports);
                self.pending.files.append(files);
                self.put(name, done.version, text)
            }
            Ok(Product::End) => self.end().inspect(|()| self.tell_sums(name)),
            Err(reports) => {
                self.give_up();
                reports.into_iter().for_each(&mut self.report);
                return self.done(input + 1);
            }
        };
        if let Err(error) = &written {
            fail(self.shell, name, error);
            self.give_up();
        }
        self.done(if written.is_err() { input + 1 } else { 0 })
    }

    /// Finishes the output that all inputs share; `to_file` is its name.
    pub(super) fn finish(mut self, to_file: Option<&Path>) -> anyhow::Result<()> {
        match (to_file, self.shared.take()) {
            (Some(path), Some(shared))
                if shared.is_file() && self.shell.outcome() == Outcome::Trouble =>
            {
                self.shell.warn(format_args!("{}: not written", shown(path)));
            }
            (_, Some(shared)) => {
                interrupt::uninterrupted(|| {
                    shared.finish_as_new().map(|()| take(&mut self.pending.files).keep())
                })?;
                tell(&mut self.pending, &mut self.report);
            }
            (_, None) => {}
        }
        Ok(())
    }

    /// Reports how many conversations of a data set stay as they are, and how many could not be done.
    fn tell_sums(&mut self, name: &Name) {
        let sums = take(&mut self.sums);
        let Sums { all, fitting, over, refused, .. } = sums;
        let all = counted(all, "conversation");
        if fitting > 0 {
            let fit = if fitting == 1 { "fits and is" } else { "fit and are" };
            self.shell.say(format_args!("{name}: {fitting} of {all} {fit} unchanged"));
        }
        if over > 0 {
            let are = if over == 1 { "is" } else { "are" };
            let why = "over the budget, but under the threshold: unchanged";
            let line = format_args!("{name}: {over} of {all} {are} {why}");
            self.shell.warn_with_hint(line, Some("--force compacts to the budget"));
        }
        self.shell.tell_refused(&format!("{name}: "), sums, self.undone.of(refused));
    }

    /// Gives up the current input.
    fn give_up(&mut self) {
        (self.own, self.pending) = (None, Pending::default());
        self.sums = Sums::default();
    }

    /// The first input that is still wanted: the given one, or none if no one reads the output.
    fn done(&self, input: usize) -> usize {
        let is_over = self.shared.as_ref().is_some_and(Sink::is_closed);
        if is_over { self.names.len() } else { input }
    }

    fn put(
        &mut self,
        name: &Name,
        version: Option<Version>,
        text: Rewritten,
    ) -> anyhow::Result<()> {
        let sink = match (&mut self.shared, &mut self.own) {
            (Some(shared), _) => shared,
            (None, Some(own)) => own,
            (None, none) => none.insert(Sink::in_place(name, version)),
        };
        if sink.is_file() {
            return sink.put(text);
        }
        if sink.may_be_full() {
            // A reader may have seen the names of the files by the time of an error.
            take(&mut self.pending.files).keep();
            sink.put(text)?;
            sink.flush()?;
            tell(&mut self.pending, &mut self.report);
            return Ok(());
        }
        // A reader has seen everything that was written, even if a later write fails.
        tell(&mut self.pending, &mut self.report);
        sink.put(text)
    }

    /// Finishes the output at the end of an input.
    fn end(&mut self) -> anyhow::Result<()> {
        match (&mut self.shared, self.own.take()) {
            (None, Some(own)) => {
                interrupt::uninterrupted(|| {
                    own.finish().map(|()| take(&mut self.pending.files).keep())
                })?;
                tell(&mut self.pending, &mut self.report);
                Ok(())
            }
            (Some(shared), _) => shared.flush(),
            (None, None) => Ok(()),
        }
    }
}

/// Passes on the reports on results that are written now.
fn tell<T>(pending: &mut Pending<T>, report: impl FnMut(T)) {
    let Pending { done, reports, files } = take(pending);
    files.keep();
    print_error(&done);
    reports.into_iter().for_each(report);
}
