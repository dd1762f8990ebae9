//! Dividing a conversation into head, middle and tail at legal cuts.
//!
//! Responsible for where the parts end: the head is the leading instructions, the tail holds a given number
//! of tokens at the end, extended to the next legal cut. All parts together are the whole conversation.

mod part;

use std::ops::Range;

use crate::conversation::{Conversation, Kind, Message};
use crate::count::Count;
use crate::pairing::{Cuts, Joints};
use crate::within::level_within;
pub use part::edits_to_part;

/// The ranges of messages of the three parts.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Partition {
    /// The leading instructions, and the first request if asked for.
    pub head: Range<usize>,
    /// The messages that may be summarised.
    pub middle: Range<usize>,
    /// The newest messages.
    pub tail: Range<usize>,
}

/// The places where a conversation may be divided: legal cuts whose preceding message may end a file.
pub fn cuts(conversation: &Conversation<'_>) -> Cuts {
    let units = &conversation.source.units;
    let may_end = |unit: &usize| conversation.dialect.may_end(units[*unit].json);
    Joints::of(conversation)
        .cuts
        .only(|at| conversation.messages[at - 1].units.last().is_none_or(may_end))
}

/// Divides a conversation. The tail reaches back until it counts `keep_tail` tokens; the message that crosses
/// the limit is included whole.
pub fn partition(
    conversation: &Conversation<'_>,
    cuts: &Cuts,
    count: &Count,
    keep_tail: usize,
    keep_first_user: bool,
) -> Partition {
    let all = conversation.messages.len();
    let mut head = conversation.head();
    if keep_first_user && conversation.messages.get(head).is_some_and(Message::is_request) {
        head += 1;
    }
    // If the head would be the whole conversation, its last message is left to the tail.
    let head = if head == all { all.saturating_sub(1) } else { head };
    let head = cuts.at_or_before(head);
    let mut start = all;
    let mut tokens = 0;
    while start > head && tokens < keep_tail {
        start -= 1;
        tokens += count.messages[start].tokens();
    }
    let tail = cuts.at_or_before(start).max(head);
    Partition { head: 0..head, middle: head..tail, tail: tail..all }
}

/// A piece that counts more than a chunk may.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct TooLarge {
    /// The messages that can't be divided.
    pub piece: Range<usize>,
    /// The tokens of the piece, with the framing of a conversation.
    pub tokens: usize,
}

/// A cut result of fewer tokens is little more than its marker.
const LEAST_RESULT: usize = 50;

/// The most tokens per result with which every piece of `range` would fit into a chunk; `None` if the rest of
/// a piece is too large already.
pub fn results_to_fit(
    conversation: &Conversation<'_>,
    cuts: &Cuts,
    count: &Count,
    range: Range<usize>,
    most: usize,
) -> Option<usize> {
    let fixed = count.conversation.tokens();
    let largest = |piece: Range<usize>| {
        let (mut results, mut tokens) = (Vec::new(), fixed);
        for at in piece {
            tokens += count.messages[at].tokens();
            let parts = conversation.messages[at].parts_of(Kind::ToolResult);
            results.extend(parts.map(|(index, _)| count.parts[at][index].content));
        }
        let over = tokens.saturating_sub(most);
        level_that_saves(over, results)
    };
    let levels = cuts.pieces(range).into_iter().map(largest);
    levels.min().flatten().filter(|level| *level >= LEAST_RESULT)
}

/// The level to which sizes have to be reduced to save `over` in all; `None` if the sizes together are less.
fn level_that_saves(over: usize, sizes: Vec<usize>) -> Option<usize> {
    let room = sizes.iter().sum::<usize>().checked_sub(over)?;
    Some(level_within(room, sizes))
}

/// Divides `range` at legal cuts into chunks of at most `most` tokens each.
///
/// # Errors
///
/// A piece between two legal cuts is larger.
pub fn chunks(
    cuts: &Cuts,
    count: &Count,
    range: Range<usize>,
    most: usize,
) -> Result<Vec<Range<usize>>, TooLarge> {
    let fixed = count.conversation.tokens();
    let size = |piece: &Range<usize>| count.tokens_of(piece.clone());
    let pieces = cuts.pieces(range);
    if let Some(piece) = pieces.iter().max_by_key(|piece| size(piece)) {
        let tokens = fixed + size(piece);
        if tokens > most {
            return Err(TooLarge { piece: piece.clone(), tokens });
        }
    }
    let mut chunks: Vec<Range<usize>> = Vec::new();
    let mut tokens = most;
    for piece in pieces {
        let size = size(&piece);
        match chunks.last_mut() {
            Some(last) if tokens + size <= most => {
                last.end = piece.end;
                tokens += size;
            }
            _ => {
                chunks.push(piece);
                tokens = fixed + size;
            }
        }
    }
    Ok(chunks)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sizes_come_down_to_a_level() {
        assert_eq!(level_that_saves(0, vec![]), Some(usize::MAX));
        assert_eq!(level_that_saves(10, vec![100, 50]), Some(90));
        assert_eq!(level_that_saves(60, vec![100, 50]), Some(45));
        assert_eq!(level_that_saves(150, vec![100, 50]), Some(0));
        assert_eq!(level_that_saves(151, vec![100, 50]), None);
        assert_eq!(level_that_saves(1, vec![]), None);
    }
}
