//! Classifying the failure behind an error answer.
//!
//! Relies on the table of [`patterns`]. Mistaking one class for another is the most common cause of wrong
//! compaction, so the order is fixed: waiting, bytes, tokens; all else is final. Invariant: for a caller, a
//! 429 is never an overflow, even if it mentions tokens.

use regex_lite::Regex;
use serde_json::Value;

use super::patterns::{self, Kind};

/// Strings of an error longer than this are quotations of the request, not words about it.
const LONGEST: usize = 4000;

/// The class of the failure behind an error answer.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Class {
    /// Rate limit, overload, timeout: the same request may work later.
    Wait,
    /// Too many tokens.
    Overflow(Overflow),
    /// Too many bytes; a request of fewer messages may work.
    Payload,
    /// The same request will never work.
    Final,
}

/// The real sizes that an overflow error names, in tokens.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Overflow {
    /// The size of the input.
    pub size: Option<usize>,
    /// The most tokens that the model accepts.
    pub limit: Option<usize>,
    /// The part of that limit that was requested as output.
    pub output: Option<usize>,
}

impl Overflow {
    /// Returns how much input the limit leaves room for.
    pub fn room(&self) -> Option<usize> {
        self.limit.map(|limit| limit.saturating_sub(self.output.unwrap_or(0)))
    }
}

/// Returns the class of an error answer.
///
/// `large` tells whether the request was estimated at half the window or more: some servers refuse
/// such a request without a word.
pub fn classify(status: Option<u16>, body: &str, large: bool) -> Class {
    let words = words(body);
    match status {
        Some(429) if find(patterns::NO_CREDIT, &words).is_some() => return Class::Final,
        Some(408 | 409 | 425 | 429 | 500..) => return Class::Wait,
        Some(400 | 413) if body.trim().is_empty() && large => {
            return Class::Overflow(Overflow::default());
        }
        _ => {}
    }
    if find(patterns::NO_BODY, &words).is_some() {
        return if large { Class::Overflow(Overflow::default()) } else { Class::Final };
    }
    let kind = patterns::PATTERNS.iter().find(|(_, pattern)| find(pattern, &words).is_some());
    let sizes = sizes(&words);
    match kind.map(|(kind, _)| kind) {
        // Statuses worth waiting for are handled above; others are final, whatever their text says.
        Some(Kind::Wait) if status.is_none_or(|status| status == 413) => Class::Wait,
        // Both kinds of "too large" have status 413, so the text decides; sizes in tokens are not bytes.
        Some(Kind::Payload) if sizes.size.is_none() => Class::Payload,
        Some(Kind::Payload | Kind::Overflow) => Class::Overflow(sizes),
        None if status == Some(413) => Class::Payload,
        Some(Kind::Wait | Kind::Neither) | None => Class::Final,
    }
}

/// Reads the error that a provider answered with; returns its sizes if it is an overflow.
///
/// The text may be an error body or the output of a client, with or without the status. A request that alone
/// exceeds a limit per minute or day is an overflow too, because waiting does not help.
pub fn overflow(text: &str) -> Option<Overflow> {
    if let Some(overflow) = above_a_rate(&words(text)) {
        return Some(overflow);
    }
    let status = first_number(patterns::STATUS, text).and_then(|status| u16::try_from(status).ok());
    match classify(status, text, true) {
        Class::Overflow(overflow) => Some(overflow),
        Class::Wait | Class::Payload | Class::Final => None,
    }
}

/// Reads a limit on tokens per time that a single request exceeds.
fn above_a_rate(words: &str) -> Option<Overflow> {
    let (limits, sizes) = patterns::IN_A_TIME;
    let (limit, size) = (first_number(limits, words)?, first_number(sizes, words)?);
    (size > limit).then_some(Overflow { size: Some(size), limit: Some(limit), output: None })
}

/// Returns the words of an error body: the strings of a JSON body, or the text as it is.
fn words(body: &str) -> String {
    let mut words = String::new();
    if let Ok(value) = serde_json::from_str::<Value>(body) {
        collect(&value, &mut words);
    }
    if words.is_empty() { body.to_owned() } else { words }
}

/// Adds the short strings and the numbers of `value` to `words`, a line each.
fn collect(value: &Value, words: &mut String) {
    match value {
        Value::String(text) if text.len() <= LONGEST => {
            words.push_str(text);
            words.push('\n');
        }
        Value::Array(values) => values.iter().for_each(|value| collect(value, words)),
        Value::Object(fields) => fields.iter().for_each(|(name, value)| {
            if value.is_number() {
                words.extend([format!("\"{name}\":{value}\n")]);
            }
            collect(value, words);
        }),
        _ => {}
    }
}

fn sizes(words: &str) -> Overflow {
    Overflow {
        size: first_number(patterns::SIZES, words),
        limit: first_number(patterns::LIMITS, words),
        output: first_number(patterns::OUTPUTS, words),
    }
}

/// Returns the number that the first fitting pattern captures.
fn first_number(patterns: &[&str], text: &str) -> Option<usize> {
    patterns.iter().find_map(|pattern| find(pattern, text)?.replace(',', "").parse().ok())
}

/// Returns what `pattern` captures, or matches, in `text`.
fn find<'a>(pattern: &str, text: &'a str) -> Option<&'a str> {
    let regex = Regex::new(&format!("(?im){pattern}")).ok()?;
    let found = regex.captures(text)?;
    found.get(1).or(found.get(0)).map(|found| found.as_str())
}

#[cfg(test)]
mod tests;
