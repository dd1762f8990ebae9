//! What has neither an id nor a name is named in words, and no sentence of a provider has a gap for it.

use crate::*;

/// Each finding with what the provider says.
fn told(text: &str) -> Vec<(String, Option<String>)> {
    let document = Document::parse(text.as_bytes()).unwrap();
    let conversation = decode(&document);
    let found =
        check::findings(&conversation, &Pairs::of(&conversation.messages), Provider::OpenAi);
    found.into_iter().map(|finding| (finding.text, finding.provider_error)).collect()
}

/// Each repair.
fn repairs(text: &str) -> Vec<String> {
    let document = Document::parse(text.as_bytes()).unwrap();
    let conversation = decode(&document);
    let (_, repairs) =
        normalize::normalize(&conversation, Provider::OpenAi, Signatures::default(), &[]);
    repairs.into_iter().map(|repair| repair.text).collect()
}

#[test]
fn results_without_an_id() {
    let orphan = r#"[{"role":"user","content":"q"},{"role":"assistant","content":"a"},{"role":"tool","content":"1"}]"#;
    assert_eq!(told(orphan)[0].0, "result without id has no call");
    assert_eq!(repairs(orphan), ["result without id removed: it has no call"]);
    let second = r#"[{"role":"user","content":"q"},{"role":"assistant","content":null,"function_call":{"name":"f","arguments":"{}"}},{"role":"tool","content":"1"},{"role":"tool","content":"2"}]"#;
    assert!(told(second).contains(&("call of f has a result already".to_owned(), None)));
    let mended = "result stands in a message of a `function` now";
    assert_eq!(repairs(second), [mended, "second result without id removed"]);
}

#[test]
fn many_calls_of_one_id_get_others_at_once() {
    let call = r#"{"id":"c","type":"function","function":{"name":"f","arguments":"{}"}}"#;
    let calls = vec![call; 30_000].join(",");
    let results = r#",{"role":"tool","tool_call_id":"c","content":"r"}"#.repeat(30_000);
    let text = format!(
        r#"[{{"role":"user","content":"q"}},{{"role":"assistant","content":null,"tool_calls":[{calls}]}}{results}]"#
    );
    assert_eq!(repairs(&text).len(), 29_999);
}
