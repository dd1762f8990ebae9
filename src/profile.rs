//! Named sets of choices for compaction, one row per profile.
//!
//! Responsible for what the profiles differ in; the code that compacts knows no profile by name.

use crate::marks::{self, SUMMARY_CLOSER};

/// What is tried before anything is summarised, besides writing results to files: first readings that newer
/// ones replace are cleared, then messages in the middle are dropped, then old results are cleared.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct CheapEdits {
    /// The most messages to keep: the first three and the newest.
    pub messages: Option<usize>,
    /// How many of the newest results are never cleared.
    pub results: usize,
    /// Whether old results are cleared before anything is summarised, or only if a summary is not enough.
    /// Measured at 33 to 90 % of a conversation: a digest keeps most of the names that clearing loses.
    pub clears_first: bool,
}

/// Which user messages stay besides the newest.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Users {
    /// None.
    None,
    /// As many as their share of the budget allows.
    Share,
    /// The newest, up to this many tokens, with a tenth of them reserved for the oldest.
    Tokens(usize),
}

/// How much of the end of a conversation stays.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Tail {
    /// Nothing.
    None,
    /// As much as its share of the budget allows.
    Share,
    /// This many per cent of the budget.
    Percent(usize),
    /// This many messages.
    Messages(usize),
}

/// Where the summary goes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Position {
    /// Behind the kept user messages, before the tail.
    BeforeTail,
    /// Behind all user messages, before protected exchanges.
    AfterUsers,
    /// Inside the first user message.
    IntoFirstUser,
}

/// A named set of choices.
#[derive(Debug)]
pub struct Profile {
    /// The profile's name for `--profile`.
    pub name: &'static str,
    /// Where the profile comes from, in one line for the help.
    pub about: &'static str,
    /// What is tried before anything is summarised; `None` for nothing.
    pub cheap_edits: Option<CheapEdits>,
    /// Whether the first user message stays.
    pub first_user: bool,
    /// Which other user messages stay.
    pub users: Users,
    /// Whether all exchanges of a protected tool stay, behind the summary, or only the newest.
    pub protects_all: bool,
    /// How much of the end of the conversation stays.
    pub tail: Tail,
    /// How many recently read files are restored if there is much room.
    pub restores: usize,
    /// Where the summary goes.
    pub place: Position,
    /// The text before the summary.
    pub opener: &'static str,
    /// The line behind the summary: anything below it in the same text is not ours.
    pub closer: &'static str,
    /// What the assistant says between the first user message and the next one.
    pub acknowledgement: Option<&'static str>,
}

/// The base of the other profiles: only a summary.
const SUMMARY_ALONE: Profile = Profile {
    name: "",
    about: "",
    cheap_edits: None,
    first_user: false,
    users: Users::None,
    protects_all: false,
    tail: Tail::None,
    restores: 0,
    place: Position::BeforeTail,
    opener: "",
    closer: SUMMARY_CLOSER,
    acknowledgement: None,
};

/// Every profile, the default first.
pub static PROFILES: &[Profile] = &[
    Profile {
        name: "standard",
        about: "what retains most: user messages, a digest, a tail where there is room",
        cheap_edits: Some(CheapEdits { messages: None, results: 5, clears_first: false }),
        users: Users::Share,
        tail: Tail::Share,
        restores: 5,
        ..SUMMARY_ALONE
    },
    Profile {
        name: "head-tail",
        about: "system prompt, summary, newest messages",
        tail: Tail::Percent(50),
        ..SUMMARY_ALONE
    },
    Profile {
        name: "codex",
        about: "system prompt, user messages up to 20k tokens or half the room, summary, protected tools",
        users: Users::Tokens(20_000),
        protects_all: true,
        place: Position::AfterUsers,
        opener: "Another language model started this task and produced a summary of it. \
                 Build on what is done already, and do not do it again:\n\n",
        ..SUMMARY_ALONE
    },
    Profile {
        name: "claude-code",
        about: "large results to files with --spill, middle dropped, old results cleared, then a summary alone",
        cheap_edits: Some(CheapEdits { messages: Some(50), results: 3, clears_first: true }),
        restores: 5,
        opener: "[Compacted]\n\n",
        ..SUMMARY_ALONE
    },
    Profile {
        name: "anchor",
        about: "first user message with the summary in it, last six messages",
        first_user: true,
        tail: Tail::Messages(6),
        place: Position::IntoFirstUser,
        opener: "[CONTEXT SUMMARY]\n",
        closer: "[END CONTEXT SUMMARY]",
        acknowledgement: Some(marks::ACKNOWLEDGEMENT),
        ..SUMMARY_ALONE
    },
];

/// Whether a line is the closing line of some profile's summary.
pub fn is_closer(line: &str) -> bool {
    PROFILES.iter().any(|profile| profile.closer == line)
}

/// The profile called `name`.
pub fn named(name: &str) -> Option<&'static Profile> {
    PROFILES.iter().find(|profile| profile.name == name)
}
