//! What was found to be wrong without a command that shows it, and what ran until a command passed.

use super::script::{Script, work};

/// There is room for all.
const BUDGET: usize = 2500;

fn reported() -> Script {
    let script = work().user("The same lamp is shown twice after midnight.");
    let script = script.assistant("I look at how lamps are told apart.");
    let script = script.runs("grep -n lamp_id lamps.py", "12: lamp_id = date + name");
    script.assistant("I see the problem. A lamp that burns past midnight gets two ids because the date begins them.")
}

#[test]
fn what_the_model_found_to_be_wrong_is_told_with_what_was_changed_for_it() {
    let script = reported().edits("lamps.py", "lamp_id = date + name", "lamp_id = name");
    let script = script.runs("python -m pytest", "3 passed");
    let text = script.user("So?").digest(BUDGET);
    let found = "found for [13]: I see the problem. A lamp that burns past midnight gets two ids because the date begins them.";
    let mended = "→ then editing lamps.py: `lamp_id = date + name` → `lamp_id = name`; `python -m pytest` ok [20]";
    assert!(text.contains(&format!("- [17] {found} {mended}\n")), "{text}");
    let folded = Script::after(&text).user("Go on.").assistant("I do.").user("So?").digest(BUDGET);
    assert!(folded.contains("found for [1.13]: I see the problem."), "{folded}");
}

#[test]
fn a_change_that_has_no_word_of_what_was_found_is_not_told_as_made_for_it() {
    let script = reported().assistant("Now the second wish.");
    let text = script.edits("door.py", "knob = 3", "knob = 4").user("So?").digest(BUDGET);
    assert!(text.contains("because the date begins them.\n"), "{text}");
    assert!(text.contains("`knob = 3` → `knob = 4`") && !text.contains("→ then"), "{text}");
}

#[test]
fn a_word_behind_what_was_found_tells_that_a_change_was_made_for_it() {
    let edits = |found: &str| {
        let script = work().user("The same lamp is shown twice after midnight.").assistant(found);
        let script = script.edits("ids.py", "date + name", "name");
        script.user("So?").digest(BUDGET).contains("→ then editing ids.py")
    };
    let found = "I see the problem. A lamp that burns past midnight is told by two numbers.";
    assert!(edits(&format!("{found}\n\nIts `date` begins what it is called.")));
    assert!(!edits(&format!("{found}\n\nIt has two numbers.\n\nNext: the date of the fair.")));
    // Code has few words of other languages.
    assert!(edits(&format!("{found}\n\nNach Mitternacht zählt sie für zwei.")));
}

#[test]
fn what_a_command_showed_is_told_of_the_command() {
    let script = work().user("Run the tests.");
    let script =
        script.runs("python -m pytest", "E   assert 2 == 3\nFAILED test_lamps.py::test_ids");
    let why = "The problem is that a lamp that burns past midnight fails the assertion.";
    let script = script.assistant(why).runs("cat lamps.py", "lamp_id = date + name");
    let script = script.assistant("I mend it.");
    let text = script.user("So?").digest(BUDGET);
    assert!(!text.contains("found for ["), "{text}");
    assert!(text.contains("→ said [16] The problem is that a lamp"), "{text}");
}

#[test]
fn what_is_said_again_in_the_end_is_told_once() {
    let script = reported().edits("lamps.py", "lamp_id = date + name", "lamp_id = name");
    let script = script
        .assistant("The bug was that the lamp got two ids because of the date. All is well now.");
    let text = script.user("So?").digest(BUDGET);
    assert_eq!(text.matches("found for [").count(), 1, "{text}");
}

#[test]
fn a_pull_before_a_push_is_told() {
    let script = work()
        .runs("git push", "Exit code 1\nerror: failed to push some refs to 'example.com:lamp.git'");
    let script = script.runs("git status", "On branch main");
    let script = script.runs("git pull --rebase 2>&1", "Rebased.");
    let text = script.runs("git push", "main -> main").user("So?").digest(BUDGET);
    assert!(text.contains("lamp.git' → after `git pull --rebase` [17] → passed [19]"), "{text}");
}

#[test]
fn what_the_same_command_was_given_then_is_told() {
    let call = |given: &str| format!(r#"{{"command":"make lamps"{given}}}"#);
    let script =
        work().calls("bash", &call(r#","timeout":1000"#), "Exit code 1\nerror: wick denied");
    let script = script.calls("bash", &call(r#","timeout":1000,"sandbox":"off""#), "done");
    let text = script.user("So?").digest(BUDGET);
    assert!(text.contains("wick denied → with `sandbox: off` → passed [15]"), "{text}");
}

#[test]
fn what_would_mend_a_bug_is_told_where_nothing_was_changed_for_it() {
    let fix = "The fix would be to leave the date out of the id.";
    let text = reported().assistant(fix).user("So?").digest(BUDGET);
    assert!(text.contains(&format!("date begins them. → proposed [18] {fix}\n")), "{text}");
    let script = reported().assistant(fix).edits("lamps.py", "lamp_id = date + name", "id = name");
    let text = script.user("So?").digest(BUDGET);
    assert!(!text.contains("→ proposed"), "{text}");
}

#[test]
fn what_was_given_up_is_not_told_as_found() {
    let mended =
        |script: Script| script.edits("lamps.py", "lamp_id = date + name", "lamp_id = name");
    let back = reported().assistant("No, the date is right. I look at the names.");
    let text = mended(back).user("So?").digest(BUDGET);
    assert!(!text.contains("found for ["), "{text}");
    let refused = mended(reported()).user("That's not what I asked for. Put it back!");
    let text = refused.assistant("You're right, I put it back.").user("So?").digest(BUDGET);
    assert!(!text.contains("found for ["), "{text}");
}

#[test]
fn a_test_that_failed_since_is_not_told_as_passed() {
    let script = reported().edits("lamps.py", "lamp_id = date + name", "lamp_id = name");
    let script = script.runs("python -m pytest", "3 passed");
    let script = script.runs("python -m pytest", "FAILED test_lamps.py::test_ids");
    let text = script.user("So?").digest(BUDGET);
    assert!(text.contains("→ then editing lamps.py"), "{text}");
    assert!(!text.contains("`python -m pytest` ok ["), "{text}");
}

#[test]
fn a_command_that_is_only_named_in_what_was_found_ends_nothing() {
    let script = work().user("Why is nothing tested?");
    let script = script.assistant(
        "The problem is that `python -m pytest` is started in the folder above the lamps.",
    );
    let first = script.user("I see.").assistant("Good.").user("So?").digest(BUDGET);
    assert!(first.contains("- [14] found for [13]: The problem is that"), "{first}");
    let script = Script::after(&first).user("Run it.");
    let script = script.runs("python -m pytest", "FAILED test_lamps.py::test_ids");
    let text = script.user("So?").digest(BUDGET);
    assert!(text.contains("in the folder above the lamps.\n"), "{text}");
}

#[test]
fn only_how_a_command_runs_is_told_of_what_it_was_given() {
    let call = |given: &str| format!(r#"{{"command":"make lamps"{given}}}"#);
    let script = work().calls("bash", &call(""), "Exit code 1\nerror: wick denied");
    let given = r#","description":"Once more","stdin":"hunter2","pin":"4711""#;
    let text = script.calls("bash", &call(given), "done").user("So?").digest(BUDGET);
    assert!(text.contains("wick denied → passed [15]"), "{text}");
}

#[test]
fn what_was_changed_for_a_bug_and_taken_back_is_told_so() {
    let script = reported().edits("lamps.py", "lamp_id = date + name", "lamp_id = name");
    let script = script.runs("python -m pytest", "3 passed").user("Leave it for now.");
    let script = script.edits("lamps.py", "lamp_id = name", "lamp_id = date + name");
    let text = script.user("So?").digest(BUDGET);
    assert!(text.contains("→ then (undone since) editing lamps.py"), "{text}");
    assert!(!text.contains("`python -m pytest` ok ["), "{text}");
}

#[test]
fn what_is_still_to_be_verified_is_found_once_it_is() {
    let guess = "The issue is that a lamp that burns past midnight gets two ids. Let me verify:";
    let script = work().user("The same lamp is shown twice.").assistant(guess);
    let script = script.runs("grep -n lamp_id lamps.py", "12: lamp_id = date + name");
    let told = |script: Script| script.user("So?").digest(BUDGET).contains("found for [");
    assert!(told(script.clone().assistant("This confirms it: the date begins the id.")));
    assert!(!told(script.assistant("The id has no date, so I look at the table of lamps.")));
}
