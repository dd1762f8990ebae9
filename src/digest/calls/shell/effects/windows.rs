//! What the commands of PowerShell and of cmd do to files.
//!
//! Responsible for recognising these commands by names that Unix does not have, and for their parameters. In
//! them a backslash divides a path; elsewhere it does not.

use std::borrow::Cow;

use super::named::{moved, push, push_all, push_copied, push_moved};
use super::{behind_descriptor, programs};
use crate::begins::begins_with_any;
use crate::digest::calls::shell::unquoted;
use crate::digest::files::deed::{Deed, Touch};
use crate::digest::files::paths;

/// What a command does to the files that it names.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Does {
    Removes,
    Moves,
    Renames,
    Copies,
    Makes,
    Writes,
    Adds,
    /// Nothing that is told; it still shows that the shell is one of Windows.
    Nothing,
}

/// Commands of Windows by their lower-case names.
const COMMANDS: &[(&str, Does)] = &[
    ("remove-item", Does::Removes),
    ("del", Does::Removes),
    ("erase", Does::Removes),
    ("rd", Does::Removes),
    ("move-item", Does::Moves),
    ("move", Does::Moves),
    ("rename-item", Does::Renames),
    ("ren", Does::Renames),
    ("copy-item", Does::Copies),
    ("copy", Does::Copies),
    ("xcopy", Does::Nothing),
    ("robocopy", Does::Nothing),
    ("new-item", Does::Makes),
    ("md", Does::Makes),
    ("set-content", Does::Writes),
    ("out-file", Does::Writes),
    ("add-content", Does::Adds),
];

/// Short names of commands, which may be other programs on Unix.
const SHORT: &[(&str, Does)] = &[
    ("ri", Does::Removes),
    ("rm", Does::Removes),
    ("rmdir", Does::Removes),
    ("mi", Does::Moves),
    ("mv", Does::Moves),
    ("rni", Does::Renames),
    ("cpi", Does::Copies),
    ("cp", Does::Copies),
    ("ni", Does::Makes),
    ("mkdir", Does::Makes),
    ("ac", Does::Adds),
];

/// Beginnings of the names of other commands of PowerShell.
const VERBS: &[&str] = &[
    "get-", "select-", "where-", "foreach-", "test-path", "write-host", "write-output", "invoke-",
    "convertto-", "convertfrom-", "set-location", "start-process", "stop-process", "out-null",
];

/// Parameters without a value; every other one has a value.
const SWITCHES: &[&str] = &[
    "recurse", "force", "verbose", "nonewline", "append", "passthru", "whatif", "noclobber",
    "asbytestream", "container", "debug", "confirm:$false", "confirm:$true",
];

fn deed_of(name: &str, table: &[(&str, Does)]) -> Option<Does> {
    let name = name.to_ascii_lowercase();
    table.iter().find(|(command, _)| *command == name).map(|(_, does)| *does)
}

/// Whether only Windows has a program of this name.
pub(super) fn is_program(name: &str) -> bool {
    deed_of(name, COMMANDS).is_some()
}

/// A command without the Windows shell that runs it, and whether all of it is for Windows.
pub(super) fn unwrapped(command: &str) -> (&str, bool) {
    let mut rest = command;
    let mut next = || {
        let (word, behind) = rest.split_once(char::is_whitespace).unwrap_or((rest, ""));
        rest = behind.trim_start();
        word.trim_matches('"').to_ascii_lowercase()
    };
    let shell = next();
    let shell =
        shell.rsplit(['/', '\\']).next().unwrap_or(&shell).trim_end_matches(".exe").to_owned();
    let inner = match shell.as_str() {
        "cmd" => matches!(next().trim_start_matches('/'), "/c" | "c" | "s/c").then_some(rest),
        "powershell" | "pwsh" => loop {
            match next().as_str() {
                "-command" | "-c" => break Some(rest),
                "-executionpolicy" | "-ep" => drop(next()),
                word if word.starts_with('-') && word != "-file" => {}
                _ => break None,
            }
        },
        _ => None,
    };
    if let Some(inner) = inner {
        let quote = |quote| inner.strip_prefix(quote)?.strip_suffix(quote);
        return (quote('"').or_else(|| quote('\'')).unwrap_or(inner), true);
    }
    let begins = command.trim_start_matches(['(', '&', ' ']);
    (command, begins.starts_with(".\\") || names_one(command))
}

/// Whether one of the parts of a command begins with a command of PowerShell.
fn names_one(command: &str) -> bool {
    if !command.contains('-') {
        return false;
    }
    let mut runs = command.split(['|', ';', '(', '{', '\n']).flat_map(|part| part.split("&&"));
    runs.any(|part| {
        let word = part.split_whitespace().next().unwrap_or_default();
        word.starts_with(|c: char| c.is_ascii_uppercase())
            && word.contains('-')
            && (begins_with_any(&word.to_ascii_lowercase(), VERBS) || is_program(word))
    })
}

/// A path with slashes.
pub(super) fn slashed(path: &str) -> Cow<'_, str> {
    if path.contains('\\') { path.replace('\\', "/").into() } else { path.into() }
}

/// The words of a Windows command, parsed.
#[derive(Default)]
struct Words {
    /// The words without a parameter; each entry has the values of one list.
    plain: Vec<Vec<String>>,
    /// The values of parameters, by lower-case names.
    named: Vec<(String, Vec<String>)>,
    switches: Vec<String>,
}

impl Words {
    fn of(words: &[&str]) -> Self {
        let mut all = Self::default();
        let mut name: Option<String> = None;
        let mut goes_on = false;
        let own = words.iter().take_while(|word| !behind_descriptor(word).starts_with(['>', '<']));
        for word in own.filter(|word| !is_option(word)) {
            if let Some(parameter) = parameter(word) {
                let is_switch = SWITCHES.iter().any(|switch| switch.starts_with(&*parameter));
                if is_switch {
                    all.switches.push(parameter);
                } else {
                    name = Some(parameter);
                }
                goes_on = false;
                continue;
            }
            let values = word.split(',').filter(|value| !value.is_empty());
            let values = values.map(|value| slashed(unquoted(value)).into_owned());
            let into = match name.take() {
                Some(name) => {
                    all.named.push((name, Vec::new()));
                    all.named.last_mut().map(|(_, values)| values)
                }
                None if goes_on => all.plain.last_mut(),
                None => {
                    all.plain.push(Vec::new());
                    all.plain.last_mut()
                }
            };
            if let Some(into) = into {
                into.extend(values);
            }
            goes_on = word.ends_with(',');
        }
        all
    }

    /// The values of the first parameter with one of these names, which may be abbreviated, or else of the
    /// plain word at an index.
    fn values(&self, names: &[&str], at: usize) -> &[String] {
        let given = self.named.iter().find(|(own, _)| is_one_of(own, names));
        let given = given.map(|(_, values)| values);
        given.or_else(|| self.plain.get(at)).map_or(&[], Vec::as_slice)
    }

    fn has(&self, switch: &str) -> bool {
        self.switches.iter().any(|own| is_one_of(own, &[switch]))
    }
}

/// Whether a parameter has one of these names, which may be abbreviated.
fn is_one_of(parameter: &str, names: &[&str]) -> bool {
    parameter.len() > 1 && names.iter().any(|name| name.starts_with(parameter))
}

/// The lower-case name of a parameter, if a word is one.
fn parameter(word: &str) -> Option<String> {
    let name = word.strip_prefix('-')?;
    let is_one = name.starts_with(|c: char| c.is_ascii_alphabetic());
    is_one.then(|| name.trim_end_matches(':').to_ascii_lowercase())
}

/// Whether a word is an option of cmd: `/Y`, `/s`.
fn is_option(word: &str) -> bool {
    word.strip_prefix('/')
        .is_some_and(|letters| letters.len() <= 3 && !letters.contains(['/', '.']))
}

/// Enters what a command does to files. `before` is the text before it, which may read the file that it writes.
pub(super) fn simple_command(words: &[&str], before: &str, found: &mut Vec<Touch>) {
    const PATH: &[&str] = &["path", "literalpath", "filepath"];
    let Some((name, rest)) = words.split_first() else { return };
    let Some(does) = deed_of(name, COMMANDS).or_else(|| deed_of(name, SHORT)) else {
        let slashed: Vec<Cow<'_, str>> = words.iter().map(|it| slashed(unquoted(it))).collect();
        let slashed: Vec<&str> = slashed.iter().map(AsRef::as_ref).collect();
        return programs::simple_command(&slashed, found);
    };
    let words = Words::of(rest);
    if words.has("whatif") {
        return;
    }
    // The first argument may be plain or named.
    let is_named = words.named.iter().any(|(own, _)| is_one_of(own, PATH));
    let from: Vec<&str> = words.values(PATH, 0).iter().map(String::as_str).collect();
    let to = words.values(&["destination", "newname"], usize::from(!is_named));
    let to = to.first().map(String::as_str);
    match (does, to) {
        // Some callers name several files without commas.
        (Does::Removes, _) => {
            let others = words.plain.iter().skip(usize::from(!is_named)).flatten();
            push_all(found, from.into_iter().chain(others.map(String::as_str)), Deed::Deleted);
        }
        (Does::Moves, Some(to)) => push_moved(found, &from, to),
        (Does::Renames, Some(to)) => {
            let [old] = from.as_slice() else { return };
            let folder = &old[..old.len() - paths::name(old).len()];
            push_moved(found, &from, &format!("{folder}{}", paths::name(to)));
        }
        (Does::Copies, Some(to)) => push_copied(found, &from, to),
        (Does::Makes, _) => {
            let name = words.values(&["name"], usize::MAX).first();
            match (name, from.first()) {
                (Some(name), Some(folder)) => {
                    push(found, Some(&moved(name, folder, true)), Deed::Created);
                }
                (Some(name), None) => push(found, Some(name), Deed::Created),
                _ => push_all(found, from, Deed::Created),
            }
        }
        (Does::Writes | Does::Adds, _) => {
            let adds = does == Does::Adds || words.has("append");
            for path in from {
                let is_read = slashed(before).contains(path);
                push(found, Some(path), if adds || is_read { Deed::Edited } else { Deed::Created });
            }
        }
        _ => {}
    }
}

#[cfg(test)]
mod tests {
    use super::super::touches;
    use super::*;

    #[test]
    fn reads_the_effects_of_commands_of_windows() {
        let seen = |command: &str| -> Vec<String> {
            let told = |touch: Touch| {
                let to = touch.to.map(|to| format!(" → {to}")).unwrap_or_default();
                format!("{} {}{to}", touch.deed.word(), touch.path)
            };
            let changes = touches(command, None).into_iter().filter(|touch| touch.deed.changes());
            changes.map(told).collect()
        };
        for (command, wanted) in [
            (r"(Get-Content src\W.cs) -replace 'a','b' | Set-Content src\W.cs", "edited src/W.cs"),
            (r"Set-Content -Path notes.txt -Value 'moved mailer'", "created notes.txt"),
            (r"'x' | Out-File -Encoding utf8 a\global.json", "created a/global.json"),
            ("@'\n{}\n'@ | Out-File global.json", "created global.json"),
            (r"Add-Content log.txt 'more'", "edited log.txt"),
            (r"'x' | Out-File log.txt -Append", "edited log.txt"),
            (r"Remove-Item src\Old.cs", "deleted src/Old.cs"),
            (r"Remove-Item C:\w\a.cs", "deleted C:/w/a.cs"),
            (r"Remove-Item -Recurse -Force a\obj, b\obj", "deleted a/obj; deleted b/obj"),
            (r"Get-ChildItem; ri a\b.cs", "deleted a/b.cs"),
            (r"Copy-Item a.json -Destination b.json", "created b.json"),
            (r"Copy-Item -Path a.json -Dest conf\", "created conf/a.json"),
            (r"Move-Item s\M.cs s\N\O.cs", "moved s/M.cs → s/N/O.cs; created s/N/O.cs"),
            (
                r"ren s\Startup.cs Program.cs",
                "moved s/Startup.cs → s/Program.cs; created s/Program.cs",
            ),
            (r"del x.txt; erase /q y.txt", "deleted x.txt; deleted y.txt"),
            (r"cmd.exe /c move /Y s\c.cmd t\c.cmd", "moved s/c.cmd → t/c.cmd; created t/c.cmd"),
            (
                "cmd /c \"copy g.json g.bak.json && del g.json\"",
                "created g.bak.json; deleted g.json",
            ),
            (r"rd /s /q out\build", "deleted out/build"),
            (r"cmd /c rmdir /s /q .\build", "deleted ./build"),
            (r"New-Item -ItemType File -Path src\a.cs -Force", "created src/a.cs"),
            (r"New-Item -ItemType Directory src\Mail | Out-Null", "created src/Mail"),
            (r"powershell -NoProfile -Command 'Remove-Item a.cs'", "deleted a.cs"),
            (r".\make.ps1 > out\log.txt", "created out/log.txt"),
            (r"Remove-Item src\a.cs -WhatIf", ""),
            (r"Get-Content a\b.cs; Select-String -Path a\b.cs -Pattern x", ""),
            (r"rm src\a.rs", ""),
            (r"sed -i 's/a\.b/c/' src\a.rs", ""),
        ] {
            assert_eq!(seen(command).join("; "), wanted, "{command}");
        }
    }
}
