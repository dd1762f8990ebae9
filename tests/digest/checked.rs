//! What a check that passes says of one that failed: nothing where it checks something else.

use crate::script::work;

/// The line of a check that failed, behind which a file was edited and another check passed.
fn told(failed: &str, why: &str, passed: &str, said: &str) -> String {
    let script = work().runs(failed, &format!("Exit code 1\n{why}"));
    let script = script.edits("lamp.rs", "let a = 1;", "let a = 2;").runs(passed, said);
    let text = script.user("Go on.").digest(900);
    text.lines().find(|line| line.starts_with("- [13] `")).unwrap_or(&text).to_owned()
}

const PYTEST: &str = "FAILED tests/test_a.py::test_x - AssertionError: 1 != 2\n1 failed in 0.1s";

#[test]
fn a_check_of_something_else_fixes_nothing() {
    for (failed, why, passed) in [
        ("pytest -q tests/test_a.py", PYTEST, "pytest -q tests/test_b.py"),
        ("pytest -q", PYTEST, "pytest -q tests/test_b.py"),
        ("go test ./a/...", "--- FAIL: TestA (0.00s)\nFAIL\tx/a\t0.1s", "go test ./b/..."),
        ("cargo test -p alpha", "test result: FAILED. 1 passed; 1 failed", "cargo test -p beta"),
        (
            "npm test --workspace api",
            "Tests: 1 failed, 2 passed\nnpm ERR! code 1",
            "npm test --workspace web",
        ),
    ] {
        let line = told(failed, why, passed, "3 passed in 0.1s");
        assert!(line.contains("→ then editing lamp.rs"), "{line}");
        assert!(line.ends_with("→ not run again"), "{line}");
        assert!(!line.contains("fixed by") && !line.contains("ok ["), "{line}");
    }
    let line = told("pytest -q", PYTEST, "pytest -q --deselect tests/test_a.py", "3 passed");
    assert!(!line.contains("fixed by") && !line.contains("→ instead"), "{line}");
}

#[test]
fn a_check_of_what_failed_or_of_more_shows_that_it_is_fixed() {
    for (failed, passed) in [
        ("pytest -q", "pytest -q tests/test_a.py::test_x"),
        ("go test ./lamp", "go test -count=1 ./..."),
        ("pytest tests/test_a.py", "timeout 60 pytest -v tests/test_a.py"),
    ] {
        let line = told(failed, PYTEST, passed, "3 passed in 0.1s");
        assert!(line.contains("→ fixed by editing lamp.rs"), "{line}");
        assert!(line.ends_with(" ok [17]") || line.ends_with(" passed [17]"), "{line}");
    }
}

#[test]
fn a_build_in_more_jobs_is_the_same_where_it_runs_in_the_same_folder() {
    let ends = |passed| told("make", "make: *** [all] Error 1", passed, "cc ok");
    let line = ends("make -j4");
    assert!(line.ends_with("→ instead `make -j4` ok [17]"), "{line}");
    let line = ends("cd docs && make -j4");
    assert!(!line.contains("→ instead"), "{line}");
    let line = told("make -C docs", "make: *** [all] Error 1", "make -C src", "cc ok");
    assert!(!line.contains("→ instead"), "{line}");
}

#[test]
fn a_push_that_was_refused_ends_with_one_of_the_same_branch() {
    let refused = " ! [rejected] main -> main (fetch first)\nerror: failed to push some refs";
    let push = "git push origin main";
    let sent = |branch: &str| format!("To a.example:lamp.git\n   0a1b2c3..1f2e3d4  {branch}");
    let line = told(push, refused, "git pull --rebase && git push", &sent("main -> main"));
    assert!(line.ends_with("→ instead `git push` ok [17]"), "{line}");
    let line = told(push, refused, "git push fork", &sent("main -> main"));
    assert!(!line.contains("→ instead"), "{line}");
    let line = told(push, refused, "git push", &sent("wick -> wick"));
    assert!(!line.contains("→ instead"), "{line}");
}
