//! Reading of prose: its sentences, what each is worth, and the names that it explains.
//!
//! Responsible for what people and models say. [`prose`] and [`talk`] judge sentences.

use std::borrow::Cow;
use std::ops::Range;

use super::Reader;
use crate::digest::Setting;
use crate::digest::calls::outcome::Screen;
use crate::digest::reading::survey::{Leaf, Source, Stand, Unit, hashed};
use crate::digest::text::index::Voice;
use crate::digest::text::talk::Person;
use crate::digest::text::{lists, prose, talk, tidy, units, words};

/// What a line of an earlier digest is worth: it was chosen once, and is all that is left.
pub(super) const CARRIED: f32 = 6.0;
/// How much more a rule of the user's is worth among them.
const RULED: f32 = 2.0;
/// How long a message of the user's is at most, in bytes, whose rules are few: those of a longer one would leave no
/// room for its task.
const FEW_RULES: usize = 1500;

/// How much the names count in what a user pasted.
const PASTED: f32 = 0.3;

/// How much they count where a model only announces what it does next.
pub(super) const ANNOUNCED: f32 = 0.4;

/// How much where it offered something, and the user went on without a word of it.
const OFFERED: f32 = 0.1;

/// A sentence of so many words says something whole, and one of the model as many times that at most.
/// Measured: of what a session is asked for later, long sentences hold most.
pub(super) const FULL: f32 = 6.0;
pub(super) const FULLEST: f32 = 2.3;

/// How much more a sentence of a plan says than another: it is what was done in the end.
const PLANNED: f32 = 2.0;
/// The same of what the user answered in a few words: `yes` says nothing without it.
const ACCEPTED: f32 = 1.5;

/// What a sentence is worth in which a customer is refused something. Measured: with half as much again
/// names are lost.
const REFUSED: f32 = 12.0;

/// The part of its worth that a sentence has where nobody works on files: there names tell.
const WITHOUT_WORK: f32 = 0.2;

/// What is known of a text of prose besides its words.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Speech {
    /// Nothing comes behind it in its turn.
    pub(crate) closes_turn: bool,
    /// It gives up what was said before the user's words.
    pub(crate) concedes: bool,
    /// Something failed since the model last spoke.
    pub(crate) follows_failure: bool,
    /// The user has said since what is to be done.
    pub(crate) is_answered: bool,
    /// The user answered it in a few words.
    pub(crate) is_accepted: bool,
    /// It is a plan that the user was asked to approve, and did not refuse.
    pub(crate) is_plan: bool,
    /// Where its words begin, behind a date and a name.
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

/// How much the names of a sentence of the model count.
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
        // What the model quotes it does not say.
        let may_quote = setting == Setting::Work && leaf.source == Source::Said;
        let mut is_quoted = false;
        let is_asked_for_work = setting == Setting::Work && leaf.source == Source::Asked;
        let has_few_rules = is_asked_for_work && text.len() <= FEW_RULES;
        let mut screen = is_asked_for_work.then(|| Screen::of(text));
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
            let mut worth = 0.0;
            // The task may stand in tags behind what is said of it.
            if setting == Setting::Work && !is_code && prose::opens_part(sentence) {
                (is_opening, under.opens_part) = (true, true);
                return;
            }
            // A title that opens what the user asks says what it is about.
            let is_title = leaf.source == Source::Asked && is_opening;
            let is_said = !is_code && (is_title || !sentence.starts_with('#'));
            if starts_line {
                is_quoted = may_quote && sentence.starts_with("> ");
            }
            let is_pasted = is_quoted
                || screen.as_mut().is_some_and(|screen| screen.shows(&range, starts_line));
            let tone_of = if is_asked_for_work { prose::tone_of_user } else { prose::tone };
            let mut tone = is_said.then(|| tone_of(sentence));
            under.tell(tone.as_mut(), sentence, leaf.source);
            if let Some(tone) = &mut tone {
                if has_few_rules && prose::is_rule(sentence) {
                    tone.rule();
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
                let person = self.salient(text, &range).max(Person::in_wide(sentence));
                let answers = self.known.talk.answers(leaf.message as usize);
                match (setting, leaf.source) {
                    (Setting::Advice, Source::Asked) => {
                        talk::share_of_user(person, sentence, answers) * talk::typed(text.len())
                    }
                    (Setting::Advice, _) => talk::share_of_model(sentence),
                    _ => talk::share(person, sentence, answers),
                }
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
                    let is_first = if asks { opens(sentence, &mut is_opening) } else { is_lead };
                    let is_carried = leaf.source == Source::Summary && is_point_carried(sentence);
                    let names_something = !names.is_empty() || is_carried;
                    worth = self.worth_of(tone, leaf.source, speech, is_first, names_something);
                }
                is_lead &= tone.is_filler;
            }
            if worth > 0.0 || !names.is_empty() {
                let said = (worth > 0.0).then(|| hashed(sentence)).flatten();
                // No word of the user's own.
                let stand = Stand::of(is_code || is_pasted, starts_line);
                let unit = Unit::of(number, &range, self.cost_said(sentence, &range));
                self.keep(Unit { worth, share, record: self.line, stand, said, ..unit }, &names);
            }
            self.found = names;
        };
        match setting {
            Setting::Work => {
                // What is visible of a user's words is told by the sentence.
                let is_asked = leaf.source == Source::Asked;
                units::statements(text, |said| is_asked || prose::announces(said), &mut read);
            }
            Setting::Talk => units::clauses(text, &mut read),
            _ => units::sentences(text, &mut read),
        }
    }

    /// What the sentence that was read is worth apart from its names; `is_first` of its text to say something.
    fn worth_of(
        &self,
        tone: prose::Tone,
        source: Source,
        speech: Speech,
        is_first: bool,
        names_something: bool,
    ) -> f32 {
        let is_said = !matches!(source, Source::Asked | Source::Summary);
        #[allow(clippy::cast_precision_loss, reason = "a handful of words")]
        let fullness = self.words.count() as f32 / FULL;
        let is_asked_for_work = source == Source::Asked && self.setting == Setting::Work;
        let is_told = is_first || tone.is_demand || tone.wishes();
        let fullness = if is_asked_for_work && is_told {
            // What a user says first, or demands, or wishes for, is said in any words.
            1.0
        } else if !names_something && fullness < 0.6 {
            // A few words that name nothing say nothing.
            0.0
        } else {
            fullness.min(if is_said { FULLEST } else { 1.0 })
        };
        let weight = match source {
            Source::Asked => tone.worth_asked(is_first),
            // What its tool says to every model is none of what it sums up.
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
        // A rule that is lost is broken, whatever it names.
        let is_rule = source == Source::Asked && tone.is_demand && self.setting == Setting::Advice;
        let is_whole = self.setting == Setting::Work || is_rule;
        fullness * weight * if is_whole { 1.0 } else { WITHOUT_WORK }
    }

    /// Forgets the names that were found and that `unit` does not explain.
    fn drop_unexplained(&mut self, unit: &str) {
        let mut places = self.places.iter();
        self.found.retain(|_| places.next().is_some_and(|place| self.words.explain(unit, place)));
    }

    /// About how many tokens a sentence has as it is told.
    fn cost_said(&self, sentence: &str, range: &Range<usize>) -> u16 {
        match tidy::without_paths(sentence) {
            Cow::Owned(told) => units::estimate(&told),
            Cow::Borrowed(_) => self.cost(range),
        }
    }
}

/// Whether a sentence is the first of a user's message to say something; what it announces opens it as well:
/// `Implement this plan:`. A path alone, as of what was uploaded, says nothing.
fn opens(sentence: &str, is_opening: &mut bool) -> bool {
    let opens = *is_opening && words::number_of(sentence) > 1;
    if opens {
        *is_opening = prose::ends_open(sentence);
    }
    opens
}

/// Whether what was summarised says something, be it in few words: `the build is broken`.
fn is_point_carried(sentence: &str) -> bool {
    words::number_of(sentence) > 1 && !prose::ends_open(sentence)
}

/// Whether a list begins with the next line.
fn heads_list(rest: &str) -> bool {
    rest.lines().find(|line| !line.trim().is_empty()).is_some_and(lists::is_point)
}

/// What sentences are, for what stands over them at the head of a part.
#[derive(Default)]
struct Under {
    /// A tag opened the part, and nothing was said in it yet.
    opens_part: bool,
    /// A summary says there what the user wants of all work.
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

/// What the points of a list are, for what stands over them.
#[derive(Default)]
struct Over {
    demands: bool,
    reasons: bool,
}

impl Over {
    /// Tells what a sentence does that may be such a point, or stand over the `rest`.
    fn tell(&mut self, tone: &mut prose::Tone, sentence: &str, rest: &str) {
        let is_point = || lists::is_point(sentence);
        // The points under a demand are demanded.
        tone.is_demand |= self.demands && is_point();
        let announces = prose::ends_open(sentence);
        self.demands = tone.is_demand && (announces || is_point());
        // And those under a reason give it, which the line above only announces.
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

/// Who says what is read as prose.
fn voice(source: Source) -> Voice {
    match source {
        Source::Asked => Voice::User,
        Source::Summary => Voice::Summary,
        _ => Voice::Assistant,
    }
}

/// Whether a line names the columns of a table, which says nothing without its rows.
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
