//! Counting the messages of a long conversation on all cores.
//!
//! Responsible for sharing messages out. Each thread has a tokenizer of its own; which thread counts
//! a message changes nothing about its count.

use std::ops::Range;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::thread;

use crate::conversation::{Conversation, Message};
use crate::cores::cores;
use crate::count::{Meter, Parts, Tally};

/// From how many bytes on a second thread saves more than it costs to start.
const LONG: usize = 256 * 1024;

/// About how many bytes a thread takes at a time.
const SHARE: usize = 64 * 1024;

impl Meter {
    /// Whether work on this conversation is to be shared with a second thread.
    pub fn shares(&self, conversation: &Conversation<'_>) -> bool {
        let sizes = conversation.messages.iter().map(size);
        self.may_spread && cores() > 1 && sizes.sum::<usize>() >= LONG
    }
}

/// Each message, and the parts of each.
pub(super) fn each_message(meter: &Meter, conversation: &Conversation<'_>) -> (Vec<Tally>, Parts) {
    let messages = &conversation.messages;
    let alone = |meter: &Meter, messages: &[Message<'_>]| {
        let mut parts = Parts::default();
        let count = |message| meter.message_and_parts(conversation.dialect, message, &mut parts);
        (messages.iter().map(count).collect::<Vec<_>>(), parts)
    };
    let Some(seed) = meter.seed().filter(|_| meter.shares(conversation)) else {
        return alone(meter, messages);
    };
    let shares = shares(messages);
    let threads = cores().min(shares.len());
    let next = AtomicUsize::new(0);
    let work = |meter: &Meter| {
        let mut done = Vec::new();
        while let Some(share) = shares.get(next.fetch_add(1, Ordering::Relaxed)) {
            done.push((share.start, alone(meter, &messages[share.clone()])));
        }
        done
    };
    let mut done = thread::scope(|scope| {
        let others: Vec<_> = (1..threads).map(|_| scope.spawn(|| work(&seed()))).collect();
        let mut done = work(meter);
        for other in others {
            done.extend(other.join().unwrap_or_else(|panic| std::panic::resume_unwind(panic)));
        }
        done
    });
    done.sort_unstable_by_key(|(start, _)| *start);
    let (mut tallies, mut parts) = (Vec::with_capacity(messages.len()), Parts::default());
    for (_, (share, parts_of_share)) in done {
        tallies.extend(share);
        parts.append(&parts_of_share);
    }
    (tallies, parts)
}

/// Runs of neighbouring messages of about the same size.
fn shares(messages: &[Message<'_>]) -> Vec<Range<usize>> {
    let mut shares = Vec::new();
    let (mut start, mut bytes) = (0, 0);
    for (at, message) in messages.iter().enumerate() {
        bytes += size(message);
        if bytes >= SHARE || at + 1 == messages.len() {
            shares.push(start..at + 1);
            (start, bytes) = (at + 1, 0);
        }
    }
    shares
}

/// The bytes of what a message says, as it is written.
pub(super) fn size(message: &Message<'_>) -> usize {
    message.parts.iter().map(|part| part.body.unwrap_or(part.json).source().len()).sum()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::dialect::{Scope, decode, named};
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
        let list = crate::conversation::Source::array(None, document.values()[0]);
        let conversation = decode(named("openai").unwrap(), list, Scope::Live);
        let meter = Meter::new(Encoding::O200kBase);
        let mut alone = Meter::new(Encoding::O200kBase);
        alone.spread(false);
        let alone = each_message(&alone, &conversation);
        assert!(shares(&conversation.messages).len() > 2);
        assert_eq!(each_message(&meter, &conversation), alone);
    }
}
