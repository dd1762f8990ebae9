//! The files that a program in a command changes: `python3 - <<'E' … open(path, 'w') … E`.
//!
//! Responsible for Python, and for paths that are literals or the value of a name. It relies on the program
//! being run; what it writes under a condition counts as written.

use std::collections::HashMap;

use super::{is_in_name, is_name};

/// How many bytes of a program are read.
const MOST: usize = 20_000;

/// The files that a program writes, each with whether it adds to the old content, and what it does with whole
/// files.
pub(super) fn read(program: &str) -> (Vec<(&str, bool)>, Vec<Done<'_>>) {
    let program = &program[..program.floor_char_boundary(MOST)];
    let mut names: HashMap<&str, &str> = HashMap::new();
    let mut found: Vec<(&str, bool)> = Vec::new();
    let (mut read, mut done) = (Vec::new(), Vec::new());
    for line in program.lines().flat_map(|line| line.split(';')) {
        learn(line, &mut names);
        for (at, _) in line.match_indices("open(") {
            let Some((path, mode)) = opened(&line[at + 5..], &names) else { continue };
            match mode {
                Some(mode) if mode.starts_with('a') => found.push((path, true)),
                Some(mode) if mode.starts_with(['w', 'x']) => found.push((path, false)),
                Some(mode) if mode.contains('+') => found.push((path, true)),
                _ => read.push(path),
            }
        }
        for (call, writes) in
            [(".write_text(", true), (".write_bytes(", true), (".read_text(", false)]
        {
            for (at, _) in line.match_indices(call) {
                let before = &line[..at];
                let start = before.rfind("Path(").or_else(|| {
                    before.rfind(|c: char| !is_in_name(c)).map(|last| last + 1).or(Some(0))
                });
                let Some(path) = start.and_then(|start| path_of(&before[start..], &names)) else {
                    continue;
                };
                if writes { found.push((path, false)) } else { read.push(path) }
            }
        }
        do_whole(line, &names, &mut done);
    }
    let mut told: Vec<(&str, bool)> = Vec::new();
    for (path, adds) in found {
        if told.iter().all(|(known, _)| *known != path) {
            told.push((path, adds || read.contains(&path)));
        }
    }
    (told, done)
}

/// What a program does with whole files: removes, moves or copies them.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum Done<'p> {
    Removed(&'p str),
    Moved(&'p str, &'p str),
    Copied(&'p str, &'p str),
}

/// The functions that do so, each with the constructor for its two paths; `None` for a function that removes
/// its only path.
const FUNCTIONS: &[(&str, Option<Take>)] = &[
    ("os.remove(", None),
    ("os.unlink(", None),
    ("os.rmdir(", None),
    ("shutil.rmtree(", None),
    ("os.rename(", Some(|from, to| Done::Moved(from, to))),
    ("os.replace(", Some(|from, to| Done::Moved(from, to))),
    ("shutil.move(", Some(|from, to| Done::Moved(from, to))),
    ("shutil.copy(", Some(|from, to| Done::Copied(from, to))),
    ("shutil.copy2(", Some(|from, to| Done::Copied(from, to))),
    ("shutil.copyfile(", Some(|from, to| Done::Copied(from, to))),
];

type Take = for<'p> fn(&'p str, &'p str) -> Done<'p>;

/// Enters what a line does with whole files.
fn do_whole<'p>(line: &'p str, names: &HashMap<&'p str, &'p str>, found: &mut Vec<Done<'p>>) {
    for (call, take) in FUNCTIONS {
        let Some((before, rest)) = line.split_once(call) else { continue };
        if !begins_statement(before) {
            continue;
        }
        let Some((one, behind)) = argument(rest, names) else { continue };
        match take {
            None => found.push(Done::Removed(one)),
            Some(take) => {
                let other = behind.trim_start().strip_prefix(',').map(str::trim_start);
                let other = other.and_then(|other| argument(other, names));
                found.extend(other.map(|(other, _)| take(one, other)));
            }
        }
    }
    if let Some((before, _)) = line.split_once(".unlink(")
        && !before.contains('#')
    {
        let own = before.rsplit([' ', ':', '\t']).next().unwrap_or(before);
        found.extend(path_of(own, names).map(Done::Removed));
    }
}

/// Whether the text behind `before` begins a statement: it is no argument, comment or string.
fn begins_statement(before: &str) -> bool {
    let before = before.trim();
    before.is_empty() || before.ends_with(':') && !before.contains(['#', '"', '\''])
}

/// Enters the name that a line gives to a path.
fn learn<'p>(line: &'p str, names: &mut HashMap<&'p str, &'p str>) {
    if let Some((name, value)) = line.split_once('=')
        && let Some(path) = path_of(value, names)
        && is_name(name.trim())
    {
        names.insert(name.trim(), path);
    }
}

/// The path that an argument is, and the text behind it.
fn argument<'p>(rest: &'p str, names: &HashMap<&str, &'p str>) -> Option<(&'p str, &'p str)> {
    let by_name = || {
        let end = rest.find(|c: char| !is_in_name(c))?;
        Some((*names.get(&rest[..end])?, &rest[end..]))
    };
    literal(rest).or_else(by_name)
}

/// The path and the mode of a file that is opened, from behind the parenthesis.
fn opened<'p>(rest: &'p str, names: &HashMap<&str, &'p str>) -> Option<(&'p str, Option<&'p str>)> {
    let (path, behind) = argument(rest, names)?;
    let behind = behind.trim_start();
    if behind.starts_with(')') {
        return Some((path, None));
    }
    let mode = behind.strip_prefix(',')?.trim_start();
    let mode = mode.strip_prefix("mode=").unwrap_or(mode);
    Some((path, literal(mode).map(|(mode, _)| mode)))
}

/// The path that an expression is: a literal, perhaps in `Path(…)`, or a name for one.
fn path_of<'p>(expression: &'p str, names: &HashMap<&str, &'p str>) -> Option<&'p str> {
    let expression = expression.trim();
    let bare = expression
        .rsplit_once("Path(")
        .filter(|(before, _)| before.is_empty() || before.ends_with("pathlib."));
    let inner = bare.map_or(expression, |(_, inner)| inner.trim());
    match literal(inner) {
        Some((path, behind)) => matches!(behind.trim(), "" | ")").then_some(path),
        None => names.get(inner.trim_end_matches(')')).copied(),
    }
}

/// The plain string that an expression begins with, and the text behind it.
fn literal(expression: &str) -> Option<(&str, &str)> {
    let quote = expression.chars().next().filter(|c| matches!(c, '"' | '\''))?;
    let (text, behind) = expression[1..].split_once(quote)?;
    let is_plain = !text.is_empty() && !text.contains(['\\', '{', '\n']);
    is_plain.then_some((text, behind))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_program_says_what_it_writes() {
        for (program, wanted) in [
            ("p='src/a.py'\ns=open(p).read()\nopen(p, 'w').write(s)", vec![("src/a.py", true)]),
            ("with open(\"a.txt\", \"w\") as f:\n    f.write('x')", vec![("a.txt", false)]),
            ("open('a.log', 'a').write('x')", vec![("a.log", true)]),
            ("p = pathlib.Path('a.py')\np.write_text(p.read_text())", vec![("a.py", true)]),
            ("from pathlib import Path\nPath('a.py').write_text('x')", vec![("a.py", false)]),
            ("p='a'; s=open(p).read(); open(p,mode='w').write(s)", vec![("a", true)]),
            ("print(open('a.txt').read())", vec![]),
            ("open(name, 'w').write('x')", vec![]),
            ("open(f'{a}.txt', 'w')", vec![]),
        ] {
            assert_eq!(read(program).0, wanted, "{program}");
        }
        for (program, wanted) in [
            ("import os\nos.remove('c.txt')", vec![Done::Removed("c.txt")]),
            ("p = 'a.txt'; os.rename(p, \"b.txt\")", vec![Done::Moved("a.txt", "b.txt")]),
            ("shutil.copy('a.txt', 'b.txt')", vec![Done::Copied("a.txt", "b.txt")]),
            ("if a: Path('x.py').unlink()", vec![Done::Removed("x.py")]),
            ("p = Path('x.py')\np.unlink(missing_ok=True)", vec![Done::Removed("x.py")]),
            ("for f in all: os.remove(f)", vec![]),
            ("os.rename(f'{a}', 'b')", vec![]),
        ] {
            assert_eq!(read(program).1, wanted, "{program}");
        }
    }
}
