//! What stands in a text and is no word of it: comments of its markup, and the tags around a thought.
//!
//! Responsible for putting blanks in their place before the text is cut into sentences: half of a comment
//! would be told as what somebody says. Invariant: every place in the text stays what it was.

use std::borrow::Cow;
use std::ops::Range;

use memchr::memmem;

use crate::message::origin::{BLOCKS_OF_AGENTS, is_wrapped, typed_words};
use crate::span::span_in;

/// What a block begins and ends with that nobody said.
const BLOCKS: [[&str; 2]; 4] =
    [["<!--", "-->"], BLOCKS_OF_AGENTS[0], BLOCKS_OF_AGENTS[1], BLOCKS_OF_AGENTS[2]];

/// What models call the tags between which they think aloud.
const THOUGHTS: &[&str] = &["thinking", "thoughts", "thought", "think"];

/// The text with blanks for these.
pub(crate) fn without_asides(text: Cow<'_, str>) -> Cow<'_, str> {
    let found = asides(&text);
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

/// The comments that come to an end, and the tags around thoughts without what stands between them.
fn asides(text: &str) -> Vec<Range<usize>> {
    let mut found = Vec::new();
    let typed = if is_wrapped(text) { span_in(text, typed_words(text)) } else { 0..text.len() };
    if typed.start > 0 {
        found.push(0..typed.start);
    }
    let (mut from, mut may_end) = (typed.start, [true; BLOCKS.len()]);
    for at in memchr::memchr_iter(b'<', text.as_bytes()) {
        let rest = &text[at..];
        let length = if at < from {
            None
        } else if let Some(kind) = BLOCKS.iter().position(|[open, _]| rest.starts_with(open)) {
            let close = BLOCKS[kind][1].as_bytes();
            let end = if may_end[kind] { memmem::find(rest.as_bytes(), close) } else { None };
            may_end[kind] = end.is_some();
            end.map(|end| end + close.len())
        } else {
            tag(rest)
        };
        let Some(length) = length else { continue };
        from = at + length;
        if !is_quoted(text, at) {
            found.push(at..from);
        }
    }
    if typed.end < text.len() {
        found.retain(|aside| aside.end <= typed.end);
        found.push(typed.end..text.len());
    }
    found
}

/// How long the tag around a thought is that a text begins with.
fn tag(text: &str) -> Option<usize> {
    let name = text.strip_prefix('<')?;
    let name = name.strip_prefix('/').unwrap_or(name);
    let rest = THOUGHTS.iter().find_map(|thought| name.strip_prefix(thought)?.strip_prefix('>'))?;
    Some(text.len() - rest.len())
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
        assert_eq!(blanked("<task>\na\n</task>"), "      \na\n       ");
        assert_eq!(blanked("a < b"), "a < b");
        assert_eq!(blanked("`<think>` and `<!-- b -->`"), "`<think>` and `<!-- b -->`");
    }
}
