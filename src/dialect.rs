//! The wire shapes of conversations: one contract, one table, and how a shape is recognised.
//!
//! Responsible for turning values into conversations and new messages into text, with one file per dialect.
//! The trait is in `contract`, what several dialects have in common in `shared`, and all of them in `table`.
//! Detection asks each row of [`DIALECTS`] what the values look like to it, the strongest sign first; it
//! never guesses between two that fit equally well.

mod anthropic;
mod bedrock;
pub(crate) mod chatgpt;
pub(crate) mod claude_code;
pub(crate) mod codex;
mod contract;
mod detect;
mod gemini;
mod gemini_cli;
mod langchain;
mod new_ids;
mod openai;
pub(crate) mod opencode;
pub(crate) mod openhands;
pub(crate) mod pi;
pub(crate) mod preferences;
mod responses;
pub(crate) mod responses_items;
mod session;
pub(crate) mod shared;
mod sharegpt;
mod table;
mod ui_message;

pub(crate) use bedrock::{BLOCK_NAMES, is_failure};
pub use contract::{Answer, Dialect, Facts, Framing, Member, Provider, Scope, Sign, Site};
pub use detect::{
    Found, Layout, Shape, Unrecognised, has_parts_of_ai_sdk, inside, recognise, recognise_units,
    sources,
};
pub use new_ids::NewIds;
pub use session::{Naming, Sessions};
pub(crate) use shared::{chosen_tool, schema_beside, tools_beside};
pub use table::{DIALECTS, named};
