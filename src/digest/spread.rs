//! Reads a long conversation on all cores.
//!
//! Responsible for distributing messages among threads and for taking the results in order, so that the outcome
//! is the same on every machine. A result is taken as soon as all results before it are there, so few have to
//! wait.

use std::ops::Range;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Mutex, PoisonError};
use std::thread;

use crate::conversation::Message;
use crate::cores::{cores, spawn_beside};
use crate::ordered::Ordered;

/// The most and the least bytes, roughly, that a thread reads at a time.
const SHARE: usize = 256 * 1024;
const LEAST: usize = SHARE / 16;

/// How many shares a smaller conversation is cut into: a thread that is done first does not wait long for the
/// others.
const SHARES: usize = 24;

/// Reads all messages in shares and gives the result of `read` for each share to `take`, first to last. Other
/// threads help if `may_spread`.
pub(super) fn read_each<T: Send>(
    messages: &[Message<'_>],
    may_spread: bool,
    read: impl Fn(Range<usize>) -> T + Sync,
    take: impl FnMut(T) + Send,
) {
    read_each_while(messages, 0, may_spread, read, take, || ());
}

/// Reads the messages like [`read_each`], but only the shares from message `from` on, at which a share begins,
/// and while this thread first runs `first`. Returns the result of `first`.
pub(super) fn read_each_while<T: Send, R>(
    messages: &[Message<'_>],
    from: usize,
    may_spread: bool,
    read: impl Fn(Range<usize>) -> T + Sync,
    take: impl FnMut(T) + Send,
    first: impl FnOnce() -> R,
) -> R {
    let mut shares = shares(messages);
    shares.retain(|share| share.start >= from);
    let cores = if may_spread { cores() } else { 1 };
    let next = AtomicUsize::new(0);
    let taken = Mutex::new(Ordered::new(take));
    let work = || {
        while let number = next.fetch_add(1, Ordering::Relaxed)
            && let Some(share) = shares.get(number)
        {
            let part = read(share.clone());
            taken.lock().unwrap_or_else(PoisonError::into_inner).add(number, part);
        }
    };
    thread::scope(|scope| {
        (1..cores.min(shares.len())).for_each(|_| drop(spawn_beside(scope, work)));
        let done = first();
        work();
        done
    })
}

/// Runs of neighbouring messages of about the same size, the same ones on every machine.
fn shares(messages: &[Message<'_>]) -> Vec<Range<usize>> {
    let mut shares = Vec::new();
    let size = |message: &Message<'_>| message.json.source().len();
    let most = (messages.iter().map(size).sum::<usize>() / SHARES).clamp(LEAST, SHARE);
    let (mut start, mut bytes) = (0, 0);
    for (at, message) in messages.iter().enumerate() {
        bytes += size(message);
        if bytes >= most || at + 1 == messages.len() {
            shares.push(start..at + 1);
            (start, bytes) = (at + 1, 0);
        }
    }
    shares
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::conversation::Role;
    use crate::json::Json;

    #[test]
    fn what_is_read_is_taken_in_order() {
        let text = format!("\"{}\"", "x".repeat(SHARE / 2));
        let messages = vec![Message::new(Role::User, Json::from_checked(&text)); 20];
        for may_spread in [false, true] {
            let mut taken = Vec::new();
            read_each(&messages, may_spread, |share| share, |share| taken.extend(share));
            assert!(taken.iter().copied().eq(0..20), "{taken:?}");
        }
        assert_eq!(shares(&messages).len(), 20);
    }
}
