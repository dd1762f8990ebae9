//! The live branch of a pi session, and what an edit makes of it.
//!
//! Responsible for the tree that `id` and `parentId` span (the first version has none: there the
//! order of the lines counts), for what the last compaction keeps, and for leaving a session that
//! pi resumes with just what the draft keeps. A parent that is not in the file is the entry before,
//! for `OpenClaw` names calls there too.

use std::borrow::Cow;
use std::collections::{BTreeMap, HashMap};

use crate::conversation::{Role, Unit};
use crate::draft::{Draft, NewMessage, NewPart};
use crate::json::{Json, quote};

/// The entries from the root to the last one, and which of them are read.
pub(super) struct Path {
    /// Indices of units, in the order of the branch.
    branch: Vec<usize>,
    /// The last compaction and the first entry that it keeps, as positions in the branch.
    compaction: Option<(usize, usize)>,
    /// The compactions before, of which nothing is read.
    earlier: Vec<usize>,
    /// Whether every entry has an id.
    has_ids: bool,
}

impl Path {
    pub(super) fn of(units: &[Unit<'_>]) -> Self {
        let entries: Vec<Entry<'_>> = units.iter().map(|unit| Entry::read(unit.json)).collect();
        let header = entries.iter().find(|entry| entry.is("session"));
        let session = header.and_then(|header| header.id.clone());
        let has_ids = entries.iter().any(|entry| entry.id.is_some() && !entry.is("session"));
        let branch = if has_ids {
            branch(&entries, session.as_deref())
        } else {
            (0..entries.len()).filter(|&unit| !entries[unit].is("session")).collect()
        };
        let is_compaction = |unit: &usize| entries[*unit].is("compaction");
        let last = branch.iter().rposition(is_compaction);
        let compaction = last.map(|last| {
            let json = units[branch[last]].json;
            let [id, index] = json.pick(["firstKeptEntryId", "firstKeptEntryIndex"]);
            let id = id.and_then(Json::text);
            let index = index.and_then(Json::as_u64).and_then(|at| usize::try_from(at).ok());
            let first = branch[..last].iter().position(|&unit| {
                index.is_some_and(|index| unit >= index) || (id.is_some() && entries[unit].id == id)
            });
            (last, first.unwrap_or(last))
        });
        let earlier = branch[..last.unwrap_or(0)].iter().copied().filter(is_compaction).collect();
        Self { branch, compaction, earlier, has_ids }
    }

    /// The units in the order in which they are read: the last compaction, what it keeps, the rest.
    pub(super) fn read_order(&self) -> Vec<usize> {
        let Some((last, first)) = self.compaction else { return self.branch.clone() };
        let kept = self.branch[first..last].iter().chain(&self.branch[last + 1..]);
        let kept = kept.copied().filter(|unit| !self.earlier.contains(unit));
        std::iter::once(self.branch[last]).chain(kept).collect()
    }
}

/// What the tree needs to know of a line.
struct Entry<'a> {
    kind: Cow<'a, str>,
    id: Option<Cow<'a, str>>,
    parent: Option<Cow<'a, str>>,
}

impl<'a> Entry<'a> {
    fn read(json: Json<'a>) -> Self {
        let [kind, id, parent] = json.pick(["type", "id", "parentId"]);
        Self {
            kind: kind.and_then(Json::text).unwrap_or_default(),
            id: id.and_then(Json::text),
            parent: parent.and_then(Json::text),
        }
    }

    fn is(&self, kind: &str) -> bool {
        self.kind == kind
    }
}

/// The way from the root to the last entry.
fn branch(entries: &[Entry<'_>], session: Option<&str>) -> Vec<usize> {
    let is_node = |entry: &Entry<'_>| entry.id.is_some() && !entry.is("session");
    let by_id: HashMap<&str, usize> = entries
        .iter()
        .enumerate()
        .filter(|(_, entry)| is_node(entry))
        .filter_map(|(unit, entry)| Some((entry.id.as_deref()?, unit)))
        .collect();
    let mut way = Vec::new();
    let mut next = entries.iter().rposition(is_node);
    while let Some(unit) = next {
        way.push(unit);
        let Some(parent) = entries[unit].parent.as_deref().filter(|id| Some(*id) != session) else {
            break;
        };
        let known = by_id.get(parent).copied().filter(|&parent| parent < unit);
        next = known.or_else(|| entries[..unit].iter().rposition(is_node));
    }
    way.reverse();
    way
}

/// Leaves a session whose live entries are those that the draft keeps or puts in.
pub(super) fn mend(draft: &mut Draft<'_, '_>, tokens: usize) {
    if draft.is_empty() {
        return;
    }
    let path = Path::of(&draft.conversation().source.units);
    let new = draft.take_new_messages();
    drop_what_nothing_reads(draft, &path, new.iter().any(|(_, message)| message.is_summary));
    let recorded = set_recorded_size(draft, tokens);
    let mut chain = Chain::new(draft, &path, recorded);
    let mut placed: BTreeMap<usize, Vec<NewMessage<'_>>> = BTreeMap::new();
    for (at, message) in new {
        placed.entry(chain.place(at)).or_default().push(message);
    }
    for (position, &unit) in path.branch.iter().enumerate() {
        for message in placed.remove(&unit).unwrap_or_default() {
            chain.put(unit, position, &message);
        }
        chain.keep(unit, position);
    }
    let end = chain.draft.conversation().source.units.len();
    for message in placed.into_values().flatten() {
        chain.put(end, path.branch.len(), &message);
    }
}

/// Drops the entries that were dead already, where the compaction goes that made them so, and
/// abandoned answers with the message before them. Settings stay: they count from anywhere.
fn drop_what_nothing_reads(draft: &mut Draft<'_, '_>, path: &Path, is_summarised: bool) {
    let conversation = draft.conversation();
    let units = &conversation.source.units;
    let gone = draft.gone_units();
    let old = path.compaction.map(|(last, _)| path.branch[last]);
    let is_cleared = is_summarised || old.is_some_and(|unit| gone[unit]);
    let mut is_live = vec![false; units.len()];
    path.read_order().into_iter().for_each(|unit| is_live[unit] = true);
    let mut is_message = vec![false; units.len()];
    conversation.messages.iter().flat_map(|m| &m.units).for_each(|&unit| is_message[unit] = true);
    let mut after_gone = false;
    for (unit, value) in units.iter().enumerate() {
        let kind = value.json.str_member("type").unwrap_or_default();
        let speaks =
            matches!(kind.as_ref(), "message" | "compaction" | "branch_summary" | "custom_message");
        if is_message[unit] {
            after_gone = gone[unit];
        } else if speaks && (after_gone && is_live[unit] || is_cleared && !is_live[unit]) {
            draft.drop_unit(unit);
        }
    }
}

/// pi takes the size of a session from the usage of its last answer; the one before is returned.
fn set_recorded_size(draft: &mut Draft<'_, '_>, tokens: usize) -> u64 {
    let messages = &draft.conversation().messages;
    let usages = messages.iter().enumerate().rev();
    let mut usages = usages
        .filter(|(_, message)| message.role == Role::Assistant)
        .filter_map(|(at, message)| Some((at, message.json.member("usage")?)));
    let last = usages.clone().next();
    if let Some((at, usage)) = usages.find(|(at, _)| !draft.is_dropped(*at)) {
        let sizes = usage.pick(["totalTokens", "input", "output", "cacheRead", "cacheWrite"]);
        for (index, size) in sizes.into_iter().enumerate() {
            let now = if index < 2 { tokens } else { 0 };
            size.into_iter().for_each(|size| draft.set_value(at, size, now.to_string()));
        }
    }
    last.and_then(|(_, usage)| usage.member("totalTokens")?.as_u64()).unwrap_or_default()
}

/// The branch as it will be, entry after entry.
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
    /// The first entry that says something: its id as JSON, and its line.
    first: Option<(String, usize)>,
    /// The same, of what the last compaction keeps.
    first_kept: Option<(String, usize)>,
    /// The line written last, of which new ones take the time.
    before: Option<Json<'a>>,
    recorded: u64,
}

impl<'d, 'c, 'a> Chain<'d, 'c, 'a> {
    fn new(draft: &'d mut Draft<'c, 'a>, path: &'d Path, recorded: u64) -> Self {
        let units = &draft.conversation().source.units;
        let root = path.branch.first().and_then(|&unit| units[unit].json.member("parentId"));
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

    /// The unit before which a message before message `at` goes. Nothing can be read before the
    /// compaction, wherever in the file it stands.
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

    /// Puts a message before `unit`.
    fn put(&mut self, unit: usize, position: usize, message: &NewMessage<'_>) {
        let time = self.before.and_then(|line| line.member("timestamp"));
        let time = time.map_or("null", Json::source).to_owned();
        let bodies = if message.is_summary {
            let texts = message.parts.iter().filter_map(|part| match part {
                NewPart::Text(text) => Some(text.as_ref()),
                _ => None,
            });
            vec![quote(&texts.collect::<Vec<_>>().join("\n\n"))]
        } else {
            super::write_messages(message)
        };
        for body in bodies {
            let id = quote(&id_of(&body, &self.parent));
            let chained = if self.path.has_ids {
                format!(r#""id":{id},"parentId":{},"#, self.parent)
            } else {
                String::new()
            };
            let rest = if message.is_summary {
                let (kept, line) = self.first.clone().unwrap_or((id.clone(), self.lines + 1));
                let kept = if self.path.has_ids {
                    format!(r#""firstKeptEntryId":{kept}"#)
                } else {
                    format!(r#""firstKeptEntryIndex":{line}"#)
                };
                format!(r#""summary":{body},{kept},"tokensBefore":{}"#, self.recorded)
            } else {
                format!(r#""message":{body}"#)
            };
            let kind = if message.is_summary { "compaction" } else { "message" };
            let line = format!(r#"{{"type":"{kind}",{chained}"timestamp":{time},{rest}}}"#);
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

/// An id that depends on the text and its place alone: FNV-1a, cut to the eight digits of pi's own.
fn id_of(body: &str, parent: &str) -> String {
    let bytes = parent.bytes().chain(body.bytes());
    let hash = bytes.fold(0xcbf2_9ce4_8422_2325_u64, |hash, byte| {
        (hash ^ u64::from(byte)).wrapping_mul(0x0100_0000_01b3)
    });
    format!("{:08x}", hash >> 32)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::dialect::{Dialect, Scope, decode, pi::Pi};
    use crate::document::Document;

    fn texts(bytes: &[u8]) -> Vec<String> {
        let document = Document::parse(bytes).unwrap();
        let source = crate::conversation::Source::stream(document.values());
        decode(&Pi, source, Scope::Live).messages.iter().map(|message| message.text()).collect()
    }

    fn summarised(text: &str) -> String {
        let document = Document::parse(text.as_bytes()).unwrap();
        let source = crate::conversation::Source::stream(document.values());
        let conversation = decode(&Pi, source, Scope::Live);
        let mut draft = Draft::new(&conversation);
        draft.drop_message(0);
        draft.drop_message(1);
        let mut summary = NewMessage::text(Role::User, "the newer summary");
        summary.is_summary = true;
        draft.insert_message(2, summary);
        Pi.make_resumable(&mut draft, 7);
        String::from_utf8(document.apply(&draft.edits(&document))).unwrap()
    }

    #[test]
    fn a_summary_takes_the_place_of_the_last_one() {
        let result = summarised(include_str!("../../../testdata/pi/compaction.jsonl"));
        assert_eq!(texts(result.as_bytes()), ["the newer summary", "kept answer", "newest"]);
        let lines: Vec<&str> = result.lines().collect();
        assert_eq!(lines.len(), 4, "{result}");
        assert!(lines[1].starts_with(r#"{"type":"compaction","id":""#));
        assert!(lines[1].contains(r#""parentId":null"#) && lines[1].contains(r#"Before":97}"#));
        assert!(lines[2].contains(r#""totalTokens":7"#));
    }

    #[test]
    fn without_ids_it_counts_lines() {
        let result = summarised(include_str!("../../../testdata/pi/compaction-by-index.jsonl"));
        assert_eq!(texts(result.as_bytes()), ["the newer summary", "new"]);
        assert!(result.lines().nth(1).unwrap().contains(r#""firstKeptEntryIndex":2"#), "{result}");
    }
}
