//! What a digest claims is so: it says no more than is known, and takes back what was so before.

use context_compact::json::quote;

use crate::script::{Digest, Script, work};

/// What is told of a session that goes on.
fn told(script: Script) -> String {
    script.user("Go on.").digest(900)
}

fn run(command: &str) -> String {
    format!(r#"{{"command":"{command}"}}"#)
}

#[test]
fn a_call_that_nobody_answered_waits_only_while_nothing_is_said_behind_it() {
    let call = |id: &str, tool: &str, arguments: &str| {
        let function = format!(r#"{{"name":"{tool}","arguments":{arguments:?}}}"#);
        format!(
            r#"{{"role":"assistant","content":null,"tool_calls":[{{"id":"{id}","type":"function","function":{function}}}]}}"#
        )
    };
    let mut script = work();
    script.messages.push(call("x1", "bash", &run("make deploy")));
    let write = r#"{"path":"/home/me/app/src/retry.rs","content":"fn retry() {}"}"#;
    script.messages.push(call("x2", "write_file", write));
    let mut script = script.user("Stop that. Run the other one.");
    script.messages.push(call("x3", "bash", &run("make publish")));
    let text = script.says("developer", "Go on.").digest(900);
    assert!(
        text.contains("$ make deploy → no answer [") && !text.contains("deploy → no answer yet"),
        "{text}"
    );
    assert!(text.contains("$ make publish → no answer yet ["), "{text}");
    assert!(text.contains("retry.rs: created, no answer ["), "{text}");
    let again = Script::after(&text).user("Look again.").assistant("I look.");
    let text = again.user("Now?").digest(900);
    assert!(text.contains("$ make publish → no answer [1."), "{text}");
}

#[test]
fn a_command_that_goes_on_is_still_running() {
    let event =
        |id: usize, rest: &str| format!(r#"{{"id":{id},"timestamp":"t","source":"agent",{rest}}}"#);
    let ran = |id: usize, command: &str, said: &str, status: i32| {
        let call = event(
            id,
            &format!(
                r#""action":"run","args":{{"command":"{command}","thought":""}},"tool_call_metadata":{{"function_name":"bash","tool_call_id":"c{id}"}}"#
            ),
        );
        let result = event(
            id + 1,
            &format!(
                r#""observation":"run","cause":{id},"content":"{said}","extras":{{"metadata":{{"exit_code":{status}}}}},"tool_call_metadata":{{"function_name":"bash","tool_call_id":"c{id}"}}"#
            ),
        );
        format!("{call},{result}")
    };
    let asked = |id: usize, words: &str| {
        format!(
            r#"{{"id":{id},"timestamp":"t","source":"user","action":"message","args":{{"content":"{words}"}}}}"#
        )
    };
    let source = format!(
        "[{},{},{},{}]",
        asked(1, "Serve it."),
        ran(2, "python3 -m http.server 8000", "Serving on 8000", -1),
        ran(4, "cp a.txt b.txt", "cp: a.txt is not there", 1),
        asked(6, "Thanks."),
    );
    let text = Digest { dialect: "openhands", ..Digest::within(600) }.of(&source);
    assert!(text.contains("http.server 8000 → still running ["), "{text}");
    assert!(
        text.contains("$ cp a.txt b.txt → failed (exit 1): cp: a.txt is not there ["),
        "{text}"
    );
    assert!(!text.contains("b.txt: created"), "{text}");
}

#[test]
fn what_a_program_printed_is_told_without_the_record_around_it() {
    let printed = r#"{"output":"src/wick.rs holds the wick parser of the lamp\n// see \"lamp_table\" in src/lamp.rs for the oil\n","metadata":{"exit_code":0}}"#;
    let nothing = r#"{"output":"","metadata":{"exit_code":0,"duration_seconds":0.1}}"#;
    let missing =
        r#"{"output":"bash: line 1: lampctl: command not found\n","metadata":{"exit_code":127}}"#;
    let script = work().calls("shell", &run("./tour.sh"), printed);
    let script = script.calls("shell", &run("grep -rn azure src"), nothing);
    let script = script.calls("shell", &run("lampctl up"), missing);
    let text = told(script);
    assert!(text.contains("$ grep -rn azure src → ok: nothing found ["), "{text}");
    assert!(
        text.contains("lampctl up → failed (exit 127): bash: line 1: lampctl: command not found ["),
        "{text}"
    );
    assert!(text.contains("// see \"lamp_table\" in src/lamp.rs"), "{text}");
    assert!(!text.contains("\\n") && !text.contains("metadata"), "{text}");
}

#[test]
fn what_was_refused_and_done_later_is_told_as_done() {
    let refused = "The user doesn't want to proceed with this tool use. To tell you how to proceed, the user said:\nnot before the tests pass";
    let script = work().runs("git push", refused);
    let text = told(script.clone());
    let open = "User, refusing bash `git push`: \"not before the tests pass\"";
    assert!(text.contains(&format!("{open}\n")), "{text}");
    let pushed = |script: Script| script.runs("git push", "To example.org:app.git");
    let text = told(pushed(script));
    assert!(text.contains(&format!("{open} → done later [15]\n")), "{text}");
    // The same of one that an earlier digest tells, and its place ages.
    let again = told(Script::after(&text).user("And now?"));
    assert!(again.contains(&format!("{open} → done later [1.15]\n")), "{again}");
    let text = told(work().runs("git push", refused));
    let again = told(pushed(Script::after(&text).user("Push it.")));
    assert!(again.contains(&format!("{open} → done later [2]\n")), "{again}");
    // What the user says to do instead is not what was refused.
    let refused = refused.replace("not before", "run `make test` before");
    let write = r#"{"path":"/home/me/app/src/lamp.rs","content":"fn lamp() {}"}"#;
    let text = told(work().calls("write_file", write, &refused));
    let tested = Script::after(&text).runs("make test", "ok");
    let again = told(tested);
    assert!(again.contains("run `make test` before the tests pass\"\n"), "{again}");
}

#[test]
fn a_check_of_another_folder_mends_nothing_here() {
    let script = work().runs("cd web && npm test", "Exit code 1\n1 failing: login waits");
    let script = script.edits("login.rs", "let a = 1;", "let a = 2;");
    let script = script.runs("cd api && npm test", "Exit code 0\n4 passing");
    let text = told(script.clone());
    assert!(!text.contains("login waits → ") && !text.contains("→ instead"), "{text}");
    assert!(text.contains("`npm test` in web → failed"), "{text}");
    // One who has a new shell each time is in `api`, any other may be in `web/api`.
    assert!(text.contains("`cd api && npm test` → ok"), "{text}");
    let script = script.runs("cd web && npm test", "Exit code 0\n3 passing");
    let text = told(script.clone());
    assert!(text.contains("login waits → fixed by editing login.rs"), "{text}");
    assert!(text.contains("`npm test` in api → ok"), "{text}");
    // Run alone it runs where the session began, and is told as it was run.
    let script = script.runs("npm test", "Exit code 0\n3 passing");
    let text = told(script);
    assert!(text.contains("$ npm test → ok: 3 passing ["), "{text}");
    // What a call says beside its command counts as well.
    let at =
        |folder: &str| format!(r#"{{"command":"npm test","workdir":"/home/me/app/{folder}"}}"#);
    let script = work().calls("shell", &at("web"), "Exit code 1\n1 failing: login waits");
    let text = told(script.calls("shell", &at("api"), "Exit code 0\n3 passing"));
    assert!(text.contains("$ cd /home/me/app/api && npm test → ok: 3 passing ["), "{text}");
    let script = work().calls("shell", &at("web"), "Exit code 1\n1 failing: login waits");
    let script = script.calls("shell", &at("old api"), "Exit code 0\n3 passing");
    let text = told(script);
    assert!(text.contains("$ cd '/home/me/app/old api' && npm test → ok: 3 passing ["), "{text}");
}

#[test]
fn a_check_that_may_have_run_elsewhere_mends_nothing() {
    let failed = "Exit code 1\n1 failing: login waits";
    let tries = |script: Script, result: &str| script.runs("npm test", result);
    let goes = |script: Script, to: &str| script.runs(&format!("cd {to}"), "");
    // A shell that is sent somewhere keeps its folder.
    let script = tries(goes(work(), "/home/me/app/search"), failed);
    let script = tries(goes(script, "/home/me/app/web"), "3 passing");
    let text = told(script.clone());
    assert!(!text.contains("login waits → "), "{text}");
    assert!(text.contains("$ cd /home/me/app/search && npm test → failed"), "{text}");
    assert!(text.contains("$ cd /home/me/app/web && npm test → ok: 3 passing ["), "{text}");
    assert!(text.contains("The last cd: /home/me/app/web\n"), "{text}");
    let text = told(tries(goes(script, "../search"), "4 passing"));
    assert!(text.contains("login waits → passed ["), "{text}");
    // It does not go where no folder is, nor in a shell below it.
    for stays in ["cd /home/me/lib", "(cd /home/me/lib && ls)"] {
        let script = tries(goes(work(), "/home/me/app/web"), failed);
        let script = script.runs(stays, "bash: cd: /home/me/lib: No such file or directory");
        let text = told(tries(script, "3 passing"));
        assert!(text.contains("login waits → passed ["), "{text}");
    }
    // Nobody knows where a shell stands that may have been sent elsewhere, or back.
    for goes in ["cd web && npm ci", "cd web && npm ci; cd -", "pushd web; npm ci"] {
        let script = tries(work(), failed).runs(goes, "");
        let text = told(tries(script, "3 passing"));
        assert!(!text.contains("login waits → ") && !text.contains("then ok: 3"), "{text}");
    }
    // One who goes to a folder from inside of it has a new shell each time.
    let web = |script: Script, what: &str, result: &str| {
        script.runs(&format!("cd web && npm {what}"), result)
    };
    let script = web(tries(work(), failed), "ci", "");
    let text = told(tries(web(script, "test", "3 passing"), "4 passing"));
    assert!(text.contains("login waits → passed ["), "{text}");
    assert!(text.contains("$ cd web && npm test → ok: 3 passing ["), "{text}");
    assert!(!text.contains("The last cd"), "{text}");
}

#[test]
fn what_passes_on_another_branch_was_fixed_by_no_edit_here() {
    let script = work().runs("make test", "Exit code 2\nlamp_test.go:7: wick is nil");
    let script = script.edits("lamp.rs", "let wick = nil;", "let wick = 1;");
    let script = script.runs("git checkout main", "Switched to branch 'main'");
    let script = script.runs("make test", "Exit code 0\nok");
    let text = told(script);
    assert!(!text.contains("wick is nil → fixed by"), "{text}");
    assert!(text.contains("; `git checkout main` → passed [19]"), "{text}");
}

#[test]
fn what_runs_again_in_the_background_was_run_again() {
    let wait =
        |around: &str| run(&around.replace("it", "sleep 180; gh api repos/a/pulls/5/comments"));
    let script = work().calls("bash", &wait("it"), "<tool_use_error>Blocked: sleep 180");
    let script =
        script.calls("bash", &wait("(it) &"), "Command running in background with ID: b7. Go on.");
    let text = told(script);
    assert!(text.contains("failed: Blocked: sleep 180") || text.contains("Blocked"), "{text}");
    assert!(!text.contains("not run again"), "{text}");
}

#[test]
fn a_screen_that_a_user_shows_is_quoted_and_not_theirs() {
    let row =
        |at: u32| format!("    ring.go:{at}: row {at} of ring_{at} was written by the sweeper\n");
    let screen: String = (10..50).map(row).collect();
    let asked = format!(
        "The sweeper_loop of ours is broken.\n--- FAIL: TestSweeper (3.40s)\n{screen}FAIL\n"
    );
    let script = Script::default().user(&asked).assistant("I look at ring_store.go then.");
    let script = script.edits("ring_store.go", "", "let ring_buffer = 1;");
    let text = script.user("Go on.").digest(260);
    assert!(text.contains("[0] User, in parts: The sweeper_loop of ours is broken."), "{text}");
    let shown =
        || text.lines().filter(|line| line.contains("was written by") && !line.starts_with("- ["));
    assert!(shown().count() > 2 && shown().all(|line| line.starts_with("> ")), "{text}");
    // A digest of that keeps it so.
    let again = Script::after(&text).user("And now?").assistant("I see.");
    let text = again.user("Go on.").digest(260);
    let shown =
        || text.lines().filter(|line| line.contains("was written by") && !line.starts_with("- ["));
    assert!(shown().count() > 2 && shown().all(|line| line.starts_with("> ")), "{text}");
}

#[test]
fn what_was_open_when_another_tool_summed_up_is_told_as_of_then() {
    let summary = "This session is being continued from a previous conversation that ran out of context. The conversation is summarized below:\n\
        1. Key Decisions:\n   - The lamp_table stays sorted because the wick parser needs it.\n   - The flame_test still has to run against lamp_core.\n\
        2. Pending Tasks:\n   - **wick.rs**:\n     - Move wick_parser into lamp_core before the release.\n   - Delete oil_gauge from lamp_core.\n";
    let script = Script::after(summary).assistant("I begin.");
    let text = told(script.clone());
    assert!(text.contains("Pending Tasks: ") && !text.contains("s of then"), "{text}");
    let text = told(script.edits("wick.rs", "fn wick_parser() {}", "use lamp_core::wick_parser;"));
    assert!(text.contains("Pending Tasks, as of then: wick.rs: Move wick_parser"), "{text}");
    assert!(text.contains("Key Decisions: The lamp_table stays sorted"), "{text}");
    assert!(text.contains("As of then: The flame_test still has to run"), "{text}");
}

#[test]
fn what_an_earlier_summary_says_of_a_file_that_is_gone_is_told_as_of_then() {
    let summary = "This session is being continued from a previous conversation that ran out of context. The conversation is summarized below:\n\
        1. Key Files:\n   - wick_old.rs stays for reference until the flame_test passes.\n   - lamp.rs holds the lamp_table.\n\
        2. Trimmer work (NEXT):\n   - Write the oil_gauge reader.\n";
    let script = Script::after(summary).assistant("I begin.").runs("rm src/wick_old.rs", "");
    let text = told(script);
    assert!(text.contains("Trimmer work (NEXT), as of then: Write the oil_gauge"), "{text}");
    let kept = text.lines().find(|line| line.contains("holds the lamp_table")).expect(&text);
    assert!(!kept.contains("As of then"), "{text}");
    let gone = text.lines().find(|line| line.contains("wick_old.rs stays")).expect(&text);
    assert!(gone.contains("As of then: "), "{text}");
}

#[test]
fn what_is_said_to_be_so_as_yet_of_a_file_that_is_changed_later_is_told_as_of_then() {
    let said = "INSTALL.md still points at v0.1.0 because the lamp_table names it, and lamp.rs still holds the wick_parser.";
    let told_behind = |file: &str| {
        let script = work().assistant(said).user("Go on, then.").edits(file, "v0.1.0", "v0.2.0");
        told(script.assistant("The version was raised, and that is all that was to be done."))
    };
    let text = told_behind("other.rs");
    assert!(text.contains("INSTALL.md still points") && !text.contains("As of then"), "{text}");
    let text = told_behind("INSTALL.md");
    assert!(text.contains("As of then: INSTALL.md still points at v0.1.0"), "{text}");
}

#[test]
fn what_stands_under_another_heading_than_the_last_is_told_with_its_own() {
    let said = "I looked.\n\n**1. The `wick_parser` stub**\n\nIt returns the lamp_error because nothing reads oil_gauge.\n\n\
                **2. Unused `flame_prefix`**\n\nDefined in lamp_core.rs:40 because the trim_log wants it.";
    let text = told(work().assistant(said).user("Go on, then."));
    let has_heading = |heading: &str| text.contains(heading);
    assert!(has_heading("The `wick_parser` stub"), "{text}");
    assert!(has_heading("Unused `flame_prefix`"), "{text}");
}

#[test]
fn an_edit_that_waits_for_its_answer_has_changed_nothing() {
    let mut script = work().edits("wick.rs", "trim(1)", "trim(2)");
    let edit =
        quote(r#"{"path":"/home/me/app/src/wick.rs","old_string":"dim()","new_string":"shine()"}"#);
    let calls = [("w1", "edit_file", &*edit), ("w2", "now", r#""{}""#)].map(|(id, name, arguments)| {
        format!(r#"{{"id":"{id}","type":"function","function":{{"name":"{name}","arguments":{arguments}}}}}"#)
    });
    let calls = calls.join(",");
    script
        .messages
        .push(format!(r#"{{"role":"assistant","content":null,"tool_calls":[{calls}]}}"#));
    script.messages.push(r#"{"role":"tool","tool_call_id":"w2","content":"noon"}"#.to_owned());
    let text = script.digest(900);
    assert!(text.contains("wick.rs: edited [") && !text.contains("edited ×2"), "{text}");
}

#[test]
fn a_file_that_git_says_is_gone_is_deleted() {
    let told_of = |status: &str| {
        let script = work().edits("wick.rs", "trim(1)", "trim(2)");
        told(script.runs("cd /home/me/app && git commit -am 'Drop it'", status))
    };
    let text = told_of(
        "[main 1a2b3c4] Drop it\n 1 file changed, 9 deletions(-)\n delete mode 100644 src/wick.rs",
    );
    assert!(text.contains("deleted") && !text.contains("wick.rs: edited"), "{text}");
    // It stays on the disk, is put back, or is written anew behind that.
    let script = || work().edits("wick.rs", "trim(1)", "trim(2)");
    let gone = " delete mode 100644 src/wick.rs\n";
    for command in [
        "cd /home/me/app && git rm --cached src/wick.rs && git commit -m x",
        "cd /home/me/app/vendor && git commit -am x",
        "cd /home/me/app && git commit -am x; git log -1",
    ] {
        let text = told(script().runs(command, gone));
        assert!(text.contains("wick.rs: edited"), "{command}: {text}");
    }
    // It was moved: its old place is gone, as is known.
    let script = script().runs("mv src/wick.rs src/flame.rs", "");
    let text = told(script.runs(
        "git status",
        "Changes not staged for commit:\n\tdeleted:    src/wick.rs\n\nUntracked files:\n\tsrc/flame.rs",
    ));
    assert!(text.contains("moved") && !text.contains("- deleted"), "{text}");
    // Another file of that name lies elsewhere.
    let text = told_of(
        "[main 1a2b3c4] Drop it\n 1 file changed, 9 deletions(-)\n delete mode 100644 old/src/wick.rs",
    );
    assert!(text.contains("wick.rs: edited"), "{text}");
}

#[test]
fn a_chain_that_failed_is_mended_by_what_failed_of_it() {
    let chain = run("npm run build && npm run deploy");
    let tried = |command: &str, result: &str, why: &str| {
        let script = work().calls("bash", &chain, &format!("built in 2s\n{why}"));
        let script = script.edits("deploy.rs", "let a = 1;", "let a = 2;");
        told(script.runs(command, result))
    };
    let failed = "error: deploy has no target";
    let text = tried("npm run build", "built in 2s", failed);
    let is_open = |text: &str| !text.contains("a = 2;` → passed");
    assert!(is_open(&text), "{text}");
    let text = tried("npm run lint && npm run build && npm run deploy", "done", failed);
    assert!(
        text.contains("→ fixed by editing deploy.rs: `let a = 1;` → `let a = 2;` → passed ["),
        "{text}"
    );
    // Where the error speaks of both, nobody knows which failed.
    let text = tried("npm run build", "built in 2s", "error: deploy of build has no target");
    assert!(is_open(&text), "{text}");
    // What has a place may be the error of any of them.
    let text = tried("npm run build", "built in 2s", "src/ship.ts:3:1: deploy has no target");
    assert!(is_open(&text), "{text}");
    // Nor does it matter where the output goes.
    let script = work().runs("make build 2>&1 | tail -3 && ./ship.sh", failed);
    let text = told(script.runs("make build", "built in 2s"));
    assert!(!text.contains("no target → passed"), "{text}");
}

#[test]
fn a_wider_run_that_passed_first_ends_a_failure() {
    let failed = "1 failed, 20 passed in 3.9s\nFAILED tests/test_clock.py::test_winter";
    let quiet = run("python -m pytest -q tests/test_clock.py 2>&1 | tail -25");
    let script = work().calls("bash", &quiet, failed).edits("clock.py", "a = 1", "a = 2");
    let script = script.runs("python -m pytest -v", "21 passed in 3.9s");
    let script = script.edits("predict.py", "b = 1", "b = 2");
    let script = script.calls("bash", &quiet, "21 passed in 3.9s");
    let text = told(script);
    assert!(
        text.contains("→ fixed by editing clock.py: `a = 1` → `a = 2` → passed [17]"),
        "{text}"
    );
    // One that picks others, or some of them, mends nothing.
    for narrow in ["python -m pytest tests/test_tide.py", "python -m pytest -k tide"] {
        let all = run("python -m pytest -q");
        let script = work().calls("bash", &all, failed).edits("clock.py", "a = 1", "a = 2");
        let text = told(script.runs(narrow, "3 passed in 0.1s"));
        assert!(!text.contains("a = 2` → passed"), "{text}");
    }
}

#[test]
fn a_check_is_not_among_the_last_where_a_wider_one_ran_since() {
    let failed = "1 failed\nFAILED tests/test_clock.py::test_winter";
    let script = work().runs("pytest -x tests/test_clock.py", failed);
    let script = script.edits("clock.py", "a = 1", "a = 2");
    let script = script.runs("pytest", "21 passed in 3.9s");
    let text = told(script);
    let checks = "ok: 4 passed [8], then changed clock.py; `pytest` → ok: 21 passed in 3.9s [17]";
    assert!(text.contains(checks), "{text}");
}

#[test]
fn what_says_nothing_is_no_outcome() {
    let search = run("grep -n 'agent_end' src/session.rs");
    let script = work().calls("bash", &search, "(no output)\n\nCommand exited with code 1");
    let ask = run("git config gc.auto; echo ---; git config gc.packs");
    let script = script.calls("bash", &ask, "Exit code 1\n---");
    let tail = run("head -20 src/session.rs | grep import");
    let text = told(script.calls("bash", &tail, ""));
    assert!(text.contains("src/session.rs → ok: nothing found (exit 1) [13]"), "{text}");
    assert!(text.contains("git config gc.packs → failed (exit 1) [15]"), "{text}");
    assert!(text.contains("| grep import → ok: nothing found [17]"), "{text}");
}

#[test]
fn neither_a_test_that_passed_nor_the_command_is_the_error() {
    let log = "--- FAIL: TestOne (0.1s)\n--- PASS: TestTwo/invalid_json (0.0s)\nFAIL\ta/b\t0.1s";
    let script = work().runs("go test ./...", &format!("Exit code 1\n{log}"));
    let call = "cd src && python3 ../reproduce_error.py";
    let lost = "python3: can't open file 'reproduce_error.py': [Errno 2] No such file or directory";
    let script =
        script.runs(call, &format!("{call}\n{lost}\n$ \n[Command finished with exit code 2]"));
    let text = told(script);
    assert!(text.contains("`go test ./...` failed: TestOne") && !text.contains("PASS"), "{text}");
    assert!(
        text.contains("reproduce_error.py → failed (exit 2): python3: can't open file"),
        "{text}"
    );
}

#[test]
fn what_heads_a_change_is_not_quoted() {
    let diff = "diff --git a/src/lamp.rs b/src/lamp.rs\n--- a/src/lamp.rs\n+++ b/src/lamp.rs\n\
                @@ -3,7 +3,9 @@ fn oil_of_the_lamp() {\n\
                -    // lamp_oil is poured before the wick is lit\n\
                +    // lamp_oil is poured once the wick is lit";
    let text = told(work().runs("git diff src/lamp.rs", diff));
    assert!(text.contains("lamp_oil is poured once the wick is lit"), "{text}");
    assert!(!["diff --git", "+++ b/", "@@ -3"].iter().any(|head| text.contains(head)), "{text}");
}

#[test]
fn a_chain_cut_behind_a_blank_is_not_mended_by_its_first_part() {
    // Cut behind the blank, and within the `&&`.
    for target in ["fleet-12", "fleet-1234"] {
        let build = format!("npm run build -- --mode production --cluster-of {target}");
        let chain = run(&format!("{build} && npm run deploy -- --all-of-the-regions"));
        let text = told(work().calls("bash", &chain, "built in 2s\nerror: no such region"));
        assert!(text.contains(&format!("`{build}")) && text.contains(" failed: "), "{text}");
        let later = |command: &str| {
            let script = Script::after(&text).user("Go on.");
            told(script.calls("bash", command, "done in 2s"))
        };
        let again = later(&run(&build));
        assert!(again.contains("no such region") && !again.contains("region → passed"), "{again}");
        let again = later(&chain);
        assert!(again.contains("no such region → passed ["), "{again}");
    }
}

#[test]
fn what_may_not_have_run_again_is_not_mended() {
    let chain = "npm run build && node server.js";
    let seed = "npm run build && npm run db:seed";
    let mut false_claims = Vec::new();
    for (failed, why, then, said) in [
        // What feeds a command makes it another one.
        ("cat a.sql | psql wharf", "ERROR: no such dock", "cat b.sql | psql wharf", "ok"),
        ("find src | xargs ./load.sh", "error: no dock", "find docs | xargs ./load.sh", "ok"),
        ("./get.sh | jq .x", "jq: error: no dock", "./get.sh | head -3", "a\nb"),
        ("cat a.yml && ./ship.sh", "cat: a.yml: No such file or directory", "./ship.sh", "done"),
        // A letter may ask for the version.
        ("npx tsc", "src/a.ts(3,1): error TS2304: no dock", "npx tsc -v", "Version 5.4.5"),
        ("npm run lint", "error: dock is unused", "npm run lint -v", "10.2.4"),
        // Beside a folder a file is one more.
        ("pytest unit e2e/test_a.py", "FAILED e2e/test_a.py::test_dock", "pytest unit", "3 passed"),
        ("pytest ../b/test_a.py", "FAILED ../b/test_a.py::test_dock", "pytest", "3 passed"),
        // Who goes elsewhere on the way tests that.
        ("npm test", "1 failing: dock", "npm run lint; pushd b; npm test; popd", "3 passing"),
        ("make test", "error: dock", "make lint && cd b && make test", "3 passed"),
        // Another one's status.
        ("python ship.py", "KeyError: 'dock'", "python ship.py | tail -1", "KeyError: 'dock'"),
        ("./gen.sh > a.txt", "error: no dock", "./gen.sh > b.txt", ""),
        // It failed behind what ran again.
        (chain, "server.js:12:3: TypeError: dock is null", "npm run build", "built in 2s"),
        (seed, "seed.ts:3:1: error: no dock (db:seed)", "npm run build", "built in 2s"),
    ] {
        let script = work().runs(failed, &format!("Exit code 1\n{why}"));
        let text = told(script.runs(then, said));
        let line = text.lines().find(|line| line.starts_with("- [13] `")).unwrap_or(&text);
        if line.contains("→ passed") || line.contains("→ fixed") {
            false_claims.push(line.to_owned());
        }
    }
    assert!(false_claims.is_empty(), "{false_claims:#?}");
}

#[test]
fn what_failed_together_may_pass_one_by_one() {
    let script = work().runs("make test && ./ship.sh", "Exit code 1\nerror: no dock");
    let script = script.runs("make test", "3 passed");
    let text = told(script.clone());
    assert!(!text.contains("no dock → passed") && !text.contains("→ instead"), "{text}");
    let text = told(script.runs("./ship.sh", "shipped"));
    assert!(text.contains("no dock → passed [17]"), "{text}");
}

#[test]
fn a_no_to_an_offer_takes_nothing_back() {
    let told_of = |end: &str| {
        let report = format!("I wrote how the wick_table is mended into the lamp_guide.{end}");
        let script = work().edits("guide.rs", "a()", "b()").assistant(&report);
        let script = script.user("No, that is not what the lamp_guide is for. Take it out.");
        told(script.assistant("You're right, I take it out.").edits("guide.rs", "b()", "c()"))
    };
    let amended = "Amended since: I wrote how";
    assert!(told_of("").contains(amended), "{}", told_of(""));
    let text = told_of(" Shall I do the same for the oil_table?");
    assert!(!text.contains(amended), "{text}");
    let text = told_of(" Does that look right to you?");
    assert!(text.contains(amended), "{text}");
}

#[test]
fn what_was_found_is_told_before_what_is_looked_for_next() {
    let filling =
        "There is much of it in every room of the house and none of it is needed. ".repeat(12);
    let words = format!(
        "The wick_table is read before the oil_table is there. {filling}Let me look at the lamp_room."
    );
    let text = work().assistant(&words).user("Go on.").digest(300);
    let line = text.lines().find(|line| line.contains("last words")).expect(&text);
    assert!(line.contains("wick_table is read before"), "{text}");
}

#[test]
fn a_check_that_is_not_there_is_no_last_check() {
    let script = work().runs("mise run lint:all", "Exit code 1\nmise ERROR no task lint:all found");
    let failed = "Exit code 101\nrunning 4 tests\nAssertionError: no task left in the queue";
    let of_tests = told(script.clone().runs("cargo test upload", failed));
    let line = of_tests.lines().find(|line| line.contains("The last checks")).expect(&of_tests);
    assert!(line.contains("no task left"), "{line}");
    let text = told(script);
    let line = text.lines().find(|line| line.contains("The last checks")).expect(&text);
    assert!(!line.contains("lint:all"), "{text}");
}
