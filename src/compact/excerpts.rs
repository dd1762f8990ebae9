//! The middle of a conversation as a summarizer reads it.
//!
//! Responsible for rendering messages as text: calls with their arguments, results as previews, pictures by
//! name. It also decides which kept messages are shown: requests, because summarised messages answer them,
//! and results that are cut. It relies on legal cuts for the groups that stay together. Invariant: no
//! summarised message is left out, so that the report shows each of them in a request.

use std::borrow::Cow;

use crate::compact::rebuild::Rebuild;
use crate::conversation::{Kind, Message, Origin, Part, Place};
use crate::digest::{Hosted, hosted, is_error_line};
use crate::gap::gap;
use crate::line::clip;
use crate::printed::printed;
use crate::redact::{Secrets, without};
use crate::subject::Subject;
use crate::summarizer::{Earlier, Excerpt, preview};

/// Stands for a message that holds only thoughts, or nothing at all.
const NOTHING_SAID: &str = "[nothing said]";

/// How many errors from the middle of a result are shown, and the most bytes of each.
const MOST_ERRORS: usize = 5;
const LONGEST_ERROR: usize = 160;

/// The input of a summarizer.
#[derive(Default)]
pub struct Material {
    /// The summarised messages as text; also the beginnings and ends of kept requests, and what is left out
    /// of kept results.
    pub excerpts: Vec<Excerpt>,
    /// The earlier summaries, whether messages of their own or inside the user's words.
    pub earlier: Option<String>,
    /// The indices of the summarised messages that held the earlier summary.
    pub earlier_messages: Vec<usize>,
}

impl Material {
    /// Renders the summarised messages, with secrets masked if the options ask for it. Each message is in an
    /// excerpt or is part of the earlier summary.
    pub fn of(subject: &Subject<'_, '_>, rebuild: &Rebuild<'_, '_>) -> Self {
        let secrets = rebuild.secrets();
        let summarised = rebuild.summarised();
        let last = summarised.iter().rposition(|goes| *goes);
        let newest = subject.conversation.newest_request();
        let mut material = Self::default();
        let mut group = 0;
        let besides = subject.conversation.said_besides();
        let unread = subject.conversation.unread();
        let cut: Vec<(Place, &str)> = rebuild.cut_in_tail().collect();
        for (at, message) in subject.conversation.messages.iter().enumerate() {
            group += usize::from(subject.cuts.is_legal(at));
            let stays = !summarised[at];
            let is_answered = message.is_request() && (Some(at) < last || Some(at) == newest);
            let first = cut.partition_point(|((cut, _), _)| *cut < at);
            let cut = cut[first..].iter().take_while(|((cut, _), _)| *cut == at);
            let hidden: Vec<String> =
                cut.map(|cut| hidden(&message.parts[cut.0.1], cut.1, secrets)).collect();
            let mut besides = besides.iter().filter(|(behind, _)| *behind == at).peekable();
            if stays && !is_answered && hidden.is_empty() && besides.peek().is_none() {
                continue;
            }
            if message.origin == Origin::Summary {
                material.add_earlier(&message.text());
                material.earlier_messages.push(at);
                continue;
            }
            let words = |index| rebuild.words_at((at, index));
            let is_unread = |index| (at, index) >= unread;
            let (mut text, mut is_preview) = render(message, is_unread, words, secrets);
            if stays {
                // Both ends of a cut result stay in the conversation and need not be summarised.
                let short = if is_answered { preview(&text) } else { "".into() };
                is_preview |= short.len() < text.len();
                let said = [short.into_owned()].into_iter().filter(|said| !said.is_empty());
                text = said.chain(hidden).collect::<Vec<_>>().join("\n");
            }
            for (_, words) in besides {
                let words = without(secrets, Cow::Borrowed(words));
                text.extend(["\nthe user, meanwhile: ", &words]);
            }
            let (tokens, role) = (subject.meter.text(&text), message.role.name().to_owned());
            let excerpt = Excerpt { message: at, role, stays, text, tokens, is_preview, group };
            material.excerpts.push(excerpt);
        }
        material.join_what_stays();
        rebuild.summaries_in_words().for_each(|text| material.add_earlier(text));
        material.earlier = material.earlier.map(|text| without(secrets, text.into()).into_owned());
        material
    }

    /// Puts each kept request into the group of the messages that answer it, because it needs no summarizer
    /// request of its own.
    fn join_what_stays(&mut self) {
        let mut group = self.excerpts.iter().rev().find(|it| !it.stays).map(|it| it.group);
        for excerpt in self.excerpts.iter_mut().rev() {
            if excerpt.stays {
                excerpt.group = group.unwrap_or(excerpt.group);
            }
            group = Some(excerpt.group);
        }
    }

    fn add_earlier(&mut self, text: &str) {
        match &mut self.earlier {
            Some(earlier) => earlier.extend(["\n\n", text]),
            None => self.earlier = Some(text.to_owned()),
        }
    }

    /// The earlier summary, in the form that a job takes.
    pub fn earlier(&self) -> Option<Earlier<'_>> {
        let text = self.earlier.as_deref()?;
        Some(Earlier { text, messages: &self.earlier_messages })
    }
}

/// What is left out of a result that is cut: its beginning and end, and the errors between them, because the
/// model has not read it yet.
fn hidden(part: &Part<'_>, shown: &str, secrets: Option<&Secrets>) -> String {
    let text = part.text();
    let printed = printed(&text);
    let text = &printed[gap(&printed, shown)];
    let text = without(secrets, Cow::Borrowed(text));
    format!("left out of a result that stays in part: {}", with_errors(&text, &preview(&text)))
}

/// The given `ends` of a text, with the errors between them.
fn with_errors(text: &str, ends: &str) -> String {
    let mut told = vec![ends.to_owned()];
    let errors = text.lines().filter(|line| is_error_line(line) && !ends.contains(line));
    for error in errors.map(|line| clip(line.trim(), LONGEST_ERROR)) {
        let error = format!("between them: {error}");
        if told.len() <= MOST_ERRORS && !told.contains(&error) {
            told.push(error);
        }
    }
    told.join("\n")
}

/// Renders a message as text, and tells whether a result in it is only previewed. A preview of an unread
/// result includes its errors. `words` gives the text to use for a part that also holds an earlier summary.
fn render<'w>(
    message: &Message<'_>,
    is_unread: impl Fn(usize) -> bool,
    words: impl Fn(usize) -> Option<&'w str>,
    secrets: Option<&Secrets>,
) -> (String, bool) {
    let mut lines = Vec::new();
    let mut is_cut = false;
    let mut ends = |index: usize, text: &str| {
        let ends = preview(text);
        let is_shorter = ends.len() < text.len();
        is_cut |= is_shorter;
        if is_shorter && is_unread(index) {
            return with_errors(&printed(text), &ends);
        }
        ends.into_owned()
    };
    for (index, part) in message.parts.iter().enumerate() {
        let text = words(index).map_or_else(|| part.text(), Into::into);
        // Mask first: a preview may cut a secret in two, and halves are not recognised.
        let text = without(secrets, text);
        match part.kind {
            Kind::Text => lines.push(text.into_owned()),
            Kind::ToolCall => lines.push(format!("call of {}: {text}", part.tool())),
            Kind::ToolResult if part.is_error => {
                lines.push(format!("error: {}", ends(index, &text)));
            }
            Kind::ToolResult => lines.push(format!("result: {}", ends(index, &text))),
            Kind::Image => lines.push("[image]".to_owned()),
            Kind::File => lines.push("[file]".to_owned()),
            Kind::Other => match hosted(part) {
                Some(Hosted::Call(tool)) => lines.push(format!("call of {tool}: {text}")),
                Some(Hosted::Result) => lines.push(format!("result: {}", ends(index, &text))),
                None => {}
            },
            // Thoughts do not record what was done.
            Kind::Reasoning => {}
        }
    }
    lines.retain(|line| !line.trim().is_empty());
    let text = if lines.is_empty() { NOTHING_SAID.to_owned() } else { lines.join("\n") };
    (text, is_cut)
}
