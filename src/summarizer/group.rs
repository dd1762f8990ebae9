//! Process groups: what a command starts ends with it.
//!
//! A group of its own is what lets a timeout reach every process of a pipeline. It also keeps the
//! terminal's Ctrl-C from them, so while a command runs, the signal is caught, every group is killed,
//! and then we die of the signal as if it had not been caught. Relies on Unix.
//! Invariant: while no command runs, signals do what they always did.

use std::io;
use std::os::unix::process::CommandExt;
use std::process::{Child, Command};
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering::SeqCst};
use std::sync::{Arc, LazyLock, Mutex, MutexGuard, PoisonError};

use rustix::process::{Pid, Signal, kill_process_group};
use signal_hook::consts::{SIGINT, SIGTERM};
use signal_hook::{flag, low_level};

/// A running command and what it started.
#[derive(Debug)]
pub(super) struct Group {
    pub(super) child: Child,
}

impl Group {
    /// Starts `command` in a group of its own.
    pub(super) fn spawn(command: &mut Command) -> io::Result<Self> {
        let mut groups = WATCH.groups();
        WATCH.idle.store(false, SeqCst);
        let started = WATCH.set().and_then(|()| command.process_group(0).spawn());
        if let Ok(child) = &started {
            groups.push(Pid::from_child(child));
        }
        WATCH.idle.store(groups.is_empty(), SeqCst);
        drop(groups);
        Ok(Self { child: started? })
    }

    /// Ends everything in the group; what is gone already is no error.
    pub(super) fn kill(&mut self) {
        let _ = kill_process_group(Pid::from_child(&self.child), Signal::KILL);
        // Fails only where it has ended.
        let _ = self.child.kill();
    }

    /// If a signal asked us to end, ends every group and ourselves.
    pub(super) fn die_if_interrupted() {
        let signal = match WATCH.caught.load(SeqCst) {
            0 => return,
            2 => SIGINT,
            _ => SIGTERM,
        };
        for group in WATCH.groups().iter() {
            let _ = kill_process_group(*group, Signal::KILL);
        }
        // Does not return: the signals that are watched end a process.
        let _ = low_level::emulate_default_handler(signal);
    }
}

impl Drop for Group {
    fn drop(&mut self) {
        let own = Pid::from_child(&self.child);
        let mut groups = WATCH.groups();
        groups.retain(|group| *group != own);
        WATCH.idle.store(groups.is_empty(), SeqCst);
        drop(groups);
        // A signal may have come since it was last looked for.
        Self::die_if_interrupted();
    }
}

/// Signal handlers belong to the process, and so does what they have to know.
static WATCH: LazyLock<Watch> = LazyLock::new(Watch::default);

/// The groups that run, and the signal that came while they did.
#[derive(Debug, Default)]
struct Watch {
    groups: Mutex<Vec<Pid>>,
    /// Whether signals do what they always did.
    idle: Arc<AtomicBool>,
    /// The signal that was caught, or 0.
    caught: Arc<AtomicUsize>,
    is_set: AtomicBool,
}

impl Watch {
    fn groups(&self) -> MutexGuard<'_, Vec<Pid>> {
        self.groups.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Catches the signals that ask us to end, from the first command on.
    fn set(&self) -> io::Result<()> {
        if self.is_set.swap(true, SeqCst) {
            return Ok(());
        }
        for (signal, number) in [(SIGINT, 2), (SIGTERM, 15)] {
            flag::register_conditional_default(signal, Arc::clone(&self.idle))?;
            flag::register_usize(signal, Arc::clone(&self.caught), number)?;
        }
        Ok(())
    }
}
