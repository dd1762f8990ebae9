//! Code in an answer: text in code is quoted and has no meaning of its own.
//!
//! Responsible for fenced blocks, indented blocks, and backticks within a line. A block without an end
//! extends to the end of the text. Invariant: the ranges are in order and do not overlap; a text is read
//! once.

use std::ops::Range;

/// The fewest characters of a fence.
const FENCE: usize = 3;
/// The beginnings of lines in an indented block.
const INDENTS: &[&str] = &["    ", "\t"];

/// The ranges of code in a text.
pub(super) struct Code(Vec<Range<usize>>);

impl Code {
    /// Finds the code in a text.
    pub(super) fn of(text: &str) -> Self {
        let (mut ranges, mut at) = (Vec::new(), 0);
        let mut fence: Option<(usize, &str)> = None;
        for line in text.split_inclusive('\n') {
            let start = at;
            at += line.len();
            if let Some((begin, mark)) = fence {
                if line.trim_end().ends_with(mark) {
                    ranges.push(begin..at);
                    fence = None;
                }
                continue;
            }
            let known = ranges.len();
            fence = opening(line, start, &mut ranges);
            if fence.is_none() && INDENTS.iter().any(|indent| line.starts_with(indent)) {
                ranges.truncate(known);
                ranges.push(start..at);
            }
        }
        ranges.extend(fence.map(|(begin, _)| begin..at));
        Self(ranges)
    }

    /// Tells whether the byte at an offset is code.
    pub(super) fn holds(&self, at: usize) -> bool {
        let next = self.0.partition_point(|range| range.end <= at);
        self.0.get(next).is_some_and(|range| range.start <= at)
    }
}

/// Adds the code between backticks in a line that begins at `start`. If a fenced block begins in the line,
/// returns where, with the mark that ends it.
fn opening<'t>(
    line: &'t str,
    start: usize,
    ranges: &mut Vec<Range<usize>>,
) -> Option<(usize, &'t str)> {
    let text = line.trim_start();
    let tildes = text.len() - text.trim_start_matches('~').len();
    if tildes >= FENCE {
        return Some((start, &text[..tildes]));
    }
    let runs = runs(line);
    let mut next = 0;
    while let Some(run) = runs.get(next) {
        next += 1;
        let closing = runs[next..].iter().position(|other| other.len() == run.len());
        if let Some(closing) = closing {
            ranges.push(start + run.start..start + runs[next + closing].end);
            next += closing + 1;
        } else if run.len() >= FENCE {
            return Some((start + run.start, &line[run.clone()]));
        }
    }
    None
}

/// Runs of consecutive backticks.
fn runs(line: &str) -> Vec<Range<usize>> {
    let mut runs: Vec<Range<usize>> = Vec::new();
    for (at, _) in line.match_indices('`') {
        match runs.last_mut() {
            Some(run) if run.end == at => run.end += 1,
            _ => runs.push(at..at + 1),
        }
    }
    runs
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn code_is_told_from_prose() {
        for (text, is_code) in [
            ("an x stands", false),
            ("an `x` stands", true),
            ("an `a` x `b` stands", false),
            ("an ``a ` x`` stands", true),
            ("an ` x stands\nand ` ends", false),
            ("a\n```\nx\n```\nb", true),
            ("a\n```\nb\n```\nx", false),
            ("a: ```sh\nb\nx\n```", true),
            ("a\n~~~\nx\n~~~\nb", true),
            ("a\n~~~\n```\n~~~\nx", false),
            ("a\n````\n```\nx\n````", true),
            ("1. a\n    ```\n    b\n    ```\nx", false),
            ("a\n\n    x\nb", true),
            ("a\n\n\tx\nb", true),
            ("a\n  x\nb", false),
            ("a\n```\nx", true),
        ] {
            assert_eq!(Code::of(text).holds(text.find('x').unwrap()), is_code, "{text}");
        }
    }
}
