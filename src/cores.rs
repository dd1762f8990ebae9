//! How many cores there are to work on.

use std::num::NonZero;
use std::sync::OnceLock;
use std::thread;

/// As many threads as are worth having. Asked of the system once: it reads several files to know.
pub(crate) fn cores() -> usize {
    static CORES: OnceLock<usize> = OnceLock::new();
    *CORES.get_or_init(|| thread::available_parallelism().map_or(1, NonZero::get))
}
