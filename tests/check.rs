//! What `check` finds in broken conversations, in the provider's own words, and what `normalize`
//! makes of them, to the byte.

use context_compact::check::{self, Severity};
use context_compact::conversation::{self, Conversation};
use context_compact::dialect::{self, Provider};
use context_compact::document::Document;
use context_compact::normalize;
use context_compact::pairing::Pairs;
use context_compact::resume;
use context_compact::thinking::Signatures;

/// Reads the one conversation of `document`.
fn decode<'a>(document: &Document<'a>) -> Conversation<'a> {
    let shape = dialect::recognise(document.values(), None).unwrap();
    let source = dialect::sources(document, shape.layout).remove(0);
    conversation::decode(shape.dialect, source, dialect::Scope::Live)
}

/// Each finding as `severity rule pointer: text | provider's sentence`.
fn findings(text: &str, provider: Provider) -> Vec<String> {
    let document = Document::parse(text.as_bytes()).unwrap();
    let conversation = decode(&document);
    let pairs = Pairs::of(&conversation.messages);
    let found = check::findings(&conversation, &pairs, provider);
    let places: Vec<_> = found.iter().map(|finding| finding.place(&conversation)).collect();
    let places = check::locate(&document, &places);
    let line = |(finding, place): (&check::Finding<'_>, &check::Location)| {
        let (severity, rule) = (finding.severity.name(), finding.rule.name);
        let error = finding.provider_error.as_deref().unwrap_or("-");
        format!("{severity} {rule} {}: {} | {error}", place.pointer, finding.text)
    };
    found.iter().zip(&places).map(line).collect()
}

/// The repaired text, and each repair as `rule: text`.
fn normalize(text: &str, provider: Provider) -> (String, Vec<String>) {
    let document = Document::parse(text.as_bytes()).unwrap();
    let conversation = decode(&document);
    let (mut draft, repairs) =
        normalize::normalize(&conversation, provider, Signatures::default(), &[]);
    resume::make_resumable(&mut draft, &document, usize::MAX);
    let out = String::from_utf8(document.apply(&draft.edits(&document))).unwrap();
    (out, repairs.iter().map(|repair| format!("{}: {}", repair.rule.name, repair.text)).collect())
}

/// A rule: the broken input, what check finds, what normalize writes.
fn rule(provider: Provider, broken: &str, found: &[&str], repaired: &str) {
    assert_eq!(findings(broken, provider), found, "findings of {broken}");
    let (out, repairs) = normalize(broken, provider);
    assert_eq!(out, repaired, "repair of {broken}");
    assert!(!repairs.is_empty() || out == broken);
    let left: Vec<_> =
        findings(&out, provider).into_iter().filter(|line| line.starts_with("fault")).collect();
    assert!(left.is_empty(), "{left:?} in {out}");
    assert_eq!(normalize(&out, provider).0, out, "a second run");
}

fn assert_unchanged(provider: Provider, text: &str, found: &[&str]) {
    rule(provider, text, found, text);
}

mod pairs {
    use super::*;
    use Provider::{Anthropic, OpenAi};

    #[test]
    fn an_unanswered_call_is_answered_right_behind_it() {
        rule(
            OpenAi,
            r#"[{"role":"assistant","content":null,"tool_calls":[{"id":"a","type":"function","function":{"name":"f","arguments":"{}"}},{"id":"b","type":"function","function":{"name":"g","arguments":"{}"}}]},
{"role":"tool","tool_call_id":"b","content":"ok"},
{"role":"user","content":"hi"}]"#,
            &[
                r#"fault unanswered-call /0/tool_calls/0: call "a" has no result | An assistant message with 'tool_calls' must be followed by tool messages responding to each 'tool_call_id'. The following tool_call_ids did not have response messages: a"#,
            ],
            r#"[{"role":"assistant","content":null,"tool_calls":[{"id":"a","type":"function","function":{"name":"f","arguments":"{}"}},{"id":"b","type":"function","function":{"name":"g","arguments":"{}"}}]},
{"role":"tool","tool_call_id":"a","content":"aborted"},
{"role":"tool","tool_call_id":"b","content":"ok"},
{"role":"user","content":"hi"}]"#,
        );
        rule(
            Anthropic,
            r#"[{"role":"user","content":"go"},{"role":"assistant","content":[{"type":"tool_use","id":"a","name":"f","input":{}}]},{"role":"user","content":"hi"}]"#,
            &[
                r#"fault unanswered-call /1/content/0: call "a" has no result | messages.1: `tool_use` ids were found without `tool_result` blocks immediately after: a. Each `tool_use` block must have a corresponding `tool_result` block in the next message."#,
            ],
            r#"[{"role":"user","content":"go"},{"role":"assistant","content":[{"type":"tool_use","id":"a","name":"f","input":{}}]},{"role":"user","content":[{"type":"tool_result","tool_use_id":"a","content":"aborted"},{"type":"text","text":"hi"}]}]"#,
        );
    }

    #[test]
    fn a_call_at_the_end_is_in_flight() {
        assert_unchanged(
            OpenAi,
            r#"[{"role":"user","content":"go"},{"role":"assistant","tool_calls":[{"id":"a","type":"function","function":{"name":"f","arguments":"{}"}},{"id":"b","type":"function","function":{"name":"f","arguments":"{}"}}]},{"role":"tool","tool_call_id":"a","content":""}]"#,
            &[r#"note in-flight /1/tool_calls/1: call "b" is in flight | -"#],
        );
    }

    #[test]
    fn in_a_request_a_call_beside_one_that_is_answered_is_not() {
        rule(
            OpenAi,
            r#"{"model":"m","tools":[],"messages":[{"role":"user","content":"go"},{"role":"assistant","tool_calls":[{"id":"a","type":"function","function":{"name":"f","arguments":"{}"}},{"id":"b","type":"function","function":{"name":"f","arguments":"{}"}}]},{"role":"tool","tool_call_id":"a","content":""}]}"#,
            &[
                r#"fault unanswered-call /messages/1/tool_calls/1: call "b" has no result | An assistant message with 'tool_calls' must be followed by tool messages responding to each 'tool_call_id'. The following tool_call_ids did not have response messages: b"#,
            ],
            r#"{"model":"m","tools":[],"messages":[{"role":"user","content":"go"},{"role":"assistant","tool_calls":[{"id":"a","type":"function","function":{"name":"f","arguments":"{}"}},{"id":"b","type":"function","function":{"name":"f","arguments":"{}"}}]},{"role":"tool","tool_call_id":"a","content":""},{"role":"tool","tool_call_id":"b","content":"aborted"}]}"#,
        );
    }

    #[test]
    fn an_orphan_result_is_removed_and_so_is_a_message_of_nothing_else() {
        rule(
            OpenAi,
            r#"[{"role":"user","content":"hi"},{"role":"tool","tool_call_id":"x","content":"?"},{"role":"user","content":"on"}]"#,
            &[
                r#"fault orphan-result /1: result for "x" has no call | Invalid parameter: messages with role 'tool' must be a response to a preceeding message with 'tool_calls'."#,
            ],
            r#"[{"role":"user","content":"hi"},{"role":"user","content":"on"}]"#,
        );
        rule(
            Anthropic,
            r#"[{"role":"user","content":[{"type":"tool_result","tool_use_id":"x"},{"type":"text","text":"hi"}]}]"#,
            &[
                r#"fault orphan-result /0/content/0: result for "x" has no call | messages.0.content.0: unexpected `tool_use_id` found in `tool_result` blocks: x. Each `tool_result` block must have a corresponding `tool_use` block in the previous message."#,
            ],
            r#"[{"role":"user","content":[{"type":"text","text":"hi"}]}]"#,
        );
    }

    #[test]
    fn a_displaced_result_is_moved_as_it_is_written() {
        rule(
            OpenAi,
            r#"[{"role":"assistant","tool_calls":[{"id":"a","type":"function","function":{"name":"f","arguments":"{}"}}]},{"role":"user","content":"reminder"},{"role":"tool", "tool_call_id":"a","content":"\u00e9"}]"#,
            &[
                r#"fault displaced-result /2: result for "a" does not stand right behind its call | An assistant message with 'tool_calls' must be followed by tool messages responding to each 'tool_call_id'. The following tool_call_ids did not have response messages: a"#,
            ],
            r#"[{"role":"assistant","tool_calls":[{"id":"a","type":"function","function":{"name":"f","arguments":"{}"}}]},{"role":"tool", "tool_call_id":"a","content":"\u00e9"},{"role":"user","content":"reminder"}]"#,
        );
    }

    #[test]
    fn results_without_ids_keep_the_order_of_their_calls_when_one_moves() {
        let broken = r#"{"contents":[{"role":"user","parts":[{"text":"go"}]},{"role":"model","parts":[{"functionCall":{"name":"g","args":{}}},{"functionCall":{"name":"f","args":{}}}]},{"role":"function","parts":[{"functionResponse":{"name":"g","response":{"ok":1}}},{"text":"hi"}]},{"role":"user","parts":[{"functionResponse":{"response":{"ok":2}}}]}]}"#;
        let (out, _) = normalize(broken, Provider::Bedrock);
        assert!(out.find(r#"{"ok":1}"#) < out.find(r#"{"ok":2}"#), "{out}");
        let left = findings(&out, Provider::Bedrock);
        assert!(left.is_empty(), "{left:?} in {out}");
    }

    #[test]
    fn results_of_calls_with_one_id_answer_them_in_order() {
        rule(
            Provider::Responses,
            r#"[{"type":"function_call","call_id":"c","name":"f","arguments":"{}"},{"type":"function_call","call_id":"c","name":"f","arguments":"{}"},{"type":"function_call_output","call_id":"c","output":"1"},{"type":"function_call_output","call_id":"c","output":"2"}]"#,
            &[
                r#"fault duplicate-call-id /1: call id "c" is used twice | Duplicate item found with id c. Remove duplicate items from your input and try again."#,
            ],
            r#"[{"type":"function_call","call_id":"c","name":"f","arguments":"{}"},{"type":"function_call","call_id":"c_2","name":"f","arguments":"{}"},{"type":"function_call_output","call_id":"c","output":"1"},{"type":"function_call_output","call_id":"c_2","output":"2"}]"#,
        );
    }

    #[test]
    fn a_result_answers_the_newest_call_of_its_id_where_a_message_stands_between() {
        let broken = r#"[{"type":"function_call","call_id":"c","name":"f","arguments":"{}"},{"type":"message","role":"user","content":[{"type":"input_text","text":""}]},{"type":"function_call","call_id":"d","name":"f","arguments":"{}"},{"type":"function_call","call_id":"c","name":"f","arguments":"{}"},{"type":"function_call_output","call_id":"c","output":"hi"}]"#;
        let (out, _) = normalize(broken, Provider::Responses);
        let left = findings(&out, Provider::Responses);
        assert!(left.iter().all(|line| !line.starts_with("fault")), "{left:?} in {out}");
    }

    #[test]
    fn a_result_that_gets_an_id_still_answers_its_call_where_another_has_the_same() {
        let broken = r#"[{"type":"function_call","call_id":"c","name":"f","arguments":"{}"},{"type":"message","role":"user","content":[{"type":"input_text","text":""}]},{"type":"function_call","call_id":"c","name":"f","arguments":"{}"},{"type":"function_call_output","call_id":"","output":"hi"}]"#;
        let (out, _) = normalize(broken, Provider::Responses);
        let left = findings(&out, Provider::Responses);
        assert!(left.iter().all(|line| !line.starts_with("fault")), "{left:?} in {out}");
        assert_eq!(normalize(&out, Provider::Responses).0, out, "a second run");
    }

    #[test]
    fn results_lead_the_message_they_stand_in() {
        rule(
            Anthropic,
            r#"[{"role":"user","content":"go"},{"role":"assistant","content":[{"type":"tool_use","id":"a","name":"f","input":{}}]},{"role":"user","content":[{"type":"text","text":"hi"},{"type":"tool_result","tool_use_id":"a","content":"1"}]}]"#,
            &[
                r#"fault result-after-text /2/content/1: result for "a" stands behind other parts | messages.2: Did not find 1 `tool_result` block(s) at the beginning of this message. Messages following `tool_use` blocks must begin with a matching number of `tool_result` blocks."#,
            ],
            r#"[{"role":"user","content":"go"},{"role":"assistant","content":[{"type":"tool_use","id":"a","name":"f","input":{}}]},{"role":"user","content":[{"type":"tool_result","tool_use_id":"a","content":"1"},{"type":"text","text":"hi"}]}]"#,
        );
    }

    #[test]
    fn the_first_of_two_results_wins() {
        rule(
            OpenAi,
            r#"[{"role":"assistant","tool_calls":[{"id":"a","type":"function","function":{"name":"f","arguments":"{}"}}]},{"role":"tool","tool_call_id":"a","content":"1"},{"role":"tool","tool_call_id":"a","content":"2"}]"#,
            &[
                r#"fault duplicate-result /2: call "a" has a result already | Duplicate value for 'tool_call_id' of a in message[2]"#,
            ],
            r#"[{"role":"assistant","tool_calls":[{"id":"a","type":"function","function":{"name":"f","arguments":"{}"}}]},{"role":"tool","tool_call_id":"a","content":"1"}]"#,
        );
    }
}

#[test]
fn a_tool_loop_that_an_answer_ended_is_not_open() {
    let ended = r#"{"model":"claude-sonnet-4-5","thinking":{"type":"enabled"},"messages":[{"role":"user","content":"go"},{"role":"assistant","content":[{"type":"tool_use","id":"a","name":"f","input":{}}]},{"role":"user","content":[{"type":"tool_result","tool_use_id":"a","content":"1"}]},{"role":"assistant","content":"hi"},{"role":"user","content":[{"type":"search_result"}]}]}"#;
    assert_eq!(findings(ended, Provider::Anthropic), Vec::<String>::new());
    let open = ended.replace(r#"{"role":"assistant","content":"hi"},"#, "");
    let found = findings(&open, Provider::Anthropic);
    assert!(found.iter().any(|line| line.contains("thinking-missing")), "{found:?}");
}

/// The invariants that the best peers test, and what tests them here:
///
/// - calls and results are matched per exchange: `pairs::results_of_calls_with_one_id_answer_them_in_order`,
///   `pairs::a_result_answers_the_newest_call_of_its_id_where_a_message_stands_between`
/// - a batch is atomic, and one half takes the other with it: `peers::a_call_goes_with_its_result`;
///   `truncate_is_safe_small_and_idempotent`, `compact_meets_its_budget` and
///   `partition_parts_are_the_whole` of `laws.rs`
/// - assistant messages that failed or were aborted neither own nor demand results:
///   `peers::a_failed_message_neither_owns_nor_demands_results`
/// - a reminder between a call and its result moves behind it:
///   `pairs::a_displaced_result_is_moved_as_it_is_written`
/// - a synthetic result stands right behind its call, in call order:
///   `pairs::an_unanswered_call_is_answered_right_behind_it`
/// - markers and synthetic texts never stack: `peers::synthetic_texts_never_stack`, and the second runs
///   of `normalize.rs` and `laws.rs`
mod peers {
    use super::*;

    #[test]
    fn a_call_goes_with_its_result() {
        let broken = r#"[{"role":"user","content":[{"type":"text","text":"go"},{"type":"tool_use","id":"a","name":"f","input":{}}]},{"role":"user","content":[{"type":"tool_result","tool_use_id":"a","content":"1"}]},{"role":"assistant","content":"on"}]"#;
        let (out, _) = normalize(broken, Provider::Anthropic);
        let expected = r#"[{"role":"user","content":[{"type":"text","text":"go"}]},{"role":"assistant","content":"on"}]"#;
        assert_eq!(out, expected);
    }

    #[test]
    fn a_failed_message_neither_owns_nor_demands_results() {
        let line = |id: &str, parent: &str, message: &str| {
            format!(
                r#"{{"type":"message","id":"{id}","parentId":{parent},"message":{message}}}{}"#,
                "\n"
            )
        };
        let call = |reason: &str| {
            format!(
                r#"{{"role":"assistant","content":[{{"type":"toolCall","id":"a","name":"ls","arguments":{{}}}}],"stopReason":"{reason}"}}"#
            )
        };
        let user = r#"{"role":"user","content":[{"type":"text","text":"go"}]}"#;
        for (reason, faults) in [("aborted", 0), ("error", 0), ("toolUse", 1)] {
            let log = [
                r#"{"type":"session","version":3,"id":"s","timestamp":"2026-01-01T00:00:00Z","cwd":"/w"}"#,
                "\n",
                &line("1", "null", user),
                &line("2", "\"1\"", &call(reason)),
                &line("3", "\"2\"", user),
            ];
            let found = findings(&log.concat(), Provider::Anthropic);
            let of_calls = found.iter().filter(|line| line.contains("unanswered-call"));
            assert_eq!(of_calls.count(), faults, "{reason}: {found:?}");
        }
    }

    #[test]
    fn a_call_answered_where_it_stands_keeps_its_new_id_and_name() {
        for broken in [
            r#"[{"id":"1","role":"user","parts":[{"type":"text","text":"go"}]},{"id":"2","role":"assistant","parts":[{"type":"tool-a.b","toolCallId":"c2","state":"input-available","input":{}}]},{"id":"3","role":"user","parts":[{"type":"text","text":"hi"}]}]"#,
            r#"[{"id":"1","role":"user","content":"go"},{"id":"2","role":"assistant","content":"","toolInvocations":[{"state":"call","toolCallId":"c2","toolName":"a.b","args":{}}]},{"id":"3","role":"user","content":"hi"}]"#,
            r#"{"sessionId":"s","projectHash":"p","messages":[{"id":"1","type":"user","content":"go"},{"id":"2","type":"gemini","content":"","toolCalls":[{"id":"c2","name":"a.b","args":{},"status":"executing"}]},{"id":"3","type":"user","content":"hi"}]}"#,
        ] {
            let (once, repairs) = normalize(broken, Provider::Mistral);
            assert_eq!(repairs.len(), 3, "{repairs:?}");
            assert!(once.contains("aborted") && once.contains("a_b"), "{once}");
            let is_fault = |line: &String| line.starts_with("fault");
            assert!(!findings(&once, Provider::Mistral).iter().any(is_fault), "{once}");
            assert_eq!(normalize(&once, Provider::Mistral).0, once);
        }
    }

    #[test]
    fn what_an_agent_leaves_out_when_it_sends_its_log_is_a_note() {
        assert_unchanged(
            Provider::Gemini,
            r#"{"sessionId":"s","projectHash":"p","messages":[{"id":"1","type":"user","content":"go"},{"id":"2","type":"gemini","content":"","thoughts":[{"subject":"a","description":"b"}]},{"id":"3","type":"user","content":"hi"}]}"#,
            &[
                r#"note empty-array /messages/1/content: "parts" is empty | * GenerateContentRequest.contents[1].parts: contents.parts must not be empty."#,
            ],
        );
    }

    #[test]
    fn a_result_that_moves_is_still_one_where_messages_lie_in_wrappers() {
        let pi = r#"{"type":"session","version":3,"id":"s1","timestamp":"2026-01-01T00:00:00.000Z","cwd":"/w"}
{"type":"message","id":"e1","parentId":null,"timestamp":"2026-01-01T00:00:01.000Z","message":{"role":"user","content":"go"}}
{"type":"message","id":"e2","parentId":"e1","timestamp":"2026-01-01T00:00:02.000Z","message":{"role":"assistant","content":[{"type":"toolCall","id":"t1","name":"f","arguments":{}}],"stopReason":"toolUse"}}
{"type":"message","id":"e3","parentId":"e2","timestamp":"2026-01-01T00:00:03.000Z","message":{"role":"user","content":"wait"}}
{"type":"message","id":"e4","parentId":"e3","timestamp":"2026-01-01T00:00:04.000Z","message":{"role":"assistant","content":[{"type":"text","text":"ok"}],"stopReason":"stop"}}
{"type":"message","id":"e5","parentId":"e4","timestamp":"2026-01-01T00:00:05.000Z","message":{"role":"toolResult","toolCallId":"t1","toolName":"f","content":[{"type":"text","text":"A"}],"isError":false}}
{"type":"message","id":"e6","parentId":"e5","timestamp":"2026-01-01T00:00:06.000Z","message":{"role":"user","content":"more"}}
"#;
        let wrapped = r#"[{"type":"human","data":{"content":"go"}},{"type":"ai","data":{"content":"","tool_calls":[{"id":"t1","name":"f","args":{}}]}},{"type":"human","data":{"content":"wait"}},{"type":"ai","data":{"content":"ok"}},{"type":"tool","data":{"content":"A","tool_call_id":"t1"}},{"type":"human","data":{"content":"more"}}]"#;
        let serialised = wrapped
            .replace(r#"{"type":"human","data""#, r#"{"lc":1,"type":"constructor","id":["langchain","schema","messages","HumanMessage"],"kwargs""#)
            .replace(r#"{"type":"ai","data""#, r#"{"lc":1,"type":"constructor","id":["langchain","schema","messages","AIMessage"],"kwargs""#)
            .replace(r#"{"type":"tool","data""#, r#"{"lc":1,"type":"constructor","id":["langchain","schema","messages","ToolMessage"],"kwargs""#);
        for broken in [pi, wrapped, &serialised] {
            let (once, repairs) = normalize(broken, Provider::Anthropic);
            assert_eq!(repairs, ["displaced-result: result for \"t1\" moved to its call"]);
            let is_fault = |line: &String| line.starts_with("fault");
            assert!(!findings(&once, Provider::Anthropic).iter().any(is_fault), "{once}");
            assert_eq!(normalize(&once, Provider::Anthropic).0, once);
        }
        let moved = r#"{"type":"tool","data":{"content":"A","tool_call_id":"t1"}}"#;
        assert!(normalize(wrapped, Provider::Anthropic).0.contains(moved));
    }

    #[test]
    fn what_is_no_object_is_no_call() {
        let broken = r#"[{"role":"user","content":"go"},{"role":"assistant","content":"on","tool_calls":[[],"f"]},{"role":"user","content":"hi"}]"#;
        assert_eq!(normalize(broken, Provider::Gemini).0, broken);
        for provider in [Provider::OpenAi, Provider::Mistral] {
            assert_eq!(
                normalize(broken, provider).0,
                broken.replace(r#","tool_calls":[[],"f"]"#, "")
            );
        }
    }

    #[test]
    fn synthetic_texts_never_stack() {
        let broken = r#"[{"role":"assistant","content":[{"type":"tool_use","id":"a","name":"f","input":{}}]},{"role":"user","content":"on"}]"#;
        for provider in [Provider::Anthropic, Provider::Bedrock, Provider::Gemini] {
            let (once, _) = normalize(broken, provider);
            let (twice, _) = normalize(&once, provider);
            assert_eq!(twice, once);
            assert_eq!(once.matches("aborted").count(), 1, "{once}");
            assert_eq!(once.matches("(the conversation begins here)").count(), 1, "{once}");
        }
    }
}

#[test]
fn every_rule_and_every_sentence_of_the_table_has_a_transcript() {
    let folder = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/cmd/normalize");
    let mut missing = Vec::new();
    for rule in check::RULES {
        let path = format!("{folder}/{}.md", rule.name);
        let text = std::fs::read_to_string(&path).unwrap_or_else(|_| panic!("no {path}"));
        assert!(text.contains(&format!("[{}]", rule.name)), "{path}");
        for row in rule.rows.iter().filter(|row| !row.errors.is_empty()) {
            let name = row.provider.name();
            let commands = text.split("\n$ ").skip(1);
            let of_provider = |command: &&str| {
                command.starts_with("ctx check") && command.contains(&format!("--for {name} "))
            };
            let said: Vec<&str> = commands.filter(of_provider).collect();
            let is_said = |sentence: &&&str| !said.iter().any(|command| says(command, sentence));
            missing
                .extend(row.errors.iter().filter(is_said).map(|error| (rule.name, name, *error)));
        }
    }
    assert!(missing.is_empty(), "{missing:#?}");
}

/// Whether a text holds a sentence whose blanks are filled.
fn says(text: &str, sentence: &str) -> bool {
    text.lines().any(|line| {
        let mut rest = Some(line);
        for piece in sentence.split(['{', '}']).step_by(2) {
            rest = rest.and_then(|rest| Some(&rest[rest.find(piece)? + piece.len()..]));
        }
        rest.is_some()
    })
}

#[test]
fn every_rule_has_a_name_of_its_own_and_sentences_without_strange_blanks() {
    let mut names: Vec<_> = check::RULES.iter().map(|rule| rule.name).collect();
    names.sort_unstable();
    names.dedup();
    assert_eq!(names.len(), check::RULES.len());
    for rule in check::RULES {
        assert!(!rule.rows.is_empty() && !rule.repair.is_empty(), "{}", rule.name);
        // What nobody sends on purpose has answers that nobody knows.
        let is_known = |row: &&check::Row| match rule.name {
            "stray-value" => row.provider == Provider::OpenAi,
            "unknown-role" => !matches!(row.provider, Provider::Bedrock | Provider::Mistral),
            "unknown-type" => row.provider != Provider::Bedrock,
            "call-id-form" => row.provider != Provider::Gemini,
            _ => true,
        };
        let faulty = rule.rows.iter().filter(|row| row.severity == Severity::Fault);
        assert!(faulty.filter(is_known).all(|row| !row.errors.is_empty()), "{}", rule.name);
    }
}

#[test]
fn a_long_batch_is_not_named_whole_in_each_of_its_findings() {
    let calls = (0..2000).map(|at| {
        format!(
            r#"{{"id":"c{at}","type":"function","function":{{"name":"f","arguments":"{{}}"}}}}"#
        )
    });
    let calls = calls.collect::<Vec<_>>().join(",");
    let text = format!(
        r#"[{{"role":"user","content":"x"}},{{"role":"assistant","content":null,"tool_calls":[{calls}]}},{{"role":"user","content":"y"}}]"#
    );
    let found = findings(&text, Provider::OpenAi);
    assert_eq!(found.len(), 2000);
    assert!(found[1999].ends_with(", c18, c19, …"), "{}", found[1999]);
}
