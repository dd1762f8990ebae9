//! The output of a tool, to be cut as text, as JSON that stays JSON, or as the record of a program's run. Of
//! output that is in a file, less is shown.
//!
//! Responsible for choosing among these.

use std::cell::OnceCell;

use crate::count::Meter;
use crate::marks;
use crate::truncate::cut::{Limit, Measure, Whole};
use crate::truncate::json;
use crate::truncate::record::Record;
use crate::within::largest;

/// A result to be cut, measured once, so that it can be cut to several limits.
pub struct Output<'t> {
    whole: Whole<'t>,
    /// The record that the text holds, if it is one; read on first use.
    record: OnceCell<Option<Record<'t>>>,
}

impl<'t> Output<'t> {
    /// Measures a text.
    pub fn of(text: &'t str, measure: Measure, meter: &Meter) -> Self {
        Self { whole: Whole::of(text, measure, meter), record: OnceCell::new() }
    }

    /// The size of the text, in the unit it is measured in.
    pub fn size(&self) -> usize {
        self.whole.size()
    }

    /// Whether cut output is surely within the limit: what names a file may take more.
    pub fn gets_within(&self) -> bool {
        !marks::is_spilled(self.whole.text)
    }

    /// The result cut to the limit, or as far as possible if it is in a file; `None` if it is within the limit
    /// already or cutting would not make it smaller.
    pub fn cut(&self, limit: &Limit, keep_json: bool, meter: &Meter) -> Option<String> {
        let Self { whole, record } = self;
        if whole.is_within(limit) {
            return None;
        }
        if !self.gets_within() {
            let shown = |most| marks::with_preview(whole.text, most);
            let fits = |text: &String| limit.measure.of(text, meter) <= limit.most;
            return largest(1..marks::PREVIEW, |most| shown(most).filter(fits))
                .or_else(|| shown(0));
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
