//! What git puts aside, and the commits that it takes back.

use crate::script::Script;

/// Two edits, these commands, and the digest.
fn after(commands: &[(&str, &str)]) -> String {
    let script = Script::default().user("Go on.");
    let script = script.edits("a.rs", "let width = 1;", "let width_of_row = 99;");
    let script = commands.iter().fold(script, |script, (command, said)| match *command {
        "edit b" => script.edits("b.rs", "let height = 1;", "let height_of_row = 77;"),
        "edit a" => script.edits("a.rs", "let depth = 1;", "let depth_of_row = 55;"),
        _ => script.runs(command, said),
    });
    script.user("And?").digest(900)
}

#[test]
fn what_is_stashed_is_not_at_hand_until_it_comes_back() {
    let text = after(&[("git stash", "Saved working directory")]);
    assert!(text.contains("src/a.rs: edited, stashed ["), "{text}");
    for commands in [
        &[("git stash", ""), ("git stash pop", "")][..],
        &[("git stash", ""), ("git checkout main", ""), ("git stash apply", "")],
        &[("git stash", ""), ("git stash apply", ""), ("git stash drop", "")],
        &[("git stash", ""), ("git checkout -- src/a.rs", ""), ("git stash pop", "")],
        &[("git stash", "No local changes to save")],
        &[("git commit -am wide", ""), ("git stash", "")],
        &[("git stash list", ""), ("git stash show -p", "")],
        &[("git stash drop stash@{3}", "")],
        // What was done since is at hand.
        &[("git stash", ""), ("edit a", "")],
    ] {
        let text = after(commands);
        assert!(!text.contains("stashed [") && !text.contains("undone"), "{commands:?}: {text}");
        assert!(text.contains("width_of_row"), "{commands:?}: {text}");
    }
    let text = after(&[("git stash && make; git stash pop", "lost"), ("git stash drop", "")]);
    assert!(text.contains("src/a.rs: edited, perhaps undone ["), "{text}");
    let text = after(&[("git stash", ""), ("edit b", ""), ("git stash drop", "")]);
    assert!(text.contains("src/a.rs: edited, perhaps undone ["), "{text}");
    assert!(text.contains("height_of_row") && !text.contains("width_of_row"), "{text}");
}

#[test]
fn what_an_earlier_digest_tells_as_stashed_comes_back_or_goes() {
    let first = after(&[("git stash", "")]);
    let text = Script::after(&first).runs("git stash pop", "").user("And?").digest(900);
    assert!(text.contains("width_of_row") && !text.contains("stashed ["), "{text}");
    let text = Script::after(&first).runs("git stash drop", "").user("And?").digest(900);
    assert!(text.contains("src/a.rs: edited, perhaps undone ["), "{text}");
    let text = Script::after(&first).runs("make", "").user("And?").digest(900);
    assert!(text.contains("src/a.rs: edited, stashed ["), "{text}");
}

#[test]
fn what_a_reverted_commit_did_is_undone() {
    let wide = ("git commit -am Wide", "[main 1a2b3c4] Wide\n 1 file changed");
    let high = ("git commit -am High", "[main 5d6e7f8] High\n 1 file changed");
    let back = |commit: &str| format!("git revert --no-edit {commit}");
    let text = after(&[wide, (&back("HEAD"), "")]);
    assert!(text.contains("undone in /home/me/app/src: a.rs"), "{text}");
    // Of the file that another commit changed nothing is undone.
    let text = after(&[wide, ("edit b", ""), high, (&back("HEAD"), "")]);
    assert!(text.contains("undone in src: b.rs") && text.contains("width_of_row"), "{text}");
    let text = after(&[wide, ("edit b", ""), high, (&back("1a2b3c4d5e"), "")]);
    assert!(text.contains("src/a.rs: edited, perhaps undone ["), "{text}");
    assert!(text.contains("height_of_row"), "{text}");
    for commands in [
        // What was not committed cannot be taken back, nor what another commit did.
        &[(back("HEAD"), "")][..],
        &[(wide.0.to_owned(), wide.1), (back("9f8e7d6"), "")],
        &[(wide.0.to_owned(), wide.1), ("git revert --abort".to_owned(), "")],
        &[(wide.0.to_owned(), wide.1), ("edit a".to_owned(), ""), (back("HEAD"), "")],
    ] {
        let commands: Vec<_> = commands.iter().map(|(it, said)| (it.as_str(), *said)).collect();
        let text = after(&commands);
        assert!(!text.contains("undone") && text.contains("width_of_row"), "{commands:?}: {text}");
    }
}
