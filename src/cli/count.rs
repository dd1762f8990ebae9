//! The arguments of `ctx count`.

use clap::Args;

use super::{Counting, Reading};
use crate::count::By;

/// Count tokens, and show where they are
///
/// Prints `TOKENS FILE` a file and a total for several, like wc. A count is content + framing + media
/// tokens; base64 never counts as text. Session logs count as what their agent would send.
#[derive(Args, Debug)]
#[command(
    mut_args(super::take_negative),
    after_help = "\
Examples:
  ctx count chat.json
  ctx count --by tool session.jsonl
  cat data.jsonl | ctx count --json | jq .tokens
  ctx count --model claude-opus-4-7 --usage session.jsonl"
)]
pub struct Count {
    /// Break the count down, largest first
    #[arg(long, value_name = "WHAT")]
    pub by: Option<By>,

    /// Compare with the token usage that the log records
    #[arg(long)]
    pub usage: bool,

    /// Print one JSON object a conversation
    #[arg(long)]
    pub json: bool,

    #[command(flatten)]
    pub reading: Reading,

    #[command(flatten)]
    pub counting: Counting,
}
