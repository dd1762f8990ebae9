//! Which deed a call is, and what it changes in a file.
//!
//! Responsible for what arguments and the tool's name say of that, where no command is run.

use super::arguments::{Arguments, CONTENT, OLD};
use super::tool::{CHANGING, CREATING, DELETING, LISTING, MOVING, Words};
use crate::digest::files::change::Edit;
use crate::digest::files::deed::Deed;
use crate::json::Json;

/// What an editor is told to do to a file, of those that name it as a command.
pub(super) fn editing(arguments: &Arguments<'_>) -> Option<Deed> {
    match arguments.get("command")?.text()?.as_ref() {
        "view" => Some(Deed::Read),
        "create" => Some(Deed::Created),
        "str_replace" | "insert" | "undo_edit" => Some(Deed::Edited),
        _ => None,
    }
}

/// What a call does that runs no command and says nothing of what an edit puts in.
pub(super) fn deed_of(arguments: &Arguments<'_>, words: &Words, names_file: bool) -> Deed {
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

/// What a call took out and put in, one edit after the other; `new` is what its only one put in.
pub(super) fn edits(deed: Deed, arguments: &Arguments<'_>, new: Option<&str>) -> Vec<Edit> {
    let edit = |arguments: &Arguments<'_>, new: &str| {
        Edit::of(arguments.first(OLD).as_deref().unwrap_or(""), new)
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
