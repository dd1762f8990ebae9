//! Nothing to send: only the list of a request is refused where it is empty.

use crate::*;

#[test]
fn what_is_no_list_of_a_request_may_be_empty() {
    let chat = r#"[{"title":"t","mapping":{"r":{"id":"r","message":null,"parent":null,"children":[]}},"current_node":"r"}]"#;
    let answer = r#"{"id":"x","object":"chat.completion","choices":[]}"#;
    let blocked = r#"{"candidates":[],"promptFeedback":{"blockReason":"SAFETY"}}"#;
    for text in [chat, answer, blocked] {
        assert_valid(text);
        let notes = findings(text, own_provider(text), Severity::Note);
        assert_eq!(notes, ["empty-conversation: the conversation has no message"], "{text}");
    }
    let request = r#"{"model":"gpt-4o","messages":[]}"#;
    assert_eq!(faults(request, Provider::OpenAi).len(), 1);
}
