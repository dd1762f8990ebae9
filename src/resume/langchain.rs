//! Messages of LangChain after some edits.
//!
//! Responsible for calls that are told twice: in the content, and beside it.

use std::collections::HashSet;

use crate::draft::Draft;
use crate::message::Kind;

/// A call that goes takes its other telling along.
pub(super) fn mend(draft: &mut Draft<'_, '_>) {
    for (at, message) in draft.conversation().messages.iter().enumerate() {
        let calls = message.parts_of(Kind::ToolCall);
        let gone = calls.filter(|(call, _)| draft.is_removed((at, *call)));
        let gone: HashSet<_> = gone.filter_map(|(_, part)| part.id()).collect();
        if gone.is_empty() || draft.is_dropped(at) {
            continue;
        }
        for (twin, other) in message.parts_of(Kind::Other) {
            if other.json.str_member("id").is_some_and(|id| gone.contains(&id)) {
                draft.remove_part((at, twin));
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
