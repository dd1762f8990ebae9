//! In which folder a shell stands from one part of a command to the next.
//!
//! Responsible for folders relative to where the shell stood at the beginning. It relies on the words that name
//! them: if a change of the folder may not happen, or returns to a folder that was not seen, the folder is
//! unknown.

use super::split::{groups, in_background};
use super::{Joint, Part, bare, unopened, unquoted, unwrapped, words};
use crate::digest::files::paths::{is_fixed, joined};

/// Commands that change the folder of a shell.
const GOING: &[&str] = &["cd", "pushd", "popd"];

/// Whether some part of a command may change the folder: most have no such word.
pub(crate) fn may_go(command: &str) -> bool {
    GOING.iter().any(|word| command.contains(word))
}

/// The current folder from one part of a command to the next; `None` stands for an unknown one.
#[derive(Debug)]
pub(crate) struct Walk {
    at: Option<String>,
    /// The folder at the beginning of the current list: in the background the list has a shell of its own.
    began: Option<String>,
    before: Joint,
    /// The folders outside of the open groups, and the folders that `popd` returns to.
    outside: Vec<Option<String>>,
    left: Vec<Option<String>>,
}

impl Default for Walk {
    fn default() -> Self {
        let here = Some(String::new());
        let (outside, left) = (Vec::new(), Vec::new());
        Self { at: here.clone(), began: here, before: Joint::End, outside, left }
    }
}

impl Walk {
    /// The folder of the entered part, relative to where the command began.
    pub(crate) fn at(&self) -> Option<&str> {
        self.at.as_deref()
    }

    /// The folder behind the groups that a part ends.
    pub(crate) fn behind(&self, ended: usize) -> Option<&str> {
        let around = self.outside.len().checked_sub(ended).filter(|_| ended > 0);
        around.and_then(|at| self.outside.get(at)).unwrap_or(&self.at).as_deref()
    }

    pub(crate) fn enter(&mut self, part: &Part<'_>) {
        let (opened, _) = groups(part.text);
        self.outside.extend(std::iter::repeat_n(self.at.clone(), opened));
    }

    /// Leaves the entered part, and goes where it goes.
    pub(crate) fn leave(&mut self, command: &str, part: &Part<'_>) {
        if let Some(going) = going(part) {
            let joints = [self.before, part.joint];
            let is_sure = joints[0] != Joint::Or && !joints.contains(&Joint::Pipe);
            self.at = self.gone(&going).filter(|_| is_sure);
        }
        for _ in groups(part.text).1 {
            if let Some(around) = self.outside.pop() {
                self.at = around;
            }
        }
        if part.joint == Joint::End {
            if in_background(command, part) {
                self.at.clone_from(&self.began);
            }
            self.began.clone_from(&self.at);
        }
        self.before = part.joint;
    }

    /// The folder that a part goes to; `None` if it is unknown.
    fn gone(&mut self, going: &[&str]) -> Option<String> {
        if let ["popd"] = going {
            return self.left.pop().flatten();
        }
        let to = named(going);
        if going.first() == Some(&"pushd") {
            self.left.push(self.at.clone());
        }
        let to = to.filter(|to| self.at.is_some() || is_fixed(to))?;
        Some(joined(self.at.as_deref().unwrap_or_default(), to))
    }
}

/// Whether a part changes the folder of its shell.
pub(crate) fn goes(part: &Part<'_>) -> bool {
    going(part).is_some()
}

/// The words of a part that changes the folder; `None` for any other part. Words such as `if` and `sudo`, which
/// may keep it from going, are included.
fn going<'c>(part: &Part<'c>) -> Option<Vec<&'c str>> {
    let words = words(bare(part.text));
    let first = unwrapped(unopened(&words)).first();
    first.is_some_and(|first| GOING.contains(first)).then_some(words)
}

/// The folder that the words name; `None` if they name none.
fn named<'c>(going: &[&'c str]) -> Option<&'c str> {
    match going {
        ["cd"] => Some("~"),
        ["cd" | "pushd", to] if !to.starts_with(['-', '+']) => Some(unquoted(to)),
        _ => None,
    }
}
