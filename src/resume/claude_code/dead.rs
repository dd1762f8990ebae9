//! Kept lines of a Claude Code session that are not live: side chains and other branches.
//!
//! Responsible for attaching them to kept lines, and for made-up answers to calls among them. The client
//! sends none of them, but a reader of the whole file, or a client that returns to a branch, finds each
//! exchange in its own thread.

use std::collections::HashMap;
use std::collections::hash_map::Entry;

use super::{Session, set_parent};
use crate::dialect::claude_code::line::LineKind;
use crate::document::Document;
use crate::draft::Draft;
use crate::json::Json;
use crate::message::{NewMessage, NewPart};

impl<'a> Session<'a> {
    /// Whether a new message, to be inserted before another one, answers a call that is not live, so that it
    /// belongs to the kept messages before it. All other new messages belong to the live conversation.
    pub(super) fn answers_dead(
        &self,
        draft: &Draft<'_, 'a>,
        before: usize,
        message: &NewMessage<'a>,
    ) -> bool {
        let is_result = |part: &NewPart<'_>| match part {
            NewPart::Result { .. } => true,
            NewPart::Source(source) => {
                let kind = Json::from_checked(source).member("type");
                kind.is_some_and(|kind| kind.says("tool_result"))
            }
            NewPart::Text(_) => false,
        };
        message.parts.iter().all(is_result)
            && stays_before(draft, before).is_some_and(|at| at < self.first_live)
    }

    /// Attaches lines with a dropped parent to the nearest kept line before it, and drops lines that only
    /// note how something dropped went on. If `anything_new` stands among them, each names the line that it
    /// hangs on.
    pub(super) fn hang_dead_lines(&self, draft: &mut Draft<'_, 'a>, anything_new: bool) {
        let (gone, is_live) = (draft.gone_units(), self.live.among(self.log.lines.len()));
        let lines = 0..self.log.lines.len();
        let mut is_gone: Vec<bool> = lines.clone().map(|at| gone[self.line(at).unit]).collect();
        let mut notes: HashMap<usize, Vec<usize>> = HashMap::new();
        for at in lines.clone().filter(|&at| self.line(at).kind == LineKind::Skipped) {
            if let Some(parent) = self.log.before_in_thread(at).filter(|_| !is_live[at]) {
                notes.entry(parent).or_default().push(at);
            }
        }
        let mut open: Vec<usize> = lines.clone().filter(|&at| is_gone[at]).collect();
        while let Some(at) = open.pop() {
            for note in notes.remove(&at).unwrap_or_default() {
                is_gone[note] = true;
                draft.drop_unit(self.line(note).unit);
                open.push(note);
            }
        }
        let mut known = HashMap::new();
        let mut first_below: HashMap<usize, usize> = HashMap::new();
        for at in lines.filter(|&at| !is_live[at] && !is_gone[at]) {
            let Some(parent) = self.log.before_in_thread(at) else { continue };
            if is_gone[parent] || (anything_new && self.log.parent(at).is_none()) {
                let above = match self.nearest_that_stays(parent, &is_gone, &mut known) {
                    Ok(above) => Some(above),
                    // Lines that were read as one thread stay one thread, even if its beginning is dropped.
                    Err(root) => match first_below.entry(root) {
                        Entry::Occupied(first) if self.message_of(at).is_some() => {
                            Some(*first.get())
                        }
                        first => {
                            first.or_insert(at);
                            None
                        }
                    },
                };
                let uuid = above.and_then(|at| self.line(at).uuid);
                set_parent(draft, self.line(at), uuid.unwrap_or("null"));
            }
        }
    }

    /// The line itself or the nearest line towards the root that is not dropped; as an error, the line at
    /// which the path ends.
    fn nearest_that_stays(
        &self,
        at: usize,
        is_gone: &[bool],
        known: &mut HashMap<usize, Result<usize, usize>>,
    ) -> Result<usize, usize> {
        let (mut way, mut at) = (Vec::new(), at);
        let found = loop {
            if !is_gone[at] {
                break Ok(at);
            }
            if let Some(known) = known.get(&at) {
                break *known;
            }
            // If the path is a circle, it ends here.
            known.insert(at, Err(at));
            way.push(at);
            match self.log.before_in_thread(at) {
                Some(before) => at = before,
                None => break Err(at),
            }
        };
        known.extend(way.into_iter().map(|at| (at, found)));
        found
    }

    /// Inserts answers right behind their calls in their thread: before the message they should precede, or
    /// behind the last message of the thread if that message belongs to another one. `units` gives the units
    /// of lines.
    pub(super) fn put_dead(
        &mut self,
        draft: &mut Draft<'_, 'a>,
        document: &Document<'a>,
        dead: Vec<(usize, NewMessage<'a>)>,
        gone: &[bool],
        units: &[usize],
    ) {
        if dead.is_empty() {
            return;
        }
        let messages = &draft.conversation().messages;
        let mut lines: Vec<Vec<usize>> = vec![Vec::new(); messages.len()];
        for at in 0..self.log.lines.len() {
            if let Some(message) = self.message_of(at).filter(|_| !gone[self.line(at).unit]) {
                lines[message].push(at);
            }
        }
        for (before, message) in dead {
            let Some(behind) = stays_before(draft, before) else { continue };
            let next = messages.get(before).filter(|it| it.thread == messages[behind].thread);
            let next = next.and_then(|_| lines[before].iter().map(|&at| units[at]).min());
            let stands = || lines[behind].iter().map(|&at| units[at]);
            let (Some(first), Some(last)) = (stands().min(), stands().max()) else { continue };
            // The rest of a message may stand behind the next message; it is read where it begins.
            let place =
                next.filter(|&next| first < next).map_or(last + 1, |next| next.min(last + 1));
            let calls = lines[behind].iter().copied().filter(|&at| units[at] < place);
            let Some(call) = calls.max_by_key(|&at| units[at]) else { continue };
            let line = *self.line(call);
            let parent = line.uuid.unwrap_or("null");
            let new = draft.with_edited(document, &message, |message| {
                self.scribe.message_like(Some(line.json), message, parent, line.timestamp)
            });
            draft.insert_unit(place, new.json);
        }
    }

    /// The last unit of the conversation in another branch, including messages inserted there.
    pub(super) fn last_dead(&self, draft: &Draft<'_, 'a>, units: &[usize]) -> Option<usize> {
        let (gone, is_live) = (draft.gone_units(), self.live.among(self.log.lines.len()));
        let is_dead = |at: &usize| {
            let line = self.line(*at);
            line.is_conversation() && !line.is_sidechain && !is_live[*at] && !gone[line.unit]
        };
        (0..units.len()).rev().filter(is_dead).map(|at| units[at]).max()
    }
}

/// The last kept message before another one.
fn stays_before(draft: &Draft<'_, '_>, before: usize) -> Option<usize> {
    (0..before).rev().find(|&at| !draft.is_dropped(at))
}
