//! All dialects in one table.
//!
//! Responsible only for the list, and for looking dialects up by name.

use super::contract::Dialect;
use super::{
    anthropic, bedrock, chatgpt, claude_code, codex, gemini, gemini_cli, langchain, openai,
    opencode, openhands, pi, responses, sharegpt, ui_message,
};

/// All known dialects.
pub static DIALECTS: &[&dyn Dialect] = &[
    &openai::OpenAi,
    &anthropic::Anthropic,
    &bedrock::Bedrock,
    &responses::Responses,
    &gemini::Gemini,
    &claude_code::ClaudeCode,
    &codex::Codex,
    &sharegpt::ShareGpt,
    &pi::Pi,
    &opencode::OpenCode,
    &gemini_cli::GeminiCli,
    &openhands::OpenHands,
    &langchain::LangChain,
    &ui_message::UiMessage,
    &chatgpt::ChatGpt,
];

/// The dialect called `name`.
pub fn named(name: &str) -> Option<&'static dyn Dialect> {
    DIALECTS.iter().copied().find(|dialect| dialect.name() == name)
}
