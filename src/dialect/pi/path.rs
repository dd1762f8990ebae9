//! The live branch of a pi session.
//!
//! Responsible for the tree of `id` and `parentId` (the first version has none; there the order of the lines
//! counts), and for the entries that the last compaction keeps. A parent that is not in the file means the
//! entry before, because OpenClaw also puts the ids of calls there.

use std::borrow::Cow;
use std::collections::{HashMap, HashSet};

use crate::json::Json;
use crate::source::Unit;

/// The path from the root to the last entry, and which of its entries are read.
pub(crate) struct Path {
    /// Indices of units, in the order of the branch.
    pub(crate) branch: Vec<usize>,
    /// The last compaction and the first entry that it keeps, as positions in the branch.
    pub(crate) compaction: Option<(usize, usize)>,
    /// Earlier compactions, which are not read.
    earlier: HashSet<usize>,
    /// Whether every entry has an id.
    pub(crate) has_ids: bool,
}

impl Path {
    pub(crate) fn of(units: &[Unit<'_>]) -> Self {
        let entries: Vec<Entry<'_>> = units.iter().map(|unit| Entry::read(unit.json)).collect();
        let header = entries.iter().find(|entry| entry.is("session"));
        let session = header.and_then(|header| header.id.clone());
        let has_ids = entries.iter().any(|entry| entry.id.is_some() && !entry.is("session"));
        let branch = if has_ids {
            branch(&entries, session.as_deref())
        } else {
            (0..entries.len()).filter(|&unit| !entries[unit].is("session")).collect()
        };
        let is_compaction = |unit: &usize| entries[*unit].is("compaction");
        let last = branch.iter().rposition(is_compaction);
        let compaction = last.map(|last| {
            let json = units[branch[last]].json;
            let [id, index] = json.pick(["firstKeptEntryId", "firstKeptEntryIndex"]);
            let id = id.and_then(Json::text);
            let index = index.and_then(Json::as_u64).and_then(|at| usize::try_from(at).ok());
            let first = branch[..last].iter().position(|&unit| {
                index.is_some_and(|index| unit >= index) || (id.is_some() && entries[unit].id == id)
            });
            (last, first.unwrap_or(last))
        });
        let earlier = branch[..last.unwrap_or(0)].iter().copied().filter(is_compaction).collect();
        Self { branch, compaction, earlier, has_ids }
    }

    /// The units in the order in which they are read: the last compaction, what it keeps, the rest.
    pub(crate) fn read_order(&self) -> Vec<usize> {
        let Some((last, first)) = self.compaction else { return self.branch.clone() };
        let kept = self.branch[first..last].iter().chain(&self.branch[last + 1..]);
        let kept = kept.copied().filter(|unit| !self.earlier.contains(unit));
        std::iter::once(self.branch[last]).chain(kept).collect()
    }
}

/// The members of a line that the tree depends on.
struct Entry<'a> {
    kind: Cow<'a, str>,
    id: Option<Cow<'a, str>>,
    parent: Option<Cow<'a, str>>,
}

impl<'a> Entry<'a> {
    fn read(json: Json<'a>) -> Self {
        let [kind, id, parent] = json.pick(["type", "id", "parentId"]);
        Self {
            kind: kind.and_then(Json::text).unwrap_or_default(),
            id: id.and_then(Json::text),
            parent: parent.and_then(Json::text),
        }
    }

    fn is(&self, kind: &str) -> bool {
        self.kind == kind
    }
}

/// The units on the path from the root to the last entry.
fn branch(entries: &[Entry<'_>], session: Option<&str>) -> Vec<usize> {
    let is_node = |entry: &Entry<'_>| entry.id.is_some() && !entry.is("session");
    let by_id: HashMap<&str, usize> = entries
        .iter()
        .enumerate()
        .filter(|(_, entry)| is_node(entry))
        .filter_map(|(unit, entry)| Some((entry.id.as_deref()?, unit)))
        .collect();
    let mut way = Vec::new();
    let mut next = entries.iter().rposition(is_node);
    while let Some(unit) = next {
        way.push(unit);
        let Some(parent) = entries[unit].parent.as_deref().filter(|id| Some(*id) != session) else {
            break;
        };
        let known = by_id.get(parent).copied().filter(|&parent| parent < unit);
        next = known.or_else(|| entries[..unit].iter().rposition(is_node));
    }
    way.reverse();
    way
}
