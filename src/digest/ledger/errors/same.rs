//! Failures that are told as one.
//!
//! Responsible for recognising a failure that was told before: a slip that was repeated, a test that
//! another command runs too, an error that ended together with an earlier one. One of them is told, with
//! the messages of the others.

use std::collections::HashMap;
use std::fmt::Write;

use super::{ALSO, Failure, names_something};
use crate::digest::calls::outcome;
use crate::digest::text::told::Told;

/// A failure before it is written.
#[derive(Debug, Default)]
pub(super) struct Draft {
    /// The message in which the failure stands.
    pub(super) place: usize,
    /// The messages of equal failures.
    pub(super) also: Vec<usize>,
    /// What failed.
    pub(super) what: String,
    /// The error.
    pub(super) why: String,
    /// What came of it.
    pub(super) end: String,
    pub(super) told: Vec<Told>,
}

/// How a failure ended.
#[derive(Clone, Copy)]
pub(super) enum How {
    /// Another failure followed.
    Otherwise,
    /// The failure was over in this message.
    Closed(usize),
    /// Nothing shows that the failure was over.
    Open,
}

/// What two equal failures share: what failed, and how it ended.
pub(super) type Key = (String, String);

/// Failures in order, equal ones once.
#[derive(Default)]
pub(super) struct Found {
    drafts: Vec<Draft>,
    known: HashMap<Key, usize>,
}

impl Found {
    /// Adds a failure under its keys. If an equal one is known, the one that tells more is kept, with the
    /// message of the other.
    pub(super) fn join(&mut self, mut draft: Draft, keys: Vec<Key>) {
        let first = keys.iter().find_map(|key| self.known.get(key).copied());
        let at = first.unwrap_or(self.drafts.len());
        for key in keys {
            self.known.entry(key).or_insert(at);
        }
        let Some(known) = self.drafts.get_mut(at) else {
            self.drafts.push(draft);
            return;
        };
        // Of two equally telling failures with words of the model, the later knows more.
        if draft.worth() > known.worth() || draft.worth() == known.worth() && !draft.told.is_empty()
        {
            std::mem::swap(known, &mut draft);
        }
        known.also.append(&mut draft.also);
        known.also.push(draft.place);
        known.also.retain(|place| *place != known.place);
    }

    /// Returns all failures, ready to be written, in the order of their messages.
    pub(super) fn told(self) -> Vec<Failure> {
        let mut drafts = self.drafts;
        drafts.sort_by_key(|draft| draft.place);
        drafts.into_iter().map(Draft::told).collect()
    }
}

impl Draft {
    /// How much a failure tells: whether its error says more than a name, and whether the model spoke of it.
    fn worth(&self) -> (bool, bool) {
        let says_why = self.why.contains(char::is_whitespace) && !outcome::is_vague(&self.why);
        (says_why, !self.told.is_empty())
    }

    fn told(mut self) -> Failure {
        self.also.sort_unstable();
        let mut line = format!("- [{}] {}{}", self.place, self.what, self.why);
        for place in self.also {
            let _ = write!(line, "{ALSO}{place}]");
        }
        line.push_str(&self.end);
        Failure { line, told: self.told }
    }
}

/// The keys of a failure that ended as `how` says. For a check they are the parts of its errors that name a place,
/// and those that name a test if it is over: tests of one name may be two unless they ended together. For any
/// command it is the error, if that names something. A failure that became another one has none, and neither has an
/// open one of a command that is no check, since it may be over.
pub(super) fn keys(errors: &[&str], how: How, is_check: bool) -> Vec<Key> {
    let how = match how {
        How::Closed(message) => message.to_string(),
        How::Open if is_check => String::new(),
        How::Open | How::Otherwise => return Vec::new(),
    };
    let pieces = errors.iter().flat_map(|error| error.split("; "));
    let named = pieces.filter_map(|piece| {
        if outcome::names_test(piece) {
            return Some(outcome::bare(piece)).filter(|_| !how.is_empty());
        }
        let (place, _) = piece.split_once(": ")?;
        let is_place = place.contains([':', '(']) && !place.contains(char::is_whitespace);
        is_place.then(|| piece.to_owned())
    });
    let named = named.filter(|_| is_check);
    let error = errors.first().filter(|error| names_something(error));
    named.chain(error.map(|&error| error.to_owned())).map(|what| (what, how.clone())).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_failure_is_known_by_what_failed_and_how_it_ended() {
        let (test, place) = ("--- FAIL: TestA (0.1s); a_test.go:3: got 1", "a_test.go:3: got 1");
        let first = keys(&[test], How::Closed(9), true);
        let is_same = |how| keys(&[place], how, true).iter().any(|key| first.contains(key));
        assert!(is_same(How::Closed(9)));
        assert!(![How::Closed(12), How::Open, How::Otherwise].into_iter().any(is_same));
        assert!(keys(&[place], How::Open, false).is_empty());
    }
}
