//! Makes every rule of `check` hold, with as few edits as that needs, and reports each.
//!
//! Responsible for the order of the repairs: what goes goes first, then ids, then places, then
//! turns. Each step relies on those before it and undoes none of them, so one run is enough and a
//! second one finds nothing. Invariants: afterwards [`findings`](crate::check::findings) has no
//! fault; what no repair touches keeps its bytes; new ids are a function of the text.

mod adopted;
mod bedrock;
mod content;
mod content_types;
mod ids;
mod marks;
mod pairs;
mod plan;
mod rows;
mod servers;
mod thinking;
mod turns;

use std::ops::Range;

use crate::check::Rule;
use crate::conversation::Conversation;
use crate::dialect::Provider;
use crate::draft::Draft;
use crate::json::Json;
use crate::thinking::Signatures;

use plan::Plan;

/// One repair.
#[derive(Clone, Debug)]
pub struct Repair {
    /// The rule that holds now.
    pub rule: &'static Rule,
    /// The message it was done to, as it stood in the input; `None` where it is none.
    pub message: Option<usize>,
    /// The part of that message, where it was done to one.
    pub part: Option<usize>,
    /// The value of the list that it was done to, where that is no message.
    pub unit: Option<usize>,
    /// Where in the definitions of tools it was done, if it was.
    pub tools: Option<Range<usize>>,
    /// The call it is about.
    pub call_id: Option<String>,
    /// What was done, lowercase and short.
    pub text: String,
    /// Whether something that was said is lost.
    pub loses: bool,
}

impl Repair {
    /// The values that [`locate`](crate::check::locate) asks for.
    pub fn place<'a>(&self, conversation: &Conversation<'a>) -> Option<(Json<'a>, Json<'a>)> {
        let message = self.message.map(|at| {
            let message = &conversation.messages[at];
            let part = self.part.and_then(|part| message.parts.get(part));
            part.map_or(message.json, |part| conversation.holder(at, part.json))
        });
        let unit = || Some(conversation.source.units[self.unit?].json);
        let tool = || Some(Json::from_checked(&conversation.tools?.source()[self.tools.clone()?]));
        let json = message.or_else(unit).or_else(tool)?;
        Some((json, json))
    }
}

/// Repairs a conversation for `provider`, whose model makes this of `signatures`, but for what breaks the rules
/// in `exempt`.
pub fn normalize<'c, 'a>(
    conversation: &'c Conversation<'a>,
    provider: Provider,
    signatures: Signatures,
    exempt: &'static [&'static Rule],
) -> (Draft<'c, 'a>, Vec<Repair>) {
    let mut plan = Plan::of(conversation, provider, signatures, exempt);
    plan.drop_stray_values();
    plan.drop_internal_rows();
    plan.drop_repeated_items();
    plan.adopt_results();
    plan.drop_unanswerable_calls();
    plan.drop_lone_reasoning();
    plan.mend_types();
    plan.write_types();
    plan.part_words_from_results();
    plan.name_roles();
    plan.place_system_prompts();
    plan.drop_misplaced_parts();
    plan.drop_paused_calls();
    plan.drop_orphan_results();
    plan.drop_duplicate_results();
    plan.drop_unsigned_thinking();
    plan.drop_what_is_empty();
    // Where a message of the user went, a system prompt may follow the assistant's now.
    plan.place_system_prompts();
    plan.part_results_from_text();
    // Before results part turns that were one: pairs and ids are those of the input.
    plan.name_calls();
    plan.name_server_calls();
    plan.answer_calls_in_place();
    plan.drop_thinking_out_of_order();
    plan.name_tools();
    plan.mend_inputs();
    plan.word_errors();
    plan.omit_images();
    plan.label_images();
    plan.mend_surrogates();
    loop {
        plan.alternate();
        plan.begin_with_user();
        // A message that goes with its thinking may leave neighbours of one role.
        if !plan.drop_unbound_thinking() {
            break;
        }
    }
    plan.sign_steps();
    plan.switch_off_missing_thinking();
    plan.define_tools();
    plan.drop_empty_tools();
    plan.put_words_beside_documents();
    plan.trim_last_words();
    plan.take_cache_controls();
    let unmarked = plan.take_cache_points();
    plan.part_blocks(&unmarked);
    plan.finish()
}
