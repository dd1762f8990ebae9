//! Failures that are one.
//!
//! Responsible for knowing a failure again that was told before: a slip that was made anew, a test that
//! another command runs too, an error that ended with the first. One of them is told, with the places of
//! the others.

use std::collections::HashMap;
use std::fmt::Write;

use super::{ALSO, Failure, names_something};
use crate::digest::calls::outcome;
use crate::digest::text::told::Told;

/// A failure before it is told.
#[derive(Debug, Default)]
pub(super) struct Draft {
    /// The message that it stands in, and those of the same one.
    pub(super) place: usize,
    pub(super) also: Vec<usize>,
    /// What failed, and why.
    pub(super) what: String,
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
    /// It was over in this message.
    Closed(usize),
    /// Nothing shows that it was.
    Open,
}

/// What a failure has in common with one that is the same: what failed, and how it ended.
pub(super) type Key = (String, String);

/// Failures in order, each once.
#[derive(Default)]
pub(super) struct Found {
    drafts: Vec<Draft>,
    known: HashMap<Key, usize>,
}

impl Found {
    /// Tells one that has nothing in common with others.
    pub(super) fn add(&mut self, draft: Draft) {
        self.drafts.push(draft);
    }

    /// Tells one, or what tells more of it and one before.
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
        // Of what was said twice the last knows more.
        if draft.worth() > known.worth() || draft.worth() == known.worth() && !draft.told.is_empty()
        {
            std::mem::swap(known, &mut draft);
        }
        known.also.append(&mut draft.also);
        known.also.push(draft.place);
        known.also.retain(|place| *place != known.place);
    }

    /// All of them, in order.
    pub(super) fn told(self) -> Vec<Failure> {
        let mut drafts = self.drafts;
        drafts.sort_by_key(|draft| draft.place);
        drafts.into_iter().map(Draft::told).collect()
    }
}

impl Draft {
    /// How much it tells: what the model said of it, and more than a name.
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

/// What a failure that ended so has in common with another: of one of a check what its errors say of a place,
/// of any its error, if that names something. Tests of one name may be two, unless they ended together. Of what
/// is no check nobody knows whether it is open.
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
