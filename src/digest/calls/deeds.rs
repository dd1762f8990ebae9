//! Which deed a call is, and what it changes in a file.
//!
//! Responsible for calls that run no command: their arguments and the name of their tool decide.

use super::arguments::{
    Arguments, CHECKLIST, CODE, COMMANDS, CONTENT, DIFFS, EVERYWHERE, FROM, OLD, TO, checklist,
    task_list,
};
use super::tool::{CHANGING, COPYING, CREATING, DELETING, LISTING, MOVING, PLANNING, Words};
use super::{Call, Detail, said, shell};
use crate::conversation::Part;
use crate::digest::files::deed::{Deed, Touch};
use crate::digest::files::diff;
use crate::digest::files::edit::Edit;
use crate::digest::files::paths::slashed;
use crate::json::Json;

/// The commands of editors that take what to do with a file as an argument.
const VERBS: &[(&str, Deed)] = &[
    ("view", Deed::Read),
    ("read", Deed::Read),
    ("create", Deed::Created),
    ("write", Deed::Created),
    ("str_replace", Deed::Edited),
    ("insert", Deed::Edited),
    ("undo_edit", Deed::Reverted),
    ("edit", Deed::Edited),
    ("replace", Deed::Edited),
    ("append", Deed::Edited),
    ("delete", Deed::Deleted),
    ("rename", Deed::Moved),
];

/// The deed of an editor's command.
pub(super) fn editing(arguments: &Arguments<'_>) -> Option<Deed> {
    let command = arguments.get("command")?.text()?;
    VERBS.iter().find(|(verb, _)| *verb == command).map(|(_, deed)| *deed)
}

/// Whether the arguments tell what an edit takes out, or the whole content of a file.
pub(super) fn has_edit(arguments: &Arguments<'_>) -> bool {
    arguments.first(OLD).is_some() || arguments.first(CONTENT).is_some()
}

/// Whether a call writes a list of tasks, or one of them.
pub(super) fn plans(arguments: &Arguments<'_>, words: &Words) -> bool {
    let member = |key: &str| arguments.get(key);
    // Only with a planning tool does the word `view`, `plan` or `list` ask for a list; a shell's tool has
    // another name.
    let is_verb = || {
        let command = COMMANDS.iter().find_map(|key| arguments.get(key)?.text());
        command.is_some_and(|it| ["view", "plan", "list"].contains(&it.as_ref()))
    };
    task_list(member).is_some()
        || checklist(arguments.get(CHECKLIST)).is_some()
        || words.has(PLANNING) && (arguments.has(&["status", "subject", "taskId"]) || is_verb())
}

/// The deed of a call that runs no command, and the files that it touches.
pub(super) fn touches(
    arguments: &Arguments<'_>,
    words: &Words,
    mut paths: Vec<Box<str>>,
    detail: Detail,
) -> (Deed, Vec<Touch>) {
    let to = arguments.file(TO).filter(|_| words.say(MOVING) || words.say(COPYING));
    if let Some(to) = to
        && let Some(from) = arguments.file(FROM).map(|from| from.into()).or_else(|| paths.pop())
    {
        let deed = if words.say(MOVING) { Deed::Moved } else { Deed::Read };
        let is_moved = deed == Deed::Moved;
        let gone = Touch {
            to: is_moved.then(|| slashed(&to).into()),
            ..Touch::new(&from, deed, Vec::new())
        };
        let made = Touch::new(&to, Deed::Created, Vec::new());
        return (if is_moved { deed } else { Deed::Created }, vec![gone, made]);
    }
    let new = arguments.new_text().or_else(|| arguments.first(&[CODE]));
    let names_file = !paths.is_empty();
    let diff = arguments.first(DIFFS).filter(|_| !words.only_looks());
    let deed = if let Some(deed) = editing(arguments).filter(|_| names_file) {
        deed
    } else if arguments.has(&["patch"])
        || words.say(&["patch"])
        || names_file && (new.is_some() || diff.is_some() || arguments.edits().is_some())
    {
        Deed::Edited
    } else {
        deed_of(arguments, words, names_file)
    };
    let edits = match diff {
        _ if detail == Detail::Paths => Vec::new(),
        Some(diff) if deed == Deed::Edited && new.is_none() => diff::edits(&diff),
        _ => edits(deed, arguments, new.as_deref()),
    };
    let touch = |path: Box<str>| Touch::new(&path, deed, edits.clone());
    (deed, paths.into_iter().map(touch).collect())
}

/// Removes all changes from a call that is a dry run.
pub(super) fn spare(call: &mut Call, arguments: &Arguments<'_>) {
    const DRY: &[&str] = &["dryRun", "dry_run", "dryrun", "dry-run"];
    if !DRY.iter().filter_map(|key| arguments.get(key)).any(Json::is_true) {
        return;
    }
    call.touches.retain(|touch| !touch.deed.changes());
    if call.deed.changes() {
        call.deed = Deed::Other;
    }
}

/// The file that an editor among the commands shows behind a change: `[File: /w/a.py (9 lines total)]`.
fn shown_file(command: &str, printed: &str) -> Option<Touch> {
    let deed = match command.split_whitespace().next()? {
        "create" => Deed::Created,
        "edit" => Deed::Edited,
        _ => return None,
    };
    let (path, _) = printed.lines().next()?.strip_prefix("[File: ")?.rsplit_once(" (")?;
    Some(Touch::new(path, deed, Vec::new()))
}

/// Finds out from the output which file an editor changed, and which part of a failed command ran.
fn heed_printed(call: &mut Call, command: &str, printed: &str) {
    call.touches.extend(shown_file(command, printed));
    if shell::stops_on_windows(command, printed) {
        call.touches.retain(|touch| !touch.deed.changes());
        return;
    }
    if !call.outcome.failed || call.touches.is_empty() {
        return;
    }
    if let Some(ran) = shell::ran_before(command, printed) {
        let done = shell::touches(ran, call.way().around.as_deref());
        let is_done =
            |touch: &Touch| done.iter().any(|it| it.path == touch.path && it.deed == touch.deed);
        call.touches.iter_mut().for_each(|touch| touch.is_before_check = is_done(touch));
        call.outcome.ran_check = true;
    }
}

/// Corrects what a call did by its result: for a command, which part of it ran; for an editor, whether the file
/// existed before.
pub(super) fn heed(call: &mut Call, answer: &Part<'_>) {
    const REWRITTEN: &[&str] =
        &["overwrote", "overwritten", "has been updated", "updated successfully"];
    const MADE: &[&str] =
        &["created new file", "successfully created", "file created successfully"];
    if let Some(command) = call.command.take() {
        heed_printed(call, &command, &said(answer));
        call.command = Some(command);
        return;
    }
    if !matches!(call.deed, Deed::Created | Deed::Edited) {
        return;
    }
    let opening = answer.opening();
    let first = opening.trim().lines().next().unwrap_or_default().to_ascii_lowercase();
    let says = |words: &[&str]| words.iter().any(|words| first.contains(words));
    let deed = match call.deed {
        Deed::Created if says(REWRITTEN) => Deed::Edited,
        Deed::Edited if says(MADE) => Deed::Created,
        deed => deed,
    };
    for touch in call.touches.iter_mut().filter(|touch| touch.deed == call.deed) {
        touch.deed = deed;
    }
    call.deed = deed;
}

/// The deed of a call that runs no command and does not tell what an edit puts in.
fn deed_of(arguments: &Arguments<'_>, words: &Words, names_file: bool) -> Deed {
    if words.say(DELETING) {
        Deed::Deleted
    } else if words.say(MOVING) {
        Deed::Moved
    } else if arguments.has(&["subagent_type", "agent", "agent_type"])
        || arguments.has(&["prompt"]) && !arguments.has(&["url"])
    {
        Deed::Delegated
    } else if arguments.first(CONTENT).is_some() && names_file && !words.only_looks() {
        Deed::Created
    } else if arguments.first(&["pattern", "query", "regex", "search_term"]).is_some() {
        Deed::Searched
    } else if arguments.get("url").is_some_and(Json::is_string) {
        Deed::Fetched
    } else if !names_file {
        Deed::Other
    } else if words.say(CHANGING) {
        Deed::Edited
    } else if words.say(CREATING) {
        Deed::Created
    } else if words.has(LISTING) {
        Deed::Searched
    } else {
        Deed::Read
    }
}

/// The edits of a call, in order; `new` is the text that its only edit put in.
fn edits(deed: Deed, arguments: &Arguments<'_>, new: Option<&str>) -> Vec<Edit> {
    let edit = |arguments: &Arguments<'_>, new: &str| {
        let edit = Edit::of(arguments.first(OLD).as_deref().unwrap_or(""), new);
        let is_all = EVERYWHERE.iter().filter_map(|key| arguments.get(key)).any(Json::is_true);
        if is_all { edit.everywhere() } else { edit }
    };
    let several = arguments.edits().into_iter().flat_map(Json::items).map(Arguments::of);
    match (deed, new) {
        (Deed::Edited, Some(new)) => vec![edit(arguments, new)],
        (Deed::Edited, None) => {
            several.filter_map(|one| Some(edit(&one, &one.new_text()?))).collect()
        }
        (Deed::Created, _) => {
            arguments.first(CONTENT).iter().map(|text| Edit::whole(text)).collect()
        }
        _ => Vec::new(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_editor_among_the_commands_shows_the_file_that_it_changed() {
        let shown = "[File: /w/lamp.py (9 lines total)]\n1:lit = 1";
        for (command, printed, wanted) in [
            ("create lamp.py", shown, Some(Deed::Created)),
            ("edit 1:1\nlit = 1\nend_of_edit", shown, Some(Deed::Edited)),
            ("edit 1:1\nlit = \nend_of_edit", "Your proposed edit has a syntax error.", None),
            ("open lamp.py", shown, None),
        ] {
            let touch = shown_file(command, printed);
            assert_eq!(touch.map(|touch| touch.deed), wanted, "{command}");
        }
    }
}
