//! Rules of turns: who may speak first, last and after whom, and which parts may stand where.

use super::{Report, Standing, View};
use crate::conversation::{Kind, Message, Role};
use crate::demands::order::{refused_instructions, trailing_space};
use crate::dialect::Provider;
use crate::json::Json;
use crate::thinking::Binding;
use crate::wire::{Side, is_request};

pub(super) fn misplaced_parts<'a>(view: &View<'_, 'a>, found: &mut Vec<Report<'a>>) {
    for (_, result, standing) in view.standings() {
        if standing == Standing::Misplaced {
            let report = Report::part(result, "result stands in a message of the assistant");
            found.push(report.blank("role", &"tool").blank("before", &"assistant"));
        }
    }
    for (place, part) in view.parts() {
        let sentence = match part.kind {
            Kind::ToolCall => 1,
            Kind::Reasoning if view.wire.knows_thinking => 2,
            _ => continue,
        };
        let role = view.messages()[place.0].role;
        if role != Role::Assistant {
            let what = if sentence == 1 { "call" } else { "thinking" };
            let text = format!("{what} stands in a message of the {}", role.name());
            let report = Report::part(place, text).sentence(sentence);
            found.push(report.blank("role", &"tool").blank("before", &role.name()));
        }
    }
    misplaced_pictures(view, found);
}

/// Pictures outside user messages: OpenAI refuses them; servers like it accept them in tool messages too.
fn misplaced_pictures<'a>(view: &View<'_, 'a>, found: &mut Vec<Report<'a>>) {
    if view.provider != Provider::OpenAi || !view.wire.is_sent_as_it_is() {
        return;
    }
    let is_link = |item: Json<'_>| item.member("type").is_some_and(|kind| kind.says("image_url"));
    for (place, part) in view.parts() {
        let role = view.messages()[place.0].role;
        let is_picture = match part.kind {
            Kind::Image => part.list.is_some(),
            Kind::ToolResult => part.attachments().any(is_link),
            _ => false,
        };
        if is_picture && role != Role::User {
            let text = format!("picture stands in a message of the {}", role.name());
            let report = Report::part(place, text).sentence(3).note_if(true);
            found.push(report.blank("role", &role.name()));
        }
    }
}

pub(super) fn first_roles<'a>(view: &View<'_, 'a>, found: &mut Vec<Report<'a>>) {
    if let Some(first) = first_of_the_assistant(view) {
        let report = Report::message(first, "the conversation begins with the assistant");
        found.push(report.note_if(view.wire.log || view.wire.answer));
    }
}

/// The first message, if it is the assistant's and must not be.
fn first_of_the_assistant(view: &View<'_, '_>) -> Option<usize> {
    let first = view.turns.first().filter(|turn| turn.side == Side::Assistant)?.members[0];
    // Mistral counts a system prompt before it as a message.
    let before = &view.messages()[..first];
    let prompted = before.iter().any(|message| message.is_sent() && message.is_instruction());
    (view.provider != Provider::Mistral || !prompted).then_some(first)
}

pub(super) fn role_orders<'a>(view: &View<'_, 'a>, found: &mut Vec<Report<'a>>) {
    if !view.wire.is_sent_as_it_is() {
        return;
    }
    let said: Vec<(Side, usize)> = view
        .turns
        .iter()
        .flat_map(|turn| turn.members.iter().map(|&member| (turn.side, member)))
        .collect();
    for pair in said.windows(2) {
        let between = &view.messages()[pair[0].1 + 1..pair[1].1];
        if between.iter().any(Message::is_strangers) {
            continue;
        }
        let (before, after) = (&view.messages()[pair[0].1], &view.messages()[pair[1].1]);
        if view.provider.is_chat() {
            if view.wire.results_answered && (before.role, after.role) == (Role::Tool, Role::User) {
                let text = "a message of the user stands right behind results";
                let report = Report::message(pair[1].1, text);
                found.push(report.blank("role", &"user").blank("before", &"tool"));
            }
            continue;
        }
        // Gemini's results may have a role of their own.
        let same = view.provider != Provider::Gemini || before.role == after.role;
        if pair[0].0 == pair[1].0 && same {
            let role = if pair[0].0 == Side::User { "user" } else { "assistant" };
            let text = format!("two messages of the {role} in a row");
            found.push(Report::message(pair[1].1, text).blank("role", &role));
        }
    }
}

pub(super) fn last_roles<'a>(view: &View<'_, 'a>, found: &mut Vec<Report<'a>>) {
    let Some(turn) = view.turns.last().filter(|turn| turn.side == Side::Assistant) else { return };
    let Some(&last) = turn.members.last().filter(|_| !view.wire.log) else { return };
    let message = &view.messages()[last];
    // Mistral continues an assistant message that is marked as a prefix.
    let goes_on = view.provider == Provider::Mistral
        && message.json.member("prefix").is_some_and(Json::is_true);
    // Some of Bedrock's models continue it, others do not.
    let may_go_on = view.provider == Provider::Bedrock && view.signatures.binding != Binding::Bound;
    if !message.has(Kind::ToolCall) && !goes_on && !may_go_on {
        // In a request, white space at the end is a rule of its own.
        let blank_end =
            message.text().ends_with(char::is_whitespace) && !is_request(view.conversation);
        // Claude up to 4.5, whose signatures do not bind, continues the message.
        let is_prefill = view.provider == Provider::Anthropic
            && !blank_end
            && view.signatures.binding == Binding::Unbound;
        let text = "the conversation ends with the assistant";
        let report = Report::message(last, text).sentence(usize::from(blank_end));
        found.push(report.unsaid_if(is_prefill));
    }
}

pub(super) fn trailing_spaces<'a>(view: &View<'_, 'a>, found: &mut Vec<Report<'a>>) {
    let last = view.turns.last().and_then(|turn| turn.members.last());
    let Some(&last) = last.filter(|_| !view.wire.log && is_request(view.conversation)) else {
        return;
    };
    let message = &view.messages()[last];
    let part = message.parts.last().filter(|part| trailing_space(message.role, part).is_some());
    if part.is_some() {
        let text = "what the assistant says last ends with white space";
        found.push(Report::part((last, message.parts.len() - 1), text));
    }
}

/// Finds instructions that stand where this provider refuses them.
pub(super) fn system_places<'a>(view: &View<'_, 'a>, found: &mut Vec<Report<'a>>) {
    if view.wire.log {
        return;
    }
    for (at, before) in refused_instructions(view.conversation, view.provider, view.wire.foreign) {
        let role = view.messages()[at].role.name();
        let text = format!("message of the {role} stands among the others");
        let before = before.map_or("system", Role::name);
        found.push(Report::message(at, text).blank("role", &role).blank("before", &before));
    }
}
