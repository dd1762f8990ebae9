//! The archives of the messages that earlier compactions removed.
//!
//! Responsible for naming the archives as long as the numbers of their messages may stand in the digest. Archives
//! of consecutive compactions are named in one line, as their names differ only in time and number.

use super::room::Left;
use crate::digest::Counter;
use crate::digest::known::Known;
use crate::digest::text::labels;

/// Per cent of the budget for the names of earlier archives.
const ARCHIVES: usize = 15;

/// The placeholder for the time in the name of an archive.
const ANY_TIME: &str = "*";
/// The text between the first and the last of several archives or messages.
const TO: &str = " to ";

/// Returns the lines that name the archives of earlier compactions, the oldest first.
pub(super) fn archives(known: &Known<'_>, counter: Counter<'_>) -> Vec<String> {
    let Known { request, earlier, .. } = *known;
    let mut lines: Vec<String> = Vec::new();
    for earlier in earlier {
        for line in &earlier.archives {
            let number = format!("messages [{}.n]", earlier.generation);
            let line = line.replace("messages themselves", &number);
            let both = lines.last().and_then(|last| Run::of(last)?.with(Run::of(&line)?));
            let both = both.map(Run::line);
            if both.is_some() {
                lines.pop();
            }
            lines.push(both.unwrap_or(line));
        }
    }
    let all = lines.len();
    lines.retain(|line| line != labels::OLDER_ARCHIVES);
    let mut left = Left { tokens: request.share(ARCHIVES), counter };
    let named = lines.iter().rev().take_while(|line| left.fits(line)).count();
    lines.drain(..lines.len() - named);
    // An archive that is not named is still found: each holds the summary that names the one before it.
    if named < all && (named > 0 || request.archive.is_some() && request.is_roomy()) {
        lines.insert(0, labels::OLDER_ARCHIVES.to_owned());
    }
    lines
}

/// Archives of consecutive compactions, in one folder and with consecutive numbers.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Run<'l> {
    /// The first and the last compaction.
    compactions: (u32, u32),
    /// The numbers of the first and the last archive.
    archives: (u32, u32),
    /// The folder of the archives.
    folder: &'l str,
}

impl<'l> Run<'l> {
    /// Reads the archives that a line names; `None` if they do not have the names that we give.
    fn of(line: &'l str) -> Option<Self> {
        let (numbers, paths) = line.strip_prefix("The messages [")?.split_once(" are in ")?;
        let (first, last) = numbers.split_once(TO).unwrap_or((numbers, numbers));
        let number = |point: &str| point.trim_matches(['[', ']']).strip_suffix(".n")?.parse().ok();
        let compactions = (number(first)?, number(last)?);
        let (folder, names) = paths.trim_end_matches('.').rsplit_once('/')?;
        let (first, last) = names.split_once(TO).unwrap_or((names, names));
        let archives = (archive(first)?, archive(last)?);
        Some(Self { compactions, archives, folder })
    }

    /// Joins two runs; `None` unless `next` begins where this one ends.
    fn with(self, next: Self) -> Option<Self> {
        let follows = |one: (u32, u32), next: (u32, u32)| one.1 + 1 == next.0;
        let goes_on = self.folder == next.folder
            && follows(self.compactions, next.compactions)
            && follows(self.archives, next.archives);
        goes_on.then_some(Self {
            compactions: (self.compactions.0, next.compactions.1),
            archives: (self.archives.0, next.archives.1),
            folder: self.folder,
        })
    }

    fn line(self) -> String {
        let Self { compactions, archives, folder } = self;
        let name = |number| format!("compact-{ANY_TIME}-{number}.json");
        let (first, last) = (name(archives.0), name(archives.1));
        format!(
            "The messages [{}.n]{TO}[{}.n] are in {folder}/{first}{TO}{last}",
            compactions.0, compactions.1
        )
    }
}

/// The number in the name of an archive; `None` if it is no name that we give.
fn archive(name: &str) -> Option<u32> {
    let (time, number) = name.strip_prefix("compact-")?.strip_suffix(".json")?.rsplit_once('-')?;
    let is_time = time == ANY_TIME
        || !time.is_empty() && time.bytes().all(|byte| byte.is_ascii_alphanumeric());
    number.parse().ok().filter(|_| is_time)
}

#[cfg(test)]
mod tests {
    use super::*;

    const ONE: &str = "The messages [3.n] are in /a to b/s/compact-20260102T030405Z-7.json";
    const NEXT: &str = "The messages [4.n] are in /a to b/s/compact-20260102T040506Z-8.json";
    const THIRD: &str = "The messages [5.n] are in /a to b/s/compact-20260102T050607Z-9.json";

    fn joined(one: &str, next: &str) -> Option<String> {
        Some(Run::of(one)?.with(Run::of(next)?)?.line())
    }

    #[test]
    fn archives_that_follow_each_other_are_named_together() {
        let two = joined(ONE, NEXT).unwrap();
        let both =
            "The messages [3.n] to [4.n] are in /a to b/s/compact-*-7.json to compact-*-8.json";
        assert_eq!(two, both);
        let three = joined(&two, THIRD).unwrap();
        assert_eq!(three, both.replace("4.n", "5.n").replace("-8", "-9"));
    }

    #[test]
    fn others_are_not() {
        assert_eq!(joined(ONE, THIRD), None);
        assert_eq!(joined(ONE, &NEXT.replace("/s/", "/t/")), None);
        assert_eq!(joined(ONE, "The messages [4.n] are in /a to b/s/mine.json"), None);
        assert_eq!(joined(ONE, labels::OLDER_ARCHIVES), None);
    }
}
