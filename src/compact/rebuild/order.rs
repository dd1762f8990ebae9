//! The order of a compacted conversation, and what is written into it.
//!
//! Responsible for where the summary goes and which messages move for it. Kept messages keep their order,
//! except where a profile wants user messages before the summary and protected exchanges behind it.

use std::iter;

use super::Rebuild;
use crate::compact::Options;
use crate::conversation::{self, Kind, Message, Role};
use crate::dialect::Provider;
use crate::draft::{Draft, NewMessage, NewPart};
use crate::marks::NO_REPLY;
use crate::profile::Position;
use crate::reread::Form;

impl<'c, 'a> Rebuild<'c, 'a> {
    /// The conversation with the summary in it. For an empty `summary` a note stands for the middle, if
    /// anything is removed.
    pub fn with_summary(&self, summary: &str) -> Draft<'c, 'a> {
        let profile = self.options.profile;
        let mut draft = Draft::new(self.subject.conversation);
        for (at, kept) in self.kept.iter().enumerate() {
            if !kept {
                draft.drop_message(at);
                continue;
            }
            if at < self.tail {
                self.lost_results(at).for_each(|index| draft.remove_part((at, index)));
                continue;
            }
            for index in self.replaced(at) {
                draft.take_part_of(&self.slim, (at, index));
            }
        }
        if let Some((at, text)) = &self.clipped {
            clip(&mut draft, *at, text);
        }
        self.drop_earlier(&mut draft);
        let place = self.place();
        if summary.is_empty() && !self.lets_go() {
            return draft;
        }
        if summary.is_empty() {
            draft.insert_message(place, self.note());
            return draft;
        }
        let text = format!("{}{summary}\n{}", profile.opener, profile.closer);
        if !self.merge_into_first_user(&mut draft, &text) {
            let message = NewMessage { is_summary: true, ..NewMessage::text(Role::User, text) };
            draft.insert_message(place, message);
        }
        if let Some(restored) = &self.restored {
            draft.insert_message(place, restored.message.clone());
        }
        for at in self.moved() {
            draft.drop_message(at);
            draft.insert_message(place, self.as_new(at));
        }
        draft
    }

    /// Whether anything is removed that a summary could stand for, an earlier summary included.
    pub fn lets_go(&self) -> bool {
        !self.earlier.is_empty() || self.kept.contains(&false)
    }

    /// The index of the message before which the summary goes.
    fn place(&self) -> usize {
        let conversation = self.subject.conversation;
        let head = conversation.head();
        if conversation.dialect.facts().summary_leads {
            return self.first_kept().unwrap_or(self.tail);
        }
        if let Some(newest) = self.request_without_results() {
            return newest;
        }
        if let Some(first) = self.place_before_assistant() {
            return first;
        }
        let leader = self.subject.cuts.leader(self.tail);
        self.before_results(leader.map_or(self.tail, |leader| leader.start).max(head))
    }

    /// The place before any exchanges that would end right at `place`, if the provider wants results apart
    /// from words; otherwise the assistant would have to speak between them.
    fn before_results(&self, place: usize) -> usize {
        let conversation = self.subject.conversation;
        let messages = &conversation.messages;
        let before = |at: &usize| (conversation.head()..*at).rev().find(|&it| self.kept[it]);
        let is_result = |at: usize| messages[at].has(Kind::ToolResult);
        if !self.parts_results || !before(&place).is_some_and(is_result) {
            return place;
        }
        let is_of_exchange = |at: &usize| is_result(*at) || messages[*at].has(Kind::ToolCall);
        let exchanges = iter::successors(Some(place), |at| before(at).filter(is_of_exchange));
        exchanges.last().unwrap_or(place)
    }

    /// The tokens of the assistant's words that have to stand between kept results and the user's next words.
    pub(super) fn said_between(&self) -> usize {
        if !self.parts_results {
            return 0;
        }
        let messages = self.subject.conversation.messages.iter().zip(&self.kept);
        let mut kept = messages.filter(|(_, kept)| **kept).map(|(message, _)| message).peekable();
        let is_between = |before: &Message<'_>, after: Option<&&Message<'_>>| {
            before.has(Kind::ToolResult) && after.is_some_and(|after| after.role == Role::User)
        };
        let mut count = 0;
        while let Some(message) = kept.next() {
            count += usize::from(is_between(message, kept.peek()));
        }
        count * self.added(&NewMessage::text(Role::Assistant, NO_REPLY))
    }

    /// The newest request, if it is the last message and stays without the results in it, because their calls
    /// are dropped: then it alone is the tail.
    fn request_without_results(&self) -> Option<usize> {
        let conversation = self.subject.conversation;
        let newest = conversation.newest_request().filter(|at| at + 1 == self.tail)?;
        let results = conversation.messages[newest].parts_of(Kind::ToolResult).count();
        let is_last = self.tail == self.kept.len() && results > 0;
        let is_alone = is_last && self.lost_results(newest).count() == results;
        (is_alone && self.options.profile.place != Position::AfterUsers).then_some(newest)
    }

    /// The assistant's first message, if no user message is left to begin with: a summary behind it would need
    /// another message before it.
    fn place_before_assistant(&self) -> Option<usize> {
        let role = |at: &usize| self.subject.conversation.messages[*at].role;
        self.first_kept().filter(|at| role(at) == Role::Assistant)
    }

    fn first_kept(&self) -> Option<usize> {
        let head = self.subject.conversation.head();
        (head..self.kept.len()).find(|&at| self.kept[at])
    }

    /// The messages of protected exchanges that move behind the summary. In the logs of most agents nothing
    /// moves, because each line has its place there.
    pub(crate) fn moved(&self) -> Vec<usize> {
        let dialect = self.subject.conversation.dialect;
        let is_fixed = dialect.is_log() && dialect.provider() != Provider::Responses;
        if self.options.profile.place != Position::AfterUsers || is_fixed {
            return Vec::new();
        }
        let exchanges = self.protected.iter().cloned().flatten();
        let mut moved: Vec<usize> = exchanges.filter(|&at| at < self.tail).collect();
        moved.sort_unstable();
        moved.dedup();
        moved
    }

    /// A kept message as an inserted one: block by block without earlier summaries where contents are lists,
    /// else as it stands.
    fn as_new(&self, at: usize) -> NewMessage<'a> {
        let conversation = self.subject.conversation;
        let message = &conversation.messages[at];
        let has_blocks = matches!(
            conversation.dialect.provider(),
            Provider::Anthropic | Provider::Bedrock | Provider::Gemini
        );
        let parts = if has_blocks {
            let block = |(index, part): (usize, &conversation::Part<'a>)| match (
                self.words_at((at, index)),
                part.list,
            ) {
                (Some(""), _) => None,
                (Some(words), _) => Some(NewPart::Text(words.to_owned().into())),
                (None, Some(_)) => Some(NewPart::Source(part.json.source())),
                (None, None) => Some(NewPart::Text(part.text())),
            };
            message.parts.iter().enumerate().filter_map(block).collect()
        } else {
            vec![NewPart::Source(conversation.to_move(at).source())]
        };
        NewMessage { role: message.role, parts, is_summary: false }
    }

    /// Whether the summary goes into the first user message.
    #[must_use]
    pub fn joins_first_user(&self) -> bool {
        self.first_user_text().is_some()
    }

    /// The last text of the first user message, if the summary goes into that message. In records that an
    /// agent appends, the summary is a message of its own.
    fn first_user_text(&self) -> Option<conversation::Place> {
        let conversation = self.subject.conversation;
        let Options { profile, form, .. } = self.options;
        let is_merged = profile.place == Position::IntoFirstUser && *form == Form::Shorter;
        if !is_merged || conversation.dialect.facts().summary_leads {
            return None;
        }
        // A summary of what came before the tail does not belong behind its beginning.
        let first = conversation.first_request().filter(|first| *first <= self.place())?;
        let texts = conversation.messages[first].parts_of(Kind::Text);
        let places = texts.map(|(index, _)| (first, index));
        // A text that held only a summary has no words left to append another to.
        places.filter(|place| self.words_at(*place) != Some("")).last()
    }

    /// Appends the summary to the words of the first user message, and inserts the assistant's
    /// acknowledgement before the next user message. Returns false if the profile does not merge it.
    fn merge_into_first_user(&self, draft: &mut Draft<'_, 'a>, text: &str) -> bool {
        let Some((first, index)) = self.first_user_text() else { return false };
        let messages = &self.subject.conversation.messages;
        let own = draft.new_text((first, index));
        let own = own.map_or_else(|| messages[first].parts[index].text(), Into::into);
        let text = format!("{own}\n\n{text}");
        draft.set_text((first, index), text);
        if let Some((next, said)) = self.acknowledgement() {
            draft.insert_message(next, NewMessage::text(Role::Assistant, said));
        }
        true
    }

    /// What the assistant says so that roles alternate, with the index of the message it goes before.
    fn acknowledgement(&self) -> Option<(usize, &'static str)> {
        let said = self.options.profile.acknowledgement?;
        let (first, _) = self.first_user_text()?;
        let next = (first + 1..self.kept.len()).find(|&at| self.kept[at])?;
        let is_user = self.subject.conversation.messages[next].role == Role::User;
        is_user.then_some((next, said))
    }

    pub(super) fn acknowledgement_size(&self) -> usize {
        let said = self.acknowledgement();
        said.map_or(0, |(_, said)| self.subject.meter.text(said) + self.frame())
    }
}

/// Replaces the parts of a message by one text.
fn clip(draft: &mut Draft<'_, '_>, at: usize, text: &str) {
    let parts = draft.conversation().messages[at].parts.len();
    let texts: Vec<usize> =
        draft.conversation().messages[at].parts_of(Kind::Text).map(|(index, _)| index).collect();
    for index in 0..parts {
        match texts.first() {
            Some(&first) if first == index => draft.set_text((at, index), text),
            _ => draft.remove_part((at, index)),
        }
    }
}
