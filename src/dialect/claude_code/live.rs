//! Finding the live lines of a Claude Code session: those that the client sends on resuming.
//!
//! Responsible for the chain of `parentUuid`, compactions and parallel calls; the parent module reads the
//! content of lines. The rules are those that the client itself was seen to follow. Positions are first
//! occurrences, because a later line with the same `uuid` replaces the content of the first and takes its
//! place. Everything is linear in the number of lines.

use std::collections::{HashMap, HashSet};
use std::ops::Range;

use super::line::{Line, LineKind, Parent};
use crate::json::Json;
use crate::source::Unit;

/// The lines of a session.
pub(crate) struct Log<'a> {
    /// Each `uuid` once, at its first position.
    pub(crate) lines: Vec<Line<'a>>,
    /// Units of lines that a later line replaced, each with the index of its line.
    pub(crate) replaced: Vec<(usize, usize)>,
    place: HashMap<&'a str, usize>,
}

/// The live lines of a session, by index.
#[derive(Default)]
pub(crate) struct Live {
    /// The live lines in the order in which they are sent, including those that are only passed over.
    pub(crate) order: Vec<usize>,
    /// Live lines that hang beside the path.
    pub(crate) beside: HashSet<usize>,
    /// Lines before the last compaction that it keeps by naming them.
    pub(crate) preserved: Vec<usize>,
}

impl Live {
    /// For each of `lines` lines, whether it is live.
    pub(crate) fn among(&self, lines: usize) -> Vec<bool> {
        let mut is_live = vec![false; lines];
        self.order.iter().for_each(|&at| is_live[at] = true);
        is_live
    }
}

/// The lines before a compaction that it keeps.
struct Preserved {
    /// The summary, behind which the kept lines go.
    anchor: usize,
    kept: Vec<usize>,
    /// The position of each kept line in `kept`.
    place: HashMap<usize, usize>,
}

impl Preserved {
    fn new(anchor: usize, mut kept: Vec<usize>) -> Self {
        let mut is_named = HashSet::new();
        kept.retain(|at| is_named.insert(*at));
        let place = kept.iter().enumerate().map(|(place, &at)| (at, place)).collect();
        Self { anchor, kept, place }
    }
}

impl<'a> Log<'a> {
    pub(crate) fn read(units: &[Unit<'a>]) -> Self {
        let mut log = Self {
            lines: Vec::with_capacity(units.len()),
            replaced: Vec::new(),
            place: HashMap::with_capacity(units.len()),
        };
        for (unit, Unit { json, .. }) in units.iter().enumerate() {
            let line = Line::read(*json, unit);
            if let Some(at) = line.uuid.and_then(|uuid| log.find(uuid)) {
                log.replaced.push((at, log.lines[at].unit));
                log.lines[at] = line;
            } else {
                log.place.extend(line.uuid.map(|uuid| (uuid, log.lines.len())));
                log.lines.push(line);
            }
        }
        // Newer versions write each side chain to its own file, in which every line is marked as one.
        let mut spoken = log.lines.iter().filter(|line| line.is_conversation());
        if spoken.all(|line| line.is_sidechain) {
            log.lines.iter_mut().for_each(|line| line.is_sidechain = false);
        }
        log
    }

    /// The index of the line with this `uuid`, given in its escaped form.
    pub(crate) fn find(&self, uuid: &str) -> Option<usize> {
        self.place.get(uuid).copied()
    }

    /// Finds the live lines.
    pub(crate) fn live(&self) -> Live {
        let Some(leaf) = self.leaf() else { return self.live_without_chain() };
        let preserved = self.preserved();
        let path = self.path(leaf, preserved.as_ref());
        let from_boundary = path.first().copied().filter(|&at| self.is_boundary(at));
        let beside = self.beside(&path, from_boundary.unwrap_or(0)..self.lines.len());
        let preserved = preserved.map_or_else(Vec::new, |preserved| preserved.kept);
        if beside.is_empty() {
            return Live { order: path, preserved, ..Live::default() };
        }
        let mut order = Vec::with_capacity(path.len() + beside.len());
        for at in path {
            order.push(at);
            order.extend(beside.get(&at).into_iter().flatten());
        }
        Live { order, beside: beside.into_values().flatten().collect(), preserved }
    }

    /// All lines, in threads. Lines that are not live come first, each with the lines that hang on it, in the
    /// order of the file; then the live lines, as they are sent. Side chains are written while the call that
    /// started them is open, so their results stand behind their calls only within their own thread.
    pub(crate) fn threads(&self) -> Vec<Vec<usize>> {
        if self.leaf().is_none() {
            return vec![(0..self.lines.len()).collect()];
        }
        let live = self.live();
        let is_live = live.among(self.lines.len());
        // A thread is identified by the first line that was followed to its root.
        let mut thread_of = vec![None; self.lines.len()];
        let mut threads: Vec<Vec<usize>> = Vec::new();
        let mut place: HashMap<usize, usize> = HashMap::new();
        for at in (0..self.lines.len()).filter(|&at| !is_live[at]) {
            let (mut way, mut next) = (Vec::new(), Some(at));
            let thread = loop {
                let Some(here) = next else { break at };
                if let Some(thread) = thread_of[here] {
                    break thread;
                }
                thread_of[here] = Some(at);
                way.push(here);
                let is_same = |&parent: &usize| {
                    !is_live[parent]
                        && self.lines[parent].is_sidechain == self.lines[here].is_sidechain
                };
                next = self.before_in_thread(here).filter(is_same);
            };
            for here in way {
                thread_of[here] = Some(thread);
            }
            let place = *place.entry(thread).or_insert_with(|| {
                threads.push(Vec::new());
                threads.len() - 1
            });
            threads[place].push(at);
        }
        threads.push(live.order);
        threads
    }

    /// The line that a line names as its parent, if that is in the file.
    pub(crate) fn parent(&self, at: usize) -> Option<usize> {
        match self.lines[at].parent {
            Parent::Uuid(uuid) => self.find(uuid),
            Parent::None | Parent::Unknown => None,
        }
    }

    /// The last line of the conversation in the file, whatever its time.
    pub(crate) fn leaf(&self) -> Option<usize> {
        self.lines
            .iter()
            .rposition(|line| line.is_conversation() && line.uuid.is_some() && !line.is_sidechain)
    }

    /// Reads copies of logs without any `uuid` from top to bottom.
    fn live_without_chain(&self) -> Live {
        let is_said = |at: &usize| {
            let line = &self.lines[*at];
            !line.is_sidechain && line.kind != LineKind::Bare
        };
        Live { order: (0..self.lines.len()).filter(is_said).collect(), ..Live::default() }
    }

    fn is_boundary(&self, at: usize) -> bool {
        self.lines[at].kind == LineKind::Boundary
    }

    /// The path from the beginning, or the last boundary, to the leaf.
    fn path(&self, leaf: usize, preserved: Option<&Preserved>) -> Vec<usize> {
        let mut is_seen = vec![false; self.lines.len()];
        let mut path = Vec::new();
        let mut next = Some(leaf);
        while let Some(mut at) = next {
            if let Some(preserved) = preserved {
                let kept = match preserved.place.get(&at) {
                    _ if is_seen[preserved.anchor] => None,
                    _ if at == preserved.anchor => Some(preserved.kept.len()),
                    place => place.map(|place| place + 1),
                };
                if let Some(kept) = kept {
                    let kept = preserved.kept[..kept].iter().rev();
                    path.extend(kept.copied().filter(|&kept| !is_seen[kept]));
                    for &kept in &preserved.kept {
                        is_seen[kept] = true;
                    }
                    at = preserved.anchor;
                }
            }
            if std::mem::replace(&mut is_seen[at], true) {
                break;
            }
            path.push(at);
            next = if self.is_boundary(at) { None } else { self.before(at) };
        }
        path.reverse();
        path
    }

    /// The line before a line in the chain. If the parent is missing from the file, the client continues with
    /// the line before in the file, but not from a line that it only passes over.
    pub(crate) fn before(&self, at: usize) -> Option<usize> {
        self.before_among(at, false)
    }

    /// Like [`before`](Self::before), but for a line that may be in a side chain: then the line before it is
    /// in one too.
    pub(crate) fn before_in_thread(&self, at: usize) -> Option<usize> {
        self.before_among(at, self.lines[at].is_sidechain)
    }

    fn before_among(&self, at: usize, sidechain: bool) -> Option<usize> {
        let line = &self.lines[at];
        if let Some(parent) = self.parent(at) {
            return Some(parent);
        }
        if line.parent == Parent::None || line.kind == LineKind::Skipped {
            return None;
        }
        self.lines[..at]
            .iter()
            .rposition(|line| line.uuid.is_some() && line.is_sidechain == sidechain)
    }

    /// The lines that the last compaction keeps; `None` if any line that it names is missing.
    fn preserved(&self) -> Option<Preserved> {
        let boundary = self
            .lines
            .iter()
            .rposition(|line| line.kind == LineKind::Boundary && !line.is_sidechain)?;
        let metadata = self.lines[boundary].metadata?;
        let [messages, segment] = metadata.pick(["preservedMessages", "preservedSegment"]);
        let find = |uuid: Json<'_>| self.find(uuid.source());
        if let Some(messages) = messages {
            let kept = messages
                .member("uuids")?
                .items()
                .map(|uuid| find(uuid).filter(|&at| self.lines[at].kind != LineKind::Skipped));
            let anchor = messages.member("anchorUuid").and_then(find)?;
            return Some(Preserved::new(anchor, kept.collect::<Option<_>>()?));
        }
        let [head, anchor, tail] = segment?.pick(["headUuid", "anchorUuid", "tailUuid"]);
        let (head, anchor, tail) = (find(head?)?, find(anchor?)?, find(tail?)?);
        let mut kept = vec![tail];
        while *kept.last()? != head {
            let before = self.before(*kept.last()?)?;
            if kept.len() > self.lines.len() {
                return None;
            }
            kept.push(before);
        }
        kept.reverse();
        Some(Preserved::new(anchor, kept))
    }

    /// The lines of parallel calls that hang beside the path, by the line they go behind: fragments with the
    /// `message.id` of a fragment on the path, and results of their calls that are not on it.
    fn beside(&self, path: &[usize], range: Range<usize>) -> HashMap<usize, Vec<usize>> {
        let mut beside: HashMap<usize, Vec<usize>> = HashMap::new();
        let mut is_on_path = vec![false; self.lines.len()];
        for &at in path {
            is_on_path[at] = true;
        }
        let off_path = |kind: LineKind| {
            let is_on_path = &is_on_path;
            range.clone().filter(move |&at| {
                let line = &self.lines[at];
                line.kind == kind && !is_on_path[at] && !line.is_sidechain
            })
        };
        let fragments: Vec<usize> = off_path(LineKind::Assistant).collect();
        let results: Vec<usize> = off_path(LineKind::User).collect();
        if fragments.is_empty() && results.is_empty() {
            return beside;
        }
        // As the client does, attach them behind the last fragment on the path.
        let named = path.iter().filter_map(|&at| Some((self.lines[at].message_id?, at)));
        let named: Vec<(&str, usize)> = named.collect();
        let anchors: HashMap<&str, usize> =
            named.iter().filter(|(_, at)| range.contains(at)).copied().collect();
        let mut anchor_of_call: HashMap<&str, usize> = HashMap::new();
        let mut calls_of = |at: usize, anchor: usize| {
            // Only results need the calls.
            if !results.is_empty() {
                anchor_of_call.extend(self.lines[at].calls().map(|id| (id, anchor)));
            }
        };
        for (id, at) in named {
            if let Some(&anchor) = anchors.get(id) {
                calls_of(at, anchor);
            }
        }
        for at in fragments {
            if let Some(&anchor) = self.lines[at].message_id.and_then(|id| anchors.get(id)) {
                beside.entry(anchor).or_default().push(at);
                calls_of(at, anchor);
            }
        }
        if results.is_empty() {
            return beside;
        }
        let mut answered: HashSet<&str> = HashSet::new();
        for &at in path.iter().filter(|&&at| self.lines[at].kind == LineKind::User) {
            answered.extend(self.lines[at].answers());
        }
        for at in results {
            let open = self.lines[at].answers().find(|id| !answered.contains(id));
            if let Some(&anchor) = open.and_then(|id| anchor_of_call.get(id)) {
                answered.extend(self.lines[at].answers());
                beside.entry(anchor).or_default().push(at);
            }
        }
        beside
    }
}

/// What the client cleared by itself, although the lines still hold it: the call ids of results and the
/// `uuid`s of attachments, in their escaped form.
pub(crate) fn cleared<'a>(log: &Log<'a>, order: &[usize]) -> HashSet<&'a str> {
    let lines = order.iter().map(|&at| &log.lines[at]);
    let named = lines.filter(|line| line.is_clearing()).flat_map(|line| {
        line.named("compactedToolIds").chain(line.named("clearedAttachmentUUIDs"))
    });
    named.map(Json::source).collect()
}
