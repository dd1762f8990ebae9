//! Reading of prose: its sentences, what each is worth, and the names that it explains.
//!
//! Responsible for what people and models say. It relies on [`prose`] to judge sentences, and in talk
//! on their words.

use std::borrow::Cow;
use std::ops::Range;

use super::Reader;
use crate::digest::Setting;
use crate::digest::calls::outcome::Screen;
use crate::digest::reading::survey::{Leaf, Source, Stand, Unit, hashed};
use crate::digest::text::index::Voice;
use crate::digest::text::{lists, prose, rules, tidy, units, words};

/// The worth of a line of an earlier digest: it was chosen once, and is all that is left.
pub(super) const CARRIED: f32 = 6.0;
/// The factor for the worth of a line of an earlier summary that is a rule of the user.
const RULED: f32 = 2.0;
/// The factor for the names in text that a user pasted.
const PASTED: f32 = 0.3;

/// The factor for the names in a sentence with which the model only announces what it does next.
pub(super) const ANNOUNCED: f32 = 0.4;

/// The factor for the names in an offer that the user ignored.
const OFFERED: f32 = 0.1;

/// The length in bytes from which on a customer's message is mostly a paste.
const PASTE: usize = 1200;

/// How full the first sentence of a customer's message is at least.
const LEAST_FULL: f32 = 0.3;

/// The number of words with which a sentence is full.
pub(super) const FULL: f32 = 6.0;
/// How many times fuller a sentence of the model can count. Measured: of what a session is asked for later,
/// long sentences hold most.
pub(super) const FULLEST: f32 = 2.3;

/// The factor for a sentence of a plan: in the end it is what was done.
const PLANNED: f32 = 2.0;
/// The factor for a sentence that the user answered in a few words: `yes` says nothing without it.
const ACCEPTED: f32 = 1.5;

/// The worth of a sentence in which a customer is refused something. Measured: with half as much again
/// names are lost.
const REFUSED: f32 = 12.0;

/// The factor for the worth of a sentence where nobody works on files: there the names tell.
const WITHOUT_WORK: f32 = 0.2;

/// The circumstances of a text of prose.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Speech {
    /// Whether nothing follows it in its turn.
    pub(crate) closes_turn: bool,
    /// Whether it gives up what the model said before the user's words.
    pub(crate) concedes: bool,
    /// Whether a call failed since the model last spoke.
    pub(crate) follows_failure: bool,
    /// Whether the user has said since what is to be done.
    pub(crate) is_answered: bool,
    /// Whether the user answered it in a few words.
    pub(crate) is_accepted: bool,
    /// Whether it is a plan that the user was asked to approve, and did not refuse.
    pub(crate) is_plan: bool,
    /// The byte at which its words begin, after a date and a name.
    pub(crate) start: usize,
}

impl Speech {
    /// The last word on something: a report, a plan, a summary.
    pub(crate) const LAST: Self = Self {
        closes_turn: true,
        concedes: false,
        follows_failure: false,
        is_answered: false,
        is_accepted: false,
        is_plan: false,
        start: 0,
    };
    pub(crate) const PLAN: Self = Self { is_plan: true, ..Self::LAST };
    /// A plan that the user did not approve: what they said against it holds.
    pub(crate) const REFUSED: Self = Self { closes_turn: false, is_answered: true, ..Self::LAST };
}

/// The factor for the names of a sentence of the model.
fn share_of(tone: prose::Tone, speech: Speech) -> f32 {
    match tone {
        _ if tone.is_offer && speech.is_answered && !speech.is_accepted => OFFERED,
        _ if tone.is_filler => ANNOUNCED,
        _ => 1.0,
    }
}

impl Reader<'_> {
    /// Reads the part of a message that stays visible.
    pub(crate) fn shown(&mut self, text: &str) {
        text.clone_into(&mut self.visible);
        let was = std::mem::replace(&mut self.is_shown, true);
        self.origin.voice = Voice::User;
        self.kinds.read(text);
        units::sentences(text, |sentence| self.scan(text, &sentence.range));
        self.is_shown = was;
    }

    /// Reads prose.
    pub(crate) fn prose(&mut self, text: &str, leaf: Leaf, speech: Speech) {
        self.origin.voice = voice(leaf.source);
        let number = self.leaf(leaf);
        let setting = self.setting;
        let (mut is_lead, mut is_opening, mut under) = (true, true, Under::default());
        let mut over = Over::default();
        // Lines that the model quotes are not its own words.
        let may_quote = setting == Setting::Work && leaf.source == Source::Said;
        let mut is_quoted = false;
        // Around what a customer pastes, the request is all that only they can say.
        let is_request = leaf.source == Source::Asked
            && (setting == Setting::Work || setting == Setting::Service && text.len() > PASTE);
        let is_customer = setting == Setting::Service && leaf.source == Source::Asked;
        let has_request = is_customer && prose::asks_for_something(text);
        let has_few_rules = is_request && rules::are_few(text);
        let mut screen = is_request.then(|| Screen::of(text));
        self.kinds.read(text);
        let mut read = |sentence: units::Sentence| {
            let units::Sentence { range, is_code, starts_line } = sentence;
            self.line += u32::from(starts_line);
            let range = range.start.max(speech.start).min(range.end)..range.end;
            let sentence = &text[range.clone()];
            if leaf.source == Source::Asked && self.visible.contains(sentence) {
                return;
            }
            if setting == Setting::Service {
                self.hear(text, &range);
            }
            self.scan(text, &range);
            let is_bare = setting == Setting::Work
                && leaf.source == Source::Said
                && !sentence.contains(char::is_alphabetic);
            if heads_table(sentence, &text[range.end..]) || is_bare {
                return;
            }
            let (mut worth, mut is_rule) = (0.0, false);
            // The task may stand in tags after the sentence that introduces it.
            if setting == Setting::Work && !is_code && prose::opens_part(sentence) {
                (is_opening, under.opens_part) = (true, true);
                return;
            }
            // A title that opens a request says what the request is about.
            let is_title = leaf.source == Source::Asked && is_opening;
            let is_said = !is_code && (is_title || !sentence.starts_with('#'));
            if starts_line {
                is_quoted = may_quote && sentence.starts_with("> ");
            }
            let is_pasted = is_quoted
                || screen.as_mut().is_some_and(|screen| screen.shows(&range, starts_line));
            let tone_of = prose::judge(is_customer, is_request);
            let mut tone = is_said.then(|| tone_of(sentence));
            under.tell(tone.as_mut(), sentence, leaf.source);
            if let Some(tone) = &mut tone {
                if has_few_rules && rules::binds(sentence) {
                    tone.rule();
                    is_rule = !is_pasted && setting == Setting::Work;
                }
                over.tell(tone, sentence, &text[range.end..]);
                if speech.concedes && is_lead && !tone.is_filler {
                    tone.give_reason();
                }
                // An offer is over once the user has gone on.
                tone.is_filler |= tone.is_offer && speech.is_answered;
                tone.is_filler |= leaf.source == Source::Said && prose::tells_what_was(sentence);
            }
            let share = if is_said && setting.is_talk() {
                self.share_in_talk(text, &range, leaf)
            } else {
                self.drop_unexplained(sentence);
                match tone {
                    _ if is_pasted => PASTED,
                    Some(tone) if leaf.source == Source::Said => share_of(tone, speech),
                    _ => 1.0,
                }
            };
            let names = std::mem::take(&mut self.found);
            if let Some(tone) = tone {
                if !is_pasted {
                    let asks = leaf.source == Source::Asked;
                    // A message opens with its request, or else after its courtesies.
                    let waits = has_request && !tone.wishes() || is_customer && tone.is_filler;
                    let mut opens = || opens(sentence, &mut is_opening);
                    let is_first = if asks { !waits && opens() } else { is_lead };
                    let is_carried = leaf.source == Source::Summary && is_point_carried(sentence);
                    let names_something = !names.is_empty() || is_carried;
                    worth = self
                        .worth_of(tone, leaf.source, speech, is_first, names_something, is_request);
                }
                is_lead &= tone.is_filler;
            }
            if worth > 0.0 || !names.is_empty() {
                let said = (worth > 0.0).then(|| hashed(sentence)).flatten();
                // Pasted text is told like code: it is not the user's own words.
                let stand = Stand::of(is_code || is_pasted, starts_line);
                let unit = Unit::of(number, &range, self.cost_said(sentence, &range));
                let unit = Unit { worth, share, record: self.line, stand, said, ..unit };
                self.keep(Unit { is_rule, ..unit }, &names);
            }
            self.found = names;
        };
        match setting {
            Setting::Work => {
                // The visible part of a request is matched sentence by sentence, so its sentences are not joined.
                let is_asked = leaf.source == Source::Asked;
                units::statements(text, |said| is_asked || prose::announces(said), &mut read);
            }
            Setting::Talk => units::clauses(text, &mut read),
            _ => units::sentences(text, &mut read),
        }
    }

    /// The worth of the sentence just read, apart from its names. `is_first` says that it is the first of
    /// its text to say something.
    fn worth_of(
        &self,
        tone: prose::Tone,
        source: Source,
        speech: Speech,
        is_first: bool,
        names_something: bool,
        is_request: bool,
    ) -> f32 {
        let is_said = !matches!(source, Source::Asked | Source::Summary);
        #[allow(clippy::cast_precision_loss, reason = "a handful of words")]
        let fullness = self.words.count() as f32 / FULL;
        let asks = is_first || tone.is_demand || tone.is_rule() || tone.wishes();
        let is_told = is_request && asks;
        // A row of a table with what was measured says as much as a sentence.
        let is_row = is_said && tone.tells_figures() && fullness < 1.0;
        let fullness = if is_told || is_row {
            // What a user says first, demands or wishes for counts whatever its length.
            1.0
        } else if source == Source::Asked && is_first && self.setting == Setting::Service {
            // Without a name, it is told where there is room.
            fullness.max(LEAST_FULL)
        } else if !names_something && fullness < 0.6 {
            // A few words without a name say nothing.
            0.0
        } else {
            fullness.min(if is_said { FULLEST } else { 1.0 })
        };
        let weight = match source {
            Source::Asked if self.setting == Setting::Service && tone.is_filler => 0.0,
            Source::Asked => tone.worth_asked(is_first),
            // What another tool tells every model in its summaries is no part of the summary.
            Source::Summary if tone.is_filler => 0.0,
            Source::Summary if tone.is_rule() => RULED * CARRIED,
            Source::Summary => CARRIED,
            _ => {
                let weight = match speech {
                    Speech { is_plan: true, .. } => PLANNED,
                    Speech { is_accepted: true, .. } => ACCEPTED,
                    _ => 1.0,
                };
                let Speech { closes_turn, follows_failure: has_failed, .. } = speech;
                let occasion = prose::Occasion { closes_turn, is_lead: is_first, has_failed };
                weight * tone.worth_said(occasion)
            }
        };
        if self.setting == Setting::Service && is_said && tone.refuses() && !tone.is_offer {
            return REFUSED;
        }
        // A rule that is lost will be broken, whatever it names.
        let is_rule = source == Source::Asked && tone.is_demand && self.setting == Setting::Advice;
        let is_whole = self.setting == Setting::Work || is_rule || is_told;
        fullness * weight * if is_whole { 1.0 } else { WITHOUT_WORK }
    }

    /// Removes the names found in `unit` that it does not explain.
    fn drop_unexplained(&mut self, unit: &str) {
        let mut places = self.places.iter();
        self.found.retain(|_| places.next().is_some_and(|place| self.words.explain(unit, place)));
    }

    /// The approximate number of tokens of a sentence as it is told.
    fn cost_said(&self, sentence: &str, range: &Range<usize>) -> u16 {
        match tidy::without_paths(sentence) {
            Cow::Owned(told) => units::estimate(&told),
            Cow::Borrowed(_) => self.cost(range),
        }
    }
}

/// Whether a sentence is the first of a user's message to say something. What it announces is an opening as
/// well: `Implement this plan:`. A single word, such as the path of an upload, says nothing.
fn opens(sentence: &str, is_opening: &mut bool) -> bool {
    let opens = *is_opening && words::number_of(units::without_marks(sentence)) > 1;
    if opens {
        // The title of a plan names it; the sentence below says what it is.
        *is_opening = prose::ends_open(sentence) || sentence.starts_with('#');
    }
    opens
}

/// Whether a sentence of a summary says something, even in few words: `the build is broken`.
fn is_point_carried(sentence: &str) -> bool {
    words::number_of(sentence) > 1 && !prose::ends_open(sentence)
}

/// Whether a list begins with the next line.
fn heads_list(rest: &str) -> bool {
    rest.lines().find(|line| !line.trim().is_empty()).is_some_and(lists::is_point)
}

/// What sentences inherit from the heading or tag at the head of their part.
#[derive(Default)]
struct Under {
    /// Whether a tag opened the part and nothing was said in it yet.
    opens_part: bool,
    /// Whether the heading of a summary is over what the user wants of all work.
    binds: bool,
}

impl Under {
    fn tell(&mut self, tone: Option<&mut prose::Tone>, sentence: &str, source: Source) {
        if source == Source::Summary && prose::is_heading(sentence) {
            self.binds = prose::binds(sentence);
            return;
        }
        let Some(tone) = tone else { return };
        if self.binds {
            tone.rule();
        }
        if source == Source::Asked && self.opens_part && words::number_of(sentence) > 1 {
            self.opens_part = false;
            tone.wish();
        }
    }
}

/// What the points of a list inherit from the sentence above them.
#[derive(Default)]
struct Over {
    demands: bool,
    reasons: bool,
}

impl Over {
    /// Updates the tone of a sentence, which may be such a point or stand above the `rest`.
    fn tell(&mut self, tone: &mut prose::Tone, sentence: &str, rest: &str) {
        let is_point = || lists::is_point(sentence);
        // The points below a demand are demanded too.
        tone.is_demand |= self.demands && is_point();
        let announces = prose::ends_open(sentence);
        self.demands = tone.is_demand && (announces || is_point());
        // The points below a reason give it; the line above only announces it.
        let leads = announces && !is_point() && heads_list(rest);
        self.reasons = self.reasons && is_point();
        if self.reasons {
            tone.give_reason();
        }
        self.reasons |= leads && tone.gives_reason();
        if leads {
            tone.only_announce();
        }
    }
}

/// The voice of a source that is read as prose.
fn voice(source: Source) -> Voice {
    match source {
        Source::Asked => Voice::User,
        Source::Summary => Voice::Summary,
        _ => Voice::Assistant,
    }
}

/// Whether a line names the columns of a table: it says nothing without the rows.
fn heads_table(line: &str, rest: &str) -> bool {
    let is_rule = |line: &str| {
        line.starts_with('|') && line.chars().all(|c| matches!(c, '|' | '-' | ':' | ' '))
    };
    line.starts_with('|') && rest.lines().nth(1).is_some_and(|line| is_rule(line.trim()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_rule_yields_to_nothing_that_is_only_wished() {
        let mut rule = prose::tone_of_user("Never touch a.toml.");
        rule.rule();
        let wish = prose::tone_of_user("Please add a flag.");
        assert!(rule.worth_asked(false) > wish.worth_asked(false));
    }
}
