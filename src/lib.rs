//! Makes LLM conversations fit their context window.

pub mod summarizer;
pub mod tokenizer;
