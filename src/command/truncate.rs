//! `ctx truncate`: shorter results, fewer messages.

use std::fmt;
use std::path::Path;

use crate::cli::Writing;
use crate::cli::truncate::Truncate;
use crate::command::lost::tell_lost;
use crate::command::pace::Pace;
use crate::command::rewrite::{Edited, Rewrite, rewrite_each};
use crate::command::spill::{Store, tool_budget};
use crate::command::tool_names::NamedTools;
use crate::command::unused::{End, warn_of_unused};
use crate::command::{
    Need, Outcome, Shell, Trouble, Unfit, Visit, meter, no_records, refuse_unread,
};
use crate::conversation::Message;
use crate::count::Meter;
use crate::defaults::{ALLOWANCE, HEAD_SHARE, MOST_TOKENS};
use crate::document::{Edit, take_out};
use crate::draft::Draft;
use crate::line::counted;
use crate::numbers::scaled;
use crate::pairing::{Joints, Pairs};
use crate::reread::Form;
use crate::subject::Subject;
use crate::summaries;
use crate::truncate::clear::{self, Tools};
use crate::truncate::cut::{Limit, Measure};
use crate::truncate::elide::Infeasible;
use crate::truncate::{Policies, Shortened, sealed, shortened, spill};

/// Writes the shortened conversations.
///
/// # Errors
///
/// The model is unknown, a glob is none, or the output can't be written.
pub fn run(arguments: &Truncate) -> anyhow::Result<Outcome> {
    let mut shell = Shell::new(arguments.writing.quiet);
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

/// One worker.
struct Shortening<'r> {
    meter: Meter,
    policies: Policies,
    named: NamedTools,
    directory: Option<&'r Path>,
    writing: &'r Writing,
    pace: Pace,
    form: Form,
}

impl<'r> Shortening<'r> {
    fn new(arguments: &'r Truncate) -> anyhow::Result<Self> {
        let (meter, _) = meter(&arguments.counting, Need::Count)?;
        let mut policies = policies(arguments);
        refuse_unread_flags(arguments, &policies)?;
        let named = NamedTools::of(&arguments.tool_names)?;
        policies.tools = named.tools();
        let form = if arguments.append { Form::Appended } else { Form::Shorter };
        let (directory, writing) = (arguments.spill.as_deref(), &arguments.writing);
        let pace = pace(arguments);
        Ok(Self { meter, policies, named, directory, writing, pace, form })
    }

    /// Says so where results that are too small to go leave the last batch over its budget; what stays
    /// is cut where there is a limit to each.
    fn tell_floor(&self, visit: &Visit<'_, '_>, pairs: &Pairs, shell: &Shell) {
        let is_told = !visit.is_one_of_many && self.policies.per_result.is_none();
        let Some(budget) = self.policies.tool_budget.filter(|_| is_told) else { return };
        let draft = Draft::new(visit.conversation);
        let rest = spill::rest_of_last_batch(&draft, pairs, &self.policies.tools, budget);
        if rest > budget {
            let (place, floor) = (visit.place(), spill::FLOOR);
            let why = format_args!("results of {floor} bytes or less, and protected ones, stay");
            shell.warn(format_args!("{place}: the last batch holds {rest} bytes still: {why}"));
        }
    }

    /// Says so where no pause can be found.
    fn tell_timeless(&self, visit: &Visit<'_, '_>, shell: &Shell) {
        let is_told = !visit.is_one_of_many && self.policies.idle.is_some();
        if is_told && !clear::has_times(visit.conversation) {
            let place = visit.place();
            shell.warn(format_args!("{place}: --idle finds no pause: the messages have no times"));
        }
    }

    /// Says how much stays of the results that only the provider may change, where a policy would have
    /// made less of them.
    fn tell_sealed(&self, subject: &Subject<'_, '_>, place: &str, shell: &Shell) {
        let sealed = sealed::sealed(subject, &self.policies);
        let tokens = sealed.iter().map(|&(at, part)| subject.count.parts[at][part].tokens());
        let tokens = tokens.sum::<usize>();
        if tokens > 0 {
            let what = counted(sealed.len(), "result");
            let whose = "of tools that the provider runs";
            shell.warn(format_args!("{place}: not shortened: {what} {whose}, {tokens} tokens"));
        }
    }
}

impl Rewrite for Shortening<'_> {
    type Report = ();

    fn edits(&mut self, visit: &Visit<'_, '_>, shell: &mut Shell) -> anyhow::Result<Edited<()>> {
        let (conversation, meter) = (visit.conversation, &self.meter);
        let fits = |budget| meter.is_surely_within(conversation, budget);
        if only_budget(&self.policies).is_some_and(fits) {
            return Ok(Edited::default());
        }
        let (joints, count) = (Joints::of(conversation), meter.count(conversation));
        let subject = visit.subject(&joints, meter, &count);
        self.named.tell_unmatched(visit, &joints.pairs, shell);
        self.tell_floor(visit, &joints.pairs, shell);
        self.tell_timeless(visit, shell);
        self.tell_sealed(&subject, &visit.place(), shell);
        let mut store = Store::new(self.directory, false, self.pace);
        let done = shortened(&subject, &self.policies, self.form, &mut |spill| store.put(spill));
        store.complete()?;
        let done = done.map_err(|Infeasible { least }| {
            // No budget helps where nothing can be appended.
            if !self.form.suits(&subject) {
                return anyhow::Error::from(no_records(conversation, "an edit"));
            }
            let reason = format!("what has to stay counts {}", counted(least, "token"));
            Unfit::over_budget(visit, reason, least, "").into()
        })?;
        let Some(Shortened { settled, steps, spilled, in_window, over_limit, .. }) = done else {
            return Err(no_records(conversation, "an edit").into());
        };
        let remedy = "write to another file with -o";
        visit.keep_other_sessions(&settled.edits, self.writing, remedy)?;
        // A result names a path as far as its first line goes.
        let is_named = |path: &str| spilled.iter().any(|named| path.starts_with(named.as_str()));
        store.keep(|_, path| is_named(&path.display().to_string()));
        visit.tell_repairs(shell, &settled);
        if !settled.edits.is_empty() {
            let (before, after) = (count.tokens(), settled.tokens);
            let is_gone = |message: &&Message<'_>| is_gone(message, &subject, &settled.edits);
            let is_dropped = conversation.messages.last().as_ref().is_some_and(is_gone);
            let summary =
                conversation.messages.iter().rfind(|message| summaries::stands_in(message));
            let steps: Vec<String> =
                steps.iter().map(|step| format!("{} {}", step.step, step.messages)).collect();
            let (place, steps) = (visit.place(), steps.join(", "));
            shell.done(format_args!("{place}: shortened ({steps}), {before} -> {after} tokens"));
            if let Some(budget) = self.policies.budget.filter(|_| is_dropped) {
                let hint = "it is cut where --tools lets it";
                let is_spared = |end: &End<'_>| !self.policies.tools.allow(&end.tool);
                let hint = |end: &End<'_>| is_spared(end).then(|| hint.to_owned());
                warn_of_unused(&subject, shell, &place, (after, budget), hint);
            }
            if summary.as_ref().is_some_and(is_gone) {
                let line =
                    format_args!("{place}: the summary of what was before leaves no room and goes");
                shell.warn_with_hint(line, Some("`ctx compact` folds it into a smaller one"));
            }
            let waiting = joints.pairs.in_flight(conversation).map(|at| &conversation.messages[at]);
            let all = conversation.messages.len();
            let together = all - joints.cuts.at_or_before(all.saturating_sub(1));
            let is_alone = self.policies.budget.is_none();
            let window =
                self.policies.max_messages.filter(|_| is_dropped && is_alone && together > 1);
            if waiting.as_ref().is_some_and(is_gone) {
                let what = "calls without a result yet go: their results would answer nothing";
                shell.warn(format_args!("{place}: {what}"));
            } else if let Some(window) = window {
                let why = format!("{together} that stay together, over --max-messages {window}");
                shell.warn(format_args!("{place}: the newest messages go, {why} with what stays"));
            }
            if conversation.dialect.is_log() {
                let lost = visit.lost(&settled.edits).len();
                tell_lost(shell, &place, lost, "removed; --append leaves them");
            }
        }
        // Of many each would be told.
        let tell = |line: fmt::Arguments<'_>| {
            if visit.is_one_of_many { shell.done(line) } else { shell.warn_when_done(line) }
        };
        if over_limit > 0 {
            let stay = counted(over_limit, "result");
            let why = "cut, it would count no fewer tokens";
            tell(format_args!("{}: {stay} left over the limit: {why}", visit.place()));
        }
        if let (Some(most), Some(left)) = (self.policies.max_messages, in_window)
            && left.messages > most
        {
            let (place, stay) = (visit.place(), counted(left.messages, "message"));
            let why = if left.pinned.is_empty() {
                ": to drop more would save nothing".to_owned()
            } else {
                format!(", and all have to stay: {}", left.pinned.join(", "))
            };
            tell(format_args!("{place}: {stay} left, over --max-messages {most}{why}"));
        }
        Ok(Edited { edits: settled.edits, ..Edited::default() })
    }
}

/// Whether nothing of a message is left, be it where it stood or joined with another one.
fn is_gone(message: &Message<'_>, subject: &Subject<'_, '_>, edits: &[Edit]) -> bool {
    let units = &subject.conversation.source.units;
    let is_out = |&unit: &usize| take_out(edits, &subject.document.span(units[unit].json));
    let is_moved = |text: &str| message.parts.iter().any(|it| text.contains(it.json.source()));
    message.units.last().is_some_and(is_out) && !edits.iter().any(|edit| is_moved(&edit.text))
}

fn policies(arguments: &Truncate) -> Policies {
    let limit = |measure, most: usize| {
        let most = scaled(most, arguments.allowance.unwrap_or(ALLOWANCE), f64::floor);
        Limit { measure, most, head_share: arguments.head_share.unwrap_or(HEAD_SHARE) }
    };
    let other_policy = arguments.spill.is_some()
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
        tool_budget: tool_budget(arguments.spill.as_deref(), arguments.tool_budget),
        dedupe: arguments.dedupe,
        per_result,
        head_share: arguments.head_share,
        keep_json: arguments.keep_json,
        keep_results: arguments.keep_results,
        idle: arguments.idle,
        max_messages: arguments.max_messages,
        budget: arguments.budget,
        tools: Tools::default(),
    }
}

/// Flags about results say nothing where no result is cut, cleared or written to a file.
fn refuse_unread_flags(arguments: &Truncate, policies: &Policies) -> Result<(), Trouble> {
    let has_limit = policies.per_result.is_some();
    // What would cost a budget the end of the conversation is cut.
    let cuts = has_limit || policies.budget.is_some();
    let touches = cuts
        || policies.tool_budget.is_some()
        || policies.dedupe
        || policies.keep_results.is_some()
        || policies.idle.is_some();
    // A window drops results and makes none shorter.
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
