//! What a tool call did, judged by its arguments and its result, for any tool.
//!
//! Responsible for naming the deed, the files that a call touched, the command that it ran, and how it ended.
//! It goes by the names of arguments, never by one agent's list of tools. The submodules know what a shell
//! command is for and what it does.

pub(super) mod aim;
mod arguments;
pub(super) mod commands;
mod course;
mod deeds;
mod does;
mod drives;
pub(super) mod folder;
mod found;
pub(in crate::digest) mod given;
mod globs;
mod gone;
mod hosted;
pub(super) mod outcome;
mod proposed;
mod read;
mod several;
pub(super) mod shell;
pub(super) mod steps;
pub(super) mod tasks;
mod tested;
mod tool;
mod typed;
pub(super) mod waited;
pub(super) mod within;

use std::borrow::Cow;

use super::files::deed::{Deed, Touch};
use super::files::{patch, paths};
use crate::conversation::{Conversation, Kind, Part, Place};
use crate::json::Json;
use crate::line::clip;
use crate::marks;
use crate::message;
use crate::printed::printed;
use outcome::{Ended, Of, Outcome};

use arguments::{
    ABOUT, Arguments, CHECKLIST, CODE, COMMANDS, PROCESSES, PROGRESS, SHELLS, checklist,
};
use course::Course;
use folder::Folder;
use tool::{EXECUTING, RUNNING, Words};
use within::Way;

pub(super) use arguments::{OLD, is_command, task_list};
pub use does::{Does, does, does_each, in_passing, range_asked};
pub(super) use given::{texts, with_arguments};
pub use hosted::{Hosted, hosted};
pub(super) use proposed::is_proposed;
pub(super) use read::read;

/// One call, understood.
#[derive(Debug, Default)]
pub(super) struct Call {
    pub(super) place: Place,
    pub(super) result: Option<Place>,
    pub(super) deed: Deed,
    pub(super) tool: Box<str>,
    pub(super) touches: Vec<Touch>,
    /// The command line, if the call runs one.
    pub(super) command: Option<Box<str>>,
    /// Whether the user ran the command.
    pub(super) is_users: bool,
    /// What the call says of folders, used until `within` and `stands` are known.
    /// `within`: the folder in which the command runs, relative to where the session began. `stands`: the
    /// folder in which its shell stands afterwards, if that may be another one.
    way: Option<Box<Way>>,
    pub(super) within: Folder,
    pub(super) stands: Option<Box<str>>,
    /// The process that the call waits for, and the call that started it: its number and its message.
    pub(super) process: Option<Box<str>>,
    pub(super) started: Option<(u32, usize)>,
    /// What the call is about: a pattern, a query, an address, a task.
    pub(super) about: Option<Box<str>>,
    pub(super) outcome: Outcome,
    /// Whether the call's arguments hold a list of tasks.
    tells_progress: bool,
    /// Whether the call searched for something and its result is empty or says that nothing was found.
    pub(super) finds_nothing: bool,
}

impl Call {
    /// The kind of call that its result is judged as.
    fn results(&self) -> Of<'_> {
        match self.deed {
            Deed::Delegated => Of::Errand,
            deed if self.command.is_none() && !deed.changes() && self.only_looks() => Of::Look,
            deed => Of::new(self.command.as_deref(), deed.changes()),
        }
    }

    /// What the call says of folders; mostly nothing.
    fn way(&self) -> &Way {
        static NONE: Way = Way::NONE;
        self.way.as_deref().unwrap_or(&NONE)
    }

    fn way_mut(&mut self) -> &mut Way {
        self.way.get_or_insert_with(|| Box::new(Way::NONE))
    }

    /// How the call ended, as it is written behind an arrow.
    pub(super) fn ending(&self) -> Ended {
        Ended::of(&self.outcome)
    }
}

/// How many bytes of a command are kept: enough to recognise it, and as much as a line shows.
const LONGEST_COMMAND: usize = 1000;

/// Whether a call works on files or runs a command.
pub(super) fn is_work(part: &Part<'_>) -> bool {
    let call = alone(part);
    call.command.is_some() || call.touches.iter().any(|touch| touch.path.contains(['/', '.']))
}

/// How a call ended, as told in the placeholder of its result. `None` for a call that only looked and
/// succeeded, unless its outcome has a line to tell.
pub fn outcome_line(call: &Part<'_>, result: &Part<'_>) -> Option<String> {
    let call = alone(call);
    let outcome = outcome::judge(result, call.results());
    let only_looks = match &call.command {
        Some(command) => shell::does_nothing(command),
        None => !call.deed.changes(),
    };
    let is_idle =
        only_looks && outcome == Outcome { line: outcome.line.clone(), ..Outcome::default() };
    outcome::line(&outcome).filter(|_| !is_idle)
}

/// Reads a call on its own: its place, its outcome and its edits within files are not known.
fn alone(part: &Part<'_>) -> Call {
    one((0, 0), part, None, Detail::Paths)
}

/// How much is read of what a call does to files.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Detail {
    /// The files that it touches.
    Paths,
    /// The edits within them too, which take longest to find.
    Edits,
}

/// Reads a call without its outcome.
fn one(place: Place, part: &Part<'_>, around: Option<&str>, detail: Detail) -> Call {
    let tool = if part.kind == Kind::Other { hosted::tool(part) } else { part.tool() };
    let mut call = Call { place, tool: tool.as_ref().into(), ..Call::default() };
    if part.kind == Kind::Text {
        call.is_users = typed::is_command(part);
        if call.is_users {
            run(&mut call, message::typed::run(&part.text()), around, true);
        }
        return call;
    }
    let read = |json: Json<'_>| {
        let arguments = Arguments::of(json);
        understand(&mut call, &arguments, around, detail);
        deeds::spare(&mut call, &arguments);
    };
    if with_arguments(part, read).is_none() {
        let text = part.text();
        if text.contains(patch::BEGIN) {
            take_patch(&mut call, &text);
        } else if Words::of(&call.tool).has(RUNNING) && !text.trim().is_empty() {
            run(&mut call, &text, None, false);
        } else if !text.trim().is_empty() {
            call.about = Some(clip(text.trim(), 120));
        }
    }
    call
}

/// Whether a part is a call, perhaps of a tool that the provider runs.
pub(super) fn is_call(part: &Part<'_>) -> bool {
    part.kind == Kind::ToolCall || hosted::is_call(part)
}

fn understand(call: &mut Call, arguments: &Arguments<'_>, around: Option<&str>, detail: Detail) {
    let words = Words::of(&call.tool);
    let paths = arguments.paths();
    let names_file = !paths.is_empty();
    call.process = PROCESSES.iter().find_map(|key| {
        let process = arguments.get(key)?;
        let process = process.plain();
        (!process.is_empty()).then(|| process.as_ref().into())
    });
    call.tells_progress = checklist(arguments.get(PROGRESS)).is_some();
    call.about = arguments.first(ABOUT).map(|text| clip(first_line(&text), 120));
    if deeds::plans(arguments, &words) {
        call.deed = Deed::Planned;
        return;
    }
    if let Some(command) = command_of(arguments, &words, names_file) {
        let folder = arguments.first(&["workdir", "cwd", "working_directory", "dir_path"]);
        let is_shell = arguments.has(SHELLS) || arguments.has(&[several::LIST]);
        run(call, &command, folder.as_deref().or(around), is_shell);
        return;
    }
    if arguments.has(&["patch"]) || words.say(&["patch"]) {
        let text = arguments.first(&["patch", "input", "diff", "patchText"]);
        if let Some(text) = text.filter(|text| text.contains(patch::BEGIN)) {
            take_patch(call, &text);
            return;
        }
    }
    let several = arguments.each_file();
    if !names_file && !several.is_empty() {
        for one in several {
            let paths = one.paths();
            let (deed, touches) = deeds::touches(&one, &words, paths, detail);
            call.deed = deed;
            call.touches.extend(touches);
        }
        return;
    }
    (call.deed, call.touches) = deeds::touches(arguments, &words, paths, detail);
}

/// The command line that a call runs; several commands are joined as lines.
fn command_of(arguments: &Arguments<'_>, words: &Words, names_file: bool) -> Option<String> {
    if let Some(several) = several::commands(|key| arguments.get(key)) {
        return Some(several.join("\n"));
    }
    let key = COMMANDS.iter().find(|key| arguments.get(key).is_some())?;
    let value = arguments.get(key)?;
    if value.is_array() {
        let words: Vec<Cow<'_, str>> = value.items().filter_map(Json::text).collect();
        return Some(match words.as_slice() {
            [_, flag, script] if flag.starts_with('-') && flag.ends_with('c') => script.to_string(),
            _ => words.join(" "),
        });
    }
    let is_program = *key != CODE || words.has(RUNNING) || words.has(EXECUTING);
    let is_edit = names_file
        && (!is_program || deeds::editing(arguments).is_some() || deeds::has_edit(arguments));
    value.text().map(Cow::into_owned).filter(|text| !text.trim().is_empty() && !is_edit)
}

/// Enters a command: `folder` is where it runs, if the call says so; `is_shell` says whether a shell reads it.
fn run(call: &mut Call, command: &str, folder: Option<&str>, is_shell: bool) {
    call.deed = Deed::Ran;
    let folder = folder.map(paths::slashed);
    let folder = folder.as_deref();
    // The lines of a patch are no commands; the text around the patch may be.
    let patch = patch::applied(command);
    let around = patch.clone().unwrap_or(command.len()..command.len());
    let mut rest = Cow::Borrowed(command);
    if patch.is_some() {
        rest = format!("{}{}", &command[..around.start], &command[around.end..]).into();
        call.touches = patch::touches(&command[around.clone()]);
        shell::place_patch(&mut call.touches, &rest, folder);
        let check = aim::check(&rest);
        let is_before = check.is_some_and(|check| around.start <= check.start);
        call.touches.iter_mut().for_each(|touch| touch.is_before_check = is_before);
    }
    if is_shell {
        // Text in another program that looks like shell commands touches no file.
        call.touches.extend(shell::touches(&rest, folder));
        let course = Course::of(&rest);
        if folder.is_some() || course != Course::stays() {
            let way = call.way_mut();
            (way.around, way.course) = (folder.map(Into::into), course);
        }
    }
    let run = if patch.is_some() { shell::behind(&rest, patch::PROGRAM) } else { Some(command) };
    match run {
        Some(run) => call.command = Some(clip(run.trim(), LONGEST_COMMAND)),
        None => call.deed = Deed::Edited,
    }
}

/// Whether a call applies a patch.
pub(super) fn applies_patch(part: &Part<'_>) -> bool {
    let mut is_patch = false;
    // The escaped source mostly shows that there is no patch, because nobody escapes letters.
    if part.body.is_some_and(|body| body.source().contains(patch::BEGIN)) {
        texts(part, |_, text| is_patch |= text.contains(patch::BEGIN));
    }
    is_patch
}

fn take_patch(call: &mut Call, text: &str) {
    call.deed = Deed::Edited;
    call.touches = patch::touches(text);
}

fn first_line(text: &str) -> &str {
    text.trim().lines().next().unwrap_or("")
}

/// The text of a part. For a result it is what was printed, or the excerpt that is shown where the rest is in a
/// file.
pub(super) fn said<'a>(part: &Part<'a>) -> Cow<'a, str> {
    match (part.kind, part.text()) {
        (Kind::ToolResult | Kind::Other, Cow::Owned(text)) => {
            Cow::Owned(printed(marks::shown(&text)).into_owned())
        }
        (Kind::ToolResult | Kind::Other, Cow::Borrowed(text)) => printed(marks::shown(text)),
        (Kind::Text, text) => message::typed::printed(text),
        (_, text) => text,
    }
}

/// The text of a result, or of any part.
pub(super) fn result_text<'a>(conversation: &Conversation<'a>, place: Place) -> Cow<'a, str> {
    let part = conversation.part(place);
    let is_result = matches!(part.kind, Kind::ToolResult | Kind::Other | Kind::Text);
    debug_assert!(is_result, "only results are asked for");
    said(part)
}
