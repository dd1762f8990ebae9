//! Files that a command names by a pattern: `sed -i … src/*.py`, `mv theme/* components/`.
//!
//! Responsible for finding them among the files that earlier calls named. Files that were never named are of no
//! interest.

use std::collections::HashSet;

use globset::GlobBuilder;

use super::Call;
use crate::digest::files::deed::{Deed, Touch};
use crate::digest::files::paths::{self, is_absolute};

/// The most files that replace a pattern.
const MOST: usize = 40;

/// The characters by which a path names several files.
const SIGNS: [char; 2] = ['*', '?'];

/// Whether a path names several files.
pub(super) fn is_pattern(path: &str) -> bool {
    path.contains(SIGNS)
}

/// Replaces each pattern by the known files that it matches.
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

/// The files that calls have named and that are still at their paths, in order.
#[derive(Default)]
struct Known {
    paths: Vec<Box<str>>,
    all: HashSet<Box<str>>,
}

impl Known {
    /// The known files that a pattern matches.
    fn named(&self, pattern: &str) -> Vec<&str> {
        let is_named = matcher(pattern);
        let found = self.paths.iter().rev().map(AsRef::as_ref);
        let mut found: Vec<&str> = found.filter(|path| is_named(path)).take(MOST).collect();
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
        // The content of a folder goes with it.
        let rest = |path: &str| paths::within(path, &touch.path).map(str::to_owned);
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

/// The touch of a pattern, for one of its files.
fn at(touch: &Touch, path: &str) -> Touch {
    let name = paths::name(path);
    let to = touch.to.as_deref().map(|to| match to.rsplit_once('/') {
        Some((folder, last)) if is_pattern(last) => format!("{folder}/{name}").into(),
        _ => to.into(),
    });
    Touch { path: path.into(), to, ..touch.clone() }
}

/// Returns a function that tells whether a pattern matches a path. A pattern whose base folder is unknown has
/// to name a folder.
fn matcher(pattern: &str) -> impl Fn(&str) -> bool {
    let pattern = pattern.strip_prefix("./").unwrap_or(pattern);
    // All other special characters belong to names: `app/[id]/*.tsx`.
    let plain = pattern.replace('[', "[[]").replace('{', "[{]").replace('}', "[}]");
    let compiled = |glob: &str| {
        let mut glob = GlobBuilder::new(glob);
        let glob = glob.literal_separator(true).backslash_escape(false).build().ok()?;
        Some(glob.compile_matcher())
    };
    let names_folder = pattern.split_once('/').is_some_and(|(first, _)| !is_pattern(first));
    let is_whole = is_absolute(pattern);
    let anywhere = names_folder.then(|| compiled(&format!("**/{plain}"))).flatten();
    let here = compiled(&plain);
    move |path| {
        let glob = if is_whole || !is_absolute(path) { &here } else { &anywhere };
        glob.as_ref().is_some_and(|glob| glob.is_match(path.trim_start_matches("./")))
    }
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
            ("app/[id]/*.tsx", "/w/app/[id]/page.tsx"),
        ] {
            assert!(matcher(pattern)(path), "{pattern} {path}");
        }
        for (pattern, path) in [
            ("src/*.py", "src/a/b.py"),
            ("src/*.py", "src/a.pyc"),
            ("*.py", "/w/a.py"),
            ("*/a.py", "/w/src/a.py"),
            ("src/*.py", "lib/a.py"),
            ("/w/*.py", "w/a.py"),
        ] {
            assert!(!matcher(pattern)(path), "{pattern} {path}");
        }
    }
}
