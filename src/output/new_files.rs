//! Files that belong to a result that is yet to be written.
//!
//! Responsible for taking them away where it is not, be it for an error or a signal.

use std::fs::{self, DirBuilder};
use std::io;
use std::os::unix::fs::DirBuilderExt;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use crate::interrupt::Begun;

/// Files and directories that were not there before, and that go again if nothing comes to name them: the
/// newest first, and a directory only where nothing else came to be in it.
#[derive(Debug, Default)]
#[must_use]
pub struct NewFiles {
    paths: Paths,
    /// Until nothing is to be taken away any more.
    begun: Option<Begun>,
}

#[derive(Clone, Debug, Default)]
struct Paths(Arc<Mutex<Vec<PathBuf>>>);

impl Paths {
    fn list(&self) -> MutexGuard<'_, Vec<PathBuf>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn remove(&self) {
        for path in self.list().drain(..).rev() {
            // A file too many does no harm.
            let _ = fs::remove_file(&path).or_else(|_| fs::remove_dir(path));
        }
    }
}

impl NewFiles {
    /// Takes a file or a directory that is about to be made.
    pub fn add(&mut self, path: PathBuf) {
        self.paths.list().push(path);
        if self.begun.is_none() {
            let paths = self.paths.clone();
            // Where signals can't be caught they leave it there.
            let begun = Begun::new(|| Ok(((), Box::new(move || paths.remove()))));
            self.begun = begun.ok().map(|((), begun)| begun);
        }
    }

    /// Makes a directory that only the user may look into, and those above it that are not there.
    ///
    /// # Errors
    ///
    /// It can't be made.
    pub fn make_directory(&mut self, directory: &Path) -> io::Result<()> {
        let missing: Vec<_> = directory.ancestors().take_while(|path| !path.exists()).collect();
        missing.iter().rev().for_each(|path| self.add(path.to_path_buf()));
        DirBuilder::new().recursive(true).mode(0o700).create(directory)
    }

    /// Takes what others made.
    pub fn append(&mut self, others: Self) {
        let paths = others.paths.list().clone();
        for path in paths {
            self.add(path);
        }
        others.keep();
    }

    /// Leaves them: what names them is written.
    pub fn keep(self) {
        self.paths.list().clear();
    }
}

impl Drop for NewFiles {
    fn drop(&mut self) {
        self.paths.remove();
    }
}
