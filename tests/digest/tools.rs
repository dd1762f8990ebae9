//! What calls of many agents' tools did, and how that is told.

use crate::script::{Script, digested, work};

/// The digest of one call behind a short piece of work.
fn after(tool: &str, arguments: &str, result: &str) -> String {
    work().calls(tool, arguments, result).user("And?").digest(900)
}

#[test]
fn a_status_that_a_command_prints_is_its_own() {
    let run = |command: &str, result: &str| {
        Script::default().user("Mend it.").runs(command, result).user("And?").digest(300)
    };
    let text = run("make lint; echo $?", "a.go:3:1: undefined: lamp\n1");
    assert!(text.contains("$ make lint; echo $? → failed (exit 1): a.go:3:1"), "{text}");
    let text = run("make lint 2>&1 | tail -5; echo \"rc=${PIPESTATUS[0]}\"", "all is lit\nrc=2");
    assert!(text.contains("→ failed (exit 2): all is lit"), "{text}");
    let text = run("python lamp.py; echo EXIT=$?", "lit 3 lamps\nEXIT=0");
    assert!(text.contains("→ ok: lit 3 lamps ["), "{text}");
    let text = run("grep -q lamp a.rs; echo $?", "1");
    assert!(text.contains("→ ok: nothing found (exit 1)"), "{text}");
    let text = run("python lamp.py; echo \"exit: $?\"", "exit: 1 is trouble");
    assert!(!text.contains("failed"), "{text}");
}

#[test]
fn a_file_with_what_changes_in_it_is_edited() {
    let block =
        "<<<<<<< SEARCH\\nlet lamp_width = 1;\\n=======\\nlet lamp_width = 2;\\n>>>>>>> REPLACE";
    let diff = format!(r#"{{"path":"/home/me/app/src/lamp.rs","diff":"{block}"}}"#);
    let text = after("apply_diff", &diff, "ok");
    assert!(text.contains("lamp.rs: edited"), "{text}");
    assert!(text.contains("`let lamp_width = 1;` → `let lamp_width = 2;`"), "{text}");
    let code = r#"{"filePath":"/home/me/app/src/lamp.rs","code":"let lamp_width = 20;","explanation":"widen it"}"#;
    let text = after("insert_edit_into_file", code, "ok");
    assert!(text.contains("lamp.rs: edited") && !text.contains("$ let"), "{text}");
    let several = r#"{"explanation":"widen","replacements":[{"filePath":"/home/me/app/src/lamp.rs","oldString":"let a_row = 1;","newString":"let a_row = 2;"},{"filePath":"/home/me/app/src/oil.rs","oldString":"let b_row = 1;","newString":"let b_row = 2;"}]}"#;
    let text = after("multi_replace_string_in_file", several, "ok");
    assert!(text.contains("lamp.rs: edited") && text.contains("oil.rs: edited"), "{text}");
}

#[test]
fn a_verb_beside_a_file_is_no_command() {
    let write =
        r#"{"command":"write","path":"/home/me/app/src/lamp.rs","file_text":"let lamp = 1;"}"#;
    let text = after("developer__text_editor", write, "ok");
    assert!(text.contains("lamp.rs") && !text.contains("$ write"), "{text}");
    assert!(text.contains("created in src: lamp.rs"), "{text}");
    let view = r#"{"command":"view","path":"/home/me/app/src/lamp.rs","file_text":null,"old_str":null,"new_str":null}"#;
    let text = after("str_replace_editor", view, "1\tlet lamp = 1;");
    assert!(!text.contains("lamp.rs: edited"), "{text}");
    let make = r#"{"command":"make","path":"/home/me/app"}"#;
    let text = after("run", make, "done");
    assert!(text.contains("$ make → ok"), "{text}");
}

#[test]
fn files_are_deleted_moved_and_read_by_any_tool() {
    let text = after("rm", r#"{"path":"/home/me/app/src/lamp.rs"}"#, "ok");
    assert!(text.contains("deleted in src: lamp.rs"), "{text}");
    let to = r#"{"source":"/home/me/app/src/upload.rs","destination":"/home/me/app/src/sent.rs"}"#;
    for tool in ["rename_file", "move_file"] {
        let text = after(tool, to, "ok");
        assert!(text.contains("src/upload.rs → src/sent.rs"), "{text}");
    }
    let read = r#"{"files":[{"file_path":"/home/me/app/src/lamp.rs","start_line":1}]}"#;
    let text = after("ViewCode", read, "1\tlet lamp = 1;");
    assert!(text.contains("lamp.rs") && !text.contains("lamp.rs: edited"), "{text}");
    for (tool, key) in [("open_files", "file_paths"), ("read_files", "files")] {
        let text = after(tool, &format!(r#"{{"{key}":["/home/me/app/src/lamp.rs"]}}"#), "1\tlamp");
        assert!(text.contains("lamp.rs"), "{text}");
    }
}

#[test]
fn a_list_of_tasks_is_a_plan_in_any_form() {
    let list = r#"{"command":"plan","task_list":[{"id":"1","title":"light the lamp","status":"done","notes":""},{"id":"2","title":"buy oil","status":"todo"}]}"#;
    let text = after("task_tracker", list, "Task list has been updated");
    assert!(text.contains("buy oil") && !text.contains("$ plan"), "{text}");
    let text = after("task_tracker", r#"{"command":"view"}"#, "1. light");
    assert!(!text.contains("$ view"), "{text}");
    let list = r#"{"todos":"[x] light the lamp\n[-] trim the wick\n[ ] buy oil"}"#;
    let text = after("update_todo_list", list, "ok");
    assert!(text.contains("- [~] trim the wick\n") && text.contains("- [ ] buy oil"), "{text}");
    assert!(!text.contains("document the retry"), "{text}");
}

#[test]
fn each_command_of_a_list_has_its_own_end() {
    let list = r#"{"commands":["cargo test lamp","cargo test oil"]}"#;
    let records = r#"[{"query":"cargo test lamp","result":"test result: ok. 3 passed; 0 failed","success":true},{"query":"cargo test oil","result":"error: no oil\n","success":false}]"#;
    let text = after("run_commands", list, records);
    assert!(text.contains("cargo test lamp → ok: 3 passed ["), "{text}");
    assert!(text.contains("cargo test oil → failed: error: no oil"), "{text}");
    let one = r#"{"commands":["cargo test lamp"]}"#;
    let record = r#"[{"query":"cargo test lamp","result":"","error":"Command failed with exit code 3","success":false}]"#;
    let text = after("run_commands", one, record);
    assert!(text.contains("cargo test lamp → failed"), "{text}");
    let text = after("run_commands", list, "both are well");
    assert!(text.contains("$ cargo test lamp cargo test oil → ok"), "{text}");
}

#[test]
fn a_tool_says_whether_a_file_was_there_before() {
    let write = r#"{"file_path":"/home/me/app/src/lamp.rs","content":"let lamp = 1;"}"#;
    let text = after("write_file", write, "Successfully overwrote file: lamp.rs.");
    assert!(text.contains("edited in src: lamp.rs") || text.contains("lamp.rs: edited"), "{text}");
    let text = after("write_file", write, "Successfully created and wrote to new file: lamp.rs.");
    assert!(text.contains("created in src: lamp.rs"), "{text}");
}

#[test]
fn tests_that_an_editor_runs_are_told_apart_from_its_edit() {
    let edit = r#"{"path":"/home/me/app/src/lamp.rs","old_string":"let lamp = 1;","new_string":"let lamp = 2;"}"#;
    let failed = "The file has been edited.\n\nRunning 5 tests:\n* FAILED lamp_test.py LampTests.test_lit\n\
                  Traceback (most recent call last):\nAssertionError: 1 != 2\n\n3 passed. 2 failed. 0 errors.";
    let text = after("replace", edit, failed);
    assert!(text.contains("lamp.rs: edited"), "{text}");
    assert!(text.contains("tests run by replace failed: 3 passed. 2 failed"), "{text}");
    assert!(text.contains("LampTests.test_lit"), "{text}");
    let script = work().calls("replace", edit, failed);
    let script = script.calls("replace", edit, "Running 5 tests:\n\n5 passed. 0 failed. 0 errors.");
    let text = script.user("And?").digest(900);
    assert!(!text.contains("tests run by replace failed"), "{text}");
}

#[test]
fn a_command_that_is_shown_is_no_reason() {
    let run = |result: &str| work().runs("cd /w/app && python3 ../make_error.py", result);
    let result = "cd /w/app && python3 ../make_error.py\n\
                  python3: can't open file '/w/make_error.py': [Errno 2] No such file or directory\n\
                  [The command completed with exit code 2.]";
    let text = run(result).user("And?").digest(900);
    assert!(text.contains("→ failed (exit 2): python3: can't open file"), "{text}");
    let text = work().runs("./lamp.sh", "<system>Command executed successfully.</system>");
    let text = text.user("And?").digest(900);
    assert!(text.contains("$ ./lamp.sh → ok ["), "{text}");
}

#[test]
fn a_long_beginning_hides_no_program() {
    let way = "/home/me/app/target/a/long/way/down/to/the/folder/of/the/oil";
    for command in [
        format!(
            "LAMP_DIR=\"{way}\" # where it is\nuv run light.py --all --with-every-option --and-more"
        ),
        format!("cd {way} && PYTHONPATH=/home/me/app timeout 60 uv run light.py --all --and-more"),
    ] {
        let text = work().runs(&command, "done").user("And?").digest(900);
        assert!(text.contains("… uv run light.py --all"), "{text}");
    }
}

#[test]
fn a_pattern_in_a_command_names_the_files_that_are_known() {
    let script = work().runs(
        "cd /home/me/app && cargo test",
        "Exit code 101\nerror[E0425]: cannot find value `one` in src/upload.rs:3:5",
    );
    let script = script.runs("cd /home/me/app && sed -i 's/one/two/' src/*.rs", "");
    let script = script.runs("cd /home/me/app && cargo test", "12 passed; 0 failed");
    let text = script.user("And?").digest(900);
    assert!(text.contains("→ fixed by editing upload.rs"), "{text}");
    let script = work().edits("lamp.rs", "let a = 1;", "let a = 2;");
    let script = script.runs("cd /home/me/app && mv src/l*.rs lib/", "");
    let text = script.user("And?").digest(900);
    assert!(text.contains("src/lamp.rs → lib/lamp.rs"), "{text}");
    let each = "cd /home/me/app && for f in upload lamp; do mv src/$f.rs lib/; done";
    let text = digested(&work().runs(each, "").user("And?").source(), 900);
    assert!(text.contains("src/upload.rs → lib/upload.rs"), "{text}");
}

#[test]
fn a_program_beside_a_command_says_what_it_writes() {
    let command = "cd /home/me/app && python3 - <<'E'\np = 'src/upload.rs'\ns = open(p).read()\nopen(p, 'w').write(s)\nE";
    let text = work().runs(command, "").user("And?").digest(900);
    assert!(text.contains("src/upload.rs: edited ×2"), "{text}");
    // Each of a list touches its own.
    let list = r#"{"commands":["rm /home/me/app/src/old.rs","make"]}"#;
    for result in ["done", r#"[{"result":"a","success":true},{"result":"b","success":true}]"#] {
        let text = after("run_commands", list, result);
        assert!(text.contains("deleted in src: old.rs"), "{text}");
    }
}

#[test]
fn a_search_that_says_so_found_nothing() {
    let search = r#"{"pattern":"lamp_width","path":"/home/me/app/src"}"#;
    let text = after("search_files", search, "Found 0 results.");
    assert!(
        text.contains("searched `lamp_width`") && text.contains("> Found 0 results."),
        "{text}"
    );
}

#[test]
fn a_field_that_two_objects_have_is_told_with_its_own() {
    let seats = r#""seats":{"economy":11,"business":12}"#;
    let prices = r#""prices":{"economy":152,"business":352}"#;
    let first = r#""prices":{"economy":141,"business":477},"seats":{"economy":21,"business":22}"#;
    let all = format!(r#"[{{"flight":"HAT057",{first}}},{{"flight":"HAT136",{seats},{prices}}}]"#);
    let script = Script::default().user("Find me a flight to Seattle.");
    let script = script.calls("find_flights", r#"{"to":"SEA"}"#, &all);
    let text = script.assistant("There are two.").user("Which one is the best?").digest(200);
    let second = "HAT136, seats.economy: 11, business: 12, prices.economy: 152, business: 352";
    assert!(text.contains(second), "{text}");
}

#[test]
fn the_title_of_a_ticket_that_the_user_named_is_told_once() {
    let issue = |number: usize, title: &str| {
        format!(
            r#"{{"id":"{number}-ff","identifier":"LAMP-{number}","title":"{title}","status":"Todo","estimate":3}}"#
        )
    };
    let issues = format!(
        r#"{{"issues":[{},{}]}}"#,
        issue(7, "Paint the lamp room again"),
        issue(12, "Trim wicks before it gets dark")
    );
    let script = Script::default()
        .user("Please do LAMP-12.")
        .calls("list_issues", r#"{"query":"LAMP-12"}"#, &issues)
        .calls("get_issue", r#"{"id":"LAMP-12"}"#, &issue(12, "Trim wicks before it gets dark"));
    let script = (0..9)
        .fold(script, |script, n| script.edits(&format!("wick{n}.rs"), "let a = 1;", "let a = 2;"));
    let text = script.user("Go on.").digest(200);
    assert_eq!(text.matches("Trim wicks before it gets dark").count(), 1, "{text}");
    assert!(!text.contains("Paint the lamp room"), "{text}");
}

#[test]
fn how_a_command_is_to_be_run_is_nothing_that_it_printed() {
    let run = r#"{"command":"Get-Content oil.md","prefix_rule":["C:\\Users\\ada\\AppData\\Local\\Microsoft\\WindowsApps\\pwsh.exe","-Command"],"justification":"Read the oil level"}"#;
    let text = after("shell_command", run, "The tank holds nine litres of whale oil.");
    assert!(text.contains("$ Get-Content oil.md") && !text.contains("pwsh"), "{text}");
}
