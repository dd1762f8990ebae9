//! Records as a digest tells them: what a tool answered, field by field.
//!
//! Responsible for putting the fields of one record on a line. It relies on the survey for which fields are
//! of one record.

use super::Page;
use super::write::quoted;
use crate::digest::Setting;
use crate::digest::calls::Call;
use crate::digest::text::{labels, records};

/// What stands before the records of a call, on their line.
pub(super) fn record_heading(page: &Page<'_, '_>, call: &Call) -> String {
    let tool = if page.request.is_roomy() { call.tool.as_ref() } else { "" };
    let blank = if tool.is_empty() { "" } else { " " };
    let failed = if call.outcome.failed { labels::HAS_FAILED } else { "" };
    format!("> [{}]{blank}{tool}{failed}:", call.place.0)
}

/// Lines under one call, in service conversations without marks; the fields of one record on a line.
pub(super) fn record_lines(page: &Page<'_, '_>, members: &[u32]) -> Vec<String> {
    let mark = if page.request.setting == Setting::Work { "> " } else { "" };
    let record = |at: &u32| page.unit(*at).filter(|unit| unit.is_field).map(|unit| unit.record);
    let lines = members.chunk_by(|a, b| record(a) == record(b)).flat_map(|members| {
        if record(&members[0]).is_none() {
            return quoted(page, members, |at| format!("{mark}{}", page.line(at)));
        }
        let fields = members.iter().map(|at| records::plain(page.text(*at)));
        vec![format!("{mark}{}", fields.collect::<Vec<_>>().join(", "))]
    });
    lines.collect()
}
