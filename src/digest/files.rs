//! A file of the ledger: what was done to it, and the line that says so.
//!
//! Responsible for writing that line and for reading it back from an earlier digest: everything written here
//! can be parsed here. The submodules know what a deed is, what an edit changed, what became of a file's lines,
//! and which file a path names.

mod apart;
mod brief;
pub(super) mod change;
pub(super) mod deed;
pub(super) mod diff;
pub(super) mod edit;
pub(super) mod fates;
mod holds;
mod likeness;
pub(super) mod patch;
pub(super) mod paths;
pub(super) mod renames;
mod spot;
mod telling;

use std::fmt::Write;

use super::calls::outcome::Unended;
use super::text::labels::ARROW;
use super::text::point::Point;
use fates::{Fates, Made, Order, time};
pub(super) use holds::name_of;
use paths::is_absolute;

/// The path to the parent folder.
pub(super) const UP: &str = "../";

/// The prefix of a relative path whose base folder is unknown.
pub(super) const HERE: &str = "./";

/// The word for a file whose edits were all taken back.
const UNDONE: &str = "undone";
/// The word for a file that git put back to a state whose content is unknown.
const DOUBTED: &str = "perhaps undone";
/// The word for a file whose changes git has stashed.
const STASHED: &str = "stashed";
/// The words for a file on which every tool failed, and for a file that only a failed command names.
const FAILED: &str = "failed";
const NAMED: &str = "named";

/// A file, and what became of it.
#[derive(Clone, Debug, Default)]
pub(super) struct File {
    /// The path under which it was named first.
    pub(super) path: String,
    pub(super) reads: u32,
    pub(super) searches: u32,
    pub(super) edits: u32,
    pub(super) created: bool,
    pub(super) deleted: bool,
    pub(super) moved: bool,
    pub(super) failed: bool,
    /// Whether an edit of the file failed or was refused. That is told where failures are told; such an edit
    /// does not count as reading.
    pub(super) spared: bool,
    /// Whether another file took its place before its content was ever seen.
    pub(super) lost: bool,
    /// The messages of the first and the last change, or else of the first and the last look.
    pub(super) first: Option<Point>,
    pub(super) last: Option<Point>,
    /// Its path before it was moved.
    pub(super) from: Option<String>,
    /// Whether all its edits were taken back.
    pub(super) undone: bool,
    /// Whether some of its changes may have been taken back, and it is unknown which.
    pub(super) doubted: bool,
    /// Whether its changes are stashed, and can be brought back.
    pub(super) stashed: bool,
    /// Why it is unknown that any of its changes succeeded; `None` if one is known to.
    pub(super) unsure: Option<&'static str>,
    /// The changes by edits that still stand.
    pub(super) changes: Vec<Made>,
    /// What became of its lines.
    pub(super) fates: Fates,
}

impl File {
    /// Whether something changed the file.
    pub(super) fn is_changed(&self) -> bool {
        self.edits > 0 || self.created || self.deleted || self.moved
    }

    /// Whether the file holds prose, in which words like `class` define nothing.
    pub(super) fn is_prose(&self) -> bool {
        const PROSE: &[&str] = &["md", "mdx", "txt", "rst", "adoc", "org", "tex", "log"];
        self.path.rsplit_once('.').is_some_and(|(_, extension)| PROSE.contains(&extension))
    }

    /// Takes back what was done to the file since git committed it.
    pub(super) fn restore(&mut self, now: Order, committed: Option<Order>) {
        let is_kept = self.first.map(Point::order) <= committed.map(time);
        self.fates.restore(now, committed, is_kept, &mut self.changes);
        self.last = Some(Point::now(now.0));
    }

    /// Notes that some of its changes may have been taken back, and that it is unknown which.
    pub(super) fn doubt(&mut self, now: Order) {
        self.doubted = true;
        self.fates.forget(now, &mut self.changes);
        self.last = Some(Point::now(now.0));
    }

    /// The deed in one word: the last state, or else how the file began.
    pub(super) fn deed(&self) -> &'static str {
        match self {
            Self { deleted: true, .. } => "deleted",
            // Nothing of it is left at its path.
            Self { moved: true, from: None, .. } => "moved",
            Self { undone: true, .. } => UNDONE,
            Self { created: true, .. } => "created",
            Self { edits: 1.., .. } => "edited",
            Self { moved: true, .. } => "moved",
            Self { reads: 1.., .. } => "read",
            Self { searches: 1.., .. } => "searched",
            Self { failed: true, .. } => FAILED,
            _ => NAMED,
        }
    }

    /// All deeds, the last state last: `created, edited ×3, moved`.
    fn deeds(&self) -> String {
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
        if self.undone {
            deeds.push(UNDONE.to_owned());
        }
        if self.moved {
            let away = if self.from.is_none() { " away" } else { "" };
            deeds.push(format!("moved{away}"));
        }
        if self.deleted {
            deeds.push("deleted".to_owned());
        }
        if deeds.is_empty() {
            deeds.push(self.deed().to_owned());
        }
        if self.doubted {
            deeds.push(DOUBTED.to_owned());
        }
        if self.stashed {
            deeds.push(STASHED.to_owned());
        }
        deeds.extend(self.unsure.map(str::to_owned));
        deeds.join(", ")
    }

    /// The line of the ledger: `- src/a.rs: created, edited ×3 [4–9]`.
    pub(super) fn heading(&self) -> String {
        let mut line = "- ".to_owned();
        if let Some(from) = &self.from {
            let _ = write!(line, "{from}{ARROW}");
        }
        let _ = write!(line, "{}: {}", self.path, self.deeds());
        let _ = match (self.first, self.last) {
            (Some(first), Some(last)) if first != last && self.is_changed() => {
                write!(line, " [{first}–{last}]")
            }
            (_, Some(last)) => write!(line, " [{last}]"),
            _ => Ok(()),
        };
        line
    }

    /// Parses a line of the ledger: one file with its heading, or several files of one folder.
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
        let (from, head) =
            head.split_once(ARROW).map_or((None, head), |(from, to)| (Some(from), to));
        let mut file = Self::at(head, root);
        file.from = from.map(|from| Self::at(from, root).path);
        for deed in deeds.split(", ") {
            // A sentence with a colon is no file.
            let Some(done) = file.with(deed) else { return Vec::new() };
            file = done;
        }
        let points = points.trim_end_matches(']');
        let (first, last) = points.split_once('–').unwrap_or((points, points));
        file.first = Point::parse(first, generation);
        file.last = Point::parse(last, generation);
        vec![file]
    }

    /// The file of a path that is told relative to `root`.
    pub(super) fn at(path: &str, root: &str) -> Self {
        if let Some(path) = path.strip_prefix(HERE) {
            return Self { path: path.to_owned(), ..Self::default() };
        }
        let is_whole = is_absolute(path) || path.starts_with('~');
        let (mut path, mut root) = (path, if is_whole { "" } else { root });
        while let Some(rest) = path.strip_prefix(UP).filter(|_| !root.is_empty()) {
            (path, root) = (rest, above(root));
        }
        Self { path: format!("{root}{path}"), ..Self::default() }
    }

    /// Adds a deed as it is written in a digest; `None` if the word is no deed.
    fn with(mut self, deed: &str) -> Option<Self> {
        let (word, times) = deed.split_once(" ×").unwrap_or((deed, "1"));
        let times = times.parse().unwrap_or(1);
        match word {
            "created" => self.created = true,
            "edited" => self.edits = times,
            UNDONE => (self.undone, self.edits) = (true, self.edits.max(1)),
            DOUBTED => self.doubted = true,
            STASHED => self.stashed = true,
            "moved away" | "moved" => self.moved = true,
            "deleted" => self.deleted = true,
            "read" => self.reads = times,
            "searched" => self.searches = times,
            FAILED => self.failed = true,
            NAMED => {}
            _ => {
                let mut unknown = Unended::UNKNOWN.iter().map(Unended::words);
                self.unsure = Some(unknown.find(|why| *why == deed)?);
            }
        }
        Some(self)
    }
}

/// The parent folder; both paths end with a slash.
pub(super) fn above(folder: &str) -> &str {
    let inner = folder.trim_end_matches('/');
    &inner[..inner.rfind('/').map_or(0, |at| at + 1)]
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
}
