//! Rewriting a piece of an input.
//!
//! Responsible for the edits of all its conversations together, and for what becomes of a conversation that
//! can't be done: it stops its piece, unless it is one of a data set and the fault is its own; then the
//! others go on. It relies on the command for the edits of each.

use super::places::Places;
use super::sink::Rewritten;
use super::worker::Worker;
use super::{Edited, Product, Rewrite};
use crate::command::{Several, Shell, Trouble, Unfit, Visit, forced, hint_of, read_piece};
use crate::dialect::Layout;
use crate::document::Edit;
use crate::input::{self, InputError};

/// What becomes of a conversation of a data set that can't be done.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Undone {
    /// It stops the data set: a file is written whole or not at all, and further conversations would take
    /// long.
    Stops,
    /// Nothing is done, but the others are still examined, as they may have the same fault.
    IsNotDone,
    /// It is left out: output through a pipe is valid and within the budget.
    IsLeftOut,
    /// It stays unchanged in its file, which may be the only copy.
    Stays,
}

/// Appended to an error after which a data set is not read further.
const NOTHING_BEHIND: &str = "; nothing from there on is done";

impl Undone {
    /// Continues behind a conversation that can't be done, and reports the reason; returns its place if it is
    /// left out.
    ///
    /// # Errors
    ///
    /// The conversations behind it can't be done either.
    fn go_on(
        self,
        visit: &Visit<'_, '_>,
        why: anyhow::Error,
        places: &Places<'_, '_>,
        shell: &mut Shell,
    ) -> anyhow::Result<Option<usize>> {
        let Some(&Unfit { least, .. }) = Unfit::among_others(visit, &why) else {
            let mut why = placed(visit, why);
            if self == Self::IsLeftOut && visit.is_one_of_many {
                why.reason.push_str(NOTHING_BEHIND);
            }
            return Err(why.into());
        };
        let mut why = placed(visit, why);
        let mut place = None;
        match self {
            Self::Stops => return Err(why.into()),
            Self::IsNotDone => {}
            Self::Stays => why.reason.push_str("; it stays as it is"),
            Self::IsLeftOut => {
                place = places.alone(visit);
                why.reason.push_str(match place {
                    Some(_) => "; it is left out",
                    None => "; it shares a value with others",
                });
                if place.is_none() {
                    why.reason.push_str(NOTHING_BEHIND);
                    return Err(why.into());
                }
            }
        }
        shell.count_refused(least, "", &why.into());
        Ok(place)
    }

    /// What became of this many conversations, in words.
    pub(super) fn of(self, conversations: usize) -> &'static str {
        match (self, conversations) {
            (Self::Stops | Self::IsNotDone, _) => "can't be done",
            (Self::IsLeftOut, 1) => "is left out",
            (Self::IsLeftOut, _) => "are left out",
            (Self::Stays, 1) => "stays as it is",
            (Self::Stays, _) => "stay as they are",
        }
    }
}

/// The reason why a piece can't be done.
pub(super) struct Refused<T> {
    pub(super) why: anyhow::Error,
    /// The reports on its conversations.
    pub(super) reports: Vec<T>,
    /// The part before the line that can't be read, if that can be done.
    pub(super) before: Option<Box<input::Piece>>,
}

impl<T> From<anyhow::Error> for Refused<T> {
    fn from(why: anyhow::Error) -> Self {
        Self { why, reports: Vec::new(), before: None }
    }
}

impl<R: Rewrite> Worker<'_, R> {
    /// Rewrites a piece of the input with this index.
    pub(super) fn rewritten(
        &mut self,
        input: usize,
        piece: input::Piece,
        shell: &mut Shell,
    ) -> Result<Product<R::Report>, Refused<R::Report>> {
        let (name, is_shared, undone) = (&self.names[input], self.is_shared, self.undone);
        let is_followed = is_shared && input + 1 < self.names.len();
        let Edited { mut edits, mut reports, mut files, .. } = Edited::default();
        let (mut refused, mut told, mut is_read) = (Vec::new(), Vec::new(), false);
        let done = read_piece(name, &piece, self.reading, Several::Refused, &mut |found| {
            is_read = true;
            if is_followed && found.document.torn().is_some() {
                let reason = "the last line breaks off, and another input would follow it";
                return Err(Trouble::new(reason, "name it last, or one at a time").into());
            }
            let places =
                Places::of(found.document, found.conversations.iter().map(|(_, source)| source));
            let mut left_out = Vec::new();
            found.visit(shell, |visit, shell| {
                if is_shared {
                    keep_apart(visit)?;
                }
                let own = self.rewrite.edits(visit, shell);
                let own =
                    own.unwrap_or_else(|why| Edited { refusal: Some(why), ..Edited::default() });
                if let Some(why) = own.refusal {
                    match undone.go_on(visit, why, &places, shell) {
                        Ok(place) => left_out.extend(place),
                        Err(why) => {
                            refused = own.reports;
                            return Err(why);
                        }
                    }
                    let told = if undone == Undone::IsNotDone { &mut told } else { &mut reports };
                    told.extend(own.reports);
                    return Ok(());
                }
                let closing = end_of_line(visit, &own.edits);
                edits.extend(own.edits);
                edits.extend(closing);
                reports.extend(own.reports);
                files.append(own.files);
                Ok(())
            })?;
            edits.extend(places.without(&left_out));
            Ok(())
        });
        if let Err(why) = done {
            let syntax = why.downcast_ref::<InputError>().filter(|_| !is_read);
            let before = syntax.and_then(|syntax| piece.before(name, syntax, forced(self.reading)));
            return Err(Refused { why, reports: refused, before: before.map(Box::new) });
        }
        let end = piece.bytes.len();
        if is_followed && end > 0 && !piece.bytes.ends_with(b"\n") {
            // The next input begins on a line of its own.
            edits.push(Edit { span: end..end, text: "\n".to_owned() });
        }
        edits.sort_by_key(|edit| (edit.span.start, edit.span.end));
        let text = Rewritten { bytes: piece.bytes, edits };
        Ok(Product::Rewritten { text, reports, files, told })
    }
}

/// Ends the changed last line of a log, because the agent will append the next line directly.
fn end_of_line(visit: &Visit<'_, '_>, edits: &[Edit]) -> Option<Edit> {
    let document = visit.document;
    let end = document.bytes().len();
    let is_log = visit.shape.layout == Layout::Stream && visit.conversation.dialect.is_log();
    let is_open = !document.bytes().ends_with(b"\n") && document.torn().is_none();
    let closes = |edit: &Edit| edit.span.end == end && edit.text.ends_with('\n');
    let is_wanted = is_log && is_open && !edits.is_empty() && !edits.iter().any(closes);
    is_wanted.then(|| Edit { span: end..end, text: document.newline().to_owned() })
}

/// Refuses a conversation in lines if other inputs share the output: read back, all lines would be one
/// conversation, and only the last of several sessions would survive.
fn keep_apart(visit: &Visit<'_, '_>) -> Result<(), Trouble> {
    let is_log = visit.conversation.dialect.is_log();
    let is_in_lines = is_log || visit.conversation.source.units.len() > 1;
    if visit.shape.layout != Layout::Stream || !is_in_lines {
        return Ok(());
    }
    let what = if is_log { "the log of one session" } else { "one conversation in many lines" };
    let reason = format!("is {what}, which can't share its output with other inputs");
    Err(Trouble::new(reason, "-i replaces each FILE; or name one at a time"))
}

/// The error, with the line of its conversation if the input holds many.
fn placed(visit: &Visit<'_, '_>, error: anyhow::Error) -> InputError {
    let error = error.downcast().map_or_else(|error| error, |unfit: Unfit| unfit.why);
    error.downcast().unwrap_or_else(|error| {
        let (reason, hint) = (format!("{error:#}"), hint_of(&error));
        InputError { name: visit.place(), place: None, reason, hint }
    })
}
