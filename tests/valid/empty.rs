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

#[test]
fn a_call_without_an_id_is_told_in_no_sentence_that_names_ids() {
    let text = r#"[{"type":"human","content":"q"},{"type":"ai","content":"","additional_kwargs":{"function_call":{"name":"f","arguments":"{}"}}},{"type":"human","content":"z"}]"#;
    let document = Document::parse(text.as_bytes()).unwrap();
    let conversation = decode(&document);
    let pairs = Pairs::of(&conversation.messages);
    for provider in [Provider::OpenAi, Provider::Anthropic, Provider::Bedrock] {
        let found = check::findings(&conversation, &pairs, provider);
        let found = found.iter().find(|found| found.rule.name == "unanswered-call").unwrap();
        assert_eq!(found.provider_error, None, "{}", provider.name());
    }
}
