//! The middle of a conversation as a summarizer reads it.
//!
//! Responsible for rendering messages as text: calls with their arguments, results previewed, pictures
//! named. It relies on legal cuts for the groups that stay together.

use crate::conversation::{Kind, Message, Origin};
use crate::subject::Subject;
use crate::summarizer::{Excerpt, preview};

/// The summarised messages, rendered, and the earlier summary among them.
pub fn excerpts(subject: &Subject<'_, '_>, summarised: &[bool]) -> (Vec<Excerpt>, Option<String>) {
    let messages = &subject.conversation.messages;
    let mut excerpts = Vec::new();
    let mut earlier: Option<String> = None;
    let mut group = 0;
    for (at, message) in messages.iter().enumerate() {
        group += usize::from(subject.cuts.is_legal(at));
        if !summarised[at] {
            continue;
        }
        if message.origin == Origin::Summary {
            earlier = Some(earlier.map_or_else(
                || message.text(),
                |before| format!("{before}\n\n{}", message.text()),
            ));
            continue;
        }
        let text = render(message);
        if !text.is_empty() {
            let tokens = subject.meter.text(&text);
            let role = message.role.name().to_owned();
            excerpts.push(Excerpt { message: at, role, text, bare: None, tokens, group });
        }
    }
    (excerpts, earlier)
}

fn render(message: &Message<'_>) -> String {
    let mut lines = Vec::new();
    for part in &message.parts {
        let text = part.text();
        match part.kind {
            Kind::Text => lines.push(text.into_owned()),
            Kind::ToolCall => lines.push(format!("call of {}: {text}", part.tool())),
            Kind::ToolResult if part.is_error => lines.push(format!("error: {}", preview(&text))),
            Kind::ToolResult => lines.push(format!("result: {}", preview(&text))),
            Kind::Image => lines.push("[image]".to_owned()),
            Kind::File => lines.push("[file]".to_owned()),
            // Thoughts are not the record of what was done.
            Kind::Reasoning | Kind::Other => {}
        }
    }
    lines.retain(|line| !line.trim().is_empty());
    lines.join("\n")
}
