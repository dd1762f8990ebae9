//! Records as a digest tells them: what a tool answered, field by field.
//!
//! Responsible for putting the fields of one record on a line. It relies on the survey for which fields are
//! of one record.

use std::collections::{HashMap, HashSet};

use super::Page;
use super::quotes::quoted;
use crate::digest::calls::Call;
use crate::digest::text::{labels, records};
use crate::digest::{Request, Setting};
use crate::json::Json;
use crate::line::on_one_line;

/// The longest subject that is told, in bytes.
const SUBJECT: usize = 40;

/// What stands before the records of a call, on their line, unless these say it.
pub(super) fn record_heading(page: &Page<'_, '_>, number: usize, records: &str) -> String {
    let call = &page.calls[number];
    let mut heading = format!("> [{}]", call.place.0);
    let mut tell = |word: &str| {
        heading.push(' ');
        heading.push_str(word);
    };
    let subject = page.subjects[number].as_ref();
    let subject = subject.filter(|subject| !says(records, &subject.value));
    if page.request.is_roomy() {
        tell(&call.tool);
    } else if let Some(Subject { key, .. }) = subject {
        tell(key);
    }
    if let Some(Subject { value, .. }) = subject {
        tell(value);
    }
    heading + if call.outcome.failed { labels::HAS_FAILED } else { "" } + ":"
}

/// Whether a value stands in some words as a whole.
fn says(words: &str, value: &str) -> bool {
    words.match_indices(value).any(|(at, _)| {
        !words[..at].ends_with(char::is_alphanumeric)
            && !words[at + value.len()..].starts_with(char::is_alphanumeric)
    })
}

/// Lines under one call, in service conversations without marks; the fields of one record on a line.
pub(super) fn record_lines(page: &Page<'_, '_>, members: &[u32]) -> Vec<String> {
    let mark = if page.request.setting == Setting::Work { "> " } else { "" };
    let record = |at: &u32| page.unit(*at).filter(|unit| unit.is_field).map(|unit| unit.record);
    let mut object = "";
    let lines = members.chunk_by(|a, b| record(a) == record(b)).flat_map(|members| {
        if record(&members[0]).is_none() {
            return quoted(page, members, |at| format!("{mark}{}", page.line(at)));
        }
        let title = title(page, members);
        let fields = members.iter().map(|at| field(page, *at, &mut object));
        let told: Vec<String> = title.into_iter().chain(fields).collect();
        vec![format!("{mark}{}", told.join(", ").replace(labels::NEXT_RECORD, ", "))]
    });
    lines.collect()
}

/// What a record is of, as far as none of the chosen fields says so.
fn title(page: &Page<'_, '_>, members: &[u32]) -> Option<String> {
    let fields = members.iter().filter_map(|at| page.unit(*at));
    let fields: Vec<_> = fields.map(|unit| unit.start as usize..unit.end as usize).collect();
    let parts = page.around(members[0]).title.iter();
    let parts = parts.filter(|(start, _)| !fields.iter().any(|field| field.contains(start)));
    let parts: Vec<&str> = parts.map(|(_, part)| part.as_str()).collect();
    (!parts.is_empty()).then(|| parts.join(" "))
}

/// A field with the object that it stands in, where another has one of the same name: told once for those
/// that follow each other.
fn field<'p>(page: &'p Page<'_, '_>, at: u32, object: &mut &'p str) -> String {
    let (told, around) = (records::plain(page.text(at)), page.around(at));
    let within = around.within.as_str();
    if within.is_empty() {
        return told;
    }
    let before = std::mem::replace(object, within);
    if before == within && !around.is_plain_too { told } else { format!("{within}.{told}") }
}

/// What a call looked up: the name of its only argument, and that.
pub(crate) struct Subject {
    key: String,
    value: String,
}

impl Subject {
    pub(super) fn value(&self) -> &str {
        &self.value
    }
}

/// The subject of each call, where others of its tool looked up other things.
pub(super) fn subjects(request: &Request<'_, '_>, calls: &[Call]) -> Vec<Option<Subject>> {
    if request.setting == Setting::Work {
        return calls.iter().map(|_| None).collect();
    }
    let subject = |call: &Call| {
        let body = request.conversation.messages[call.place.0].parts[call.place.1].body?;
        let text = body.text().unwrap_or(body.source().into());
        let mut members = Json::parse(&text)?.members();
        let (key, value) = members.next().filter(|_| members.next().is_none())?;
        let value = on_one_line(&value.text().unwrap_or(value.source().into()));
        let is_short = value.len() <= SUBJECT && !value.starts_with(['[', '{']);
        is_short.then(|| Subject { key: on_one_line(&key.text()), value })
    };
    let all: Vec<Option<Subject>> = calls.iter().map(subject).collect();
    let mut known: HashMap<&str, HashSet<&str>> = HashMap::new();
    for (call, subject) in calls.iter().zip(&all) {
        let subjects = known.entry(&call.tool).or_default();
        subjects.extend(subject.iter().map(|subject| subject.value.as_str()));
    }
    let is_one_of_several = |call: &Call| known[&*call.tool].len() > 1;
    let needs: Vec<bool> = calls.iter().map(is_one_of_several).collect();
    all.into_iter().zip(needs).map(|(subject, needs)| subject.filter(|_| needs)).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_value_stands_in_words_as_a_whole() {
        assert!(says("total: 7, paid: no", "7"));
        assert!(!says("total: 770, paid: no", "7"));
        assert!(says("770 of 7", "7"));
    }
}
