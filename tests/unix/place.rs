//! A directory for each test, and the program in it.

use std::ffi::OsStr;
use std::fs;
use std::io::Write;
use std::path::{Path, PathBuf};
use std::process::{Command, ExitStatus, Stdio};

/// A directory of its own, empty at first and gone at the end.
pub(crate) struct Place(PathBuf);

impl Place {
    pub(crate) fn new(name: &str) -> Self {
        let path = Path::new(env!("CARGO_TARGET_TMPDIR")).join("unix").join(name);
        let _ = fs::remove_dir_all(&path);
        fs::create_dir_all(&path).expect("a directory is made");
        Self(path)
    }

    pub(crate) fn path(&self) -> &Path {
        &self.0
    }

    pub(crate) fn join(&self, name: impl AsRef<Path>) -> PathBuf {
        self.0.join(name)
    }

    pub(crate) fn write(&self, name: impl AsRef<Path>, bytes: impl AsRef<[u8]>) -> PathBuf {
        let path = self.join(name);
        fs::write(&path, bytes).expect("a file is written");
        path
    }

    pub(crate) fn read(&self, name: impl AsRef<Path>) -> Vec<u8> {
        fs::read(self.join(name)).expect("a file is read")
    }

    /// The names in it, sorted.
    pub(crate) fn names(&self) -> Vec<String> {
        let entries = fs::read_dir(&self.0).expect("a directory");
        let names = entries.map(|entry| entry.expect("an entry").file_name());
        let mut names: Vec<String> = names.map(|name| name.to_string_lossy().into()).collect();
        names.sort();
        names
    }

    /// The program, to be run in this directory.
    pub(crate) fn ctx<I: AsRef<OsStr>>(&self, arguments: impl IntoIterator<Item = I>) -> Command {
        let mut command = Command::new(env!("CARGO_BIN_EXE_ctx"));
        command.args(arguments).current_dir(&self.0).env_remove("CTX_MODEL").stdin(Stdio::null());
        command
    }

    /// A shell script, to be run in this directory, in which `$ctx` is the program.
    pub(crate) fn sh(&self, script: &str) -> Command {
        let mut command = Command::new("sh");
        command.args(["-c", script]).current_dir(&self.0).stdin(Stdio::null());
        command.env("ctx", env!("CARGO_BIN_EXE_ctx")).env_remove("CTX_MODEL");
        command
    }
}

impl Drop for Place {
    fn drop(&mut self) {
        let _ = fs::remove_dir_all(&self.0);
    }
}

/// How a command ended, and what it said.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct Ran {
    pub(crate) status: ExitStatus,
    pub(crate) out: Vec<u8>,
    pub(crate) err: String,
}

impl Ran {
    pub(crate) fn code(&self) -> Option<i32> {
        self.status.code()
    }

    /// The error it ended with: nothing on stdout, status 2, each line marked as ours.
    pub(crate) fn trouble(self) -> String {
        assert_eq!((self.code(), &self.out[..]), (Some(2), &b""[..]), "{}", self.err);
        assert_marked(&self.err);
        self.err
    }

    /// What it printed, where all went well.
    pub(crate) fn printed(self) -> String {
        assert_eq!(self.code(), Some(0), "{}", self.err);
        assert_marked(&self.err);
        String::from_utf8(self.out).expect("UTF-8")
    }
}

/// Each line on standard error says whose it is.
fn assert_marked(err: &str) {
    let is_marked =
        |line: &str| ["ctx: ", "hint: ", "  "].iter().any(|mark| line.starts_with(mark));
    assert!(err.lines().all(is_marked), "{err}");
}

pub(crate) fn run(command: &mut Command) -> Ran {
    let output = command.output().expect("it runs");
    let err = String::from_utf8_lossy(&output.stderr).into_owned();
    Ran { status: output.status, out: output.stdout, err }
}

/// Runs a command with something to read.
pub(crate) fn feed(command: &mut Command, input: &[u8]) -> Ran {
    let pipes = command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
    let mut child = pipes.spawn().expect("it runs");
    let mut stdin = child.stdin.take().expect("a pipe");
    let input = input.to_vec();
    // From a thread: the pipes hold less than the texts. A command may end before it has read all.
    let feeder = std::thread::spawn(move || drop(stdin.write_all(&input)));
    let output = child.wait_with_output().expect("it ends");
    feeder.join().expect("a thread");
    let err = String::from_utf8_lossy(&output.stderr).into_owned();
    Ran { status: output.status, out: output.stdout, err }
}

/// A short conversation that is valid, with nothing to shorten.
pub(crate) const CHAT: &str = r#"{"messages": [{"role": "user", "content": "Hello"},
  {"role": "assistant", "content": "Good day"}], "temperature": 1e-1}
"#;

/// A conversation whose result is too long.
pub(crate) fn long_chat() -> String {
    let lines: Vec<String> = (1..=2000).map(|number| format!("line {number} of the log")).collect();
    let lines = lines.join("\\n");
    format!(
        r#"{{"messages": [{{"role": "user", "content": "Read the log"}},
{{"role": "assistant", "content": null, "tool_calls": [{{"id": "c1", "type": "function", "function": {{"name": "read", "arguments": "{{}}"}}}}]}},
{{"role": "tool", "tool_call_id": "c1", "content": "{lines}"}},
{{"role": "user", "content": "What does it say?"}}]}}
"#
    )
}

/// A long session.
pub(crate) fn session() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("testdata/sessions/tides.jsonl")
}

/// A check that can't be made here says so.
pub(crate) fn skip(why: &str) {
    let _ = writeln!(std::io::stderr(), "skipped: {why}");
}
