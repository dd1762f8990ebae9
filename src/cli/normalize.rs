//! The arguments of `ctx normalize`.

use std::path::PathBuf;

use clap::Args;

use super::{Reading, Work, Writing};
use crate::dialect::Provider;

/// Repair a conversation so that its provider accepts it
///
/// Every call gets its result unless it is still in flight, every result its call, with as few edits as
/// possible. Each repair is reported on standard error, and what no edit mends; untouched messages stay byte
/// for byte.
#[derive(Args, Debug)]
#[command(
    mut_args(super::take_negative),
    after_help = "\
Examples:
  ctx normalize --for anthropic chat.json | jq .
  ctx normalize chat.json | git diff --no-index chat.json -
  ctx normalize -i broken-session.jsonl"
)]
pub struct Normalize {
    /// Provider whose rules to establish, instead of the dialect's own
    #[arg(long = "for", value_name = "PROVIDER")]
    pub provider: Option<Provider>,

    /// Model that is to read it, instead of the one that it names: what it makes of signatures of thinking
    #[arg(long, value_name = "NAME", env = "CTX_MODEL")]
    pub model: Option<String>,

    /// Refuse repairs that lose something that was said
    #[arg(long)]
    pub strict: bool,

    /// Write the repairs as JSON to FILE; `-` is standard error, where they come last, behind messages: with
    /// -q only errors and warnings
    #[arg(long, value_name = "FILE")]
    pub report: Option<PathBuf>,

    #[command(flatten)]
    pub reading: Reading,

    #[command(flatten)]
    pub writing: Writing,

    #[command(flatten)]
    pub work: Work,
}
