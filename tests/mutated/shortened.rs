//! Files shortened, in either form.

use context_compact::conversation;
use context_compact::dialect::{self, Scope};
use context_compact::document::{Document, Edit};
use context_compact::pairing::Joints;
use context_compact::reread::Form;
use context_compact::subject::Subject;
use context_compact::truncate::{Policies, shortened};
use proptest::prelude::*;

use super::shortening::{Asked, compaction, some_compactions, some_policies, words};

/// What is done to a file.
#[derive(Clone, Debug)]
pub(crate) enum Shortening {
    Truncate(Policies),
    /// To so many tokens.
    Compact(usize, Asked),
}

impl Shortening {
    /// The shortened text; `None` where there is none.
    pub(crate) fn of(&self, text: &str, dialect: &str, form: Form) -> Option<String> {
        let document = Document::parse(text.as_bytes()).ok()?;
        let shape = dialect::recognise(document.values(), dialect::named(dialect)).ok()?;
        let meter = words();
        let mut edits = Vec::new();
        for source in dialect::sources(&document, shape.layout) {
            let conversation = conversation::decode(shape.dialect, source, Scope::Live);
            let (joints, count) = (Joints::of(&conversation), meter.count(&conversation));
            let (pairs, cuts) = (&joints.pairs, &joints.cuts);
            let (conversation, meter, count) = (&conversation, &meter, &count);
            let subject =
                Subject { document: &document, shape, conversation, pairs, cuts, meter, count };
            edits.extend(self.edits(&subject, form)?);
        }
        edits.sort_by_key(|edit| (edit.span.start, edit.span.end));
        Some(String::from_utf8(document.apply(&edits)).expect("a text"))
    }

    fn edits(&self, subject: &Subject<'_, '_>, form: Form) -> Option<Vec<Edit>> {
        match self {
            Self::Truncate(policies) => {
                Some(shortened(subject, policies, form, &mut |_| None).ok()??.settled.edits)
            }
            Self::Compact(budget, asked) => {
                let done = compaction(subject, *budget, *asked, form).ok()?;
                Some(done.map_or(Vec::new(), |done| done.settled.edits))
            }
        }
    }

    /// Whether an earlier summary may go: only a budget that has no room for it takes it.
    pub(crate) fn may_take_summary(&self) -> bool {
        match self {
            Self::Truncate(policies) => policies.budget.is_some(),
            Self::Compact(..) => true,
        }
    }
}

pub(crate) fn some_truncation() -> impl Strategy<Value = Shortening> {
    some_policies().prop_map(Shortening::Truncate)
}

pub(crate) fn some_compaction() -> impl Strategy<Value = Shortening> {
    (10..200_usize, some_compactions())
        .prop_map(|(budget, asked)| Shortening::Compact(budget, asked))
}
