//! What holds for every conversation.

use crate::script::{Script, digested, digested_by_thirds, words};
use context_compact::json::quote;
use context_compact::marks::SUMMARY_OPENER;
use proptest::prelude::*;

/// One thing that happens in a generated conversation.
fn event() -> impl Strategy<Value = (u8, String, String)> {
    let file = prop::sample::select(vec!["src/a.rs", "src/b.rs", "lib/deep/c.py", "README.md"]);
    let text = prop::collection::vec(
        prop::sample::select(vec![
            "the parser_state is wrong because", "MAX_DEPTH", "see src/a.rs:12",
            "error: no such file", "and so on.", "修复了问题。", "\n", "```", "\"\"\"", "## Plan",
            "> quoted", "- [x] done", "[3] User: \"x\"", "fn main() {",
        ]),
        1..12,
    );
    (0_u8..6, file.prop_map(str::to_owned), text.prop_map(|words| words.join(" ")))
}

fn played(script: Script, events: &[(u8, String, String)]) -> Script {
    events.iter().fold(script, |script, (kind, file, text)| {
        let edit =
            format!(r#"{{"path":"/w/p/{file}","old_string":"a b","new_string":{}}}"#, quote(text));
        match kind {
            0 => script.user(text),
            1 => script.assistant(text),
            2 => script.calls("read_file", &format!(r#"{{"path":"/w/p/{file}"}}"#), text),
            3 => script.calls("edit_file", &edit, "ok"),
            4 => script.calls("bash", &format!(r#"{{"command":"make {file}"}}"#), text),
            _ => script.calls("lookup", r#"{"id":"u_1"}"#, r#"{"id":"u_1","zip":"90210"}"#),
        }
    })
}

/// Whether a digest has a line beside its header and its titles.
fn says_something(text: &str) -> bool {
    const OTHERS: &[&str] = &["[n] is ", "Paths are ", "Compaction ", "## "];
    text.lines().skip(1).any(|line| !OTHERS.iter().any(|other| line.starts_with(other)))
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(200))]

    #[test]
    fn is_never_over_budget_and_always_the_same(
        events in prop::collection::vec(event(), 1..25),
        budget in 0_usize..400,
    ) {
        let source = played(Script::default().user("begin"), &events).user("end").source();
        let text = digested(&source, budget);
        prop_assert!(words(&text) <= budget, "{} of {budget}:\n{text}", words(&text));
        prop_assert_eq!(&digested(&source, budget), &text);
        prop_assert!(text.is_empty() || text.starts_with(SUMMARY_OPENER));
    }

    #[test]
    fn never_says_nothing_where_the_budget_holds_a_line(
        events in prop::collection::vec(event(), 1..60),
        budget in 200_usize..1600,
        smaller in 200_usize..1600,
    ) {
        let source = played(Script::default().user("Begin with it."), &events).user("end").source();
        let text = digested_by_thirds(&source, budget);
        prop_assert!(says_something(&text), "{text}");
        // Nor in the next one, which has less room for what the first quotes.
        let next = Script::after(&text).assistant("Let me see.").user("end");
        let next = digested_by_thirds(&next.source(), smaller.min(budget));
        prop_assert!(says_something(&next), "{smaller}: {text}\n->\n{next}");
    }

    #[test]
    fn ten_compactions_in_a_row_stay_stable(
        rounds in prop::collection::vec(prop::collection::vec(event(), 1..5), 10),
        budget in 120_usize..400,
    ) {
        let mut summary: Option<String> = None;
        for events in &rounds {
            let script = match &summary {
                Some(text) => Script::after(text),
                None => Script::default().user("begin"),
            };
            let text = played(script, events).user("end").digest(budget);
            prop_assert!(words(&text) <= budget);
            prop_assert_eq!(text.matches(SUMMARY_OPENER).count(), 1, "{}", text);
            // Folding what is there with nothing new changes nothing.
            let alone = Script::after(&text).user("end");
            prop_assert_eq!(&alone.digest(budget), &text);
            summary = Some(text);
        }
    }
}
