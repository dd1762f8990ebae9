//! How far a long run is, on a terminal.

use std::sync::Mutex;

use indicatif::{ProgressBar, ProgressStyle};

/// The bar that is shown; lines on standard error are written around it.
static SHOWN: Mutex<Option<ProgressBar>> = Mutex::new(None);

/// A bar over the bytes of a run's inputs; on anything but a terminal it does not show.
pub(crate) struct Progress(Option<ProgressBar>);

impl Progress {
    /// Begins a run over so many bytes; of none it is not known how many there are.
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

    /// So many bytes more are done.
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

/// Writes something to standard error, with the bar out of its way.
pub(crate) fn aside(write: impl FnOnce()) {
    let bar = SHOWN.lock().ok().and_then(|shown| shown.clone());
    match bar {
        Some(bar) => bar.suspend(write),
        None => write(),
    }
}
