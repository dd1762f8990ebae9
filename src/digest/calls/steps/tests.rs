use super::*;

/// The steps of a command in the folder that it goes to, in a session that began in `home`.
fn steps_on(command: &str, home: &str) -> Vec<CommandStep> {
    steps(command, &Folder::of(home, command), home)
}

fn covers_on(passed: &str, failed: &str, home: &str) -> bool {
    let (passed, failed) = (steps_on(passed, home), steps_on(failed, home));
    let mut failed = failed.iter().filter(|step| !step.is_aside());
    failed.all(|failed| passed.iter().any(|passed| passed.covers(failed)))
}

fn covers(passed: &str, failed: &str) -> bool {
    let steps_of = |command| steps(command, Folder::HERE, "");
    let (passed, failed) = (steps_of(passed), steps_of(failed));
    let mut failed = failed.iter().filter(|step| !step.is_aside());
    failed.all(|failed| passed.iter().any(|it| it.covers(failed)))
}

#[test]
fn a_wider_run_covers_a_narrower_one() {
    for (passed, failed) in [
        ("a.py | tail -1", "a.py"),
        ("make test && make lint", "make lint 2>&1 | tail"),
        ("python -m pytest -v", "python -m pytest -q -x 2>&1 | tail -3"),
        ("pytest", "cd a && pytest tests/a_test.py::test_one"),
        ("go test ./... | tail", "go test ./... -run TestOne -v"),
        ("npm test", "npm test -- --reporter=dot src/a.test.ts"),
        ("cargo test --workspace", "cargo test --workspace lamp::lit -- --nocapture"),
        ("cargo test", "cargo test --test upload"),
        ("npm run build && npm run deploy", "npm run deploy"),
        ("make check; git status", "rm -rf out; make check"),
        ("set -o pipefail; a.py | tail -1", "a.py 2> /dev/null"),
        ("make test && a.py && echo well", "a.py"),
    ] {
        assert!(covers(passed, failed), "{passed} | {failed}");
    }
    for (passed, failed) in [
        ("npm run build", "npm run build && npm run deploy"),
        ("cargo build", "cargo build 2>&1 | tail -3 && ./deploy.sh"),
        ("pytest tests/a_test.py", "pytest"),
        ("pytest tests/a_test.py", "pytest tests/b_test.py"),
        ("pytest -k one", "pytest"),
        ("cargo clippy", "cargo clippy --all-targets"),
        ("cargo clippy", "cargo clippy --tests"),
        ("make", "make test_integration"),
        ("./gradlew test", "./gradlew test integrationTest"),
        ("go test ./a", "go test ./..."),
        ("git stash && make check; git stash pop", "make check"),
        ("python - <<E\none\nE", "python - <<E\ntwo\nE"),
        ("a.py; echo $?", "a.py"),
        ("a.py | tail -1 && b.py", "a.py"),
        ("a.py && b.py; echo", "a.py"),
        ("a.py | tail -1 && b.py", "a.py"),
        ("a.py | jq .x", "a.py"),
        ("a.py || b.py", "b.py"),
        ("a.py > one.txt", "a.py > two.txt"),
        ("cat b | psql -q", "cat a | psql -q"),
        ("find b | xargs a.sh", "find c | xargs a.sh"),
        ("npx tsc -v", "npx tsc"),
        ("make -q test", "make test"),
        ("pytest unit", "pytest unit e2e/a_test.py"),
        ("go test ./a", "go test ./a ./b/x_test.go"),
        ("pytest", "pytest ../b/a_test.py"),
        ("npm run lint; pushd b; npm test; popd", "npm test"),
        ("make lint && cd b && make test", "make test"),
    ] {
        assert!(!covers(passed, failed), "{passed} | {failed}");
    }
}

#[test]
fn tests_that_failed_are_selected_by_name() {
    let failed = ["TestLamp_Lit", "TestWick"];
    for (passed, other, wanted) in [
        ("go test -v -run 'TestLamp|^TestWick$' ./a/", "go test ./a/...", true),
        ("go test -run TestWick ./a", "go test ./a/...", false),
        ("go test ./b", "go test ./a", false),
        ("pytest -k 'TestLamp or TestWick'", "pytest a", true),
        ("pytest -k 'TestLamp and not TestWick'", "pytest a", false),
        ("pytest -k 'TestLamp or TestWick'", "go test ./a", false),
        ("pytest tests/b_test.py -k 'TestLamp or TestWick'", "pytest", false),
        ("go test -run '^TestLamp$|TestWick' ./a", "go test ./a", false),
        ("go test -run 'TestLamp|TestWick' ./b", "go test ./a", false),
        ("go test -run 'TestLamp|TestWick' ./ab", "go test ./a", false),
        ("go test -run 'TestLamp|TestWick' ./b", "go test ./...", true),
        ("uv run ruff check TestLamp.py TestWick.py", "uv run pytest", false),
        ("pytest -m 'not slow' -k 'TestLamp or TestWick'", "pytest", false),
        ("pytest --collect-only -k 'TestLamp or TestWick'", "pytest", false),
        ("cargo test --lib TestLamp", "cargo test", false),
        ("cargo test TestLamp -- --skip TestWick", "cargo test", false),
        ("cargo test --test Test other", "cargo test", false),
        ("pytest other -k 'TestLamp or TestWick'", "pytest a/b_test.py", false),
        ("go test -run 'TestLamp|TestWick' ./b", "go test", false),
        ("go test -run 'TestLamp|TestWick' ./b", "go test -tags slow ./...", false),
        ("pytest -k 'TestLamp or TestWick'", "pytest --runslow", false),
        ("pytest -k 'TestLamp or TestWick' --rootdir other", "pytest", false),
        ("python3.12 -m pytest -k 'TestLamp or TestWick'", "python3.11 -m pytest", false),
    ] {
        let steps_of = |command| steps(command, Folder::HERE, "");
        let (passed, other) = (steps_of(passed), steps_of(other));
        assert_eq!(passed[0].selects(&failed, &other[0]), wanted, "{passed:?}");
    }
}

#[test]
fn a_check_is_the_same_however_it_is_started() {
    let failed = "python -m pytest tests/a_test.py -q";
    for passed in [
        "timeout 60 python -m pytest tests/a_test.py",
        "time nice -n 5 pytest tests/a_test.py",
        "PYTHONPATH=. env RUST_BACKTRACE=1 pytest ./tests/a_test.py",
        "python3 -m pytest tests/a_test.py",
        "python3.12 -m pytest tests/a_test.py",
        ".venv/bin/pytest tests/a_test.py",
        "uv run pytest tests/a_test.py",
        "poetry run python -m pytest \"tests/a_test.py\"",
        "pytest tests",
        "pytest tests/ docs",
        "pytest --maxfail=1",
    ] {
        assert!(covers(passed, failed), "{passed}");
    }
    for passed in [
        "SLOW=1 pytest tests/a_test.py",
        "PYTHONPATH=/other pytest tests/a_test.py",
        "sudo pytest tests/a_test.py",
        "uv run --package b pytest tests/a_test.py",
        "uv run ruff check tests/a_test.py",
        "pytest test",
        "pytest tests/a_test.py::test_one",
        "pytest tests -k one",
        "pytest tests -m 'not slow'",
        "pytest tests --ignore tests/a_test.py",
        "pytest tests --ignore=tests/a_test.py",
        "pytest tests --deselect tests/a_test.py::test_one",
        "pytest tests --lf",
        "pytest --collect-only",
        "pytest tests || true",
        "pytest tests && echo good || echo BAD",
        "pytest tests 2>&1 | tail || echo done",
        "cd b && pytest",
        "pytest ../b/tests",
        "pytest /b/tests/a_test.py",
    ] {
        assert!(!covers_on(passed, failed, "/w"), "{passed}");
    }
    assert!(!covers("python3.11 -m pytest", "python3.12 -m pytest"));
    assert!(!covers("pytest --ignore tests/a.py tests", "pytest --ignore tests/b.py tests/a.py"));
    assert!(covers("pytest tests || exit 1", failed));
}

#[test]
fn a_run_of_more_covers_one_of_fewer() {
    for (passed, failed) in [
        ("cargo test", "cargo test orders"),
        ("cargo test", "cargo test -- --nocapture orders"),
        ("cargo test -p lamp", "cargo test -p lamp orders"),
        ("cargo test --lib", "cargo test --lib orders"),
        ("cargo test --test upload", "cargo test --test upload orders"),
        ("cargo nextest run", "cargo nextest run orders"),
        ("go test ./...", "go test -v ./a"),
        ("go test ./a/...", "go test ./a/b/..."),
        ("npx jest src", "jest src/a.test.ts"),
        ("bundle exec rspec", "rspec spec/a_spec.rb:12"),
        ("npx vitest run", "npx vitest run src/a.test.ts"),
        ("pytest tests/a_test.py", "pytest tests/a_test.py::test_one"),
    ] {
        assert!(covers(passed, failed), "{passed} | {failed}");
    }
    for (passed, failed) in [
        ("cargo test orders", "cargo test"),
        ("cargo test orders", "cargo test carts"),
        ("cargo test --lib", "cargo test orders"),
        ("cargo test --lib", "cargo test --test upload"),
        ("cargo test -p wick", "cargo test -p lamp orders"),
        ("cargo test -p lamp", "cargo test orders"),
        ("cargo test --no-run", "cargo test orders"),
        ("cargo test --features a", "cargo test --features b"),
        ("cargo test --features a", "cargo test a"),
        ("cargo test --workspace --exclude lamp", "cargo test --workspace lamp"),
        ("cargo test -- --skip orders", "cargo test orders"),
        ("cargo test -- --ignored", "cargo test orders"),
        ("cargo clippy", "cargo test orders"),
        ("go test", "go test ./a"),
        ("go test ./a", "go test ./a/..."),
        ("go test ./...", "go test ./a -tags slow"),
        ("go vet ./...", "go test ./a"),
        ("npx jest --testPathIgnorePatterns src", "npx jest src/a.test.ts"),
        ("npm test -- src", "npm test -- src/a.test.ts"),
        ("pytest tests", "pytest"),
        ("pytest tests", "pytest -k one"),
        ("ruff check src", "mypy src/a.py"),
    ] {
        assert!(!covers(passed, failed), "{passed} | {failed}");
    }
}

#[test]
fn a_folder_is_that_of_the_session_only_where_it_is_known() {
    let failed = "pytest tests/a_test.py";
    for passed in [
        "cd /w/shop && pytest tests/a_test.py",
        "cd /w && pytest tests/a_test.py",
        "pytest /w/shop/tests/a_test.py",
        "cd shop && pytest tests/a_test.py",
    ] {
        assert!(!covers_on(passed, failed, ""), "{passed}");
    }
    let known = "/w/shop";
    assert!(covers_on("pytest /w/shop/tests/a_test.py", failed, known));
    assert!(covers_on("cd /w/shop && pytest", failed, known));
    assert!(!covers_on("cd /w && pytest tests/a_test.py", failed, known));
    assert!(!covers_on("pytest /w/tests/a_test.py", failed, known));
}

#[test]
fn packages_of_another_folder_run_other_code() {
    for (passed, failed) in [
        ("b/.venv/bin/pytest tests", "a/.venv/bin/pytest tests"),
        ("/y/venv/bin/pytest tests", "/x/venv/bin/pytest tests"),
        ("b/.venv/bin/python -m pytest", "a/.venv/bin/python -m pytest"),
        ("b/node_modules/.bin/jest", "a/node_modules/.bin/jest"),
        ("PYTHONPATH=b pytest tests", "PYTHONPATH=a pytest tests"),
        ("pytest tests", "PYTHONPATH=a pytest tests"),
    ] {
        assert!(!covers(passed, failed), "{passed} | {failed}");
    }
}
