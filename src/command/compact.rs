//! `ctx compact`: a summary in place of the middle.

mod asked;
mod author;
mod explain;
mod saving;

use std::io::Write;

use crate::cli::compact::Compact;
use crate::command::rewrite::{Edited, Rewrite, rewrite_each};
use crate::command::spill::Store;
use crate::command::tool_names::NamedTools;
use crate::command::unused::warn_of_unused;
use crate::command::{self, Outcome, Shell, Trouble, Visit, meter, read_each};
use crate::compact::rebuild::Rebuild;
use crate::compact::report::{Fate, Repaired, Report};
use crate::compact::{Compacted, Options, Plan, carry_out, least_budget, plan};
use crate::count::{Count, Meter};
use crate::line::counted;
use crate::output::Stdout;
use crate::pairing::Joints;
use crate::profile::Tail;
use crate::subject::Subject;
use crate::summaries::compactions;
use crate::summarizer::Breaker;
use asked::Asked;
use author::{Author, Commission, Summary};
use saving::{Saved, names};

/// Writes the compacted conversations.
///
/// # Errors
///
/// The arguments contradict each other, or the output can't be written.
pub fn run(arguments: &Compact) -> anyhow::Result<Outcome> {
    let Compact { report, reading, writing, .. } = arguments;
    command::keep_report_apart(report.as_deref(), reading, writing)?;
    let mut shell = Shell::new(writing.quiet);
    author::warn_of_open_key(arguments, &shell);
    let breaker = Breaker::default();
    let make = || Compaction::new(arguments, &breaker);
    // A report is a line of JSON.
    let mut reports = String::new();
    let mut report = |line: String| reports.extend([line, "\n".to_owned()]);
    if arguments.dry_run {
        let mut compaction = make()?;
        compaction.explain(&shell);
        let visit = &mut |visit: &Visit<'_, '_>, shell: &mut Shell| {
            let edited = compaction.edits(visit, shell)?;
            edited.reports.into_iter().for_each(&mut report);
            Ok(())
        };
        read_each(&arguments.reading, &mut shell, visit);
    } else {
        let pace = author::pace(arguments);
        rewrite_each(&arguments.reading, &arguments.writing, pace, &mut shell, make, report)?;
    }
    if let Some(path) = &arguments.report {
        command::write_report(path, &reports)?;
    }
    Ok(shell.outcome())
}

/// What the arguments ask for.
struct Compaction<'r> {
    arguments: &'r Compact,
    meter: Meter,
    named: NamedTools,
    asked: Asked,
    author: Author<'r>,
}

impl Rewrite for Compaction<'_> {
    type Report = String;

    fn edits(
        &mut self,
        visit: &Visit<'_, '_>,
        shell: &mut Shell,
    ) -> anyhow::Result<Edited<String>> {
        self.meter.spread(visit.may_spread(&self.arguments.reading));
        let Edited { edits, reports, files } = self.one(visit, shell)?;
        let wanted = reports.iter().filter(|_| self.arguments.report.is_some());
        let reports = wanted.map(serde_json::to_string).collect::<Result<_, _>>()?;
        Ok(Edited { edits, reports, files })
    }
}

impl<'r> Compaction<'r> {
    fn new(arguments: &'r Compact, breaker: &'r Breaker) -> anyhow::Result<Self> {
        let (meter, model_window) = meter(&arguments.counting)?;
        let named = NamedTools::of(&arguments.tool_names)?;
        let asked = Asked::of(arguments, &named, model_window)?;
        let author = Author::new(arguments, breaker)?;
        Ok(Self { arguments, meter, named, asked, author })
    }

    /// Says what would be done, step by step.
    fn explain(&self, shell: &Shell) {
        let Asked { options, threshold, .. } = &self.asked;
        let profile = options.profile.name;
        for line in explain::explain(self.arguments, options, *threshold) {
            shell.say(format_args!("profile {profile}: {line}"));
        }
    }

    /// The edits that compact one conversation, and what they do.
    fn one(&self, visit: &Visit<'_, '_>, shell: &mut Shell) -> anyhow::Result<Edited<Report>> {
        let conversation = visit.conversation;
        let count = self.meter.count(conversation);
        let tokens = count.tokens();
        let place = visit.place();
        let Asked { threshold, overflow, .. } = &self.asked;
        if tokens < *threshold && !self.arguments.force && overflow.is_none() {
            let under = format_args!("under the threshold of {threshold}");
            shell.say(format_args!("{place}: {tokens} tokens, {under}: unchanged"));
            return Ok(Edited::unchanged(self.unchanged(visit, &place)));
        }
        let options = &self.asked.options_of(tokens);
        let joints = Joints::of(conversation);
        let subject = visit.subject(&joints, &self.meter, &count);
        self.named.tell_unmatched(visit, &joints.pairs, shell);
        let mut store = Store::new(self.arguments.spill.as_deref(), self.arguments.dry_run);
        let plan = plan(&subject, options, &mut |spill| store.put(spill));
        let store = store.complete()?;
        let plan = match plan {
            Ok(plan) => plan,
            Err(infeasible) => {
                store.discard();
                return Err(too_small(visit, options, infeasible.least).into());
            }
        };
        let budget = options.budget;
        let is_fit = matches!(plan, Plan::Fits);
        let is_shortened = matches!(plan, Plan::Shortened(..));
        if is_fit {
            let fits = format_args!("fit the budget of {budget}");
            // A threshold under the budget says when, and not how far.
            let is_under = self.arguments.limits.threshold.is_some() && *threshold < budget;
            let hint = format!("--budget under {tokens} compacts it: the threshold is {threshold}");
            let hint = is_under.then_some(hint.as_str());
            shell.say_with_hint(format_args!("{place}: {tokens} tokens {fits}: unchanged"), hint);
        }
        let archive = match &plan {
            Plan::Summarise(rebuild) if !rebuild.is_writable() => {
                store.discard();
                return Err(no_records(conversation.dialect.name()).into());
            }
            Plan::Summarise(rebuild) => {
                warn_of_losses(shell, &place, rebuild);
                self.show_requests(&subject, rebuild)?;
                self.archive(visit, shell, |at| !rebuild.kept[at])?
            }
            Plan::Fits | Plan::Shortened(..) => None,
        };
        let path = self.named(visit, archive.as_ref());
        let mut commission = Commission::of(&place, path.as_deref(), compactions(conversation));
        let done = carry_out(&subject, plan, options, |rebuild| {
            let summary = self.author.write(shell, &subject, rebuild, &mut commission)?;
            let text = summary.text.clone();
            Some((summary, text))
        });
        let is_kept = done.as_ref().is_some_and(|done| self.keeps(done, tokens));
        // Why there is no summary was said already.
        let is_made = done.is_some();
        let Some(done) = done.filter(|_| is_kept) else {
            store.discard();
            if is_shortened && !is_made {
                return Err(no_records(conversation.dialect.name()).into());
            }
            if is_made && !is_fit {
                shell.say(format_args!("{place}: too little would be saved: unchanged"));
            }
            let report = self.without_result(visit, commission)?;
            return Ok(Edited::unchanged(report));
        };
        if done.settled.tokens > budget {
            store.discard();
            return Err(too_small(visit, options, least_budget(&subject, options)).into());
        }
        let saved = self.save(visit, shell, archive, &done, is_shortened);
        store.keep(|(at, _)| saved.is_ok() && done.fates[at] == Fate::Cleared);
        let mut saved = saved?;
        let files = std::mem::take(&mut saved.files);
        let failure = commission.why_none();
        let report = Report { failure, ..self.report(visit, &place, &count, &done, saved) };
        visit.tell_repairs(shell, &done.settled);
        self.tell(shell, &report);
        if conversation.dialect.is_log() {
            self.tell_lost(shell, &report);
        }
        if let Some(path) = report.archive.as_deref().filter(|path| !names(&done, path)) {
            shell.done(format_args!("{place}: the originals are in {path}"));
        }
        if let Some(asked) = options.keep_tail.filter(|_| done.summary.is_some()) {
            tell_short_tail(shell, &report, &count, asked);
        } else if options.profile.tail != Tail::None
            && matches!(done.fates[..], [.., Fate::Summarised | Fate::Dropped])
        {
            let hint = "`ctx truncate --max-tokens 2k` before it shortens long results";
            warn_of_unused(shell, &place, (done.settled.tokens, budget), hint);
        }
        Ok(Edited { edits: done.settled.edits, reports: vec![report], files })
    }

    /// The report of a conversation that stays as it is, though somebody was asked for its summary; or why
    /// that ends the command.
    fn without_result(
        &self,
        visit: &Visit<'_, '_>,
        commission: Commission<'_>,
    ) -> anyhow::Result<Report> {
        let (attempts, requests) = commission.tried();
        let failure = commission.why_none();
        let unchanged = self.unchanged(visit, commission.place);
        let report = Report { failure, attempts, requests, ..unchanged };
        commission.failure.map_or(Ok(report), Err)
    }

    /// In a dry run, prints what would be sent.
    fn show_requests(
        &self,
        subject: &Subject<'_, '_>,
        rebuild: &Rebuild<'_, '_>,
    ) -> anyhow::Result<()> {
        if !self.arguments.dry_run {
            return Ok(());
        }
        let mut out = Stdout::open();
        for request in self.author.planned(subject, rebuild)? {
            writeln!(out, "{request}")?;
        }
        out.flush()?;
        Ok(())
    }

    /// Whether a result is smaller by what it has to save at least.
    fn keeps(&self, done: &Compacted<Summary>, before: usize) -> bool {
        let saved = before.saturating_sub(done.settled.tokens);
        saved > 0 && saved * 1000 >= before * self.asked.least_saving
    }

    /// Says what was done.
    fn tell(&self, shell: &Shell, report: &Report) {
        let place = &report.file;
        let summarised = report.fates.iter().filter(|fate| **fate == Fate::Summarised).count();
        if report.compactions > 1 && summarised > 0 {
            let times = report.compactions;
            shell.done(format_args!(
                "{place}: compacted {times} times now; repeated compaction costs accuracy"
            ));
        }
        let would = if self.arguments.dry_run { "would be " } else { "" };
        for step in report.steps.iter().filter(|_| self.arguments.dry_run) {
            let (name, saved, messages) = (step.step, step.tokens_saved, step.messages);
            shell.done(format_args!("{place}: {name} ({messages}): would save {saved} tokens"));
        }
        let what = match summarised {
            0 => "shortened".to_owned(),
            some => format!("compacted, {} summarised", counted(some, "message")),
        };
        shell.done(format_args!(
            "{place}: {would}{what}, {} -> {} tokens",
            report.original_tokens.unwrap_or(0),
            report.compacted_tokens.unwrap_or(0),
        ));
    }

    /// Says which lines of a log went beside the messages, and where they are.
    fn tell_lost(&self, shell: &Shell, report: &Report) {
        let would = if self.arguments.dry_run { "would be " } else { "" };
        let fate = match &report.archived_lines {
            Some(path) => format!("saved in {path}"),
            None if self.arguments.archive.is_some() && !self.arguments.dry_run => {
                "they could not be saved".to_owned()
            }
            None => "--archive DIR saves them".to_owned(),
        };
        let goes = format!("{would}removed; {fate}");
        command::tell_lost(shell, &report.file, report.lines_removed, &goes);
    }

    fn report(
        &self,
        visit: &Visit<'_, '_>,
        place: &str,
        count: &Count,
        done: &Compacted<Summary>,
        saved: Saved,
    ) -> Report {
        let original = count.tokens();
        let compacted = done.settled.tokens;
        let fates = done.fates.clone();
        let first_changed = fates.iter().position(|fate| *fate != Fate::Kept);
        let lost = first_changed
            .map(|first| count.messages[first..].iter().map(|tally| tally.tokens()).sum());
        let gone = |fate: &&Fate| matches!(fate, Fate::Summarised | Fate::Dropped);
        let summarised = fates.iter().filter(gone).count();
        #[allow(clippy::cast_precision_loss, reason = "a ratio for people")]
        let ratio = compacted as f64 / original.max(1) as f64;
        let unchanged = self.unchanged(visit, place);
        let units = &visit.conversation.source.units;
        let starts = done.mended.iter().map(|&unit| visit.document.span(units[unit].json).start);
        let lines = visit.document.lines(starts.collect()).into_iter();
        Report {
            compacted: true,
            original_tokens: Some(original),
            compacted_tokens: Some(compacted),
            compaction_ratio: Some(ratio),
            compacted_messages: Some(summarised),
            retained_messages: Some(fates.len() - summarised),
            summarizer: done.summary.as_ref().map(|summary| summary.by.clone()),
            attempts: done.summary.as_ref().map_or(0, |summary| summary.attempts),
            requests: done.summary.as_ref().map_or(Vec::new(), |summary| summary.requests.clone()),
            appended: done.summary.as_ref().map_or(Vec::new(), |summary| summary.appended.clone()),
            steps: done.steps.clone(),
            changed_lines: lines.map(|line| visit.lines + line).collect(),
            repairs: done.settled.repairs.iter().map(Repaired::from).collect(),
            thinking_removed: done.settled.thoughts,
            fates,
            archive: saved.archive,
            lines_removed: saved.lines_removed,
            archived_lines: saved.lines,
            first_changed_message: first_changed,
            cache_tokens_lost: lost,
            compactions: unchanged.compactions
                + usize::from(done.fates.contains(&Fate::Summarised)),
            ..unchanged
        }
    }

    /// The report of a conversation that stays as it is.
    fn unchanged(&self, visit: &Visit<'_, '_>, place: &str) -> Report {
        Report {
            file: place.to_owned(),
            profile: self.asked.options.profile.name,
            fates: vec![Fate::Kept; visit.conversation.messages.len()],
            compactions: compactions(visit.conversation),
            ..Report::default()
        }
    }
}

/// Why nothing can be appended.
fn no_records(dialect: &str) -> Trouble {
    let reason = format!("{dialect} has no records of a compaction to append");
    Trouble::new(reason, "leave out --append")
}

/// Says so where fewer of the newest messages stay than were asked for.
fn tell_short_tail(shell: &Shell, report: &Report, count: &Count, asked: usize) {
    let fates = report.fates.iter().zip(&count.messages).rev();
    let stays = |fate: &Fate| !matches!(fate, Fate::Summarised | Fate::Dropped);
    let tail = fates.take_while(|(fate, _)| stays(fate)).map(|(_, tally)| tally.tokens());
    let tail: usize = tail.sum();
    if tail < asked {
        let place = &report.file;
        shell.done(format_args!("{place}: fewer than {asked} tokens of the newest messages stay"));
    }
}

/// Says what had to give way though it was not to.
fn warn_of_losses(shell: &Shell, place: &str, rebuild: &Rebuild<'_, '_>) {
    if rebuild.drops_instructions() {
        let why = "leave no room and go: its agent sends its own again";
        shell.warn(format_args!("{place}: the log's instructions {why}"));
    }
    if rebuild.drops_opaque_summary() {
        let why = "only its provider can read it, and it leaves no room";
        shell.warn(format_args!("{place}: an earlier summary goes: {why}"));
    }
    if rebuild.clips_newest_request() {
        shell.warn(format_args!("{place}: the newest request is cut, it leaves no room"));
    }
}

/// Why a budget can't be met, and the least that can.
fn too_small(visit: &Visit<'_, '_>, options: &Options, least: usize) -> Trouble {
    let pinned = options.pins_tools || options.keep_results.is_some();
    let results = if pinned { ", results that are to stay" } else { "" };
    let reason = if visit.conversation.dialect.is_log() {
        // Its instructions may go, and the request may be cut.
        format!("newest request{results} and summary count {least} tokens at the least")
    } else {
        format!("instructions, newest request{results} and the least summary count {least} tokens")
    };
    Trouble::new(reason, format!("the least feasible budget is --budget {least}"))
}
