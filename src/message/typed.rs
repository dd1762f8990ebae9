//! Commands that a user typed into their client, which hands them to the model between its own tags.
//!
//! Responsible for the client's commands (`/review`), for shell commands (`!make`) and for the output of
//! both. It goes by the tags of Claude Code and Codex; other dialects recognise such a command by its record.

use std::borrow::Cow;

use super::tags::{self, BASH_INPUT, SHELL, Tags};
use super::{Message, Origin, Role};

/// The tags around the output of a shell command.
const PRINTED: [Tags; 2] = [tags::BASH_STDOUT, tags::BASH_STDERR];

/// The command as it was typed, if it asks something of the model: `/review PR 7`. Its arguments may be cut
/// off.
pub(crate) fn asked(text: &str) -> Option<String> {
    // Commands for the client alone begin with the tag of their name.
    if !text.trim_start().starts_with(tags::MESSAGE[0]) {
        return None;
    }
    let name = between(text, tags::NAME)?.trim();
    let arguments = text.split_once(tags::ARGUMENTS[0]).map_or("", |(_, behind)| behind);
    let arguments = arguments.split(tags::ARGUMENTS[1]).next().unwrap_or_default();
    Some(format!("{name} {}", arguments.trim()).trim_end().to_owned())
}

/// Treats the newest command that asks something of the model as the user's request, if no request follows it,
/// since no other message says what is to be done then. The next message, by the client, is its meaning.
pub(crate) fn mark_newest_asked(messages: &mut [Message<'_>]) {
    let last = messages.iter().rposition(Message::is_request).map_or(0, |at| at + 1);
    let is_put = |message: &Message<'_>, says: fn(&str) -> bool| {
        (message.role, message.origin) == (Role::User, Origin::Injected)
            && message.openings().next().is_some_and(|text| says(&text))
    };
    let is_asked = |message: &Message<'_>| is_put(message, |text| asked(text).is_some());
    let Some(at) = messages[last..].iter().rposition(is_asked) else { return };
    let [message, behind @ ..] = &mut messages[last + at..] else { return };
    message.origin = Origin::Spoken;
    // Other messages that agents put there begin with a tag or bracket.
    if let [meant, ..] = behind
        && is_put(meant, |text| !text.trim_start().starts_with(['<', '[']))
    {
        meant.is_meant = true;
    }
}

/// Whether a text begins like a command that the user ran in a shell.
pub(crate) fn is_run(opening: &str) -> bool {
    [BASH_INPUT, SHELL].iter().any(|[tag, _]| opening.trim_start().starts_with(tag))
}

/// Whether a text holds a shell command together with its output.
pub(crate) fn is_run_and_printed(opening: &str) -> bool {
    opening.trim_start().starts_with(SHELL[0])
}

/// Whether a text begins like the output of a shell command.
pub(crate) fn is_printed(opening: &str) -> bool {
    PRINTED.iter().any(|[tag, _]| opening.trim_start().starts_with(tag))
}

/// The shell command in `text`, without its tags.
pub(crate) fn run(text: &str) -> &str {
    let tags = if is_run_and_printed(text) { tags::SHELL_COMMAND } else { BASH_INPUT };
    between(text, tags).unwrap_or(text).trim()
}

/// The output of a command, without the tags around it.
pub(crate) fn printed(text: Cow<'_, str>) -> Cow<'_, str> {
    let outputs: &[Tags] = match &text {
        text if is_run_and_printed(text) => &[tags::SHELL_RESULT],
        text if is_printed(text) => &PRINTED,
        _ => return text,
    };
    let outputs = outputs.iter().filter_map(|tags| between(&text, *tags));
    let outputs = outputs.map(str::trim).filter(|output| !output.is_empty());
    outputs.collect::<Vec<_>>().join("\n").into()
}

fn between(text: &str, [from, to]: Tags) -> Option<&str> {
    text.split_once(from)?.1.split_once(to).map(|(inner, _)| inner)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn commands_are_read_without_their_tags() {
        let review = "<command-message>review</command-message>\n<command-name>/review</command-name>\n\
                      <command-args>PR 7\nonly tests</command-args>";
        assert_eq!(asked(review).as_deref(), Some("/review PR 7\nonly tests"));
        assert_eq!(
            asked("<command-name>/model</command-name>\n<command-message>model</command-message>"),
            None
        );
        assert_eq!(asked("Look at /review."), None);
        assert_eq!(run("<bash-input>make -j2</bash-input>"), "make -j2");
        assert_eq!(run("make"), "make");
        let ran = "<user_shell_command>\n<command>\nmake\n</command>\n<result>\nExit code: 1\nno\n</result>\n\
                   </user_shell_command>";
        let printed = |text: &'static str| printed(text.into());
        assert_eq!((run(ran), &*printed(ran)), ("make", "Exit code: 1\nno"));
        assert_eq!(printed("<bash-stdout>a</bash-stdout><bash-stderr>b</bash-stderr>"), "a\nb");
        assert_eq!(printed("<result>a</result>"), "<result>a</result>");
    }
}
