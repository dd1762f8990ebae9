//! The output of `ctx count --usage`: recorded sizes, our counts, and their ratio.
//!
//! The ratio is printed but never applied: text that a log leaves out, such as tools and system prompts, is
//! only in the recorded size, so only the growth between requests shows how accurate the count is.

use std::fmt::Write;

use serde_json::{Value, json};

use crate::usage::{Compared, Usage};

/// A comparison, as `--json` prints it.
pub(super) fn value(compared: Compared) -> Value {
    let Compared { recorded, counted } = compared;
    json!({ "recorded": recorded, "counted": counted, "ratio": ratio(compared) })
}

/// A table: each request, and how the conversation grew from one to the next.
pub(super) fn table(usage: &Usage) -> String {
    if usage.requests.is_empty() {
        return "  no token usage is recorded\n".to_owned();
    }
    let mut out = format!("  {:>7} {:>9} {:>9} {:>7}\n", "request", "recorded", "counted", "ratio");
    let mut row = |name: &str, compared: &Compared| {
        let Compared { recorded, counted } = compared;
        let ratio = ratio(*compared);
        let line = writeln!(out, "  {name:>7} {recorded:>9} {counted:>9} {ratio:>7.3}");
        debug_assert!(line.is_ok(), "a string takes everything");
    };
    for (at, request) in usage.requests.iter().enumerate() {
        row(&(at + 1).to_string(), request);
    }
    if let Some(growth) = &usage.growth {
        row("growth", growth);
    }
    out
}

/// Recorded tokens per counted token.
pub(super) fn ratio(compared: Compared) -> f64 {
    u32::try_from(compared.permille()).map_or(f64::MAX, f64::from) / 1000.0
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_row_a_request_and_one_for_growth() {
        let compared = |recorded, counted| Compared { recorded, counted };
        let requests = vec![compared(1200, 1000), compared(2199, 2000)];
        let usage = Usage { requests, growth: Some(compared(999, 1000)) };
        assert_eq!(
            table(&usage),
            "  request  recorded   counted   ratio
        1      1200      1000   1.200
        2      2199      2000   1.100
   growth       999      1000   0.999\n"
        );
        assert_eq!(
            value(usage.requests[1]),
            json!({ "recorded": 2199, "counted": 2000, "ratio": 1.1 })
        );
    }
}
