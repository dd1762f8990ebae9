//! What earlier compactions wrote into messages of the user's, summaries first of all: a profile put it
//! there, or somebody joined the messages.
//!
//! Responsible for taking them out, so that the user's words stay the user's and the summaries are folded
//! into the new one.

use super::Rebuild;
use crate::conversation::{Conversation, Kind, Message, Origin, Part, Place, Role};
use crate::draft::Draft;
use crate::json::{Json, quote};
use crate::subject::Subject;
use crate::summaries;
use crate::summary::Apart;

impl Rebuild<'_, '_> {
    /// Takes the earlier summaries out of what the messages count.
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

    /// What a text of the user's says beside earlier summaries, if some stand in it.
    pub fn words_at(&self, place: Place) -> Option<&str> {
        self.earlier.get(&place).map(|apart| apart.words.as_str())
    }

    /// What the texts of a message say beside earlier summaries, where some stand in them, each with its part.
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

    /// The tokens of what a message says beside earlier summaries.
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

    /// Leaves the user's words alone in the messages that stay.
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

    /// The earlier summaries that stand in messages of the user's.
    pub fn summaries_in_words(&self) -> impl Iterator<Item = &str> {
        self.earlier.values().flat_map(|apart| &apart.summaries).map(String::as_str)
    }
}

/// Texts of the user's and the summaries that stood in them, as JSON.
pub struct Written {
    words: Vec<(Place, String)>,
    /// The summaries, of all of them.
    pub summaries: Vec<String>,
}

impl Written {
    /// Writes them.
    pub fn of(rebuild: &Rebuild<'_, '_>) -> Self {
        let words = rebuild.earlier.iter().map(|(place, apart)| (*place, quote(&apart.words)));
        let summaries = rebuild.summaries_in_words().map(quote);
        Self { words: words.collect(), summaries: summaries.collect() }
    }

    /// The conversation with the user's words alone where they stood, and each summary as a message of its
    /// own at the end, where it moves no other; `None` where there are no summaries in them.
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
