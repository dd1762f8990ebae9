//! Judging the answers of models and commands: which text is the summary, and whether it is one.
//!
//! Relies on the reply's own reason for ending (or on the text, as a command gives no reason), and on
//! [`reasoning`] for removing a model's thoughts. Invariant: a returned summary is not blank and holds
//! neither reasoning nor tags of ours.

use std::borrow::Cow;

use serde_json::{Map, Value};

use super::fault::Fault;
use super::provider::Stop;
use super::reasoning;
use crate::begins::begins_with_any;

/// Apologies that may begin an answer that declines, in lower case.
const APOLOGIES: &[&str] = &[
    "as an ai language model, ", "as an ai, ", "i'm sorry, ", "i am sorry, ", "sorry, ",
    "i apologize, ", "unfortunately, ", "but ",
];

/// How an answer declines, behind any apologies and before one of the [`DEEDS`].
const REFUSALS: &[&str] = &[
    "i can't ", "i cannot ", "i can not ", "i am unable to ", "i'm unable to ",
    "i am not able to ", "i'm not able to ", "i won't ", "i must decline to ",
];

/// What a model declines to do. What else it can't do, as `I cannot reproduce the bug`, may be a summary.
const DEEDS: &[&str] = &[
    "answer", "assist", "complete th", "comply", "discuss", "do th", "engage", "fulfil",
    "generate", "help", "process", "produce", "provide", "respond", "share", "summari",
];

/// Apologies in other languages, in lower case; no summary begins with one.
const FOREIGN_APOLOGIES: &[&str] = &[
    "lo siento", "je suis désolé", "désolé", "es tut mir leid", "tut mir leid", "desculp",
    "sinto muito", "lamento", "mi dispiace", "извините", "простите", "к сожалению, я не", "抱歉",
    "很抱歉", "对不起", "對不起", "申し訳", "すみません", "죄송",
];

/// How a page begins that a server sent in place of an answer, in lower case.
const PAGES: &[&str] = &["<!doctype html", "<html"];

/// How an answer begins that is a tool call written as text.
const CALLS: &[&str] =
    &["<tool_call", "<function_calls>", "<function=", "<invoke ", "[tool_calls]", "<|tool"];

/// The most bytes of an answer.
pub(super) const LARGEST: u64 = 4 * 1024 * 1024;

/// The most characters of a refusal; longer texts may be summaries that begin by quoting one.
const SHORT: usize = 400;

/// Returns the summary in an answer, or what is wrong with it.
pub(super) fn judge(text: &str, stop: Stop) -> Result<String, Fault> {
    match stop {
        Stop::Done => {}
        Stop::Length => return Err(Fault::CutOff),
        Stop::Window => return Err(Fault::CutOffByWindow),
        Stop::Tool => return Err(Fault::Call),
        Stop::Refusal => return Err(Fault::Refusal),
    }
    let text = reasoning::without(&printable(text))?;
    let tagged = text.contains("<summary>");
    let summary = summary(&text)?;
    if summary.is_empty() {
        return Err(Fault::Empty);
    }
    let lower: String = summary.chars().take(SHORT).flat_map(char::to_lowercase).collect();
    let fields = fields(&summary);
    if begins_with_any(&lower, CALLS) || fields.as_ref().is_some_and(is_call) {
        return Err(Fault::Call);
    }
    if fields.is_some_and(|fields| fields.get("error").is_some_and(|error| !error.is_null())) {
        return Err(Fault::Error);
    }
    let is_short = !tagged && summary.len() < SHORT;
    if !tagged && (begins_with_any(&lower, PAGES) || is_usage(&lower))
        || is_short && lower.starts_with("error:")
    {
        return Err(Fault::Error);
    }
    if is_short && declines(&lower) {
        return Err(Fault::Refusal);
    }
    Ok(summary)
}

/// Tells whether a text, in lower case, begins with the usage of a program: `usage: llm [-h]`.
fn is_usage(lower: &str) -> bool {
    lower.starts_with("usage: ") && lower.lines().next().is_some_and(|line| line.contains('['))
}

/// Tells whether a text, in lower case, declines to summarise, behind any number of apologies.
fn declines(lower: &str) -> bool {
    if begins_with_any(lower, FOREIGN_APOLOGIES) {
        return true;
    }
    let straight = lower.replace('’', "'");
    let mut words = straight.as_str();
    while let Some(rest) = APOLOGIES.iter().find_map(|apology| words.strip_prefix(apology)) {
        words = rest;
    }
    let mut refused = REFUSALS.iter().filter_map(|refusal| words.strip_prefix(refusal));
    refused.any(|deed| begins_with_any(deed, DEEDS))
}

/// An answer without control characters, such as NUL and bell, which carry no text and break files.
fn printable(text: &str) -> Cow<'_, str> {
    let is_stray = |c: char| c.is_ascii_control() && !matches!(c, '\n' | '\t');
    if !text.contains(is_stray) {
        return text.into();
    }
    text.chars().filter(|c| !is_stray(*c)).collect::<String>().into()
}

/// The members of a text that is nothing but a JSON object.
fn fields(text: &str) -> Option<Map<String, Value>> {
    let text = text.trim_start_matches("```json").trim_matches('`').trim();
    serde_json::from_str(text).ok()
}

/// Tells whether these are the members of a tool call.
fn is_call(fields: &Map<String, Value>) -> bool {
    let named = |names: &[&str]| names.iter().any(|name| fields.contains_key(*name));
    fields.contains_key("tool_calls")
        || (named(&["name", "tool", "function"])
            && named(&["arguments", "parameters", "input", "args"]))
}

/// Returns the text inside its summary tags if it has any, without any greeting before them.
fn summary(text: &str) -> Result<String, Fault> {
    let mut rest = text.trim();
    // A greeting may precede the analysis, and the analysis may mention the tags.
    if let Some((before, after)) = rest.split_once("<analysis>")
        && !before.contains("<summary>")
    {
        rest = after.split_once("</analysis>").ok_or(Fault::CutOffInAnalysis)?.1.trim();
    }
    let Some((_, inside)) = rest.split_once("<summary>") else { return Ok(rest.to_owned()) };
    let end = inside.rfind("</summary>").ok_or(Fault::CutOffInSummary)?;
    Ok(blocks(inside[..end].trim()).join("\n\n"))
}

/// The summaries in a text that begins inside the first and ends inside the last. Mostly there is one, which
/// may mention the tags. Between two summaries there is nothing, or lines of their own.
fn blocks(text: &str) -> Vec<&str> {
    let (mut blocks, mut start) = (Vec::new(), 0);
    let mut opens = text.match_indices("<summary>").map(|(at, _)| at).peekable();
    for (close, tag) in text.match_indices("</summary>") {
        let behind = close + tag.len();
        while opens.next_if(|open| *open < behind).is_some() {}
        let Some(open) = opens.peek() else { break };
        let between = &text[behind..*open];
        let is_lines = between.starts_with('\n') && between.ends_with('\n');
        if close >= start && (is_lines || between.trim().is_empty()) {
            blocks.push(text[start..close].trim());
            start = open + "<summary>".len();
        }
    }
    blocks.push(text[start..].trim());
    blocks.retain(|block| !block.is_empty());
    blocks
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_summary_is_taken_and_the_analysis_is_not() {
        for answer in [
            "the work",
            "  the work\n",
            "<summary>the work</summary>",
            "<analysis>\nhm, <summary> comes later\n</analysis>\n\n<summary>\nthe work\n</summary>\nBye.",
            "Sure.\n<analysis>hm</analysis>\n<summary>the work</summary>",
            "<analysis>hm</analysis>the work",
            "<summary>\0the\u{7} work\r\n\u{1b}</summary>",
            "<think>let me see</think>\n<Think>hm</Think><analysis>hm</analysis><summary>the work</summary>",
        ] {
            assert_eq!(judge(answer, Stop::Done), Ok("the work".to_owned()), "{answer}");
        }
        for (between, blocks) in [
            ("</summary><summary>", "one\n\ntwo"),
            ("</summary>\n\nAnd the rest:\n<summary>\n", "one\n\ntwo"),
            ("</summary>\n<summary></summary> <summary>", "one\n\ntwo"),
            (" </summary> and <summary> ", "one </summary> and <summary> two"),
        ] {
            let answer = format!("<summary>one{between}two</summary>");
            assert_eq!(judge(&answer, Stop::Done), Ok(blocks.to_owned()), "{answer}");
        }
        let quoting = "<summary>edited the parser of </summary> tags</summary>";
        assert_eq!(judge(quoting, Stop::Done).unwrap(), "edited the parser of </summary> tags");
    }

    #[test]
    fn what_is_no_summary_is_refused() {
        for (answer, fault) in [
            ("", Fault::Empty),
            (" \n\t", Fault::Empty),
            ("\0\u{1}", Fault::Empty),
            ("<analysis>hm</analysis>", Fault::Empty),
            ("<summary>\n</summary>", Fault::Empty),
            ("<analysis>hm", Fault::CutOffInAnalysis),
            ("<summary>the wo", Fault::CutOffInSummary),
            ("I'm sorry, but I can't help with that.", Fault::Refusal),
            ("I cannot assist with this request.", Fault::Refusal),
            ("I’m sorry, I can’t summarise that.", Fault::Refusal),
            ("As an AI language model, I am unable to do that.", Fault::Refusal),
            ("Lo siento, pero no puedo ayudar con esa solicitud.", Fault::Refusal),
            ("抱歉，我无法协助处理该请求。", Fault::Refusal),
            ("Error: rate limit exceeded", Fault::Error),
            ("{\"error\": {\"message\": \"rate limit exceeded\", \"code\": 429}}", Fault::Error),
            ("<html><head><title>502 Bad Gateway</title></head></html>", Fault::Error),
            ("usage: llm [-h] [-m MODEL] prompt", Fault::Error),
            ("<tool_call>{\"name\":\"read\"}</tool_call>", Fault::Call),
            ("{\"name\": \"bash\", \"arguments\": {\"command\": \"ls\"}}", Fault::Call),
            ("```json\n{\"tool\": \"bash\", \"args\": {}}\n```", Fault::Call),
        ] {
            assert_eq!(judge(answer, Stop::Done), Err(fault), "{answer}");
        }
        for stop in [Stop::Length, Stop::Window, Stop::Tool, Stop::Refusal] {
            assert!(judge("<summary>fine</summary>", stop).is_err());
        }
    }

    #[test]
    fn a_summary_about_refusals_is_one() {
        let about = "<summary>I cannot assist was what the model said.</summary>";
        assert!(judge(about, Stop::Done).is_ok());
        let of_work = "I cannot reproduce the bug in f3.py; the user wants it fixed all the same.";
        assert!(judge(of_work, Stop::Done).is_ok());
        let of_use = "Usage: the tool was run on both charts.";
        assert!(judge(of_use, Stop::Done).is_ok());
        let in_json = r#"{"done": ["the parser"], "error": null}"#;
        assert!(judge(in_json, Stop::Done).is_ok());
        let long =
            format!("I am unable to say more than this. {}", "The work goes on. ".repeat(40));
        assert!(judge(&long, Stop::Done).is_ok());
    }
}
