//! Named sets of choices for compaction: one row a profile.
//!
//! Responsible for what the profiles differ in; the code that compacts knows no profile by name.

use crate::marks::{self, SUMMARY_CLOSER};

/// What is tried before anything is summarised, besides what goes to files: readings that newer ones
/// replace go, then messages from the middle, then old results.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct CheapEdits {
    /// The most messages: the first three and the newest.
    pub messages: Option<usize>,
    /// Results that are never cleared: so many of the newest.
    pub results: usize,
    /// Whether old results are cleared before anything is summarised, or only where a summary does not do.
    /// Measured at 33 to 90 % of a conversation: of the names that clearing loses, a digest keeps most.
    pub clears_first: bool,
}

/// Which of the user's messages stay besides the newest.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Users {
    /// None.
    None,
    /// As many as the budget shares out to them.
    Share,
    /// The newest, up to so many tokens, with a tenth of them for the oldest.
    Tokens(usize),
}

/// How much of the end stays.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Tail {
    /// Nothing.
    None,
    /// As much as the budget shares out to it.
    Share,
    /// So many per cent of the budget.
    Percent(usize),
    /// So many messages.
    Messages(usize),
}

/// Where the summary goes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Position {
    /// Behind the user's messages that stay, before the tail.
    BeforeTail,
    /// Behind all of the user's messages, before protected exchanges.
    AfterUsers,
    /// Into the first user's message.
    IntoFirstUser,
}

/// A named set of choices.
#[derive(Debug)]
pub struct Profile {
    /// What `--profile` calls it.
    pub name: &'static str,
    /// One line for the help: where it comes from.
    pub about: &'static str,
    /// What is tried before anything is summarised.
    pub cheap_edits: Option<CheapEdits>,
    /// Whether the first user's message stays.
    pub first_user: bool,
    /// Which other messages of the user stay.
    pub users: Users,
    /// Whether all exchanges of a protected tool stay, behind the summary, or the newest alone.
    pub protects_all: bool,
    /// How much of the end stays.
    pub tail: Tail,
    /// How many recently read files are put back where there is much room.
    pub restores: usize,
    /// Where the summary goes.
    pub place: Position,
    /// What stands before the summary.
    pub opener: &'static str,
    /// The line behind the summary: what stands below it in the same text is somebody else's.
    pub closer: &'static str,
    /// What the assistant says between the first user's message and another one of the user's.
    pub acknowledgement: Option<&'static str>,
}

/// The profile that the others are changes of: a summary alone.
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

/// Whether a line is one that stands behind a summary.
pub fn is_closer(line: &str) -> bool {
    PROFILES.iter().any(|profile| profile.closer == line)
}

/// The profile called `name`.
pub fn named(name: &str) -> Option<&'static Profile> {
    PROFILES.iter().find(|profile| profile.name == name)
}
