//! The command line: arguments and help, nothing else.
//!
//! Every flag is one field; what it means is said once, in its help. Nothing here reads a file. Each command
//! has a file below; here are the commands, and the arguments that several of them take.

#![allow(
    missing_docs,
    reason = "a group of arguments is described at its type: clap takes no comment there"
)]

pub mod check;
pub mod compact;
pub mod count;
pub mod normalize;
pub mod partition;
pub mod truncate;

use std::ffi::OsString;
use std::num::NonZero;
use std::path::PathBuf;

use clap::{Arg, Args, Parser, Subcommand};

use crate::defaults::{MODEL_JOBS, THRESHOLD, WINDOW};
use crate::dialect::DIALECTS;
use crate::numbers::{self, Threshold};
use crate::tokenizer::Encoding;
use check::Check;
use compact::Compact;
use count::Count;
use normalize::Normalize;
use partition::Partition;
use truncate::Truncate;

/// Make LLM conversations fit their context window
///
/// Reads a conversation (JSON or JSON Lines, from FILEs or standard input) and writes it to standard
/// output: counted, checked, split, shortened, repaired or compacted. Works offline.
#[derive(Debug, Parser)]
#[command(name = "ctx", version, max_term_width = 100, after_help = EXAMPLES, subcommand_required = true, arg_required_else_help = true)]
pub struct Cli {
    /// What to do.
    #[command(subcommand)]
    pub command: Command,
}

const EXAMPLES: &str = "\
Examples:
  ctx count --by tool session.jsonl               what fills the window
  ctx check --window 200k fixtures/*.json         does it fit, is it valid: exit 0 or 1
  ctx compact --budget 30k chat.json | llm        replace the middle with a summary
  curl -s $URL | ctx truncate --max-tokens 5k     shorten big tool outputs
  ctx normalize --for anthropic chat.json | jq .  make every call and result pair up
  ctx compact -i --archive DIR *.jsonl            shrink saved sessions, which still resume

Exit status: 0 done or yes, 1 `check` says no, 2 trouble.";

/// What to do. clap builds only the arguments of the command that is run (all would cost 0.1 ms a run);
/// until then the line at each variant is shown, so it repeats the first line of that command's help.
#[derive(Debug, Subcommand)]
#[command(defer = true)]
pub enum Command {
    /// Count tokens, and show where they are
    Count(Count),
    /// Say whether a conversation fits and is valid: exit 0 or 1
    Check(Check),
    /// Part a conversation into head, middle and tail, at legal cuts only
    Partition(Partition),
    /// Shorten tool results and drop old messages, without a summary
    Truncate(Truncate),
    /// Repair a conversation so that its provider accepts it
    Normalize(Normalize),
    /// Replace the middle of a conversation with a summary
    Compact(Box<Compact>),
}

impl Command {
    /// What it is called, and what it reads.
    pub fn reading(&self) -> (&'static str, &Reading) {
        match self {
            Self::Count(count) => ("count", &count.reading),
            Self::Check(check) => ("check", &check.reading),
            Self::Partition(partition) => ("partition", &partition.reading),
            Self::Truncate(truncate) => ("truncate", &truncate.reading),
            Self::Normalize(normalize) => ("normalize", &normalize.reading),
            Self::Compact(compact) => ("compact", &compact.reading),
        }
    }
}

/// Which conversations are read.
#[derive(Args, Debug)]
#[command(next_help_heading = "Input")]
pub struct Reading {
    /// Files to read; `-` or none is standard input
    #[arg(value_name = "FILE")]
    pub files: Vec<OsString>,

    /// Wire shape of the input, instead of recognising it
    #[arg(long, value_name = "NAME", value_parser = dialect_names())]
    pub dialect: Option<String>,

    /// Read every line of a session log, not only those its agent would send on resuming
    #[arg(long)]
    pub all: bool,
}

/// How tokens are counted.
#[derive(Args, Debug)]
#[command(next_help_heading = "Counting")]
pub struct Counting {
    /// Encoding to count in: `o200k_base`, `cl100k_base`, or `approx` for characters / 4
    #[arg(long, value_name = "NAME")]
    pub encoding: Option<Encoding>,

    /// Model whose encoding, window and image rule to use
    #[arg(long, value_name = "NAME", env = "CTX_MODEL")]
    pub model: Option<String>,
}

impl Counting {
    /// The model that is named; a variable that is set to nothing names none.
    pub fn model(&self) -> Option<&str> {
        self.model.as_deref().filter(|name| !name.is_empty())
    }
}

/// Where results go.
#[derive(Args, Debug)]
#[command(next_help_heading = "Output")]
pub struct Writing {
    /// Replace each FILE by its result, atomically
    #[arg(short, long, requires = "files", conflicts_with = "output")]
    pub in_place: bool,

    /// Write to FILE instead of standard output, if no input fails; `-` is standard output
    #[arg(short, long, value_name = "FILE")]
    pub output: Option<PathBuf>,

    /// Say nothing but errors, and what was asked for and not done
    #[arg(short, long)]
    pub quiet: bool,
}

/// How many conversations are handled at once.
#[derive(Args, Debug)]
#[command(next_help_heading = "Output")]
pub struct Work {
    #[arg(help = format!("Conversations to handle at once [default: one a core; one with --spill; {MODEL_JOBS} where a model summarises]"), short, long, value_name = "N", value_parser = numbers::at_least_one)]
    pub jobs: Option<NonZero<usize>>,
}

/// From where on a conversation is too long.
#[derive(Args, Debug)]
#[command(next_help_heading = "Limits")]
pub struct Limits {
    #[arg(help = format!("Context window in tokens [default: the model's, else {}k or a larger threshold]", WINDOW / 1000), long, value_name = "TOKENS", value_parser = numbers::size)]
    pub window: Option<usize>,

    #[arg(help = format!("Where compaction is needed from: a ratio of the window (`1.0` is all of it), or tokens (`1` is one) [default: {}]", f64::from(THRESHOLD) / 100.0), long, value_name = "R|TOKENS")]
    pub threshold: Option<Threshold>,
}

/// Which tools' results may be touched.
#[derive(Args, Debug)]
#[command(next_help_heading = "Tools")]
pub struct ToolNames {
    /// Clear and shorten only results of these tools; a budget may still take others
    #[arg(long, value_name = "GLOB")]
    pub tools: Vec<String>,

    /// Never touch results of these tools
    #[arg(long, value_name = "GLOB")]
    pub keep_tools: Vec<String>,
}

/// Lets `-1` be the value of a flag, which then says what it expects, and no flag of its own.
fn take_negative(flag: Arg) -> Arg {
    let takes_value = !flag.is_positional() && flag.get_action().takes_values();
    flag.allow_negative_numbers(takes_value)
}

fn dialect_names() -> clap::builder::PossibleValuesParser {
    clap::builder::PossibleValuesParser::new(DIALECTS.iter().map(|dialect| dialect.name()))
}
