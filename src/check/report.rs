//! The report of one rule before it becomes a finding: the place, the words, and values for the blanks in the
//! provider's sentence.
//! Responsible for filling the sentences of the table with real positions and ids. A blank without a value is
//! a mistake in the table, which a test would show.

use crate::check::{Finding, Row, Rule, Severity, View};
use crate::conversation::Place;
use crate::json::Json;

/// A breach of a rule, at one place.
#[derive(Default)]
pub(crate) struct Report<'a> {
    message: Option<usize>,
    part: Option<usize>,
    at: Option<Json<'a>>,
    text: String,
    call_id: Option<String>,
    /// Which of the provider's sentences applies; `None` if the provider never sees the value.
    sentence: Option<usize>,
    blanks: Vec<(&'static str, String)>,
    is_note: bool,
}

impl<'a> Report<'a> {
    /// A report about the conversation as a whole.
    pub(crate) fn new(text: impl Into<String>) -> Self {
        Self { text: text.into(), sentence: Some(0), ..Self::default() }
    }

    /// A report about a message.
    pub(crate) fn message(message: usize, text: impl Into<String>) -> Self {
        Self { message: Some(message), ..Self::new(text) }
    }

    /// A report about a part.
    pub(crate) fn part(place: Place, text: impl Into<String>) -> Self {
        Self { part: Some(place.1), ..Self::message(place.0, text) }
    }

    /// Replaces the words of the report.
    pub(crate) fn saying(self, text: &str) -> Self {
        Self { text: text.to_owned(), ..self }
    }

    /// Points at a value inside the message or part.
    pub(crate) fn at(mut self, value: Option<Json<'a>>) -> Self {
        self.at = value.or(self.at);
        self
    }

    /// Fills a blank of the provider's sentence.
    pub(crate) fn blank(mut self, name: &'static str, value: &impl ToString) -> Self {
        self.blanks.push((name, value.to_string()));
        self
    }

    /// Picks one of the provider's sentences; the default is the first.
    pub(crate) fn sentence(mut self, index: usize) -> Self {
        self.sentence = Some(index);
        self
    }

    /// Drops the provider's sentence if the provider never sees the value.
    pub(crate) fn unsaid_if(mut self, is_unseen: bool) -> Self {
        self.sentence = self.sentence.filter(|_| !is_unseen);
        self
    }

    /// Makes the report a note instead of a fault.
    pub(crate) fn note_if(mut self, is_note: bool) -> Self {
        self.is_note |= is_note;
        self
    }

    /// The finding for this report, by `rule` and its `row`.
    pub(super) fn finding(
        mut self,
        view: &View<'_, 'a>,
        rule: &'static Rule,
        row: &'static Row,
    ) -> Finding<'a> {
        if let Some(message) = self.message {
            self.blanks.push(("n", view.position(message).to_string()));
            let mut whole = view.messages()[message].json;
            if let Some(part) = self.part {
                let place = (message, part);
                whole = view.part(place).json;
                self.blanks.push(("m", view.index_in_list(place).to_string()));
                self.call_id = view.part(place).id().map(std::borrow::Cow::into_owned);
            }
            self.at = self.at.or(Some(whole));
        }
        self.blanks.push(("id", self.call_id.clone().unwrap_or_default()));
        let says = |index| row.errors.get(index).or(row.errors.first());
        // A sentence about an id does not fit a value without an id; the provider's words for that are
        // unknown.
        let named =
            |name: &str| self.blanks.iter().any(|(blank, id)| *blank == name && !id.is_empty());
        let is_told = |sentence: &&&str| {
            ["id", "ids"]
                .iter()
                .all(|name| named(name) || !sentence.contains(&format!("{{{name}}}")))
        };
        let sentence = self.sentence.and_then(says);
        let sentence = sentence.filter(is_told);
        Finding {
            rule,
            severity: if self.is_note { Severity::Note } else { row.severity },
            provider: view.provider,
            message: self.message,
            at: self.at.or(view.conversation.source.whole()),
            call_id: self.call_id,
            text: self.text,
            provider_error: sentence.map(|sentence| fill(sentence, &self.blanks)),
        }
    }
}

/// The sentence with each `{name}` replaced by the first value of that name.
fn fill(sentence: &str, blanks: &[(&'static str, String)]) -> String {
    let mut out = String::with_capacity(sentence.len() + 16);
    let mut rest = sentence;
    while let Some(open) = rest.find('{') {
        let Some(length) = rest[open..].find('}') else { break };
        let name = &rest[open + 1..open + length];
        out.push_str(&rest[..open]);
        match blanks.iter().find(|(blank, _)| *blank == name) {
            Some((_, value)) => out.push_str(value),
            // The sentences hold braces of their own: `{1,128}`.
            None => out.push_str(&rest[open..=open + length]),
        }
        rest = &rest[open + length + 1..];
    }
    out.push_str(rest);
    out
}
