//! Finding what a model forgot: lines of a ledger whose keys do not show in its summary.
//!
//! Models keep decisions and lose paths and commands, so the summary is compared with the caller's ledger.
//! Relies on the caller's order: the most important entries come first. Invariant: the appended text fits the
//! budget, heading included.

use std::collections::{HashMap, HashSet};
use std::iter;

use crate::line::on_one_line;

/// A line whose content a summary should contain.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Entry {
    /// The line, as it would be appended.
    pub line: String,
    /// The message that it is about; appended lines are sorted by it.
    pub at: usize,
    /// The keys that a summary shows if it covers the entry: all of these.
    pub keys: Vec<Mark>,
}

/// A key that shows whether a summary covers an entry.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Mark {
    /// A path: it counts as shown by its last component where no other path of the ledger ends
    /// in that, else by its last two.
    Path(String),
    /// A command, or the newest request: it counts as shown by its first 60 characters, whatever
    /// the white space.
    Text(String),
}

/// The result of an audit.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Audit {
    /// The text to append to the summary; empty if it forgot nothing.
    pub text: String,
    /// The indexes of the appended entries, in the order of events.
    pub appended: Vec<usize>,
}

/// How many characters of a command or request must be in the summary.
const BEGINNING: usize = 60;

const HEADING: &str = "\n\n## Not mentioned above\n";

/// Compares a model's `summary` with the `ledger`, and returns the forgotten entries in at most `budget`
/// tokens.
pub fn audit(
    summary: &str,
    ledger: &[Entry],
    budget: usize,
    count: &dyn Fn(&str) -> usize,
) -> Audit {
    let flat = on_one_line(summary);
    let names = names(ledger);
    let mut audit = Audit::default();
    for (index, entry) in ledger.iter().enumerate() {
        if entry.keys.iter().all(|key| key.is_in(&flat, &names)) {
            continue;
        }
        let place = audit.appended.partition_point(|&other| ledger[other].at <= entry.at);
        audit.appended.insert(place, index);
        let lines = audit.appended.iter().flat_map(|&index| ["\n", &ledger[index].line]);
        let text: String = iter::once(HEADING).chain(lines).collect();
        // A line that is too long must not keep out shorter ones behind it.
        if count(&text) <= budget {
            audit.text = text;
        } else {
            audit.appended.remove(place);
        }
    }
    audit
}

impl Mark {
    /// Tells whether a text on one line shows the key.
    fn is_in(&self, flat: &str, names: &HashMap<&str, HashSet<&str>>) -> bool {
        match self {
            Self::Text(text) => {
                let beginning: String = on_one_line(text).chars().take(BEGINNING).collect();
                flat.contains(beginning.trim_end())
            }
            Self::Path(path) => {
                let name = last_components(path, 1);
                let is_unique = names.get(name).is_none_or(|paths| paths.len() == 1);
                let tail = if is_unique { name } else { last_components(path, 2) };
                stands_in(flat, tail)
            }
        }
    }
}

/// Groups the paths of a ledger by their last component.
fn names(ledger: &[Entry]) -> HashMap<&str, HashSet<&str>> {
    let mut names: HashMap<&str, HashSet<&str>> = HashMap::new();
    for key in ledger.iter().flat_map(|entry| &entry.keys) {
        if let Mark::Path(path) = key {
            names.entry(last_components(path, 1)).or_default().insert(path);
        }
    }
    names
}

/// Returns the last `count` components of a path.
fn last_components(path: &str, count: usize) -> &str {
    let mut separators = path.rmatch_indices(['/', '\\']);
    separators.nth(count - 1).map_or(path, |(at, _)| &path[at + 1..])
}

/// Tells whether `path` stands in `text` and is not part of a longer name.
fn stands_in(text: &str, path: &str) -> bool {
    let is_name = |c: char| c.is_alphanumeric() || c == '_' || c == '-';
    text.match_indices(path).any(|(at, _)| {
        let (before, after) = (&text[..at], &text[at + path.len()..]);
        let continues = after.strip_prefix('.').unwrap_or(after).starts_with(is_name);
        !before.ends_with(is_name) && !continues
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn file(path: &str) -> Entry {
        Entry { line: format!("{path}: edited"), at: 0, keys: vec![Mark::Path(path.into())] }
    }

    fn command(command: &str) -> Entry {
        Entry { line: format!("$ {command} → ok"), at: 0, keys: vec![Mark::Text(command.into())] }
    }

    fn words(text: &str) -> usize {
        text.split_whitespace().count()
    }

    #[test]
    fn what_is_mentioned_is_not_repeated() {
        let ledger =
            [file("/home/me/src/dialect/codex.rs"), command("cargo test  --lib"), file("main.rs")];
        let summary = "Edited `dialect/codex.rs`, then main.rs.\nRan `cargo\ntest --lib`.";
        assert_eq!(audit(summary, &ledger, 100, &words), Audit::default());
    }

    #[test]
    fn a_file_name_is_enough_where_it_is_unique() {
        let ledger = [file("src/a/mod.rs"), file("src/b/mod.rs"), file("src/b/list.rs")];
        let found = audit("mod.rs and list.rs and b/mod.rs", &ledger, 100, &words);
        assert_eq!(found.appended, [0]);
    }

    #[test]
    fn what_is_forgotten_is_appended_in_order() {
        let ledger = [command("cargo test"), file("src/a.rs"), file("src/b.rs")];
        let found = audit("Edited src/a.rs.", &ledger, 100, &words);
        assert_eq!(found.text, "\n\n## Not mentioned above\n\n$ cargo test → ok\nsrc/b.rs: edited");
        assert_eq!(found.appended, [0, 2]);
    }

    #[test]
    fn what_is_needed_most_goes_first_and_stands_where_it_happened() {
        let late = Entry { at: 7, ..command("cargo test") };
        let early = Entry { at: 3, ..command("cargo test --lib") };
        let ledger = [late, early, command("make")];
        let found = audit("", &ledger, 15, &words);
        let lines = "$ cargo test --lib → ok\n$ cargo test → ok";
        assert_eq!(found.text, format!("\n\n## Not mentioned above\n\n{lines}"));
        assert_eq!(found.appended, [1, 0]);
    }

    #[test]
    fn the_budget_holds() {
        let ledger = [command(&"long ".repeat(50)), file("src/a.rs"), file("src/b.rs")];
        let found = audit("", &ledger, 6, &words);
        assert_eq!(found.appended, [1]);
        assert!(words(&found.text) <= 6);
        assert_eq!(audit("", &ledger, 0, &words).text, "");
    }

    #[test]
    fn a_name_inside_another_is_no_mention() {
        for summary in ["see domain.rs", "see main.rs.bak", "see main.rst"] {
            assert_eq!(audit(summary, &[file("main.rs")], 100, &words).appended, [0], "{summary}");
        }
        assert_eq!(audit("see main.rs.", &[file("main.rs")], 100, &words).appended, [0; 0]);
    }

    #[test]
    fn a_line_of_several_files_needs_all_of_them() {
        let keys = vec![Mark::Path("src/a.rs".into()), Mark::Path("src/b.rs".into())];
        let ledger = [Entry { line: "edited in src: a.rs, b.rs".into(), at: 0, keys }];
        assert_eq!(audit("src/a.rs", &ledger, 100, &words).appended, [0]);
        assert_eq!(audit("src/a.rs and src/b.rs", &ledger, 100, &words).appended, [0; 0]);
    }
}
