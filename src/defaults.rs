//! The default values of flags, as the help shows them too.
//!
//! Responsible for plain numbers; defaults that depend on other flags are worked out by the commands.

/// The context window, in tokens, of a model about which nothing is known.
pub(crate) const WINDOW: usize = 200_000;

/// The per cent of the window from which on a conversation counts as too long. The rest is about what the next
/// answer and the results that it asks for take: 16k tokens of 200k.
pub(crate) const THRESHOLD: u8 = 92;

/// The least share of tokens that a compaction aims to save: less is not worth a new prompt cache.
pub(crate) const MIN_SAVING: f64 = 0.05;

/// The most bytes of results in the last batch before the largest go to files: what Claude Code lets through.
pub(crate) const TOOL_BUDGET: usize = 200_000;

/// The most tokens of a result if no policy is asked for: some hundreds of lines, and a small part of any
/// window.
pub(crate) const MOST_TOKENS: usize = 5000;

/// The share of a cut result that its beginning gets.
pub(crate) const HEAD_SHARE: f64 = 0.5;

/// By which factor a result may exceed its limit.
pub(crate) const ALLOWANCE: f64 = 1.0;

/// How many conversations may wait for a model at once.
pub(crate) const MODEL_JOBS: usize = 4;

/// The most seconds that connecting may take.
pub(crate) const CONNECT_TIMEOUT: u64 = 10;

/// The most seconds that one answer may take.
pub(crate) const TIMEOUT: u64 = 120;

/// The most seconds that a summary may take in all.
pub(crate) const DEADLINE: u64 = 600;

/// How often a failed request is repeated.
pub(crate) const RETRIES: usize = 2;
