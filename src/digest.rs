//! The built-in summary: what an agent needs later of the messages that go, made without a model.
//!
//! Responsible for choosing and writing. It relies on the conversation and its pairs, and on a
//! function that counts tokens; it reads no file, no clock and no environment. Invariants: the text
//! never counts more than the budget, and the same request gives the same text on every machine.

mod share;

use crate::conversation::{Conversation, Kind, Origin, Role};
use crate::marks;
use crate::pairing::Pairs;

pub use share::{tail_share, users_to_keep};

/// What is to be summarised, and in how many tokens.
pub struct Request<'r, 'a> {
    /// The whole conversation.
    pub conversation: &'r Conversation<'a>,
    /// Its calls and results, joined.
    pub pairs: &'r Pairs,
    /// For each message, whether it goes into the digest.
    pub summarised: &'r [bool],
    /// For each message, whether it stays visible word for word.
    pub shown: &'r [bool],
    /// How many tokens the digest may count.
    pub budget: usize,
    /// Counts the tokens of a text.
    pub count: &'r dyn Fn(&str) -> usize,
    /// Where the originals are kept, if they are.
    pub archive: Option<&'r str>,
    /// Whether keys, tokens and passwords are masked.
    pub redact: bool,
}

/// Writes the digest; an empty text where the budget holds none.
pub fn digest(request: &Request<'_, '_>) -> String {
    let mut text = marks::SUMMARY_OPENER.to_owned();
    if (request.count)(&text) > request.budget {
        return String::new();
    }
    if let Some(archive) = request.archive {
        push_fitting(request, &mut text, &format!("The messages themselves are in {archive}."));
    }
    let messages = &request.conversation.messages;
    let summarised = |at: &usize| request.summarised[*at];
    for at in (0..messages.len()).filter(summarised) {
        let message = &messages[at];
        if message.is_request() || message.origin == Origin::Summary {
            let said = message.text();
            push_fitting(request, &mut text, &format!("[{at}] the user: {}", said.trim()));
        }
    }
    for at in (0..messages.len()).filter(summarised).rev() {
        let message = &messages[at];
        for (_, part) in message.parts_of(Kind::Text) {
            if message.role == Role::Assistant {
                push_fitting(request, &mut text, &format!("[{at}] {}", part.text().trim()));
            }
        }
        for (_, part) in message.parts_of(Kind::ToolCall) {
            let arguments = part.body.map(|body| body.compact()).unwrap_or_default();
            let short: String = arguments.chars().take(200).collect();
            push_fitting(request, &mut text, &format!("[{at}] called {} {short}", part.tool()));
        }
    }
    text
}

/// Puts a line at the end where it fits.
fn push_fitting(request: &Request<'_, '_>, text: &mut String, line: &str) {
    let length = text.len();
    text.push('\n');
    text.push_str(line);
    if (request.count)(text) > request.budget {
        text.truncate(length);
    }
}
