//! What the user names by its number alone: a ticket, an issue, a pull request.
//!
//! Responsible for recognising the title of such a record in the result of a tool: it says what the user asks for.

use std::collections::HashSet;

use crate::conversation::Message;
use crate::digest::text::records::{Field, Records};
use crate::line::is_number;

/// The numbers that users name, without a leading `#`: `ENT-207`, `12` for `#12`.
#[derive(Debug, Default)]
pub(crate) struct Tickets(HashSet<String>);

/// The greatest length in bytes of a request that may need the title: a longer one says itself what it is about.
const LONGEST: usize = 400;

/// The keys under which records hold their number.
const NUMBERS: &[&str] = &["identifier", "key", "number", "iid", "id", "ticket"];
/// The keys under which records hold their title.
const TITLES: &[&str] = &["title", "summary", "subject", "name"];

/// The length in characters from which on a name of digits and letters up to `f` is taken to be made up by a program.
const MADE_UP: usize = 20;

/// Whether a value is a name that a program made up, which nobody says: `6f1c0a52-9d3e-4f5b-8a77-0c2d9e1b4f60`.
pub(crate) fn is_made_up(value: &str) -> bool {
    value.len() >= MADE_UP && value.bytes().all(|byte| byte.is_ascii_hexdigit() || byte == b'-')
}

/// Whether a field holds the number by which people name its record.
pub(crate) fn numbers(key: &str, value: &str) -> bool {
    NUMBERS.contains(&key) && !is_made_up(value)
}

impl Tickets {
    /// The numbers that short requests name.
    pub(crate) fn of(messages: &[Message<'_>]) -> Self {
        let requests = messages.iter().filter(|message| message.is_request());
        let texts = requests.map(Message::text).filter(|text| text.len() <= LONGEST);
        let mut found = HashSet::new();
        for text in texts {
            let is_of_number = |c: char| c.is_alphanumeric() || matches!(c, '-' | '#');
            let words = text.split(|c| !is_of_number(c));
            found.extend(words.filter_map(ticket).map(str::to_owned));
        }
        Self(found)
    }

    /// For each field of some records, whether it is the title of a record that the user named; empty if none is.
    pub(crate) fn titles(&self, text: &str, records: &Records<'_>) -> Vec<bool> {
        if self.0.is_empty() {
            return Vec::new();
        }
        let name = |field: &Field| {
            text[field.range.start..field.value.start].trim_matches(['"', ':', ' '])
        };
        let value = |field: &Field| text[field.value.clone()].trim_matches(['"', '#']);
        let is_named =
            |field: &&Field| NUMBERS.contains(&name(field)) && self.0.contains(value(field));
        let named: HashSet<u32> =
            records.fields.iter().filter(is_named).map(|field| field.record).collect();
        let is_title =
            |field: &Field| named.contains(&field.record) && TITLES.contains(&name(field));
        if named.is_empty() { Vec::new() } else { records.fields.iter().map(is_title).collect() }
    }
}

/// The number of the ticket that a word names; `None` if it names none.
fn ticket(word: &str) -> Option<&str> {
    if let Some(number) = word.strip_prefix('#') {
        return Some(number).filter(|number| is_number(number));
    }
    let (project, number) = word.split_once('-')?;
    // In lower case the word may be a charset or a model.
    let is_of_project = |byte: u8| byte.is_ascii_uppercase() || byte.is_ascii_digit();
    let is_project = project.len() > 1 && project.bytes().all(is_of_project);
    let begins = project.starts_with(|c: char| c.is_ascii_uppercase());
    let is_standard = matches!(project, "UTF" | "SHA" | "GPT" | "ISO" | "RFC");
    (is_project && begins && !is_standard && is_number(number)).then_some(word)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn knows_numbers_of_tickets() {
        for (word, wanted) in [
            ("ENT-207", Some("ENT-207")),
            ("#12", Some("12")),
            ("utf-8", None),
            ("SHA-256", None),
            ("12", None),
            ("a-b", None),
            ("2026-11", None),
        ] {
            assert_eq!(ticket(word), wanted, "{word}");
        }
    }
}
