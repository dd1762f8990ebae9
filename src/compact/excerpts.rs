//! The middle of a conversation as a summarizer reads it.
//!
//! Responsible for rendering messages as text: calls with their arguments, results previewed, pictures
//! named. It relies on legal cuts for the groups that stay together. Invariant: no message that goes is
//! left out, so that the report shows each of them in a request.

use crate::compact::rebuild::Rebuild;
use crate::conversation::{Kind, Message, Origin};
use crate::subject::Subject;
use crate::summarizer::{Earlier, Excerpt, preview};

/// Stands for a message of nothing but thoughts, or of nothing at all.
const NOTHING_SAID: &str = "[nothing said]";

/// What a summarizer is given.
#[derive(Default)]
pub struct Material {
    /// The summarised messages, rendered.
    pub excerpts: Vec<Excerpt>,
    /// The earlier summary among them, or in a message that stays.
    pub earlier: Option<String>,
    /// Where it stood, of those that go.
    pub earlier_messages: Vec<usize>,
}

impl Material {
    /// Renders the messages that go; each of them is in an excerpt, or its summary is the earlier one.
    pub fn of(subject: &Subject<'_, '_>, rebuild: &Rebuild<'_, '_>) -> Self {
        let summarised = rebuild.summarised();
        let mut material = Self::default();
        let mut group = 0;
        for (at, message) in subject.conversation.messages.iter().enumerate() {
            group += usize::from(subject.cuts.is_legal(at));
            if !summarised[at] {
                continue;
            }
            if message.origin == Origin::Summary {
                material.add_earlier(at, &message.text());
                continue;
            }
            let text = render(message);
            let (tokens, role) = (subject.meter.text(&text), message.role.name().to_owned());
            material.excerpts.push(Excerpt { message: at, role, text, tokens, group });
        }
        if material.earlier.is_none() {
            material.earlier = rebuild.earlier().map(str::to_owned);
        }
        material
    }

    fn add_earlier(&mut self, at: usize, text: &str) {
        match &mut self.earlier {
            Some(earlier) => earlier.extend(["\n\n", text]),
            None => self.earlier = Some(text.to_owned()),
        }
        self.earlier_messages.push(at);
    }

    /// The earlier summary, as a job has it.
    pub fn earlier(&self) -> Option<Earlier<'_>> {
        let text = self.earlier.as_deref()?;
        Some(Earlier { text, messages: &self.earlier_messages })
    }
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
    if lines.is_empty() { NOTHING_SAID.to_owned() } else { lines.join("\n") }
}
