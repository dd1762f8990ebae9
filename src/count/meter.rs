//! Counting texts, parts and messages for one encoding or model.
//!
//! Responsible for deciding which values of a part count as text, which as media and which by size alone. It
//! relies on a [`Tokenizer`] for texts, on the dialect or the model for framing, and on the model or the
//! dialect's provider for the rules of media and tools.

mod hidden;

use std::cell::RefCell;
use std::ops::Range;

use crate::conversation::{Kind, Message, Origin, Part};
use crate::count::{Count, Tally};
use crate::dialect::{Dialect, Framing, Provider};
use crate::draft::{Draft, NewMessage, NewPart};
use crate::json::Json;
use crate::media;
use crate::models::Model;
use crate::tokenizer::{Encoding, Lines, Tokenizer};
use crate::tools;
use hidden::signed;

/// Texts of this length in bytes are remembered: a summary is counted when it is written, when it is inserted
/// and when it is read back.
const REMEMBERED: Range<usize> = 1 << 12..1 << 20;

/// Counts tokens for one encoding or model.
pub struct Meter {
    tokenizer: Box<dyn Tokenizer>,
    /// The last two remembered texts with their tokens, the newest first.
    known: RefCell<[(String, usize); 2]>,
    /// The lines of the pages counted by [`page`](Self::page), with their tokens.
    lines: RefCell<Lines>,
    /// The encoding from which other threads make their tokenizers; `None` for a custom tokenizer.
    encoding: Option<Encoding>,
    model: Option<&'static Model>,
    /// Whether a long conversation may be counted by several threads.
    pub(super) may_spread: bool,
}

impl Meter {
    /// A meter for an encoding.
    pub fn new(encoding: Encoding) -> Self {
        Self::with(encoding.tokenizer(), None).of_encoding(encoding)
    }

    /// A meter that counts as a model's provider would.
    pub fn of_model(model: &'static Model) -> Self {
        Self::with(model.encoding.tokenizer(), Some(model)).of_encoding(model.encoding)
    }

    /// A meter with any tokenizer.
    pub fn with(tokenizer: Box<dyn Tokenizer>, model: Option<&'static Model>) -> Self {
        let (known, lines) = (RefCell::default(), RefCell::default());
        Self { tokenizer, known, lines, encoding: None, model, may_spread: false }
    }

    fn of_encoding(self, encoding: Encoding) -> Self {
        Self { encoding: Some(encoding), may_spread: true, ..self }
    }

    /// Sets whether a long conversation may be counted by several threads.
    pub fn spread(&mut self, may_spread: bool) {
        self.may_spread = may_spread;
    }

    /// A function that makes an equal meter for another thread, since threads can't share a tokenizer; `None`
    /// for a custom tokenizer.
    pub(super) fn seed(&self) -> Option<impl Fn() -> Meter + Send + Sync + use<>> {
        let (encoding, model) = (self.encoding?, self.model);
        Some(move || Meter { encoding: Some(encoding), ..Meter::with(encoding.tokenizer(), model) })
    }

    /// The encoding that texts are counted in; `None` for a custom tokenizer.
    pub fn encoding(&self) -> Option<Encoding> {
        self.encoding
    }

    /// The model whose rules apply, if one was given.
    pub fn model(&self) -> Option<&'static Model> {
        self.model
    }

    /// The tokens of a text.
    pub fn text(&self, text: &str) -> usize {
        self.remembered(text, || self.tokenizer.count(text))
    }

    /// The tokens of a text that is counted again and again with few of its lines changed.
    pub fn page(&self, text: &str) -> usize {
        if !REMEMBERED.contains(&text.len()) {
            return self.text(text);
        }
        self.remembered(text, || self.tokenizer.count_lines(text, &mut self.lines.borrow_mut()))
    }

    fn remembered(&self, text: &str, count: impl FnOnce() -> usize) -> usize {
        let count = || self.scaled(count());
        if !REMEMBERED.contains(&text.len()) {
            return count();
        }
        let mut known = self.known.borrow_mut();
        if let Some((_, tokens)) = known.iter().find(|(known, _)| known == text) {
            return *tokens;
        }
        known.swap(0, 1);
        let (last, tokens) = &mut known[0];
        text.clone_into(last);
        *tokens = count();
        *tokens
    }

    /// The longest beginning of a text that counts at most `most` tokens.
    pub fn prefix<'t>(&self, text: &'t str, most: usize) -> &'t str {
        self.tokenizer.prefix(text, self.unscaled(most))
    }

    /// The longest end of a text that counts at most `most` tokens.
    pub fn suffix<'t>(&self, text: &'t str, most: usize) -> &'t str {
        self.tokenizer.suffix(text, self.unscaled(most))
    }

    fn unscaled(&self, tokens: usize) -> usize {
        self.model.map_or(tokens, |model| tokens * 1000 / model.permille)
    }

    pub(super) fn scaled(&self, tokens: usize) -> usize {
        self.model.map_or(tokens, |model| model.scaled(tokens))
    }

    /// The framing of a dialect's messages: as fitted to the model's recorded usage, except for OpenAI's
    /// chats, whose framing is published.
    pub fn framing(&self, dialect: &dyn Dialect) -> Framing {
        let fitted = self.model.and_then(|model| {
            let is_openai = matches!(model.tools, tools::Rule::Functions { .. });
            let is_published = is_openai && dialect.provider() == Provider::OpenAi;
            model.framing.filter(|_| !is_published)
        });
        fitted.unwrap_or_else(|| dialect.facts().framing)
    }

    /// The rule by which the dialect's pictures and files count.
    pub fn media_rule(&self, dialect: &dyn Dialect) -> media::Rule {
        self.model.map_or_else(|| media::rule_of(dialect.provider()), |model| model.media)
    }

    pub(super) fn tools_rule(&self, dialect: &dyn Dialect) -> tools::Rule {
        let encoding = self.encoding.unwrap_or_default();
        let usual = || tools::rule_of(dialect.provider(), encoding);
        self.model.map_or_else(usual, |model| model.tools)
    }

    /// Counts a message; bookkeeping that is never sent counts nothing.
    pub fn message(&self, dialect: &dyn Dialect, message: &Message<'_>) -> Tally {
        self.message_and_parts(dialect, message, |_, _| ())
    }

    /// Counts a message, and gives the count of each part, with its index, to `tell`.
    pub(super) fn message_and_parts(
        &self,
        dialect: &dyn Dialect,
        message: &Message<'_>,
        mut tell: impl FnMut(usize, Tally),
    ) -> Tally {
        if message.origin == Origin::Internal {
            return Tally::default();
        }
        let parts = message.parts.iter().enumerate().map(|(at, part)| {
            let tally = self.part(dialect, part);
            tell(at, tally);
            tally
        });
        parts.sum::<Tally>() + self.frame(&self.framing(dialect), message)
    }

    /// The count of a message without its parts: framing and the speaker's name.
    pub(super) fn frame(&self, framing: &Framing, message: &Message<'_>) -> Tally {
        let name = message.name.and_then(Json::text);
        let named = name.map_or(0, |name| framing.name + self.text(&name));
        Tally { framing: framing.message + named, ..Tally::default() }
    }

    /// Counts a part.
    pub fn part(&self, dialect: &dyn Dialect, part: &Part<'_>) -> Tally {
        let rule = self.media_rule(dialect);
        let framing = frame_of(&self.framing(dialect), part.kind);
        let inner = match part.kind {
            Kind::Image => {
                let full = || rule.full_size(media::Detail::default());
                let tokens = media::weigh(part.json, rule, false);
                let tokens = tokens.map_or_else(full, |weight| weight.tokens);
                Tally { media: tokens, ..Tally::default() }
            }
            Kind::Text | Kind::ToolCall | Kind::ToolResult => {
                return content(self.texts(part)) + self.around(dialect, part);
            }
            Kind::Reasoning if part.body.is_some() => {
                let said = self.texts(part);
                content(said.max(self.scaled(signed(part.json))))
            }
            Kind::Other if part.body.is_some() => {
                let texts = self.texts(part) + self.titles(part.json);
                content(texts) + self.attachments(dialect, part)
            }
            Kind::File | Kind::Reasoning | Kind::Other => {
                self.attachment(part.json, rule, part.kind)
            }
        };
        inner + self.words_beside(dialect, part) + Tally { framing, ..Tally::default() }
    }

    /// Counts the text that stands in a part beside its main value, if the dialect knows one.
    fn words_beside(&self, dialect: &dyn Dialect, part: &Part<'_>) -> Tally {
        let words = dialect.words_beside(part).and_then(Json::text);
        words.map_or_else(Tally::default, |words| content(self.text(&words)))
    }

    /// The count of a text, call or result without its texts: framing, the tool's name, attachments.
    pub(super) fn around(&self, dialect: &dyn Dialect, part: &Part<'_>) -> Tally {
        let framing = frame_of(&self.framing(dialect), part.kind);
        let inner = match part.kind {
            Kind::ToolCall => content(self.text(&part.tool())),
            Kind::ToolResult => self.attachments(dialect, part),
            _ => Tally::default(),
        };
        inner + self.words_beside(dialect, part) + Tally { framing, ..Tally::default() }
    }

    fn texts(&self, part: &Part<'_>) -> usize {
        let is_source = part.kind == Kind::Other && part.body.is_some_and(Json::is_object);
        let texts = part.texts().map(|text| {
            if is_source { self.text(&media::without_base64(&text)) } else { self.text(&text) }
        });
        texts.sum()
    }

    /// The tokens of a message that we write.
    pub fn new_message(&self, dialect: &dyn Dialect, message: &NewMessage<'_>) -> usize {
        let framing = self.framing(dialect);
        let parts = message.parts.iter().map(|part| self.new_part(&framing, part)).sum::<usize>();
        framing.message + parts
    }

    fn new_part(&self, framing: &Framing, part: &NewPart<'_>) -> usize {
        match part {
            NewPart::Text(text) => framing.text + self.page(text),
            NewPart::Result { text, .. } => framing.result + self.text(text),
            NewPart::Source(_) => 0,
        }
    }

    /// The tokens of a message after a draft's changes; `before` is the count without them.
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
                    let keeps = part.kind == Kind::ToolResult && !draft.is_cleared((at, index));
                    let kept = if keeps { before.parts[at][index].media } else { 0 };
                    frame_of(&framing, part.kind) + self.text(text) + kept
                }
                None => before.parts[at][index].tokens(),
            }
        });
        let own = own.sum::<usize>() + self.frame(&framing, message).tokens();
        own + draft.new_parts(at).map(|part| self.new_part(&framing, part)).sum::<usize>()
    }
}

fn content(content: usize) -> Tally {
    Tally { content, ..Tally::default() }
}

fn frame_of(framing: &Framing, kind: Kind) -> usize {
    match kind {
        Kind::Text => framing.text,
        Kind::ToolCall => framing.call,
        Kind::ToolResult => framing.result,
        _ => 0,
    }
}

#[cfg(test)]
impl Meter {
    /// Counts a word as one token, so that tests can be checked by eye.
    pub(crate) fn of_words() -> Self {
        struct Words;

        impl Tokenizer for Words {
            fn count(&self, text: &str) -> usize {
                text.split_whitespace().count()
            }
        }

        Self::with(Box::new(Words), None)
    }
}
