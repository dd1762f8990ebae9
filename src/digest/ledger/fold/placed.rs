//! Where the words of an earlier digest stand in its order.
//!
//! Responsible for keeping that order: words said before an older digest, but told with the number of a
//! newer one, may stand above lines with older numbers.

use super::Earlier;
use crate::digest::text::point::Point;

/// The heading of a sentence whose message is unknown.
const BARE: &str = "-";

/// A text with the point that it is told by (`point`) and the point after which it stands (`place`).
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

    /// The heading of a sentence that has no other place.
    pub(super) fn bare() -> Self {
        Self::at(Point::default(), BARE.to_owned())
    }
}

/// A line of a digest's story, with its index among the entries of its kind.
#[derive(Clone, Copy)]
pub(super) enum Line {
    /// A message of the user quoted word for word.
    Asked(usize),
    /// A message that stayed visible.
    Shown(usize),
    /// Other words of the user or the model.
    Said(usize),
    Other(Point),
}

/// Gives a line that stands above older numbers the place of the line above it.
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
