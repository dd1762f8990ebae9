//! Files that belong to a result that is still to be written.
//!
//! Responsible for removing them if the result is not written, because of an error or a signal.

use std::fs::{self, DirBuilder};
use std::io;
use std::os::unix::fs::DirBuilderExt;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use crate::interrupt::Begun;

/// New files and directories, removed unless the result that names them is written: the newest first, and a
/// directory only if it is empty.
#[derive(Debug, Default)]
#[must_use]
pub struct NewFiles {
    paths: Paths,
    /// The registration with the signal handler, until nothing is to be removed any more.
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
            // A file that can't be removed does no harm.
            let _ = fs::remove_file(&path).or_else(|_| fs::remove_dir(path));
        }
    }
}

impl NewFiles {
    /// Registers a file or directory that is about to be created.
    pub fn add(&mut self, path: PathBuf) {
        self.paths.list().push(path);
        if self.begun.is_none() {
            let paths = self.paths.clone();
            // If signals can't be caught, the file stays after one.
            let begun = Begun::new(|| Ok(((), Box::new(move || paths.remove()))));
            self.begun = begun.ok().map(|((), begun)| begun);
        }
    }

    /// Creates a directory that only the user may access, and its missing parents.
    ///
    /// # Errors
    ///
    /// It can't be made.
    pub fn make_directory(&mut self, directory: &Path) -> io::Result<()> {
        let missing: Vec<_> = directory.ancestors().take_while(|path| !path.exists()).collect();
        missing.iter().rev().for_each(|path| self.add(path.to_path_buf()));
        DirBuilder::new().recursive(true).mode(0o700).create(directory)
    }

    /// Takes over the files of `others`.
    pub fn append(&mut self, others: Self) {
        let paths = others.paths.list().clone();
        for path in paths {
            self.add(path);
        }
        others.keep();
    }

    /// Keeps the files: the result that names them is written.
    pub fn keep(self) {
        self.paths.list().clear();
    }
}

impl Drop for NewFiles {
    fn drop(&mut self) {
        self.paths.remove();
    }
}
