//! The word for an error, in the languages that compilers, shells and git speak.
//!
//! Responsible for a line whose message such a word heads: `a.c:1:1: Fehler: …`, `致命错误：…`.

/// Words for errors. Those in scripts without spaces may be the end of a longer word.
const ERRORS: &[&str] = &[
    "error", "fatal", "fehler", "schwerwiegend", "erreur", "errore", "fatale", "erro", "fout",
    "fel", "feil", "fejl", "virhe", "błąd", "chyba", "hiba", "hata", "eroare", "ошибка", "помилка",
    "エラー", "错误", "錯誤", "오류",
];

/// Within how many first bytes of a line the word is searched.
const NEAR: usize = 160;

/// Whether such a word with a colon heads a part of the line.
pub(super) fn heads_error(line: &str) -> bool {
    let near = &line[..line.floor_char_boundary(NEAR)];
    // A number behind the word is a measure: `mean error: 0.12`.
    let is_measure = |at: usize| {
        near[at..].trim_start_matches([':', ' ']).starts_with(|c: char| c.is_ascii_digit())
    };
    near.match_indices(COLONS).any(|(at, _)| is_headed_at(near, at) && !is_measure(at))
}

/// Whether the line begins with such a word and a colon: `error: …`, `fatal : …`.
pub(super) fn begins_with_error(line: &str) -> bool {
    let Some(at) = line.find(COLONS) else { return false };
    !line[..at].trim_end().contains(char::is_whitespace) && is_headed_at(line, at)
}

/// The colon, and the wide one of Chinese and Japanese.
const COLONS: [char; 2] = [':', '：'];

/// Whether the colon at a place ends such a word and is followed by a message.
fn is_headed_at(line: &str, at: usize) -> bool {
    let (before, behind) = line.split_at(at);
    let is_colon = behind.starts_with('：') || behind.starts_with(": ");
    let word = before.trim_end().rsplit([' ', ':', '\t']).next().unwrap_or_default();
    let word = word.to_lowercase();
    is_colon && ERRORS.iter().any(|it| word == *it || !it.is_ascii() && word.ends_with(it))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_error_has_a_head_in_any_language() {
        for line in ["error: a", "fatal : pas de dépôt", "致命错误：不是仓库", "エラー: a"]
        {
            assert!(begins_with_error(line) && heads_error(line), "{line}");
        }
        let line = "gcc: erreur fatale : a";
        assert!(heads_error(line) && !begins_with_error(line));
        for line in
            ["", "  error: string,", "terror: a", "error:a", "KeyError: 'a'", "no errors: 3"]
        {
            assert!(!begins_with_error(line), "{line}");
        }
    }
}
