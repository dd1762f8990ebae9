//! Where a shell stands from one part of a command to the next.
//!
//! Responsible for folders as they are seen from where the shell stood before. It relies on the words that
//! name them: what may not be done, or goes back to where nobody saw it, leads nobody knows where.

use super::split::groups;
use super::{Joint, OPENING, Part, bare, unquoted, words};
use crate::digest::files::paths::{is_fixed, joined};

/// What changes the folder of a shell.
const GOING: &[&str] = &["cd", "pushd", "popd"];

/// Whether some part of a command may: most have no such word.
pub(crate) fn may_go(command: &str) -> bool {
    GOING.iter().any(|word| command.contains(word))
}

/// Where a shell stands from one part of a command to the next; nowhere where nobody knows.
#[derive(Debug)]
pub(crate) struct Walk {
    at: Option<String>,
    /// Where the list began that a part is of: in the background it has a shell of its own.
    began: Option<String>,
    before: Joint,
    /// Where the shells around stand that wait for a group to end, and the folders that are gone back to.
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
    /// The folder that a part runs in which was entered, as it is seen from where the command began.
    pub(crate) fn at(&self) -> Option<&str> {
        self.at.as_deref()
    }

    /// The same of what stands behind the groups that a part ends.
    pub(crate) fn behind(&self, ended: usize) -> Option<&str> {
        let around = self.outside.len().checked_sub(ended).filter(|_| ended > 0);
        around.and_then(|at| self.outside.get(at)).unwrap_or(&self.at).as_deref()
    }

    pub(crate) fn enter(&mut self, part: &Part<'_>) {
        let (opened, _) = groups(part.text);
        self.outside.extend(std::iter::repeat_n(self.at.clone(), opened));
    }

    /// Goes where a part goes that was entered.
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
            if command[part.range.end..].trim_start().starts_with('&') {
                self.at.clone_from(&self.began);
            }
            self.began.clone_from(&self.at);
        }
        self.before = part.joint;
    }

    /// The folder that is gone to.
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

/// The words of a part that changes the folder of its shell: from what comes before it on, where that may keep
/// it from going.
fn going<'c>(part: &Part<'c>) -> Option<Vec<&'c str>> {
    let words = words(bare(part.text));
    let mut rest = words.iter().skip_while(|word| OPENING.contains(word));
    rest.next().is_some_and(|first| GOING.contains(first)).then_some(words)
}

/// The folder that is gone to, by the word that names it; none where none does.
fn named<'c>(going: &[&'c str]) -> Option<&'c str> {
    match going {
        ["cd"] => Some("~"),
        ["cd" | "pushd", to] if !to.starts_with(['-', '+']) => Some(unquoted(to)),
        _ => None,
    }
}
