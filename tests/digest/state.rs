//! Where the work stands: what was committed last, and what was changed since it or since the last words.

use crate::script::{Script, work};

const PUSHED: &str = "To a.example:lamp.git\n   0a1b2c3..1f2e3d4  main -> main";

fn edits(script: Script, file: &str) -> Script {
    script.edits(file, "let a = 1;", "let lamp_most = 2;")
}

/// A commit of a change.
fn committed() -> Script {
    let script = edits(Script::default().user("Mend the lamp, and commit."), "lamp.rs");
    script.runs("git commit -am 'Mend the lamp'", "[main 1f2e3d4] Mend the lamp\n 1 file changed")
}

#[test]
fn the_last_commit_is_told_and_whether_it_was_pushed() {
    let told = |script: Script| script.user("And now?").digest(900);
    let here = "- [3] The last commit: [main 1f2e3d4] Mend the lamp";
    let text = told(committed());
    assert!(text.lines().any(|line| line == here), "{text}");
    let pushed = committed().runs("git push", PUSHED);
    let text = told(pushed.clone());
    assert!(text.contains(&format!("{here}, pushed [5]")), "{text}");
    let text = told(edits(pushed, "wick.rs"));
    assert!(text.contains(&format!("{here}, pushed [5], then changed wick.rs")), "{text}");
}

#[test]
fn the_branch_of_the_last_commit_is_told_where_there_is_room() {
    let told = |branch: &str| {
        let script = edits(Script::default().user("Mend the lamp, and commit."), "lamp.rs");
        let said = format!("[{branch} 1f2e3d4] Mend the lamp");
        script.runs("git commit -am 'Mend the lamp'", &said).user("And now?").digest(900)
    };
    assert!(told("lamps/mend").contains("The last commit: [lamps/mend 1f2e3d4] Mend the lamp"));
    let text = told(&"and mend ".repeat(40));
    assert!(text.contains("The last commit: [1f2e3d4] Mend the lamp"), "{text}");
}

#[test]
fn what_was_not_pushed_is_not_told_as_pushed() {
    let refused = "! [rejected] main -> main (fetch first)\nerror: failed to push some refs";
    for (command, output) in [
        ("git push", refused),
        ("git push --dry-run", PUSHED),
        ("git push origin --delete old-lamp", "To a.example:lamp.git\n - [deleted] old-lamp"),
        ("git push origin :old-lamp", "To a.example:lamp.git\n - [deleted] old-lamp"),
        ("git push &", ""),
        ("git push", "Username for 'https://a.example':"),
        ("cd /home/me/oil && git push", PUSHED),
    ] {
        let text = committed().runs(command, output).user("And now?").digest(600);
        assert!(text.contains("The last commit: [main 1f2e3d4] Mend the lamp"), "{text}");
        assert!(!text.contains(", pushed"), "{text}");
    }
}

#[test]
fn a_commit_that_was_taken_back_is_told_with_that() {
    for (reset, output) in [
        ("git reset HEAD~1", "Unstaged changes after reset:\nM\tlamp.rs"),
        ("git reset --soft HEAD~1", ""),
    ] {
        let text = committed().runs(reset, output).user("And now?").digest(600);
        let told = format!("Mend the lamp, then `{reset}` [5]");
        assert!(text.contains(&told), "{text}");
    }
}

#[test]
fn a_commit_is_the_last_even_where_its_push_was_refused_or_git_said_nothing() {
    let refused = "Exit code 1\n[main 2a3b4c5] Trim the wick\n 1 file changed\nTo a.example:lamp.git\n \
                   ! [rejected] main -> main (fetch first)\nerror: failed to push some refs";
    let both = "git commit -qam 'Trim the wick' && git push";
    let pushed = committed().runs("git push", PUSHED);
    let trimmed = pushed.clone().runs(both, refused);
    let text = trimmed.clone().user("And now?").digest(900);
    let last = |text: &str| {
        let line = text.lines().find(|line| line.contains("The last commit")).unwrap_or(text);
        line.to_owned()
    };
    assert_eq!(last(&text), "- [7] The last commit: [main 2a3b4c5] Trim the wick", "{text}");
    let text = trimmed.runs("git push", PUSHED).user("And now?").digest(900);
    let told = "- [7] The last commit: [main 2a3b4c5] Trim the wick, pushed [9]";
    assert_eq!(last(&text), told, "{text}");
    let text = pushed.clone().runs(&format!("{both} -q"), "").user("And now?").digest(900);
    assert_eq!(last(&text), "- [7] The last commit: Trim the wick, pushed [7]", "{text}");
    // Nobody knows whether the first one was made, and the other was not.
    for (command, said) in
        [("git commit -qam Wick; make", ""), ("git commit -am Wick", "nothing to commit")]
    {
        let text = pushed.clone().runs(command, said).user("And now?").digest(900);
        assert!(last(&text).contains("1f2e3d4] Mend the lamp, pushed [5]"), "{text}");
    }
}

#[test]
fn the_last_commit_of_an_earlier_digest_stays_so_until_there_is_another() {
    let mut text = committed().user("And now?").digest(600);
    for _ in 0..3 {
        let next = Script::after(&text).user("Push it.").runs("git push", PUSHED);
        text = next.user("And?").digest(600);
        let told = "[1.3] The last commit: [main 1f2e3d4] Mend the lamp";
        assert_eq!(text.matches(told).count(), 1, "{text}");
        assert_eq!(text.matches(", pushed").count(), 1, "{text}");
    }
    let next = Script::after(&text).user("Go on.");
    let next = next.runs("git commit -am 'Trim the wick'", "[main 2a3b4c5] Trim the wick");
    let text = next.user("And?").digest(600);
    assert_eq!(text.matches("The last commit").count(), 1, "{text}");
    assert!(text.contains("The last commit: [main 2a3b4c5] Trim the wick"), "{text}");
}

#[test]
fn a_step_that_the_last_checks_tell_is_told_once() {
    let checked =
        Script::default().user("Mend it.").runs("cargo test", "test result: ok. 4 passed");
    let text = checked.clone().user("And now?").digest(900);
    assert!(
        text.contains("The last checks: `cargo test`") && !text.contains("The last step"),
        "{text}"
    );
    let text = edits(checked, "lamp.rs").user("And now?").digest(900);
    assert!(text.contains("The last step: edited /home/me/app/src/lamp.rs"), "{text}");
}

#[test]
fn a_step_that_does_nothing_gives_way_to_the_one_before() {
    let todos = r#"{"todos":[{"content":"trim the wick","status":"pending"}]}"#;
    let script = Script::default().user("Build it.").runs("make lamp", "made lamp in 3 s");
    let script = script.runs("true", "").runs("echo done && sleep 1", "done");
    let text = script.calls("todo_write", todos, "ok").user("And?").digest(600);
    assert!(text.contains("- [1] The last step: ran `make lamp`"), "{text}");
    let script = Script::default().user("Say it.").runs("echo done > lamp.txt", "");
    let text = script.user("And?").digest(600);
    assert!(text.contains("The last step: ran `echo done > lamp.txt`"), "{text}");
}

#[test]
fn points_of_a_list_are_told_apart_in_the_last_words() {
    let said = "The lamp can do more now:\n\n- Burn all night\n- Blink twice\n- Go out alone\n";
    let script = Script::default().user("Go.").runs("make lamp", "made lamp").assistant(said);
    let text = script.user("And?").digest(500);
    assert!(text.contains("now: Burn all night; Blink twice; Go out alone"), "{text}");
}

#[test]
fn a_command_that_the_user_ran_last_is_told_as_theirs() {
    let typed = "<bash-input>make lamp</bash-input>";
    let script = Script::default().user("Build it.").runs("ls", "lamp.c").user(typed);
    let text = script.user("<bash-stdout>made lamp in 3 s</bash-stdout>").user("And?").digest(600);
    assert!(text.contains("The last step: the user ran `make lamp`"), "{text}");
}

#[test]
fn a_command_that_the_user_ran_is_told_as_theirs_however_often_it_is_folded() {
    let typed = "<bash-input>git pull</bash-input>";
    let pulled = "<bash-stdout>Already up to date.</bash-stdout>";
    let script = Script::default().user("Build it.").user(typed).user(pulled);
    let then = |script: Script| script.runs("make lamp", "made lamp").user("And?").digest(600);
    let first = then(script);
    let wanted = "$ git pull by the user → ok: Already up to date. [";
    assert!(first.contains(wanted), "{first}");
    let text = then(Script::after(&first));
    assert!(text.contains(&format!("{wanted}1.")), "{text}");
    let text = then(Script::after(&first).runs("git pull", "Already up to date."));
    assert!(text.contains("$ git pull ×2 → ok: Already up to date. [1]"), "{text}");
}

#[test]
fn where_a_session_begins_no_shell_was_sent() {
    let at = |folder: &str| format!("lamp.c\n(Current directory: {folder})\nbash-$");
    let told = |script: Script| script.assistant("Found.").user("And?").digest(300);
    let began = Script::default().user("Find it.").runs("ls", &at("/w")).runs("ls -a", &at("/w"));
    let text = told(began.clone());
    assert!(!text.contains("The last cd"), "{text}");
    let text = told(began.clone().runs("pushd lamps", &at("/w/lamps")));
    assert!(text.contains("The last cd: /w/lamps"), "{text}");
    let text = told(Script::default().user("Find it.").runs("cd lamps", &at("/w/lamps")));
    assert!(text.contains("The last cd: /w/lamps"), "{text}");
}

#[test]
fn what_a_program_is_given_is_named_behind_a_folder() {
    let folder = "/home/me/workspace/lamps_and_their_burners__2.4";
    let run = format!(
        "cd {folder} && PYTHONPATH={folder}/lib:{folder}/vendor/lib python3 /home/me/light_it.py"
    );
    let script = Script::default().user("Light it.").runs(&run, "Exit code 1\nIndexError: no oil");
    let text = script.assistant("It has no oil.").user("And?").digest(600);
    let wanted = "`cd …/lamps_and_their_burners__2.4 && PYTHONPATH=… python3 /home/me/light_it.py`";
    assert!(text.contains(wanted), "{text}");
}

#[test]
fn the_list_of_what_comes_next_is_whole_in_the_last_words() {
    let said = "Great, all of that is in place now and works as you wanted it to work for you.\n\n\
                **Next steps:**\n1. Delete the old wick\n2. Trim the new one\n3. Light the lamp\n\n\
                That is all there is to tell of it today, and I am very glad to have been of help.";
    let script = Script::default().user("Go.").runs("make lamp", "made lamp").assistant(said);
    let text = script.user("And?").digest(500);
    let list = "Next steps:** 1. Delete the old wick 2. Trim the new one 3. Light the lamp";
    assert!(text.contains(list), "{text}");
    assert!(!text.contains("words: Great, all of that"), "{text}");
}

#[test]
fn the_tags_around_a_thought_are_not_told() {
    let said =
        "<thoughts>The wick_length has to be halved because it smokes.</thoughts>\nI halve it.";
    let script =
        Script::default().user("Go.").assistant(said).edits("wick.rs", "let a = 2;", "let a = 1;");
    let text = script.user("And?").digest(600);
    assert!(
        text.contains("words: The wick_length has to be halved") && !text.contains("thoughts>"),
        "{text}"
    );
}

#[test]
fn a_list_of_tasks_that_was_asked_for_is_the_plan() {
    let updated = r#"{"taskId":"2","status":"in_progress"}"#;
    let tasks = "#1 [completed] Trim the wick\n#2 [pending] Fill the lamp [blocked by #1]";
    let listed = |answer: &str| {
        let script = edits(Script::default().user("Mend the lamp."), "lamp.rs");
        let script = script.calls("TaskList", "{}", answer).calls("TaskUpdate", updated, "ok");
        script.user("And now?").digest(900)
    };
    let text = listed(tasks);
    assert!(text.contains("- [x] #1 Trim the wick\n- [~] #2 Fill the lamp\n"), "{text}");
    let text = listed("#1 [open] Trim the wick\n#2 [closed] Fill the lamp");
    assert!(!text.contains("- [x] #1"), "issues are no tasks: {text}");
}

#[test]
fn the_last_words_begin_with_no_point_of_a_list_and_end_with_no_offer() {
    let said = "All is well by now:\n\n1. Where oil is poured, we get:\n   - A warning of the low tide for the keeper\n\n\
                The keeper of the lighthouse asked for the other change in spring, so all of that can wait until then.\n\
                The lamp warns them in time. Let me know if you need anything else!";
    let text = work().assistant(said).user("Go on.").digest(180);
    let words = text.lines().find(|line| line.contains("last words")).unwrap_or_default();
    assert!(words.ends_with("words: The lamp warns them in time."), "{text}");
}

#[test]
fn few_words_are_the_last_ones_where_the_user_spoke_before_them() {
    let done = work().assistant("All tests pass, and the lamp burns all night long now.");
    let told =
        |last: &str| done.clone().user("Undo that.").assistant(last).user("Go on.").digest(300);
    for last in ["It failed.", "Reverted."] {
        let text = told(last);
        assert!(text.contains(&format!("last words: {last}")), "{text}");
    }
    let text = told("You're welcome!");
    assert!(text.contains("last words: All tests pass"), "{text}");
}

#[test]
fn what_was_up_to_date_was_not_pushed_by_that() {
    let told = |script: Script| script.user("And now?").digest(900);
    let pushes = |script: Script| script.runs("git push", "Everything up-to-date");
    let text = told(pushes(committed()));
    assert!(text.contains("Mend the lamp, nothing to push [5]"), "{text}");
    let text = told(pushes(committed().runs("git push", PUSHED)));
    assert!(text.contains("Mend the lamp, pushed [5]"), "{text}");
}

#[test]
fn what_is_told_of_a_commit_is_of_the_same_folder_and_branch() {
    let told =
        |script: Script| script.runs("make lamps", "All lamps burn.").user("So?").digest(900);
    let elsewhere = "cd /home/me/oil && git log --oneline";
    let text = told(committed().runs(elsewhere, "5e5e5e5 Mend the lamp\n1a1a1a1 Begin"));
    assert!(!text.contains("5e5e5e5]") && !text.contains(", now "), "{text}");
    let text = told(committed().runs("git push origin main", "Everything up-to-date"));
    assert!(!text.contains("nothing to push"), "{text}");
    let stashed = "Saved working directory and index state WIP on main: 1f2e3d4 Mend the lamp";
    let script = edits(committed(), "wick.rs").runs("git stash", stashed);
    let text =
        told(script.runs("cd /home/me/oil && git stash pop", "Dropped refs/stash@{0} (1a2b)"));
    assert!(!text.contains("popped"), "{text}");
}

#[test]
fn a_call_that_lists_nothing_leaves_the_plan() {
    for (tool, answer) in
        [("browser_reload", ""), ("TaskList", ""), ("ListIssues", "#7 [pending] x")]
    {
        let text = work().calls(tool, "{}", answer).user("And now?").digest(900);
        assert!(text.contains("- [ ] document the retry"), "{tool}: {text}");
    }
}

#[test]
fn a_report_that_nobody_spoke_of_is_told_by_its_first_sentences() {
    let report = "## Summary\n\nThe wick is trimmed, and all 6 tests pass.\n\nIt was too long.";
    let script = edits(Script::default().user("Mend the lamp."), "lamp.rs");
    let script = script.assistant("I let somebody look at it.");
    let script = script.calls("Task", r#"{"prompt":"Trim the wick"}"#, report);
    let told = "The last subagent's report: The wick is trimmed, and all 6 tests pass. It was too";
    let text = script.clone().user("And now?").digest(900);
    assert!(text.contains(told), "{text}");
    let spoke = script.clone().assistant("The wick is trimmed now, as reported.");
    for script in [spoke, edits(script, "wick.rs")] {
        let text = script.user("And?").digest(900);
        assert!(!text.contains("subagent's report"), "{text}");
    }
}
