//! The number of cores, and threads that start on a core of their own.

use std::io;
use std::num::NonZero;
use std::sync::OnceLock;
use std::thread::{self, Scope, ScopedJoinHandle};

/// The number of threads that are worth having. Asked of the system once, because it reads several files to
/// know.
pub(crate) fn cores() -> usize {
    static CORES: OnceLock<usize> = OnceLock::new();
    *CORES.get_or_init(|| thread::available_parallelism().map_or(1, NonZero::get))
}

/// Starts a thread on another core than this one.
///
/// Linux may start a thread on its maker's core and look for a free one only at the next tick, 4 ms later,
/// when most of the work that is worth a thread here is done. So the maker moves. Measured on two idle cores:
/// this saves a sixth of the time.
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

/// Moves this thread to another core that it may run on, if there is one; afterwards it may run on all of
/// them as before. Stays where it is if the system refuses.
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
