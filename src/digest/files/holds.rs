//! The outline of a file that was written whole.
//!
//! Responsible for the few lines that tell its content: what it defines, or else its headings. The outline in
//! an earlier digest can be read back here.

use crate::begins::begins_with_any;
use crate::digest::text::units;
use crate::line::clip;

/// The text before an outline, and between two of its entries.
const HOLDS: &str = "wrote ";
const NEXT: &str = "`, `";

/// The most bytes of an entry, the most entries, and the most bytes of a name.
const LONGEST: usize = 40;
const MOST: usize = 4;
const LONGEST_NAME: usize = 80;

/// Words that may precede the keyword of a definition.
const BEFORE: &[&str] = &[
    "pub", "pub(crate)", "pub(super)", "export", "default", "async", "public", "private",
    "protected", "static", "abstract", "final", "const", "unsafe",
];

/// Attributes of C that may stand between a keyword and the name.
const ATTRIBUTES: &[&str] = &["__attribute__", "__declspec", "alignas"];

/// Keywords before the name of a function or a type.
const KEYWORDS: &[&str] =
    &["fn", "func", "function", "def", "class", "struct", "enum", "trait", "interface", "type"];

/// The lines that form the outline of a file; none if there is only one, because the file's name mostly tells
/// as much.
pub(super) fn outline(lines: &[String]) -> impl Iterator<Item = &String> {
    // A single `#` may begin a comment.
    let has_headings = lines.first().is_some_and(|line| is_heading(line))
        && lines.iter().any(|line| line.starts_with("## "));
    let tells = move |line: &&String| if has_headings { is_heading(line) } else { defines(line) };
    let is_list = lines.iter().filter(tells).nth(1).is_some();
    lines.iter().filter(tells).take(if is_list { MOST } else { 0 })
}

fn is_heading(line: &str) -> bool {
    line.trim_start_matches('#').starts_with(' ') && line.starts_with('#')
}

/// The entry for a line of the outline: what it names, without what follows.
pub(super) fn told_of(line: &str) -> Box<str> {
    if is_heading(line) {
        return clip(&units::without_marks(line).replace('`', ""), LONGEST);
    }
    let end = line.find(['(', '{', '<', '=', ';', '`']).unwrap_or(line.len());
    let told = line[..end].trim_end_matches([':', ' ']);
    // In Go the receiver of a method stands before its name.
    match name_of(line).filter(|_| told == "func") {
        Some(name) => clip(&format!("{told} {name}"), LONGEST),
        None => clip(told, LONGEST),
    }
}

/// The name that a line defines: `light` in `func (l *Lamp) light(at int) {`. `None` if the text behind the
/// name does not fit a definition.
pub(crate) fn name_of(line: &str) -> Option<&str> {
    const BEHIND: &[&str] =
        &["(", "{", "<", "[", ":", "=", ";", "struct", "interface", "extends", "implements"];
    let keyword = from_keyword(line).next().filter(|word| KEYWORDS.contains(word))?;
    let rest = &line[line.find(keyword)? + keyword.len()..].trim_start();
    // Only Go has parentheses before a name.
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

/// Writes an outline in one line.
pub(super) fn line<'t>(told: impl Iterator<Item = &'t str>) -> String {
    format!("{HOLDS}`{}`", told.collect::<Vec<_>>().join(NEXT))
}

/// Reads the entries of an outline in an earlier digest; `None` if the line is no outline.
pub(super) fn parse(line: &str) -> Option<impl Iterator<Item = &str>> {
    Some(split(line.strip_prefix(HOLDS)?.strip_prefix('`')?.strip_suffix('`')?))
}

/// The entries of an outline.
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

/// The words of a line without those that may precede a keyword.
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
