//! How much of a command ran, as its result tells.
//!
//! Responsible for the words of shells and programs that show it. It relies on an error beginning with the name
//! of its program.

use super::{Joint, parts, windows};
use crate::begins::begins_with_any;

/// Whether a Windows command says that it failed in part, so that it is unknown what it did.
pub(crate) fn stops_on_windows(command: &str, printed: &str) -> bool {
    const SAYS: &[&str] = &[
        "The system cannot find the ", "Access is denied.", "Could Not Find ",
        "The process cannot access the file", "A duplicate file name exists",
    ];
    let (inner, is_windows) = windows::unwrapped(command);
    let parts = parts(inner);
    let names: Vec<&str> = parts.iter().map(|part| part.program().0).collect();
    (is_windows || names.iter().any(|name| windows::is_program(name)))
        && printed.lines().map(str::trim).any(|line| {
            begins_with_any(line, SAYS)
                || names
                    .iter()
                    .any(|name| line.strip_prefix(*name).is_some_and(|it| it.starts_with(" : ")))
        })
}

/// The part of a command that ran before the program that its error names. `None` unless everything before had
/// to succeed.
pub(crate) fn ran_before<'c>(command: &'c str, printed: &str) -> Option<&'c str> {
    let parts = parts(command);
    let names: Vec<&str> = parts.iter().map(|part| part.program().0).collect();
    let says = |name: &str| {
        let is_its = |line: &str| line.strip_prefix(name).is_some_and(|it| it.starts_with(": "));
        !name.is_empty() && printed.lines().any(is_its)
    };
    let at = names.iter().position(|name| says(name))?;
    let is_only = names.iter().filter(|name| **name == names[at]).count() == 1;
    let is_sure = at > 0 && is_only && parts[..at].iter().all(|part| part.joint == Joint::And);
    is_sure.then(|| &command[..parts[at - 1].range.end])
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn windows_says_what_it_did_not_do() {
        for (command, printed) in [
            (r"Remove-Item a\obj", "Gone: a\\obj\nRemove-Item : Cannot remove it"),
            (r"del a\b.bat", r"Could Not Find C:\a\b.bat"),
            (r"cmd /c copy a.txt b\", "The system cannot find the file specified."),
        ] {
            assert!(stops_on_windows(command, printed), "{command}");
        }
        assert!(!stops_on_windows("cmd /c copy a.txt b.txt", "        1 file(s) copied."));
        assert!(!stops_on_windows("cat a.txt", "Access is denied."));
    }

    #[test]
    fn what_stood_before_the_part_that_failed_ran() {
        for (command, printed, wanted) in [
            ("rm b.py && cp c.py d.py", "cp: cannot stat 'c.py'", Some("rm b.py")),
            ("cp a.py b.py && cp c.py d.py", "cp: cannot stat 'c.py'", None),
            ("rm b.py; cp c.py d.py", "cp: cannot stat 'c.py'", None),
            ("rm b.py && cp c.py d.py", "rm: cannot remove 'b.py'", None),
        ] {
            assert_eq!(ran_before(command, printed), wanted, "{command}");
        }
    }
}
