//! The job of a summarizer: the rendered middle, and the limits of its summary.
//!
//! Relies on the caller for counting and for notices. Excerpts are in the order of the conversation, and
//! those of one group are adjacent.

use std::fmt;
use std::time::Duration;

use crate::line::counted;

/// One message of the middle, rendered as text.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Excerpt {
    /// The index of the message in its conversation.
    pub message: usize,
    /// The role of the message, for its heading.
    pub role: String,
    /// Whether the message stays beside the summary and is shown only for context.
    pub stays: bool,
    /// The message as text without its media, long tool results already previewed
    /// ([`preview`](super::preview())).
    pub text: String,
    /// The tokens of `text`.
    pub tokens: usize,
    /// Whether a tool result in it is previewed.
    pub is_preview: bool,
    /// Legal-cut group: excerpts of one group stay in one request.
    pub group: usize,
}

impl Excerpt {
    /// An excerpt for the summary of a piece, to be summarised with the others; its tokens are not counted.
    pub(super) fn part(index: usize, text: String) -> Self {
        let (role, tokens) = ("part".to_owned(), 0);
        Self { message: index + 1, role, stays: false, text, tokens, is_preview: false, group: 0 }
    }
}

/// The summary that an earlier compaction left.
#[derive(Clone, Copy, Debug)]
pub struct Earlier<'a> {
    /// Its text.
    pub text: &'a str,
    /// The indexes of the summarised messages that held it.
    pub messages: &'a [usize],
}

/// One summary to be made.
#[derive(Clone, Copy)]
pub struct Job<'a> {
    /// The middle.
    pub excerpts: &'a [Excerpt],
    /// An earlier summary, to be folded in.
    pub earlier: Option<Earlier<'a>>,
    /// The tokens that the summary should aim for, as stated in the prompt.
    pub target: Option<usize>,
    /// The tokens that the summary must stay below: those of the messages it replaces, whole and not as
    /// previews, and of an earlier summary.
    pub replaces: usize,
    /// Counts the tokens of a text.
    pub count: &'a dyn Fn(&str) -> usize,
    /// Reports events before they are waited for.
    pub say: &'a dyn Fn(&Notice),
}

/// An event that the user may want to know of while a summary is made; `Display` is one line.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Notice {
    /// Reported once, before anything is sent.
    Asking {
        /// How many messages are about to be sent.
        messages: usize,
        /// The model, or `the command`.
        who: String,
        /// The host, if there is one; never with a user name or a key.
        host: Option<String>,
    },
    /// An attempt failed and is repeated.
    Again {
        /// Why it failed.
        reason: String,
        /// The pause before the next attempt.
        after: Duration,
    },
    /// A request was too large and is divided.
    Divided {
        /// The message of the other side.
        reason: String,
    },
    /// A text of the user's, a prompt or instructions, was too long and lost its middle.
    Shortened {
        /// Which text.
        what: &'static str,
        /// How many characters were left out.
        characters: usize,
    },
    /// A line that the command wrote to its stderr.
    Stderr(String),
}

impl fmt::Display for Notice {
    fn fmt(&self, f: &mut fmt::Formatter) -> fmt::Result {
        match self {
            Self::Asking { messages, who, host } => {
                write!(f, "summarising {} with {who}", counted(*messages, "message"))?;
                host.iter().try_for_each(|host| write!(f, " at {host}"))
            }
            Self::Again { reason, after } => {
                write!(
                    f,
                    "could not summarise: {reason}; trying again in {:.1} s",
                    after.as_secs_f64()
                )
            }
            Self::Divided { reason } => write!(f, "{reason}; trying again in smaller pieces"),
            Self::Shortened { what, characters } => {
                write!(f, "{what} too long: {characters} characters left out of the middle")
            }
            Self::Stderr(line) => f.write_str(line),
        }
    }
}
