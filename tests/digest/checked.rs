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
        assert!(!line.contains("fixed by") && !line.contains("passed ["), "{line}");
    }
    let line = told("pytest -q", PYTEST, "pytest -q --deselect tests/test_a.py", "3 passed");
    assert!(!line.contains("fixed by") && !line.contains("passed ["), "{line}");
}
