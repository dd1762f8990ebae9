//! What a customer's sentence does: asking, setting a condition, or only being polite.
//!
//! Responsible for the request in a message of which there is room for a part: without it, thanks and agreement
//! say nothing.

use std::sync::LazyLock;

use super::openings::Opening;
use super::{Tone, tone_of_user};
use crate::digest::text::cues::Cues;
use crate::digest::text::units;

/// Words that mark a condition.
const CONDITIONS: &[&str] = &[
    "if ", "unless", "as long as", "willing to", "wenn ", "falls ", "à condition", "si ", "если ",
    "如果", "もし",
];

static CONDITIONING: LazyLock<Cues> = LazyLock::new(|| Cues::new(&[CONDITIONS]));

/// Returns what a sentence of a customer does: a question and a condition say what is to be done as well.
pub(super) fn tone_of_customer(sentence: &str) -> Tone {
    let mut tone = tone_of_user(sentence);
    if sentence.ends_with(['?', '？']) || CONDITIONING.find(sentence) != 0 {
        tone.wish();
    }
    // `I'll take the first one` decides something.
    tone.is_filler = Opening::of(sentence) == Opening::Filler && !tone.wishes();
    tone
}

/// Whether a sentence of a message says what is to be done.
pub(crate) fn asks_for_something(text: &str) -> bool {
    let mut asks = false;
    units::sentences(text, |sentence| {
        asks = asks || tone_of_customer(&text[sentence.range]).wishes();
    });
    asks
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_courtesy_asks_for_nothing() {
        for courtesy in ["Great, thank you!", "Alright, I see.", "Thanks for booking it."] {
            assert!(tone_of_customer(courtesy).is_filler, "{courtesy}");
        }
        for other in ["I'll take the first one.", "Great, can I bring a dog?", "Yes, both of them."]
        {
            assert!(!tone_of_customer(other).is_filler, "{other}");
        }
    }

    #[test]
    fn a_question_or_a_condition_says_what_is_to_be_done() {
        assert!(asks_for_something("Thanks for that. Is there a later one?"));
        assert!(asks_for_something("As long as it costs nothing."));
        assert!(!asks_for_something("Thanks for that. The first one is fine."));
    }
}
