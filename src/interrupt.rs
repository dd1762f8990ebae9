//! Undoing things when a signal ends the process.
//!
//! Responsible for what must not outlast the process: a running command, a file that nothing names yet. While
//! there is such a thing, the signals that ask the process to end are caught and a thread looks for them;
//! then everything is undone, the newest first, and the process dies of the signal as if it had not been
//! caught. Relies on Unix. Invariant: while there is nothing to undo, signals act as usual.

use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering::SeqCst};
use std::sync::{Arc, LazyLock, Mutex, MutexGuard, PoisonError};
use std::time::Duration;
use std::{io, thread};

use signal_hook::consts::{SIGHUP, SIGINT, SIGTERM};
use signal_hook::{flag, low_level};

/// How often the thread looks for a signal.
const TICK: Duration = Duration::from_millis(10);

/// The signals that ask a process to end: by a key, by another process, and by a terminal that is closed.
const SIGNALS: [i32; 3] = [SIGINT, SIGTERM, SIGHUP];

/// Undoes something; it must not wait for code that may itself be interrupted.
pub(crate) type Undo = Box<dyn Fn() + Send>;

/// Something that a signal undoes, until this value is dropped.
#[derive(Debug)]
pub(crate) struct Begun(usize);

impl Begun {
    /// Begins something that a signal undoes from then on; no signal comes in between.
    pub(crate) fn new<T>(begin: impl FnOnce() -> io::Result<(T, Undo)>) -> io::Result<(T, Self)> {
        let mut list = WATCH.list();
        WATCH.idle.store(false, SeqCst);
        let made = WATCH.set().and_then(|()| begin());
        let made = made.map(|(what, undo)| {
            list.last += 1;
            let number = list.last;
            list.undos.push((number, undo));
            if !std::mem::replace(&mut list.is_watched, true) {
                thread::spawn(watch);
            }
            (what, Self(number))
        });
        WATCH.idle.store(list.undos.is_empty(), SeqCst);
        drop(list);
        made
    }
}

impl Drop for Begun {
    fn drop(&mut self) {
        let mut list = WATCH.list();
        list.undos.retain(|(number, _)| *number != self.0);
        WATCH.idle.store(list.undos.is_empty(), SeqCst);
        drop(list);
        // A signal may have come since the last look, and one that had to wait is handled here.
        if let Ok(turn) = WATCH.turn.try_lock() {
            die_if_interrupted(turn);
        }
    }
}

/// Does work that a signal has to wait for, so that what it makes is complete and not undone.
pub(crate) fn uninterrupted<T>(work: impl FnOnce() -> T) -> T {
    let turn = WATCH.turn();
    let done = work();
    die_if_interrupted(turn);
    done
}

/// Looks for signals as long as there is something to undo.
fn watch() {
    loop {
        thread::sleep(TICK);
        let mut list = WATCH.list();
        if list.undos.is_empty() {
            list.is_watched = false;
            return;
        }
        drop(list);
        die_if_interrupted(WATCH.turn());
    }
}

/// Undoes everything and ends the process, if a signal asked it to end.
fn die_if_interrupted(_turn: MutexGuard<'_, ()>) {
    let caught = WATCH.caught.load(SeqCst);
    let Some(signal) = SIGNALS.into_iter().find(|signal| number(*signal) == caught) else { return };
    for (_, undo) in WATCH.list().undos.iter().rev() {
        undo();
    }
    // Does not return: the watched signals end a process.
    let _ = low_level::emulate_default_handler(signal);
}

/// A signal as it is stored once it came.
fn number(signal: i32) -> usize {
    usize::try_from(signal).unwrap_or_default()
}

/// The signals that whoever started this process has it ignore, bit 0 for signal 1; `None` outside Linux.
/// A shell does so for what runs in its background, and nohup; catching them would end that.
fn ignored() -> Option<u64> {
    let status = std::fs::read_to_string("/proc/self/status").ok()?;
    let mask = status.lines().find_map(|line| line.strip_prefix("SigIgn:"))?;
    u64::from_str_radix(mask.trim(), 16).ok()
}

/// Signal handlers belong to the whole process, and so does the state that they need.
static WATCH: LazyLock<Watch> = LazyLock::new(Watch::default);

/// Everything to be undone, and the signal that came.
#[derive(Default)]
struct Watch {
    list: Mutex<List>,
    /// Held by code that must not be interrupted, and by the code that ends the process.
    turn: Mutex<()>,
    /// Whether signals act as usual.
    idle: Arc<AtomicBool>,
    /// The signal that was caught, or 0.
    caught: Arc<AtomicUsize>,
    is_set: AtomicBool,
}

/// The undo functions, the oldest first, and whether a thread looks for signals.
#[derive(Default)]
struct List {
    undos: Vec<(usize, Undo)>,
    last: usize,
    is_watched: bool,
}

impl Watch {
    fn list(&self) -> MutexGuard<'_, List> {
        self.list.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn turn(&self) -> MutexGuard<'_, ()> {
        self.turn.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Catches the signals that ask the process to end; does so once.
    fn set(&self) -> io::Result<()> {
        if self.is_set.swap(true, SeqCst) {
            return Ok(());
        }
        let ignored = ignored();
        for signal in SIGNALS {
            // Where this can't be known, a hangup acts as usual, since nohup is what ignores it.
            if ignored.map_or(signal == SIGHUP, |ignored| ignored >> (signal - 1) & 1 == 1) {
                continue;
            }
            flag::register_conditional_default(signal, Arc::clone(&self.idle))?;
            flag::register_usize(signal, Arc::clone(&self.caught), number(signal))?;
        }
        Ok(())
    }
}
