//! Recognising the shape of an input: its dialect, and how it holds conversations.
//!
//! Responsible for asking every row of [`DIALECTS`] what the values look like to it, the strongest sign
//! first, and for finding the lists of messages. It never guesses between two that fit equally well.
//! Large values are looked at as sketches, for every dialect looks at them.

use std::borrow::Cow;
use std::collections::{HashMap, HashSet};
use std::fmt;

use super::{DIALECTS, Dialect, Sign, openai};
use crate::conversation::{List, Source, Unit};
use crate::document::Document;
use crate::json::{Json, Object};

/// How a document holds conversations.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Layout {
    /// The values of the stream are the units of one conversation.
    Stream,
    /// The items of the one array are the units of one conversation.
    Array,
    /// Each value of the stream, or item of the one array, is an array of units.
    Arrays,
    /// Each value of the stream, or item of the one array, holds its units under this path.
    Objects(&'static str),
    /// Each value of the stream, or item of the one array, is a conversation whose lists only its
    /// dialect finds.
    Whole,
}

impl Layout {
    /// The layout of one of the conversations, as a document of its own.
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
}

/// Why no shape was found.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Unrecognised {
    /// Nothing fits.
    NoDialect,
    /// Two fit equally well.
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

/// How many units are looked at for a sign that decides.
const SAMPLE: usize = 4000;

/// How many more are looked at once there is a sign that only a stronger one overrules.
const SECOND_LOOK: usize = 32;

/// In how many of the first values a list of units is looked for.
const HOLDERS: usize = 3;

/// Recognises the shape of a stream of values; with `dialect`, only its layout is asked for.
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

/// Recognises the shape of a list that may be one of units, as the layout `flat` says, or of values
/// that each hold some; with `dialect`, only its layout is asked for.
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
            Ok(Shape { dialect: dialect.unwrap_or(&openai::OpenAi), layout: flat })
        }
        decided => decided,
    }
}

/// The layout of values that are one conversation.
fn flat(values: &[Json<'_>]) -> Layout {
    if matches!(values, [only] if only.is_array()) { Layout::Array } else { Layout::Stream }
}

/// The shapes that something speaks for, in the order in which they were found.
#[derive(Default)]
struct Findings(Vec<(Sign, Shape)>);

impl Findings {
    fn add(&mut self, dialect: &'static dyn Dialect, sign: Sign, layout: Layout) {
        if sign > Sign::None {
            self.0.push((sign, Shape { dialect, layout }));
        }
    }

    fn is_certain(&self) -> bool {
        self.0.iter().any(|(sign, _)| *sign == Sign::Certain)
    }

    /// Asks every candidate what these units are, until one is certain.
    fn look_at<'a>(
        &mut self,
        candidates: &[&'static dyn Dialect],
        units: impl Iterator<Item = Json<'a>>,
        layout: Layout,
    ) {
        for (dialect, sign) in candidates.iter().zip(signs(candidates, units)) {
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
        for path in candidates.iter().flat_map(|dialect| dialect.holders()) {
            if !paths.contains(path) {
                paths.push(path);
            }
        }
        for path in paths {
            let (first, rest) = path.split_once('.').unwrap_or((path, ""));
            let Some(member) = root.member(first) else { continue };
            let Some((_, list)) = lists(member, rest).next() else { continue };
            let holding: Vec<_> =
                candidates.iter().copied().filter(|d| d.holders().contains(&path)).collect();
            let is_empty = list.items().next().is_none();
            for (dialect, sign) in holding.iter().zip(signs(&holding, list.items())) {
                let sign = if is_empty { Sign::Possible } else { sign };
                if sign > Sign::None {
                    self.add(*dialect, sign.max(dialect.root_sign(&root)), Layout::Objects(path));
                }
            }
        }
    }

    /// The shape that most speaks for; `forced` was named and has no rivals.
    fn decide(&self, forced: Option<&dyn Dialect>) -> Result<Shape, Unrecognised> {
        let top = self.0.iter().map(|(sign, _)| *sign).max();
        let mut all = self.0.iter().filter(|(sign, _)| Some(*sign) == top).map(|(_, shape)| *shape);
        let first = all.next().ok_or(Unrecognised::NoDialect)?;
        let is_it = |shape: &Shape| shape.dialect.name() == first.dialect.name();
        // Plain roles and texts: several read them alike, and every rule agrees.
        let is_plain = top == Some(Sign::Possible) && first.dialect.name() == "openai";
        let rival = all.find(|other| !is_it(other) && !is_plain && forced.is_none());
        if let Some(rival) = rival {
            let [a, b] = [first, rival].map(|shape| shape.dialect.name());
            return Err(Unrecognised::Ambiguous(a, b));
        }
        // An answer may tell more than the request that it stands beside.
        let is_inside = |shape: &Shape| matches!(shape.layout, Layout::Objects(_));
        let mut inside = self.0.iter().map(|(_, shape)| *shape);
        let likeliest = inside.find(|shape| is_it(shape) && is_inside(shape));
        Ok(likeliest.filter(|_| is_inside(&first)).unwrap_or(first))
    }
}

/// A unit of more bytes is looked at as a sketch, for every candidate looks at it.
const LARGE: usize = 256;

/// Items of each array that a sketch shows.
const SKETCHED_ITEMS: usize = 40;

/// The strongest sign of each candidate among these units.
fn signs<'a>(
    candidates: &[&'static dyn Dialect],
    units: impl Iterator<Item = Json<'a>>,
) -> Vec<Sign> {
    let mut signs = vec![Sign::None; candidates.len()];
    let mut sketches = HashSet::new();
    let mut left = SAMPLE;
    for unit in units {
        let mut look_at = |unit| {
            let unit = &Object::of(unit);
            for (sign, dialect) in signs.iter_mut().zip(candidates) {
                *sign = dialect.sign(unit).max(*sign);
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

/// The lists of units under `path` in `root`, each with the object that holds it; a star in the path
/// stands for every item of an array, which then are the holding objects.
fn lists<'a>(root: Json<'a>, path: &'static str) -> impl Iterator<Item = (Json<'a>, Json<'a>)> {
    let (roots, path) =
        match path.strip_prefix("*.").map(|rest| ("", rest)).or(path.split_once(".*.")) {
            Some((array, path)) => {
                (root.at(array).map_or_else(Vec::new, |a| a.items().collect()), path)
            }
            None => (vec![root], path),
        };
    let held = roots.into_iter().filter_map(move |root| Some((root, root.at(path)?)));
    held.filter(|(_, list)| list.is_array())
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

/// The conversations in all holders.
fn all_held<'a>(holders: &[Json<'a>], layout: Layout) -> Vec<Source<'a>> {
    holders.iter().flat_map(|holder| held(*holder, layout)).collect()
}

/// The values that may each hold a conversation: those of the stream, or the items of the one array.
fn holders<'h, 'a>(values: &'h [Json<'a>]) -> Cow<'h, [Json<'a>]> {
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
            lists(holder, path).map(|(root, list)| Source::array(Some(root), list)).collect()
        }
        // A message, or an answer, that is all there is.
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
    /// Values among them that hold none.
    pub strangers: Vec<Json<'a>>,
}

impl<'a> Found<'a> {
    /// Finds the conversations of a document.
    ///
    /// Where it holds many, or `is_data_set` says so, each is recognised by itself: a data set may mix
    /// dialects, and what a line is does not depend on the lines around it.
    ///
    /// # Errors
    ///
    /// No dialect fits, or two fit equally well; with the value that is to blame, if it is one of many.
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
        // Most lines of a data set look alike.
        let mut known = HashMap::new();
        for &holder in holders.iter() {
            let decided = known.entry(holder.outline()).or_insert_with(|| recognise(holder));
            match *decided {
                // A line of a log is no conversation without the others.
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
            Some(&first) if found.conversations.is_empty() => {
                Err((Unrecognised::NoDialect, Some(first)))
            }
            _ => Ok(found),
        }
    }
}

/// Recognises one of many values by itself.
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

/// Whether a stream is a data set though its lines may be taken for one conversation: a line is no unit
/// of that, and holds one itself. The first lines tell.
fn is_mixed(
    values: &[Json<'_>],
    shape: Option<Shape>,
    dialect: Option<&'static dyn Dialect>,
) -> bool {
    if shape.is_some_and(|shape| shape.layout != Layout::Stream) {
        return false;
    }
    // What begins as a log goes on as one, whatever its lines list.
    let is_log = shape.is_some_and(|shape| shape.dialect.is_log());
    let looked_at = if is_log { 1 } else { SECOND_LOOK };
    let is_unit = |value: Json<'_>| {
        let sign = shape.map(|shape| shape.dialect.sign(&Object::of(value)));
        value.is_object() && sign.is_some_and(|sign| sign > Sign::None)
    };
    let candidates = candidates(dialect);
    values.iter().take(looked_at).filter(|value| !is_unit(**value)).any(|value| {
        // A row of an agent has a type.
        let is_whole = value.is_array() || value.member("type").is_none();
        let alone = is_whole.then(|| recognise_alone(&candidates, *value, dialect));
        let layout = alone.and_then(Result::ok).map(|alone| alone.layout);
        layout.is_some_and(|layout| match layout {
            Layout::Stream => false,
            Layout::Whole => true,
            // An empty list makes no conversation of the line that has it.
            _ => held(*value, layout).iter().any(|source| !source.units.is_empty()),
        })
    })
}

fn candidates(dialect: Option<&'static dyn Dialect>) -> Vec<&'static dyn Dialect> {
    dialect.map_or_else(|| DIALECTS.to_vec(), |dialect| vec![dialect])
}
