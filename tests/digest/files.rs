//! What became of files: read, made, changed, moved, put back.

use crate::script::{Script, digested, reads, work};
use context_compact::json::quote;

#[test]
fn paths_of_windows_are_told_as_others_are() {
    let path = |name: &str| format!(r#""C:\\Users\\Ada\\lamps\\cmd\\app\\{name}.go""#);
    let edits = |script: Script, name: &str| {
        let edit =
            format!(r#"{{"path":{},"old_string":"a()","new_string":"trim_{name}()"}}"#, path(name));
        script.calls("edit_file", &edit, "ok")
    };
    let mut script = Script::default().user("Trim the wicks.");
    for name in ["wick", "oil", "glass"] {
        let read = format!(r#"{{"path":{}}}"#, path(name));
        script =
            script.calls("read_file", &read, &format!("func {name}Main() error {{ return nil }}"));
        script = edits(script, name);
    }
    let change =
        r"*** Begin Patch\n*** Update File: cmd\\app\\oil.go\n@@\n-b()\n+fill_oil()\n*** End Patch";
    script = script.calls("apply_patch", &format!(r#"{{"input":"{change}"}}"#), "ok");
    let run = |folder: &str| format!(r#"{{"command":"go test ./...","workdir":"{folder}"}}"#);
    script = script.calls("shell", &run(r"C:\\Users\\Ada\\lamps\\web"), "ok  lamps/web");
    let mut text = script.user("Go on.").digest(600);
    for _ in 0..2 {
        assert!(text.contains("Paths are below C:/Users/Ada/lamps/cmd/"), "{text}");
        assert!(text.contains("app/oil.go: edited ×2"), "{text}");
        assert!(
            text.contains("app: glass.go, wick.go") || text.contains("app/wick.go: edited"),
            "{text}"
        );
        assert!(!text.contains(r"C:\Users"), "{text}");
        text = Script::after(&text).user("And the rest?").user("Go on.").digest(600);
    }
}

#[test]
fn a_failed_edit_changes_nothing() {
    let script = Script::default()
        .user("Rename it, please.")
        .calls(
            "edit_file",
            r#"{"path":"/w/app/src/a.rs","old_string":"x_one","new_string":"x_two"}"#,
            "Error: old_string was not found",
        )
        .runs("ls -la", "total 0")
        .user("Well?");
    let text = script.digest(200);
    assert!(!text.contains("a.rs: edited"), "{text}");
}

#[test]
fn a_file_is_told_from_where_it_lies() {
    let script = Script::default()
        .user("Please write the script.")
        .calls("write_file", r#"{"path":"/srv/shows.py","content":"x = 1"}"#, "File created")
        .calls("write_file", r#"{"path":"/top.py","content":"y = 1"}"#, "File created")
        .runs(
            "cd /srv/proj && python3 ../shows.py && python3 ../top.py",
            "python3: can't open file '/w/../shows.py': [Errno 2] No such file or directory",
        )
        .runs("touch a", "[Command finished with exit code 0]")
        .calls("read_file", r#"{"path":"/srv/proj/src/units/core.py"}"#, "y = 1")
        .user("Well?");
    let text = script.digest(200);
    let told = ["- created: /srv/shows.py, /top.py\n", "../top.py → failed: python3: can't open"];
    assert!(told.iter().all(|told| text.contains(told)), "{text}");
    assert!(!text.contains("Command finished"), "{text}");
}

#[test]
fn what_a_failed_call_says_is_no_line_of_its_file() {
    let edit =
        r#"{"path":"/w/app/src/a.rs","old_string":"fn the_old_limit() -> u32 {","new_string":""}"#;
    let new = r#"{"path":"/w/app/src/a.rs","old_string":"let a = 1;","new_string":"// The burst_limit is what a client may send at most."}"#;
    let error = "<tool_use_error>String to replace not found in file.\nString: fn the_old_limit";
    let script = Script::default()
        .user("Take it out, please.")
        .calls("edit_file", edit, error)
        .calls("edit_file", new, error)
        .calls("edit_file", edit, "The file /w/app/src/a.rs has been updated.")
        .user("Well?");
    let text = script.digest(300);
    assert!(text.contains("a.rs: edited ["), "{text}");
    assert!(text.contains("  removed `fn the_old_limit() -> u32 {`"), "{text}");
    assert!(!text.contains("> String to replace") && !text.contains("burst_limit"), "{text}");
}

#[test]
fn what_a_later_edit_took_out_is_neither_told_nor_quoted() {
    let limit = "// The burst_limit is what a client may send at most.";
    let script = work().edits("upload.rs", "let a = 1;", &format!("{limit}\nlet a = 1;"));
    let script = script.edits("upload.rs", &format!("{limit}\nlet a = 1;"), "let a = 1;");
    let script = script.edits("clock.rs", "let drift_rate = 1;", "let drift_rate = 2;");
    let script = script.edits("clock.rs", "let drift_rate = 2;", "let drift_rate = 1;");
    let read = r#"{"path":"/home/me/app/src/slow.rs"}"#;
    let script = script.calls(
        "read_file",
        read,
        "fn wait_long(client: &Client) -> u32 {\n  // waits until the slow_server has sent all of its rows",
    );
    let script = script.edits(
        "slow.rs",
        "fn wait_long(client: &Client) -> u32 {",
        "fn wait(client: &Client) -> u32 {",
    );
    let text = script.user("And now?").digest(900);
    assert!(!text.contains("burst_limit"), "{text}");
    assert!(text.contains("undone in src: clock.rs"), "{text}");
    assert!(!text.contains("> fn wait_long"), "{text}");
    assert!(text.contains("waits until the slow_server"), "{text}");
}

#[test]
fn a_name_that_became_another_one_is_told_once_with_its_files() {
    let mut script = work();
    for (file, line) in
        [("a.rs", "use LastName;"), ("b.rs", "row.LastName();"), ("c.rs", "LastName")]
    {
        script = script.edits(file, line, &line.replace("LastName", "NewName"));
    }
    let first = script.user("And now?").digest(900);
    let line = "- replaced `LastName` → `NewName` in 3 files: src/a.rs, src/b.rs, src/c.rs";
    assert!(first.contains(line), "{first}");
    assert!(!first.contains("added `NewName`"), "{first}");
    for budget in [400, 900] {
        let mut text = first.clone();
        for _ in 0..4 {
            let script = Script::after(&text).user("Go on.");
            let script = script.edits("d.rs", "let d = 1;", "let d = 2;");
            text = script.user("And now?").digest(budget);
            assert_eq!(text.matches(line).count(), 1, "{text}");
        }
    }
}

#[test]
fn a_file_ends_in_one_row_with_its_last_name() {
    let script = work()
        .runs("cd /home/me/app && git mv src/upload.rs src/send.rs", "Exit code 0")
        .runs("cd /home/me/app && git mv src/send.rs src/net/post.rs", "Exit code 0")
        .calls(
            "write_file",
            r#"{"path":"/home/me/app/src/draft.rs","content":"fn draft_only() {}"}"#,
            "ok",
        )
        .runs("cd /home/me/app && mv src/draft.rs src/final.rs", "Exit code 0");
    let first = script.user("And now?").digest(900);
    let row = "- src/upload.rs → src/net/post.rs: edited, moved";
    assert!(first.contains(row), "{first}");
    assert!(first.contains("created in src: final.rs"), "{first}");
    assert!(
        !first.contains("send.rs: ") && !first.contains("- created in src: draft.rs"),
        "{first}"
    );
    let script = Script::after(&first).user("Go on.").edits("d.rs", "let d = 1;", "let d = 2;");
    let text = script.user("And now?").digest(900);
    assert!(text.contains(row), "{text}");
}

#[test]
fn files_move_with_their_folder_however_it_is_written() {
    let edit =
        |path: &str| format!(r#"{{"path":"{path}","old_string":"let a = 1;","new_string":"b()"}}"#);
    for command in ["mv ./src lib", "mv ./src/ ./lib"] {
        let script = work()
            .calls("edit_file", &edit("src/é.rs"), "ok")
            .calls("edit_file", &edit("src/abc.rs"), "ok")
            .calls("bash", &format!(r#"{{"command":"{command}"}}"#), "Exit code 0")
            .calls("edit_file", &edit("lib/abc.rs"), "ok");
        let text = script.user("And now?").digest(900);
        assert!(text.contains("lib/abc.rs: edited ×2"), "{command}: {text}");
        assert!(text.contains("lib/é.rs: edited"), "{command}: {text}");
    }
}

#[test]
fn lines_of_a_patch_are_those_of_the_file_above_them() {
    let patch = "*** Begin Patch\n*** Update File: src/a.rs\n@@ fn one\n-let gone_limit = read_from(old_place);\n+let first_step = one_of(them);\n+// The first_limit is what a client may send at most.\n*** Update File: src/b.rs\n@@\n+let second_step = one_of(them);\n+// The second_limit is what a server may send at most.\n*** End Patch";
    let patch = format!(r#"{{"input":{}}}"#, quote(patch));
    let script = work().calls("apply_patch", &patch, "Success. Updated the following files");
    let text = script.user("And now?").digest(900);
    let place = |words: &str| text.find(words).unwrap_or_else(|| panic!("{words}: {text}"));
    assert!(place("b.rs: edited") < place("· // The second_limit"), "{text}");
    assert!(place("a.rs: edited") < place("· // The first_limit"), "{text}");
    let (a, b) = (place("a.rs: edited"), place("b.rs: edited"));
    assert!(place("· // The first_limit") < b || b < a, "{text}");
    assert!(!text.contains("> -let gone_limit"), "{text}");
}

#[test]
fn a_file_that_git_puts_back_is_no_other_state_of_the_work() {
    let run = |command: &str| format!(r#"{{"command":"{command}"}}"#);
    let script = work().runs("cargo test", "12 passed");
    let script = script.runs("git checkout src/a.rs", "Updated 1 path");
    let text = script.user("Go on.").digest(900);
    assert!(!text.contains(", then `git checkout"), "{text}");
    let back = run("git checkout src/a.rs && cargo test");
    let text = work().calls("bash", &back, "12 passed").user("Go on.").digest(900);
    assert!(text.contains("`cargo test` → ok: 12 passed"), "{text}");
}

#[test]
fn a_file_that_was_not_there_was_not_read() {
    let read = r#"{"path":"/home/me/app/src/gone.rs"}"#;
    let script =
        work().calls("read_file", read, "<tool_use_error>File does not exist.</tool_use_error>");
    let text = script.user("Go on.").digest(900);
    assert!(text.contains("gone.rs") && !text.contains("read in src: gone.rs"), "{text}");
    assert!(text.contains("- failed in src: gone.rs"), "{text}");
}

#[test]
fn what_an_edit_put_in_is_marked_and_a_plan_told_once() {
    let plan = "The retry_upload must wait because the server clock is behind the local_clock.";
    let new =
        "// The drift_limit is how far the two clocks may be apart at most.\\nlet drift_limit = 3;";
    let edit = format!(
        r#"{{"path":"/home/me/app/src/clock.rs","old_string":"let a = 1;","new_string":"{new}"}}"#
    );
    let script = work().assistant(plan).user("Yes, do so, but first tell me again, please.");
    let script = script
        .assistant(plan)
        .calls("edit_file", &edit, "ok")
        .assistant("The clock file is done and waits for review now.");
    let text = script.user("And now?").digest(900);
    assert_eq!(text.matches("the server clock is behind").count(), 1, "{text}");
    assert!(text.contains("> + // The drift_limit is how far"), "{text}");
}

#[test]
fn a_line_that_an_edit_only_sets_anew_was_not_put_in() {
    let old = r"// The drift_limit is how far the clocks may be apart.\nlet drift_limit = 3;";
    let new = r"// The drift_limit is   how far the clocks may be apart.\nlet drift_limit   = 3;\nlet skew_most = 5;";
    let edit = format!(
        r#"{{"path":"/home/me/app/src/clock.rs","old_string":"{old}","new_string":"{new}"}}"#
    );
    let script = work().user("And the clocks?").calls("edit_file", &edit, "ok");
    let text = script.user("And now?").digest(900);
    assert!(text.contains("added `let skew_most = 5;`"), "{text}");
    assert!(!text.contains("> + // The drift_limit"), "{text}");
}

#[test]
fn a_line_that_begins_with_a_plus_keeps_it_where_no_patch_put_it() {
    let write = r#"{"file_path":"/w/notes.md","content":"\n+1 lamp_oil has to be bought before the winter\n"}"#;
    let script = work().user("What of lamp_oil?").calls("Write", write, "ok");
    let text = script.user("Go on.").digest(900);
    assert!(text.contains("> + +1 lamp_oil has to be"), "{text}");
    let again = Script::after(&text).user("What of lamp_oil?");
    let text = again.user("Go on.").digest(900);
    assert!(text.contains("> + +1 lamp_oil has to be"), "{text}");
}

#[test]
fn lines_that_no_edit_wrote_stand_behind_what_was_changed() {
    let script = work().user("Fine.").assistant("The parser is slow as well.").user("Go on.");
    let first = script.digest(900);
    let again = Script::after(&first).assistant("It parses twice.").user("So?");
    for text in [&first, &again.digest(900)] {
        let (changed, read) = text.split_once("\n  seen:\n").expect("it was read");
        assert!(changed.contains("upload.rs: edited"), "{text}");
        assert!(!changed.contains("> fn retry_upload"), "{text}");
        assert!(read.starts_with("> fn retry_upload"), "{text}");
    }
}

#[test]
fn what_git_puts_back_was_not_edited() {
    let run = |script: Script, command: &str| {
        script.calls("bash", &format!(r#"{{"command":"{command}"}}"#), "")
    };
    let script = || {
        Script::default().user("Go on.").edits("a.rs", "let width = 1;", "let width_of_row = 99;")
    };
    let text = run(script(), "git checkout -- src/a.rs").user("And?").digest(900);
    assert!(text.contains("undone") && !text.contains("width_of_row"), "{text}");
    let script = run(script(), "git commit -am wide");
    let script = script.edits("a.rs", "let height = 1;", "let height_of_row = 77;");
    let text = run(script, "git restore src/a.rs").user("And?").digest(900);
    assert!(!text.contains("undone") && text.contains("width_of_row"), "{text}");
    assert!(!text.contains("height_of_row"), "{text}");
    // So is what git knows of a file that was made here.
    let fresh = r#"{"file_path":"src/fresh.rs","content":"fn fresh() {}\nfn row() {}"}"#;
    let script = Script::default().user("Go on.").calls("Write", fresh, "ok");
    let script = run(script, "git add -A && git commit -m fresh");
    let script = script.edits("fresh.rs", "fn fresh() {}", "fn fresh() { height_of_row() }");
    let text = run(script, "git checkout -- src/fresh.rs").user("And?").digest(900);
    assert!(text.contains("- /home/me/app/src/fresh.rs: created ["), "{text}");
    assert!(!text.contains("height_of_row") && !text.contains("edited"), "{text}");
    let script = run(Script::default().user("Go on."), "rm src/old.rs");
    let text = run(script, "git checkout -- src/old.rs").user("And?").digest(900);
    assert!(!text.contains("deleted"), "{text}");
}

#[test]
fn what_git_may_have_put_back_is_not_said_to_stand() {
    let two = || {
        let script = Script::default().user("Go on.");
        let script = script.edits("a.rs", "let width = 1;", "let width_of_row = 99;");
        script.edits("b.rs", "let height = 1;", "let height_of_row = 77;")
    };
    let after = |script: Script, commands: &[&str]| {
        let script = commands.iter().fold(script, |script, command| {
            script.calls("bash", &format!(r#"{{"command":"{command}"}}"#), "")
        });
        script.user("And?").digest(900)
    };
    let all = "cd /home/me/app && git commit -am Wide";
    for commands in [
        &["git add src/a.rs && git commit -m Wide", "git checkout -- src/b.rs"][..],
        &[all, "git reset --hard HEAD~1"],
        &[all, "git checkout HEAD~1 -- src/b.rs"],
        &["git stash", "git stash drop"],
        &["git checkout -- '*.rs'"],
    ] {
        let text = after(two(), commands);
        assert!(text.contains("src/b.rs: edited, perhaps undone ["), "{commands:?}: {text}");
        assert!(!text.contains("height_of_row"), "{commands:?}: {text}");
    }
    for command in [
        "cd /home/me/app && git checkout -- src/",
        "cd /home/me/app && git checkout -- src",
        "cd /home/me/app/docs && git reset --hard",
        "cd /home/me/app && git restore .",
    ] {
        let text = after(two(), &[command]);
        assert!(text.contains("undone in src: a.rs, b.rs"), "{command}: {text}");
    }
    let relative = r#"{"path":"src/a.rs","old_string":"let a = 1;","new_string":"let a_row = 2;"}"#;
    for command in ["git reset --hard", "git checkout -- .", "git checkout -- src"] {
        let script = Script::default().user("Go on.").calls("edit_file", relative, "ok");
        let text = after(script, &[command]);
        assert!(text.contains("undone in src: a.rs"), "{command}: {text}");
    }
}

#[test]
fn what_git_kept_before_it_is_not_put_back_in_the_same_line() {
    let after = |commands: &[&str]| {
        let script = Script::default().user("Go on.");
        let script = script.edits("a.rs", "let width = 1;", "let width_of_row = 99;");
        let script = commands.iter().fold(script, |script, command| {
            script.calls("bash", &format!(r#"{{"command":"{command}"}}"#), "")
        });
        script.user("And?").digest(900)
    };
    for commands in [
        &["git commit -am wide && git checkout -- src/a.rs"][..],
        &["git add -A && git commit -m wide; git reset --hard"],
        &["sed -i s/a/b/ src/a.rs && git commit -am wide && git restore src/a.rs"],
        &["git stash && make; git stash pop"],
        &["git stash push -m wip && git checkout -- src/a.rs && make; git stash pop"],
        &["git stash; git stash apply; git stash drop"],
    ] {
        let text = after(commands);
        assert!(!text.contains("undone") && text.contains("width_of_row"), "{commands:?}: {text}");
    }
    for command in ["git commit -m wide && git checkout -- src/a.rs", "git stash && git stash drop"]
    {
        let text = after(&[command]);
        assert!(text.contains("perhaps undone"), "{command}: {text}");
    }
    for commands in [
        &["git checkout -- src/a.rs && git commit -am wide"][..],
        &["git stash push src/b.rs && git checkout -- src/a.rs"],
        &["git stash && git stash pop && git checkout -- src/a.rs"],
        &["git commit -am wide; sed -i s/a/b/ src/a.rs", "git checkout -- src/a.rs"],
    ] {
        let text = after(commands);
        let is_kept = commands.len() > 1;
        assert_eq!(text.contains("undone"), !is_kept, "{commands:?}: {text}");
        assert_eq!(text.contains("width_of_row"), is_kept, "{commands:?}: {text}");
    }
}

#[test]
fn what_is_put_back_is_a_change_of_the_work() {
    let run = |command: &str| format!(r#"{{"command":"cd /home/me/app && {command}"}}"#);
    let wide = || work().edits("a.rs", "let width = 1;", "let width_of_row = 99;");
    let back = run("git checkout -- src/a.rs");
    let script = wide().calls("bash", &run("cargo test"), "12 passed; 0 failed");
    let text = script.calls("bash", &back, "").user("And?").digest(900);
    assert!(text.contains("12 passed; 0 failed [15], then changed a.rs"), "{text}");
    let failed = "Exit code 101\nerror[E0425]: cannot find value `one` in src/a.rs:3:5";
    let script = wide().calls("bash", &run("cargo test"), failed).calls("bash", &back, "");
    let script = script.calls("bash", &run("cargo test"), "12 passed; 0 failed");
    let text = script.user("And?").digest(900);
    assert!(text.contains("→ fixed by putting back a.rs → passed"), "{text}");
}

#[test]
fn a_patch_in_a_shell_is_of_its_folder() {
    let patch = r#"{"command":["apply_patch","*** Begin Patch\n*** Update File: a.rs\n@@\n-let old_row = 1;\n+let new_row = 2;\n*** End Patch"],"workdir":"/w/app/sub"}"#;
    let script = Script::default().user("Go on.").calls("shell", patch, "Success");
    let text = script.user("And?").digest(900);
    assert!(text.contains("/w/app/sub/a.rs: edited"), "{text}");
}

#[test]
fn what_runs_beside_a_patch_is_a_command() {
    let patch = r#"{"cmd":"apply_patch <<'E'\n*** Begin Patch\n*** Update File: src/q.rs\n@@\n-let old_row = 1;\n+let new_row = 2;\n*** End Patch\nE\ncargo test"}"#;
    let script = work().calls("exec_command", patch, "test result: FAILED. 3 passed; 2 failed");
    let text = script.user("And?").digest(900);
    assert!(text.contains("`cargo test` → failed: test result: FAILED"), "{text}");
    assert!(text.contains("`let old_row = 1;` → `let new_row = 2;`"), "{text}");
    let code = r#"{"code":"apply_patch(`*** Begin Patch\n*** Update File: src/q.rs\n@@\n-let old_row = 1;\n+let new_row = 2;\n*** End Patch`)"}"#;
    let text = work().calls("exec", code, "Done").user("And?").digest(900);
    assert!(text.contains("`let old_row = 1;` → `let new_row = 2;`"), "{text}");
    let look = r#"{"command":"grep -rn '*** Begin Patch' src"}"#;
    let text = work().calls("bash", look, "src/a.rs").user("And?").digest(900);
    assert!(text.contains("$ grep -rn '*** Begin Patch' src"), "{text}");
}

#[test]
fn a_file_stays_in_its_folder_where_nothing_touched_a_file_since() {
    let first = reads(Script::default().user("Fix the parser."), &["lexer", "parser", "walker"]);
    let edit = r#"{"path":"/home/me/shop/cmd/app/parser.go","old_string":"return nil","new_string":"return err"}"#;
    let first = first.calls("edit_file", edit, "ok").assistant("The parser returns its error now.");
    let first =
        first.calls("todo_write", r#"{"todos":[{"content":"name it","status":"pending"}]}"#, "ok");
    let first = first.user("Go on.").digest(500);
    assert!(first.contains("Paths are below /home/me/shop/cmd/;"), "{first}");
    let second = Script::after(&first).user("What would you name it?");
    let second = second.assistant("I would name it the scanner.").user("Why?");
    let second = second.digest(500);
    assert!(second.contains("Paths are below /home/me/shop/cmd/;"), "{second}");
    assert!(second.contains("- [ ] name it"), "{second}");
    let edit = r#"{"path":"/home/me/shop/docs/a.md","old_string":"x","new_string":"y"}"#;
    let third = Script::after(&second).calls("edit_file", edit, "ok");
    let third = third.user("Next?").digest(500);
    assert!(third.contains("Paths are below /home/me/shop/cmd/;"), "{third}");
    assert!(third.contains("- app/parser.go: edited"), "{third}");
    assert!(third.contains("- ../docs/a.md: edited"), "{third}");
}

#[test]
fn a_path_of_which_nobody_knows_the_folder_is_not_told_from_the_root() {
    let script = reads(Script::default().user("Fix the parser."), &["lexer", "parser", "walker"]);
    let loose = script.calls(
        "edit_file",
        r#"{"path":"web/ui.ts","old_string":"one","new_string":"two"}"#,
        "ok",
    );
    let first = loose.user("Go on.").digest(500);
    assert!(
        first.contains("- ./web/ui.ts: edited") && first.contains("those behind ./"),
        "{first}"
    );
    // And so it stays, until a whole path says where it is.
    let script = Script::after(&first);
    let again = reads(script, &["parser"]).user("Next?").source();
    assert!(digested(&again, 500).contains("- ./web/ui.ts: edited"));
    let read = r#"{"path":"/home/me/shop/web/ui.ts"}"#;
    let script = reads(Script::after(&first), &["parser"]);
    let text = script.calls("read_file", read, "1→const two = 2;").user("Next?").digest(500);
    assert!(text.contains("- ../web/ui.ts: edited") && !text.contains("behind ./"), "{text}");
}

#[test]
fn a_list_of_changed_files_that_is_not_whole_says_how_many_more_there_are() {
    let play = |script: Script, steps: std::ops::Range<usize>| {
        steps.fold(script, |script, at| {
            let row = format!("let row_{at} = {at};");
            let script = script.edits(&format!("made_of_row_{at:02}_put.rs"), "", &row);
            let script = reads(script, &[&format!("row_{at:02}_got")]);
            script.calls("bash", &format!(r#"{{"command":"make rows_of_{at:02}_run"}}"#), "done")
        })
    };
    // How many of each kind a section tells, and how many more there are.
    let counted = |text: &str, title: &str, end: &str| {
        let section = text.split("\n## ").find(|section| section.starts_with(title)).unwrap();
        let told = (0..90).filter(|at| section.contains(&format!("{at:02}_{end}"))).count();
        let more = section.split("\n- and ").nth(1).and_then(|rest| rest.split(" more").next());
        (told, more.map_or(0, |more| more.parse::<usize>().unwrap()))
    };
    let first = play(work(), 0..60).user("Go on.").digest(700);
    let next = play(Script::after(&first), 60..90).user("Go on.");
    let next = next.digest(700);
    for (text, all) in [(first, 60), (next, 90)] {
        // What the short piece of work before did may be left out too.
        let (told, more) = counted(&text, "Files changed", "put");
        assert!(told > 0 && more > 0, "{text}");
        assert!((all..=all + 1).contains(&(told + more)), "{told} {more}: {text}");
    }
    // What is passed over is left out too, whatever the budget.
    let played = play(work(), 0..60).user("Go on.").source();
    for budget in (520..1400).step_by(40) {
        let text = digested(&played, budget);
        let (told, more) = counted(&text, "Files changed", "put");
        assert!((60..=61).contains(&(told + more)), "{budget}: {told} {more}: {text}");
    }
    let text = reads(work(), &["lexer", "parser", "walker"]).user("Go.").digest(5000);
    assert!(text.contains("walker.go") && !text.contains("- and "), "{text}");
}

#[test]
fn a_file_that_takes_the_place_of_a_deleted_one_was_moved() {
    let write =
        |name: &str| format!(r#"{{"path":"/home/me/app/src/{name}","content":"fn a() {{}}"}}"#);
    let script = work().edits("main.rs", "let a = 1;", "let a = 2;");
    let script = script.edits("next.rs", "let b = 1;", "let b = 2;");
    let script = script.calls("write_file", &write("fresh.rs"), "ok");
    let script = script.runs("cd /home/me/app/src && rm main.rs old.rs", "");
    let script = script.runs("cd /home/me/app/src && mv next.rs main.rs", "");
    let script = script.runs("cd /home/me/app/src && mv fresh.rs old.rs", "");
    let text = script.user("Go on.").digest(900);
    assert!(text.contains("- src/next.rs → src/main.rs: edited, moved ["), "{text}");
    assert!(text.contains("- created in src: old.rs\n"), "{text}");
    assert!(!text.contains("deleted") && !text.contains("moved away"), "{text}");
    assert!(!text.contains("named in"), "{text}");
    // Nor is a name told under which nothing stands in the end.
    let script = work().edits("next.rs", "let b = 1;", "let b = 2;");
    let script = script.runs("cd /home/me/app/src && rm main.rs", "");
    let script = script.runs("cd /home/me/app/src && mv next.rs main.rs", "");
    let script = script.runs("cd /home/me/app/src && mv main.rs next.rs", "");
    let text = script.user("Go on.").digest(900);
    assert!(
        text.contains("next.rs") && !text.contains("main.rs: ") && !text.contains("named in"),
        "{text}"
    );
}

#[test]
fn what_is_only_set_anew_was_not_written() {
    let patch = "*** Begin Patch\n*** Update File: /w/app/lamp.rs\n@@\n-    // Trims the wick_length before the lamp smokes\n+    if is_lit {\n+        // Trims the wick_length before the lamp smokes\n+        // Halves the oil_level while the lamp burns low\n+    }\n*** End Patch";
    let script = Script::default().user("Go on.");
    let text = script.calls("apply_patch", &format!(r#"{{"patch":{}}}"#, quote(patch)), "Done");
    let text = text.user("And?").digest(900);
    assert!(
        text.contains("Halves the oil_level") && !text.contains("Trims the wick_length"),
        "{text}"
    );
}

#[test]
fn a_file_that_was_written_whole_is_told_by_what_it_defines() {
    let write = format!(
        r#"{{"path":"/w/app/lamp.py","content":{}}}"#,
        quote("import os\n\nclass Lamp(Base):\n    def light(self, at):\n        return at\n")
    );
    let script = Script::default().user("Go on.").calls("write_file", &write, "ok");
    let text = script.clone().user("And?").digest(900);
    assert!(text.contains("  wrote `class Lamp`, `def light`"), "{text}");
    let next = Script::after(&text).user("Go on.").digest(900);
    assert!(next.contains("  wrote `class Lamp`, `def light`"), "{next}");
    let edit = r#"{"path":"/w/app/lamp.py","old_string":"def light(self, at):","new_string":"def burn(self, at):"}"#;
    let text = script.calls("edit_file", edit, "ok").user("And?").digest(900);
    assert!(text.contains("  wrote `class Lamp`\n"), "{text}");
}

#[test]
fn a_line_that_was_read_before_an_unknown_change_is_not_quoted() {
    let read = r#"{"path":"/home/me/app/src/lamp.rs"}"#;
    let line = "// Trims the wick_length before the lamp smokes";
    let script = Script::default().user("Go on.").calls("read_file", read, line);
    let text = script.clone().user("And?").digest(900);
    assert!(text.contains(line), "{text}");
    let script = script.runs("cd /home/me/app && sed -i s/wick/oil/ src/lamp.rs", "");
    let text = script.clone().user("And?").digest(900);
    assert!(!text.contains(line) && text.contains("edited in src: lamp.rs"), "{text}");
    let text = script.calls("read_file", read, line).user("And?").digest(900);
    assert!(text.contains(line), "{text}");
}

#[test]
fn one_file_that_was_only_read_takes_no_whole_page() {
    let line = |file: &str, at: usize| {
        format!("{at}: the burner_{file}_{at} of the lamp holds its wick number {at}")
    };
    let lines =
        |file: &str, most: usize| (0..most).map(|at| line(file, at)).collect::<Vec<_>>().join("\n");
    let read = |script: Script, file: &str, most: usize| {
        let arguments = format!(r#"{{"path":"/home/me/app/{file}.log"}}"#);
        script.calls("read_file", &arguments, &lines(file, most))
    };
    // The names of the long one are as likely, and newer.
    let script = read(Script::default().user("Look at the logs."), "short", 20);
    let text = read(script, "long", 2000).user("And?").digest(1200);
    let told = |file: &str| text.matches(&format!("burner_{file}_")).count();
    assert!(told("short") >= 5 && told("long") > told("short"), "{text}");
}

#[test]
fn what_a_file_defines_is_told_before_what_it_does() {
    let does =
        |at: usize| format!("    let wick_{at} = trim_wick_{at}(burner_{at}, lamp.level);\n");
    let defines = |at: usize| format!("pub fn trim_wick_{at}(burner_{at}: Burner, level: u8) {{\n");
    let file: String = (0..20).map(does).chain((0..20).map(defines)).collect();
    let read = r#"{"path":"/home/me/app/wick.rs"}"#;
    let script = Script::default().user("Look at the wicks.").calls("read_file", read, &file);
    let text = script.assistant("I see.").user("And?").digest(450);
    let told = |line: &str| text.matches(line).count();
    assert!(told("> pub fn") > 2 * told("> let"), "{text}");
}

#[test]
fn a_path_that_is_only_listed_is_not_quoted() {
    let listed: Vec<String> = (0..40).map(|at| format!("src/wicks/trim_{at}.rs")).collect();
    let row = "trim_a.rs  trim_b.rs  oil/trim_c.rs\n".repeat(4);
    let printed = listed.join("\n");
    let printed = format!("{printed}\n{row}src/main.rs holds the lamp_width of all lamps\n");
    let script = Script::default().user("What is there?").runs("rg --files src", &printed);
    let text = script.assistant("I see.").user("And?").digest(600);
    // The last ones stand beside what is said of another.
    assert!(text.contains("lamp_width") && text.matches("\n> ").count() == 1, "{text}");
    // What is no path is a value.
    let values = "LAMP-4711\nhttps://lamps.example/4711\nlamp.width=40\n";
    let text = work().runs("./file-ticket", values).assistant("Filed.").user("And?").digest(900);
    for value in values.lines() {
        assert!(text.contains(value), "{value}\n{text}");
    }
}

#[test]
fn a_library_is_not_told_beside_what_it_was_taken_for() {
    let (old, new) = ("import (\n", "import (\n\"os\"\n");
    let script = Script::default().user("Go on.").edits("lamp.go", old, new);
    let script = script.edits("lamp.go", "func light() {", "func light(at int) {");
    let text = script.clone().user("And?").digest(900);
    assert!(text.contains("`func light(at int) {`") && !text.contains("added `\"os\"`"), "{text}");
    let alone =
        Script::default().user("Go on.").edits("lamp.go", old, new).user("And?").digest(900);
    assert!(alone.contains("added `\"os\"`"), "{alone}");
}

#[test]
fn what_is_put_back_without_git_is_perhaps_undone() {
    let updated = "The file has been updated.";
    let edit = |path: &str, old: &str, new: &str| {
        format!(r#"{{"file_path":"{path}","old_string":"{old}","new_string":"{new}"}}"#)
    };
    let script = Script::default()
        .user("Try it, please.")
        .runs("cp /w/a.py /w/a.py.bak && cp /w/b.py /tmp/b.py.orig", "")
        .calls("Edit", &edit("/w/a.py", "q_rows = 1", "q_lines = 2"), updated)
        .calls("Edit", &edit("/w/b.py", "q_oil = 1", "q_wax = 2"), updated)
        .runs("mv /w/a.py.bak /w/a.py; cp /tmp/b.py.orig /w/b.py", "")
        .calls(
            "str_replace_editor",
            r#"{"command":"str_replace","path":"/w/u.py","old_str":"x_old","new_str":"x_new"}"#,
            updated,
        )
        .calls("str_replace_editor", r#"{"command":"undo_edit","path":"/w/u.py"}"#, "Undone.")
        .calls(
            "edit_file",
            r#"{"path":"/w/dry.py","old_string":"d_old","new_string":"d_new","dry_run":true}"#,
            "-d_old\n+d_new",
        )
        .user("Well?");
    let text = script.digest(500);
    for file in ["a.py", "b.py", "u.py"] {
        let told = text.lines().any(|it| it.contains(file) && it.contains("perhaps undone"));
        assert!(told, "{file}\n{text}");
    }
    for hidden in ["q_lines", "q_wax", "x_new", ".bak: ", "created", "d_new`", "edited in /w: dry"]
    {
        assert!(!text.contains(hidden), "{hidden}\n{text}");
    }
}

#[test]
fn a_file_that_was_moved_aside_comes_back_by_its_name() {
    let script = Script::default()
        .user("Try it, please.")
        .runs("mv /w/a.py /w/a.py.bak", "")
        .runs("make", "lit")
        .runs("mv /w/a.py.bak /w/a.py", "")
        .user("Well?");
    let text = script.digest(400);
    assert!(text.contains("named in /w: a.py"), "{text}");
    assert!(!text.contains("moved") && !text.contains("created"), "{text}");
}

#[test]
fn what_is_cleared_away_is_deleted() {
    let script = Script::default()
        .user("Tidy up.")
        .calls("Write", r#"{"file_path":"/w/new.py","content":"x = 1"}"#, "File created")
        .calls("Write", r#"{"file_path":"/w/old.py","content":"y = 1"}"#, "File created")
        .runs("cd /w && git clean -fd", "Removing new.py")
        .runs("python3 -c \"import os; os.remove('/w/old.py')\"", "")
        .user("Well?");
    let text = script.digest(400);
    assert!(text.contains("deleted") && !text.contains("created"), "{text}");
}

#[test]
fn what_is_cleared_away_is_known_without_the_folder_if_nothing_else_is_meant() {
    let written = |path: &str| format!(r#"{{"file_path":"{path}","content":"x = 1"}}"#);
    let script = Script::default().user("Tidy up.");
    let script = script.calls("Write", &written("/w/new.py"), "File created");
    let cleared = |script: Script| script.runs("git clean -fd", "Removing new.py").user("Well?");
    let text = cleared(script.clone()).digest(400);
    assert!(text.contains("deleted") && !text.contains("created"), "{text}");
    let other = script.calls("Write", &written("/w/a/new.py"), "File created");
    let text = cleared(other).digest(400);
    assert!(text.contains("created") && !text.contains("deleted"), "{text}");
}

#[test]
fn a_file_is_not_moved_to_a_name_that_nobody_knows() {
    let script = Script::default().user("Rename them.").runs("echo a > log.txt", "");
    let script = script.runs("for f in *.txt; do mv \"$f\" \"${f%.txt}.md\"; done", "");
    let text = script.user("Well?").digest(400);
    assert!(text.contains("- moved: log.txt") && !text.contains(".md/"), "{text}");
}

#[test]
fn a_name_that_is_left_in_its_line_was_not_replaced() {
    let mut script = work();
    for file in ["wick.rs", "oil.rs"] {
        let (old, new) = ("fn lit(a: Lamp, b: Lamp) {}", "fn lit(a: Lamp, b: Lantern) {}");
        script = script.edits(file, old, new);
    }
    let text = script.user("Go on.").digest(600);
    assert!(!text.contains("replaced `Lamp`") && text.contains("b: Lantern"), "{text}");
}

#[test]
fn commands_that_show_other_parts_of_what_they_print_are_one() {
    let check = "npx frobnicate --with-every-check-that-there-is --in-all-packages --quietly";
    let script = work()
        .runs(&format!("{check} 2>&1 | head -80"), "a\nb")
        .runs(&format!("{check} 2>&1 | head -60"), "a\nb");
    let text = script.user("Go on.").digest(600);
    assert!(text.contains("in-all-pac… ×2 → ok"), "{text}");
    // What is written, and what is read from behind the pipe, is something else.
    for (one, other) in [
        (" | tee prod.yaml", " | tee stage.yaml"),
        (" | head > prod.yaml", " | head > stage.yaml"),
        (" <<'E' | head -80\ndrop()\nE", " <<'E' | head -80\nprint()\nE"),
    ] {
        let script = work().runs(&format!("{check}{one}"), "a\nb");
        let text = script.runs(&format!("{check}{other}"), "a\nb").user("Go on.").digest(600);
        assert!(!text.contains("in-all-pac… ×2") && !text.contains("in-all-packages ×2"), "{text}");
    }
}
