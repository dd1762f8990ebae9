//! The summaries that earlier compactions left: where one stands in a text, and how many there were.
//!
//! Responsible for finding ours between the words that stand around it, and in a message of the user's
//! with which it was joined.

use std::borrow::Cow;
use std::ops::Range;

use crate::conversation::{Conversation, Kind, Message, Origin, Part, Role};
use crate::digest;
use crate::marks::{self, SUMMARY_OPENER};
use crate::message::origin::origin_of;
use crate::pairing::Place;
use crate::profile::{PROFILES, Profile};

/// Where a summary that we wrote stands in a text.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Found {
    /// The summary alone.
    pub summary: Range<usize>,
    /// With what stands before and behind it.
    pub whole: Range<usize>,
}

/// The first summary that we wrote in a text: at its beginning, behind the words that a profile puts
/// before it, or behind a blank line, where somebody joined it with other words. Without ours the words
/// of a profile are anybody's.
pub fn summary_in(text: &str) -> Option<Found> {
    text.match_indices(SUMMARY_OPENER).find_map(|(start, _)| {
        let before = &text[..start];
        let wraps =
            |profile: &&Profile| !profile.opener.is_empty() && before.ends_with(profile.opener);
        let is_line =
            matches!(text.as_bytes().get(start + SUMMARY_OPENER.len()), None | Some(b'\n'));
        let is_joined = is_line && before.ends_with("\n\n");
        let opener = match PROFILES.iter().find(wraps) {
            Some(profile) => profile.opener,
            None if before.trim().is_empty() || is_joined => "",
            None => return None,
        };
        let closer = digest::end(text, start);
        let summary = start..text[..closer.start].trim_end().len();
        Some(Found { summary, whole: start - opener.len()..closer.end })
    })
}

/// A text of a user's message in which stands what earlier compactions wrote, told apart.
#[derive(Debug)]
pub struct Apart {
    /// Where the text stands.
    pub place: Place,
    /// What else it says: blank, where that is nothing.
    pub words: String,
    /// The summaries: none in a note or a restored file.
    pub summaries: Vec<String>,
}

impl Apart {
    /// The text at a place, if it is a note or a restored file, or a summary stands in it.
    fn of(place: Place, text: &str) -> Option<Self> {
        if marks::is_note(text) || marks::is_restored(text) {
            return Some(Self { place, words: String::new(), summaries: Vec::new() });
        }
        let (mut words, mut summaries, mut rest) = (Vec::new(), Vec::new(), text);
        while let Some(Found { summary, whole }) = summary_in(rest) {
            summaries.push(rest[summary].to_owned());
            words.push(rest[..whole.start].trim_end());
            rest = rest[whole.end..].trim_start_matches('\n');
        }
        words.push(rest);
        words.retain(|words| !words.trim().is_empty());
        (!summaries.is_empty()).then(|| Self { place, words: words.join("\n\n"), summaries })
    }
}

/// The texts in the words of users in which stands what earlier compactions wrote: a repair or another
/// tool may have joined the messages.
pub fn in_words(conversation: &Conversation<'_>) -> Vec<Apart> {
    let messages = conversation.messages.iter().enumerate();
    let users = messages.filter(|(_, message)| message.role == Role::User);
    users
        .flat_map(|(at, message)| {
            let texts = message.parts_of(Kind::Text).filter(|(_, part)| may_be_ours(part));
            let texts = texts.filter(|_| message.is_request());
            texts.filter_map(move |(index, part)| Apart::of((at, index), &part.text()))
        })
        .collect()
}

/// Whether something of ours may stand in a part, as far as its source shows: nobody escapes letters.
fn may_be_ours(part: &Part<'_>) -> bool {
    const OPENERS: [&str; 3] = [SUMMARY_OPENER, marks::ELISION_OPENER, marks::RESTORED_OPENER];
    let source = part.json.source().as_bytes();
    OPENERS.iter().any(|opener| memchr::memmem::find(source, opener.as_bytes()).is_some())
}

/// Whether a message is a summary, or holds one of ours.
pub fn stands_in(message: &Message<'_>) -> bool {
    let mut texts = message.parts_of(Kind::Text).filter(|(_, part)| may_be_ours(part));
    message.origin == Origin::Summary
        || message.is_request() && texts.any(|(_, part)| summary_in(&part.text()).is_some())
}

/// Whether a user's words, or what is attached to them, stand beside a summary of ours in some texts.
pub(crate) fn stands_beside_words<'t>(
    texts: impl Iterator<Item = Cow<'t, str>>,
    has_attachments: bool,
) -> bool {
    let (mut has_summary, mut has_words) = (false, has_attachments);
    for text in texts {
        let apart = Apart::of((0, 0), &text);
        has_summary |= apart.as_ref().is_some_and(|apart| !apart.summaries.is_empty());
        let words = apart.as_ref().map_or(&*text, |apart| &apart.words);
        has_words |= !words.trim().is_empty() && origin_of(words) == Origin::Spoken;
    }
    has_summary && has_words
}

/// How often a conversation has been compacted: as its summaries say, or at least as many times as there
/// are any.
pub fn compactions(conversation: &Conversation<'_>) -> usize {
    let in_words = in_words(conversation);
    let joined = in_words.iter().flat_map(|apart| &apart.summaries).map(|text| counted_in(text));
    most(in_messages(conversation).chain(joined))
}

/// The same of one in which every summary is a message of its own.
pub(crate) fn compactions_apart(conversation: &Conversation<'_>) -> usize {
    most(in_messages(conversation))
}

fn in_messages(conversation: &Conversation<'_>) -> impl Iterator<Item = usize> {
    let summaries = conversation.messages.iter().filter(|m| m.origin == Origin::Summary);
    summaries.map(|message| counted_in(&message.text()))
}

fn most(counts: impl Iterator<Item = usize>) -> usize {
    let (all, most) = counts.fold((0, 0), |(all, most), count| (all + 1, most.max(count)));
    all.max(most)
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
    use crate::marks::SUMMARY_CLOSER;

    #[test]
    fn a_summary_is_found_between_the_words_of_every_profile() {
        let summary = format!("{SUMMARY_OPENER}\nCompaction 3: and so on.");
        for profile in PROFILES {
            let text = format!("{}{summary}\n{}", profile.opener, profile.closer);
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
            (format!("Do it.\n\n{}", ended(&model)), "Do it.", vec![&model]),
            (format!("{anchored}\nNow.\n\n{}", ended(&digest)), "Now.", vec![&model, &digest]),
            (format!("Do it.\n\n{compacted}"), "Do it.", vec![&digest]),
            // Somebody took the last line away.
            (digest.clone(), "", vec![&digest]),
        ] {
            let apart = Apart::of((0, 0), &text).unwrap();
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
