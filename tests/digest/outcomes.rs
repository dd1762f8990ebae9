//! How commands and calls ended, what failed, and what fixed it.

use crate::script::{Digest, Script, digested, work};

#[test]
fn a_program_that_a_tool_takes_as_a_text_was_run() {
    let script = Script::default().user("How far are two random points apart?");
    let script = script.calls("python", "total = integrate(distance)\nprint(total)", "0.3333");
    let script = script.assistant("A third, for the integral of the distance is 1/3.");
    let text = script.user("Now draw it.").digest(200);
    assert!(text.contains("$ total = integrate(distance) print(total) → ok: 0.3333"), "{text}");
    assert!(text.contains("A third, for the integral"), "{text}");
}

#[test]
fn a_script_whose_tests_failed_did_not_go_well() {
    let result = "running 3 tests\ntest result: FAILED. 2 passed; 1 failed\nsaved the log";
    let script = Script::default().user("Run it.").runs("./run.sh fast", result);
    let text = script.runs("cat old.log", result).user("Go on.").digest(300);
    assert!(text.contains("$ ./run.sh fast → failed: test result: FAILED. 2 passed"), "{text}");
    assert!(!text.contains("$ cat old.log → failed"), "{text}");
}

#[test]
fn what_may_be_an_error_is_told_without_a_claim() {
    let script = Script::default().user("Light it.");
    let script = script.runs("lamp burn", "burning\nCould not reach the wick");
    let first = script.runs("lamp fill", "lamp: no oil").user("Go on.").digest(300);
    let again = Script::after(&first).assistant("I look.").user("And now?").digest(300);
    for text in [&first, &again] {
        assert!(text.contains("$ lamp burn → unclear: Could not reach the wick ["), "{text}");
        assert!(text.contains("$ lamp fill → unclear: lamp: no oil ["), "{text}");
    }
}

#[test]
fn what_an_editor_refuses_was_not_changed() {
    let edit = r#"{"path":"/w/lexer.rs","old_string":"let a = 1;","new_string":"let a = 2;"}"#;
    let refused =
        "No replacement was performed, old_string `let a = 1;` did not appear in lexer.rs.";
    let script = Script::default().user("Make a two.").calls("edit_file", edit, refused);
    let script = script.runs("sh tools/apply.sh", "begun\nKilled");
    let text = script.assistant("It is not there.").user("Look again.").digest(300);
    assert!(!text.contains("lexer.rs: edited") && !text.contains("let a = 2"), "{text}");
    assert!(
        text.contains("edit_file /w/lexer.rs failed: ") && !text.contains("failed in"),
        "{text}"
    );
    assert!(text.contains("$ sh tools/apply.sh → failed: Killed"), "{text}");
}

#[test]
fn an_open_failure_stays_and_the_others_are_counted() {
    let run = |command: &str| format!(r#"{{"command":"{command}"}}"#);
    let check = |script: Script, name: &str, end: &str| {
        let command = run(&format!("pytest tests/test_{name}.py"));
        let script = script.calls("bash", &command, &format!("1 failed: {name} is off by one"));
        let edit = format!(r#"{{"path":"/w/{name}.py","old_string":"a","new_string":"b"}}"#);
        let script = script.calls("edit_file", &edit, "ok");
        if end.is_empty() { script } else { script.calls("bash", &command, end) }
    };
    let mut text = String::new();
    for round in 0..4 {
        let mut script = Script::default();
        script = if round == 0 {
            check(script.user("Mend all."), "never", "")
        } else {
            script.says("user", &text).user("Go on.")
        };
        for at in 0..12 {
            script = check(script, &format!("r{round}_{at}"), "3 passed in 0.2s");
        }
        text = script.user("And now?").digest(500);
        let section = text.split("## Failures").nth(1).expect("there are some");
        assert!(section.contains("`pytest tests/test_never.py` failed: 1 failed: never"), "{text}");
        let told =
            section.lines().filter(|line| line.starts_with("- [") && line.contains("` failed: "));
        let more =
            section.lines().find_map(|line| line.strip_prefix("- and ")?.split_once(" more"));
        let (more, _) = more.expect("some are counted");
        assert_eq!(told.count() + more.parse::<usize>().unwrap(), 1 + 12 * (round + 1), "{text}");
    }
}

#[test]
fn what_did_not_run_is_not_counted() {
    let run = "cargo test upload";
    let refused = "The user doesn't want to proceed with this tool use.";
    let script = work().runs(run, refused);
    let script = script.runs(run, "<tool_use_error>Sibling tool call errored");
    let text = script.user("Go on.").digest(600);
    assert!(text.contains("$ cargo test upload ×2 → failed [3], then ok: "), "{text}");
}

#[test]
fn what_came_to_no_end_neither_failed_nor_passed() {
    let run = r#"{"command":"cargo test slow"}"#;
    let stopped = work().calls("exec", run, "aborted by user after 33.4s");
    let text = stopped.user("Go on.").digest(600);
    assert!(text.contains("$ cargo test slow → interrupted ["), "{text}");
    assert!(!text.contains("`cargo test slow` failed"), "{text}");

    let goes_on = "Wall time: 1.0 seconds\nProcess running with session ID 246\nOutput:\n";
    let running = work().calls("exec", run, goes_on);
    let text = running.user("Go on.").digest(600);
    assert!(text.contains("$ cargo test slow → still running as 246 ["), "{text}");

    let first = text;
    let ended = "Process exited with code 101\nOutput:\nerror: no such test";
    let running = work().calls("exec", run, goes_on);
    let waited = running.calls("write_stdin", r#"{"session_id":246,"chars":""}"#, ended);
    let text = waited.user("Go on.").digest(600);
    assert!(text.contains("$ cargo test slow → failed (exit 101): error: no such test"), "{text}");

    // After a compaction too, by the number of the process.
    let ended = "Process exited with code 0\nOutput:\ntest result: ok. 4 passed; 0 failed";
    let poll = |number: u32, said: &str| {
        let poll = format!(r#"{{"session_id":{number},"chars":""}}"#);
        let script = Script::after(&first).calls("write_stdin", &poll, said);
        script.assistant("It has come to an end.").user("Go on.").digest(600)
    };
    let text = poll(246, ended);
    assert!(text.contains("$ cargo test slow → ok") && !text.contains("still running"), "{text}");
    for (number, said) in [(24, ended), (246, goes_on)] {
        let text = poll(number, said);
        assert!(text.contains("$ cargo test slow → still running as 246 ["), "{text}");
    }
}

#[test]
fn what_a_process_said_on_the_way_is_told_of_its_command() {
    let run = r#"{"command":"cargo fetch"}"#;
    let poll = r#"{"session_id":246,"chars":""}"#;
    let goes_on = "Wall time: 1.0 seconds\nProcess running with session ID 246\nOutput:\n";
    let said = format!("{goes_on}error: could not resolve host: example.org\n");
    let script = work().calls("exec", run, goes_on).calls("write_stdin", poll, &said);
    let script = script.calls("write_stdin", poll, goes_on);
    let running = script.assistant("It waits.").user("Go on.").digest(600);
    let wanted =
        "$ cargo fetch → still running as 246: error: could not resolve host: example.org [";
    assert!(running.contains(wanted), "{running}");
    let script = work().calls("exec", run, goes_on).calls("write_stdin", poll, &said);
    let ended = "Process exited with code 101\nOutput:\n";
    let text = script.calls("write_stdin", poll, ended).user("Go on.").digest(600);
    assert!(text.contains("failed (exit 101): error: could not resolve host"), "{text}");
}

#[test]
fn a_check_is_the_same_alone_and_among_others() {
    let lint = "src/clock.rs:3:1: unused result of close";
    let script = work().runs("make lint", &format!("Exit code 2\n{lint}"));
    let script = script.edits("clock.rs", "a()", "b()");
    let script = script.runs("make test && make lint", "12 passed\n0 issues.");
    let script = script.runs("git merge origin/main", "Merge made by ort");
    let text = script.user("Go on.").digest(900);
    assert!(text.contains("→ fixed by editing clock.rs: `a()` → `b()` → passed [17]"), "{text}");
    let checks = text.lines().find(|line| line.contains("The last checks")).unwrap_or_default();
    assert!(
        checks.ends_with(
            "`make test && make lint` → ok: 0 issues. [17], then `git merge origin/main` [19]"
        ),
        "{text}"
    );
    assert!(!checks.contains("`make lint` →"), "{text}");
}

#[test]
fn a_check_that_is_written_otherwise_is_the_same() {
    let told = |failed: &str, passed: &str| {
        let log =
            "F...\nFAILED tests/test_orders.py::test_index - assert 1 == 2\n1 failed, 3 passed";
        let script = Script::default().user("Fix the orders.").runs(failed, log);
        let script = script.edits("orders.py", "a()", "b()").edits("cart.py", "c()", "d()");
        let script = script.runs(passed, "....\n4 passed in 0.4s");
        script.assistant("I look further.").user("Go on.").digest(600)
    };
    let failed = "python -m pytest tests/test_orders.py -q";
    for passed in [
        "timeout 60 python -m pytest tests/test_orders.py -q",
        "PYTHONPATH=. python -m pytest tests/test_orders.py -q",
        "python3 -m pytest tests/test_orders.py",
        "uv run pytest tests/test_orders.py",
        "pytest tests",
    ] {
        let text = told(failed, passed);
        assert!(text.contains(" → passed [7]"), "{passed}: {text}");
    }
    for passed in [
        // Nobody says where the session began.
        "cd /home/me/app && python -m pytest tests/test_orders.py -q",
        "python -m pytest /home/me/web/tests/test_orders.py",
        "python -m pytest tests/test_orders.py -k 'not index'",
        "python -m pytest tests --ignore tests/test_orders.py",
        "python -m pytest tests -m 'not slow'",
        "python -m pytest tests/test_cart.py",
        "python -m pytest tests/test_orders.py || true",
    ] {
        let text = told(failed, passed);
        assert!(!text.contains(" → passed ["), "{passed}: {text}");
    }
    assert!(told("cargo test orders", "cargo test").contains(" → passed [7]"));
    assert!(!told("cargo test", "cargo test orders").contains(" → passed ["));
}

#[test]
fn a_test_that_was_made_to_expect_what_it_got_was_not_fixed() {
    let run = "go test ./...";
    let log = "Exit code 1\n--- FAIL: TestA (0.01s)\nupload_test.go:41: got 3, want 4";
    let edit = |file: &str| {
        format!(
            r#"{{"path":"/home/me/app/{file}","old_string":"want := 4","new_string":"want := 3"}}"#
        )
    };
    let script = work().runs(run, log).calls("edit_file", &edit("upload_test.go"), "ok");
    let script = script.runs(run, "ok  \ta/b\t0.1s");
    let text = script.user("And now?").digest(700);
    let wanted = "→ test changed in upload_test.go: `want := 4` → `want := 3` → passed [";
    assert!(text.contains(wanted), "{text}");
    let script = work().runs(run, log);
    let script = ["a_test.go", "b_test.go", "upload_test.go", "z_test.go"]
        .iter()
        .fold(script, |script, file| script.calls("edit_file", &edit(file), "ok"));
    let script = script.calls("edit_file", &edit("upload.go"), "ok");
    let text = script.runs(run, "ok  \ta/b\t0.1s").user("So?").digest(700);
    let wanted = "→ fixed by editing upload.go: `want := 4` → `want := 3`; 4 more files → passed";
    assert!(text.contains(wanted), "{text}");
}

#[test]
fn unlike_commands_stay_apart_and_what_is_quoted_parts_none() {
    let way = "cd /home/me/app/with/a/long/way/down/to/where/it/all/is/kept";
    let run = |what: &str| format!(r#"{{"command":"{way} && node {what}.js"}}"#);
    let script = work().calls("bash", &run("first"), "Exit code 1\nError: no port");
    let script = script.calls("bash", &run("second"), "listening");
    let script = script.runs("grep -n 'a|b' src/upload.rs", "Exit code 1");
    let text = script.user("Go on.").digest(600);
    assert!(
        text.contains("/where/it/all/is/kept && node first.js` failed: Error: no port\n"),
        "{text}"
    );
    assert!(text.contains("ran `grep -n 'a|b' src/upload.rs` → ok: nothing found"), "{text}");
    assert!(!text.contains("`grep -n 'a|b' src/upload.rs` failed"), "{text}");
    assert!(text.contains("node second.js → ok: listening"), "{text}");
}

#[test]
fn an_edit_by_the_shell_fixes_too() {
    let run = "make check";
    let script = work().runs(run, "Exit code 2\nsrc/clock.rs:3:1: no such field");
    let script = script.runs("sed -i 's/a b/c/' src/clock.rs", "");
    let script = script.runs(run, "12 passed");
    let text = script.user("Go on.").digest(600);
    assert!(text.contains("`make check` failed: "), "{text}");
    assert!(text.contains("→ fixed by editing clock.rs → passed"), "{text}");
}

#[test]
fn the_last_checks_stand_with_what_was_changed_behind_them() {
    let edit = r#"{"path":"/home/me/app/src/clock.rs","old_string":"a()","new_string":"b()"}"#;
    let text = work().user("Go on.").digest(900);
    let checked = "The last checks: `cargo test upload` → ok: 4 passed [8]";
    assert!(text.contains(&format!("{checked}\n")) || text.ends_with(checked), "{text}");
    // A check behind another command is one too.
    let script = work().calls("edit_file", edit, "ok");
    let script = script.runs("git pull && cargo clippy", "Exit code 101\nerror: bad");
    let script = script.runs("cargo build", "");
    let script = script.runs("tar czf x.tgz build", "");
    let text = script.user("Go on.").digest(900);
    let wanted = format!(
        "{checked}, then changed clock.rs; `cargo clippy` → failed (exit 101): error: bad [15]; \
         `cargo build` → ok [17]"
    );
    assert!(text.contains(&wanted), "{text}");
    // The line stays until other checks ran.
    let second = Script::after(&text).user("And the clock?");
    let text = second.calls("edit_file", edit, "ok").user("Good.").digest(900);
    assert!(text.contains("`cargo build` → ok [1.17], then changed clock.rs"), "{text}");
}

#[test]
fn a_check_without_a_status_ended_as_its_own_words_say() {
    for (run, said) in [
        ("pytest", "FAILED tests/test_a.py::test_one\n1 failed, 3 passed in 0.12s"),
        ("go test ./...", "--- FAIL: TestA (0.00s)\nFAIL\nFAIL\ta/b\t0.1s"),
        ("cargo test -q", "test result: FAILED. 3 passed; 1 failed; 0 ignored"),
        ("./gradlew test", "> Task :test FAILED\nBUILD FAILED in 12s"),
        ("python -m unittest", "Ran 3 tests in 0.1s\n\nFAILED (failures=1)"),
    ] {
        let script = work().calls("bash", &format!(r#"{{"command":"{run}"}}"#), said);
        let text = script.user("Go on.").digest(900);
        assert!(text.contains(&format!("$ {run} → failed: ")), "{run}: {text}");
    }
    let script = work().runs("pytest", "4 passed in 0.12s");
    assert!(script.user("Go on.").digest(900).contains("$ pytest → ok: 4 passed"));
}

#[test]
fn a_check_of_other_code_is_another_check() {
    let run = |command: &str| format!(r#"{{"command":"{command}"}}"#);
    let script = work().runs("make check", "Exit code 2\nsrc/a.rs:3:1: no such field");
    let aside = run("git stash && make check; git stash pop");
    let script = script.calls("bash", &aside, "Exit code 0\nfine");
    let text = script.user("Go on.").digest(900);
    assert!(!text.contains("passed [15]") && text.contains("no such field"), "{text}");
}

#[test]
fn a_check_that_failed_again_is_followed_from_its_last_failure() {
    let run = "make check";
    let script = work().runs(run, "Exit code 2\nstat check: directory not found");
    let script = script.runs(run, "Exit code 2\nsrc/clock.rs:9:1: type mismatch");
    let script = script.edits("clock.rs", "a()", "b()");
    let script = script.runs("cargo test", "4 passed");
    let text = script.user("Go on.").digest(900);
    let wanted = "type mismatch → then editing clock.rs: `a()` → `b()`\n";
    assert!(text.contains(wanted), "{text}");
}

#[test]
fn what_runs_again_is_not_said_to_have_been_left() {
    let run = "make check";
    let failed = "Exit code 2\nsrc/clock.rs:3:1: no such field";
    let script = work().runs(run, failed).runs(run, failed);
    let script = script.edits("clock.rs", "a()", "b()");
    let script = script.runs(run, "aborted by user after 33.4s");
    let text = script.user("Go on.").digest(900);
    assert!(text.contains("→ failed again [15]") && !text.contains("not run again"), "{text}");
}

#[test]
fn what_fails_of_the_same_and_is_left_with_it_is_told_once() {
    let failed = |time| format!("Exit code 1\n--- FAIL: TestMidTurn ({time}s)\nFAIL");
    let script = work().runs("make test", &failed("6.84"));
    let script = script.runs("go test ./clock -run Mid", &failed("0.31"));
    let text = script.edits("clock.rs", "a()", "b()").user("So?").digest(900);
    let line = text.lines().find(|line| line.starts_with("- [13] `make test`")).unwrap();
    assert!(line.ends_with("TestMidTurn, also [15]") && !text.contains("- [15] `go"), "{text}");
}

#[test]
fn another_failure_of_the_same_command_is_not_told_as_the_same() {
    let run = "git fetch origin";
    let script = work().runs(run, "fatal: could not read from remote repository");
    let script = script.runs(run, "fatal: bad object refs/heads/a");
    let text = script.user("Go on.").digest(900);
    let wanted = "repository → failed otherwise at last [15]: fatal: bad object refs/heads/a";
    assert!(text.contains(wanted), "{text}");
}

#[test]
fn that_two_files_differ_is_no_failure() {
    let run = "git diff --no-index /dev/null a.md";
    let script = work().runs(run, "Exit code 1\n+It cannot be told.");
    let text = script.user("Go on.").digest(900);
    assert!(!text.contains("a.md` failed"), "{text}");
}

#[test]
fn a_slip_that_was_made_again_is_told_once() {
    let edit = |file: &str| {
        format!(r#"{{"path":"/home/me/app/{file}","old_string":"a()","new_string":"b()"}}"#)
    };
    let unread = "<tool_use_error>File has not been read yet. Read it first.</tool_use_error>";
    let script = work().calls("edit_file", &edit("a.rs"), unread);
    let script = script.calls("edit_file", &edit("b.rs"), unread);
    let script = script.calls("edit_file", &edit("c.rs"), unread);
    let script =
        script.calls("write_file", r#"{"path":"/home/me/app/c.rs","content":"b()"}"#, "ok");
    let text = script.user("Go on.").digest(900);
    let wanted =
        "- [13] edit_file app/a.rs failed: File has not been read yet. Read it first., also [15]";
    assert!(text.contains(wanted) && !text.contains("[17] edit_file"), "{text}");
}

#[test]
fn what_is_told_with_another_failure_stands_for_the_next_ones() {
    let run = |file: &str| format!(r#"{{"command":"load {file}.conf"}}"#);
    let failed = |row| format!("Exit code 1\nerror: row {row} of lamps.csv has no oil_level");
    let script = work().calls("bash", &run("one"), &failed(12));
    let script = script.calls("bash", &run("two"), &failed(15));
    let text = script.calls("bash", &run("three"), &failed(15)).user("So?").digest(900);
    let wanted = "row 12 of lamps.csv has no oil_level, also [15], also [17]\n";
    assert!(text.contains(wanted), "{text}");
}

#[test]
fn a_failure_ends_with_what_came_last() {
    let run = r#"{"command":"make check"}"#;
    let script = work().calls("bash", run, "Exit code 2\nsrc/clock.rs:3:1: no such field");
    let script = script.calls("bash", run, "Exit code 2\nsrc/clock.rs:9:1: type mismatch");
    let script = script.assistant("It fails because the clock has no such field.");
    let script = script.edits("clock.rs", "a()", "b()");
    let text = script.assistant("Edited.").user("Go on.").digest(900);
    let end = "→ failed again [15]: clock.rs:9:1: type mismatch → said [17] It fails because the \
               clock has no such field. → then editing clock.rs: `a()` → `b()` → not run again";
    assert!(text.contains(end), "{text}");
}

#[test]
fn a_failed_run_names_tests_and_places() {
    let log = "Exit code 1\n=== RUN TestA\n[test] ERROR task failed\n--- FAIL: TestA (0.01s)\n\
               upload_test.go:41: got 3, want 4\n--- FAIL: TestB (0.02s)\nexit status 1";
    let script = work().runs("go test ./...", log);
    let text = script.user("And now?").digest(700);
    let wanted = "TestA; TestB; upload_test.go:41: got 3, want 4";
    assert!(text.contains(wanted), "{text}");
}

#[test]
fn a_check_behind_a_pipe_fails_as_its_own_words_say() {
    let lint = r#"{"command":"cd app && make lint 2>&1 | head -40"}"#;
    let log = "src/a.go:12:3: result of close is not checked (errcheck)\n2 issues:\n* errcheck: 2";
    let script = work().calls("bash", lint, log).edits("a.go", "a.close()", "err = a.close()");
    let script = script.runs("cd app && make lint", "0 issues.");
    let text = script.user("And now?").digest(700);
    for wanted in [
        "head -40 → failed: 2 issues (errcheck: 2); a.go:12:3: result of close",
        "failed: 2 issues (errcheck: 2); a.go:12:3: result of close is not checked (errcheck) \
         → fixed by editing a.go: `a.close()` → `err = a.close()` → passed [",
    ] {
        assert!(text.contains(wanted), "{text}");
    }
}

#[test]
fn a_failure_is_told_with_what_the_model_said_of_it_each_time_until_it_passes() {
    let run = "cargo test upload";
    let script = work().runs(run, "Exit code 101\nerror: no route to host");
    let script = script.runs(run, "Exit code 101\nerror: still no route");
    let text = script.assistant("Let me try later.").user("And now?").digest(900);
    for wanted in [
        "in upload_twice at src/upload.rs:41 → said [5] The test fails because the retry uses",
        "- [13] `cargo test upload` failed: error: no route to host → failed again [15]: error: still",
    ] {
        assert!(text.contains(wanted), "{text}");
    }
    assert!(!text.contains("not run again"), "{text}");
}

#[test]
fn a_merge_is_told_with_its_conflicts_and_how_it_ended() {
    let merge = r#"{"command":"git merge origin/main"}"#;
    let log = "Exit code 1\nCONFLICT (content): Merge conflict in src/a.go\n\
               CONFLICT (content): Merge conflict in src/b.go\nAutomatic merge failed; fix conflicts";
    let edit = r#"{"path":"/home/me/app/src/b.go","old_string":"<<<<<<< HEAD","new_string":"new"}"#;
    let script = work().calls("bash", merge, log).calls("edit_file", edit, "ok");
    let text = script.user("Go on.").digest(700);
    let failed = "`git merge origin/main` failed: conflicts in 2 (a.go, b.go) → ";
    assert!(text.contains(&format!("{failed}edited since: b.go")), "{text}");
    let script = work().calls("bash", merge, log).calls("edit_file", edit, "ok");
    let commit = r#"{"command":"git add -A && git commit --no-edit"}"#;
    let text = script.calls("bash", commit, "[main 1a2b3c4]").user("So?").digest(700);
    assert!(text.contains(&format!("{failed}then `git commit --no-edit` [")), "{text}");
    let first = work().calls("bash", merge, log).user("Go on.");
    let earlier = first.digest(900);
    let second = Script::after(&earlier).user("And now commit it.");
    let commit = r#"{"command":"git add -A; git commit --no-edit\ngit push"}"#;
    let second = second.calls("bash", commit, "[main 1a2b3c4]");
    let text = second.user("So?").digest(900);
    assert!(text.contains(&format!("{failed}then `git commit --no-edit` [2]")), "{text}");
}

#[test]
fn what_else_was_edited_does_not_fix_a_look() {
    let looks = r#"{"command":"git status"}"#;
    let edit = r#"{"path":"/home/me/app/NOTES.md","old_string":"one","new_string":"two_things"}"#;
    let script = work().calls("bash", looks, "fatal: unable to read tree 4b825dc");
    let script = script.calls("edit_file", edit, "ok").calls("bash", looks, "nothing to commit");
    let text = script.user("And now?").digest(700);
    assert!(!text.contains("fixed by editing NOTES.md"), "{text}");
}

#[test]
fn what_a_program_said_does_not_age() {
    let panic = "panic: runtime error: index out of range [5] with length 5\nFAIL\ta/b\t0.1s";
    let script = Script::default().user("Test it.").runs("go test ./...", panic);
    let text = script.user("Go on.").digest(900);
    let next = Script::after(&text).runs("ls", "a.go").user("Go on.");
    let next = next.digest(900);
    assert!(next.contains("range [5] with") && next.contains("[1.1]"), "{next}");
}

#[test]
fn what_ran_before_a_check_that_failed_was_done() {
    let run = "{\"command\":\"cat > src/fresh.rs <<'E'\\nfn fresh() {}\\nE\\ncargo test\"}";
    let script = work().calls("bash", run, "Exit code 101\nerror[E0308]: mismatched types");
    let text = script.user("Go on.").digest(900);
    assert!(text.contains("created in src: fresh.rs"), "{text}");
}

#[test]
fn what_stands_before_a_check_that_did_not_run_may_not_have_been_done() {
    for (command, said) in [
        ("rm src/old.rs && cargo test", "Permission to use bash with cargo test has been denied."),
        ("rm src/old.rs && cargo test", "hook error: [guard.sh]: deletion is blocked"),
        ("git mv src/old.rs src/new.rs && cargo test", "fatal: bad source, source=src/old.rs"),
        (
            "git checkout -- src/old.rs src/none.rs && cargo test",
            "error: pathspec 'src/none.rs' did not match any file(s) known to git",
        ),
        ("cd none && rm src/old.rs && cargo test", "cd: none: No such file or directory"),
    ] {
        let script = work().edits("old.rs", "let a = one;", "let a = two;");
        let said = format!("Exit code 1\n{said}");
        let text = script.runs(command, &said).user("Go on.").digest(900);
        for done in ["deleted", "moved", "undone"] {
            assert!(!text.contains(&format!("{done} in src: old.rs")), "{command}: {text}");
            assert!(!text.contains(&format!("old.rs: edited, {done}")), "{command}: {text}");
        }
        assert!(!text.contains(" → src/new.rs"), "{command}: {text}");
    }
}

#[test]
fn a_failure_may_end_in_the_same_message() {
    let call = |id: &str| {
        format!(
            r#"{{"id":"{id}","type":"function","function":{{"name":"bash","arguments":"{{\"command\":\"npm test\"}}"}}}}"#
        )
    };
    let calls = [call("c1"), call("c2")].join(",");
    let source = format!(
        r#"[{{"role":"user","content":"fix it"}},
            {{"role":"assistant","content":null,"tool_calls":[{calls}]}},
            {{"role":"tool","tool_call_id":"c1","content":"error: timeout"}},
            {{"role":"tool","tool_call_id":"c2","content":"12 passed"}},
            {{"role":"user","content":"go on"}}]"#
    );
    assert!(digested(&source, 200).contains("npm test"));
}

#[test]
fn a_search_that_finds_nothing_has_not_failed() {
    let run = |command: &str, said: &str| {
        let command = format!(r#"{{"command":"{command}"}}"#);
        work().calls("bash", &command, said).user("And?").digest(900)
    };
    let text =
        run("cd src && rg -n tide_height", "Exit code: 1\nWall time: 0.1 seconds\nOutput:\n");
    assert!(text.contains("→ ok: nothing found"), "{text}");
    let text = run("diff a.txt b.txt", "Exit code 1\n3c3\n< at noon\n---\n> at six");
    assert!(text.contains("→ ok: not the same"), "{text}");
    let text =
        run("cd lost && rg -n tide_height", "Exit code 1\ncd: lost: No such file or directory");
    assert!(text.contains("→ failed (exit 1)"), "{text}");
}

#[test]
fn room_that_nothing_else_takes_is_for_commands() {
    let mut script = Script::default().user("go");
    for at in 1..=9 {
        let command = format!(r#"{{"command":"make target{at}"}}"#);
        script = script.calls("bash", &command, &format!("error: boom{at}\n{}", "w ".repeat(99)));
    }
    let text = script.user("now").digest(300);
    for at in 1..=9 {
        assert!(text.contains(&format!("$ make target{at} → failed: error: boom{at}")), "{text}");
    }
}

#[test]
fn each_commit_is_told() {
    let commit = |what: &str| {
        let way = "cd /home/me/all/the/way/down/to/the/harbour/of/tides && git commit -m";
        format!(r#"{{"command":"{way} 'All of the tide tables: {what}'"}}"#)
    };
    let mut script = Script::default().user("Commit each.");
    for (hash, what) in [("1a2b3c4", "Read them"), ("2b3c4d5", "Draw them")] {
        script =
            script.calls("bash", &commit(what), &format!("[main {hash}] {what}\n 1 file changed"));
    }
    let mut text = script.user("Go on.").digest(300);
    for _ in 0..2 {
        assert!(text.contains("[1a2b3c4] Read them") && text.contains("[2b3c4d5] Draw"), "{text}");
        let next = Script::after(&text).user("And on.").assistant("It is done.");
        text = next.user("Well.").digest(300);
    }
}

#[test]
fn what_was_cancelled_with_another_call_did_not_fail() {
    let make = r#"{"command":"make tides"}"#;
    let cancelled = "<tool_use_error>Sibling tool call errored</tool_use_error>";
    let script = Script::default().user("Make it.").calls("bash", make, cancelled);
    let text = script.clone().user("Go on.").digest(200);
    assert!(!text.contains("failed") && text.contains("$ make tides → cancelled"), "{text}");
    let text = script.calls("bash", make, "12 passed").user("Go on.").digest(200);
    assert!(text.contains("$ make tides → ok: 12 passed"), "{text}");
}

#[test]
fn what_was_changed_behind_a_merge_stands_behind_it() {
    let conflicts = "Auto-merging lexer.rs\nCONFLICT (content): Merge conflict in lexer.rs\n\
                     Automatic merge failed; fix conflicts and then commit the result.";
    for (end, merge) in [("Fast-forward", "pull"), (conflicts, "merge main")] {
        let script = Script::default().user("Merge it.");
        let script = script.runs("make test", "12 passed");
        let script = script.edits("early.rs", "let a = 1;", "let a = 2;");
        let script = script.runs(&format!("git {merge}"), end);
        let script = script.edits("late.rs", "let a = 1;", "let a = 2;").user("Go on.");
        let text = script.digest(900);
        let order = format!("then changed early.rs, then `git {merge}` [5], then changed late.rs");
        assert!(text.contains(&order), "{text}");
    }
}

#[test]
fn what_comes_with_a_fix_is_not_the_fix() {
    let check = r#"{"command":"go test ./upload"}"#;
    let failed = "upload.go:3:1: sizes are off by one\nFAIL";
    let script = Script::default().user("Mend it.").calls("bash", check, failed);
    let script = script.edits("upload.go", "sum := n + 1", "sum := trim(n)");
    let script = script.edits("upload.go", "", "\t\"strings\"");
    let script = script.calls("bash", check, "ok  \texample.com/upload\t0.1s").user("Go on.");
    let text = script.digest(400);
    assert!(
        text.contains("fixed by editing upload.go: `sum := n + 1` → `sum := trim(n)`"),
        "{text}"
    );
}

#[test]
fn a_check_of_which_nothing_was_seen_has_not_passed() {
    let failed =
        "FAILED tests/test_a.py::test_x - AssertionError: 1 != 2\n1 failed, 9 passed in 1s";
    for (command, output, wanted) in [
        ("pytest > /dev/null 2>&1; echo finished", "finished", "unclear"),
        ("pytest > r.txt 2>&1 || true; wc -l r.txt", "120 r.txt", "unclear"),
        ("timeout 10 pytest; true", "", "unclear"),
        ("pytest", "", "unclear"),
        ("pytest | grep -E 'passed|failed'", "Exit code 1", "unclear: nothing found"),
        ("pytest &> r.txt &", "", "started in the background"),
    ] {
        let script = Script::default().user("Mend it.").runs("pytest", failed);
        let script = script.edits("lamp.py", "a = 1", "a = 2").runs(command, output);
        let first = script.user("Go on.").digest(600);
        let again = Script::after(&first).assistant("I look.").user("And now?").digest(600);
        for text in [&first, &again] {
            assert!(text.contains(&format!("→ {wanted}")), "{text}");
            assert!(!text.contains("passed [") && !text.contains("ok ["), "{text}");
        }
    }
}

#[test]
fn a_shell_of_openai_records_how_its_programs_ended() {
    let said = |role: &str, text: &str| format!(r#"{{"role":"{role}","content":"{text}"}}"#);
    let mut items = vec![said("user", "Light it.")];
    for (at, (command, stderr, outcome)) in [
        ("lamp one", "", r#"{"type":"exit","exit_code":2}"#),
        ("lamp two", "no oil", r#"{"type":"exit","exit_code":3}"#),
        ("lamp three", "", r#"{"type":"timeout"}"#),
        ("lamp four", "", r#"{"type":"exit","exit_code":0}"#),
    ]
    .into_iter()
    .enumerate()
    {
        items.push(format!(
            r#"{{"type":"shell_call","call_id":"c{at}","action":{{"commands":["{command}"]}}}}"#
        ));
        items.push(format!(
            r#"{{"type":"shell_call_output","call_id":"c{at}","output":[{{"stdout":"","stderr":"{stderr}","outcome":{outcome}}}]}}"#
        ));
    }
    items.push(said("user", "Go on."));
    let digest = Digest { dialect: "responses", ..Digest::within(400) };
    let text = digest.of(&format!("[{}]", items.join(",")));
    for wanted in [
        "$ lamp one → failed (exit 2) [",
        "$ lamp two → failed (exit 3): no oil [",
        "$ lamp three → failed [",
        "$ lamp four → ok [",
    ] {
        assert!(text.contains(wanted), "{text}");
    }
}

#[test]
fn a_check_that_runs_no_test_fixes_none() {
    let failed = "Exit code 101\ntest result: FAILED. 3 passed; 1 failed; 0 ignored";
    let skipped = "Exit code 0\ntest result: ok. 0 passed; 0 failed; 4 ignored";
    let script = Script::default().user("Mend it.").runs("cargo test", failed);
    let text = script.runs("cargo test", skipped).user("Go on.").digest(600);
    assert!(text.contains("ok: 0 passed, 4 ignored") && !text.contains("→ passed"), "{text}");
}

#[test]
fn an_edit_that_was_taken_back_fixed_nothing() {
    let failed =
        "FAILED tests/test_a.py::test_x - AssertionError: 1 != 2\n1 failed, 9 passed in 1s";
    let script = Script::default().user("Mend it.").runs("pytest", failed);
    let script =
        script.edits("lamp.py", "lit = 1", "lit = 2").edits("lamp.py", "lit = 2", "lit = 1");
    let passes =
        |script: Script| script.runs("pytest", "10 passed in 1s").user("Go on.").digest(600);
    let text = passes(script.clone());
    assert!(text.contains("→ passed [") && !text.contains("fixed by"), "{text}");
    let installed = script.runs("pip install oil==2", "Successfully installed oil-2");
    let text = passes(installed.clone());
    assert!(text.contains("→ then `pip install oil==2` → passed ["), "{text}");
    let text = passes(installed.edits("wick.py", "cut = 1", "cut = 2"));
    assert!(
        text.contains("→ then editing wick.py") && text.contains("; `pip install oil==2` →"),
        "{text}"
    );
}

#[test]
fn tests_of_one_name_in_two_packages_are_two_failures() {
    let run = |folder: &str| format!(r#"{{"command":"go test ./{folder}"}}"#);
    let fails = |place: &str| format!("--- FAIL: TestNew (0.0s)\n    {place}: got 1, want 2\nFAIL");
    let script = work().calls("bash", &run("lamp"), &fails("lamp_test.go:41"));
    let script = script.calls("bash", &run("oil"), &fails("oil_test.go:7"));
    let text = script.user("Go on.").digest(900);
    assert!(text.contains("`go test ./oil` failed: TestNew; oil_test.go:7"), "{text}");
}

#[test]
fn an_edit_that_nothing_ran_behind_is_no_mend_of_a_failure() {
    let failed = "Exit code 1\nerror: cannot find module 'oil_table' in gen.ts";
    let script = Script::default().user("Go on.").runs("npm test", failed);
    let script = script.edits("lamp.rs", "let a = 1;", "let b = 2;");
    let text = script.clone().user("And?").digest(900);
    assert!(text.contains("→ not run again") && !text.contains("then editing"), "{text}");
    let text = script.edits("gen.ts", "let a = 1;", "let b = 2;").user("And?").digest(900);
    assert!(text.contains("→ then editing gen.ts") && !text.contains("editing lamp.rs"), "{text}");
}

#[test]
fn what_stood_before_a_digest_is_older_than_what_it_tells() {
    let failed = "Exit code 1\n--- FAIL: TestWick (0.1s)\n    wick_test.go:7: got 3, want 4\nFAIL";
    let script = Script::default().user("Trim the wick.").edits("wick.go", "a()", "b()");
    let digest = script.runs("go test ./wick", failed).user("And?").digest(600);
    assert!(digest.contains("`go test ./wick` failed: TestWick"), "{digest}");
    // A batch that passed stayed visible before the digest, and goes now.
    let script =
        Script::default().user("Trim the wick.").runs("go test ./wick", "ok  \tlamp/wick\t0.1s");
    let script = script.says("user", &digest).assistant("I see what it needs.");
    let text = script.user("Go on.").digest(600);
    assert!(!text.contains("passed") && !text.contains("then ok"), "{text}");
    assert!(text.contains("`go test ./wick` failed: TestWick"), "{text}");
    assert!(text.contains("The last checks: `go test ./wick` → failed"), "{text}");
}

#[test]
fn lines_of_a_command_that_begin_alike_are_told_whole() {
    let line = |at: usize| {
        format!(
            "cd /srv/harbour && python3 -m harbour.measure --station quay_{at} --write out/tides_{at}.csv"
        )
    };
    let command = [line(1), line(2), line(3)].join("\n");
    let script =
        Script::default().user("Measure the tides.").runs(&command, "wrote out/tides_3.csv");
    let text = script.assistant("They are in out/tides_2.csv.").user("Go on.").digest(900);
    assert!(
        text.contains("> $ … cd /srv/harbour && python3 -m harbour.measure --station quay_2"),
        "{text}"
    );
}

#[test]
fn the_text_of_a_command_is_no_output_of_it() {
    let command = "\n for at in $(seq 1 20); do sleep 30\n  reviews_left=$(count_reviews --open)\n  \
                   [ $reviews_left = 0 ] && echo \"REVIEWS_DONE all of them\" && exit 0\ndone\n\
                   echo \"REVIEWS_TIMEOUT after 10 min\"";
    let script = Script::default().user("Wait for the reviews.");
    let script = script.runs(command, "waiting for reviewer_two\nREVIEWS_DONE all of them");
    let mut text = script.user("And now?").digest(600);
    for _ in 0..3 {
        assert!(text.contains("> $ … reviews_left=$(count_reviews --open)"), "{text}");
        assert!(text.contains("> $ … echo \"REVIEWS_TIMEOUT after 10 min\""), "{text}");
        assert!(!text.contains("> echo") && !text.contains("> $ waiting"), "{text}");
        assert!(!text.contains("> $ $") && !text.contains("… …"), "{text}");
        text = Script::after(&text).user("And the rest?").user("Go on.").digest(600);
    }
}

#[test]
fn who_replaces_what_it_searches_for_does_not_only_look() {
    let edit = r#"{"file_path":"src/q.ts","old_string":"wick","new_string":"lamp"}"#;
    for (said, is_edited) in
        [("The string to replace was not found in the file.", false), ("Done.", true)]
    {
        let script = Script::default().user("Light it.").calls("search_replace", edit, said);
        let text = script.assistant("Next is the oil.").user("Go on.").digest(600);
        assert_eq!(text.contains("q.ts: edited"), is_edited, "{text}");
    }
    // What is shown may speak of a failure.
    let shown = Script::default()
        .user("Look.")
        .calls("read_file", r#"{"path":"p.txt"}"#, "Failed to write home");
    let text = shown.assistant("It is a poem.").user("Go on.").digest(600);
    assert!(!text.contains("→ failed"), "{text}");
}

#[test]
fn a_result_in_a_file_is_judged_by_its_beginning() {
    let of = |shown: &str| {
        let result = format!(
            "<persisted-output>\nOutput too large (137.8KB). Full output saved to: /tmp/lamps.txt\n\n\
             Preview (first 2KB):\n{shown}\n...\n</persisted-output>"
        );
        let script = work().runs("./lamps --all-of-the-quay", &result);
        script.user("And now?").digest(900)
    };
    let text = of("lamp 1 burns\nlamp 2 burns on the wick_of_the_quay");
    assert!(text.contains("$ ./lamps --all-of-the-quay → ok ["), "{text}");
    let text = of("Exit code 3\nno oil in lamp 1");
    assert!(text.contains("`./lamps --all-of-the-quay` failed"), "{text}");
}

#[test]
fn what_a_process_prints_later_is_of_its_command() {
    let run = r#"{"cmd":"cargo test --workspace --all-lamps"}"#;
    let goes_on = "Chunk ID: 1\nProcess running with session ID 246\nOutput:\n";
    let later = "Chunk ID: 2\nProcess running with session ID 246\nOutput:\n\
                 warning: spurious network error of harbour_host, which lacks the lamp_of_the_quay\n";
    let script = work().calls("exec_command", run, goes_on);
    let script = script.calls("write_stdin", r#"{"session_id":246,"chars":""}"#, later);
    let text = script.user("And now?").digest(900);
    assert!(!text.contains("write_stdin"), "{text}");
    let (_, behind) = text.split_once("$ cargo test --workspace --all-lamps").expect(&text);
    assert!(behind.starts_with(" → still running"), "{text}");
    assert!(behind.contains("harbour_host"), "{text}");
}

#[test]
fn what_an_agent_says_for_the_user_is_no_request() {
    let nudge = "Please continue working on the task on whatever approach you think is suitable.\n\
                 If you think you have solved the task, please finish the interaction.";
    let script = work().assistant("All done.").user(nudge).runs("ls", "a").assistant("It is done.");
    let text = script.user(nudge).digest(300);
    assert!(!text.contains("Please continue working"), "{text}");
    assert!(text.contains("And now document it."), "{text}");
}

#[test]
fn an_edit_that_is_no_code_and_a_time_that_ran_out_are_failures() {
    for (command, said) in [
        ("edit 12:12 return 1", "Your proposed edit has introduced new syntax error(s).\n- E999"),
        ("python lamp.py", "EXECUTION TIMED OUT"),
    ] {
        let text = work().runs(command, said).user("And now?").digest(900);
        assert!(text.contains(&format!("`{command}` failed")), "{text}");
    }
}
