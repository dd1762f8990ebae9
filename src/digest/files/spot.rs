//! Where in a file an edit is: the definition around it.
//!
//! Responsible for finding that definition by indentation, in the edit's own text or else in an earlier reading
//! of the file. It relies on keywords that begin functions and types; for a language without such keywords
//! nothing is told.

use super::change::{Change, key, key_of_all};
use super::holds::{defines, is_function, name_of};
use crate::digest::calls::outcome::leaves_out;
use crate::digest::text::units;

/// At how many places of a reading an edit's first line is looked for, and how many lines up its definition is.
const PLACES: usize = 32;
const FAR: usize = 1000;

/// Identifies the place of an edit whose own text does not show the definition around it. The default stands
/// for an edit whose place need not be found.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Spot {
    /// The lines that the edit replaced: the key of the first one, their number, and the key of all.
    first: u64,
    count: usize,
    all: u64,
    /// The definition around the edit is indented by fewer bytes than this.
    depth: usize,
}

impl Spot {
    /// Returns the name of the definition around a change from `old` to `new`; or else the spot, so that a
    /// reading can tell it.
    pub(super) fn of(old: &str, new: &str, change: &Change) -> (Option<Box<str>>, Self) {
        let nowhere = (None, Self::default());
        let (old, new) = (visible(old.lines()), visible(new.lines()));
        // The unchanged lines at the start may hold the same line, so they are skipped.
        let same = old.iter().zip(&new).take_while(|(old, new)| key(old) == key(new)).count();
        let sides = [(&change.after, &new), (&change.before, &old)];
        let shown = sides.into_iter().find_map(|(side, lines)| Some((side.as_ref()?, lines)));
        let Some((side, lines)) = shown else { return nowhere };
        let is_it = |line: &&str| key(line) == side.key;
        let Some(at) = lines.iter().skip(same).position(is_it).map(|at| same + at) else {
            return nowhere;
        };
        match around(&lines[..at], lines[at], indentation(lines[at])) {
            Around::Within(name, _) => (Some(name.into()), Self::default()),
            Around::Below(0) => nowhere,
            Around::Below(depth) => {
                let keys: Vec<u64> = old.into_iter().map(key).collect();
                let first = keys.first().copied().unwrap_or_default();
                (None, Self { first, count: keys.len(), all: key_of_all(&keys), depth })
            }
        }
    }

    /// The key of the first line that the edit replaced.
    pub(super) fn first(&self) -> u64 {
        self.first
    }

    /// Whether only a reading of the file can tell the definition around the edit.
    pub(crate) fn is_open(&self) -> bool {
        self.count > 0
    }
}

/// A text that was read from a file, in pieces: nobody has seen what is between two of them.
pub(crate) struct Reading<'t> {
    pieces: Vec<Piece<'t>>,
}

struct Piece<'t> {
    lines: Vec<&'t str>,
    keys: Vec<u64>,
}

/// What a reading tells of the place of an edit.
#[derive(Debug, PartialEq, Eq)]
pub(crate) enum Found<'t> {
    /// The edit's lines are not in the reading.
    Nowhere,
    /// The lines are at several places, or in no definition.
    Unclear,
    /// The lines are at one place, within the definition `name`, which begins at `line`.
    Within { name: &'t str, line: &'t str },
}

impl<'t> Reading<'t> {
    /// Splits the text that a tool returned of a file into pieces, wherever it says that it left something out.
    pub(crate) fn of(text: &'t str) -> Self {
        let lines: Vec<Option<&str>> = units::unnumbered(text).collect();
        let pieces = lines.split(|line| line.is_none_or(leaves_out)).map(|lines| {
            let lines = visible(lines.iter().copied().flatten());
            let keys = lines.iter().map(|line| key(line)).collect();
            Piece { lines, keys }
        });
        Self { pieces: pieces.collect() }
    }

    /// Finds the definition around an edit in this reading.
    pub(crate) fn around(&self, spot: &Spot) -> Found<'t> {
        let begins = self.pieces.iter().flat_map(|piece| {
            let begins = (0..piece.keys.len()).filter(|&at| piece.keys[at] == spot.first);
            begins.map(move |at| (piece, at))
        });
        let is_it = |(piece, at): &(&Piece<'t>, usize)| {
            piece.keys.get(*at..at + spot.count).is_some_and(|keys| key_of_all(keys) == spot.all)
        };
        let mut begins = begins.take(PLACES + 1);
        let mut places = begins.by_ref().take(PLACES).filter(is_it);
        let Some((piece, at)) = places.next() else { return Found::Nowhere };
        let is_one = places.next().is_none() && begins.next().is_none();
        let above = &piece.lines[at.saturating_sub(FAR)..at];
        match around(above, piece.lines[at], spot.depth) {
            Around::Within(name, line) if is_one => Found::Within { name, line },
            _ => Found::Unclear,
        }
    }
}

/// What the lines above a line tell of the definition around it.
enum Around<'t> {
    /// The name of a definition, and the line that it begins with.
    Within(&'t str, &'t str),
    /// The definition is farther up, and indented by fewer bytes than this.
    Below(usize),
}

/// Walks upward from line to less indented line until one begins a definition around `line`.
fn around<'t>(above: &[&'t str], line: &str, mut depth: usize) -> Around<'t> {
    const STRINGS: &[&str] = &["`", "\"\"\"", "'''"];
    // Definitions stand in types, not in functions. If the first line of a text lost its indentation, a
    // function beside the definition would seem to be around it.
    let is_definition = defines(line.trim());
    let mut in_string = false;
    for line in above.iter().rev() {
        if depth == 0 {
            break;
        }
        let (own, bare) = (indentation(line), line.trim());
        in_string ^= STRINGS.iter().any(|mark| !bare.matches(mark).count().is_multiple_of(2));
        if own >= depth {
            continue;
        }
        if let Some(name) = name_of(bare) {
            let is_beside = is_definition && is_function(bare);
            let is_around = !in_string && !is_beside;
            return if is_around { Around::Within(name, line) } else { Around::Below(0) };
        }
        // A line such as `) {` ends a head that began several lines above, with the same indentation.
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

    fn within(old: &str, new: &str) -> Option<Box<str>> {
        Edit::of(old, new).change.unwrap().within
    }

    #[test]
    fn the_definition_around_an_edit_is_told_by_its_own_text() {
        let old = "func (l *Lamp) Light() {\n\tif l.oil > 0 {\n\t\treturn\n\t}\n}";
        let new = "func (l *Lamp) Light() {\n\tif l.oil > 0 {\n\t\tl.burn()\n\t\treturn\n\t}\n}";
        assert_eq!(within(old, new).as_deref(), Some("Light"));
        let python =
            "class Lamp:\n    def light(\n        self,\n    ) -> int:\n        return 1\n";
        let new = python.replace("return 1", "return self.oil");
        assert_eq!(within(python, &new).as_deref(), Some("light"));
        // A definition beside the lines is not around them.
        let beside = "func Light() {\n\tburn()\n}\n\nvar oils = map[string]int{\n\t\"a\": 1,\n}\n";
        assert_eq!(within(beside, &beside.replace("1,", "2,")), None);
        assert_eq!(within("fn a() {}", "fn a() {}\nfn b() {}"), None);
    }

    #[test]
    fn the_definition_around_an_edit_is_told_by_what_was_read() {
        let spot = Edit::of("\tburn()\n", "\tif lit {\n\t\tburn()\n\t}\n\tsmoke()\n").spot;
        assert!(spot.is_open());
        let around = |text: &str| match Reading::of(text).around(&spot) {
            Found::Within { name, .. } => Some(name.to_owned()),
            Found::Unclear => Some(String::new()),
            Found::Nowhere => None,
        };
        let (light, unclear) = (Some("Light".to_owned()), Some(String::new()));
        let text = "     1→func Light() {\n     2→\t// at night\n     3→\tburn()\n     4→}\n     5→\n     6→func Dim() {\n     7→}";
        assert_eq!(around(text), light);
        let plain = "func Light() {\n\tburn()\n}\n";
        assert_eq!(around(plain), light);
        assert_eq!(around(&format!("{plain}func Flare() {{\n\tburn()\n}}\n")), unclear);
        assert_eq!(around(&plain.replace('}', "\tburn()\n").repeat(99)), unclear);
        // The lines left out, or a string, may begin another definition.
        let jumps = "     1→func Light() {\n     2→\tdim()\n    60→\tburn()\n    61→}";
        assert_eq!(around(jumps), unclear);
        assert_eq!(around(&plain.replace("{\n", "{\n... (55 lines omitted)\n")), unclear);
        assert_eq!(
            around(&plain.replace("{\n", "{\n\ttext := `\nfunc Dim() {\n\twick()\n`\n")),
            unclear
        );
        assert_eq!(around("func Light() {\n\tdim()\n}\n"), None);
        assert_eq!(around(""), None);
    }

    #[test]
    fn what_stands_beside_a_definition_is_not_in_it() {
        // The same line stands before what was changed.
        let old = "def one(a):\n    return sorted(a)\n\ndef two(a):\n    pass";
        assert_eq!(within(old, &old.replace("pass", "return sorted(a)")).as_deref(), Some("two"));
        // The first line lost its indentation.
        let cut = "def balance(self):\n        return self.sum\n";
        let more = format!("{cut}\n    def pay(self):\n        self.sum -= 1\n");
        assert_eq!(within(cut, &more), None);
        let hash = "struct std::hash<Oil> {\n  int a;\n};";
        assert_eq!(within(hash, &hash.replace("a;", "burns;")), None);
        let php = "f(function ($a) use ($b) {\n  oil();\n})";
        assert_eq!(within(php, &php.replace("oil", "wick")), None);
    }
}
