//! The size that a Claude Code session records.
//!
//! Responsible for lowering it to the size of the result. The client takes the size from the last answer, and
//! would otherwise compact again at once.

use super::Session;
use crate::dialect::claude_code::line::{Line, LineKind};
use crate::draft::Draft;
use crate::json::Json;

impl<'a> Session<'a> {
    /// Lowers the recorded size to `tokens`: the client takes it from the last answer.
    pub(super) fn lower_usage(&self, draft: &mut Draft<'_, 'a>, tokens: u64) {
        let gone = draft.gone_units();
        let mut answers = self.answers().filter(|line| !gone[line.unit]);
        let Some(last) = answers.find(|line| Usage::of(line).is_some()) else { return };
        let id = last.message_id;
        let others = answers.take_while(|line| id.is_some() && line.message_id == id);
        let fragments = std::iter::once(last).chain(others);
        for (unit, usage) in fragments.filter_map(|line| Some((line.unit, Usage::of(line)?))) {
            if usage.total() <= tokens {
                continue;
            }
            let [input, cached @ .., output] = usage.0;
            let written = output.and_then(Json::as_u64).filter(|&written| written <= tokens);
            if let (Some(output), None) = (output, written) {
                draft.set_unit_value(unit, output, "0");
            }
            let rest = tokens - written.unwrap_or(0);
            if let Some(input) = input {
                draft.set_unit_value(unit, input, rest.to_string());
            }
            for cached in cached.into_iter().flatten() {
                draft.set_unit_value(unit, cached, "0");
            }
        }
    }

    /// The recorded size before the draft.
    pub(super) fn recorded(&self) -> Option<u64> {
        self.answers().find_map(Usage::of).map(|usage| usage.total())
    }

    /// The live answers, the last one first.
    fn answers(&self) -> impl Iterator<Item = &Line<'a>> {
        let lines = self.live.order.iter().rev().map(|&at| self.line(at));
        lines.filter(|line| line.kind == LineKind::Assistant && line.is_sent())
    }
}

/// Token counts of the input (new, written to the cache, read from the cache) and of the output.
struct Usage<'a>([Option<Json<'a>>; 4]);

impl<'a> Usage<'a> {
    fn of(line: &Line<'a>) -> Option<Self> {
        let usage = Self(line.said?.member("usage")?.pick([
            "input_tokens", "cache_creation_input_tokens", "cache_read_input_tokens",
            "output_tokens",
        ]));
        (usage.total() > 0).then_some(usage)
    }

    fn total(&self) -> u64 {
        self.0.iter().flatten().filter_map(|tokens| tokens.as_u64()).sum()
    }
}
