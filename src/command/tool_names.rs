//! `--tools` and `--keep-tools`: whose results a command may touch.
//!
//! Responsible for globs, and for saying so where one names no tool that there are results of: a name may
//! be mistyped, or be written in another case.

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
    /// A glob is none.
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

    /// Them, as the core wants it.
    pub(super) fn tools(&self) -> Tools {
        self.tools.clone()
    }

    /// Says so where a glob names none of the tools that there are results of. Of a data set's
    /// conversations many will have no such tool.
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
                // What a shell or another program would take for several.
                let several = glob.contains(',') && !glob.contains('{');
                let hint = several.then(|| format!("several tools are {flag} '{{{glob}}}'"));
                shell.say_with_hint(format_args!("{place}: {what}{near}"), hint.as_deref());
            }
        }
    }
}

/// All globs in one, if there are any.
fn set(globs: &[GlobMatcher]) -> Result<Option<GlobSet>, globset::Error> {
    let set = || GlobSet::new(globs.iter().map(GlobMatcher::glob));
    (!globs.is_empty()).then(set).transpose()
}

/// The tools that are most like a glob, nearest first, in words; nothing where none has a name.
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
