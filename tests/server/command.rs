//! The command and the file: what they may do wrong, and that nothing is left running.

use std::fs;
use std::path::PathBuf;
use std::process::{Command, Stdio};
use std::thread;
use std::time::{Duration, Instant};

use context_compact::summarizer::{
    Cause, Failure, Fault, Notes, Notice, Reason, Settings, Source, Stage, Summary,
};

use super::loopback::{excerpt, limits, run};

fn settings(source: Source) -> Settings {
    Settings { source, prompt: None, instructions: None, limits: limits() }
}

fn command(line: &str) -> (Result<Summary, Failure>, Vec<Notice>) {
    run(&settings(Source::Command(line.into())), &[excerpt(0, 20_000)])
}

fn temporary(name: &str) -> PathBuf {
    std::env::temp_dir().join(format!("ctx-server-{}-{name}", std::process::id()))
}

/// Tells whether the process whose id stands in the file still runs.
fn runs(path: &PathBuf) -> bool {
    let id = fs::read_to_string(path).expect("an id");
    let probe = Command::new("kill").args(["-0", id.trim()]).stderr(Stdio::null()).status();
    let zombie = fs::read_to_string(format!("/proc/{}/stat", id.trim()))
        .is_ok_and(|stat| stat.contains(") Z "));
    probe.expect("kill").success() && !zombie
}

fn waits_for(condition: impl Fn() -> bool) -> bool {
    let end = Instant::now() + Duration::from_secs(5);
    while Instant::now() < end {
        if condition() {
            return true;
        }
        thread::sleep(Duration::from_millis(10));
    }
    false
}

#[test]
fn the_prompt_is_on_stdin_and_the_summary_on_stdout() {
    let (result, said) =
        command("cat > /dev/null; echo '<analysis>hm</analysis><summary>the work</summary>'");
    let summary = result.unwrap();
    assert_eq!((&*summary.text, summary.attempts), ("the work", 1));
    assert_eq!(said[0].to_string(), "summarising 1 message with the command");
    let summary = command("grep -c TEXT.ONLY").0.unwrap();
    assert_eq!(summary.text, "2");
}

#[test]
fn a_command_that_does_not_read_is_no_error() {
    assert_eq!(command("echo the work").0.unwrap().text, "the work");
    assert_eq!(command("exec 0<&-; sleep 0.1; echo the work").0.unwrap().text, "the work");
}

#[test]
fn its_stderr_is_passed_on() {
    let (result, said) = command("echo loading >&2; printf 'no newline' >&2; echo the work");
    result.unwrap();
    assert_eq!(said[1..], [Notice::Stderr("loading".into()), Notice::Stderr("no newline".into())]);
}

#[test]
fn of_an_endless_stderr_only_both_ends_are_passed_on() {
    let (result, said) = command("seq 100000 >&2; echo the work");
    assert_eq!(result.unwrap().text, "the work");
    let line = |number: usize| Notice::Stderr(number.to_string());
    assert_eq!((&said[1], &said[1000]), (&line(1), &line(1000)));
    assert_eq!(said[1001], Notice::Stderr("… 98900 lines left out".into()));
    assert_eq!((&said[1002], said.last()), (&line(99_901), Some(&line(100_000))));

    is_given_up_in_time("yes >&2".into());
}

/// Runs a command that would go on for ever, and sees to it that it does not.
fn is_given_up_in_time(line: String) {
    let mut settings = settings(Source::Command(line));
    settings.limits.answer = Duration::from_millis(300);
    settings.limits.retries = 0;
    let start = Instant::now();
    let failure = run(&settings, &[excerpt(0, 5)]).0.unwrap_err();
    assert!(matches!(failure.reason, Reason::Wait { .. }), "{failure:?}");
    assert!(start.elapsed() < Duration::from_secs(2));
}

#[test]
fn its_failures_are_told_apart() {
    for (line, reason, attempts) in [
        ("exit 3", Reason::Command("exited with status 3".into()), 3),
        ("kill -9 $$", Reason::Command("was killed by a signal".into()), 3),
        ("true", Reason::Answer(Fault::Empty), 3),
        ("echo; echo", Reason::Answer(Fault::Empty), 3),
        ("printf '\\377'", Reason::Answer(Fault::NotUtf8), 3),
        ("yes", Reason::Answer(Fault::TooLarge), 3),
        (
            "no-such-command-here",
            Reason::Final {
                cause: Cause::Command,
                text: "command exited with status 127: could not be run".into(),
            },
            1,
        ),
    ] {
        let failure = command(line).0.unwrap_err();
        assert_eq!((failure.reason, failure.attempts), (reason, attempts), "{line}");
    }
    let failure =
        command("echo 'prompt is too long: 9 tokens > 8 maximum' >&2; exit 1").0.unwrap_err();
    assert!(matches!(failure.reason, Reason::Overflow(_)), "{failure:?}");
}

#[test]
fn a_command_that_works_the_second_time_works() {
    let path = temporary("second");
    let line =
        format!("if test -e {0}; then echo the work; else touch {0}; exit 1; fi", path.display());
    let summary = command(&line).0.unwrap();
    assert_eq!((&*summary.text, summary.attempts), ("the work", 2));
    fs::remove_file(path).unwrap();
}

#[test]
fn a_timeout_ends_the_whole_group() {
    let path = temporary("timeout");
    is_given_up_in_time(format!(
        "sleep 1000 | cat & sleep 1000 & echo $! > {}; wait",
        path.display()
    ));
    assert!(waits_for(|| !runs(&path)), "the sleeper is still there");
    fs::remove_file(path).unwrap();
}

#[test]
fn a_child_that_keeps_the_output_open_is_not_waited_for() {
    let start = Instant::now();
    assert_eq!(command("echo the work; sleep 1000 &").0.unwrap().text, "the work");
    assert!(start.elapsed() < Duration::from_secs(4));
}

#[test]
fn a_file_is_taken_as_it_is() {
    let path = temporary("notes");
    fs::write(&path, "<summary>the notes</summary>").unwrap();
    let (result, said) = run(&settings(Source::File(Notes::at(&path))), &[excerpt(4, 5)]);
    let summary = result.unwrap();
    assert_eq!(
        (&*summary.text, summary.attempts, summary.requests[0].stage),
        ("the notes", 0, Stage::File)
    );
    assert_eq!(said, []);
    for text in ["", " \n", &"word ".repeat(1000)] {
        fs::write(&path, text).unwrap();
        let failure =
            run(&settings(Source::File(Notes::at(&path))), &[excerpt(4, 5)]).0.unwrap_err();
        assert!(failure.reason.to_string().starts_with("could not use "), "{failure}");
    }
    fs::remove_file(&path).unwrap();
    assert!(run(&settings(Source::File(Notes::at(path))), &[excerpt(4, 5)]).0.is_err());
}

/// Plays the process that is interrupted, when [`an_interrupt_ends_the_whole_group`] starts it.
#[test]
fn interrupted() {
    if let Ok(path) = std::env::var("CTX_TEST_INTERRUPTED") {
        let line = format!("sleep 1000 & echo $! > {path}.new; mv {path}.new {path}; wait");
        let _ = command(&line);
        // The signal may end the command before it ends this process.
        thread::sleep(Duration::from_secs(10));
    }
}

#[test]
fn an_interrupt_ends_the_whole_group() {
    for signal in ["INT", "TERM"] {
        let path = temporary(signal);
        let mut victim = Command::new(std::env::current_exe().unwrap())
            .args(["--exact", "command::interrupted"])
            .env("CTX_TEST_INTERRUPTED", &path)
            .stdout(Stdio::null())
            .spawn()
            .unwrap();
        assert!(waits_for(|| path.exists()), "it did not start");
        let id = victim.id().to_string();
        assert!(
            Command::new("kill").args([&format!("-{signal}"), &id]).status().unwrap().success()
        );
        let status = victim.wait().unwrap();
        assert_eq!(status.code(), None, "it died of the signal");
        assert!(waits_for(|| !runs(&path)), "the sleeper is still there");
        fs::remove_file(path).unwrap();
    }
}
