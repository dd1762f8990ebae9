//! Makes LLM conversations fit their context window.

pub mod conversation;
pub mod dialect;
pub mod digest;
pub mod document;
pub mod draft;
pub mod json;
pub mod list;
pub mod marks;
pub mod pairing;
pub mod summarizer;
pub mod tokenizer;
