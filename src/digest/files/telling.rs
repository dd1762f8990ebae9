//! Which line of a change says best what it did.
//!
//! Responsible for choosing one of the removed or added lines: definitions first, then lines that do something,
//! then lines that only log or print, and imports, comments and brackets last.

use super::holds::defines;
use crate::digest::text::kinds::Kinds;
use crate::digest::text::names;
use crate::digest::text::prose;
use crate::digest::text::words::Words;

/// Functions and methods by which programs log or print.
const REPORTS: &[&str] = &[
    "print", "println", "printf", "eprintln", "fprintf", "log", "logf", "debug", "info", "warn",
    "warning", "trace",
];

/// The first words of lines that direct where a program continues.
const STEERS: &[&str] = &["return", "continue", "break", "throw", "raise", "yield", "goto", "exit"];

/// The index of the line that says most: the first definition, else the first line that does something, else
/// the first that only logs or prints, else the first line at all.
pub(super) fn telling(lines: &[&str]) -> Option<usize> {
    let first = |is_it: &dyn Fn(&str) -> bool| lines.iter().position(|line| is_it(line));
    let works = |line: &str| line.starts_with(char::is_alphabetic) && says(line) && !reports(line);
    let is_long = |line: &str| line.len() > 3 && !prose::is_import(line);
    let saying = || {
        let at = first(&says)?;
        first(&works).filter(|_| reports(lines[at])).or(Some(at))
    };
    let found = first(&defines).or_else(saying).or_else(|| first(&is_long));
    found.or((!lines.is_empty()).then_some(0))
}

/// The last removed and the last added line that direct where the program continues, if the line `telling` does
/// nothing itself.
pub(super) fn steering<'l>(
    gone: &[&'l str],
    put: &[&'l str],
    telling: &str,
) -> Option<(&'l str, &'l str)> {
    let last = |lines: &[&'l str]| lines.iter().rfind(|line| steers(line)).copied();
    let does_nothing = reports(telling) || is_framing(telling);
    Some((last(gone)?, last(put)?)).filter(|_| does_nothing)
}

/// Whether a line holds names and several words, and is more than a comment, a bracket or an import.
fn says(line: &str) -> bool {
    let (mut names, mut words) = (0, Words::default());
    names::scan(line, Kinds::of(line).all(), &mut words, |_| names += 1);
    names > 0 && words.count() >= 2 && !is_framing(line)
}

/// Whether a line is only a frame for code: a comment, a bracket, an import.
pub(super) fn is_framing(line: &str) -> bool {
    line.starts_with(['/', '#', '*', '}']) || prose::is_import(line)
}

/// Whether a line only logs or prints.
fn reports(line: &str) -> bool {
    let Some((called, _)) = line.split_once(['(', '!']) else { return false };
    let name = called.rsplit(['.', ':']).next().unwrap_or_default();
    REPORTS.iter().any(|known| known.eq_ignore_ascii_case(name.trim()))
}

/// Whether a line directs where the program continues.
fn steers(line: &str) -> bool {
    let end = line.find(|c: char| !c.is_alphabetic()).unwrap_or(line.len());
    STEERS.contains(&&line[..end])
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_a_program_does_says_more_than_what_it_reports() {
        for (lines, wanted) in [
            (&["println!(\"lit {lamp_name}\");", "lamp_state = light(lamp_name);"][..], 1),
            (&["console.log(lampName, 'is lit')", "// so it burns"], 0),
            (&["warnings.warn(\"The lamp_wick is \"", "\"out\", LampWarning)"], 0),
            (&["use lamp::wick;", "fn light_it() {", "self.lamp_state = 1;"], 1),
            (&["} else {", "}"], 0),
        ] {
            assert_eq!(telling(lines), Some(wanted), "{lines:?}");
        }
        assert_eq!(telling(&[]), None);
        assert!(!reports("blog.post_it(entry)") && reports("t.Logf(\"%s\", it)"));
        assert!(!reports("self.log.append(entry)") && reports("tracing::info!(\"lit\")"));
    }

    #[test]
    fn where_a_program_goes_on_says_more_than_what_it_reports() {
        let (gone, put) =
            (["log.Info(lamp_name)", "return true"], ["log.Info(\"dark\")", "continue"]);
        assert_eq!(steering(&gone, &put, put[0]), Some(("return true", "continue")));
        assert_eq!(steering(&gone, &put, "lamp_state = 1"), None);
        assert_eq!(steering(&gone[..1], &put, put[0]), None);
    }
}
