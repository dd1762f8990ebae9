//! Messages of LangChain after some edits.
//!
//! Responsible for calls that are told twice: in the content, and beside it.

use std::collections::HashMap;

use crate::draft::Draft;
use crate::message::Kind;

/// A call that goes takes its other telling along, and one that gets another id, name or input tells it
/// there too.
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
            let told = [("id", call.call_id), ("name", call.name), ("input", call.body)];
            for (key, value) in told {
                let [Some(value), Some(twin)] = [value, other.json.member(key)] else { continue };
                let new = draft.replacement(at, value).map(str::to_owned);
                if let Some(new) = new.filter(|new| !twin.is_object() || new.starts_with('{')) {
                    draft.set_value(at, twin, new);
                }
            }
        }
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
