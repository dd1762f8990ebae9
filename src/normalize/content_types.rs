//! Repairs of values of the wrong type: what should be a text becomes one.

use std::collections::HashSet;

use super::plan::Plan;
use crate::check::table::{CONTENT_TYPE, PART_TYPE};
use crate::conversation::{Place, Role};
use crate::demands::bedrock::is_broken_point;
use crate::demands::content_types::{Mistyped, Wanted, mistyped, text_of};
use crate::demands::part_types::{WantedType, wanted_types};
use crate::dialect::Provider;
use crate::draft::NewPart;
use crate::json::{Json, quote};

impl<'a> Plan<'_, 'a> {
    /// Makes contents texts or lists, and texts strings; removes items of call lists that are no calls.
    pub(super) fn mend_types(&mut self) {
        if self.wire.log {
            return;
        }
        let conversation = self.conversation;
        let mut gone = HashSet::new();
        for (at, message) in conversation.messages.iter().enumerate() {
            let dialect = conversation.dialect;
            let wrong = mistyped(message, dialect, self.provider, self.wire);
            let is_read = |wrong: &Mistyped<'_>| {
                wrong.part.map_or(self.is_sent(at), |part| self.will_be_sent((at, part)))
            };
            let wrong: Vec<_> = wrong.into_iter().filter(is_read).collect();
            for Mistyped { wanted, part, value, .. } in wrong {
                let is_null =
                    value.is_null() && (wanted == Wanted::Call || self.provider.has_blocks());
                let is_nothing = is_null || value.is_empty_object();
                let text = match (wanted, part) {
                    (Wanted::Call, Some(part)) => {
                        gone.insert((at, part));
                        "what is no call removed"
                    }
                    (Wanted::Part, Some(part))
                        if message.parts[part].json.is(value)
                            && (is_nothing || is_broken_point(value)) =>
                    {
                        gone.insert((at, part));
                        if !is_nothing {
                            "cache point removed: it is no object"
                        } else if is_null {
                            "null removed from the content"
                        } else {
                            "empty block removed from the content"
                        }
                    }
                    (Wanted::Calls, _) => {
                        self.draft.set_member(at, message.json, "tool_calls", None);
                        "\"tool_calls\" removed: it is no list"
                    }
                    (Wanted::Link, _) => {
                        let link = match value.member("url") {
                            Some(link) => link.source().to_owned(),
                            None => format!(r#"{{"url":{}}}"#, value.source()),
                        };
                        self.draft.set_value(at, value, link);
                        if value.is_object() {
                            "link of a picture taken out of its object"
                        } else {
                            "link of a picture put into an object"
                        }
                    }
                    (Wanted::Summary, _) => {
                        self.draft.set_member(at, value, "summary", Some("[]".to_owned()));
                        "missing summary became an empty one"
                    }
                    (Wanted::Content, _) if message.content.is_none() => {
                        self.draft.set_member(at, value, "content", Some("\"\"".to_owned()));
                        "missing content became an empty text"
                    }
                    (Wanted::SomeText, _) => {
                        let key = text_of(value).map_or("text", |(key, _)| key);
                        self.draft.set_member(at, value, key, Some("\"\"".to_owned()));
                        "missing text became an empty one"
                    }
                    (Wanted::Result, Some(part)) if message.parts[part].json.is(value) => {
                        let (key, empty) = dialect.result_member("");
                        let object = dialect.object_of(&message.parts[part]);
                        self.draft.set_member(at, object, key, Some(empty));
                        "missing output became an empty one"
                    }
                    _ => {
                        let new = self.as_text(wanted, value, message.role);
                        self.draft.set_value(at, value, new);
                        "content became a text"
                    }
                };
                let loses = matches!(wanted, Wanted::Call | Wanted::Calls);
                self.report_message(&CONTENT_TYPE, Some(at), text).loses = loses;
            }
        }
        self.leave_a_prompt(&mut gone);
        self.take(&gone);
    }

    /// Gives parts the types that their place requires.
    pub(super) fn write_types(&mut self) {
        if !self.insists_on(&PART_TYPE) {
            return;
        }
        for place in self.parts_to_be_sent() {
            let role = self.conversation.messages[place.0].role;
            let call = self.pairs.call_of(place).map(|call| self.part(call));
            for wanted in wanted_types(self.part(place), call, role, self.provider, self.wire) {
                let WantedType { object, kind, of, .. } = wanted;
                self.draft.set_member(place.0, object, "type", Some(quote(kind)));
                self.report(&PART_TYPE, place, format!("{of} has the type \"{kind}\" now"));
            }
        }
    }

    /// Empties a prompt beside the list if all its parts are to be removed: it is a member of the request,
    /// and can't be dropped like a message.
    pub(super) fn leave_a_prompt(&mut self, gone: &mut HashSet<Place>) {
        let messages = self.conversation.messages.iter().enumerate();
        for (at, message) in messages.filter(|(_, message)| message.units.is_empty()) {
            let mut places = (0..message.parts.len()).map(|part| (at, part));
            let Some(content) = message.content.filter(|_| !message.parts.is_empty()) else {
                continue;
            };
            if places.all(|place| gone.contains(&place)) {
                gone.retain(|place| place.0 != at);
                let empty = if self.wire.takes_lists { "[]" } else { r#""""# };
                self.draft.set_value(at, content, empty);
            }
        }
    }

    /// The text that a value of the wrong type becomes.
    fn as_text(&self, wanted: Wanted, value: Json<'a>, role: Role) -> String {
        let dialect = self.conversation.dialect;
        let own = Some(dialect.provider()).filter(|_| dialect.is_wire());
        let (is_gemini, is_bedrock) =
            (own == Some(Provider::Gemini), own == Some(Provider::Bedrock));
        let part = Some(value).filter(|value| is_gemini && value.is_object());
        let part = part.filter(|_| wanted == Wanted::Content);
        let text = part.and_then(|part| part.member("text"));
        if let Some(part) = part.filter(|_| text.is_none_or(Json::is_string)) {
            return format!("[{}]", part.source());
        }
        let value = text.unwrap_or(value);
        let said = if value.is_null() { String::new() } else { value.compact() };
        let said = value.text().map_or(said, Into::into);
        match wanted {
            Wanted::Content if is_bedrock && said.is_empty() => "[]".to_owned(),
            Wanted::Content if dialect.facts().takes_lists => {
                format!("[{}]", dialect.write_part(&NewPart::Text(said.into()), role))
            }
            Wanted::Result if is_gemini || is_bedrock => {
                format!(r#"{{"output":{}}}"#, quote(&said))
            }
            Wanted::Part => dialect.write_part(&NewPart::Text(said.into()), role),
            _ => quote(&said),
        }
    }
}
