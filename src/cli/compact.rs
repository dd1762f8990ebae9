//! The arguments of `ctx compact`.

use std::path::PathBuf;

use clap::builder::{NonEmptyStringValueParser, PossibleValue, PossibleValuesParser};
use clap::{Args, ValueEnum};

use super::{Counting, Limits, Reading, ToolNames, Work, Writing};
use crate::defaults::{CONNECT_TIMEOUT, DEADLINE, MIN_SAVING, RETRIES, TIMEOUT, TOOL_BUDGET};
use crate::numbers;
use crate::profile::{PROFILES, Profile};
use crate::truncate::spill::FLOOR;

/// Replace the middle of a conversation with a summary
///
/// Nothing happens under the threshold. Above it cheap edits come first; what then does not fit the
/// budget is summarised: by a built-in digest that needs no model, by a command, or by a model over
/// HTTP. What was valid stays so, the result counts at most the budget, and a session log still resumes.
///
/// The instructions and the newest request stay word for word. Where they leave no room, nothing is
/// written and the least feasible budget is named; in a session log the instructions go, which its
/// agent sends again, and the request is cut in its middle. A data set goes on without such a
/// conversation.
#[derive(Args, Debug)]
#[command(
    mut_args(super::take_negative),
    after_help = "\
Examples:
  ctx compact --budget 30k chat.json | llm
  ctx compact -i --archive ~/.ctx session.jsonl
  ctx compact --command 'llm -m small' chat.json > short.json
  ctx compact --budget 20k --dry-run --report - chat.json"
)]
pub struct Compact {
    #[command(flatten)]
    pub reading: Reading,

    #[command(flatten)]
    pub counting: Counting,

    #[command(flatten)]
    pub writing: Writing,

    #[command(flatten)]
    pub work: Work,

    #[command(flatten)]
    pub limits: Limits,

    /// Compact from the window minus so many tokens on
    #[arg(long, value_name = "TOKENS", value_parser = numbers::size, conflicts_with = "threshold", help_heading = "Limits")]
    pub reserve: Option<usize>,

    /// Most tokens of the result; the threshold too, without --threshold, --window and --model
    /// [default: a quarter of the window, half the threshold at most]
    #[arg(long, value_name = "TOKENS", value_parser = numbers::size, help_heading = "Limits")]
    pub budget: Option<usize>,

    /// Compact under the threshold too
    #[arg(long, help_heading = "Limits")]
    pub force: bool,

    /// Compact as far as the provider's overflow error in FILE asks for
    #[arg(long, value_name = "FILE", help_heading = "Limits")]
    pub overflow: Option<PathBuf>,

    #[arg(help = format!("Leave the conversation as it is if less than this share would be saved [default: aim at {MIN_SAVING}]"), long, value_name = "SHARE", value_parser = numbers::share, help_heading = "Limits")]
    pub min_saving: Option<f64>,

    /// Set of choices to start from; the flags below go before its own
    #[arg(long, value_name = "NAME", value_parser = profile_names(), default_value = "standard", help_heading = "What stays")]
    pub profile: String,

    /// Keep the first user message
    #[arg(long, help_heading = "What stays")]
    pub keep_first_user: bool,

    /// Keep user messages up to so many tokens, the newest first
    #[arg(long, value_name = "TOKENS", value_parser = numbers::size, help_heading = "What stays")]
    pub keep_users: Option<usize>,

    /// Keep so many tokens of the newest messages
    #[arg(long, value_name = "TOKENS", value_parser = numbers::size, help_heading = "What stays")]
    pub keep_tail: Option<usize>,

    /// Keep the newest N tool results, or say the least budget in which they fit
    #[arg(long, value_name = "N", value_parser = numbers::number, help_heading = "What stays")]
    pub keep_results: Option<usize>,

    #[command(flatten)]
    pub tool_names: ToolNames,

    /// Write the largest results of the last batch to files in DIR: a preview stays, or the summary names the
    /// file
    #[arg(long, value_name = "DIR", help_heading = "What stays")]
    pub spill: Option<PathBuf>,

    #[arg(help = format!("Bytes that the last batch may hold before its largest results go to files; results of {FLOOR} bytes or less stay. The last batch is the newest results, back to a message that has none [default: {}k]", TOOL_BUDGET / 1000), long, value_name = "BYTES", value_parser = numbers::size, requires = "spill", help_heading = "What stays")]
    pub tool_budget: Option<usize>,

    /// Restore up to N recently read files behind the summary
    #[arg(long, value_name = "N", value_parser = numbers::number, help_heading = "What stays")]
    pub restore: Option<usize>,

    /// Who summarises
    #[arg(long, value_name = "WHO", help_heading = "Summary")]
    pub summarizer: Option<Summarizer>,

    /// Shell command that reads a prompt and prints a summary
    #[arg(long, value_name = "CMD", help_heading = "Summary")]
    pub command: Option<String>,

    /// File that holds the summary already; `-` is standard input
    #[arg(long, value_name = "FILE", help_heading = "Summary", conflicts_with = "command")]
    pub summary_file: Option<PathBuf>,

    /// Address of a compatible server, as in `http://localhost:8080/v1`
    #[arg(long, value_name = "URL", help_heading = "Summary", requires = "summarizer")]
    pub base_url: Option<String>,

    /// Model that summarises
    #[arg(long, value_name = "NAME", help_heading = "Summary", requires = "summarizer")]
    pub summary_model: Option<String>,

    /// Most tokens of the summary
    #[arg(long, value_name = "TOKENS", value_parser = numbers::size, help_heading = "Summary")]
    pub max_summary_tokens: Option<usize>,

    /// Append what the summary of a model or file forgot: files changed, commands, the newest request
    /// [default: true]
    #[arg(long, value_name = "BOOL", help_heading = "Summary")]
    pub audit: Option<bool>,

    /// File that holds the API key, instead of the environment
    #[arg(long, value_name = "FILE", help_heading = "Summary", requires = "summarizer")]
    pub api_key_file: Option<PathBuf>,

    /// File whose text replaces the prompt's task
    #[arg(long, value_name = "FILE", help_heading = "Summary")]
    pub prompt_file: Option<PathBuf>,

    /// What the summary should pay attention to
    #[arg(long, value_name = "TEXT", help_heading = "Summary")]
    pub instructions: Option<String>,

    #[arg(help = format!("Longest wait for a connection: 10, 10s, 1m [default: {CONNECT_TIMEOUT}s]"), long, value_name = "TIME", value_parser = numbers::seconds, help_heading = "Summary")]
    pub connect_timeout: Option<u64>,

    #[arg(help = format!("Longest wait for one answer [default: {TIMEOUT}s]"), long, value_name = "TIME", value_parser = numbers::seconds, help_heading = "Summary")]
    pub timeout: Option<u64>,

    #[arg(help = format!("Longest wait for the summary in all [default: {DEADLINE}s]"), long, value_name = "TIME", value_parser = numbers::seconds, help_heading = "Summary")]
    pub deadline: Option<u64>,

    #[arg(help = format!("How often a failed request is repeated [default: {RETRIES}]"), long, value_name = "N", value_parser = numbers::number, help_heading = "Summary")]
    pub retries: Option<usize>,

    /// What to do when there is no summary after all [default: digest]
    #[arg(long, value_name = "WHAT", help_heading = "Summary")]
    pub on_failure: Option<OnFailure>,

    /// Mask keys, tokens and passwords in the summary, in restored files, and in what is sent for a summary;
    /// messages that stay or are archived are as they were
    #[arg(long, help_heading = "Summary")]
    pub redact: bool,

    /// Leave every line of a session log, and append its agent's own records of a compaction
    #[arg(long, help_heading = "Output")]
    pub append: bool,

    /// Save the removed messages, and other lines that go, in DIR/SESSION before anything is written
    #[arg(long, value_name = "DIR", help_heading = "Output")]
    pub archive: Option<PathBuf>,

    /// Name of the session in the archive [default: the log's own id, else the file's name]
    #[arg(long, value_name = "ID", value_parser = NonEmptyStringValueParser::new(), help_heading = "Output", requires = "archive")]
    pub session: Option<String>,

    /// Write what was done as JSON to FILE, a line a conversation; `-` is standard error, where it comes
    /// last, behind messages: with -q only errors and warnings
    #[arg(long, value_name = "FILE", help_heading = "Output")]
    pub report: Option<PathBuf>,

    /// Say what would be done, step by step; print what a model would be asked; write nothing
    #[arg(short = 'n', long, help_heading = "Output")]
    pub dry_run: bool,
}

/// Who summarises.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum Summarizer {
    /// The built-in digest: offline, the same bytes every time
    Digest,
    /// A model behind OpenAI Chat Completions or a compatible server
    Openai,
    /// A model behind OpenAI Responses
    Responses,
    /// A model behind Anthropic Messages
    Anthropic,
    /// A model behind Gemini
    Gemini,
    /// The command that --command names
    Command,
    /// The file that --summary-file names
    File,
    /// Nobody: a note stands for the middle
    None,
}

impl Summarizer {
    /// Whether it is somebody else's answer that is waited for.
    pub fn is_waited_for(self) -> bool {
        !matches!(self, Self::Digest | Self::File | Self::None)
    }

    /// Whether the summary is somebody else's.
    pub fn is_not_our_own(self) -> bool {
        self.is_waited_for() || self == Self::File
    }
}

/// What to do when there is no summary after all.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, ValueEnum)]
pub enum OnFailure {
    /// Use the built-in digest, with a warning
    #[default]
    Digest,
    /// Leave the conversation as it is
    Original,
    /// Exit with status 2; also when --archive fails, which is else a warning
    Fail,
}

fn profile_names() -> PossibleValuesParser {
    let value = |profile: &Profile| PossibleValue::new(profile.name).help(profile.about);
    PossibleValuesParser::new(PROFILES.iter().map(value))
}
