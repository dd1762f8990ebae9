//! What the arguments of a call are called, in the tools that agents have.
//!
//! Responsible for the names, whosever tool it is: paths, commands, what an edit takes out and puts in. A
//! tool that calls them otherwise is added here and nowhere else.

use std::borrow::Cow;

use crate::json::Json;

/// Arguments that name a file.
pub(super) const PATHS: &[&str] = &[
    "path", "file_path", "filepath", "filename", "file", "notebook_path", "target_file",
    "absolute_path", "relative_path", "relative_workspace_path", "filePath", "uri", "paths",
    "file_paths", "filePaths", "files",
];
/// Those that name the file that is moved or copied, where it is not named as others are, and where it goes.
pub(super) const FROM: &[&str] =
    &["source", "src", "from", "old_path", "oldPath", "source_path", "sourcePath", "old_file"];
pub(super) const TO: &[&str] = &[
    "destination", "dest", "dst", "to", "target", "new_path", "newPath", "destination_path",
    "destinationPath", "new_file",
];
/// Those that hold a command line or a program.
pub(super) const COMMANDS: &[&str] = &["command", "cmd", "script", "code", "CommandLine"];
/// Those of them that a shell reads.
pub(super) const SHELLS: &[&str] = &["command", "cmd", "CommandLine"];
/// Whether an argument of a call that runs a command is that: one without a name is all that it is told.
pub(crate) fn is_command(key: &str) -> bool {
    key.is_empty() || COMMANDS.contains(&key)
}

/// What an edit takes out.
pub(crate) const OLD: &[&str] =
    &["old_string", "old_str", "oldText", "oldString", "old_text", "search", "old"];
/// What an edit puts in.
const NEW: &[&str] = &[
    "new_string", "new_str", "newText", "newString", "new_text", "replace", "replacement", "new",
    "new_source", "code_edit",
];
/// Whether it does so wherever that stands.
pub(super) const EVERYWHERE: &[&str] = &["replace_all", "replaceAll", "allow_multiple"];
/// What an edit puts in, or what says of it what it takes out and puts in; a program where no file is named.
pub(super) const CODE: &str = "code";
pub(super) const DIFFS: &[&str] = &["diff", "patch"];
/// What a file is to hold.
pub(super) const CONTENT: &[&str] =
    &["content", "contents", "file_text", "text", "code_content", "CodeContent"];
/// Those that name a process that goes on.
pub(super) const PROCESSES: &[&str] = &["session_id", "bash_id", "shell_id", "task_id"];
/// What a call was about, the most telling first.
pub(super) const ABOUT: &[&str] = &[
    "pattern", "query", "regex", "q", "search_term", "url", "description", "subject", "title",
    "question", "skill", "name", "prompt", "message", "task",
];

/// The list that a call writes whole: one that is called so, or one of things that have a state.
pub(crate) fn task_list<'a>(member: impl Fn(&str) -> Option<Json<'a>>) -> Option<Json<'a>> {
    let array = |key: &&str| member(key).filter(|list| list.is_array());
    let has_state =
        |item: Json<'_>| ["status", "state"].iter().any(|key| item.str_member(key).is_some());
    let are_tasks = |list: &Json<'_>| list.items().next().is_some() && list.items().all(has_state);
    let named = ["todos", "todoList", "task_list"].iter().find_map(array);
    named.or_else(|| ["plan", "tasks", "items"].iter().filter_map(array).find(are_tasks))
}

/// The argument that is a list written whole as a text, a task a line, and the one of a call that does something
/// else as well: of Cline.
pub(super) const CHECKLIST: &str = "todos";
pub(super) const PROGRESS: &str = "task_progress";

/// Such a list.
pub(super) fn checklist(value: Option<Json<'_>>) -> Option<Cow<'_, str>> {
    let text = value.and_then(Json::text);
    text.filter(|text| text.lines().any(|line| super::tasks::checked(line).is_some()))
}

/// The arguments of a call, found once: they can be as long as a file.
pub(super) struct Arguments<'a>(pub(super) Vec<(Cow<'a, str>, Json<'a>)>);

impl<'a> Arguments<'a> {
    pub(super) fn of(json: Json<'a>) -> Self {
        Self(json.members().map(|(key, value)| (key.text(), value)).collect())
    }

    /// An argument; of duplicate ones the last counts.
    pub(super) fn get(&self, name: &str) -> Option<Json<'a>> {
        self.0.iter().rfind(|(key, _)| key == name).map(|(_, value)| *value)
    }

    /// Whether there is one of these.
    pub(super) fn has(&self, names: &[&str]) -> bool {
        names.iter().any(|name| self.get(name).is_some())
    }

    /// The first of these that is a string, unless that is blank.
    pub(super) fn first(&self, names: &[&str]) -> Option<Cow<'a, str>> {
        let text = names.iter().find_map(|name| self.get(name)?.text());
        text.filter(|text| !text.trim().is_empty())
    }

    /// The paths in them that can be files' names.
    pub(super) fn paths(&self) -> Vec<Box<str>> {
        let named = self.0.iter().filter(|(key, _)| PATHS.contains(&key.as_ref()));
        let texts = named.flat_map(|(_, value)| {
            value.text().into_iter().chain(value.items().filter_map(Json::text))
        });
        texts.filter(|text| is_path(text)).map(|text| text.trim().into()).collect()
    }

    /// The first of these that is a file's name beyond doubt.
    pub(super) fn file(&self, names: &[&str]) -> Option<Cow<'a, str>> {
        self.first(names).filter(|text| is_path(text) && text.contains(['/', '.']))
    }

    /// The records of several files, each with the name of its own.
    pub(super) fn each_file(&self) -> Vec<Self> {
        let lists =
            ["files", "replacements", "edits", "changes"].iter().filter_map(|key| self.get(key));
        let records = lists.flat_map(Json::items).filter(|item| item.is_object()).map(Self::of);
        records.filter(|record| !record.paths().is_empty()).collect()
    }

    /// The list of several edits.
    pub(super) fn edits(&self) -> Option<Json<'a>> {
        ["edits", "changes", "replacements"].iter().find_map(|name| self.get(name))
    }

    /// What an edit puts in: nothing, where it only takes out.
    pub(super) fn new_text(&self) -> Option<Cow<'a, str>> {
        let only_takes_out = || NEW.iter().find_map(|name| self.get(name)?.text());
        self.first(NEW).or_else(|| only_takes_out().filter(|_| self.first(OLD).is_some()))
    }
}

/// Whether an argument's value can be a file's name and is not a text.
fn is_path(text: &str) -> bool {
    let text = text.trim();
    !text.is_empty() && text.len() <= 400 && !text.contains('\n') && !text.contains("://")
}
