//! What sentences begin with: those of a model that tell nothing of the work, and answers of a user.
//!
//! Responsible for the lists alone; they count where whole words of a sentence are these.

/// First words of sentences that only announce the next call.
pub(super) const FILLER: &[&str] = &[
    "let me", "now let", "let's", "i'll", "i will", "now i", "now, let", "first, let", "good",
    "great", "perfect", "ok,", "no response requested", "okay", "sure", "excellent", "next, let",
    "i need to", "i'm going to", "looking at", "let us", "alright", "you're right", "i understand",
    "thanks", "thank you", "certainly", "of course", "now add", "now update", "now fix", "now run",
    "now check", "now verify", "now test", "now create", "now write", "now build", "i see",
    "here's", "here is", "让我", "我来", "好的", "まず",
];

/// First words of what a model offers to do or asks to be told.
pub(super) const OFFERS: &[&str] = &[
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
