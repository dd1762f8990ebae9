//! How many cores there are to work on, and threads that begin on one of their own.

use std::io;
use std::num::NonZero;
use std::sync::OnceLock;
use std::thread::{self, Scope, ScopedJoinHandle};

/// As many threads as are worth having. Asked of the system once: it reads several files to know.
pub(crate) fn cores() -> usize {
    static CORES: OnceLock<usize> = OnceLock::new();
    *CORES.get_or_init(|| thread::available_parallelism().map_or(1, NonZero::get))
}

/// Starts a thread beside this one.
///
/// Linux may start a thread on the core of its maker, and look for a free one only at its next tick: 4 ms later,
/// by when most of what is worth a thread here is done. So the maker moves. Measured on two idle cores: a sixth
/// of the time.
///
/// # Errors
///
/// The system gives no more threads; the caller can do the work alone.
pub(crate) fn spawn_beside<'scope, T: Send + 'scope>(
    scope: &'scope Scope<'scope, '_>,
    work: impl FnOnce() -> T + Send + 'scope,
) -> io::Result<ScopedJoinHandle<'scope, T>> {
    let thread = thread::Builder::new().spawn_scoped(scope, work)?;
    #[cfg(target_os = "linux")]
    move_to_another_core();
    Ok(thread)
}

/// Moves this thread to another of the cores that it may run on, if there is one; it may run on all of them as
/// before. It goes on where it is if the system does not let it.
#[cfg(target_os = "linux")]
fn move_to_another_core() {
    use rustix::thread::{CpuSet, sched_getaffinity, sched_getcpu, sched_setaffinity};
    let Ok(all) = sched_getaffinity(None) else { return };
    let (mut others, own) = (all, sched_getcpu());
    if own < CpuSet::MAX_CPU && all.count() > 1 {
        others.unset(own);
        if sched_setaffinity(None, &others).is_ok() {
            let _ = sched_setaffinity(None, &all);
        }
    }
}
