//! The progress of a long run, shown on a terminal.

use std::sync::Mutex;

use indicatif::{ProgressBar, ProgressStyle};

/// The bar that is shown; writing to standard error suspends it.
static SHOWN: Mutex<Option<ProgressBar>> = Mutex::new(None);

/// A bar over the bytes of a run's inputs; shown only on a terminal.
pub(crate) struct Progress(Option<ProgressBar>);

impl Progress {
    /// Begins a run over `bytes` bytes; no bar is shown if the number is unknown or `quiet`.
    pub(crate) fn over(bytes: Option<u64>, quiet: bool) -> Self {
        let Some(bytes) = bytes.filter(|_| !quiet) else { return Self(None) };
        let bar = ProgressBar::new(bytes);
        let template = "ctx: {bar:30} {bytes} of {total_bytes}, {eta} left";
        if let Ok(style) = ProgressStyle::with_template(template) {
            bar.set_style(style);
        }
        if let Ok(mut shown) = SHOWN.lock() {
            *shown = Some(bar.clone());
        }
        Self(Some(bar))
    }

    /// Reports that another `bytes` bytes are done.
    pub(crate) fn advance(&self, bytes: usize) {
        if let Some(bar) = &self.0 {
            bar.inc(bytes as u64);
        }
    }
}

impl Drop for Progress {
    fn drop(&mut self) {
        if let Some(bar) = &self.0 {
            bar.finish_and_clear();
        }
        if let Ok(mut shown) = SHOWN.lock() {
            *shown = None;
        }
    }
}

/// Writes to standard error with the bar suspended.
pub(crate) fn aside(write: impl FnOnce()) {
    let bar = SHOWN.lock().ok().and_then(|shown| shown.clone());
    match bar {
        Some(bar) => bar.suspend(write),
        None => write(),
    }
}
