//! The lines of a Claude Code session that are dropped with others.
//!
//! Responsible for lines beside those that the draft drops: silent lines, dead lines, and copies for the
//! screen. It relies on the session as it was read.

use std::cell::LazyCell;
use std::collections::HashSet;

use super::Session;
use crate::dialect::claude_code::line::LineKind;
use crate::draft::Draft;
use crate::json::Json;
use crate::message::Kind;

/// Types of bookkeeping about dropped lines; other lines outside the chain name the session, its title and
/// its modes.
const BARE_THAT_GO: [&str; 2] = ["file-history-snapshot", "queue-operation"];

impl<'a> Session<'a> {
    /// Drops live lines without content together with the message before them, and blank fragments of answers
    /// with every compaction. The boundary stays until another one replaces it; a record that results were
    /// cleared stays for the results that are kept.
    pub(super) fn drop_silent_lines(&self, draft: &mut Draft<'_, 'a>, is_compaction: bool) {
        let message_of = |at: &usize| self.message_of(*at);
        let first = self.live.order.iter().find_map(message_of);
        let mut goes = first.is_some_and(|first| draft.is_dropped(first));
        for at in &self.live.order {
            let line = self.line(*at);
            match message_of(at) {
                Some(message) => goes = draft.is_dropped(message),
                None if line.kind == LineKind::Boundary && is_compaction => {
                    draft.drop_unit(line.unit);
                }
                None if line.kind == LineKind::Boundary || line.is_clearing() => {}
                None if goes || (is_compaction && line.kind == LineKind::Assistant) => {
                    draft.drop_unit(line.unit);
                }
                None => {}
            }
        }
    }

    /// Drops lines that are not live: those among dropped live lines, those that would be read as the end of
    /// the conversation, and, when a new compaction replaces an earlier one, what that one left behind, even
    /// between lines that it keeps.
    pub(super) fn drop_dead_lines(&self, draft: &mut Draft<'_, 'a>, is_compaction: bool) {
        let lines = self.log.lines.len();
        let is_live = self.live.among(lines);
        let gone = draft.gone_units();
        let is_gone = |at: usize| gone[self.line(at).unit];
        let is_said = |at: usize| is_live[at] && self.line(at).is_conversation() && !is_gone(at);
        let last = (0..lines).rev().find(|&at| is_said(at));
        let lines = self.live.order.iter().map(|&at| self.line(at)).filter(|_| is_compaction);
        // Lazy, because they are seldom needed.
        let live_ids: LazyCell<HashSet<&str>, _> = LazyCell::new(|| {
            lines.flat_map(|line| line.message_id.into_iter().chain(line.calls())).collect()
        });
        let boundary = self.boundary().and(self.live.order.first()).filter(|_| is_compaction);
        let mut goes = is_compaction;
        for (at, line) in self.log.lines.iter().enumerate() {
            if is_live[at] || self.message_of(at).is_some() {
                goes = is_compaction && is_gone(at) || Some(&at) < boundary;
                continue;
            }
            let is_end = last < Some(at) && line.is_conversation() && !line.is_sidechain;
            let mut ids = line.message_id.into_iter().chain(line.answers());
            let is_rest = ids.any(|id| live_ids.contains(id))
                || (is_compaction && line.kind == LineKind::Boundary);
            let is_bare = line.kind == LineKind::Bare;
            let kind = line.json.member("type");
            let has_gone = |name: &&str| kind.is_some_and(|kind| kind.says(name));
            if is_end || is_rest || (goes && (!is_bare || BARE_THAT_GO.iter().any(has_gone))) {
                draft.drop_unit(line.unit);
            }
        }
    }

    /// Drops lines that a later line with the same `uuid` replaced together with that line; otherwise they
    /// would be read again.
    pub(super) fn drop_replaced_lines(&self, draft: &mut Draft<'_, 'a>) {
        let gone = draft.gone_units();
        for &(at, unit) in &self.log.replaced {
            if gone[self.line(at).unit] {
                draft.drop_unit(unit);
            }
        }
    }
}

/// Removes `toolUseResult`, the copy for the screen, from changed results, because it holds the old text.
pub(super) fn drop_screen_copies(draft: &mut Draft<'_, '_>) {
    let conversation = draft.conversation();
    for (at, message) in conversation.messages.iter().enumerate() {
        if draft.is_dropped(at) || !draft.is_changed(at) {
            continue;
        }
        let is_changed = |place| draft.new_text(place).is_some() || draft.is_removed(place);
        let results = message.parts_of(Kind::ToolResult);
        let changed: Vec<Json<'_>> = results
            .filter(|(index, _)| is_changed((at, *index)))
            .map(|(_, part)| part.json)
            .collect();
        for &unit in &message.units {
            let line = conversation.source.units[unit].json;
            if changed.iter().any(|result| line.holds(*result)) {
                draft.remove_unit_member(unit, "toolUseResult");
            }
        }
    }
}
