//! Anthropic: members beside the messages tell whose they are, and a text that is left empty goes.

use crate::*;

/// A request of plain texts with these members.
fn request(members: &str) -> String {
    format!(
        r#"{{"model":"claude-sonnet-4-5",{members}"messages":[{{"role":"user","content":"q"}},{{"role":"assistant","content":[{{"type":"text","text":"a"}}]}},{{"role":"user","content":"on"}}]}}"#
    )
}

#[test]
fn members_that_only_anthropic_has_tell_the_dialect() {
    for members in [
        r#""anthropic_version":"bedrock-2023-05-31","#,
        r#""tools":[{"name":"f","input_schema":{"type":"object"}}],"#,
        r#""thinking":{"type":"enabled","budget_tokens":1024},"#,
        r#""thinking":{"type":"adaptive"},"#,
        r#""stop_sequences":["x"],"#,
        r#""context_management":{"edits":[]},"#,
        // All that its requests must have, and nothing of OpenAI's.
        r#""max_tokens":10,"#,
        r#""system":[{"type":"text","text":"s","cache_control":{"type":"ephemeral"}}],"#,
    ] {
        assert_eq!(dialect_of(&request(members)), "anthropic", "{members}");
    }
}

#[test]
fn members_that_others_have_as_well_do_not() {
    for members in [
        r#""stop":["x"],"#,
        r#""thinking":{"type":"enabled"},"#,
        r#""tools":[{"type":"function","function":{"name":"f"}}],"#,
        // Gateways take members of Anthropic's with OpenAI's requests.
        r#""tools":[{"type":"function","function":{"name":"f"}}],"stop_sequences":["x"],"#,
        r#""reasoning_effort":"low","thinking":{"type":"enabled","budget_tokens":1024},"#,
        r#""max_tokens":10,"stop":["x"],"#,
        r#""max_tokens":10,"tools":[{"type":"function","function":{"name":"f"}}],"#,
        "",
    ] {
        assert_eq!(dialect_of(&request(members)), "openai", "{members}");
    }
    // A message that only OpenAI has weighs more.
    for members in [r#""stop_sequences":["x"],"#, r#""max_tokens":10,"#] {
        let prompted = request(members).replace("\"user\"", "\"system\"");
        assert_eq!(dialect_of(&prompted), "openai");
    }
    // Routers to several providers put a name before the model.
    let routed = request(r#""max_tokens":10,"#).replace("claude", "anthropic/claude");
    assert_eq!(dialect_of(&routed), "openai");
}

#[test]
fn a_picture_with_a_source_tells_the_dialect() {
    let shown = |source: &str| {
        format!(r#"[{{"role":"user","content":[{{"type":"image","source":{source}}}]}}]"#)
    };
    for kind in ["base64", "url", "file"] {
        assert_eq!(dialect_of(&shown(&format!(r#"{{"type":"{kind}"}}"#))), "anthropic", "{kind}");
    }
    assert_eq!(dialect_of(&shown(r#""https://example.com/a.png""#)), "openai");
    // A message that only OpenAI has weighs more.
    let prompt = r#"[{"role":"system","content":"s"},"#;
    assert_eq!(dialect_of(&shown(r#"{"type":"url"}"#).replacen('[', prompt, 1)), "openai");
}

#[test]
fn a_late_system_message_beside_a_prompt_and_blocks_is_anthropics() {
    let late = |beside: &str, calls: &str| {
        format!(
            r#"{{{beside}"messages":[{{"role":"user","content":"q"}},{calls},{{"role":"system","content":"s"}}]}}"#
        )
    };
    let block = r#"{"role":"assistant","content":[{"type":"tool_use","id":"c","name":"f","input":{}}]},{"role":"user","content":[{"type":"tool_result","tool_use_id":"c","content":"r"}]}"#;
    assert_eq!(dialect_of(&late(r#""system":"p","#, block)), "anthropic");
    let listed = r#"{"role":"assistant","content":null,"tool_calls":[{"id":"c","type":"function","function":{"name":"f","arguments":"{}"}}]},{"role":"tool","tool_call_id":"c","content":"r"}"#;
    assert_eq!(dialect_of(&late("", listed)), "openai");
}

#[test]
fn a_result_that_says_nothing_any_more_keeps_its_picture_alone() {
    let result = |content: &str| {
        format!(
            r#"[{{"role":"user","content":[{{"type":"tool_result","tool_use_id":"c","content":[{content}]}}]}}]"#
        )
    };
    let image = r#"{"type":"image","source":{"type":"url","url":"u"}}"#;
    let text = result(&format!(r#"{{"type":"text","text":"seen"}},{image}"#));
    let document = Document::parse(text.as_bytes()).unwrap();
    let conversation = decode(&document);
    let mut draft = Draft::new(&conversation);
    draft.set_text((0, 0), "");
    let edited = String::from_utf8(document.apply(&draft.edits(&document))).unwrap();
    assert_eq!(edited, result(image));
}

#[test]
fn what_the_assistant_began_is_refused_by_models_that_go_on_in_nothing() {
    let begun = |model: &str| {
        let text = format!(
            r#"{{"model":"{model}","max_tokens":9,"messages":[{{"role":"user","content":"q"}},{{"role":"assistant","content":"a"}}]}}"#
        );
        let document = Document::parse(text.as_bytes()).unwrap();
        let conversation = decode(&document);
        let pairs = Pairs::of(&conversation.messages);
        let mut found = check::findings(&conversation, &pairs, Provider::Anthropic);
        found.pop().map(|finding| (finding.rule.name, finding.provider_error.is_some()))
    };
    assert_eq!(begun("claude-sonnet-4-5"), Some(("last-role", false)));
    assert_eq!(begun("claude-opus-4-6"), Some(("last-role", true)));
    assert_eq!(begun("claude-new"), Some(("last-role", true)));
}

#[test]
fn media_may_be_named_by_what_they_are_or_where_they_lie() {
    for source in [
        r#"{"type":"base64","media_type":"image/png","data":"iVBORw0KGgoAAAAN"}"#,
        // A log may have cut the data.
        r#"{"type":"base64","media_type":"image/webp","data":"…"}"#,
        r#"{"type":"url","url":"https://example.com/a"}"#,
        r#"{"type":"file","file_id":"file_1"}"#,
    ] {
        assert_valid(&format!(
            r#"[{{"role":"user","content":[{{"type":"image","source":{source}}},{{"type":"text","text":"q"}}]}}]"#
        ));
    }
    for source in [
        r#"{"type":"base64","media_type":"application/pdf","data":"JVBERi0xLjQK"}"#,
        r#"{"type":"text","media_type":"text/plain","data":"d"}"#,
        r#"{"type":"url","url":"https://example.com/a.pdf"}"#,
        r#"{"type":"content","content":"d"}"#,
    ] {
        assert_valid(&format!(
            r#"[{{"role":"user","content":[{{"type":"document","source":{source}}},{{"type":"text","text":"q"}}]}}]"#
        ));
    }
}

#[test]
fn what_lasts_an_hour_stands_before_what_lasts_five_minutes() {
    assert_valid(
        r#"{"model":"claude-opus-4-5","max_tokens":9,"tools":[{"name":"f","input_schema":{"type":"object"},"cache_control":{"type":"ephemeral","ttl":"1h"}}],"system":[{"type":"text","text":"s","cache_control":{"type":"ephemeral","ttl":"1h"}}],"messages":[{"role":"user","content":[{"type":"text","text":"q","cache_control":{"type":"ephemeral","ttl":"5m"}}]},{"role":"assistant","content":[{"type":"text","text":"a"}]},{"role":"user","content":[{"type":"text","text":"on","cache_control":{"type":"ephemeral"}}]}]}"#,
    );
}

#[test]
fn a_call_of_the_server_without_an_id_is_one_all_the_same() {
    let said = |blocks: &str| {
        format!(
            r#"{{"model":"claude-sonnet-4-5","max_tokens":9,"messages":[{{"role":"user","content":"q"}},{{"role":"assistant","content":[{blocks}{{"type":"text","text":"a"}}]}},{{"role":"user","content":"on"}}]}}"#
        )
    };
    let call = r#"{"type":"server_tool_use","name":"web_search","input":{"query":"q"}},"#;
    assert_repaired(&said(call), &said(""));
    let answered = call.to_owned() + r#"{"type":"web_search_tool_result","content":[]},"#;
    let mended = normalized(&said(&answered), Provider::Anthropic);
    assert!(mended.contains(r#""tool_use_id":"srvtoolu_"#), "{mended}");
    assert_valid(&mended);
}

#[test]
fn a_paused_call_goes_though_only_an_empty_message_stood_behind_it() {
    let said = |messages: &str| {
        format!(
            r#"{{"model":"claude-sonnet-4-5","max_tokens":9,"messages":[{{"role":"user","content":"q"}},{messages}{{"role":"assistant","content":"a"}},{{"role":"user","content":"on"}}]}}"#
        )
    };
    let call = r#"{"role":"assistant","content":[{"type":"server_tool_use","id":"srvtoolu_1","name":"web_search","input":{}}]},"#;
    assert_repaired(&said(&format!(r#"{call}{{"role":"user","content":[]}},"#)), &said(""));
}

#[test]
fn data_is_taken_out_of_a_link() {
    let shown = |kind: &str, source: &str| {
        format!(
            r#"{{"model":"claude-sonnet-4-5","max_tokens":9,"messages":[{{"role":"user","content":[{{"type":"{kind}","source":{{"type":"base64",{source}}}}},{{"type":"text","text":"q"}}]}}]}}"#
        )
    };
    for (kind, of, data) in
        [("image", "image/png", "iVBORw0KGgoAAAAN"), ("document", "application/pdf", "JVBERi0x")]
    {
        let right = shown(kind, &format!(r#""media_type":"{of}","data":"{data}""#));
        for label in [of, "image/jpeg"] {
            let source = format!(r#""media_type":"{label}","data":"data:{of};base64,{data}""#);
            assert_repaired(&shown(kind, &source), &right);
        }
    }
}
