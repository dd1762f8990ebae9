//! The command that a call ran, and whether it passed.
//!
//! Responsible for recognising the same command in another run.

use std::cell::OnceCell;

use crate::digest::calls::Call;
use crate::digest::calls::folder::Folder;
use crate::digest::calls::shell::git;
use crate::digest::calls::steps::{self, CommandStep};
use crate::digest::calls::{aim, commands, outcome, shell};
use crate::digest::files::paths;
use crate::hash::hash;
use crate::line::on_one_line;

/// How many bytes the beginning of a step has at least that tells it from others.
const TELLING: usize = 20;

/// The run of a command by a call.
#[derive(Default)]
pub(crate) struct Run<'c> {
    pub(super) core: &'c str,
    /// The folder that it ran in, relative to that of the work.
    pub(super) within: &'c Folder,
    whole: &'c str,
    /// The folder in which the session began, empty if it is unknown.
    home: &'c str,
    // These are computed when they are first asked for, which for most runs is never.
    identity: OnceCell<Box<str>>,
    on_one_line: OnceCell<Box<str>>,
    steps: OnceCell<Box<[CommandStep]>>,
    /// The hashes of what the steps run whose success a passed run shows, with the index of the step; sorted.
    told: OnceCell<Box<[(u64, usize)]>>,
}

impl<'c> Run<'c> {
    pub(super) fn of(command: &'c str, within: &'c Folder, home: &'c str) -> Self {
        Self { core: aim::core(command), within, whole: command, home, ..Self::default() }
    }

    /// The key that all runs of the same command share.
    pub(super) fn identity(&self) -> &str {
        let apart = || self.within.apart(commands::identity(self.whole)).into();
        self.identity.get_or_init(apart)
    }

    /// Returns a closure that is called with one passed run after another. It returns true once all that
    /// may have failed in this run with `why` has passed, at once or step by step: the checks if `why` is
    /// the error of one, else every step that may fail so. A check has passed too once one has that selects all
    /// tests which `why` names.
    pub(super) fn until_run(&self, why: &str) -> impl FnMut(&Run<'_>) -> bool {
        let tests = outcome::failed_tests(why);
        let mut steps = self.steps().iter();
        let is_of_check = !git::is_elsewhere(self.whole)
            && steps.clone().any(|step| step.is_check)
            && outcome::is_of_check(why)
            && !steps.any(|step| !step.is_check && step.is_named_in(why));
        let is_left =
            |step: &&CommandStep| step.is_check || !is_of_check && step.may_fail_with(why);
        let mut left: Vec<&CommandStep> = self.steps().iter().filter(is_left).collect();
        move |passed| {
            let selects =
                |step: &CommandStep| passed.steps().iter().any(|it| it.selects(&tests, step));
            left.retain(|step| !passed.covers(step) && !selects(step));
            left.is_empty() || self.within == passed.within && self.line() == passed.line()
        }
    }

    /// Whether this run, of which only the beginning is known, may be a part of `other`. A step that ends
    /// where the beginning was cut may be the start of a longer one.
    pub(super) fn begins_in(&self, other: &Run<'_>) -> bool {
        let steps: Vec<&CommandStep> =
            self.steps().iter().filter(|step| !step.is_aside()).collect();
        let Some((cut, whole)) = steps.split_last() else { return false };
        let others = || other.steps().iter().filter(|step| step.is_told);
        cut.text.len() >= TELLING
            && self.within == other.within
            && whole.iter().all(|step| other.covers(step))
            && others().any(|it| it.text.len() > cut.text.len() && it.text.starts_with(&cut.text))
    }

    /// The whole command on one line.
    fn line(&self) -> &str {
        self.on_one_line.get_or_init(|| on_one_line(self.whole).into())
    }

    /// Whether this run, if it passed, ran all that a step does.
    fn covers(&self, step: &CommandStep) -> bool {
        let key = |step: &CommandStep| hash(step.run().as_bytes());
        let told = self.told.get_or_init(|| {
            let told = self.steps().iter().enumerate().filter(|(_, step)| step.is_told);
            let mut told: Vec<_> = told.map(|(at, step)| (key(step), at)).collect();
            told.sort_unstable();
            told.into()
        });
        let wanted = key(step);
        let from = told.partition_point(|(key, _)| *key < wanted);
        let mut same = told[from..].iter().take_while(|(key, _)| *key == wanted);
        same.any(|&(_, at)| self.steps()[at].covers(step))
    }

    /// The steps of the command.
    fn steps(&self) -> &[CommandStep] {
        self.steps.get_or_init(|| steps::steps(self.whole, self.within, self.home).into())
    }

    /// Whether another run may have been for the same purpose: it names the same program, or both are checks.
    pub(super) fn may_be(&self, other: &Run<'_>) -> bool {
        let start = aim::program_start(self.whole);
        let program =
            shell::words(&self.whole[start..]).first().map_or("", |word| paths::name(word));
        other.whole.contains(program) || aim::is_check(self.core) && aim::is_check(other.core)
    }
}

pub(crate) fn has_passed(call: &Call) -> bool {
    // A pipe may succeed although the command before it failed.
    let is_piped = || call.command.as_deref().is_some_and(|command| command.contains('|'));
    let line = call.outcome.line.as_deref().unwrap_or_default();
    let is_error = outcome::is_error_line(line) || outcome::is_headed(line);
    let is_idle = call.outcome.is_total && outcome::ran_none(line);
    call.result.is_some() && call.outcome.went_well() && !is_idle && !(is_error && is_piped())
}
