//! The names that tools give to the arguments of a call.
//!
//! Responsible for these names, whichever agent's tool it is: paths, commands, what an edit takes out and puts
//! in. A tool with other names is added here and nowhere else.

use std::borrow::Cow;

use crate::json::Json;

/// Arguments that name a file.
pub(super) const PATHS: &[&str] = &[
    "path", "file_path", "filepath", "filename", "file", "notebook_path", "target_file",
    "absolute_path", "relative_path", "relative_workspace_path", "filePath", "uri", "paths",
    "file_paths", "filePaths", "files",
];
/// Arguments that name the file to be moved or copied, if none of [`PATHS`] does, and those that name its
/// destination.
pub(super) const FROM: &[&str] =
    &["source", "src", "from", "old_path", "oldPath", "source_path", "sourcePath", "old_file"];
pub(super) const TO: &[&str] = &[
    "destination", "dest", "dst", "to", "target", "new_path", "newPath", "destination_path",
    "destinationPath", "new_file",
];
/// Arguments that hold a command line or a program.
pub(super) const COMMANDS: &[&str] = &["command", "cmd", "script", "code", "CommandLine"];
/// The arguments of [`COMMANDS`] that a shell reads.
pub(super) const SHELLS: &[&str] = &["command", "cmd", "CommandLine"];
/// Whether an argument is the command that a call runs. An argument without a name is all that the call is
/// given.
pub(crate) fn is_command(key: &str) -> bool {
    key.is_empty() || COMMANDS.contains(&key)
}

/// Arguments that hold the text that an edit takes out.
pub(crate) const OLD: &[&str] =
    &["old_string", "old_str", "oldText", "oldString", "old_text", "search", "old"];
/// Arguments that hold the text that an edit puts in.
const NEW: &[&str] = &[
    "new_string", "new_str", "newText", "newString", "new_text", "replace", "replacement", "new",
    "new_source", "code_edit",
];
/// Flags by which an edit applies wherever its text stands.
pub(super) const EVERYWHERE: &[&str] = &["replace_all", "replaceAll", "allow_multiple"];
/// The argument that holds what an edit puts in, or a program if no file is named; and arguments that hold a
/// diff.
pub(super) const CODE: &str = "code";
pub(super) const DIFFS: &[&str] = &["diff", "patch"];
/// Arguments that hold the whole new content of a file.
pub(super) const CONTENT: &[&str] =
    &["content", "contents", "file_text", "text", "code_content", "CodeContent"];
/// Arguments that name a running process.
pub(super) const PROCESSES: &[&str] = &["session_id", "bash_id", "shell_id", "task_id"];
/// Arguments that tell what a call is about, the most telling first.
pub(super) const ABOUT: &[&str] = &[
    "pattern", "query", "regex", "q", "search_term", "url", "description", "subject", "title",
    "question", "skill", "name", "prompt", "message", "task",
];

/// The task list that a call writes whole: an argument named as one, or a list whose items all have a state.
pub(crate) fn task_list<'a>(member: impl Fn(&str) -> Option<Json<'a>>) -> Option<Json<'a>> {
    let array = |key: &&str| member(key).filter(|list| list.is_array());
    let has_state =
        |item: Json<'_>| ["status", "state"].iter().any(|key| item.str_member(key).is_some());
    let are_tasks = |list: &Json<'_>| list.items().next().is_some() && list.items().all(has_state);
    let named = ["todos", "todoList", "task_list"].iter().find_map(array);
    named.or_else(|| ["plan", "tasks", "items"].iter().filter_map(array).find(are_tasks))
}

/// Arguments of Cline that hold a task list as text, one task a line: of a call that only writes the list, and
/// of a call that does something else as well.
pub(super) const CHECKLIST: &str = "todos";
pub(super) const PROGRESS: &str = "task_progress";

/// The text of an argument that holds a task list, one task a line.
pub(super) fn checklist(value: Option<Json<'_>>) -> Option<Cow<'_, str>> {
    let text = value.and_then(Json::text);
    text.filter(|text| text.lines().any(|line| super::tasks::checked(line).is_some()))
}

/// The arguments of a call, parsed once because they can be as long as a file.
pub(super) struct Arguments<'a>(pub(super) Vec<(Cow<'a, str>, Json<'a>)>);

impl<'a> Arguments<'a> {
    pub(super) fn of(json: Json<'a>) -> Self {
        Self(json.members().map(|(key, value)| (key.text(), value)).collect())
    }

    /// The argument with this name; of duplicates the last one counts.
    pub(super) fn get(&self, name: &str) -> Option<Json<'a>> {
        self.0.iter().rfind(|(key, _)| key == name).map(|(_, value)| *value)
    }

    /// Whether there is an argument with one of these names.
    pub(super) fn has(&self, names: &[&str]) -> bool {
        names.iter().any(|name| self.get(name).is_some())
    }

    /// The first argument with one of these names that is a string; `None` if that is blank.
    pub(super) fn first(&self, names: &[&str]) -> Option<Cow<'a, str>> {
        let text = names.iter().find_map(|name| self.get(name)?.text());
        text.filter(|text| !text.trim().is_empty())
    }

    /// The values of [`PATHS`] arguments that can be names of files.
    pub(super) fn paths(&self) -> Vec<Box<str>> {
        let named = self.0.iter().filter(|(key, _)| PATHS.contains(&key.as_ref()));
        let texts = named.flat_map(|(_, value)| {
            value.text().into_iter().chain(value.items().filter_map(Json::text))
        });
        texts.filter(|text| is_path(text)).map(|text| text.trim().into()).collect()
    }

    /// The first argument with one of these names, if it is certainly the name of a file.
    pub(super) fn file(&self, names: &[&str]) -> Option<Cow<'a, str>> {
        self.first(names).filter(|text| is_path(text) && text.contains(['/', '.']))
    }

    /// The records of a list of files, each with a path of its own.
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

    /// The text that an edit puts in; empty if it only takes out.
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
