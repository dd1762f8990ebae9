//! Pointers back: the message in which something stood, now or before an earlier compaction.
//!
//! Responsible for writing and reading them: `12`, and `2.12` for message 12 as it was numbered before the
//! second compaction. They age when a digest is folded into the next one.

use std::fmt::{self, Write};

use super::labels;
use crate::begins::begins_with_any;

/// A message of this conversation, or one that an earlier compaction summarised.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub(crate) struct Point {
    /// The number of that compaction; zero for a message of this conversation.
    pub(crate) past: u32,
    pub(crate) message: usize,
}

/// Blocks of lines under headings, each with the message that it is sorted by.
pub(crate) type Blocks = Vec<(Point, Vec<String>)>;

impl Point {
    /// The first message of the first compaction.
    pub(crate) const FIRST: Self = Self { past: 1, message: 0 };

    /// A message of the conversation at hand.
    pub(crate) fn now(message: usize) -> Self {
        Self { past: 0, message }
    }

    /// The key that sorts points by time.
    pub(crate) fn order(self) -> (u32, usize) {
        (if self.past == 0 { u32::MAX } else { self.past }, self.message)
    }

    /// Reads a point in a digest of compaction `generation`; `None` if the text is no point.
    pub(crate) fn parse(text: &str, generation: u32) -> Option<Self> {
        match text.split_once('.') {
            Some((past, message)) => {
                Some(Self { past: past.parse().ok()?, message: message.parse().ok()? })
            }
            None => Some(Self { past: generation, message: text.parse().ok()? }),
        }
    }
}

impl fmt::Display for Point {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.past {
            0 => write!(f, "{}", self.message),
            past => write!(f, "{past}.{}", self.message),
        }
    }
}

/// A line of ours in which `[n]` becomes `[generation.n]`, where the number is ours: at its beginning, and
/// after those of our words that a number follows.
pub(crate) fn aged(line: &str, generation: u32) -> String {
    let mut out = String::with_capacity(line.len() + 4);
    let mut from = 0;
    while let Some(at) = line[from..].find('[').map(|n| from + n + 1) {
        out.push_str(&line[from..at]);
        from = at;
        let digits = line[at..].bytes().take_while(u8::is_ascii_digit).count();
        let is_number = digits > 0 && line[at + digits..].starts_with(']');
        if is_number && is_ours(&line[..at - 1], &line[at + digits + 1..]) {
            let _ = write!(out, "{generation}.");
        }
    }
    out.push_str(&line[from..]);
    out
}

/// Whether a number in brackets between these texts is ours: the output of a program may look the same.
fn is_ours(before: &str, behind: &str) -> bool {
    const LEADING: &[&str] = &["", "- ", "> "];
    if LEADING.contains(&before) {
        return true;
    }
    let ends = |ends: &[&str]| behind.is_empty() || begins_with_any(behind, ends);
    if before.contains(labels::CHECKS) {
        return before.ends_with(' ') && ends(&["; `", labels::MOVED, labels::NOT_RUN]);
    }
    if before.contains(labels::LAST_WORDS) {
        return false;
    }
    if before.contains(labels::LAST_COMMIT) {
        return [labels::PUSHED, labels::UP_TO_DATE, "` "].iter().any(|it| before.ends_with(it))
            && ends(&[labels::MOVED]);
    }
    let is_end = ends(&[";", ",", ":", " →"]);
    let also = labels::ALSO.trim_end_matches('[');
    // How a failure ended is told after an arrow.
    let Some(arrow) = before.rfind(labels::ARROW) else { return before.ends_with(also) };
    let end = &before[arrow..];
    [labels::AGAIN, labels::OTHERWISE, labels::AT_LAST, labels::DIAGNOSIS].contains(&end)
        || end.strip_prefix(labels::PASSED) == Some(" ")
        || ["` ", also].iter().any(|mark| end.ends_with(mark)) && is_end
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ages_pointers_and_no_code() {
        assert_eq!(
            aged("- [3] `a[0]` failed → passed [9]", 1),
            "- [1.3] `a[0]` failed → passed [1.9]"
        );
        assert_eq!(aged("[1.3] and [4]", 2), "[1.3] and [4]");
        for (line, wanted) in [
            (
                "- [3] `go test` failed: index out of range [5] with length 5, also [7] → said [8] see [2] → failed again [9]: a [4]",
                "- [1.3] `go test` failed: index out of range [5] with length 5, also [1.7] → said [1.8] see [2] → failed again [1.9]: a [4]",
            ),
            (
                "- The last checks: `a` → failed: range [5] with 5 [9]; `b` → ok [11], then `git switch x` [12], not run since",
                "- The last checks: `a` → failed: range [5] with 5 [1.9]; `b` → ok [1.11], then `git switch x` [1.12], not run since",
            ),
            (
                "- The last checks: `a` → failed: index [5], length [9]: b [7]; c [9]",
                "- The last checks: `a` → failed: index [5], length [9]: b [7]; c [1.9]",
            ),
            (
                "- [3] The assistant's last words: See [5] → passed [7]",
                "- [1.3] The assistant's last words: See [5] → passed [7]",
            ),
            (
                "- [3] `x` failed: no → then `git commit` [9]",
                "- [1.3] `x` failed: no → then `git commit` [1.9]",
            ),
            (
                "- [3] The last commit: [main 1a2] Mend [7], pushed [9], then changed a.rs, then `git rebase x` [11]",
                "- [1.3] The last commit: [main 1a2] Mend [7], pushed [1.9], then changed a.rs, then `git rebase x` [1.11]",
            ),
            (
                "- [3] The last commit: [main 1a2] Mend, nothing to push [9]",
                "- [1.3] The last commit: [main 1a2] Mend, nothing to push [1.9]",
            ),
            (
                "- [1.3] The last commit: [main 1a2] Mend, pushed [9]",
                "- [1.3] The last commit: [main 1a2] Mend, pushed [1.9]",
            ),
        ] {
            assert_eq!(aged(line, 1), wanted);
        }
    }

    #[test]
    fn reads_what_it_writes() {
        let old = Point { past: 2, message: 7 };
        assert_eq!(Point::parse(&old.to_string(), 5), Some(old));
        assert_eq!(Point::parse("7", 5), Some(Point { past: 5, message: 7 }));
    }
}
