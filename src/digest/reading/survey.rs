//! What was found in a conversation: its texts, their units, their names.
//!
//! Responsible for putting together what was read of it and for reading again the units that are
//! chosen: a unit remembers where it stands, and no text is kept.

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

/// What a text is, and so where its units go.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Source {
    /// A user's message.
    Asked,
    /// What the model said.
    Said,
    /// An earlier summary.
    Summary,
    /// Lines of a file, read or written: the file's number.
    File(u32),
    /// The output of a command: the command's number.
    Command(u32),
    /// What another call said or was told: the call's number, if it is known.
    Call(Option<u32>),
    /// Lines of an earlier digest under a heading of it: the heading's number.
    Earlier(u32),
}

/// A text of the conversation.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Leaf {
    pub(crate) message: u32,
    pub(crate) part: u32,
    /// Of a call, which of the strings in its arguments.
    pub(crate) field: u32,
    pub(crate) source: Source,
}

/// The field that stands for the arguments as they are written.
pub(crate) const WHOLE: u32 = u32::MAX;

/// A line, a sentence, a pair of neighbours or a field, that may be chosen.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Unit {
    pub(crate) leaf: u32,
    pub(crate) start: u32,
    pub(crate) end: u32,
    pub(crate) names: u32,
    pub(crate) count: u16,
    /// Its tokens, about.
    pub(crate) cost: u16,
    /// What it is worth apart from its names, and how much these count.
    pub(crate) worth: f32,
    pub(crate) share: f32,
    /// Of a field: the number of its record in its text; of a sentence: that of its line.
    pub(crate) record: u32,
    /// Whether it is a field of a record, and the tokens, about, of what that is of.
    pub(crate) is_field: bool,
    pub(crate) title: u16,
    /// Whether it barely explains its names: only for those that nothing else explains.
    pub(crate) is_weak: bool,
    /// Of a sentence: how it stands in its text.
    pub(crate) stand: Stand,
    /// Whether an edit put it in, and whether it is the text of a command, which printed none of it.
    pub(crate) is_put: bool,
    pub(crate) is_run: bool,
    /// Whether it is of a result that nobody has read yet.
    pub(crate) unread: Unread,
    /// Of a sentence, and of a line that is worth something: a hash of it. What is said again, as plans are, is told
    /// once.
    pub(crate) said: Option<NonZero<u64>>,
}

/// How a sentence stands in prose.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) enum Stand {
    /// Behind another one of its line.
    #[default]
    Behind,
    /// At the beginning of its line.
    First,
    /// It is code.
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

/// What the agent waits for.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) enum Unread {
    /// It was read, or stays.
    #[default]
    No,
    /// A line of a result that goes as a whole.
    Line,
    /// An error in what goes of a result.
    Error,
}

/// What a field is worth that names nothing, as `insurance: yes`: less than the shortest number.
pub(crate) const NAMELESS: f32 = 0.5;

impl Unit {
    /// A part of a text that is worth nothing yet and has no names.
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

/// A cost to the power of 3/4, in talk of 5/8, where short sentences say too little alone. Measured:
/// among agents that work, from 0.7 to 1.15 it makes a point.
pub(crate) fn scaled(cost: f32, setting: Setting) -> f32 {
    let half = cost.sqrt();
    let quarter = half.sqrt();
    half * if setting.is_talk() { quarter.sqrt() } else { quarter }
}

/// What a sentence or a line is known again by.
pub(in crate::digest::reading) fn hashed(sentence: &str) -> Option<NonZero<u64>> {
    NonZero::new(hash(sentence.as_bytes()))
}

/// All that was found.
#[derive(Clone, Default)]
pub(crate) struct Survey {
    pub(crate) index: Index,
    pub(crate) leaves: Vec<Leaf>,
    pub(crate) units: Vec<Unit>,
    pub(crate) names: Vec<Id>,
    /// Names in messages that stay visible.
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

    /// About how many tokens all units have.
    pub(crate) fn cost(&self) -> usize {
        self.units.iter().map(|unit| usize::from(unit.cost)).sum()
    }

    /// Adds what was found in the messages behind these.
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

    /// Gives every unit the names that stand for its own, each once; one that barely explains its names
    /// keeps those that nothing else explains, and a sentence that is worth more where it is said again,
    /// or no less where it was said before, keeps none. What is left with nothing goes.
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

    /// What some units say, and what stands around those that are fields; each text read once.
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

/// Gives the text of a leaf to `then`.
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
