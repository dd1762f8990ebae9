//! What earlier compactions wrote into user messages, above all summaries: a profile put them there, or
//! someone joined the messages.
//!
//! Responsible for taking it out, so that the user's words stay and the summaries are folded into the new
//! one.

use super::Rebuild;
use crate::conversation::{Conversation, Kind, Message, Origin, Part, Place, Role};
use crate::draft::Draft;
use crate::json::{Json, quote};
use crate::subject::Subject;
use crate::summaries;
use crate::summary::Apart;

impl Rebuild<'_, '_> {
    /// Subtracts the earlier summaries from the sizes of the messages.
    pub(super) fn take_out_earlier(&mut self) {
        let Subject { conversation, count, meter, .. } = *self.subject;
        self.earlier = summaries::in_words(conversation);
        for (place, Apart { words, .. }) in &self.earlier {
            let part = &count.parts[place.0][place.1];
            let left = meter.text(words.as_str());
            let saved = if left == 0 { part.tokens() } else { part.content.saturating_sub(left) };
            self.sizes.shrink(place.0, saved);
        }
    }

    /// The user's words in a text that also holds earlier summaries; `None` for any other text.
    pub fn words_at(&self, place: Place) -> Option<&str> {
        self.earlier.get(&place).map(|apart| apart.words.as_str())
    }

    /// The user's words in those texts of a message that also hold earlier summaries, each with the index of
    /// its part.
    fn earlier_at(&self, at: usize) -> impl Iterator<Item = (usize, &str)> {
        let texts = self.earlier.range((at, 0)..(at + 1, 0));
        texts.map(|((_, index), apart)| (*index, apart.words.as_str()))
    }

    /// The texts of a message without earlier summaries.
    pub(super) fn words_of(&self, at: usize) -> String {
        let message = &self.subject.conversation.messages[at];
        if self.earlier_at(at).next().is_none() {
            return message.text();
        }
        let texts = message.parts_of(Kind::Text).filter(|(_, part)| part.is_words());
        let words = texts.map(|(index, part)| match self.words_at((at, index)) {
            Some(words) => words.into(),
            None => part.text(),
        });
        words.filter(|words| !words.is_empty()).collect::<Vec<_>>().join("\n")
    }

    /// The tokens of a message's words without earlier summaries.
    pub fn said(&self, at: usize) -> usize {
        let parts = &self.subject.conversation.messages[at].parts;
        let is_said = |(index, _): &(usize, &str)| parts[*index].is_words();
        let mut apart = self.earlier_at(at).filter(is_said).peekable();
        if apart.peek().is_none() {
            return self.subject.said(at);
        }
        let parts = &self.subject.count.parts[at];
        apart.fold(self.subject.said(at), |said, (index, words)| {
            let content = parts[index].content;
            said - content + self.subject.meter.text(words)
        })
    }

    /// Removes everything but the user's words from the messages that stay.
    pub(super) fn drop_earlier(&self, draft: &mut Draft<'_, '_>) {
        let clipped = self.clipped.as_ref().map(|(at, _)| *at);
        for (place, Apart { words, .. }) in &self.earlier {
            if !self.kept[place.0] || Some(place.0) == clipped {
                continue;
            }
            if words.is_empty() {
                draft.remove_part(*place);
            } else {
                draft.set_text(*place, words.as_str());
            }
        }
    }

    /// The earlier summaries that stand in user messages.
    pub fn summaries_in_words(&self) -> impl Iterator<Item = &str> {
        self.earlier.values().flat_map(|apart| &apart.summaries).map(String::as_str)
    }
}

/// User texts and the summaries that stood in them, as JSON.
pub struct Written {
    words: Vec<(Place, String)>,
    /// The summaries from all the texts.
    pub summaries: Vec<String>,
}

impl Written {
    /// Writes the separated texts of a plan as JSON.
    pub fn of(rebuild: &Rebuild<'_, '_>) -> Self {
        let words = rebuild.earlier.iter().map(|(place, apart)| (*place, quote(&apart.words)));
        let summaries = rebuild.summaries_in_words().map(quote);
        Self { words: words.collect(), summaries: summaries.collect() }
    }

    /// The conversation with only the user's words in these texts, and each summary as a message of its own
    /// at the end, where it shifts no other; `None` if there are no such summaries.
    pub fn told_apart<'t>(&'t self, conversation: &Conversation<'t>) -> Option<Conversation<'t>> {
        if self.words.is_empty() {
            return None;
        }
        let mut messages = conversation.messages.clone();
        for ((at, index), words) in &self.words {
            let part = &mut messages[*at].parts[*index];
            *part = Part::whole(Kind::Text, Json::from_checked(words));
        }
        messages.extend(self.summaries.iter().map(|summary| {
            let part = Part::whole(Kind::Text, Json::from_checked(summary));
            Message { origin: Origin::Summary, ..Message::of_one(Role::User, part) }
        }));
        let source = conversation.source.clone();
        Some(Conversation { source, messages, ..*conversation })
    }
}
