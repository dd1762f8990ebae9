//! Where the messages are that earlier compactions took.
//!
//! Responsible for naming the archives as long as numbers of their messages may stand, those of
//! compactions that follow each other in one line: what differs in their names is the time and the number.

use super::room::Left;
use crate::digest::Counter;
use crate::digest::known::Known;
use crate::digest::text::labels;

/// Per cent of the budget for the names of the archives of earlier compactions.
const ARCHIVES: usize = 15;

/// What stands for the time in the name of an archive.
const ANY_TIME: &str = "*";
/// What stands between the first and the last of several.
const TO: &str = " to ";

/// The lines that name the archives of earlier compactions, the oldest first.
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
    // Each holds the summary that named the one before it.
    if named < all && (named > 0 || request.archive.is_some() && request.is_roomy()) {
        lines.insert(0, labels::OLDER_ARCHIVES.to_owned());
    }
    lines
}

/// Archives of compactions that follow each other, in one folder and with numbers that do.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Run<'l> {
    /// The first compaction and the last.
    compactions: (u32, u32),
    /// The numbers of their archives.
    archives: (u32, u32),
    /// What all of their names begin with.
    folder: &'l str,
}

impl<'l> Run<'l> {
    /// The archives that a line names, if they have the names that we give.
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

    /// Both, where the other goes on where this one ends.
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

/// The number of an archive with a name as we give it.
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
