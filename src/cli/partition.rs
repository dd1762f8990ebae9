//! The arguments of `ctx partition`.

use clap::{Args, ValueEnum};

use super::{Counting, Reading};
use crate::numbers;

/// Part a conversation into head, middle and tail, at legal cuts only
///
/// Prints `{"head": […], "middle": […], "tail": […], "tokens": {…}}` with the messages as they stand, and
/// the tokens of each part; `rest` is what belongs to none, as the request's framing and tool definitions,
/// and all together is what ctx count tells. No cut splits a call from its result, a parallel batch, or a
/// tool loop led by thinking. A part may begin with the assistant, which Anthropic and Gemini refuse: ctx
/// normalize puts a user message before it.
#[derive(Args, Debug)]
#[command(
    mut_args(super::take_negative),
    after_help = "\
Examples:
  ctx partition --keep-tail 20k chat.json | jq '.middle | length'
  ctx partition --part middle chat.json | llm 'Summarise this'
  ctx partition --chunks 8k chat.json | split -l 1 - chunk-"
)]
pub struct Partition {
    /// Tokens of the newest messages that are the tail, the one that crosses the number with them
    #[arg(long, value_name = "TOKENS", value_parser = numbers::size, default_value = "20k")]
    pub keep_tail: usize,

    /// Let the head include the first user message
    #[arg(long)]
    pub keep_first_user: bool,

    /// Print this part alone, in the shape of the input
    #[arg(long, value_name = "PART", conflicts_with = "chunks")]
    pub part: Option<PartName>,

    /// Print the middle as JSON Lines: conversations of at most so many tokens each, all or none
    #[arg(long, value_name = "TOKENS", value_parser = numbers::size)]
    pub chunks: Option<usize>,

    #[command(flatten)]
    pub reading: Reading,

    #[command(flatten)]
    pub counting: Counting,
}

/// A part of a conversation.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum PartName {
    /// The leading instructions
    Head,
    /// What may be summarised
    Middle,
    /// The newest messages
    Tail,
}
