//! The units of a conversation after some edits, without a text that holds all of them.
//!
//! Responsible for knowing what then stands in the list: a unit that no edit touches is the one that
//! stood there, and only what is new is written out. So a result that is as long as its input is read
//! back in little more room than its changes take. It knows conversations that are one list and nothing
//! beside it; all others are written out.

use crate::conversation::{List, Source, Unit};
use crate::dialect::{Layout, Shape, recognise, recognise_units};
use crate::document::{Document, Edit};
use crate::json::Json;

/// What stands in a list after some edits, in order.
pub(super) struct Pieces<'a> {
    list: List<'a>,
    pieces: Vec<Piece<'a>>,
}

/// Some of what stands in it.
enum Piece<'a> {
    /// The unit that stood there.
    Kept(Json<'a>),
    /// Values, one after another.
    Stream(String),
    /// Values in an array.
    Array(String),
}

impl<'a> Pieces<'a> {
    /// What `edits` leave of the list of `source`; `None` where there is more than a list, or an edit is
    /// neither within a unit nor of whole ones.
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
        // A record of a log may hold a list of its own, which comes after the list that it stands in.
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

    /// The conversation's source and its shape, as who reads it would find them; what was `before` is
    /// what it stays where its units tell no dialect. `None` where what is new is no JSON.
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

/// What an edit puts into an array, without the commas to its neighbours.
fn between_commas(text: &str) -> &str {
    text.trim_matches(|c: char| c == ',' || c.is_ascii_whitespace())
}
