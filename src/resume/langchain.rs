//! Messages of LangChain after some edits.
//!
//! Responsible for calls that are recorded twice: in the content or in OpenAI's form, and in the list of
//! calls.

use std::borrow::Cow;
use std::collections::HashMap;

use crate::draft::Draft;
use crate::json::{Json, quote};
use crate::message::{Kind, Message};

/// Removes the copies of a removed call, and repeats a new id, name or input in the copies.
pub(super) fn mend(draft: &mut Draft<'_, '_>) {
    for (at, message) in draft.conversation().messages.iter().enumerate() {
        if !draft.is_changed(at) || draft.is_dropped(at) {
            continue;
        }
        let calls: HashMap<_, _> = message
            .parts_of(Kind::ToolCall)
            .filter_map(|(at, call)| Some((call.id()?, at)))
            .collect();
        for (twin, other) in message.parts_of(Kind::Other) {
            let id = other.json.str_member("id");
            let Some(&call) = id.and_then(|id| calls.get(&id)) else { continue };
            if draft.is_removed((at, call)) {
                draft.remove_part((at, twin));
                continue;
            }
            let call = &message.parts[call];
            for (key, value) in [("id", call.call_id), ("name", call.name), ("input", call.body)] {
                let [Some(value), Some(twin)] = [value, other.json.member(key)] else { continue };
                let new = draft.replacement(at, value).map(str::to_owned);
                if let Some(new) = new.filter(|new| !twin.is_object() || new.starts_with('{')) {
                    draft.set_value(at, twin, new);
                }
            }
        }
        retell_as_openai(draft, at, message, &calls);
    }
}

/// Updates the calls in OpenAI's form, which are read only if there are no others.
fn retell_as_openai<'a>(
    draft: &mut Draft<'_, 'a>,
    at: usize,
    message: &Message<'a>,
    calls: &HashMap<Cow<'a, str>, usize>,
) {
    let Some(list) = message.json.at("additional_kwargs.tool_calls") else { return };
    // This list may be the one that was read.
    if message.parts.iter().any(|part| part.list.is_some_and(|own| own.is(list))) {
        return;
    }
    let mut gone = Vec::new();
    for (item, twin) in list.items().enumerate() {
        let Some(&call) = twin.str_member("id").and_then(|id| calls.get(&id)) else { continue };
        let part = &message.parts[call];
        if draft.is_removed((at, call)) {
            gone.push(item);
            continue;
        }
        let told: [(&str, Option<Json<'a>>); 3] =
            [("id", part.call_id), ("function.name", part.name), ("function.arguments", part.body)];
        for (path, value) in told {
            let [Some(value), Some(twin)] = [value, twin.at(path)] else { continue };
            let Some(new) = draft.replacement(at, value).map(str::to_owned) else { continue };
            // The arguments there are a text that holds the object.
            let is_text = twin.is_string() && !new.starts_with('"');
            draft.set_value(at, twin, if is_text { quote(&new) } else { new });
        }
    }
    if !gone.is_empty() {
        draft.remove_items(at, list, gone);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::conversation::decode;
    use crate::dialect::{Scope, named};
    use crate::document::Document;
    use crate::source::Source;

    #[test]
    fn a_call_that_goes_takes_its_other_telling_along() {
        let text = r#"[{"type":"ai","content":[{"type":"text","text":"a"},{"type":"tool_use","id":"c1","name":"f","input":{}}],"tool_calls":[{"id":"c1","name":"f","args":{}}]}]"#;
        let document = Document::parse(text.as_bytes()).unwrap();
        let source = Source::array(None, document.values()[0]);
        let conversation = decode(named("langchain").unwrap(), source, Scope::Live);
        let mut draft = Draft::new(&conversation);
        draft.remove_part((0, 2));
        mend(&mut draft);
        let result = String::from_utf8(document.apply(&draft.edits(&document))).unwrap();
        assert!(!result.contains("c1"), "{result}");
        assert!(result.contains(r#"{"type":"text","text":"a"}"#));
    }
}
