//! What is asked of a summarizer: the rendered middle, and what its summary has to fit.
//!
//! Relies on the caller for counting and for saying things. Excerpts stand in the order of the
//! conversation, and those of one group stand next to each other.

use std::fmt;
use std::time::Duration;

use crate::line::counted;

/// One message of the middle, rendered as text.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Excerpt {
    /// Index of the message in its conversation.
    pub message: usize,
    /// Role of the message, for its heading.
    pub role: String,
    /// Whether it stays beside the summary, and stands here so that the others are understood.
    pub stays: bool,
    /// The message as text without its media, long tool results already previewed
    /// ([`preview`](super::preview)).
    pub text: String,
    /// What `text` counts.
    pub tokens: usize,
    /// Whether a tool result in it is previewed.
    pub is_preview: bool,
    /// Legal-cut group: excerpts of one group stay in one request.
    pub group: usize,
}

impl Excerpt {
    /// A summary of a piece, which is summarised with the others; nobody counted it yet.
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
    /// Indexes of the messages that it stood in, if they go.
    pub messages: &'a [usize],
}

/// One summary to be made.
#[derive(Clone, Copy)]
pub struct Job<'a> {
    /// The middle.
    pub excerpts: &'a [Excerpt],
    /// An earlier summary, to be folded in.
    pub earlier: Option<Earlier<'a>>,
    /// Tokens that the summary should aim at; the prompt says so.
    pub target: Option<usize>,
    /// Tokens that the summary must stay under: what the messages that it stands for count, whole and
    /// not as previewed, and an earlier summary with them.
    pub replaces: usize,
    /// Counts the tokens of a text.
    pub count: &'a dyn Fn(&str) -> usize,
    /// Is told what happens, before it is waited for.
    pub say: &'a dyn Fn(&Notice),
}

/// Something that the user may want to hear while a summary is made; `Display` is one line.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Notice {
    /// Said once, before anything is sent.
    Asking {
        /// How many messages are about to be sent.
        messages: usize,
        /// The model, or `the command`.
        who: String,
        /// The host, where there is one; never with a user name or a key.
        host: Option<String>,
    },
    /// An attempt failed and is repeated.
    Again {
        /// Why it failed.
        reason: String,
        /// How long is waited first.
        after: Duration,
    },
    /// A request was too large and is divided.
    Divided {
        /// What the other side said.
        reason: String,
    },
    /// Text of the user's own, a prompt or instructions, was too long and lost its middle.
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
