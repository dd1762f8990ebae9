//! How the messages of a file reach a provider: which are sent, and how they group into turns.
//!
//! Responsible for what differs between a file and a request: rows that are never sent, system
//! prompts that travel apart, neighbours that are joined on the way. `check` groups messages with
//! these functions and `normalize` what it has planned, so that both judge alike.

use std::cell::LazyCell;
use std::collections::HashSet;

use crate::conversation::{Conversation, Kind, List, Message, Role};
use crate::dialect::Provider;
use crate::few::Few;
use crate::json::Json;
use crate::models;

/// How the messages of a file reach a provider.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Wire {
    /// The file is a session log: its agent mends what it can before it sends anything.
    pub(crate) log: bool,
    /// The file has another shape than the request, and is converted on the way.
    pub(crate) foreign: bool,
    /// Neighbouring messages of the user and of tools are one turn.
    pub(crate) joins_users: bool,
    /// Neighbouring messages of the assistant are one turn.
    pub(crate) joins_assistants: bool,
    /// The turn behind a call has to hold its result.
    pub(crate) adjacent: bool,
    /// Results stand before everything else in their turn.
    pub(crate) results_lead: bool,
    /// Results stand in turns of their own, apart from text.
    pub(crate) parts_results: bool,
    /// A result is a message of its own.
    pub(crate) results_alone: bool,
    /// The assistant has to speak between results and what the user says next.
    pub(crate) results_answered: bool,
    /// The file is a recorded answer: what it answers is not in it.
    pub(crate) answer: bool,
    /// The request goes on from what the server keeps: calls need not be in it.
    pub(crate) continues: bool,
    /// All calls of a turn are answered at once: the file is a whole request, so that no result is still to
    /// come, or its provider wants all results in the one content behind the calls.
    pub(crate) answered_at_once: bool,
    /// Thinking parts are Anthropic's, and Anthropic's models read them.
    pub(crate) knows_thinking: bool,
    /// System prompts are messages like the others.
    pub(crate) prompts_inside: bool,
    /// An array without items is refused as such.
    pub(crate) has_list_rule: bool,
    /// A content is a list of parts, never a text alone.
    pub(crate) takes_lists: bool,
}

impl Wire {
    /// Whether the provider gets what the file holds, as it is written.
    pub(crate) fn is_sent_as_it_is(self) -> bool {
        !self.log && !self.foreign
    }

    pub(crate) fn of(conversation: &Conversation<'_>, provider: Provider) -> Self {
        let facts = conversation.dialect.facts();
        let own = facts.provider;
        let log = conversation.dialect.is_log();
        let other = match provider {
            Provider::Bedrock => !own.has_claude(),
            Provider::Mistral => own != Provider::OpenAi,
            provider => own != provider,
        };
        let foreign = other || !(log || conversation.dialect.is_wire());
        let family = matches!(provider, Provider::Bedrock | Provider::Gemini);
        let chat = provider.is_chat();
        let grouped = log || (foreign && (!chat || own == Provider::Responses));
        let responses = provider == Provider::Responses;
        let anthropic = provider == Provider::Anthropic;
        // A result shows that the file is no lone answer, whatever role it has.
        let is_said = |message: &&Message<'_>| {
            (message.is_sent() || message.has(Kind::ToolResult)) && !message.units.is_empty()
        };
        let mut said = conversation.messages.iter().filter(is_said);
        let alone = said
            .next()
            .is_some_and(|first| first.role == Role::Assistant && !first.has(Kind::ToolResult));
        let answer =
            is_output(conversation) || (alone && said.next().is_none() && !begins(conversation));
        // If each call is a message of its own, a batch is several messages.
        let calls_alone = conversation
            .messages
            .iter()
            .flat_map(|message| message.parts.iter().map(move |part| (message, part)))
            .find(|(_, part)| part.kind == Kind::ToolCall)
            .is_some_and(|(message, call)| call.json.is(message.json));
        let results_alone = log
            || matches!(own, Provider::OpenAi | Provider::Responses)
            || (own == Provider::Anthropic
                && conversation.messages.iter().any(|message| message.role == Role::Tool));
        Self {
            log,
            foreign,
            joins_users: grouped || chat || responses || anthropic,
            joins_assistants: grouped || responses || anthropic || calls_alone,
            // Items are matched by their ids; items without ids by their place.
            adjacent: !responses || foreign,
            results_lead: !log && (foreign || !family),
            parts_results: provider == Provider::Bedrock && !foreign && !log,
            results_alone,
            results_answered: !log
                && !foreign
                && (provider == Provider::Mistral
                    || (provider == Provider::OpenAi && is_for_mistral(conversation))),
            answer,
            continues: responses && !foreign && is_continued(conversation),
            answered_at_once: !log
                && (is_request(conversation) || (provider == Provider::Gemini && !foreign)),
            knows_thinking: own.has_claude()
                && provider.has_claude()
                && (own != Provider::Bedrock || is_for_claude(conversation)),
            prompts_inside: chat && own == Provider::OpenAi && !log,
            has_list_rule: !foreign
                && matches!(provider, Provider::Anthropic | Provider::OpenAi | Provider::Gemini),
            takes_lists: facts.takes_lists && !(facts.is_wire && foreign) && !log,
        }
    }
}

/// Whether the file holds nothing but what a provider answered.
pub(crate) fn is_output(conversation: &Conversation<'_>) -> bool {
    let holder = conversation.source.request();
    let outputs = holder.map(|holder| holder.pick(["output", "choices", "candidates"]));
    let outputs = outputs.into_iter().flatten().flatten();
    conversation.source.lists.iter().all(|list| match list {
        List::Array(array) => outputs.clone().any(|output| output.is(*array)),
        List::Stream | List::Members(_) => false,
    })
}

/// Whether a request names a model by Mistral, whose servers read OpenAI's shape.
fn is_for_mistral(conversation: &Conversation<'_>) -> bool {
    let request = conversation.source.request();
    let name = request.and_then(|request| request.str_member("model"));
    name.is_some_and(|name| models::is_mistrals(&name))
}

/// Whether no model that the conversation names is other than a Claude.
fn is_for_claude(conversation: &Conversation<'_>) -> bool {
    conversation.models().all(|name| name.contains("claude"))
}

/// Whether a request of OpenAI Responses refers to an answer, a conversation or items that the server keeps.
pub(crate) fn is_continued(conversation: &Conversation<'_>) -> bool {
    if conversation.dialect.provider() != Provider::Responses || conversation.dialect.is_log() {
        return false;
    }
    let request = conversation.source.request();
    let kept = request.map(|request| request.pick(["previous_response_id", "conversation"]));
    let units = || conversation.source.units.iter().map(|unit| unit.json);
    let held = LazyCell::new(|| {
        let items = units().filter(|unit| !is_reference(*unit));
        items.filter_map(|unit| unit.str_member("id")).collect::<HashSet<_>>()
    });
    // A reference to an item in the list refers to nothing else.
    let is_held = |unit: Json<'_>| unit.str_member("id").is_some_and(|id| held.contains(&id));
    kept.into_iter().flatten().flatten().any(|kept| !kept.is_null())
        || units().any(|unit| is_reference(unit) && !is_held(unit))
}

/// Whether an item of Responses refers to an item that the server keeps.
pub(crate) fn is_reference(item: Json<'_>) -> bool {
    item.member("type").is_some_and(|kind| kind.says("item_reference"))
}

/// Whether the file holds a whole request.
pub(crate) fn is_request(conversation: &Conversation<'_>) -> bool {
    conversation.source.request().is_some_and(|request| {
        let named = request.pick(["model", "max_tokens", "modelId", "inferenceConfig"]);
        named.iter().any(Option::is_some)
    })
}

/// Whether the file holds a request that depends on nothing the server keeps.
fn begins(conversation: &Conversation<'_>) -> bool {
    let request = conversation.source.request();
    let cached = request.map(|request| request.pick(["cachedContent", "cached_content"]));
    is_request(conversation)
        && !is_continued(conversation)
        && cached.into_iter().flatten().flatten().next().is_none()
}

/// The side whose turn a message belongs to.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Side {
    /// Neither: the message travels apart, or not at all.
    Apart,
    User,
    Assistant,
}

/// The side of a message that is not among the first.
pub(crate) fn side(role: Role, is_sent: bool, provider: Provider) -> Side {
    match role {
        _ if !is_sent => Side::Apart,
        Role::Assistant => Side::Assistant,
        Role::User | Role::Tool => Side::User,
        Role::System | Role::Developer => match provider {
            Provider::Bedrock | Provider::Gemini | Provider::Responses => Side::Apart,
            _ => Side::User,
        },
        Role::Other => Side::Apart,
    }
}

/// What decides the side of a message.
pub(crate) struct Speaker {
    pub(crate) role: Role,
    pub(crate) is_sent: bool,
    pub(crate) thread: u32,
}

/// Neighbouring messages that the provider treats as one.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Turn {
    pub(crate) side: Side,
    pub(crate) thread: u32,
    /// The members, as indices of the given speakers.
    pub(crate) members: Few<usize>,
}

impl Turn {
    /// Whether the turn has this side and belongs to this thread.
    pub(crate) fn is(&self, side: Side, thread: u32) -> bool {
        (self.side, self.thread) == (side, thread)
    }
}

/// Groups speakers into turns. No turn continues in another thread, and instructions before all turns are in
/// none.
pub(crate) fn turns(
    speakers: impl Iterator<Item = Speaker>,
    provider: Provider,
    wire: Wire,
) -> Vec<Turn> {
    let mut turns: Vec<Turn> = Vec::new();
    for (at, Speaker { role, is_sent, thread }) in speakers.enumerate() {
        if turns.is_empty() && role.is_instruction() {
            continue;
        }
        let side = side(role, is_sent, provider);
        let joins = match side {
            Side::Apart => continue,
            Side::User => wire.joins_users,
            Side::Assistant => wire.joins_assistants,
        };
        match turns.last_mut() {
            Some(turn) if turn.is(side, thread) && joins => turn.members.push(at),
            _ => turns.push(Turn { side, thread, members: Few::One(at) }),
        }
    }
    turns
}
