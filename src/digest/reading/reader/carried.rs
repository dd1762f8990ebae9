//! Reading of an earlier digest: its lines were chosen once.
//!
//! Responsible for what they are worth beside what is new. They are read as the leaf says that they stand in, and
//! what they were chosen for they explain.

use std::ops::Range;

use super::Reader;
use super::sentences::{ANNOUNCED, CARRIED, FULL, FULLEST};
use crate::digest::known::Known;
use crate::digest::reading::survey::{Leaf, Source, Stand, Unit};
use crate::digest::text::index::Voice;
use crate::digest::text::labels::{PARTS, PUT, RUN};
use crate::digest::text::prose;
use crate::digest::{Setting, narrow};

/// How much more a sentence of the model is worth that an earlier digest chose.
const CHOSEN: f32 = 2.0;

/// How much the names of such a line count in talk, beside new sentences that count once or twice:
/// what three compactions keep is then shared evenly.
const CARRIED_TALK: f32 = 1.5;

/// Who said what an earlier digest tells.
#[derive(Clone, Copy, Debug)]
struct Carried {
    /// The user did; else the model.
    is_asked: bool,
    /// The user has spoken since.
    is_answered: bool,
}

impl Reader<'_> {
    /// Reads the earlier digest with this number: its lines go under the files, commands and headings that they
    /// had. The user has spoken since if it `is_answered`.
    pub(crate) fn carry(&mut self, text: &str, number: usize, is_answered: bool, at: Leaf) {
        let Known { ledger, earlier: all, .. } = *self.known;
        let (before, earlier) = (&all[..number], &all[number]);
        earlier.found.iter().for_each(|found| self.notes(&found.heading));
        // It has many headings, and its kinds are read once.
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
            let is_asked = said.heading.text.ends_with(PARTS);
            (&said.lines, Some(Carried { is_asked, is_answered }))
        });
        let found = earlier.found.iter().map(|found| (&found.lines, None));
        for (heading, (lines, said)) in (narrow(before.sum())..).zip(said.chain(found)) {
            self.carried(text, Leaf { source: Source::Earlier(heading), ..at }, lines, said);
        }
    }

    /// Reads lines of an earlier digest, said by whom if anybody: what they were chosen for they explain.
    fn carried(&mut self, text: &str, leaf: Leaf, lines: &[Range<usize>], said: Option<Carried>) {
        self.origin.voice = Voice::Summary;
        let number = self.leaf(leaf);
        for (at, whole) in lines.iter().enumerate() {
            let (range, mark) = behind_mark(text, whole);
            let range = &range;
            self.scan(text, range);
            let (worth, share) = match (leaf.source, self.setting) {
                // Its words weigh what those of newer lines do.
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
            let unit = Unit { worth, share, record, stand, is_put, is_run, ..unit };
            self.keep(unit, &found);
            self.found = found;
        }
    }

    /// What sentences of an earlier digest that were read are worth, and how much their names count: for
    /// what they say, as when they were new, and not for having had room.
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

/// What stands before a quoted line of an earlier digest, perhaps a mark, and the line behind it.
fn behind_mark<'t>(text: &'t str, line: &Range<usize>) -> (Range<usize>, &'t str) {
    let mark = [PUT, RUN]
        .into_iter()
        .find(|mark| text[..line.start].ends_with("> ") && text[line.clone()].starts_with(mark));
    let mark = mark.unwrap_or_default();
    (line.start + mark.len()..line.end, mark)
}
