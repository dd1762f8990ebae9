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
//! Numbers, key order, escapes, white space, duplicate keys and unknown fields come out as they went in.
//! Only what we author is ever encoded: a marker, a placeholder, a synthetic result, a summary.
//!
//! # Words
//!
//! A *conversation* is *messages*; a message has a *role* and *parts*; a *call id* joins a tool *call* and
//! its *result*. A *turn* is a user's message up to the next, an *exchange* an assistant's message with
//! calls and their results. A *legal cut* splits nothing that a provider wants whole; *head*, *middle* and
//! *tail* lie between legal cuts. The *window* is the model's, the *threshold* says from where on to
//! compact, the *budget* what the result may count at most. A *placeholder* stands for a cleared result, a
//! *marker* for a removed piece inside a text, a *summary* for messages; the *digest* is the summary that
//! needs no model. A *dialect* is a wire shape, a *profile* a named set of choices.
//!
//! # Laws
//!
//! Each is a property test over made-up conversations (`tests/laws.rs`), in the dialects that
//! `tests/generate` writes, which are most: no edits means the same bytes; a result counts at most its
//! budget, or nothing is written; a valid conversation stays valid, unless nothing is left of it, or of a
//! part of it: an empty one is refused; what is kept is kept in order; running a command again changes
//! nothing; the same input gives the same bytes; parts put together are the whole; a result never counts
//! more than its input; another layout of the same JSON counts the same. A larger budget keeps no less:
//! what can be done in a budget can be done in a larger one, where `truncate` keeps all that it keeps in
//! the smaller; what `compact` keeps beside its summary may be other, for what the summary leaves over
//! goes to the tail. A refusal names the least budget.

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
