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
fn a_change_that_has_no_word_of_what_was_found_is_not_told_as_made_for_it() {
    let script = reported().assistant("Now the second wish.");
    let text = script.edits("door.py", "knob = 3", "knob = 4").user("So?").digest(BUDGET);
    assert!(text.contains("because the date begins them.\n"), "{text}");
    assert!(text.contains("`knob = 3` → `knob = 4`") && !text.contains("→ then"), "{text}");
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
fn only_how_a_command_runs_is_told_of_what_it_was_given() {
    let call = |given: &str| format!(r#"{{"command":"make lamps"{given}}}"#);
    let script = work().calls("bash", &call(""), "Exit code 1\nerror: wick denied");
    let given = r#","description":"Once more","stdin":"hunter2","pin":"4711""#;
    let text = script.calls("bash", &call(given), "done").user("So?").digest(BUDGET);
    assert!(text.contains("wick denied → passed [15]"), "{text}");
}
