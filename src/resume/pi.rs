//! Making a pi session resumable after edits.
//!
//! Responsible for a session of exactly what the draft keeps: broken chains are joined, the last compaction
//! names the first entry that is still there, a summary becomes a compaction, and the recorded size is at
//! most the new one.

mod append;

use std::collections::BTreeMap;

use crate::dialect::pi::path::Path;
use crate::dialect::pi::write_messages;
use crate::dialect::shared::{derived_id, members_but};
use crate::document::Document;
use crate::draft::Draft;
use crate::json::{Json, quote};
use crate::message::{NewMessage, Role};

pub(super) use append::append;

/// Leaves a session whose live entries are those that the draft keeps or inserts.
pub(super) fn mend<'a>(draft: &mut Draft<'_, 'a>, document: &Document<'a>, tokens: usize) {
    let path = Path::of(&draft.conversation().source.units);
    let new = draft.take_new_messages();
    drop_what_nothing_reads(draft, &path, new.iter().any(|(_, message)| message.is_summary));
    let recorded = set_recorded_size(draft, &path, tokens);
    let mut chain = Chain::new(draft, &path, recorded);
    let mut placed: BTreeMap<usize, Vec<NewMessage<'a>>> = BTreeMap::new();
    for (at, message) in new {
        placed.entry(chain.place(at)).or_default().push(message);
    }
    for (position, &unit) in path.branch.iter().enumerate() {
        for message in placed.remove(&unit).unwrap_or_default() {
            chain.put(document, unit, position, &message);
        }
        chain.keep(unit, position);
    }
    let end = chain.draft.conversation().source.units.len();
    let goes_on = !placed.is_empty();
    for message in placed.into_values().flatten() {
        chain.put(document, end, path.branch.len(), &message);
    }
    if path.has_ids && chain.is_broken && !goes_on {
        chain.end();
    }
}

/// Whether an entry may hold something for the model.
fn speaks(entry: Json<'_>) -> bool {
    let kind = entry.str_member("type").unwrap_or_default();
    matches!(kind.as_ref(), "message" | "compaction" | "branch_summary" | "custom_message")
}

/// Drops entries that were dead already if the compaction is dropped that made them so, and abandoned answers
/// with the message before them. Settings stay, because they apply wherever they stand.
fn drop_what_nothing_reads(draft: &mut Draft<'_, '_>, path: &Path, is_summarised: bool) {
    let conversation = draft.conversation();
    let units = &conversation.source.units;
    let gone = draft.gone_units();
    let old = path.compaction.map(|(last, _)| path.branch[last]);
    let is_cleared = is_summarised || old.is_some_and(|unit| gone[unit]);
    let mut is_live = vec![false; units.len()];
    path.read_order().into_iter().for_each(|unit| is_live[unit] = true);
    let is_message = conversation.units_in_messages();
    let mut after_gone = false;
    for (unit, value) in units.iter().enumerate() {
        if is_message[unit] {
            after_gone = gone[unit];
        } else if speaks(value.json)
            && (after_gone && is_live[unit] || is_cleared && !is_live[unit])
        {
            draft.drop_unit(unit);
        }
    }
}

/// Sets the recorded size, which pi takes from the usage of the last answer. Returns the former size, or 0 if
/// nothing was answered since the last compaction.
pub(super) fn set_recorded_size(draft: &mut Draft<'_, '_>, path: &Path, tokens: usize) -> u64 {
    let messages = &draft.conversation().messages;
    let compaction = path.compaction.map(|(last, _)| path.branch[last]);
    let usages = messages.iter().enumerate().rev();
    let mut usages = usages
        .filter(|(_, message)| message.role == Role::Assistant)
        .filter_map(|(at, message)| Some((at, message.json.member("usage")?)));
    let since = |at: usize| messages[at].units.first().copied() > compaction;
    let last = usages.clone().next().filter(|(at, _)| since(*at));
    if let Some((at, usage)) = usages.find(|(at, _)| !draft.is_dropped(*at)) {
        let sizes = usage.pick(["totalTokens", "input", "output", "cacheRead", "cacheWrite"]);
        let total = sizes[0].and_then(Json::as_u64).unwrap_or_default();
        let tokens = u64::try_from(tokens).unwrap_or(u64::MAX);
        for (index, size) in sizes.into_iter().enumerate().filter(|_| tokens < total) {
            let now = if index < 2 { tokens } else { 0 };
            if let Some(size) = size {
                draft.set_value(at, size, now.to_string());
            }
        }
    }
    last.and_then(|(_, usage)| usage.member("totalTokens")?.as_u64()).unwrap_or_default()
}

/// A new entry of the tree, with ids as JSON.
pub(super) struct Entry<'e> {
    /// Whether the entries of the session have ids.
    pub(super) has_ids: bool,
    pub(super) id: &'e str,
    pub(super) parent: &'e str,
}

impl Entry<'_> {
    /// Writes a compaction, with the first entry that it keeps given by its id and by its line.
    pub(super) fn compaction(
        &self,
        time: &str,
        summary: &str,
        (id, line): (&str, usize),
        recorded: u64,
    ) -> String {
        let kept = if self.has_ids {
            format!(r#""firstKeptEntryId":{id}"#)
        } else {
            format!(r#""firstKeptEntryIndex":{line}"#)
        };
        let rest = format!(r#""summary":{summary},{kept},"tokensBefore":{recorded}"#);
        self.write("\"compaction\"", &format!(r#""timestamp":{time},{rest}"#))
    }

    /// Writes a message.
    pub(super) fn message(&self, time: &str, message: &str) -> String {
        self.write("\"message\"", &format!(r#""timestamp":{time},"message":{message}"#))
    }

    /// Writes a copy of another entry.
    pub(super) fn copy(&self, entry: Json<'_>) -> String {
        let kind = entry.member("type").map_or("\"message\"", Json::source);
        let rest = members_but(entry, &["type", "id", "parentId"]);
        self.write(kind, rest.trim_end_matches(','))
    }

    fn write(&self, kind: &str, rest: &str) -> String {
        let chained = if self.has_ids {
            format!(r#""id":{},"parentId":{},"#, self.id, self.parent)
        } else {
            String::new()
        };
        format!(r#"{{"type":{kind},{chained}{rest}}}"#)
    }
}

/// The new branch, built entry by entry.
struct Chain<'d, 'c, 'a> {
    draft: &'d mut Draft<'c, 'a>,
    path: &'d Path,
    gone: Vec<bool>,
    /// The parent of the next entry, as JSON.
    parent: String,
    /// Whether the next entry has another parent than before.
    is_broken: bool,
    /// The lines so far, header included.
    lines: usize,
    /// The first entry with content: its id as JSON, and its line.
    first: Option<(String, usize)>,
    /// The first entry that the last compaction keeps: its id as JSON, and its line.
    first_kept: Option<(String, usize)>,
    /// The line written last, whose time new lines copy.
    before: Option<Json<'a>>,
    recorded: u64,
}

impl<'d, 'c, 'a> Chain<'d, 'c, 'a> {
    fn new(draft: &'d mut Draft<'c, 'a>, path: &'d Path, recorded: u64) -> Self {
        let units = &draft.conversation().source.units;
        let session =
            units.iter().find(|unit| unit.json.str_member("type").as_deref() == Some("session"));
        let session = session.and_then(|unit| unit.json.member("id"));
        // Any other missing parent would mean the entry before, once the root is dropped.
        let root = path.branch.first().and_then(|&unit| units[unit].json.member("parentId"));
        let root = root.filter(|root| Some(*root) == session);
        let headers = units.len() - path.branch.len();
        Self {
            gone: draft.gone_units(),
            parent: root.map_or("null", Json::source).to_owned(),
            is_broken: false,
            lines: if path.has_ids { 0 } else { headers },
            first: None,
            first_kept: None,
            before: units.first().map(|unit| unit.json),
            recorded,
            draft,
            path,
        }
    }

    /// The unit before which a message inserted before message `at` goes. Nothing is read before the
    /// compaction, wherever it stands in the file.
    fn place(&self, at: usize) -> usize {
        let conversation = self.draft.conversation();
        let compaction = self.path.compaction.map(|(last, _)| self.path.branch[last]);
        let mut units = conversation.messages[at..].iter().filter_map(|m| m.units.first().copied());
        units.find(|unit| Some(*unit) != compaction).unwrap_or(usize::MAX)
    }

    fn keep(&mut self, unit: usize, position: usize) {
        if self.gone[unit] {
            self.is_broken = true;
            return;
        }
        let json = self.draft.conversation().source.units[unit].json;
        let [id, parent, kind, kept_id, kept_index] =
            json.pick(["id", "parentId", "type", "firstKeptEntryId", "firstKeptEntryIndex"]);
        if let Some(parent) = parent.filter(|_| self.is_broken) {
            self.draft.set_unit_value(unit, parent, self.parent.clone());
        }
        let id = id.map_or("null", Json::source).to_owned();
        if kind.is_some_and(|kind| kind.says("compaction")) {
            let own = (id.clone(), self.lines + 1);
            let (kept, line) = self.first_kept.clone().unwrap_or(own);
            let changes = [(kept_id, kept), (kept_index, line.to_string())];
            let is_last = self.path.compaction.is_some_and(|(last, _)| last == position);
            for (value, now) in changes.into_iter().filter(|_| is_last) {
                if let Some(value) = value.filter(|value| value.source() != now) {
                    self.draft.set_unit_value(unit, value, now);
                }
            }
        } else {
            self.note(&id, position);
        }
        self.before = Some(json);
        self.follow(id);
        self.is_broken = false;
    }

    /// Makes the file end with the branch, because pi continues from the last entry of the file: entries
    /// beside the branch that stand behind it are dropped, and settings are joined to it.
    fn end(&mut self) {
        let leaf = self.path.branch.iter().rfind(|&&unit| !self.gone[unit]);
        for unit in leaf.map_or(0, |leaf| leaf + 1)..self.gone.len() {
            let json = self.draft.conversation().source.units[unit].json;
            let [id, parent] = json.pick(["id", "parentId"]);
            let [Some(id), Some(parent)] = [id, parent] else { continue };
            if self.gone[unit] || json.str_member("type").as_deref() == Some("session") {
                continue;
            }
            if speaks(json) {
                self.draft.drop_unit(unit);
            } else {
                self.draft.set_unit_value(unit, parent, self.parent.clone());
                self.follow(id.source().to_owned());
            }
        }
    }

    /// Inserts a message before `unit`.
    fn put(
        &mut self,
        document: &Document<'a>,
        unit: usize,
        position: usize,
        message: &NewMessage<'a>,
    ) {
        let time = self.before.and_then(|line| line.member("timestamp"));
        let time = time.map_or("null", Json::source).to_owned();
        let bodies = if message.is_summary {
            vec![quote(&message.texts())]
        } else {
            self.draft.with_edited(document, message, write_messages)
        };
        for body in bodies {
            let id = quote(&derived_id(&body, &self.parent));
            let entry = Entry { has_ids: self.path.has_ids, id: &id, parent: &self.parent };
            let line = if message.is_summary {
                let own = || (id.clone(), self.lines + 1);
                let (kept, line) = self.first.clone().unwrap_or_else(own);
                entry.compaction(&time, &body, (&kept, line), self.recorded)
            } else {
                entry.message(&time, &body)
            };
            self.draft.insert_unit(unit, line);
            if !message.is_summary {
                self.note(&id, position);
            }
            self.follow(id);
            self.is_broken = true;
        }
    }

    fn note(&mut self, id: &str, position: usize) {
        let entry = (id.to_owned(), self.lines);
        let is_kept = self.path.compaction.is_some_and(|(_, first)| position >= first);
        if is_kept && self.first_kept.is_none() {
            self.first_kept = Some(entry.clone());
        }
        self.first.get_or_insert(entry);
    }

    fn follow(&mut self, id: String) {
        self.parent = id;
        self.lines += 1;
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::conversation::decode;
    use crate::dialect::Scope;
    use crate::dialect::pi::Pi;

    fn texts(bytes: &[u8]) -> Vec<String> {
        let document = Document::parse(bytes).unwrap();
        let source = crate::source::Source::stream(document.values());
        decode(&Pi, source, Scope::Live).messages.iter().map(|message| message.text()).collect()
    }

    fn summarised(text: &str) -> String {
        let document = Document::parse(text.as_bytes()).unwrap();
        let source = crate::source::Source::stream(document.values());
        let conversation = decode(&Pi, source, Scope::Live);
        let mut draft = Draft::new(&conversation);
        draft.drop_message(0);
        draft.drop_message(1);
        let mut summary = NewMessage::text(Role::User, "the newer summary");
        summary.is_summary = true;
        draft.insert_message(2, summary);
        mend(&mut draft, &document, 7);
        String::from_utf8(document.apply(&draft.edits(&document))).unwrap()
    }

    #[test]
    fn a_summary_takes_the_place_of_the_last_one() {
        let result = summarised(include_str!("../../testdata/pi/compaction.jsonl"));
        assert_eq!(texts(result.as_bytes()), ["the newer summary", "kept answer", "newest"]);
        let lines: Vec<&str> = result.lines().collect();
        assert_eq!(lines.len(), 4, "{result}");
        assert!(lines[1].starts_with(r#"{"type":"compaction","id":""#));
        // The size recorded by an answer before the last compaction no longer counts.
        assert!(lines[1].contains(r#""parentId":null"#) && lines[1].contains(r#"Before":0}"#));
        assert!(lines[2].contains(r#""totalTokens":7"#));
    }

    #[test]
    fn without_ids_it_counts_lines() {
        let result = summarised(include_str!("../../testdata/pi/compaction-by-index.jsonl"));
        assert_eq!(texts(result.as_bytes()), ["the newer summary", "new"]);
        assert!(result.lines().nth(1).unwrap().contains(r#""firstKeptEntryIndex":2"#), "{result}");
    }
}
