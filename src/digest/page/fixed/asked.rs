//! What the user said: messages word for word where they fit, parts of others.
//!
//! Responsible for all that was said, in earlier digests, in the messages at hand and beside them, and for
//! what of it is quoted: first what binds, which is the first request and every rule.

use std::borrow::Cow;
use std::cmp::Reverse;
use std::collections::HashSet;

use super::{Fixed, Left, parts};
use crate::conversation::Message;
use crate::digest::known::Known;
use crate::digest::ledger::besides::{self, Beside};
use crate::digest::ledger::fold::Placed;
use crate::digest::text::attached;
use crate::digest::text::point::Point;
use crate::digest::{Counter, Force, Request, Setting, share};
use crate::hash::hash;
use crate::line::clip;
use crate::verbatim;

/// Per cent of the budget for the user's messages: the half of it that they may take, with what points to
/// them, and the beginnings of others.
const ASKED: usize = 65;
/// How much is told of a message that an earlier digest quotes and that fits no more, in bytes: where
/// there is room, and where there is little.
const PART: usize = 180;
const SHORT_PART: usize = 60;
/// From how many bytes on words of the user's that were said twice are quoted once.
const TOLD_TWICE: usize = 40;
/// Per cent that words may take that stand in no message. A choice, not measured: what else a page tells has
/// most of it, however long somebody's reason is.
const BESIDE: usize = 25;

/// Words of the user's, as they are told.
#[derive(Debug)]
pub(super) struct Quote {
    /// Behind what it stands, and how many stand before it: of several in one place the first was said first.
    pub(super) place: Point,
    nth: usize,
    pub(super) line: String,
    /// Whether it is the first request, or demands what stays in force.
    pub(super) binds: bool,
}

/// What stands between the number of a message and its parts.
const PART_OF: &str = "] User, in parts: ";

/// A message of the user's, perhaps one of an earlier digest, or words that stand in none.
#[derive(Default)]
pub(super) struct Asked {
    point: Point,
    /// Behind what it stands.
    place: Point,
    /// What stands between its number and what it says.
    label: &'static str,
    /// What it says, where it stands in no message here; else in which.
    text: Option<String>,
    /// What is told behind it.
    end: String,
    message: usize,
    tokens: usize,
    /// Whether it stays visible.
    is_shown: bool,
}

impl Asked {
    /// One that said nothing yet.
    fn at(point: Point) -> Self {
        Self { point, place: point, label: verbatim::USER, ..Self::default() }
    }

    /// What it says.
    fn text(&self, messages: &[Message<'_>]) -> Cow<'_, str> {
        let text = self.text.as_deref().map(Cow::Borrowed);
        text.unwrap_or_else(|| attached::said(&messages[self.message]).into())
    }
}

impl Fixed {
    /// All that the user said, in order: in messages of earlier digests, in those at hand, and beside them.
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
                // A message that stayed visible beside an earlier digest may stand in both.
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

    /// Lets go of what the user said again, word for word, and keeps the newest: short words are said to
    /// something else each time.
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

    /// Quotes what the user said where it fits, beside their messages too; the beginning of it where it
    /// stands in no message here and fits no more. What binds comes first.
    pub(super) fn quote(&mut self, request: &Request<'_, '_>, all: &[Asked], left: &mut Left<'_>) {
        let messages = &request.conversation.messages;
        // What stays visible has had its share before the digest had its budget.
        let open = (0..all.len()).filter(|&at| !all[at].is_shown);
        let may_bind =
            |asked: &Asked| asked.text.is_some() || share::may_bind(asked.tokens, request.setting);
        let force = |at: usize| match () {
            () if at == 0 => Force::Opens,
            () if may_bind(&all[at]) && parts::binds(&all[at].text(messages)) => Force::Binds,
            () => Force::Plain,
        };
        let open: Vec<(usize, Force)> = open.map(|at| (at, force(at))).collect();
        let has_shown = open.len() < all.len() && request.setting == Setting::Service;
        let share = if has_shown { 0 } else { request.budget };
        let sizes: Vec<_> = open.iter().map(|&(at, force)| (all[at].tokens, force)).collect();
        let kept = share::users_to_keep(&sizes, share, request.setting);
        let mut room = left.room(request.share(ASKED));
        let (mut parts, mut longer) = (Vec::new(), Vec::new());
        // What is not kept of those at hand is chosen sentence by sentence.
        let open = open.into_iter().zip(kept);
        let mut open: Vec<_> =
            open.filter(|((at, _), keep)| *keep || all[*at].text.is_some()).collect();
        // Where there is no room for all, what binds is told, and the newest.
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
                    // All of it is no part.
                    () if text.len() <= most => line.clone(),
                    () => format!("[{point}{PART_OF}{}", parts::parts(text, most)),
                };
                let (short, long) = (part(SHORT_PART), part(PART));
                // Of what binds a part is told before others are told whole.
                let is_told = binds && room.fits(&short);
                parts.push((Quote { place: *place, nth, line: short, binds }, long, is_told));
            }
        }
        // Each is told shortly before any is told at length.
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
