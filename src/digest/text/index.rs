//! The table of names: where each was seen, and by whom.
//!
//! Responsible for counting while the conversation is read once and for deciding which paths are one
//! file. A path is known by its last two components; where only one file has its last component, by
//! that one alone. Invariant: names are numbered as they first occur, so that nothing depends on the
//! order of a hash table.

mod weights;

use super::names::{Form, Found};
use super::packed::{self, LONGEST, packed};
use crate::digest::narrow;
use crate::hash::hash;

/// The number of a name.
pub(crate) type Id = u32;

/// Who says a text.
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

/// Where a text stands that is being read.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Origin {
    pub(crate) message: u32,
    pub(crate) voice: Voice,
    pub(crate) is_first_request: bool,
    pub(crate) is_last_request: bool,
}

#[derive(Clone, Debug)]
struct Entry {
    /// The name itself if it is short, else a hash of it.
    key: u64,
    start: u32,
    length: u16,
    form: Form,
    flags: u8,
    /// Messages it stands in.
    messages: u16,
    last: u32,
    /// Of a last component: the longest path that ends with it, and whether another does not.
    longest: (u32, u16),
    is_ambiguous: bool,
    /// Of two components: the number of the last one.
    base: Id,
}

const NONE: Id = Id::MAX;

/// Every name of a conversation, once.
#[derive(Clone)]
pub(crate) struct Index {
    text: String,
    entries: Vec<Entry>,
    slots: Vec<Id>,
    /// How rare each name is, as far as that was asked for.
    rarities: Vec<f32>,
}

impl Default for Index {
    fn default() -> Self {
        let (text, entries, rarities) = (String::new(), Vec::new(), Vec::new());
        Self { text, entries, slots: vec![NONE; 1 << 12], rarities }
    }
}

impl Index {
    /// How many names there are.
    pub(crate) fn len(&self) -> usize {
        self.entries.len()
    }

    /// What the name says.
    pub(crate) fn name(&self, id: Id) -> &str {
        let entry = &self.entries[id as usize];
        &self.text[entry.start as usize..][..usize::from(entry.length)]
    }

    /// Whether it is the number of a name with this key.
    fn is(&self, id: Id, name: &str, key: u64) -> bool {
        let entry = &self.entries[id as usize];
        entry.key == key
            && usize::from(entry.length) == name.len()
            && (name.len() <= LONGEST || self.name(id) == name)
    }

    /// The first place for a name with this key.
    fn slot(&self, key: u64) -> usize {
        packed::place(key, self.slots.len())
    }

    /// The number of a name with this key, or else the place for it.
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

    /// Notes that a name with this number stands at `origin`.
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

    /// The number of a path: that of its last two components.
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

    /// Whether a path can be the same file as the others with its last component: of two, the
    /// shorter ends the longer.
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

    /// Adds the names of the messages behind these, and returns their numbers here: those that
    /// they would have had if all had been noted here.
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

    /// The name that stands for this one: a path whose last component no other file has is known
    /// by that component.
    pub(crate) fn canonical(&self, id: Id) -> Id {
        match self.entries[id as usize].base {
            NONE => id,
            base if !self.entries[base as usize].is_ambiguous => base,
            _ => id,
        }
    }

    /// The same for every name, by its number.
    pub(crate) fn all_canonical(&self) -> Vec<Id> {
        (0..narrow(self.entries.len())).map(|id| self.canonical(id)).collect()
    }

    /// Whether a last component belongs to several files.
    pub(crate) fn is_ambiguous(&self, base: &str) -> bool {
        self.find(base).is_some_and(|id| self.entries[id as usize].is_ambiguous)
    }

    /// Whether these are words, and all of them were said, or asked of a tool.
    pub(crate) fn are_spoken_words(&self, ids: &[Id]) -> bool {
        let is_word = |id: &Id| self.entries[*id as usize].form == Form::Word;
        !ids.is_empty() && ids.iter().all(|id| is_word(id) && self.is_spoken(*id))
    }

    /// Whether a name was said, or asked of a tool.
    pub(crate) fn is_spoken(&self, id: Id) -> bool {
        self.entries[id as usize].flags & (SPOKEN | CALLED) != 0
    }

    fn find(&self, name: &str) -> Option<Id> {
        self.probe(name, key(name.as_bytes())).ok()
    }

    /// The number by which a path or another name is known, if it was ever noted.
    pub(crate) fn known(&self, name: &str) -> Option<Id> {
        let name = name.trim_end_matches('/').trim_start_matches("./").trim_start_matches("../");
        let start = name.rmatch_indices('/').nth(1).map_or(0, |(at, _)| at + 1);
        let two = name[start..].trim_start_matches('/');
        self.find(two).or_else(|| self.find(two.rsplit('/').next()?)).map(|id| self.canonical(id))
    }
}

/// A time without seconds that are none: people say `06:00` where records have `06:00:00`.
fn without_seconds(name: &str) -> &str {
    let is_time = name.len() >= 7 && name.bytes().all(|byte| byte.is_ascii_digit() || byte == b':');
    if is_time { name.strip_suffix(":00").unwrap_or(name) } else { name }
}

/// Whether a name ends as those of files do: with a few bytes behind a dot.
fn has_ending(name: &str) -> bool {
    name.rsplit_once('.')
        .is_some_and(|(stem, extension)| !stem.is_empty() && (1..=5).contains(&extension.len()))
}

/// A name by which it is found: it itself if it is short.
fn key(name: &[u8]) -> u64 {
    if name.len() <= LONGEST { packed(name) } else { hash(name) }
}
