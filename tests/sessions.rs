//! Real sessions, compacted in every profile: valid as before, within budget, the same every time.
//!
//! Not run by default, for logs are not part of this project:
//! `CTX_LOGS=DIR cargo test --release --test sessions -- --ignored --nocapture`.

#[path = "logs/mod.rs"]
mod logs;

use std::fs;
use std::io::Write;
use std::path::Path;
use std::process::{Command, Output, Stdio};
use std::sync::Mutex;
use std::sync::atomic::{AtomicUsize, Ordering};

use context_compact::profile::PROFILES;
use logs::logs;

/// Budgets, in per cent of what a file counts.
const SHARES: [usize; 3] = [10, 25, 50];

/// Tokens from which on a refusal is a surprise.
const LONG: usize = 10_000;

fn ctx(arguments: &[&str], input: &[u8]) -> Output {
    let mut command = Command::new(env!("CARGO_BIN_EXE_ctx"));
    command.args(arguments).env_remove("CTX_MODEL");
    command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
    let mut child = command.spawn().expect("ctx");
    let mut stdin = child.stdin.take().expect("a pipe");
    std::thread::scope(|scope| {
        scope.spawn(move || stdin.write_all(input));
        child.wait_with_output().expect("an end")
    })
}

/// What a text counts.
fn tokens(text: &[u8]) -> Option<usize> {
    let out = ctx(&["count"], text);
    String::from_utf8_lossy(&out.stdout).split_whitespace().next()?.parse().ok()
}

/// The one conversation of a file: its size, and whether it is valid.
fn conversation(text: &[u8]) -> Option<(usize, bool)> {
    let out = ctx(&["check", "--json"], text);
    let said = String::from_utf8_lossy(&out.stdout).into_owned();
    let mut lines = said.lines();
    let value: serde_json::Value = serde_json::from_str(lines.next()?).ok()?;
    if lines.next().is_some() {
        return None;
    }
    let size = usize::try_from(value["tokens"].as_u64()?).ok()?;
    Some((size, value["valid"].as_bool()?))
}

#[derive(Default)]
struct Tried {
    results: usize,
    refused: usize,
    refused_long: usize,
    complaints: Vec<String>,
}

/// Compacts one file to one budget; complains about what is not as promised.
fn attempt(text: &[u8], name: &str, profile: &str, share: usize, tried: &mut Tried) {
    let Some((before, is_valid)) = conversation(text) else { return };
    let budget = (before * share / 100).to_string();
    let arguments = ["compact", "-q", "--force", "--budget", &budget, "--profile", profile];
    let out = ctx(&arguments, text);
    let mut complain = |what: &str| {
        tried.complaints.push(format!("{name}, {profile} at {share} %: {what}"));
    };
    if !out.status.success() {
        let said = String::from_utf8_lossy(&out.stderr).into_owned();
        let least: Option<usize> =
            said.split("--budget ").nth(1).and_then(|rest| rest.trim().parse().ok());
        match least {
            Some(least) if least > before * share / 100 => {
                let least = least.to_string();
                let arguments =
                    ["compact", "-q", "--force", "--budget", &least, "--profile", profile];
                let again = ctx(&arguments, text);
                if !again.status.success() {
                    complain(&format!("the least budget {least} does not do: {said}"));
                }
            }
            _ => complain(&said),
        }
        tried.refused += 1;
        tried.refused_long += usize::from(before >= LONG);
        return;
    }
    tried.results += 1;
    if tokens(&out.stdout).is_none_or(|after| after > before * share / 100) {
        complain(&format!("over the budget of {budget}"));
    }
    let valid = ctx(&["check", "--only", "valid"], &out.stdout);
    if is_valid && !valid.status.success() {
        complain(&String::from_utf8_lossy(&valid.stdout));
    }
    if ctx(&arguments, text).stdout != out.stdout {
        complain("not the same twice");
    }
    if ctx(&arguments, &out.stdout).stdout != out.stdout {
        complain("changes again");
    }
}

#[test]
#[ignore = "needs logs; the head of the file says how to run it"]
fn sessions_compact_in_every_profile() {
    let Some(folder) = std::env::var_os("CTX_LOGS") else { return };
    let paths = logs(Path::new(&folder));
    let next = AtomicUsize::new(0);
    let all = Mutex::new(Tried::default());
    std::thread::scope(|scope| {
        for _ in 0..2 {
            scope.spawn(|| {
                while let Some(path) = paths.get(next.fetch_add(1, Ordering::Relaxed)) {
                    let text = fs::read(path).expect("a file");
                    let name = path.display().to_string();
                    let mut tried = Tried::default();
                    for profile in PROFILES {
                        for share in SHARES {
                            attempt(&text, &name, profile.name, share, &mut tried);
                        }
                    }
                    let mut all = all.lock().expect("a list");
                    all.results += tried.results;
                    all.refused += tried.refused;
                    all.refused_long += tried.refused_long;
                    all.complaints.extend(tried.complaints);
                }
            });
        }
    });
    let all = all.into_inner().expect("a list");
    let (files, results, refused, long) = (paths.len(), all.results, all.refused, all.refused_long);
    let line =
        format!("{files} files, {results} results, {refused} refused for size ({long} long)");
    writeln!(std::io::stdout(), "{line}").expect("standard output");
    assert!(all.complaints.is_empty(), "{}", all.complaints.join("\n"));
}
