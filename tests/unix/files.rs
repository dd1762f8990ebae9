//! Replacing files, and files beside the result.

use std::fs::{self, File, Permissions};
use std::os::unix::fs::{MetadataExt, PermissionsExt, chown, symlink};
use std::os::unix::process::{CommandExt, ExitStatusExt};
use std::process::{Command, Stdio};
use std::thread::sleep;
use std::time::{Duration, Instant};

use crate::place::{CHAT, Place, feed, long_chat, run, session, skip};

const SHORTEN: [&str; 4] = ["truncate", "-q", "--max-tokens", "99"];

/// The long conversation, shortened.
fn shortened(place: &Place) -> Vec<u8> {
    let out = feed(&mut place.ctx(SHORTEN), long_chat().as_bytes()).printed();
    assert!(out.len() < long_chat().len() / 10);
    out.into_bytes()
}

/// Whether we may do everything, as in a container.
fn is_root(place: &Place) -> bool {
    fs::metadata(place.path()).expect("a directory").uid() == 0
}

#[test]
fn a_file_is_replaced_by_what_stdout_would_get() {
    let place = Place::new("in-place");
    let path = place.write("chat.json", long_chat());
    symlink("chat.json", place.join("link.json")).expect("a link");
    fs::set_permissions(&path, Permissions::from_mode(0o640)).expect("a mode");
    if is_root(&place) {
        chown(&path, Some(12345), Some(54321)).expect("an owner");
    }
    let before = fs::metadata(&path).expect("metadata");
    let ran = run(place.ctx(SHORTEN).args(["-i", "link.json"]));
    assert_eq!(ran.printed(), "");
    assert_eq!(place.read("chat.json"), shortened(&place));
    assert_eq!(place.names(), ["chat.json", "link.json"]);
    assert!(fs::symlink_metadata(place.join("link.json")).expect("metadata").is_symlink());
    let after = fs::metadata(&path).expect("metadata");
    assert_eq!(
        (after.mode(), after.uid(), after.gid()),
        (before.mode(), before.uid(), before.gid())
    );
}

#[test]
fn a_link_to_what_is_not_there_yet_stays_one() {
    let place = Place::new("dangling");
    fs::create_dir(place.join("there")).expect("a directory");
    symlink("there/second", place.join("first")).expect("a link");
    symlink("chat.json", place.join("there/second")).expect("a link");
    let ran = feed(place.ctx(SHORTEN).args(["-o", "first"]), long_chat().as_bytes());
    assert_eq!(ran.printed(), "");
    assert_eq!(place.read("there/chat.json"), shortened(&place));
    assert!(fs::symlink_metadata(place.join("first")).expect("metadata").is_symlink());
    assert!(fs::symlink_metadata(place.join("there/second")).expect("metadata").is_symlink());
}

#[test]
fn a_file_without_edits_is_not_written() {
    let place = Place::new("no-edits");
    let path = place.write("chat.json", CHAT);
    let before = fs::metadata(&path).expect("metadata");
    for command in ["truncate", "normalize", "compact"] {
        assert_eq!(run(&mut place.ctx([command, "-i", "chat.json"])).printed(), "");
    }
    let after = fs::metadata(&path).expect("metadata");
    assert_eq!((after.ino(), after.mtime_nsec()), (before.ino(), before.mtime_nsec()));
    assert_eq!(place.names(), ["chat.json"]);
}

#[test]
fn several_files_are_replaced_and_a_bad_one_is_not() {
    let place = Place::new("several");
    for name in ["a.json", "c.json"] {
        place.write(name, long_chat());
    }
    place.write("b.json", "{\"messages\": [\n  tru]}");
    let ran = run(place.ctx(SHORTEN).args(["-i", "a.json", "b.json", "missing.json", "c.json"]));
    let err = ran.trouble();
    assert!(err.contains("ctx: b.json:2:"), "{err}");
    assert!(
        err.contains("ctx: missing.json: could not open: No such file or directory\n"),
        "{err}"
    );
    assert_eq!(place.read("a.json"), shortened(&place));
    assert_eq!(place.read("b.json"), b"{\"messages\": [\n  tru]}");
    assert_eq!(place.read("c.json"), shortened(&place));
    assert_eq!(place.names(), ["a.json", "b.json", "c.json"]);

    let ran = run(&mut place.ctx(["normalize", "a.json", "b.json", "c.json"]));
    assert_eq!((ran.code(), ran.out), (Some(2), shortened(&place).repeat(2)));
}

#[test]
fn what_is_no_file_is_not_replaced() {
    let place = Place::new("no-file");
    fs::create_dir(place.join("folder")).expect("a directory");
    for name in ["folder", "/dev/null", "missing.json", "-"] {
        let err = feed(place.ctx(SHORTEN).args(["-i", name]), CHAT.as_bytes()).trouble();
        assert_eq!(err.lines().next().map(|line| line.starts_with("ctx: ")), Some(true), "{err}");
    }
    assert_eq!(place.names(), ["folder"]);
}

#[test]
fn a_read_only_directory_is_said_and_left() {
    let place = Place::new("read-only");
    fs::create_dir(place.join("shut")).expect("a directory");
    place.write("shut/chat.json", long_chat());
    fs::set_permissions(place.join("shut"), Permissions::from_mode(0o555)).expect("a mode");
    let mut command = place.ctx(SHORTEN);
    command.args(["-i", "shut/chat.json"]).stdout(Stdio::piped()).stderr(Stdio::piped());
    if is_root(&place) {
        // To the superuser nothing is read-only.
        command.uid(65534).gid(65534);
    }
    let Ok(child) = command.spawn() else { return skip("nobody may run the program") };
    let output = child.wait_with_output().expect("it ends");
    let err = String::from_utf8_lossy(&output.stderr);
    assert_eq!(output.status.code(), Some(2), "{err}");
    assert!(
        err.contains("ctx: shut/chat.json: could not write: Permission denied\nhint: "),
        "{err}"
    );
    assert_eq!(place.read("shut/chat.json"), long_chat().as_bytes());
    fs::set_permissions(place.join("shut"), Permissions::from_mode(0o755)).expect("a mode");
}

#[test]
fn output_goes_to_a_file() {
    let place = Place::new("output");
    place.write("chat.json", long_chat());
    let ran = run(place.ctx(SHORTEN).args(["-o", "short.json", "chat.json"]));
    assert_eq!(ran.printed(), "");
    assert_eq!(place.read("short.json"), shortened(&place));
    assert_eq!(place.read("chat.json"), long_chat().as_bytes());

    let ran = run(place.ctx(SHORTEN).args(["-o", "-", "chat.json"]));
    assert_eq!(ran.printed().into_bytes(), shortened(&place));

    place.write("bad.json", "nonsense");
    for args in [&["-o", "short.json"][..], &["-q", "-o", "short.json"]] {
        let ran = run(place.ctx(["truncate"]).args(args).args(["chat.json", "bad.json"]));
        assert!(ran.trouble().contains("ctx: short.json: not written\n"), "{args:?}");
    }
    assert_eq!(place.read("short.json"), shortened(&place));

    let err = run(&mut place.ctx(["truncate", "-o", "none/short.json", "chat.json"])).trouble();
    assert!(
        err.contains("ctx: none/short.json: could not write: No such file or directory\n"),
        "{err}"
    );

    // The output may be the input: it is read to its end before it is replaced.
    let ran = run(place.ctx(SHORTEN).args(["-o", "chat.json", "chat.json"]));
    assert_eq!(ran.printed(), "");
    assert_eq!(place.read("chat.json"), shortened(&place));
    assert_eq!(place.names(), ["bad.json", "chat.json", "short.json"]);
}

#[test]
fn a_new_file_has_the_usual_mode() {
    let place = Place::new("mode");
    let script = "umask 027; echo '[]' | \"$ctx\" truncate --dialect openai -o new.json";
    run(&mut place.sh(script)).printed();
    assert_eq!(fs::metadata(place.join("new.json")).expect("metadata").mode() & 0o777, 0o640);
}

/// Whether the tests themselves ignore a signal, as in the background of a script: what they start does too.
fn is_ignored(number: i32) -> bool {
    let status = fs::read_to_string("/proc/self/status").unwrap_or_default();
    let mask = status.lines().find_map(|line| line.strip_prefix("SigIgn:")).unwrap_or_default();
    u64::from_str_radix(mask.trim(), 16).is_ok_and(|mask| mask >> (number - 1) & 1 == 1)
}

#[test]
fn an_interrupt_leaves_the_file_as_it_was() {
    let place = Place::new("interrupt");
    let before = fs::read(session()).expect("a session");
    place.write("session.jsonl", &before);
    let signals = [("INT", 2), ("TERM", 15), ("HUP", 1)];
    for (name, number) in signals.into_iter().filter(|(_, number)| !is_ignored(*number)) {
        // The archive is there before anybody is asked, and goes again.
        let wait = "cat > /dev/null; ls kept/s > begun; sleep 60";
        let mut command = place.ctx(["compact", "-i", "--budget", "4k", "--command", wait]);
        command.args(["--archive", "kept", "--session", "s", "session.jsonl"]);
        let mut child = command.stderr(Stdio::null()).spawn().expect("it runs");
        let late = Instant::now() + Duration::from_secs(30);
        while fs::read(place.join("begun")).unwrap_or_default().is_empty() && Instant::now() < late
        {
            sleep(Duration::from_millis(10));
        }
        signal(name, child.id());
        let status = child.wait().expect("it ends");
        assert_eq!(status.signal(), Some(number));
        assert_eq!(place.read("session.jsonl"), before);
        assert!(place.read("begun").starts_with(b"compact-"));
        assert_eq!(place.names(), ["begun", "session.jsonl"]);
        fs::remove_file(place.join("begun")).expect("it was there");
    }
}

#[test]
#[cfg(target_os = "linux")]
fn a_hangup_that_nohup_has_ignored_stays_ignored() {
    let place = Place::new("nohup");
    place.write("session.jsonl", fs::read(session()).expect("a session"));
    // The process that sends the signal is the summarizer.
    let work = "cat > /dev/null; kill -HUP $PPID; sleep 0.1; echo The tides were checked by the harbour master.";
    let script = format!(
        "trap '' HUP; exec \"$ctx\" compact -q --budget 4k --command '{work}' session.jsonl"
    );
    assert!(run(&mut place.sh(&script)).printed().contains("harbour master"));
}

fn signal(name: &str, process: u32) {
    let script = format!("kill -{name} {process}");
    let status = Command::new("sh").args(["-c", &script]).stderr(Stdio::null()).status();
    status.expect("a shell");
}

#[test]
fn a_killed_run_leaves_a_whole_file() {
    let place = Place::new("killed");
    let old = long_chat().into_bytes();
    let new = shortened(&place);
    for delay in 0..60 {
        place.write("chat.json", &old);
        let mut command = place.ctx(SHORTEN);
        let mut child = command.args(["-i", "chat.json"]).spawn().expect("it runs");
        sleep(Duration::from_micros(delay * 700));
        child.kill().expect("it is killed");
        child.wait().expect("it ends");
        let found = place.read("chat.json");
        assert!(found == old || found == new, "{} bytes", found.len());
        for name in place.names().iter().filter(|name| *name != "chat.json") {
            assert!(name.starts_with(".chat.json.ctx-"), "{name}");
        }
        assert!(place.names().len() <= 2 + usize::try_from(delay).expect("small"));
    }
    // What was left behind is in nobody's way.
    place.write("chat.json", &old);
    run(place.ctx(SHORTEN).args(["-i", "chat.json"])).printed();
    assert_eq!(place.read("chat.json"), new);
}

#[test]
fn what_goes_is_archived_for_its_owner_alone() {
    let place = Place::new("archive");
    let compact = |session: &str, epoch: &str| {
        let mut command = place.ctx(["compact", "-q", "--budget", "4k", "--archive", "kept"]);
        command.args(["--command", "echo It was an hour off."]).args(["--session", session]);
        command.env("SOURCE_DATE_EPOCH", epoch).arg(self::session());
        command
    };
    let first = run(&mut compact("../s", "1771315200")).printed();
    let name = "kept/.._s/compact-20260217T080000Z-1.json";
    assert!(first.contains(name), "the summary names {name}");
    let metadata = fs::metadata(place.join(name)).expect("the archive");
    assert_eq!(metadata.mode() & 0o777, 0o600);
    assert!(place.read(name).starts_with(b"[\n  {\n    \""));
    let second = run(&mut compact("../s", "1771315200")).printed();
    assert!(second.contains(&name.replace("-1.", "-2.")));

    let children: Vec<_> = (0..6)
        .map(|_| compact("race", "0").stdout(Stdio::null()).spawn().expect("it runs"))
        .collect();
    for mut child in children {
        assert!(child.wait().expect("it ends").success());
    }
    let mut names: Vec<_> = fs::read_dir(place.join("kept/race"))
        .expect("a directory")
        .map(|entry| entry.expect("an entry").file_name().into_string().expect("UTF-8"))
        .collect();
    names.sort();
    let expected = (1..=6).map(|number| format!("compact-19700101T000000Z-{number}.json"));
    assert_eq!(names, expected.collect::<Vec<_>>());
}

#[test]
fn an_archive_that_can_not_be_written_is_a_warning() {
    let place = Place::new("no-archive");
    place.write("kept", "");
    let mut command = place.ctx(["compact", "--budget", "4k", "--archive", "kept"]);
    let ran = run(command.arg(session()));
    assert!(ran.err.contains("could not archive to kept"), "{}", ran.err);
    assert!(!ran.printed().is_empty());
}

#[test]
fn nothing_is_written_in_a_dry_run() {
    let place = Place::new("dry-run");
    let mut command = place.ctx(["compact", "-n", "--budget", "4k", "--archive", "kept"]);
    let ran = run(command.args(["--report", "report.json", "-i"]).arg(session()));
    assert!(ran.err.contains("would be compacted"), "{}", ran.err);
    assert_eq!(ran.printed(), "");
    assert_eq!(place.names(), ["report.json"]);
    assert!(File::open(place.join("report.json")).is_ok());
}

#[test]
fn a_dry_run_counts_the_name_of_the_archive() {
    let place = Place::new("dry-archive");
    let told = |more: &[&str]| {
        let mut command = place.ctx(["compact", "--budget", "4k", "--archive", "kept"]);
        command.args(["--session", "s"]).args(more).env("SOURCE_DATE_EPOCH", "0").arg(session());
        let err = run(&mut command).err;
        let line = err.lines().find(|line| line.ends_with(" tokens") && line.contains("->"));
        line.expect("a line").replace("would be ", "")
    };
    assert_eq!(told(&["-n"]), told(&["-o", "short.jsonl"]));
    let short = String::from_utf8(place.read("short.jsonl")).expect("UTF-8");
    assert!(short.contains("The messages themselves are in "), "{short}");
}

#[test]
fn a_result_that_has_no_room_on_the_disk_leaves_no_file() {
    let place = Place::new("spill-full");
    place.write("chat.json", long_chat());
    // A bound on the size of files stands for a disk that is full.
    let full = "trap '' XFSZ; ulimit -f 16";
    let spill = "truncate -q --tool-budget 2k --spill kept chat.json";
    let err = run(&mut place.sh(&format!("{full}; \"$ctx\" {spill}"))).trouble();
    assert!(err.contains("could not write a result to "), "{err}");
    assert!(!place.join("kept").exists());
    run(&mut place.sh(&format!("\"$ctx\" {spill}"))).printed();
    let names = fs::read_dir(place.join("kept")).expect("a directory");
    let names: Vec<_> = names.map(|entry| entry.expect("an entry").file_name()).collect();
    assert_eq!(names, ["c1.txt"]);
    assert_eq!(fs::metadata(place.join("kept/c1.txt")).expect("a file").mode() & 0o777, 0o600);
}
