//! What a check is told to check.
//!
//! Responsible for telling whether a passing check shows that what failed in another one is well: it covers
//! everything that the other one checked, or what the error names. Where that is unknown, the answer is no.

use crate::begins::begins_with_any;
use crate::digest::calls::{outcome, shell, steps};
use crate::digest::files::paths;

/// Flags that make a check cover more.
const WIDENING: &[&str] = &["--all", "--workspace", "--tests", "--examples", "--benches", "-race"];
/// Flags that make a check leave something out, or run nothing at all.
const LEAVING_OUT: &[&str] = &[
    "--deselect", "--ignore", "--exclude", "--skip", "-skip", "--testPathIgnore", "--no-run",
    "--collect-only", "--list", "--dry-run", "--just-print",
];

/// The shortest name, in bytes, that an error is not taken to contain by chance.
const SHORTEST: usize = 3;

/// The arguments after the verb of a check.
#[derive(Debug, Default)]
pub(super) struct Targets<'c> {
    /// All paths and names.
    all: Vec<&'c str>,
    /// The targets by argument: if an argument has `|` or `or`, any of its targets is picked.
    picks: Vec<Vec<&'c str>>,
    /// The targets that may be a folder.
    places: Vec<&'c str>,
    /// The targets that name one thing.
    tellings: Vec<&'c str>,
    widening: Vec<&'c str>,
    leaves_out: bool,
    /// Whether the check covers everything below its folder: `./...`.
    is_of_all: bool,
}

impl<'c> Targets<'c> {
    /// Reads the targets of a check from its arguments.
    pub(super) fn of(arguments: &[&'c str]) -> Self {
        let mut targets = Self::default();
        let mut words = arguments.iter().copied();
        while let Some(word) = words.next() {
            if steps::says_how(word, &[]) || word == "run" {
                continue;
            }
            if steps::takes_how(word) {
                words.next();
                continue;
            }
            let (flag, values) = match word.split_once('=') {
                Some((flag, value)) if word.starts_with('-') => (flag, value),
                _ if word.starts_with('-') => (word, ""),
                _ => ("", word),
            };
            targets.leaves_out |= begins_with_any(flag, LEAVING_OUT);
            if begins_with_any(flag, WIDENING) {
                targets.widening.push(flag);
            }
            targets.add(shell::unquoted(values));
        }
        targets
    }

    fn add(&mut self, values: &'c str) {
        let begin = self.all.len();
        let is_between = |c: char| !c.is_alphanumeric() && !"_-./".contains(c);
        for value in values.split(is_between).filter(|value| !matches!(*value, "and" | "or")) {
            self.leaves_out |= value == "not";
            let target = value.trim_end_matches("...").trim_start_matches("./");
            let target = target.trim_end_matches('/');
            if value.ends_with("...") && target.is_empty() {
                self.is_of_all = true;
            } else if target == "."
                || target.starts_with(char::is_alphabetic)
                || target.contains('/')
            {
                self.all.push(target);
                let may_be_folder = !paths::name(target).contains('.') || target == ".";
                if may_be_folder && value.contains(['/', '.']) {
                    self.places.push(target);
                } else if is_telling(paths::name(target)) {
                    self.tellings.push(target);
                }
            }
        }
        let own = &self.all[begin..];
        if values.contains('|') || values.contains(" or ") {
            self.picks.push(own.to_vec());
        } else {
            self.picks.extend(own.iter().map(|own| vec![*own]));
        }
    }

    /// Whether a passing check of these targets shows that a check of the `failed` targets, which failed
    /// with `why`, is well.
    pub(super) fn cover(&self, failed: &Self, why: &str) -> bool {
        // A test that is known by its name may be run from another folder.
        let is_told = !failed.tellings.is_empty()
            && failed.tellings.iter().all(|telling| self.all.contains(telling));
        let moves = |targets: &Self, target: &str| is_told && targets.places.contains(&target);
        let is_asked = |own: &str| failed.all.iter().any(|target| is_within(target, own));
        let is_taken_in = |target: &str| {
            self.all.iter().any(|own| is_within(target, own))
                || self.is_of_all
                    && failed.places.contains(&target)
                    && !target.starts_with(['.', '/'])
        };
        let is_wider = self.all.iter().all(|own| is_asked(own) || moves(self, own))
            && failed.all.iter().all(|target| is_taken_in(target) || moves(failed, target));
        let is_named = |piece: &str| {
            let is_in = |own: &&str| is_asked(own) || moves(self, own) || says(piece, own);
            self.picks.iter().all(|any| any.iter().any(is_in))
                && self.all.iter().any(|own| says(piece, own))
        };
        !self.leaves_out
            && failed.widening.iter().all(|flag| self.widening.contains(flag))
            && (is_wider || all_that_failed(why).is_some_and(|all| all.into_iter().all(is_named)))
    }

    /// Whether a check of these targets is known to check something else than one of the `failed` targets.
    pub(super) fn are_apart(&self, failed: &Self, why: &str) -> bool {
        let mut own = self.all.iter();
        let near = |own: &&str| {
            says(why, own)
                || failed.all.iter().any(|other| is_within(own, other) || is_within(other, own))
        };
        let is_known = !failed.all.is_empty() || why.split("; ").any(outcome::names_test);
        is_known && !self.all.is_empty() && !self.is_of_all && !own.any(near)
    }
}

/// The tests that an error names, or the whole error if it names none; `None` if more failed than it names.
fn all_that_failed(why: &str) -> Option<Vec<&str>> {
    let is_test = |piece: &&str| outcome::names_test(piece) || piece.contains("::");
    let pieces = why.split("; ");
    let tests: Vec<&str> = pieces.clone().filter(is_test).collect();
    let known = tests.len().max(1);
    let is_all = pieces.clone().all(|piece| piece != "…")
        && pieces.filter_map(failed).all(|count| count <= known);
    is_all.then(|| if tests.is_empty() { vec![why] } else { tests })
}

/// The count of failures in a line of totals: `Tests: 2 failed, 1 passed`.
fn failed(total: &str) -> Option<usize> {
    let (before, _) = total.split_once(" failed")?;
    before.rsplit(' ').next()?.parse().ok()
}

/// Whether a target is the other one, perhaps written relative to another folder, or is within it.
fn is_within(target: &str, other: &str) -> bool {
    paths::may_be(target, other) || paths::within(target, other).is_some()
}

/// Whether an error contains the name of a target, and not that of a file in another folder.
fn says(why: &str, target: &str) -> bool {
    paths::name(target).len() >= SHORTEST && paths::is_named_in(why, target)
}

/// Whether a word names one thing: it has several words in it, or it is a hash.
pub(super) fn is_telling(word: &str) -> bool {
    let bytes = word.as_bytes();
    let is_hash = outcome::is_hash(word) && bytes.iter().any(u8::is_ascii_digit);
    let is_camel =
        bytes.windows(2).any(|pair| pair[0].is_ascii_lowercase() && pair[1].is_ascii_uppercase());
    is_hash || bytes.len() >= 8 && !word.contains('.') && (is_camel || word.contains('_'))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn of(arguments: &str) -> Targets<'_> {
        Targets::of(&arguments.split(' ').collect::<Vec<_>>())
    }

    #[test]
    fn what_takes_in_more_or_what_failed_shows_that_it_is_well() {
        for (failed, passed, why) in [
            ("-q tests/test_a.py", "-q -x tests/test_a.py --tb=short", "1 failed"),
            ("tests/test_a.py", "--tb short tests", "1 failed"),
            ("./lamp", "-count=1 ./...", "exit status 1"),
            ("./a/b -run TestOneThing", ". -v -run TestOneThing", "exit status 1"),
            ("", "tests/test_a.py", "FAILED tests/test_a.py::test_x - assert 1 == 2"),
            ("tests", "tests/test_a.py::test_x", "FAILED tests/test_a.py::test_x - no; 1 failed"),
            ("./a -v", "./a -run TestOne|TestTwo|TestSix", "--- FAIL: TestOne; --- FAIL: TestTwo"),
            ("--workspace", "--workspace -p lamp", "src/lamp/a.rs:3: error"),
            ("lamp/src/a.test.ts", "src/a.test.ts", "1 failed"),
        ] {
            assert!(of(passed).cover(&of(failed), why), "{failed} | {passed}");
            assert!(!of(passed).are_apart(&of(failed), why), "{failed} | {passed}");
        }
    }

    #[test]
    fn what_checks_something_else_shows_nothing() {
        let test = "FAILED tests/test_a.py::test_x - assert 1 == 2";
        for (failed, passed, why) in [
            ("-q tests/test_a.py", "-q tests/test_b.py", test),
            ("./a/...", "./b/...", "--- FAIL: TestA (0.00s)"),
            ("-p alpha", "-p beta", "1 failed"),
            ("--workspace=api", "--workspace=web", "1 failed"),
            ("a/tests", "b/tests", "1 failed"),
            ("-q", "-q tests/test_b.py", test),
        ] {
            assert!(!of(passed).cover(&of(failed), why), "{failed} | {passed}");
            assert!(of(passed).are_apart(&of(failed), why), "{failed} | {passed}");
        }
        for (failed, passed, why) in [
            ("tests", "tests/test_b.py", "1 failed"),
            ("-q", "-q --deselect tests/test_a.py::test_x", test),
            ("-q", "-q -k 'not test_x'", test),
            ("--all-targets --locked", "--locked", "error: unused"),
            ("-p my_crate one", "-p my_crate two", "1 failed"),
            ("a.py b.py", "a.py", "1 failed"),
            ("", "tests/a.py", "FAILED tests/a.py::x; FAILED tests/b.py::y"),
            ("", "tests/a.py", "2 failed, 1 passed; tests/a.py::x"),
            ("", "a.py::x", "FAILED a.py::x - no; FAILED a.py::y - no"),
            ("-p alpha", "-p alpha two", "test one ... FAILED"),
            ("", "-p beta test_one", "test alpha::test_one ... FAILED"),
            ("./...", ".", "exit status 1"),
            ("", "users/tests.py", "FAIL: billing/tests.py:3: one"),
            ("", "--no-run", "test one ... FAILED"),
            ("-tags lamp ./a", "./...", "exit status 1"),
        ] {
            assert!(!of(passed).cover(&of(failed), why), "{failed} | {passed}");
        }
    }
}
