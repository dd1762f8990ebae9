//! One line of a Claude Code session, with everything needed to decide whether it is live.
//!
//! Responsible for reading the members that place a line in the chain. It relies only on the line, and reads
//! the message only for ids and for signs that no model wrote it.

use crate::json::Json;
use crate::message::Origin;

/// The role of a line in the chain.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum LineKind {
    User,
    Assistant,
    /// Reminders, files and lists that the client sends along.
    Attachment,
    System,
    /// `system` of the subtype `compact_boundary`: nothing before it is live.
    Boundary,
    /// A line that has a `uuid` but is passed over, mostly `progress`.
    Skipped,
    /// A line outside the chain.
    Bare,
}

/// What a line names as the line before it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Parent<'a> {
    /// Nothing: the line begins a chain.
    None,
    /// The line with this `uuid`.
    Uuid(&'a str),
    /// The line does not say.
    Unknown,
}

/// One line, with everything needed to decide about it. A `uuid` is kept and compared in its escaped form.
#[derive(Clone, Copy)]
pub(crate) struct Line<'a> {
    pub(crate) kind: LineKind,
    /// The unit that counts: the last one with this `uuid`.
    pub(crate) unit: usize,
    pub(crate) uuid: Option<&'a str>,
    pub(crate) parent: Parent<'a>,
    pub(crate) parent_json: Option<Json<'a>>,
    pub(crate) is_sidechain: bool,
    pub(crate) json: Json<'a>,
    /// The member that holds the message: `message`, `attachment` or `content`.
    pub(crate) said: Option<Json<'a>>,
    /// The content, if the line holds a `message`.
    pub(crate) content: Option<Json<'a>>,
    /// The `message.id`, in its escaped form, which the fragments of one message share.
    pub(crate) message_id: Option<&'a str>,
    pub(crate) subtype: Option<Json<'a>>,
    pub(crate) timestamp: Option<Json<'a>>,
    /// Who wrote it, if a flag says so.
    pub(crate) origin: Origin,
    pub(crate) is_api_error: bool,
    /// The record of a compaction, if the line has one.
    pub(crate) metadata: Option<Json<'a>>,
}

impl<'a> Line<'a> {
    pub(crate) fn read(json: Json<'a>, unit: usize) -> Self {
        let [
            kind,
            uuid,
            parent,
            message,
            attachment,
            content,
            subtype,
            timestamp,
            sidechain,
            meta,
            summary,
            api_error,
            compact,
            microcompact,
        ] = json.pick([
            "type", "uuid", "parentUuid", "message", "attachment", "content", "subtype",
            "timestamp", "isSidechain", "isMeta", "isCompactSummary", "isApiErrorMessage",
            "compactMetadata", "microcompactMetadata",
        ]);
        let is = |flag: Option<Json<'_>>| flag.is_some_and(Json::is_true);
        let uuid = uuid.filter(|uuid| uuid.is_string()).map(Json::source);
        let message = message.filter(|message| message.is_object());
        let (kind, said) = match kind.and_then(Json::text).as_deref() {
            Some("user") if message.is_some() => (LineKind::User, message),
            Some("assistant") if message.is_some() => (LineKind::Assistant, message),
            Some("attachment") => (LineKind::Attachment, attachment),
            Some("system") if subtype.is_some_and(|is| is.says("compact_boundary")) => {
                (LineKind::Boundary, None)
            }
            Some("system") => (LineKind::System, content),
            _ if uuid.is_some() => (LineKind::Skipped, None),
            _ => (LineKind::Bare, None),
        };
        // These members are read here because a message is long and they are needed again and again.
        let [id, content] = message.map_or([None; 2], |message| message.pick(["id", "content"]));
        let id = id.filter(|id| kind == LineKind::Assistant && id.is_string());
        Self {
            kind,
            unit,
            uuid,
            parent: match parent {
                Some(parent) if parent.is_string() => Parent::Uuid(parent.source()),
                Some(_) => Parent::None,
                None => Parent::Unknown,
            },
            parent_json: parent,
            is_sidechain: is(sidechain),
            json,
            said,
            content: content.filter(|_| matches!(kind, LineKind::User | LineKind::Assistant)),
            message_id: id.map(Json::source),
            subtype,
            timestamp,
            origin: match (is(summary), is(meta)) {
                (true, _) => Origin::Summary,
                (_, true) => Origin::Injected,
                _ => Origin::Spoken,
            },
            is_api_error: is(api_error),
            metadata: compact.or(microcompact),
        }
    }

    pub(crate) fn is_conversation(&self) -> bool {
        matches!(self.kind, LineKind::User | LineKind::Assistant)
    }

    /// Whether the client sends the content of the line. It sends neither side chains nor the text it shows
    /// the user after a failed request.
    pub(crate) fn is_sent(&self) -> bool {
        let model = self.said.filter(|_| self.is_api_error).and_then(|said| said.member("model"));
        !self.is_sidechain && !model.is_some_and(|model| model.says("<synthetic>"))
    }

    /// Whether the line records what the client cleared by itself.
    pub(crate) fn is_clearing(&self) -> bool {
        self.subtype.is_some_and(|subtype| subtype.says("microcompact_boundary"))
    }

    /// The ids of the calls in the line, in their escaped form.
    pub(crate) fn calls(&self) -> impl Iterator<Item = &'a str> + use<'a> {
        self.ids("tool_use", "id")
    }

    /// The ids of the calls that the line answers, in their escaped form.
    pub(crate) fn answers(&self) -> impl Iterator<Item = &'a str> + use<'a> {
        self.ids("tool_result", "tool_use_id")
    }

    /// The items of a list in the line's compaction record.
    pub(crate) fn named(&self, path: &str) -> impl Iterator<Item = Json<'a>> + use<'a> {
        self.metadata.and_then(|data| data.at(path)).into_iter().flat_map(Json::items)
    }

    /// A member of all blocks of one type in the message's content, in its escaped form.
    fn ids(
        &self,
        kind: &'static str,
        member: &'static str,
    ) -> impl Iterator<Item = &'a str> + use<'a> {
        let blocks = self.content.into_iter().flat_map(Json::items);
        blocks.filter_map(move |block| {
            let [of, id] = block.pick(["type", member]);
            id.filter(|_| of.is_some_and(|of| of.says(kind))).map(Json::source)
        })
    }
}
