//! Faults of ctx itself: panics are reported like any other error.
//!
//! Responsible for ending the work on the input that caused a panic: the next input follows, and output is
//! written whole or not at all, as after any error.

use std::panic::{self, AssertUnwindSafe, PanicHookInfo};

use super::{Trouble, report};

/// From now on, reports panics of all threads on standard error, with their place in the source.
pub fn tell_panics() {
    panic::set_hook(Box::new(|panic| report("", &told(panic).into())));
}

fn told(panic: &PanicHookInfo<'_>) -> Trouble {
    let place = panic.location().map_or(String::new(), |place| format!(" at {place}"));
    let said = panic.payload_as_str().unwrap_or("no reason is known");
    let reason = format!("internal error{place}: {}", said.replace('\n', " "));
    Trouble::new(reason, "this is a fault of ctx; please report it, with the input if you can")
}

/// Runs `work`, and turns a panic into an error.
///
/// # Errors
///
/// Those of `work`, and one if it panics.
pub(super) fn caught<T>(work: impl FnOnce() -> anyhow::Result<T>) -> anyhow::Result<T> {
    // Unwind safe, because nothing that a panic leaves incomplete is read again: caches are updated in one
    // step.
    panic::catch_unwind(AssertUnwindSafe(work))
        .unwrap_or_else(|_| Err(anyhow::anyhow!("not done, for ctx itself failed")))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_panic_is_an_error_of_one_input() {
        assert_eq!(caught(|| Ok(3)).unwrap(), 3);
        let failed: anyhow::Result<()> = caught(|| panic!("on purpose"));
        assert_eq!(failed.unwrap_err().to_string(), "not done, for ctx itself failed");
    }
}
