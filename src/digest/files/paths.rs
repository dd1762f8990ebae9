//! Which file a path names, and how it is told.
//!
//! Responsible for the folder that most files lie in, for telling paths relative to it, and for recognising a
//! file under an absolute and a relative path. Two absolute paths are two files. A relative path names the only
//! file whose path ends with it, because its base folder is unknown.

use std::borrow::Cow;
use std::collections::{BTreeMap, HashMap};

use super::{HERE, UP, above};
use crate::conversation::{Conversation, Origin};

/// How many folders above the root a path may lie and still be told with `../`.
const MOST_UP: usize = 2;

/// How many records of a log are searched for the folder of the session.
const FIRST: usize = 8;

/// The paths of a conversation's files.
#[derive(Debug, Default)]
pub(crate) struct Paths {
    /// The folder that most of them lie in, with a slash at its end.
    pub(crate) root: String,
    /// Each path as it was given first, with its file.
    known: BTreeMap<String, u32>,
    /// The known paths by their last part.
    by_name: HashMap<String, Vec<String>>,
}

impl Paths {
    /// `paths` are the absolute paths, `told_from` is the root of an earlier digest. The old root is kept as
    /// long as the new one lies inside or around it, because sentences of that digest rely on it.
    pub(crate) fn of(paths: &[&str], told_from: &str) -> Self {
        let root = root(paths);
        let is_kept = root.starts_with(told_from) || told_from.starts_with(&root);
        let is_kept = is_kept && !told_from.is_empty() && !root.is_empty();
        Self { root: if is_kept { told_from.to_owned() } else { root }, ..Self::default() }
    }

    /// Enters the path of a new file. Returns the path relative to the root; `None` if it names no file.
    pub(crate) fn enter(&mut self, path: &str, number: u32) -> Option<String> {
        let path = plain(path);
        if path.is_empty() || path == "." {
            return None;
        }
        self.known.insert(path.to_owned(), number);
        self.by_name.entry(name(path).to_owned()).or_default().push(path.to_owned());
        Some(self.relative(path).into_owned())
    }

    /// Removes the path of a file.
    pub(crate) fn leave(&mut self, path: &str) {
        let path = plain(path);
        self.known.remove(path);
        if let Some(named) = self.by_name.get_mut(name(path)) {
            named.retain(|other| other != path && !is_end(other, path) && !is_end(path, other));
        }
    }

    /// The files in a folder, each with its path behind the folder's, from the slash on.
    pub(crate) fn inside(&self, folder: &str) -> Vec<(String, u32)> {
        let (folder, from) = (plain(folder), format!("{}/", plain(folder)));
        let inside = self.known.range(from.clone()..);
        let inside = inside.take_while(|(path, _)| path.starts_with(&from));
        inside.map(|(path, number)| (path[folder.len()..].to_owned(), *number)).collect()
    }

    /// The files that a relative path may name or contain, whatever its base folder is.
    pub(crate) fn below_any(&self, path: &str) -> Vec<u32> {
        let (end, folder) = (format!("/{}", plain(path)), format!("/{}/", plain(path)));
        let is_it = |known: &str| known.ends_with(&end) || known.contains(&folder);
        self.known.iter().filter(|(known, _)| is_it(known)).map(|(_, number)| *number).collect()
    }

    /// Settles that an absolute path names the file which was known by a relative one, and no other file.
    /// Returns the path relative to the root; `None` if it was settled before.
    pub(crate) fn settle(&mut self, path: &str, number: u32) -> Option<String> {
        let path = plain(path);
        if !is_absolute(path) || self.known.insert(path.to_owned(), number).is_some() {
            return None;
        }
        let named = self.by_name.entry(name(path).to_owned()).or_default();
        named.retain(|other| !is_end(other, path));
        named.push(path.to_owned());
        Some(self.relative(path).into_owned())
    }

    /// The files whose whole path is known.
    pub(crate) fn based(&self) -> impl Iterator<Item = u32> {
        let based = self.known.iter().filter(|(path, _)| is_whole(path));
        based.map(|(_, number)| *number)
    }

    /// The file that a path names.
    pub(crate) fn number_of(&self, path: &str) -> Option<u32> {
        let path = plain(path);
        let known = |path: &str| self.known.get(path).copied();
        known(path).or_else(|| {
            // Any folder may hold a file with a bare name.
            let is_bare = |path: &str, other: &str| {
                path.contains('/') || other.strip_suffix(path) == Some(&self.root)
            };
            let is_end = |path: &str, other: &str| is_end(path, other) && is_bare(path, other);
            let is_same = |other: &&String| is_end(path, other) || is_end(other, path);
            let mut same = self.by_name.get(name(path))?.iter().filter(is_same);
            let first = same.next()?;
            if same.next().is_none() { known(first) } else { None }
        })
    }

    /// A path as it is told. It begins with `./` if its base folder is unknown and other paths are told
    /// relative to the root.
    pub(crate) fn told<'p>(&self, path: &'p str) -> Cow<'p, str> {
        if is_whole(path) {
            return self.relative(path);
        }
        let is_loose = !self.root.is_empty() && !self.is_in_root(plain(path));
        if is_loose { format!("{HERE}{}", plain(path)).into() } else { plain(path).into() }
    }

    /// Whether a relative path begins with a folder inside the root.
    fn is_in_root(&self, path: &str) -> bool {
        let folder = path.split_inclusive('/').next().filter(|folder| folder.len() < path.len());
        folder.is_some_and(|folder| {
            let from = format!("{}{folder}", self.root);
            self.known
                .range(from.clone()..)
                .next()
                .is_some_and(|(known, _)| known.starts_with(&from))
        })
    }

    /// A path relative to the root, with `../` if it lies a little above it.
    fn relative<'p>(&self, path: &'p str) -> Cow<'p, str> {
        let path = path.strip_prefix("./").unwrap_or(path);
        let mut root = self.root.as_str();
        for up in 0..=MOST_UP {
            if root.matches('/').count() <= 2 {
                break;
            }
            match path.strip_prefix(root).filter(|rest| !rest.is_empty()) {
                Some(rest) if up == 0 => return rest.into(),
                Some(rest) => return format!("{}{rest}", UP.repeat(up)).into(),
                None => root = above(root),
            }
        }
        path.into()
    }
}

/// The folder of the session, if its log tells it at the beginning.
pub(crate) fn folder(conversation: &Conversation<'_>) -> Option<String> {
    let units = conversation.source.units.iter().take(FIRST);
    let said = units.filter_map(|unit| {
        unit.json.str_member("cwd").or_else(|| unit.json.member("payload")?.str_member("cwd"))
    });
    let messages = conversation.messages.iter().take(FIRST);
    let told =
        messages.filter(|message| message.origin == Origin::Injected).filter_map(|message| {
            let text = message.text();
            let (folder, _) = text.split_once("<cwd>")?.1.split_once("</cwd>")?;
            Some(folder.trim().to_owned().into())
        });
    let mut folders = said.chain(told).map(|folder| slashed(&folder).into_owned());
    folders.find(|folder| is_absolute(folder))
}

/// The first characters of path steps that stand for a folder: home, the value of a variable, the output of a
/// command, and an unknown folder.
const FIXED: &[char] = &['~', '$', '`', '?'];

/// Whether a path means the same from any folder. A variable is taken to have one value, and so are paths in an
/// unknown folder.
pub(crate) fn is_fixed(folder: &str) -> bool {
    is_absolute(folder) || folder.starts_with(FIXED)
}

/// The longest path of common systems, in bytes; a longer text is left as it is.
const LONGEST: usize = 4096;

/// The path `to`, which is relative to the folder `from`, as seen from where `from` is.
pub(crate) fn joined(from: &str, to: &str) -> String {
    if from.len() + to.len() > LONGEST {
        return to.to_owned();
    }
    let to = &*slashed(to);
    // A network share of Windows.
    if to.starts_with("//") {
        return to.to_owned();
    }
    let from = if is_fixed(to) { "" } else { from };
    let mut steps: Vec<&str> = from.split('/').filter(|step| !step.is_empty()).collect();
    let is_name = |step: &str| !step.starts_with(FIXED) && step != "..";
    for step in to.split('/').filter(|step| !matches!(*step, "" | ".")) {
        match (step, steps.last()) {
            ("..", Some(last)) if is_name(last) => drop(steps.pop()),
            ("..", None) if from.starts_with('/') => {}
            _ => steps.push(step),
        }
    }
    let root = if from.starts_with('/') || to.starts_with('/') { "/" } else { "" };
    format!("{root}{}", steps.join("/"))
}

/// A path without steps that lead nowhere: `a.rs` for `./a.rs`, `b//../a.rs`.
#[must_use]
pub fn plainly(path: &str) -> String {
    joined("", path)
}

/// A path with slashes instead of the backslashes of Windows: `C:\lamp\wick.rs`, `lamp\wick.rs`. Other systems'
/// names hardly hold backslashes, and a text with a blank is no such path.
pub(crate) fn slashed(path: &str) -> Cow<'_, str> {
    let is_windows = begins_at_drive(path) || !path.contains(['/', ' ']);
    if is_windows && path.contains('\\') { path.replace('\\', "/").into() } else { path.into() }
}

/// Whether a path is absolute; a Windows path has to be written with a drive letter.
pub(crate) fn is_absolute(path: &str) -> bool {
    path.starts_with('/') || begins_at_drive(path)
}

/// Whether a path begins with a drive letter.
fn begins_at_drive(path: &str) -> bool {
    matches!(path.as_bytes(), [letter, b':', b'/' | b'\\', ..] if letter.is_ascii_alphabetic())
}

/// Whether a path tells where it begins.
fn is_whole(path: &str) -> bool {
    path.starts_with(['/', '~', '\\', '$']) || path.get(1..2) == Some(":") || path.contains("://")
}

/// Whether `path` is relative and the absolute path `other` ends with it.
fn is_end(path: &str, other: &str) -> bool {
    !is_absolute(path) && is_absolute(other) && ends_with(other, path)
}

fn plain(path: &str) -> &str {
    path.strip_prefix("./").unwrap_or(path).trim_end_matches('/')
}

/// The last part of a path.
pub(crate) fn name(path: &str) -> &str {
    path.rsplit('/').next().unwrap_or(path)
}

/// The rest of a path behind a folder, empty for the folder itself; `None` if the path is not in it.
pub(crate) fn within<'p>(path: &'p str, folder: &str) -> Option<&'p str> {
    path.strip_prefix(folder).filter(|rest| rest.is_empty() || rest.starts_with('/'))
}

/// Whether a text names a file or a folder, by as much of its path as the text tells.
pub(crate) fn is_named_in(text: &str, path: &str) -> bool {
    let is_of_word = |c: char| c.is_alphanumeric() || c == '_' || c == '-';
    let is_of_path = |c: char| is_of_word(c) || c == '.' || c == '/';
    let name = name(path);
    !name.is_empty()
        && text.match_indices(name).any(|(at, _)| {
            let (before, behind) = (&text[..at], &text[at + name.len()..]);
            let start = before.trim_end_matches(is_of_path).len();
            let told = text[start..at + name.len()].trim_start_matches("../");
            !before.ends_with(is_of_word)
                && !behind.starts_with(is_of_word)
                && may_be(plain(told), path)
        })
}

/// Whether two paths may name the same thing: one ends with the other.
pub(crate) fn may_be(path: &str, other: &str) -> bool {
    ends_with(path, other) || ends_with(other, path)
}

/// Whether a path ends with whole steps of another one, or equals it.
fn ends_with(path: &str, end: &str) -> bool {
    path.strip_suffix(end).is_some_and(|rest| rest.is_empty() || rest.ends_with('/'))
}

/// The deepest folder that most of the absolute paths lie in.
fn root(paths: &[&str]) -> String {
    let mut root = String::new();
    loop {
        let mut below: Vec<(&str, usize)> = Vec::new();
        for path in paths {
            let Some(rest) = path.strip_prefix(root.as_str()) else { continue };
            let Some((folder, _)) = rest.split_once('/') else { continue };
            match below.iter().position(|(known, _)| *known == folder) {
                Some(at) => below[at].1 += 1,
                None if below.len() < 64 => below.push((folder, 1)),
                None => {}
            }
        }
        match below.iter().max_by_key(|(_, times)| *times) {
            Some((folder, times)) if *times * 10 >= paths.len() * 7 && paths.len() > 1 => {
                root.push_str(folder);
                root.push('/');
            }
            _ => break,
        }
    }
    // A file directly in the root keeps the name of its folder, because its bare name might mean another file.
    let is_inside =
        |path: &&str| path.strip_prefix(root.as_str()).is_some_and(|rest| !rest.contains('/'));
    if paths.iter().any(is_inside) {
        root.truncate(above(&root).len());
    }
    if root.matches('/').count() > 2 { root } else { String::new() }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_file_above_the_root_reads_back() {
        let paths = Paths { root: "/w/app/src/".to_owned(), ..Paths::default() };
        assert_eq!(paths.relative("/w/app/src/a.rs"), "a.rs");
        assert_eq!(paths.relative("/w/app/Cargo.toml"), "../Cargo.toml");
        assert_eq!(paths.relative("/etc/hosts"), "/etc/hosts");
        let files =
            crate::digest::files::File::parse("- read in ../docs: a.md, b.md", &paths.root, 1);
        let paths: Vec<_> = files.iter().map(|file| file.path.as_str()).collect();
        assert_eq!(paths, ["/w/app/docs/a.md", "/w/app/docs/b.md"]);
    }

    #[test]
    fn a_path_is_seen_from_its_folder() {
        for (from, to, wanted) in [
            ("/w/app", "./a.rs", "/w/app/a.rs"),
            ("/w/app/", "../lib/b.rs", "/w/lib/b.rs"),
            ("/w/app", "..", "/w"),
            ("/w/app", "/etc/hosts", "/etc/hosts"),
            ("/w", "src/../a.rs", "/w/a.rs"),
            ("", "..", ".."),
            ("..", "../a", "../../a"),
            ("/r", "../../..", "/"),
            ("/r/a", "../b/.", "/r/b"),
            ("a", "/r/", "/r"),
            ("a", "~/r", "~/r"),
            ("$A", "..", "$A/.."),
            ("/w", "//server/share/a", "//server/share/a"),
        ] {
            assert_eq!(joined(from, to), wanted, "{from} {to}");
        }
    }

    #[test]
    fn two_absolute_paths_are_two_files() {
        let mut paths = Paths::default();
        for (number, path) in (0..).zip(["/w/app/skills/a.md", "/w/copy/skills/a.md", "/w/b.md"]) {
            assert_eq!(paths.number_of(path), None);
            paths.enter(path, number);
        }
        assert_eq!(paths.number_of("app/skills/a.md"), Some(0));
        // Any folder may have a file of this name.
        assert_eq!(paths.number_of("b.md"), None);
        // Two files end so.
        assert_eq!(paths.number_of("skills/a.md"), None);
        paths.enter("lib/c.md", 3);
        assert_eq!(paths.number_of("/w/app/lib/c.md"), Some(3));
        paths.settle("/w/app/lib/c.md", 3);
        assert_eq!(paths.number_of("/w/copy/lib/c.md"), None);
        assert_eq!(paths.number_of("app/lib/c.md"), Some(3));
    }
}
