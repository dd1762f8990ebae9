//! Results that nobody has read yet and that go as a whole: the agent waits for them.

use crate::script::work;

/// A result of many lines, with one in its middle.
fn around(line: &str) -> String {
    let row =
        |at: usize| format!("stored row {at} of table_{at} under key_{at} in src/table_{at}.rs");
    let rows = |from: usize| (from..from + 200).map(row).collect::<Vec<_>>().join("\n");
    format!("{}\n{line}\n{}", rows(0), rows(200))
}

const ERROR: &str = "error: the total of ledger_88 differs";

#[test]
fn an_error_in_a_result_that_nobody_has_read_comes_first() {
    let script = work().runs("make load", &around(ERROR));
    let text = script.clone().user("And?").digest(450);
    assert!(text.contains(&format!("> {ERROR}")), "{text}");
    // What was read was answered.
    let read = script.runs("make show", "shown").user("And?").digest(450);
    assert!(!read.contains(&format!("> {ERROR}")), "{read}");
}

#[test]
fn of_a_result_that_nobody_has_read_some_lines_are_told_that_name_nothing() {
    let listed = (0..300).map(|at| format!("-rw-r--r-- 1 me me 12 Jan 1 10:00 lamp {at}"));
    let listed = listed.collect::<Vec<_>>().join("\n");
    let script = work().runs("ls -l", &listed);
    let told = |text: &str| text.matches("-rw-r--r--").count();
    let text = script.clone().user("And?").digest(900);
    assert!(told(&text) > 1 && text.contains("lamp 299"), "{text}");
    let read = script.runs("make show", "shown").user("And?").digest(900);
    assert_eq!(told(&read), 0, "{read}");
}

#[test]
fn of_what_an_edit_answers_only_errors_are_told() {
    let answer =
        "The file has been edited.\nlet now = server_time();\nERROR [9:5] no method server_time";
    let edit =
        r#"{"path":"/home/me/app/src/clock.rs","old_string":"now()","new_string":"now = 1"}"#;
    let text = work().calls("edit_file", edit, answer).user("And?").digest(900);
    assert!(text.contains("> ERROR [9:5] no method server_time"), "{text}");
    assert!(!text.contains("The file has been edited"), "{text}");
}
