//! The summaries that earlier compactions left: where one stands in a text, and how many there were.
//!
//! Responsible for finding ours between the words that a profile puts around it.

use std::ops::Range;

use crate::conversation::{Conversation, Origin};
use crate::marks::SUMMARY_OPENER;
use crate::profile::{PROFILES, Profile};

/// Where a summary that we wrote stands in a text.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Found {
    /// The summary alone.
    pub summary: Range<usize>,
    /// With what a profile puts before and behind it.
    pub whole: Range<usize>,
}

/// The first summary that we wrote in a text: at its beginning, or behind the words that a profile puts
/// before it. Without ours those words are anybody's.
pub fn summary_in(text: &str) -> Option<Found> {
    text.match_indices(SUMMARY_OPENER).find_map(|(start, _)| {
        let before = &text[..start];
        let (opener, closer) = if before.trim().is_empty() {
            ("", "")
        } else {
            let wraps =
                |profile: &&Profile| !profile.opener.is_empty() && before.ends_with(profile.opener);
            let profile = PROFILES.iter().find(wraps)?;
            (profile.opener, profile.closer)
        };
        let (end, behind) = text[start..]
            .rfind(closer)
            .map_or((text.len(), 0), |length| (start + length, closer.len()));
        Some(Found { summary: start..end, whole: start - opener.len()..end + behind })
    })
}

/// How often a conversation has been compacted: as its summaries say, or at least as many times as there
/// are any.
pub fn compactions(conversation: &Conversation<'_>) -> usize {
    let summaries = conversation.messages.iter().filter(|m| m.origin == Origin::Summary);
    let (all, most) = summaries
        .fold((0, 0), |(all, most), message| (all + 1, most.max(counted_in(&message.text()))));
    // An earlier summary may stand in the first user's message.
    let first = conversation.messages.iter().find(|message| message.is_request());
    let merged = first.map_or(0, |message| counted_in(&message.text()));
    all.max(most).max(merged)
}

/// The second line of a summary that is the last of so many.
pub fn count_line(number: usize) -> String {
    format!("Compaction {number}: what was summarised before is in here.")
}

/// How many compactions the summary of ours in a text stands for: as it says in its second line, or
/// one; none where there is no such summary.
fn counted_in(text: &str) -> usize {
    let Some(found) = summary_in(text) else { return 0 };
    let number =
        text[found.summary].lines().nth(1).and_then(|line| line.strip_prefix("Compaction "));
    number.and_then(|rest| rest.split(':').next()?.parse().ok()).unwrap_or(1)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::message::origin::origin_of;

    #[test]
    fn a_summary_is_found_between_the_words_of_every_profile() {
        let summary = format!("{SUMMARY_OPENER}\nCompaction 3: and so on.");
        for profile in PROFILES {
            let text = format!("{}{summary}{}", profile.opener, profile.closer);
            let found = summary_in(&text).unwrap();
            assert_eq!(&text[found.summary], summary, "{}", profile.name);
            assert_eq!(found.whole, 0..text.len(), "{}", profile.name);
            assert_eq!(counted_in(&text), 3, "{}", profile.name);
            assert_eq!(origin_of(&text), Origin::Summary, "{}", profile.name);
        }
        let quoted = format!("What does this mean?\n{summary}");
        assert_eq!(summary_in(&quoted), None);
        assert_eq!(counted_in("Compaction 7: a user's words"), 0);
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
