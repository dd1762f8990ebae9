//! LangChain: calls stand where its versions put them.

use crate::*;

#[test]
fn calls_that_openai_wrote_are_calls() {
    assert_valid(
        r#"[{"type":"human","data":{"content":"q"}},{"type":"ai","data":{"content":"","additional_kwargs":{"tool_calls":[{"id":"c","type":"function","function":{"name":"f","arguments":"{}"}}]}}},{"type":"tool","data":{"content":"F","tool_call_id":"c"}}]"#,
    );
    assert_valid(
        r#"[{"type":"human","data":{"content":"q"}},{"type":"ai","data":{"content":"","additional_kwargs":{"function_call":{"name":"f","arguments":"{}"}}}},{"type":"function","data":{"content":"F","name":"f"}}]"#,
    );
}

#[test]
fn calls_whose_arguments_are_no_json_are_calls() {
    assert_valid(
        r#"[{"type":"human","data":{"content":"q"}},{"type":"ai","data":{"content":"","tool_calls":[],"invalid_tool_calls":[{"name":"f","args":"{bad","id":"c","error":"e","type":"invalid_tool_call"}]}},{"type":"tool","data":{"content":"no JSON","tool_call_id":"c"}}]"#,
    );
}

#[test]
fn a_call_of_old_is_answered_without_an_id() {
    assert_repaired(
        r#"[{"type":"human","data":{"content":"q"}},{"type":"ai","data":{"content":"","additional_kwargs":{"function_call":{"name":"f","arguments":"{}"}}}},{"type":"human","data":{"content":"on"}}]"#,
        r#"[{"type":"human","data":{"content":"q"}},{"type":"ai","data":{"content":"","additional_kwargs":{"function_call":{"name":"f","arguments":"{}"}}}},{"type":"function","data":{"name":"f","content":"aborted"}},{"type":"human","data":{"content":"on"}}]"#,
    );
}
