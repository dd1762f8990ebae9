//! The worth of a sentence by what it does: deciding, finding, concluding, demanding, or only filling.
//!
//! Responsible for the cues, in several languages, that mark such sentences. It relies on words alone; the names in
//! a sentence are weighed elsewhere.

mod customers;
mod headings;
mod lines;
mod measured;
mod openings;
mod words;

use std::sync::LazyLock;

use super::cues::Cues;
pub(crate) use customers::asks_for_something;
use customers::tone_of_customer;
pub(crate) use headings::{binds, is_heading, is_open, may_pass};
pub(crate) use lines::{
    is_comment, is_element, is_import, is_pasted, is_tag, opens_part, tells_what_was,
};
use openings::{ANSWERS, Opening};
pub(crate) use openings::{gives_in, rejects};
use words::{
    DEMANDS, FORBIDS, HEDGES, HINTS, OPEN, REASONS, REFUSALS, RESULTS, REVOKES, RULES, WISHES,
};

static CUES: LazyLock<Cues> =
    LazyLock::new(|| Cues::new(&[REASONS, RESULTS, OPEN, DEMANDS, REFUSALS, HINTS, HEDGES]));
const REASON: u16 = 1;
const RESULT: u16 = 2;
const TO_DO: u16 = 4;
const DEMAND: u16 = 8;
const REFUSAL: u16 = 16;
const HINT: u16 = 32;
const HEDGE: u16 = 64;
/// Only set for sentences of a user.
const WISH: u16 = 128;
const RULE: u16 = 256;
const FIGURES: u16 = 512;
const WHY: u16 = REASON | HINT;

static WISHING: LazyLock<Cues> = LazyLock::new(|| Cues::new(&[WISHES]));
static RULING: LazyLock<Cues> = LazyLock::new(|| Cues::new(&[RULES, REVOKES]));
static FORBIDDING: LazyLock<Cues> = LazyLock::new(|| Cues::new(&[FORBIDS]));
static ANSWERING: LazyLock<Cues> = LazyLock::new(|| Cues::new(&[ANSWERS]));

/// The worth of a user's demand: it holds whatever else is named. Measured: from 7 to 20 no name is lost that is
/// needed later.
const DEMANDED: f32 = 20.0;
/// The worth of what the user wants done: without it the rules of a long request say little.
const WISHED: f32 = 30.0;
/// The worth of a rule: nothing else tells it, and breaking it cannot be undone.
const RULED: f32 = 36.0;

/// What a sentence does.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Tone {
    found: u16,
    /// Whether it only announces something.
    pub(crate) is_filler: bool,
    /// Whether it offers the user something, or asks what to do.
    pub(crate) is_offer: bool,
    /// Whether it demands something that stays in force.
    pub(crate) is_demand: bool,
}

/// The occasion on which the model says a sentence.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Occasion {
    /// Whether nothing follows its text in the turn.
    pub(crate) closes_turn: bool,
    /// Whether it is the first of its text to say something.
    pub(crate) is_lead: bool,
    /// Whether a call failed since the model last spoke.
    pub(crate) has_failed: bool,
}

/// Whether a sentence tells nothing by itself: it announces the next call or what follows, or it offers something.
pub(crate) fn announces(sentence: &str) -> bool {
    ends_open(sentence) || Opening::of(sentence) != Opening::Other
}

/// Whether a text begins like an answer to a question.
pub(crate) fn answers(text: &str) -> bool {
    let bare = text.trim_start_matches(|c: char| !c.is_alphanumeric());
    ANSWERING.whole_at(bare.as_bytes()) != 0
}

/// Whether a sentence of the user is a rule that stays in force. A question never is.
pub(crate) fn is_rule(sentence: &str) -> bool {
    let bare = sentence.trim_start_matches(|c: char| !c.is_alphanumeric());
    !sentence.trim_end().ends_with(['?', '？'])
        && (RULING.find(sentence) != 0 || FORBIDDING.whole_at(bare.as_bytes()) != 0)
}

/// Returns what a sentence does.
pub(crate) fn tone(sentence: &str) -> Tone {
    let (opening, mut found) = (Opening::of(sentence), CUES.find(sentence));
    found |= if measured::tells_figures(sentence) { FIGURES } else { 0 };
    let is_offer = opening == Opening::Offer;
    let is_filler = !is_offer && (opening != Opening::Other || ends_open(sentence));
    if opening == Opening::Intent {
        found &= !HINT;
    }
    Tone { found, is_filler, is_offer, is_demand: found & DEMAND != 0 }
}

/// Returns what a sentence of a user does, which may also say what is to be done.
pub(crate) fn tone_of_user(sentence: &str) -> Tone {
    let mut tone = tone(sentence);
    if WISHING.find(sentence) != 0 {
        // A wish that ends with a colon demands what follows.
        let wishes_below = ends_open(sentence);
        tone.is_demand |= wishes_below;
        tone.found |= if wishes_below { 0 } else { WISH };
    }
    tone
}

/// The way to judge a sentence: of a customer, of a user who wants work done, or of anybody else.
pub(crate) fn judge(is_customer: bool, is_request: bool) -> fn(&str) -> Tone {
    match (is_customer, is_request) {
        (true, _) => tone_of_customer,
        (false, true) => tone_of_user,
        (false, false) => tone,
    }
}

/// Whether a sentence ends with a colon, so that what follows says what it announces.
pub(crate) fn ends_open(sentence: &str) -> bool {
    sentence.ends_with([':', '：'])
}

impl Tone {
    /// The worth of a sentence of the model. What closes a turn tells the result, above all its first sentence;
    /// what follows a failure tells why. An announcement with its reason tells more than the next call does; a
    /// supposition tells less than a finding.
    pub(crate) fn worth_said(self, occasion: Occasion) -> f32 {
        let Occasion { closes_turn, is_lead, has_failed } = occasion;
        let has = |bit: u16, worth: f32| if self.found & bit == 0 { 0.0 } else { worth };
        let is_supposed = self.found & HEDGE != 0;
        let why = if is_supposed { 2.0 } else { 4.0 };
        let mut worth =
            1.0 + has(WHY, why) + has(RESULT, 3.0) + has(FIGURES, 3.0) + has(TO_DO, 2.0);
        worth += if closes_turn { 1.0 } else { 0.0 };
        worth += if closes_turn && is_lead { 4.0 } else { 0.0 };
        worth += if has_failed && !is_supposed { 3.0 } else { 0.0 };
        if self.is_filler && self.found & WHY == 0 { 0.0 } else { worth }
    }

    /// Whether the sentence refuses something.
    pub(crate) fn refuses(self) -> bool {
        self.found & REFUSAL != 0
    }

    /// Whether the sentence tells what was measured.
    pub(crate) fn tells_figures(self) -> bool {
        self.found & FIGURES != 0
    }

    /// Whether the sentence gives a reason.
    pub(crate) fn gives_reason(self) -> bool {
        self.found & WHY != 0
    }

    /// Marks the sentence as one of a few rules, which stay in force whatever else is asked.
    pub(crate) fn rule(&mut self) {
        self.found |= RULE;
    }

    /// Marks the sentence as a wish: it heads its own part of the request, such as `<issue>`.
    pub(crate) fn wish(&mut self) {
        self.found |= WISH;
    }

    /// Marks the sentence as a reason, which the sentence above announced.
    pub(crate) fn give_reason(&mut self) {
        self.found |= REASON;
    }

    /// Marks the sentence as a mere announcement of the points below it.
    pub(crate) fn only_announce(&mut self) {
        self.found &= !WHY;
    }

    /// The worth of a sentence of the model as the reason of a failure; zero if it gives no reason.
    pub(crate) fn worth_of_reason(self) -> f32 {
        let occasion = Occasion { has_failed: true, ..Occasion::default() };
        if self.found & WHY == 0 { 0.0 } else { self.worth_said(occasion) }
    }

    /// Whether the sentence says what is to be done.
    pub(crate) fn wishes(self) -> bool {
        self.found & WISH != 0
    }

    /// Whether the sentence says what the user wants of all work.
    pub(crate) fn is_rule(self) -> bool {
        self.found & RULE != 0
    }

    /// The worth of a sentence of the user. The first one says what the message is about.
    pub(crate) fn worth_asked(self, is_lead: bool) -> f32 {
        let worth = if self.is_rule() {
            RULED
        } else if self.wishes() {
            WISHED
        } else if self.is_demand {
            DEMANDED
        } else {
            3.0
        };
        worth + if is_lead { 12.0 } else { 0.0 }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_heading_over_what_is_open_is_told_by_its_words() {
        for open in [
            "Next", "Next Steps", "Open questions", "Open:", "Current Work", "Current state:",
            "Pending Tasks",
        ] {
            assert!(is_open(open), "{open}");
        }
        for other in ["Next.js setup", "Open source licences", "Opening", "Files"] {
            assert!(!is_open(other), "{other}");
        }
    }

    #[test]
    fn a_reason_is_worth_more_than_an_announcement() {
        let worth = |sentence: &str| tone(sentence).worth_said(Occasion::default());
        assert!(
            worth("The test fails because the path is wrong.") > worth("Let me look at the test.")
        );
        assert!(worth("原因是路径不对。") > worth("路径很长。"));
    }

    #[test]
    fn an_announcement_with_a_reason_is_worth_keeping() {
        let worth = |sentence: &str| tone(sentence).worth_said(Occasion::default());
        assert!(worth("I'll pass it as a parameter instead.") > 0.0);
        assert!(worth("I'll pass it as a parameter.") <= 0.0);
        for hint in [
            "Let me also check the test files to understand what needs to be updated.",
            "Good. Now let me see what should be done and what already is.",
            "First, let me look at what it actually does.",
            "Now let's test if the fix works by running the script again:",
            "I'm checking those paths directly now, as they must be right.",
            "I’m exporting the transcript next and then reading what it already has.",
        ] {
            assert!(worth(hint) <= 0.0, "{hint}");
        }
        for reason in [
            "Let me use the lock instead.",
            "The lock needs to be taken twice.",
            "You're right, the lock is already taken.",
            "I'm seeing that the lock is already taken.",
        ] {
            assert!(worth(reason) > 1.0, "{reason}");
        }
    }

    #[test]
    fn what_only_begins_like_an_announcement_is_none() {
        for (sentence, is_filler) in [
            ("Now I look at the parser.", true),
            ("Now it fails in the parser.", false),
            ("Now the parser fails.", false),
            ("Good. On we go.", true),
            ("No response requested.", true),
            ("Goods are counted twice.", false),
            ("Greater values are cut.", false),
            ("I seed the generator with 7.", false),
            ("I see the parser.", true),
            ("让我看看", true),
        ] {
            assert_eq!(tone(sentence).is_filler, is_filler, "{sentence}");
        }
    }

    #[test]
    fn a_condition_is_no_offer() {
        for offer in
            ["Wenn du willst, baue ich es um.", "如果你想，我可以改。", "Si vous voulez, …"]
        {
            assert!(tone(offer).is_offer, "{offer}");
        }
        for condition in [
            "Wenn du den Port änderst, bricht es.",
            "如果你删除它，就会失败。",
            "Si vous effacez tout, …",
        ] {
            assert!(!tone(condition).is_offer, "{condition}");
        }
        let is_open = |sentence: &str| tone(sentence).found & TO_DO != 0;
        assert!(is_open("Zwei Punkte sind noch offen.") && is_open("TODO: the parser"));
        assert!(!is_open("Offensichtlich fehlt der Port.") && !is_open("Todo el mundo lo usa."));
    }

    #[test]
    fn a_demand_is_worth_more_than_a_remark() {
        assert!(
            tone("Never touch the lock file.").worth_asked(false)
                > tone("Thanks a lot!").worth_asked(false)
        );
    }
}
