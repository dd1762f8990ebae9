//! Pipes, terminals and full devices.

use std::fs::{self, File, OpenOptions};
use std::io::Read;
use std::process::Stdio;

use crate::place::{CHAT, Place, feed, long_chat, run, session, skip};

/// Conversations, one a line, each with a fault: more of them than a pipe holds findings of.
fn faulty_data_set() -> String {
    let line = r#"{"messages":[{"role":"user","content":"hi"},{"role":"tool","tool_call_id":"lost","content":"x"}]}"#;
    format!("{line}\n").repeat(2000)
}

/// Every command on something large, and the status it ends with.
fn large_jobs(place: &Place) -> Vec<(Vec<&'static str>, i32)> {
    place.write("faulty.jsonl", faulty_data_set());
    fs::copy(session(), place.join("session.jsonl")).expect("a copy");
    vec![
        (vec!["count", "--json", "faulty.jsonl"], 0),
        (vec!["check", "faulty.jsonl"], 1),
        (vec!["partition", "--keep-tail", "1k", "session.jsonl"], 0),
        (vec!["truncate", "-q", "--max-tokens", "none", "session.jsonl"], 0),
        (vec!["normalize", "-q", "session.jsonl"], 0),
        (vec!["compact", "-q", "session.jsonl"], 0),
    ]
}

#[test]
fn a_reader_that_goes_away_is_no_error() {
    let place = Place::new("closed-pipe");
    for (arguments, status) in large_jobs(&place) {
        let mut command = place.ctx(&arguments);
        let mut child =
            command.stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().expect("it runs");
        let mut reader = child.stdout.take().expect("a pipe");
        reader.read_exact(&mut [0]).expect("a byte");
        drop(reader);
        let output = child.wait_with_output().expect("it ends");
        let err = String::from_utf8_lossy(&output.stderr);
        assert_eq!((output.status.code(), &*err), (Some(status), ""), "{arguments:?}");
    }
}

#[test]
fn a_full_device_is_trouble() {
    let place = Place::new("full-device");
    let Ok(_) = File::open("/dev/full") else { return skip("there is no /dev/full") };
    let told = ["help", "--help", "--version", "count --help"];
    let told = told.map(|line| line.split(' ').collect::<Vec<_>>());
    let jobs = large_jobs(&place).into_iter().map(|(arguments, _)| arguments);
    for arguments in jobs.chain(told) {
        let full = OpenOptions::new().write(true).open("/dev/full").expect("a device");
        let ran = run(place.ctx(&arguments).stdout(full));
        let err = ran.trouble();
        let lines = err.lines().filter(|line| !line.starts_with("hint: "));
        let lines: Vec<&str> = lines.collect();
        let is_it = |line: &&str| line.contains("could not write standard output: No space left");
        assert!(lines.len() == 1 && is_it(&lines[0]), "{arguments:?} {err}");
    }
}

#[test]
fn nothing_is_said_to_be_done_on_a_full_device() {
    let place = Place::new("full-device-done");
    let Ok(_) = File::open("/dev/full") else { return skip("there is no /dev/full") };
    fs::copy(session(), place.join("session.jsonl")).expect("a copy");
    let orphan = r#"{"role": "tool", "tool_call_id": "c", "content": "late"}"#;
    place.write("chat.json", format!(r#"[{{"role": "user", "content": "hi"}}, {orphan}]"#));
    for line in [
        "compact --force --budget 1k session.jsonl",
        "truncate --max-tokens 50 session.jsonl",
        "normalize chat.json",
        "compact --force --budget 1k -o /dev/full session.jsonl",
    ] {
        let full = OpenOptions::new().write(true).open("/dev/full").expect("a device");
        let err = run(place.ctx(line.split(' ')).stdout(full)).trouble();
        assert!(err.lines().count() == 1 && err.contains("could not write"), "{line}: {err}");
    }
}

#[test]
fn a_report_that_can_not_be_written_is_trouble() {
    let place = Place::new("full-report");
    let Ok(_) = File::open("/dev/full") else { return skip("there is no /dev/full") };
    fs::copy(session(), place.join("session.jsonl")).expect("a copy");
    for report in ["-", "/dev/full"] {
        let line = format!("compact -q --budget 4k --report {report} session.jsonl");
        let full = OpenOptions::new().write(true).open("/dev/full").expect("a device");
        let ran = run(place.ctx(line.split(' ')).stderr(full));
        assert_eq!((ran.code(), ran.out.is_empty()), (Some(2), false), "{report}");
    }
}

#[test]
fn the_output_may_be_a_device_or_a_pipe_with_a_name() {
    let place = Place::new("named-output");
    place.write("chat.json", long_chat());
    let to = |out: &str| run(&mut place.ctx(["truncate", "-q", "-o", out, "chat.json"]));
    assert_eq!(to("/dev/null").printed(), "");
    assert_eq!(to("/dev/stdout").printed(), to("-").printed());
    let appended =
        run(&mut place.sh("echo one > out; $ctx normalize -o /dev/stdout chat.json >> out"));
    assert_eq!(appended.printed(), "");
    assert!(place.read("out").starts_with(b"one\n"), "what was written before stays");
    if File::open("/dev/full").is_ok() {
        let err = to("/dev/full").trouble();
        assert!(err.contains("could not write /dev/full: No space left"), "{err}");
    }
}

#[test]
fn a_terminal_has_nothing_to_read() {
    let place = Place::new("terminal");
    if run(place.sh("script --version").stdin(Stdio::null())).code() != Some(0) {
        return skip("there is no script(1) to make a terminal");
    }
    for name in ["count", "check", "partition", "truncate", "normalize", "compact"] {
        let script = format!("script -qec \"$ctx {name} >out 2>err\" /dev/null </dev/null");
        let ran = run(&mut place.sh(&script));
        assert_eq!(ran.code(), Some(2), "{name}");
        assert_eq!(place.read("out"), b"");
        let err = String::from_utf8(place.read("err")).expect("UTF-8");
        assert!(err.contains(&format!("Usage: ctx {name} ")), "{err}");
        assert!(err.contains("Examples:"), "{err}");
    }
}

#[test]
fn a_terminal_does_not_obey_a_conversation() {
    let place = Place::new("escapes");
    if run(&mut place.sh("script --version")).code() != Some(0) {
        return skip("there is no script(1) to make a terminal");
    }
    let hostile =
        r#"[{"role": "user", "content": "\u001b]0;owned\u0007 red\u009b31m \u202eevil"}]"#;
    place.write("chat.json", hostile);
    let count = "\"$ctx\" count --by turn chat.json";
    let ran = run(&mut place.sh(&format!("script -qec '{count}' /dev/null")));
    let shown = String::from_utf8_lossy(&ran.out);
    assert!(shown.contains("\\u{1b}]0;owned\\u{7} red\\u{9b}31m \\u{202e}evil"), "{shown}");
    let piped = run(&mut place.sh(&format!("{count} | cat"))).printed();
    assert!(piped.contains("\u{1b}]0;owned\u{7}"), "{piped}");
}

#[test]
fn no_command_is_bad_usage() {
    let place = Place::new("usage");
    let bad: [&[&str]; 5] = [
        &[],
        &["shrink"],
        &["truncate", "-i"],
        &["count", "--nope"],
        &["compact", "-i", "-o", "x", "y"],
    ];
    for arguments in bad {
        let ran = feed(&mut place.ctx(arguments), CHAT.as_bytes());
        assert_eq!((ran.code(), &ran.out[..]), (Some(2), &b""[..]), "{arguments:?}");
        assert!(ran.err.contains("Usage: ctx"), "{}", ran.err);
    }
}

#[test]
fn standard_input_has_several_names() {
    let place = Place::new("stdin");
    let chat = place.write("chat.json", CHAT);
    for arguments in [&["normalize"][..], &["normalize", "-"], &["normalize", "/dev/stdin"]] {
        let ran = feed(&mut place.ctx(arguments), CHAT.as_bytes());
        assert_eq!(ran.printed(), CHAT, "{arguments:?}");
        let file = File::open(&chat).expect("a file");
        assert_eq!(run(place.ctx(arguments).stdin(file)).printed(), CHAT, "{arguments:?}");
    }
    assert_eq!(
        run(&mut place.sh("mkfifo p && { cat chat.json > p & } && \"$ctx\" normalize p")).printed(),
        CHAT
    );
}

#[test]
fn a_pipe_is_opened_when_there_is_something_to_write() {
    let place = Place::new("late-pipe");
    place.write("chat.json", CHAT);
    // Nobody reads: a run that opened the pipe would wait forever.
    let wrong = "mkfifo p && timeout 20 \"$ctx\" compact --model none -o p chat.json";
    let err = run(&mut place.sh(wrong)).trouble();
    assert!(err.contains("unknown model \"none\""), "{err}");
    let err = run(&mut place.sh("timeout 20 \"$ctx\" normalize -o p missing.json")).trouble();
    assert!(err.contains("ctx: missing.json: could not open"), "{err}");
    // A reader who waits is not left waiting by a run that fails.
    let failed = "{ { sleep 0.3; \"$ctx\" normalize -o p missing.json 2>/dev/null; } & } && timeout 20 cat p";
    assert_eq!(run(&mut place.sh(failed)).printed(), "");
    let read = "{ timeout 20 \"$ctx\" normalize -o p chat.json & } && timeout 20 cat p";
    assert_eq!(run(&mut place.sh(read)).printed(), CHAT);
}

#[test]
fn names_may_be_odd() {
    use std::ffi::OsStr;
    use std::os::unix::ffi::OsStrExt;
    let place = Place::new("names");
    place.write("-n", CHAT);
    assert_eq!(run(&mut place.ctx(["normalize", "--", "-n"])).printed(), CHAT);
    let latin = OsStr::from_bytes(b"caf\xe9.json");
    place.write(latin, long_chat());
    let shortened = run(place.ctx(["truncate", "-q", "--max-tokens", "99"]).arg(latin)).printed();
    let ran = run(place.ctx(["truncate", "-q", "-i", "--max-tokens", "99"]).arg(latin));
    assert_eq!(ran.printed(), "");
    assert_eq!(place.read(latin), shortened.as_bytes());
    let long = format!("{}.json", "n".repeat(250));
    place.write(&long, long_chat());
    run(&mut place.ctx(["truncate", "-i", "--max-tokens", "99", &long])).printed();
    assert_eq!(place.read(&long), shortened.as_bytes());
    let counted = run(place.ctx(["count"]).arg(latin));
    assert!(String::from_utf8_lossy(&counted.out).contains("caf\u{fffd}.json"));
}

#[test]
fn a_name_has_no_control_characters_but_in_json() {
    let place = Place::new("control-names");
    let name = "x\u{1b}[31m\nred\u{7f} é.jsonl";
    let shown = "x\\u{1b}[31m\\nred\\u{7f} é.jsonl";
    fs::copy(session(), place.join(name)).expect("a copy");
    for line in ["count", "check --threshold 10k"] {
        let ran = run(place.ctx(line.split(' ')).arg(name));
        let out = String::from_utf8(ran.out).expect("UTF-8");
        assert!(out.lines().next().is_some_and(|row| row.contains(shown)), "{line}: {out}");
    }
    for line in ["compact --budget 4k", "compact --budget 1", "truncate --budget 1"] {
        let err = run(place.ctx(line.split(' ')).arg(name)).err;
        assert!(err.starts_with(&format!("ctx: {shown}: ")), "{line}: {err}");
    }
    let missing = run(&mut place.ctx(["count", "no\nfile"])).trouble();
    assert!(missing.starts_with("ctx: no\\nfile: could not open"), "{missing}");
    let object = run(&mut place.ctx(["count", "--json", name])).printed();
    let object: serde_json::Value = serde_json::from_str(&object).expect("JSON");
    assert_eq!(object["file"], name);
}

#[test]
fn the_output_is_never_the_input() {
    let place = Place::new("same");
    for redirection in [
        "normalize chat.json > chat.json",
        "normalize chat.json >> chat.json",
        "normalize < chat.json >> chat.json",
        "normalize - < chat.json 1<> chat.json",
        "count /dev/stdin < chat.json 1<> chat.json",
    ] {
        place.write("chat.json", CHAT);
        let ran = run(&mut place.sh(&format!("\"$ctx\" {redirection}")));
        let err = ran.trouble();
        assert!(err.contains("is the input and the output"), "{redirection}: {err}");
        assert!(err.contains("hint: write with -i"), "{redirection}: {err}");
        if !redirection.contains(" > ") {
            assert_eq!(place.read("chat.json"), CHAT.as_bytes(), "{redirection}");
        }
    }
}
