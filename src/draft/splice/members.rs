//! Edits of the members of objects.
//!
//! Responsible for setting a member, for adding one at the end, and for removing one with its comma.

use std::collections::BTreeMap;
use std::ops::Range;

use crate::document::{Document, Edit};
use crate::draft::list::{self, Separator};
use crate::draft::{MemberChange, UnitChange};
use crate::json::{Json, Key, quote};

/// The spans of the members of an object, keys included.
pub(super) fn member_spans(document: &Document<'_>, object: Json<'_>) -> Vec<Range<usize>> {
    let span = |(key, value): (Key<'_>, Json<'_>)| {
        document.span(key.json()).start..document.span(value).end
    };
    object.members().map(span).collect()
}

/// Sets and removes members of one object, which all the changes are about.
pub(super) fn edit_members<'a>(
    document: &Document<'a>,
    changes: &[MemberChange<'a>],
    edits: &mut Vec<Edit>,
) {
    // Only an object can hold members: skip anything else, so that the result stays valid JSON.
    let object = changes.first().map(|change| change.object).filter(|object| object.is_object());
    let Some(object) = object else { return };
    let members: Vec<_> = object.members().collect();
    let mut added = Vec::new();
    for change in changes {
        let Some(value) = &change.value else { continue };
        match members.iter().rev().find(|(key, _)| key.is(change.key)) {
            Some((_, old)) => edits.push(Edit { span: document.span(*old), text: value.clone() }),
            None => added.push(format!("{}:{value}", quote(change.key))),
        }
    }
    let goes = |item: usize| {
        changes.iter().any(|change| change.value.is_none() && members[item].0.is(change.key))
    };
    if added.is_empty() && !(0..members.len()).any(goes) {
        return;
    }
    let spans = member_spans(document, object);
    let inserts = BTreeMap::from([(members.len(), added)]);
    let empty = document.span(object).start + 1;
    let keep = |item: usize| !goes(item);
    edits.extend(list::rewrite(document.bytes(), &Separator::Comma, &spans, empty, keep, &inserts));
}

impl UnitChange<'_> {
    pub(super) fn edit(&self, document: &Document<'_>, unit: &Range<usize>) -> Edit {
        match self {
            Self::Value(value, source) => {
                Edit { span: document.span(*value), text: source.clone() }
            }
            Self::Added { key, value } => {
                let end = unit.end - 1;
                Edit { span: end..end, text: format!(",{}:{value}", quote(key)) }
            }
            Self::Removed { key, value } => {
                let (start, end) = (document.span(*key).start, document.span(*value).end);
                let bytes = document.bytes();
                let blank = |bytes: &mut dyn Iterator<Item = &u8>| {
                    bytes.take_while(|byte| byte.is_ascii_whitespace()).count()
                };
                let behind = end + blank(&mut bytes[end..unit.end].iter());
                // Remove the comma behind the member, or else the one before it.
                let span = if bytes[behind] == b',' {
                    start..behind + 1 + blank(&mut bytes[behind + 1..unit.end].iter())
                } else {
                    let before = start - blank(&mut bytes[unit.start..start].iter().rev());
                    before - usize::from(bytes[before - 1] == b',')..end
                };
                Edit { span, text: String::new() }
            }
        }
    }
}
