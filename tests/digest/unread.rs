//! Results that nobody has read yet and that go as a whole: the agent waits for them.

use crate::script::work;

/// A result of many lines, with one in its middle.
fn around(line: &str) -> String {
    let row =
        |at: usize| format!("stored row {at} of table_{at} under key_{at} in src/table_{at}.rs");
    let rows = |from: usize| (from..from + 200).map(row).collect::<Vec<_>>().join("\n");
    format!("{}\n{line}\n{}", rows(0), rows(200))
}

const ERROR: &str = "error: the total of the ledger differs";

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

#[test]
fn an_error_that_stands_often_takes_no_more_room_than_once() {
    let names = |text: &str| text.matches("table_").count();
    let digest = |errors: usize| {
        let errors = [ERROR].repeat(errors).join("\n");
        let script = work().runs("make load", &around(&format!("{errors}\nerror: no oil")));
        script.user("And?").digest(1500)
    };
    let (once, often) = (digest(1), digest(90));
    assert_eq!(often.matches(ERROR).count(), 1, "{often}");
    assert!(often.contains("> error: no oil"), "{often}");
    assert_eq!(names(&once), names(&often), "{often}");
}

#[test]
fn hits_of_a_search_are_no_errors() {
    let hits = (0..100).map(|at| format!("lamp {at}: the error goes out"));
    let text = work().runs("grep -n error log", &hits.collect::<Vec<_>>().join("\n"));
    let text = text.user("And?").digest(400);
    assert!(text.contains("> lamp 99: the error"), "{text}");
}

#[test]
fn where_there_is_room_all_that_nobody_has_read_is_told() {
    let rows = (0..60).map(|at| format!("lamp {at} burns")).collect::<Vec<_>>();
    let text = work().runs("make look", &rows.join("\n")).user("And?").digest(3000);
    let missing: Vec<_> = rows.iter().filter(|row| !text.contains(&***row)).collect();
    assert!(missing.is_empty(), "{missing:?} in {text}");
}

#[test]
fn an_error_within_records_is_told() {
    let row = |at: usize| {
        format!(
            r#"{{"lamp":"L-{at}","status":"{}","height":{at}.5}}"#,
            if at == 40 { "error" } else { "ok" }
        )
    };
    let rows = (0..90).map(row).collect::<Vec<_>>().join(",");
    let text = work().calls("lamps", "{}", &format!("[{rows}]")).user("And?").digest(500);
    assert!(text.contains("status: error"), "{text}");
}
