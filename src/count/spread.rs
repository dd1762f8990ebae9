//! Counting the messages of a long conversation on all cores.
//!
//! Responsible for sharing messages out. Each thread has its own tokenizer; a message counts the same on
//! every thread.

use std::sync::{Mutex, PoisonError};
use std::thread;

use crate::conversation::{Conversation, Message};
use crate::cores::{cores, spawn_beside};
use crate::count::{Meter, Parts, Tally};
use crate::dialect::Dialect;

/// The least number of bytes for which a second thread saves more time than it costs to start.
pub(super) const LONG: usize = 256 * 1024;

/// About how many bytes a thread takes at a time.
pub(super) const SHARE: usize = 64 * 1024;

impl Meter {
    /// Whether the conversation is long enough to be shared with a second thread.
    pub fn shares(&self, conversation: &Conversation<'_>) -> bool {
        let sizes = conversation.messages.iter().map(size);
        self.may_spread && sizes.sum::<usize>() >= LONG && cores() > 1
    }
}

/// Counts each message, and each of its parts.
pub(super) fn each_message(meter: &Meter, conversation: &Conversation<'_>) -> (Vec<Tally>, Parts) {
    let messages = &conversation.messages[..];
    let mut tallies = vec![Tally::default(); messages.len()];
    let mut parts = Parts::of(messages);
    let all = Share { messages, tallies: &mut tallies, parts: parts.all_mut() };
    if meter.shares(conversation) {
        let dialect = conversation.dialect;
        share_out(meter, all.split(), |meter, share: Share<'_, '_>| share.count(meter, dialect));
    } else {
        all.count(meter, conversation.dialect);
    }
    (tallies, parts)
}

/// Works on all shares with up to one thread for each core, each with its own meter.
pub(super) fn share_out<S: Send>(meter: &Meter, shares: Vec<S>, work: impl Fn(&Meter, S) + Sync) {
    let threads = cores().min(shares.len());
    let shares = Mutex::new(shares.into_iter());
    let next = || shares.lock().unwrap_or_else(PoisonError::into_inner).next();
    let work = |meter: &Meter| {
        while let Some(share) = next() {
            work(meter, share);
        }
    };
    let Some(seed) = meter.seed() else { return work(meter) };
    thread::scope(|scope| {
        for _ in 1..threads {
            let _ = spawn_beside(scope, || work(&seed()));
        }
        work(meter);
    });
}

/// Neighbouring messages, with the places for their tallies and those of their parts.
struct Share<'s, 'a> {
    messages: &'s [Message<'a>],
    tallies: &'s mut [Tally],
    parts: &'s mut [Tally],
}

impl Share<'_, '_> {
    fn count(mut self, meter: &Meter, dialect: &dyn Dialect) {
        for (message, tally) in self.messages.iter().zip(self.tallies) {
            let (own, rest) = self.parts.split_at_mut(message.parts.len());
            *tally = meter.message_and_parts(dialect, message, |at, part| own[at] = part);
            self.parts = rest;
        }
    }

    /// Splits it into shares of about equal size.
    fn split(mut self) -> Vec<Self> {
        let mut shares = Vec::new();
        while !self.messages.is_empty() {
            let (mut bytes, mut parts) = (0, 0);
            let is_full = |message: &Message<'_>| {
                bytes += size(message);
                parts += message.parts.len();
                bytes >= SHARE
            };
            let all = self.messages.len();
            let len = self.messages.iter().position(is_full).map_or(all, |last| last + 1);
            let (messages, other_messages) = self.messages.split_at(len);
            let (tallies, other_tallies) = self.tallies.split_at_mut(len);
            let (parts, other_parts) = self.parts.split_at_mut(parts);
            shares.push(Self { messages, tallies, parts });
            self = Self { messages: other_messages, tallies: other_tallies, parts: other_parts };
        }
        shares
    }
}

/// The bytes of a message's parts, as written.
pub(super) fn size(message: &Message<'_>) -> usize {
    message.parts.iter().map(|part| part.body.unwrap_or(part.json).source().len()).sum()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::conversation::{Source, decode};
    use crate::dialect::{Scope, named};
    use crate::document::Document;
    use crate::tokenizer::Encoding;

    #[test]
    fn threads_count_what_one_counts() {
        let text = "one two three ".repeat(2_000);
        let lines: Vec<String> = (0..40)
            .map(|n| format!(r#"{{"role":"user","content":"{}"}}"#, &text[..500 * (n + 10)]))
            .collect();
        let source = format!("[{}]", lines.join(","));
        let document = Document::parse(source.as_bytes()).unwrap();
        let list = Source::array(None, document.values()[0]);
        let conversation = decode(named("openai").unwrap(), list, Scope::Live);
        let meter = Meter::new(Encoding::O200kBase);
        let mut alone = Meter::new(Encoding::O200kBase);
        alone.spread(false);
        let alone = each_message(&alone, &conversation);
        assert!(meter.shares(&conversation));
        assert_eq!(each_message(&meter, &conversation), alone);
    }
}
