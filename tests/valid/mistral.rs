//! Mistral: its requests are OpenAI's, and its thinking is a list of texts.

use crate::*;

const THOUGHT: &str =
    r#"{"type":"thinking","thinking":[{"type":"text","text":"hm"}],"closed":true}"#;

fn request(message: &str) -> String {
    format!(
        r#"{{"messages":[{{"role":"user","content":"q"}},{{"role":"assistant",{message}}},{{"role":"user","content":"on"}}]}}"#
    )
}

#[test]
fn thinking_that_is_a_list_is_no_block_of_anthropics() {
    let text = request(&format!(r#""content":[{THOUGHT},{{"type":"text","text":"a"}}]"#));
    assert_eq!(dialect_of(&text), "openai");
    assert_valid(&text);
    assert_eq!(normalized(&text, Provider::Mistral), text);
    let document = Document::parse(text.as_bytes()).unwrap();
    let thought = decode(&document).messages[1].parts[0];
    assert_eq!((thought.kind, thought.text().as_ref()), (Kind::Reasoning, "hm"));
    let signed = request(r#""content":[{"type":"thinking","thinking":"hm","signature":"s"}]"#);
    assert_eq!(dialect_of(&signed), "anthropic");
}

#[test]
fn a_document_is_a_file() {
    let text = request(r#""content":[{"type":"document_url","document_url":"https://a.b/c.pdf"}]"#);
    let document = Document::parse(text.as_bytes()).unwrap();
    assert_eq!(decode(&document).messages[1].parts[0].kind, Kind::File);
}

#[test]
fn calls_beside_the_content_are_openais_whatever_stands_in_it() {
    for thought in [THOUGHT, r#"{"type":"thinking","thinking":"hm"}"#] {
        let text = format!(
            r#"[{{"role":"assistant","content":[{thought}],"tool_calls":[{{"id":"c","type":"function","function":{{"name":"f","arguments":"{{}}"}}}}]}},{{"role":"tool","tool_call_id":"c","content":"1"}}]"#
        );
        assert_eq!(dialect_of(&text), "openai");
        assert_valid(&text);
    }
}

#[test]
fn an_answer_that_is_only_begun_may_be_the_last() {
    let notes = |prefix: bool| {
        let text = format!(
            r#"[{{"role":"user","content":"q"}},{{"role":"assistant","content":"a","prefix":{prefix}}}]"#
        );
        findings(&text, Provider::Mistral, Severity::Note).len()
    };
    assert_eq!((notes(true), notes(false)), (0, 1));
}
