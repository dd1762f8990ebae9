//! The beginnings of sentences: of a model that fills, offers or concedes, and of a user who answers or objects.
//!
//! Responsible for the lists of such beginnings, which must be whole words, and for what a sentence does that has
//! one.

use std::sync::LazyLock;

use crate::begins::begins_with_any;
use crate::digest::text::cues::Cues;

/// First words of sentences that only fill the time before the next call.
const FILLER: &[&str] = &[
    "good",
    "great",
    "perfect",
    "ok,",
    "no response requested",
    "okay",
    "sure",
    "excellent",
    "please continue the conversation",
    "continue with the last task that you",
    "alright",
    "i understand",
    "thanks",
    "thank you",
    "certainly",
    "of course",
    "i see",
    "here's",
    "here’s",
    "here is",
    "好的",
];

/// First words with which a model concedes. `Good catch` alone does not: mostly it follows a question.
const CONCESSIONS: &[&str] = &[
    "you're right", "you’re right", "you are right", "you're absolutely right",
    "you’re absolutely right", "you are absolutely right", "you're completely right",
    "you’re completely right", "you're totally right", "you're correct", "you’re correct",
    "you are correct", "you're absolutely correct", "that changes things",
    "that changes everything", "that's a crucial distinction", "that’s a crucial distinction",
    "i overcomplicated", "my mistake", "i overcorrected", "i was wrong", "i misread",
    "i misunderstood", "that makes more sense", "du hast recht", "sie haben recht", "mein fehler",
    "vous avez raison", "tu as raison", "tienes razón", "tiene razón", "tiene usted razón",
    "tem razão", "tens razão", "você tem razão", "你说得对", "您说得对", "你是对的", "您是对的",
    "おっしゃる通り", "おっしゃるとおり", "ご指摘の通り", "вы правы", "ты прав",
];

/// First words that are a concession only after an objection.
const GRANTS: &[&str] = &[
    "good catch", "good point", "good call", "fair point", "fair enough", "great point",
    "great catch", "stimmt", "en effet", "es verdad", "é verdade", "没错", "その通り", "맞습니다",
    "말씀하신 대로", "верно", "действительно",
];

/// First words with which a user objects.
const OBJECTIONS: &[&str] = &[
    "no", "nope", "but", "wait", "that's not", "that’s not", "that isn't", "that is not", "nein",
    "aber", "non", "mais", "pero", "mas", "não", "不是", "不对", "但", "いや", "でも", "違",
    "아니요", "하지만", "нет", "но",
];

/// First words with which a user agrees or changes the subject, whatever the model grants.
const ADDITIONS: &[&str] = &[
    "also", "and", "great", "good", "nice", "perfect", "thanks", "thank you", "exactly", "agreed",
    "außerdem", "und", "genau", "danke", "aussi", "et", "merci", "también", "gracias", "também",
    "obrigado", "另外", "还有", "谢谢", "また", "それと", "ありがとう", "또", "그리고", "также",
    "спасибо", "и",
];

/// First words of sentences that announce the next call.
const INTENTS: &[&str] = &[
    "let me", "now let", "let's", "let’s", "i'll", "i’ll", "i will", "now i", "now, let",
    "first, let", "next, let", "i need to", "i'm going to", "i’m going to", "looking at", "let us",
    "now add", "now update", "now fix", "now run", "now check", "now verify", "now test",
    "now create", "now write", "now build", "让我", "我来", "まず",
];

/// Verbs that follow `I'm` in sentences that announce the next call.
const DOING: &[&str] = &[
    "adding", "applying", "changing", "checking", "committing", "confirming", "continuing",
    "copying", "creating", "doing", "drafting", "editing", "exporting", "fetching", "fixing",
    "going", "inspecting", "loading", "looking", "making", "moving", "opening", "pulling",
    "reading", "refreshing", "rerunning", "reviewing", "running", "searching", "staging",
    "starting", "testing", "tracing", "trying", "updating", "validating", "verifying", "writing",
];

static FIRST: LazyLock<Cues> = LazyLock::new(|| Cues::new(&[FILLER, OFFERS, INTENTS, CONCESSIONS]));
const OFFER: u16 = 2;
const INTENT: u16 = 4;
const CONCESSION: u16 = 8;

static REPLYING: LazyLock<Cues> = LazyLock::new(|| Cues::new(&[GRANTS, OBJECTIONS, ADDITIONS]));
const GRANT: u16 = 1;
const OBJECTION: u16 = 2;
const ADDITION: u16 = 4;

/// How many bytes into a reply a concession may begin, and how many bytes after its beginning it may end.
const SOON: usize = 40;

/// What a sentence does, by its beginning.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Opening {
    /// It says something, as far as the beginning tells.
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
            found if found & CONCESSION != 0 => match behind_concession(bare) {
                Some("") => Self::Filler,
                Some(rest) => Self::of(rest),
                None => Self::Other,
            },
            0 if is_doing(bare) => Self::Intent,
            0 => Self::Other,
            found if found & OFFER != 0 => Self::Offer,
            found if found & INTENT != 0 || intends_behind(bare) => Self::Intent,
            _ if tells_behind(bare) => Self::Other,
            _ => Self::Filler,
        }
    }
}

/// Whether a sentence tells something after its first word: `Good, all lamps are lit.`
fn tells_behind(bare: &str) -> bool {
    const LONGEST: usize = 12;
    const FEW: usize = 3;
    const LEANING: &[&str] = &["i ", "i'", "i’", "so ", "that", "this", "it ", "then ", "let"];
    let rest = bare.split_once([',', '—', '–']).filter(|(word, _)| word.len() <= LONGEST);
    let rest = rest.map(|(_, rest)| rest.trim_start());
    rest.is_some_and(|rest| {
        let leans = begins_with_any(&rest.to_lowercase(), LEANING);
        !leans && rest.split_whitespace().nth(FEW).is_some() && Opening::of(rest) == Opening::Other
    })
}

/// The text after a concession: `that is cleaner` in `You're right - that is cleaner`. `None` if no mark ends the
/// concession.
fn behind_concession(bare: &str) -> Option<&str> {
    const FEW: usize = 4;
    const MARKS: &[&str] = &[" - ", " – ", "—", ",", ".", "!", ":", "，", "。", "！", "、"];
    let marks = MARKS.iter().filter_map(|mark| Some((bare.find(mark)?, mark.len())));
    match marks.min() {
        Some((at, length)) if at <= SOON => {
            Some(bare[at + length..].trim_start_matches(|c: char| !c.is_alphanumeric()))
        }
        _ if bare.split_whitespace().nth(FEW).is_none() => Some(""),
        _ => None,
    }
}

/// Whether words of the user reject what the model said, whatever the model replies.
pub(crate) fn rejects(words: &str) -> bool {
    const SAID: &[&str] = &[
        "that's not what i", "that’s not what i", "that is not what i", "not what i asked",
        "not what i meant", "you misunderstood", "i didn't ask", "i did not ask",
        "i didn't tell you", "i did not tell you", "i didn't say", "i never asked", "i never said",
        "i never told", "das habe ich nicht", "ce n'est pas ce que j", "no es lo que",
        "não foi isso", "不是我要的", "我没有要求",
    ];
    let bare = words.trim_start_matches(|c: char| !c.is_alphanumeric());
    let first = &bare[..bare.floor_char_boundary(SOON)].to_lowercase();
    SAID.iter().any(|said| first.contains(said))
}

/// Whether a reply gives up what the model said before these words of the user.
pub(crate) fn gives_in(words: &str, reply: &str) -> bool {
    /// Words with which the model stands firm all the same.
    const FIRM: &[&str] = &[
        " but ", " however", " still ", " though", " aber ", " jedoch", " trotzdem", " mais ",
        " pero ", " sin embargo", " mas ", "但", "不过", "しかし", " 하지만", " но ", " однако",
    ];
    /// How many bytes of a reply are searched for these words.
    const LOOKED_AT: usize = 160;
    let bare = |c: char| !c.is_alphanumeric();
    let (words, reply) = (words.trim_start_matches(bare), reply.trim_start_matches(bare));
    let said = REPLYING.whole_at(words.as_bytes());
    let concedes = |at: &usize| FIRST.whole_at(&reply.as_bytes()[*at..]) & CONCESSION != 0;
    let grants = REPLYING.whole_at(reply.as_bytes()) & GRANT != 0;
    let starts = reply.match_indices([' ', '，', '。', '！']).map(|(at, mark)| at + mark.len());
    let mut starts = starts.take_while(|at| *at < SOON);
    let place = if concedes(&0) {
        Some(0)
    } else if grants {
        starts.find(concedes).or((said & OBJECTION != 0).then_some(0))
    } else {
        None
    };
    let looked_at = reply[..reply.floor_char_boundary(LOOKED_AT)].to_lowercase();
    let is_firm = FIRM.iter().any(|firm| looked_at.contains(firm));
    let asks = words.trim_end().ends_with(['?', '？']);
    said & ADDITION == 0 && !is_firm && place.is_some_and(|at| at > 0 || concedes(&0) || !asks)
}

/// Whether a sentence announces something after its first word: `Good. Let me see.`
fn intends_behind(bare: &str) -> bool {
    const LONGEST: usize = 12;
    let rest = bare.split_once(['.', '!', ',']).filter(|(word, _)| word.len() <= LONGEST);
    rest.is_some_and(|(_, rest)| {
        let rest = rest.trim_start();
        FIRST.whole_at(rest.as_bytes()) & INTENT != 0 || is_doing(rest)
    })
}

/// Whether a sentence says what the model is doing: `I'm checking it now.`
fn is_doing(bare: &str) -> bool {
    let rest = ["I'm ", "I’m ", "I am "].iter().find_map(|begin| bare.strip_prefix(begin));
    let word = rest.map(|rest| rest.trim_start_matches("now ").trim_start_matches("re-"));
    let word = word.and_then(|rest| rest.split(|c: char| !c.is_alphabetic()).next());
    word.is_some_and(|word| DOING.contains(&word))
}

/// First words with which a model offers something, or asks what to do.
const OFFERS: &[&str] = &[
    "if you want", "if you'd like", "if you’d like", "if you would like", "if you prefer",
    "would you like", "do you want", "want me to", "should i", "shall i", "let me know",
    "say the word", "soll ich", "möchten sie", "wenn du willst", "wenn du magst",
    "wenn du möchtest", "wenn sie möchten", "wenn sie wollen", "wenn sie wünschen", "voulez-vous",
    "si vous voulez", "si vous souhaitez", "si vous préférez", "si tu veux", "souhaitez-vous",
    "quieres que", "si quieres", "quer que", "хотите", "если хотите", "如果你想", "如果你需要",
    "如果你愿意", "如果你希望", "如果您想", "如果您需要", "如果您愿意", "如果您希望", "需要我",
    "要不要", "よろしければ",
];

/// First words of an answer to a question.
pub(super) const ANSWERS: &[&str] = &[
    "yes", "yeah", "yep", "yup", "sure", "ok", "okay", "no", "nope", "nah", "not", "never",
    "don't", "do", "go", "let's", "lets", "please", "just", "both", "all", "none", "neither",
    "either", "option", "the", "first", "second", "third", "last", "only", "also", "use", "keep",
    "leave", "skip", "make", "add", "remove", "try", "start", "continue", "proceed", "commit",
    "push", "sounds", "looks", "perfect", "great", "good", "fine", "correct", "right", "exactly",
    "agreed", "i'd", "maybe", "probably", "definitely", "absolutely", "of", "with", "without",
    "in", "ja", "nein", "gern", "bitte", "oui", "non", "sí", "si", "sim", "да", "нет",
];

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_concession_says_what_stands_behind_it() {
        for (sentence, opening) in [
            ("You're right!", Opening::Filler),
            ("Good, all lamps of the house are lit.", Opening::Other),
            ("Good, now I trim the wick.", Opening::Intent),
            ("Good, that works.", Opening::Filler),
            ("Perfect, so we have two lamps.", Opening::Filler),
            ("You're absolutely right - let me move both.", Opening::Intent),
            ("You're right - the lamp burns longer with colza.", Opening::Other),
            ("You're right that the lamp burns longer with colza.", Opening::Other),
            ("你说得对，灯油不够。", Opening::Other),
        ] {
            assert_eq!(Opening::of(sentence), opening, "{sentence}");
        }
    }

    #[test]
    fn a_user_rejects_what_is_not_asked_for() {
        assert!(rejects("That's not what I asked you to do. Trim it!"));
        assert!(rejects("No, you misunderstood."));
        assert!(rejects("I didn't tell you to put the lamp out."));
        assert!(!rejects("Good. Now the oil, which is not what I asked you to do first."));
    }

    #[test]
    fn a_reply_gives_in_where_it_gives_the_user_right() {
        for (words, reply) in [
            ("the squash keeps them", "You're right - they are kept."),
            ("I told you the wick is new", "I was wrong about the wick, it is new."),
            ("but the wick is new", "Good catch! I took it for the old one."),
            ("it burns longer, I think", "Good point, and you're right about colza."),
            ("不对，灯还亮着", "没错，我看错了。"),
            ("Но лампа новая", "Верно, я ошибся."),
        ] {
            assert!(gives_in(words, reply), "{reply}");
        }
        for (words, reply) in [
            ("why is it dark?", "Good question! The wick is wet."),
            ("what of the oil?", "Good catch! I add it."),
            ("also look at the wick", "You're right, I look at it."),
            ("it is dark", "You're right, but the wick is dry."),
            ("do it", "Right, I do it."),
            ("wait, did you commit it?", "Good catch, it is committed as 4fe12ab."),
            ("Great work, that explains it", "You're right, it explains the smoke too."),
            ("is it the oil?", "You're right to ask, however the wick stays the cause."),
            ("Новый вопрос: где масло", "Верно, его нет."),
            ("不错，继续", "没错，我继续。"),
        ] {
            assert!(!gives_in(words, reply), "{reply}");
        }
    }
}
