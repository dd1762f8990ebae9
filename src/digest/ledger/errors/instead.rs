//! What was run in place of a command that failed.
//!
//! Responsible for the way round: a later command that does the same to the same thing, with other options,
//! from another folder, through a wrapper or by another program. It is not told for one where nothing but
//! the program is the same, nor where it is none: the user had asked for something since, or it had run before
//! another failed that is not there.
//! Then only nothing is said of its not running again.

use super::INSTEAD;
use super::act::Act;
use super::run::{Run, has_passed};
use crate::digest::calls::Call;
use crate::digest::calls::{aim, commands};
use crate::line::on_one_line;

/// What a failed command has behind it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Behind<'c> {
    /// Nothing that is like it.
    Nothing,
    /// Something that may be of the same.
    Like,
    /// This part of the command of a later call.
    Instead(usize, &'c str),
}

/// Where a way round may stand.
#[derive(Clone, Copy)]
pub(super) struct Scope<'c> {
    /// The message with which the user asked for something else.
    pub(super) until: usize,
    /// What had run before.
    pub(super) before: &'c [Option<Run<'c>>],
}

impl Scope<'_> {
    /// Whether a part of a later call was run as long as the user wanted the same.
    fn has(&self, call: &Call, part: &str, lacking: &str) -> bool {
        let is_it = |run: &Run<'_>| run.acts().all().iter().any(|act| act.part == part);
        // What was known before was not looked for in place of what is not there.
        let is_known = || !lacking.is_empty() && self.before.iter().flatten().any(is_it);
        call.place.0 < self.until && !is_known()
    }
}

impl<'c> Behind<'c> {
    /// What followed when `failed` had failed with `why`.
    pub(super) fn of(
        failed: &Run<'_>,
        why: &str,
        later: &[Call],
        runs: &'c [Option<Run<'c>>],
        scope: Scope<'_>,
    ) -> Self {
        const LACKS: &[&str] =
            &["not found", "no task", "unknown command", "is not recognized", "issing script"];
        let lacking = if LACKS.iter().any(|words| why.contains(words)) { why } else { "" };
        let (own, is_check) = (named(failed.own_acts(), why), aim::is_check(failed.core));
        // The same words check something else in another folder, unless they name what; so does a program alone.
        let is_anywhere = !lacking.is_empty()
            || own.iter().any(Act::names_one_thing)
            || !is_check && !own.iter().any(|act| act.is_bare);
        let mut found = Self::Nothing;
        for (at, run) in runs.iter().enumerate() {
            let has_ended = later[at].outcome.failed || has_passed(&later[at]);
            let has_begun = has_ended || later[at].outcome.is_running();
            let is_here = |run: &&Run<'_>| has_begun && !(is_check && run.is_elsewhere());
            let Some(run) = run.as_ref().filter(is_here) else { continue };
            let others = run.acts();
            let sent = later[at].outcome.line.as_deref().and_then(|line| line.rsplit_once(" -> "));
            let sends = |act: &Act<'_>, other: &Act<'_>| {
                sent.is_some_and(|(_, branch)| act.is_sent_by(other, branch))
            };
            let instead = |act: &Act<'_>| {
                let mut near = others.near(act);
                near.find(|other| act.is_instead(other, why, lacking) || sends(act, other))
            };
            // Of several nobody knows which failed: the way round one of them shows it, and that one of them
            // went well as it was does not, nor where the command does not say so.
            let around: Vec<_> = own.iter().filter_map(|act| Some((act, instead(act)?))).collect();
            let differing = around.iter().rfind(|(act, other)| act.part != other.part);
            let instead = differing.map(|(_, other)| *other).or_else(|| {
                let (_, last) = around.last().filter(|_| around.len() == own.len())?;
                run.tells(last.part).then_some(*last)
            });
            let is_like = |act: &Act<'_>| {
                let mut near = others.near(act);
                near.any(|other| act.is_like(other, lacking) && !act.is_apart(other, why))
            };
            let checks_it = has_ended && (is_anywhere || run.within == failed.within);
            let around = instead.filter(|_| checks_it);
            if let Some(act) = around.filter(|act| scope.has(&later[at], act.part, lacking)) {
                found = Self::Instead(at, act.part);
                if has_passed(&later[at]) {
                    break;
                }
            } else if found == Self::Nothing
                && (around.is_some() || failed.acts().all().iter().any(is_like))
            {
                found = Self::Like;
            }
        }
        found
    }

    /// What is told of it, if anything.
    pub(super) fn told(self, later: &[Call]) -> String {
        let Self::Instead(at, part) = self else { return String::new() };
        let ended = if later[at].outcome.failed { "failed" } else { "ok" };
        format!(
            "{INSTEAD}`{}` {ended} [{}]",
            commands::named(&on_one_line(part)),
            later[at].place.0
        )
    }
}

/// Of what a command does, that one of which alone its error speaks, if there is one: the rest went well.
fn named<'c>(mut acts: Vec<Act<'c>>, why: &str) -> Vec<Act<'c>> {
    if acts.iter().filter(|act| act.is_named_in(why)).count() == 1 {
        acts.retain(|act| act.is_named_in(why));
    }
    acts
}
