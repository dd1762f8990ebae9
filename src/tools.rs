//! What the definitions of tools count.

/// How a provider counts the definitions of tools.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Rule {
    /// OpenAI: a measured formula, with so many tokens a function.
    Functions {
        /// The tokens of a function besides its texts.
        each: usize,
    },
    /// Anthropic: the JSON, and a hidden system prompt.
    Anthropic {
        /// The tokens of that prompt where the model may choose.
        auto: usize,
        /// The same where it must call a tool.
        forced: usize,
    },
    /// The JSON, without its white space.
    Json,
}
