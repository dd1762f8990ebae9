//! What was run in place of a command that failed.
//!
//! Responsible for finding the way round: a later command that does the same to the same thing, with other options,
//! from another folder, through a wrapper or by another program. A command that shares nothing but the program is
//! none. Neither is one that ran after the user had asked for something else, or one that had already run before a
//! command was not found. Such a command only prevents the failed one from being told as not run again.

use super::INSTEAD;
use super::act::Act;
use super::run::{Run, has_passed};
use crate::digest::calls::Call;
use crate::digest::calls::{aim, commands};
use crate::line::on_one_line;

/// What follows a failed command.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Behind<'c> {
    /// No command that is like it.
    Nothing,
    /// A command that may be for the same purpose.
    Like,
    /// A command in its place: the index of the call, and the part of its command.
    Instead(usize, &'c str),
}

/// The limits within which a way round may stand.
#[derive(Clone, Copy)]
pub(super) struct Scope<'c> {
    /// The message in which the user asked for something else.
    pub(super) until: usize,
    /// The runs before the failure.
    pub(super) before: &'c [Option<Run<'c>>],
}

impl Scope<'_> {
    /// Whether a part of a later call ran while the user still wanted the same.
    fn has(&self, call: &Call, part: &str, lacking: &str) -> bool {
        let is_it = |run: &Run<'_>| run.acts().all().iter().any(|act| act.part == part);
        // A command that was already known was not chosen in place of one that is missing.
        let is_known = || !lacking.is_empty() && self.before.iter().flatten().any(is_it);
        call.place.0 < self.until && !is_known()
    }
}

impl<'c> Behind<'c> {
    /// Finds what followed when the run `failed` failed with `why`.
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
        // In another folder the same words check something else, unless they name what; so does a program alone.
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
            // Of several acts nobody knows which one failed. A differing act is the way round one of them.
            // An act that passed unchanged shows nothing, unless all passed and the command would say so.
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

    /// The text that tells the way round; empty if there is none.
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

/// The only act that the error speaks of, if there is exactly one: the others went well. Else all acts.
fn named<'c>(mut acts: Vec<Act<'c>>, why: &str) -> Vec<Act<'c>> {
    if acts.iter().filter(|act| act.is_named_in(why)).count() == 1 {
        acts.retain(|act| act.is_named_in(why));
    }
    acts
}
