//! Recognising the shape of an input: its dialect, and how it holds conversations.
//!
//! Responsible for asking every row of [`DIALECTS`] what the values look like to it, the strongest sign
//! first, and for finding the lists of messages. It never guesses between two dialects that fit equally well.
//! Large values are reduced to sketches first, because every dialect looks at them.

mod found;
mod inside;
mod strange;

use std::collections::HashSet;
use std::fmt;

use super::contract::{Dialect, Sign};
use super::openai;
use super::table::DIALECTS;
use crate::json::{Json, Object};
use crate::source::units_in;
pub use found::{Found, sources};
use found::{holders, lists};
pub use inside::inside;
pub use strange::has_parts_of_ai_sdk;
use strange::{Strange, strange};

/// How a document holds conversations.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Layout {
    /// The values of the stream are the units of one conversation.
    Stream,
    /// The items of the document's one array are the units of one conversation.
    Array,
    /// Each value of the stream, or each item of the one array, is an array of units.
    Arrays,
    /// Each value of the stream, or each item of the one array, holds its units under this path.
    Objects(&'static str),
    /// Each value of the stream, or each item of the one array, is a conversation whose lists only its
    /// dialect can find.
    Whole,
}

impl Layout {
    /// The layout of one of several conversations once it is a document of its own.
    #[must_use]
    pub fn alone(self) -> Self {
        match self {
            Self::Arrays => Self::Array,
            Self::Objects(path) => Self::Objects(path.rsplit("*.").next().unwrap_or(path)),
            other => other,
        }
    }
}

/// A dialect and a layout, recognised.
#[derive(Clone, Copy)]
pub struct Shape {
    /// The wire shape.
    pub dialect: &'static dyn Dialect,
    /// Where the conversations are.
    pub layout: Layout,
    /// Whether the user named the dialect, so that it was not recognised.
    pub is_named: bool,
}

impl Shape {
    /// The dialect to name when the result of edits is read again; `None` if it is to be recognised.
    pub fn named(self) -> Option<&'static dyn Dialect> {
        self.is_named.then_some(self.dialect)
    }
}

/// Why no shape was found.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Unrecognised {
    /// Nothing fits.
    NoDialect,
    /// Two dialects fit equally well.
    Ambiguous(&'static str, &'static str),
}

impl fmt::Display for Unrecognised {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::NoDialect => write!(f, "no known dialect"),
            Self::Ambiguous(a, b) => write!(f, "the dialect may be {a} or {b}"),
        }
    }
}

/// The number of units that are searched for a decisive sign.
const SAMPLE: usize = 4000;

/// The number of further units that are searched after a sign that only a stronger one overrules.
const SECOND_LOOK: usize = 32;

/// The number of first values in which a list of units is searched.
const HOLDERS: usize = 3;

/// Recognises the shape of a stream of values. If `dialect` is given, only its layout is searched.
///
/// # Errors
///
/// No dialect fits, or two fit equally well.
pub fn recognise(
    values: &[Json<'_>],
    dialect: Option<&'static dyn Dialect>,
) -> Result<Shape, Unrecognised> {
    recognise_units(&holders(values), flat(values), dialect)
}

/// Recognises the shape of a list whose values may be units, in the layout `flat`, or may each hold units. If
/// `dialect` is given, only its layout is searched.
///
/// # Errors
///
/// No dialect fits, or two fit equally well.
pub fn recognise_units(
    units: &[Json<'_>],
    flat: Layout,
    dialect: Option<&'static dyn Dialect>,
) -> Result<Shape, Unrecognised> {
    let candidates = candidates(dialect);
    let mut found = Findings::default();
    found.look_at(&candidates, units.iter().copied(), flat);
    if !found.is_certain() {
        for unit in units.iter().take(HOLDERS) {
            found.look_inside(&candidates, *unit);
        }
    }
    match found.decide(dialect) {
        Err(Unrecognised::NoDialect) if units.is_empty() => {
            let is_named = dialect.is_some();
            Ok(Shape { dialect: dialect.unwrap_or(&openai::OpenAi), layout: flat, is_named })
        }
        Err(Unrecognised::NoDialect) => named(units, flat, dialect),
        decided => decided,
    }
}

/// The layout in a named dialect, for units without the types that speak for that dialect.
fn named(
    units: &[Json<'_>],
    flat: Layout,
    dialect: Option<&'static dyn Dialect>,
) -> Result<Shape, Unrecognised> {
    let dialect = dialect.filter(|d| !d.is_log()).ok_or(Unrecognised::NoDialect)?;
    let has_content = |unit: Json<'_>| {
        let message = dialect.message(unit).filter(|_| unit.is_object());
        message.is_some_and(|message| message.content.is_some() || !message.parts.is_empty())
    };
    let holds = |path: &&'static str| {
        let (first, rest) = path.split_once('.').unwrap_or((path, ""));
        let members = units.iter().take(HOLDERS).filter_map(|unit| unit.member(first));
        members
            .flat_map(|member| lists(member, rest, path))
            .any(|(_, list)| units_in(list).any(has_content))
    };
    let layout = if units.iter().copied().any(has_content) {
        Some(flat)
    } else {
        dialect.facts().holders.iter().copied().find(|path| holds(path)).map(Layout::Objects)
    };
    let shape = |layout| Shape { dialect, layout, is_named: true };
    layout.map(shape).ok_or(Unrecognised::NoDialect)
}

/// The layout of values that are the units of one conversation.
fn flat(values: &[Json<'_>]) -> Layout {
    if matches!(values, [only] if only.is_array()) { Layout::Array } else { Layout::Stream }
}

/// The shapes that something speaks for, in the order in which they were found.
#[derive(Default)]
struct Findings(Vec<(Sign, Shape)>);

impl Findings {
    fn add(&mut self, dialect: &'static dyn Dialect, sign: Sign, layout: Layout) {
        if sign > Sign::None {
            self.0.push((sign, Shape { dialect, layout, is_named: false }));
        }
    }

    fn is_certain(&self) -> bool {
        self.0.iter().any(|(sign, _)| *sign == Sign::Certain)
    }

    /// Asks every candidate how strongly these units speak for it, until one is certain.
    fn look_at<'a>(
        &mut self,
        candidates: &[&'static dyn Dialect],
        units: impl Iterator<Item = Json<'a>>,
        layout: Layout,
    ) {
        let is_named = candidates.len() == 1;
        for (dialect, sign) in candidates.iter().zip(signs(candidates, units, is_named)) {
            self.add(*dialect, sign, layout);
        }
    }

    /// Looks for units in the members of `value`, or in its items.
    fn look_inside(&mut self, candidates: &[&'static dyn Dialect], value: Json<'_>) {
        if value.is_array() {
            self.look_at(candidates, value.items(), Layout::Arrays);
            return;
        }
        let root = Object::of(value);
        for dialect in candidates {
            self.add(*dialect, dialect.whole_sign(&root), Layout::Whole);
        }
        let mut paths: Vec<&'static str> = Vec::new();
        for path in candidates.iter().flat_map(|dialect| dialect.facts().holders) {
            if !paths.contains(path) {
                paths.push(path);
            }
        }
        for path in paths {
            let (first, rest) = path.split_once('.').unwrap_or((path, ""));
            let Some(member) = root.member(first) else { continue };
            let Some((_, list)) = lists(member, rest, path).next() else { continue };
            let holding: Vec<_> =
                candidates.iter().copied().filter(|d| d.facts().holders.contains(&path)).collect();
            let units = || units_in(list);
            let is_empty = units().next().is_none();
            let is_named = candidates.len() == 1;
            for (dialect, sign) in holding.iter().zip(signs(&holding, units(), is_named)) {
                let sign = if is_empty { Sign::Possible } else { sign };
                let is_its = is_named || sign == Sign::Certain || dialect.may_be_in(&root);
                if sign > Sign::None && is_its {
                    self.add(*dialect, sign.max(dialect.root_sign(&root)), Layout::Objects(path));
                }
            }
        }
    }

    /// The shape with the strongest sign; a dialect that was named (`forced`) has no rivals.
    fn decide(&self, forced: Option<&dyn Dialect>) -> Result<Shape, Unrecognised> {
        let top = self.0.iter().map(|(sign, _)| *sign).max();
        let mut all = self.0.iter().filter(|(sign, _)| Some(*sign) == top).map(|(_, shape)| *shape);
        let first = all.next().ok_or(Unrecognised::NoDialect)?;
        let is_it = |shape: &Shape| shape.dialect.name() == first.dialect.name();
        // Messages of plain roles and texts look the same in several dialects, and every rule agrees on them.
        let is_plain = top == Some(Sign::Possible) && first.dialect.name() == "openai";
        let rival = all.find(|other| !is_it(other) && !is_plain && forced.is_none());
        if let Some(rival) = rival {
            let [a, b] = [first, rival].map(|shape| shape.dialect.name());
            return Err(Unrecognised::Ambiguous(a, b));
        }
        // An answer may show its dialect more clearly than the request that it stands beside.
        let is_inside = |shape: &Shape| matches!(shape.layout, Layout::Objects(_));
        let mut inside = self.0.iter().map(|(_, shape)| *shape);
        let likeliest = inside.find(|shape| is_it(shape) && is_inside(shape));
        let shape = likeliest.filter(|_| is_inside(&first)).unwrap_or(first);
        Ok(Shape { is_named: forced.is_some(), ..shape })
    }
}

/// Units of more bytes are reduced to sketches, because every candidate looks at them.
const LARGE: usize = 64;

/// The number of items of each array that a sketch shows.
const SKETCHED_ITEMS: usize = 40;

/// The strongest sign of each candidate among these units. All are [`Sign::None`] if a message calls tools in
/// a shape that no dialect reads, unless `is_named` says that there is nothing to recognise.
fn signs<'a>(
    candidates: &[&'static dyn Dialect],
    units: impl Iterator<Item = Json<'a>>,
    is_named: bool,
) -> Vec<Sign> {
    let mut signs = vec![Sign::None; candidates.len()];
    let mut sketches = HashSet::new();
    let mut left = SAMPLE;
    for unit in units {
        let mut calls_strangely = false;
        let mut look_at = |unit| {
            let unit = &Object::of(unit);
            let strange = if is_named { Strange::No } else { strange(unit) };
            calls_strangely |= strange == Strange::Call;
            for (sign, dialect) in signs.iter_mut().zip(candidates) {
                if strange == Strange::No || dialect.facts().names_parts {
                    *sign = dialect.sign(unit).max(*sign);
                }
            }
        };
        if unit.source().len() <= LARGE {
            look_at(unit);
        } else {
            let sketch = unit.sketch(SKETCHED_ITEMS);
            if !sketches.contains(&sketch) {
                look_at(Json::from_checked(&sketch));
                sketches.insert(sketch);
            }
        }
        if calls_strangely {
            signs.fill(Sign::None);
            break;
        }
        match signs.iter().max() {
            Some(Sign::Certain) => break,
            Some(Sign::Typical) => left = left.min(SECOND_LOOK),
            _ => {}
        }
        left -= 1;
        if left == 0 {
            break;
        }
    }
    signs
}

fn candidates(dialect: Option<&'static dyn Dialect>) -> Vec<&'static dyn Dialect> {
    dialect.map_or_else(|| DIALECTS.to_vec(), |dialect| vec![dialect])
}
