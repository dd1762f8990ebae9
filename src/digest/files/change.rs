//! What an edit changed, in one line.
//!
//! Responsible for the essence of a change: `before` → `after` where a line was replaced by a similar one, else
//! the first line put in that says something. Differences in white space within a line do not count, nor does
//! the punctuation at its end if more has changed.

use std::collections::HashSet;
use std::fmt;

use super::apart::apart;
use super::holds::{self, defines, name_of};
use super::likeness::{is_of_name, likeness, renamed};
use super::telling::{steering, telling};
use crate::digest::text::prose;
use crate::hash::{hash, mix};
use crate::line::{clip, on_one_line};

/// How many bytes of a line are told in a change.
const LONGEST: usize = 110;

/// How many further definitions of an edit are told.
const MOST: usize = 3;

/// The separator between a line or name and what it became.
pub(crate) const BECAME: &str = "` → `";

/// The separator between a change and the name of the definition around it.
const WITHIN: &str = "` in `";

/// A line of a change: its text as it is told, and the key of the whole line.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Side {
    pub(crate) text: Box<str>,
    pub(crate) key: u64,
}

impl Side {
    pub(super) fn of(line: &str) -> Self {
        Self { text: clip(line, LONGEST), key: key(line) }
    }
}

/// A line that was replaced, removed or added; or the outline of a file that was written whole.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Change {
    pub(crate) before: Option<Side>,
    pub(crate) after: Option<Side>,
    /// The names of further things that were defined behind `after`, each with its own key.
    pub(crate) beside: Vec<Side>,
    pub(crate) holds: Vec<Side>,
    /// The name of the definition around the change.
    pub(crate) within: Option<Box<str>>,
    /// The one name in the change that was replaced by another one.
    pub(crate) name: Option<(Box<str>, Box<str>)>,
}

impl Change {
    fn new(before: Option<&str>, after: Option<&str>) -> Self {
        let name = before.zip(after).and_then(|(before, after)| renamed(before, after));
        let mut change = Self {
            before: before.map(Side::of),
            after: after.map(Side::of),
            name,
            ..Self::default()
        };
        // Two long lines that begin alike would be clipped to the same text, so the part that differs is told.
        if let (Some(one), Some(other)) = (&mut change.before, &mut change.after)
            && let (Some(before), Some(after)) = (before, after)
            && one.text == other.text
            && one.key != other.key
        {
            (one.text, other.text) = apart(before, after, LONGEST);
        }
        change
    }

    /// The outline of a file with these lines; `None` if it has none.
    pub(super) fn holding(lines: &[String]) -> Option<Self> {
        let outline = holds::outline(lines);
        let side = |line: &String| Side { text: holds::told_of(line), key: key(line) };
        let holds: Vec<Side> = outline.map(side).collect();
        (!holds.is_empty()).then(|| Self { holds, ..Self::default() })
    }

    /// Parses the change that a line of an earlier digest tells.
    pub(crate) fn parse(line: &str) -> Option<Self> {
        let inner = line.strip_suffix('`').and_then(|line| line.rsplit_once(WITHIN));
        if let Some((line, name)) = inner.filter(|(_, name)| name.chars().all(is_of_name)) {
            let within = Some(name.into());
            return Some(Self { within, ..Self::parse(&format!("{line}`"))? });
        }
        let quoted = |text| str::strip_prefix(text, '`')?.strip_suffix('`');
        if let Some(line) = line.strip_prefix("added ") {
            let told = quoted(line)?;
            let mut names = holds::split(told);
            // A line may quote several things itself.
            let first = names.next().filter(|first| defines(first));
            let beside: Vec<Side> = names.map(Side::of).collect();
            let is_name = |side: &Side| !side.text.contains(|c: char| !is_of_name(c));
            return Some(match first.filter(|_| beside.iter().all(is_name)) {
                Some(first) => Self { beside, ..Self::new(None, Some(first)) },
                None => Self::new(None, Some(told)),
            });
        }
        if let Some(line) = line.strip_prefix("removed ") {
            return Some(Self::new(Some(quoted(line)?), None));
        }
        if let Some(outline) = holds::parse(line) {
            return Some(Self { holds: outline.map(Side::of).collect(), ..Self::default() });
        }
        let (before, after) = quoted(line)?.split_once(BECAME)?;
        Some(Self::new(Some(before), Some(after)))
    }

    /// Whether the change only touches imports.
    pub(crate) fn is_import(&self) -> bool {
        let mut sides = self.before.iter().chain(&self.after);
        self.holds.is_empty() && sides.all(|side| prose::is_import(&side.text))
    }

    /// Whether the change adds a new definition.
    pub(crate) fn defines(&self) -> bool {
        self.before.is_none() && self.after.as_ref().is_some_and(|side| defines(&side.text))
    }

    /// Whether nothing is changed.
    pub(crate) fn is_none(&self) -> bool {
        let key = |side: &Option<Side>| side.as_ref().map(|side| side.key);
        key(&self.before) == key(&self.after) && self.holds.is_empty()
    }

    /// Combines this change with a later one of the line that it put in.
    pub(crate) fn then(self, next: Self) -> Self {
        let name = match (self.name, next.name) {
            (Some((before, between)), Some((again, after))) if between == again => {
                Some((before, after))
            }
            _ => None,
        };
        // If the later change is in another definition, neither place holds for both.
        let within = next.within.filter(|name| self.within.is_none_or(|it| it == *name));
        Self { before: self.before, holds: Vec::new(), name, within, ..next }
    }
}

impl fmt::Display for Change {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match (&self.before, &self.after) {
            (Some(before), Some(after)) => write!(f, "`{}{BECAME}{}`", before.text, after.text)?,
            (_, Some(after)) => {
                write!(f, "added `{}`", after.text)?;
                self.beside.iter().try_for_each(|side| write!(f, ", `{}`", side.text))?;
            }
            (Some(before), _) => write!(f, "removed `{}`", before.text)?,
            _ if self.holds.is_empty() => return Ok(()),
            _ => return f.write_str(&holds::line(self.holds.iter().map(|side| &*side.text))),
        }
        // Only for a single thing is the place known.
        let within = self.within.iter().filter(|_| self.beside.is_empty());
        within.into_iter().try_for_each(|name| write!(f, " in `{name}`"))
    }
}

/// The key that identifies a line whatever its indentation.
pub(crate) fn key(line: &str) -> u64 {
    let line = line.trim();
    if line.contains("  ") || line.contains('\t') {
        return hash(on_one_line(line).as_bytes());
    }
    hash(line.as_bytes())
}

/// The key that identifies several lines in a row.
pub(super) fn key_of_all(keys: &[u64]) -> u64 {
    keys.iter().fold(keys.len() as u64, |sum, key| mix(sum, *key))
}

/// Pairs the lines that were replaced in place, if both sides have as many and each line is like the one it
/// replaces. When numbers all grow by one, `row_0` became `row_1`: it is not that `row_1` moved. Two lines that
/// swapped places count as unchanged.
fn became<'l>(were: &'l [String], are: &'l [String]) -> Option<(Vec<&'l str>, Vec<&'l str>)> {
    let pairs = || were.iter().zip(are).filter(|(one, other)| one != other);
    let are_alike = || pairs().all(|(one, other)| likeness(one, other) >= 2);
    if were.len() != are.len() || were.len() < 2 || !are_alike() {
        return None;
    }
    let (old, new): (HashSet<&String>, HashSet<&String>) =
        (were.iter().collect(), are.iter().collect());
    let stands = |(one, other): &(&'l String, &'l String)| new.contains(one) && old.contains(other);
    let pairs = pairs().filter(|pair| !stands(pair));
    Some(pairs.map(|(one, other)| (one.as_str(), other.as_str())).unzip())
}

/// What one edit changed that replaced the lines `were` by `are`. Lines on both sides were only moved.
pub(super) fn changed(were: &[String], are: &[String]) -> Option<Change> {
    if let Some((gone, put)) = became(were, are) {
        return essence(&gone, &put);
    }
    let (gone, put) = (only(were, are), only(are, were));
    essence(&unmarked(&gone, &put), &unmarked(&put, &gone)).or_else(|| essence(&gone, &put))
}

/// The lines of one text that do not stand in the other one.
pub(super) fn only<'l>(lines: &'l [String], others: &[String]) -> Vec<&'l str> {
    let others: HashSet<&str> = others.iter().map(String::as_str).collect();
    lines.iter().map(String::as_str).filter(|line| !others.contains(line)).collect()
}

/// The essence of a change that took out the lines `gone` and put in the lines `put`.
fn essence(gone: &[&str], put: &[&str]) -> Option<Change> {
    if let ([before], [after]) = (gone, put) {
        return Some(Change::new(Some(before), Some(after)));
    }
    let Some(at) = telling(put) else {
        return telling(gone).map(|at| Change::new(Some(gone[at]), None));
    };
    let after = put[at];
    if let Some((before, after)) = steering(gone, put, after) {
        return Some(Change::new(Some(before), Some(after)));
    }
    // If one side is a single line, there is little else that it can have become.
    let least = if gone.len() == 1 || put.len() == 1 { 1 } else { 2 };
    // The line in the same place, or else the most similar one.
    let in_place = gone.get(at).filter(|line| gone.len() == put.len() && likeness(line, after) > 0);
    let before = in_place.or_else(|| {
        let alike = gone.iter().map(|line| (likeness(line, after), line));
        alike
            .rev()
            .max_by_key(|(alike, _)| *alike)
            .filter(|(alike, _)| *alike >= least)
            .map(|it| it.1)
    });
    let mut change = Change::new(before.copied(), Some(after));
    if defines(after) {
        change.beside = beside(&put[at..], gone);
    }
    // The renamed name stands for the whole edit only if every line differs by it.
    let mut pairs = gone.iter().zip(put);
    let is_same = |(a, b): (&&str, &&str)| renamed(a, b) == change.name;
    if gone.len() != put.len() || !pairs.all(is_same) {
        change.name = None;
    }
    Some(change)
}

/// The names that the lines of `put` define behind the first one, each once and without those that `gone`
/// defined.
fn beside(put: &[&str], gone: &[&str]) -> Vec<Side> {
    let mut known: Vec<&str> = gone.iter().copied().filter_map(name_of).collect();
    known.extend(name_of(put[0]));
    let mut found = Vec::new();
    for name in put[1..].iter().copied().filter_map(name_of) {
        if !known.contains(&name) {
            known.push(name);
            found.push(Side::of(name));
        }
    }
    found.truncate(MOST);
    found
}

/// The lines that differ from all others by more than the punctuation at their end, which changes when a
/// neighbour comes or goes.
fn unmarked<'l>(lines: &[&'l str], others: &[&str]) -> Vec<&'l str> {
    let bare = |line: &'_ str| line.trim_end_matches([',', ';', '.', ':']).len();
    let others: HashSet<&str> = others.iter().map(|line| &line[..bare(line)]).collect();
    lines.iter().copied().filter(|line| !others.contains(&line[..bare(line)])).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::digest::files::edit::Edit;

    fn essence(old: &str, new: &str) -> Option<String> {
        Edit::of(old, new).change.map(|change| change.to_string())
    }

    #[test]
    fn tells_what_an_edit_put_in() {
        assert_eq!(
            essence("a\nc", "a\nlet new_limit = 3;\nc").as_deref(),
            Some("added `let new_limit = 3;`")
        );
        assert_eq!(essence("a\nb", "a\nb"), None);
        assert_eq!(
            essence("id string\nwhen time", "id       string\nwhen     time\nlast_seen time")
                .as_deref(),
            Some("added `last_seen time`")
        );
        assert_eq!(
            essence("", "use std::fmt;\nlet the_log = open();\npub fn rows_of(text: &str) {")
                .as_deref(),
            Some("added `pub fn rows_of(text: &str) {`")
        );
        let code = "async def two(b: int):\n";
        let more = "def check():\n    pass\nasync def two(b: float):\n\nclass Wick(Lamp):\nclass Wick(Oil):";
        assert_eq!(essence(code, more).as_deref(), Some("added `def check():`, `Wick`"));
        // No names follow these words.
        let prose = "class sizes grow\ntype the word twice\nfunction keys do not work";
        assert_eq!(essence("", prose).as_deref(), Some("added `class sizes grow`"));
        let line = "- Supports `json`, `yaml` and more";
        let change = Change::parse(&format!("added `{line}`")).unwrap();
        assert_eq!((change.after, change.beside), (Some(Side::of(line)), Vec::new()));
        let defined = essence(
            "",
            "fn rows() {\n    a()\n}\nfunc (l *Lamp) Light(at int) {\ntype Wick struct {",
        );
        let told = "added `fn rows() {`, `Light`, `Wick`";
        assert_eq!(defined.as_deref(), Some(told));
        assert_eq!(Change::parse(told).map(|change| change.to_string()).as_deref(), Some(told));
        assert_eq!(
            essence("one\ntwo", "let zero = none;\none\nand more\ntwo").as_deref(),
            Some("added `let zero = none;`")
        );
    }

    #[test]
    fn a_line_that_became_another_one_is_told_with_it() {
        assert_eq!(essence("LastName", "NewName").as_deref(), Some("`LastName` → `NewName`"));
        // The same place counts more than likeness.
        let old = "let a = read(one);\nlet b = read(two);\nkeep(b);";
        let new = "let a = read_all(one);\nlet b = read_all(two, one);\nkeep_all(b);";
        assert_eq!(
            essence(old, new).as_deref(),
            Some("`let a = read(one);` → `let a = read_all(one);`")
        );
        // Lines with nothing in common did not become each other.
        assert_eq!(
            essence("old_one(a)\nold_two(b)", "let fresh = 1;\nlet more_rows = 2;").as_deref(),
            Some("added `let fresh = 1;`")
        );
    }

    #[test]
    fn of_numbers_that_all_grow_the_first_did_not_become_the_last() {
        let old =
            "let row_0 = read(dir, 0);\nshow(row_0);\nlet row_1 = read(dir, 1);\nshow(row_1);";
        let new =
            "let row_1 = read(dir, 1);\nshow(row_1);\nlet row_2 = read(dir, 2);\nshow(row_2);";
        let told = "`let row_0 = read(dir, 0);` → `let row_1 = read(dir, 1);`";
        assert_eq!(essence(old, new).as_deref(), Some(told));
    }

    #[test]
    fn lines_that_changed_places_did_not_become_each_other() {
        let (one, other) = ("from app.models import User", "from app.models import Account");
        assert_eq!(essence(&format!("{one}\n{other}"), &format!("{other}\n{one}")), None);
    }

    #[test]
    fn another_mark_at_the_end_of_a_line_is_no_change_beside_others() {
        let old = "\"version\": \"0.3.0\",\n\"license\": \"MIT\"";
        let new = "\"version\": \"0.3.0\"";
        assert_eq!(essence(old, new).as_deref(), Some("removed `\"license\": \"MIT\"`"));
        assert_eq!(essence(new, old).as_deref(), Some("added `\"license\": \"MIT\"`"));
        // It is told if nothing else changed.
        assert_eq!(essence("keep(a)", "keep(a);").as_deref(), Some("`keep(a)` → `keep(a);`"));
    }

    #[test]
    fn knows_the_one_name_that_became_another_one() {
        let name = |old, new| Edit::of(old, new).change.and_then(|change| change.name);
        let pair = |a: &str, b: &str| Some((a.into(), b.into()));
        assert_eq!(name("x.LastName()", "x.NewName()"), pair("LastName", "NewName"));
        assert_eq!(name("area.Name", "Name"), pair("area.Name", "Name"));
        assert_eq!(
            name("a(LastName)\nkept\nb.LastName", "a(NewName)\nkept\nb.NewName"),
            pair("LastName", "NewName")
        );
        assert_eq!(name("a(LastName)\nb(1)", "a(NewName)\nb(2)"), None);
        assert_eq!(name("let a = 13;", "let a = 15;"), None);
        assert_eq!(name("one two", "one two three"), None);
    }

    #[test]
    fn a_change_reads_back_as_it_was_written() {
        for (old, new) in [("let a = 1;", "let b = a;"), ("", "let b = 2;"), ("let a = 1;", "")] {
            let change = Edit::of(old, new).change.unwrap();
            assert_eq!(Change::parse(&change.to_string()), Some(change));
        }
        assert_eq!(Change::parse("a sentence"), None);
    }
}
