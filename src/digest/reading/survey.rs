//! What was found in a conversation: its texts, their units, their names.
//!
//! Responsible for merging what was read and for reading the chosen units again: a unit remembers where it
//! stands, and no text is kept.

use std::collections::{HashMap, HashSet};
use std::num::NonZero;
use std::ops::Range;

use crate::conversation::Part;
use crate::digest::text::index::{Id, Index};
use crate::digest::text::records::{Around, Records};
use crate::digest::text::talk::Talk;
use crate::digest::text::units;
use crate::digest::{Request, Setting, calls, narrow, spread};
use crate::hash::{BuildQuick, hash};

/// The kind of a text, which decides under which heading its units go.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Source {
    /// A message of the user.
    Asked,
    /// Words of the model.
    Said,
    /// An earlier summary.
    Summary,
    /// Lines of a file, read or written: the file's number.
    File(u32),
    /// The output of a command: the command's number.
    Command(u32),
    /// The request or the result of another call, with the number of the call if it is known.
    Call(Option<u32>),
    /// Lines of an earlier digest under a heading of it: the heading's number.
    Earlier(u32),
}

/// A text of the conversation.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Leaf {
    pub(crate) message: u32,
    pub(crate) part: u32,
    /// For a call: the index of the string in its arguments, or [`WHOLE`].
    pub(crate) field: u32,
    pub(crate) source: Source,
}

/// The [`Leaf::field`] that stands for the arguments as they are written.
pub(crate) const WHOLE: u32 = u32::MAX;

/// A line, a sentence, a pair of neighbouring lines or a field that may be chosen.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Unit {
    pub(crate) leaf: u32,
    pub(crate) start: u32,
    pub(crate) end: u32,
    pub(crate) names: u32,
    pub(crate) count: u16,
    /// Its approximate cost in tokens.
    pub(crate) cost: u16,
    /// Its worth apart from its names.
    pub(crate) worth: f32,
    /// The factor for the weights of its names.
    pub(crate) share: f32,
    /// For a field, the number of its record in its text; for a sentence, the number of its line.
    pub(crate) record: u32,
    /// Whether it is a field of a record.
    pub(crate) is_field: bool,
    /// The approximate cost in tokens of the title of its record.
    pub(crate) title: u16,
    /// Whether it barely explains its names: it counts only for those that nothing else explains.
    pub(crate) is_weak: bool,
    /// How a sentence stands in its text.
    pub(crate) stand: Stand,
    /// Whether it is a rule of the user, which stays in force.
    pub(crate) is_rule: bool,
    /// Whether an edit wrote it.
    pub(crate) is_put: bool,
    /// Whether it is part of the text of a command, not of its output.
    pub(crate) is_run: bool,
    /// Whether it is of a result that nobody has read yet.
    pub(crate) unread: Unread,
    /// A hash of a sentence that is worth something, of an unread line or of a ticket's title: what is said
    /// again, as plans are, is told once. `None` for all other units.
    pub(crate) said: Option<NonZero<u64>>,
}

/// How a sentence stands in prose.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) enum Stand {
    /// After another sentence on its line.
    #[default]
    Behind,
    /// At the beginning of its line.
    First,
    /// It is a line of code.
    Code,
}

impl Stand {
    pub(crate) fn of(is_code: bool, starts_line: bool) -> Self {
        match (is_code, starts_line) {
            (true, _) => Self::Code,
            (false, true) => Self::First,
            (false, false) => Self::Behind,
        }
    }
}

/// Whether the agent still waits for a part of a result.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) enum Unread {
    /// It was read, or it stays visible.
    #[default]
    No,
    /// A line of a result that is summarised as a whole.
    Line,
    /// An error in the part of a result that is summarised.
    Error,
}

/// The worth of a field without a name, such as `insurance: yes`: less than the shortest number.
pub(crate) const NAMELESS: f32 = 0.5;

impl Unit {
    /// A unit without worth or names.
    pub(crate) fn of(leaf: u32, range: &Range<usize>, cost: u16) -> Self {
        Self {
            leaf,
            start: narrow(range.start),
            end: narrow(range.end),
            cost,
            share: 1.0,
            ..Self::default()
        }
    }
}

/// The cost of a unit to the power of 3/4; in talk to 5/8, where short sentences alone say too little.
/// Measured: in agents' work an exponent from 0.7 to 1.15 makes a point.
pub(crate) fn scaled(cost: f32, setting: Setting) -> f32 {
    let half = cost.sqrt();
    let quarter = half.sqrt();
    half * if setting.is_talk() { quarter.sqrt() } else { quarter }
}

/// The hash by which a repeated sentence or line is recognised.
pub(in crate::digest::reading) fn hashed(sentence: &str) -> Option<NonZero<u64>> {
    NonZero::new(hash(sentence.as_bytes()))
}

/// Everything that was found.
#[derive(Clone, Default)]
pub(crate) struct Survey {
    pub(crate) index: Index,
    pub(crate) leaves: Vec<Leaf>,
    pub(crate) units: Vec<Unit>,
    pub(crate) names: Vec<Id>,
    /// The names in messages that stay visible.
    pub(crate) shown: Vec<Id>,
}

impl Survey {
    /// The names that a unit explains.
    pub(crate) fn names_of(&self, unit: &Unit) -> &[Id] {
        &self.names[unit.names as usize..][..usize::from(unit.count)]
    }

    /// The text that a unit stands in.
    pub(crate) fn leaf_of(&self, unit: &Unit) -> Leaf {
        self.leaves[unit.leaf as usize]
    }

    /// The approximate cost of all units together, in tokens.
    pub(crate) fn cost(&self) -> usize {
        self.units.iter().map(|unit| usize::from(unit.cost)).sum()
    }

    /// Adds what was found in the messages after these.
    pub(crate) fn absorb(&mut self, other: Self) {
        let ids = self.index.absorb(&other.index);
        let (leaves, names) = (narrow(self.leaves.len()), narrow(self.names.len()));
        self.leaves.extend(other.leaves);
        self.names.extend(other.names.iter().map(|id| ids[*id as usize]));
        self.shown.extend(other.shown.iter().map(|id| ids[*id as usize]));
        self.units.extend(other.units.into_iter().map(|unit| Unit {
            leaf: unit.leaf + leaves,
            names: unit.names + names,
            ..unit
        }));
    }

    /// Replaces the names of every unit by their canonical ones, each once. A unit that barely explains its
    /// names keeps only those that nothing else explains. Of equal sentences only the one worth most keeps
    /// its names and its worth. Units left with neither are removed.
    pub(crate) fn settle(&mut self) {
        let canonical = self.index.all_canonical();
        for names in [&mut self.names, &mut self.shown] {
            for id in names {
                *id = canonical[*id as usize];
            }
        }
        let sentences = self.units.iter().filter(|unit| unit.said.is_some()).count();
        let mut said = HashMap::with_capacity_and_hasher(sentences, BuildQuick::new());
        for at in 0..self.units.len() {
            let Some(sentence) = self.units[at].said else { continue };
            let best = said.entry(sentence).or_insert(at);
            let less = if self.units[at].worth > self.units[*best].worth {
                std::mem::replace(best, at)
            } else {
                at
            };
            if less != *best {
                (self.units[less].count, self.units[less].worth) = (0, 0.0);
            }
        }
        let mut is_explained = vec![false; self.index.len()];
        let has_weak = self.units.iter().any(|unit| unit.is_weak);
        for unit in self.units.iter().filter(|unit| has_weak && !unit.is_weak) {
            for id in self.names_of(unit) {
                is_explained[*id as usize] = true;
            }
        }
        for unit in &mut self.units {
            let names = &mut self.names[unit.names as usize..][..usize::from(unit.count)];
            let mut kept = 0;
            for at in 0..names.len() {
                let id = names[at];
                let is_known = unit.is_weak && is_explained[id as usize];
                if !names[..kept].contains(&id) && !is_known {
                    names[kept] = id;
                    kept += 1;
                }
            }
            unit.count = u16::try_from(kept).unwrap_or(unit.count);
        }
        self.units.retain(|unit| unit.count > 0 || unit.worth > 0.0);
        self.units.shrink_to_fit();
    }

    /// The texts of some units, and the context of those that are fields. Each text is read once.
    pub(crate) fn texts(
        &self,
        request: &Request<'_, '_>,
        talk: &Talk,
        wanted: &[u32],
    ) -> Vec<(String, Around)> {
        let messages = &request.conversation.messages;
        let mut order: Vec<usize> = (0..wanted.len()).collect();
        let unit = |at: usize| &self.units[wanted[at] as usize];
        let leaf = |at: usize| self.leaf_of(unit(at));
        order.sort_by_key(|&at| unit(at).leaf);
        let read = |share: Range<usize>| {
            let behind = |end| order.partition_point(|&at| (leaf(at).message as usize) < end);
            let own = &order[behind(share.start)..behind(share.end)];
            let mut texts = Vec::with_capacity(own.len());
            for group in own.chunk_by(|&a, &b| unit(a).leaf == unit(b).leaf) {
                let leaf = leaf(group[0]);
                let part = &messages[leaf.message as usize].parts[leaf.part as usize];
                leaf_text(part, &leaf, |text| {
                    let places = || group.iter().filter(|at| unit(**at).is_field);
                    let places: HashSet<_> = places().map(|&at| unit(at).start as usize).collect();
                    let mut around = if places.is_empty() {
                        HashMap::new()
                    } else {
                        Records::of(text).around(|start| places.contains(&start))
                    };
                    let mut said = |at| {
                        let range = unit(at).start as usize..unit(at).end as usize;
                        let mut around = around.remove(&range.start).unwrap_or_default();
                        if matches!(leaf.source, Source::Asked | Source::Said)
                            && let Some(speaker) = talk.speaker_before(text, range.start)
                        {
                            speaker.clone_into(&mut around.speaker);
                        }
                        (units::without_numbers(text, &range), around)
                    };
                    texts.extend(group.iter().map(|&at| (at, said(at))));
                });
            }
            texts
        };
        let mut texts = vec![(String::new(), Around::default()); wanted.len()];
        let take = |read: Vec<_>| read.into_iter().for_each(|(at, text)| texts[at] = text);
        spread::read_each(messages, request.may_spread, read, take);
        texts
    }
}

/// Calls `then` with the text of a leaf.
pub(crate) fn leaf_text(part: &Part<'_>, leaf: &Leaf, mut then: impl FnMut(&str)) {
    let Leaf { field, source, .. } = *leaf;
    let is_said =
        matches!(source, Source::Asked | Source::Said | Source::Summary | Source::Earlier(_));
    if !calls::is_call(part) {
        then(&if is_said { part.text() } else { calls::said(part) });
    } else if field == WHOLE {
        if let Some(body) = part.body {
            then(&body.plain());
        }
    } else {
        let mut at = 0;
        calls::texts(part, |_, text| {
            if at == field {
                then(text);
            }
            at += 1;
        });
    }
}
