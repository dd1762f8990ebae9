//! How many tokens a conversation counts, and where they are.
//!
//! Responsible for the one rule of counting: content tokens (each text whole, as the model sees it) plus
//! framing tokens plus media tokens. It relies on a [`Meter`] for the tokens of a part. Counts add up over
//! parts and messages, so an operation counts only what it changed; re-indenting a file changes no count.

mod breakdown;
mod meter;
mod parts;
mod reach;
mod skim;
mod spread;

use std::ops::{Add, AddAssign, Range};

use crate::conversation::Conversation;
use crate::dialect::schema_beside;
use crate::draft::Draft;

pub use breakdown::{Breakdown, By, NO_TOOL, Row};
pub use meter::Meter;
pub use parts::Parts;

/// Token counts, by what the tokens are spent on.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Tally {
    /// Tokens of texts.
    pub content: usize,
    /// Tokens that the provider puts around texts, such as role markers.
    pub framing: usize,
    /// Tokens of pictures and files.
    pub media: usize,
    /// How many of the files are documents of unknown length, whose tokens are a guess.
    pub guesses: usize,
}

impl Tally {
    /// All tokens together.
    pub fn tokens(self) -> usize {
        self.content + self.framing + self.media
    }
}

impl Add for Tally {
    type Output = Self;

    fn add(self, other: Self) -> Self {
        Self {
            content: self.content + other.content,
            framing: self.framing + other.framing,
            media: self.media + other.media,
            guesses: self.guesses + other.guesses,
        }
    }
}

impl AddAssign for Tally {
    fn add_assign(&mut self, other: Self) {
        *self = *self + other;
    }
}

impl std::iter::Sum for Tally {
    fn sum<I: Iterator<Item = Self>>(all: I) -> Self {
        all.fold(Self::default(), Self::add)
    }
}

/// The token counts of a conversation, by message and part.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Count {
    /// The count of each message.
    pub messages: Vec<Tally>,
    /// The count of each part of each message.
    pub parts: Parts,
    /// The definitions of the tools.
    pub tools: Tally,
    /// The schema that the answer is to follow.
    pub schema: Tally,
    /// Framing of the conversation as a whole.
    pub conversation: Tally,
}

impl Count {
    /// The count of the whole conversation.
    pub fn tally(&self) -> Tally {
        self.messages.iter().copied().sum::<Tally>() + self.fixed()
    }

    /// The count of what does not depend on the messages: tools, schema, framing.
    pub fn fixed(&self) -> Tally {
        self.tools + self.schema + self.conversation
    }

    /// The tokens of the whole conversation.
    pub fn tokens(&self) -> usize {
        self.tally().tokens()
    }

    /// The tokens of a range of messages.
    pub fn tokens_of(&self, messages: Range<usize>) -> usize {
        self.messages[messages].iter().map(|tally| tally.tokens()).sum()
    }
}

impl Meter {
    /// Counts a whole conversation; on all cores if it is long.
    pub fn count(&self, conversation: &Conversation<'_>) -> Count {
        let (messages, parts) = spread::each_message(self, conversation);
        Count { messages, parts, ..self.fixed(conversation) }
    }

    /// Counts what does not depend on the messages.
    fn fixed(&self, conversation: &Conversation<'_>) -> Count {
        Count {
            tools: self.tools(conversation),
            schema: self.schema(conversation),
            conversation: self.request(conversation),
            ..Count::default()
        }
    }

    /// Counts the schema of the answer, which the model reads as compact JSON.
    fn schema(&self, conversation: &Conversation<'_>) -> Tally {
        let schema = conversation.source.root.as_ref().and_then(schema_beside);
        let content = schema.map_or(0, |schema| self.text(&schema.compact()));
        Tally { content, ..Tally::default() }
    }

    /// Counts the definitions of the tools.
    fn tools(&self, conversation: &Conversation<'_>) -> Tally {
        let Some(tools) = conversation.tools else { return Tally::default() };
        let request = conversation.source.request();
        let at = |path| request.and_then(|request| request.at(path));
        let choice = at("tool_choice").or_else(|| at("toolConfig.toolChoice"));
        let rule = self.tools_rule(conversation.dialect);
        let cost = crate::tools::cost(tools, choice, rule, &|text| self.text(text));
        Tally { content: cost.texts, framing: cost.framing, ..Tally::default() }
    }

    /// The framing of the conversation as a whole; none if it is empty.
    fn request(&self, conversation: &Conversation<'_>) -> Tally {
        let framing = self.framing(conversation.dialect).conversation;
        let framing = if conversation.messages.is_empty() { 0 } else { framing };
        Tally { framing, ..Tally::default() }
    }

    /// The tokens of the whole conversation after a draft's changes; `before` is its count without them.
    pub fn draft(&self, draft: &Draft<'_, '_>, before: &Count) -> usize {
        let conversation = draft.conversation();
        let kept = (0..before.messages.len()).filter(|&at| !draft.is_dropped(at));
        let kept: usize = kept.map(|at| self.drafted(draft, at, before)).sum();
        let new = draft.new_messages().map(|(_, new)| self.new_message(conversation.dialect, new));
        kept + new.sum::<usize>() + before.fixed().tokens()
    }
}
