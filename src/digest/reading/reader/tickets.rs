//! What the user names by its number alone: a ticket, an issue, a pull request.
//!
//! Responsible for knowing the title of such a record where a tool shows it: it says what the user asks for.

use std::collections::HashSet;

use crate::conversation::Message;
use crate::digest::text::records::{Field, Records};
use crate::line::is_number;

/// The numbers that users name, without what stands before them: `ENT-207`, `12` of `#12`.
#[derive(Debug, Default)]
pub(crate) struct Tickets(HashSet<String>);

/// A longer request says itself what it is about, in bytes.
const LONGEST: usize = 400;

/// What the number of a record is called, and what its title.
const NUMBERS: &[&str] = &["identifier", "key", "number", "iid", "id", "ticket"];
const TITLES: &[&str] = &["title", "summary", "subject", "name"];

impl Tickets {
    /// Those that short requests name.
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

    /// For each field of some records whether it is the title of one that the user named.
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

/// The number of a ticket that a word is.
fn ticket(word: &str) -> Option<&str> {
    if let Some(number) = word.strip_prefix('#') {
        return Some(number).filter(|number| is_number(number));
    }
    let (project, number) = word.split_once('-')?;
    // In small letters it may be a charset or a model.
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
