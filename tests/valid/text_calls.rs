//! Data for models that write their calls into the text: what answers those has no other call.

use crate::*;

#[test]
fn turns_of_sharegpt_are_no_orphans() {
    // Hermes, ReAct, and two results of calls that are one turn.
    assert_valid(
        r#"{"conversations":[{"from":"human","value":"q"},{"from":"gpt","value":"<tool_call>{}</tool_call>"},{"from":"tool","value":"<tool_response>1</tool_response>"},{"from":"gpt","value":"a"}]}"#,
    );
    assert_valid(
        r#"{"conversations":[{"from":"human","value":"q"},{"from":"function_call","value":"[{},{}]"},{"from":"observation","value":"1"},{"from":"observation","value":"2"},{"from":"human","value":"q"},{"from":"gpt","value":"Action: f"},{"from":"observation","value":"3"},{"from":"gpt","value":"a"}]}"#,
    );
}

#[test]
fn tool_messages_without_an_id_are_no_orphans_behind_them() {
    assert_valid(
        r#"{"messages":[{"role":"user","content":"q"},{"role":"assistant","content":"<tool_call>{}</tool_call>"},{"role":"tool","content":"1"},{"role":"tool","content":"2"},{"role":"assistant","content":"a"}]}"#,
    );
    let orphan = r#"{"messages":[{"role":"user","content":"q"},{"role":"assistant","content":"a"},{"role":"tool","content":"1"}]}"#;
    assert_eq!(faults(orphan, Provider::OpenAi).len(), 1);
    // Prose about the tag calls nothing, and who sent a message does not make it ShareGPT's turn.
    let prose = orphan.replace("\"a\"", "\"The tag <tool_call> is Hermes.\"");
    assert_eq!(faults(&prose, Provider::OpenAi).len(), 1);
    let prose = orphan.replace("\"a\"", "\"I'd write <tool_call> and </tool_call>.\"");
    assert_eq!(faults(&prose, Provider::OpenAi).len(), 1);
    // Qwen's form, GLM's, and Python's.
    for call in ["\\n<function=f>\\n</function>", "f\\n<arg_key>a</arg_key>", "{'name': 'f'}"] {
        let call = format!("\"<tool_call>{call}</tool_call>\"");
        assert_valid(&orphan.replace("\"a\"", &call));
    }
    let sent = orphan.replace("\"content\":\"1\"", "\"content\":\"1\",\"from\":\"me\"");
    assert_eq!(faults(&sent, Provider::OpenAi).len(), 1);
}

#[test]
fn many_results_behind_one_call_in_a_text_are_told_at_once() {
    let result = r#",{"role":"tool","content":"1"}"#.repeat(5_000);
    let text = format!(
        r#"{{"messages":[{{"role":"user","content":"q"}},{{"role":"assistant","content":"<tool_call>{{}}\n{}"}}{result}]}}"#,
        "word ".repeat(20_000)
    );
    assert_valid(&text);
}

#[test]
fn a_result_is_not_cut_from_them() {
    let text = r#"{"conversations":[{"from":"human","value":"q"},{"from":"gpt","value":"<tool_call>{}</tool_call>"},{"from":"tool","value":"1"},{"from":"gpt","value":"a"}]}"#;
    let document = Document::parse(text.as_bytes()).unwrap();
    let cuts = Joints::of(&decode(&document)).cuts;
    let legal: Vec<usize> = (0..=4).filter(|&at| cuts.is_legal(at)).collect();
    assert_eq!(legal, [0, 1, 3, 4]);
}
