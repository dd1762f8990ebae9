//! What a check selects from all that it could check.
//!
//! Responsible for whether one selection includes another. Which words select depends on the program: for most,
//! only flags and the names of files do, because any other word may be a further task. In doubt, a selection
//! includes only itself.

use crate::digest::files::paths;

/// Programs that take each further word for a file or a folder.
const TAKING_PATHS: &[&str] = &["pytest", "rspec", "phpunit", "jest"];

/// What the words behind a check mean that are neither flags nor names of files.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub(super) enum Takes {
    /// Further tasks, or anything else.
    #[default]
    Tasks,
    /// Files and folders. Without any, all are checked.
    Paths,
    /// The packages of Go, `./a/...` with those below. Without any, the one in the folder is checked.
    Packages,
    /// Parts of the names of tests. Without any, all are run.
    Names,
}

impl Takes {
    /// What the words behind a program mean, and the index of the first that may mean it.
    pub(super) fn of(words: &[&str]) -> (Self, usize) {
        match words {
            [program, ..] if TAKING_PATHS.contains(program) => (Self::Paths, 1),
            ["go", "test" | "vet" | "build", ..] => (Self::Packages, 2),
            ["cargo", "test", ..] => (Self::Names, 2),
            ["cargo", "nextest", "run", ..] => (Self::Names, 3),
            _ => (Self::Tasks, words.len()),
        }
    }

    /// Whether a word selects for such a program.
    pub(super) fn is_selected_by(self, word: &str) -> bool {
        let is_pattern = word.contains(['*', '?', '[', '(', '|', '^', '\\', '`', '$', '~', '=']);
        match self {
            Self::Tasks => false,
            Self::Packages => word == "." || word.starts_with("./"),
            Self::Paths => !is_pattern && !matches!(word.trim_end_matches('/'), "." | ".."),
            Self::Names => !is_pattern,
        }
    }
}

/// The words by which a check selects.
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash)]
pub(super) struct Selection {
    pub(super) takes: Takes,
    /// Selecting flags with their values.
    pub(super) flags: Vec<String>,
    /// Names of files, or of tests in them, as seen from the folder of the check.
    pub(super) files: Vec<String>,
    /// Other words that select for this program.
    pub(super) others: Vec<String>,
    /// Whether the check names more than it selects, maybe a folder. Then a selected file may be an additional one.
    pub(super) is_beside: bool,
}

impl Selection {
    /// Whether everything that `other` selects for the same program in the same folder is in this selection.
    pub(super) fn includes(&self, other: &Self) -> bool {
        if self.flags != other.flags && !self.flags.is_empty() {
            return false;
        }
        if self.files == other.files && self.others == other.others {
            return true;
        }
        match self.takes {
            Takes::Tasks => self.files.is_empty() && other.is_in_folder(),
            Takes::Names => {
                self.files.is_empty() && (self.others.is_empty() || self.others == other.others)
            }
            Takes::Paths if self.paths().next().is_none() => other.is_in_folder(),
            Takes::Paths => {
                let is_in = |path: &String| self.paths().any(|it| holds(it, path));
                other.paths().next().is_some() && other.paths().all(is_in)
            }
            Takes::Packages => {
                let is_in = |path: &String| self.others.iter().any(|it| is_package_in(path, it));
                self.files == other.files
                    && !other.others.is_empty()
                    && other.others.iter().all(is_in)
            }
        }
    }

    /// Whether the check selects by nothing.
    pub(super) fn is_plain(&self) -> bool {
        self.flags.is_empty() && self.files.is_empty()
    }

    /// Whether the same check without a selection would include all of this.
    fn is_in_folder(&self) -> bool {
        let mut paths = self.paths().peekable();
        paths.peek().is_none()
            || !self.is_beside
                && paths.all(|path| !path.starts_with(['/', '~', '$']) && !path.contains(".."))
    }

    fn paths(&self) -> impl Iterator<Item = &String> {
        let named = self.files.iter().filter(|file| file.contains(['/', '.']));
        let others = if self.takes == Takes::Paths { &*self.others } else { &[] };
        named.chain(others)
    }

    /// The packages of Go that are named.
    pub(super) fn packages(&self) -> &[String] {
        if self.takes == Takes::Packages { &self.others } else { &[] }
    }

    /// Whether a test is among those that are selected: by each flag, and by one of the files, and by one of the
    /// folders or names.
    pub(super) fn picks_test(&self, test: &str) -> bool {
        let is_in = |pick: &String| {
            alternatives(pick).any(|name| {
                let is_whole = name.ends_with('$') || !pick.starts_with('-');
                let name = name.trim_matches(['^', '$']);
                let mut found = test.match_indices(name).map(|(at, _)| &test[at + name.len()..]);
                let goes_on =
                    |rest: &str| rest.starts_with(|c: char| c.is_alphanumeric() || c == '_');
                !name.is_empty() && found.any(|rest| !is_whole || !goes_on(rest))
            })
        };
        let is_of = |other: &String| match self.takes {
            Takes::Paths => holds(other, test),
            Takes::Names => test.contains(&**other),
            Takes::Packages | Takes::Tasks => true,
        };
        self.flags.iter().all(is_in)
            && (self.files.is_empty() || self.files.iter().any(is_in))
            && (self.others.is_empty() || self.others.iter().any(is_of))
    }
}

/// Whether a path is `of`, or a file or test in it, both as seen from the same folder.
fn holds(of: &str, path: &str) -> bool {
    path.strip_prefix(of).is_some_and(|rest| rest.is_empty() || rest.starts_with(['/', ':']))
}

/// Whether packages of Go are among others.
fn is_package_in(path: &str, of: &str) -> bool {
    let stem = |path: &str| path.trim_end_matches("...").trim_end_matches('/').to_owned();
    let (is_deep, is_all) = (path.ends_with("/..."), of.ends_with("/..."));
    let is_same = stem(path) == stem(of);
    is_same && (is_all || !is_deep) || is_all && paths::within(path, &stem(of)).is_some()
}

/// The names in a selection: `-run ^One$|Two`, `-k one or two`, `a_test.py::one`. None if it leaves some out.
fn alternatives(pick: &str) -> impl Iterator<Item = &str> {
    let names = pick.split_once(' ').filter(|_| pick.starts_with('-')).map_or(pick, |(_, it)| it);
    let is_plain = !names.split(' ').any(|word| matches!(word, "not" | "and"));
    let names = names.split('|').flat_map(|name| name.split(" or ")).filter(move |_| is_plain);
    names.map(|name| name.trim_matches(['(', ')', ' ']))
}
