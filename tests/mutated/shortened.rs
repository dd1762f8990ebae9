//! Files shortened, in either form.

use context_compact::conversation;
use context_compact::count::Meter;
use context_compact::dialect::{self, Scope};
use context_compact::document::Document;
use context_compact::pairing::Joints;
use context_compact::reread::Form;
use context_compact::subject::Subject;
use context_compact::tokenizer::Tokenizer;
use context_compact::truncate::cut::{Limit, Measure};
use context_compact::truncate::{Policies, shortened};
use proptest::option::of;
use proptest::prelude::*;

/// One token a word: quick, and as good for the laws as any.
struct Words;

impl Tokenizer for Words {
    fn count(&self, text: &str) -> usize {
        text.split_whitespace().count()
    }
}

pub(crate) fn some_policies() -> impl Strategy<Value = Policies> {
    let measure = vec![Measure::Tokens, Measure::Bytes, Measure::Chars];
    let limit = (proptest::sample::select(measure), 0..30_usize)
        .prop_map(|(measure, most)| Limit { measure, most, head_share: 0.5 });
    (of(limit), any::<bool>(), of(0..4_usize), of(0..12_usize), of(20..400_usize)).prop_map(
        |(per_result, dedupe, keep_results, max_messages, budget)| Policies {
            per_result,
            dedupe,
            keep_results,
            max_messages,
            budget,
            ..Policies::default()
        },
    )
}

/// The shortened text; `None` where there is none.
pub(crate) fn truncated(
    text: &str,
    dialect: &str,
    policies: &Policies,
    form: Form,
) -> Option<String> {
    let document = Document::parse(text.as_bytes()).ok()?;
    let shape = dialect::recognise(document.values(), dialect::named(dialect)).ok()?;
    let meter = Meter::with(Box::new(Words), None);
    let mut edits = Vec::new();
    for source in dialect::sources(&document, shape.layout) {
        let conversation = conversation::decode(shape.dialect, source, Scope::Live);
        let (joints, count) = (Joints::of(&conversation), meter.count(&conversation));
        let (pairs, cuts) = (&joints.pairs, &joints.cuts);
        let (conversation, meter, count) = (&conversation, &meter, &count);
        let subject =
            Subject { document: &document, shape, conversation, pairs, cuts, meter, count };
        edits.extend(shortened(&subject, policies, form, &mut |_| None).ok()??.settled.edits);
    }
    edits.sort_by_key(|edit| (edit.span.start, edit.span.end));
    Some(String::from_utf8(document.apply(&edits)).expect("a text"))
}
