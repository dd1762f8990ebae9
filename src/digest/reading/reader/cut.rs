//! What of a text of prose may be chosen alone: statements, sentences, clauses.
//!
//! Responsible for which of them it is, by the sort of conversation. It relies on [`units`] for where they end.

use crate::digest::Setting;
use crate::digest::reading::survey::Source;
use crate::digest::text::{prose, talk, units};

/// Cuts a text of prose into what may be chosen of it.
pub(super) fn cut(
    text: &str,
    setting: Setting,
    source: Source,
    mut then: impl FnMut(units::Sentence),
) {
    match setting {
        Setting::Work => {
            // What is visible of a user's words is told by the sentence.
            let is_asked = source == Source::Asked;
            units::statements(text, |said| is_asked || prose::announces(said), then);
        }
        // Of what people tell each other one half may be all that is asked for.
        Setting::Talk => units::sentences(text, |sentence| {
            let units::Sentence { range, is_code, mut starts_line } = sentence;
            if is_code || talk::asks(&text[range.clone()]) {
                return then(units::Sentence { range, is_code, starts_line });
            }
            units::clauses(text, range, |range| {
                then(units::Sentence { range, is_code, starts_line });
                starts_line = false;
            });
        }),
        _ => units::sentences(text, then),
    }
}
