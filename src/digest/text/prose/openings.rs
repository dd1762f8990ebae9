//! What sentences begin with: those of a model that tell nothing of the work, and answers of a user.
//!
//! Responsible for the lists, which count where whole words of a sentence are these, and for what a
//! sentence does that begins with them.

use std::sync::LazyLock;

use crate::digest::text::cues::Cues;

/// First words of sentences that only say something before the next call.
const FILLER: &[&str] = &[
    "good", "great", "perfect", "ok,", "no response requested", "okay", "sure", "excellent",
    "alright", "you're right", "you’re right", "i understand", "thanks", "thank you", "certainly",
    "of course", "i see", "here's", "here’s", "here is", "好的",
];

/// First words of those that announce it.
const INTENTS: &[&str] = &[
    "let me", "now let", "let's", "let’s", "i'll", "i’ll", "i will", "now i", "now, let",
    "first, let", "next, let", "i need to", "i'm going to", "i’m going to", "looking at", "let us",
    "now add", "now update", "now fix", "now run", "now check", "now verify", "now test",
    "now create", "now write", "now build", "让我", "我来", "まず",
];

/// What somebody says to be doing who is about to do it.
const DOING: &[&str] = &[
    "adding", "applying", "changing", "checking", "committing", "confirming", "continuing",
    "copying", "creating", "doing", "drafting", "editing", "exporting", "fetching", "fixing",
    "going", "inspecting", "loading", "looking", "making", "moving", "opening", "pulling",
    "reading", "refreshing", "rerunning", "reviewing", "running", "searching", "staging",
    "starting", "testing", "tracing", "trying", "updating", "validating", "verifying", "writing",
];

static FIRST: LazyLock<Cues> = LazyLock::new(|| Cues::new(&[FILLER, OFFERS, INTENTS]));
const OFFER: u16 = 2;
const INTENT: u16 = 4;

/// What a sentence does that begins as it does.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Opening {
    /// It says something for all that its beginning tells.
    Other,
    /// It fills the time before the next call.
    Filler,
    /// It announces what comes next.
    Intent,
    /// It offers something, or asks what to do.
    Offer,
}

impl Opening {
    pub(super) fn of(sentence: &str) -> Self {
        let bare = sentence.trim_start_matches(|c: char| !c.is_alphanumeric());
        match FIRST.whole_at(bare.as_bytes()) {
            0 if is_doing(bare) => Self::Intent,
            0 => Self::Other,
            found if found & OFFER != 0 => Self::Offer,
            found if found & INTENT != 0 || intends_behind(bare) => Self::Intent,
            _ => Self::Filler,
        }
    }
}

/// Whether a sentence announces something behind a word: `Good. Let me see.`
fn intends_behind(bare: &str) -> bool {
    const LONGEST: usize = 12;
    let rest = bare.split_once(['.', '!', ',']).filter(|(word, _)| word.len() <= LONGEST);
    rest.is_some_and(|(_, rest)| {
        let rest = rest.trim_start();
        FIRST.whole_at(rest.as_bytes()) & INTENT != 0 || is_doing(rest)
    })
}

/// `I'm checking it now.`
fn is_doing(bare: &str) -> bool {
    let rest = ["I'm ", "I’m ", "I am "].iter().find_map(|begin| bare.strip_prefix(begin));
    let word = rest.map(|rest| rest.trim_start_matches("now ").trim_start_matches("re-"));
    let word = word.and_then(|rest| rest.split(|c: char| !c.is_alphabetic()).next());
    word.is_some_and(|word| DOING.contains(&word))
}

/// First words of what a model offers to do or asks to be told.
const OFFERS: &[&str] = &[
    "if you want", "if you'd like", "if you’d like", "if you would like", "if you prefer",
    "would you like", "do you want", "want me to", "should i", "shall i", "let me know",
    "say the word", "soll ich", "möchten sie", "wenn du willst", "wenn du magst",
    "wenn du möchtest", "wenn sie möchten", "wenn sie wollen", "wenn sie wünschen", "voulez-vous",
    "si vous voulez", "si vous souhaitez", "si vous préférez", "si tu veux", "souhaitez-vous",
    "quieres que", "si quieres", "quer que", "Хотите", "Если хотите", "如果你想", "如果你需要",
    "如果你愿意", "如果你希望", "如果您想", "如果您需要", "如果您愿意", "如果您希望", "需要我",
    "要不要", "よろしければ",
];

/// Words that an answer to a question begins with.
pub(super) const ANSWERS: &[&str] = &[
    "yes", "yeah", "yep", "yup", "sure", "ok", "okay", "no", "nope", "nah", "not", "never",
    "don't", "do", "go", "let's", "lets", "please", "just", "both", "all", "none", "neither",
    "either", "option", "the", "first", "second", "third", "last", "only", "also", "use", "keep",
    "leave", "skip", "make", "add", "remove", "try", "start", "continue", "proceed", "commit",
    "push", "sounds", "looks", "perfect", "great", "good", "fine", "correct", "right", "exactly",
    "agreed", "i'd", "maybe", "probably", "definitely", "absolutely", "of", "with", "without",
    "in", "ja", "nein", "gern", "bitte", "oui", "non", "sí", "si", "sim", "да", "нет", "Да", "Нет",
];
