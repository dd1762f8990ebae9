//! The messages about a shortening: what was done, what was removed with it, and what is still over a limit.
//!
//! Responsible for wording and timing; other modules decide whether anything is done.

use super::Shortening;
use crate::command::lost::tell_lost;
use crate::command::unused::{End, warn_of_unused};
use crate::command::{Shell, Visit};
use crate::conversation::Message;
use crate::document::{Edit, take_out};
use crate::line::counted;
use crate::resume::lost::lost_units;
use crate::subject::Subject;
use crate::summaries;
use crate::truncate::elide::window::Left;
use crate::truncate::step::Step;
use crate::truncate::{Shortened, clear, sealed, spill};

impl Shortening<'_> {
    /// Warns if no pause can be found, because messages have no times.
    pub(super) fn tell_timeless(&self, visit: &Visit<'_, '_>, shell: &Shell) {
        let is_told = !visit.is_one_of_many && self.policies.idle.is_some();
        if is_told && !clear::has_times(visit.conversation) {
            let place = visit.place();
            shell.warn(format_args!("{place}: --idle finds no pause: the messages have no times"));
        }
    }

    /// Reports the tokens of results that can't be shortened, if a policy would have shortened them.
    pub(super) fn tell_sealed(&self, subject: &Subject<'_, '_>, place: &str, shell: &Shell) {
        let sealed = sealed::sealed(subject, &self.policies).into_iter();
        let sealed = sealed.map(|(at, part)| subject.count.parts[at][part].tokens()).collect();
        let pictured = sealed::pictured(subject, &self.policies);
        let runs = " of tools that the provider runs";
        for (what, whose, tokens) in [("", runs, sealed), ("pictures or files in ", "", pictured)] {
            let (results, tokens) = (counted(tokens.len(), "result"), tokens.iter().sum::<usize>());
            if tokens > 0 {
                let what = format_args!("{what}{results}{whose}, {tokens} tokens");
                shell.warn(format_args!("{place}: not shortened: {what}"));
            }
        }
    }

    /// Reports what was done, and removed content that may be missed.
    pub(super) fn tell_shortened(
        &self,
        visit: &Visit<'_, '_>,
        subject: &Subject<'_, '_>,
        done: &Shortened,
        shell: &Shell,
    ) {
        let (place, edits) = (visit.place(), &done.settled.edits);
        let (before, after) = (subject.count.tokens(), done.settled.tokens);
        let name = |step: &Step| format!("{} {}", step.step, step.messages);
        let steps = done.steps.iter().map(name).collect::<Vec<_>>().join(", ");
        shell.done(format_args!("{place}: shortened ({steps}), {before} -> {after} tokens"));
        let is_end_gone =
            subject.conversation.messages.last().is_some_and(|it| is_gone(it, subject, edits));
        if let Some(budget) = self.policies.budget.filter(|_| is_end_gone) {
            let is_spared = |end: &End<'_>| !self.policies.tools.allow(&end.tool);
            let hint = "it is cut where --tools lets it";
            let hint = |end: &End<'_>| is_spared(end).then(|| hint.to_owned());
            warn_of_unused(subject, shell, &place, (after, budget), hint);
        }
        tell_lost_summary(subject, &place, edits, shell);
        self.tell_lost_end(subject, &place, edits, is_end_gone, shell);
        if subject.conversation.dialect.is_log() {
            let lost = lost_units(visit.document, visit.conversation, edits).len();
            tell_lost(shell, &place, lost, "removed; --append leaves them");
        }
    }

    /// Warns if calls that await their results are removed, or if a window is smaller than what has to stay
    /// together.
    fn tell_lost_end(
        &self,
        subject: &Subject<'_, '_>,
        place: &str,
        edits: &[Edit],
        is_end_gone: bool,
        shell: &Shell,
    ) {
        let messages = &subject.conversation.messages;
        let waiting = subject.pairs.in_flight(subject.conversation);
        if waiting.is_some_and(|at| is_gone(&messages[at], subject, edits)) {
            let what = "calls without a result yet go: their results would answer nothing";
            return shell.warn(format_args!("{place}: {what}"));
        }
        let all = messages.len();
        let together = all - subject.cuts.at_or_before(all.saturating_sub(1));
        let is_told = is_end_gone && self.policies.budget.is_none() && together > 1;
        if let Some(window) = self.policies.max_messages.filter(|_| is_told) {
            let why = format!("{together} that stay together, over --max-messages {window}");
            shell.warn(format_args!("{place}: the newest messages go, {why} with what stays"));
        }
    }

    /// Reports results and a last batch that are over a limit, and the number of messages if it is.
    pub(super) fn tell_over_limits(&self, visit: &Visit<'_, '_>, done: &Shortened, shell: &Shell) {
        let (rest, floor) = (done.in_last_batch, spill::FLOOR);
        if self.policies.tool_budget.is_some_and(|budget| rest > budget) {
            let why =
                format!("previews, results of {floor} bytes or less, and protected ones, stay");
            tell_over(visit, shell, &format!("the last batch holds {rest} bytes still: {why}"));
        }
        if done.over_limit > 0 {
            let stay = counted(done.over_limit, "result");
            let why = "cut, it would count no fewer tokens";
            tell_over(visit, shell, &format!("{stay} left over the limit: {why}"));
        }
        if let (Some(most), Some(Left { messages, pinned })) =
            (self.policies.max_messages, &done.in_window)
            && *messages > most
        {
            let why = if pinned.is_empty() {
                ": to drop more would save nothing".to_owned()
            } else {
                format!(", and all have to stay: {}", pinned.join(", "))
            };
            let stay = counted(*messages, "message");
            tell_over(visit, shell, &format!("{stay} left, over --max-messages {most}{why}"));
        }
    }
}

/// Warns that something is over a limit; among many conversations, only a remark.
fn tell_over(visit: &Visit<'_, '_>, shell: &Shell, what: &str) {
    let line = format_args!("{}: {what}", visit.place());
    if visit.is_one_of_many { shell.done(line) } else { shell.warn_when_done(line) }
}

/// Warns if the newest summary is removed.
fn tell_lost_summary(subject: &Subject<'_, '_>, place: &str, edits: &[Edit], shell: &Shell) {
    let summary = subject.conversation.messages.iter().rfind(|it| summaries::stands_in(it));
    if summary.is_some_and(|summary| is_gone(summary, subject, edits)) {
        let line = format_args!("{place}: the summary of what was before leaves no room and goes");
        shell.warn_with_hint(line, Some("`ctx compact` folds it into a smaller one"));
    }
}

/// Whether nothing of a message is left, at its place or joined with another message.
fn is_gone(message: &Message<'_>, subject: &Subject<'_, '_>, edits: &[Edit]) -> bool {
    let units = &subject.conversation.source.units;
    let is_out = |&unit: &usize| take_out(edits, &subject.document.span(units[unit].json));
    let is_moved = |text: &str| message.parts.iter().any(|it| text.contains(it.json.source()));
    message.units.last().is_some_and(is_out) && !edits.iter().any(|edit| is_moved(&edit.text))
}
