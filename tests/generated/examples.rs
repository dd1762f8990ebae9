//! Examples run: the help's, and the README's blocks.
//!
//! A ```` ```console ```` block is a transcript, run in the project's directory. A ```` ```sh ```` block
//! only runs, in a directory with the files that examples speak of, with stand-ins for programs that may be missing.

use std::fmt::Write as _;
use std::fs;
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};
use std::process::{Command, Output, Stdio};
use std::sync::atomic::{AtomicUsize, Ordering};

use crate::{root, transcript};

/// The examples in a command's help.
pub(crate) fn of_help(command: &clap::Command) -> Vec<String> {
    let help = command.get_after_help().map(ToString::to_string).unwrap_or_default();
    let lines = help.lines().skip_while(|line| *line != "Examples:").skip(1);
    let lines = lines.take_while(|line| line.starts_with("  "));
    // What an example shows may stand behind it.
    let example = |line: &str| line.trim().split("  ").next().unwrap_or_default().to_owned();
    lines.map(example).collect()
}

/// The commands in the README's `sh` blocks; a block is one script.
pub(crate) fn of_readme(readme: &str) -> Vec<String> {
    let blocks = readme.split("```").skip(1).step_by(2);
    blocks.filter_map(|block| block.strip_prefix("sh\n")).map(str::to_owned).collect()
}

/// The README with the output under each command of its transcripts as it is now.
pub(crate) fn replay(readme: &str) -> String {
    transcript::replay(readme, &mut |command| Some((None, printed(command))))
}

/// What a command prints on both streams, in the project's directory.
fn printed(command: &str) -> String {
    let place = Place::new();
    let script = format!("exec 2>&1; {command}");
    let output = place.shell(&script).current_dir(root()).output().expect("a shell");
    String::from_utf8(output.stdout).expect("UTF-8")
}

/// Runs a script among the files that examples speak of.
///
/// # Errors
///
/// A `ctx` in it ended with trouble.
pub(crate) fn run(script: &str) -> Result<(), String> {
    let place = Place::new();
    place.furnish();
    let output = place.shell(script).current_dir(&place.path).output().expect("a shell");
    let statuses = fs::read_to_string(place.path.join("statuses")).unwrap_or_default();
    let ran = statuses.lines().count() > 0 || !script.contains("ctx ");
    if ran && statuses.lines().all(|status| status == "0" || status == "1") {
        return Ok(());
    }
    Err(complaint(script, &output))
}

/// The report of a compaction.
pub(crate) fn report() -> String {
    let mut command = Command::new(env!("CARGO_BIN_EXE_ctx"));
    command.args(["compact", "-nq", "--budget", "4k", "--report", "-"]).arg(root().join(SESSION));
    String::from_utf8(command.output().expect("it runs").stderr).expect("UTF-8")
}

fn complaint(script: &str, output: &Output) -> String {
    let mut text = format!("$ {script}\n");
    for stream in [&output.stdout, &output.stderr] {
        let _ = write!(text, "{}", String::from_utf8_lossy(stream));
    }
    text
}

/// A directory of its own, gone at the end.
struct Place {
    path: PathBuf,
}

/// Programs that an example may use and a machine may not have, or that should do nothing here.
const STAND_INS: &[(&str, &str)] = &[
    ("llm", "cat > /dev/null; echo 'A summary of what was said.'"),
    ("curl", "cat chat.json"),
    (
        "cargo",
        "[ \"$1\" = run ] || exit 0; while [ \"$1\" != -- ]; do shift; done; shift; ctx \"$@\"",
    ),
    ("git", "exit 0"),
    ("parallel", "exit 0"),
];

impl Place {
    fn new() -> Self {
        static NUMBER: AtomicUsize = AtomicUsize::new(0);
        let number = NUMBER.fetch_add(1, Ordering::Relaxed);
        let path = Path::new(env!("CARGO_TARGET_TMPDIR")).join(format!("examples-{number}"));
        let _ = fs::remove_dir_all(&path);
        fs::create_dir_all(path.join("bin")).expect("a directory is made");
        let place = Self { path };
        let note = place.path.join("statuses");
        place.program(
            "ctx",
            &format!(
                "'{}' \"$@\"\nstatus=$?\necho $status >> '{}'\nexit $status",
                env!("CARGO_BIN_EXE_ctx"),
                note.display()
            ),
        );
        place
    }

    fn program(&self, name: &str, script: &str) {
        let path = self.path.join("bin").join(name);
        fs::write(&path, format!("#!/bin/sh\n{script}\n")).expect("a program is written");
        fs::set_permissions(&path, fs::Permissions::from_mode(0o755)).expect("a mode is set");
    }

    /// Puts in place what examples read.
    fn furnish(&self) {
        for (name, script) in STAND_INS {
            self.program(name, script);
        }
        if Command::new("jq").arg("--version").output().is_err() {
            self.program("jq", "cat > /dev/null");
        }
        let chat = fs::read(root().join("testdata/openai/tools.json")).expect("test data");
        let session = fs::read(root().join(SESSION)).expect("test data");
        let claude = fs::read(root().join("testdata/anthropic/tools.json")).expect("test data");
        let folders = ["fixtures", ".claude/projects/tides", "testdata/sessions", "logs"];
        for folder in folders {
            fs::create_dir_all(self.path.join(folder)).expect("a directory is made");
        }
        for (name, bytes) in [
            ("chat.json", &chat),
            ("data.jsonl", &session),
            ("session.jsonl", &session),
            ("broken-session.jsonl", &session),
            ("logs/a.jsonl", &session),
            (".claude/projects/tides/one.jsonl", &session),
            (SESSION, &session),
            ("fixtures/one.json", &chat),
            ("fixtures/two.json", &claude),
        ] {
            fs::write(self.path.join(name), bytes).expect("a file is written");
        }
        fs::write(self.path.join("notes.md"), "The tests pass.\n").expect("a file is written");
    }

    fn shell(&self, script: &str) -> Command {
        let path = std::env::var("PATH").unwrap_or_default();
        let mut command = Command::new("sh");
        command
            .args(["-c", script])
            .env("PATH", format!("{}:{path}", self.path.join("bin").display()))
            .env("HOME", &self.path)
            .env("URL", "http://localhost/")
            .env_remove("CTX_MODEL")
            .stdin(Stdio::null());
        command
    }
}

/// The session that the README shows.
const SESSION: &str = "testdata/sessions/tides.jsonl";

impl Drop for Place {
    fn drop(&mut self) {
        let _ = fs::remove_dir_all(&self.path);
    }
}
