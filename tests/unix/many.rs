//! Many conversations at once: in order, in constant memory, and a bad one stops no other file.

use std::fmt::Write as _;
use std::fs;
use std::io::Write as _;
use std::process::Stdio;

use crate::place::{Place, long_chat, run, skip};

/// A data set of so many conversations, each with a number, a result of its own length and a fault.
fn data_set(conversations: usize) -> String {
    let mut lines = String::new();
    for number in 0..conversations {
        let result = format!("line of {number}\\n").repeat(20 + number * 7919 % 400);
        let _ = writeln!(
            lines,
            r#"{{"messages":[{{"role":"user","content":"number {number}"}},{{"role":"assistant","content":null,"tool_calls":[{{"id":"c","type":"function","function":{{"name":"ls","arguments":"{{}}"}}}}]}},{{"role":"tool","tool_call_id":"c","content":"{result}"}},{{"role":"tool","tool_call_id":"lost","content":"x"}},{{"role":"user","content":"and now?"}}]}}"#
        );
    }
    lines
}

#[test]
fn several_jobs_print_what_one_prints() {
    let place = Place::new("jobs");
    // More than one piece of a data set, and more than one file.
    place.write("large.jsonl", data_set(700));
    place.write("small.jsonl", data_set(20));
    place.write("chat.json", long_chat());
    let model = ["compact", "--budget", "120", "--command", "echo and so many: && grep -c number"];
    for (arguments, set) in [
        (&["truncate", "--max-tokens", "100"][..], "large.jsonl"),
        (&["normalize"], "large.jsonl"),
        (&["compact", "--budget", "120", "--report", "report.json"], "large.jsonl"),
        (&model, "small.jsonl"),
    ] {
        let mut outcomes = Vec::new();
        for jobs in ["1", "5"] {
            let files = ["--jobs", jobs, set, "chat.json", set];
            let mut ran = run(place.ctx(arguments).args(files));
            // What is about to be sent is said at once, and the rest in its turn.
            let is_in_turn = |line: &&str| !line.contains(": summarising ");
            ran.err = ran.err.lines().filter(is_in_turn).collect::<Vec<_>>().join("\n");
            let report = fs::read(place.join("report.json")).unwrap_or_default();
            outcomes.push((ran, report));
        }
        assert_eq!(outcomes[0].0.code(), Some(0), "{arguments:?}");
        assert!(outcomes[0] == outcomes[1], "{arguments:?}");
        assert!(outcomes[0].0.err.lines().count() > 20, "each is told of");
    }
}

#[test]
fn a_byte_that_is_no_text_is_named_from_the_beginning_of_the_file() {
    let place = Place::new("bad-byte");
    let before = data_set(900);
    let mut set = before.clone().into_bytes();
    set.extend_from_slice(b"{\"messages\":[{\"role\":\"user\",\"content\":\"\xff\"}]}\n");
    set.extend_from_slice(before.as_bytes());
    let byte = set.iter().position(|byte| *byte == 0xff).expect("it is there");
    place.write("set.jsonl", set);
    let ran = run(place.ctx(["count"]).arg("set.jsonl"));
    let column = byte - before.len() + 1;
    let expected = format!("ctx: set.jsonl:901:{column}: not UTF-8 (byte {byte})\n");
    assert!(ran.err.starts_with(&expected), "{}", ran.err);
}

#[test]
fn a_bad_line_ends_its_file_and_no_other() {
    let place = Place::new("bad-line");
    let (good, bad) = (data_set(900), data_set(900).replace("\"number 700\"", "\"number 700"));
    place.write("good.jsonl", &good);
    place.write("bad.jsonl", &bad);
    let line = bad.lines().position(|line| line.contains("\"number 700}")).expect("a line") + 1;
    for in_place in [false, true] {
        let mut command = place.ctx(["normalize", "-q", "--jobs", "4"]);
        if in_place {
            command.arg("-i");
        }
        let ran = run(command.args(["bad.jsonl", "good.jsonl", "none.jsonl"]));
        assert_eq!(ran.code(), Some(2));
        let complaints: Vec<&str> =
            ran.err.lines().filter(|line| !line.starts_with("hint: ")).collect();
        assert!(complaints[0].starts_with(&format!("ctx: bad.jsonl:{line}:")), "{}", ran.err);
        assert!(complaints[1].starts_with("ctx: none.jsonl: could not open"), "{}", ran.err);
        assert_eq!(complaints.len(), 2);
        if in_place {
            assert_eq!(place.read("bad.jsonl"), bad.as_bytes());
            assert!(!String::from_utf8_lossy(&place.read("good.jsonl")).contains("lost"));
        } else {
            assert!(String::from_utf8_lossy(&ran.out).contains("number 899"));
        }
    }
    assert_eq!(place.names(), ["bad.jsonl", "good.jsonl"]);
}

#[test]
fn a_place_in_a_data_set_is_said() {
    let place = Place::new("places");
    place.write("set.jsonl", data_set(3));
    let err = run(&mut place.ctx(["compact", "--budget", "10", "set.jsonl"])).trouble();
    assert!(err.starts_with("ctx: set.jsonl:1: "), "{err}");
    let err = run(&mut place.ctx(["normalize", "--strict", "set.jsonl"])).trouble();
    assert!(err.starts_with("ctx: set.jsonl:1: "), "{err}");
}

#[test]
fn memory_does_not_grow_with_the_data_set() {
    let place = Place::new("memory");
    let mut command = place.ctx(["normalize", "-q", "--jobs", "4"]);
    let mut child = command.stdin(Stdio::piped()).stdout(Stdio::null()).spawn().expect("it runs");
    let mut stdin = child.stdin.take().expect("a pipe");
    let status = format!("/proc/{}/status", child.id());
    let set = data_set(2000);
    // That a data set begins shows late where its second line is long.
    let long = data_set(1).replace("line of", &"line of ".repeat(20_000));
    stdin.write_all((data_set(1) + &long).as_bytes()).expect("it reads");
    let mut peaks = Vec::new();
    for megabytes in [16, 48] {
        for _ in 0..megabytes * 1_000_000 / set.len() {
            stdin.write_all(set.as_bytes()).expect("it reads");
        }
        let status = fs::read_to_string(&status).unwrap_or_default();
        let peak = status.lines().find_map(|line| line.strip_prefix("VmHWM:"));
        let peak = peak.and_then(|peak| peak.trim().strip_suffix(" kB"));
        peaks.extend(peak.map(|peak| peak.trim().parse::<usize>().expect("a number")));
    }
    drop(stdin);
    assert!(child.wait().expect("it ends").success());
    let [small, large] = peaks[..] else { return skip("there is no /proc") };
    assert!(large < small + 16_000, "{small} and {large} kB");
}

#[cfg(target_os = "linux")]
#[test]
fn a_run_that_is_killed_while_it_writes_leaves_nothing() {
    use rustix::fs::{Mode, OFlags, open};

    let place = Place::new("killed-run");
    if open(place.path(), OFlags::TMPFILE | OFlags::WRONLY, Mode::RUSR).is_err() {
        return skip("the file system has no files without a name");
    }
    let mut command = place.ctx(["normalize", "-q", "-o", "out.jsonl"]);
    let mut child = command.stdin(Stdio::piped()).spawn().expect("it runs");
    let mut stdin = child.stdin.take().expect("a pipe");
    let (set, files) = (data_set(1000), format!("/proc/{}/fd", child.id()));
    let mut is_begun = false;
    for _ in 0..40 {
        stdin.write_all(set.as_bytes()).expect("it reads");
        let mut open = fs::read_dir(&files).into_iter().flatten().flatten();
        is_begun |= open
            .any(|file| fs::read_link(file.path()).is_ok_and(|it| it.starts_with(place.path())));
    }
    child.kill().expect("it is killed");
    child.wait().expect("it ends");
    assert!(is_begun);
    assert_eq!(place.names(), [""; 0]);
}

#[test]
fn what_would_not_be_read_back_from_one_output_is_refused() {
    let place = Place::new("one-output");
    let chat = "{\"role\":\"user\",\"content\":\"Hello\"}\n{\"role\":\"assistant\",\"content\":\"Yes?\"}\n";
    place.write("chat.jsonl", chat);
    place.write("set.jsonl", data_set(2));
    place.write("torn.jsonl", data_set(2) + "{\"messages\":[{\"ro");
    let shared = |files: &[&str]| run(place.ctx(["normalize", "-q"]).args(files));

    let ran = shared(&["chat.jsonl", "chat.jsonl"]);
    let expected =
        "ctx: chat.jsonl: is one conversation in many lines, which can't share its output";
    assert_eq!((ran.code(), ran.out.len()), (Some(2), 0));
    assert!(ran.err.starts_with(expected), "{}", ran.err);

    let ran = shared(&["torn.jsonl", "set.jsonl"]);
    assert_eq!(ran.code(), Some(2));
    assert!(ran.err.starts_with("ctx: torn.jsonl: the last line breaks off"), "{}", ran.err);
    assert_eq!(shared(&["set.jsonl", "torn.jsonl"]).code(), Some(0));
    assert_eq!(shared(&["set.jsonl", "set.jsonl"]).code(), Some(0));
}
