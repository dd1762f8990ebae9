//! Files for results that are too large to stay in a conversation.
//!
//! Responsible for one file per result, readable only by the user, complete as soon as it exists, never
//! overwritten with another text, and removed if the conversation does not name it in the end.

use std::fmt::Write as _;
use std::fs;
use std::io::{self, Write};
use std::mem::take;
use std::path::{Path, PathBuf, absolute};

use crate::command::Trouble;
use crate::command::pace::Pace;
use crate::conversation::Place;
use crate::defaults::TOOL_BUDGET;
use crate::hash::fnv;
use crate::output::{NewFiles, Replacement, remedy_of_full, shown};
use crate::truncate::spill::Spill;

/// The most bytes of results in the last batch; `None` without a directory for the files.
pub(super) fn tool_budget(directory: Option<&Path>, bytes: Option<usize>) -> Option<usize> {
    directory.map(|_| bytes.unwrap_or(TOOL_BUDGET))
}

/// The files for the results of one conversation.
pub(super) struct Store<'r> {
    directory: Option<&'r Path>,
    /// Whether to return paths without writing files.
    is_dry: bool,
    /// Whether no other conversation is worked on at the same time.
    is_alone: bool,
    written: Vec<(Place, PathBuf)>,
    /// Directories that were created.
    made: NewFiles,
    /// The results with a file, also in a dry run, each with the path of that file.
    named: Vec<(Place, String)>,
    /// Why a result could not be written.
    error: Option<io::Error>,
}

impl<'r> Store<'r> {
    /// A store in `directory`; without a directory nothing is stored.
    pub(super) fn new(directory: Option<&'r Path>, is_dry: bool, pace: Pace) -> Self {
        let (written, named, made) = (Vec::new(), Vec::new(), NewFiles::default());
        Self { directory, is_dry, is_alone: pace.jobs < 2, written, made, named, error: None }
    }

    /// Writes a result to a file and returns its absolute path, because its reader may work in another
    /// directory by then.
    pub(super) fn put(&mut self, spill: &Spill) -> Option<String> {
        let written = absolute(self.directory?).and_then(|directory| {
            if self.is_dry {
                return Ok((directory.join(format!("{}.txt", stem(spill))), false));
            }
            self.made.make_directory(&directory)?;
            write(&directory, spill)
        });
        match written {
            Ok((path, is_new)) => {
                let name = path.display().to_string();
                if is_new {
                    self.written.push((spill.place, path));
                }
                self.named.push((spill.place, name.clone()));
                Some(name)
            }
            Err(error) => {
                self.error = Some(error);
                None
            }
        }
    }

    /// Checks that every result that should go to a file did.
    ///
    /// # Errors
    ///
    /// A result could not be written; as it exists nowhere else, nothing may be cut.
    pub(super) fn complete(&mut self) -> Result<(), Trouble> {
        let Some(error) = self.error.take() else { return Ok(()) };
        let directory = shown(self.directory.unwrap_or(Path::new("")));
        let reason = format!("could not write a result to {directory}: {error}");
        let hint = "--spill names a directory, which is made if it is not there";
        Err(Trouble::new(reason, remedy_of_full(&error).unwrap_or(hint)))
    }

    /// The results with a file, also in a dry run, each with the path of that file.
    pub(super) fn named(&self) -> &[(Place, String)] {
        &self.named
    }

    /// Keeps the files of results for which `stays` holds. Once this conversation is written, another one may
    /// name the file too.
    pub(super) fn keep(mut self, stays: impl Fn(Place, &Path) -> bool) {
        let written = self.written.len();
        self.written.retain(|(place, path)| !stays(*place, path));
        if self.written.len() < written {
            take(&mut self.made).keep();
        }
    }
}

impl Drop for Store<'_> {
    /// Removes files that were written and not kept, unless another conversation may have found them.
    fn drop(&mut self) {
        if !self.is_alone {
            return take(&mut self.made).keep();
        }
        for (_, path) in &self.written {
            // A file that can't be removed does no harm.
            let _ = fs::remove_file(path);
        }
    }
}

/// The most bytes of a call id in a file's name, which may have 255; a hash behind them distinguishes longer
/// ids.
const LONGEST: usize = 160;

/// Comes before a number in a file's name; what is made of a call id never holds it.
const NUMBER: char = '+';

/// The name of the file without its extension, which depends only on the call. Different ids have different
/// names, none of them hidden or in another directory: what is not safe in a name is written as in a URL.
fn stem(spill: &Spill) -> String {
    if spill.call_id.is_empty() {
        return format!("result{NUMBER}{}{NUMBER}{}", spill.place.0, spill.place.1);
    }
    let mut stem = String::new();
    for byte in spill.call_id.bytes() {
        let is_within = !stem.is_empty() && matches!(byte, b'.' | b'-');
        if byte.is_ascii_alphanumeric() || byte == b'_' || is_within {
            stem.push(byte.into());
        } else {
            let _ = write!(stem, "%{byte:02X}");
        }
    }
    if stem.len() > LONGEST {
        stem.truncate(LONGEST);
        stem = format!("{stem}-{:016x}", fnv(&spill.call_id));
    }
    stem
}

/// Writes the file of a result; returns its path, and whether it is new.
fn write(directory: &Path, spill: &Spill) -> io::Result<(PathBuf, bool)> {
    let stem = stem(spill);
    for number in 1.. {
        let more = if number == 1 { String::new() } else { format!("{NUMBER}{number}") };
        let path = directory.join(format!("{stem}{more}.txt"));
        if let Some(is_new) = write_at(&path, spill.text.as_bytes())? {
            return Ok((path, is_new));
        }
    }
    unreachable!("there are more numbers than files")
}

/// Writes a text to a file; returns whether the file is new, or `None` if another text has the name.
fn write_at(path: &Path, text: &[u8]) -> io::Result<Option<bool>> {
    // The same text may be there from an earlier run; another text stays.
    match fs::read(path) {
        Ok(there) => return Ok((there == text).then_some(false)),
        Err(error) if error.kind() == io::ErrorKind::NotFound => {}
        Err(error) => return Err(error),
    }
    let mut draft = Replacement::private(path)?;
    draft.write_all(text)?;
    match draft.finish_new() {
        // Another process was first; it may have written the same text.
        Err(error) if error.kind() == io::ErrorKind::AlreadyExists => {
            Ok(fs::read(path).is_ok_and(|there| there == text).then_some(false))
        }
        done => done.map(|()| Some(true)),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn who_comes_second_finds_the_same_text() {
        let place = std::env::temp_dir().join(format!("ctx-second-{}", std::process::id()));
        fs::create_dir_all(&place).unwrap();
        for number in 0..50 {
            let path = place.join(number.to_string());
            let gate = std::sync::Barrier::new(4);
            let write = || {
                gate.wait();
                write_at(&path, b"the result").unwrap()
            };
            let new = std::thread::scope(|scope| {
                let writers: Vec<_> = (0..4).map(|_| scope.spawn(write)).collect();
                let written = writers.into_iter().map(|writer| writer.join().unwrap());
                written
                    .map(|is_new| is_new.expect("the same text"))
                    .filter(|is_new| *is_new)
                    .count()
            });
            assert_eq!(new, 1);
        }
        fs::remove_dir_all(&place).unwrap();
    }

    #[test]
    fn a_file_has_a_safe_name_of_its_own() {
        let named =
            |id: &str| stem(&Spill { place: (3, 0), call_id: id.to_owned(), text: String::new() });
        for (id, name) in [
            ("call_1", "call_1"),
            ("functions.Bash-2", "functions.Bash-2"),
            ("functions.Bash:0", "functions.Bash%3A0"),
            ("../x", "%2E.%2Fx"),
            (".x", "%2Ex"),
            ("..", "%2E."),
            ("-rf", "%2Drf"),
            ("a/b", "a%2Fb"),
            ("a_b", "a_b"),
            ("a%2Fb", "a%252Fb"),
            ("c+2", "c%2B2"),
            ("é", "%C3%A9"),
            ("", "result+3+0"),
        ] {
            assert_eq!(named(id), name, "{id}");
        }
        let [one, other] = ["/", "_"].map(|end| named(&("x".repeat(300) + end)));
        assert!(one != other && one.len() < 200, "{one} {other}");
    }

    #[test]
    fn a_full_disk_is_no_wrong_directory() {
        for (kind, remedy) in [
            (io::ErrorKind::StorageFull, "the disk is full"),
            (io::ErrorKind::QuotaExceeded, "the disk is full"),
            (io::ErrorKind::NotADirectory, "--spill names a directory"),
        ] {
            let mut store = Store::new(Some(Path::new("there")), false, Pace::in_turn(None));
            store.error = Some(kind.into());
            let hint = store.complete().unwrap_err().hint.unwrap();
            assert!(hint.starts_with(remedy), "{kind}: {hint}");
        }
    }
}
