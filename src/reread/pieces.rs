//! The units of a conversation after some edits, without one text that holds all of them.
//!
//! Responsible for the content of the list after the edits: a unit that no edit touches is kept as a view,
//! and only new text is written out. So a result as long as its input is read back in little more memory than
//! its changes take. It handles conversations that are one list with nothing beside it; all others are
//! written out.

use crate::conversation::{List, Source, Unit};
use crate::dialect::{Layout, Shape, recognise, recognise_units};
use crate::document::{Document, Edit};
use crate::json::Json;

/// The content of a list after some edits, in order.
pub(super) struct Pieces<'a> {
    list: List<'a>,
    pieces: Vec<Piece<'a>>,
}

/// A piece of the list.
enum Piece<'a> {
    /// A unit that no edit touches.
    Kept(Json<'a>),
    /// Values, one after another.
    Stream(String),
    /// Values in an array.
    Array(String),
}

impl<'a> Pieces<'a> {
    /// The content of the list of `source` after `edits`; `None` if there is more than a list, or an edit
    /// neither lies within a unit nor covers whole units.
    pub(super) fn of(document: &Document<'a>, source: &Source<'a>, edits: &[Edit]) -> Option<Self> {
        let list = *source.lists.first().filter(|_| source.root.is_none())?;
        let put = match list {
            List::Stream => |text: &str| Piece::Stream(text.to_owned()),
            List::Array(_) => |text: &str| Piece::Array(format!("[{}]", between_commas(text))),
            List::Members(_) => return None,
        };
        let mut pieces = Vec::new();
        let mut edits = edits;
        let mut replaced = 0;
        // A record of a log may hold a list of its own; its units come after those of the list it stands in.
        for unit in source.units.iter().take_while(|unit| unit.list == 0) {
            let span = document.span(unit.json);
            let before = edits.iter().take_while(|edit| edit.span.start <= span.start).count();
            for edit in edits.split_off(..before).unwrap_or_default() {
                pieces.push(put(&edit.text));
                replaced = edit.span.end;
            }
            if replaced > span.start {
                if replaced < span.end {
                    return None;
                }
                continue;
            }
            let within = edits.iter().take_while(|edit| edit.span.start < span.end).count();
            let own = edits.split_off(..within).unwrap_or_default();
            pieces.push(match own.last() {
                None => Piece::Kept(unit.json),
                Some(edit) if edit.span.end > span.end => return None,
                Some(_) => Piece::Stream(String::from_utf8(document.apply_within(span, own)).ok()?),
            });
        }
        pieces.extend(edits.iter().map(|edit| put(&edit.text)));
        Some(Self { list, pieces })
    }

    /// The shape and the source of the conversation, as a reader would find them; the shape `before` is kept
    /// if the units show no dialect. `None` if new text is not JSON.
    pub(super) fn read(&self, before: Shape) -> Option<(Shape, Source<'_>)> {
        let mut units: Vec<Json<'_>> = Vec::with_capacity(self.pieces.len());
        for piece in &self.pieces {
            match piece {
                Piece::Kept(unit) => units.push(*unit),
                Piece::Stream(text) if text.trim().is_empty() => {}
                Piece::Stream(text) => {
                    units.extend(Document::parse(text.as_bytes()).ok()?.values());
                }
                Piece::Array(text) => {
                    let array = Document::parse(text.as_bytes()).ok()?;
                    units.extend(array.values().iter().flat_map(|array| array.items()));
                }
            }
        }
        let flat = before.layout.alone();
        let found = match flat {
            Layout::Stream => recognise(&units, before.named()),
            _ => recognise_units(&units, flat, before.named()),
        };
        let shape = found.ok().filter(|found| found.layout == flat);
        let units = units.into_iter().map(|json| Unit { json, list: 0 }).collect();
        let source = Source { root: None, lists: vec![self.list], units };
        Some((shape.unwrap_or(before), source))
    }
}

/// The text that an edit puts into an array, without the commas to its neighbours.
fn between_commas(text: &str) -> &str {
    text.trim_matches(|c: char| c == ',' || c.is_ascii_whitespace())
}
