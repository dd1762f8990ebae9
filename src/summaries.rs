//! The summaries that earlier compactions left in a conversation, and how many there were.
//!
//! Responsible for finding them, as messages of their own and inside user messages that they were joined
//! with; `summary` finds a summary within a text.

use std::collections::BTreeMap;
use std::sync::LazyLock;

use memchr::memmem::Finder;

use crate::conversation::{Conversation, Kind, Message, Origin, Part, Place, Role};
use crate::marks::{self, SUMMARY_OPENER};
use crate::summary::{Apart, summary_in};

/// The texts in user messages that hold something that earlier compactions wrote; a repair or another tool
/// may have joined messages.
pub fn in_words(conversation: &Conversation<'_>) -> BTreeMap<Place, Apart> {
    let messages = conversation.messages.iter().enumerate();
    let users = messages.filter(|(_, message)| message.role == Role::User);
    users
        .flat_map(|(at, message)| {
            let texts = message.parts_of(Kind::Text).filter(|(_, part)| may_be_ours(part));
            let texts = texts.filter(|_| message.is_request());
            texts.filter_map(move |(index, part)| Some(((at, index), Apart::of(&part.text())?)))
        })
        .collect()
}

/// Whether the source of a part may hold something of ours. Letters are never escaped, so the source is
/// enough.
fn may_be_ours(part: &Part<'_>) -> bool {
    static OPENERS: LazyLock<[Finder<'_>; 3]> = LazyLock::new(|| {
        [SUMMARY_OPENER, marks::ELISION_OPENER, marks::RESTORED_OPENER].map(Finder::new)
    });
    let source = part.json.source().as_bytes();
    OPENERS.iter().any(|opener| opener.find(source).is_some())
}

/// Whether a message is a summary, or holds one of ours.
pub fn stands_in(message: &Message<'_>) -> bool {
    let mut texts = message.parts_of(Kind::Text).filter(|(_, part)| may_be_ours(part));
    message.origin == Origin::Summary
        || message.is_request() && texts.any(|(_, part)| summary_in(&part.text()).is_some())
}

/// How often a conversation has been compacted: the highest number in its summaries, or the number of
/// summaries if that is higher.
pub fn compactions(conversation: &Conversation<'_>) -> usize {
    let in_words = in_words(conversation);
    let joined = in_words.values().flat_map(|apart| &apart.summaries).map(|text| counted_in(text));
    most(in_messages(conversation).chain(joined))
}

/// How often a conversation has been compacted in which every summary is a message of its own.
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

/// The second line of a summary by compaction `number`, which contains the earlier summaries.
pub fn count_line(number: usize) -> String {
    marks::compaction_line(number) + " what was summarised before is in here."
}

/// How many compactions the summary of ours in a text stands for: the number in its second line, or 1; 0 if
/// the text holds no summary.
fn counted_in(text: &str) -> usize {
    let Some(found) = summary_in(text) else { return 0 };
    text[found.summary].lines().nth(1).and_then(marks::compaction_in).unwrap_or(1)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_summary_says_how_many_compactions_it_stands_for() {
        assert_eq!(counted_in(&format!("{SUMMARY_OPENER}\n{}", count_line(3))), 3);
        assert_eq!(counted_in(&format!("{SUMMARY_OPENER}\n[0] User: \"Go.\"")), 1);
        assert_eq!(counted_in("Compaction 7: a user's words"), 0);
    }
}
