//! The arguments of `ctx check`.

use clap::{Arg, Args, ValueEnum};

use super::{Counting, Limits, Reading};
use crate::check::limits::LEAST_WINDOW;
use crate::defaults::WINDOW;
use crate::dialect::Provider;
use crate::numbers;

/// Say whether a conversation fits and is valid: exit 0 or 1
///
/// Prints a line for each finding, `FILE:LINE: text [rule]`. Exit status 0: it fits and is valid; 1: it
/// does not or is not; 2: trouble, as where a line of a data set holds no conversation.
#[derive(Args, Debug)]
#[command(
    mut_args(super::take_negative),
    mut_args(with_least_window),
    after_help = "\
Examples:
  ctx check --window 200k fixtures/*.json
  ctx check --only valid --for anthropic chat.json
  ctx check -q --only fit session.jsonl || ctx compact -i session.jsonl
  ctx check --json *.jsonl | jq -r 'select(.needs_compaction).file'"
)]
pub struct Check {
    /// Most tokens that it may count at all, as a finding of its own
    #[arg(long, value_name = "TOKENS", value_parser = numbers::size, help_heading = "Limits")]
    pub hard: Option<usize>,

    /// Provider whose rules hold, instead of the dialect's own; a list in another's shape is a fault
    #[arg(long = "for", value_name = "PROVIDER")]
    pub provider: Option<Provider>,

    /// Let the rules of all providers hold at once
    #[arg(long, conflicts_with = "provider")]
    pub portable: bool,

    /// Correct the count by the token usage that the log records
    #[arg(long, help_heading = "Limits")]
    pub usage: bool,

    /// Ask only one of the two questions
    #[arg(long, value_name = "QUESTION")]
    pub only: Option<Question>,

    /// Print one JSON object a conversation: whether it `fits` and is `valid`, with all findings
    #[arg(long)]
    pub json: bool,

    /// Print the findings as SARIF, for code review
    #[arg(long, conflicts_with = "json")]
    pub sarif: bool,

    /// Print nothing; the exit status answers
    #[arg(short, long)]
    pub quiet: bool,

    #[command(flatten)]
    pub reading: Reading,

    #[command(flatten)]
    pub counting: Counting,

    #[command(flatten)]
    pub limits: Limits,
}

/// Lets the help of `--window` say which windows are refused.
fn with_least_window(flag: Arg) -> Arg {
    if flag.get_id() != "window" {
        return flag;
    }
    let [least, usual] = [LEAST_WINDOW, WINDOW].map(|tokens| tokens / 1000);
    flag.help(format!(
        "Context window in tokens: with fewer than {least}k nothing fits [default: the model's, else {usual}k or a larger threshold]"
    ))
}

/// One of the questions that `check` answers.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum Question {
    /// Does it fit?
    Fit,
    /// Is it valid?
    Valid,
}
