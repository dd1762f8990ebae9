//! What holds where a flag says nothing else: the help says it from here too.
//!
//! Responsible for numbers alone. What depends on other flags is worked out by the command.

/// Tokens of a window that nothing is known of.
pub(crate) const WINDOW: usize = 200_000;

/// Per cent of the window from which on a conversation is too long, as the seeds have it.
pub(crate) const THRESHOLD: u8 = 92;

/// The share that a compaction aims to save at least: less is not worth a new prompt cache.
pub(crate) const MIN_SAVING: f64 = 0.05;

/// Bytes of results that the last batch may hold where the largest can go to files (seed 002).
pub(crate) const TOOL_BUDGET: usize = 200_000;

/// Most tokens of a result where no policy is asked for (seed 000).
pub(crate) const MOST_TOKENS: usize = 5000;

/// The share of a cut result that its beginning gets.
pub(crate) const HEAD_SHARE: f64 = 0.5;

/// How many times its limit a result may have.
pub(crate) const ALLOWANCE: f64 = 1.0;

/// Conversations that wait for a model at once.
pub(crate) const MODEL_JOBS: usize = 4;

/// Seconds that a connection may take.
pub(crate) const CONNECT_TIMEOUT: u64 = 10;

/// Seconds that one answer may take.
pub(crate) const TIMEOUT: u64 = 120;

/// Seconds that a summary may take in all.
pub(crate) const DEADLINE: u64 = 600;

/// How often a failed request is repeated.
pub(crate) const RETRIES: usize = 2;
