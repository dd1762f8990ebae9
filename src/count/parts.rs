//! What each part of each message counts, side by side: there are as many messages as a log has lines.

use std::ops::Index;

use crate::count::Tally;

/// A slice of tallies for each message, in order.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Parts {
    tallies: Vec<Tally>,
    /// Where the tallies of each message end.
    ends: Vec<usize>,
}

impl Parts {
    /// Those of each message.
    pub fn iter(&self) -> impl Iterator<Item = &[Tally]> {
        (0..self.ends.len()).map(|message| &self[message])
    }

    /// Adds those of another message; returns their sum.
    pub(super) fn push(&mut self, tallies: impl Iterator<Item = Tally>) -> Tally {
        let start = self.tallies.len();
        self.tallies.extend(tallies);
        self.ends.push(self.tallies.len());
        self.tallies[start..].iter().copied().sum()
    }

    /// Adds those of other messages behind these.
    pub(super) fn append(&mut self, other: &Self) {
        self.ends.extend(other.ends.iter().map(|end| self.tallies.len() + end));
        self.tallies.extend_from_slice(&other.tallies);
    }
}

impl Index<usize> for Parts {
    type Output = [Tally];

    fn index(&self, message: usize) -> &[Tally] {
        let start = message.checked_sub(1).map_or(0, |before| self.ends[before]);
        &self.tallies[start..self.ends[message]]
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_message_has_its_own() {
        let tallies = |counts: &[usize]| {
            let tally = |content: &usize| Tally { content: *content, ..Tally::default() };
            counts.iter().map(tally).collect::<Vec<_>>()
        };
        let all = [tallies(&[]), tallies(&[1, 2]), tallies(&[]), tallies(&[3])];
        for cut in 0..=all.len() {
            let [mut parts, mut behind] = [Parts::default(), Parts::default()];
            for (at, tallies) in all.iter().enumerate() {
                let half = if at < cut { &mut parts } else { &mut behind };
                assert_eq!(half.push(tallies.iter().copied()), tallies.iter().copied().sum());
            }
            parts.append(&behind);
            assert!(parts.iter().eq(all.iter().map(Vec::as_slice)), "{cut}");
        }
    }
}
