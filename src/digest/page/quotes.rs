//! Lines of what was read, run or written, quoted as data.
//!
//! Responsible for the marks before such lines and for writing once what two units share. It relies on the
//! units being in order.

use super::{Heading, Item, Page};
use crate::begins::begins_with_any;
use crate::conversation::{Kind, Origin};
use crate::digest::calls;
use crate::digest::reading::survey::leaf_text;
use crate::digest::text::labels::{PUT, RUN};
use crate::digest::text::tidy::joined;

/// Precedes a line of a command that is not its first.
const WITHIN: &str = "… ";

/// Precedes printed text that begins with one of our marks itself: a change that git showed, a prompt.
const PRINTED: &str = "| ";

/// Returns the quoted lines under a file, a command or a heading; pairs that share a line become one line.
pub(super) fn quotes(page: &Page<'_, '_>, members: &[u32]) -> Vec<String> {
    page.again(members, || quoted(page, members, |at| line(page, at)))
}

/// Writes units in order. If a unit begins within the one before, its rest continues the same line.
pub(super) fn quoted(
    page: &Page<'_, '_>,
    members: &[u32],
    write: impl Fn(u32) -> String,
) -> Vec<String> {
    let mut lines: Vec<String> = Vec::new();
    let mut last = (None, 0);
    for &at in members {
        let Some(unit) = page.unit(at) else {
            lines.push(write(at));
            continue;
        };
        let (leaf, end) = (Some(unit.leaf), last.1);
        match lines.last_mut() {
            Some(line) if last.0 == leaf && unit.start < end => {
                let more = page.text(at).get((end - unit.start) as usize..).map(joined);
                if let Some(more) = more.filter(|more| !more.is_empty()) {
                    line.push_str(" · ");
                    line.push_str(&more);
                }
            }
            _ => lines.push(write(at)),
        }
        last = (leaf, unit.end.max(if last.0 == leaf { end } else { 0 }));
    }
    lines
}

/// The line of a choice: a unit as quoted data, a change in our words.
pub(super) fn line(page: &Page<'_, '_>, at: u32) -> String {
    match page.items[at as usize] {
        Item::Change(file, change) => {
            format!("  {}", page.ledger.files[file as usize].changes[change as usize].change)
        }
        Item::Unit(_) if page.is_put(at) => {
            let is_signed = page.is_signed(at);
            let unsigned = |line| if is_signed { unsigned(line) } else { line };
            let lines: Vec<&str> = page.line(at).split(" · ").map(unsigned).collect();
            format!("> {PUT}{}", lines.join(" · "))
        }
        Item::Unit(_) if page.is_run(at) => {
            // A line within a command is not the command itself.
            let is_within = page.stands_within(at) && !page.is_carried(at);
            match page.behind_heading(at).filter(|_| !page.stands_within(at)) {
                Some(rest) => format!("> {RUN}{WITHIN}{rest}"),
                None if is_within => format!("> {RUN}{WITHIN}{}", page.line(at)),
                None => format!("> {RUN}{}", page.line(at)),
            }
        }
        _ => {
            // The output of a program is marked if it begins like one of our lines.
            let line = page.line(at);
            let mark = if begins_with_any(line, &[PUT, RUN]) { PRINTED } else { "" };
            format!("> {mark}{line}")
        }
    }
}

/// A written line without the sign of a patch: two signs belong to the line itself.
fn unsigned(line: &str) -> &str {
    let signs = line.len() - line.trim_start_matches('+').len();
    if signs % 2 == 1 { line[1..].trim_start() } else { line }
}

impl Page<'_, '_> {
    /// Whether other words of its text stand before a chosen line.
    pub(super) fn stands_within(&self, at: u32) -> bool {
        let (message, _, start) = self.place(at);
        let mut is_within = false;
        if let Some(leaf) = self.leaf(at).filter(|_| start > 0) {
            let part = &self.request.conversation.messages[message].parts[leaf.part as usize];
            leaf_text(part, &leaf, |text| {
                is_within = text.get(..start as usize).is_some_and(|it| !it.trim().is_empty());
            });
        }
        is_within
    }

    /// What a chosen line of a command says behind the words that the heading shows of it.
    fn behind_heading(&self, at: u32) -> Option<&str> {
        let Heading::Command(number) = self.heading_of(self.items[at as usize]) else {
            return None;
        };
        let shown = self.ledger.commands[number as usize].shown.strip_suffix('…')?;
        let (shown, _) = shown.rsplit_once(' ')?;
        let rest = self.line(at).strip_prefix(shown)?.strip_prefix(' ')?;
        Some(rest.trim_start_matches("· "))
    }

    /// Whether a chosen line stood in an earlier digest.
    pub(super) fn is_carried(&self, at: u32) -> bool {
        let messages = &self.request.conversation.messages;
        self.leaf(at).is_some_and(|leaf| messages[leaf.message as usize].origin == Origin::Summary)
    }

    /// Whether a line that an edit wrote has a sign before it, as in a patch.
    pub(super) fn is_signed(&self, at: u32) -> bool {
        self.leaf(at).is_some_and(|leaf| {
            let part = &self.request.conversation.messages[leaf.message as usize].parts
                [leaf.part as usize];
            part.kind == Kind::ToolCall && calls::applies_patch(part)
        })
    }
}
