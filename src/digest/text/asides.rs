//! Parts of a text that are none of its words: comments in its markup, and the tags around a thought.
//!
//! Responsible for replacing them with blanks before the text is cut into sentences: half a comment would
//! be told as somebody's words. Invariant: all offsets into the text stay valid.

use std::borrow::Cow;
use std::ops::Range;

use memchr::memmem;

use crate::message::origin::{BLOCKS_OF_AGENTS, is_wrapped, typed_words};
use crate::span::span_in;

/// The beginnings and ends of blocks that nobody said.
const BLOCKS: [[&str; 2]; 4] =
    [["<!--", "-->"], BLOCKS_OF_AGENTS[0], BLOCKS_OF_AGENTS[1], BLOCKS_OF_AGENTS[2]];

/// What Claude Code writes below a plan or a summary: where the whole session is stored.
const POINTER: &str = "\nIf you need specific details from before ";

/// The names of the tags between which models think aloud.
const THOUGHTS: &[&str] = &["thinking", "thoughts", "thought", "think"];

/// The text with blanks in place of its asides.
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

/// The complete comments of a text, and the tags around thoughts without the thoughts themselves.
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
    let pointer = text[..typed.end].rfind(POINTER).map(|at| at..typed.end);
    let is_last = |it: &Range<usize>| {
        let line = text[it.clone()].trim();
        line.contains("read the full transcript at: ") && line.lines().nth(1).is_none()
    };
    if let Some(pointer) = pointer.filter(is_last) {
        found.retain(|aside| aside.end <= pointer.start);
        found.push(pointer);
    }
    if typed.end < text.len() {
        found.retain(|aside| aside.end <= typed.end);
        found.push(typed.end..text.len());
    }
    found
}

/// The length of the thought tag that a text begins with, in bytes; `None` if it begins with none.
fn tag(text: &str) -> Option<usize> {
    let name = text.strip_prefix('<')?;
    let name = name.strip_prefix('/').unwrap_or(name);
    let rest = THOUGHTS.iter().find_map(|thought| name.strip_prefix(thought)?.strip_prefix('>'))?;
    Some(text.len() - rest.len())
}

/// Whether what begins at `at` is quoted: a backtick stands before it.
fn is_quoted(text: &str, at: usize) -> bool {
    text[..at].ends_with('`')
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_no_word_becomes_blank() {
        let blanked = |text: &str| without_asides(text.to_owned().into()).into_owned();
        assert_eq!(blanked("a <!-- é\nb --> c"), "a        \n      c");
        assert_eq!(blanked("<thoughts>It is so.</thoughts>"), "          It is so.           ");
        assert_eq!(blanked("a <!-- b"), "a <!-- b");
        assert_eq!(blanked("<task>\na\n</task>"), "      \na\n       ");
        assert_eq!(blanked("a < b"), "a < b");
        let pointer =
            "If you need specific details from before that, read the full transcript at: /a.jsonl";
        assert_eq!(blanked(&format!("a\n\n{pointer}")).trim_end(), "a");
        assert_eq!(blanked(&format!("a\n{pointer}\nor not")), format!("a\n{pointer}\nor not"));
        assert_eq!(blanked("`<think>` and `<!-- b -->`"), "`<think>` and `<!-- b -->`");
    }
}
