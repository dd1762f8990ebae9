//! `ctx compact`: a summary in place of the middle.

mod asked;
mod author;
mod explain;
mod losses;
mod saving;
mod telling;

use std::io::Write;

use crate::cli::compact::{Compact, Summarizer};
use crate::command::rewrite::{Edited, Rewrite, rewrite_each};
use crate::command::spill::Store;
use crate::command::tool_names::NamedTools;
use crate::command::{
    self, Need, Outcome, Shell, Trouble, Unfit, Visit, may_spread, meter, read_each,
    say_if_estimated,
};
use crate::compact::rebuild::Rebuild;
use crate::compact::report::{Fate, Repaired, Report, Unchanged, sent_again};
use crate::compact::{Compacted, Options, Plan, carry_out, least_budget, plan};
use crate::count::{Count, Meter};
use crate::line::counted;
use crate::output::Stdout;
use crate::pairing::Joints;
use crate::subject::Subject;
use crate::summaries::compactions;
use crate::summarizer::Breaker;
use asked::Asked;
use author::{Author, Commission, Summary};
use saving::{Saved, keep_named};
use telling::Missing;

/// Writes the compacted conversations.
///
/// # Errors
///
/// The arguments contradict each other, or the output can't be written.
pub fn run(arguments: &Compact) -> anyhow::Result<Outcome> {
    let Compact { report, reading, writing, .. } = arguments;
    command::keep_report_apart(report.as_deref(), reading, writing)?;
    let read = [
        ("--summary-file", arguments.summary_file.as_deref()),
        ("--prompt-file", arguments.prompt_file.as_deref()),
        ("--api-key-file", arguments.api_key_file.as_deref()),
        ("--overflow", arguments.overflow.as_deref()),
    ];
    let written = [("-o", writing.output.as_deref()), ("--report", report.as_deref())];
    command::keep_read_files(&written, &read)?;
    let mut shell = Shell::new(writing.quiet);
    author::warn_of_open_key(arguments, &shell);
    say_if_estimated(&meter(&arguments.counting, Need::Limits(&arguments.limits))?.0, &shell);
    let breaker = Breaker::default();
    let make = || Compaction::new(arguments, &breaker);
    // Each report is a line of JSON.
    let mut reports = String::new();
    let mut report = |line: String| reports.extend([line, "\n".to_owned()]);
    if arguments.dry_run {
        let mut compaction = make()?;
        compaction.explain(&shell);
        let visit = &mut |visit: &Visit<'_, '_>, shell: &mut Shell| {
            let edited = compaction.edits(visit, shell)?;
            edited.reports.into_iter().for_each(&mut report);
            let Some(why) = edited.refusal else { return Ok(()) };
            match Unfit::among_others(visit, &why) {
                Some(unfit) => shell.count_refused(unfit.least, &visit.place(), &why),
                None => return Err(why),
            }
            Ok(())
        };
        read_each(&arguments.reading, &mut shell, visit);
        shell.tell_refused("", shell.sums(), "can't be done");
    } else {
        let pace = author::pace(arguments);
        rewrite_each(&arguments.reading, &arguments.writing, pace, &mut shell, make, report)?;
    }
    // If nothing could be read, there is nothing to report.
    let is_told = !reports.is_empty() || shell.outcome() != Outcome::Trouble;
    if let Some(path) = arguments.report.as_ref().filter(|_| is_told) {
        command::write_report(path, &reports)?;
    }
    Ok(shell.outcome())
}

/// A conversation that is to be compacted.
#[derive(Clone, Copy)]
struct Case<'c, 'v, 'a> {
    visit: &'c Visit<'v, 'a>,
    subject: &'c Subject<'c, 'a>,
    options: &'c Options,
    place: &'c str,
}

/// The compaction that the arguments ask for.
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
        self.meter.spread(may_spread(&self.arguments.reading, visit.is_one_of_many));
        let edited = self.one(visit, shell).unwrap_or_else(|why| {
            let failure = Some(format!("{why:#}"));
            let unchanged = self.unchanged(visit);
            Edited::refused(Report { failure, ..unchanged }, why)
        });
        let Edited { edits, mut reports, files, refusal } = edited;
        if refusal.is_some() && !command::replaces(&self.arguments.writing, visit.name) {
            // A refused conversation is in no result.
            for report in &mut reports {
                report.fates.clear();
            }
        }
        let wanted = reports.iter().filter(|_| self.arguments.report.is_some());
        let reports = wanted.map(serde_json::to_string).collect::<Result<_, _>>()?;
        Ok(Edited { edits, reports, files, refusal })
    }
}

impl<'r> Compaction<'r> {
    fn new(arguments: &'r Compact, breaker: &'r Breaker) -> anyhow::Result<Self> {
        let (meter, model_window) = meter(&arguments.counting, Need::Limits(&arguments.limits))?;
        let named = NamedTools::of(&arguments.tool_names)?;
        let asked = Asked::of(arguments, &named, model_window)?;
        let author = Author::new(arguments, breaker)?;
        Ok(Self { arguments, meter, named, asked, author })
    }

    /// Prints the planned steps.
    fn explain(&self, shell: &Shell) {
        let Asked { options, threshold, .. } = &self.asked;
        let profile = options.profile.name;
        for line in explain::explain(self.arguments, options, *threshold) {
            shell.say(format_args!("profile {profile}: {line}"));
        }
    }

    /// Returns the edits that compact one conversation, and their report.
    fn one(&self, visit: &Visit<'_, '_>, shell: &mut Shell) -> anyhow::Result<Edited<Report>> {
        if visit.is_one_of_many && author::who(self.arguments) == Summarizer::File {
            let reason =
                "--summary-file holds the summary of one conversation, and here are several";
            return Err(
                Trouble::new(reason, "a file for each conversation lets each be named").into()
            );
        }
        let conversation = visit.conversation;
        let may_stay = !self.arguments.force && self.asked.overflow.is_none();
        if may_stay && self.is_plainly_under(visit) {
            self.tell_under(visit, None, shell);
            return Ok(self.stays(visit, Unchanged::UnderThreshold));
        }
        let count = self.meter.count(conversation);
        let tokens = count.tokens();
        if may_stay && tokens < self.asked.threshold {
            self.tell_under(visit, Some(tokens), shell);
            return Ok(self.stays(visit, Unchanged::UnderThreshold));
        }
        let place = visit.place();
        self.tell_other_size(visit, tokens, shell);
        let options = &self.asked.options_of(tokens);
        let joints = Joints::of(conversation);
        let subject = visit.subject(&joints, &self.meter, &count);
        self.named.tell_unmatched(visit, &joints.pairs, shell);
        let case = Case { visit, subject: &subject, options, place: &place };
        let Compact { spill, dry_run, .. } = self.arguments;
        let mut store = Store::new(spill.as_deref(), *dry_run, author::pace(self.arguments));
        let mut plan = self.plan(case, &mut store, shell)?;
        match &plan {
            Plan::Fits => return Ok(self.stays(visit, Unchanged::Fits)),
            _ if self.is_counted(visit) => shell.count_changing(),
            _ => {}
        }
        let archive = match &plan {
            Plan::Fits | Plan::Shortened(..) => None,
            Plan::Summarise(rebuild) => self.archive(visit, shell, |at| !rebuild.kept[at])?,
        };
        let path = self.named(visit, archive.as_ref());
        if let Plan::Summarise(rebuild) = &mut plan {
            rebuild.archive.clone_from(&path);
        }
        let (spilled, before) = (store.named(), compactions(conversation));
        let mut commission = Commission::of(&place, path.as_deref(), spilled, before);
        let done = self.carry_out(case, plan, &mut commission, shell);
        let Some(done) = done.unwrap_or_else(|why| {
            commission.failure = Some(why);
            None
        }) else {
            return Ok(self.without_result(visit, commission));
        };
        let mut saved = self.save(visit, shell, archive, &done)?;
        let files = std::mem::take(&mut saved.files);
        let is_asked = author::who(self.arguments) != Summarizer::None;
        let empty = done.summary.as_ref().filter(|summary| summary.is_empty());
        // If only a log's instructions are dropped, no summary is needed.
        let is_missed = done.fates[conversation.head()..].contains(&Fate::Dropped);
        let is_wanted = is_asked && is_missed && commission.why_none().is_none();
        let missing = empty.filter(|_| is_wanted).map(Missing::of);
        let failure = commission.why_none().or_else(|| missing.map(|why| why.to_string()));
        let lost = keep_named(store, &done);
        let report = Report { failure, ..self.report(visit, &count, &done, saved) };
        self.tell(case, shell, &report, &done, missing);
        if lost > 0 {
            let what = counted(lost, "result");
            shell
                .say(format_args!("{place}: no file for {what}: nothing that stays would name it"));
        }
        Ok(Edited { edits: done.settled.edits, reports: vec![report], files, refusal: None })
    }

    /// Plans the compaction, if it is possible; large results go to the store.
    fn plan<'c, 'a>(
        &self,
        case: Case<'c, '_, 'a>,
        store: &mut Store<'_>,
        shell: &Shell,
    ) -> anyhow::Result<Plan<'c, 'a>> {
        let Case { subject, options, .. } = case;
        let plan = plan(subject, options, &mut |spill| store.put(spill));
        store.complete()?;
        let plan = plan.map_err(|infeasible| {
            // If nothing can be appended, no budget helps.
            if !options.form.suits(subject) {
                let why = command::no_records(subject.conversation, "a compaction");
                return anyhow::Error::from(why);
            }
            self.too_small(case, infeasible.least).into()
        })?;
        match &plan {
            Plan::Fits => self.tell_fit(case, shell),
            Plan::Shortened(_, Some(_), _) => {}
            Plan::Summarise(rebuild) if rebuild.is_writable() => {
                self.show_requests(subject, rebuild)?;
            }
            Plan::Shortened(..) | Plan::Summarise(_) => {
                return Err(command::no_records(subject.conversation, "a compaction").into());
            }
        }
        Ok(plan)
    }

    /// Carries out the plan; `None` if the conversation stays as it is, which is reported.
    fn carry_out<'c, 'a>(
        &self,
        case: Case<'c, '_, 'a>,
        plan: Plan<'c, 'a>,
        commission: &mut Commission<'_>,
        shell: &Shell,
    ) -> anyhow::Result<Option<Compacted<Summary>>> {
        let Case { subject, options, place, .. } = case;
        let mut lost = Vec::new();
        let done = carry_out(subject, plan, options, |rebuild| {
            let summary = self.author.write(shell, subject, rebuild, commission)?;
            lost = losses::losses(subject, rebuild);
            let text = summary.text.clone();
            Some((summary, text))
        });
        let Some(done) = done else {
            // A missing summary was reported already; otherwise the result can't be written in this form.
            let has_failed = commission.why_none().is_some();
            let unwritten = || command::no_records(subject.conversation, "a compaction").into();
            return if has_failed { Ok(None) } else { Err(unwritten()) };
        };
        if done.settled.tokens > options.budget {
            return Err(self.too_small(case, least_budget(subject, options)).into());
        }
        if !self.keeps(&done, subject.count.tokens()) {
            shell.say(format_args!("{place}: too little would be saved: unchanged"));
            return Ok(None);
        }
        let again = sent_again(subject.conversation, subject.count, &done.fates);
        if again > 0 {
            let what = "the log's instructions take too much room and go";
            let next = format!("its next request counts about {}", done.settled.tokens + again);
            shell.warn(format_args!("{place}: {what}: its agent sends its own again, {next}"));
        }
        for lost in lost.iter().filter(|_| done.summary.is_some()) {
            shell.warn(format_args!("{place}: {lost}"));
        }
        Ok(Some(done))
    }

    /// The outcome for a conversation that stays as it is although a summary was asked for, and the error if
    /// that ends the command.
    fn without_result(&self, visit: &Visit<'_, '_>, commission: Commission<'_>) -> Edited<Report> {
        let (attempts, requests) = commission.tried();
        let refusal = || commission.failure.as_ref().map(|why| format!("{why:#}"));
        let failure = commission.why_none().or_else(refusal);
        let unchanged = self.unchanged(visit);
        // A failure says why; otherwise the compaction would save too little.
        let why = failure.is_none().then_some(Unchanged::TooLittleSaved);
        let report = Report { failure, unchanged: why, attempts, requests, ..unchanged };
        Edited { refusal: commission.failure, ..Edited::unchanged(report) }
    }

    /// The outcome for a conversation that stays as it is, with the reason.
    fn stays(&self, visit: &Visit<'_, '_>, why: Unchanged) -> Edited<Report> {
        Edited::unchanged(Report { unchanged: Some(why), ..self.unchanged(visit) })
    }

    /// Prints the requests that a dry run would send.
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
        Ok(out.flush()?)
    }

    /// Whether the result saves at least as much as required.
    fn keeps(&self, done: &Compacted<Summary>, before: usize) -> bool {
        let saved = before.saturating_sub(done.settled.tokens);
        saved > 0 && saved * 1000 >= before * self.asked.least_saving
    }

    fn report(
        &self,
        visit: &Visit<'_, '_>,
        count: &Count,
        done: &Compacted<Summary>,
        saved: Saved,
    ) -> Report {
        let original = count.tokens();
        let compacted = done.settled.tokens;
        let fates = done.fates.clone();
        let first_changed = fates.iter().position(|fate| *fate != Fate::Kept);
        let lost = first_changed.map(|first| count.tokens_of(first..count.messages.len()));
        let gone = |fate: &&Fate| matches!(fate, Fate::Summarised | Fate::Dropped);
        let summarised = fates.iter().filter(gone).count();
        #[allow(clippy::cast_precision_loss, reason = "a ratio for people")]
        let ratio = compacted as f64 / original.max(1) as f64;
        let unchanged = self.unchanged(visit);
        let base = match &done.summary {
            Some(summary) => Report {
                summarizer: Some(summary.by.clone()),
                summary_tokens: Some(self.meter.page(&summary.text)),
                summary_tokens_cut: summary.cut,
                attempts: summary.attempts,
                requests: summary.requests.clone(),
                appended: summary.appended.clone(),
                compactions: unchanged.compactions + usize::from(!summary.is_empty()),
                ..unchanged
            },
            None => unchanged,
        };
        let units = &visit.conversation.source.units;
        let starts = done.mended.iter().map(|&unit| visit.document.span(units[unit].json).start);
        let lines = visit.document.lines(starts.collect()).into_iter();
        Report {
            compacted: true,
            original_tokens: Some(original),
            compacted_tokens: Some(compacted),
            compaction_ratio: Some(ratio),
            next_request_tokens: Some(compacted + sent_again(visit.conversation, count, &fates)),
            compacted_messages: Some(summarised),
            retained_messages: Some(fates.len() - summarised),
            restored_files: done.restored_files.clone(),
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
            ..base
        }
    }

    /// The report of a conversation that stays as it is.
    fn unchanged(&self, visit: &Visit<'_, '_>) -> Report {
        Report {
            file: visit.plain_place(),
            profile: self.asked.options.profile.name,
            fates: vec![Fate::Kept; visit.conversation.messages.len()],
            compactions: compactions(visit.conversation),
            ..Report::default()
        }
    }
}
