//! Secrets that were recognised once in a conversation, and are masked wherever they stand.
//!
//! Responsible for values that a name, a flag or an address announced: where they are repeated, nothing
//! announces them. Keys with a form of their own are recognised anyway. Invariant: only values unlike any
//! word or name are remembered, so that no text loses more than its secrets.

use std::borrow::Cow;
use std::collections::BTreeSet;
use std::ops::Range;

use super::value::{LEAST, is_distinct, without_stop};
use super::{MASK, mask};

/// The announced secrets of a conversation, in byte order.
#[derive(Default)]
pub struct Secrets {
    known: Vec<String>,
    /// Whether JSON may write any of them with escapes.
    has_escapes: bool,
}

impl Secrets {
    pub(super) fn new(known: BTreeSet<String>) -> Self {
        let may_be_escaped = |c: char| !c.is_ascii() || "\"'/<>&+=".contains(c);
        let has_escapes = known.iter().any(|secret| secret.contains(may_be_escaped));
        Self { known: known.into_iter().collect(), has_escapes }
    }

    /// Masks every recognisable secret in a text, and every known one.
    pub fn mask(&self, text: &str) -> String {
        self.mask_known(mask(text))
    }

    /// Masks every known secret in a text.
    pub(crate) fn mask_known(&self, text: String) -> String {
        let mut out = String::new();
        let mut from = 0;
        for known in self.known_in(&text) {
            out.extend([&text[from..known.start], MASK]);
            from = known.end;
        }
        if from == 0 { text } else { out + &text[from..] }
    }

    /// Whether a value may hold a known secret, possibly hidden by escapes.
    pub(super) fn may_stand_in(&self, source: &str) -> bool {
        let hides = || source.contains("\\/") || source.contains("\\u");
        self.has_escapes && hides() || self.known_in(source).next().is_some()
    }

    /// The ranges of known secrets in a text.
    fn known_in(&self, text: &str) -> impl Iterator<Item = Range<usize>> {
        // A word also begins behind an escaped character of JSON.
        let (mut end, mut behind_escape, mut before) = (0, 0, ' ');
        let searched = if self.known.is_empty() { "" } else { text };
        searched.char_indices().filter_map(move |(at, c)| {
            let begins = at >= end && (at == behind_escape || !before.is_alphanumeric());
            before = c;
            if c == '\\' {
                behind_escape = at + if text[at + 1..].starts_with('u') { 6 } else { 2 };
            }
            let length = begins.then(|| self.known_at(&text[at..])).flatten()?;
            end = at + length;
            Some(at..end)
        })
    }

    /// The length of the longest known secret that a text begins with as a whole word.
    fn known_at(&self, text: &str) -> Option<usize> {
        let mut shared = text.as_bytes();
        while shared.len() >= LEAST {
            // Any secret that `shared` begins with is also a prefix of the last secret up to `shared`.
            let behind = self.known.partition_point(|known| known.as_bytes() <= shared);
            let last = self.known[..behind].last()?.as_bytes();
            let length = shared.iter().zip(last).take_while(|(one, other)| one == other).count();
            let is_whole = length == last.len();
            if is_whole && !text[length..].starts_with(char::is_alphanumeric) {
                return Some(length);
            }
            shared = &shared[..length - usize::from(is_whole)];
        }
        None
    }
}

/// The text with secrets masked, if any are given.
pub(crate) fn without<'t>(secrets: Option<&Secrets>, text: Cow<'t, str>) -> Cow<'t, str> {
    match secrets {
        Some(secrets) => secrets.mask(&text).into(),
        None => text,
    }
}

/// Adds a secret to those that are masked wherever they stand.
pub(super) fn note(secret: &str, known: &mut BTreeSet<String>) {
    let secret = without_stop(secret);
    if is_distinct(secret) && !known.contains(secret) {
        known.insert(secret.to_owned());
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn secrets(known: &[&str]) -> Secrets {
        let mut set = BTreeSet::new();
        for secret in known {
            note(secret, &mut set);
        }
        Secrets::new(set)
    }

    #[test]
    fn what_is_known_is_masked_wherever_it_stands_as_a_whole() {
        let known = secrets(&["s3cr3tP4ss", "s3cr3tP4ss-two", "s3cr3tP4", "Tr0ub4dor&3."]);
        for (text, masked) in [
            ("it was s3cr3tP4ss.", "it was [masked]."),
            ("a:s3cr3tP4ss-two@b", "a:[masked]@b"),
            ("s3cr3tP4ss-twofold s3cr3tP4", "[masked]-twofold [masked]"),
            ("s3cr3tP4ssw0rd mys3cr3tP4ss", "s3cr3tP4ssw0rd mys3cr3tP4ss"),
            (r"one\ns3cr3tP4ss\ntwo", r"one\n[masked]\ntwo"),
            (r"\u2026s3cr3tP4ss", r"\u2026[masked]"),
            ("ä Tr0ub4dor&3 ö", "ä [masked] ö"),
            ("[masked] s3cr3t", "[masked] s3cr3t"),
        ] {
            assert_eq!(known.mask(text), masked);
            assert_eq!(known.mask(masked), masked);
        }
    }
}
