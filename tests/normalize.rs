//! The laws of normalize, over conversations made up at random, valid or not, in every dialect and
//! for every provider: afterwards check finds no fault; a second run changes nothing; what no repair
//! touched keeps its bytes; a message that goes is reported; a conversation without a fault is left alone.
//!
//! `PROPTEST_RNG_SEED=$RANDOM PROPTEST_CASES=100000 cargo test --release --test normalize` is the long
//! run.

mod arbitrary;

use context_compact::check::{self, Severity};
use context_compact::conversation::{self, Conversation, Origin};
use context_compact::dialect::{self, Layout, Provider, Scope};
use context_compact::document::Document;
use context_compact::normalize;
use context_compact::pairing::Pairs;
use context_compact::resume;
use context_compact::thinking::{Binding, Signatures};
use proptest::prelude::*;
use proptest::test_runner::{Config, TestCaseError};

use arbitrary::Sample;

fn decode<'a>(document: &Document<'a>, sample: &Sample) -> Conversation<'a> {
    let dialect = dialect::named(sample.dialect).unwrap();
    let layout = sample.holder.map_or(sample.layout(), Layout::Objects);
    let source = dialect::sources(document, layout).remove(0);
    conversation::decode(dialect, source, Scope::Live)
}

/// The rules whose breaches no repair can mend.
const UNMENDED: &[&str] = &["empty-conversation", "unknown-role", "unknown-type"];

fn faults(text: &str, sample: &Sample, provider: Provider) -> Vec<String> {
    let document = Document::parse(text.as_bytes()).unwrap();
    let conversation = decode(&document, sample);
    let pairs = Pairs::of(&conversation.messages);
    let found = check::findings(&conversation, &pairs, provider);
    let faults = found.iter().filter(|finding| finding.severity == Severity::Fault);
    // What nobody said can't be made up, nor what nobody knows be named.
    let faults = faults.filter(|finding| !UNMENDED.contains(&finding.rule.name));
    faults
        .map(|finding| {
            let error = finding.provider_error.as_deref().unwrap_or_default();
            assert!(!has_blank(error), "{error}");
            format!("{} at {:?}: {}", finding.rule.name, finding.message, finding.text)
        })
        .collect()
}

/// Whether a sentence has a blank that nobody filled.
fn has_blank(sentence: &str) -> bool {
    sentence.split('{').skip(1).any(|rest| rest.starts_with(|c: char| c.is_ascii_lowercase()))
}

/// The repaired text, and the texts of the units that were not to be touched.
fn normalized(
    text: &str,
    sample: &Sample,
    provider: Provider,
    binding: Binding,
) -> (String, Vec<String>, Vec<&'static str>) {
    let document = Document::parse(text.as_bytes()).unwrap();
    let conversation = decode(&document, sample);
    let (mut draft, repairs) = normalize::normalize(
        &conversation,
        provider,
        Signatures { binding, ..Signatures::default() },
        &[],
    );
    let is_told = |at: usize| repairs.iter().any(|repair| repair.message == Some(at));
    let silent = (0..conversation.messages.len()).find(|&at| draft.is_dropped(at) && !is_told(at));
    assert_eq!(silent, None, "a message goes without a report, from {text}");
    let kept = conversation.messages.iter().enumerate();
    let kept = kept.filter(|(at, message)| !message.units.is_empty() && !draft.is_touched(*at));
    let kept = kept.map(|(_, message)| message.json.source().to_owned()).collect();
    resume::make_resumable(&mut draft, &document, usize::MAX);
    let out = String::from_utf8(document.apply(&draft.edits(&document))).unwrap();
    (out, kept, repairs.iter().map(|repair| repair.rule.name).collect())
}

fn assert_laws(sample: &Sample, provider: Provider) -> Result<(), TestCaseError> {
    let text = sample.text().replace(arbitrary::HALF, "\\ud83d");
    for binding in [Binding::Unknown, Binding::Bound, Binding::Unbound] {
        let (out, kept, repairs) = normalized(&text, sample, provider, binding);
        if Document::parse(out.as_bytes()).is_err() {
            // Nothing of the log was ever sent.
            prop_assert!(out.trim().is_empty(), "{out}");
            continue;
        }
        let left = faults(&out, sample, provider);
        prop_assert!(left.is_empty(), "{left:#?}\nin {out}\nfrom {text}");
        let (again, ..) = normalized(&out, sample, provider, binding);
        prop_assert_eq!(&again, &out, "a second run, from {}", text);
        let (same, ..) = normalized(&text, sample, provider, binding);
        prop_assert_eq!(&same, &out, "the same run");
        let mut rest = out.as_str();
        for message in &kept {
            let at = rest.find(message.as_str());
            prop_assert!(at.is_some(), "{message} is gone from {out}\nfrom {text}");
            rest = &rest[at.unwrap() + message.len()..];
        }
        let was_valid = faults(&text, sample, provider).is_empty() && !has_internal(&text, sample);
        if was_valid {
            prop_assert_eq!(&out, &text, "without a fault: {:?}", repairs);
        } else {
            prop_assert!(!repairs.is_empty(), "no repair reported for {text}");
        }
    }
    Ok(())
}

fn has_internal(text: &str, sample: &Sample) -> bool {
    let document = Document::parse(text.as_bytes()).unwrap();
    let conversation = decode(&document, sample);
    conversation.messages.iter().any(|message| message.origin == Origin::Internal)
}

fn config() -> Config {
    let cases = std::env::var("PROPTEST_CASES").ok().and_then(|cases| cases.parse().ok());
    Config { cases: cases.unwrap_or(300), failure_persistence: None, ..Config::default() }
}

macro_rules! laws_for {
    ($($name:ident: $provider:ident),*) => {
        proptest! {
            #![proptest_config(config())]
            $(
                #[test]
                fn $name(sample in arbitrary::sample()) {
                    assert_laws(&sample, Provider::$provider)?;
                }
            )*
        }
    };
}

laws_for! {
    openai: OpenAi,
    responses: Responses,
    anthropic: Anthropic,
    bedrock: Bedrock,
    gemini: Gemini,
    mistral: Mistral
}

/// A call without a result, and the mark of the cache behind the result of another one.
const MARKED: &str = r#"[{"role":"user","content":[{"text":"go"}]},{"role":"assistant","content":[{"toolUse":{"toolUseId":"call12345","name":"f","input":{}}},{"toolUse":{"toolUseId":"call12346","name":"f","input":{}}}]},{"role":"user","content":[{"toolResult":{"toolUseId":"call12345","content":[{"text":"x"}]}},{"cachePoint":{"type":"default"}}]},{"role":"assistant","content":[{"text":"done"}]}]"#;

/// A string in the place of a mark of the cache, behind a result.
const BROKEN_MARK: &str = r#"[{"role":"user","content":[{"text":"go"}]},{"role":"assistant","content":[{"toolUse":{"toolUseId":"a","name":"f","input":{}}}]},{"role":"user","content":[{"toolResult":{"toolUseId":"a","content":[{"text":"x"}]}},{"cachePoint":"default"}]}]"#;

/// Conversations in which one repair has to see what another one makes.
const MEETING: &[(Provider, &str, &str)] = &[
    // What is rewritten takes half a surrogate pair along.
    (Provider::Anthropic, "anthropic", r#"[{"role":"user","content":[5,null,"half \ue000",""]}]"#),
    (Provider::Anthropic, "gemini", r#"[{"role":"user","parts":{"x":"half \ue000"}}]"#),
    (
        Provider::Anthropic,
        "anthropic",
        r#"[{"role":"user","content":"go"},{"role":"assistant","content":[{"type":"tool_use","id":"a","name":"f","input":["\ue000"]}]}]"#,
    ),
    // What becomes a text stands behind a call that is in flight no more.
    (
        Provider::Responses,
        "responses",
        r#"[{"type":"computer_call","call_id":"a","action":{}},{"role":"user","content":5}]"#,
    ),
    (
        Provider::Anthropic,
        "anthropic",
        r#"[{"role":"user","content":"go"},{"role":"assistant","content":[{"type":"tool_use","id":"a","name":"f","input":{}}]},{"role":"assistant","content":5},{"role":"assistant","content":[{"type":"tool_use","id":"b","name":"f","input":{}}]}]"#,
    ),
    // What becomes a text says nothing.
    (
        Provider::Anthropic,
        "anthropic",
        r#"[{"role":"user","content":"go"},{"role":"assistant","content":[{"type":"tool_use","id":"a","name":"f","input":{}}]},{"role":"user","content":[{"type":"tool_result","tool_use_id":"a","content":[5,null,""]}]}]"#,
    ),
    (
        Provider::Bedrock,
        "gemini",
        r#"[{"role":"user","parts":[{"text":"hi"}]},{"role":"function","parts":{"text":""}}]"#,
    ),
    // A mark of the cache is nothing beside results, for whomever they are.
    (Provider::Anthropic, "bedrock", MARKED),
    (Provider::OpenAi, "bedrock", MARKED),
    (Provider::Mistral, "bedrock", MARKED),
    (Provider::Gemini, "bedrock", MARKED),
    (
        Provider::Anthropic,
        "bedrock",
        r#"[{"role":"user","content":[{"text":"go"}]},{"role":"assistant","content":[{"toolUse":{"toolUseId":"a","name":"f","input":{}}},{"toolUse":{"toolUseId":"b","name":"f","input":{}}}]},{"role":"user","content":[{"toolResult":{"toolUseId":"a","content":[{"text":"x"}]}},{"cachePoint":{"type":"default"}},{"toolResult":{"toolUseId":"b","content":[{"text":"y"}]}}]},{"role":"user","content":[{"text":"on"}]}]"#,
    ),
    // What is no mark of the cache goes before results are parted from what stands beside them.
    (Provider::Bedrock, "bedrock", BROKEN_MARK),
    (Provider::Anthropic, "bedrock", BROKEN_MARK),
    (
        Provider::Bedrock,
        "bedrock",
        r#"[{"role":"user","content":[{"text":"go","cachePoint":"default"},{"cachePoint":7,"image":7}]}]"#,
    ),
    // What found no tools is no text.
    (
        Provider::Mistral,
        "responses",
        r#"[{"role":"user","content":"go"},{"type":"tool_search_call","call_id":"a","action":{}},{"role":"user","content":"on"}]"#,
    ),
];

#[test]
fn a_prompt_that_marks_the_cache_loses_what_is_empty() {
    let mut sample = Sample::of("bedrock", r#"[{"role":"user","content":[{"text":"go"}]}]"#);
    sample.holder = Some("messages");
    sample.request = serde_json::json!({"system": [{}, {"cachePoint": {"type": "default"}}]});
    assert_laws(&sample, Provider::Bedrock).unwrap();
}

#[test]
fn repairs_that_meet_leave_no_fault() {
    for (provider, dialect, units) in MEETING {
        assert_laws(&Sample::of(dialect, units), *provider).unwrap();
    }
}
