//! Repairs of names: each call id is valid and unique, and each tool name is valid.
//!
//! A new id is derived from the old one or, if there is none, from the content of the call, so that a second
//! run and a prompt cache see the same bytes.

use std::borrow::Cow;
use std::collections::{HashMap, HashSet};

use super::plan::Plan;
use crate::check::table::{CALL_ID_FORM, DUPLICATE_CALL_ID, MISSING_CALL_ID, TOOL_NAME_FORM};
use crate::conversation::{Kind, Part, Place};
use crate::demands::calls::call_named;
use crate::demands::ids::{
    SERVER_ID, has_half, id_form, is_functions, is_good_id, is_good_name, is_good_server_id,
    is_named, is_plain_byte, name_limit, names_beside, should_be_functions,
};
use crate::dialect::Provider;
use crate::hash::fnv;
use crate::json::{Json, quote};
use crate::pairing::{call_ids, is_server_call, server_results};

impl Plan<'_, '_> {
    /// Gives every call a valid id of its own, and its result the same id.
    pub(super) fn name_calls(&mut self) {
        let mut used = call_ids(&self.conversation.messages);
        let mut turn_of = vec![usize::MAX; self.slots.len()];
        for (turn, members) in self.turns().iter().enumerate() {
            for &slot in &members.members {
                turn_of[slot] = turn;
            }
        }
        let shared = self.shared_ids();
        let in_request = self.provider == Provider::Anthropic;
        let mut rounds: HashMap<(String, bool), usize> = HashMap::new();
        let mut seen: HashSet<String> = HashSet::new();
        let mut turn = usize::MAX;
        for (slot, call) in self.parts() {
            if self.part(call).kind != Kind::ToolCall {
                continue;
            }
            if !in_request && turn_of[slot] != turn {
                turn = turn_of[slot];
                seen.clear();
            }
            let old = self.part(call).id().filter(|id| !id.is_empty());
            let rule = match &old {
                None if !self.lacks_id(call) => {
                    self.answer_as_function(call);
                    continue;
                }
                None => &MISSING_CALL_ID,
                Some(id) if has_half(self.part(call)) || !is_good_id(self.provider, id) => {
                    &CALL_ID_FORM
                }
                Some(id) if seen.contains(id.as_ref()) => &DUPLICATE_CALL_ID,
                Some(id) if shared.contains(id.as_ref()) && self.has_nameless_result(call) => {
                    &MISSING_CALL_ID
                }
                Some(id) => {
                    seen.insert(id.clone().into_owned());
                    self.name_result(call, id);
                    continue;
                }
            };
            if !self.insists_on(rule) {
                continue;
            }
            let kept = self.kept_by_result(call).filter(|_| old.is_none());
            let is_new = old.is_none() && kept.is_none();
            let base = old.map(Cow::into_owned).or_else(|| kept.clone());
            let base = base.unwrap_or_else(|| self.says(call));
            let is_free = |id: &String| is_good_id(self.provider, id) && !seen.contains(id);
            let stays = kept.filter(is_free);
            let result = self.result_of(call).filter(|_| stays.is_none());
            let new = stays.unwrap_or_else(|| {
                let round = rounds.entry((base.clone(), is_new)).or_insert(1);
                fresh_id(self.provider, &base, is_new, &used, round)
            });
            used.insert(new.clone());
            seen.insert(new.clone());
            let text = format!("{} has the id \"{new}\" now", call_named(self.part(call)));
            self.report(rule, call, text);
            self.set_id(call, &new);
            if let Some(result) = result {
                self.set_id(result, &new);
            }
            self.new_ids.insert(call, new);
        }
    }

    /// Gives calls that Anthropic's server runs an id that the server could have made, and their results the
    /// same id.
    pub(super) fn name_server_calls(&mut self) {
        if self.provider != Provider::Anthropic || self.wire.foreign {
            return;
        }
        let parts = self.parts().into_iter().map(|(_, place)| (place, self.part(place)));
        let parts: Vec<_> = parts.collect();
        let results = server_results(parts.iter().copied());
        let calls = parts.iter().copied().filter(|(_, part)| is_server_call(part));
        let id_of = |part: &Part<'_>| part.json.str_member("id").unwrap_or_default().into_owned();
        let mut used: HashSet<String> = calls.clone().map(|(_, part)| id_of(part)).collect();
        let mut rounds: HashMap<String, usize> = HashMap::new();
        let mut results_of: HashMap<Place, Vec<Place>> = HashMap::new();
        for result in &results {
            if let Some(call) = result.call {
                results_of.entry(call).or_default().push(result.place);
            }
        }
        for (call, part) in calls {
            let old = id_of(part);
            if is_good_server_id(&old) || !self.insists_on(&CALL_ID_FORM) {
                continue;
            }
            let new = fresh_server_id(&old, &used, rounds.entry(old.clone()).or_insert(1));
            let text = format!("call \"{old}\" has the id \"{new}\" now");
            self.report(&CALL_ID_FORM, call, text);
            let its = results_of.get(&call).into_iter().flatten();
            let named = its.map(|place| (*place, "tool_use_id")).chain([(call, "id")]);
            for (place, key) in named {
                let json = self.part(place).json;
                match json.member(key) {
                    Some(old) => self.draft.set_value(place.0, old, quote(&new)),
                    None => self.draft.set_member(place.0, json, key, Some(quote(&new))),
                }
            }
            used.insert(new);
        }
    }

    /// The id of a call that only its result still has.
    fn kept_by_result(&self, call: Place) -> Option<String> {
        let result = self.part(self.result_of(call)?);
        result.id().filter(|id| !id.is_empty()).map(Cow::into_owned)
    }

    /// Whether a call or result lacks an id that it should have.
    pub(super) fn lacks_id(&self, place: Place) -> bool {
        self.part(place).id().is_none_or(|id| id.is_empty()) && self.has_id_member(place)
    }

    fn has_nameless_result(&self, call: Place) -> bool {
        self.result_of(call).is_some_and(|result| self.lacks_id(result))
    }

    /// Names the call in a result that was paired by its place.
    fn name_result(&mut self, call: Place, id: &str) {
        let Some(result) = self.result_of(call) else { return };
        let is_old = is_functions(self.part(result)) && self.has_id_member(call);
        if (self.lacks_id(result) || is_old) && self.insists_on(&MISSING_CALL_ID) {
            self.set_id(result, id);
            let text = format!("result says that it answers call \"{id}\" now");
            self.report(&MISSING_CALL_ID, result, text);
        }
    }

    /// Gives the result of a legacy call the role that answers one, with the name of the function.
    fn answer_as_function(&mut self, call: Place) {
        let Some(result) = self.result_of(call) else { return };
        let (answer, asked) = (self.part(result), self.part(call));
        let is_wrong = should_be_functions(answer, asked, self.provider, self.wire);
        if !is_wrong || !self.insists_on(&MISSING_CALL_ID) {
            return;
        }
        let name = quote(&self.name_of(call));
        let members =
            [("role", Some(quote("function"))), ("name", Some(name)), ("tool_name", None)];
        for (key, value) in members {
            self.draft.set_member(result.0, answer.json, key, value);
        }
        let text = "result stands in a message of a `function` now";
        self.report(&MISSING_CALL_ID, result, text);
    }

    /// The ids that several calls share, if the place of a result does not tell which call it answers.
    fn shared_ids(&self) -> HashSet<String> {
        let calls = self.pairs.calls.iter().filter(|_| !self.wire.adjacent);
        let ids = calls.filter_map(|(call, _)| self.part(*call).id());
        let mut seen = HashSet::new();
        ids.map(Cow::into_owned).filter(|id| !seen.insert(id.clone())).collect()
    }

    fn set_id(&mut self, place: Place, id: &str) {
        let part = self.part(place);
        let dialect = self.conversation.dialect;
        match (part.call_id, dialect.call_id_member(part)) {
            (Some(old), _) => self.draft.set_value(place.0, old, quote(id)),
            (None, Some(key)) => {
                self.draft.set_member(place.0, dialect.object_of(part), key, Some(quote(id)));
            }
            (None, None) if is_functions(part) => {
                self.draft.set_member(place.0, part.json, "role", Some(quote("tool")));
                self.draft.set_member(place.0, part.json, "tool_call_id", Some(quote(id)));
            }
            (None, None) => {}
        }
    }

    fn has_id_member(&self, place: Place) -> bool {
        self.conversation.dialect.call_id_member(self.part(place)).is_some()
    }

    /// The content of a call, from which an id can be derived.
    fn says(&self, call: Place) -> String {
        let part = self.part(call);
        format!("{} {}", part.tool(), part.body.map(Json::compact).unwrap_or_default())
    }

    /// Gives calls, and results that repeat their names, tool names that the provider accepts.
    pub(super) fn name_tools(&mut self) {
        if !self.insists_on(&TOOL_NAME_FORM) {
            return;
        }
        for (_, place) in self.parts() {
            let part = self.part(place);
            // A result repeats the name of its call.
            let called = match part.kind {
                _ if !is_named(part) => continue,
                Kind::ToolResult => {
                    let call = self.pairs.call_of(place).filter(|call| self.is_sent(call.0));
                    call.unwrap_or(place)
                }
                _ => place,
            };
            let name = self.name_of(called);
            let is_kept = name == self.part(called).tool();
            if name == part.tool() || (is_kept && is_good_name(self.provider, &part.tool())) {
                continue;
            }
            if let Some(old) = part.name {
                self.draft.set_value(place.0, old, quote(&name));
            } else {
                for (object, key, value) in self.conversation.dialect.named(part, &name) {
                    self.draft.set_member(place.0, object, key, value);
                }
            }
            let old = part.tool();
            let which = if old.is_empty() {
                "tool without a name".into()
            } else {
                format!("tool \"{old}\"")
            };
            let text = format!("{which} is called \"{name}\" now");
            self.report(&TOOL_NAME_FORM, place, text);
        }
        for name in names_beside(self.conversation) {
            let old = name.text().unwrap_or_default();
            let new = good_name(self.provider, &old);
            if new != old {
                self.draft.set_beside(name, quote(&new));
                let text = format!("tool \"{old}\" is called \"{new}\" now");
                self.report_tools(&TOOL_NAME_FORM, name, &text);
            }
        }
    }

    /// The tool name of a call or result in a form that the provider accepts.
    pub(super) fn name_of(&self, place: Place) -> String {
        let name = self.part(place).tool();
        if is_good_name(self.provider, &name) || !self.insists_on(&TOOL_NAME_FORM) {
            return name.into_owned();
        }
        good_name(self.provider, &name)
    }
}

/// A tool name in a form that the provider accepts.
pub(super) fn good_name(provider: Provider, name: &str) -> String {
    if is_good_name(provider, name) {
        return name.to_owned();
    }
    let limit = name_limit(provider);
    let plain = plain(name);
    match plain.as_str() {
        "" => "tool".to_owned(),
        plain if plain.len() <= limit => plain.to_owned(),
        plain => format!("{}_{:016x}", &plain[..limit - 17], fnv(name)),
    }
}

/// An unused id in the form of Anthropic's server, derived from the old one; those of the rounds before `round`
/// are in use.
fn fresh_server_id(old: &str, used: &HashSet<String>, round: &mut usize) -> String {
    let base = plain(old).replace('-', "_");
    let base = if base.is_empty() { format!("{:016x}", fnv(old)) } else { base };
    loop {
        let id = match *round {
            1 => format!("{SERVER_ID}{base}"),
            round => format!("{SERVER_ID}{base}_{round}"),
        };
        *round += 1;
        if !used.contains(&id) {
            return id;
        }
    }
}

/// A valid unused id derived from `base`; those of the rounds before `round` are in use.
fn fresh_id(
    provider: Provider,
    base: &str,
    is_new: bool,
    used: &HashSet<String>,
    round: &mut usize,
) -> String {
    let (limit, is_plain) = id_form(provider);
    loop {
        let id = if provider == Provider::Mistral {
            nine(fnv(&format!("{base} {round}")))
        } else if is_new {
            format!("call_{:016x}", fnv(&format!("{base} {round}")))
        } else {
            let base = if is_plain { plain(base) } else { base.to_owned() };
            let tail = if *round == 1 { String::new() } else { format!("_{round}") };
            if base.chars().count() + tail.len() <= limit {
                format!("{base}{tail}")
            } else {
                let head: String = base.chars().take(limit - 17 - tail.len()).collect();
                format!("{head}_{:016x}{tail}", fnv(&base))
            }
        };
        if !used.contains(&id) {
            return id;
        }
        *round += 1;
    }
}

fn plain(text: &str) -> String {
    text.chars().map(|c| if u8::try_from(c).is_ok_and(is_plain_byte) { c } else { '_' }).collect()
}

/// Nine letters and digits that encode a number.
fn nine(mut number: u64) -> String {
    const DIGITS: &[u8; 62] = b"0123456789abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ";
    let mut id = String::with_capacity(9);
    for _ in 0..9 {
        id.push(char::from(DIGITS[usize::try_from(number % 62).unwrap_or_default()]));
        number /= 62;
    }
    id
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn new_ids_are_well_formed_unused_and_a_function_of_the_text() {
        let mut used = HashSet::new();
        for provider in
            [Provider::OpenAi, Provider::Anthropic, Provider::Bedrock, Provider::Mistral]
        {
            for base in ["ls:0", "", "é", &"x".repeat(100)] {
                let id = fresh_id(provider, base, base.is_empty(), &used, &mut 1);
                assert_eq!(id, fresh_id(provider, base, base.is_empty(), &used, &mut 1));
                assert!(is_good_id(provider, &id) && !used.contains(&id), "{id}");
                used.insert(id);
            }
        }
    }
}
