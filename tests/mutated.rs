//! The laws of normalize, truncate and compact over files that went wrong: those of `testdata`, every dialect's, with
//! members that are missing, values of another type, and nodes that stand twice or elsewhere.
//!
//! `PROPTEST_RNG_SEED=$RANDOM PROPTEST_CASES=100000 cargo test --release --test mutated` is the long run.

#[path = "mutated/file.rs"]
mod file;
#[path = "mutated/shortened.rs"]
mod shortened;
mod shortening;

use std::collections::HashSet;

use context_compact::check::{self, Severity};
use context_compact::conversation;
use context_compact::dialect::{self, Provider, Scope};
use context_compact::document::Document;
use context_compact::pairing::Pairs;
use context_compact::placed::Placed;
use context_compact::reread::{Again, Form, Left, Target};
use context_compact::summaries;
use proptest::strategy::{BoxedStrategy, Strategy};
use proptest::test_runner::{Config, RngAlgorithm, TestCaseError, TestRng, TestRunner};
use proptest::{prop_assert, prop_assert_eq};

use file::{File, file};
use shortened::{Shortening, some_compaction, some_truncation};

const PROVIDERS: [Provider; 6] = [
    Provider::OpenAi,
    Provider::Responses,
    Provider::Anthropic,
    Provider::Bedrock,
    Provider::Gemini,
    Provider::Mistral,
];

/// Each conversation of a text in a dialect, or in the one it is recognised as; `None` where it is none.
fn each<T>(
    text: &str,
    dialect: Option<&str>,
    mut then: impl FnMut(&Placed<'_, '_>) -> T,
) -> Option<Vec<T>> {
    let document = &Document::parse(text.as_bytes()).ok()?;
    let shape = dialect::recognise(document.values(), dialect.and_then(dialect::named)).ok()?;
    let sources = dialect::sources(document, shape.layout);
    let is_one_of_many = sources.len() > 1;
    let each = sources.into_iter().map(|source| {
        let conversation = &conversation::decode(shape.dialect, source, Scope::Live);
        then(&Placed { document, shape, conversation, is_one_of_many })
    });
    Some(each.collect())
}

/// What is refused that a repair could mend: a role that is missing or unknown can't be
/// made up, nor a message or the type of a part.
fn faults(text: &str, dialect: Option<&str>, provider: Provider) -> Option<Vec<String>> {
    let faults = each(text, dialect, |&Placed { conversation, .. }| {
        let pairs = Pairs::of(&conversation.messages);
        let found = check::findings(conversation, &pairs, provider).into_iter();
        let faults = found.filter(|finding| {
            finding.severity == Severity::Fault
                && !["empty-conversation", "unknown-role", "unknown-type"]
                    .contains(&finding.rule.name)
                && !finding.text.starts_with("a role is")
        });
        faults.map(|fault| format!("{}: {}", fault.rule.name, fault.text)).collect::<Vec<_>>()
    });
    Some(faults?.concat())
}

/// The repaired text, and the repairs; `None` where no conversation is left.
fn normalized(
    text: &str,
    dialect: Option<&str>,
    provider: Provider,
) -> Option<(String, Vec<String>)> {
    let (mut edits, mut is_left) = (Vec::new(), false);
    let target = Target { provider: Some(provider), model: None };
    let repairs = each(text, dialect, |placed| {
        let done = target.normalized(placed);
        edits.extend(done.edits);
        is_left |= done.left == Left::Messages && done.again == Again::Same;
        done.repairs.into_iter().map(|repair| repair.text).collect::<Vec<_>>()
    });
    edits.sort_by_key(|edit| (edit.span.start, edit.span.end));
    let repairs = repairs.filter(|_| is_left)?.concat();
    let text = Document::parse(text.as_bytes()).ok()?.apply(&edits);
    Some((String::from_utf8(text).expect("a text"), repairs))
}

fn assert_laws(text: &str, dialect: Option<&str>, provider: Provider) -> Result<(), TestCaseError> {
    let Some((once, repairs)) = normalized(text, dialect, provider) else { return Ok(()) };
    let place = || format!("{provider:?} of {dialect:?}: {once}\nfrom {text}\nby {repairs:#?}");
    prop_assert_eq!(once == text, repairs.is_empty(), "{}", place());
    // Nothing of it may be left that is a conversation.
    let Some(left) = faults(&once, dialect, provider) else { return Ok(()) };
    prop_assert!(left.is_empty(), "{:#?} in {}", left, place());
    let Some((again, more)) = normalized(&once, dialect, provider) else { return Ok(()) };
    prop_assert!(more.is_empty(), "{:#?} once more in {}", more, place());
    prop_assert_eq!(&again, &once);
    Ok(())
}

/// The rules by which its own provider refuses a text; `None` where it is none in its dialect.
fn broken(text: &str, dialect: &str) -> Option<HashSet<&'static str>> {
    let rules = each(text, Some(dialect), |&Placed { conversation, .. }| {
        let pairs = Pairs::of(&conversation.messages);
        let found = check::findings(conversation, &pairs, conversation.dialect.provider());
        let faults = found.into_iter().filter(|finding| finding.severity == Severity::Fault);
        faults.map(|fault| fault.rule.name).collect::<Vec<_>>()
    });
    Some(rules?.concat().into_iter().collect())
}

/// What is taken stays so, what is refused is refused for no other reason, a summary of what was before stays
/// where there is room, and a second run finds nothing to do.
fn assert_no_worse(file: &File, how: &Shortening, form: Form) -> Result<(), TestCaseError> {
    let (text, dialect) = (file.text(), file.dialect);
    let Some(once) = how.of(&text, dialect, form) else { return Ok(()) };
    let place = || format!("{form:?} {how:?} of {dialect}: {once}\nfrom {text}");
    let before = broken(&text, dialect).unwrap_or_default();
    // Too little of it may be left to tell its dialect by.
    let Some(after) = broken(&once, dialect) else { return Ok(()) };
    let worse: Vec<_> = after.difference(&before).collect();
    prop_assert!(worse.is_empty(), "{:?} in {}", worse, place());
    let is_summary_lost = has_summary(&text, dialect) && !has_summary(&once, dialect);
    prop_assert!(!is_summary_lost || how.may_take_summary(), "no summary in {}", place());
    let twice = how.of(&once, dialect, form);
    prop_assert!(twice.as_ref() == Some(&once), "{:?} once more in {}", twice, place());
    Ok(())
}

/// Whether a summary of what was before stands in a text.
fn has_summary(text: &str, dialect: &str) -> bool {
    let found = each(text, Some(dialect), |&Placed { conversation, .. }| {
        conversation.messages.iter().any(summaries::stands_in)
    });
    found.is_some_and(|found| found.contains(&true))
}

/// The same cases in every run, unless a seed is given: some files go too wrong to be told apart, as
/// when two entries of a log have one id.
fn runner() -> TestRunner {
    let cases = std::env::var("PROPTEST_CASES").ok().and_then(|cases| cases.parse().ok());
    let config =
        Config { cases: cases.unwrap_or(1500), failure_persistence: None, ..Config::default() };
    match std::env::var_os("PROPTEST_RNG_SEED") {
        Some(_) => TestRunner::new(config),
        None => TestRunner::new_with_rng(config, TestRng::deterministic_rng(RngAlgorithm::ChaCha)),
    }
}

#[test]
fn what_went_wrong_is_repaired_once() {
    let cases = (file(), 0..PROVIDERS.len());
    let found = runner().run(&cases, |(file, provider)| {
        let (text, provider) = (file.text(), PROVIDERS[provider]);
        assert_laws(&text, Some(file.dialect), provider)?;
        assert_laws(&text, None, provider)
    });
    found.unwrap_or_else(|error| panic!("{error}"));
}

fn assert_shortens(some: impl Fn() -> BoxedStrategy<Shortening>) {
    for form in [Form::Shorter, Form::Appended] {
        let found =
            runner().run(&(file(), some()), |(file, how)| assert_no_worse(&file, &how, form));
        found.unwrap_or_else(|error| panic!("{error}"));
    }
}

#[test]
fn what_is_shortened_is_no_worse() {
    assert_shortens(|| some_truncation().boxed());
}

#[test]
fn what_is_compacted_is_no_worse() {
    assert_shortens(|| some_compaction().boxed());
}
