//! Repairs of whole messages and misplaced parts: values that are no messages, rows that are never sent,
//! system prompts among the messages, calls outside the assistant's messages.

use std::borrow::Cow;
use std::collections::{HashMap, HashSet};

use super::plan::Plan;
use crate::check::table::{
    DUPLICATE_ITEM_ID, INTERNAL_ROW, ITEM_ID_FORM, MISPLACED_PART, STRAY_VALUE, SYSTEM_PLACE,
    THINKING_BOUND, UNKNOWN_ROLE,
};
use crate::conversation::{Kind, Origin, Part, Place, Role};
use crate::demands::calls::{is_inline, result_named};
use crate::demands::content::is_blank_item;
use crate::demands::ids::{StrangeId, may_lack_id, needs_id, repeated_items, strange_ids};
use crate::demands::order::is_refused_behind;
use crate::demands::rows::{is_misnamed, strays};
use crate::demands::surrogates::without_halves;
use crate::demands::thinking::lone_reasoning;
use crate::dialect::Provider;
use crate::json::{Json, quote};

impl Plan<'_, '_> {
    /// Removes values that are no messages from an array that the provider reads.
    pub(super) fn drop_stray_values(&mut self) {
        for stray in strays(self.conversation).filter(|stray| stray.is_sent) {
            self.draft.drop_unit(stray.unit);
            let text = format!("{} removed: it is no message", stray.what);
            self.report_message(&STRAY_VALUE, None, text).unit = Some(stray.unit);
        }
    }

    /// Removes an agent's bookkeeping rows, which are never sent.
    pub(super) fn drop_internal_rows(&mut self) {
        if self.is_exempt(&INTERNAL_ROW) {
            return;
        }
        let messages = &self.conversation.messages;
        let internal = |message: usize| messages[message].origin == Origin::Internal;
        let rows: Vec<usize> = (0..messages.len()).filter(|&at| internal(at)).collect();
        self.slots.retain(|slot| !slot.message.is_some_and(internal));
        for row in rows {
            self.report_message(&INTERNAL_ROW, Some(row), "internal row removed");
        }
    }

    /// Mends items with the id of an earlier item: they get a new id, lose theirs, or are removed.
    pub(super) fn drop_repeated_items(&mut self) {
        let mut gone = HashSet::new();
        let messages = &self.conversation.messages;
        let ids = messages.iter().filter_map(|message| message.json.str_member("id"));
        let used: HashSet<String> = ids.map(Cow::into_owned).collect();
        let mut rounds: HashMap<String, usize> = HashMap::new();
        for (at, id) in repeated_items(self.conversation, self.provider, self.wire) {
            let message = &messages[at];
            let name = id.text().unwrap_or_default();
            let is_kept = may_lack_id(message) || needs_id(message);
            let text = if needs_id(message) {
                let round = rounds.entry(name.to_string()).or_insert(1);
                let others = std::iter::from_fn(|| {
                    *round += 1;
                    Some(format!("{name}_{round}"))
                });
                let other =
                    others.into_iter().find(|other| !used.contains(other)).unwrap_or_default();
                self.draft.set_member(at, message.json, "id", Some(quote(&other)));
                format!("id \"{name}\" became \"{other}\": an item before has it")
            } else if is_kept {
                self.draft.set_member(at, message.json, "id", None);
                format!("id \"{name}\" removed: an item before has it")
            } else {
                gone.insert(at);
                format!("item removed: one before has its id \"{name}\"")
            };
            self.report_message(&DUPLICATE_ITEM_ID, Some(at), text).loses &= !is_kept;
        }
        self.slots.retain(|slot| !slot.message.is_some_and(|at| gone.contains(&at)));
    }

    /// Removes ids of items that the server can't have made.
    pub(super) fn drop_strange_ids(&mut self) {
        for StrangeId { message, id, .. } in
            strange_ids(self.conversation, self.provider, self.wire)
        {
            let json = self.conversation.messages[message].json;
            self.draft.set_member(message, json, "id", None);
            let text = format!("item id \"{}\" removed", id.text().unwrap_or_default());
            self.report_message(&ITEM_ID_FORM, Some(message), text);
        }
    }

    /// Removes reasoning items without the item they led to.
    pub(super) fn drop_lone_reasoning(&mut self) {
        if self.provider != Provider::Responses {
            return;
        }
        let messages = self.slots.iter().filter_map(|slot| slot.message);
        let messages = messages.map(|at| (at, &self.conversation.messages[at]));
        let lone = lone_reasoning(self.conversation, self.wire, messages);
        let is_lone = |at: usize| lone.binary_search(&at).is_ok();
        self.slots.retain(|slot| !slot.message.is_some_and(is_lone));
        for at in lone {
            let text = "reasoning removed: the item that it led to is missing";
            self.report_message(&THINKING_BOUND, Some(at), text);
        }
    }

    /// Moves system prompts to where the provider accepts them: beside the messages if the request has a
    /// place for them, else into the user's role.
    pub(super) fn place_system_prompts(&mut self) {
        if self.wire.log {
            return;
        }
        let conversation = self.conversation;
        let mut before: Option<Role> = None;
        let mut gone = HashSet::new();
        for slot in 0..self.slots.len() {
            let Some(at) = self.slots[slot].message.filter(|_| self.slots[slot].is_sent) else {
                continue;
            };
            let message = &conversation.messages[at];
            let role = self.slots[slot].role;
            if !is_refused_behind(before, message, role, self.provider, self.wire.foreign) {
                before = Some(role);
                continue;
            }
            let first = before.is_none() && gone.is_empty();
            if first && self.hoist(at) {
                gone.insert(at);
                let text = "system prompt moved out of the messages";
                self.report_message(&SYSTEM_PLACE, Some(at), text);
                continue;
            }
            let leads = before.is_none_or(Role::is_instruction);
            let new = if self.provider == Provider::Mistral && leads && !self.wire.foreign {
                Role::System
            } else {
                Role::User
            };
            let value = format!("\"{}\"", new.name());
            self.draft.set_member(at, message.json, "role", Some(value));
            self.slots[slot].role = new;
            let text = format!("message of the {} became the {}'s", role.name(), new.name());
            self.report_message(&SYSTEM_PLACE, Some(at), text);
        }
        self.slots.retain(|slot| !slot.message.is_some_and(|at| gone.contains(&at)));
    }

    /// Gives messages of Gemini's model the name of its role.
    pub(super) fn name_roles(&mut self) {
        let conversation = self.conversation;
        for (at, message) in conversation.messages.iter().enumerate() {
            if self.is_sent(at) && is_misnamed(conversation, self.provider, message) {
                self.draft.set_member(at, message.json, "role", Some("\"model\"".to_owned()));
                self.report_message(&UNKNOWN_ROLE, Some(at), "role \"assistant\" became \"model\"");
            }
        }
    }

    /// Turns the content of a message into the system prompt of the request, if that has a place for one.
    fn hoist(&mut self, message: usize) -> bool {
        let names: &[&'static str] = match self.provider {
            Provider::Anthropic | Provider::Bedrock => &["system"],
            Provider::Gemini => &["systemInstruction", "system_instruction"],
            _ => return false,
        };
        let message = &self.conversation.messages[message];
        let is_free = |request: Json<'_>| names.iter().all(|name| request.member(name).is_none());
        let has_place = self.conversation.source.request().is_some_and(is_free);
        // A content that is no text, or is mended where it stands, stays there.
        let is_text = |part: &Part<'_>| {
            let says = part.kind == Kind::Text && part.body.is_some_and(Json::is_string);
            says || part.is_cache_point()
        };
        let content = message.content.filter(|_| has_place && !self.wire.foreign);
        let Some(content) = content.filter(|_| message.parts.iter().all(is_text)) else {
            return false;
        };
        // No rule is applied to a text that is no longer in a message.
        let said: Vec<&Part<'_>> =
            message.parts.iter().filter(|part| !is_blank_item(part)).collect();
        if said.is_empty() {
            return true;
        }
        let is_whole = said.len() == message.parts.len();
        let parts = || said.iter().map(|part| as_part(part.json)).collect::<Vec<_>>().join(", ");
        let text = if self.provider == Provider::Gemini {
            format!(r#"{{"parts":[{}]}}"#, parts())
        } else if is_whole && !(content.is_string() && self.wire.takes_lists) {
            content.source().to_owned()
        } else {
            format!("[{}]", parts())
        };
        self.draft.set_root_member(names[0], without_halves(&text).unwrap_or(text));
        true
    }

    /// Removes calls that stand outside the assistant's messages, with their results, and thinking in others'
    /// messages.
    pub(super) fn drop_misplaced_parts(&mut self) {
        if !self.insists_on(&MISPLACED_PART) {
            return;
        }
        let mut places = HashSet::new();
        for (slot, place) in self.parts() {
            let what = match self.part(place).kind {
                Kind::ToolCall => "call",
                Kind::Reasoning if self.wire.knows_thinking => "thinking",
                _ => continue,
            };
            let role = self.slots[slot].role;
            if role != Role::Assistant {
                let text = format!("{what} removed from a message of the {}", role.name());
                self.report(&MISPLACED_PART, place, text);
                places.insert(place);
                self.drop_result_of(place, &mut places);
            }
        }
        let is_kept = |call: &Place| !places.contains(call);
        self.pairs.calls.retain(|(call, _)| is_kept(call));
        self.pairs.duplicates.retain(|(result, call)| {
            let keeps = is_kept(call);
            if !keeps {
                self.pairs.orphans.push(*result);
            }
            keeps
        });
        self.take(&places);
    }

    /// Removes the result of a misplaced call with it. A result inside its call is not reported separately.
    fn drop_result_of(&mut self, call: Place, places: &mut HashSet<Place>) {
        let Some(result) = self.result_of(call) else { return };
        places.insert(result);
        if !is_inline(self.part(call), self.part(result)) {
            let text = format!("{} removed with its call", result_named(self.part(result)));
            self.report(&MISPLACED_PART, result, text);
        }
    }

    /// Whether a message of the source is sent.
    pub(super) fn is_sent(&self, message: usize) -> bool {
        self.conversation.messages[message].is_sent()
    }
}

/// A part of Gemini's; a plain string becomes a text part.
fn as_part(json: Json<'_>) -> String {
    let source = json.source();
    if json.is_string() { format!(r#"{{"text":{source}}}"#) } else { source.to_owned() }
}
