//! The options of `ctx compact`, in the form that the core uses.
//!
//! Responsible for defaults that depend on each other, on the model and on the profile.

use std::fs;
use std::path::Path;

use globset::{Glob, GlobSetBuilder};

use crate::cli::compact::{Compact, Summarizer};
use crate::command::Trouble;
use crate::command::is_named_for_all;
use crate::command::limits::{keep_within, window};
use crate::command::spill::tool_budget;
use crate::command::tool_names::NamedTools;
use crate::compact::Options;
use crate::defaults::MIN_SAVING;
use crate::numbers::Threshold;
use crate::output::shown;
use crate::profile;
use crate::reread::Form;
use crate::summarizer::{Overflow, overflow};
use crate::within::scaled;

use super::author::who;

/// The tools whose results are protected if `--keep-tools` is not given: they hold the agent's plan.
pub(super) const PLAN_TOOLS: &[&str] =
    &["manage_todo_list", "todo_write", "TodoWrite", "update_plan"];

/// The options of a run.
pub(super) struct Asked {
    /// What may stay, and how much.
    pub(super) options: Options,
    /// The window in tokens, if known.
    pub(super) window: Option<usize>,
    /// The fewest tokens for which anything is done.
    pub(super) threshold: usize,
    /// The least part of the tokens, per mille, that must be saved; otherwise nothing is done.
    pub(super) least_saving: usize,
    /// The sizes in a provider's error, if one was given.
    pub(super) overflow: Option<Overflow>,
}

impl Asked {
    /// Reads the arguments; `model_window` is the window of the model that they name.
    pub(super) fn of(
        arguments: &Compact,
        named: &NamedTools,
        model_window: Option<usize>,
    ) -> anyhow::Result<Self> {
        let known = arguments.limits.window.or(model_window);
        let window = window(&arguments.limits, model_window)?;
        keep_within(window, "--reserve", arguments.reserve)?;
        let names_window = names_window(arguments);
        keep_within(window, "--budget", arguments.budget.filter(|_| names_window))?;
        let threshold = match (arguments.limits.threshold, arguments.reserve, arguments.budget) {
            (Some(threshold), ..) => threshold.within(window),
            (None, Some(reserve), _) => window.saturating_sub(reserve),
            (None, None, Some(budget)) if !names_window => budget,
            _ => Threshold::default().within(window),
        };
        // The result must be well below the threshold, or it would soon be reached again; a threshold of 0
        // says nothing.
        let most = if threshold == 0 { window } else { threshold / 2 };
        let budget = arguments.budget.unwrap_or((window / 4).min(most));
        let mut tools = named.tools();
        let pins_tools = tools.keep.is_some();
        if !pins_tools {
            let mut set = GlobSetBuilder::new();
            for name in PLAN_TOOLS {
                set.add(Glob::new(name)?);
            }
            tools.keep = Some(set.build()?);
        }
        let per_mille = |share: f64| scaled(1000, share, f64::round);
        // If it is given, it is a condition and not an aim.
        let min_saving = if arguments.min_saving.is_some() { 0 } else { per_mille(MIN_SAVING) };
        let tool_budget = tool_budget(arguments.spill.as_deref(), arguments.tool_budget);
        let options = Options {
            budget,
            profile: profile::named(&arguments.profile).unwrap_or(&profile::PROFILES[0]),
            keep_first_user: arguments.keep_first_user,
            keep_users: arguments.keep_users,
            keep_tail: arguments.keep_tail,
            keep_results: arguments.keep_results,
            // Nothing is restored behind a note.
            restore: if who(arguments) == Summarizer::None { Some(0) } else { arguments.restore },
            redact: arguments.redact,
            digests: who(arguments) == Summarizer::Digest,
            tools,
            pins_tools,
            tool_budget,
            min_saving,
            form: if arguments.append { Form::Appended } else { Form::Shorter },
        };
        let overflow = arguments.overflow.as_deref().map(read_overflow).transpose()?;
        let least_saving = arguments.min_saving.map_or(0, per_mille);
        Ok(Self { options, window: known, threshold, least_saving, overflow })
    }

    /// The options for a conversation of `tokens` tokens.
    pub(super) fn options_of(&self, tokens: usize) -> Options {
        let budget = self.overflow.as_ref().map(|overflow| budget_after(overflow, tokens));
        let budget = budget.unwrap_or(usize::MAX).min(self.options.budget);
        Options { budget, ..self.options.clone() }
    }
}

/// Whether the user gave a window. A model named for all commands does not count as giving one.
fn names_window(arguments: &Compact) -> bool {
    let model = arguments.counting.model();
    arguments.limits.window.is_some() || model.is_some_and(|name| !is_named_for_all(name))
}

/// Reads a file with a provider's error.
fn read_overflow(path: &Path) -> anyhow::Result<Overflow> {
    if path == Path::new("-") {
        let reason = "--overflow takes a file, and not standard input";
        return Err(Trouble::new(reason, "--overflow error.json").into());
    }
    let text = fs::read_to_string(path).map_err(|error| {
        let reason = format!("could not read the error {}: {error}", shown(path));
        Trouble::new(reason, "--overflow names a file with what the provider answered")
    })?;
    overflow(&text).ok_or_else(|| {
        Trouble::new(
            format!("{} holds no overflow error", shown(path)),
            "rate limits and other errors are not cured by compaction; wait, or see the provider",
        )
        .into()
    })
}

/// The budget for a conversation of `tokens` after its provider refused it. The provider counts more than we
/// do, by a factor or by a constant, so the smaller of both bounds holds, less a twentieth for the reply.
/// Without figures in the error, half of `tokens`.
fn budget_after(overflow: &Overflow, tokens: usize) -> usize {
    match (overflow.room().or(overflow.limit), overflow.size) {
        (Some(limit), Some(size)) if size > 0 => {
            let by_factor = limit.saturating_mul(tokens) / size;
            let by_addition = limit.saturating_sub(size.saturating_sub(tokens));
            // If a constant difference would take all the room, most of it is due to another way of counting.
            by_factor.min(by_addition.max(by_factor / 2)) / 20 * 19
        }
        (Some(limit), _) => (limit / 20 * 19).min(tokens / 2),
        (None, _) => tokens / 2,
    }
}
