//! Pointers back: which message something stood in, now or before an earlier compaction.
//!
//! Responsible for writing and reading them: `12`, and `2.12` for message 12 as it was counted before
//! the second compaction. They age when a digest is folded into the next one.

use std::fmt::{self, Write};

/// A message of this conversation, or of what an earlier compaction summarised.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub(super) struct Point {
    /// The number of the compaction; zero for this one.
    pub(super) past: u32,
    pub(super) message: usize,
}

/// Lines under headings, each block with the message that it is sorted by.
pub(super) type Blocks = Vec<(Point, Vec<String>)>;

impl Point {
    /// A message of the conversation at hand.
    pub(super) fn now(message: usize) -> Self {
        Self { past: 0, message }
    }

    /// What sorts points by time.
    pub(super) fn order(self) -> (u32, usize) {
        (if self.past == 0 { u32::MAX } else { self.past }, self.message)
    }

    /// Reads a point that a digest of compaction `generation` wrote.
    pub(super) fn parse(text: &str, generation: u32) -> Option<Self> {
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

/// A line of ours in which every `[n]` behind a space, or at its beginning, is one of compaction
/// `generation`.
pub(super) fn aged(line: &str, generation: u32) -> String {
    let mut out = String::with_capacity(line.len() + 4);
    let mut rest = line;
    while let Some(at) = rest.find('[') {
        let (before, behind) = rest.split_at(at + 1);
        out.push_str(before);
        let is_ours = at == 0 || before[..at].ends_with(' ');
        let digits = behind.bytes().take_while(u8::is_ascii_digit).count();
        if is_ours && digits > 0 && behind[digits..].starts_with(']') {
            let _ = write!(out, "{generation}.");
        }
        rest = behind;
    }
    out.push_str(rest);
    out
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
        assert_eq!(aged("[1.3] and [4]", 2), "[1.3] and [2.4]");
    }

    #[test]
    fn reads_what_it_writes() {
        let old = Point { past: 2, message: 7 };
        assert_eq!(Point::parse(&old.to_string(), 5), Some(old));
        assert_eq!(Point::parse("7", 5), Some(Point { past: 5, message: 7 }));
    }
}
