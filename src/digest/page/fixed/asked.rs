//! What the user said: messages word for word where they fit, parts of others.
//!
//! Responsible for gathering all that the user said, in earlier digests, in the messages at hand and outside of
//! messages, and for what of it is quoted: first what binds, which is the first request and every rule.

use std::borrow::Cow;
use std::cmp::Reverse;
use std::collections::HashSet;

use super::{Fixed, Left, parts};
use crate::conversation::Message;
use crate::digest::known::Known;
use crate::digest::ledger::besides::{self, Beside};
use crate::digest::ledger::fold::Placed;
use crate::digest::page::choose::RULES;
use crate::digest::text::point::Point;
use crate::digest::text::{attached, rules};
use crate::digest::{Counter, Force, Request, Setting, share};
use crate::hash::hash;
use crate::line::clip;
use crate::verbatim;

/// Per cent of the budget for the user's words: the half that whole messages may take, the pointers to
/// visible ones, and the beginnings of others.
const ASKED: usize = 65;
/// How much is told of a message quoted by an earlier digest that no longer fits, in bytes.
const PART: usize = 180;
/// How much is told of a quoted message that no longer fits, where there is little room, in bytes.
const SHORT_PART: usize = 60;
/// How many times as much is told of a message that binds: several rules may stand in it.
const BINDING_PART: usize = 3;
/// The length in bytes from which on words that the user said twice are quoted once.
const TOLD_TWICE: usize = 40;
/// Per cent of the budget for words that stand in no message. A choice, not measured: however long
/// somebody's reason is, the rest of the page has most of the room.
const BESIDE: usize = 25;

/// Words of the user, ready to be written.
#[derive(Debug)]
pub(super) struct Quote {
    /// The point after which the quote stands.
    pub(super) place: Point,
    /// The index of the words among all that the user said: it orders the quotes at one point.
    nth: usize,
    pub(super) line: String,
    /// Whether the words are the first request or demand something that stays in force.
    pub(super) binds: bool,
}

/// The number of a message and the words before its parts, in tokens, and what the choice reckons with besides.
const HEADING: usize = 20;
/// The text between the number of a message and its parts.
const PART_OF: &str = "] User, in parts: ";

/// A message of the user, at hand or in an earlier digest, or words that stand in no message.
#[derive(Default)]
pub(super) struct Asked {
    point: Point,
    /// The point after which the words stand.
    place: Point,
    /// The text between their number and the words.
    label: &'static str,
    /// The words, if they stand in no message at hand; else `message` is the index of their message.
    text: Option<String>,
    /// The text after the words.
    end: String,
    message: usize,
    tokens: usize,
    /// Whether the message stays visible.
    is_shown: bool,
}

impl Asked {
    /// Words without a text yet.
    fn at(point: Point) -> Self {
        Self { point, place: point, label: verbatim::USER, ..Self::default() }
    }

    /// The words themselves.
    fn text(&self, messages: &[Message<'_>]) -> Cow<'_, str> {
        let text = self.text.as_deref().map(Cow::Borrowed);
        text.unwrap_or_else(|| attached::said(&messages[self.message]).into())
    }
}

impl Fixed {
    /// Returns all that the user said, in order: in earlier digests, in the messages at hand, and outside
    /// of messages.
    pub(super) fn all_asked(
        &self,
        known: &Known<'_>,
        besides: Vec<Beside>,
        counter: Counter<'_>,
    ) -> Vec<Asked> {
        let Known { request, ledger, earlier, .. } = *known;
        let messages = &request.conversation.messages;
        let old = earlier.iter().flat_map(|earlier| &earlier.asked);
        let mut all: Vec<Asked> = old
            .map(|Placed { point, place, text }| Asked {
                place: *place,
                tokens: (counter.text)(text),
                text: Some(text.clone()),
                ..Asked::at(*point)
            })
            .collect();
        let olds = all.len();
        let last_old = earlier.last().map_or(0, |earlier| earlier.message);
        let is_parted = |at| request.partly_shown.is_some_and(|(partly, _)| partly == at);
        for seen in self.seen.iter().filter(|seen| !is_parted(seen.message)) {
            let is_shown = request.shown[seen.message];
            if is_shown && seen.message < last_old {
                // A message that stayed visible next to an earlier digest may be quoted there too.
                let text = attached::said(&messages[seen.message]);
                for old in &mut all[..olds] {
                    old.is_shown |= old.text.as_ref().is_some_and(|old| old.trim() == text.trim());
                }
            }
            let (place, message) = (seen.place, seen.message);
            let tokens = (counter.said)(message);
            all.push(Asked { place, message, tokens, is_shown, ..Asked::at(seen.point) });
        }
        let old = earlier.iter().flat_map(|earlier| &earlier.besides);
        let old = old.map(|beside| beside.brought_up_to_date(ledger));
        all.extend(old.chain(besides).map(|beside| Asked {
            label: beside.label,
            end: beside.end(),
            tokens: (counter.text)(&besides::shortened(&beside.text)),
            text: Some(beside.text),
            ..Asked::at(beside.point)
        }));
        all.sort_by_key(|asked| asked.place.order());
        all
    }

    /// Drops what the user said again word for word, and keeps the newest. Short words are kept: they
    /// answer something else each time.
    pub(super) fn drop_repeated(&mut self, request: &Request<'_, '_>, all: &mut Vec<Asked>) {
        let messages = &request.conversation.messages;
        let mut known = HashSet::new();
        all.reverse();
        all.retain(|asked| {
            let text = asked.text(messages);
            let text = text.trim();
            let is_new = text.len() < TOLD_TWICE || known.insert(hash(text.as_bytes()));
            if !is_new && asked.text.is_none() {
                self.is_quoted[asked.message] = true;
            }
            is_new
        });
        all.reverse();
    }

    /// Quotes what the user said where it fits, and parts of what stands in no message at hand and does not
    /// fit. What binds comes first.
    pub(super) fn quote(&mut self, known: &Known<'_>, all: &[Asked], left: &mut Left<'_>) {
        let request = known.request;
        let messages = &request.conversation.messages;
        // Visible messages got their share before the budget of the digest was set.
        let open = (0..all.len()).filter(|&at| !all[at].is_shown);
        let may_bind =
            |asked: &Asked| asked.text.is_some() || share::may_bind(asked.tokens, request.setting);
        let force = |at: usize| match () {
            () if at == 0 => Force::Opens,
            () if may_bind(&all[at]) && rules::binds(&all[at].text(messages)) => Force::Binds,
            () => Force::Plain,
        };
        let open: Vec<(usize, Force)> = open.map(|at| (at, force(at))).collect();
        let has_shown = open.len() < all.len() && request.setting == Setting::Service;
        let share = if has_shown { 0 } else { request.budget };
        let sizes: Vec<_> = open.iter().map(|&(at, force)| (all[at].tokens, force)).collect();
        let kept = share::users_to_keep(&sizes, share, request.setting);
        let told = open.iter().zip(&kept).filter(|(_, keep)| !**keep);
        let told =
            told.filter(|((at, force), _)| *force == Force::Binds && all[*at].text.is_none());
        leave_room_for_rules(known, told.map(|((at, _), _)| all[*at].text(messages)), left);
        let mut room = left.room(request.share(ASKED));
        let (mut parts, mut longer) = (Vec::new(), Vec::new());
        // Messages at hand that are not quoted whole compete sentence by sentence.
        let open = open.into_iter().zip(kept);
        let mut open: Vec<_> =
            open.filter(|((at, _), keep)| *keep || all[*at].text.is_some()).collect();
        // If there is no room for all, what binds comes first, then the newest.
        open.reverse();
        open.sort_by_key(|((_, force), _)| *force == Force::Plain);
        for ((nth, force), keep) in open {
            let binds = force != Force::Plain;
            let asked = &all[nth];
            let Asked { point, place, label, message, end, .. } = asked;
            let (text, is_message) = (asked.text(messages), asked.text.is_none());
            let (text, is_beside) = (text.trim(), *label != verbatim::USER);
            let told =
                if is_beside { besides::shortened(text) } else { verbatim::fenced(text).into() };
            let line = format!("[{point}{label}{told}{end}");
            if keep && room.fits(&line) {
                if is_message {
                    self.is_quoted[*message] = true;
                }
                if is_beside && told != text {
                    longer.push((self.asked.len(), format!("[{point}{label}{text}{end}")));
                }
                self.asked.push(Quote { place: *place, nth, line, binds });
            } else if !is_message {
                let part = |most| match () {
                    () if is_beside => format!("[{point}{label}{}{end}", clip(text, most)),
                    // The whole text is not called a part.
                    () if text.len() <= most => line.clone(),
                    () => format!("[{point}{PART_OF}{}", parts::parts(text, most)),
                };
                let times = if force == Force::Binds { BINDING_PART } else { 1 };
                let (short, long) = (part(SHORT_PART * times), part(PART * times));
                // A part of what binds is told before other messages are told whole.
                let is_told = binds && room.fits(&short);
                parts.push((Quote { place: *place, nth, line: short, binds }, long, is_told));
            }
        }
        // Each part is told in its short form before any is told in full.
        parts.retain(|(short, _, is_told)| *is_told || room.fits(&short.line));
        for (quote, long, _) in parts {
            let is_long = room.fits_instead(&long, &quote.line);
            let line = if is_long { long } else { quote.line };
            self.parts.push(Quote { line, ..quote });
        }
        for (at, whole) in longer {
            let line = &mut self.asked[at].line;
            if room.left.cost(&whole) <= request.share(BESIDE) && room.fits_instead(&whole, line) {
                *line = whole;
            }
        }
        for quotes in [&mut self.asked, &mut self.parts] {
            quotes.sort_by_key(|quote| Reverse(quote.nth));
        }
    }
}

/// Leaves room for the rules in messages that are not told whole, and for those of which an earlier digest tells
/// parts: they are chosen before anything else.
fn leave_room_for_rules<'t>(
    known: &Known<'_>,
    messages: impl Iterator<Item = Cow<'t, str>>,
    left: &mut Left<'_>,
) {
    if known.request.setting != Setting::Work {
        return;
    }
    let mut taken = 0;
    for text in messages {
        rules::each(&text, |rule| taken += left.cost(rule) + HEADING);
    }
    for earlier in known.earlier {
        let text = known.request.conversation.part((earlier.message, earlier.part)).text();
        let said = earlier.said.iter().filter(|said| said.is_asked());
        for line in said.flat_map(|said| &said.lines).map(|line| &text[line.clone()]) {
            taken += if rules::binds(line) { left.cost(line) + HEADING } else { 0 };
        }
    }
    left.tokens -= taken.min(known.request.share(RULES)).min(left.tokens);
}
