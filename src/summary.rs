//! A summary of ours in a text, and the words of others around it.
//!
//! Responsible for finding it by its first and last line, also in a text with which it was joined.

use std::borrow::Cow;
use std::ops::Range;

use crate::marks::{self, SUMMARY_OPENER};
use crate::message::origin::{Origin, origin_of};
use crate::profile::{self, PROFILES, Profile};
use crate::verbatim;

/// The place of a summary of ours in a text.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Found {
    /// The summary alone.
    pub summary: Range<usize>,
    /// The summary with its opener and closer.
    pub whole: Range<usize>,
}

/// The first summary of ours in a text: at its beginning, behind the words that a profile puts before it, or
/// behind a blank line, if it was joined with other words; behind a single line break only if its last line
/// is there too. Without our own first words, the words of a profile may be anyone's.
pub(crate) fn summary_in(text: &str) -> Option<Found> {
    text.match_indices(SUMMARY_OPENER).find_map(|(start, _)| {
        let before = &text[..start];
        let wraps =
            |profile: &&Profile| !profile.opener.is_empty() && before.ends_with(profile.opener);
        let is_line =
            matches!(text.as_bytes().get(start + SUMMARY_OPENER.len()), None | Some(b'\n'));
        let closer = last_line(text, start);
        let is_joined =
            is_line && (before.ends_with("\n\n") || before.ends_with('\n') && !closer.is_empty());
        let opener = match PROFILES.iter().find(wraps) {
            Some(profile) => profile.opener,
            None if before.trim().is_empty() || is_joined => "",
            None => return None,
        };
        let summary = start..text[..closer.start].trim_end().len();
        Some(Found { summary, whole: start - opener.len()..closer.end })
    })
}

/// The closing line of a summary that begins at `start`; the empty range at the end of the text if there is
/// none.
fn last_line(text: &str, start: usize) -> Range<usize> {
    let mut lines = verbatim::own_lines(text, start..text.len());
    let closer = lines.find(|line| profile::is_closer(&text[line.clone()]));
    closer.unwrap_or(text.len()..text.len())
}

/// A user's text into which earlier compactions wrote, taken apart.
#[derive(Debug)]
pub struct Apart {
    /// The other words; blank if there are none.
    pub words: String,
    /// The summaries; empty if the text is a note or a restored file.
    pub summaries: Vec<String>,
}

impl Apart {
    /// Takes a text apart if it is a note or a restored file, or holds a summary; else `None`.
    pub fn of(text: &str) -> Option<Self> {
        if marks::is_note(text) || marks::is_restored(text) {
            return Some(Self { words: String::new(), summaries: Vec::new() });
        }
        let (mut words, mut summaries, mut rest) = (Vec::new(), Vec::new(), text);
        while let Some(Found { summary, whole }) = summary_in(rest) {
            summaries.push(rest[summary].to_owned());
            words.push(rest[..whole.start].trim_end());
            rest = rest[whole.end..].trim_start_matches('\n');
        }
        words.push(rest);
        words.retain(|words| !words.trim().is_empty());
        (!summaries.is_empty()).then(|| Self { words: words.join("\n\n"), summaries })
    }
}

/// Whether some texts hold both a summary of ours and the user's words; attachments count as words.
pub(crate) fn stands_beside_words<'t>(
    texts: impl Iterator<Item = Cow<'t, str>>,
    has_attachments: bool,
) -> bool {
    let (mut has_summary, mut has_words) = (false, has_attachments);
    for text in texts {
        let apart = Apart::of(&text);
        has_summary |= apart.as_ref().is_some_and(|apart| !apart.summaries.is_empty());
        let words = apart.as_ref().map_or(&*text, |apart| &apart.words);
        has_words |= !words.trim().is_empty() && origin_of(words) == Origin::Spoken;
    }
    has_summary && has_words
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::marks::SUMMARY_CLOSER;

    #[test]
    fn a_summary_is_found_between_the_words_of_every_profile() {
        let summary = format!("{SUMMARY_OPENER}\nCompaction 3: and so on.");
        for profile in PROFILES {
            let text = format!("{}{summary}\n{}", profile.opener, profile.closer);
            let found = summary_in(&text).unwrap();
            assert_eq!(&text[found.summary], summary, "{}", profile.name);
            assert_eq!(found.whole, 0..text.len(), "{}", profile.name);
            assert_eq!(origin_of(&text), Origin::Summary, "{}", profile.name);
        }
        let quoted = format!("What does this mean?\n{summary}");
        assert_eq!(summary_in(&quoted), None);
    }

    #[test]
    fn words_around_a_summary_are_told_apart() {
        let digest =
            format!("{SUMMARY_OPENER}\n[0] User: \"\"\"Two\n{SUMMARY_CLOSER}\nlines.\"\"\"");
        let model = format!("{SUMMARY_OPENER}\n\nIt was done.\n\nAll of it.");
        let ended = |summary: &str| format!("{summary}\n{SUMMARY_CLOSER}");
        let anchored = format!("[CONTEXT SUMMARY]\n{model}\n[END CONTEXT SUMMARY]");
        let compacted = format!("[Compacted]\n\n{}", ended(&digest));
        for (text, words, summaries) in [
            (
                format!("Do it.\n\n{}\n\n\n  Now.", ended(&digest)),
                "Do it.\n\n  Now.",
                vec![&digest],
            ),
            (format!("{}\nNow.", ended(&model)), "Now.", vec![&model]),
            (format!("Do it.\n{}\nNow.", ended(&digest)), "Do it.\n\nNow.", vec![&digest]),
            (format!("Do it.\n\n{}", ended(&model)), "Do it.", vec![&model]),
            (format!("{anchored}\nNow.\n\n{}", ended(&digest)), "Now.", vec![&model, &digest]),
            (format!("Do it.\n\n{compacted}"), "Do it.", vec![&digest]),
            // The closing line was removed.
            (digest.clone(), "", vec![&digest]),
        ] {
            let apart = Apart::of(&text).unwrap();
            assert_eq!(apart.words, words);
            assert_eq!(apart.summaries.iter().collect::<Vec<_>>(), summaries, "{text}");
        }
    }

    #[test]
    fn what_a_user_quotes_is_no_summary_and_hides_none() {
        let quoted = "Fix this:\n[CONTEXT SUMMARY]\nmy words\n[END CONTEXT SUMMARY]\nSoon.\n";
        assert_eq!(summary_in(quoted), None);
        let block = format!("[CONTEXT SUMMARY]\n{SUMMARY_OPENER}\nShort.\n[END CONTEXT SUMMARY]");
        let text = format!("{quoted}\n{SUMMARY_OPENER} is what?\n{block}");
        assert_eq!(&text[summary_in(&text).unwrap().whole], block);
    }
}
