//! OpenAI's calls, listed and legacy.

use crate::*;

fn conversation(messages: &str) -> String {
    format!(r#"[{{"role":"user","content":"q"}},{messages},{{"role":"user","content":"on"}}]"#)
}

const LISTED: &str = r#"{"role":"assistant","content":null,"tool_calls":[{"id":"c","type":"function","function":{"name":"f","arguments":"{}"}}]},{"role":"tool","tool_call_id":"c","content":"1"},{"role":"user","content":"a"}"#;
const LEGACY: &str =
    r#"{"role":"assistant","content":null,"function_call":{"name":"f","arguments":"{}"}}"#;

#[test]
fn a_legacy_call_is_answered_by_a_function_whatever_other_calls_there_are() {
    let answered =
        format!(r#"{LISTED},{LEGACY},{{"role":"function","name":"f","content":"aborted"}}"#);
    assert_repaired(&conversation(&format!("{LISTED},{LEGACY}")), &conversation(&answered));
    for result in [
        r#"{"role":"tool","tool_name":"f","content":"aborted"}"#,
        r#"{"role":"tool","name":"f","content":"aborted"}"#,
        r#"{"role":"tool","content":"aborted"}"#,
    ] {
        let broken = conversation(&format!("{LISTED},{LEGACY},{result}"));
        let mended = normalized(&broken, Provider::OpenAi);
        assert_eq!(faults(&broken, Provider::OpenAi).len(), 1, "{broken}");
        assert!(mended.contains(r#"{"role":"function""#), "{mended}");
        assert_valid(&mended);
    }
}

#[test]
fn a_call_without_a_function_gets_one() {
    let called = |call: &str| {
        conversation(&format!(
            r#"{{"role":"assistant","content":null,"tool_calls":[{{"id":"c"{call}}}]}},{{"role":"tool","tool_call_id":"c","content":"1"}}"#
        ))
    };
    let function = r#","type":"function","function":{"name":"tool","arguments":"{}"}"#;
    assert_repaired(&called(""), &called(function));
    assert_repaired(&called(r#","type":"function""#), &called(function));
    assert_repaired(&called(r#","type":"function","function":null"#), &called(function));
}
