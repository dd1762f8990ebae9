use proptest::prelude::*;

use super::*;

fn read(text: &str) -> String {
    let mut calls = tagged(text, |notation, tool| match notation {
        Notation::Element => ["read_file", "write_to_file", "use_mcp_tool", "ask"].contains(&tool),
        _ => true,
    });
    if calls.is_empty() {
        calls.extend(action(text).or_else(|| block(text)));
    }
    let told =
        |call: &Written| format!("{} {} @{}", call.tool, call.arguments, &text[..call.span.start]);
    calls.iter().map(told).collect::<Vec<_>>().join("; ")
}

#[test]
fn every_notation_is_read() {
    for (text, wanted) in [
        (
            "I read.\n<read_file>\n<path>src/a.rs</path>\n</read_file>",
            "read_file {\"path\":\"src/a.rs\"} @I read.\n",
        ),
        (
            "<write_to_file>\n<path>a.md</path>\n<content>\nThe end is </content>.\n</content>\n</write_to_file>",
            "write_to_file {\"path\":\"a.md\",\"content\":\"The end is </content>.\"} @",
        ),
        (
            "<write_to_file>\n<path>a.md</path>\n<content>\nNot </write_to_file>.\n</content>\n</write_to_file>",
            "write_to_file {\"path\":\"a.md\",\"content\":\"Not </write_to_file>.\"} @",
        ),
        (
            "<read_file><args><file><path>a</path></file><file><path>b</path></file></args></read_file>",
            "read_file {\"files\":[{\"path\":\"a\"},{\"path\":\"b\"}]} @",
        ),
        (
            "<use_mcp_tool>\n<server_name>db</server_name>\n<tool_name>query</tool_name>\n<arguments>\n{\"sql\":\"1\"}\n</arguments>\n</use_mcp_tool>",
            "mcp__db__query {\"sql\":\"1\"} @",
        ),
        (
            "So:\n<tool_call>\n<function=bash>\n<parameter=command>\nls\n</parameter>\n</function>\n</tool_call>",
            "bash {\"command\":\"ls\"} @So:\n",
        ),
        (
            "<function_calls>\n<invoke name=\"f\">\n<parameter name=\"a\">b</parameter>\n</invoke>\n</function_calls>",
            "f {\"a\":\"b\"} @",
        ),
        ("<tool_call>{\"name\": \"f\", \"arguments\": {\"a\": 1}}</tool_call>", "f {\"a\": 1} @"),
        ("Now <execute_bash>\nmake\n</execute_bash>", ""),
        (
            "Now\n<execute_bash>\nmake\n</execute_bash>",
            "execute_bash {\"command\":\"make\"} @Now\n",
        ),
        (
            "I saw\n```\nls\n```\nbefore. Now:\n```mswea_bash_command\nmake -j2\n```\n",
            "shell {\"command\":\"make -j2\"} @I saw\n```\nls\n```\nbefore. Now:\n",
        ),
        (
            "Thought: look.\nAction: search\nAction Input: rust\nObservation: 1",
            "search {\"query\":\"rust\"} @Thought: look.\n",
        ),
        ("Action: none", ""),
        ("Done.", ""),
        ("```\n", ""),
        ("```python\nprint(1)\n```", ""),
        ("```bash\n\n```", ""),
        ("The tag <read_file> reads.", ""),
        ("```xml\n<read_file>\n<path>a</path>\n</read_file>\n```", ""),
    ] {
        assert_eq!(read(text), wanted, "{text}");
    }
}

#[test]
fn calls_may_follow_each_other() {
    let one = "<tool_call>\n<function=a>\n</function>\n</tool_call>";
    assert_eq!(read(&format!("{one}\n{one}")), format!("a {{}} @; a {{}} @{one}\n"));
    // Text that is written into a file calls nothing.
    let held = "<function=write>\n<parameter=text>\n<invoke name=\"b\">\n</invoke>\n</parameter>\n</function>";
    assert_eq!(read(held), "write {\"text\":\"<invoke name=\\\"b\\\">\\n</invoke>\"} @");
    let open = "</function>\n<tool_call>\n<function=b>\n</function>";
    assert_eq!(read(&format!("<function=a>\n{open}")), "a {} @; b {} @<function=a>\n</function>\n");
}

#[test]
fn offers_stand_behind_their_question() {
    let asked = "<ask>\n<question>Where?</question>\n<follow_up>\n<suggest>here</suggest>\n\
                 <suggest mode=\"code\">there</suggest>\n</follow_up>\n</ask>";
    assert!(read(asked).contains(r#""question":"Where?\n- here\n- there""#), "{}", read(asked));
}

#[test]
fn elements_in_each_other_are_read_so_far() {
    let deep = format!("<read_file>{}</read_file>", "<args><file>".repeat(20_000));
    assert!(read(&deep).starts_with("read_file {"));
}

proptest! {
    #[test]
    fn spans_ascend_and_do_not_overlap(pieces in prop::collection::vec(prop::sample::select(vec![
        "<function=a>", "</function>", "<tool_call>", "</tool_call>", "<invoke name=\"b\">", "</invoke>", "ü", " ",
        "\n", "\n", "```", "{\"name\":\"c\"}", "<read_file>", "</read_file>", "<content>", "</content>", "<args>",
        "<file>", "<execute_bash>", "</execute_bash>", "<parameter=x>", "</parameter>", "<function_calls>",
    ]), 0..40)) {
        let text = pieces.concat();
        let mut end = 0;
        for call in tagged(&text, |_, _| true) {
            prop_assert!(end <= call.span.start && call.span.start < call.span.end, "{text:?}");
            prop_assert!(text.get(call.span.clone()).is_some() && Json::parse(&call.arguments).is_some());
            end = call.span.end;
        }
    }
}
