//! The arguments of `ctx truncate`.

use std::path::PathBuf;

use clap::Args;

use super::{Counting, Reading, ToolNames, Work, Writing};
use crate::defaults::{ALLOWANCE, HEAD_SHARE, MOST_TOKENS, TOOL_BUDGET};
use crate::marks;
use crate::numbers;
use crate::truncate::spill::FLOOR;

/// A limit, or `none`; clap takes an option in an option for a flag whose value may be left out.
pub type Most = Option<usize>;

/// Shorten tool results and drop old messages, without a summary
///
/// Without a policy each tool result is cut at 5000 tokens: beginning and end stay, a marker says what
/// is gone. Several policies are applied in the order that loses least. Of `--max-tokens`, `--max-bytes`
/// and `--max-chars` one can be given.
#[derive(Args, Debug)]
#[command(
    mut_args(super::take_negative),
    after_help = "\
Examples:
  ctx truncate chat.json | jq .
  ctx truncate --keep-results 5 --tools 'read*' chat.json
  ctx truncate --budget 30k chat.json | llm
  ctx truncate -i --max-tokens 2k session.jsonl"
)]
pub struct Truncate {
    #[arg(help = format!("Most tokens of a tool result, 1 or more; `none` for no limit [default: {MOST_TOKENS} without another policy]"), long, value_name = "TOKENS", value_parser = some_tokens, conflicts_with_all = ["max_bytes", "max_chars"])]
    pub max_tokens: Option<Most>,

    /// Most bytes of a tool result, 3 or more
    #[arg(long, value_name = "BYTES", value_parser = some_bytes, conflicts_with = "max_chars")]
    pub max_bytes: Option<usize>,

    /// Most characters of a tool result, 1 or more
    #[arg(long, value_name = "CHARS", value_parser = some_chars)]
    pub max_chars: Option<usize>,

    #[arg(help = format!("Share of a cut result that its beginning gets; the end gets the rest [default: {HEAD_SHARE}]"), long, value_name = "SHARE", value_parser = numbers::share)]
    pub head_share: Option<f64>,

    /// Cut a result that is JSON so that it still is
    #[arg(long)]
    pub keep_json: bool,

    #[arg(help = format!("Allow so many times the limit, for what serialization adds [default: {ALLOWANCE}]"), long, value_name = "FACTOR", value_parser = numbers::factor)]
    pub allowance: Option<f64>,

    #[arg(help = format!("Bytes that the last batch may hold before its largest results go to files; results of {FLOOR} bytes or less stay. The last batch is the newest results, back to a message that has none [default: {}k]", TOOL_BUDGET / 1000), long, value_name = "BYTES", value_parser = numbers::size, requires = "spill")]
    pub tool_budget: Option<usize>,

    /// Write the largest results of the last batch to files in DIR: a preview stays
    #[arg(long, value_name = "DIR")]
    pub spill: Option<PathBuf>,

    /// Let a placeholder stand for a reading that a later one of the same part repeats byte for byte, or whose
    /// file was edited since; of commands, those count as edits that plainly change a file they name
    #[arg(long)]
    pub dedupe: bool,

    /// Let placeholders stand for all but the newest N results
    #[arg(long, value_name = "N", value_parser = numbers::number)]
    pub keep_results: Option<usize>,

    /// Clear only results older than the last pause of this length
    #[arg(long, value_name = "TIME", value_parser = numbers::seconds)]
    pub idle: Option<u64>,

    /// Keep at most N messages: where there is room the first three (the system prompt is one, and stays),
    /// and of the others the newest, calls with their results; a summary, later instructions and notes of
    /// what went are not counted
    #[arg(long, value_name = "N", value_parser = numbers::number)]
    pub max_messages: Option<usize>,

    /// Drop the oldest exchanges until all counts at most so many tokens; a result that alone would take all
    /// the room is cut
    #[arg(long, value_name = "TOKENS", value_parser = numbers::size)]
    pub budget: Option<usize>,

    /// Leave every line of a session log, and append changed copies and its agent's own records
    #[arg(long, help_heading = "Output")]
    pub append: bool,

    #[command(flatten)]
    pub tool_names: ToolNames,

    #[command(flatten)]
    pub reading: Reading,

    #[command(flatten)]
    pub counting: Counting,

    #[command(flatten)]
    pub writing: Writing,

    #[command(flatten)]
    pub work: Work,
}

/// A limit within which there is room to say that something is gone.
fn some(text: &str, least: usize) -> Result<usize, String> {
    let most = numbers::size(text)?;
    let hint = "with --keep-results 0 a placeholder stands for each result";
    Some(most)
        .filter(|most| *most >= least)
        .ok_or_else(|| format!("expected {least} or more; {hint}"))
}

fn some_tokens(text: &str) -> Result<Most, String> {
    if text == "none" { Ok(None) } else { some(text, 1).map(Some) }
}

fn some_bytes(text: &str) -> Result<usize, String> {
    some(text, marks::REST.len())
}

fn some_chars(text: &str) -> Result<usize, String> {
    some(text, 1)
}
