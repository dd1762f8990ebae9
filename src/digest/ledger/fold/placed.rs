//! Where words stand that an earlier digest tells.
//!
//! Responsible for their order: what was said before one digest and is told by another one's number may
//! stand above what has an older number.

use super::Earlier;
use crate::digest::text::point::Point;

/// What stands before a sentence of which nobody knows the message.
const BARE: &str = "-";

/// Words, or what stands before some: the point that they were told by, and the one behind which they
/// stand.
#[derive(Clone, Debug)]
pub(crate) struct Placed {
    pub(crate) point: Point,
    pub(crate) place: Point,
    pub(crate) text: String,
}

impl Placed {
    pub(super) fn at(point: Point, text: String) -> Self {
        Self { point, place: point, text }
    }

    /// What stands before a sentence that has no other place.
    pub(super) fn bare() -> Self {
        Self::at(Point::default(), BARE.to_owned())
    }
}

/// A line of a digest's story.
#[derive(Clone, Copy)]
pub(super) enum Line {
    /// Of the user's messages word for word, of those that were visible, and of what else was said.
    Asked(usize),
    Shown(usize),
    Said(usize),
    Other(Point),
}

/// Places what stands above older numbers behind the line above it.
pub(super) fn settle(lines: &[Line], earlier: &mut Earlier) {
    let mut oldest = Point::now(usize::MAX).order();
    let mut is_behind = vec![false; lines.len()];
    for (line, is_behind) in lines.iter().zip(&mut is_behind).rev() {
        let point = match *line {
            Line::Asked(at) => earlier.asked[at].point,
            Line::Shown(at) => earlier.shown[at].point,
            Line::Said(at) => earlier.said[at].heading.point,
            Line::Other(point) => point,
        };
        *is_behind = point.order() > oldest;
        oldest = oldest.min(point.order());
    }
    let mut above = Point::FIRST;
    for (line, is_behind) in lines.iter().zip(is_behind) {
        let placed = match *line {
            Line::Asked(at) => &mut earlier.asked[at],
            Line::Shown(at) => &mut earlier.shown[at],
            Line::Said(at) => &mut earlier.said[at].heading,
            Line::Other(point) => {
                above = point;
                continue;
            }
        };
        if is_behind {
            placed.place = above;
        }
        above = placed.place;
    }
}
