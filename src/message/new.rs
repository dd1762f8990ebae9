//! Messages that we write.
//!
//! Responsible for their roles and parts; each dialect decides how they are written.

use std::borrow::Cow;

use super::Role;
use crate::marks;

/// A message that we write.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct NewMessage<'a> {
    /// Who speaks.
    pub role: Role,
    /// The parts of its content.
    pub parts: Vec<NewPart<'a>>,
    /// Whether this is the summary of what stood before, which session logs mark.
    pub is_summary: bool,
}

impl NewMessage<'_> {
    /// A message of one text.
    pub fn text(role: Role, text: impl Into<String>) -> Self {
        let parts = vec![NewPart::Text(Cow::Owned(text.into()))];
        Self { role, parts, is_summary: false }
    }

    /// Its text parts, joined by blank lines.
    pub(crate) fn texts(&self) -> String {
        let texts = self.parts.iter().filter_map(|part| match part {
            NewPart::Text(text) => Some(text.as_ref()),
            _ => None,
        });
        texts.collect::<Vec<_>>().join("\n\n")
    }

    /// The note that stands for dropped messages. It does not tell their number, so that it stays the same
    /// when more are dropped.
    pub fn note() -> Self {
        Self::text(Role::User, marks::note(None))
    }

    /// The note that stands for dropped messages and names `archive`, the file that holds them.
    pub fn note_of(archive: &str) -> Self {
        Self::text(Role::User, marks::note(Some(archive)))
    }
}

/// A part that we write.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum NewPart<'a> {
    /// A text.
    Text(Cow<'a, str>),
    /// The answer to a call.
    Result {
        /// The call, as it is written in the source.
        call: &'a str,
        /// The id that the call will have; empty where the dialect has none.
        call_id: Cow<'a, str>,
        /// The name of the tool.
        name: Cow<'a, str>,
        /// What the tool said.
        text: Cow<'a, str>,
    },
    /// A part or unit that stands elsewhere in the source, as it is written.
    Source(&'a str),
}

impl NewPart<'_> {
    /// The part as written: `write` formats its text; a [`NewPart::Source`] stays as it is.
    pub(crate) fn written(&self, write: impl FnOnce(&str) -> String) -> String {
        match self {
            Self::Text(text) | Self::Result { text, .. } => write(text),
            Self::Source(source) => (*source).to_owned(),
        }
    }
}
