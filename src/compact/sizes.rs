//! The size of each message in a compacted conversation.
//!
//! Responsible for knowing it before anything is written: thinking made void by a summary before it does not
//! count, nor does what newer readings and files make needless in the tail.

use crate::conversation::{Kind, Role};
use crate::draft::Draft;
use crate::reread::Form;
use crate::subject::Subject;
use crate::thinking;

/// The tokens of each message.
pub(super) struct Sizes {
    /// Where the message stands now.
    pub(super) whole: Vec<usize>,
    /// If the message is in the tail.
    pub(super) in_tail: Vec<usize>,
}

impl Sizes {
    /// Measures every message; `slim` has the shorter texts of the tail.
    pub(super) fn of(subject: &Subject<'_, '_>, slim: &Draft<'_, '_>, form: Form) -> Self {
        let Subject { conversation, count, meter, .. } = *subject;
        let unbound = match form {
            Form::Shorter => thinking::bound_until(conversation),
            // Appended records remove no thinking behind a summary.
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

    /// Reduces the size of a message by `tokens`.
    pub(super) fn shrink(&mut self, at: usize, tokens: usize) {
        for size in [&mut self.whole[at], &mut self.in_tail[at]] {
            *size = size.saturating_sub(tokens);
        }
    }
}
