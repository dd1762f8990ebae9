//! Makes every rule of `check` hold, with as few edits as that needs, and reports each.
//!
//! Responsible for the order of the repairs: what goes goes first, then ids, then places, then
//! turns. Each step relies on those before it and undoes none of them, so one run is enough and a
//! second one finds nothing. Invariants: afterwards [`findings`](crate::check::findings) has no
//! fault; what no repair touches keeps its bytes; new ids are a function of the text.

mod content;
mod ids;
mod pairs;
mod plan;
mod rows;
mod thinking;
mod turns;

use crate::check::Rule;
use crate::conversation::Conversation;
use crate::dialect::Provider;
use crate::draft::Draft;

use plan::Plan;

/// What the thinking parts behind an edit are worth to the model.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Thinking {
    /// Their signatures are not bound to what stands before them (Claude up to 4.5): they stay.
    Unbound,
    /// They are bound to it (Claude from 5 on): they go.
    Bound,
    /// Nobody said which model: they go, except in a tool loop that is still open.
    #[default]
    Unknown,
}

impl Thinking {
    /// What the model that a conversation names makes of it: the one of the request, else that of
    /// the newest answer.
    pub fn of(conversation: &Conversation<'_>) -> Self {
        let request = conversation.source.root.as_ref().and_then(|root| root.member("model"));
        let mut answers = conversation.messages.iter().rev();
        let answer = || answers.find_map(|message| message.json.member("model"));
        let model = request.or_else(answer).and_then(crate::json::Json::text);
        match model.as_deref().and_then(claude_version) {
            Some((5.., _)) => Self::Bound,
            Some((..=3, _) | (4, ..=5)) => Self::Unbound,
            _ => Self::Unknown,
        }
    }
}

/// The version in the name of a Claude model: `claude-3-5-sonnet-20241022`, `claude-opus-4-7`.
fn claude_version(model: &str) -> Option<(u32, u32)> {
    let name = &model[model.find("claude")?..];
    let mut numbers = name
        .split(['-', '.', '@', ':'])
        .filter_map(|piece| piece.parse().ok())
        .filter(|number| *number < 100);
    Some((numbers.next()?, numbers.next().unwrap_or(0)))
}

/// What normalizing may assume.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Options {
    /// What becomes of thinking parts behind an edit.
    pub thinking: Thinking,
}

/// One repair.
#[derive(Clone, Debug)]
pub struct Repair {
    /// The rule that holds now.
    pub rule: &'static Rule,
    /// The message it was done to, as it stood in the input; `None` where it is the conversation.
    pub message: Option<usize>,
    /// The call it is about.
    pub call_id: Option<String>,
    /// What was done, lowercase and short.
    pub text: String,
    /// Whether something that was said is lost.
    pub loses: bool,
}

/// What the result of a call says that nobody answered.
pub const ABORTED: &str = "aborted";

/// Repairs a conversation for `provider`.
pub fn normalize<'c, 'a>(
    conversation: &'c Conversation<'a>,
    provider: Provider,
    options: Options,
) -> (Draft<'c, 'a>, Vec<Repair>) {
    let mut plan = Plan::of(conversation, provider);
    plan.drop_internal_rows();
    plan.drop_lone_reasoning();
    plan.place_system_prompts();
    plan.drop_misplaced_parts();
    plan.drop_orphan_results();
    plan.drop_duplicate_results();
    plan.drop_unsigned_thinking();
    plan.drop_what_is_empty();
    // Where a message of the user went, a system prompt may follow the assistant's now.
    plan.place_system_prompts();
    plan.part_results_from_text();
    // Before results part turns that were one: pairs and ids are those of the input.
    plan.name_calls();
    plan.answer_calls_in_place();
    plan.drop_thinking_out_of_order();
    plan.name_tools();
    plan.mend_inputs();
    plan.word_errors();
    plan.omit_images();
    loop {
        plan.alternate();
        plan.begin_with_user();
        // A message that goes with its thinking may leave neighbours of one role.
        if !plan.drop_unbound_thinking(options.thinking) {
            break;
        }
    }
    plan.sign_steps();
    plan.switch_off_missing_thinking();
    plan.define_tools();
    plan.finish()
}
