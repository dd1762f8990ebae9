//! What a compaction takes from a session log is somewhere: in the result, or in the archive.

use std::fs;
use std::path::{Path, PathBuf};

use context_compact::conversation::{Message, decode};
use context_compact::dialect::{self, Scope};
use context_compact::document::Document;

use crate::place::{Place, Ran, feed, run, session};

/// Dialects whose agents write logs.
const LOGS: [&str; 5] = ["claude-code", "codex", "pi", "gemini-cli", "opencode"];

/// Shares of what a log counts, in per cent.
const BUDGETS: [usize; 3] = [20, 50, 80];

fn logs() -> Vec<PathBuf> {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("testdata");
    let entries = LOGS.iter().flat_map(|name| fs::read_dir(root.join(name)).expect("a directory"));
    let paths = entries.map(|entry| entry.expect("an entry").path());
    let is_log = |path: &PathBuf| path.extension().is_some_and(|ending| ending != "txt");
    let mut logs: Vec<PathBuf> = paths.filter(is_log).chain([session()]).collect();
    logs.sort();
    logs
}

/// The lines of a log that are in no message, as they stand.
fn lines_beside(text: &[u8]) -> Vec<String> {
    let document = Document::parse(text).expect("JSON");
    let shape = dialect::recognise(document.values(), None).expect("a dialect");
    let source = dialect::sources(&document, shape.layout).remove(0);
    let log = decode(shape.dialect, source, Scope::Live);
    let is_told = |unit: &usize| {
        // A record of a compaction has messages within it.
        let line = log.source.units[*unit].json.source();
        let has = |message: &Message<'_>| line.contains(message.json.source());
        log.messages.iter().any(|message| message.units.contains(unit) || has(message))
    };
    let beside = (0..log.source.units.len()).filter(|unit| !is_told(unit));
    beside.map(|unit| log.source.units[unit].json.source().to_owned()).collect()
}

fn tokens(place: &Place, name: &str) -> usize {
    let out = run(&mut place.ctx(["count", name])).printed();
    out.split(' ').next().and_then(|tokens| tokens.parse().ok()).expect("a number")
}

/// All that stands in the files of the archive.
fn archived(place: &Place) -> String {
    let run = run(&mut place.sh("cat kept/s/*.json kept/s/*.lines.jsonl 2>&1"));
    String::from_utf8(run.out).expect("UTF-8")
}

#[test]
fn every_line_beside_the_messages_is_in_the_result_or_in_the_archive() {
    let (mut compacted, mut saved) = (0, 0);
    for path in logs() {
        let text = fs::read(&path).expect("a log");
        let beside = lines_beside(&text);
        for share in BUDGETS {
            let place = Place::new("lost");
            place.write("log", &text);
            let budget = (tokens(&place, "log") * share / 100).to_string();
            let mut command = place.ctx(["compact", "-i", "--force", "--budget", &budget]);
            command.args(["--archive", "kept", "--session", "s", "--report", "report", "log"]);
            let ran = run(&mut command);
            if ran.code() != Some(0) {
                continue;
            }
            let result = String::from_utf8(place.read("log")).expect("UTF-8");
            let report = String::from_utf8(place.read("report")).expect("UTF-8");
            let archived = archived(&place);
            compacted += usize::from(result.as_bytes() != text);
            // What resuming requires to change is named.
            let mut changed =
                report.split("\"changed_lines\":[").nth(1).expect("a list").split(']');
            let changed =
                changed.next().expect("its end").split(',').filter_map(|n| n.parse().ok());
            let source = String::from_utf8_lossy(&text).into_owned();
            let lines: Vec<&str> = source.lines().collect();
            let changed: Vec<&str> = changed.map(|number: usize| lines[number - 1]).collect();
            for line in &beside {
                let name = path.display();
                let is_there = result.contains(line) || changed.contains(&line.as_str());
                let is_saved = !is_there && archived.contains(line);
                assert!(is_there || is_saved, "{name} at {share} %: {line}");
                saved += usize::from(is_saved);
            }
        }
    }
    assert!(compacted > 20 && saved > 20, "{compacted} compacted, {saved} lines saved");
}

const SIDE: &str = r#"{"type":"assistant","uuid":"side-1","parentUuid":null,"isSidechain":true,"sessionId":"s","message":{"role":"assistant","content":"aside"}}"#;

/// A session with a line that is no part of the conversation.
fn with_side_chain(place: &Place) -> String {
    let text = fs::read_to_string(session()).expect("a session");
    let mut lines: Vec<&str> = text.lines().collect();
    lines.insert(lines.len() / 4, SIDE);
    let text = lines.join("\n") + "\n";
    place.write("log.jsonl", &text);
    text
}

fn compact(place: &Place, more: &[&str]) -> Ran {
    let mut command = place.ctx(["compact", "--budget", "4k", "log.jsonl"]);
    run(command.env("SOURCE_DATE_EPOCH", "0").args(more))
}

#[test]
fn says_which_lines_go_and_where_they_are() {
    let place = Place::new("lost-said");
    let text = with_side_chain(&place);
    let one = "ctx: log.jsonl: 1 line that is no part of the conversation";
    let ran = compact(&place, &["--dry-run"]);
    assert!(
        ran.err.contains(&format!("{one} would be removed; --archive DIR saves it\n")),
        "{}",
        ran.err
    );
    let ran = compact(&place, &["--report", "report"]);
    assert!(ran.err.contains(&format!("{one} removed; --archive DIR saves it\n")), "{}", ran.err);
    let report = String::from_utf8(place.read("report")).expect("UTF-8");
    assert!(report.contains(r#""lines_removed":1,"archived_lines":null"#), "{report}");
    assert_eq!(compact(&place, &["-q"]).err, "");

    let ran = compact(&place, &["-i", "--archive", "kept", "--session", "s"]);
    let kept = "kept/s/compact-19700101T000000Z-1.lines.jsonl";
    let full = place.join(kept).display().to_string();
    assert!(ran.err.contains(&format!("{one} removed; saved in {full}\n")), "{}", ran.err);
    assert_eq!(place.read(kept), format!("{SIDE}\n").as_bytes());
    assert!(!place.read("log.jsonl").windows(6).any(|six| six == b"side-1"));

    // What is discarded leaves nothing behind.
    place.write("log.jsonl", &text);
    let ran =
        compact(&place, &["-q", "--archive", "none", "--session", "s", "--min-saving", "0.99"]);
    assert_eq!(ran.printed(), text);
    assert!(!place.join("none").exists());
}

#[test]
fn truncate_and_normalize_leave_what_is_no_part_of_the_conversation() {
    let place = Place::new("lost-shorter");
    let text = with_side_chain(&place);
    for arguments in [&["truncate", "--max-tokens", "99"][..], &["normalize"]] {
        let out = feed(&mut place.ctx(arguments), text.as_bytes()).printed();
        assert!(out.contains(SIDE), "{arguments:?}");
    }
    // Where it stood among what goes, it goes too.
    let ran = feed(&mut place.ctx(["truncate", "--budget", "4k"]), text.as_bytes());
    let is_there = ran.err.contains("no part of the conversation");
    assert_eq!(is_there, !String::from_utf8_lossy(&ran.out).contains(SIDE), "{}", ran.err);
}

#[test]
fn lines_that_can_t_be_saved_are_told_of_and_leave_nothing_behind() {
    let place = Place::new("lost-unsaved");
    let text = with_side_chain(&place);
    let in_the_way = place.join("kept/s/compact-19700101T000000Z-1.lines.jsonl");
    fs::create_dir_all(&in_the_way).expect("a directory");
    let archive = ["--archive", "kept", "--session", "s", "--report", "report"];
    let file = place.join("kept/s/compact-19700101T000000Z-1.json");

    let ran = compact(&place, &[&["-i"][..], &archive].concat());
    assert_eq!(ran.code(), Some(2));
    assert_eq!(place.read("log.jsonl"), text.as_bytes());
    assert!(!file.exists());

    let ran = compact(&place, &archive);
    assert_eq!(ran.code(), Some(0));
    assert!(ran.err.contains("could not archive to kept: "), "{}", ran.err);
    assert!(ran.err.contains("removed; could not be saved\n"), "{}", ran.err);
    assert!(file.exists());
    let report = String::from_utf8(place.read("report")).expect("UTF-8");
    assert!(report.contains(&format!("\"archive\":\"{}\"", file.display())), "{report}");
    assert!(report.contains(r#""archived_lines":null"#), "{report}");
}

#[test]
fn what_is_no_log_has_no_lines_to_lose() {
    let place = Place::new("lost-stray");
    let message = |number: usize| {
        let role = if number.is_multiple_of(2) { "user" } else { "assistant" };
        format!(
            r#"{{"role":"{role}","content":"message {number} of a long talk about the tides"}}"#
        )
    };
    let mut items: Vec<String> = (0..60).map(message).collect();
    items.insert(5, "5".to_owned());
    let text = format!("[{}]\n", items.join(",\n"));
    for arguments in [&["truncate", "--budget", "200"][..], &["compact", "--budget", "300"]] {
        let ran = feed(&mut place.ctx(arguments), text.as_bytes());
        assert_eq!(ran.code(), Some(0), "{}", ran.err);
        assert!(!ran.err.contains("no part of the conversation"), "{}", ran.err);
    }
}

#[test]
fn a_log_names_its_session() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("testdata");
    for (name, session) in [
        ("claude-code/parallel.jsonl", "00000000-0000-4000-8000-000000000001"),
        ("codex/rollout.jsonl", "s1"),
        ("codex/fork.jsonl", "s2"),
        ("codex/bare.jsonl", "s1"),
    ] {
        let text = fs::read(root.join(name)).expect("a log");
        let document = Document::parse(&text).expect("JSON");
        let shape = dialect::recognise(document.values(), None).expect("a dialect");
        let source = dialect::sources(&document, shape.layout).remove(0);
        assert_eq!(shape.dialect.session(&source).as_deref(), Some(session), "{name}");
    }
}

#[test]
fn what_an_earlier_compaction_left_goes_with_the_next() {
    let place = Place::new("lost-left");
    let text = fs::read_to_string(session()).expect("a session");
    place.write("log.jsonl", &text);
    run(&mut place.ctx(["compact", "-i", "--append", "--budget", "4k", "log.jsonl"])).printed();
    assert!(place.read("log.jsonl").starts_with(text.as_bytes()));
    // Lines that it keeps by name stand between those that nobody reads any more.
    let archive = ["--archive", "kept", "--session", "s"];
    let mut command = place.ctx(["compact", "-i", "--budget", "3k", "log.jsonl"]);
    run(command.args(archive)).printed();
    let result = String::from_utf8(place.read("log.jsonl")).expect("UTF-8");
    assert!(result.len() < text.len() / 2, "{} of {} bytes", result.len(), text.len());
    let saved = archived(&place);
    let messages = archived_lines(&place);
    for line in text.lines() {
        let is_there = result.contains(line) || saved.contains(line);
        let value: serde_json::Value = serde_json::from_str(line).expect("JSON");
        // The first line that stays hangs on the summary now, and the last has another size.
        let uuid = value["uuid"].as_str().unwrap_or("none");
        assert!(is_there || result.contains(uuid) || messages.contains(&value), "{line}");
    }
}

/// The removed messages that stand in the archive.
fn archived_lines(place: &Place) -> Vec<serde_json::Value> {
    let run = run(&mut place.sh("cat kept/s/*.json"));
    serde_json::from_slice(&run.out).expect("a list")
}
