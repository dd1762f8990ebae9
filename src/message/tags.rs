//! The tags that clients put around what a user typed and around what they tell the model beside it.
//!
//! Responsible for saying each pair once, as what opens and what closes it; who wrote what stands between them
//! `origin` says, and what of it was typed `typed`.

use crate::marks::{ENVIRONMENT, TURN_ABORTED};

/// What opens a block, and what closes it.
pub(super) type Tags = [&'static str; 2];

/// Claude Code: a command of the client's own, by its title, its name and what was typed behind it.
pub(super) const MESSAGE: Tags = ["<command-message>", "</command-message>"];
pub(super) const NAME: Tags = ["<command-name>", "</command-name>"];
pub(super) const ARGUMENTS: Tags = ["<command-args>", "</command-args>"];
/// What such a command printed, and what the model is told of it.
pub(super) const CAVEAT: Tags = ["<local-command-caveat>", "</local-command-caveat>"];
pub(super) const STDOUT: Tags = ["<local-command-stdout>", "</local-command-stdout>"];
pub(super) const STDERR: Tags = ["<local-command-stderr>", "</local-command-stderr>"];

/// Claude Code: a command that the user ran in a shell, and what it printed.
pub(super) const BASH_INPUT: Tags = ["<bash-input>", "</bash-input>"];
pub(super) const BASH_STDOUT: Tags = ["<bash-stdout>", "</bash-stdout>"];
pub(super) const BASH_STDERR: Tags = ["<bash-stderr>", "</bash-stderr>"];

/// Codex: the same, which holds the command and what it printed.
pub(super) const SHELL: Tags = ["<user_shell_command>", "</user_shell_command>"];
pub(super) const SHELL_COMMAND: Tags = ["<command>", "</command>"];
pub(super) const SHELL_RESULT: Tags = ["<result>", "</result>"];

/// What an agent reminds the model of.
pub(crate) const REMINDER: Tags = ["<system-reminder>", "</system-reminder>"];
/// Where it works.
pub(super) const CONTEXT: Tags = [ENVIRONMENT, "</environment_context>"];
/// What Cline, and those made like it, put around the state of the editor behind each of the user's messages.
pub(super) const ENVIRONMENT_DETAILS: Tags = ["<environment_details>", "</environment_details>"];
/// What these put around the first of the user's messages.
pub(super) const TASK: Tags = ["<task>", "</task>"];

/// Codex: that the user stopped a turn, as it is written and as it was.
pub(super) const STOPPED: [Tags; 2] =
    [[TURN_ABORTED[0], "</turn-aborted>"], [TURN_ABORTED[1], "</turn_aborted>"]];
