//! What a model thought in its answer before it answered, which is none of it.
//!
//! Responsible for the notations of it: blocks, wherever they stand; the end of a block whose beginning
//! the server has taken; the channels of harmony. Invariant: tags that a sentence only mentions stay.

use crate::begins::begins_with_any;

/// What blocks of reasoning are called.
const TAGS: &[&str] = &["think", "thinking", "reasoning", "analysis"];

/// What is wrong with an answer that is reasoning to its end.
pub(super) const CUT_OFF_INSIDE: &str = "cut off inside its analysis";

/// How an answer in channels begins, and where in it the words to the user stand.
const CHANNELS: &[&str] = &["<|channel|>", "<|start|>"];
const FINAL: &str = "<|channel|>final<|message|>";

/// What may stand before a tag that is mentioned.
const BEFORE_MENTION: &[char] =
    &[' ', '\t', '`', '"', '\'', '(', '[', '/', ',', '|', '*', '«', '“', '‘', '='];
/// What may stand behind one.
const BEHIND_MENTION: &[char] = &['`', '"', '\'', '»', '”', '’'];

/// Returns an answer without its reasoning.
///
/// # Errors
///
/// There is nothing else in it.
pub(super) fn without(answer: &str) -> Result<String, &'static str> {
    let answer = behind_blocks(final_channel(answer.trim())?)?;
    let answer = behind_blocks(behind_bare_end(answer))?;
    Ok(without_blocks(answer))
}

/// What stands in the channel for the user, where there are channels.
fn final_channel(answer: &str) -> Result<&str, &'static str> {
    if !begins_with_any(answer, CHANNELS) {
        return Ok(answer);
    }
    let (_, answer) = answer.rsplit_once(FINAL).ok_or(CUT_OFF_INSIDE)?;
    let end = ["<|return|>", "<|end|>"].iter().filter_map(|mark| answer.find(mark)).min();
    Ok(answer[..end.unwrap_or(answer.len())].trim())
}

/// What stands behind the blocks that an answer begins with.
fn behind_blocks(answer: &str) -> Result<&str, &'static str> {
    let lower = answer.to_ascii_lowercase();
    let mut rest = lower.trim_start();
    while let Some((_, close)) = tags().find(|(open, _)| rest.starts_with(open)) {
        let (_, behind) = rest.split_once(&close).ok_or(CUT_OFF_INSIDE)?;
        rest = behind.trim_start();
    }
    Ok(&answer[answer.len() - rest.len()..])
}

/// What stands behind the end of a block that begins nowhere.
fn behind_bare_end(answer: &str) -> &str {
    let lower = answer.to_ascii_lowercase();
    let summary = answer.find("<summary>").unwrap_or(answer.len());
    let end_of_summary = answer.rfind("</summary>").unwrap_or(0);
    for (open, close) in tags() {
        let (bare, _) = lower.split_once(&open).unwrap_or((&lower, ""));
        let ends = |at: &usize| {
            let (before, behind) = (&answer[..*at], &answer[at + close.len()..]);
            let is_in_summary = summary < *at && *at < end_of_summary;
            behind.trim_start().starts_with("<summary>")
                || !is_in_summary && stands_apart(before, behind)
        };
        if let Some(at) = bare.rmatch_indices(&close).map(|(at, _)| at).find(ends) {
            return &answer[at + close.len()..];
        }
    }
    answer
}

/// An answer without the blocks within it. One that does not end is a mention, and so is one in code.
fn without_blocks(answer: &str) -> String {
    let lower = answer.to_ascii_lowercase();
    let (mut out, mut from) = (String::new(), 0);
    let (mut is_in_code, mut looked_to) = (false, 0);
    // An analysis within is of the form that we asked for.
    let mut tags: Vec<_> = tags().filter(|(open, _)| open != "<analysis>").collect();
    for (at, _) in answer.match_indices('<') {
        let found = tags.iter().position(|(open, _)| lower[at..].starts_with(open));
        let Some(tag) = found.filter(|_| at >= from) else { continue };
        is_in_code ^= answer[looked_to..at].matches("```").count() % 2 == 1;
        looked_to = at;
        let (open, close) = &tags[tag];
        let behind = at + open.len();
        let Some(end) = lower[behind..].find(close) else {
            // Nor does any that begins later.
            tags.remove(tag);
            continue;
        };
        if !is_in_code && stands_apart(&answer[..at], &answer[behind..]) {
            out.push_str(&answer[from..at]);
            from = behind + end + close.len();
            looked_to = from;
        }
    }
    out + &answer[from..]
}

/// Tells whether a tag between these texts is one, and no word of a sentence.
fn stands_apart(before: &str, behind: &str) -> bool {
    let indented = before.trim_end_matches([' ', '\t']);
    let begins_line = indented.is_empty() || indented.ends_with('\n');
    (begins_line || !before.ends_with(BEFORE_MENTION)) && !behind.starts_with(BEHIND_MENTION)
}

/// The tags around blocks.
fn tags() -> impl Iterator<Item = (String, String)> {
    TAGS.iter().map(|tag| (format!("<{tag}>"), format!("</{tag}>")))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn reasoning_goes_in_every_notation() {
        for answer in [
            "the work",
            "<think>hm</think>\nthe work",
            "<Think>hm</THINK>the work",
            "<reasoning>hm</reasoning>\n\nthe work",
            "<think>a</think><think>b</think>\n<analysis>c</analysis> the work",
            "Okay, the user wants </think> to be known.\n</think>\n\nthe work",
            "Okay, so it is.</think>the work",
            "Hm.\n</Thinking>\nthe work",
            "Hm.\n</think>\n<think>hm</think>the work",
            "<|channel|>analysis<|message|>hm<|end|><|start|>assistant<|channel|>final<|message|>the work<|return|>",
            "<|channel|>analysis<|message|>hm<|channel|>final<|message|>the work",
        ] {
            assert_eq!(without(answer).unwrap().trim(), "the work", "{answer}");
        }
        let later = "one\n<think>hm</think>\ntwo.<Reasoning>hm</Reasoning> three";
        assert_eq!(without(later).unwrap(), "one\n\ntwo. three");
        let first = "hm, <summary> comes later</think> <summary>the work</summary>";
        assert_eq!(without(first).unwrap().trim(), "<summary>the work</summary>");
        for cut in ["<think>hm", "<|channel|>analysis<|message|>hm", "<think>a</think><reasoning>b"]
        {
            assert_eq!(without(cut), Err(CUT_OFF_INSIDE), "{cut}");
        }
    }

    #[test]
    fn many_tags_take_no_long_time() {
        for (tag, left) in [
            ("<think></think>", 0),
            ("a </think> ", 1_099_999),
            ("a <think>b</think> ", 1_899_999),
            ("a <think> ", 999_999),
            ("a\n<think></think>", 200_000),
        ] {
            let answer = without(&tag.repeat(100_000)).unwrap();
            assert_eq!(answer.len(), left, "{tag}");
        }
    }

    #[test]
    fn what_is_only_mentioned_stays() {
        for answer in [
            "Strips all before </think> now.",
            "- all before </think>\n- and `</think>` too",
            "Cuts `<think>…</think>` and <think> tags.\nThe last </think> stays",
            "<summary>\nThe end is\n</think>\nin a line\n</summary>",
            "The test holds\n```\n<think>hm</think>\n```\nand fails",
            "<think",
        ] {
            assert_eq!(without(answer).unwrap(), answer);
        }
    }
}
