//! Process groups: what a command starts ends with it.
//!
//! A group of its own is what lets a timeout reach every process of a pipeline. It also keeps the
//! terminal's Ctrl-C from them, so a signal that ends us while a command runs kills its group first.

use std::io;
use std::os::unix::process::CommandExt;
use std::process::{Child, Command};

use rustix::process::{Pid, Signal, kill_process_group};

use crate::interrupt::Begun;

/// A running command and what it started.
#[derive(Debug)]
pub(super) struct Group {
    pub(super) child: Child,
    _begun: Begun,
}

impl Group {
    /// Starts `command` in a group of its own.
    pub(super) fn spawn(command: &mut Command) -> io::Result<Self> {
        let (child, begun) = Begun::new(|| {
            let child = command.process_group(0).spawn()?;
            let group = Pid::from_child(&child);
            let kill = move || {
                // What is gone already is no error.
                let _ = kill_process_group(group, Signal::KILL);
            };
            Ok((child, Box::new(kill)))
        })?;
        Ok(Self { child, _begun: begun })
    }

    /// Ends everything in the group; what is gone already is no error.
    pub(super) fn kill(&mut self) {
        let _ = kill_process_group(Pid::from_child(&self.child), Signal::KILL);
        // Fails only where it has ended.
        let _ = self.child.kill();
    }
}
