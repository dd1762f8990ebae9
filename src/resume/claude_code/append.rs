//! A draft as lines appended to an untouched Claude Code session.
//!
//! Responsible for the records by which the client itself marks changes and removals.

use std::collections::HashSet;

use super::{LiveEntry, New, Session, drop_screen_copies};
use crate::dialect::claude_code::record::Compaction;
use crate::document::Document;
use crate::draft::Draft;
use crate::message::{Message, NewMessage, NewPart, Origin, Role};

/// The lines that carry the draft out without touching an existing line: changed copies that replace lines,
/// new lines and, if anything is removed or inserted, the record that names the kept lines. If nothing is
/// summarised, a note takes the place of the summary.
pub(in crate::resume) fn append<'a>(
    draft: &mut Draft<'_, 'a>,
    document: &Document<'a>,
    tokens: usize,
) -> Option<Vec<String>> {
    let mut session = Session::of(draft.conversation());
    session.log.leaf()?;
    drop_screen_copies(draft);
    // Lines that are not live stay as they are.
    let New { summary, mut entries, .. } = session.take_new(draft);
    let gone = draft.gone_units();
    let goes_or_comes = |entry: &LiveEntry<'_>| match entry {
        LiveEntry::Line(at) => session.message_of(*at).is_some_and(|own| draft.is_dropped(own)),
        LiveEntry::New(_) => true,
    };
    if summary.is_none() && !entries.iter().any(goes_or_comes) {
        session.lower_usage(draft, u64::try_from(tokens).unwrap_or(u64::MAX));
        return Some(changed_copies(draft, document));
    }
    let summary = summary.or_else(|| session.take_note(draft, &mut entries))?;
    let mut lines = changed_copies(draft, document);
    let mut kept: Vec<String> = Vec::new();
    let mut lines_kept: Vec<usize> = Vec::new();
    let mut timestamp = session.timestamp();
    for entry in &entries {
        match entry {
            LiveEntry::New(message) => {
                let parent = kept.last().map_or("null", String::as_str);
                let line = draft.with_edited(document, message, |message| {
                    session.scribe.message(message, parent, timestamp)
                });
                lines.push(line.json);
                kept.push(line.uuid);
            }
            &LiveEntry::Line(at) => {
                let line = session.line(at);
                timestamp = line.timestamp.or(timestamp);
                let is_said = session.message_of(at).is_some() || line.is_clearing();
                if is_said && !gone[line.unit] {
                    kept.extend(line.uuid.map(str::to_owned));
                    lines_kept.push(at);
                }
            }
        }
    }
    let last = session.log.leaf().map(|at| *session.line(at));
    let record = Compaction {
        summary: &summary,
        last: last.and_then(|line| line.uuid),
        timestamp: last.and_then(|line| line.timestamp).or(session.timestamp()),
        before: session.recorded(),
        tokens,
        kept: &kept,
        head: session.head_of_tail(&lines_kept).or(kept.first().map(String::as_str)),
    };
    lines.extend(session.scribe.compaction(&record).map(|line| line.json));
    Some(lines)
}

impl<'a> Session<'a> {
    /// The `uuid` of the line from which parents lead to the last of these kept lines without a message that is
    /// not kept. A reader that knows no list of kept lines goes from the last one to this one: over a gap it
    /// would keep what was removed.
    fn head_of_tail(&self, kept: &[usize]) -> Option<&'a str> {
        let mut head = *kept.last()?;
        let mut at = head;
        let kept: HashSet<usize> = kept.iter().copied().collect();
        // In a broken file the parents might go round in a circle.
        for _ in &self.log.lines {
            let Some(parent) = self.log.parent(at) else { break };
            match () {
                () if kept.contains(&parent) => head = parent,
                () if self.message_of(parent).is_some() => break,
                () => {}
            }
            at = parent;
        }
        self.line(head).uuid
    }

    /// Takes the text that stands for removed messages out of the entries: the first new text, or a kept
    /// summary or note.
    fn take_note(
        &self,
        draft: &Draft<'_, 'a>,
        entries: &mut Vec<LiveEntry<'a>>,
    ) -> Option<NewMessage<'a>> {
        let is_text = |part: &NewPart<'_>| matches!(part, NewPart::Text(_));
        let is_note = |entry: &LiveEntry<'_>| match entry {
            LiveEntry::New(new) => new.role == Role::User && new.parts.iter().all(is_text),
            LiveEntry::Line(_) => false,
        };
        if let Some(at) = entries.iter().position(is_note)
            && let LiveEntry::New(note) = entries.remove(at)
        {
            return Some(note);
        }
        let messages = &draft.conversation().messages;
        let stands = |message: &Message<'_>| message.is_note() || message.origin == Origin::Summary;
        let at = messages.iter().position(stands).filter(|&at| !draft.is_touched(at))?;
        entries.retain(
            |entry| !matches!(entry, LiveEntry::Line(line) if self.message_of(*line) == Some(at)),
        );
        let is_summary = messages[at].origin == Origin::Summary;
        Some(NewMessage { is_summary, ..NewMessage::text(Role::User, messages[at].text()) })
    }
}

/// Changed copies of lines in kept messages whose text changed.
fn changed_copies<'a>(draft: &Draft<'_, 'a>, document: &Document<'a>) -> Vec<String> {
    let conversation = draft.conversation();
    let stays = (0..conversation.messages.len()).filter(|&at| !draft.is_dropped(at));
    let written = stays.flat_map(|at| draft.written_units(document, at));
    let is_new = |(unit, text): (usize, String)| {
        (conversation.source.units[unit].json.source() != text).then_some(text)
    };
    written.filter_map(is_new).collect()
}
