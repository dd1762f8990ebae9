//! Files that a command names by a pattern: `sed -i … src/*.py`, `mv theme/* components/`.
//!
//! Responsible for telling which they are among those that calls named before. It relies on the others being
//! of no interest: what was never named needs no name now.

use std::collections::HashSet;

use super::Call;
use crate::digest::files::deed::{Deed, Touch};
use crate::digest::files::paths::is_absolute;

/// How many files a pattern is told by at most.
const MOST: usize = 40;

/// What a part of a path is written with that names several.
const SIGNS: [char; 2] = ['*', '?'];

/// Whether a path names several files.
pub(super) fn is_pattern(path: &str) -> bool {
    path.contains(SIGNS)
}

/// Puts the files that are known by their names in the place of each pattern.
pub(super) fn expand(calls: &mut [Call]) {
    if !calls.iter().flat_map(|call| &call.touches).any(|touch| is_pattern(&touch.path)) {
        return;
    }
    let mut known = Known::default();
    for call in calls {
        let touches = std::mem::take(&mut call.touches);
        for touch in touches {
            if is_pattern(&touch.path) {
                let found = known.named(&touch.path);
                call.touches.extend(found.into_iter().map(|path| at(&touch, path)));
            } else {
                call.touches.push(touch);
            }
        }
        for touch in call.touches.iter().filter(|_| call.outcome.may_have_gone_well()) {
            known.follow(touch);
        }
    }
}

/// The files that calls have named, in order, as far as they are where they were.
#[derive(Default)]
struct Known {
    paths: Vec<Box<str>>,
    all: HashSet<Box<str>>,
}

impl Known {
    /// The files that a pattern names.
    fn named(&self, pattern: &str) -> Vec<&str> {
        let found = self.paths.iter().rev().map(AsRef::as_ref);
        let mut found: Vec<&str> = found.filter(|path| matches(pattern, path)).take(MOST).collect();
        found.reverse();
        found
    }

    fn add(&mut self, path: &str) {
        if self.all.insert(path.into()) {
            self.paths.push(path.into());
        }
    }

    fn follow(&mut self, touch: &Touch) {
        if !matches!(touch.deed, Deed::Moved | Deed::Deleted) {
            if touch.deed != Deed::Searched {
                self.add(&touch.path);
            }
            return;
        }
        // What is in a folder goes with it.
        let rest = |path: &str| {
            let rest = path.strip_prefix(&*touch.path)?;
            (rest.is_empty() || rest.starts_with('/')).then(|| rest.to_owned())
        };
        let gone: Vec<String> = self.paths.iter().filter_map(|path| rest(path)).collect();
        self.paths.retain(|path| rest(path).is_none());
        self.all.retain(|path| rest(path).is_none());
        let is_new = gone.is_empty().then(String::new);
        for rest in gone.into_iter().chain(is_new) {
            if let Some(to) = &touch.to {
                self.add(&format!("{to}{rest}"));
            }
        }
    }
}

/// What is done to the files of a pattern, of one of them.
fn at(touch: &Touch, path: &str) -> Touch {
    let name = path.rsplit('/').next().unwrap_or(path);
    let to = touch.to.as_deref().map(|to| match to.rsplit_once('/') {
        Some((folder, last)) if is_pattern(last) => format!("{folder}/{name}").into(),
        _ => to.into(),
    });
    Touch { path: path.into(), to, ..touch.clone() }
}

/// Whether a pattern names a path. Of one that begins nobody knows where, a folder has to be named.
fn matches(pattern: &str, path: &str) -> bool {
    let pattern = pattern.strip_prefix("./").unwrap_or(pattern);
    let parts: Vec<&str> = pattern.split('/').collect();
    let all: Vec<&str> = path.trim_start_matches("./").split('/').collect();
    let is_loose = !is_absolute(pattern) && is_absolute(path);
    if !is_loose {
        return are_named(&parts, &all);
    }
    let may_be_anywhere = parts.len() > 1 && !is_pattern(parts[0]);
    may_be_anywhere && (1..all.len()).any(|from| are_named(&parts, &all[from..]))
}

fn are_named(pattern: &[&str], path: &[&str]) -> bool {
    match (pattern, path) {
        (["**", rest @ ..], _) => (0..=path.len()).any(|from| are_named(rest, &path[from..])),
        ([first, rest @ ..], [name, behind @ ..]) => {
            is_named(first.as_bytes(), name.as_bytes()) && are_named(rest, behind)
        }
        (pattern, path) => pattern.is_empty() && path.is_empty(),
    }
}

/// Whether a part of a pattern is that of a name.
fn is_named(pattern: &[u8], name: &[u8]) -> bool {
    // Where the last star stands, and how much of the name is given to it.
    let (mut at, mut of, mut star): (usize, usize, Option<(usize, usize)>) = (0, 0, None);
    while at < name.len() {
        match pattern.get(of) {
            Some(b'*') => {
                star = Some((of, at));
                of += 1;
            }
            Some(sign) if *sign == b'?' || *sign == name[at] => (at, of) = (at + 1, of + 1),
            _ => {
                let Some((back, given)) = star else { return false };
                star = Some((back, given + 1));
                (at, of) = (given + 1, back + 1);
            }
        }
    }
    pattern[of..].iter().all(|sign| *sign == b'*')
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_file_that_is_gone_is_named_no_more() {
        let touch = |path: &str, deed, to: Option<&str>| Touch {
            to: to.map(Into::into),
            ..Touch::new(path, deed, Vec::new())
        };
        let mut known = Known::default();
        for (path, deed, to) in [
            ("src/a.rs", Deed::Read, None),
            ("src/b.rs", Deed::Created, None),
            ("src/in/c.rs", Deed::Edited, None),
            ("src/d.rs", Deed::Read, None),
            ("src/a.rs", Deed::Moved, Some("lib/a.rs")),
            ("src/in", Deed::Moved, Some("lib/in")),
            ("src/d.rs", Deed::Deleted, None),
        ] {
            known.follow(&touch(path, deed, to));
        }
        assert_eq!(known.named("src/*.rs"), ["src/b.rs"]);
        assert_eq!(known.named("lib/**/*.rs"), ["lib/a.rs", "lib/in/c.rs"]);
    }

    #[test]
    fn a_pattern_names_what_the_shell_would_take() {
        for (pattern, path) in [
            ("src/*.py", "src/a.py"),
            ("./src/*.py", "src/a.py"),
            ("src/*.py", "/w/app/src/a.py"),
            ("/w/*/a.?s", "/w/src/a.rs"),
            ("src/**/*.py", "src/a/b/c.py"),
            ("src/**/*.py", "src/c.py"),
            ("*.py", "a.py"),
            ("src/a*b*", "src/acbcb"),
        ] {
            assert!(matches(pattern, path), "{pattern} {path}");
        }
        for (pattern, path) in [
            ("src/*.py", "src/a/b.py"),
            ("src/*.py", "src/a.pyc"),
            ("*.py", "/w/a.py"),
            ("*/a.py", "/w/src/a.py"),
            ("src/*.py", "lib/a.py"),
            ("/w/*.py", "w/a.py"),
        ] {
            assert!(!matches(pattern, path), "{pattern} {path}");
        }
    }
}
