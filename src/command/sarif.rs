//! Findings as SARIF 2.1.0, which code review shows beside the lines that they are about.

use serde_json::{Value, json};

use super::check::Line;
use crate::check::RULES;

/// The findings of all files.
#[derive(Default)]
pub(super) struct Sarif {
    results: Vec<Value>,
}

impl Sarif {
    /// Adds what was found in a file.
    pub(super) fn add(&mut self, file: &str, lines: &[Line]) {
        let result = |line: &Line| {
            let error = line.provider_error.as_ref().map(|error| format!(" ({error})"));
            json!({
                "ruleId": line.rule,
                "level": if line.severity == "fault" { "error" } else { "note" },
                "message": {"text": line.text.clone() + &error.unwrap_or_default()},
                "locations": [{
                    "physicalLocation": {
                        "artifactLocation": {"uri": file},
                        "region": {"startLine": line.number.max(1)},
                    },
                    "logicalLocations": [{"fullyQualifiedName": line.pointer}],
                }],
            })
        };
        self.results.extend(lines.iter().map(result));
    }

    /// The whole log, one run.
    pub(super) fn finish(self) -> serde_json::Result<String> {
        let rules = RULES.iter().map(|rule| {
            json!({
                "id": rule.name,
                "shortDescription": {"text": rule.holds},
                "help": {"text": format!("repair: {}", rule.repair)},
            })
        });
        let rules: Vec<Value> = rules.collect();
        serde_json::to_string(&json!({
            "$schema": "https://json.schemastore.org/sarif-2.1.0.json",
            "version": "2.1.0",
            "runs": [{
                "tool": {"driver": {
                    "name": "ctx",
                    "version": env!("CARGO_PKG_VERSION"),
                    "rules": rules,
                }},
                "results": self.results,
            }],
        }))
    }
}
