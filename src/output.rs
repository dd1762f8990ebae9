//! Writing standard output and files.
//!
//! Responsible for never leaving half a file: a result is written beside its target, synced, and
//! moved over it in one step; a symbolic link stays a link and the mode stays. A closed pipe ends
//! standard output quietly; every other write error is reported.

mod draft;
mod new_files;
mod replacement;

use std::borrow::Cow;
use std::fs::{self, File, OpenOptions};
use std::io::{self, BufWriter, IsTerminal, Write};
use std::os::fd::AsFd;
use std::os::unix::fs::{FileTypeExt, MetadataExt};
use std::path::{Path, PathBuf};

pub(crate) use new_files::NewFiles;
pub(crate) use replacement::{Replacement, Version};

/// Standard output, or what takes bytes as it does: once its reader is gone, or an error was told, writes do
/// nothing.
pub(crate) struct Stdout {
    /// What an error calls it.
    name: String,
    inner: BufWriter<Box<dyn Write + Send>>,
    is_closed: bool,
    is_terminal: bool,
    is_pipe: bool,
}

impl Stdout {
    /// Standard output, with a buffer of its own: whoever has it is the only one to write.
    pub(crate) fn open() -> Self {
        let stdout = io::stdout();
        let is_terminal = stdout.is_terminal();
        // The standard library's own writer looks for line breaks in all that it writes.
        let file = stdout.as_fd().try_clone_to_owned().map(File::from);
        let kind = file.as_ref().ok().and_then(|file| Some(file.metadata().ok()?.file_type()));
        let is_pipe = kind.is_some_and(|kind| kind.is_fifo() || kind.is_socket());
        let writer = file.map_or_else(|_| Box::new(stdout) as Box<_>, |file| Box::new(file) as _);
        let name = "standard output".to_owned();
        Self { is_terminal, is_pipe, ..Self::onto(name, writer) }
    }

    /// A device or a pipe that has a name, where `path` is one: there is nothing in it to replace.
    pub(crate) fn named(path: &Path) -> Option<Self> {
        let metadata = fs::metadata(path).ok()?;
        if is_stdout(&metadata) {
            // As `/dev/stdout`, which may well be a file: who else writes to it keeps what it wrote.
            return Some(Self::open());
        }
        if metadata.is_file() || metadata.is_dir() {
            return None;
        }
        let late = Late { path: path.to_owned(), file: None };
        Some(Self::onto(shown(path), Box::new(late)))
    }

    fn onto(name: String, writer: Box<dyn Write + Send>) -> Self {
        let inner = BufWriter::with_capacity(1 << 16, writer);
        Self { name, inner, is_closed: false, is_terminal: false, is_pipe: false }
    }

    /// Writes a line that may hold a text from a conversation: it stays one line, and a terminal does not obey it.
    ///
    /// # Errors
    ///
    /// Standard output can't be written.
    pub(crate) fn line(&mut self, line: &str) -> io::Result<()> {
        let line = on_one_row(line);
        if self.is_terminal {
            return writeln!(self, "{}", visible(&line));
        }
        writeln!(self, "{line}")
    }

    /// Whether what is written may be refused for lack of room: not by a reader.
    pub(crate) fn may_be_full(&self) -> bool {
        !self.is_terminal && !self.is_pipe
    }

    /// Whether nobody reads any more, or nothing more can be written.
    pub(crate) fn is_closed(&self) -> bool {
        self.is_closed
    }

    fn quietly<T>(&mut self, result: io::Result<T>, quiet: T) -> io::Result<T> {
        match result {
            Err(error) if error.kind() == io::ErrorKind::BrokenPipe => {
                self.is_closed = true;
                Ok(quiet)
            }
            Err(error) => {
                self.is_closed = true;
                let reason = format!("could not write {}: {error}", self.name);
                Err(io::Error::new(error.kind(), reason))
            }
            Ok(done) => Ok(done),
        }
    }
}

impl Write for Stdout {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        if self.is_closed {
            return Ok(bytes.len());
        }
        let result = self.inner.write(bytes);
        self.quietly(result, bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        if self.is_closed {
            return Ok(());
        }
        let result = self.inner.flush();
        self.quietly(result, ())
    }
}

/// A device or a pipe that is opened when there is something to write: opening a pipe waits for a reader,
/// and nobody is to wait for one only to hear that there is nothing to read.
struct Late {
    path: PathBuf,
    file: Option<File>,
}

impl Late {
    fn file(&mut self) -> io::Result<&mut File> {
        match &mut self.file {
            Some(file) => Ok(file),
            none => Ok(none.insert(OpenOptions::new().write(true).open(&self.path)?)),
        }
    }
}

impl Write for Late {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.file()?.write(bytes)
    }

    fn flush(&mut self) -> io::Result<()> {
        // Opened all the same where all that there is to read is its end.
        self.file()?.flush()
    }
}

impl Drop for Late {
    /// Lets a reader who waits for a pipe go, where nothing was written: to open both ends waits for nobody,
    /// and to close them is the end for who reads.
    fn drop(&mut self) {
        let is_pipe = || fs::metadata(&self.path).is_ok_and(|it| it.file_type().is_fifo());
        if self.file.is_none() && is_pipe() {
            drop(OpenOptions::new().read(true).write(true).open(&self.path));
        }
    }
}

/// What helps where an error says that there is no room left.
pub(crate) fn remedy_of_full(error: &io::Error) -> Option<&'static str> {
    let is_full = matches!(error.kind(), io::ErrorKind::StorageFull | io::ErrorKind::QuotaExceeded);
    is_full.then_some("the disk is full: make room, or name a directory on another one")
}

/// Whether a file is what standard output was redirected to.
pub(crate) fn is_stdout(file: &fs::Metadata) -> bool {
    let stdout = io::stdout().as_fd().try_clone_to_owned().map(File::from);
    let stdout = stdout.and_then(|stdout| stdout.metadata());
    file.is_file()
        && stdout
            .is_ok_and(|out| out.is_file() && (out.dev(), out.ino()) == (file.dev(), file.ino()))
}

/// The text with line breaks and tabs written out: a row of a table stays one, for people and for scripts. JSON
/// on one line has none.
pub(crate) fn on_one_row(text: &str) -> Cow<'_, str> {
    written_out(text, |c| matches!(c, '\t'..='\r'))
}

/// The text with everything written out that would make a terminal do something, or would turn or
/// hide what stands there.
pub(crate) fn visible(text: &str) -> Cow<'_, str> {
    let acts = |c: char| match c {
        '\t' => false,
        '\u{200b}'..='\u{200f}'
        | '\u{202a}'..='\u{202e}'
        | '\u{2060}'..='\u{2069}'
        | '\u{feff}' => true,
        _ => c.is_control(),
    };
    written_out(text, acts)
}

/// A path as messages and tables name it: its line breaks and all else that a terminal would obey are written
/// out. JSON has it as it is.
pub(crate) fn shown(path: &Path) -> String {
    written_out(&path.to_string_lossy(), char::is_control).into_owned()
}

/// The text with the escapes of some characters in their places.
fn written_out(text: &str, is_meant: impl Fn(char) -> bool) -> Cow<'_, str> {
    if !text.contains(&is_meant) {
        return Cow::Borrowed(text);
    }
    let mut out = String::new();
    for c in text.chars() {
        if is_meant(c) { out.extend(c.escape_default()) } else { out.push(c) }
    }
    Cow::Owned(out)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_row_stays_one() {
        assert_eq!(on_one_row("a\tb\r\nc\u{1b}"), "a\\tb\\r\\nc\u{1b}");
        assert_eq!(on_one_row("caf\u{e9} \u{2028}"), "caf\u{e9} \u{2028}");
    }

    #[test]
    fn a_path_has_no_control_characters() {
        assert_eq!(shown(Path::new("a\nb\t\u{1b}[1mc\u{7f}")), "a\\nb\\t\\u{1b}[1mc\\u{7f}");
        assert_eq!(shown(Path::new("caf\u{e9} \u{200b}.json")), "caf\u{e9} \u{200b}.json");
    }

    #[test]
    fn writes_out_what_a_terminal_would_obey() {
        assert_eq!(visible("caf\u{e9}\tis fine"), "caf\u{e9}\tis fine");
        assert_eq!(visible("\u{1b}[2J\u{9b}1m"), "\\u{1b}[2J\\u{9b}1m");
        assert_eq!(visible("a\u{202e}b\u{200b}"), "a\\u{202e}b\\u{200b}");
    }
}
