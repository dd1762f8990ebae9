//! Sessions of Claude Code: one line per block, in a tree of which one branch is live.
//!
//! Responsible for the content of a line; [`live`] decides which lines are read. Lines with the same
//! `message.id` are one message, because that is what the API gets. Blocks are read as in Anthropic Messages.
//! `toolUseResult`, a second copy of each result for the screen, is never read.

pub(crate) mod line;
pub(crate) mod live;
mod queue;
pub(crate) mod record;

use std::borrow::Cow;
use std::collections::{HashMap, HashSet};

use crate::dialect::anthropic::{self, FRAMING};
use crate::dialect::contract::{Dialect, Facts, Provider, Scope, Sign, Site};
use crate::dialect::session::Naming;
use crate::few::Few;
use crate::json::{Json, Object};
use crate::marks::CLEARED_BY_AGENT;
use crate::message::{Kind, Message, NewMessage, NewPart, Origin, Part, Role};
use crate::source::Source;

use line::{Line, LineKind};
use live::Log;

pub(super) struct ClaudeCode;

impl Dialect for ClaudeCode {
    fn facts(&self) -> &'static Facts {
        &Facts {
            name: "claude-code",
            about: "Claude Code sessions (~/.claude/projects/*/*.jsonl)",
            provider: Provider::Anthropic,
            is_log: true,
            written: Some("timestamp"),
            framing: FRAMING,
            reads_across: true,
            ..Facts::USUAL
        }
    }

    fn call_id_member(&self, part: &Part<'_>) -> Option<&'static str> {
        anthropic::Anthropic.call_id_member(part)
    }

    fn session(&self, source: &Source<'_>) -> Option<String> {
        // A session that was resumed under another name goes by its newest one.
        let mut last = source.units.iter().rev();
        Some(last.find_map(|unit| unit.json.str_member("sessionId"))?.into_owned())
    }

    fn naming<'a>(&self, unit: &Object<'a>) -> Option<Naming<'a>> {
        let [kind, parent, from, session, agent] =
            unit.pick(["type", "parentUuid", "logicalParentUuid", "sessionId", "agentId"]);
        let [aside, summary, subtype] = unit.pick(["isSidechain", "isCompactSummary", "subtype"]);
        let is_spoken = || kind.is_some_and(|kind| kind.says("user") || kind.says("assistant"));
        let is_aside = aside.is_some_and(Json::is_true);
        let session = agent.filter(|_| is_aside).or(session);
        let from = from.filter(|from| from.is_string());
        // A compaction begins a new chain; it goes on with the session unless it names a line of another one.
        let is_boundary = subtype.is_some_and(|subtype| subtype.says("compact_boundary"))
            || summary.is_some_and(Json::is_true);
        let may_open = !parent.is_some_and(Json::is_string) && (!is_boundary || from.is_some());
        let is_named = session.is_some() && (parent.is_some() || is_spoken());
        is_named.then_some(Naming { session, may_open, from, is_aside })
    }

    fn said_besides<'a>(&self, source: &Source<'a>) -> Vec<(usize, Json<'a>)> {
        queue::said(source)
    }

    fn unknown_type<'a>(&self, part: &Part<'a>) -> Option<Cow<'a, str>> {
        anthropic::unknown_block(part)
    }

    fn sign(&self, unit: &Object<'_>) -> Sign {
        let [kind, uuid, parent, session, message, leaf, snapshot, foreign] = unit.pick([
            "type", "uuid", "parentUuid", "sessionId", "message", "leafUuid", "snapshot",
            "systemPayload",
        ]);
        // Qwen's lines look like these but hold Gemini's contents.
        let foreign = foreign.or_else(|| message?.member("parts"));
        let message = message.filter(|_| foreign.is_none());
        match kind.and_then(Json::text).as_deref() {
            Some("user" | "assistant") if message.is_some_and(Json::is_object) => {
                match (uuid, parent.or(session)) {
                    (Some(_), Some(_)) => Sign::Certain,
                    // Copies made for tests leave the chain out but keep the session or the side chain's
                    // flag.
                    (None, _) if session.is_some() || unit.member("isSidechain").is_some() => {
                        Sign::Typical
                    }
                    _ => Sign::None,
                }
            }
            Some("progress" | "system" | "attachment")
                if uuid.is_some() && parent.is_some() && foreign.is_none() =>
            {
                Sign::Certain
            }
            Some("summary") if leaf.is_some() => Sign::Typical,
            Some("file-history-snapshot") if snapshot.is_some() => Sign::Typical,
            Some("queue-operation" | "last-prompt" | "permission-mode" | "custom-title")
                if session.is_some() =>
            {
                Sign::Typical
            }
            _ => Sign::None,
        }
    }

    fn message<'a>(&self, unit: Json<'a>) -> Option<Message<'a>> {
        message(&Line::read(unit, 0), &HashSet::new())
    }

    fn may_end(&self, unit: Json<'_>) -> bool {
        Line::read(unit, 0).is_conversation()
    }

    fn is_frame(&self, unit: Json<'_>) -> bool {
        Line::read(unit, 0).kind == LineKind::Boundary
    }

    fn messages<'a>(&self, source: &mut Source<'a>, scope: Scope) -> Vec<Message<'a>> {
        let log = Log::read(&source.units);
        match scope {
            Scope::Live => {
                let order = log.live().order;
                let cleared = live::cleared(&log, &order);
                let mut joined = Joined::default();
                let lines = order.iter().map(|&at| &log.lines[at]);
                for line in lines.filter(|line| line.is_sent()) {
                    joined.push(line, &cleared);
                }
                joined.messages
            }
            Scope::All => {
                let mut joined = Joined::default();
                for lines in log.threads() {
                    joined.begin_thread();
                    for at in lines {
                        joined.push(&log.lines[at], &HashSet::new());
                    }
                }
                joined.messages
            }
        }
    }

    /// Writes a line without a place in the chain, for copies of logs that have no chain; in logs with a
    /// chain, [`make_resumable`](crate::resume::make_resumable) writes the new lines.
    fn write_message(&self, message: &NewMessage<'_>, site: &Site<'_, '_>) -> Vec<String> {
        vec![record::bare(message, site.neighbour())]
    }

    fn write_part(&self, part: &NewPart<'_>, _role: Role) -> String {
        anthropic::write_block(part)
    }
}

/// Messages joined from lines.
#[derive(Default)]
struct Joined<'a> {
    messages: Vec<Message<'a>>,
    by_id: HashMap<&'a str, usize>,
    thread: u32,
}

impl<'a> Joined<'a> {
    /// Begins the next thread: no message continues from one thread into another.
    fn begin_thread(&mut self) {
        self.by_id.clear();
        self.thread += 1;
    }

    fn push(&mut self, line: &Line<'a>, cleared: &HashSet<&'a str>) {
        let Some(message) = message(line, cleared) else { return };
        let message = Message { thread: self.thread, ..message };
        let id = line.message_id;
        if let Some(&at) = id.and_then(|id| self.by_id.get(id)) {
            self.messages[at].parts.extend(message.parts);
            self.put_unit(at, line.unit);
            return;
        }
        let at = self.messages.len();
        self.by_id.extend(id.map(|id| (id, at)));
        self.messages.push(message);
        self.put_unit(at, line.unit);
    }

    fn put_unit(&mut self, at: usize, unit: usize) {
        let units = &mut self.messages[at].units;
        units.insert(units.partition_point(|&own| own < unit), unit);
    }
}

/// Reads one line; `None` if it holds nothing for the model.
fn message<'a>(line: &Line<'a>, cleared: &HashSet<&'a str>) -> Option<Message<'a>> {
    let said = line.said?;
    let mut message = match line.kind {
        LineKind::User => spoken(Role::User, said, line.content),
        LineKind::Assistant => {
            let message = spoken(Role::Assistant, said, line.content);
            // The client drops texts of only white space, with which many answers begin.
            if message.parts.iter().all(|part| part.kind == Kind::Text && part.is_blank()) {
                return None;
            }
            message
        }
        LineKind::Attachment => {
            if line.uuid.is_some_and(|uuid| cleared.contains(uuid)) {
                return None;
            }
            attachment(said)?
        }
        LineKind::System if line.subtype.is_some_and(|is| is.says("local_command")) => {
            let mut message = Message::new(Role::User, line.json);
            message.parts.push(Part::whole(Kind::Text, said));
            message.origin = Origin::Injected;
            message
        }
        _ => return None,
    };
    if line.origin != Origin::Spoken {
        message.origin = line.origin;
    }
    message.judge_origin();
    for part in message.parts.iter_mut().filter(|part| part.kind == Kind::ToolResult) {
        if part.call_id.is_some_and(|id| cleared.contains(id.source())) {
            part.body = Some(Json::from_checked(CLEARED_BY_AGENT));
        }
    }
    Some(message)
}

/// A line of the user or the model. The role is that of the line, because the two always agree.
fn spoken<'a>(role: Role, json: Json<'a>, content: Option<Json<'a>>) -> Message<'a> {
    let mut message = Message::new(role, json);
    message.content = content;
    message.parts = content.map_or_else(Vec::new, anthropic::blocks).into();
    message
}

/// The message that an attachment gives to the model: a reminder, a file, a list. For some, the wording is
/// not in the file; others are only for the screen.
fn attachment(json: Json<'_>) -> Option<Message<'_>> {
    let [kind, event] = json.pick(["type", "hookEvent"]);
    let kind = kind.and_then(Json::text).unwrap_or(Cow::Borrowed(""));
    let is_sent = match kind.as_ref() {
        "hook_success" => {
            event.is_some_and(|event| event.says("SessionStart") || event.says("UserPromptSubmit"))
        }
        "hook_non_blocking_error"
        | "hook_error_during_execution"
        | "hook_cancelled"
        | "hook_system_message"
        | "hook_permission_decision"
        | "command_permissions"
        | "dynamic_skill"
        | "structured_output"
        | "batching_reminder_sent" => false,
        _ => true,
    };
    let mut message = Message::new(Role::User, json);
    if is_sent {
        let said = json.pick([
            "content", "text", "prompt", "snippet", "newDate", "banner", "blockingError",
            "addedLines", "addedBlocks", "skills",
        ]);
        said.into_iter().flatten().for_each(|value| say(value, &mut message.parts));
    }
    if kind != "queued_command" {
        message.origin = Origin::Injected;
    }
    (!message.parts.is_empty()).then_some(message)
}

/// Adds the texts and pictures in a value of an attachment to `parts`.
fn say<'a>(json: Json<'a>, parts: &mut Few<Part<'a>>) {
    if json.is_string() {
        if json.source() != "\"\"" {
            parts.push(Part::whole(Kind::Text, json));
        }
        return;
    }
    json.items().for_each(|item| say(item, parts));
    if !json.is_object() {
        return;
    }
    let [kind, source, file, content, text, error] =
        json.pick(["type", "source", "file", "content", "text", "blockingError"]);
    if kind.is_some_and(|kind| kind.says("image")) {
        parts.push(Part::new(Kind::Image, source.map_or_else(|| file.unwrap_or(json), |_| json)));
    } else if let Some(inner) = file.or(content).or(text).or(error) {
        say(inner, parts);
    } else {
        parts.push(Part::whole(Kind::Text, json));
    }
}
