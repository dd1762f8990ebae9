//! The tags that clients put around what a user typed and around what they tell the model beside it.
//!
//! Responsible for naming each pair of tags once, the opening and the closing one. The module `origin`
//! decides who wrote the text between them, `typed` what of it the user typed.

use crate::marks::{ENVIRONMENT, TURN_ABORTED};

/// The tag that opens a block, and the tag that closes it.
pub(super) type Tags = [&'static str; 2];

/// Claude Code: a slash command of the client, by its title, its name and its arguments.
pub(super) const MESSAGE: Tags = ["<command-message>", "</command-message>"];
pub(super) const NAME: Tags = ["<command-name>", "</command-name>"];
pub(super) const ARGUMENTS: Tags = ["<command-args>", "</command-args>"];
/// Claude Code: what the model is told about the output of such a command, and that output.
pub(super) const CAVEAT: Tags = ["<local-command-caveat>", "</local-command-caveat>"];
pub(super) const STDOUT: Tags = ["<local-command-stdout>", "</local-command-stdout>"];
pub(super) const STDERR: Tags = ["<local-command-stderr>", "</local-command-stderr>"];

/// Claude Code: a command that the user ran in a shell, and what it printed.
pub(super) const BASH_INPUT: Tags = ["<bash-input>", "</bash-input>"];
pub(super) const BASH_STDOUT: Tags = ["<bash-stdout>", "</bash-stdout>"];
pub(super) const BASH_STDERR: Tags = ["<bash-stderr>", "</bash-stderr>"];

/// Codex: a command that the user ran in a shell; the block holds the command and its output.
pub(super) const SHELL: Tags = ["<user_shell_command>", "</user_shell_command>"];
pub(super) const SHELL_COMMAND: Tags = ["<command>", "</command>"];
pub(super) const SHELL_RESULT: Tags = ["<result>", "</result>"];

/// An agent's reminder to the model.
pub(crate) const REMINDER: Tags = ["<system-reminder>", "</system-reminder>"];
/// The agent's working environment.
pub(super) const CONTEXT: Tags = [ENVIRONMENT, "</environment_context>"];
/// Cline and its derivatives: the state of the editor, behind each message of the user.
pub(super) const ENVIRONMENT_DETAILS: Tags = ["<environment_details>", "</environment_details>"];
/// Cline and its derivatives: the user's first message.
pub(super) const TASK: Tags = ["<task>", "</task>"];

/// Codex: the user stopped a turn; the current tags and the former ones.
pub(super) const STOPPED: [Tags; 2] =
    [[TURN_ABORTED[0], "</turn-aborted>"], [TURN_ABORTED[1], "</turn_aborted>"]];
