//! The flags `--tools` and `--keep-tools`: whose results a command may touch.
//!
//! Responsible for globs, and for a warning if one matches no tool that has results, because a name may be
//! mistyped or written in another case.

use std::collections::BTreeSet;

use globset::{Glob, GlobMatcher, GlobSet};

use crate::cli::ToolNames;
use crate::command::{Shell, Trouble, Visit};
use crate::draft::Draft;
use crate::models::distance;
use crate::pairing::Pairs;
use crate::truncate::clear::{self, Tools};

/// The tools that the arguments name.
pub(super) struct NamedTools {
    only: Vec<GlobMatcher>,
    keep: Vec<GlobMatcher>,
    tools: Tools,
}

impl NamedTools {
    /// Reads the arguments.
    ///
    /// # Errors
    ///
    /// A glob is invalid.
    pub(super) fn of(names: &ToolNames) -> anyhow::Result<Self> {
        let globs = |flag: &str, globs: &[String]| -> anyhow::Result<Vec<GlobMatcher>> {
            let read = |glob: &String| {
                let parsed = Glob::new(glob).map_err(|error| {
                    let reason = format!("{flag} {glob:?} is no glob: {}", error.kind());
                    Trouble::new(reason, "as in 'read*' or '{Read,Grep}'")
                })?;
                Ok(parsed.compile_matcher())
            };
            globs.iter().map(read).collect()
        };
        let only = globs("--tools", &names.tools)?;
        let keep = globs("--keep-tools", &names.keep_tools)?;
        let tools = Tools { only: set(&only)?, keep: set(&keep)? };
        Ok(Self { only, keep, tools })
    }

    /// The tools in the form that the core uses.
    pub(super) fn tools(&self) -> Tools {
        self.tools.clone()
    }

    /// Warns if a glob matches no tool that has results; not for data sets, where many conversations will
    /// have no such tool.
    pub(super) fn tell_unmatched(&self, visit: &Visit<'_, '_>, pairs: &Pairs, shell: &Shell) {
        if visit.is_one_of_many || self.only.is_empty() && self.keep.is_empty() {
            return;
        }
        let results = clear::shortenable(&Draft::new(visit.conversation), pairs);
        let tools: BTreeSet<String> = results.into_iter().map(|(_, tool)| tool).collect();
        for (flag, globs) in [("--tools", &self.only), ("--keep-tools", &self.keep)] {
            for glob in globs.iter().filter(|glob| !tools.iter().any(|tool| glob.is_match(tool))) {
                let (place, glob) = (visit.place(), glob.glob().glob());
                let near = near(glob, &tools);
                let what = format_args!("{flag} {glob} names no tool that has results");
                // In a shell or another program this would stand for several tools.
                let several = glob.contains(',') && !glob.contains('{');
                let hint = several.then(|| format!("several tools are {flag} '{{{glob}}}'"));
                shell.say_with_hint(format_args!("{place}: {what}{near}"), hint.as_deref());
            }
        }
    }
}

/// All globs as one set; `None` if there are none.
fn set(globs: &[GlobMatcher]) -> Result<Option<GlobSet>, globset::Error> {
    let set = || GlobSet::new(globs.iter().map(GlobMatcher::glob));
    (!globs.is_empty()).then(set).transpose()
}

/// The tools that are most like a glob, nearest first, in words; empty if no tool has a name.
fn near(glob: &str, tools: &BTreeSet<String>) -> String {
    const NEAR: usize = 5;
    let glob = glob.to_lowercase();
    if tools.is_empty() {
        return ": there are none".to_owned();
    }
    let mut near: Vec<&str> = tools.iter().map(String::as_str).collect();
    near.retain(|tool| !tool.is_empty());
    near.sort_by_key(|tool| distance(glob.as_bytes(), tool.to_lowercase().as_bytes()));
    let more = if near.len() > NEAR { ", …" } else { "" };
    near.truncate(NEAR);
    if near.is_empty() { String::new() } else { format!(": {}{more}", near.join(", ")) }
}
