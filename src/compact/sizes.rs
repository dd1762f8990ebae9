//! What each message counts in a compacted conversation.
//!
//! Responsible for knowing it before anything is written: thinking that a summary in front of it
//! unbinds does not count, nor in the tail what newer readings and files make needless.

use crate::conversation::{Kind, Role};
use crate::draft::Draft;
use crate::reread::Form;
use crate::subject::Subject;
use crate::thinking;

/// Tokens of each message.
pub(super) struct Sizes {
    /// As it stands.
    pub(super) whole: Vec<usize>,
    /// In the tail.
    pub(super) in_tail: Vec<usize>,
}

impl Sizes {
    /// Measures every message; `slim` decides what is needless in the tail.
    pub(super) fn of(subject: &Subject<'_, '_>, slim: &Draft<'_, '_>, form: Form) -> Self {
        let Subject { conversation, count, meter, .. } = *subject;
        let unbound = match form {
            Form::Shorter => thinking::bound_until(conversation),
            // Records that are appended take none away behind a summary.
            Form::Appended => 0,
        };
        let without_thinking = |at: usize, tokens: usize| {
            let message = &conversation.messages[at];
            if at >= unbound || message.role != Role::Assistant {
                return tokens;
            }
            let thoughts = message.parts_of(Kind::Reasoning);
            let (thoughts, size) = thoughts.fold((0, 0), |(n, sum), (index, _)| {
                (n + 1, sum + count.parts[at][index].tokens())
            });
            let is_all = thoughts > 0 && thoughts == message.parts.len();
            if is_all { 0 } else { tokens.saturating_sub(size) }
        };
        let all = 0..conversation.messages.len();
        let whole = all.clone().map(|at| without_thinking(at, count.messages[at].tokens()));
        let in_tail = all.map(|at| without_thinking(at, meter.drafted(slim, at, count)));
        Self { whole: whole.collect(), in_tail: in_tail.collect() }
    }

    /// Lets a message count so many tokens less.
    pub(super) fn shrink(&mut self, at: usize, tokens: usize) {
        for size in [&mut self.whole[at], &mut self.in_tail[at]] {
            *size = size.saturating_sub(tokens);
        }
    }
}
