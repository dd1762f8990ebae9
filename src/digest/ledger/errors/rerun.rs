//! A command that passed once its tool was told to run it in another way.
//!
//! Responsible for the arguments in which the two calls differ: write permission, another sandbox, more time.

use crate::conversation::{Message, Part};
use crate::digest::calls::Call;
use crate::digest::calls::given::with_arguments;

/// Parts of the names of arguments that say how a command runs. Other arguments say what it is for, or are secret.
const WAYS: &[&str] = &[
    "allow", "approv", "background", "cwd", "elevat", "escalat", "mode", "network", "permission",
    "privileg", "sandbox", "shell", "timeout", "tty", "workdir",
];

/// The arguments that the later of two calls of one command was given and the earlier was not: `` `sandbox:
/// off` ``. `None` if the commands differ or there are no such arguments.
pub(super) fn given_then(messages: &[Message<'_>], failed: &Call, passed: &Call) -> Option<String> {
    if failed.command != passed.command || failed.tool != passed.tool {
        return None;
    }
    let [before, then] =
        [failed, passed].map(|call| arguments(&messages[call.place.0].parts[call.place.1]));
    let is_new = |argument: &&String| !before.contains(argument);
    let new = then.iter().filter(is_new).map(|argument| format!("`{argument}`"));
    let new: Vec<String> = new.collect();
    (!new.is_empty()).then(|| new.join(", "))
}

/// The arguments of a call that say how it runs and have one word as their value, as `name: value`.
fn arguments(part: &Part<'_>) -> Vec<String> {
    let mut all = Vec::new();
    with_arguments(part, |arguments| {
        for (name, value) in arguments.members() {
            let value = value.plain();
            let is_word = |c: char| c.is_alphanumeric() || "-_./".contains(c);
            let name = name.text();
            let is_way = WAYS.iter().any(|way| name.to_ascii_lowercase().contains(way));
            if is_way && value.chars().all(is_word) {
                all.push(format!("{name}: {value}"));
            }
        }
    });
    all
}
