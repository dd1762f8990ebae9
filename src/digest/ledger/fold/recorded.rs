//! A call in an earlier digest: its request and its records on one line.
//!
//! Responsible for splitting off the records, each of which may be dropped, from the heading that stays
//! with all of them.

use std::ops::Range;

use super::{Quoted, aged};
use crate::digest::text::{labels, records};
use crate::span::span_in;

/// The beginning of the record of a call that failed.
const FAILED: &str = "failed";

/// Reads a call of a service whose records stand on the same line. Its request, and the field that says
/// what the records are of, become the heading.
pub(super) fn record(line: &str, range: &Range<usize>, generation: u32) -> Quoted<String> {
    let asks = line
        .split_once("] ")
        .is_some_and(|(_, call)| call.find('(').is_some_and(|at| !call[..at].contains([':', ' '])));
    let end = if asks { "): " } else { ": " };
    let head = line.find(end).map_or(line.len(), |at| at + end.len());
    let mut heading = aged(line[..head].trim_end(), generation);
    let mut records = &line[head..];
    if let Some((key, rest)) = key_of(records) {
        heading = format!("{heading} {key}{}", labels::NEXT_RECORD.trim_end());
        records = rest;
    }
    let place = |record: &str| {
        let span = span_in(line, record);
        range.start + span.start..range.start + span.end
    };
    // An error is one record, whatever separators it contains.
    let next = if records.starts_with(FAILED) { "\n" } else { labels::NEXT_RECORD };
    let records = records.split(next);
    Quoted { heading, lines: records.map(place).collect() }
}

/// The first field of some records, if it says what all of them are of, with the text after it.
fn key_of(records: &str) -> Option<(&str, &str)> {
    let (key, rest) = records.split_at(records.find([',', ';'])?);
    let (name, _) = key.split_once(": ").filter(|(name, _)| records::is_key(name))?;
    let rest = rest[1..].trim_start();
    (!rest.is_empty() && !rest.contains(&format!("{name}: "))).then_some((key, rest))
}
