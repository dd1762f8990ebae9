//! Reading of lines: those that explain a name, alone or with their neighbour.
//!
//! Responsible for the lines of files and outputs and those that edits wrote. A line that only lists
//! something says nothing.

use std::ops::Range;

use memchr::memmem;

use super::crowd::Crowds;
use super::{Nature, Reader};
use crate::digest::calls::outcome;
use crate::digest::files::name_of;
use crate::digest::reading::survey::{Leaf, Source, Unit, Unread, hashed};
use crate::digest::text::index::Id;
use crate::digest::text::kinds::Kinds;
use crate::digest::text::words::Words;
use crate::digest::text::{colours, prose, units};
use crate::message::tags::REMINDER;

/// The worth of a comment that an edit wrote: it says in words what the code is for.
const COMMENT: f32 = 1.0;

/// The worth of a definition: it tells a reader without the file what is in it.
const DEFINITION: f32 = 1.0;
/// How many definitions of a text are worth [`DEFINITION`].
const MOST_DEFINED: usize = 24;

/// The factor for the names in a printed line of a single word: its parts say nothing of it.
const BARE: f32 = 0.5;

/// The greatest distance of two neighbouring lines, in bytes.
const NEAR: usize = 40;

/// A line that was read and may be joined with the next one.
#[derive(Default)]
struct Read {
    range: Range<usize>,
    words: Words,
    /// The names that the line explains.
    explained: Vec<Id>,
    /// The names that the line does not explain, with their places in it.
    names: Vec<(Id, Range<usize>)>,
    /// Whether an edit wrote the line.
    is_put: bool,
    /// The factor for its names, without its crowd.
    share: f32,
    /// The factor for its names as part of a crowd of similar lines.
    among: f32,
    /// Its cost in tokens, computed when it is first asked for.
    cost: Option<u16>,
}

impl Read {
    fn cost(&mut self, kinds: &Kinds) -> u16 {
        *self.cost.get_or_insert_with(|| units::estimated(kinds.within(&self.range)))
    }
}

impl Reader<'_> {
    /// Reads lines and keeps those that still stand and explain a name, alone or with their neighbour. `of`
    /// returns the source of the lines after a line that names one.
    pub(super) fn lines(
        &mut self,
        text: &str,
        leaf: Leaf,
        Nature { put, is_run }: Nature<'_>,
        of: impl Fn(&str) -> Option<Source>,
        stands: impl Fn(Source, &str) -> bool,
        worth: impl Fn(&str) -> f32,
    ) {
        let (mut source, mut number) = (leaf.source, self.leaf(leaf));
        let (mut before, mut now) = (Read::default(), Read::default());
        let mut is_reminder = false;
        let mut defined = 0;
        let end_of_reminders = memmem::rfind(text.as_bytes(), REMINDER[1].as_bytes()).unwrap_or(0);
        self.kinds.read(text);
        let crowds =
            if is_printed(source) && !is_run { Crowds::of(text) } else { Crowds::default() };
        units::lines(text, |range| {
            let line = &text[range.clone()];
            // A reminder that the agent's client adds to an output is no part of it.
            is_reminder |= range.start < end_of_reminders && line.starts_with(REMINDER[0]);
            if is_reminder {
                is_reminder = !line.contains(REMINDER[1]);
                return;
            }
            self.scan(text, &range);
            if let Some(other) = of(line) {
                // The next lines are of another file.
                (source, number) = (other, self.leaf(Leaf { source: other, ..leaf }));
                before.range = 0..0;
                return;
            }
            if self.shows(&range) {
                return;
            }
            // A listing only says that a file exists, the heading of a change only that there is one; and
            // the outcome tells how a tool ran.
            let is_listed = outcome::is_listed(line);
            let says_nothing = is_listed && !self.awaited.is_unread
                || outcome::is_framing(line)
                || colours::only_draws(line)
                || outcome::heads_change(line);
            if says_nothing || !stands(source, line) {
                before.range = 0..0;
                return;
            }
            std::mem::swap(&mut now.words, &mut self.words);
            now.cost = None;
            now.is_put = put.has(line);
            let (among, alone) = crowds.weigh(line);
            now.share = match is_printed(source) {
                _ if is_listed => 0.0,
                true if lists_files(line) => 0.0,
                true if is_bare(line) => BARE,
                _ => 1.0,
            };
            now.among = among;
            now.range = range;
            now.names.clear();
            now.explained.clear();
            for (id, place) in self.found.iter().zip(&self.places) {
                if now.words.explain(line, place) {
                    now.explained.push(*id);
                } else {
                    now.names.push((*id, place.clone()));
                }
            }
            let (unread, own) = self.unread(text, &now.range);
            if !now.explained.is_empty() || unread != Unread::No {
                let cost = now.cost(&self.kinds);
                let told = if now.is_put && prose::is_comment(line) {
                    COMMENT
                } else if defined < MOST_DEFINED && name_of(line.trim()).is_some() {
                    defined += 1;
                    DEFINITION
                } else {
                    0.0
                };
                let own = if unread == Unread::No { worth(line).max(alone) } else { own };
                let said = if unread == Unread::No { None } else { hashed(line) };
                let unit = Unit {
                    worth: own + told,
                    unread,
                    said,
                    is_put: now.is_put,
                    is_run,
                    share: now.share * now.among,
                    // An import says little of the names in it: it is for those that nothing else explains.
                    is_weak: prose::is_import(line),
                    record: self.line,
                    ..Unit::of(number, &now.range, cost)
                };
                self.keep(unit, &now.explained);
            }
            let is_near = !is_listed
                && !before.range.is_empty()
                && now.range.start - before.range.end <= NEAR;
            if is_near && !(before.names.is_empty() && now.names.is_empty()) {
                self.join(text, number, is_run, &mut before, &mut now);
            }
            std::mem::swap(&mut before, &mut now);
        });
    }

    /// Keeps two neighbouring lines as one unit. If they explain a name with words to spare, the unit also
    /// has the names that each line explains alone. Names that they barely explain get a weak unit.
    fn join(&mut self, text: &str, leaf: u32, is_run: bool, before: &mut Read, now: &mut Read) {
        let (above, line) = (&text[before.range.clone()], &text[now.range.clone()]);
        let of_above = before.names.iter().filter_map(|(id, place)| {
            let other = (&now.words, line);
            Some((*id, before.words.explain_with(above, other, place)?))
        });
        let of_line = now.names.iter().filter_map(|(id, place)| {
            let other = (&before.words, above);
            Some((*id, now.words.explain_with(line, other, place)?))
        });
        let (mut weak, mut strong) = (Vec::new(), Vec::new());
        for (id, spare) in of_above.chain(of_line) {
            if spare > 0 { strong.push(id) } else { weak.push(id) }
        }
        if strong.is_empty() && weak.is_empty() {
            return;
        }
        let range = before.range.start..now.range.end;
        let cost = before.cost(&self.kinds).saturating_add(now.cost(&self.kinds)).saturating_add(1);
        let is_put = before.is_put && now.is_put;
        let share = before.share.max(now.share) * before.among.min(now.among);
        let record = self.line;
        let unit = Unit { share, record, is_put, is_run, ..Unit::of(leaf, &range, cost) };
        if !strong.is_empty() {
            strong.extend(before.explained.iter().chain(&now.explained));
            self.keep(unit, &strong);
        }
        if !weak.is_empty() {
            self.keep(Unit { is_weak: true, ..unit }, &weak);
        }
    }
}

/// Whether a source is the output of a command or of another call.
fn is_printed(source: Source) -> bool {
    matches!(source, Source::Command(_) | Source::Call(_))
}

/// Whether a line is a single word.
fn is_bare(line: &str) -> bool {
    line.is_ascii() && !line.contains([' ', '\t'])
}

/// Whether a line only lists files, one or several: it says no more than that they exist.
fn lists_files(line: &str) -> bool {
    let is_alphabetic = |word: &str| word.starts_with(|c: char| c.is_ascii_alphabetic());
    // What follows the last dot of a version is a number.
    let has_ending = |word: &str| word.rsplit_once('.').is_some_and(|(_, end)| is_alphabetic(end));
    let is_inside = |byte: u8| byte.is_ascii_alphanumeric() || b"/._-+@~[]()#%$".contains(&byte);
    let is_file = |word: &str| {
        let path = word.strip_suffix(':').unwrap_or(word);
        path.bytes().all(is_inside)
            && (path.contains('/') || is_alphabetic(path) && has_ending(path))
    };
    line.split_ascii_whitespace().all(is_file)
}
