//! Repairs of contents: empty ones are removed, inputs get the type that the provider reads, pictures over
//! the limit are replaced by words.

use std::collections::HashSet;

use super::plan::{Item, Plan};
use crate::check::table::{
    EMPTY_ARRAY, EMPTY_ERROR_RESULT, EMPTY_MESSAGE, EMPTY_TEXT, INPUT_TYPE, MEDIA_COUNT,
    MEDIA_TYPE, TOOLS_MISSING,
};
use crate::conversation::{Kind, Place, Role};
use crate::demands::calls::{call_named, result_named};
use crate::demands::content::{
    IMAGES, image_limit, images, is_blank_item, is_empty, is_empty_array, is_empty_text,
    is_function, is_good_input, is_prompt, is_tool_use, is_wordless_error, may_be_empty_at_the_end,
    reads_inputs, wants_string,
};
use crate::demands::content_types::text_of;
use crate::demands::media_types::{media, mislabelled};
use crate::demands::part_types::is_custom;
use crate::demands::rows::lacks_tools;
use crate::dialect::Provider;
use crate::draft::NewPart;
use crate::json::{Json, quote};
use crate::line::counted;

/// The text given to a result that reports an error without a word.
const ERROR: &str = "error";

/// Replaces a picture over the limit.
const OMITTED: &str = "[image omitted]";

/// Replaces a document in an unreadable format.
const OMITTED_DOCUMENT: &str = "[document omitted]";

impl Plan<'_, '_> {
    /// Removes empty texts and messages.
    pub(super) fn drop_what_is_empty(&mut self) {
        if self.wire.log {
            return;
        }
        let turns = self.turns();
        let mut said: Vec<usize> = turns.iter().flat_map(|turn| turn.members.clone()).collect();
        let last_word = said.last().copied().filter(|&slot| {
            let message = self.slots[slot].message;
            message.is_some_and(|at| {
                may_be_empty_at_the_end(&self.conversation.messages[at], self.provider)
            })
        });
        if self.wire.prompts_inside {
            said = (0..self.slots.len()).filter(|&slot| self.slots[slot].is_sent).collect();
        }
        let mut texts: HashSet<Place> = HashSet::new();
        let mut empty: HashSet<usize> = HashSet::new();
        for slot in said {
            let Some(message) = self.slots[slot].message else { continue };
            if self.conversation.messages[message].units.is_empty() {
                continue;
            }
            if self.insists_on(&EMPTY_TEXT) {
                let items = self.slots[slot].items.clone();
                for place in items.iter().filter_map(Item::place) {
                    if is_blank_item(self.part(place)) {
                        texts.insert(place);
                        self.report(&EMPTY_TEXT, place, "empty text removed");
                    }
                }
            }
            if last_word != Some(slot) && self.mend_empty_message(slot, message) {
                empty.insert(message);
            }
        }
        self.slots.retain(|slot| !slot.message.is_some_and(|at| empty.contains(&at)));
        self.drop_texts_within(&mut texts);
        self.take(&texts);
    }

    /// Removes blank texts from the prompt beside the list, and empty texts from results.
    fn drop_texts_within(&mut self, texts: &mut HashSet<Place>) {
        let is_its = self.provider == Provider::Anthropic && !self.wire.foreign;
        if !is_its || !self.insists_on(&EMPTY_TEXT) {
            return;
        }
        for place in self.parts_to_be_sent() {
            let part = self.part(place);
            if is_blank_item(part) && is_prompt(&self.conversation.messages[place.0]) {
                texts.insert(place);
                self.report(&EMPTY_TEXT, place, "empty text removed");
            }
            // A result that failed without a word gets a text elsewhere.
            let list = part.body.filter(|_| part.kind == Kind::ToolResult);
            let Some(list) = list.filter(|_| !is_wordless_error(part)) else { continue };
            let gone = list.items().enumerate().filter(|(_, item)| is_wordless(*item));
            let gone: Vec<usize> = gone.map(|(at, _)| at).collect();
            if gone.is_empty() {
                continue;
            }
            if gone.len() == list.items().count() {
                let said = if part.is_error { ERROR } else { "" };
                self.draft.set_value(place.0, list, quote(said));
            } else {
                self.draft.remove_items(place.0, list, gone);
            }
            self.report(&EMPTY_TEXT, place, "empty text removed from a result");
        }
        self.leave_a_prompt(texts);
    }

    /// Mends an empty message; returns whether it has to be removed.
    fn mend_empty_message(&mut self, slot: usize, at: usize) -> bool {
        let message = &self.conversation.messages[at];
        let items = self.slots[slot].items.iter().filter_map(Item::place);
        let parts: Vec<_> = items.map(|place| self.part(place)).collect();
        let is_empty = is_empty(&parts, message.role, self.provider, self.wire);
        let content = message.content;
        let is_list = is_empty_array(content) && self.wire.has_list_rule;
        let rule = if is_list { &EMPTY_ARRAY } else { &EMPTY_MESSAGE };
        if self.provider == Provider::OpenAi && self.wire.has_list_rule {
            let is_bare = is_empty_array(message.json.member("tool_calls"));
            let stays = !is_empty;
            if is_bare && stays {
                self.draft.set_member(at, message.json, "tool_calls", None);
                self.report_message(&EMPTY_ARRAY, Some(at), "empty \"tool_calls\" removed");
            }
            if is_list && stays && message.role != Role::Tool {
                self.draft.set_member(at, message.json, "content", Some("null".to_owned()));
                self.report_message(rule, Some(at), "empty \"content\" became null");
                return false;
            }
            if is_list && message.role == Role::Tool {
                self.draft.set_member(at, message.json, "content", Some("\"\"".to_owned()));
                self.report_message(rule, Some(at), "empty \"content\" became a text");
                return false;
            }
        }
        // Content of the wrong type is not empty, and is a text by now.
        if message.strange_content().is_some() {
            return false;
        }
        let is_bare = self.provider == Provider::Gemini
            && self.wire.has_list_rule
            && message.parts.is_empty();
        if is_bare || (is_list && message.parts.is_empty()) {
            self.report_message(&EMPTY_ARRAY, Some(at), "empty message removed");
            return true;
        }
        if !self.insists_on(&EMPTY_MESSAGE) || !is_empty {
            return false;
        }
        if parts.first().is_some_and(|part| part.kind == Kind::ToolResult) {
            self.set_text((at, 0), "");
            self.report_message(rule, Some(at), "missing content became an empty text");
            return false;
        }
        self.report_message(rule, Some(at), "empty message removed");
        true
    }

    /// Gives the inputs of calls the type that the provider reads.
    pub(super) fn mend_inputs(&mut self) {
        if !self.insists_on(&INPUT_TYPE) || !reads_inputs(self.provider, self.wire) {
            return;
        }
        for (_, place) in self.parts() {
            let part = self.part(place);
            if part.kind != Kind::ToolCall || is_good_input(part, self.provider) {
                continue;
            }
            if is_custom(part) {
                self.write_custom_input(place);
                continue;
            }
            let function = part.json.member("function").filter(|_| is_function(part));
            let text = part.body.and_then(Json::text);
            let read = text.as_deref().map(str::trim).filter(|text| is_object_text(text));
            let object = match (part.body, &text) {
                (None, _) => "{}".to_owned(),
                (Some(body), _) if body.is_null() => "{}".to_owned(),
                (Some(body), _) if body.is_object() => body.compact(),
                (_, Some(text)) if text.trim().is_empty() => "{}".to_owned(),
                (_, Some(text)) => {
                    read.map_or_else(|| format!("{{\"input\":{}}}", quote(text)), ToOwned::to_owned)
                }
                (Some(body), None) => format!("{{\"input\":{}}}", body.source()),
            };
            let as_text = wants_string(part, self.provider) || function.is_some();
            let value = if as_text { quote(&object) } else { object };
            match (part.body, function) {
                (Some(body), _) => self.draft.set_value(place.0, body, value),
                (None, Some(function)) => {
                    self.draft.set_member(place.0, function, "arguments", Some(value));
                }
                (None, None) if is_tool_use(part) => {
                    let call = self.conversation.dialect.object_of(part);
                    self.draft.set_member(place.0, call, "input", Some(value));
                }
                (None, None) if as_text => {
                    self.draft.set_member(place.0, part.json, "arguments", Some(value));
                }
                (None, None) => continue,
            }
            let kind = if as_text { "a JSON string" } else { "an object" };
            let text = format!("input of {} written as {kind}", call_named(part));
            self.report(&INPUT_TYPE, place, text);
        }
    }

    /// Writes the input of a custom call as the text that it should be.
    fn write_custom_input(&mut self, place: Place) {
        let part = self.part(place);
        let said = part.body.filter(|body| !body.is_null());
        let text = quote(&said.map_or_else(String::new, Json::compact));
        if let Some(body) = part.body {
            self.draft.set_value(place.0, body, text);
        } else {
            let holder = part.json.member("custom").unwrap_or(part.json);
            self.draft.set_member(place.0, holder, "input", Some(text));
        }
        let text = format!("input of {} written as a text", call_named(part));
        self.report(&INPUT_TYPE, place, text);
    }

    /// Gives results that failed without a word a text that says so.
    pub(super) fn word_errors(&mut self) {
        if !self.insists_on(&EMPTY_ERROR_RESULT) {
            return;
        }
        for (_, place) in self.parts() {
            if is_wordless_error(self.part(place)) {
                self.set_text(place, ERROR);
                let text = format!("{} says: {ERROR}", result_named(self.part(place)));
                self.report(&EMPTY_ERROR_RESULT, place, text);
            }
        }
    }

    /// Sets the text of a result, wherever it will stand.
    fn set_text(&mut self, place: Place, text: &str) {
        let part = self.part(place);
        let dialect = self.conversation.dialect;
        if let Some(body) = part.body {
            self.draft.set_value(place.0, body, dialect.write_result(part, text));
        } else {
            let (key, said) = dialect.result_member(text);
            self.draft.set_member(place.0, dialect.object_of(part), key, Some(said));
        }
    }

    /// Replaces the oldest pictures over the limit by words.
    pub(super) fn omit_images(&mut self) {
        if !self.insists_on(&MEDIA_COUNT) {
            return;
        }
        let parts = self.parts().into_iter().map(|(_, place)| (place.0, *self.part(place)));
        let images = images(parts.collect::<Vec<_>>().into_iter());
        if images.len() <= IMAGES.0 {
            return;
        }
        let limit = image_limit(self.conversation, None).unwrap_or(IMAGES.1);
        let over = images.len().saturating_sub(limit);
        for (message, json) in images.into_iter().take(over) {
            self.draft.set_value(message, json, self.omission(message, OMITTED));
            self.report_message(&MEDIA_COUNT, Some(message), "picture left out");
        }
    }

    /// The replacement for a picture or document of a message.
    fn omission(&self, message: usize, words: &'static str) -> String {
        let role = self.conversation.messages[message].role;
        self.conversation.dialect.write_part(&NewPart::Text(words.into()), role)
    }

    /// Writes the media types of pictures and documents, and replaces those in unreadable formats by words.
    pub(super) fn label_media(&mut self) {
        if !self.insists_on(&MEDIA_TYPE) || self.wire.foreign {
            return;
        }
        for (_, place) in self.parts() {
            for medium in media(self.part(place)) {
                let Some(fault) = mislabelled(medium) else { continue };
                if self.draft.is_replaced(place.0, medium) {
                    continue;
                }
                let what = fault.what();
                if let Some((link, data)) = fault.link.filter(|_| fault.right.is_some()) {
                    self.draft.set_value(place.0, link, format!("\"{data}\""));
                    self.report_kept(&MEDIA_TYPE, place, format!("{what} taken out of a link"));
                }
                let Some(right) = fault.right else {
                    let words = if fault.is_document { OMITTED_DOCUMENT } else { OMITTED };
                    self.draft.set_value(place.0, medium, self.omission(place.0, words));
                    let text = format!("{what} left out: its format is not read");
                    self.report(&MEDIA_TYPE, place, text);
                    continue;
                };
                if fault.label.is_some_and(|label| label.says(right)) {
                    continue;
                }
                if let Some(label) = fault.label {
                    self.draft.set_value(place.0, label, quote(right));
                } else {
                    let label = Some(quote(right));
                    self.draft.set_member(place.0, fault.source, "media_type", label);
                }
                self.report_kept(&MEDIA_TYPE, place, format!("{what} labelled {right}"));
            }
        }
    }

    /// Defines the tools that are called, if the request defines none.
    pub(super) fn define_tools(&mut self) {
        let conversation = self.conversation;
        if !self.insists_on(&TOOLS_MISSING) || !lacks_tools(conversation) {
            return;
        }
        let mut names: Vec<String> = Vec::new();
        let mut seen = HashSet::new();
        for (_, place) in self.parts() {
            if self.part(place).kind == Kind::ToolCall {
                let name = self.name_of(place);
                if seen.insert(name.clone()) {
                    names.push(name);
                }
            }
        }
        if names.is_empty() {
            return;
        }
        let own = conversation.dialect.provider();
        let any = r#"{"type":"object"}"#;
        let define = |name: &String| {
            let name = quote(name);
            match own {
                Provider::Anthropic => format!(r#"{{"name":{name},"input_schema":{any}}}"#),
                Provider::Bedrock => {
                    format!(r#"{{"toolSpec":{{"name":{name},"inputSchema":{{"json":{any}}}}}}}"#)
                }
                _ => format!(
                    r#"{{"type":"function","function":{{"name":{name},"parameters":{any}}}}}"#
                ),
            }
        };
        let tools: Vec<String> = names.iter().map(define).collect();
        let tools = format!("[{}]", tools.join(","));
        match (own, conversation.tools) {
            // Keep the other members of the configuration.
            (Provider::Bedrock, Some(none)) => self.draft.set_beside(none, tools),
            (Provider::Bedrock, None) => {
                self.draft.set_root_member("toolConfig", format!(r#"{{"tools":{tools}}}"#));
            }
            _ => self.draft.set_root_member("tools", tools),
        }
        let text = format!("{} defined", counted(names.len(), "tool"));
        self.report_message(&TOOLS_MISSING, None, text);
    }
}

/// Whether a block of a result is an empty text, or became one when its wrong type was mended.
fn is_wordless(block: Json<'_>) -> bool {
    let is_missing = |text: Option<Json<'_>>| text.is_none_or(Json::is_null);
    matches!(block.source(), "null" | "\"\"")
        || is_empty_text(block)
        || text_of(block).is_some_and(|(key, text)| key == "text" && is_missing(text))
}

/// Whether a text is a JSON object.
fn is_object_text(text: &str) -> bool {
    text.starts_with('{') && Json::parse(text).is_some()
}
