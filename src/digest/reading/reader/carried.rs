//! Reading of an earlier digest, whose lines were chosen once before.
//!
//! Responsible for what these lines are worth beside new ones. They are read as lines of the leaf that they
//! stand in, and they explain the names that they were chosen for.

use std::ops::Range;

use super::Reader;
use super::sentences::{ANNOUNCED, CARRIED, FULL, FULLEST};
use crate::digest::known::Known;
use crate::digest::reading::survey::{Leaf, Source, Stand, Unit};
use crate::digest::text::index::Voice;
use crate::digest::text::labels::{PUT, RUN};
use crate::digest::text::{prose, rules};
use crate::digest::{Setting, narrow};

/// The additional worth of a sentence of the model that an earlier digest chose.
const CHOSEN: f32 = 2.0;

/// The factor for the names of a line of an earlier digest in talk, where new sentences count once or twice: so
/// what three compactions keep is shared evenly.
const CARRIED_TALK: f32 = 1.5;

/// The speaker of a line in an earlier digest.
#[derive(Clone, Copy, Debug)]
struct Carried {
    /// Whether the user said it; else the model did.
    is_asked: bool,
    /// Whether the user has spoken since.
    is_answered: bool,
}

impl Reader<'_> {
    /// Reads the earlier digest with this number. Its lines go under the files, commands and headings that
    /// they had. `is_answered` says that the user has spoken since.
    pub(crate) fn carry(&mut self, text: &str, number: usize, is_answered: bool, at: Leaf) {
        let Known { ledger, earlier: all, .. } = *self.known;
        let (before, earlier) = (&all[..number], &all[number]);
        earlier.found.iter().for_each(|found| self.notes(&found.heading));
        // A digest has many headings; its kinds of bytes are computed once.
        self.kinds.read(text);
        for file in earlier.files.iter().filter(|file| !file.lines.is_empty()) {
            if let Some(number) = ledger.paths.number_of(&file.heading.path) {
                self.carried(text, Leaf { source: Source::File(number), ..at }, &file.lines, None);
            }
        }
        for command in earlier.commands.iter().filter(|command| !command.lines.is_empty()) {
            if let Some(number) = ledger.number_as_told(&command.heading.text) {
                let leaf = Leaf { source: Source::Command(number), ..at };
                self.carried(text, leaf, &command.lines, None);
            }
        }
        let before = before.iter().map(|earlier| earlier.said.len() + earlier.found.len());
        let said = earlier.said.iter().map(|said| {
            let is_asked = said.is_asked();
            (&said.lines, Some(Carried { is_asked, is_answered }))
        });
        let found = earlier.found.iter().map(|found| (&found.lines, None));
        for (heading, (lines, said)) in (narrow(before.sum())..).zip(said.chain(found)) {
            self.carried(text, Leaf { source: Source::Earlier(heading), ..at }, lines, said);
        }
    }

    /// Reads lines of an earlier digest. `said` is their speaker, if anybody said them.
    fn carried(&mut self, text: &str, leaf: Leaf, lines: &[Range<usize>], said: Option<Carried>) {
        self.origin.voice = Voice::Summary;
        let number = self.leaf(leaf);
        for (at, whole) in lines.iter().enumerate() {
            let (range, mark) = behind_mark(text, whole);
            let range = &range;
            self.scan(text, range);
            let (worth, share) = match (leaf.source, self.setting) {
                // In talk its words weigh as much as those of newer lines.
                (_, Setting::Advice | Setting::Talk) => {
                    self.salient(text, range);
                    (0.0, CARRIED_TALK)
                }
                (Source::Earlier(_), Setting::Work) => {
                    let carried = said.map(|said| self.worth_carried(&text[range.clone()], said));
                    carried.unwrap_or((CARRIED, 1.0))
                }
                (Source::Earlier(_), _) => (CARRIED, 1.0),
                _ => (CARRIED / 2.0, 1.0),
            };
            let found = std::mem::take(&mut self.found);
            self.line += 1;
            let record = self.line;
            let (is_put, is_run) = (mark == PUT, mark == RUN);
            let is_code = said.is_some() && text[..range.start].ends_with("> ");
            let unit = Unit::of(number, range, self.cost(range));
            let stand = Stand::of(is_code, at > 0);
            let is_rule = self.setting == Setting::Work
                && said.is_some_and(|said| said.is_asked && rules::binds(&text[range.clone()]));
            let unit = Unit { worth, share, record, stand, is_rule, is_put, is_run, ..unit };
            self.keep(unit, &found);
            self.found = found;
        }
    }

    /// The worth of a sentence of an earlier digest, and the factor for its names: as when it was new, and
    /// not just for having had room.
    fn worth_carried(&self, line: &str, said: Carried) -> (f32, f32) {
        if said.is_asked {
            return (prose::tone_of_user(line).worth_asked(false).max(CARRIED), 1.0);
        }
        let mut tone = prose::tone(line);
        tone.is_filler |= tone.is_offer && said.is_answered;
        let worth = tone.worth_said(prose::Occasion::default());
        if worth == 0.0 {
            return (0.0, ANNOUNCED);
        }
        #[allow(clippy::cast_precision_loss, reason = "a handful of words")]
        let fullness = (self.words.count() as f32 / FULL).min(FULLEST);
        (fullness * (worth + CHOSEN), 1.0)
    }
}

/// The range of a quoted line after its mark, and the mark, which may be empty.
fn behind_mark<'t>(text: &'t str, line: &Range<usize>) -> (Range<usize>, &'t str) {
    let mark = [PUT, RUN]
        .into_iter()
        .find(|mark| text[..line.start].ends_with("> ") && text[line.clone()].starts_with(mark));
    let mark = mark.unwrap_or_default();
    (line.start + mark.len()..line.end, mark)
}
