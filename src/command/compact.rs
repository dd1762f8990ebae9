//! `ctx compact`: a summary in place of the middle.

mod author;

use std::fs;
use std::io::Write;
use std::path::Path;

use anyhow::Context as _;

use crate::archive::Archive;
use crate::cli::compact::Compact;
use crate::command::rewrite::{Rewrite, rewrite_each};
use crate::command::truncate::tools;
use crate::command::{self, Outcome, Shell, Trouble, Visit, WINDOW, meter, read_each};
use crate::compact::rebuild::Rebuild;
use crate::compact::report::{Fate, Report};
use crate::compact::{Compacted, Form, Options, Plan, Subject, carry_out, plan, profile};
use crate::conversation::Origin;
use crate::count::{Count, Meter};
use crate::document::Edit;
use crate::json::Json;
use crate::numbers::Threshold;
use crate::output::Stdout;
use crate::pairing::{Cuts, Pairs};
use crate::summarizer::{Breaker, Overflow, overflow};
use author::{Author, Commission, Summary};

/// Whose results survive where `--keep-tools` says nothing: the state of the agent's plan.
const PLAN_TOOLS: &[&str] = &["manage_todo_list", "todo_write", "TodoWrite", "update_plan"];

/// The share that a compaction aims to save at least: less is not worth a new prompt cache.
const MIN_SAVING: f64 = 0.05;

/// Writes the compacted conversations.
///
/// # Errors
///
/// The arguments contradict each other, or the output can't be written.
pub fn run(arguments: &Compact) -> anyhow::Result<Outcome> {
    let mut shell = Shell::new(arguments.writing.quiet);
    let breaker = Breaker::default();
    let make = || Compaction::new(arguments, &breaker);
    // A report is a line of JSON.
    let mut reports = String::new();
    let mut report = |line: String| reports.extend([line, "\n".to_owned()]);
    if arguments.dry_run {
        let mut compaction = make()?;
        let visit = &mut |visit: &Visit<'_, '_>, shell: &mut Shell| {
            let (_, lines) = compaction.edits(visit, shell)?;
            lines.into_iter().for_each(&mut report);
            Ok(())
        };
        read_each(&arguments.reading, &mut shell, visit, |_, _| Ok(()));
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
    options: Options,
    threshold: usize,
    /// Per mille of the tokens that have to be saved, or nothing is done.
    least_saving: usize,
    overflow: Option<Overflow>,
    author: Author<'r>,
}

impl Rewrite for Compaction<'_> {
    type Report = String;

    fn edits(
        &mut self,
        visit: &Visit<'_, '_>,
        shell: &mut Shell,
    ) -> anyhow::Result<(Vec<Edit>, Vec<String>)> {
        let (edits, report) = self.one(visit, shell)?;
        let wanted = self.arguments.report.as_ref().map(|_| serde_json::to_string(&report));
        Ok((edits, wanted.transpose()?.into_iter().collect()))
    }
}

impl<'r> Compaction<'r> {
    fn new(arguments: &'r Compact, breaker: &'r Breaker) -> anyhow::Result<Self> {
        let (meter, model_window) = meter(&arguments.counting)?;
        let known = arguments.limits.window.or(model_window);
        let window = known.unwrap_or(WINDOW);
        let budget = arguments.budget.unwrap_or(window / 4);
        let threshold = match (arguments.limits.threshold, arguments.reserve, arguments.budget) {
            (Some(threshold), ..) => threshold.within(window),
            (None, Some(reserve), _) => window.saturating_sub(reserve),
            (None, None, Some(budget)) if known.is_none() => budget,
            _ => Threshold::default().within(window),
        };
        let mut tools = tools(&arguments.tool_names)?;
        if tools.keep.is_none() {
            let mut set = globset::GlobSetBuilder::new();
            for name in PLAN_TOOLS {
                set.add(globset::Glob::new(name)?);
            }
            tools.keep = Some(set.build()?);
        }
        #[allow(
            clippy::cast_possible_truncation,
            clippy::cast_sign_loss,
            reason = "a share between 0 and 1"
        )]
        let per_mille = |share: f64| (share * 1000.0).round() as usize;
        // Asked for, it is a condition and not an aim.
        let aim = if arguments.min_saving.is_some() { 0 } else { per_mille(MIN_SAVING) };
        let least_saving = arguments.min_saving.map_or(0, per_mille);
        let options = Options {
            budget,
            profile: profile::named(&arguments.profile).unwrap_or(&profile::PROFILES[0]),
            keep_first_user: arguments.keep_first_user,
            keep_users: arguments.keep_users,
            keep_tail: arguments.keep_tail,
            keep_results: arguments.keep_results,
            restore: arguments.restore,
            tools,
            min_saving: aim,
            form: if arguments.append { Form::Appended } else { Form::Shorter },
        };
        let overflow = arguments.overflow.as_deref().map(read_overflow).transpose()?;
        let author = Author::new(arguments, breaker)?;
        Ok(Self { arguments, meter, options, threshold, least_saving, overflow, author })
    }

    /// The edits that compact one conversation, and what they do.
    fn one(&self, visit: &Visit<'_, '_>, shell: &mut Shell) -> anyhow::Result<(Vec<Edit>, Report)> {
        let conversation = visit.conversation;
        let count = self.meter.count(conversation);
        let tokens = count.tokens();
        let place = visit.place();
        let is_forced = self.arguments.force || self.overflow.is_some();
        if tokens < self.threshold && !is_forced {
            let threshold = self.threshold;
            let under = format_args!("under the threshold of {threshold}");
            shell.say(format_args!("{place}: {tokens} tokens, {under}: unchanged"));
            return Ok((Vec::new(), self.unchanged(visit, &place)));
        }
        let options = match &self.overflow {
            Some(overflow) => {
                let budget = self.options.budget.min(budget_after(overflow, tokens));
                &Options { budget, tools: self.options.tools.clone(), ..self.options }
            }
            None => &self.options,
        };
        let pairs = Pairs::of(&conversation.messages);
        let cuts = Cuts::of(conversation, &pairs);
        let subject = Subject {
            document: visit.document,
            shape: visit.shape,
            conversation,
            pairs: &pairs,
            cuts: &cuts,
            meter: &self.meter,
            count: &count,
        };
        let plan = plan(&subject, options).map_err(|infeasible| {
            let least = infeasible.least;
            Trouble::new(
                format!("instructions, newest request and the least summary count {least} tokens"),
                format!("the least feasible budget is --budget {least}"),
            )
        })?;
        let budget = options.budget;
        let is_fit = matches!(plan, Plan::Fits);
        if is_fit {
            let fits = format_args!("fit the budget of {budget}");
            shell.say(format_args!("{place}: {tokens} tokens {fits}: unchanged"));
        }
        let archive = match &plan {
            Plan::Summarise(rebuild, _) => {
                if rebuild.clips_newest_request() {
                    shell
                        .say(format_args!("{place}: the newest request is cut, it leaves no room"));
                }
                self.show_requests(&subject, rebuild)?;
                self.archive(visit, shell, |at| !rebuild.kept[at])
            }
            Plan::Fits | Plan::Shortened(..) => None,
        };
        let path = archive.as_ref().map(|archive| archive.path.display().to_string());
        let archive_path = path.as_deref();
        let mut commission = Commission::of(&place, archive_path);
        let done = carry_out(&subject, plan, options, |rebuild| {
            let summary = self.author.write(shell, &subject, rebuild, &mut commission)?;
            let text = summary.text.clone();
            Some((summary, text))
        });
        let discard = |archive: Option<Archive>| archive.into_iter().for_each(Archive::discard);
        let is_unappendable = done.is_none() && !is_fit && options.form == Form::Appended;
        let is_kept = done.as_ref().is_some_and(|done| self.keeps(done, tokens));
        // Why there is no summary was said already.
        let is_made = done.is_some();
        let Some(done) = done.filter(|_| is_kept) else {
            discard(archive);
            // Somebody wrote a summary, and yet there is nothing to append.
            if is_unappendable && commission.failure.is_none() && !commission.is_declined {
                let dialect = conversation.dialect.name();
                let reason = format!("{dialect} has no records of a compaction to append");
                return Err(Trouble::new(reason, "leave out --append").into());
            }
            if is_made && !is_fit {
                shell.say(format_args!("{place}: too little would be saved: unchanged"));
            }
            let unchanged = (Vec::new(), self.unchanged(visit, &place));
            return commission.failure.map_or(Ok(unchanged), Err);
        };
        if done.settled.tokens > budget {
            discard(archive);
            let tokens = done.settled.tokens;
            let reason = format!("the result would count {tokens} tokens, more than {budget}");
            return Err(Trouble::new(reason, "a larger --budget, or a smaller --keep-tail").into());
        }
        let goes = |at: usize| done.fates[at] != Fate::Kept;
        let archive = match archive {
            Some(archive) => archive.rewrite(&removed(visit, goes)).map(|()| archive).ok(),
            None => self.archive(visit, shell, goes),
        };
        let archive = archive.map(|archive| archive.path.display().to_string());
        let report = Report { archive, ..self.report(visit, &place, &count, &done) };
        visit.tell_repairs(shell, &done.settled);
        self.tell(shell, &report);
        Ok((done.settled.edits, report))
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
        saved > 0 && saved * 1000 >= before * self.least_saving
    }

    /// Says what was done.
    fn tell(&self, shell: &Shell, report: &Report) {
        let place = &report.file;
        if report.compactions > 1 {
            let times = report.compactions;
            shell.say(format_args!(
                "{place}: compacted {times} times now; repeated compaction costs accuracy"
            ));
        }
        let would = if self.arguments.dry_run { "would be " } else { "" };
        let summarised = report.fates.iter().filter(|fate| **fate == Fate::Summarised).count();
        let what = match summarised {
            0 => "shortened".to_owned(),
            1 => "compacted, 1 message summarised".to_owned(),
            more => format!("compacted, {more} messages summarised"),
        };
        shell.say(format_args!(
            "{place}: {would}{what}, {} -> {} tokens",
            report.original_tokens.unwrap_or(0),
            report.compacted_tokens.unwrap_or(0),
        ));
    }

    /// Saves the messages that may go, before anybody is asked for a summary: its path stands in it. A
    /// failure is a warning, not a stop.
    fn archive(
        &self,
        visit: &Visit<'_, '_>,
        shell: &Shell,
        goes: impl Fn(usize) -> bool,
    ) -> Option<Archive> {
        let directory = self.arguments.archive.as_deref().filter(|_| !self.arguments.dry_run)?;
        let messages = removed(visit, goes);
        let written = Archive::write(directory, &self.session(visit), &messages);
        written
            .inspect_err(|error| {
                let (place, directory) = (visit.place(), directory.display());
                shell.warn(format_args!("{place}: could not archive to {directory}: {error}"));
            })
            .ok()
    }

    /// The session's name: as given, the log's own, the file's, or `stdin`.
    fn session(&self, visit: &Visit<'_, '_>) -> String {
        let own = || visit.conversation.dialect.session(&visit.conversation.source);
        let stem =
            || visit.name.path()?.file_stem().map(|stem| stem.to_string_lossy().into_owned());
        self.arguments.session.clone().or_else(own).or_else(stem).unwrap_or("stdin".to_owned())
    }

    fn report(
        &self,
        visit: &Visit<'_, '_>,
        place: &str,
        count: &Count,
        done: &Compacted<Summary>,
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
            steps: done.steps.clone(),
            fates,
            first_changed_message: first_changed,
            cache_tokens_lost: lost,
            compactions: unchanged.compactions
                + usize::from(done.fates.contains(&Fate::Summarised)),
            ..unchanged
        }
    }

    /// The report of a conversation that stays as it is.
    fn unchanged(&self, visit: &Visit<'_, '_>, place: &str) -> Report {
        let messages = &visit.conversation.messages;
        let summaries = messages.iter().filter(|message| message.origin == Origin::Summary);
        Report {
            file: place.to_owned(),
            compacted: false,
            original_tokens: None,
            compacted_tokens: None,
            compaction_ratio: None,
            compacted_messages: None,
            retained_messages: None,
            profile: self.options.profile.name,
            summarizer: None,
            attempts: 0,
            requests: Vec::new(),
            steps: Vec::new(),
            fates: vec![Fate::Kept; messages.len()],
            archive: None,
            first_changed_message: None,
            cache_tokens_lost: None,
            compactions: summaries.count(),
        }
    }
}

/// The units of the messages that go, or that do not stay as they were.
fn removed<'a>(visit: &Visit<'_, 'a>, goes: impl Fn(usize) -> bool) -> Vec<Json<'a>> {
    let conversation = visit.conversation;
    let messages = conversation.messages.iter().enumerate().filter(|(at, _)| goes(*at));
    let mut units: Vec<usize> = messages.flat_map(|(_, message)| message.units.clone()).collect();
    units.sort_unstable();
    units.dedup();
    units.into_iter().map(|unit| conversation.source.units[unit].json).collect()
}

/// Reads a provider's error.
fn read_overflow(path: &Path) -> anyhow::Result<Overflow> {
    let text = fs::read_to_string(path)
        .with_context(|| format!("could not read the error {}", path.display()))?;
    overflow(&text).ok_or_else(|| {
        Trouble::new(
            format!("{} holds no overflow error", path.display()),
            "rate limits and other errors are not cured by compaction; wait, or see the provider",
        )
        .into()
    })
}

/// What a conversation of `tokens` may count at most after its provider refused it: the provider
/// counts more than we do, by a factor or by what it adds, so the smaller of both bounds holds, less
/// a twentieth for the reply. Without figures the half of it.
fn budget_after(overflow: &Overflow, tokens: usize) -> usize {
    match (overflow.room().or(overflow.limit), overflow.size) {
        (Some(limit), Some(size)) if size > 0 => {
            let by_factor = limit.saturating_mul(tokens) / size;
            let by_addition = limit.saturating_sub(size.saturating_sub(tokens));
            // Where what it adds would take all, most of the difference is its way of counting.
            by_factor.min(by_addition.max(by_factor / 2)) / 20 * 19
        }
        (Some(limit), _) => (limit / 20 * 19).min(tokens / 2),
        (None, _) => tokens / 2,
    }
}
