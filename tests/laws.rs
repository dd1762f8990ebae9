//! The laws: what holds for every conversation, in every dialect, whatever is asked.
//!
//! Conversations are generated as plain sequences of moves, written in each dialect as real files of
//! it look, and run through the library as the commands do.
//! `PROPTEST_RNG_SEED=$RANDOM PROPTEST_CASES=3000 cargo test --release --test laws` tries many more.

#[path = "laws/commands.rs"]
mod commands;
mod generate;
mod shortening;
#[path = "laws/threads.rs"]
mod threads;

use context_compact::conversation::{Kind, decode};
use context_compact::count::Meter;
use context_compact::dialect::{self, Scope};
use context_compact::document::Document;
use context_compact::draft::Draft;
use context_compact::marks;
use context_compact::pairing::{Cuts, Pairs};
use context_compact::partition::{chunks, partition};
use context_compact::profile::{self, PROFILES};
use context_compact::tokenizer::Encoding;
use context_compact::truncate::Policies;
use proptest::prelude::*;
use proptest::test_runner::TestCaseError;

use commands::{Refusal, carried_out, compacted, faults, said, to_budget, tokens, truncated, with};
use generate::{Sample, sample, sample_of_long_results, sample_of_long_words};
use shortening::{Asked, some_compactions, some_policies, words};

/// Truncates a conversation, named for complaints: safely, to few tokens, and for good.
fn assert_truncates(name: &str, text: &str, policies: &Policies) -> Result<(), TestCaseError> {
    let Ok(once) = truncated(text.as_bytes(), policies) else { return Ok(()) };
    let shown = String::from_utf8_lossy(&once).into_owned();
    prop_assert!(tokens(&once, &words()) <= tokens(text.as_bytes(), &words()), "{}", name);
    if let Some(budget) = policies.budget {
        prop_assert!(tokens(&once, &words()) <= budget, "{}: {}", name, shown);
    }
    if shown != text {
        prop_assert_eq!(faults(&once), [""; 0], "{}: {}", name, shown);
    }
    let again = truncated(text.as_bytes(), policies).expect("feasible as before");
    prop_assert_eq!(&String::from_utf8(again).unwrap(), &shown, "{}", name);
    let twice = truncated(&once, policies).expect("still feasible");
    prop_assert_eq!(String::from_utf8(twice).unwrap(), shown, "{}", name);
    Ok(())
}

/// A conversation without some of its results, which are chosen in turn.
fn without_results(text: &str, missing: &[bool]) -> String {
    let bytes = with(text.as_bytes(), |document, _, conversation| {
        let mut draft = Draft::new(conversation);
        let messages = conversation.messages.iter().enumerate();
        let results = messages.flat_map(|(at, message)| {
            message.parts_of(Kind::ToolResult).map(move |(index, _)| (at, index))
        });
        for (place, is_missing) in results.zip(missing.iter().cycle()) {
            if *is_missing {
                draft.remove_part(place);
            }
        }
        document.apply(&draft.edits(document))
    });
    String::from_utf8(bytes).expect("it was text")
}

proptest! {
    #[test]
    fn identity(sample in sample()) {
        for (dialect, text) in sample.files() {
            let same = with(text.as_bytes(), |document, shape, conversation| {
                // Roles and texts alone are read as openai, where every rule agrees.
                let read = shape.dialect.name();
                assert!(read == dialect || (read, dialect) == ("openai", "anthropic"), "{text}");
                document.apply(&Draft::new(conversation).edits(document))
            });
            prop_assert_eq!(String::from_utf8(same).unwrap(), text);
        }
    }

    #[test]
    fn every_dialect_reads_the_same_conversation(sample in sample()) {
        let files = sample.files();
        for (dialect, text) in &files {
            let expected = sample.texts();
            let found = with(text.as_bytes(), |_, _, conversation| {
                let parts = conversation.messages.iter().flat_map(|message| &message.parts);
                let said = parts.filter(|part| !matches!(part.kind, Kind::ToolCall | Kind::Other));
                said.map(|part| part.text().into_owned()).collect::<Vec<_>>()
            });
            prop_assert_eq!(&found.join("|"), &expected.join("|"), "{}", dialect);
            prop_assert_eq!(faults(text.as_bytes()), [""; 0], "{}", dialect);
        }
    }

    #[test]
    fn truncate_is_safe_small_and_idempotent(sample in sample(), policies in some_policies()) {
        for (dialect, text) in sample.files() {
            assert_truncates(dialect, &text, &policies)?;
        }
    }

    #[test]
    fn truncate_is_the_same_where_results_are_missing(sample in sample(), policies in some_policies(), missing in proptest::collection::vec(any::<bool>(), 1..6)) {
        for (dialect, text) in sample.files() {
            assert_truncates(dialect, &without_results(&text, &missing), &policies)?;
        }
    }

    #[test]
    fn truncate_is_the_same_where_the_model_thinks(sample in sample(), policies in some_policies(), instructs in any::<bool>()) {
        for model in ["claude-opus-4-8", "claude-sonnet-4-5", "claude-latest"] {
            assert_truncates(model, &sample.thinking(model, instructs), &policies)?;
        }
    }

    #[test]
    fn truncate_keeps_order(sample in sample(), budget in 20..400_usize) {
        for (dialect, text) in sample.files() {
            let Ok(once) = truncated(text.as_bytes(), &to_budget(budget)) else { continue };
            let (before, after) = (said(text.as_bytes()), said(&once));
            let kept: Vec<_> = after.iter().filter(|text| !is_new(text)).collect();
            let mut rest = before.iter();
            let in_order = kept.iter().all(|kept| rest.any(|text| text == *kept));
            prop_assert!(in_order, "{}: {:?} of {:?}", dialect, kept, before);
        }
    }

    #[test]
    fn partition_parts_are_the_whole(sample in sample(), keep in 0..300_usize, first in any::<bool>(), most in 10..200_usize) {
        for (_, text) in sample.files() {
            with(text.as_bytes(), |_, _, conversation| {
                let pairs = Pairs::of(&conversation.messages);
                let cuts = Cuts::of(conversation, &pairs);
                let count = words().count(conversation);
                let parts = partition(conversation, &cuts, &count, keep, first);
                assert_eq!(parts.head.end, parts.middle.start);
                assert_eq!(parts.middle.end, parts.tail.start);
                assert_eq!((parts.head.start, parts.tail.end), (0, conversation.messages.len()));
                for cut in [parts.middle.start, parts.middle.end] {
                    for (call, result) in &pairs.calls {
                        let result = result.expect("all answered");
                        assert_eq!(call.0 < cut, result.0 < cut, "an exchange crosses the cut");
                    }
                }
                if let Ok(chunks) = chunks(&cuts, &count, parts.middle.clone(), most) {
                    let mut at = parts.middle.start;
                    for chunk in chunks {
                        assert_eq!(chunk.start, at);
                        at = chunk.end;
                    }
                    assert_eq!(at, parts.middle.end);
                }
            });
        }
    }

    #[test]
    fn compact_meets_its_budget(sample in sample(), share in 10..95_usize, asked in some_compactions()) {
        for (dialect, text) in sample.files() {
            let before = tokens(text.as_bytes(), &words());
            let budget = before * share / 100;
            let Ok(once) = compacted(text.as_bytes(), budget, asked) else { continue };
            let shown = String::from_utf8_lossy(&once).into_owned();
            prop_assert!(tokens(&once, &words()) <= budget, "{} {}: {} > {}: {}", dialect, asked.profile.name, tokens(&once, &words()), budget, shown);
            prop_assert_eq!(faults(&once), [""; 0], "{} {}: {}", dialect, asked.profile.name, shown);
            let newest = sample.newest_request();
            prop_assert!(said(&once).iter().any(|said| said.contains(newest)), "{} {}: {}", dialect, asked.profile.name, shown);
            let again = compacted(text.as_bytes(), budget, asked).unwrap();
            prop_assert_eq!(&String::from_utf8(again).unwrap(), &shown);
            let twice = compacted(&once, budget, asked).unwrap();
            prop_assert_eq!(&String::from_utf8(twice).unwrap(), &shown);
        }
    }

    #[test]
    fn texts_may_come_in_parts(sample in sample(), share in 10..95_usize, asked in some_compactions()) {
        let text = sample.in_parts();
        let budget = tokens(text.as_bytes(), &words()) * share / 100;
        if let Ok(once) = compacted(text.as_bytes(), budget, asked) {
            prop_assert!(tokens(&once, &words()) <= budget);
            prop_assert_eq!(faults(&once), [""; 0]);
        }
    }

    #[test]
    fn layout_changes_no_count(sample in sample()) {
        let meter = Meter::new(Encoding::O200kBase);
        for (dialect, text) in sample.files() {
            let pretty: Vec<String> = text
                .lines()
                .map(|line| {
                    let value: serde_json::Value = serde_json::from_str(line).unwrap();
                    serde_json::to_string_pretty(&value).unwrap()
                })
                .collect();
            let pretty = pretty.join("\n");
            prop_assert_eq!(tokens(text.as_bytes(), &meter), tokens(pretty.as_bytes(), &meter), "{}", dialect);
        }
    }

    #[test]
    fn any_bytes_are_read_or_refused(bytes in proptest::collection::vec(any::<u8>(), 0..200)) {
        let Ok(document) = Document::parse(&bytes) else { return Ok(()) };
        let Ok(shape) = dialect::recognise(document.values(), None) else { return Ok(()) };
        for source in dialect::sources(&document, shape.layout) {
            let conversation = decode(shape.dialect, source, Scope::All);
            words().count(&conversation);
        }
    }
}

/// Whether dropping made a text: the note, or a result that alone would take all the room and is cut.
fn is_new(text: &str) -> bool {
    text.contains(marks::ELISION_OPENER) || text.contains("tokens truncated")
}

proptest! {
    // Each case is large, or is run for several budgets.
    #![proptest_config(ProptestConfig::with_cases(64))]

    #[test]
    fn what_compact_inserts_is_read_back(sample in sample_of_long_results(), share in 30..90_usize, asked in some_compactions()) {
        for (dialect, text) in sample.files() {
            let budget = tokens(text.as_bytes(), &words()) * share / 100;
            let Ok(once) = carried_out(text.as_bytes(), budget, asked) else { continue };
            let said = said(&once.bytes);
            let is_read = |inserted: &&String| said.iter().any(|said| said.contains(inserted.as_str()));
            let lost = once.inserted.iter().find(|inserted| !is_read(inserted));
            prop_assert!(lost.is_none(), "{dialect} {asked:?}: {lost:?} in {said:?}");
        }
    }

    #[test]
    fn a_refusal_names_the_least_budget(sample in prop_oneof![sample(), sample_of_long_words()], asked in some_compactions()) {
        for (dialect, text) in sample.files() {
            let bytes = text.as_bytes();
            let drop_to = |budget| truncated(bytes, &to_budget(budget));
            if let Err(Refusal(least)) = drop_to(0) {
                prop_assert!(drop_to(least).is_ok(), "{}: {} of {}", dialect, least, text);
                prop_assert!(drop_to(least - 1).is_err(), "{}: under {} of {}", dialect, least, text);
            }
            if let Err(Refusal(least)) = compacted(bytes, 0, asked) {
                let under = least.saturating_sub(1);
                let under = compacted(bytes, under, asked);
                prop_assert!(compacted(bytes, least, asked).is_ok(), "{dialect} {asked:?}: {least} of {text}");
                prop_assert!(under.is_err(), "{dialect} {asked:?}: under {least} of {text}");
            }
        }
    }

    #[test]
    fn a_larger_budget_keeps_no_less(sample in sample(), shares in (10..95_usize, 10..95_usize), asked in some_compactions()) {
        for (dialect, text) in sample.files() {
            let (bytes, all) = (text.as_bytes(), tokens(text.as_bytes(), &words()));
            let [less, more] = [shares.0.min(shares.1), shares.0.max(shares.1)].map(|share| all * share / 100);
            if let Ok(small) = truncated(bytes, &to_budget(less)) {
                let large = said(&truncated(bytes, &to_budget(more)).expect("room for more"));
                let kept = |said: &String| is_new(said) || large.contains(said);
                let lost = said(&small).into_iter().find(|said| !kept(said));
                prop_assert!(lost.is_none(), "{dialect}: {lost:?} in {less}, not in {more}: {text}");
            }
            // What a summary leaves over goes to the tail, so what stays beside it may be other.
            if compacted(bytes, less, asked).is_ok() {
                prop_assert!(compacted(bytes, more, asked).is_ok(), "{dialect} {asked:?}: {less}, not {more}: {text}");
            }
        }
    }
}

#[test]
fn a_larger_budget_keeps_no_less_of_the_newest_result() {
    let row = |n: usize| format!("row {n} of what was printed\\n");
    let rows = (0..300).map(row).collect::<String>();
    let call = r#"{"role":"assistant","tool_calls":[{"id":"a","function":{"name":"f","arguments":"{}"}}]}"#;
    let older = |n| format!(r#"{{"role":"user","content":"{}"}}"#, row(n).repeat(9));
    let older = (0..20).map(older).collect::<Vec<_>>().join(",");
    let text = format!(
        r#"[{older},{{"role":"user","content":"go"}},{call},{{"role":"tool","tool_call_id":"a","content":"{rows}"}}]"#
    );
    let mut before = (0, 0);
    for budget in (60..tokens(text.as_bytes(), &words())).step_by(5) {
        let left =
            said(&truncated(text.as_bytes(), &to_budget(budget)).expect("room for the newest"));
        let newest = left.last().expect("a message").split_whitespace().count();
        assert!(
            left.len() >= before.0 && newest >= before.1,
            "{budget}: {newest} after {before:?}"
        );
        before = (left.len(), newest);
    }
}

#[test]
fn a_larger_budget_keeps_no_less_of_the_result_that_is_cleared_last() {
    let exchange = |n: usize, rows: usize| {
        let row = |row: usize| format!("row {row} of what was read\\n");
        let rows = (0..rows).map(row).collect::<String>();
        format!(
            r#"{{"role":"assistant","tool_calls":[{{"id":"c{n}","function":{{"name":"shell","arguments":"{{\"command\":\"make {n}\"}}"}}}}]}},{{"role":"tool","tool_call_id":"c{n}","content":"{rows}"}}"#
        )
    };
    let sizes = [90, 30, 600, 30, 3, 3, 3, 3, 3];
    let calls: Vec<String> = (0..).zip(sizes).map(|(n, rows)| exchange(n, rows)).collect();
    let text = format!(r#"[{{"role":"user","content":"go"}},{}]"#, calls.join(","));
    let all = tokens(text.as_bytes(), &words());
    let clears = profile::named("claude-code").expect("a profile that clears first");
    let (mut before, mut left_over) = (vec![0; sizes.len()], 0);
    for budget in (all / 2..all).step_by(20) {
        let short = compacted(text.as_bytes(), budget, Asked::of(clears)).expect("room");
        let short = String::from_utf8_lossy(&short).into_owned();
        let rows =
            short.split(r#""role":"tool""#).skip(1).map(|result| result.matches("row ").count());
        let rows: Vec<usize> = rows.collect();
        assert!(
            rows.iter().zip(&before).all(|(now, then)| now >= then),
            "{budget}: {before:?} {rows:?}"
        );
        (before, left_over) = (rows, left_over.max(budget - tokens(short.as_bytes(), &words())));
    }
    assert!(left_over < 600, "{left_over} tokens of a budget unused");
}

#[test]
fn a_larger_budget_keeps_no_less_of_what_was_looked_up() {
    let lookup = |n: usize| {
        let room = |row| format!(r#"{{ \"room\" : \"R{n}{row}7\" , \"rate\" : {n}{row}5 }}"#);
        let rows = (0..8).map(room).collect::<Vec<_>>().join(" , ");
        format!(
            r#"{{"role":"assistant","tool_calls":[{{"id":"c{n}","function":{{"name":"find_rooms","arguments":"{{}}"}}}}]}},{{"role":"tool","tool_call_id":"c{n}","content":"[{rows}]"}},{{"role":"assistant","content":"There are some. Would you like to see others as well, or a room that looks at the sea?"}},{{"role":"user","content":"Others, please."}}"#
        )
    };
    let turns: Vec<String> = (1..9).map(lookup).collect();
    let text = format!(r#"[{{"role":"user","content":"A room!"}},{}]"#, turns.join(","));
    let all = tokens(text.as_bytes(), &words());
    let mut before = 0;
    for budget in (all / 5..all).step_by(20) {
        let short = compacted(text.as_bytes(), budget, Asked::of(&PROFILES[0])).expect("room");
        let short = String::from_utf8_lossy(&short).into_owned();
        let is_kept = |room: &String| short.contains(room);
        let rooms = (1..9).flat_map(|n| (0..8).map(move |row| format!("R{n}{row}7")));
        let kept = rooms.filter(is_kept).count();
        assert!(kept + 1 >= before, "{budget}: {before} {kept}");
        before = before.max(kept);
    }
    assert!(before > 50, "{before}");
}

#[test]
fn a_larger_budget_keeps_the_summary() {
    let turn = |n: usize| {
        let asked = format!("Please move part {n} of the harbour clock to the bridge.");
        let said = format!("Part {n} stands on the bridge now; clock_{n}.rs has it. ").repeat(4);
        format!(
            r#"{{"role":"user","content":"{asked}"}},{{"role":"assistant","content":"{said}"}}"#
        )
    };
    let turns = (0..12).map(turn).collect::<Vec<_>>().join(",");
    let text = format!(r#"[{{"role":"system","content":"Be brief."}},{turns}]"#);
    for profile in PROFILES {
        let mut has_summary = false;
        for budget in 20..tokens(text.as_bytes(), &words()) * 3 / 4 {
            let Ok(short) = compacted(text.as_bytes(), budget, Asked::of(profile)) else {
                continue;
            };
            let short = String::from_utf8_lossy(&short).into_owned();
            let is_there = short.contains(marks::SUMMARY_OPENER);
            assert!(is_there || !has_summary, "{} {budget}: {short}", profile.name);
            has_summary |= is_there;
        }
        assert!(has_summary, "{}", profile.name);
    }
}

#[test]
fn samples_are_not_trivial() {
    let sample = Sample::of(&[3, 1, 4, 1, 5, 9, 2, 6, 5, 3, 5, 8, 9, 7, 9]);
    assert!(sample.texts().len() > 15);
}
