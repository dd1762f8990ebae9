//! How far a run over several files is, on a terminal.

use indicatif::{ProgressBar, ProgressStyle};

/// A bar that counts files; on anything but a terminal it does not show.
pub struct Progress(Option<ProgressBar>);

impl Progress {
    /// Begins a run over `files` files.
    pub fn over(files: usize, quiet: bool) -> Self {
        if files < 2 || quiet {
            return Self(None);
        }
        let bar = ProgressBar::new(files as u64);
        if let Ok(style) =
            ProgressStyle::with_template("ctx: {bar:30} {pos}/{len} files, {eta} left")
        {
            bar.set_style(style);
        }
        Self(Some(bar))
    }

    /// One file is done.
    pub fn one_more(&self) {
        if let Some(bar) = &self.0 {
            bar.inc(1);
        }
    }
}

impl Drop for Progress {
    fn drop(&mut self) {
        if let Some(bar) = &self.0 {
            bar.finish_and_clear();
        }
    }
}
