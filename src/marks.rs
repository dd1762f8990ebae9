//! The marks that agents leave in texts, by which text is not shortened, counted or summarised twice.
//!
//! Responsible for the words that we write ourselves, and for recognising results that were already cleared
//! or cut. It goes by first words, and for placeholders also by length.

use crate::begins::begins_with_any;

/// The first words of every summary that we write.
pub const SUMMARY_OPENER: &str = "[Summary of the conversation so far, made by ctx]";

/// How the second line of a summary that replaces earlier summaries begins, before its number.
const COMPACTION: &str = "Compaction ";

/// The second line of the summary that a conversation's compaction `number` wrote.
pub fn compaction_line(number: usize) -> String {
    format!("{COMPACTION}{number}:")
}

/// The number in the second line of a summary, or 1 if it has none; `None` for any other line.
pub fn compaction_in(line: &str) -> Option<usize> {
    let number = line.strip_prefix(COMPACTION)?.split(':').next();
    Some(number.and_then(|number| number.parse().ok()).unwrap_or(1))
}

/// The line behind a summary that we write, unless its profile has a line of its own.
pub const SUMMARY_CLOSER: &str = "[end]";

/// What some profiles let the assistant say behind the summary, so that roles alternate.
pub const ACKNOWLEDGEMENT: &str = "Understood. Continuing with the current task.";

/// What we let the assistant say between results and the user's next words.
pub const NO_REPLY: &str = "(no reply)";
/// What we put into the user's role before an assistant that speaks first.
pub const BEGINNING: &str = "(the conversation begins here)";

/// The first words of the note that stands where messages were dropped.
pub const ELISION_OPENER: &str = "[Earlier messages were left out here";

/// Opens the text of a file that is restored behind a summary.
pub const RESTORED_OPENER: &str = "<restored-file path=";

/// Closes the text of a restored file.
const RESTORED_CLOSER: &str = "</restored-file>";

/// The first words of a summary line that names the file of a result, and the words before that file.
const WHOLE: [&str; 2] = ["- The result of ", " is whole in "];

/// A summary line that names the file `path` of the result of `call`.
pub fn whole(call: &str, path: &str) -> String {
    let [opener, is_in] = WHOLE;
    format!("{opener}{call}{is_in}{path}")
}

/// Whether a summary line names the file of a result.
pub fn is_whole(line: &str) -> bool {
    let [opener, is_in] = WHOLE;
    line.strip_prefix(opener).is_some_and(|line| line.contains(is_in))
}

/// Stands for a tool result that was cleared.
pub const CLEARED: &str = "[Earlier tool result cleared. Run the tool again if it is needed.]";

/// Marks that the rest of a text is gone, if there is no room to say how much.
pub const REST: &str = "…";

/// The text of a made-up result for a call that nobody answered.
pub const ABORTED: &str = "aborted";

/// Replaces the reading of a file that was read again with the same result.
pub const READ_AGAIN: &str = "[This file was read again later, unchanged: see the newer result.]";

/// Replaces the reading of a file that was changed afterwards.
pub const READ_STALE: &str =
    "[This file was read again or changed later: this reading is out of date.]";

/// What Claude Code and opencode send in place of a cleared result, as JSON.
pub const CLEARED_BY_AGENT: &str = "\"[Old tool result content cleared]\"";

/// First words of placeholders for readings that are repeated or out of date.
const READINGS: [&str; 2] = ["File unchanged since last read.", "[This file was read again"];

/// First words of placeholders for tool results.
const CLEARED_RESULTS: &[&str] = &[
    "[Earlier tool result", "[Old tool result content cleared]", "[Historical tool call summary]",
    "(Tool result removed)", "[cleared]", SPILLED_OPENER, "<tool_output_masked>", READINGS[0],
    READINGS[1],
];

/// The most characters of a placeholder, including a preview of some thousand. A longer text only begins like
/// one, as the listing of a file of such texts does.
const LONGEST_PLACEHOLDER: usize = 8000;

/// Whether a text is a placeholder for a cleared, spilled or deduplicated tool result, written by any agent.
pub fn is_placeholder(text: &str) -> bool {
    let text = text.trim_start();
    begins_with_any(text, CLEARED_RESULTS) && text.chars().nth(LONGEST_PLACEHOLDER).is_none()
}

/// Whether a placeholder stands for a reading that is repeated or out of date.
pub fn is_reading(text: &str) -> bool {
    let text = text.trim_start();
    begins_with_any(text, &READINGS)
}

/// First words of a placeholder for a result that was written to a file.
const SPILLED_OPENER: &str = "<persisted-output>";

/// Whether a text is a placeholder for a tool result that was written to a file.
pub fn is_spilled(text: &str) -> bool {
    text.trim_start().starts_with(SPILLED_OPENER) && is_placeholder(text)
}

/// The words before the path in such a placeholder.
const SAVED: &str = "Full output saved to: ";

/// Whether the source of some JSON may hold a placeholder for a spilled result; the JSON is not parsed for
/// it.
pub fn may_hold_spilled(json: &str) -> bool {
    memchr::memmem::find(json.as_bytes(), SPILLED_OPENER.as_bytes()).is_some()
}

/// The path in a placeholder for a result that was written to a file; `None` for any other text.
pub fn spilled_to(text: &str) -> Option<&str> {
    text.trim_start().strip_prefix(SPILLED_OPENER)?.split_once(SAVED)?.1.lines().next()
}

/// The number of characters of a spilled result that stay as a preview.
pub const PREVIEW: usize = 2000;

/// The placeholder for a result that was written to the file `path`, with a preview of its beginning;
/// `outcome` is a line that tells how the call ended.
pub fn spilled(text: &str, path: &str, outcome: Option<&str>) -> String {
    let outcome = outcome.map_or(String::new(), |outcome| format!("\n{outcome}"));
    let bytes = text.len();
    let head =
        format!("{SPILLED_OPENER}\nOutput too large ({bytes} bytes). {SAVED}{path}{outcome}");
    let shown: String = text.chars().take(PREVIEW).collect();
    format!("{head}{SHOWING}{PREVIEW}{SHOWN}{shown}\n…{SPILLED_CLOSER}")
}

/// The preview in a placeholder for a spilled result; any other result as it is.
pub fn shown(result: &str) -> &str {
    preview(result).unwrap_or(result)
}

/// The preview in a placeholder for a spilled result, ours or Claude Code's (`Preview (first 2KB):`).
fn preview(spilled: &str) -> Option<&str> {
    let spilled = spilled.trim();
    let (_, rest) = spilled.strip_prefix(SPILLED_OPENER)?.split_once(SHOWING)?;
    let shown = rest.split_once("):\n")?.1.strip_suffix(SPILLED_CLOSER)?;
    Some(["\n…", "\n..."].iter().find_map(|cut| shown.strip_suffix(cut)).unwrap_or(shown))
}

/// The words around the number of characters that a preview shows, and the end of the placeholder.
const SHOWING: &str = "\n\nPreview (first ";
const SHOWN: &str = " characters):\n";
const SPILLED_CLOSER: &str = "\n</persisted-output>";

/// The placeholder `spilled` with a preview of at most `most` characters; `None` if it shows no more already.
pub fn with_preview(spilled: &str, most: usize) -> Option<String> {
    let (head, _) = spilled.split_once(SHOWING).filter(|_| is_spilled(spilled))?;
    let shown = preview(spilled)?;
    let (end, _) = shown.char_indices().nth(most)?;
    Some(match &shown[..end] {
        "" => format!("{head}{SPILLED_CLOSER}"),
        shown => format!("{head}{SHOWING}{most}{SHOWN}{shown}\n…{SPILLED_CLOSER}"),
    })
}

/// A restored file behind a summary: all of it, or the part in the range `asked`.
pub fn restored(path: &str, asked: &str, text: &str) -> String {
    let asked = if asked.is_empty() { String::new() } else { format!(" {asked}") };
    format!("{RESTORED_OPENER}{path}{asked}>\n{text}\n{RESTORED_CLOSER}")
}

/// Whether a text holds the mark that opens or closes a restored file.
pub fn may_close_restored(text: &str) -> bool {
    text.contains(RESTORED_OPENER) || text.contains(RESTORED_CLOSER)
}

/// Whether a text is one restored file and nothing else; with two, there may be words between them.
pub fn is_restored(text: &str) -> bool {
    let text = text.trim();
    let inner =
        text.strip_prefix(RESTORED_OPENER).and_then(|text| text.strip_suffix(RESTORED_CLOSER));
    inner.is_some_and(|text| !may_close_restored(text))
}

/// Words of former notes, which today's shorter note leaves out because there may be room for nothing more.
const BECAUSE: &str = " to fit the context window";

/// The words before the path of the archive, which holds the messages that a summary or a note stands for.
pub const ARCHIVED: &str = "The messages themselves are in ";

/// The note that stands for dropped messages; it names the archive if there is one.
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

/// The marker for what was cut out of a text: a number of tokens, characters or items.
pub fn truncated(gone: usize, unit: &str) -> String {
    format!("…{gone} {unit} truncated…")
}

/// First words of the header of a text that was cut, which tells how many lines it had.
const CUT_OPENER: &str = "Total output lines: ";

/// The header of a cut text that had `lines` lines, with its line break.
pub fn cut_header(lines: usize) -> String {
    format!("{CUT_OPENER}{lines}\n")
}

/// The number of lines in the header of a cut text, and the text behind that header.
pub fn behind_cut_header(text: &str) -> Option<(usize, &str)> {
    let (lines, body) = text.strip_prefix(CUT_OPENER)?.split_once('\n')?;
    Some((lines.parse().ok()?, body))
}

/// The number and the unit in a line that is a marker for text that was cut out.
pub fn truncated_in(line: &str) -> Option<(usize, &str)> {
    let said = line.trim_end().strip_prefix('…')?.strip_suffix(" truncated…")?;
    let (number, unit) = said.split_once(' ')?;
    Some((number.parse().ok()?, unit))
}

/// What stands before and behind the first marker inside a text, and its number, if that is one of `unit`.
pub fn around_truncated<'t>(text: &'t str, unit: &str) -> Option<(&'t str, usize, &'t str)> {
    let (before, behind) = text.split_once(&format!(" {unit} truncated…"))?;
    let (before, number) = before.rsplit_once('…')?;
    Some((before, number.parse().ok()?, behind))
}

/// Opens an agent's description of its environment.
pub const ENVIRONMENT: &str = "<environment_context>";

/// First words of an agent's text, in the user's role, with the rules that a project or its user sets.
pub const RULES: [&str; 2] = ["# AGENTS.md instructions", "<user_instructions>"];

/// Whether a text begins as such rules do.
pub fn tells_rules(text: &str) -> bool {
    RULES.iter().any(|opener| text.trim_start().starts_with(opener))
}

/// First words of the mark that the user aborted a turn.
pub const TURN_ABORTED: [&str; 2] = ["<turn-aborted>", "<turn_aborted>"];

/// Whether a text holds a description of the agent's environment.
pub fn is_environment(text: &str) -> bool {
    text.contains(ENVIRONMENT)
}

/// Whether a text is the mark that the user aborted a turn.
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
