//! Cutting a result that is a record of how a program ran.
//!
//! Responsible for cutting what was printed, by its lines: the record stays one, with how the program ended. It
//! relies on [`printed`] for knowing such a record.

use crate::count::Meter;
use crate::json::quote;
use crate::printed;
use crate::truncate::cut::{Limit, Whole};

/// The record within the limit; `None` where the text is none, or there is no room for the rest of it.
pub fn cut(whole: &Whole<'_>, limit: &Limit, meter: &Meter) -> Option<String> {
    if whole.is_within(limit) {
        return None;
    }
    let (before, text, behind) = printed::longest(whole.text)?;
    let measure = limit.measure;
    let beside = measure.of(&[before, "\"\"", behind].concat(), meter);
    let text = Whole::of(&text, measure, meter);
    let mut most = limit.most.checked_sub(beside)?.min(text.size().saturating_sub(1));
    // Escapes take room, too: each try gives back what the last was over.
    for _ in 0..8 {
        let shorter = text.cut(&Limit { most, ..*limit }, meter)?;
        let record = [before, &quote(&shorter), behind].concat();
        let over = measure.of(&record, meter).saturating_sub(limit.most);
        if over == 0 {
            return Some(record).filter(|record| whole.counts_more_than(record, meter));
        }
        most = most.checked_sub(over)?;
    }
    None
}
