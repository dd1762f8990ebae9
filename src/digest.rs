//! The built-in summary: what an agent needs later of the messages that go, made without a model.
//!
//! Data flows through it one way:
//!
//! ```text
//! messages ──calls──▶ what each call did, to which files, and how it ended
//!          ──ledger─▶ what is true of files and commands at the end; earlier digests read back into it
//!          ──reading▶ units of all texts, and the names they explain
//!          ──page───▶ what is always said and what is chosen, within the budget; its text
//! ```
//!
//! Responsible for choosing and writing. It relies on the conversation and its pairs, and on a
//! function that counts tokens; it reads no file, no clock and no environment. Invariants: the text
//! never counts more than the budget, and the same request gives the same text on every machine.

mod calls;
mod files;
mod known;
mod ledger;
mod page;
mod reading;
mod setting;
mod share;
mod spread;
mod text;

use crate::conversation::{Conversation, Origin, Place};
use crate::pairing::Pairs;
use crate::redact::Masked;
use crate::summary;
use crate::text_calls::TextCalls;

pub use calls::outcome::{Ending, ending, has_failed, is_error_line};
pub use calls::shell::does_nothing;
pub use calls::{Does, Hosted, does, does_each, hosted, in_passing, outcome_line, range_asked};
pub use ledger::besides::{is_said_by_user, is_said_in_refusing};
pub use page::fixed::binds;
pub use reading::memory::Memory;
pub use share::{Force, may_bind, tail_share, unread_share, users_to_keep};

/// What sort of conversation it is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Setting {
    /// Calls read and change files or run commands.
    Work,
    /// Calls look up and change records.
    Service,
    /// There are no calls, or hardly any: the user asks, and the answers are longer.
    Advice,
    /// There are no calls, or hardly any: both say as much.
    Talk,
}

impl Setting {
    /// Whether there are no calls, or hardly any.
    pub fn is_talk(self) -> bool {
        matches!(self, Self::Advice | Self::Talk)
    }
}

/// What is to be summarised, and in how many tokens.
#[derive(Clone, Copy)]
pub struct Request<'r, 'a> {
    /// The whole conversation.
    pub conversation: &'r Conversation<'a>,
    /// Its calls and results, joined.
    pub pairs: &'r Pairs,
    /// What sort of conversation it is.
    pub setting: Setting,
    /// For each message, whether it goes into the digest.
    pub summarised: &'r [bool],
    /// For each message, whether it stays visible word for word.
    pub shown: &'r [bool],
    /// A summarised message of which a part stays visible, and that part.
    pub partly_shown: Option<(usize, &'r str)>,
    /// Results that stay visible in part, and that part.
    pub cut_results: &'r [(Place, &'r str)],
    /// Whether the digest is joined with the first of the user's messages.
    pub is_joined: bool,
    /// How many tokens the digest may count.
    pub budget: usize,
    /// Whether other threads may read along.
    pub may_spread: bool,
    /// Where the originals are kept, if they are.
    pub archive: Option<&'r str>,
    /// Whether keys, tokens and passwords are masked.
    pub redact: bool,
}

/// What counts tokens, on one thread.
#[derive(Clone, Copy)]
pub struct Counter<'r> {
    /// Those of a text.
    pub text: &'r dyn Fn(&str) -> usize,
    /// Those of what a message says, which were counted before.
    pub said: &'r dyn Fn(usize) -> usize,
}

/// From so many tokens on a digest has titles, and its sections have room for a whole entry.
const ROOMY: usize = 500;

impl Request<'_, '_> {
    fn is_roomy(&self) -> bool {
        self.budget >= ROOMY
    }

    /// So many per cent of the budget, in tokens.
    fn share(&self, per_cent: usize) -> usize {
        self.budget * per_cent / 100
    }

    /// The same, but `least` tokens where there is room for an entry that takes as many: they are at
    /// most a quarter of the budget.
    fn share_or(&self, per_cent: usize, least: usize) -> usize {
        let least = if self.is_roomy() { least.min(self.share(25)) } else { 0 };
        self.share(per_cent).max(least)
    }
}

/// A number, or a place in a text, in the room that is kept for it.
#[allow(
    clippy::cast_possible_truncation,
    reason = "things are far fewer than 2^32, and a text is smaller than 4 GB"
)]
fn narrow(number: usize) -> u32 {
    number as u32
}

/// Writes the digest; an empty text where the budget holds none. The digest of a shorter tail may have left
/// something in the memory.
pub fn digest(request: &Request<'_, '_>, counter: Counter<'_>, memory: &mut Memory) -> String {
    let calls = memory.text_calls.take().unwrap_or_else(|| TextCalls::of(request.conversation));
    let text = if calls.is_empty() {
        without_secrets(request, counter, memory)
    } else {
        let conversation = &calls.told(request.conversation);
        let pairs = &Pairs::of(&conversation.messages);
        without_secrets(&Request { conversation, pairs, ..*request }, counter, memory)
    };
    memory.text_calls = Some(calls);
    text
}

fn without_secrets(request: &Request<'_, '_>, counter: Counter<'_>, memory: &mut Memory) -> String {
    if !request.redact {
        return written(request, counter, memory);
    }
    let masked = memory.masked.take().unwrap_or_else(|| Masked::of(request.conversation));
    let conversation = &masked.told(request.conversation);
    let text = written(&Request { conversation, ..*request }, counter, memory);
    // The user's words beside the messages may hold what the messages name as a secret.
    let text = masked.mask_known(text);
    memory.masked = Some(masked);
    text
}

fn written(request: &Request<'_, '_>, counter: Counter<'_>, memory: &mut Memory) -> String {
    if let Some(text) = unchanged(request, counter) {
        return text;
    }
    let mut page = page::Page::of(request, counter, memory);
    let mut text = longest(&mut page);
    while text.is_empty() || page.is_header(&text) {
        if !page.shorten_header() && !page.choose_smaller() {
            text.clear();
            break;
        }
        text = longest(&mut page);
    }
    memory.talk = Some(page.talk);
    text
}

/// What is left of the budget is worth a further look where it is more than one of so many parts. Measured:
/// of 50 parts one is too much for long summaries.
const PARTS: usize = 200;
/// How many further choices are looked at: each is a page that is written.
const LOOKS: usize = 24;

/// What a page is guessed to count more for each token that its choices were estimated at.
const RATE: f32 = 0.9;
/// How many guesses go by what the last two pages counted. Measured: two or three are usual.
const GUESSES: usize = 8;

/// The page with as many choices as fit: they were made by estimates.
fn longest(page: &mut page::Page<'_, '_>) -> String {
    let (count, budget) = (page.counter.text, page.request.budget);
    let write = |page: &page::Page<'_, '_>, chosen: usize| {
        let text = page::write::page(page, chosen);
        let tokens = count(&text);
        (text, tokens)
    };
    let all = page.items.len();
    let (mut best, tokens) = write(page, 0);
    if tokens > budget {
        return String::new();
    }
    // The most choices that fit, with what they count, and the fewest that do not.
    let mut under = (0, tokens);
    let mut over = all + 1;
    let (mut last, mut rate) = (under, RATE);
    let mut guesses = 0..GUESSES;
    while over - under.0 > 1 {
        let next = match guesses.next() {
            Some(_) => page.choices_beside(last, rate),
            None => under.0 + (over - under.0) / 2,
        };
        let next = next.clamp(under.0 + 1, over - 1);
        let (text, tokens) = write(page, next);
        rate = page.rate(last, (next, tokens)).unwrap_or(rate);
        last = (next, tokens);
        if tokens <= budget {
            (under, best) = (last, text);
        } else {
            over = next;
        }
    }
    if under.0 == all {
        return best;
    }
    // A choice that does not fit is passed over where it leaves room for others: in a small budget each is
    // a large part.
    page.pass_over(under.0);
    for next in (under.0 + 1..all).take(LOOKS) {
        if budget - under.1 <= budget / PARTS {
            break;
        }
        let (text, tokens) = write(page, next + 1);
        if tokens <= budget {
            under.1 = tokens;
            best = text;
        } else {
            page.pass_over(next);
        }
    }
    best
}

/// The earlier digest, where there is nothing new to put into it and it fits.
fn unchanged(request: &Request<'_, '_>, counter: Counter<'_>) -> Option<String> {
    // A new archive is to be named.
    if request.archive.is_some() {
        return None;
    }
    let messages = request.conversation.messages.iter().zip(request.summarised);
    let mut told = messages.filter(|(message, summarised)| {
        **summarised && !matches!(message.origin, Origin::Injected | Origin::Internal)
    });
    let (only, _) = told.next()?;
    let text = only.text();
    let is_all = told.next().is_none() && only.origin == Origin::Summary;
    let found = summary::summary_in(&text).filter(|_| is_all)?;
    let digest = &text[found.summary];
    let fits = (counter.text)(digest) <= request.budget;
    (fits && text[found.whole.end..].trim().is_empty()).then(|| digest.to_owned())
}
