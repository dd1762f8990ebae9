//! Makes LLM conversations fit their context window.

pub mod archive;
pub mod cli;
pub mod command;
pub mod compact;
pub mod conversation;
pub mod count;
pub mod dialect;
pub mod digest;
pub mod document;
pub mod draft;
pub mod input;
pub mod json;
pub mod list;
pub mod marks;
pub mod media;
pub mod models;
pub mod numbers;
pub mod output;
pub mod pairing;
pub mod partition;
pub mod summarizer;
pub mod tokenizer;
pub mod tools;
pub mod truncate;
pub mod usage;
