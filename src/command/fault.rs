//! Faults of ctx itself: a panic, told as every other error is.
//!
//! Responsible for ending the work on the one input that a panic came from: the next one is begun, and what
//! is written is written whole or not at all, as after any error.

use std::panic::{self, AssertUnwindSafe, PanicHookInfo};

use super::{Trouble, report};

/// Tells panics on standard error from now on, of all threads, with their place in the source.
pub fn tell_panics() {
    panic::set_hook(Box::new(|panic| report("", &told(panic).into())));
}

fn told(panic: &PanicHookInfo<'_>) -> Trouble {
    let place = panic.location().map_or(String::new(), |place| format!(" at {place}"));
    let said = panic.payload_as_str().unwrap_or("no reason is known");
    let reason = format!("internal error{place}: {}", said.replace('\n', " "));
    Trouble::new(reason, "this is a fault of ctx; please report it, with the input if you can")
}

/// What `work` returns.
///
/// # Errors
///
/// Those of `work`, and one where it panics.
pub(super) fn caught<T>(work: impl FnOnce() -> anyhow::Result<T>) -> anyhow::Result<T> {
    // What a panic leaves behind is not read again: caches are kept whole by whoever writes them.
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
