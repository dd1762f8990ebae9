//! The command line: arguments and help, nothing else.
//!
//! Every flag is one field; what it means is said once, in its help. Nothing here reads a file.

pub mod compact;

use std::ffi::OsString;
use std::num::NonZero;
use std::path::PathBuf;

use clap::{Args, Parser, Subcommand, ValueEnum};

use compact::Compact;

use crate::dialect::{DIALECTS, Provider};
use crate::numbers::{self, Threshold};
use crate::tokenizer::Encoding;

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
  ctx compact -i ~/.claude/projects/*/*.jsonl     shrink saved sessions, which still resume

Exit status: 0 done or yes, 1 `check` says no, 2 trouble.";

/// What to do. Only the arguments of the command that is asked for are built: all would cost every run
/// a tenth of a millisecond. Until then a line says what a command is for, the first of its own help.
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
    #[arg(long, value_name = "NAME", value_parser = encoding)]
    pub encoding: Option<Encoding>,

    /// Model whose encoding, window and image rule to use
    #[arg(long, value_name = "NAME", env = "CTX_MODEL")]
    pub model: Option<String>,
}

/// Where results go.
#[derive(Args, Debug)]
#[command(next_help_heading = "Output")]
pub struct Writing {
    /// Replace each FILE by its result, atomically
    #[arg(short, long, requires = "files", conflicts_with = "output")]
    pub in_place: bool,

    /// Write to FILE instead of standard output; `-` is standard output
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
    /// Conversations to handle at once [default: one a core; 4 where a model summarises]
    #[arg(short, long, value_name = "N")]
    pub jobs: Option<NonZero<usize>>,
}

/// Count tokens, and show where they are
///
/// Prints `TOKENS FILE` a file and a total for several, like wc. A count is content + framing + media
/// tokens; base64 never counts as text. Session logs count as what their agent would send.
#[derive(Args, Debug)]
#[command(after_help = "\
Examples:
  ctx count chat.json
  ctx count --by tool session.jsonl
  cat data.jsonl | ctx count --json | jq .tokens
  ctx count --model claude-opus-4-7 --usage session.jsonl")]
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
    #[allow(missing_docs, reason = "described at its type")]
    pub reading: Reading,

    #[command(flatten)]
    #[allow(missing_docs, reason = "described at its type")]
    pub counting: Counting,
}

/// What a count is broken down by.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum By {
    /// By who speaks
    Role,
    /// By kind of part
    Part,
    /// By tool
    Tool,
    /// By message, numbered from 0 as in findings, reports and digests
    Message,
    /// By turn
    Turn,
}

/// Say whether a conversation fits and is valid: exit 0 or 1
///
/// Prints a line for each finding, `FILE:LINE: text [rule]`. Exit status 0: it fits and is valid; 1: it
/// does not or is not; 2: trouble.
#[derive(Args, Debug)]
#[command(after_help = "\
Examples:
  ctx check --window 200k fixtures/*.json
  ctx check --only valid --for anthropic chat.json
  ctx check -q session.jsonl || ctx compact -i session.jsonl
  ctx check --json *.jsonl | jq -r 'select(.needs_compaction).file'")]
pub struct Check {
    /// Most tokens that it may count at all, as a finding of its own
    #[arg(long, value_name = "TOKENS", value_parser = numbers::size, help_heading = "Limits")]
    pub hard: Option<usize>,

    /// Provider whose rules hold, instead of the dialect's own
    #[arg(long = "for", value_name = "PROVIDER")]
    pub provider: Option<ProviderName>,

    /// Let the rules of all providers hold at once
    #[arg(long, conflicts_with = "provider")]
    pub portable: bool,

    /// Correct the count by the token usage that the log records
    #[arg(long, help_heading = "Limits")]
    pub usage: bool,

    /// Ask only one of the two questions
    #[arg(long, value_name = "QUESTION")]
    pub only: Option<Question>,

    /// Print one JSON object a conversation
    #[arg(long)]
    pub json: bool,

    /// Print the findings as SARIF, for code review
    #[arg(long, conflicts_with = "json")]
    pub sarif: bool,

    /// Print nothing; the exit status answers
    #[arg(short, long)]
    pub quiet: bool,

    #[command(flatten)]
    #[allow(missing_docs, reason = "described at its type")]
    pub reading: Reading,

    #[command(flatten)]
    #[allow(missing_docs, reason = "described at its type")]
    pub counting: Counting,

    #[command(flatten)]
    #[allow(missing_docs, reason = "described at its type")]
    pub limits: Limits,
}

/// From where on a conversation is too long.
#[derive(Args, Debug)]
#[command(next_help_heading = "Limits")]
pub struct Limits {
    /// Context window in tokens [default: the model's, else 200k]
    #[arg(long, value_name = "TOKENS", value_parser = numbers::size)]
    pub window: Option<usize>,

    /// Where compaction is needed from: a ratio of the window, or tokens [default: 0.92]
    #[arg(long, value_name = "R|TOKENS")]
    pub threshold: Option<Threshold>,
}

/// One of the questions that `check` answers.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum Question {
    /// Does it fit?
    Fit,
    /// Is it valid?
    Valid,
}

/// A provider, as `--for` names it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum ProviderName {
    /// OpenAI Chat Completions
    Openai,
    /// OpenAI Responses
    Responses,
    /// Anthropic Messages
    Anthropic,
    /// Bedrock Converse
    Bedrock,
    /// Gemini
    Gemini,
    /// Mistral
    Mistral,
}

/// Part a conversation into head, middle and tail, at legal cuts only
///
/// Prints `{"head": […], "middle": […], "tail": […], "tokens": {…}}` with the messages as they stand. No
/// cut splits a call from its result, a parallel batch, or a tool loop led by thinking.
#[derive(Args, Debug)]
#[command(after_help = "\
Examples:
  ctx partition --keep-tail 20k chat.json | jq '.middle | length'
  ctx partition --part middle chat.json | llm 'Summarise this'
  ctx partition --chunks 8k chat.json | split -l 1 - chunk-")]
pub struct Partition {
    /// Tokens of the newest messages that are the tail
    #[arg(long, value_name = "TOKENS", value_parser = numbers::size, default_value = "20k")]
    pub keep_tail: usize,

    /// Let the head include the first user message
    #[arg(long)]
    pub keep_first_user: bool,

    /// Print this part alone, in the shape of the input
    #[arg(long, value_name = "PART", conflicts_with = "chunks")]
    pub part: Option<PartName>,

    /// Print the middle as JSON Lines: valid pieces of at most so many tokens each, all or none
    #[arg(long, value_name = "TOKENS", value_parser = numbers::size)]
    pub chunks: Option<usize>,

    #[command(flatten)]
    #[allow(missing_docs, reason = "described at its type")]
    pub reading: Reading,

    #[command(flatten)]
    #[allow(missing_docs, reason = "described at its type")]
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

/// Which tools' results may be touched.
#[derive(Args, Debug)]
#[command(next_help_heading = "Tools")]
pub struct ToolNames {
    /// Touch only results of these tools
    #[arg(long, value_name = "GLOB")]
    pub tools: Vec<String>,

    /// Never touch results of these tools
    #[arg(long, value_name = "GLOB")]
    pub keep_tools: Vec<String>,
}

/// A limit, or `none`; clap takes an option in an option for a flag whose value may be left out.
pub type Most = Option<usize>;

/// Shorten tool results and drop old messages, without a summary
///
/// Without a policy each tool result is cut at 5000 tokens: beginning and end stay, a marker says what
/// is gone. Several policies are applied in the order that loses least.
#[derive(Args, Debug)]
#[command(after_help = "\
Examples:
  ctx truncate chat.json | jq .
  ctx truncate --keep-results 5 --tools 'read*' chat.json
  ctx truncate --budget 30k chat.json | llm
  ctx truncate -i --max-tokens 2k session.jsonl")]
pub struct Truncate {
    /// Most tokens of a tool result; `none` for no limit [default: 5000 without another policy]
    #[arg(long, value_name = "TOKENS", value_parser = numbers::size_or_none, conflicts_with_all = ["max_bytes", "max_chars"])]
    pub max_tokens: Option<Most>,

    /// Most bytes of a tool result
    #[arg(long, value_name = "BYTES", value_parser = numbers::size, conflicts_with = "max_chars")]
    pub max_bytes: Option<usize>,

    /// Most characters of a tool result
    #[arg(long, value_name = "CHARS", value_parser = numbers::size)]
    pub max_chars: Option<usize>,

    /// Share of a cut result that its beginning gets; the end gets the rest
    #[arg(long, value_name = "SHARE", value_parser = numbers::share, default_value = "0.5")]
    pub head_share: f64,

    /// Cut a result that is JSON so that it still is
    #[arg(long)]
    pub keep_json: bool,

    /// Allow so many times the limit, for what serialization adds
    #[arg(long, value_name = "FACTOR", value_parser = numbers::factor, default_value = "1")]
    pub allowance: f64,

    /// Write the largest results of the last batch to files until it holds at most so many bytes
    #[arg(long, value_name = "BYTES", value_parser = numbers::size, requires = "spill")]
    pub tool_budget: Option<usize>,

    /// Directory for results written to files
    #[arg(long, value_name = "DIR", requires = "tool_budget")]
    pub spill: Option<PathBuf>,

    /// Let a placeholder stand for a reading whose file was read again or changed later
    #[arg(long)]
    pub dedupe: bool,

    /// Let placeholders stand for all but the newest N results
    #[arg(long, value_name = "N")]
    pub keep_results: Option<usize>,

    /// Clear only results older than the last pause of this length
    #[arg(long, value_name = "TIME", value_parser = numbers::seconds)]
    pub idle: Option<u64>,

    /// Keep N messages: the first three and the newest, calls with their results
    #[arg(long, value_name = "N")]
    pub max_messages: Option<usize>,

    /// Drop the oldest exchanges until all counts at most so many tokens
    #[arg(long, value_name = "TOKENS", value_parser = numbers::size)]
    pub budget: Option<usize>,

    /// Leave every line of a session log, and append changed copies and its agent's own records
    #[arg(long, help_heading = "Output")]
    pub append: bool,

    #[command(flatten)]
    #[allow(missing_docs, reason = "described at its type")]
    pub tool_names: ToolNames,

    #[command(flatten)]
    #[allow(missing_docs, reason = "described at its type")]
    pub reading: Reading,

    #[command(flatten)]
    #[allow(missing_docs, reason = "described at its type")]
    pub counting: Counting,

    #[command(flatten)]
    #[allow(missing_docs, reason = "described at its type")]
    pub writing: Writing,

    #[command(flatten)]
    #[allow(missing_docs, reason = "described at its type")]
    pub work: Work,
}

/// Repair a conversation so that its provider accepts it
///
/// Every call gets its result, every result its call, with as few edits as possible. Each repair is
/// reported on standard error; untouched messages stay byte for byte.
#[derive(Args, Debug)]
#[command(after_help = "\
Examples:
  ctx normalize --for anthropic chat.json | jq .
  ctx normalize chat.json | git diff --no-index chat.json -
  ctx normalize -i broken-session.jsonl")]
pub struct Normalize {
    /// Provider whose rules to establish, instead of the dialect's own
    #[arg(long = "for", value_name = "PROVIDER")]
    pub provider: Option<ProviderName>,

    /// Refuse repairs that lose something that was said
    #[arg(long)]
    pub strict: bool,

    /// Write the repairs as JSON to FILE; `-` is standard error
    #[arg(long, value_name = "FILE")]
    pub report: Option<PathBuf>,

    #[command(flatten)]
    #[allow(missing_docs, reason = "described at its type")]
    pub reading: Reading,

    #[command(flatten)]
    #[allow(missing_docs, reason = "described at its type")]
    pub writing: Writing,

    #[command(flatten)]
    #[allow(missing_docs, reason = "described at its type")]
    pub work: Work,
}

impl From<ProviderName> for Provider {
    fn from(name: ProviderName) -> Self {
        match name {
            ProviderName::Openai => Self::OpenAi,
            ProviderName::Responses => Self::Responses,
            ProviderName::Anthropic => Self::Anthropic,
            ProviderName::Bedrock => Self::Bedrock,
            ProviderName::Gemini => Self::Gemini,
            ProviderName::Mistral => Self::Mistral,
        }
    }
}

fn dialect_names() -> clap::builder::PossibleValuesParser {
    clap::builder::PossibleValuesParser::new(DIALECTS.iter().map(|dialect| dialect.name()))
}

fn encoding(name: &str) -> Result<Encoding, String> {
    name.parse().map_err(|error| format!("{error}"))
}
