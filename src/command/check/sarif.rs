//! Findings as a SARIF 2.1.0 log, which code review in CI shows beside the lines that they are about.

use serde_json::{Value, json};

use super::{Line, Verdict};
use crate::check::{RULES, Severity};

/// The log of one run: the rules, and the results.
pub(super) fn log(results: &[Value]) -> String {
    let rules: Vec<Value> = RULES.iter().map(|rule| json!({ "id": rule.name })).collect();
    let driver = json!({
        "name": "ctx",
        "version": env!("CARGO_PKG_VERSION"),
        "rules": rules,
    });
    let runs = json!([{ "tool": { "driver": driver }, "results": results }]);
    json!({
        "$schema": "https://json.schemastore.org/sarif-2.1.0.json",
        "version": "2.1.0",
        "runs": runs,
    })
    .to_string()
}

/// One finding.
pub(super) fn result(verdict: &Verdict, line: &Line) -> Value {
    let level = if line.severity == Severity::Note.name() { "note" } else { "error" };
    let text = match &line.provider_error {
        Some(error) => format!("{}; the provider says: {error}", line.text),
        None => line.text.clone(),
    };
    json!({
        "ruleId": line.rule,
        "level": level,
        "message": { "text": text },
        "locations": [{
            "physicalLocation": {
                "artifactLocation": { "uri": verdict.file },
                "region": { "startLine": line.line.max(1) },
            },
            "logicalLocations": [{ "fullyQualifiedName": line.pointer }],
        }],
    })
}
