//! The fields of records as units.
//!
//! Responsible for the worth of each field: by the names in it, and in service conversations by what it
//! says of its record and how it compares with fields of the same key.

use super::{Reader, unread};
use crate::digest::Setting;
use crate::digest::reading::survey::{Leaf, NAMELESS, Unit, Unread, hashed};
use crate::digest::text::records::Records;
use crate::digest::text::units;

/// The worth of a field without a name that says what most records say.
const ALIKE: f32 = 0.02;
/// The worth of a field that says something else than all others of its key in a long list.
const STANDS_OUT: f32 = 12.0;

/// The worth of the title of a ticket that the user named by its number alone.
const ASKED_FOR: f32 = 60.0;

/// The factor for a name in a field that is about the call itself, not about what was asked for.
const OF_CALL: f32 = 0.1;

/// The factor for a name in a value of several words, such as a house number.
const IN_TEXT: f32 = 0.4;

impl Reader<'_> {
    /// Reads the fields of the records in a text.
    pub(super) fn fields(&mut self, text: &str, leaf: Leaf) {
        let number = self.leaf(leaf);
        self.kinds.read(text);
        let records = Records::of(text);
        let is_service = self.setting == Setting::Service;
        let titles = self.tickets.titles(text, &records);
        let standings = if is_service { records.standings() } else { Vec::new() };
        for (at, field) in records.fields.iter().enumerate() {
            let standing = standings.get(at).copied().unwrap_or_default();
            let is_telemetry = records.is_telemetry(field);
            let says = is_service && records.says(field);
            let is_of_words = says && records.is_of_words(field);
            if is_of_words {
                self.hear(text, &field.value);
            } else {
                self.scan(text, &field.value);
            }
            let found = std::mem::take(&mut self.found);
            let is_named = !(is_of_words || found.is_empty());
            let state = self.unread_field(text, field);
            let is_asked_for = titles.get(at).is_some_and(|is_title| *is_title);
            if !found.is_empty() || says || is_asked_for || state == Unread::Error {
                let (title, own) = records.title_of(field);
                let title = if title.is_empty() { 0 } else { units::estimate(&title) };
                // The words that a field shares with the title are paid for with the title.
                let own = own.map_or(0, |own| units::estimate(&own));
                let worth = match is_named {
                    _ if state == Unread::Error => unread::ERROR,
                    _ if is_asked_for => ASKED_FOR,
                    _ if standing.stands_out => STANDS_OUT,
                    true => 0.0,
                    false if standing.sets_apart && !is_telemetry => NAMELESS,
                    false => ALIKE,
                };
                let cost = self.cost(&field.range).saturating_sub(own);
                let unit = Unit { unread: state, ..Unit::of(number, &field.range, cost) };
                let share = if is_service && records.is_text(field) { IN_TEXT } else { 1.0 };
                let share = share * standing.share() * if is_telemetry { OF_CALL } else { 1.0 };
                // The title of a ticket is told once, however often it is shown.
                let said = if is_asked_for { hashed(&text[field.value.clone()]) } else { None };
                let unit = Unit {
                    said,
                    is_field: true,
                    record: field.record,
                    title,
                    worth,
                    share,
                    ..unit
                };
                self.keep(unit, &found);
            }
            self.found = found;
        }
    }
}
