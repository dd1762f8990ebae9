//! New lines of a Claude Code session: messages, and the two lines that record a compaction.
//!
//! Nothing here depends on a clock or on chance: a `uuid` is derived from the content of its line, and
//! everything else that neighbouring lines have in common is copied from them.

use std::borrow::Cow;
use std::collections::HashSet;
use std::fmt::Write as _;

use crate::dialect::anthropic;
use crate::json::Json;
use crate::message::{NewMessage, Role};

/// Members that a new line copies from its neighbours.
const COPIED: [&str; 9] = [
    "isSidechain", "agentId", "userType", "entrypoint", "cwd", "sessionId", "version", "gitBranch",
    "slug",
];

/// A new line.
pub(crate) struct NewLine {
    /// The `uuid` in its escaped form, with its quotes.
    pub(crate) uuid: String,
    pub(crate) json: String,
}

/// The data of a compaction's record.
pub(crate) struct Compaction<'s, 'a> {
    pub(crate) summary: &'s NewMessage<'a>,
    /// The `uuid` of the last summarised line, in its escaped form.
    pub(crate) last: Option<&'s str>,
    pub(crate) timestamp: Option<Json<'a>>,
    /// The tokens before, if the log records them.
    pub(crate) before: Option<u64>,
    pub(crate) tokens: usize,
    /// The `uuid`s of lines that stay live before the boundary.
    pub(crate) kept: &'s [String],
    /// The `uuid` of the kept line from which parents lead to the last one over kept lines alone.
    pub(crate) head: Option<&'s str>,
}

/// Writes lines in the style of the session's own.
pub(crate) struct Scribe<'a> {
    pattern: Option<Json<'a>>,
    taken: HashSet<Cow<'a, str>>,
}

impl<'a> Scribe<'a> {
    /// A scribe that copies from the line `pattern` and avoids the `uuid`s in `taken`.
    pub(crate) fn new(pattern: Option<Json<'a>>, taken: impl Iterator<Item = &'a str>) -> Self {
        Self { pattern, taken: taken.map(Cow::Borrowed).collect() }
    }

    /// A line for a message, behind the line `parent`.
    pub(crate) fn message(
        &mut self,
        message: &NewMessage<'_>,
        parent: &str,
        timestamp: Option<Json<'_>>,
    ) -> NewLine {
        self.message_like(self.pattern, message, parent, timestamp)
    }

    /// A line for a message, behind the line `parent`, with the common members copied from the line `near`.
    pub(crate) fn message_like(
        &mut self,
        near: Option<Json<'_>>,
        message: &NewMessage<'_>,
        parent: &str,
        timestamp: Option<Json<'_>>,
    ) -> NewLine {
        let members = said(message);
        let uuid = self.uuid(&members);
        line(uuid, parent, &members, near, timestamp)
    }

    /// The boundary line and the line of the summary that follows it.
    pub(crate) fn compaction(&mut self, record: &Compaction<'_, '_>) -> [NewLine; 2] {
        let last = record.last.unwrap_or("null");
        let said = anthropic::write_message(record.summary);
        let boundary = self.uuid(&format!("compact_boundary {last} {said}"));
        let summary = self.message(record.summary, &boundary, record.timestamp);
        let mut metadata = String::from(r#""trigger":"manual""#);
        if let Some(before) = record.before {
            let _ = write!(metadata, r#","preTokens":{before}"#);
        }
        let _ = write!(metadata, r#","postTokens":{}"#, record.tokens);
        if let Some((head, tail)) = record.head.zip(record.kept.last()) {
            let (anchor, uuids) = (&summary.uuid, record.kept.join(","));
            let _ = write!(
                metadata,
                concat!(
                    r#","preservedSegment":{{"headUuid":{},"anchorUuid":{},"tailUuid":{}}}"#,
                    r#","preservedMessages":{{"anchorUuid":{},"uuids":[{}],"allUuids":[{}]}}"#
                ),
                head, anchor, tail, anchor, uuids, uuids
            );
        }
        let members = format!(
            concat!(
                r#""logicalParentUuid":{},"type":"system","subtype":"compact_boundary","#,
                r#""content":"Conversation compacted","isMeta":false,"level":"info","#,
                r#""compactMetadata":{{{}}}"#
            ),
            last, metadata
        );
        [line(boundary, "null", &members, self.pattern, record.timestamp), summary]
    }

    /// A `uuid` in the form of version 5, derived from the session and from `text`.
    fn uuid(&mut self, text: &str) -> String {
        let session = self.pattern.and_then(|pattern| pattern.member("sessionId"));
        let mut hash = fnv(session.map_or("", Json::source), text);
        loop {
            let versioned = hash & !(0xf << 76) & !(0x3 << 62) | 0x5 << 76 | 0x2 << 62;
            let mut uuid = format!("{versioned:032x}");
            for dash in [20, 16, 12, 8] {
                uuid.insert(dash, '-');
            }
            let uuid = format!("\"{uuid}\"");
            if self.taken.insert(Cow::Owned(uuid.clone())) {
                return uuid;
            }
            hash = hash.wrapping_add(1 << 64);
        }
    }
}

/// A line behind the line `parent`, with members copied from the line `near`.
fn line(
    uuid: String,
    parent: &str,
    members: &str,
    near: Option<Json<'_>>,
    timestamp: Option<Json<'_>>,
) -> NewLine {
    let copied = copied(near, timestamp);
    let json = format!(r#"{{"parentUuid":{parent},{members}{copied},"uuid":{uuid}}}"#);
    NewLine { uuid, json }
}

/// A line without a place in the chain, with the session and time of the line `near`.
pub(crate) fn bare(message: &NewMessage<'_>, near: Option<Json<'_>>) -> String {
    let [session, timestamp] = near.map_or([None; 2], |near| near.pick(["sessionId", "timestamp"]));
    let session = session.map_or_else(String::new, |id| format!(r#","sessionId":{}"#, id.source()));
    let members = said(message);
    format!("{{{members}{session}{}}}", copied(None, timestamp))
}

/// The members that hold a message.
fn said(message: &NewMessage<'_>) -> String {
    let kind = if message.role == Role::Assistant { "assistant" } else { "user" };
    let mut members = format!(r#""type":"{kind}","message":{}"#, anthropic::write_message(message));
    if message.is_summary {
        members.push_str(r#","isVisibleInTranscriptOnly":true,"isCompactSummary":true"#);
    }
    members
}

/// The members that a new line copies from the line `near`.
fn copied(near: Option<Json<'_>>, timestamp: Option<Json<'_>>) -> String {
    let mut members = String::new();
    let values = near.map_or([None; 9], |near| near.pick(COPIED));
    let values = COPIED.iter().zip(values).chain([(&"timestamp", timestamp)]);
    for (key, value) in values.filter_map(|(key, value)| Some((key, value?))) {
        let _ = write!(members, r#","{key}":{}"#, value.source());
    }
    members
}

/// FNV-1a of 128 bits: the standard library promises no stable hash.
fn fnv(session: &str, text: &str) -> u128 {
    let bytes = session.bytes().chain([0]).chain(text.bytes());
    bytes.fold(0x6c62_272e_07bb_0142_62b8_2175_6295_c58d, |hash: u128, byte| {
        (hash ^ u128::from(byte)).wrapping_mul(0x0000_0000_0100_0000_0000_0000_0000_013b)
    })
}
