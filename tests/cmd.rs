//! Transcripts of commands: `tests/cmd/<command>/<case>.md`, each in a copy of `<case>.in/`.
//!
//! `BLESS=1 cargo test --test cmd` writes what is printed now; read the difference. It refuses what another place would
//! have printed otherwise: a summary names its archive by the whole path, and a path has its tokens.

#[path = "transcript/mod.rs"]
mod transcript;

use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::sync::Mutex;
use std::sync::atomic::{AtomicUsize, Ordering};

/// The files in a folder, sorted; nothing if there is no such folder.
fn entries(folder: &Path) -> Vec<PathBuf> {
    let entries = fs::read_dir(folder).into_iter().flatten();
    let mut paths: Vec<_> = entries.map(|entry| entry.expect("an entry").path()).collect();
    paths.sort();
    paths
}

fn copy(from: &Path, to: &Path) {
    fs::create_dir_all(to).expect("a directory is made");
    for path in entries(from) {
        let target = to.join(path.file_name().expect("a name"));
        if path.is_dir() {
            copy(&path, &target);
        } else {
            fs::copy(&path, target).expect("a file is copied");
        }
    }
}

/// Runs a command in a case's directory: its status, and what it prints on both streams; nothing
/// where it shows what a hint says to do with `jq`, and there is none.
fn run(command: &str, place: &Path) -> transcript::Answer {
    if command.contains("jq ") && Command::new("jq").arg("--version").output().is_err() {
        return None;
    }
    let programs = Path::new(env!("CARGO_BIN_EXE_ctx")).parent().expect("a directory");
    let path = format!("{}:{}", programs.display(), std::env::var("PATH").unwrap_or_default());
    let output = Command::new("sh")
        .args(["-c", &format!("exec 2>&1\n{command}")])
        .current_dir(place)
        .env("PATH", path)
        .env_remove("CTX_MODEL")
        .stdin(Stdio::null())
        .output()
        .expect("a shell");
    Some((output.status.code(), String::from_utf8_lossy(&output.stdout).into_owned()))
}

/// Replays one case; answers a complaint if it differs.
fn replay(case: &Path, place: &Path) -> Option<String> {
    copy(&case.with_extension("in"), place);
    let text = fs::read_to_string(case).expect("a transcript");
    let found = transcript::replay(&text, &mut |command| run(command, place));
    if std::env::var_os("BLESS").is_some() {
        let elsewhere = place.join("of-another-length/4x7-Qz_9");
        copy(&case.with_extension("in"), &elsewhere);
        let again = transcript::replay(&text, &mut |command| run(command, &elsewhere));
        if again != found {
            return Some(format!("{}: prints what depends on its place", case.display()));
        }
        fs::write(case, found).expect("a transcript is written");
        return None;
    }
    if found == text {
        return None;
    }
    let lines = || found.lines().chain([""]).zip(text.lines().chain([""])).enumerate();
    let (line, (found, expected)) = lines().find(|(_, (a, b))| a != b).unwrap_or_default();
    Some(format!("{}:{}:\n- {expected}\n+ {found}", case.display(), line + 1))
}

#[test]
fn transcripts_are_true() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/cmd");
    let scratch = Path::new(env!("CARGO_TARGET_TMPDIR")).join("cmd");
    let _ = fs::remove_dir_all(&scratch);
    let files = entries(&root).into_iter().flat_map(|folder| entries(&folder));
    let cases: Vec<_> = files.filter(|path| path.extension().is_some_and(|e| e == "md")).collect();
    assert!(!cases.is_empty(), "there are transcripts");
    let next = AtomicUsize::new(0);
    let complaints = Mutex::new(Vec::new());
    std::thread::scope(|scope| {
        for _ in 0..std::thread::available_parallelism().map_or(2, Into::into) {
            scope.spawn(|| {
                while let Some(case) = cases.get(next.fetch_add(1, Ordering::Relaxed)) {
                    let place = case.strip_prefix(&root).expect("below the root");
                    let complaint = replay(case, &scratch.join(place.with_extension("")));
                    complaints.lock().expect("a list").extend(complaint);
                }
            });
        }
    });
    let complaints = complaints.into_inner().expect("a list");
    assert!(complaints.is_empty(), "{}\nBLESS=1 writes them anew", complaints.join("\n\n"));
}
