//! Finding the conversations of a document, each with its shape.
//!
//! Responsible for streams and arrays of many conversations, each of which is recognised alone; the parent
//! module decides what speaks for a shape.

use std::borrow::Cow;
use std::collections::HashMap;

use super::{
    Findings, Layout, SECOND_LOOK, Shape, Unrecognised, candidates, flat, recognise_units,
};
use crate::dialect::contract::{Dialect, Sign};
use crate::document::Document;
use crate::json::{Json, Object};
use crate::source::{List, Source, Unit};

/// The lists of units under `path` in `root`, each with the object that holds it. A star in the path stands
/// for each item of an array; these items are then the holding objects. `of` is the whole path that `path` is
/// the end of.
pub(super) fn lists<'a>(
    root: Json<'a>,
    path: &'static str,
    of: &'static str,
) -> impl Iterator<Item = (Json<'a>, Json<'a>)> {
    let (roots, path) =
        match path.strip_prefix("*.").map(|rest| ("", rest)).or(path.split_once(".*.")) {
            Some((array, path)) => {
                (root.at(array).map_or_else(Vec::new, |a| a.items().collect()), path)
            }
            None => (vec![root], path),
        };
    let held = roots.into_iter().filter_map(move |root| Some((root, root.at(path)?)));
    // Gemini accepts one content in place of a list.
    held.filter(move |(_, list)| list.is_array() || (of.ends_with("contents") && list.is_object()))
}

/// The sources of a document's conversations, in order.
pub fn sources<'a>(document: &Document<'a>, layout: Layout) -> Vec<Source<'a>> {
    let values = document.values();
    match layout {
        Layout::Stream => vec![Source::stream(values)],
        Layout::Array => vec![Source::array(None, values[0])],
        Layout::Arrays | Layout::Objects(_) | Layout::Whole => all_held(&holders(values), layout),
    }
}

/// The conversations in all of the holders.
pub(super) fn all_held<'a>(holders: &[Json<'a>], layout: Layout) -> Vec<Source<'a>> {
    holders.iter().flat_map(|holder| held(*holder, layout)).collect()
}

/// The values that may each hold a conversation: those of the stream, or the items of the one array.
pub(super) fn holders<'h, 'a>(values: &'h [Json<'a>]) -> Cow<'h, [Json<'a>]> {
    match values {
        [only] if only.is_array() => only.items().collect(),
        _ => values.into(),
    }
}

/// The conversations in one of several holders.
fn held(holder: Json<'_>, layout: Layout) -> Vec<Source<'_>> {
    match layout {
        Layout::Arrays if holder.is_array() => vec![Source::array(None, holder)],
        Layout::Objects(path) => {
            lists(holder, path, path).map(|(root, list)| Source::array(Some(root), list)).collect()
        }
        // A message or an answer that stands alone.
        Layout::Stream => vec![Source {
            root: Some(Object::of(holder)),
            lists: vec![List::Stream],
            units: vec![Unit { json: holder, list: 0 }],
        }],
        Layout::Whole if holder.is_object() => {
            vec![Source { root: Some(Object::of(holder)), ..Source::default() }]
        }
        _ => Vec::new(),
    }
}

/// The conversations of a document, each with its shape.
#[derive(Default)]
pub struct Found<'a> {
    /// The conversations, in order.
    pub conversations: Vec<(Shape, Source<'a>)>,
    /// Values between them that hold no conversation.
    pub strangers: Vec<Json<'a>>,
}

impl<'a> Found<'a> {
    /// Finds the conversations of a document.
    ///
    /// If the document holds many, or `is_data_set` says so, each value is recognised alone: a data set may
    /// mix dialects, and the meaning of a line does not depend on the lines around it.
    ///
    /// # Errors
    ///
    /// No dialect fits, or two fit equally well. Holds the value that caused this, if it is one of many.
    pub fn of(
        document: &Document<'a>,
        dialect: Option<&'static dyn Dialect>,
        is_data_set: bool,
    ) -> Result<Self, (Unrecognised, Option<Json<'a>>)> {
        let values = document.values();
        let holders = holders(values);
        let mut found = Self::default();
        if !is_data_set {
            let shape = recognise_units(&holders, flat(values), dialect);
            let is_mixed = values.len() > 1 && is_mixed(&holders, shape.ok(), dialect);
            let shape = shape.map_err(|error| (error, None));
            let shape = if is_mixed { None } else { Some(shape?) };
            let conversations = shape.and_then(|shape| match shape.layout {
                Layout::Stream => Some(vec![Source::stream(values)]),
                Layout::Array => Some(vec![Source::of_items(values[0], &holders)]),
                layout => (holders.len() < 2).then(|| all_held(&holders, layout)),
            });
            if let Some((shape, sources)) = shape.zip(conversations) {
                found.conversations = sources.into_iter().map(|source| (shape, source)).collect();
                return Ok(found);
            }
        }
        let candidates = candidates(dialect);
        let recognise = |holder| recognise_alone(&candidates, holder, dialect);
        // Most lines of a data set look alike, so each outline is recognised once.
        let mut known = HashMap::new();
        for &holder in holders.iter() {
            let decided = known.entry(holder.outline()).or_insert_with(|| recognise(holder));
            match *decided {
                // A single line of a log is no conversation.
                Ok(shape) if shape.layout == Layout::Stream && shape.dialect.is_log() => {
                    found.strangers.push(holder);
                }
                Ok(shape) => {
                    let held = held(holder, shape.layout).into_iter();
                    found.conversations.extend(held.map(|source| (shape, source)));
                }
                Err(Unrecognised::NoDialect) => found.strangers.push(holder),
                Err(error) => return Err((error, Some(holder))),
            }
        }
        match found.strangers.first() {
            // A data set may be given piece by piece, so a piece without conversations is no error.
            Some(&first) if found.conversations.is_empty() && !is_data_set => {
                Err((Unrecognised::NoDialect, Some(first)))
            }
            _ => Ok(found),
        }
    }
}

/// Recognises one of many values alone.
fn recognise_alone(
    candidates: &[&'static dyn Dialect],
    value: Json<'_>,
    dialect: Option<&'static dyn Dialect>,
) -> Result<Shape, Unrecognised> {
    let mut findings = Findings::default();
    findings.look_at(candidates, std::iter::once(value), Layout::Stream);
    if !findings.is_certain() {
        findings.look_inside(candidates, value);
    }
    findings.decide(dialect)
}

/// Whether a stream is a data set although its lines could be read as one conversation: some line is no unit
/// of that conversation but holds one itself. Only the first lines are looked at.
fn is_mixed(
    values: &[Json<'_>],
    shape: Option<Shape>,
    dialect: Option<&'static dyn Dialect>,
) -> bool {
    if shape.is_some_and(|shape| shape.layout != Layout::Stream) {
        return false;
    }
    // A stream that begins as a log continues as one, whatever lists its lines hold.
    let is_log = shape.is_some_and(|shape| shape.dialect.is_log());
    let looked_at = if is_log { 1 } else { SECOND_LOOK };
    let is_unit = |value: Json<'_>| {
        let sign = shape.map(|shape| shape.dialect.sign(&Object::of(value)));
        value.is_object() && sign.is_some_and(|sign| sign > Sign::None)
    };
    let candidates = candidates(dialect);
    values.iter().take(looked_at).filter(|value| !is_unit(**value)).any(|value| {
        // A row of an agent's log has a type.
        let is_whole = value.is_array() || value.member("type").is_none();
        let alone = is_whole.then(|| recognise_alone(&candidates, *value, dialect));
        let layout = alone.and_then(Result::ok).map(|alone| alone.layout);
        layout.is_some_and(|layout| match layout {
            Layout::Stream => false,
            Layout::Whole => true,
            // A line whose list is empty holds no conversation.
            _ => held(*value, layout).iter().any(|source| !source.units.is_empty()),
        })
    })
}
