//! Makes LLM conversations fit their context window.

pub mod conversation;
pub mod count;
pub mod dialect;
pub mod document;
pub mod draft;
pub mod json;
pub mod list;
pub mod marks;
pub mod media;
pub mod models;
pub mod pairing;
pub mod summarizer;
pub mod tokenizer;
pub mod tools;
