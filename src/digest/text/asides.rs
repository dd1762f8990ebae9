//! What stands in a text and is no word of it: comments of its markup, and the tags around a thought.
//!
//! Responsible for putting blanks in their place before the text is cut into sentences: half of a comment
//! would be told as what somebody says. Invariant: every place in the text stays what it was.

use std::borrow::Cow;
use std::ops::Range;

const COMMENT: &str = "<!--";
const END_OF_COMMENT: &str = "-->";

/// What models call the tags between which they think aloud.
const THOUGHTS: &[&str] = &["thinking", "thoughts", "thought", "think"];

/// The text with blanks for these.
pub(crate) fn without_asides(text: Cow<'_, str>) -> Cow<'_, str> {
    if !text.contains('<') {
        return text;
    }
    let mut found = comments(&text);
    found.extend(tags(&text));
    if found.is_empty() {
        return text;
    }
    let mut text = text.into_owned();
    for aside in found {
        let blank: String = text[aside.clone()]
            .bytes()
            .map(|byte| if byte == b'\n' { '\n' } else { ' ' })
            .collect();
        text.replace_range(aside, &blank);
    }
    text.into()
}

/// The comments that come to an end.
fn comments(text: &str) -> Vec<Range<usize>> {
    let mut found = Vec::new();
    let mut from = 0;
    while let Some(start) = text[from..].find(COMMENT).map(|at| from + at) {
        let Some(length) = text[start..].find(END_OF_COMMENT) else { break };
        from = start + length + END_OF_COMMENT.len();
        if !is_quoted(text, start) {
            found.push(start..from);
        }
    }
    found
}

/// The tags around thoughts, without what stands between them.
fn tags(text: &str) -> Vec<Range<usize>> {
    let tags = THOUGHTS.iter().flat_map(|name| [format!("<{name}>"), format!("</{name}>")]);
    let places = |tag: String| -> Vec<Range<usize>> {
        let places = text.match_indices(&tag).filter(|(at, _)| !is_quoted(text, *at));
        places.map(|(at, tag)| at..at + tag.len()).collect()
    };
    tags.flat_map(places).collect()
}

/// Whether a text speaks of what stands at a place: back quotes are around it.
fn is_quoted(text: &str, at: usize) -> bool {
    text[..at].ends_with('`')
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_no_word_becomes_blank() {
        let blanked = |text: &'static str| without_asides(text.into()).into_owned();
        assert_eq!(blanked("a <!-- é\nb --> c"), "a        \n      c");
        assert_eq!(blanked("<thoughts>It is so.</thoughts>"), "          It is so.           ");
        assert_eq!(blanked("a <!-- b"), "a <!-- b");
        assert_eq!(blanked("a < b"), "a < b");
        assert_eq!(blanked("`<think>` and `<!-- b -->`"), "`<think>` and `<!-- b -->`");
    }
}
