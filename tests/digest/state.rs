//! Where the work stands: what was committed last, and what was changed since it or since the last words.

use crate::script::Script;

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
    let told = |script: Script| script.user("And now?").digest(600);
    let here = "- [3] The last commit: [1f2e3d4] Mend the lamp";
    let text = told(committed());
    assert!(text.lines().any(|line| line == here), "{text}");
    let pushed = committed().runs("git push", PUSHED);
    let text = told(pushed.clone());
    assert!(text.contains(&format!("{here}, pushed [5]")), "{text}");
    let text = told(edits(pushed, "wick.rs"));
    assert!(text.contains(&format!("{here}, pushed [5], then changed wick.rs")), "{text}");
}

#[test]
fn what_was_not_pushed_is_not_told_as_pushed() {
    let refused = "! [rejected] main -> main (fetch first)\nerror: failed to push some refs";
    for (command, output) in [
        ("git push", refused),
        ("git push --dry-run", PUSHED),
        ("git push origin --delete old-lamp", "To a.example:lamp.git\n - [deleted] old-lamp"),
    ] {
        let text = committed().runs(command, output).user("And now?").digest(600);
        assert!(text.contains("The last commit: [1f2e3d4] Mend the lamp"), "{text}");
        assert!(!text.contains(", pushed"), "{text}");
    }
}

#[test]
fn the_last_commit_of_an_earlier_digest_stays_so_until_there_is_another() {
    let mut text = committed().user("And now?").digest(600);
    for _ in 0..3 {
        let next = Script::after(&text).user("Push it.").runs("git push", PUSHED);
        text = next.user("And?").digest(600);
        let told = "[1.3] The last commit: [1f2e3d4] Mend the lamp";
        assert_eq!(text.matches(told).count(), 1, "{text}");
        assert_eq!(text.matches(", pushed").count(), 1, "{text}");
    }
    let next = Script::after(&text).user("Go on.");
    let next = next.runs("git commit -am 'Trim the wick'", "[main 2a3b4c5] Trim the wick");
    let text = next.user("And?").digest(600);
    assert_eq!(text.matches("The last commit").count(), 1, "{text}");
    assert!(text.contains("The last commit: [2a3b4c5] Trim the wick"), "{text}");
}

#[test]
fn what_was_changed_since_the_last_words_is_told_beside_them() {
    let said = "The retry_upload has to wait for the server clock, so I change all that call it.";
    let script = Script::default().user("Make it wait.").assistant(said);
    let script = ["upload.rs", "clock.rs", "client.rs"].into_iter().fold(script, edits);
    let text = script.digest(600);
    assert!(text.contains("- [6] Changed since these words: upload.rs, clock.rs"), "{text}");
    // Another digest has words of its own.
    let next = Script::after(&text).assistant("All of the callers wait by now.");
    let text = next.user("Good.").digest(600);
    assert!(!text.contains("Changed since these words"), "{text}");
}
