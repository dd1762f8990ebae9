//! The words in a tool's name.
//!
//! Responsible for what a name tells that the arguments leave open. Only whole words of the tool's own name
//! count: its server's name says nothing, and a part of a word means something else. It also tells whether a
//! call only looks, or does something that nothing else tells of.

use super::{Call, Deed};

/// Words of tools that change a file, and of tools that create one.
pub(super) const CHANGING: &[&str] = &["edit", "patch", "replace", "insert"];
pub(super) const CREATING: &[&str] = &["create", "write"];
pub(super) const DELETING: &[&str] = &["delete", "remove", "unlink", "rm"];
pub(super) const MOVING: &[&str] = &["move", "rename", "mv"];
pub(super) const COPYING: &[&str] = &["copy", "cp"];
pub(super) const LISTING: &[&str] = &["list", "ls", "glob", "tree", "dir"];
pub(super) const PLANNING: &[&str] = &["todo", "todos", "task", "tasks", "plan"];
/// Words of tools whose result is the file that they name.
pub(super) const READING: &[&str] = &["read", "view", "open", "cat"];
/// Words of tools that run a given program, if no argument names it.
pub(super) const RUNNING: &[&str] = &["python", "ipython", "javascript", "interpreter"];
/// Words of other tools that run what they are given, with a file or without.
pub(super) const EXECUTING: &[&str] = &["run", "execute", "exec", "eval", "test"];
/// Words of other tools that change nothing.
const LOOKING: &[&str] = &[
    "get", "show", "find", "search", "grep", "fetch", "retrieve", "lookup", "describe",
    "calculate", "check",
];
/// Words of tools that note what the model thinks, and return nothing.
pub(super) const THINKING: &[&str] = &["think", "thinking"];

/// The words of a tool's name in lower case, without its server's name.
pub(super) struct Words(Vec<String>);

impl Words {
    pub(super) fn of(tool: &str) -> Self {
        let own = tool.rsplit("__").find(|part| !part.is_empty()).unwrap_or(tool);
        let own = own.rsplit(['.', '/', ':']).next().unwrap_or(own);
        let mut words = Vec::from([String::new()]);
        let mut chars = own.chars().peekable();
        let mut before = '_';
        while let Some(c) = chars.next() {
            let is_next_small = chars.peek().is_some_and(|next| next.is_lowercase());
            let begins = c.is_uppercase() && (before.is_lowercase() || is_next_small);
            if begins || !c.is_alphanumeric() {
                words.push(String::new());
            }
            if c.is_alphanumeric() {
                words.last_mut().expect("there is one").extend(c.to_lowercase());
            }
            before = c;
        }
        Self(words)
    }

    /// Whether one of the wanted words is among them.
    pub(super) fn has(&self, wanted: &[&str]) -> bool {
        self.0.iter().any(|word| wanted.contains(&word.as_str()))
    }

    /// Whether one of the wanted words is among them and none says that the tool only looks.
    pub(super) fn say(&self, wanted: &[&str]) -> bool {
        self.has(wanted) && !self.only_looks()
    }

    /// Whether they say that the tool only looks, whatever else they name.
    pub(super) fn only_looks(&self) -> bool {
        self.has(READING) || self.has(LOOKING) || self.has(THINKING)
    }
}

impl Call {
    /// Whether the name of the tool says that it only looks.
    pub(in crate::digest) fn only_looks(&self) -> bool {
        let words = Words::of(&self.tool);
        words.only_looks() || words.has(LISTING)
    }

    /// Whether the call runs a command, or waits for one.
    pub(in crate::digest) fn runs(&self) -> bool {
        self.command.is_some() || self.started.is_some()
    }

    /// Whether the call did something that neither a file nor a command tells of.
    pub(in crate::digest) fn is_act(&self) -> bool {
        matches!(self.deed, Deed::Other | Deed::Moved | Deed::Deleted)
            && !self.runs()
            && self.touches.is_empty()
            && !self.only_looks()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_end_at_marks_and_capitals() {
        for (tool, wanted) in [
            ("mcp__text-editor__get_text", "get text"),
            ("NotebookEdit", "notebook edit"),
            ("LSTool", "ls tool"),
            ("functions.apply_patch", "apply patch"),
            ("LS", "ls"),
        ] {
            let words = Words::of(tool).0;
            assert_eq!(words.join(" ").trim(), wanted, "{tool}");
        }
    }
}
