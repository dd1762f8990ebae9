//! A call of an earlier digest, with what it was asked and what it answered on one line.
//!
//! Responsible for parting what stays with all of its records from the records, each of which may go.

use std::ops::Range;

use super::{Quoted, aged};
use crate::digest::text::{labels, records};
use crate::span::span_in;

/// How a record begins of a call that failed.
const FAILED: &str = "failed";

/// A call of a service, with its records on the same line: what it was asked, and what these are of, stays
/// with all of them.
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
    // Why it failed is told with all that it says.
    let next = if records.starts_with(FAILED) { "\n" } else { labels::NEXT_RECORD };
    let records = records.split(next);
    Quoted { heading, lines: records.map(place).collect() }
}

/// The field of the first of some records that says what all are of, and what stands behind it.
fn key_of(records: &str) -> Option<(&str, &str)> {
    let (key, rest) = records.split_at(records.find([',', ';'])?);
    let (name, _) = key.split_once(": ").filter(|(name, _)| records::is_key(name))?;
    let rest = rest[1..].trim_start();
    (!rest.is_empty() && !rest.contains(&format!("{name}: "))).then_some((key, rest))
}
