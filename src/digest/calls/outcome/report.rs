//! The outcome of an errand, as the report on it says.
//!
//! Responsible for the first sentence of a report behind its title and mere announcements: reports tell first
//! how it went.

use crate::digest::text::{prose, units, words};

/// The least words of a sentence that says something.
const FEWEST: usize = 3;

/// The first sentence of a report that says something.
pub(in super::super) fn lead(text: &str) -> Option<String> {
    let mut lead = None;
    units::sentences(text, |sentence| {
        let said = units::without_marks(&text[sentence.range.clone()]);
        let says = !sentence.is_code
            && !said.starts_with(['#', '|', '{', '[', '<'])
            && words::number_of(said) >= FEWEST
            && !prose::tone(said).is_filler;
        if lead.is_none() && says {
            lead = Some(said.to_owned());
        }
    });
    lead
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_report_begins_behind_its_title() {
        for (report, wanted) in [
            (
                "## Summary\n\nTask 1 is complete. I followed TDD:\n1. a",
                Some("Task 1 is complete."),
            ),
            (
                "Let me report.\n- **Two lamps** are out of oil.",
                Some("**Two lamps** are out of oil."),
            ),
            ("Here is what I found:\n```\nlet lamp = on and lit;\n```\n", None),
            (r#"{"lamps": "all of them are lit"}"#, None),
        ] {
            assert_eq!(lead(report).as_deref(), wanted, "{report}");
        }
    }
}
