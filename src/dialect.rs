//! The wire shapes of conversations: one contract, one table, and how a shape is recognised.
//!
//! Responsible for turning values into conversations and new messages into text, one file a
//! dialect. What a dialect is asked stands in `contract`, what several have in common in `shared`, all of
//! them in `table`. Detection asks each row of [`DIALECTS`] what the values look like to it, most
//! specific sign first; it never guesses between two that fit equally well.

mod anthropic;
mod chatgpt;
mod claude_code;
mod codex;
mod contract;
mod detect;
mod gemini;
mod gemini_cli;
mod langchain;
mod openai;
mod opencode;
mod openhands;
mod pi;
mod responses;
mod responses_items;
mod sessions;
mod shared;
mod sharegpt;
mod table;
mod ui_message;

use crate::conversation::{Conversation, Source};

pub use contract::{Answer, Dialect, Framing, Member, Provider, Scope, Sign, Site};
pub use detect::{Found, Layout, Shape, Unrecognised, recognise, recognise_units, sources};
pub use sessions::lines_of_others;
use shared::beside;
pub use table::{DIALECTS, named};

/// Reads one conversation.
pub fn decode<'a>(
    dialect: &'static dyn Dialect,
    mut source: Source<'a>,
    scope: Scope,
) -> Conversation<'a> {
    let messages = dialect.messages(&mut source, scope);
    let tools = source
        .root
        .as_ref()
        .and_then(|root| beside(root, &["tools", "functions"]))
        .filter(|t| t.is_array());
    Conversation { dialect, source, messages, tools, scope }
}
