//! What there is to say about an input that is read all the same.
//!
//! Responsible for lines that are not JSON: what becomes of them depends on what is written.

use crate::command::Shell;
use crate::document::Document;
use crate::input::Name;

/// What there is to say about an input.
pub(super) struct Note {
    what: String,
    /// How many lines it is about that are not JSON.
    broken: usize,
}

impl Note {
    /// Says nothing else.
    pub(super) fn of(what: String) -> Self {
        Self { what, broken: 0 }
    }

    /// Is about so many lines that are not JSON.
    pub(super) fn of_broken(what: String, broken: usize) -> Self {
        Self { what, broken }
    }

    /// Says it, and what becomes of the lines.
    pub(super) fn tell(&self, shell: &Shell) {
        let fate = match (self.broken, shell.drops_broken) {
            (0, _) => "",
            (1, false) => "; it is kept as it is",
            (_, false) => "; they are kept as they are",
            (1, true) => "; it is in no part",
            (_, true) => "; they are in no part",
        };
        shell.say(format_args!("{}{fate}", self.what));
    }
}

/// A note that lines between others are not JSON.
pub(super) fn lines_between(name: &Name, document: &Document<'_>) -> Option<Note> {
    let broken = document.broken().len() - usize::from(document.torn().is_some());
    let line = document.line(document.broken().first()?.start);
    let what = match broken {
        0 => return None,
        1 => format!("{name}:{line}: not JSON"),
        _ => format!("{name}:{line}: the first of {broken} lines that are not JSON"),
    };
    Some(Note::of_broken(what, broken))
}
