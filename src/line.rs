//! A text told shortly.
//!
//! Responsible for the ways to do so, on one line or by its beginning, wherever a person or a model is to
//! know a text again: lists, reports, digests.

/// The words of a text with one blank between them.
pub fn on_one_line(text: &str) -> String {
    text.split_whitespace().collect::<Vec<_>>().join(" ")
}

/// The first `most` characters of a text on one line, with a mark where there are more.
pub fn opening(text: &str, most: usize) -> String {
    let line = on_one_line(text);
    match line.char_indices().nth(most) {
        Some((end, _)) => format!("{}…", &line[..end]),
        None => line,
    }
}

/// At most `most` bytes of a text, cut at a character, with a mark where there are more.
pub fn clip(text: &str, most: usize) -> Box<str> {
    if text.len() <= most {
        return text.into();
    }
    let cut = text.floor_char_boundary(most);
    format!("{}…", text[..cut].trim_end()).into()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_opening_ends_at_a_character() {
        assert_eq!(opening(" a\n b ", 3), "a b");
        assert_eq!(opening("数据 库", 3), "数据 …");
    }
}
