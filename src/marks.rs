//! The marks that agents leave in texts, so that nothing is shortened, counted or summarised twice.
//!
//! Responsible for the words that we write ourselves, and for recognising results that were already
//! cleared or cut. It goes by first words, and for placeholders by length too.

/// The first words of every summary that we write.
pub const SUMMARY_OPENER: &str = "[Summary of the conversation so far, made by ctx]";

/// The first words of the note that stands where messages were dropped.
pub const ELISION_OPENER: &str = "[Earlier messages were left out here to fit the context window";

/// Opens the text of a file that is restored behind a summary.
pub const RESTORED_OPENER: &str = "<restored-file path=";

/// Stands for a tool result that was cleared.
pub const CLEARED: &str = "[Earlier tool result cleared. Run the tool again if it is needed.]";

/// First words of what stands where a tool result was.
const CLEARED_RESULTS: &[&str] = &[
    "[Earlier tool result",
    "[Old tool result content cleared]",
    "[Historical tool call summary]",
    "(Tool result removed)",
    "[cleared]",
    SPILLED_OPENER,
    "<tool_output_masked>",
    "File unchanged since last read.",
    "[This file was read again",
];

/// The most characters of a placeholder, previews of some thousand included: a longer text only
/// begins like one, as the listing of a file of such texts does.
const LONGEST_PLACEHOLDER: usize = 8000;

/// Whether a text stands for a tool result that was cleared, spilled or deduplicated, by anyone.
pub fn is_placeholder(text: &str) -> bool {
    let text = text.trim_start();
    CLEARED_RESULTS.iter().any(|opener| text.starts_with(opener))
        && text.chars().nth(LONGEST_PLACEHOLDER).is_none()
}

/// First words of what stands for a result that was written to a file.
const SPILLED_OPENER: &str = "<persisted-output>";

/// Whether a text stands for a tool result that was written to a file.
pub fn is_spilled(text: &str) -> bool {
    text.trim_start().starts_with(SPILLED_OPENER)
}

/// Whether a text describes where the agent works.
pub fn is_environment(text: &str) -> bool {
    text.contains("<environment_context>")
}

/// Whether a text says that the user broke off a turn.
pub fn is_turn_aborted(text: &str) -> bool {
    let text = text.trim_start();
    ["<turn-aborted>", "<turn_aborted>"].iter().any(|opener| text.starts_with(opener))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_only_begins_like_a_placeholder_is_none() {
        let spilled = format!("<persisted-output>\n{}\n</persisted-output>", "é".repeat(2000));
        assert!(is_placeholder(CLEARED) && is_placeholder(&spilled));
        assert!(!is_placeholder(&format!("{CLEARED}\n{}", "line\n".repeat(2000))));
    }
}
