//! Plain talk: who speaks, and when.
//!
//! Responsible for the date and the name before the words of a message, as in `[8 May 2023] Anna: Wow, …`, so that
//! the digest tells each date once and each speaker in one word. It relies on repetition: what several messages
//! begin with is no part of their words, in any language.

mod frame;
mod telling;

use std::borrow::Cow;
use std::collections::HashMap;
use std::ops::Range;

use super::point::{Blocks, Point};
use crate::conversation::{Kind, Message, Origin, Role};
use crate::digest::spread;
pub(crate) use frame::is_date;
use frame::{day, frame, named};
pub(crate) use telling::{Person, asks, share, share_of_model, share_of_user, typed};

/// How many messages must begin with a word and a colon, without a date, for the word to be a speaker.
const REPEATED: u32 = 3;

/// How far above a sentence the line with its speaker is searched, in bytes.
const NEAR: usize = 4000;
/// How far above a sentence the line with its speaker is searched, in lines.
const LINES: usize = 40;

/// How many names of roles stand before the names of people in `Talk::names`.
const ROLES: usize = 2;

/// After how many messages the number of a message is told again.
const STRETCH: usize = 16;

/// The greatest length in bytes of a line to which the same speaker's next words are added.
const LINE: usize = 200;

/// The speakers and dates of a conversation.
#[derive(Debug, Default)]
pub(crate) struct Talk {
    /// The names of the speakers, the two roles first.
    names: Labels,
    dates: Labels,
    turns: Vec<Turn>,
}

/// Numbered texts, each stored once.
#[derive(Debug, Default)]
struct Labels {
    list: Vec<String>,
    numbers: HashMap<String, usize>,
}

impl Labels {
    fn number(&mut self, text: &str) -> usize {
        if let Some(number) = self.numbers.get(text) {
            return *number;
        }
        self.numbers.insert(text.to_owned(), self.list.len());
        self.list.push(text.to_owned());
        self.list.len() - 1
    }
}

/// What may stand before the words of one message.
#[derive(Default)]
struct Beginning {
    /// The name of its role, as an index into `Talk::names`.
    role: usize,
    day: Option<String>,
    /// The offset of the text after the date.
    dated: usize,
    name: Option<String>,
    /// The offset of the text after the name.
    named: usize,
    /// Whether the message asks something.
    asks: bool,
    /// Whether the message has any words.
    speaks: bool,
}

/// Reads what may stand before the words of each message.
fn beginnings(messages: &[Message<'_>]) -> Vec<Beginning> {
    let of = |message: &Message<'_>| {
        let role = usize::from(message.role == Role::Assistant);
        let mut beginning = Beginning { role, ..Beginning::default() };
        if let Some(text) = first_text(message) {
            let frame = frame(&text);
            (beginning.day, beginning.dated) = (frame.date.map(day), frame.dated);
            (beginning.name, beginning.named) = (frame.name.map(str::to_owned), frame.named);
            (beginning.asks, beginning.speaks) = (asks(&text), true);
        }
        beginning
    };
    messages.iter().map(of).collect()
}

/// The words of a message, with the point that they are told by and the point after which they stand.
pub(crate) struct Said {
    pub(crate) place: Point,
    pub(crate) point: Point,
    pub(crate) message: usize,
    pub(crate) lines: Vec<String>,
}

/// What stands before the words of one message.
#[derive(Clone, Copy, Debug, Default)]
struct Turn {
    name: usize,
    /// The date that holds from this message on.
    date: Option<usize>,
    /// The offset of its words in its first text.
    start: usize,
    asks: bool,
}

impl Talk {
    /// Reads what stands before the words of every message, in several threads if it `may_spread`.
    pub(crate) fn of(messages: &[Message<'_>], may_spread: bool) -> Self {
        let mut talk = Self::default();
        talk.names.number("User");
        talk.names.number("Assistant");
        // How many messages of each role begin with each label, which may be a speaker.
        let (mut labels, mut times) = (Labels::default(), Vec::<[u32; 2]>::new());
        // How many messages of each role have words.
        let mut said = [0; 2];
        let mut labelled: Vec<(usize, usize, Beginning)> = Vec::new();
        let mut date = None;
        let take = |read: Vec<Beginning>| {
            for beginning in read {
                if let Some(day) = &beginning.day {
                    date = Some(talk.dates.number(day));
                }
                let Beginning { role: name, dated: start, asks, .. } = beginning;
                said[name] += u32::from(beginning.speaks);
                let turn = Turn { name, date, start, asks };
                if let Some(name) = &beginning.name {
                    let label = labels.number(name);
                    times.resize(labels.list.len(), [0; 2]);
                    times[label][beginning.role] += 1;
                    labelled.push((talk.turns.len(), label, beginning));
                }
                talk.turns.push(turn);
            }
        };
        let read = |share: Range<usize>| beginnings(&messages[share]);
        spread::read_each(messages, may_spread, read, take);
        let speakers = speakers(&times, said);
        for (at, label, beginning) in labelled {
            if beginning.day.is_some() || speakers[label][beginning.role] {
                talk.turns[at].name = talk.names.number(&labels.list[label]);
                talk.turns[at].start = beginning.named;
            }
        }
        talk
    }

    /// The offset of a message's words in its first text.
    pub(crate) fn start(&self, message: usize) -> usize {
        self.turns.get(message).map_or(0, |turn| turn.start)
    }

    /// The number of the speaker that a line begins with, and the offset of the words after the name; `None` if it
    /// begins with no known speaker.
    fn named(&self, line: &str) -> Option<(usize, usize)> {
        let (name, end) = named(line)?;
        let number = *self.names.numbers.get(name)?;
        let behind = line.len() - line[end..].trim_start().len();
        (number >= ROLES).then_some((number, behind))
    }

    /// The speaker of the words at an offset, if a line after the first of the text names one above them.
    pub(crate) fn speaker_before(&self, text: &str, at: usize) -> Option<&str> {
        if self.names.list.len() <= ROLES {
            return None;
        }
        let near = text.ceil_char_boundary(at.saturating_sub(NEAR));
        let above = memchr::memrchr_iter(b'\n', &text.as_bytes()[near..at]).take(LINES);
        let starts = above.map(|end| near + end + 1);
        // After a blank line the message's own words may go on.
        let starts = starts.take_while(|start| !text[*start..].starts_with(['\n', '\r']));
        let mut named = starts.filter_map(|start| {
            let (name, behind) = self.named(&text[start..])?;
            Some((name, start + behind))
        });
        let (name, behind) = named.next()?;
        (at >= behind).then(|| &*self.names.list[name])
    }

    /// Whether a message follows one that asks something.
    pub(crate) fn answers(&self, message: usize) -> bool {
        let before = message.checked_sub(1).and_then(|before| self.turns.get(before));
        before.is_some_and(|turn| turn.asks)
    }

    /// Returns the turns with their speakers, and all other blocks, in order. A speaker is left out where the same
    /// one stands above. A new date stands before the turn with the number of the message; without dates the number
    /// alone stands there every now and then.
    pub(crate) fn told(&self, turns: Vec<Said>, others: Blocks) -> Blocks {
        let turns = turns
            .into_iter()
            .map(|said| (said.place, said.lines, Some((said.point, said.message))));
        let others = others.into_iter().map(|(place, lines)| (place, lines, None));
        let mut blocks: Vec<_> = turns.chain(others).collect();
        blocks.sort_by_key(|(place, ..)| place.order());
        let mut told: Blocks = Vec::with_capacity(blocks.len());
        // The speaker and the date above, and the last message whose number was told.
        let (mut above, mut last): (Option<Turn>, usize) = (None, 0);
        for (place, mut lines, said) in blocks {
            let said = said.and_then(|(point, at)| Some((point, at, self.turns.get(at)?)));
            let (Some((point, message, turn)), Some(first)) = (said, lines.first_mut()) else {
                above = None;
                told.push((place, lines));
                continue;
            };
            // The lines of one message may be of several speakers.
            let own = self.named(first);
            if let Some((_, behind)) = own {
                first.drain(..behind);
            }
            let turn = Turn { name: own.map_or(turn.name, |(name, _)| name), ..*turn };
            let last_name = lines[1..].iter().rev().find_map(|line| self.named(line.trim_start()));
            let first = &mut lines[0];
            let name = &self.names.list[turn.name];
            let is_new = above.is_none_or(|above| above.date != turn.date);
            let is_far = above.is_none() || message >= last + STRETCH;
            let line = told.last_mut().and_then(|(_, lines)| lines.last_mut());
            let joined = line.filter(|line| {
                let is_same = above.is_some_and(|above| above.name == turn.name);
                // An answer to another question is told as a turn of its own.
                is_same
                    && !self.answers(message)
                    && !line.starts_with(' ')
                    && line.len() + first.len() <= LINE
            });
            if let Some(date) = turn.date.filter(|_| is_new) {
                first.insert_str(0, &format!("{name}: "));
                lines.insert(0, format!("[{point}] {}:", self.dates.list[date]));
                last = message;
            } else if is_far {
                first.insert_str(0, &format!("[{point}] {name}: "));
                last = message;
            } else if let Some(line) = joined {
                // Somebody else may have spoken in between.
                line.push_str(" … ");
                line.push_str(&lines.remove(0));
            } else {
                first.insert_str(0, &format!("{name}: "));
            }
            above = Some(Turn { name: last_name.map_or(turn.name, |(name, _)| name), ..turn });
            if !lines.is_empty() {
                told.push((place, lines));
            }
        }
        told
    }
}

/// For each label, whether it is a speaker in the messages of each role; `times` counts the messages that begin
/// with it. Where people are named, most messages begin with a name. What nearly all messages of both roles begin
/// with is no name.
fn speakers(times: &[[u32; 2]], said: [u32; 2]) -> Vec<[bool; 2]> {
    let is_most = |times: u32, role: usize| 2 * times >= said[role];
    let is_repeated = |times: &&[u32; 2]| {
        times.iter().sum::<u32>() >= REPEATED
            && !(0..2).all(|role| said[role] > 0 && is_most(times[role], role))
    };
    let named = times.iter().filter(is_repeated);
    let named = named.fold([0; 2], |[user, model], [one, two]| [user + one, model + two]);
    let of =
        |times: &[u32; 2]| [0, 1].map(|role| is_repeated(&times) && is_most(named[role], role));
    times.iter().map(of).collect()
}

fn first_text<'m>(message: &'m Message<'_>) -> Option<Cow<'m, str>> {
    let is_spoken = message.origin == Origin::Spoken && !message.is_instruction();
    let text = message.parts.iter().find(|part| part.kind == Kind::Text);
    text.filter(|_| is_spoken).map(|part| part.text())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn most_messages_begin_with_a_name_where_people_are_named() {
        // Anna and Bea write as the user, Carl as the model.
        let times = [[5, 0], [4, 0], [0, 9], [1, 0]];
        let wanted = [[true, true], [true, true], [true, true], [false, false]];
        assert_eq!(speakers(&times, [10, 9]), wanted);
        // Three texts of sixty are to be translated.
        assert_eq!(speakers(&[[3, 0]], [60, 60]), [[false, false]]);
        assert_eq!(speakers(&[[3, 3]], [3, 3]), [[false, false]]);
    }
}
