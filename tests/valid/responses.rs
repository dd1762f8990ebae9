//! OpenAI Responses: what the server keeps need not be sent, and each kind of call has its own answer.

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

/// A request with an item between two messages, and what stands behind it.
fn request(items: &str) -> String {
    format!(
        r#"{{"model":"m","input":[{{"role":"user","content":"q"}},{items},{{"role":"user","content":"on"}}]}}"#
    )
}

#[test]
fn a_call_is_answered_by_an_output_of_its_own_kind() {
    for (call, output) in [
        (
            r#"{"type":"shell_call","call_id":"c","action":{"commands":["ls"]}}"#,
            r#"{"type":"shell_call_output","call_id":"c","output":[{"stdout":"aborted","stderr":"","outcome":{"type":"exit","exit_code":1}}]}"#,
        ),
        (
            r#"{"type":"apply_patch_call","call_id":"c","operation":{"type":"delete_file","path":"a"}}"#,
            r#"{"type":"apply_patch_call_output","call_id":"c","status":"failed","output":"aborted"}"#,
        ),
        (
            r#"{"type":"tool_search_call","call_id":"c","execution":"client","arguments":{}}"#,
            r#"{"type":"tool_search_output","call_id":"c","execution":"client","status":"completed","tools":[]}"#,
        ),
    ] {
        assert_repaired(&request(call), &request(&format!("{call},{output}")));
    }
}

#[test]
fn an_output_goes_with_the_call_of_its_kind() {
    let calls = r#"{"type":"function_call","call_id":"c","name":"f","arguments":"{}"},{"type":"custom_tool_call","call_id":"c","name":"p","input":"i"}"#;
    let renamed = calls.replace(r#""call_id":"c","name":"p""#, r#""call_id":"c_2","name":"p""#);
    let output = |kind: &str, id: &str, text: &str| {
        format!(r#"{{"type":"{kind}_output","call_id":"{id}","output":"{text}"}}"#)
    };
    let (function, custom) = ("function_call", "custom_tool_call");
    let aborted = output(function, "c", "aborted");
    let (own, kept) = (output(custom, "c", "1"), output(custom, "c_2", "1"));
    let (function, calls) = (calls.split_once("},").unwrap().0.to_owned() + "}", calls);
    let second = renamed.split_once("},").unwrap().1;
    assert_repaired(
        &request(&format!("{calls},{own}")),
        &request(&format!("{function},{aborted},{second},{kept}")),
    );
    let mistaken = request(&format!("{function},{own}"));
    let mended =
        own.replace(r#""type":"custom_tool_call_output""#, r#""type":"function_call_output""#);
    assert_repaired(&mistaken, &request(&format!("{function},{mended}")));
}

#[test]
fn a_made_up_output_is_of_the_kind_of_its_call_whatever_id_that_gets() {
    let id = "x".repeat(70);
    let call = |id: &str| {
        format!(r#"{{"type":"custom_tool_call","call_id":"{id}","name":"p","input":"i"}}"#)
    };
    let broken = request(&call(&id));
    let mended = normalized(&broken, Provider::Responses);
    assert!(mended.contains("custom_tool_call_output"), "{mended}");
    assert_valid(&mended);
}

#[test]
fn a_reference_to_an_item_that_is_sent_is_none_to_the_server() {
    let item = r#"{"type":"message","id":"msg_1","role":"assistant","content":"a"}"#;
    let reference = r#"{"type":"item_reference","id":"msg_1"}"#;
    let orphan = r#"{"type":"function_call_output","call_id":"c","output":"1"}"#;
    for broken in [
        format!("{item},{reference},{orphan}"),
        format!("{reference},{item},{orphan}"),
        format!("{orphan},{item}"),
    ] {
        assert_repaired(&request(&broken), &request(item));
    }
}

#[test]
fn what_an_item_lacks_is_empty() {
    for (broken, repaired) in [
        (
            r#"{"type":"reasoning","encrypted_content":"x"}"#,
            r#"{"type":"reasoning","encrypted_content":"x","summary":[]}"#,
        ),
        (r#"{"role":"assistant","content":null}"#, r#"{"role":"assistant","content":""}"#),
        (r#"{"type":"message","role":"user"}"#, r#"{"type":"message","role":"user","content":""}"#),
        (
            r#"{"role":"user","content":[{"type":"input_image","image_url":{"url":"u"}}]}"#,
            r#"{"role":"user","content":[{"type":"input_image","image_url":"u"}]}"#,
        ),
        (
            r#"{"type":"function_call","call_id":"c","name":"f","arguments":"{}"},{"type":"function_call_output","call_id":"c","output":[{"type":"input_image","image_url":{"url":"u"}}]}"#,
            r#"{"type":"function_call","call_id":"c","name":"f","arguments":"{}"},{"type":"function_call_output","call_id":"c","output":[{"type":"input_image","image_url":"u"}]}"#,
        ),
    ] {
        assert_repaired(&request(broken), &request(repaired));
    }
}

#[test]
fn an_item_that_is_no_message_needs_no_content() {
    assert_valid(&request(r#"{"type":"hologram","role":"user","id":"h"}"#));
}

#[test]
fn a_call_that_no_text_answers_goes_with_the_thought_that_led_to_it() {
    let call = r#"{"type":"reasoning","id":"rs","summary":[]},{"type":"computer_call","call_id":"c","action":{"type":"screenshot"}}"#;
    assert_repaired(&request(call), &request("").replace(",,", ","));
    let at_the_end = format!(r#"[{{"role":"user","content":"q"}},{call}]"#);
    assert_valid(&at_the_end);
}

#[test]
fn servers_answer_their_own_searches_and_shells_name_calls_by_their_own_id() {
    assert_valid(&request(
        r#"{"type":"tool_search_call","call_id":null,"execution":"server","arguments":{}},{"type":"tool_search_output","call_id":null,"execution":"server","tools":[]}"#,
    ));
    assert_valid(&request(
        r#"{"type":"local_shell_call","id":"l","call_id":"c","action":{}},{"type":"local_shell_call_output","id":"c","output":"{}"}"#,
    ));
}

#[test]
fn texts_have_the_type_of_the_side_that_wrote_them() {
    assert_valid(
        r#"{"model":"m","input":[{"role":"system","content":[{"type":"input_text","text":"s"}]},{"role":"user","content":[{"type":"input_text","text":"q"}]},{"role":"assistant","content":[{"type":"output_text","text":"a"},{"type":"refusal","refusal":"no"}]},{"role":"assistant","content":"b"},{"type":"function_call","call_id":"c","name":"f","arguments":"{}"},{"type":"function_call_output","call_id":"c","output":[{"type":"input_text","text":"1"}]},{"role":"user","content":"on"}]}"#,
    );
}

#[test]
fn an_approval_may_answer_a_request_that_the_server_keeps() {
    let approval =
        r#"{"type":"mcp_approval_response","approval_request_id":"mcpr_1","approve":true}"#;
    let asked = r#"{"type":"mcp_approval_request","id":"mcpr_1","name":"f","arguments":"{}","server_label":"s"}"#;
    assert_valid(&format!(
        r#"{{"model":"m","previous_response_id":"r","input":[{{"role":"user","content":"on"}},{approval}]}}"#
    ));
    assert_valid(&format!(
        r#"{{"model":"m","input":[{{"role":"user","content":"q"}},{asked},{approval}]}}"#
    ));
    let late =
        format!(r#"{{"model":"m","input":[{{"role":"user","content":"q"}},{approval},{asked}]}}"#);
    let left = format!(r#"{{"model":"m","input":[{{"role":"user","content":"q"}},{asked}]}}"#);
    assert_repaired(&late, &left);
}
