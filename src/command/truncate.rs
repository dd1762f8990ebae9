//! `ctx truncate`: shorter results, fewer messages.

use std::fs;
use std::io::{self, Write};
use std::os::unix::fs::OpenOptionsExt;
use std::path::{Path, PathBuf};

use globset::{Glob, GlobSet, GlobSetBuilder};

use crate::cli::{ToolNames, Truncate};
use crate::command::rewrite::{Rewrite, rewrite_each};
use crate::command::{Outcome, Shell, Trouble, Visit, meter};
use crate::compact::Subject;
use crate::count::Meter;
use crate::document::Edit;
use crate::pairing::{Cuts, Pairs};
use crate::truncate::clear::Tools;
use crate::truncate::cut::{Limit, Measure};
use crate::truncate::spill::Spill;
use crate::truncate::{Policies, shortened};

/// Most tokens of a result where no policy is asked for (seed 000).
const MOST_TOKENS: usize = 5000;

/// Writes the shortened conversations.
///
/// # Errors
///
/// The model is unknown, a glob is none, or the output can't be written.
pub fn run(arguments: &Truncate) -> anyhow::Result<Outcome> {
    let mut shell = Shell::new(arguments.writing.quiet);
    let make = || Shortening::new(arguments);
    rewrite_each(&arguments.reading, &arguments.writing, &mut shell, make)?;
    Ok(shell.outcome())
}

/// One worker.
struct Shortening<'r> {
    meter: Meter,
    policies: Policies,
    directory: Option<&'r Path>,
}

impl<'r> Shortening<'r> {
    fn new(arguments: &'r Truncate) -> anyhow::Result<Self> {
        let (meter, _) = meter(&arguments.counting)?;
        let mut policies = policies(arguments);
        policies.tools = tools(&arguments.tool_names)?;
        Ok(Self { meter, policies, directory: arguments.spill.as_deref() })
    }
}

impl Rewrite for Shortening<'_> {
    type Report = ();

    fn edits(&mut self, visit: &Visit<'_, '_>, shell: &mut Shell) -> anyhow::Result<Vec<Edit>> {
        let (conversation, meter) = (visit.conversation, &self.meter);
        let fits = |budget| meter.is_surely_within(conversation, budget);
        if only_budget(&self.policies).is_some_and(fits) {
            return Ok(Vec::new());
        }
        let pairs = Pairs::of(&conversation.messages);
        let count = meter.count(conversation);
        let cuts = Cuts::of(conversation, &pairs);
        let subject = Subject {
            document: visit.document,
            shape: visit.shape,
            conversation,
            pairs: &pairs,
            cuts: &cuts,
            meter,
            count: &count,
        };
        let mut error = None;
        let mut store = |spill: &Spill| {
            let written = self.directory.map(|directory| write_result(directory, spill))?;
            written.map_err(|failure| error = Some(failure)).ok()
        };
        let settled = shortened(&subject, &self.policies, &mut store).map_err(|infeasible| {
            Trouble::new(
                format!("what has to stay counts {} tokens", infeasible.least),
                format!("the least feasible budget is --budget {}", infeasible.least),
            )
        })?;
        if let Some(error) = error {
            shell.say(format_args!("{}: could not write a result: {error}", visit.place()));
        }
        visit.tell_repairs(shell, &settled);
        if !settled.edits.is_empty() {
            let (before, after) = (count.tokens(), settled.tokens);
            shell.say(format_args!("{}: shortened, {before} -> {after} tokens", visit.place()));
        }
        Ok(settled.edits)
    }

    fn report(self) {}
}

fn policies(arguments: &Truncate) -> Policies {
    let limit = |measure, most: usize| {
        #[allow(
            clippy::cast_possible_truncation,
            clippy::cast_sign_loss,
            clippy::cast_precision_loss,
            reason = "a limit times a factor of at most ten"
        )]
        let most = (most as f64 * arguments.allowance) as usize;
        Limit { measure, most, head_share: arguments.head_share }
    };
    let other_policy = arguments.tool_budget.is_some()
        || arguments.dedupe
        || arguments.keep_results.is_some()
        || arguments.idle.is_some()
        || arguments.max_messages.is_some()
        || arguments.budget.is_some();
    let per_result = match (arguments.max_tokens, arguments.max_bytes, arguments.max_chars) {
        (Some(most), ..) => most.map(|most| limit(Measure::Tokens, most)),
        (None, Some(most), _) => Some(limit(Measure::Bytes, most)),
        (None, None, Some(most)) => Some(limit(Measure::Chars, most)),
        (None, None, None) if other_policy => None,
        (None, None, None) => Some(limit(Measure::Tokens, MOST_TOKENS)),
    };
    Policies {
        tool_budget: arguments.tool_budget,
        dedupe: arguments.dedupe,
        per_result,
        keep_json: arguments.keep_json,
        keep_results: arguments.keep_results,
        idle: arguments.idle,
        max_messages: arguments.max_messages,
        budget: arguments.budget,
        tools: Tools::default(),
    }
}

/// The budget, where nothing else is asked for.
fn only_budget(policies: &Policies) -> Option<usize> {
    match *policies {
        Policies {
            tool_budget: None,
            dedupe: false,
            per_result: None,
            keep_results: None,
            idle: None,
            max_messages: None,
            budget,
            ..
        } => budget,
        _ => None,
    }
}

/// The tools that the arguments name.
///
/// # Errors
///
/// A glob is none.
pub fn tools(names: &ToolNames) -> anyhow::Result<Tools> {
    let globs = |flag: &str, globs: &[String]| -> anyhow::Result<Option<GlobSet>> {
        let mut set = GlobSetBuilder::new();
        for glob in globs {
            let parsed = Glob::new(glob).map_err(|error| {
                let reason = format!("{flag} {glob:?} is no glob: {}", error.kind());
                Trouble::new(reason, "as in 'read*' or '{Read,Grep}'")
            })?;
            set.add(parsed);
        }
        Ok(if globs.is_empty() { None } else { Some(set.build()?) })
    };
    Ok(Tools {
        only: globs("--tools", &names.tools)?,
        keep: globs("--keep-tools", &names.keep_tools)?,
    })
}

/// Writes a result to a file of its own in `directory`, readable only by the user; answers its path.
fn write_result(directory: &Path, spill: &Spill) -> io::Result<String> {
    fs::create_dir_all(directory)?;
    let safe = |c: char| if c.is_ascii_alphanumeric() || "-_.".contains(c) { c } else { '_' };
    let stem: String = spill.call_id.chars().map(safe).collect();
    let stem = if stem.trim_matches('.').is_empty() {
        format!("result-{}-{}", spill.place.0, spill.place.1)
    } else {
        stem
    };
    for number in 1.. {
        let name = if number == 1 { format!("{stem}.txt") } else { format!("{stem}-{number}.txt") };
        let path: PathBuf = directory.join(name);
        match fs::OpenOptions::new().write(true).create_new(true).mode(0o600).open(&path) {
            Ok(mut file) => {
                file.write_all(spill.text.as_bytes())?;
                file.sync_all()?;
                return Ok(path.display().to_string());
            }
            Err(error) if error.kind() == io::ErrorKind::AlreadyExists => {
                // The same text may stand there from an earlier run; another one stays.
                if fs::read(&path)? == spill.text.as_bytes() {
                    return Ok(path.display().to_string());
                }
            }
            Err(error) => return Err(error),
        }
    }
    unreachable!("there are more numbers than files")
}
