//! A finding as it is printed: in a line, in `--json`, in SARIF.

use serde::Serialize;

use crate::check::shape::SHAPE;
use crate::check::{Finding, Location, OwnRule, Severity};
use crate::dialect::Provider;

/// A finding, as `--json` prints it.
#[derive(Default, Serialize)]
pub(super) struct Line {
    pub(super) rule: &'static str,
    severity: &'static str,
    message: Option<usize>,
    #[serde(rename = "line")]
    pub(super) number: usize,
    pub(super) pointer: String,
    call_id: Option<String>,
    pub(super) text: String,
    pub(super) provider: Option<&'static str>,
    pub(super) provider_error: Option<String>,
}

impl Line {
    /// A finding at its place; `lines` of the input stand before the document.
    pub(super) fn of(finding: &Finding<'_>, place: &Location, lines: usize) -> Self {
        Self {
            rule: finding.rule.name,
            severity: finding.severity.name(),
            message: finding.message,
            number: (lines + place.line).max(1),
            pointer: place.pointer.clone(),
            call_id: finding.call_id.clone(),
            text: finding.text.clone(),
            provider: Some(finding.provider.name()),
            provider_error: finding.provider_error.clone(),
        }
    }

    /// A finding about the size of a conversation that begins on line `number`.
    pub(super) fn of_size(limit: &OwnRule, text: String, number: usize) -> Self {
        Self { rule: limit.name, severity: Severity::Fault.name(), number, text, ..Self::default() }
    }

    /// The finding that a file of the dialect `own` is written as `provider` does not read it, at a place.
    pub(super) fn of_shape(own: &str, provider: Provider, place: &Location, lines: usize) -> Self {
        let name = provider.name();
        Self {
            pointer: place.pointer.clone(),
            provider: Some(name),
            ..Self::of_size(
                &SHAPE,
                format!("this has the shape of {own}, which {name} does not read as it stands"),
                (lines + place.line).max(1),
            )
        }
    }

    pub(super) fn is_fault(&self) -> bool {
        self.severity == Severity::Fault.name()
    }

    /// Whether two findings are equal, apart from the provider.
    pub(super) fn is_about_the_same(&self, other: &Self) -> bool {
        (self.rule, self.number, &self.pointer, &self.text)
            == (other.rule, other.number, &other.pointer, &other.text)
    }
}
