//! Records: results in JSON, as the tools of service conversations return them.
//!
//! Responsible for finding the fields of a record with their keys, as ranges of the text, so that several fields of
//! a record can be written on one line; and for the record or object that a field belongs to, if its key does not
//! say so.

use std::collections::{HashMap, HashSet};
use std::ops::Range;

use super::{common, units};
use crate::begins::begins_with_any;
use crate::digest::narrow;
use crate::json::Json;
use crate::line::on_one_line;
use crate::span::span_in;

/// How many fields the title of a record has at most: a first and a last name.
const PARTS: usize = 2;

/// The beginnings of the keys of such names.
const PERSON: &[&str] = &["first", "last", "given", "family"];

/// The greatest length in bytes of a value told as a field; a longer one is a text of its own.
const LONGEST: usize = 200;

/// The greatest length in bytes of a value that can be a title; a longer one says more than that.
const SHORT: usize = 40;

/// How deep nested objects and lists are read: each is parsed again for every one around it.
pub(crate) const DEEPEST: usize = 32;

/// Whether a text is a JSON object or array, and so made of fields.
pub(crate) fn is_record(text: &str) -> bool {
    let text = text.trim();
    let shaped = text.starts_with('{') && text.ends_with('}')
        || text.starts_with('[') && text.ends_with(']');
    shaped && text.len() > 2 && Json::parse(text).is_some()
}

/// Whether a text begins like a record or a list of records. Lists on screens begin with `[` and a number.
pub(crate) fn opens_record(text: &str) -> bool {
    let text = text.trim_start();
    text.starts_with('{')
        || text
            .strip_prefix('[')
            .is_some_and(|text| text.trim_start().starts_with(['{', '[', '"', ']']))
}

/// A field, as ranges of the text that it stands in.
pub(crate) struct Field {
    /// The range from the key to the end of the value.
    pub(crate) range: Range<usize>,
    pub(crate) value: Range<usize>,
    /// The number of its record.
    pub(crate) record: u32,
    /// The range of the key of the object within the record that the field stands in; empty if there is none.
    within: Range<usize>,
}

/// The number of fields of one key from which on they are a crowd: a listing, a log, a stock.
const CROWD: usize = 16;
/// A value stands out of a crowd if the other values are few: each is said by this many fields on average.
const FEW: usize = 4;

/// How a field compares with the fields of the same key.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Standing {
    /// Whether the field tells its record from others. Of a value that most records share, only the first does.
    pub(crate) sets_apart: bool,
    /// Whether its value is unique in a crowd whose other fields repeat a few values.
    pub(crate) stands_out: bool,
    /// How many fields of the key there are.
    all: usize,
}

impl Standing {
    /// The factor for the names in the field: it falls with the size of the crowd.
    #[allow(clippy::cast_precision_loss, reason = "a list has far fewer fields than 2^24")]
    pub(crate) fn share(self) -> f32 {
        let share = CROWD as f32 / self.all.max(CROWD) as f32;
        if self.stands_out { 1.0 } else { share * share }
    }
}

/// The fields of all records in a text.
pub(crate) struct Records<'t> {
    text: &'t str,
    pub(crate) fields: Vec<Field>,
    all: Vec<Record>,
}

#[derive(Default)]
struct Record {
    /// Whether it is an entry of a list or a map.
    is_part: bool,
    /// Whether other entries stand beside it.
    is_among: bool,
    /// The values of the fields that say what the record is.
    title: Vec<Range<usize>>,
    is_person: bool,
    /// The value of the first field that identifies the record, for a record without a title.
    id: Option<Range<usize>>,
}

impl Record {
    fn title(&self) -> impl Iterator<Item = &Range<usize>> {
        let id = self.id.as_ref().filter(|_| self.title.is_empty() && self.is_among);
        self.title.iter().filter(|_| self.is_part).chain(id)
    }
}

/// The context of a field or a sentence.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Around {
    /// The title of its record: the offset of each part in the text, and the part.
    pub(crate) title: Vec<(usize, String)>,
    /// The object within the record that the field stands in, if another object has a field of the same key.
    pub(crate) within: String,
    /// The speaker of a sentence of talk, if a message holds the words of several.
    pub(crate) speaker: String,
    /// Whether the record itself has a field of the same key.
    pub(crate) is_plain_too: bool,
}

/// A record, or an object within it, that is still to be read.
struct Open<'t> {
    json: Json<'t>,
    record: u32,
    within: Range<usize>,
    depth: usize,
}

impl<'t> Records<'t> {
    /// Reads the fields of a text.
    pub(crate) fn of(text: &'t str) -> Self {
        let mut read = Self { text, fields: Vec::new(), all: vec![Record::default()] };
        let json = Json::parse(text).into_iter();
        let mut open: Vec<_> =
            json.map(|json| Open { json, record: 0, within: 0..0, depth: 0 }).collect();
        while let Some(Open { json, record, within, depth }) = open.pop() {
            let (at, depth) = (open.len(), depth + 1);
            if depth > DEEPEST {
                read.add(read.span(json), read.span(json), record, within);
                continue;
            }
            // An object within a record is told with it; each record of a list or a map is told by itself.
            let is_map =
                json.members().nth(1).is_some() && json.members().all(|(_, it)| it.is_object());
            for (key, member) in json.members() {
                let name = read.span(key.json());
                if member.items().next().is_some_and(Json::is_object) {
                    open.push(Open { json: member, record: read.begin(0), within: 0..0, depth });
                } else if member.is_object() && is_map {
                    let record = read.begin(2);
                    if !member.members().any(|(_, it)| it.source() == key.json().source()) {
                        read.add(name.clone(), name.clone(), record, 0..0);
                        read.all[record as usize].title.push(name);
                    }
                    open.push(Open { json: member, record, within: 0..0, depth });
                } else if member.is_object() {
                    open.push(Open { json: member, record, within: name, depth });
                } else {
                    let value = read.span(member);
                    read.entitle(record, &text[name.clone()], value.clone());
                    read.add(name.start..value.end, value, record, within.clone());
                }
            }
            let all = json.items().take(2).count();
            for item in json.items() {
                if item.is_object() || item.is_array() {
                    open.push(Open { json: item, record: read.begin(all), within: 0..0, depth });
                } else {
                    read.add(read.span(item), read.span(item), record, 0..0);
                }
            }
            open[at..].reverse();
        }
        read
    }

    fn span(&self, json: Json<'_>) -> Range<usize> {
        span_in(self.text, json.source())
    }

    /// Begins a new record, one of `all` in a list or a map.
    fn begin(&mut self, all: usize) -> u32 {
        let number = narrow(self.all.len());
        let record = Record { is_part: all > 0, is_among: all > 1, ..Record::default() };
        self.all.push(record);
        number
    }

    fn add(&mut self, range: Range<usize>, value: Range<usize>, record: u32, within: Range<usize>) {
        let fields = &mut self.fields;
        if value.len() > LONGEST && value != range {
            pieces(self.text, value, |piece| {
                let (range, value) = (piece.clone(), piece);
                fields.push(Field { range, value, record, within: 0..0 });
            });
        } else {
            fields.push(Field { range, value, record, within });
        }
    }

    /// Notes the value of a field as a part of the title or as the id of its record, if it can be one.
    fn entitle(&mut self, record: u32, key: &str, value: Range<usize>) {
        let record = &mut self.all[record as usize];
        let key = key.trim_matches('"');
        if value.len() > SHORT || self.text[value.clone()].starts_with(['[', '{']) {
            // It says more than a title.
        } else if ["name", "Name", "title", "Title"].iter().any(|end| key.ends_with(end)) {
            // A title is one name, or the two names of a person.
            let is_of_person = begins_with_any(key, PERSON);
            let goes_on = is_of_person && record.is_person && record.title.len() < PARTS;
            if record.title.is_empty() || goes_on {
                record.title.push(value);
                record.is_person = is_of_person;
            }
        } else if is_key(key) {
            record.id.get_or_insert(value);
        }
    }

    /// The title of a field's record, if others stand beside it: each part with its offset.
    fn title(&self, field: &Field) -> impl Iterator<Item = (usize, String)> {
        let parts = self.all[field.record as usize].title();
        parts.map(|part| (part.start, plain(&self.text[part.clone()])))
    }

    /// The title of a field's record on one line, and the part of it that the field itself says.
    pub(crate) fn title_of(&self, field: &Field) -> (String, Option<String>) {
        let own = self.title(field).find(|(start, _)| *start == field.value.start);
        let parts: Vec<String> = self.title(field).map(|(_, part)| part).collect();
        (parts.join(" "), own.map(|(_, part)| part))
    }

    /// Whether a field says something about its record, and is not just its title or id.
    pub(crate) fn says(&self, field: &Field) -> bool {
        let record = &self.all[field.record as usize];
        let is_title = record.title().chain(&record.id).any(|part| *part == field.value);
        let value = &self.text[field.value.clone()];
        field.value != field.range && !is_title && !["\"\"", "null", "[]", "{}"].contains(&value)
    }

    /// Whether a field is about the call itself and not about what was asked for: its id, its duration.
    pub(crate) fn is_telemetry(&self, field: &Field) -> bool {
        const NAMES: &[&str] = &[
            "requestid", "traceid", "spanid", "correlationid", "latency", "latencyms",
            "durationms", "elapsed", "elapsedms", "tookms", "apiversion", "ratelimit",
        ];
        let key = self.text[field.range.start..field.value.start].bytes();
        let key = key.filter(u8::is_ascii_alphanumeric).map(|byte| byte.to_ascii_lowercase());
        NAMES.iter().any(|name| key.clone().eq(name.bytes()))
    }

    /// How each field compares with the fields of the same key.
    pub(crate) fn standings(&self) -> Vec<Standing> {
        let key = |field: &Field| &self.text[field.range.start..field.value.start];
        let whole = |field: &Field| &self.text[field.range.clone()];
        // For each key how many fields it has, and how many different ones.
        let (mut keys, mut alike) = (HashMap::new(), HashMap::new());
        for field in &self.fields {
            let (all, different) = keys.entry(key(field)).or_insert((0, 0));
            *all += 1;
            let alike = alike.entry(whole(field)).or_insert(0);
            *alike += 1;
            *different += usize::from(*alike == 1);
        }
        let mut told = HashSet::new();
        let standing = |field: &Field| {
            let ((all, different), alike) = (keys[key(field)], alike[whole(field)]);
            Standing {
                sets_apart: told.insert(whole(field)) || 2 * alike <= all,
                stands_out: all >= CROWD && alike == 1 && different * FEW <= all,
                all,
            }
        };
        self.fields.iter().map(standing).collect()
    }

    /// Whether the value of a field is a few words about its record: a place, a state or a colour, but no person's
    /// name.
    pub(crate) fn is_of_words(&self, field: &Field) -> bool {
        let is_title = self.all[field.record as usize].title.contains(&field.value);
        !is_title && is_of_words(&self.text[field.value.clone()])
    }

    /// Whether the value of a field is a text of several words.
    pub(crate) fn is_text(&self, field: &Field) -> bool {
        let value = &self.text[field.value.clone()];
        value.starts_with('"') && value.contains(' ')
    }

    /// The context of the wanted fields, by the offsets of the fields.
    pub(crate) fn around(&self, wanted: impl Fn(usize) -> bool) -> HashMap<usize, Around> {
        let key = |field: &Field| &self.text[field.range.start..field.value.start];
        // The objects of each record in which a key occurs.
        let mut objects: HashMap<(u32, &str), Vec<&Range<usize>>> = HashMap::new();
        for field in &self.fields {
            let objects = objects.entry((field.record, key(field))).or_default();
            // The fields of one object are consecutive.
            if objects.last() != Some(&&field.within) {
                objects.push(&field.within);
            }
        }
        let around = |field: &Field| {
            let objects = &objects[&(field.record, key(field))];
            let within = if objects.len() > 1 { &self.text[field.within.clone()] } else { "" };
            Around {
                title: self.title(field).collect(),
                within: said(within.trim_matches('"')),
                is_plain_too: objects.contains(&&(0..0)),
                speaker: String::new(),
            }
        };
        let fields = self.fields.iter().filter(|field| wanted(field.range.start));
        fields.map(|field| (field.range.start, around(field))).collect()
    }
}

/// Whether a field with this key identifies its record.
pub(crate) fn is_key(name: &str) -> bool {
    let ends = ["_id", "Id", "ID", "number", "Number", "code", "Code"];
    name == "id" || ends.iter().any(|end| name.ends_with(end))
}

/// How many words a value has at most that is taken from a fixed list: a place, a state, a colour.
const WORDS: usize = 4;

/// Whether a value is a few words without digits, which are no name of their own.
fn is_of_words(value: &str) -> bool {
    let value = value.trim_matches('"');
    let mut words = value.split(|c: char| !c.is_alphanumeric()).filter(|word| !word.is_empty());
    let is_short = value.len() <= SHORT && words.clone().nth(WORDS).is_none();
    let is_told = |word: &str| word.len() > 2 && !common::is_common(word.as_bytes());
    is_short
        && words.any(is_told)
        && value.chars().all(|c| c.is_alphabetic() || matches!(c, ' ' | '_' | '-'))
}

/// Cuts a long string, still escaped, into its lines, and long lines into pieces.
fn pieces(text: &str, value: Range<usize>, mut then: impl FnMut(Range<usize>)) {
    let mut start = value.start;
    for line in text[value].split("\\n") {
        let base = start;
        units::lines(line, |range| then(base + range.start..base + range.end));
        start += line.len() + 2;
    }
}

/// A field as it is told: `name: value`, without quotes and escapes.
pub(crate) fn plain(field: &str) -> String {
    // A piece of a long value has no key.
    let named = field.split_once(':').filter(|(key, _)| key.trim_end().ends_with('"'));
    let Some((key, value)) = named else {
        return said(field.trim_matches('"'));
    };
    let value = Json::parse(value).map_or_else(|| said(value), told);
    format!("{}: {value}", said(key.trim().trim_matches('"')))
}

/// A value as it is told, on one line.
fn told(value: Json<'_>) -> String {
    if value.is_array() {
        return value.items().map(told).collect::<Vec<_>>().join(", ");
    }
    value.text().map_or_else(|| said(value.source()), |text| on_one_line(&text))
}

/// Escaped text as it is told, on one line. If a piece ends within an escape, the escape stays.
fn said(piece: &str) -> String {
    let quoted = format!("\"{piece}\"");
    Json::parse(&quoted)
        .and_then(Json::text)
        .map_or_else(|| on_one_line(piece), |text| on_one_line(&text))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_field_is_told_without_quotes_and_escapes() {
        for (field, wanted) in [
            (r#""customer": "M\u00fcller \u4e2d\u6587""#, "customer: Müller 中文"),
            (r#""say": "a \"b\"\nc""#, "say: a \"b\" c"),
            (r#""total":12.50"#, "total: 12.50"),
            (r#""tags": ["a","b"]"#, "tags: a, b"),
            (r"caf\u00e9 is open", "café is open"),
            (r"cut here \u00", r"cut here \u00"),
        ] {
            assert_eq!(plain(field), wanted);
        }
    }
}
