//! The summaries that earlier compactions left: where one stands in a text, and how many there were.
//!
//! Responsible for finding ours between the words that a profile puts around it.

use std::ops::Range;

use crate::conversation::{Conversation, Origin};
use crate::marks::SUMMARY_OPENER;
use crate::profile::{PROFILES, Profile};

/// Where a summary that we wrote stands in a text: at its beginning, or between what a profile puts
/// before and behind it, which is not in the range.
pub fn summary_in(text: &str) -> Option<Range<usize>> {
    let start = text.find(SUMMARY_OPENER)?;
    let (before, summary) = text.split_at(start);
    if before.trim().is_empty() {
        return Some(start..text.len());
    }
    let wraps = |profile: &&Profile| !profile.opener.is_empty() && before.ends_with(profile.opener);
    let closer = PROFILES.iter().find(wraps)?.closer;
    Some(start..start + summary.rfind(closer).unwrap_or(summary.len()))
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
    let Some(place) = summary_in(text) else { return 0 };
    let number = text[place].lines().nth(1).and_then(|line| line.strip_prefix("Compaction "));
    number.and_then(|rest| rest.split(':').next()?.parse().ok()).unwrap_or(1)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::origin::origin_of;

    #[test]
    fn a_summary_is_found_between_the_words_of_every_profile() {
        let summary = format!("{SUMMARY_OPENER}\nCompaction 3: and so on.");
        for profile in PROFILES {
            let text = format!("{}{summary}{}", profile.opener, profile.closer);
            assert_eq!(&text[summary_in(&text).unwrap()], summary, "{}", profile.name);
            assert_eq!(counted_in(&text), 3, "{}", profile.name);
            assert_eq!(origin_of(&text), Origin::Summary, "{}", profile.name);
        }
        let quoted = format!("What does this mean?\n{summary}");
        assert_eq!(summary_in(&quoted), None);
        assert_eq!(counted_in("Compaction 7: a user's words"), 0);
    }
}
