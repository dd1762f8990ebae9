//! The ledger: each file with what was done to it, each command with its outcomes.
//!
//! Responsible for what is true at the end: a failed edit changes nothing, the last deed decides,
//! and what was read before it was changed is listed once. Files are one where their last two
//! components are; commands where their first characters are. Entries of an earlier digest are the
//! beginning of it: counts add, the newer state wins.

use std::borrow::Cow;
use std::collections::HashMap;
use std::fmt::Write;

use super::calls::{Call, Deed};
use super::fold::Earlier;
use super::outcome;
use super::point::Point;

/// The folder above.
const UP: &str = "../";

/// How many folders above the root a path is still told from there.
const MOST_UP: usize = 2;

/// How many characters of a command tell it from others.
pub(super) const COMMAND_KEY: usize = 60;

/// A file, and what became of it.
#[derive(Clone, Debug, Default)]
pub(super) struct File {
    /// As it was named first.
    pub(super) path: String,
    pub(super) reads: u32,
    pub(super) searches: u32,
    pub(super) edits: u32,
    pub(super) created: bool,
    pub(super) deleted: bool,
    pub(super) moved: bool,
    /// The messages of the first and the last change, or else look.
    pub(super) first: Option<Point>,
    pub(super) last: Option<Point>,
    /// What edits did, with their messages.
    pub(super) changes: Vec<(Point, Box<str>)>,
}

impl File {
    /// Whether it is another file than before.
    pub(super) fn is_changed(&self) -> bool {
        self.edits > 0 || self.created || self.deleted || self.moved
    }

    /// What was done to it, in words, the last state last.
    pub(super) fn deeds(&self) -> String {
        let mut deeds = Vec::new();
        let times = |word: &str, times: u32| match times {
            1 => word.to_owned(),
            _ => format!("{word} ×{times}"),
        };
        if self.created {
            deeds.push("created".to_owned());
        }
        if self.edits > 0 {
            deeds.push(times("edited", self.edits));
        }
        if self.moved {
            deeds.push("moved away".to_owned());
        }
        if self.deleted {
            deeds.push("deleted".to_owned());
        }
        if deeds.is_empty() {
            deeds.push(
                if self.reads > 0 || self.searches == 0 { "read" } else { "searched" }.to_owned(),
            );
        }
        deeds.join(", ")
    }

    /// The file's heading.
    pub(super) fn heading(&self) -> String {
        let mut line = format!("- {}: {}", self.path, self.deeds());
        let _ = match (self.first, self.last) {
            (Some(first), Some(last)) if first != last && self.is_changed() => {
                write!(line, " [{first}–{last}]")
            }
            (_, Some(last)) => write!(line, " [{last}]"),
            _ => Ok(()),
        };
        line
    }

    /// The files of a line of the ledger: one with its heading, or several of one folder.
    pub(super) fn parse(line: &str, root: &str, generation: u32) -> Vec<Self> {
        let Some(line) = line.strip_prefix("- ") else { return Vec::new() };
        let Some((head, tail)) = line.split_once(": ") else { return Vec::new() };
        let (deed, folder) = head.split_once(" in ").unwrap_or((head, ""));
        if Self::default().with(deed).is_some() {
            let slash = if folder.is_empty() { "" } else { "/" };
            let names = tail.split(", ").filter(|name| !name.is_empty());
            return names
                .filter_map(|name| Self::at(&format!("{folder}{slash}{name}"), root).with(deed))
                .collect();
        }
        let (deeds, points) = tail.rsplit_once(" [").unwrap_or((tail, ""));
        let mut file = Self::at(head, root);
        for deed in deeds.split(", ") {
            file = file.clone().with(deed).unwrap_or(file);
        }
        let points = points.trim_end_matches(']');
        let (first, last) = points.split_once('–').unwrap_or((points, points));
        file.first = Point::parse(first, generation);
        file.last = Point::parse(last, generation);
        vec![file]
    }

    fn at(path: &str, root: &str) -> Self {
        let (mut path, mut root) = (path, if path.starts_with('/') { "" } else { root });
        while let Some(rest) = path.strip_prefix(UP).filter(|_| !root.is_empty()) {
            (path, root) = (rest, above(root));
        }
        Self { path: format!("{root}{path}"), ..Self::default() }
    }

    /// The file with a deed, as it is written.
    fn with(mut self, deed: &str) -> Option<Self> {
        let (word, times) = deed.split_once(" ×").unwrap_or((deed, "1"));
        let times = times.parse().unwrap_or(1);
        match word {
            "created" => self.created = true,
            "edited" => self.edits = times,
            "moved away" | "moved" => self.moved = true,
            "deleted" => self.deleted = true,
            "read" => self.reads = times,
            "searched" => self.searches = times,
            _ => return None,
        }
        Some(self)
    }
}

/// A command, and how its runs ended.
#[derive(Debug)]
pub(super) struct Command {
    pub(super) text: Box<str>,
    pub(super) times: u32,
    /// The run that failed last before the last run.
    pub(super) failed: Option<Point>,
    pub(super) last: Point,
    /// How the last run ended; `None` where there is no answer.
    pub(super) outcome: Option<Box<str>>,
}

impl Command {
    /// The command with its outcome.
    pub(super) fn heading(&self) -> String {
        let short: String = if self.text.chars().count() <= COMMAND_KEY + 30 {
            self.text.to_string()
        } else {
            format!("{}…", self.text.chars().take(COMMAND_KEY).collect::<String>())
        };
        let mut line = format!("$ {short}");
        if self.times > 1 {
            let _ = write!(line, " ×{}", self.times);
        }
        line.push_str(" → ");
        let outcome = self.outcome.as_deref().unwrap_or("no answer yet");
        if let Some(failed) = self.failed.filter(|_| !outcome.starts_with("failed")) {
            let _ = write!(line, "failed [{failed}], then ");
        }
        let _ = write!(line, "{outcome} [{}]", self.last);
        line
    }

    /// Reads a heading back.
    pub(super) fn parse(line: &str, generation: u32) -> Option<Self> {
        let (text, rest) = line.strip_prefix("$ ")?.split_once(" → ")?;
        let (text, times) = match text.rsplit_once(" ×") {
            Some((text, times)) if times.bytes().all(|byte| byte.is_ascii_digit()) => (text, times),
            _ => (text, "1"),
        };
        let (outcome, last) = rest.strip_suffix(']')?.rsplit_once(" [")?;
        let before = outcome.strip_prefix("failed [").and_then(|rest| rest.split_once("], then "));
        let (failed, outcome) = match before {
            Some((failed, outcome)) => (Point::parse(failed, generation), outcome),
            None => (None, outcome),
        };
        Some(Self {
            text: text.trim_end_matches('…').into(),
            times: times.parse().unwrap_or(1),
            failed,
            last: Point::parse(last, generation)?,
            outcome: (outcome != "no answer yet").then(|| outcome.into()),
        })
    }
}

/// Files and commands of a conversation, in the order in which they were first touched.
#[derive(Debug, Default)]
pub(super) struct Ledger {
    pub(super) files: Vec<File>,
    pub(super) commands: Vec<Command>,
    file_of: Vec<Option<u32>>,
    command_of: Vec<Option<u32>>,
    known_files: HashMap<String, u32>,
    known_commands: HashMap<String, u32>,
    /// The folder that most paths lie in, with a slash at its end.
    pub(super) root: String,
}

impl Ledger {
    /// Enters what earlier digests say, then every call.
    pub(super) fn of(calls: &[Call], earlier: &[Earlier]) -> Self {
        let old = earlier.iter().flat_map(|earlier| &earlier.files);
        let old = old.map(|file| file.heading.path.as_str());
        let paths: Vec<&str> = calls
            .iter()
            .flat_map(|call| call.touches.iter().map(|touch| touch.path.as_ref()))
            .chain(old)
            .filter(|path| path.starts_with('/'))
            .collect();
        let mut ledger = Self { root: root(&paths), ..Self::default() };
        for earlier in earlier {
            for file in &earlier.files {
                ledger.carry_file(&file.heading);
            }
            for command in &earlier.commands {
                ledger.carry_command(&command.heading);
            }
        }
        for call in calls {
            ledger.enter(call);
        }
        ledger
    }

    fn carry_file(&mut self, old: &File) {
        let Some(number) = self.file(&old.path) else { return };
        let file = &mut self.files[number as usize];
        let path = std::mem::take(&mut file.path);
        *file = File { path, ..old.clone() };
    }

    fn carry_command(&mut self, old: &Command) {
        let number = self.command(&old.text);
        let command = &mut self.commands[number as usize];
        command.times += old.times;
        command.failed = old.failed;
        command.last = old.last;
        command.outcome.clone_from(&old.outcome);
    }

    fn enter(&mut self, call: &Call) {
        let mut first = None;
        for touch in &call.touches {
            let number = self.file(&touch.path);
            if let Some(number) = number.filter(|_| !call.outcome.failed && !call.outcome.rejected)
            {
                self.touch(number, touch.deed, call);
            }
            first = first.or(number);
        }
        self.file_of.push(first);
        let command = call.command.as_deref().map(|text| {
            let number = self.command(text);
            let command = &mut self.commands[number as usize];
            if command.outcome.as_deref().is_some_and(|outcome| outcome.starts_with("failed")) {
                command.failed = Some(command.last);
            }
            command.times += 1;
            command.last = Point::now(call.place.0);
            command.outcome = call.result.map(|_| outcome::phrase(&call.outcome).into());
            number
        });
        self.command_of.push(command);
    }

    /// The number of a file; a new one where it was not known.
    fn file(&mut self, path: &str) -> Option<u32> {
        let path = self.relative(path).trim_end_matches('/').to_owned();
        if path.is_empty() || path == "." {
            return None;
        }
        let start = path.rmatch_indices('/').nth(1).map_or(0, |(at, _)| at + 1);
        #[allow(clippy::cast_possible_truncation, reason = "files are far fewer than 2^32")]
        let next = self.files.len() as u32;
        let number = *self.known_files.entry(path[start..].to_owned()).or_insert(next);
        if number == next {
            self.files.push(File { path, ..File::default() });
        }
        Some(number)
    }

    /// The number of a command; a new one where it was not known.
    fn command(&mut self, text: &str) -> u32 {
        let flat = text.split_whitespace().collect::<Vec<_>>().join(" ");
        let key: String = flat.chars().take(COMMAND_KEY).collect();
        #[allow(clippy::cast_possible_truncation, reason = "calls are far fewer than 2^32")]
        let next = self.commands.len() as u32;
        let number = *self.known_commands.entry(key.trim_end().to_owned()).or_insert(next);
        if number == next {
            let (last, text) = (Point::default(), flat.into());
            self.commands.push(Command { text, times: 0, failed: None, last, outcome: None });
        }
        number
    }

    fn touch(&mut self, number: u32, deed: Deed, call: &Call) {
        let file = &mut self.files[number as usize];
        let was_changed = file.is_changed();
        let now = Point::now(call.place.0);
        match deed {
            Deed::Created if !was_changed && file.reads == 0 || file.deleted => {
                file.created = true;
                file.deleted = false;
            }
            Deed::Created | Deed::Edited => file.edits += 1,
            Deed::Deleted => file.deleted = true,
            Deed::Moved => file.moved = true,
            Deed::Searched => file.searches += 1,
            _ => file.reads += 1,
        }
        if deed.changes() {
            if !was_changed {
                file.first = Some(now);
            }
            file.last = Some(now);
            file.changes.extend(call.change.clone().map(|change| (now, change)));
        } else if !was_changed {
            file.first = file.first.or(Some(now));
            file.last = Some(now);
        }
    }

    /// A path below the root without it, one a little above with `../`.
    pub(super) fn relative<'p>(&self, path: &'p str) -> Cow<'p, str> {
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

    /// The file that the call touched first.
    pub(super) fn file_of(&self, call: u32) -> Option<u32> {
        self.file_of.get(call as usize).copied().flatten()
    }

    /// The command that the call ran.
    pub(super) fn command_of(&self, call: u32) -> Option<u32> {
        self.command_of.get(call as usize).copied().flatten()
    }

    /// The number of a file that was entered.
    pub(super) fn number_of(&self, path: &str) -> Option<u32> {
        let path = self.relative(path);
        let path = path.trim_end_matches('/');
        let start = path.rmatch_indices('/').nth(1).map_or(0, |(at, _)| at + 1);
        self.known_files.get(&path[start..]).copied()
    }

    /// The number of a command that was entered.
    pub(super) fn number_of_command(&self, text: &str) -> Option<u32> {
        let key: String = text.chars().take(COMMAND_KEY).collect();
        self.known_commands.get(key.trim_end()).copied()
    }
}

/// The folder above one; both with a slash at their end.
fn above(folder: &str) -> &str {
    let inner = folder.trim_end_matches('/');
    &inner[..inner.rfind('/').map_or(0, |at| at + 1)]
}

/// The deepest folder that most of the absolute paths lie in.
fn root(paths: &[&str]) -> String {
    let mut root = "/".to_owned();
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
    // A file in the root itself keeps its folder's name: alone its own might be another's.
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
    fn a_file_reads_back_as_it_was_written() {
        let file = File {
            path: "src/a.rs".to_owned(),
            created: true,
            edits: 3,
            first: Some(Point::now(4)),
            last: Some(Point::now(9)),
            ..File::default()
        };
        assert_eq!(file.heading(), "- src/a.rs: created, edited ×3 [4–9]");
        let back = &File::parse(&file.heading(), "/w/", 1)[0];
        assert_eq!((back.path.as_str(), back.created, back.edits), ("/w/src/a.rs", true, 3));
        assert_eq!(back.last, Some(Point { past: 1, message: 9 }));
    }

    #[test]
    fn a_line_of_several_files_reads_back() {
        let files = File::parse("- edited in src/dialect: codex.rs, pi.rs", "", 1);
        let paths: Vec<_> = files.iter().map(|file| (file.path.as_str(), file.edits)).collect();
        assert_eq!(paths, [("src/dialect/codex.rs", 1), ("src/dialect/pi.rs", 1)]);
    }

    #[test]
    fn a_file_above_the_root_reads_back() {
        let ledger = Ledger { root: "/w/app/src/".to_owned(), ..Ledger::default() };
        assert_eq!(ledger.relative("/w/app/src/a.rs"), "a.rs");
        assert_eq!(ledger.relative("/w/app/Cargo.toml"), "../Cargo.toml");
        assert_eq!(ledger.relative("/etc/hosts"), "/etc/hosts");
        let files = File::parse("- read in ../docs: a.md, b.md", &ledger.root, 1);
        let paths: Vec<_> = files.iter().map(|file| file.path.as_str()).collect();
        assert_eq!(paths, ["/w/app/docs/a.md", "/w/app/docs/b.md"]);
    }

    #[test]
    fn a_command_reads_back_as_it_was_written() {
        let command = Command {
            text: "cargo test".into(),
            times: 2,
            failed: Some(Point::now(3)),
            last: Point::now(7),
            outcome: Some("ok: 12 passed".into()),
        };
        assert_eq!(command.heading(), "$ cargo test ×2 → failed [3], then ok: 12 passed [7]");
        let back = Command::parse(&command.heading(), 1).unwrap();
        assert_eq!(back.heading(), "$ cargo test ×2 → failed [1.3], then ok: 12 passed [1.7]");
    }
}
