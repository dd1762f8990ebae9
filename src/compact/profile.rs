//! Named sets of choices for compaction: one row a profile.
//!
//! Responsible for what the profiles differ in; the code that compacts knows no profile by name.

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
pub enum Place {
    /// Behind the user's messages that stay, before the tail.
    BeforeTail,
    /// Before protected exchanges and the tail, behind everything else.
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
    /// Whether results are deduplicated and cleared before anything is summarised.
    pub cheap_edits: bool,
    /// Whether the first user's message stays.
    pub first_user: bool,
    /// Which other messages of the user stay.
    pub users: Users,
    /// Whether the newest exchange of a protected tool stays, or all of them.
    pub protects_all: bool,
    /// How much of the end stays.
    pub tail: Tail,
    /// How many recently read files are put back where there is much room.
    pub restores: usize,
    /// Where the summary goes.
    pub place: Place,
    /// What stands before the summary.
    pub opener: &'static str,
    /// What stands behind the summary.
    pub closer: &'static str,
}

/// Every profile, the default first.
pub static PROFILES: &[Profile] = &[
    Profile {
        name: "standard",
        about: "what retains most: user messages, a digest, a tail where there is room",
        cheap_edits: true,
        first_user: false,
        users: Users::Share,
        protects_all: false,
        tail: Tail::Share,
        restores: 5,
        place: Place::BeforeTail,
        opener: "",
        closer: "",
    },
    Profile {
        name: "head-tail",
        about: "system prompt, summary, newest messages",
        cheap_edits: false,
        first_user: false,
        users: Users::None,
        protects_all: false,
        tail: Tail::Percent(50),
        restores: 0,
        place: Place::BeforeTail,
        opener: "",
        closer: "",
    },
    Profile {
        name: "codex",
        about: "system prompt, user messages up to 20k tokens, summary, protected tools",
        cheap_edits: false,
        first_user: false,
        users: Users::Tokens(20_000),
        protects_all: true,
        tail: Tail::None,
        restores: 0,
        place: Place::AfterUsers,
        opener: "Another language model started this task and produced a summary of it. \
                 Build on what is done already, and do not do it again:\n\n",
        closer: "",
    },
    Profile {
        name: "claude-code",
        about: "large results to files, middle dropped, old results cleared, then a summary alone",
        cheap_edits: true,
        first_user: false,
        users: Users::None,
        protects_all: false,
        tail: Tail::None,
        restores: 5,
        place: Place::BeforeTail,
        opener: "[Compacted]\n\n",
        closer: "",
    },
    Profile {
        name: "anchor",
        about: "first user message with the summary in it, last six messages",
        cheap_edits: false,
        first_user: true,
        users: Users::None,
        protects_all: false,
        tail: Tail::Messages(6),
        restores: 0,
        place: Place::IntoFirstUser,
        opener: "[CONTEXT SUMMARY]\n",
        closer: "\n[END CONTEXT SUMMARY]",
    },
];

/// The profile called `name`.
pub fn named(name: &str) -> Option<&'static Profile> {
    PROFILES.iter().find(|profile| profile.name == name)
}
