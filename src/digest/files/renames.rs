//! Names that were replaced by other ones in several files.
//!
//! Responsible for telling a replaced name in one line, with its files, and for reading that line back.

use std::collections::HashMap;
use std::fmt::Write;

use super::File;
use super::change::BECAME;

/// The most bytes of the line before it leaves files out.
const LONGEST: usize = 240;

const REPLACED: &str = "- replaced `";

/// A name that was replaced by another one.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Rename {
    pub(crate) before: Box<str>,
    pub(crate) after: Box<str>,
    /// The numbers of the files.
    pub(crate) files: Vec<u32>,
    /// The number of files, including those that an earlier digest did not name.
    pub(crate) count: usize,
}

impl Rename {
    /// The line that tells the replaced name and its files.
    pub(crate) fn line(&self, files: &[File]) -> String {
        let Self { before, after, count, .. } = self;
        let mut line = format!("{REPLACED}{before}{BECAME}{after}` in {count} files: ");
        for (at, number) in self.files.iter().enumerate() {
            let path = &files[*number as usize].path;
            if at > 0 && line.len() + path.len() > LONGEST {
                line.push_str(", …");
                break;
            }
            let _ = write!(line, "{}{path}", if at > 0 { ", " } else { "" });
        }
        line
    }

    /// Parses the line of an earlier digest: the rename without its files, and their paths.
    pub(crate) fn parse(line: &str) -> Option<(Self, impl Iterator<Item = &str>)> {
        let (before, rest) = line.strip_prefix(REPLACED)?.split_once(BECAME)?;
        let (after, rest) = rest.split_once("` in ")?;
        let (count, paths) = rest.split_once(" files: ")?;
        let count = count.parse().ok()?;
        let rename = Self { before: before.into(), after: after.into(), files: Vec::new(), count };
        Some((rename, paths.split(", ").filter(|path| *path != "…")))
    }
}

/// Moves names that were replaced in several files out of the files' changes and into `known`.
pub(crate) fn gather(files: &mut [File], known: &mut Vec<Rename>) {
    let mut places: HashMap<(Box<str>, Box<str>), usize> = HashMap::new();
    for (at, Rename { before, after, .. }) in known.iter().enumerate() {
        places.insert((before.clone(), after.clone()), at);
    }
    for (number, file) in (0..).zip(&*files) {
        for name in file.changes.iter().filter_map(|made| made.change.name.clone()) {
            let at = *places.entry(name.clone()).or_insert_with(|| {
                let (before, after) = name;
                known.push(Rename { before, after, files: Vec::new(), count: 0 });
                known.len() - 1
            });
            let rename = &mut known[at];
            if !rename.files.contains(&number) {
                rename.files.push(number);
                rename.count = rename.count.max(rename.files.len());
            }
        }
    }
    for file in files {
        let mut told: Vec<(Box<str>, Box<str>)> = Vec::new();
        file.changes.reverse();
        file.changes.retain_mut(|made| {
            let Some(name) = made.change.name.clone() else { return true };
            // A name replaced at several places of one file is told once.
            let is_told = known[places[&name]].count > 1 || told.contains(&name);
            told.push(name);
            !is_told
        });
        file.changes.reverse();
    }
    known.retain(|rename| rename.count > 1);
}
