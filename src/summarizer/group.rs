//! Process groups: a command ends with everything that it started.
//!
//! A group of its own lets a timeout reach every process of a pipeline. It also keeps the terminal's Ctrl-C
//! from them, so a signal that ends this process while a command runs kills the command's group first.

use std::io;
use std::os::unix::process::CommandExt;
use std::process::{Child, Command};

use rustix::process::{Pid, Signal, kill_process_group};

use crate::interrupt::Begun;

/// A running command and its descendants.
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
                // It is no error if the group is gone already.
                let _ = kill_process_group(group, Signal::KILL);
            };
            Ok((child, Box::new(kill)))
        })?;
        Ok(Self { child, _begun: begun })
    }

    /// Ends everything in the group; it is no error if the group is gone already.
    pub(super) fn kill(&mut self) {
        let _ = kill_process_group(Pid::from_child(&self.child), Signal::KILL);
        // Fails only if the process has ended.
        let _ = self.child.kill();
    }
}
