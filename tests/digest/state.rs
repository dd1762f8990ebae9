//! Where the work stands: what was committed last, and what was changed since it or since the last words.

use crate::script::{Script, digested, edited};

fn runs(script: Script, command: &str, output: &str) -> Script {
    script.calls("bash", &format!(r#"{{"command":"{command}"}}"#), output)
}

fn edits(script: Script, file: &str) -> Script {
    edited(script, file, "let a = 1;", "let lamp_most = 2;")
}

/// A commit of a change.
fn committed() -> Script {
    let script = edits(Script::default().user("Mend the lamp, and commit."), "lamp.rs");
    runs(script, "git commit -am 'Mend the lamp'", "[main 1f2e3d4] Mend the lamp\n 1 file changed")
}

#[test]
fn the_last_commit_is_told_and_whether_it_was_pushed() {
    let told = |script: Script| digested(&script.user("And now?").source(), 600);
    let here = "- [3] The last commit: [1f2e3d4] Mend the lamp";
    let text = told(committed());
    assert!(text.contains(&format!("{here}\n")) || text.ends_with(here), "{text}");
    let pushed =
        runs(committed(), "git push", "To a.example:lamp.git\n   0a1b2c3..1f2e3d4  main -> main");
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
        ("git push --dry-run", "To a.example:lamp.git\n   0a1b2c3..1f2e3d4  main -> main"),
        ("git push origin --delete old-lamp", "To a.example:lamp.git\n - [deleted] old-lamp"),
    ] {
        let script = runs(committed(), command, output);
        let text = digested(&script.user("And now?").source(), 600);
        assert!(text.contains("The last commit: [1f2e3d4] Mend the lamp"), "{text}");
        assert!(!text.contains(", pushed"), "{text}");
    }
}

#[test]
fn the_last_commit_of_an_earlier_digest_stays_so_until_there_is_another() {
    let mut text = digested(&committed().user("And now?").source(), 600);
    for _ in 0..3 {
        let next = Script::default().says("user", &text).user("Push it.");
        let next = runs(next, "git push", "   0a1b2c3..1f2e3d4  main -> main");
        text = digested(&next.user("And?").source(), 600);
        assert_eq!(
            text.matches("[1.3] The last commit: [1f2e3d4] Mend the lamp").count(),
            1,
            "{text}"
        );
        assert_eq!(text.matches(", pushed").count(), 1, "{text}");
    }
    let next = Script::default().says("user", &text).user("Go on.");
    let next = runs(next, "git commit -am 'Trim the wick'", "[main 2a3b4c5] Trim the wick");
    let text = digested(&next.user("And?").source(), 600);
    assert_eq!(text.matches("The last commit").count(), 1, "{text}");
    assert!(text.contains("The last commit: [2a3b4c5] Trim the wick"), "{text}");
}

#[test]
fn what_was_changed_since_the_last_words_is_told_beside_them() {
    let said = "The retry_upload has to wait for the server clock, so I change all that call it.";
    let script = Script::default().user("Make it wait.").assistant(said);
    let script = ["upload.rs", "clock.rs", "client.rs"].into_iter().fold(script, edits);
    let text = digested(&script.source(), 600);
    assert!(text.contains("- [6] Changed since these words: upload.rs, clock.rs"), "{text}");
    // Another digest has words of its own.
    let next = Script::default().says("user", &text).assistant("All of the callers wait by now.");
    let text = digested(&next.user("Good.").source(), 600);
    assert!(!text.contains("Changed since these words"), "{text}");
}
