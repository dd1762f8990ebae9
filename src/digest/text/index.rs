//! The table of names: where each was seen, and who used it.
//!
//! Responsible for counting names while the conversation is read once, and for deciding which paths are the same
//! file. A path is known by its last two components, or by the last one alone if only one file has it. Invariant:
//! names are numbered in the order of their first occurrence, so that nothing depends on the order of a hash table.

mod weights;

use super::names::{Form, Found};
use super::packed::{self, LONGEST, packed};
use crate::digest::narrow;
use crate::hash::hash;

/// The number of a name.
pub(crate) type Id = u32;

/// The speaker of a text.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) enum Voice {
    /// A person.
    #[default]
    User,
    /// The model.
    Assistant,
    /// The model, in the arguments of a call.
    Call,
    /// A tool.
    Result,
    /// An earlier summary.
    Summary,
}

const SPOKEN: u8 = 1;
const CALLED: u8 = 2;
const IN_RESULT: u8 = 4;
const IN_LAST_REQUEST: u8 = 8;
const IN_FIRST_REQUEST: u8 = 16;

/// The place and the speaker of the text that is being read.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Origin {
    pub(crate) message: u32,
    pub(crate) voice: Voice,
    pub(crate) is_first_request: bool,
    pub(crate) is_last_request: bool,
}

#[derive(Clone, Debug)]
struct Entry {
    /// The name itself if it is short, else its hash.
    key: u64,
    start: u32,
    length: u16,
    form: Form,
    flags: u8,
    /// How many messages contain the name.
    messages: u16,
    last: u32,
    /// For a last component of paths: the longest path that ends with it, as start and length in the text.
    /// Whether another path ends with it that cannot be the same file.
    longest: (u32, u16),
    is_ambiguous: bool,
    /// For two components of a path: the number of the last one, else [`NONE`].
    base: Id,
}

const NONE: Id = Id::MAX;

/// All names of a conversation, each once.
#[derive(Clone)]
pub(crate) struct Index {
    text: String,
    entries: Vec<Entry>,
    slots: Vec<Id>,
    /// How rare each name is; only filled as far as [`Index::rate`] went.
    rarities: Vec<f32>,
}

impl Default for Index {
    fn default() -> Self {
        let (text, entries, rarities) = (String::new(), Vec::new(), Vec::new());
        Self { text, entries, slots: vec![NONE; 1 << 12], rarities }
    }
}

impl Index {
    /// The number of names.
    pub(crate) fn len(&self) -> usize {
        self.entries.len()
    }

    /// The text of a name.
    pub(crate) fn name(&self, id: Id) -> &str {
        let entry = &self.entries[id as usize];
        &self.text[entry.start as usize..][..usize::from(entry.length)]
    }

    /// Whether `id` is the number of this name, whose key is given.
    fn is(&self, id: Id, name: &str, key: u64) -> bool {
        let entry = &self.entries[id as usize];
        entry.key == key
            && usize::from(entry.length) == name.len()
            && (name.len() <= LONGEST || self.name(id) == name)
    }

    /// The first slot to search for a key.
    fn slot(&self, key: u64) -> usize {
        packed::place(key, self.slots.len())
    }

    /// The number of a name with this key, or else the free slot for it.
    fn probe(&self, name: &str, key: u64) -> Result<Id, usize> {
        let mask = self.slots.len() - 1;
        let mut slot = self.slot(key);
        loop {
            match self.slots[slot] {
                NONE => return Err(slot),
                id if self.is(id, name, key) => return Ok(id),
                _ => slot = (slot + 1) & mask,
            }
        }
    }

    /// Notes that `found` stands in `text` at `origin`, and returns its number.
    pub(crate) fn note(&mut self, text: &str, found: Found, origin: Origin) -> Option<Id> {
        let whole = &text[found.start..found.end];
        let id = match found.form {
            Form::Path => self.path(whole)?,
            Form::File => self.intern(whole, Form::File),
            form => self.intern(without_seconds(whole), form),
        };
        self.note_again(id, origin);
        Some(id)
    }

    /// Notes that the name with this number stands at `origin`.
    pub(crate) fn note_again(&mut self, id: Id, origin: Origin) {
        let entry = &mut self.entries[id as usize];
        if entry.messages == 0 || entry.last != origin.message {
            entry.messages = entry.messages.saturating_add(1);
            entry.last = origin.message;
        }
        entry.flags |= match origin.voice {
            Voice::User | Voice::Assistant | Voice::Summary => SPOKEN,
            Voice::Call => CALLED,
            Voice::Result => IN_RESULT,
        };
        if origin.is_last_request {
            entry.flags |= IN_LAST_REQUEST;
        }
        if origin.is_first_request {
            entry.flags |= IN_FIRST_REQUEST;
        }
    }

    /// The number of a path, which is that of its last two components; `None` if the path is empty.
    fn path(&mut self, path: &str) -> Option<Id> {
        let path = path.trim_matches('/');
        let Some((rest, base)) = path.rsplit_once('/').filter(|(rest, _)| *rest != ".") else {
            let base = path.trim_start_matches("./");
            let form = if has_ending(base) { Form::File } else { Form::Path };
            return (!base.is_empty()).then(|| self.intern(base, form));
        };
        let parent = rest.rsplit_once('/').map_or(rest, |(_, parent)| parent);
        let two = &path[path.len() - parent.len() - 1 - base.len()..];
        let known = self.entries.len();
        let id = self.intern(two, Form::Path);
        if has_ending(base) {
            let base = if (id as usize) == known {
                self.intern(base, Form::File)
            } else {
                self.entries[id as usize].base
            };
            self.entries[id as usize].base = base;
            self.compare(base, path);
        }
        Some(id)
    }

    /// Compares a path with the longest one of its last component, and marks the component as ambiguous
    /// unless the shorter path ends the longer one: only then they may be the same file.
    fn compare(&mut self, base: Id, path: &str) {
        let (start, length) = self.entries[base as usize].longest;
        let longest = &self.text[start as usize..][..usize::from(length)];
        if longest.len() >= path.len() {
            let same = longest.ends_with(path)
                && (longest.len() == path.len()
                    || longest.as_bytes()[longest.len() - path.len() - 1] == b'/');
            self.entries[base as usize].is_ambiguous |= !same;
        } else {
            let same = longest.is_empty()
                || path.ends_with(longest)
                    && path.as_bytes()[path.len() - longest.len() - 1] == b'/';
            let start = narrow(self.text.len());
            let entry = &mut self.entries[base as usize];
            entry.is_ambiguous |= !same;
            if let Ok(length) = u16::try_from(path.len()) {
                entry.longest = (start, length);
                self.text.push_str(path);
            }
        }
    }

    /// Adds the names of the messages after these. Returns their numbers here, which are the same as if all
    /// had been noted in one index.
    pub(crate) fn absorb(&mut self, other: &Self) -> Vec<Id> {
        let all = || other.entries.iter().zip(0..);
        let ids: Vec<Id> =
            all().map(|(entry, at)| self.intern(other.name(at), entry.form)).collect();
        for (new, at) in all() {
            let id = ids[at as usize];
            let entry = &mut self.entries[id as usize];
            entry.messages = entry.messages.saturating_add(new.messages);
            entry.flags |= new.flags;
            entry.last = entry.last.max(new.last);
            entry.is_ambiguous |= new.is_ambiguous;
            if new.base != NONE {
                entry.base = ids[new.base as usize];
            }
            let (start, length) = new.longest;
            if length > 0 {
                self.compare(id, &other.text[start as usize..][..usize::from(length)]);
            }
        }
        ids
    }

    fn intern(&mut self, name: &str, form: Form) -> Id {
        if self.entries.len() * 2 >= self.slots.len() {
            self.grow();
        }
        let key = key(name.as_bytes());
        let slot = match self.probe(name, key) {
            Ok(id) => return id,
            Err(slot) => slot,
        };
        let (id, start) = (narrow(self.entries.len()), narrow(self.text.len()));
        let cut = name.floor_char_boundary(usize::from(u16::MAX));
        self.text.push_str(&name[..cut]);
        self.slots[slot] = id;
        self.entries.push(Entry {
            key,
            start,
            length: u16::try_from(cut).unwrap_or(u16::MAX),
            form,
            flags: 0,
            messages: 0,
            last: 0,
            longest: (0, 0),
            is_ambiguous: false,
            base: NONE,
        });
        id
    }

    fn grow(&mut self) {
        let size = self.slots.len() * 4;
        self.slots = vec![NONE; size];
        for (entry, id) in self.entries.iter().zip(0..) {
            let mut slot = self.slot(entry.key);
            while self.slots[slot] != NONE {
                slot = (slot + 1) & (size - 1);
            }
            self.slots[slot] = id;
        }
    }

    /// The canonical name of a name: a path is known by its last component if no other file has that.
    pub(crate) fn canonical(&self, id: Id) -> Id {
        match self.entries[id as usize].base {
            NONE => id,
            base if !self.entries[base as usize].is_ambiguous => base,
            _ => id,
        }
    }

    /// The canonical name of every name, by its number.
    pub(crate) fn all_canonical(&self) -> Vec<Id> {
        (0..narrow(self.entries.len())).map(|id| self.canonical(id)).collect()
    }

    /// Whether several files share this last component.
    pub(crate) fn is_ambiguous(&self, base: &str) -> bool {
        self.find(base).is_some_and(|id| self.entries[id as usize].is_ambiguous)
    }

    /// Whether all of these names are words, and each was said or passed to a tool. False if there are none.
    pub(crate) fn are_spoken_words(&self, ids: &[Id]) -> bool {
        let is_word = |id: &Id| self.entries[*id as usize].form == Form::Word;
        !ids.is_empty() && ids.iter().all(|id| is_word(id) && self.is_spoken(*id))
    }

    /// Whether a name was said or passed to a tool.
    pub(crate) fn is_spoken(&self, id: Id) -> bool {
        self.entries[id as usize].flags & (SPOKEN | CALLED) != 0
    }

    fn find(&self, name: &str) -> Option<Id> {
        self.probe(name, key(name.as_bytes())).ok()
    }

    /// The canonical number of a path or another name; `None` if it was never noted.
    pub(crate) fn known(&self, name: &str) -> Option<Id> {
        let name = name.trim_end_matches('/').trim_start_matches("./").trim_start_matches("../");
        let start = name.rmatch_indices('/').nth(1).map_or(0, |(at, _)| at + 1);
        let two = name[start..].trim_start_matches('/');
        self.find(two).or_else(|| self.find(two.rsplit('/').next()?)).map(|id| self.canonical(id))
    }
}

/// A time without seconds if these are zero: people say `06:00` where records have `06:00:00`.
fn without_seconds(name: &str) -> &str {
    let is_time = name.len() >= 7 && name.bytes().all(|byte| byte.is_ascii_digit() || byte == b':');
    if is_time { name.strip_suffix(":00").unwrap_or(name) } else { name }
}

/// Whether a name ends like a file name: with one to five bytes after a dot.
fn has_ending(name: &str) -> bool {
    name.rsplit_once('.')
        .is_some_and(|(stem, extension)| !stem.is_empty() && (1..=5).contains(&extension.len()))
}

/// The key of a name in the table: the name itself if it is short, else its hash.
fn key(name: &[u8]) -> u64 {
    if name.len() <= LONGEST { packed(name) } else { hash(name) }
}
