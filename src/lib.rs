//! Makes LLM conversations fit their context window.
//!
//! # One idea
//!
//! A command computes edits on the source text, and never writes a conversation anew:
//!
//! ```text
//! bytes ──input──▶ Document       the text, and where its JSON values stand
//!       ──dialect─▶ Conversation   messages and their parts, borrowed from the text
//!       ──operation─▶ Draft        what is to become of messages and parts: pure, no I/O, no clock
//!       ──splice──▶ edits         spans and what stands there instead
//!       ──apply──▶ bytes          what no edit touches is copied as it was
//!       ──output──▶ stdout | -o FILE | FILE, replaced in one step
//! ```
//!
//! Numbers, key order, escapes, white space, duplicate keys and unknown fields come out as they went in. Only
//! text that we write is ever encoded: a marker, a placeholder, a made-up result, a summary.
//!
//! # Words
//!
//! A *conversation* is a list of *messages*; a message has a *role* and *parts*; a *call id* joins a tool
//! *call* and its *result*. A *turn* is a user message and everything up to the next one, an *exchange* an
//! assistant message with calls, and their results. A *legal cut* splits nothing that a provider wants whole;
//! *head*, *middle* and *tail* lie between legal cuts. The *window* is the model's, the *threshold* is the
//! size from which on to compact, the *budget* the most tokens that the result may count. A *placeholder*
//! stands for a cleared result, a *marker* for text cut out of a longer text, a *summary* for messages; the
//! *digest* is the summary that needs no model. A *dialect* is a wire shape, a *profile* a named set of
//! choices.
//!
//! # Laws
//!
//! Each law is a property test over generated conversations (`tests/laws.rs`), in every dialect:
//!
//! - Without edits, the output has the same bytes as the input; the same input gives the same output.
//! - A result counts at most its budget, or nothing is written. It never counts more than its input.
//! - A valid conversation stays valid, unless nothing is left of it, or of a part of it: empty ones are refused.
//! - Kept messages keep their order, and the parts of a partition together are the whole.
//! - What was inserted is read back: the summary, and restored files.
//! - Running a command again changes nothing.
//! - Another layout of the same JSON counts the same.
//! - A refusal names the least budget, and whatever a smaller budget allows, a larger one does too.
//! - In a larger budget `truncate` keeps everything that it keeps in a smaller one. `compact` may keep other
//!   messages beside its summary, because the room that the summary leaves over goes to the tail.

mod answers;
mod begins;
mod bits;
mod calendar;
pub mod check;
pub mod cli;
pub mod command;
pub mod compact;
pub mod conversation;
mod cores;
pub mod count;
mod defaults;
mod demands;
pub mod dialect;
pub mod digest;
pub mod document;
pub mod draft;
mod few;
mod gap;
mod hash;
mod input;
mod interrupt;
pub mod json;
mod line;
pub mod marks;
mod media;
mod message;
pub mod models;
pub mod normalize;
mod numbers;
mod ordered;
mod output;
pub mod pairing;
pub mod partition;
pub mod placed;
mod printed;
pub mod profile;
mod progress;
mod redact;
pub mod reread;
pub mod resume;
mod source;
mod span;
pub mod subject;
pub mod summaries;
pub mod summarizer;
mod summary;
mod text_calls;
pub mod thinking;
pub mod tokenizer;
mod tools;
pub mod truncate;
pub mod usage;
mod verbatim;
mod wire;
mod within;
