//! Remarks about an input that is read despite a flaw.
//!
//! Responsible for lines that are not JSON and values that are no conversation; what becomes of them depends
//! on the command's output.

use crate::command::Shell;
use crate::command::shell::Fate;
use crate::dialect::preferences::Preferences;
use crate::dialect::{Layout, Shape};
use crate::document::Document;
use crate::input::Name;
use crate::json::Json;
use crate::source::Source;

/// A remark about an input.
pub(super) struct Note {
    what: String,
    hint: Option<String>,
    /// The number of lines or values that are no conversation.
    broken: usize,
    /// Whether something is left undone, so that the remark is made even if `--quiet`.
    is_undone: bool,
}

impl Note {
    /// A plain remark.
    pub(super) fn of(what: String) -> Self {
        Self { what, hint: None, broken: 0, is_undone: false }
    }

    /// A remark about values that hold no conversation although each should.
    pub(super) fn of_strangers(what: String, strangers: usize) -> Self {
        Self { is_undone: true, ..Self::of_broken(what, strangers) }
    }

    /// A remark about lines that are not JSON.
    pub(super) fn of_broken(what: String, broken: usize) -> Self {
        Self { broken, ..Self::of(what) }
    }

    /// Prints the remark, and what becomes of the lines.
    pub(super) fn tell(&self, shell: &Shell) {
        let is_unanswered = self.is_undone && shell.fate == Fate::Unanswered;
        let fate = match (self.broken, shell.fate) {
            (0, _) => "",
            (1, _) if is_unanswered => "; it can't be checked, so that the exit status is 2",
            (_, _) if is_unanswered => "; they can't be checked, so that the exit status is 2",
            (1, Fate::Kept) => "; it is kept as it is",
            (_, Fate::Kept) => "; they are kept as they are",
            (1, Fate::Dropped) => "; it is in no part",
            (_, Fate::Dropped) => "; they are in no part",
            (1, Fate::PassedOver | Fate::Unanswered) => "; it is passed over",
            (_, Fate::PassedOver | Fate::Unanswered) => "; they are passed over",
        };
        let remedy = is_unanswered.then_some("take out, or mend, what is no conversation");
        let hint = self.hint.as_deref().or(remedy);
        let line = format_args!("{}{fate}", self.what);
        if self.is_undone {
            shell.warn_with_hint(line, hint);
        } else {
            shell.say_with_hint(line, hint);
        }
    }
}

/// A remark that two answers, one of which is preferred, stand beside the messages of the first conversation.
pub(super) fn answers_beside(
    place: &str,
    document: &Document<'_>,
    (shape, source): &(Shape, Source<'_>),
) -> Option<Note> {
    let found = Preferences::of(source.value()?)?;
    let [preferred, other] = found.names;
    let what = format!("{place}: {preferred} and {other} beside the messages are not read");
    let values = document.values();
    // The filter applies to values of the document, or to the items of its one array.
    let is_reached = |value: &Json<'_>| {
        value.is(found.holder) || value.items().any(|item| item.is(found.holder))
    };
    let hint = match shape.layout.alone() {
        Layout::Objects(list) if values.iter().any(is_reached) => {
            Some(one_of_two(values, &found.filter_into(list)))
        }
        _ => None,
    };
    Some(Note { hint, ..Note::of(what) })
}

/// A hint for an input that holds only such answers.
pub(super) fn answers_alone(values: &[Json<'_>]) -> Option<String> {
    let first = *values.first()?;
    let holder = first.items().next().unwrap_or(first);
    Some(one_of_two(values, &Preferences::of(holder)?.filter()))
}

fn one_of_two(values: &[Json<'_>], filter: &str) -> String {
    let is_array = values.first().is_some_and(|value| value.is_array());
    let each = if is_array { ".[] | " } else { "" };
    format!("jq -c '{each}{filter}' lets one of the two answers be read")
}

/// A remark that lines between others are not JSON.
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
