//! What a tool printed, to be cut: as a text, as JSON that stays JSON, or as a record of how a program ran.
//!
//! Responsible for choosing among these.

use std::cell::OnceCell;

use crate::count::Meter;
use crate::truncate::cut::{Limit, Measure, Whole};
use crate::truncate::json;
use crate::truncate::record::Record;

/// A result that is to be cut, measured once, to whatever limits it is cut then.
pub struct Output<'t> {
    whole: Whole<'t>,
    /// The record that it is, once somebody asks.
    record: OnceCell<Option<Record<'t>>>,
}

impl<'t> Output<'t> {
    /// Measures a text.
    pub fn of(text: &'t str, measure: Measure, meter: &Meter) -> Self {
        Self { whole: Whole::of(text, measure, meter), record: OnceCell::new() }
    }

    /// What it measures.
    pub fn size(&self) -> usize {
        self.whole.size()
    }

    /// The result within the limit, where that makes it smaller.
    pub fn cut(&self, limit: &Limit, keep_json: bool, meter: &Meter) -> Option<String> {
        let Self { whole, record } = self;
        if whole.is_within(limit) {
            return None;
        }
        if keep_json {
            return json::cut(whole, limit, meter);
        }
        let record = record.get_or_init(|| Record::of(whole.text, limit.measure, meter)).as_ref();
        let shorter = record.and_then(|record| record.cut(limit, meter));
        let shorter = shorter.filter(|shorter| whole.counts_more_than(shorter, meter));
        shorter.or_else(|| whole.cut(limit, meter))
    }
}
