//! Short forms of a text, and counts of things.
//!
//! Responsible for shortening a text to one line or to its beginning, wherever a person or a model has to
//! recognise it: in lists, reports, digests.

/// The words of a text, with one blank between them.
pub(crate) fn on_one_line(text: &str) -> String {
    let mut line = String::with_capacity(text.len());
    for word in text.split_whitespace() {
        if !line.is_empty() {
            line.push(' ');
        }
        line.push_str(word);
    }
    line
}

/// The first `most` characters of a text on one line, with `…` if there are more.
pub(crate) fn opening(text: &str, most: usize) -> String {
    let line = on_one_line(text);
    match line.char_indices().nth(most) {
        Some((end, _)) => format!("{}…", &line[..end]),
        None => line,
    }
}

/// A number of things: `1 message`, `2 messages`.
pub(crate) fn counted(number: usize, thing: &str) -> String {
    format!("{number} {thing}{}", if number == 1 { "" } else { "s" })
}

/// At most `most` bytes of a text, cut at a character boundary, with `…` if there are more.
pub(crate) fn clip(text: &str, most: usize) -> Box<str> {
    if text.len() <= most {
        return text.into();
    }
    let cut = text.floor_char_boundary(most);
    format!("{}…", text[..cut].trim_end()).into()
}

/// At most `most` bytes of a text, cut behind a whole word if possible, with `…` if there are more.
pub(crate) fn clip_at_word(text: &str, most: usize) -> Box<str> {
    if text.len() <= most {
        return text.into();
    }
    let cut = text.floor_char_boundary(most);
    let end = if text[cut..].starts_with(char::is_whitespace) { Some(cut) } else { None };
    let end = end.or_else(|| text[..cut].rfind(char::is_whitespace)).filter(|end| *end > most / 2);
    clip(text, end.unwrap_or(cut))
}

/// Whether a paired `mark`, such as a quote, is still open at the end of the text.
pub(crate) fn leaves_open(text: &str, mark: char) -> bool {
    !text.matches(mark).count().is_multiple_of(2)
}

/// Whether a text consists of digits only.
pub(crate) fn is_number(text: &str) -> bool {
    !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_digit())
}

/// Whether some words stand in a text as whole words.
pub(crate) fn says(text: &str, words: &str) -> bool {
    places(text, words).next().is_some()
}

/// The offsets at which some words stand in a text as whole words.
pub(crate) fn places(text: &str, words: &str) -> impl Iterator<Item = usize> {
    let is_whole = |at: usize| {
        !text[..at].ends_with(char::is_alphanumeric)
            && !text[at + words.len()..].starts_with(char::is_alphanumeric)
    };
    text.match_indices(words).map(|(at, _)| at).filter(move |&at| is_whole(at))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_value_stands_in_words_as_a_whole() {
        assert!(says("total: 7, paid: no", "7"));
        assert!(!says("total: 770, paid: no", "7"));
        assert!(says("770 of 7", "7"));
    }

    #[test]
    fn only_one_thing_is_singular() {
        assert_eq!([0, 1, 2].map(|n| counted(n, "line")), ["0 lines", "1 line", "2 lines"]);
    }

    #[test]
    fn a_text_is_cut_behind_a_word() {
        let cut = |most| clip_at_word("one two three", most);
        assert_eq!(
            [13, 9, 7, 2].map(cut).map(String::from),
            ["one two three", "one two…", "one two…", "on…"]
        );
    }

    #[test]
    fn an_opening_ends_at_a_character() {
        assert_eq!(opening(" a\n b ", 3), "a b");
        assert_eq!(opening("数据 库", 3), "数据 …");
    }
}
