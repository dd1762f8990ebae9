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

/// Standard output, or another target for bytes. Once its reader is gone or an error was reported, writes do
/// nothing.
pub(crate) struct Stdout {
    /// The name that errors give it.
    name: String,
    inner: BufWriter<Box<dyn Write + Send>>,
    is_closed: bool,
    is_terminal: bool,
    is_pipe: bool,
}

impl Stdout {
    /// Standard output, with its own buffer: nothing else may write to it meanwhile.
    pub(crate) fn open() -> Self {
        let stdout = io::stdout();
        let is_terminal = stdout.is_terminal();
        // The standard library's writer would search everything it writes for line breaks.
        let file = stdout.as_fd().try_clone_to_owned().map(File::from);
        let kind = file.as_ref().ok().and_then(|file| Some(file.metadata().ok()?.file_type()));
        let is_pipe = kind.is_some_and(|kind| kind.is_fifo() || kind.is_socket());
        let writer = file.map_or_else(|_| Box::new(stdout) as Box<_>, |file| Box::new(file) as _);
        let name = "standard output".to_owned();
        Self { is_terminal, is_pipe, ..Self::onto(name, writer) }
    }

    /// The device or named pipe at `path`, which has no content to replace; `None` if it is a file or a
    /// directory.
    pub(crate) fn named(path: &Path) -> Option<Self> {
        let metadata = fs::metadata(path).ok()?;
        if is_stdout(&metadata) {
            // `/dev/stdout` may well be a file; open it as standard output, so that what others wrote to it
            // stays.
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

    /// Writes a line that may hold text from a conversation: it stays one line, and can't control a terminal.
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

    /// Whether writes may fail for lack of space, as on a file.
    pub(crate) fn may_be_full(&self) -> bool {
        !self.is_terminal && !self.is_pipe
    }

    /// Whether the reader is gone or nothing more can be written.
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

/// A device or pipe that is opened on the first write: opening a pipe waits for a reader, and no one should
/// wait only to find nothing to read.
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
        // Open it even if nothing was written, so that its reader sees the end.
        self.file()?.flush()
    }
}

impl Drop for Late {
    /// Releases a reader that waits for a pipe if nothing was written. Opening both ends does not wait, and
    /// closing them is the end for the reader.
    fn drop(&mut self) {
        let is_pipe = || fs::metadata(&self.path).is_ok_and(|it| it.file_type().is_fifo());
        if self.file.is_none() && is_pipe() {
            drop(OpenOptions::new().read(true).write(true).open(&self.path));
        }
    }
}

/// Advice for an error that says that no space is left.
pub(crate) fn remedy_of_full(error: &io::Error) -> Option<&'static str> {
    let is_full = matches!(error.kind(), io::ErrorKind::StorageFull | io::ErrorKind::QuotaExceeded);
    is_full.then_some("the disk is full: make room, or name a directory on another one")
}

/// Whether `file` is the file that standard output was redirected to.
pub(crate) fn is_stdout(file: &fs::Metadata) -> bool {
    let stdout = io::stdout().as_fd().try_clone_to_owned().map(File::from);
    let stdout = stdout.and_then(|stdout| stdout.metadata());
    file.is_file()
        && stdout
            .is_ok_and(|out| out.is_file() && (out.dev(), out.ino()) == (file.dev(), file.ino()))
}

/// The text with line breaks and tabs escaped, so that a row of a table stays one row for people and scripts.
/// JSON on one line has none of these.
pub(crate) fn on_one_row(text: &str) -> Cow<'_, str> {
    written_out(text, |c| matches!(c, '\t'..='\r'))
}

/// The text with all characters escaped that would control a terminal, or reorder or hide text.
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

/// A path for messages and tables, with line breaks and other control characters escaped. JSON gets the path
/// as it is.
pub(crate) fn shown(path: &Path) -> String {
    written_out(&path.to_string_lossy(), char::is_control).into_owned()
}

/// The text with the characters for which `is_meant` holds escaped.
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
