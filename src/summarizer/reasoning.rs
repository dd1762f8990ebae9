//! Removing the thoughts that a model wrote into its answer.
//!
//! Responsible for their notations: blocks, wherever they stand; the end of a block whose beginning the
//! server removed; the channels of harmony. Invariant: tags that a sentence only mentions stay.

use std::ops::Range;

use super::code::Code;
use super::fault::Fault;
use crate::begins::begins_with_any;

/// The names of the tags around blocks of reasoning.
const TAGS: &[&str] = &["think", "thinking", "reasoning", "analysis"];

/// How an answer in channels begins, and the mark before the words to the user.
const CHANNELS: &[&str] = &["<|channel|>", "<|start|>"];
const FINAL: &str = "<|channel|>final<|message|>";

/// The tags around the summary.
const SUMMARY: &str = "<summary>";
const END_OF_SUMMARY: &str = "</summary>";

/// Characters that may precede a tag that is only mentioned.
const BEFORE_MENTION: &[char] =
    &[' ', '\t', '`', '"', '\'', '(', '[', '/', ',', '|', '*', '«', '“', '‘', '='];
/// Characters that may follow a tag that is only mentioned, in a sentence or a pattern.
const BEHIND_MENTION: &[char] = &['`', '"', '\'', '»', '”', '’', '\\'];

/// Returns an answer without its reasoning.
///
/// # Errors
///
/// The answer holds nothing but reasoning.
pub(super) fn without(answer: &str) -> Result<String, Fault> {
    let answer = behind_blocks(final_channel(answer.trim())?)?;
    let answer = behind_blocks(behind_bare_end(answer))?;
    Ok(without_blocks(answer))
}

/// The text in the channel for the user; an answer without channels as it is.
fn final_channel(answer: &str) -> Result<&str, Fault> {
    if !begins_with_any(answer, CHANNELS) {
        return Ok(answer);
    }
    let (_, answer) = answer.rsplit_once(FINAL).ok_or(Fault::CutOffInAnalysis)?;
    let end = ["<|return|>", "<|end|>"].iter().filter_map(|mark| answer.find(mark)).min();
    Ok(answer[..end.unwrap_or(answer.len())].trim())
}

/// The text behind the blocks with which an answer begins.
fn behind_blocks(answer: &str) -> Result<&str, Fault> {
    let lower = answer.to_ascii_lowercase();
    let mut rest = lower.trim_start();
    while let Some((_, close)) = tags().find(|(open, _)| rest.starts_with(open)) {
        let (_, behind) = rest.split_once(&close).ok_or(Fault::CutOffInAnalysis)?;
        rest = behind.trim_start();
    }
    Ok(&answer[answer.len() - rest.len()..])
}

/// The text behind the end of a block whose beginning is missing. The first such end counts, as later ones
/// belong to the answer; but an end before the summary ends all reasoning.
fn behind_bare_end(answer: &str) -> &str {
    if answer.starts_with(SUMMARY) {
        return answer;
    }
    let (lower, code) = (answer.to_ascii_lowercase(), Code::of(answer));
    let summary = answer.find(SUMMARY).unwrap_or(answer.len());
    let end_of_summary = answer.rfind(END_OF_SUMMARY).unwrap_or(0);
    for (open, close) in tags() {
        let (bare, _) = lower.split_once(&open).unwrap_or((&lower, ""));
        let behind = |at: usize| &answer[at + close.len()..];
        let precedes_summary =
            |at: &usize| !code.holds(*at) && behind(*at).trim_start().starts_with(SUMMARY);
        let ends = |at: &usize| {
            let is_in_summary = summary < *at && *at < end_of_summary;
            !is_in_summary && !code.holds(*at) && ends_alone(&answer[..*at], behind(*at))
        };
        let last = bare.rmatch_indices(&close).map(|(at, _)| at).find(precedes_summary);
        let end = last.or_else(|| bare.match_indices(&close).map(|(at, _)| at).find(ends));
        if let Some(at) = end {
            return behind(at);
        }
    }
    answer
}

/// The answer without the blocks inside it. A block without an end is only a mention, and so is one in code,
/// or one in the summary that shares a line with other words.
fn without_blocks(answer: &str) -> String {
    let (lower, code) = (answer.to_ascii_lowercase(), Code::of(answer));
    let mut summary = answer.find(SUMMARY);
    let end_of_summary = answer.rfind(END_OF_SUMMARY).unwrap_or(0);
    // An analysis inside the answer is part of the form that we asked for.
    let tags: Vec<_> = tags().filter(|(open, _)| open != "<analysis>").collect();
    let mut opened = vec![None; tags.len()];
    let mut blocks: Vec<Range<usize>> = Vec::new();
    for (at, _) in answer.match_indices('<') {
        let begins = |tag: &str| lower[at..].starts_with(tag);
        if let Some(tag) = tags.iter().position(|(open, _)| begins(open)) {
            let behind = &answer[at + tags[tag].0.len()..];
            if !code.holds(at) && stands_apart(&answer[..at], behind) {
                opened[tag] = Some(at);
            }
        } else if let Some(tag) = tags.iter().position(|(_, close)| begins(close))
            && !code.holds(at)
            // The next end closes the tag opened last, or else that tag was only mentioned.
            && let Some(start) = opened[tag].take()
        {
            let block = start..at + tags[tag].1.len();
            let is_in_summary = summary.is_some_and(|at| at < start) && start < end_of_summary;
            let has_lines = begins_line(&answer[..start]) && ends_line(&answer[block.end..]);
            let is_line = has_lines && !answer[block.clone()].contains('\n');
            let ends = is_line || ends_apart(&answer[..at], &answer[block.end..]);
            if ends && (has_lines || !is_in_summary) {
                if summary.is_some_and(|at| block.contains(&at)) {
                    summary = answer[block.end..].find(SUMMARY).map(|at| block.end + at);
                }
                while blocks.pop_if(|inner| inner.start > start).is_some() {}
                for at in &mut opened {
                    *at = at.filter(|at| *at < start);
                }
                blocks.push(block);
            }
        }
    }
    let (mut out, mut from) = (String::new(), 0);
    for block in blocks {
        out.push_str(&answer[from..block.start]);
        from = block.end;
    }
    out + &answer[from..]
}

/// Tells whether a tag between these texts is a real tag, not a word of a sentence.
fn stands_apart(before: &str, behind: &str) -> bool {
    (begins_line(before) || !before.ends_with(BEFORE_MENTION))
        && !behind.starts_with(BEHIND_MENTION)
}

/// Tells whether the end tag of a block is real; a blank may stand before it.
fn ends_apart(before: &str, behind: &str) -> bool {
    stands_apart(before, behind)
        || ends_sentence(before.trim_end()) && !behind.starts_with(BEHIND_MENTION)
}

/// Tells whether an end tag without a beginning is real: no sentence may continue behind it, unless the
/// answer follows directly.
fn ends_alone(before: &str, behind: &str) -> bool {
    let is_between_words = !behind.starts_with(char::is_whitespace);
    let is_edge = begins_line(before) || ends_line(behind) || ends_sentence(before);
    stands_apart(before, behind) && (is_edge || is_between_words)
}

fn begins_line(before: &str) -> bool {
    let before = before.trim_end_matches([' ', '\t']);
    before.is_empty() || before.ends_with('\n') || before.ends_with(SUMMARY)
}

fn ends_line(behind: &str) -> bool {
    let behind = behind.trim_start_matches([' ', '\t']);
    behind.is_empty() || behind.starts_with('\n') || behind.starts_with(END_OF_SUMMARY)
}

fn ends_sentence(text: &str) -> bool {
    text.trim_end_matches(')').ends_with(['.', '!', '?', '…', '。', '！', '？'])
}

/// The opening and closing tags of blocks.
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
        for answer in [
            "SECRET</think>the work",
            "Run `ls`, so it is.</think> the work",
            "It writes:\n```\n</think>\n```\nSo it is.\n</think>\n\nthe work",
            "hm</think>the work",
        ] {
            assert_eq!(without(answer).unwrap().trim(), "the work", "{answer}");
        }
        for block in [
            "\n<think>hm</think>\n",
            "<think> hm </think>\n",
            "<think>\nhm: `</think>`\n</think>\n",
            "\nSo:\n<think>hm\nso it is. </think>\n",
            "\n<think>\n<reasoning>hm</reasoning>\n</think>\n",
        ] {
            let answer = without(&format!("<summary>{block}the work</summary>")).unwrap();
            assert!(!answer.contains("hm") && answer.contains("\nthe work"), "{block}: {answer}");
        }
        let mention =
            "Sure.\n<think>in <summary> then</think>\n<summary>a.<think>b</think></summary>";
        let left = "Sure.\n\n<summary>a.<think>b</think></summary>";
        assert_eq!(without(mention).unwrap(), left);
        let crossed = "one\n<think>\n<reasoning>hm</think>\n</reasoning>\ntwo";
        assert_eq!(without(crossed).unwrap(), "one\n\n</reasoning>\ntwo");
        let later = "one\n<think>hm</think>\ntwo.<Reasoning>hm</Reasoning> three";
        assert_eq!(without(later).unwrap(), "one\n\ntwo. three");
        let first = "hm, <summary> comes later</think> <summary>the work</summary>";
        assert_eq!(without(first).unwrap().trim(), "<summary>the work</summary>");
        for cut in ["<think>hm", "<|channel|>analysis<|message|>hm", "<think>a</think><reasoning>b"]
        {
            assert_eq!(without(cut), Err(Fault::CutOffInAnalysis), "{cut}");
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
            ("a\n<think>\n", 999_999),
            ("a\n<think>`</think>` ```` ", 2_499_999),
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
            "<summary>BASE\n<think> must be known in any case.\nDecision: oil_table stays sorted.\n\
             Next: write wick.rs.\nThe end is </think> and may be missing.</summary>",
            "BASE\n<think> must be known.\nDecision: sorted.\nThe end is </think> and may be missing.",
            "<summary>BASE\nIt reads a:<think>b</think>and goes on</summary>",
            "<summary>BASE\nIt reads hm</think><summary> too</summary>",
            "BASE The regex `[\\s\\S]*?</think>\\s*` strips it. Next: wick.rs",
            "BASE The regex [\\s\\S]*?</think>\\s* strips it. Next: wick.rs",
            "`Given hm</think>the work` it returns the work",
            "We split at:</think> and keep the rest",
            "`We split at:</think>` and keep the rest",
            "The regex is `^<think>.*?</think>\\s*` now",
            "The test reads `Answer:<think>hm</think>the work` now",
            "The test is\n\n    <think>hm</think>\n\nand fails",
            "The test is\n~~~\n<think>hm</think>\n~~~\nand fails",
            "The test is\n~~~\nhm\n</think>\nthe work\n~~~\nand fails",
        ] {
            assert_eq!(without(answer).unwrap(), answer);
        }
    }
}
