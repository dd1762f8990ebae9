//! Transcripts of commands: `tests/cmd/<command>/<case>.md`, run beside the files in `<case>.in/`.
//!
//! `TRYCMD=overwrite cargo test --test cmd` writes what is printed now; read the difference.

#[test]
fn transcripts_are_true() {
    trycmd::TestCases::new().env("COLUMNS", "80").case("tests/cmd/*/*.md");
}
