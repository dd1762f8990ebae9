//! Repairing a conversation so that every rule of `check` holds, with as few edits as possible, and a report
//! of each.
//!
//! Responsible for the order of the repairs: first removals, then ids, then places, then turns. Each step
//! relies on those before it and undoes none of them, so one run is enough and a second run finds nothing.
//! Invariants: afterwards [`findings`](crate::check::findings) has no fault; text that no repair touches
//! keeps its bytes; new ids depend only on the text.

mod adopted;
mod bedrock;
mod content;
mod content_types;
mod ids;
mod marks;
mod names;
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
    /// The index of the repaired message in the input; `None` if no message was repaired.
    pub message: Option<usize>,
    /// The index of the repaired part in that message; `None` if the repair is about the message.
    pub part: Option<usize>,
    /// The index of the repaired unit, if it is no message.
    pub unit: Option<usize>,
    /// The range in the definitions of tools that was repaired.
    pub tools: Option<Range<usize>>,
    /// The id of the call that it is about.
    pub call_id: Option<String>,
    /// What was done, lowercase and short.
    pub text: String,
    /// Whether any content was lost.
    pub loses: bool,
}

impl Repair {
    /// The two values that [`locate`](crate::check::locate) takes: the one whose line counts, and the one to
    /// point at.
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

/// Repairs a conversation for `provider`, whose model treats signatures as in `signatures`. Breaches of the
/// rules in `exempt` stay.
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
    plan.drop_strange_ids();
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
    plan.drop_unasked_approvals();
    plan.drop_duplicate_results();
    plan.drop_unsigned_thinking();
    plan.drop_what_is_empty();
    // Once a user message was removed, a system prompt may follow the assistant, and the user's words a call at
    // which the server paused.
    plan.place_system_prompts();
    plan.drop_paused_calls();
    plan.drop_orphan_results();
    plan.part_results_from_text();
    // Name calls before results split turns, because pairs and ids are those of the input.
    plan.name_calls();
    plan.name_server_calls();
    plan.answer_calls_in_place();
    plan.drop_thinking_out_of_order();
    plan.name_tools();
    plan.mend_names();
    plan.drop_repeated_tools();
    plan.mend_inputs();
    plan.word_errors();
    plan.omit_images();
    plan.label_media();
    plan.mend_surrogates();
    loop {
        plan.alternate();
        plan.begin_with_user();
        // A message that is removed with its thinking may leave neighbours of the same role.
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
