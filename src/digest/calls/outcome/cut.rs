//! Whether some of a command's output is missing.
//!
//! Responsible for recognising that by the command and by the marks that tools and agents leave. A count of
//! such an output is only a lower bound.

use crate::digest::calls::shell::{Joint, PASSING, Part, parts};

/// Whether a command passes on less than its output, or a line says that something was left out.
pub(super) fn is_cut(text: &str, command: &str) -> bool {
    let cuts =
        |pair: &[Part<'_>]| pair[0].joint == Joint::Pipe && !PASSING.has(pair[1].program().0);
    parts(command).windows(2).any(cuts) || text.lines().any(leaves_out)
}

/// Whether a line says that something was left out: `…1234 tokens truncated…`, `... [12 lines truncated] ...`,
/// `[12 more lines]`.
pub(crate) fn leaves_out(line: &str) -> bool {
    const LONGEST: usize = 120;
    let line = line.trim();
    let says = |words: &[&str]| words.iter().any(|word| line.contains(word));
    let of_lines = || line.ends_with([']', ')', '>']) && line.contains("line");
    line.len() <= LONGEST
        && line.bytes().any(|byte| byte.is_ascii_digit())
        && line.starts_with(['…', '.', '[', '(', '<'])
        && (says(&[" truncated", " omitted"])
            || of_lines() && says(&[" more ", "offset", "truncated", "omitted"]))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_left_out_is_seen() {
        for (text, command) in [
            ("ok", "go test ./... | tail -5"),
            ("a\n…1234 tokens truncated…\nb", "cargo test"),
            ("a\n... [1234 characters truncated] ...\nb", "cargo test"),
            ("[688 more lines in file. Use offset=200 to continue.]", "cargo test"),
        ] {
            assert!(is_cut(text, command), "{text}");
        }
        for (text, command) in [
            ("(Open file: n/a)\n(Current directory: /w)", "cargo test 2>&1 | tee log.txt"),
            ("the list was truncated to 3", "cargo test && make"),
        ] {
            assert!(!is_cut(text, command), "{text}");
        }
    }
}
