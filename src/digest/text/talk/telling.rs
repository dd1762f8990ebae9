//! What people ask for later, of all that is said: what people tell of themselves, and their answers.
//!
//! Responsible for the factor of the names in a sentence of plain talk. It relies on the words by which people
//! speak of themselves and of each other, and on question marks.

use std::sync::LazyLock;

use crate::digest::text::common::Set;
use crate::digest::text::cues::Cues;

/// Words with which people say what somebody or something is called.
const NAMING: &[&str] = &[
    "called ", "named ", "name is", "name's", "name’s", "heißt ", "heißen ", "nennt ", "genannt",
    "s'appelle", "s’appelle", "se llama", "llamada", "llamado", "si chiama", "chamada", "chamado",
    "называется", "зовут",
];

/// Words with which people give a reason.
const REASONS: &[&str] =
    &["because", "weil ", "denn ", "parce qu", "puisque", "porque", "perché", "потому", "因为"];

/// Words with which people take up what was said and go on. A word with another use, such as a denial, stands here
/// with its comma.
const TAKING_UP: &[&str] = &[
    "oh", "ah", "well", "ha", "haha", "and", "but", "so", "yes", "yeah", "no,", "ok", "okay",
    "right", "good", "great", "thank", "thanks", "ach", "na ja", "und", "aber", "ja", "nein",
    "gut", "danke", "et", "mais", "oui", "non,", "bon,", "merci", "pero", "sí,", "bueno",
    "gracias", "mas", "sim,", "obrigado", "obrigada", "ну", "но", "да,", "нет", "спасибо",
];

static WITHIN: LazyLock<Cues> = LazyLock::new(|| Cues::new(&[NAMING, REASONS]));
const NAMES: u16 = 1;
const REASON: u16 = 2;

static FIRST: LazyLock<Cues> = LazyLock::new(|| Cues::new(&[TAKING_UP]));

/// The person that a word or a sentence speaks of. If there are several, the last of these counts.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Person {
    #[default]
    Nobody,
    You,
    Me,
}

/// Words by which people speak of themselves, in several languages; none that means something else in another one,
/// such as `ma` in Italian and `du` in French.
static ME: Set = Set::new(&[
    "i", "my", "mine", "me", "we", "our", "ich", "mein", "meine", "meinen", "meinem", "meiner",
    "mir", "mich", "wir", "unser", "unsere", "unseren", "uns", "je", "j", "mon", "mes", "moi",
    "nous", "notre", "nos", "yo", "mi", "mis", "nosotros", "nuestro", "nuestra", "eu", "meu",
    "minha", "nossa", "io", "mio", "mia", "noi", "я", "Я", "мой", "моя", "мне", "меня", "мы", "Мы",
    "наш", "нас",
]);
const WIDE_ME: &[&str] = &["我", "私", "僕", "俺", "저는", "제가", "나는"];

/// Words by which people speak of each other.
static YOU: Set = Set::new(&[
    "you", "your", "yours", "dein", "deine", "deinen", "deinem", "deiner", "dich", "euch", "euer",
    "eure", "tu", "te", "toi", "tes", "vous", "votre", "vos", "usted", "você", "seu", "sua", "tuo",
    "tua", "voi", "ты", "тебя", "тебе", "твой", "вы", "вас", "вам", "ваш",
]);
const WIDE_YOU: &[&str] = &["你", "您", "あなた", "君"];

impl Person {
    /// The person that a word speaks of.
    pub(crate) fn of_word(word: &str) -> Self {
        match word.as_bytes() {
            bytes if ME.has(bytes) => Self::Me,
            bytes if YOU.has(bytes) => Self::You,
            _ => Self::Nobody,
        }
    }

    /// The person that a sentence in a script without spaces speaks of.
    pub(crate) fn in_wide(sentence: &str) -> Self {
        let has = |words: &[&str]| words.iter().any(|word| sentence.contains(word));
        match sentence {
            sentence if sentence.is_ascii() => Self::Nobody,
            _ if has(WIDE_ME) => Self::Me,
            _ if has(WIDE_YOU) => Self::You,
            _ => Self::Nobody,
        }
    }
}

/// Whether a text asks something.
pub(crate) fn asks(text: &str) -> bool {
    memchr::memchr(b'?', text.as_bytes()).is_some()
        || !text.is_ascii() && text.contains(['？', '؟'])
}

/// Whether a sentence quotes somebody word for word.
fn quotes(sentence: &str) -> bool {
    memchr::memchr(b'"', sentence.as_bytes()).is_some()
        || !sentence.is_ascii() && sentence.contains(['“', '„', '«', '「'])
}

/// The factor for the names of a sentence in talk between people. It depends on the person, on whether the sentence
/// asks, and on whether it answers. Measured on long chats that we wrote, with questions on them: what is asked for
/// later stands up to twice as often in an answer, somewhat more often in what people tell of themselves, a quarter
/// as often in what is said of the other, and hardly ever in a question; four times as often where something is
/// given its name, and less often in a quotation, or after `oh` and `and`.
pub(crate) fn share(person: Person, sentence: &str, answers: bool) -> f32 {
    let of_whom = match person {
        Person::Me => 1.2,
        Person::You => 0.5,
        Person::Nobody => 1.0,
    };
    let asked = if asks(sentence) { 0.25 } else { 1.0 };
    let answered = if answers { 1.4 } else { 1.0 };
    let cues = WITHIN.find(sentence);
    let if_any = |cue: u16, share: f32| if cues & cue == 0 { 1.0 } else { share };
    let told = if_any(NAMES, 2.0) * if_any(REASON, 1.3);
    let bare = sentence.trim_start_matches(|c: char| !c.is_alphanumeric());
    let taken_up = if FIRST.whole_at(bare.as_bytes()) == 0 { 1.0 } else { 0.6 };
    let quoted = if quotes(sentence) { 0.7 } else { 1.0 };
    of_whom * asked * answered * told * taken_up * quoted
}

/// The factor for the names of a user's sentence in a chat with a model: only the user has anything to tell, and
/// the user's questions say what the chat is about.
pub(crate) fn share_of_user(person: Person, sentence: &str, answers: bool) -> f32 {
    let asked = if asks(sentence) { 2.0 } else { 1.0 };
    2.0 * asked * share(person, sentence, answers)
}

/// The greatest length in bytes of a message that was typed; a longer one was pasted as a rule.
const TYPED: usize = 2000;

/// The factor for a sentence in a user's message of this length in bytes: nobody types a chapter.
#[allow(clippy::cast_precision_loss, reason = "no exact matter")]
pub(crate) fn typed(bytes: usize) -> f32 {
    TYPED as f32 / bytes.max(TYPED) as f32
}

/// The factor for the names of a model's sentence: a model has an answer to every question, and speaks of no one.
pub(crate) fn share_of_model(sentence: &str) -> f32 {
    share(Person::Nobody, sentence, false)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::digest::text::kinds::Kinds;
    use crate::digest::text::units;

    #[test]
    fn a_sentence_speaks_of_oneself_before_others() {
        let person = |sentence: &str| {
            let mut person = Person::in_wide(sentence);
            units::words(sentence, Kinds::of(sentence).all(), |word| {
                person = person.max(Person::of_word(word));
            });
            person
        };
        for told in ["I’ve moved, you know", "Seit Mai wohne ich hier", "我搬家了"] {
            assert_eq!(person(told), Person::Me, "{told}");
        }
        assert_eq!(person("That suits you"), Person::You);
        assert_eq!(person("你好"), Person::You);
        assert_eq!(person("It is warm here"), Person::Nobody);
        for other in ["In Mime", "la gare du Nord", "ma è tardi", "a ton of sand", "ls dir"] {
            assert_eq!(person(other), Person::Nobody, "{other}");
        }
    }

    #[test]
    fn what_answers_counts_more_and_questions_less() {
        let plain = share(Person::Nobody, "It was a tin.", false);
        assert!(share(Person::Nobody, "It was a tin.", true) > plain);
        assert!(share(Person::Nobody, "Was it a tin?", false) < plain);
    }

    #[test]
    fn names_and_reasons_count_more_and_what_only_takes_up_less() {
        let told = |sentence| share(Person::Nobody, sentence, false);
        let plain = told("The dog is old.");
        assert!(told("The dog is called Tar.") > told("It barks because it is old."));
        assert!(told("It barks because it is old.") > plain);
        for less in ["Oh, the dog is old.", "He said “old dog” twice."] {
            assert!(told(less) < plain, "{less}");
        }
        // None of these only takes up what was said.
        for other in ["No vive nadie con él.", "Na quinta ela trabalha.", "Dennoch ist er alt."] {
            assert!((told(other) - plain).abs() < f32::EPSILON, "{other}");
        }
    }

    #[test]
    fn what_a_user_tells_a_model_counts_most() {
        let told = "I work nights.";
        let by_user = share_of_user(Person::Me, told, false);
        assert!(by_user > share(Person::Me, told, false));
        assert!(by_user > 2.0 * share_of_model(told));
        assert!(share_of_user(Person::Me, "May I work nights?", false) < by_user);
    }
}
