//! The marks that agents leave in texts, so that nothing is shortened, counted or summarised twice.
//!
//! Responsible for the words that we write ourselves, and for recognising results that were already
//! cleared or cut. It goes by first words, and for placeholders by length too.

use crate::begins::begins_with_any;

/// The first words of every summary that we write.
pub const SUMMARY_OPENER: &str = "[Summary of the conversation so far, made by ctx]";

/// What the second line of one begins with that sums up summaries, before their number.
const COMPACTION: &str = "Compaction ";

/// That line of the summary of a conversation's compaction `number`.
pub fn compaction_line(number: usize) -> String {
    format!("{COMPACTION}{number}:")
}

/// The number in such a line, or 1 where it has none; `None` of another line.
pub fn compaction_in(line: &str) -> Option<usize> {
    let number = line.strip_prefix(COMPACTION)?.split(':').next();
    Some(number.and_then(|number| number.parse().ok()).unwrap_or(1))
}

/// The line behind a summary that we write, where its profile has none of its own.
pub const SUMMARY_CLOSER: &str = "[end]";

/// What a profile lets the assistant say behind its summary, so that roles alternate.
pub const ACKNOWLEDGEMENT: &str = "Understood. Continuing with the current task.";

/// What the assistant says between results and what the user says next.
pub const NO_REPLY: &str = "(no reply)";

/// The first words of the note that stands where messages were dropped.
pub const ELISION_OPENER: &str = "[Earlier messages were left out here";

/// Opens the text of a file that is restored behind a summary.
pub const RESTORED_OPENER: &str = "<restored-file path=";

/// Closes it.
const RESTORED_CLOSER: &str = "</restored-file>";

/// First words of a line of a summary that names the file of a result, and what stands before the file.
const WHOLE: [&str; 2] = ["- The result of ", " is whole in "];

/// A line of a summary that names the file `path` of the result of a call.
pub fn whole(call: &str, path: &str) -> String {
    let [opener, is_in] = WHOLE;
    format!("{opener}{call}{is_in}{path}")
}

/// Whether a line of a summary names the file of a result.
pub fn is_whole(line: &str) -> bool {
    let [opener, is_in] = WHOLE;
    line.strip_prefix(opener).is_some_and(|line| line.contains(is_in))
}

/// Stands for a tool result that was cleared.
pub const CLEARED: &str = "[Earlier tool result cleared. Run the tool again if it is needed.]";

/// Says that the rest of a text is gone, where there is no room to say how much.
pub const REST: &str = "…";

/// What the result of a call says that nobody answered.
pub const ABORTED: &str = "aborted";

/// Stands for a reading whose file was read again with the same result.
pub const READ_AGAIN: &str = "[This file was read again later, unchanged: see the newer result.]";

/// Stands for a reading whose file was changed afterwards.
pub const READ_STALE: &str =
    "[This file was read again or changed later: this reading is out of date.]";

/// What Claude Code and opencode send for a result that was cleared, as JSON.
pub const CLEARED_BY_AGENT: &str = "\"[Old tool result content cleared]\"";

/// First words of what stands for a reading that is repeated or out of date.
const READINGS: [&str; 2] = ["File unchanged since last read.", "[This file was read again"];

/// First words of what stands where a tool result was.
const CLEARED_RESULTS: &[&str] = &[
    "[Earlier tool result", "[Old tool result content cleared]", "[Historical tool call summary]",
    "(Tool result removed)", "[cleared]", SPILLED_OPENER, "<tool_output_masked>", READINGS[0],
    READINGS[1],
];

/// The most characters of a placeholder, previews of some thousand included: a longer text only
/// begins like one, as the listing of a file of such texts does.
const LONGEST_PLACEHOLDER: usize = 8000;

/// Whether a text stands for a tool result that was cleared, spilled or deduplicated, by anyone.
pub fn is_placeholder(text: &str) -> bool {
    let text = text.trim_start();
    begins_with_any(text, CLEARED_RESULTS) && text.chars().nth(LONGEST_PLACEHOLDER).is_none()
}

/// Whether a placeholder stands for what was read, and is read again elsewhere.
pub fn is_reading(text: &str) -> bool {
    let text = text.trim_start();
    begins_with_any(text, &READINGS)
}

/// First words of what stands for a result that was written to a file.
const SPILLED_OPENER: &str = "<persisted-output>";

/// Whether a text stands for a tool result that was written to a file.
pub fn is_spilled(text: &str) -> bool {
    text.trim_start().starts_with(SPILLED_OPENER)
}

/// What stands before the file of a result that was written to one.
const SAVED: &str = "Full output saved to: ";

/// Whether what stands for such a result may be in some JSON, which is not read for it.
pub fn may_hold_spilled(json: &str) -> bool {
    memchr::memmem::find(json.as_bytes(), SPILLED_OPENER.as_bytes()).is_some()
}

/// The file of a result that was written to one, as what stands for it says.
pub fn spilled_to(text: &str) -> Option<&str> {
    text.trim_start().strip_prefix(SPILLED_OPENER)?.split_once(SAVED)?.1.lines().next()
}

/// Characters of a result in a file that stay as a preview.
pub const PREVIEW: usize = 2000;

/// Stands for a result that was written to the file `path`, and shows how it begins; a line may tell how
/// its call ended.
pub fn spilled(text: &str, path: &str, outcome: Option<&str>) -> String {
    let outcome = outcome.map_or(String::new(), |outcome| format!("\n{outcome}"));
    let bytes = text.len();
    let head =
        format!("{SPILLED_OPENER}\nOutput too large ({bytes} bytes). {SAVED}{path}{outcome}");
    let shown: String = text.chars().take(PREVIEW).collect();
    format!("{head}{SHOWING}{PREVIEW}{SHOWN}{shown}\n…{SPILLED_CLOSER}")
}

/// What a result says, or of one that was written to a file what is shown of it.
pub fn shown(result: &str) -> &str {
    preview(result).unwrap_or(result)
}

/// What such a text shows of the result, ours or that of Claude Code (`Preview (first 2KB):`).
fn preview(spilled: &str) -> Option<&str> {
    let spilled = spilled.trim();
    let (_, rest) = spilled.strip_prefix(SPILLED_OPENER)?.split_once(SHOWING)?;
    let shown = rest.split_once("):\n")?.1.strip_suffix(SPILLED_CLOSER)?;
    Some(["\n…", "\n..."].iter().find_map(|cut| shown.strip_suffix(cut)).unwrap_or(shown))
}

/// What stands around the characters that such a text shows, and behind all.
const SHOWING: &str = "\n\nPreview (first ";
const SHOWN: &str = " characters):\n";
const SPILLED_CLOSER: &str = "\n</persisted-output>";

/// Such a text that shows at most so many characters; `None` where it shows no more.
pub fn with_preview(spilled: &str, most: usize) -> Option<String> {
    let (head, _) = spilled.split_once(SHOWING)?;
    let shown = preview(spilled)?;
    let (end, _) = shown.char_indices().nth(most)?;
    Some(match &shown[..end] {
        "" => format!("{head}{SPILLED_CLOSER}"),
        shown => format!("{head}{SHOWING}{most}{SHOWN}{shown}\n…{SPILLED_CLOSER}"),
    })
}

/// A file that is restored behind a summary: all of it, or the part in the range `asked` for.
pub fn restored(path: &str, asked: &str, text: &str) -> String {
    let asked = if asked.is_empty() { String::new() } else { format!(" {asked}") };
    format!("{RESTORED_OPENER}{path}{asked}>\n{text}\n{RESTORED_CLOSER}")
}

/// Whether a text holds what would open or close such a file.
pub fn may_close_restored(text: &str) -> bool {
    text.contains(RESTORED_OPENER) || text.contains(RESTORED_CLOSER)
}

/// Whether a text is a file that was restored, and nothing else: of two there may be words between.
pub fn is_restored(text: &str) -> bool {
    let text = text.trim();
    let inner =
        text.strip_prefix(RESTORED_OPENER).and_then(|text| text.strip_suffix(RESTORED_CLOSER));
    inner.is_some_and(|text| !may_close_restored(text))
}

/// What such a note said besides before it was made as short as it is: it may be all that fits.
const BECAUSE: &str = " to fit the context window";

/// What stands before the file where the messages are that a summary or a note stands for.
pub const ARCHIVED: &str = "The messages themselves are in ";

/// The note that stands for dropped messages, with the file where they are, if there is one.
pub fn note(archive: Option<&str>) -> String {
    match archive {
        Some(path) => format!("{ELISION_OPENER}. {ARCHIVED}{path}.]"),
        None => format!("{ELISION_OPENER}.]"),
    }
}

/// Whether a text is our note that stands for dropped messages, and nothing else.
pub fn is_note(text: &str) -> bool {
    let inner = text.trim().strip_prefix(ELISION_OPENER).and_then(|text| text.strip_suffix(".]"));
    let inner = inner.map(|rest| rest.strip_prefix(BECAUSE).unwrap_or(rest));
    let is_archived = |rest: &str| {
        let path = rest.strip_prefix(". ").and_then(|rest| rest.strip_prefix(ARCHIVED));
        path.is_some_and(|path| !path.contains('\n'))
    };
    inner.is_some_and(|rest| rest.is_empty() || is_archived(rest))
}

/// Stands for what was cut out of a text: so many tokens, characters, items.
pub fn truncated(gone: usize, unit: &str) -> String {
    format!("…{gone} {unit} truncated…")
}

/// First words of a text that was cut: how many lines it had.
const CUT_OPENER: &str = "Total output lines: ";

/// The first line of a text of `lines` lines that was cut, its line break with it.
pub fn cut_header(lines: usize) -> String {
    format!("{CUT_OPENER}{lines}\n")
}

/// How many lines a text had before it was cut, and what stands behind that line.
pub fn behind_cut_header(text: &str) -> Option<(usize, &str)> {
    let (lines, body) = text.strip_prefix(CUT_OPENER)?.split_once('\n')?;
    Some((lines.parse().ok()?, body))
}

/// How much of what a line says was cut, if it is such a marker.
pub fn truncated_in(line: &str) -> Option<(usize, &str)> {
    let said = line.trim_end().strip_prefix('…')?.strip_suffix(" truncated…")?;
    let (number, unit) = said.split_once(' ')?;
    Some((number.parse().ok()?, unit))
}

/// Opens what an agent says of where it works.
pub const ENVIRONMENT: &str = "<environment_context>";

/// First words of what an agent says, in the user's role, of the rules that a project or its user sets.
pub const RULES: [&str; 2] = ["# AGENTS.md instructions", "<user_instructions>"];

/// Whether a text tells such rules.
pub fn tells_rules(text: &str) -> bool {
    RULES.iter().any(|opener| text.trim_start().starts_with(opener))
}

/// First words of what says that the user broke off a turn.
pub const TURN_ABORTED: [&str; 2] = ["<turn-aborted>", "<turn_aborted>"];

/// Whether a text describes where the agent works.
pub fn is_environment(text: &str) -> bool {
    text.contains(ENVIRONMENT)
}

/// Whether a text says that the user broke off a turn.
pub fn is_turn_aborted(text: &str) -> bool {
    let text = text.trim_start();
    begins_with_any(text, &TURN_ABORTED)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_between_restored_files_are_no_file() {
        let file = restored("a.rs", "", "fn a() {}");
        assert!(is_restored(&file));
        assert!(!is_restored(&format!("{file}\n\nNever touch b.rs.\n\n{file}")));
    }

    #[test]
    fn a_note_is_known_again() {
        let older = note(None).replace(ELISION_OPENER, &[ELISION_OPENER, BECAUSE].concat());
        for note in [note(None), note(Some("/a b/c.json")), older] {
            assert!(is_note(&note) && is_note(&format!("\n{note} ")), "{note}");
            assert!(!is_note(&format!("{note}\n\nGo on. [x.]")), "{note}");
        }
    }

    #[test]
    fn what_stands_for_a_result_is_known_again() {
        let spilled = spilled(&"é".repeat(9000), "/tmp/c1.txt", None);
        let ours = [CLEARED, READ_AGAIN, READ_STALE, CLEARED_BY_AGENT.trim_matches('"'), &spilled];
        for text in ours {
            assert!(is_placeholder(text), "{text}");
            assert!(!is_placeholder(&format!("{text}\n{}", "line\n".repeat(2000))), "{text}");
        }
        assert!(is_spilled(&spilled) && !is_spilled(CLEARED));
        assert_eq!(shown(CLEARED), CLEARED);
        assert_eq!(spilled_to(&spilled), Some("/tmp/c1.txt"));
        assert_eq!(behind_cut_header(&format!("{}a", cut_header(40))), Some((40, "a")));
        assert_eq!(truncated_in(&truncated(72, "tokens")), Some((72, "tokens")));
    }
}
