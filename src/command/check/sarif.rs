//! Findings as SARIF 2.1.0, which code review tools show beside the lines in question.

use std::fmt::Write as _;
use std::path::Path;

use serde_json::{Value, json};

use super::line::Line;
use crate::check::{OWN_RULES, RULES};
use crate::command::Outcome;
use crate::input::Name;

/// The findings of all files.
#[derive(Default)]
pub(super) struct Sarif {
    results: Vec<Value>,
    /// Notifications about files that could not be read, or not to the end.
    troubles: Vec<Value>,
}

impl Sarif {
    /// Adds the findings of a file.
    pub(super) fn add(&mut self, name: &Name, lines: &[Line]) {
        let uri = uri_of(name);
        let result = |line: &Line| {
            let error = line.provider_error.as_ref().map(|error| format!(" ({error})"));
            let mut location = json!({
                "physicalLocation": {
                    "artifactLocation": {"uri": uri},
                    "region": {"startLine": line.number},
                },
            });
            if !line.pointer.is_empty() {
                location["logicalLocations"] = json!([{"fullyQualifiedName": line.pointer}]);
            }
            json!({
                "ruleId": line.rule,
                "ruleIndex": rules().position(|(name, ..)| name == line.rule),
                "level": if line.is_fault() { "error" } else { "note" },
                "message": {"text": line.text.clone() + &error.unwrap_or_default()},
                "locations": [location],
            })
        };
        self.results.extend(lines.iter().map(result));
    }

    /// Adds the reason why a file could not be read.
    pub(super) fn add_trouble(&mut self, name: &Name, reason: &str) {
        self.troubles.push(json!({
            "level": "error",
            "message": {"text": reason.trim_end()},
            "locations": [{"physicalLocation": {"artifactLocation": {"uri": uri_of(name)}}}],
        }));
    }

    /// The whole log with one run, whose success follows from `outcome`.
    pub(super) fn finish(self, outcome: Outcome) -> serde_json::Result<String> {
        let rules = rules().map(|(name, holds, repair)| {
            json!({
                "id": name,
                "shortDescription": {"text": holds},
                "help": {"text": format!("repair: {repair}")},
            })
        });
        serde_json::to_string(&json!({
            "$schema": "https://json.schemastore.org/sarif-2.1.0.json",
            "version": "2.1.0",
            "runs": [{
                "tool": {"driver": {
                    "name": "ctx",
                    "version": env!("CARGO_PKG_VERSION"),
                    "rules": rules.collect::<Vec<_>>(),
                }},
                "invocations": [{
                    "executionSuccessful": outcome != Outcome::Trouble,
                    "toolExecutionNotifications": self.troubles,
                }],
                "results": self.results,
            }],
        }))
    }
}

/// Every rule that a finding may name: its name, what must hold, and the repair.
fn rules() -> impl Iterator<Item = (&'static str, &'static str, &'static str)> {
    let all = RULES.iter().map(|rule| (rule.name, rule.holds, rule.repair));
    all.chain(OWN_RULES.iter().map(|rule| (rule.name, rule.holds, rule.repair)))
}

fn uri_of(name: &Name) -> String {
    name.path().map_or_else(|| "stdin".to_owned(), uri)
}

/// A path as a URI reference: all bytes except letters, digits and `-._~/` are percent-encoded.
fn uri(path: &Path) -> String {
    let mut out = if path.is_absolute() { "file://".to_owned() } else { String::new() };
    for &byte in path.as_os_str().as_encoded_bytes() {
        if byte.is_ascii_alphanumeric() || b"-._~/".contains(&byte) {
            out.push(char::from(byte));
        } else {
            let _ = write!(out, "%{byte:02X}");
        }
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn paths_become_uris() {
        let cases = [
            ("a/b-1.json", "a/b-1.json"),
            ("my chat#1%.json", "my%20chat%231%25.json"),
            ("c:x", "c%3Ax"),
            ("/tmp/é", "file:///tmp/%C3%A9"),
        ];
        for (path, expected) in cases {
            assert_eq!(uri(Path::new(path)), expected);
        }
    }
}
