//! Full stops that end no sentence.
//!
//! Responsible for those after an abbreviation, a title or the number of a day, which belong together with what
//! follows.

/// Whether the text after a full stop belongs to the text before it.
pub(super) fn goes_on(before: &[u8], behind: &[u8]) -> bool {
    is_title(before) || is_short(before, behind) || is_day(before, behind)
}

/// Whether a full stop only ends an abbreviation: `No. 5`, `Hauptstr. 5`, `z.B. Berlin`.
fn is_short(before: &[u8], behind: &[u8]) -> bool {
    /// Abbreviations before a number.
    const NUMBERED: &[&str] = &["no", "nr", "str", "art", "ch", "sec", "fig", "vol", "pp", "nos"];
    /// Abbreviations before anything.
    const SHORT: &[&str] = &["approx", "ca", "bzw", "evtl", "ggf", "inkl", "usw", "vs", "incl"];
    let word = before.iter().rev().take_while(|byte| byte.is_ascii_alphabetic()).count();
    let word = before[before.len() - word..].to_ascii_lowercase();
    let is_numbered = behind.trim_ascii_start().first().is_some_and(u8::is_ascii_digit);
    let ends = |all: &[&str]| all.iter().any(|it| word == it.as_bytes());
    // A single letter after another full stop: `z.B.`, `U.S.`.
    let is_letter = word.len() == 1 && before.len() > 2 && before[before.len() - 2] == b'.';
    is_letter || ends(SHORT) || is_numbered && (ends(NUMBERED) || word.ends_with(b"str"))
}

/// Whether a full stop stands between a day and its month: `4. Juni`.
fn is_day(before: &[u8], behind: &[u8]) -> bool {
    const MONTHS: &[&str] = &[
        "Januar", "Jänner", "Februar", "März", "April", "Mai", "Juni", "Juli", "August",
        "September", "Oktober", "November", "Dezember",
    ];
    let digits = before.iter().rev().take_while(|byte| byte.is_ascii_digit()).count();
    let behind = behind.trim_ascii_start();
    (1..=2).contains(&digits) && MONTHS.iter().any(|month| behind.starts_with(month.as_bytes()))
}

/// Whether a text ends with a title before a name, such as `Mrs`: a capital and lower-case letters without a vowel.
fn is_title(text: &[u8]) -> bool {
    let word = text.iter().rev().take(5).take_while(|byte| byte.is_ascii_alphabetic()).count();
    let [first, rest @ ..] = &text[text.len() - word..] else { return false };
    let is_consonant = |byte: &u8| byte.is_ascii_lowercase() && !b"aeiouy".contains(byte);
    (1..=3).contains(&rest.len()) && first.is_ascii_uppercase() && rest.iter().all(is_consonant)
}

#[cfg(test)]
mod tests {

    #[test]
    fn a_word_may_be_written_short() {
        let goes_on =
            |before: &str, behind: &str| super::goes_on(before.as_bytes(), behind.as_bytes());
        for (before, behind) in [
            ("to Hauptstr", " 5 in Berlin"),
            ("see No", " 5"),
            ("it takes approx", " Two hours"),
            ("in z.B", " Berlin"),
            ("the U.S", " Navy"),
            ("ask Dr", " Okafor"),
            ("am 4", " Juni"),
        ] {
            assert!(goes_on(before, behind), "{before}");
        }
        for (before, behind) in
            [("I said no", " Then go"), ("a str", " It is"), ("we use C", " It")]
        {
            assert!(!goes_on(before, behind), "{before}");
        }
    }
}
