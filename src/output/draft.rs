//! The file that is written beside a target until it replaces the target.
//!
//! Responsible for leaving nothing behind. If the file system allows it, the draft has no name before it is
//! complete, so that it vanishes if the process is killed. Otherwise it is a dot-file, which is removed when
//! the value is dropped; dot-files left by killed processes do no harm.

use std::ffi::{OsStr, OsString};
use std::fs::{self, File, OpenOptions};
use std::io::{self, Seek, SeekFrom};
use std::os::unix::ffi::OsStrExt;
use std::os::unix::fs::{MetadataExt, OpenOptionsExt, fchown};
use std::path::{Path, PathBuf};

/// A file in the directory of its target; holds its name once it has one.
pub(super) struct Draft(Option<PathBuf>);

impl Draft {
    /// Creates a draft in the directory of `target`.
    pub(super) fn beside(target: &Path, mode: u32) -> io::Result<(Self, File)> {
        if let Some(file) = unnamed::create(target, mode) {
            return Ok((Self(None), file));
        }
        let create =
            |path: &Path| OpenOptions::new().write(true).create_new(true).mode(mode).open(path);
        let (path, file) = named(target, create)?;
        Ok((Self(Some(path)), file))
    }

    /// Puts the draft, open as `file`, in the place of the target.
    pub(super) fn replace(&mut self, file: &File, target: &Path) -> io::Result<()> {
        fs::rename(self.name(file, target)?, target)
    }

    /// Gives the draft the name of the target if no file has it; in one step, so that a killed process leaves
    /// no empty file.
    pub(super) fn place(&mut self, file: &File, target: &Path) -> io::Result<()> {
        let is_taken = |done: &io::Result<()>| {
            done.as_ref().is_err_and(|error| error.kind() == io::ErrorKind::AlreadyExists)
        };
        if self.0.is_none() {
            let linked = unnamed::link(file, target);
            if linked.is_ok() || is_taken(&linked) {
                return linked;
            }
        }
        let path = self.name(file, target)?;
        let linked = fs::hard_link(path, target);
        if linked.is_ok() || is_taken(&linked) {
            return linked;
        }
        // Some file systems allow only one name per file: there an empty file holds the name for a moment.
        OpenOptions::new().write(true).create_new(true).mode(0o600).open(target)?;
        fs::rename(path, target).inspect_err(|_| drop(fs::remove_file(target)))
    }

    /// The draft's own name; gives it one if it has none.
    fn name(&mut self, file: &File, target: &Path) -> io::Result<&Path> {
        let path = match self.0.take() {
            Some(path) => path,
            // Some systems allow creating such a file but not naming it.
            None => {
                named(target, |path| unnamed::link(file, path))
                    .or_else(|_| named(target, |path| copy(file, path)))?
                    .0
            }
        };
        Ok(self.0.insert(path))
    }
}

impl Drop for Draft {
    fn drop(&mut self) {
        if let Some(path) = &self.0 {
            // After `replace` the file is gone; other errors can't be reported here.
            let _ = fs::remove_file(path);
        }
    }
}

/// Makes a dot-file with a free name beside the target. In a container, the next process may have the id of
/// one that was killed.
fn named<T>(target: &Path, make: impl Fn(&Path) -> io::Result<T>) -> io::Result<(PathBuf, T)> {
    let name = target.file_name().ok_or_else(|| io::Error::other("not a file name"))?;
    // Names may have at most 255 bytes.
    let name = OsStr::from_bytes(&name.as_bytes()[..name.len().min(200)]);
    for number in 0..100 {
        let mut draft = OsString::from(".");
        draft.push(name);
        draft.push(format!(".ctx-{}-{number}", std::process::id()));
        let draft = target.with_file_name(draft);
        match make(&draft) {
            Err(error) if error.kind() == io::ErrorKind::AlreadyExists => {}
            done => return done.map(|done| (draft, done)),
        }
    }
    Err(io::Error::other("a hundred drafts were left beside it"))
}

/// Makes a file with the same content, owner and mode.
fn copy(mut file: &File, path: &Path) -> io::Result<()> {
    let metadata = file.metadata()?;
    let mut new = OpenOptions::new().write(true).create_new(true).mode(0o600).open(path)?;
    let mut write = || {
        file.seek(SeekFrom::Start(0))?;
        io::copy(&mut file, &mut new)?;
        // Only the superuser may give files away; for others the owner is their own anyway.
        let _ = fchown(&new, Some(metadata.uid()), Some(metadata.gid()));
        new.set_permissions(metadata.permissions())?;
        new.sync_all()
    };
    // Remove an incomplete copy.
    write().inspect_err(|_| drop(fs::remove_file(path)))
}

/// Unnamed files, where the system has them.
#[cfg(target_os = "linux")]
mod unnamed {
    use std::fs::File;
    use std::io;
    use std::os::fd::AsRawFd;
    use std::path::Path;

    use rustix::fs::{AtFlags, CWD, Mode, OFlags, linkat, open};

    /// Creates an unnamed file in the directory of `target`, if that is possible and it can be named later.
    pub(super) fn create(target: &Path, mode: u32) -> Option<File> {
        let directory = target.parent().filter(|directory| !directory.as_os_str().is_empty());
        let directory = directory.unwrap_or(Path::new("."));
        target.file_name()?;
        let flags = OFlags::TMPFILE | OFlags::RDWR | OFlags::CLOEXEC;
        let file = File::from(open(directory, flags, Mode::from_raw_mode(mode)).ok()?);
        Path::new(&place(&file)).exists().then_some(file)
    }

    /// Gives the file a name.
    pub(super) fn link(file: &File, path: &Path) -> io::Result<()> {
        Ok(linkat(CWD, place(file), CWD, path, AtFlags::SYMLINK_FOLLOW)?)
    }

    /// The path of a file without a name.
    fn place(file: &File) -> String {
        format!("/proc/self/fd/{}", file.as_raw_fd())
    }
}

/// Systems without unnamed files.
#[cfg(not(target_os = "linux"))]
mod unnamed {
    use std::fs::File;
    use std::io;
    use std::path::Path;

    pub(super) fn create(_target: &Path, _mode: u32) -> Option<File> {
        None
    }

    pub(super) fn link(_file: &File, _path: &Path) -> io::Result<()> {
        Err(io::ErrorKind::Unsupported.into())
    }
}

#[cfg(test)]
mod tests {
    use std::io::Write;

    use super::*;

    #[test]
    fn a_new_file_is_whole_once_it_is_there() {
        let place = std::env::temp_dir().join(format!("ctx-new-{}", std::process::id()));
        fs::create_dir_all(&place).unwrap();
        let path = |number: usize| place.join(number.to_string());
        let rounds = 400;
        std::thread::scope(|scope| {
            let watch = scope.spawn(|| {
                (0..rounds).all(|number| {
                    loop {
                        let Ok(text) = fs::read(path(number)) else { continue };
                        return text == b"[]";
                    }
                })
            });
            for number in 0..rounds {
                let target = path(number);
                let (mut draft, mut file) = if number % 2 == 0 {
                    Draft::beside(&target, 0o600).unwrap()
                } else {
                    let name = place.join(".draft");
                    let file = File::create_new(&name).unwrap();
                    (Draft(Some(name)), file)
                };
                file.write_all(b"[]").unwrap();
                draft.place(&file, &target).unwrap();
                let taken = draft.place(&file, &target).unwrap_err();
                assert_eq!(taken.kind(), io::ErrorKind::AlreadyExists);
            }
            assert!(watch.join().unwrap(), "an empty file stood there");
        });
        assert_eq!(fs::read_dir(&place).unwrap().count(), rounds, "a draft was left");
        fs::remove_dir_all(&place).unwrap();
    }

    #[test]
    fn a_draft_that_can_not_be_named_is_copied() {
        let place = std::env::temp_dir().join(format!("ctx-draft-{}", std::process::id()));
        fs::create_dir_all(&place).unwrap();
        let (from, to) = (place.join("a"), place.join("b"));
        let mut file =
            OpenOptions::new().read(true).write(true).create_new(true).open(&from).unwrap();
        file.write_all(b"[]").unwrap();
        copy(&file, &to).unwrap();
        assert_eq!(fs::read(&to).unwrap(), b"[]");
        assert_eq!(fs::metadata(&to).unwrap().mode(), file.metadata().unwrap().mode());
        fs::remove_dir_all(&place).unwrap();
    }
}
