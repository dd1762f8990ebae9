//! The built-in summary (the digest): what an agent will still need of the messages that are removed, made
//! without a model.
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
//! Responsible for choosing and writing. It relies on the conversation, on its pairs of calls and results, and
//! on a function that counts tokens; it reads no file, no clock and no environment. Invariants: the text never
//! counts more tokens than the budget, and the same request gives the same text on every machine.

mod calls;
mod files;
mod fit;
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
pub use files::paths::plainly;
pub use ledger::besides::{is_said_by_user, is_said_in_refusing};
pub use reading::memory::Memory;
pub use setting::Setting;
pub use share::{Force, may_bind, tail_share, unread_share, users_to_keep};
pub use text::rules::binds;

/// What is to be summarised, and in how many tokens.
#[derive(Clone, Copy)]
pub struct Request<'r, 'a> {
    /// The whole conversation.
    pub conversation: &'r Conversation<'a>,
    /// The conversation's tool calls and results, paired.
    pub pairs: &'r Pairs,
    /// The sort of conversation.
    pub setting: Setting,
    /// For each message, whether it goes into the digest.
    pub summarised: &'r [bool],
    /// For each message, whether it stays visible word for word.
    pub shown: &'r [bool],
    /// The summarised message of which a part stays visible, and the text of that part.
    pub partly_shown: Option<(usize, &'r str)>,
    /// Tool results that stay visible in part, each with the text of that part.
    pub cut_results: &'r [(Place, &'r str)],
    /// Whether the digest is joined with the first of the user's messages.
    pub is_joined: bool,
    /// The most tokens that the digest may count.
    pub budget: usize,
    /// Whether reading may use several threads.
    pub may_spread: bool,
    /// The archive that keeps the original messages; `None` if there is none.
    pub archive: Option<&'r str>,
    /// Whether keys, tokens and passwords are masked.
    pub redact: bool,
}

/// Counts tokens, on one thread.
#[derive(Clone, Copy)]
pub struct Counter<'r> {
    /// Counts the tokens of a text.
    pub text: &'r dyn Fn(&str) -> usize,
    /// Returns the tokens of the text of the message with this index, which were counted earlier.
    pub said: &'r dyn Fn(usize) -> usize,
}

/// The budget, in tokens, from which a digest has titles and each section has room for a whole entry.
const ROOMY: usize = 500;

impl Request<'_, '_> {
    fn is_roomy(&self) -> bool {
        self.budget >= ROOMY
    }

    /// Returns `per_cent` per cent of the budget, in tokens.
    fn share(&self, per_cent: usize) -> usize {
        self.budget * per_cent / 100
    }

    /// Returns `per_cent` per cent of the budget, in tokens. In a roomy budget it is at least `least` tokens,
    /// which are room for one entry, but that least is capped at a quarter of the budget.
    fn share_or(&self, per_cent: usize, least: usize) -> usize {
        let least = if self.is_roomy() { least.min(self.share(25)) } else { 0 };
        self.share(per_cent).max(least)
    }
}

/// Narrows an index, or an offset in a text, to 32 bits to save memory.
#[allow(
    clippy::cast_possible_truncation,
    reason = "things are far fewer than 2^32, and a text is smaller than 4 GB"
)]
fn narrow(number: usize) -> u32 {
    number as u32
}

/// Writes the digest; returns an empty text if nothing fits into the budget. `memory` may hold what the digest
/// for a shorter tail has already computed.
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
    // The digest also quotes what the user said outside of their messages, which may hold what the messages
    // name as a secret.
    let text = masked.mask_known(text);
    memory.masked = Some(masked);
    text
}

fn written(request: &Request<'_, '_>, counter: Counter<'_>, memory: &mut Memory) -> String {
    if let Some(text) = unchanged(request, counter) {
        return text;
    }
    let mut page = page::Page::of(request, counter, memory);
    let mut text = fit::longest(&mut page);
    while text.is_empty() || page.is_header(&text) {
        if !page.shorten_header() && !page.choose_smaller() {
            text.clear();
            break;
        }
        text = fit::longest(&mut page);
    }
    memory.talk = Some(page.talk);
    text
}

/// Returns the earlier digest if there is nothing new to add to it and it fits the budget.
fn unchanged(request: &Request<'_, '_>, counter: Counter<'_>) -> Option<String> {
    // The text must name the new archive.
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
