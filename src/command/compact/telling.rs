//! The messages about a compaction: during the run, at its end, and if there is none.
//!
//! Responsible for wording; other modules decide whether anything is done.

use std::fmt::{self, Write as _};

use globset::{Glob, GlobSet, escape};

use super::asked::Asked;
use super::author::who;
use super::{Case, Compaction, Summary};
use crate::cli::compact::Summarizer;
use crate::command::lost::tell_lost;
use crate::command::unused::{End, warn_of_unused};
use crate::command::{Shell, Unfit, Visit};
use crate::compact::report::{Fate, Report};
use crate::compact::{Compacted, Options, least_budget, leaves_room};
use crate::conversation::{Kind, Message};
use crate::draft::Draft;
use crate::line::counted;
use crate::profile::Tail;
use crate::reread::Form;
use crate::subject::Subject;
use crate::summaries;
use crate::truncate::clear::{self, Tools};
use crate::truncate::spill::{self, FLOOR};
use crate::truncate::step::StepKind;

/// The factor from which on a provider's size can't be that of this conversation: estimates are off by at
/// most two, and the text that an agent adds is seldom more than a few times the conversation.
const UNLIKE: usize = 10;

/// Why a summary that was asked for is empty.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Missing {
    /// There was no room to write it.
    NoRoom,
    /// The removed messages hold nothing to report.
    NothingToSay,
}

impl Missing {
    pub(super) fn of(empty: &Summary) -> Self {
        if empty.had_room { Self::NothingToSay } else { Self::NoRoom }
    }
}

impl fmt::Display for Missing {
    fn fmt(&self, f: &mut fmt::Formatter) -> fmt::Result {
        f.write_str(match self {
            Self::NoRoom => "no room for a summary",
            Self::NothingToSay => "nothing to say in a summary",
        })
    }
}

/// The fewest bytes for which an exact count is skipped if it decides nothing.
const LONG: usize = 1 << 20;

impl Compaction<'_> {
    /// Whether the size in bytes proves that a conversation is under the threshold and within the budget, so
    /// that counting its tokens can be skipped.
    pub(super) fn is_plainly_under(&self, visit: &Visit<'_, '_>) -> bool {
        let Asked { threshold, options, .. } = &self.asked;
        let Some(most) = threshold.checked_sub(1) else { return false };
        let most = if self.arguments.budget.is_some() { most.min(options.budget) } else { most };
        let is_short = visit.is_one_of_many || visit.document.bytes().len() < LONG;
        let is_wanted = !self.is_counted(visit) && is_short;
        !is_wanted && self.meter.is_surely_within(visit.conversation, most)
    }

    /// Reports that it is under the threshold, with its token count if known.
    pub(super) fn tell_under(&self, visit: &Visit<'_, '_>, tokens: Option<usize>, shell: &Shell) {
        let Asked { threshold, options, .. } = &self.asked;
        let is_over =
            self.arguments.budget.is_some() && tokens.is_some_and(|it| options.budget < it);
        if self.is_counted(visit) {
            return if is_over { shell.count_over() } else { shell.count_staying() };
        }
        let hint = match self.arguments.limits.threshold {
            Some(_) => "--threshold sets it; --force compacts to the budget",
            None => "the window sets it; --force compacts to the budget",
        };
        let place = visit.place();
        let tokens = tokens.map(|it| counted(it, "token") + ", ").unwrap_or_default();
        let line = format_args!("{place}: {tokens}under the threshold of {threshold}: unchanged");
        match self.arguments.limits.threshold {
            // Staying under a threshold that was asked for is what was asked for.
            Some(_) if is_over => shell.say_with_hint(line, Some(hint)),
            None if is_over => shell.warn_with_hint(line, Some(hint)),
            _ => shell.say(line),
        }
    }

    /// Reports that nothing has to be done.
    pub(super) fn tell_fit(&self, case: Case<'_, '_, '_>, shell: &Shell) {
        let Case { visit, subject, options, place } = case;
        if self.is_counted(visit) {
            return shell.count_staying();
        }
        let (tokens, budget) = (subject.count.tokens(), options.budget);
        let fits = format_args!("fit the budget of {budget}");
        // A threshold below the budget says when to compact, not how far.
        let threshold = self.asked.threshold;
        let is_under = self.arguments.limits.threshold.is_some() && threshold < budget;
        let least = (is_under || self.arguments.force).then(|| least_budget(subject, options));
        let hint = least.filter(|&least| least < tokens).map(|least| {
            let mut hint = if least + 1 == tokens {
                format!("--budget {least} compacts it")
            } else {
                format!("--budget from {least} to {} compacts it", tokens - 1)
            };
            if is_under {
                let _ = write!(hint, ": the threshold is {threshold}");
            }
            hint
        });
        let line = format_args!("{place}: {tokens} tokens {fits}: unchanged");
        shell.say_with_hint(line, hint.as_deref());
    }

    /// Whether unchanged conversations are reported together, as for a data set that is written.
    pub(super) fn is_counted(&self, visit: &Visit<'_, '_>) -> bool {
        visit.is_one_of_many && !self.arguments.dry_run
    }

    /// Asks whether the provider's error belongs to this conversation, if their sizes differ much. Not asked
    /// for several conversations, as the error belongs to at most one.
    pub(super) fn tell_other_size(&self, visit: &Visit<'_, '_>, tokens: usize, shell: &Shell) {
        let size = self.asked.overflow.as_ref().and_then(|overflow| overflow.size);
        let Some(size) = size.filter(|_| !visit.is_one_of_many) else { return };
        if size.min(tokens).saturating_mul(UNLIKE) < size.max(tokens) {
            let (place, counts) = (visit.place(), counted(tokens, "token"));
            shell.say(format_args!(
                "{place}: {counts}, and the error is of {size}: is it of another conversation?"
            ));
        }
    }

    /// Reports what was done, with the limits of the result.
    pub(super) fn tell(
        &self,
        case: Case<'_, '_, '_>,
        shell: &Shell,
        report: &Report,
        done: &Compacted<Summary>,
        missing: Option<Missing>,
    ) {
        let Case { visit, subject, options, place } = case;
        visit.tell_repairs(shell, &done.settled);
        self.tell_sizes(place, shell, report);
        Self::tell_no_summary(place, shell, report, missing);
        Self::tell_cut_summary(place, shell, done.summary.as_ref());
        if subject.conversation.dialect.is_log() {
            self.tell_lost(place, shell, report);
        }
        let is_named = |path: &&str| done.settled.edits.iter().any(|it| it.text.contains(*path));
        if let Some(path) = report.archive.as_deref().filter(|path| !is_named(path)) {
            shell.done(format_args!("{place}: the originals are in {path}"));
        }
        tell_dropped_requests(shell, case, &done.fates);
        let has_no_summary = done.summary.as_ref().is_some_and(Summary::is_empty);
        let mut messages = subject.conversation.messages.iter().zip(&done.fates);
        let is_lost = |(message, fate): (&Message<'_>, &Fate)| {
            *fate != Fate::Kept && message.has(Kind::Text) && summaries::stands_in(message)
        };
        if has_no_summary && missing.is_none() && messages.any(is_lost) {
            let is_off = who(self.arguments) == Summarizer::None;
            let hint = is_off.then_some("`--summarizer digest` folds it into a smaller one");
            let line =
                format_args!("{place}: the summary of what was before goes, without another");
            shell.warn_with_hint(line, hint);
        }
        if results_cut(report) > 0
            && let Some(hint) = to_files(case)
        {
            let line = format_args!("{place}: the newest result is cut: it leaves no room");
            shell.say_with_hint(line, Some(&hint));
        }
        if done.summary.is_some() {
            tell_short_tail(case, shell, report);
            tell_unprotected(shell, case, &done.fates);
        }
        if options.keep_tail.is_none()
            && options.profile.tail != Tail::None
            && matches!(done.fates[..], [.., Fate::Summarised | Fate::Dropped])
            && done.settled.tokens < options.budget / 2
        {
            let used = (done.settled.tokens, options.budget);
            warn_of_unused(subject, shell, place, used, |_| None);
        }
    }

    /// Reports the sizes, and the steps that made the difference.
    fn tell_sizes(&self, place: &str, shell: &Shell, report: &Report) {
        let became = |what: Fate| report.fates.iter().filter(|fate| **fate == what).count();
        let (summarised, dropped) = (became(Fate::Summarised), became(Fate::Dropped));
        let has_summary = report.steps.iter().any(|step| step.step == StepKind::Summarise);
        if report.compactions > 1 && has_summary {
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
        let cut = results_cut(report);
        let what = match (summarised, dropped) {
            (0, 0) if has_summary && report.compactions > 1 => {
                "compacted, the earlier summary folded into a smaller one".to_owned()
            }
            (0, 0) if cut > 0 => "compacted".to_owned(),
            (0, 0) if has_summary => "compacted, the newest request cut".to_owned(),
            // If another summarizer was named, tell that it was not asked.
            (0, 0) if who(self.arguments).is_not_our_own() => {
                "shortened, no summary was needed".to_owned()
            }
            (0, 0) => "shortened".to_owned(),
            (0, some) => format!("shortened, {} dropped", counted(some, "message")),
            (some, 0) => format!("compacted, {} summarised", counted(some, "message")),
            (some, more) => {
                format!("compacted, {} summarised, {more} dropped", counted(some, "message"))
            }
        };
        let cut = if cut > 0 { format!(", {} cut", counted(cut, "result")) } else { String::new() };
        shell.done(format_args!(
            "{place}: {would}{what}{cut}, {} -> {} tokens",
            report.original_tokens.unwrap_or(0),
            report.compacted_tokens.unwrap_or(0),
        ));
    }

    /// Warns if an answer was cut for lack of room.
    fn tell_cut_summary(place: &str, shell: &Shell, summary: Option<&Summary>) {
        let Some(summary) = summary.filter(|it| it.cut > 0) else { return };
        let larger = if summary.is_bound { "--max-summary-tokens" } else { "--budget" };
        let hint = format!("a larger {larger} has room for it, or a shorter one is asked for");
        let cut = counted(summary.cut, "token");
        let line = format_args!("{place}: {cut} of the summary leave no room: its middle goes");
        shell.warn_with_hint(line, Some(&hint));
    }

    /// Warns if a summary was asked for but is missing.
    fn tell_no_summary(place: &str, shell: &Shell, report: &Report, missing: Option<Missing>) {
        let Some(why) = missing else { return };
        let dropped = report.fates.iter().filter(|fate| **fate == Fate::Dropped).count();
        let hint = "a larger --budget, or less that is to stay, leaves room for one";
        let what = counted(dropped, "message");
        let line = format_args!("{place}: {why}: none stands for {what}");
        shell.warn_with_hint(line, (why == Missing::NoRoom).then_some(hint));
    }

    /// The error for a budget that can't be met, with the least budget that can.
    pub(super) fn too_small(&self, case: Case<'_, '_, '_>, least: usize) -> Unfit {
        let Case { visit, subject, options, .. } = case;
        let pinned = options.pins_tools || options.keep_results.is_some();
        let results = if pinned { ", results that are to stay" } else { "" };
        let keeps_first = options.keep_first_user || options.profile.first_user;
        let first = if keeps_first { ", first request" } else { "" };
        // In a log, the instructions may be dropped, but no appended record takes those of its header away.
        let may_go = subject.conversation.dialect.is_log() && options.form == Form::Shorter;
        let instructions = if may_go { "" } else { "instructions, " };
        let reason = format!(
            "{instructions}newest request{first}{results} and the least that can stand for the rest count {least} tokens"
        );
        let is_above = self.asked.window.is_some_and(|window| window < least);
        let window = if is_above { ", in a --window as large" } else { "" };
        Unfit::over_budget(visit, reason, least, window)
    }

    /// Reports which lines of a log are removed beside the messages, and where they are saved.
    fn tell_lost(&self, place: &str, shell: &Shell, report: &Report) {
        let would = if self.arguments.dry_run { "would be " } else { "" };
        let fate = match &report.archived_lines {
            Some(path) => format!("saved in {path}"),
            None if self.arguments.archive.is_some() && !self.arguments.dry_run => {
                "could not be saved".to_owned()
            }
            None if report.lines_removed == 1 => "--archive DIR saves it".to_owned(),
            None => "--archive DIR saves them".to_owned(),
        };
        let goes = format!("{would}removed; {fate}");
        tell_lost(shell, place, report.lines_removed, &goes);
    }
}

/// The number of results that are cut.
fn results_cut(report: &Report) -> usize {
    report.steps.iter().find(|step| step.step == StepKind::Cut).map_or(0, |step| step.messages)
}

/// A hint to let more of the newest results go to files, if the rest would then stay whole.
fn to_files(case: Case<'_, '_, '_>) -> Option<String> {
    let Case { subject, options, .. } = case;
    let is_larger = options.tool_budget.is_some_and(|bytes| bytes > FLOOR);
    let end = End::of(subject).filter(|_| is_larger)?;
    let rest = spill::rest_of_result(subject, &options.tools, end.largest)?;
    let fits = rest * end.results <= options.budget;
    fits.then(|| format!("--tool-budget {FLOOR} lets more go to files"))
}

/// Reports how many user messages a window removed without a summary.
fn tell_dropped_requests(shell: &Shell, case: Case<'_, '_, '_>, fates: &[Fate]) {
    let messages = case.subject.conversation.messages.iter().zip(fates);
    let dropped = messages.filter(|(it, fate)| **fate == Fate::Dropped && it.is_request()).count();
    let has_window = case.options.profile.cheap_edits.is_some_and(|it| it.messages.is_some());
    if dropped > 0 && has_window {
        let line = format_args!(
            "{}: {} of the user's went, and no summary tells of that",
            case.place,
            counted(dropped, "message")
        );
        shell.warn_with_hint(line, Some("--profile standard sums them up; --archive saves them"));
    }
}

/// Warns if fewer of the newest messages stay than the user or the profile asked for.
fn tell_short_tail(case: Case<'_, '_, '_>, shell: &Shell, report: &Report) {
    let Case { subject: Subject { count, .. }, options, place, .. } = case;
    let fates = report.fates.iter().zip(&count.messages).rev();
    let stays = |fate: &Fate| !matches!(fate, Fate::Summarised | Fate::Dropped);
    let tail = fates.take_while(|(fate, _)| stays(fate)).map(|(_, tally)| tally.tokens());
    let (messages, tokens) = tail.fold((0, 0), |(messages, all), one| (messages + 1, all + one));
    let wanted = match (options.keep_tail, options.profile.tail) {
        (Some(most), _) => (tokens < most).then(|| format!("{most} tokens")),
        (None, Tail::Messages(most)) => (messages < most).then(|| most.to_string()),
        _ => None,
    };
    if let Some(wanted) = wanted {
        shell.warn_when_done(format_args!(
            "{place}: fewer than {wanted} of the newest messages stay"
        ));
    }
}

/// Reports tools whose newest results, protected by default, do not stay because they take too much room.
fn tell_unprotected(shell: &Shell, case: Case<'_, '_, '_>, fates: &[Fate]) {
    let Case { subject, options, place, .. } = case;
    if options.pins_tools || options.tools.keep.is_none() {
        return;
    }
    let mut newest: Vec<(usize, String)> = Vec::new();
    let results = clear::results(&Draft::new(subject.conversation), subject.pairs);
    for ((at, _), tool) in results.into_iter().rev() {
        if options.tools.protect(&tool) && newest.iter().all(|(_, known)| *known != tool) {
            newest.push((at, tool));
        }
    }
    newest.retain(|(at, _)| matches!(fates[*at], Fate::Summarised | Fate::Dropped));
    for (_, tool) in newest {
        let hint = if would_stay(case, &tool) {
            format!("; --keep-tools {tool} keeps it")
        } else {
            String::new()
        };
        shell.done(format_args!("{place}: the newest result of {tool} is too large to stay{hint}"));
    }
}

/// Whether the results of a tool would stay if that were asked for, with room left for a summary.
fn would_stay(case: Case<'_, '_, '_>, tool: &str) -> bool {
    let Case { subject, options, .. } = case;
    let Ok(glob) = Glob::new(&escape(tool)).and_then(|glob| GlobSet::new([glob])) else {
        return false;
    };
    let tools = Tools { keep: Some(glob), ..options.tools.clone() };
    leaves_room(subject, &Options { tools, pins_tools: true, ..options.clone() })
}
