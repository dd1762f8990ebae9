//! Where in a file an edit is: the definition around it.
//!
//! Responsible for finding that definition by indentation in the edit's own text. It relies on keywords that begin
//! functions and types; for a language without such keywords nothing is told.

use super::change::{Change, key};
use super::holds::{defines, is_function, name_of};

/// Returns the name of the definition around a change from `old` to `new`; `None` if these texts do not show it.
pub(super) fn within(old: &str, new: &str, change: &Change) -> Option<Box<str>> {
    let (old, new) = (visible(old), visible(new));
    // The unchanged lines at the start may hold the same line, so they are skipped.
    let same = old.iter().zip(&new).take_while(|(old, new)| key(old) == key(new)).count();
    let sides = [(&change.after, &new), (&change.before, &old)];
    let (side, lines) =
        sides.into_iter().find_map(|(side, lines)| Some((side.as_ref()?, lines)))?;
    let at = lines.iter().skip(same).position(|line| key(line) == side.key)? + same;
    around(&lines[..at], lines[at]).map(Into::into)
}

/// Walks upward from line to less indented line until one begins a definition around `line`.
fn around<'t>(above: &[&'t str], line: &str) -> Option<&'t str> {
    const STRINGS: &[&str] = &["`", "\"\"\"", "'''"];
    // Definitions stand in types, not in functions. If the first line of a text lost its indentation, a
    // function beside the definition would seem to be around it.
    let is_definition = defines(line.trim());
    let (mut depth, mut in_string) = (indentation(line), false);
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
            return Some(name).filter(|_| !in_string && !is_beside);
        }
        // A line such as `) {` ends a head that began several lines above, with the same indentation.
        let ends = bare.starts_with([')', '{', ']']) || bare == "where";
        depth = if ends { own + 1 } else { own };
    }
    None
}

fn visible(text: &str) -> Vec<&str> {
    text.lines().filter(|line| !line.trim().is_empty()).collect()
}

fn indentation(line: &str) -> usize {
    line.len() - line.trim_start().len()
}

#[cfg(test)]
mod tests {
    use super::super::edit::Edit;

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
