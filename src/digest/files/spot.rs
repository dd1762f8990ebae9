//! Where in a file an edit is: the definition around it.
//!
//! Responsible for finding it by indentation, in the edit's own text or else in what was read of the file before.
//! It relies on keywords that name functions and types: of a language without such nothing is told.

use super::change::{Change, key};
use super::holds::name_of;
use crate::digest::text::units;

/// By how many of its first lines the place of an edit is known.
const LINES: usize = 4;

/// What is known of it.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Spot {
    /// The name of the definition, where the edit's own text shows it.
    pub(crate) within: Option<Box<str>>,
    /// The first lines that stood there, by their keys.
    lines: Box<[u64]>,
    /// How far what stands around them is indented less than.
    depth: usize,
}

impl Spot {
    /// The place of a change that makes one text the other one.
    pub(crate) fn of(old: &str, new: &str, change: &Change) -> Self {
        let sides = [(&change.after, new), (&change.before, old)];
        let shown = sides.into_iter().find_map(|(side, text)| Some((side.as_ref()?, text)));
        let Some((side, text)) = shown else { return Self::default() };
        let lines = visible(text.lines());
        let Some(at) = lines.iter().position(|line| key(line) == side.key) else {
            return Self::default();
        };
        match around(&lines[..at], indentation(lines[at])) {
            Around::Within(name) => Self { within: Some(name.into()), ..Self::default() },
            Around::Below(0) => Self::default(),
            Around::Below(depth) => {
                let lines = visible(old.lines()).into_iter().take(LINES).map(key).collect();
                Self { within: None, lines, depth }
            }
        }
    }

    /// Whether nothing but a reading of the file can tell it.
    pub(crate) fn is_open(&self) -> bool {
        self.within.is_none() && !self.lines.is_empty()
    }
}

/// What was read of a file.
pub(crate) struct Reading<'t> {
    lines: Vec<&'t str>,
    keys: Vec<u64>,
}

impl<'t> Reading<'t> {
    pub(crate) fn of(text: &'t str) -> Self {
        let lines = visible(units::unnumbered(text));
        let keys = lines.iter().map(|line| key(line)).collect();
        Self { lines, keys }
    }

    /// The name of the definition around a place; none where the lines stand at several.
    pub(crate) fn around(&self, spot: &Spot) -> Option<&'t str> {
        let is_it = |at: &usize| self.keys[*at..].starts_with(&spot.lines);
        let places = (0..self.keys.len()).filter(is_it);
        let mut names = places.map(|at| match around(&self.lines[..at], spot.depth) {
            Around::Within(name) => Some(name),
            Around::Below(_) => None,
        });
        let first = names.next()?;
        first.filter(|_| names.all(|name| name == first))
    }
}

/// What lines say of what stands around the one behind them.
enum Around<'t> {
    /// The name of a definition.
    Within(&'t str),
    /// It is farther up, and indented less than this.
    Below(usize),
}

/// Looks upward for the line that is indented less, and from there for the next, until one defines something.
fn around<'t>(above: &[&'t str], mut depth: usize) -> Around<'t> {
    for line in above.iter().rev() {
        if depth == 0 {
            break;
        }
        let (own, bare) = (indentation(line), line.trim());
        if own >= depth {
            continue;
        }
        if let Some(name) = name_of(bare) {
            return Around::Within(name);
        }
        // What begins several lines above may end so, and the line over this one is beside it.
        let ends = bare.starts_with([')', '{', ']']) || bare == "where";
        depth = if ends { own + 1 } else { own };
    }
    Around::Below(depth)
}

fn visible<'t>(lines: impl Iterator<Item = &'t str>) -> Vec<&'t str> {
    lines.filter(|line| !line.trim().is_empty()).collect()
}

fn indentation(line: &str) -> usize {
    line.len() - line.trim_start().len()
}

#[cfg(test)]
mod tests {
    use super::super::edit::Edit;
    use super::*;

    fn spot(old: &str, new: &str) -> Spot {
        Edit::of(old, new).spot
    }

    #[test]
    fn the_definition_around_an_edit_is_told_by_its_own_text() {
        let within = |old: &str, new: &str| spot(old, new).within;
        let old = "func (l *Lamp) Light() {\n\tif l.oil > 0 {\n\t\treturn\n\t}\n}";
        let new = "func (l *Lamp) Light() {\n\tif l.oil > 0 {\n\t\tl.burn()\n\t\treturn\n\t}\n}";
        assert_eq!(within(old, new).as_deref(), Some("Light"));
        let python =
            "class Lamp:\n    def light(\n        self,\n    ) -> int:\n        return 1\n";
        assert_eq!(
            within(python, &python.replace("return 1", "return self.oil")).as_deref(),
            Some("light")
        );
        // What stands beside it is not around it.
        let beside = "func Light() {\n\tburn()\n}\n\nvar oils = map[string]int{\n\t\"a\": 1,\n}\n";
        assert_eq!(within(beside, &beside.replace("1,", "2,")), None);
        assert_eq!(within("fn a() {}", "fn a() {}\nfn b() {}"), None);
    }

    #[test]
    fn the_definition_around_an_edit_is_told_by_what_was_read() {
        let spot = spot("\tburn()\n", "\tif lit {\n\t\tburn()\n\t}\n\tsmoke()\n");
        assert!(spot.is_open());
        let text = "     1→func Light() {\n     2→\t// at night\n     3→\tburn()\n     4→}\n     5→\n     6→func Dim() {\n     7→}";
        assert_eq!(Reading::of(text).around(&spot), Some("Light"));
        let plain = "func Light() {\n\tburn()\n}\n";
        assert_eq!(Reading::of(plain).around(&spot), Some("Light"));
        let twice = format!("{plain}func Flare() {{\n\tburn()\n}}\n");
        assert_eq!(Reading::of(&twice).around(&spot), None);
        assert_eq!(Reading::of("func Light() {\n\tdim()\n}\n").around(&spot), None);
    }
}
