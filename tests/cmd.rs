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

/// What the descriptions of this system ask for, row by row, and the transcripts that show it.
const SEEDS: &[(&str, &[&str])] = &[
    (
        "000: write-time truncation, markers, line header, policies",
        &["truncate/seed-000-write-time"],
    ),
    ("000: overflow errors; recover by removing the oldest", &["compact/seed-000-overflow"]),
    ("000: removal keeps pairs", &["truncate/seed-000-pairs"]),
    ("000: user messages, newest first; summaries excluded", &["compact/seed-000-user-messages"]),
    ("000: system + users + summary + protected tools", &["compact/seed-000-profile-codex"]),
    ("000: what was saved; warning after repetition", &["compact/seed-000-report"]),
    ("000: three strategies", &["truncate/seed-000-strategies"]),
    ("001: UC-001, F-002 from the threshold on", &["compact/seed-001-uc-001-threshold"]),
    ("001: UC-002 again and again", &["compact/seed-001-uc-002-again"]),
    ("001: UC-003 ask only", &["check/seed-001-uc-003-detect"]),
    ("001: UC-004 offload first", &["compact/seed-001-uc-004-offload"]),
    ("001: UC-005, F-007 failures", &["compact/seed-001-failure"]),
    ("001: F-001 tokens", &["count/seed-001-token-count"]),
    ("001: F-003 partition", &["partition/seed-001-partition"]),
    ("001: F-004, F-005 summary, assembled", &["compact/seed-001-head-tail"]),
    (
        "001: F-006 the originals are saved",
        &["compact/seed-001-f-006-archive", "compact/seed-001-archive-fails"],
    ),
    ("001: F-008 statistics", &["compact/seed-001-f-008-statistics"]),
    ("002: spill", &["compact/seed-002-spill"]),
    ("002: snip, micro, and their order", &["compact/seed-002-snip", "truncate/seed-002-ladder"]),
    ("002: a summary alone", &["compact/seed-002-profile-claude-code"]),
    ("002: idle", &["truncate/seed-002-idle"]),
    ("002: breaker", &["compact/seed-002-breaker"]),
    ("002: transcript first", &["compact/seed-002-transcript-first"]),
    (
        "002: nine sections, analysis",
        &["compact/seed-002-nine-sections", "compact/seed-002-analysis"],
    ),
    ("002: files restored", &["compact/seed-002-restore"]),
    ("002: unchanged reads", &["compact/seed-002-unchanged-read"]),
    ("002: memory file", &["compact/seed-002-memory-file"]),
    ("003: soft and hard limits", &["compact/seed-003-hard-limit"]),
    ("003: prompt file", &["compact/seed-003-prompt"]),
    ("003: recent users and results", &["compact/seed-003-recent"]),
    ("003: environment blocks", &["compact/seed-003-environment"]),
    ("003: oldest trimmed and retried", &["compact/seed-003-oldest-trimmed"]),
    ("003: tool calls refused", &["compact/seed-003-tool-calls"]),
    ("003: events and metadata", &["compact/seed-003-events"]),
    (
        "004: first message with the summary, last six, alternation",
        &["compact/seed-004-profile-anchor", "compact/seed-004-again"],
    ),
    ("004: previews", &["compact/seed-004-previews"]),
    ("004: fallback", &["compact/seed-004-fallback"]),
    ("004: kill switch", &["compact/seed-004-kill-switch"]),
    ("004: transparency", &["compact/seed-004-transparency"]),
    ("004: stages and merge", &["compact/seed-004-stages"]),
    ("004: oversized messages", &["compact/seed-004-oversized"]),
    ("004: window guard", &["check/seed-004-window-guard"]),
    ("004: reserve", &["compact/seed-004-reserve"]),
];

#[test]
fn each_row_of_the_seeds_has_its_transcript() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/cmd");
    for (row, transcripts) in SEEDS {
        for name in *transcripts {
            assert!(root.join(name).with_extension("md").is_file(), "{row}: no {name}");
        }
    }
    let files = entries(&root).into_iter().flat_map(|folder| entries(&folder));
    let is_named = |path: &PathBuf| {
        let name = path.strip_prefix(&root).expect("below the root").with_extension("");
        SEEDS.iter().any(|(_, names)| names.iter().any(|own| Path::new(own) == name))
    };
    let of_seeds = files.filter(|path| {
        let name = path.file_name().unwrap_or_default().to_string_lossy();
        name.starts_with("seed-") && name.ends_with(".md")
    });
    let unnamed: Vec<PathBuf> = of_seeds.filter(|path| !is_named(path)).collect();
    assert!(unnamed.is_empty(), "{unnamed:?} show no row");
}
