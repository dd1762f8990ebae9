//! Shortening a conversation without summarising it, in the order that loses least.
//!
//! Responsible for the policies and their order: write large results to files, drop readings that newer ones
//! replace, cut long results, clear old results, drop messages from the middle, cut results so large that no
//! newest messages would fit, drop the oldest exchanges. Each policy has its own file. A policy leaves alone
//! what it would not make smaller, and if all policies together would not make the conversation smaller, it
//! stays as it is. So running them again changes nothing.

pub mod clear;
pub mod cut;
pub mod dedupe;
pub mod elide;
pub mod end;
pub mod hosted;
pub mod json;
pub mod output;
pub mod record;
pub mod sealed;
pub mod spill;
pub mod step;

use std::borrow::Cow;

use crate::conversation::{Message, Place};
use crate::count::Meter;
use crate::digest;
use crate::draft::Draft;
use crate::marks;
use crate::reread::{Form, Settled, repaired_first};
use crate::subject::Subject;
use clear::Tools;
use cut::{Limit, Measure};
use elide::Infeasible;
use elide::window::{self, Left};
use output::Output;
use step::{Step, StepKind, Steps};

/// The policies to apply; none by default.
#[derive(Clone, Debug, Default)]
pub struct Policies {
    /// The most bytes of results in the last batch; the largest results beyond that go to files.
    pub tool_budget: Option<usize>,
    /// Whether readings that newer ones replace become placeholders.
    pub dedupe: bool,
    /// The most that one result may measure.
    pub per_result: Option<Limit>,
    /// The share of a cut result that its beginning gets; `None` for the default.
    pub head_share: Option<f64>,
    /// Whether a result that is JSON is cut so that it stays JSON.
    pub keep_json: bool,
    /// How many of the newest results stay when the others are cleared.
    pub keep_results: Option<usize>,
    /// The length of a pause in seconds; only results before the last such pause are cleared.
    pub idle: Option<u64>,
    /// The most messages to keep.
    pub max_messages: Option<usize>,
    /// The most tokens that the result may count.
    pub budget: Option<usize>,
    /// Which tools' results may be touched.
    pub tools: Tools,
}

impl Policies {
    /// Whether any policy is only about results.
    pub fn touch_results(&self) -> bool {
        let is_any = self.tool_budget.is_some() || self.dedupe || self.per_result.is_some();
        is_any || self.keep_results.is_some() || self.idle.is_some()
    }

    /// Whether no policy applies.
    pub fn are_none(&self) -> bool {
        !self.touch_results() && self.max_messages.is_none() && self.budget.is_none()
    }

    /// The budget, if it is the only policy.
    pub fn only_budget(&self) -> Option<usize> {
        self.budget.filter(|_| !self.touch_results() && self.max_messages.is_none())
    }
}

/// A shortened conversation.
pub struct Shortened {
    /// The edits, the token count of the result, and the repairs.
    pub settled: Settled,
    /// The steps, and how many tokens each saved.
    pub steps: Vec<Step>,
    /// The paths of files that stand in place of results.
    pub spilled: Vec<String>,
    /// How many messages are left that a window counts; `None` without a limit on messages.
    pub in_window: Option<Left>,
    /// How many results are still over a limit in bytes or characters, because cutting them would not save
    /// tokens.
    pub over_limit: usize,
    /// The bytes of the results in the last batch.
    pub in_last_batch: usize,
    /// Whether anything had to be repaired, in an attempt that was found too large too.
    was_repaired: bool,
}

impl Shortened {
    /// Describes a draft that was carried out.
    fn of(
        settled: Settled,
        steps: Vec<Step>,
        draft: &Draft<'_, '_>,
        subject: &Subject<'_, '_>,
        policies: &Policies,
    ) -> Self {
        let Subject { document, conversation, pairs, .. } = *subject;
        let results = clear::results(draft, pairs).into_iter().map(|(place, _)| place);
        let spilled = results.filter_map(|place| marks::spilled_to(draft.new_text(place)?));
        let spilled = spilled.map(str::to_owned).collect();
        let is_out = |message: &Message<'_>| settled.takes_out(&document.span(message.json));
        let stays = |at: &usize| !draft.is_dropped(*at) && !is_out(&conversation.messages[*at]);
        let in_window = policies.max_messages.map(|_| Left::of(subject, &policies.tools, stays));
        let over_limit = over_limit(draft, subject, policies);
        let in_last_batch = spill::bytes_of_last_batch(draft);
        let was_repaired = settled.is_repaired();
        Self { settled, steps, spilled, in_window, over_limit, in_last_batch, was_repaired }
    }

    /// The result for a conversation that is left as it is.
    fn nothing(subject: &Subject<'_, '_>, policies: &Policies) -> Self {
        let settled = Settled::of(Vec::new(), subject.count.tokens());
        Self::of(settled, Vec::new(), &Draft::new(subject.conversation), subject, policies)
    }
}

/// Shortens a conversation and carries the draft out. `store` writes a result to a file and returns its path.
/// Edits that would not save tokens are left out. If the result, read back, is over the budget, the
/// conversation is shortened again with a smaller budget. Returns `None` if records were to be appended and
/// the agent has none for this.
///
/// # Errors
///
/// The budget can't be met; holds the least budget that can.
pub fn shortened(
    subject: &Subject<'_, '_>,
    policies: &Policies,
    form: Form,
    store: &mut dyn FnMut(&spill::Spill) -> Option<String>,
) -> Result<Option<Shortened>, Infeasible> {
    let done = shortened_as_it_stands(subject, policies, form, store)?;
    if form == Form::Appended || !done.as_ref().is_some_and(|done| done.was_repaired) {
        return Ok(done);
    }
    // Repair first and decide anew, as a second run would, which finds the conversation repaired.
    let again =
        repaired_first(subject, |subject| shortened_as_it_stands(subject, policies, form, store));
    let Some((edits, repairs, Ok(Some(again)))) = again else { return Ok(done) };
    let (before, after) = (subject.count.tokens(), again.settled.tokens);
    let is_idle = again.settled.edits.is_empty() || after >= before;
    if is_idle && policies.budget.is_none_or(|budget| before <= budget) {
        return Ok(Some(Shortened::nothing(subject, policies)));
    }
    Ok(Some(Shortened { settled: again.settled.behind(subject, &edits, repairs), ..again }))
}

fn shortened_as_it_stands(
    subject: &Subject<'_, '_>,
    policies: &Policies,
    form: Form,
    store: &mut dyn FnMut(&spill::Spill) -> Option<String>,
) -> Result<Option<Shortened>, Infeasible> {
    let mut policies = policies.clone();
    let budget = policies.budget.unwrap_or(usize::MAX);
    let before = subject.count.tokens();
    let mut was_repaired = false;
    loop {
        let mut draft = Draft::new(subject.conversation);
        let steps = match shorten(&mut draft, subject, &policies, store) {
            Ok(steps) => steps,
            Err(_) if before <= budget => return Ok(Some(Shortened::nothing(subject, &policies))),
            // The least possible result may count more once it is read back.
            Err(Infeasible { least }) if policies.budget.is_some_and(|budget| budget < least) => {
                let policies = Policies { budget: Some(least), ..policies };
                let mut draft = Draft::new(subject.conversation);
                let steps = shorten(&mut draft, subject, &policies, store)?;
                let Some(settled) = form.settle(subject, &mut draft) else { return Ok(None) };
                if settled.tokens <= budget {
                    let was_repaired = was_repaired || settled.is_repaired();
                    let done = Shortened::of(settled, steps, &draft, subject, &policies);
                    return Ok(Some(Shortened { was_repaired, ..done }));
                }
                // A conversation that fits is left as it is.
                return Err(Infeasible { least: settled.tokens.min(before) });
            }
            Err(infeasible) => return Err(infeasible),
        };
        let Some(settled) = form.settle(subject, &mut draft) else { return Ok(None) };
        if settled.tokens >= before && before <= budget {
            return Ok(Some(Shortened::nothing(subject, &policies)));
        }
        let over = settled.tokens.saturating_sub(budget);
        was_repaired |= settled.is_repaired();
        if over == 0 || settled.edits.is_empty() {
            let done = Shortened::of(settled, steps, &draft, subject, &policies);
            return Ok(Some(Shortened { was_repaired, ..done }));
        }
        policies.budget = policies.budget.map(|budget| budget.saturating_sub(over));
    }
}

/// Applies the policies to a draft.
fn shorten(
    draft: &mut Draft<'_, '_>,
    subject: &Subject<'_, '_>,
    policies: &Policies,
    store: &mut dyn FnMut(&spill::Spill) -> Option<String>,
) -> Result<Vec<Step>, Infeasible> {
    let tools = &policies.tools;
    let mut steps = Steps::of(subject);
    if let Some(bytes) = policies.tool_budget {
        steps.take_results(StepKind::Spill, draft, |draft| {
            spill::spill_last_batch(draft, subject, tools, bytes, 0, store)
        });
    }
    if policies.dedupe {
        let keep = policies.keep_results.unwrap_or(0);
        steps.take_results(StepKind::Dedupe, draft, |draft| {
            dedupe::drop_superseded_reads(draft, subject, tools, keep)
        });
    }
    if let Some(limit) = &policies.per_result {
        steps.take_results(StepKind::Cut, draft, |draft| {
            cut_results(draft, subject, limit, policies)
        });
    }
    if policies.keep_results.is_some() || policies.idle.is_some() {
        let (keep, pause) = (policies.keep_results.unwrap_or(0), policies.idle);
        steps.take_results(StepKind::Clear, draft, |draft| {
            clear::clear_old(draft, subject, keep, pause, tools)
        });
    }
    if let Some(most) = policies.max_messages {
        steps.take(StepKind::Window, draft, |draft| {
            window::keep_window(draft, subject, tools, most, window::End::MayGo)
        });
    }
    if let Some(budget) = policies.budget {
        steps.take_results(StepKind::Fit, draft, |draft| {
            end::cut_to_keep_the_end(draft, subject, policies, budget)
        });
        let mut dropped = Ok(0);
        steps.take(StepKind::Drop, draft, |draft| {
            dropped = elide::drop_oldest(draft, subject, tools, budget);
            dropped.unwrap_or(0)
        });
        dropped?;
    }
    Ok(steps.left_in(draft))
}

/// The results that the limit per result applies to. Not among them: the user's words in refusing a call, and
/// the short texts that an earlier step put in place of results, other than previews.
fn limited<'d>(
    draft: &'d Draft<'_, '_>,
    subject: &'d Subject<'_, '_>,
    tools: &'d Tools,
) -> impl Iterator<Item = Place> + 'd {
    let results = clear::shortenable(draft, subject.pairs).into_iter();
    results
        .filter(|(place, tool)| {
            tools.allow(tool) && draft.new_text(*place).is_none_or(marks::is_spilled)
        })
        .map(|(place, _)| place)
        .filter(move |place| !digest::is_said_in_refusing(subject.conversation.part(*place)))
}

/// Cuts every result that is over the limit; returns their places.
fn cut_results(
    draft: &mut Draft<'_, '_>,
    subject: &Subject<'_, '_>,
    limit: &Limit,
    policies: &Policies,
) -> Vec<Place> {
    let mut places: Vec<Place> = limited(draft, subject, &policies.tools).collect();
    places.retain(|place| cut_result(draft, *place, limit, policies.keep_json, subject.meter));
    places
}

/// How many results are over the limit and stay so; 0 for a limit in tokens, which is always met.
fn over_limit(draft: &Draft<'_, '_>, subject: &Subject<'_, '_>, policies: &Policies) -> usize {
    let limit = policies.per_result.filter(|limit| limit.measure != Measure::Tokens);
    let Some(Limit { measure, most, .. }) = limit else { return 0 };
    let is_over = |text: &str| {
        may_be_cut(text) && !marks::is_spilled(text) && measure.of(text, subject.meter) > most
    };
    let stays = |place: &Place| !draft.is_dropped(place.0);
    let texts = limited(draft, subject, &policies.tools).filter(stays);
    texts.filter(|place| is_over(&text_of(draft, *place))).count()
}

/// Cuts a result if it is over the limit and no placeholder; returns whether it did.
fn cut_result(
    draft: &mut Draft<'_, '_>,
    place: Place,
    limit: &Limit,
    keep_json: bool,
    meter: &Meter,
) -> bool {
    let text = text_of(draft, place);
    let output = may_be_cut(&text).then(|| Output::of(&text, limit.measure, meter));
    let shorter = output.and_then(|output| output.cut(limit, keep_json, meter));
    let is_cut = shorter.is_some();
    if let Some(shorter) = shorter {
        draft.set_text(place, shorter);
    }
    is_cut
}

/// Whether the text of a result is neither made up by a repair nor a placeholder without a preview.
fn may_be_cut(text: &str) -> bool {
    (!marks::is_placeholder(text) || marks::is_spilled(text)) && text != marks::ABORTED
}

/// The text of a result in a draft.
fn text_of<'a>(draft: &Draft<'_, 'a>, place: Place) -> Cow<'a, str> {
    match draft.new_text(place) {
        Some(text) => Cow::Owned(text.to_owned()),
        None => draft.conversation().part(place).text(),
    }
}
