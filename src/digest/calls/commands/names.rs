//! How commands are named: in passing, in a heading, and for comparing their runs.
//!
//! Responsible for what is told of a long command, and for recognising it by that.

use crate::digest::calls::folder::{self, Folder};
use crate::digest::calls::shell::git::is_elsewhere;
use crate::digest::calls::{aim, shell};
use crate::digest::files::paths::is_fixed;
use crate::line::{on_one_line, opening};

/// How many characters are told of a long command's beginning, and of the program that it runs.
const BEGINNING: usize = 60;
const RUNS: usize = 40;

/// How many bytes of the end of a folder are told in passing.
const FOLDER: usize = 30;

/// The most characters of a command that is told whole.
const SHORT: usize = 90;

/// The most characters of a shortened command in a heading.
const SHORTENED: usize = BEGINNING + 2 * RUNS;

/// How many characters of the program a command's beginning has to show.
const SHOWN: usize = 12;

/// What the runs of a command have in common, whatever surrounds it: for a check the part that it runs, else
/// the whole command, on one line.
///
/// A command that runs on other code than the code at hand is another command.
pub(crate) fn identity(command: &str) -> String {
    let check = aim::check(command).filter(|_| !is_elsewhere(command));
    on_one_line(check.map_or(command, |check| &command[check]))
}

/// The text by which commands are compared: how much of the output is shown makes no difference.
pub(crate) fn compared(command: &str) -> String {
    let text = on_one_line(shell::unshown(command));
    text.strip_suffix(" 2>&1").map(str::to_owned).unwrap_or(text)
}

/// A heading that differs from the same words in another folder, unless the words name their folder.
pub(crate) fn told_in(heading: String, within: &Folder) -> String {
    let is_said = heading.strip_prefix("cd ").is_some_and(|to| is_fixed(shell::unquoted(to)));
    if is_said { heading } else { within.apart(heading) }
}

/// A command as a line names it in passing: its beginning, or the program that it runs if the beginning does
/// not show it.
pub(crate) fn named(command: &str) -> String {
    let program = aim::program_start(command);
    let start = if is_shown(command, program) { 0 } else { program };
    opening(&command[start..], BEGINNING)
}

/// A command that runs in a folder, as a line names it in passing. If its beginning does not show the program,
/// the folder is named with the program.
pub(crate) fn named_in(command: &str, within: &Folder) -> String {
    let program = aim::program_start(command);
    let Some(told) = within.told().filter(|_| !is_shown(command, program)) else {
        return named(command);
    };
    let cut = told.ceil_char_boundary(told.len().saturating_sub(FOLDER));
    // A folder's name is never cut in two.
    let cut = if cut > 0 { told[cut..].find('/').map_or(cut, |at| cut + at) } else { 0 };
    let mark = if cut > 0 { "…" } else { "" };
    let folder = folder::quoted(&format!("{mark}{}", &told[cut..]));
    let given = aim::given(command);
    format!("cd {folder} && {given}{}", opening(&command[program..], RUNS))
}

/// Whether a line that names a command in passing certainly has all of it. A text of this length is always a
/// cut one; older digests set no mark where they cut.
pub(crate) fn is_whole(named: &str) -> bool {
    let is_cut = |told: &str, most: usize| told.chars().count() + 1 >= most;
    let runs = named.strip_prefix("cd ").and_then(|rest| rest.split_once(" && "));
    !is_cut(named, BEGINNING) && !runs.is_some_and(|(_, runs)| is_cut(runs, RUNS))
}

/// The told part of a command that a line names in passing, without the mark of a cut.
pub(crate) fn unmarked(named: &str) -> &str {
    if is_whole(named) { named } else { named.trim_end_matches('…') }
}

/// Whether the told beginning of a command shows what stands at a place.
pub(crate) fn is_shown(command: &str, place: usize) -> bool {
    on_one_line(&command[..place]).chars().count() + SHOWN <= BEGINNING
}

fn beginning(command: &str, most: usize) -> String {
    let beginning: String = on_one_line(command).chars().take(most).collect();
    beginning.trim_end().to_owned()
}

/// A command as its heading tells it: whole, or its beginning, followed by the program that it runs if the
/// beginning does not show it.
pub(crate) fn shortened(command: &str) -> String {
    let flat = on_one_line(command);
    let is_short = flat.chars().count() <= SHORT;
    if is_short || flat.contains('…') && flat.chars().count() <= SHORTENED {
        return flat;
    }
    let told = format!("{}…", beginning(&flat, BEGINNING));
    let program = aim::program_start(command);
    if is_shown(command, program) {
        return told;
    }
    let core = on_one_line(&command[program..aim::core_range(command).end]);
    let runs = beginning(&core, RUNS);
    let more = if runs.len() < core.len() { "…" } else { "" };
    format!("{told} {runs}{more}")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_cut_is_marked_and_known_by_its_length() {
        let long = format!("go test ./lamps -run {}", "Wick".repeat(20));
        let named = named(&long);
        assert!(named.ends_with('…') && !is_whole(&named), "{named}");
        assert!(long.starts_with(unmarked(&named)));
        // Older digests set no mark where they cut.
        assert!(!is_whole(unmarked(&named)));
        let own = "./lamps --only burning-…";
        assert!(is_whole(own) && unmarked(own) == own);
    }
}
