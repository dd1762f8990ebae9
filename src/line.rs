//! A text told on one line.
//!
//! Responsible for the two ways to do so, whole and by its beginning, wherever a person or a model is to
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_opening_ends_at_a_character() {
        assert_eq!(opening(" a\n b ", 3), "a b");
        assert_eq!(opening("数据 库", 3), "数据 …");
    }
}
