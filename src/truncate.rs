//! Shortening a conversation without summarising it, in the order that loses least.
//!
//! Responsible for the policies and their order: write large results to files, drop readings that
//! newer ones replace, cut long results, clear old ones, drop messages from the middle, drop the
//! oldest exchanges. Each is one file below; each leaves alone what would not get smaller, so running
//! them again changes nothing.

pub mod clear;
pub mod cut;
pub mod dedupe;
pub mod elide;
pub mod json;
pub mod spill;

use crate::compact::Subject;
use crate::conversation::Kind;
use crate::count::{Count, Meter};
use crate::draft::Draft;
use crate::marks;
use crate::pairing::{Cuts, Pairs};
use crate::reread::{Settled, settle};
use clear::Tools;
use cut::Limit;
use elide::Infeasible;

/// Messages at the beginning that `--max-messages` keeps.
pub const FIRST_MESSAGES: usize = 3;

/// What is to be shortened; nothing by default.
#[derive(Clone, Debug, Default)]
pub struct Policies {
    /// Bytes of results that the last batch may hold before the largest go to files.
    pub tool_budget: Option<usize>,
    /// Readings that newer ones replace become placeholders.
    pub dedupe: bool,
    /// The most that one result may measure.
    pub per_result: Option<Limit>,
    /// A result that is JSON is cut so that it still is.
    pub keep_json: bool,
    /// All but so many of the newest results are cleared.
    pub keep_results: Option<usize>,
    /// Only results older than the last pause of so many seconds are cleared.
    pub idle: Option<u64>,
    /// The most messages.
    pub max_messages: Option<usize>,
    /// The most tokens.
    pub budget: Option<usize>,
    /// Which tools' results may be touched.
    pub tools: Tools,
}

/// What one step did.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Step {
    /// Its name in reports.
    pub name: &'static str,
    /// The results or messages it touched.
    pub touched: usize,
}

/// Shortens a conversation, and makes the result true. Where the result, read back, counts more than
/// the budget, as when nothing that is left tells its dialect, it is shortened once more.
///
/// # Errors
///
/// The budget can't be met.
pub fn shortened(
    subject: &Subject<'_, '_>,
    policies: &Policies,
    store: &mut dyn FnMut(&spill::Spill) -> Option<String>,
) -> Result<Settled, Infeasible> {
    let Subject { document, shape, conversation, pairs, meter, count, .. } = *subject;
    let mut policies = policies.clone();
    let budget = policies.budget.unwrap_or(usize::MAX);
    loop {
        let mut draft = Draft::new(conversation);
        shorten(&mut draft, pairs, meter, count, &policies, store)?;
        let settled = settle(document, shape, draft, meter, count);
        let over = settled.tokens.saturating_sub(budget);
        if over == 0 || settled.edits.is_empty() {
            return Ok(settled);
        }
        policies.budget = policies.budget.map(|budget| budget.saturating_sub(over));
    }
}

/// Applies the policies to a draft; `store` writes a result to a file and answers its path.
///
/// # Errors
///
/// The budget can't be met.
pub fn shorten(
    draft: &mut Draft<'_, '_>,
    pairs: &Pairs,
    meter: &Meter,
    count: &Count,
    policies: &Policies,
    store: &mut dyn FnMut(&spill::Spill) -> Option<String>,
) -> Result<Vec<Step>, Infeasible> {
    let mut steps = Vec::new();
    let mut note = |name, touched| {
        if touched > 0 {
            steps.push(Step { name, touched });
        }
    };
    if let Some(budget) = policies.tool_budget {
        let spills = spill::largest_of_last_batch(draft, pairs, &policies.tools, budget);
        let stored = spills.iter().filter(|spill| {
            store(spill).is_some_and(|path| spill::point_to_file(draft, meter, spill, &path))
        });
        note("spill", stored.count());
    }
    if policies.dedupe {
        let keep = policies.keep_results.unwrap_or(0);
        note("dedupe", dedupe::drop_superseded_reads(draft, pairs, meter, &policies.tools, keep));
    }
    if let Some(limit) = &policies.per_result {
        note("cut", cut_results(draft, pairs, meter, limit, policies));
    }
    match (policies.keep_results, policies.idle) {
        (keep, Some(pause)) => {
            let keep = keep.unwrap_or(0);
            let tools = &policies.tools;
            note("clear", clear::clear_before_pause(draft, pairs, meter, pause, tools, keep));
        }
        (Some(keep), None) => {
            note("clear", clear::clear_old(draft, pairs, meter, keep, &policies.tools));
        }
        (None, None) => {}
    }
    let cuts = Cuts::of(draft.conversation(), pairs);
    if let Some(most) = policies.max_messages {
        note("window", elide::keep_window(draft, &cuts, meter, count, FIRST_MESSAGES, most));
    }
    if let Some(budget) = policies.budget {
        note("drop", elide::drop_oldest(draft, &cuts, meter, count, budget)?);
    }
    Ok(steps)
}

/// Cuts every result that is over the limit; returns how many.
fn cut_results(
    draft: &mut Draft<'_, '_>,
    pairs: &Pairs,
    meter: &Meter,
    limit: &Limit,
    policies: &Policies,
) -> usize {
    let mut cut = 0;
    for (place, tool) in clear::results(draft, pairs) {
        let part = &draft.conversation().messages[place.0].parts[place.1];
        debug_assert_eq!(part.kind, Kind::ToolResult);
        if !policies.tools.allow(&tool) || draft.new_text(place).is_some() {
            continue;
        }
        let text = part.text();
        if marks::is_placeholder(&text) {
            continue;
        }
        let as_json = policies.keep_json.then(|| json::cut(&text, limit, meter)).flatten();
        if let Some(shorter) = as_json.or_else(|| cut::cut(&text, limit, meter)) {
            draft.set_text(place, shorter);
            cut += 1;
        }
    }
    cut
}
