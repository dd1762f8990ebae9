//! `ctx truncate`: shorter results, fewer messages.

mod telling;

use std::path::Path;

use crate::cli::truncate::Truncate;
use crate::command::pace::Pace;
use crate::command::rewrite::{Edited, Rewrite, rewrite_each};
use crate::command::spill::{Store, tool_budget};
use crate::command::tool_names::NamedTools;
use crate::command::{
    Need, Outcome, Shell, Trouble, Unfit, Visit, meter, no_records, refuse_unread, say_if_estimated,
};
use crate::count::Meter;
use crate::defaults::{ALLOWANCE, HEAD_SHARE, MOST_TOKENS};
use crate::line::counted;
use crate::pairing::Joints;
use crate::reread::Form;
use crate::truncate::clear::Tools;
use crate::truncate::cut::{Limit, Measure};
use crate::truncate::elide::Infeasible;
use crate::truncate::{Policies, shortened};
use crate::within::scaled;

/// Writes the shortened conversations.
///
/// # Errors
///
/// The model is unknown, a glob is invalid, or the output can't be written.
pub fn run(arguments: &Truncate) -> anyhow::Result<Outcome> {
    let mut shell = Shell::new(arguments.writing.quiet);
    say_if_estimated(&meter(&arguments.counting, Need::Count)?.0, &shell);
    let make = || Shortening::new(arguments);
    rewrite_each(
        &arguments.reading,
        &arguments.writing,
        pace(arguments),
        &mut shell,
        make,
        |()| {},
    )?;
    Ok(shell.outcome())
}

fn pace(arguments: &Truncate) -> Pace {
    let jobs = arguments.work.jobs;
    if arguments.spill.is_some() { Pace::in_turn(jobs) } else { Pace::of(jobs) }
}

/// The worker that shortens conversations.
struct Shortening<'r> {
    meter: Meter,
    policies: Policies,
    named: NamedTools,
    directory: Option<&'r Path>,
    pace: Pace,
    form: Form,
}

impl<'r> Shortening<'r> {
    fn new(arguments: &'r Truncate) -> anyhow::Result<Self> {
        let (meter, _) = meter(&arguments.counting, Need::Count)?;
        let mut policies = policies(arguments);
        refuse_unread_flags(arguments, &policies)?;
        refuse_too_few_chars(&policies)?;
        let named = NamedTools::of(&arguments.tool_names)?;
        policies.tools = named.tools();
        let form = if arguments.append { Form::Appended } else { Form::Shorter };
        let directory = arguments.spill.as_deref();
        let pace = pace(arguments);
        Ok(Self { meter, policies, named, directory, pace, form })
    }
}

impl Rewrite for Shortening<'_> {
    type Report = ();

    fn edits(&mut self, visit: &Visit<'_, '_>, shell: &mut Shell) -> anyhow::Result<Edited<()>> {
        let (conversation, meter) = (visit.conversation, &self.meter);
        let fits = |budget| meter.is_surely_within(conversation, budget);
        if self.policies.only_budget().is_some_and(fits) {
            return Ok(Edited::default());
        }
        let (joints, count) = (Joints::of(conversation), meter.count(conversation));
        let subject = visit.subject(&joints, meter, &count);
        self.named.tell_unmatched(visit, &joints.pairs, shell);
        self.tell_timeless(visit, shell);
        self.tell_sealed(&subject, &visit.place(), shell);
        let mut store = Store::new(self.directory, false, self.pace);
        let done = shortened(&subject, &self.policies, self.form, &mut |spill| store.put(spill));
        store.complete()?;
        let done = done.map_err(|Infeasible { least }| {
            // If nothing can be appended, no budget helps.
            if !self.form.suits(&subject) {
                return anyhow::Error::from(no_records(conversation, "an edit"));
            }
            let reason = format!("what has to stay counts {}", counted(least, "token"));
            Unfit::over_budget(visit, reason, least, "").into()
        })?;
        let done = done.ok_or_else(|| no_records(conversation, "an edit"))?;
        // A result names a path up to the end of its first line.
        let is_named = |path: &str| done.spilled.iter().any(|named| path.starts_with(&**named));
        store.keep(|_, path| is_named(&path.display().to_string()));
        visit.tell_repairs(shell, &done.settled);
        if !done.settled.edits.is_empty() {
            self.tell_shortened(visit, &subject, &done, shell);
        }
        self.tell_over_limits(visit, &done, shell);
        Ok(Edited { edits: done.settled.edits, ..Edited::default() })
    }
}

/// The policies that are asked for; if none are, a limit per result.
fn policies(arguments: &Truncate) -> Policies {
    let limit = |measure, most: usize| {
        let most = scaled(most, arguments.allowance.unwrap_or(ALLOWANCE), f64::floor);
        Limit { measure, most, head_share: arguments.head_share.unwrap_or(HEAD_SHARE) }
    };
    let others = Policies {
        tool_budget: tool_budget(arguments.spill.as_deref(), arguments.tool_budget),
        dedupe: arguments.dedupe,
        per_result: None,
        head_share: arguments.head_share,
        keep_json: arguments.keep_json,
        keep_results: arguments.keep_results,
        idle: arguments.idle,
        max_messages: arguments.max_messages,
        budget: arguments.budget,
        tools: Tools::default(),
    };
    let per_result = match (arguments.max_tokens, arguments.max_bytes, arguments.max_chars) {
        (Some(most), ..) => most.map(|most| limit(Measure::Tokens, most)),
        (None, Some(most), _) => Some(limit(Measure::Bytes, most)),
        (None, None, Some(most)) => Some(limit(Measure::Chars, most)),
        (None, None, None) if others.are_none() => Some(limit(Measure::Tokens, MOST_TOKENS)),
        (None, None, None) => None,
    };
    Policies { per_result, ..others }
}

/// Refuses a limit within which nothing is JSON.
fn refuse_too_few_chars(policies: &Policies) -> Result<(), Trouble> {
    let limit = policies.per_result.as_ref().filter(|_| policies.keep_json);
    if limit.is_some_and(|limit| limit.measure == Measure::Chars && limit.most < 2) {
        let hint = "`\"\"` is the shortest text in JSON: --max-chars 2";
        return Err(Trouble::new("--keep-json needs 2 characters or more".to_owned(), hint));
    }
    Ok(())
}

/// Refuses flags about results if no result is cut, cleared or written to a file.
fn refuse_unread_flags(arguments: &Truncate, policies: &Policies) -> Result<(), Trouble> {
    let has_limit = policies.per_result.is_some();
    // A budget also cuts results, so that the end of the conversation fits.
    let cuts = has_limit || policies.budget.is_some();
    let touches = cuts || policies.touch_results();
    // A window drops results but shortens none.
    let drops = policies.max_messages.is_some();
    let flags = [
        ("--head-share", arguments.head_share.is_some(), cuts),
        ("--keep-json", arguments.keep_json, cuts),
        ("--allowance", arguments.allowance.is_some(), has_limit),
    ];
    refuse_unread(&flags, "policies that limit no result", "cut results too: --max-tokens 5k")?;
    let flags = [
        ("--tools", !arguments.tool_names.tools.is_empty(), touches),
        ("--keep-tools", !arguments.tool_names.keep_tools.is_empty(), touches || drops),
    ];
    refuse_unread(
        &flags,
        "policies that touch no result",
        "say what to do with them: --keep-results 10",
    )
}
