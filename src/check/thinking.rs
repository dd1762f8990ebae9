//! Rules of thinking: it leads its message, it is signed, and it stays with the item that it led to.

use super::{Report, View};
use crate::conversation::{Kind, Message, Part};
use crate::demands::thinking::{
    is_signed, is_to_sign, is_unsigned, is_unspoken, lone_reasoning, out_of_order, wants_thinking,
};
use crate::dialect::Provider;
use crate::thinking::open_loop;
use crate::wire::Side;

pub(super) fn thinking_orders<'a>(view: &View<'_, 'a>, found: &mut Vec<Report<'a>>) {
    if view.wire.log || !view.wire.knows_thinking {
        return;
    }
    for turn in view.turns.iter().filter(|turn| turn.side == Side::Assistant) {
        let members: Vec<_> = turn
            .members
            .iter()
            .map(|&at| (at, view.messages()[at].parts.iter().enumerate().collect()))
            .collect();
        for place in out_of_order(&members) {
            let parts = &view.messages()[place.0].parts;
            let leads = parts[0].kind == Kind::Reasoning;
            let text = if leads {
                "thinking ends its message"
            } else {
                "thinking does not lead its message"
            };
            let first = parts[0].json.str_member("type").unwrap_or_default();
            let report = Report::part(place, text).sentence(usize::from(!leads));
            found.push(report.blank("type", &first));
        }
    }
}

pub(super) fn thinking_bounds<'a>(view: &View<'_, 'a>, found: &mut Vec<Report<'a>>) {
    match view.provider {
        Provider::Responses => {
            let messages = view.messages().iter().enumerate();
            for at in lone_reasoning(view.conversation, view.wire, messages) {
                let id = view.messages()[at].json.str_member("id").unwrap_or_default();
                let report = Report::message(at, "reasoning stands without the item it led to");
                found.push(report.blank("item", &id));
            }
        }
        Provider::Gemini => {
            for place in unsigned_steps(view) {
                let text =
                    format!("call of {} lacks its thought signature", view.part(place).tool());
                found.push(Report::part(place, text));
            }
        }
        _ if !view.wire.knows_thinking || view.wire.log => {}
        _ => {
            let is_refused = |part: &Part<'_>| is_unsigned(part) || is_unspoken(part);
            for (place, part) in view.parts().filter(|(_, part)| is_refused(part)) {
                let is_redacted =
                    part.json.str_member("type").as_deref() == Some("redacted_thinking");
                let sentence = match part.texts().all(|text| text.is_empty()) {
                    _ if is_redacted => 1,
                    true => 2,
                    false => 0,
                };
                let what = if is_unsigned(part) { "signature" } else { "text" };
                let text = format!("thinking has no {what}");
                found.push(Report::part(place, text).sentence(sentence));
            }
        }
    }
}

/// The first calls without a signature in the steps of the current turn, if the model signs its calls.
fn unsigned_steps(view: &View<'_, '_>) -> Vec<crate::conversation::Place> {
    if !is_to_sign(view.wire, view.signatures.are_needed, view.parts().map(|(_, part)| part)) {
        return Vec::new();
    }
    let start = view.messages().iter().rposition(Message::is_request).unwrap_or(0);
    let steps = view.messages().iter().enumerate().skip(start);
    let firsts = steps.filter_map(|(at, message)| {
        let (index, call) = message.parts_of(Kind::ToolCall).next()?;
        (!is_signed(call)).then_some((at, index))
    });
    firsts.collect()
}

/// The assistant's message that begins the open tool loop, if it begins without thinking.
fn open_loop_without_thinking(view: &View<'_, '_>) -> Option<usize> {
    let messages = view.messages();
    let start = open_loop(view.conversation);
    let first = messages[start..].iter().position(|message| message.has(Kind::ToolCall))? + start;
    (messages[first].parts[0].kind != Kind::Reasoning).then_some(first)
}

pub(super) fn missing_thinking<'a>(view: &View<'_, 'a>, found: &mut Vec<Report<'a>>) {
    let Some(request) = view.conversation.source.request().filter(|_| view.wire.knows_thinking)
    else {
        return;
    };
    let wants = wants_thinking(request);
    if wants == Some(false) {
        return;
    }
    if let Some(message) = open_loop_without_thinking(view) {
        let first = view.messages()[message].parts[0].json.str_member("type").unwrap_or_default();
        let report = Report::message(message, "the open tool loop does not begin with thinking");
        found.push(report.blank("type", &first).note_if(wants.is_none()));
    }
}
