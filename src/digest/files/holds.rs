//! What a file holds that was written whole.
//!
//! Responsible for the few lines that say so: what it defines, or else its headings. The line of a digest that
//! tells them can be read back here.

use crate::begins::begins_with_any;
use crate::digest::text::units;
use crate::line::clip;

/// What stands before them, and between two of them.
const HOLDS: &str = "wrote ";
const NEXT: &str = "`, `";

/// How much of one is told, in bytes, and how many are.
const LONGEST: usize = 40;
const MOST: usize = 4;
const LONGEST_NAME: usize = 80;

/// Words before these.
const BEFORE: &[&str] = &[
    "pub", "pub(crate)", "pub(super)", "export", "default", "async", "public", "private",
    "protected", "static", "abstract", "final", "const", "unsafe",
];

/// What C's compilers are told between such a word and the name.
const ATTRIBUTES: &[&str] = &["__attribute__", "__declspec", "alignas"];

/// Words before the name of a function or a type.
const KEYWORDS: &[&str] =
    &["fn", "func", "function", "def", "class", "struct", "enum", "trait", "interface", "type"];

/// The lines of a file that say what is in it; none where that is one thing, as a file's name mostly says.
pub(super) fn outline(lines: &[String]) -> impl Iterator<Item = &String> {
    // One sign alone may begin a comment.
    let has_headings = lines.first().is_some_and(|line| is_heading(line))
        && lines.iter().any(|line| line.starts_with("## "));
    let tells = move |line: &&String| if has_headings { is_heading(line) } else { defines(line) };
    let is_list = lines.iter().filter(tells).nth(1).is_some();
    lines.iter().filter(tells).take(if is_list { MOST } else { 0 })
}

fn is_heading(line: &str) -> bool {
    line.trim_start_matches('#').starts_with(' ') && line.starts_with('#')
}

/// What is told of such a line: what it names, without what follows.
pub(super) fn told_of(line: &str) -> Box<str> {
    if is_heading(line) {
        return clip(&units::without_marks(line).replace('`', ""), LONGEST);
    }
    let end = line.find(['(', '{', '<', '=', ';', '`']).unwrap_or(line.len());
    let told = line[..end].trim_end_matches([':', ' ']);
    // In Go what a method is of stands before its name.
    match name_of(line).filter(|_| told == "func") {
        Some(name) => clip(&format!("{told} {name}"), LONGEST),
        None => clip(told, LONGEST),
    }
}

/// The name that a line defines, behind what it is of: `light` of `func (l *Lamp) light(at int) {`; none where
/// nothing behind it says that it is one.
pub(crate) fn name_of(line: &str) -> Option<&str> {
    const BEHIND: &[&str] =
        &["(", "{", "<", "[", ":", "=", ";", "struct", "interface", "extends", "implements"];
    let keyword = from_keyword(line).next().filter(|word| KEYWORDS.contains(word))?;
    let rest = &line[line.find(keyword)? + keyword.len()..].trim_start();
    // Only Go has something in parentheses before a name.
    let rest = match rest.strip_prefix('(') {
        Some(receiver) if keyword == "func" => receiver.split_once(") ")?.1,
        Some(_) => return None,
        None => rest,
    };
    let end = rest.find(|c: char| !c.is_alphanumeric() && c != '_').unwrap_or(rest.len());
    let behind = rest[end..].trim_start();
    let is_name = behind.is_empty() || begins_with_any(behind, BEHIND);
    let is_name = is_name && !behind.starts_with("::") && !ATTRIBUTES.contains(&&rest[..end]);
    (is_name && end > 0 && end <= LONGEST_NAME).then(|| &rest[..end])
}

/// All of them in a line.
pub(super) fn line<'t>(told: impl Iterator<Item = &'t str>) -> String {
    format!("{HOLDS}`{}`", told.collect::<Vec<_>>().join(NEXT))
}

/// Those of a line of an earlier digest, if it tells such.
pub(super) fn parse(line: &str) -> Option<impl Iterator<Item = &str>> {
    Some(split(line.strip_prefix(HOLDS)?.strip_prefix('`')?.strip_suffix('`')?))
}

/// The things that a line tells one behind the other.
pub(super) fn split(told: &str) -> impl Iterator<Item = &str> {
    told.split(NEXT)
}

/// Whether a line that defines something defines a function.
pub(super) fn is_function(line: &str) -> bool {
    const FUNCTIONS: &[&str] = &["fn", "func", "function", "def"];
    from_keyword(line).next().is_some_and(|word| FUNCTIONS.contains(&word))
}

/// Whether a line begins the definition of a function or a type.
pub(super) fn defines(line: &str) -> bool {
    let mut words = from_keyword(line);
    words.next().is_some_and(|word| KEYWORDS.contains(&word)) && words.next().is_some()
}

/// The words of a line, from the keyword on where it defines something.
fn from_keyword(line: &str) -> impl Iterator<Item = &str> {
    line.split(' ').skip_while(|word| BEFORE.contains(word))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_file_is_told_by_what_it_defines_or_its_headings() {
        let told = |text: &str| {
            let lines: Vec<String> = text.lines().map(|line| line.trim().to_owned()).collect();
            let told: Vec<_> = outline(&lines).map(|line| told_of(line)).collect();
            line(told.iter().map(|line| &**line))
        };
        let code = "import os\n\nclass Lamp(Base):\n    def light(self, at):\n        return at\n";
        assert_eq!(told(code), "wrote `class Lamp`, `def light`");
        assert_eq!(parse(&told(code)).unwrap().collect::<Vec<_>>(), ["class Lamp", "def light"]);
        let methods = "func (l *Lamp) Light() {\nfunc (l *Lamp) Burn(at int) {";
        assert_eq!(told(methods), "wrote `func Light`, `func Burn`");
        assert_eq!(told("# Lamps\n\nAll.\n\n## Oil\n\n## Wick\n"), "wrote `Lamps`, `Oil`, `Wick`");
        assert_eq!(told("# API\n## `GET /lamps`\n"), "wrote `API`, `GET /lamps`");
        assert_eq!(told("# Use\n## Code\nclass Lamp:\ndef light():"), "wrote `Use`, `Code`");
        assert_eq!(told("#!/bin/sh\n## Ports\n#port = 1"), "wrote ``");
        assert_eq!(told("fn lamp() {}"), "wrote ``");
        assert_eq!(told("# how long it burns\nhours = 3"), "wrote ``");
    }
}
