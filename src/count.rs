//! How many tokens a conversation is, and where they are.
//!
//! Responsible for the one rule of counting: content tokens (each text whole, as the model sees it)
//! plus framing tokens plus media tokens. It relies on a [`Tokenizer`] for texts and on the dialect
//! for framing. Counts add up over parts and messages, so an operation counts again only what it
//! changed; re-indenting a file changes nothing.

use std::ops::{Add, AddAssign};

use crate::conversation::{Conversation, Kind, Message, Part};
use crate::dialect::{Dialect, Framing};
use crate::draft::{Draft, NewMessage, NewPart};
use crate::json::Json;
use crate::media;
use crate::models::Model;
use crate::tokenizer::{Encoding, Tokenizer};

/// Tokens, by what they are spent on.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Tally {
    /// Texts.
    pub content: usize,
    /// What the provider puts around them.
    pub framing: usize,
    /// Pictures and files.
    pub media: usize,
}

impl Tally {
    /// The sum.
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

/// What a conversation counts.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Count {
    /// Each message.
    pub messages: Vec<Tally>,
    /// The definitions of the tools.
    pub tools: Tally,
    /// What the conversation costs as a whole.
    pub conversation: Tally,
}

impl Count {
    /// Everything together.
    pub fn tally(&self) -> Tally {
        self.messages.iter().copied().sum::<Tally>() + self.tools + self.conversation
    }

    /// All tokens.
    pub fn tokens(&self) -> usize {
        self.tally().tokens()
    }
}

/// Counts, for one encoding or model.
pub struct Meter {
    tokenizer: Box<dyn Tokenizer>,
    model: Option<&'static Model>,
}

impl Meter {
    /// Counts in an encoding.
    pub fn new(encoding: Encoding) -> Self {
        Self::with(encoding.tokenizer(), None)
    }

    /// Counts as a model's provider would.
    pub fn of_model(model: &'static Model) -> Self {
        Self::with(model.encoding.tokenizer(), Some(model))
    }

    /// Counts with any tokenizer.
    pub fn with(tokenizer: Box<dyn Tokenizer>, model: Option<&'static Model>) -> Self {
        Self { tokenizer, model }
    }

    /// The tokens of a text.
    pub fn text(&self, text: &str) -> usize {
        self.scaled(self.tokenizer.count(text))
    }

    /// A longest beginning of a text that counts at most `most` tokens.
    pub fn prefix<'t>(&self, text: &'t str, most: usize) -> &'t str {
        self.tokenizer.prefix(text, self.unscaled(most))
    }

    /// A longest end of a text that counts at most `most` tokens.
    pub fn suffix<'t>(&self, text: &'t str, most: usize) -> &'t str {
        self.tokenizer.suffix(text, self.unscaled(most))
    }

    fn unscaled(&self, tokens: usize) -> usize {
        self.model.map_or(tokens, |model| tokens * 1000 / model.permille)
    }

    fn scaled(&self, tokens: usize) -> usize {
        self.model.map_or(tokens, |model| model.scaled(tokens))
    }

    /// What is put around the texts of a dialect's messages.
    pub fn framing(&self, dialect: &dyn Dialect) -> Framing {
        self.model.and_then(|model| model.framing).unwrap_or_else(|| dialect.framing())
    }

    /// A whole conversation.
    pub fn count(&self, conversation: &Conversation<'_>) -> Count {
        let dialect = conversation.dialect;
        let messages: Vec<Tally> =
            conversation.messages.iter().map(|message| self.message(dialect, message)).collect();
        let tools = conversation.tools.map_or(0, |tools| self.text(&tools.compact()));
        let framing = if messages.is_empty() { 0 } else { self.framing(dialect).conversation };
        Count {
            messages,
            tools: Tally { content: tools, ..Tally::default() },
            conversation: Tally { framing, ..Tally::default() },
        }
    }

    /// One message; bookkeeping that is never sent counts nothing.
    pub fn message(&self, dialect: &dyn Dialect, message: &Message<'_>) -> Tally {
        if message.origin == crate::conversation::Origin::Internal {
            return Tally::default();
        }
        let framing = self.framing(dialect);
        let parts = message.parts.iter().map(|part| self.part(&framing, part)).sum::<Tally>();
        parts + self.frame(&framing, message)
    }

    /// What a message costs besides its parts.
    pub fn frame(&self, framing: &Framing, message: &Message<'_>) -> Tally {
        let name = message.name.and_then(Json::text);
        let named = name.map_or(0, |name| framing.name + self.text(&name));
        Tally { framing: framing.message + named, ..Tally::default() }
    }

    /// One part.
    pub fn part(&self, framing: &Framing, part: &Part<'_>) -> Tally {
        let texts = || part.texts().map(|text| self.text(&text)).sum::<usize>();
        let content = match part.kind {
            Kind::Text | Kind::ToolResult => texts(),
            Kind::Reasoning | Kind::Other if part.body.is_some() => texts(),
            Kind::Reasoning | Kind::Other => opaque(part.json),
            Kind::ToolCall => self.text(&part.tool()) + texts(),
            Kind::Image | Kind::File => 0,
        };
        let rule = self.model.map_or(media::Rule::Flat(1_600), |model| model.media);
        let weigh = |item| media::weigh(item, rule).map_or(0, |weight| weight.tokens);
        let media = match part.kind {
            Kind::Image | Kind::File => weigh(part.json),
            Kind::ToolResult => part.attachments().map(weigh).sum(),
            _ => 0,
        };
        Tally { content, framing: frame_of(framing, part.kind), media }
    }

    /// A message that we write.
    pub fn new_message(&self, dialect: &dyn Dialect, message: &NewMessage<'_>) -> usize {
        let framing = self.framing(dialect);
        let parts = message.parts.iter().map(|part| self.new_part(&framing, part)).sum::<usize>();
        framing.message + parts
    }

    fn new_part(&self, framing: &Framing, part: &NewPart<'_>) -> usize {
        match part {
            NewPart::Text(text) => framing.text + self.text(text),
            NewPart::Result { text, .. } => framing.result + self.text(text),
            NewPart::Source(_) => 0,
        }
    }

    /// What a message counts after a draft's changes to it.
    pub fn drafted(&self, draft: &Draft<'_, '_>, at: usize, before: &Count) -> usize {
        if draft.is_dropped(at) {
            return 0;
        }
        if !draft.is_changed(at) {
            return before.messages[at].tokens();
        }
        let conversation = draft.conversation();
        let message = &conversation.messages[at];
        let framing = self.framing(conversation.dialect);
        let own = message.parts.iter().enumerate().map(|(index, part)| {
            if draft.is_removed((at, index)) {
                return 0;
            }
            match draft.new_text((at, index)) {
                Some(text) => {
                    let media: usize = match part.kind {
                        Kind::ToolResult => self.part(&framing, part).media,
                        _ => 0,
                    };
                    frame_of(&framing, part.kind) + self.text(text) + media
                }
                None => self.part(&framing, part).tokens(),
            }
        });
        let own = own.sum::<usize>() + self.frame(&framing, message).tokens();
        own + draft.new_parts(at).map(|part| self.new_part(&framing, part)).sum::<usize>()
    }

    /// What the whole conversation counts after a draft.
    pub fn draft(&self, draft: &Draft<'_, '_>, before: &Count) -> usize {
        let conversation = draft.conversation();
        let kept = (0..before.messages.len()).filter(|&at| !draft.is_dropped(at));
        let kept: usize = kept.map(|at| self.drafted(draft, at, before)).sum();
        let new = draft.new_messages().map(|(_, new)| self.new_message(conversation.dialect, new));
        kept + new.sum::<usize>() + before.tools.tokens() + before.conversation.tokens()
    }
}

fn frame_of(framing: &Framing, kind: Kind) -> usize {
    match kind {
        Kind::Text => framing.text,
        Kind::ToolCall => framing.call,
        Kind::ToolResult => framing.result,
        _ => 0,
    }
}

/// What an item that only its provider can read counts, by its size: encrypted reasoning is base64
/// of the text and of about 650 bytes besides; 4 bytes a token.
fn opaque(item: Json<'_>) -> usize {
    let [data, encrypted] = item.pick(["data", "encrypted_content"]);
    let length = data.or(encrypted).map_or(0, |text| text.source().len().saturating_sub(2));
    (length * 3 / 4).saturating_sub(650) / 4
}
