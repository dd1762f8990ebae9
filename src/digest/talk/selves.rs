//! Words by which people speak of themselves: what they tell of themselves is asked for later.

use crate::digest::common::Set;

/// Words by which people speak of themselves, in several languages.
static SELF: Set = Set::new(&[
    "i", "my", "mine", "me", "we", "our", "us", "ich", "mein", "meine", "meinen", "meinem",
    "meiner", "mir", "mich", "wir", "unser", "unsere", "unseren", "uns", "je", "j", "mon", "ma",
    "mes", "moi", "nous", "notre", "nos", "yo", "mi", "mis", "nosotros", "nuestro", "nuestra",
    "eu", "meu", "minha", "nossa", "io", "mio", "mia", "noi", "я", "Я", "мой", "моя", "мне",
    "меня", "мы", "Мы", "наш", "нас",
]);
const WIDE_SELF: &[&str] = &["我", "私", "僕", "俺", "저는", "제가", "나는"];

/// How much the names of a sentence count that has such a word: what people tell of themselves is asked
/// for later. Measured: twice as much keeps a seventh more.
pub(in crate::digest) const OF_SELF: f32 = 2.0;

/// Whether a word is one by which people speak of themselves.
pub(in crate::digest) fn is_self(word: &str) -> bool {
    SELF.has(word.as_bytes())
}

/// Whether a sentence has such a word in a script without spaces.
pub(in crate::digest) fn has_wide_self(sentence: &str) -> bool {
    !sentence.is_ascii() && WIDE_SELF.iter().any(|me| sentence.contains(me))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::digest::kinds::Kinds;
    use crate::digest::units;

    #[test]
    fn what_people_tell_of_themselves_counts_twice() {
        let is_double = |sentence: &str| {
            let mut is_of_self = has_wide_self(sentence);
            units::words(sentence, Kinds::of(sentence).all(), |word| is_of_self |= is_self(word));
            is_of_self
        };
        assert!(
            is_double("I’ve moved")
                && is_double("Seit Mai wohne ich hier")
                && is_double("我搬家了")
        );
        assert!(!is_double("It is warm here") && !is_double("In Mime"));
    }
}
