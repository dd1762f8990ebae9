//! Saving the messages that a compaction removes, before anything is written.
//!
//! Responsible for files that are never overwritten, complete as soon as they exist, and readable only by the
//! user: `DIR/SESSION/compact-TIME-NUMBER.json` holds the removed messages, indented, and
//! `compact-TIME-NUMBER.lines.jsonl` the other removed lines, byte for byte.

use std::fs::{self, File};
use std::io::{self, Write};
use std::path::{Path, PathBuf, absolute};
use std::time::{SystemTime, UNIX_EPOCH};

use crate::calendar;
use crate::json::Json;
use crate::output::{NewFiles, Replacement};

/// Archive files that were written, and are removed again unless the compaction takes place.
#[derive(Debug)]
pub(crate) struct Archive {
    /// The absolute path of the messages: the summary names it, and its reader may work in another directory
    /// by then.
    pub path: PathBuf,
    /// The path of the lines that were removed beside messages, if any were.
    pub lines: Option<PathBuf>,
    /// Both files, and the directories that were created for them.
    pub files: NewFiles,
}

impl Archive {
    /// Writes messages to a new file and syncs it.
    ///
    /// # Errors
    ///
    /// The directory or the file can't be written.
    pub(crate) fn write(
        directory: &Path,
        session: &str,
        messages: &[Json<'_>],
    ) -> io::Result<Self> {
        let directory = absolute(directory)?.join(file_name(session));
        let mut files = NewFiles::default();
        files.make_directory(&directory)?;
        // The lock gives two processes different numbers. File systems without locks have to do without.
        let lock = File::open(&directory)?;
        let _ = lock.lock();
        let path = next_in(&directory)?;
        files.add(path.clone());
        write(&path, messages)?;
        Ok(Self { path, lines: None, files })
    }

    /// The path to which the next archive would be written.
    ///
    /// # Errors
    ///
    /// The directory can't be read.
    pub(crate) fn next(directory: &Path, session: &str) -> io::Result<PathBuf> {
        next_in(&absolute(directory)?.join(file_name(session)))
    }

    /// Replaces the content of the file by the messages that were removed in the end.
    ///
    /// # Errors
    ///
    /// The file can't be written; its content is unchanged.
    pub(crate) fn rewrite(&self, messages: &[Json<'_>]) -> io::Result<()> {
        write(&self.path, messages)
    }

    /// Writes lines that are removed beside the messages to a file of their own, if there are any.
    ///
    /// # Errors
    ///
    /// The file can't be written.
    pub(crate) fn add_lines(&mut self, lines: &[Json<'_>]) -> io::Result<()> {
        if lines.is_empty() {
            return Ok(());
        }
        let path = self.path.with_extension("lines.jsonl");
        let mut draft = Replacement::private(&path)?;
        lines.iter().try_for_each(|line| writeln!(draft, "{}", line.source()))?;
        draft.finish()?;
        self.files.add(path.clone());
        sync_name(&path);
        self.lines = Some(path);
        Ok(())
    }
}

/// The session's next file; its number is one more than the highest so far.
fn next_in(directory: &Path) -> io::Result<PathBuf> {
    let number = next_number(directory)?;
    Ok(directory.join(format!("compact-{}-{number}.json", calendar::stamp(seconds_now()))))
}

fn next_number(directory: &Path) -> io::Result<u32> {
    let mut highest = 0;
    let entries = match fs::read_dir(directory) {
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(1),
        entries => entries?,
    };
    for entry in entries {
        let name = entry?.file_name();
        let name = name.to_string_lossy();
        let number = name.strip_prefix("compact-").and_then(|name| name.strip_suffix(".json"));
        let number = number.and_then(|name| name.rsplit('-').next()?.parse::<u32>().ok());
        highest = highest.max(number.unwrap_or(0));
    }
    highest.checked_add(1).ok_or_else(|| io::Error::other("no number is left"))
}

/// The name of a session in a form that is safe for a directory.
fn file_name(session: &str) -> String {
    let safe = |c: char| if c.is_alphanumeric() || "-_.".contains(c) { c } else { '_' };
    // A name may have 255 bytes, and a character up to four.
    let name: String = session.chars().map(safe).take(60).collect();
    if name.trim_matches('.').is_empty() { "session".to_owned() } else { name }
}

/// The time in `SOURCE_DATE_EPOCH`, in seconds since 1970.
fn fixed_time() -> Option<u64> {
    std::env::var("SOURCE_DATE_EPOCH").ok().and_then(|seconds| seconds.parse().ok())
}

/// Whether archives get the same names in each run.
pub(super) fn is_time_fixed() -> bool {
    fixed_time().is_some()
}

/// The time, in seconds since 1970.
fn seconds_now() -> u64 {
    fixed_time().unwrap_or_else(|| {
        SystemTime::now().duration_since(UNIX_EPOCH).map_or(0, |since| since.as_secs())
    })
}

/// Writes messages to a file, which gets its name when it is complete.
fn write(path: &Path, messages: &[Json<'_>]) -> io::Result<()> {
    let mut draft = Replacement::private(path)?;
    indent_all(messages, &mut draft)?;
    draft.finish()?;
    sync_name(path);
    Ok(())
}

/// Syncs a file's directory entry, because the file must be as durable as the result that replaces the
/// messages. Some file systems can't; there it is as durable as any name.
fn sync_name(path: &Path) {
    if let Some(Ok(directory)) = path.parent().map(File::open) {
        let _ = directory.sync_all();
    }
}

/// Writes values as an indented array; numbers and strings stay as written.
fn indent_all(values: &[Json<'_>], out: &mut impl Write) -> io::Result<()> {
    write!(out, "[")?;
    for (at, value) in values.iter().enumerate() {
        write!(out, "{}\n  ", if at == 0 { "" } else { "," })?;
        indent(*value, out)?;
    }
    write!(out, "{}", if values.is_empty() { "]\n" } else { "\n]\n" })
}

/// Writes one value, indented from its second line on, without recursion because it may be deeply nested.
fn indent(value: Json<'_>, out: &mut impl Write) -> io::Result<()> {
    let mut depth = 1;
    let mut rest = value.source();
    while let Some(byte) = rest.bytes().next() {
        let token = token_end(rest);
        let (text, after) = rest.split_at(token);
        rest = after.trim_start();
        let closes = rest.starts_with(['}', ']']);
        match byte {
            b'{' | b'[' if closes => {
                write!(out, "{text}{}", &rest[..1])?;
                rest = rest[1..].trim_start();
            }
            b'{' | b'[' => {
                depth += 1;
                write!(out, "{text}")?;
                line_break(depth, out)?;
            }
            b'}' | b']' => {
                depth -= 1;
                line_break(depth, out)?;
                write!(out, "{text}")?;
            }
            b',' => {
                write!(out, ",")?;
                line_break(depth, out)?;
            }
            b':' => write!(out, ": ")?,
            _ => out.write_all(text.as_bytes())?,
        }
    }
    Ok(())
}

fn line_break(depth: usize, out: &mut impl Write) -> io::Result<()> {
    // The limit keeps deep nesting from squaring the size of the file.
    write!(out, "\n{:width$}", "", width = 2 * depth.min(40))
}

fn token_end(text: &str) -> usize {
    let bytes = text.as_bytes();
    match bytes[0] {
        b'"' => {
            let mut at = 1;
            while at < bytes.len() && bytes[at] != b'"' {
                at += if bytes[at] == b'\\' { 2 } else { 1 };
            }
            at + 1
        }
        b'{' | b'}' | b'[' | b']' | b',' | b':' => 1,
        _ => text.find([',', ']', '}', ':', ' ', '\t', '\n', '\r']).unwrap_or(text.len()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn indents_without_changing_values() {
        let text = r#"{"a":[1e400,"x, \"y\""],"b":{},"c":[ ]}"#;
        let mut out = Vec::new();
        indent_all(&[Json::from_checked(text)], &mut out).unwrap();
        assert_eq!(
            String::from_utf8(out).unwrap(),
            "[\n  {\n    \"a\": [\n      1e400,\n      \"x, \\\"y\\\"\"\n    ],\n    \"b\": {},\n    \"c\": []\n  }\n]\n"
        );
    }
}
