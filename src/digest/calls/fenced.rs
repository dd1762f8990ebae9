//! Calls in plain text: a command in a fenced block, and what it printed in the next message.
//!
//! Responsible for finding them. It relies on the conversation for which messages a program answered.

use std::ops::Range;

use crate::conversation::{Kind, Message, Origin, Place, Role};
use crate::message::observation::is_observation;

/// What opens and closes a block.
const FENCE: &str = "```";

/// How the languages of blocks end that a shell reads; mostly none is named.
const SHELLS: &[&str] = &["", "sh", "shell", "console", "bash_command"];

/// Their places, each with that of what it printed.
pub(super) fn calls(messages: &[Message<'_>]) -> impl Iterator<Item = (Place, Option<Place>)> {
    let text = |at: usize| messages[at].parts_of(Kind::Text).next();
    (1..messages.len()).filter_map(move |at| {
        let is_answer = messages[at].origin == Origin::Injected && is_observation(&messages[at]);
        let is_said = is_answer && messages[at - 1].role == Role::Assistant;
        let (place, part) = text(at - 1).filter(|_| is_said)?;
        let (result, _) = text(at)?;
        block(&part.text())?;
        Some(((at - 1, place), Some((at, result))))
    })
}

/// The last fenced block of a text, with its fences, and the command in it.
pub(super) fn block(text: &str) -> Option<(Range<usize>, &str)> {
    let end = text.rfind(FENCE)?;
    let start = text[..end].rfind(FENCE)?;
    let (language, command) = text[start + FENCE.len()..end].split_once('\n')?;
    let is_shell = SHELLS.iter().any(|shell| match *shell {
        "" => language.trim().is_empty(),
        shell => language.trim().ends_with(shell),
    });
    let is_command = is_shell && !command.trim().is_empty();
    is_command.then(|| (start..end + FENCE.len(), command.trim()))
}

/// What is said of a text beside the command in it that was run.
pub(in crate::digest) fn beside_command(text: &str) -> &str {
    block(text).map_or(text, |(block, _)| &text[..block.start])
}

/// Whether commands stand in plain text.
pub(in crate::digest) fn are_in_text(messages: &[Message<'_>]) -> bool {
    calls(messages).next().is_some()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_last_block_is_the_command() {
        let said = "I saw\n```\nls\n```\nbefore. Now:\n```mswea_bash_command\nmake -j2\n```\n";
        assert_eq!(block(said).map(|(_, command)| command), Some("make -j2"));
        for said in ["Done.", "```\n", "```python\nprint(1)\n```", "```bash\n\n```"] {
            assert_eq!(block(said), None, "{said}");
        }
    }
}
