//! OpenAI Responses: what the server keeps need not be sent.

use crate::*;

#[test]
fn an_output_may_answer_a_call_that_the_server_keeps() {
    for text in [
        r#"{"model":"m","previous_response_id":"r","input":[{"type":"function_call_output","call_id":"c","output":"1"}]}"#,
        r#"{"model":"m","conversation":"v","input":[{"type":"function_call_output","call_id":"c","output":"1"}]}"#,
        r#"{"model":"m","conversation":{"id":"v"},"input":[{"type":"function_call_output","call_id":"c","output":"1"}]}"#,
        r#"{"model":"m","input":[{"role":"user","content":"q"},{"type":"item_reference","id":"fc"},{"type":"function_call_output","call_id":"c","output":"1"}]}"#,
    ] {
        assert_valid(text);
    }
    let alone = r#"{"model":"m","previous_response_id":null,"input":[{"type":"function_call_output","call_id":"c","output":"1"}]}"#;
    assert_eq!(faults(alone, Provider::Responses).len(), 1);
}
