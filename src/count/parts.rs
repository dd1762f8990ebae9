//! The counts of all parts, in one flat list, because a log may have very many messages.

use std::ops::Index;

use crate::conversation::Message;
use crate::count::Tally;

/// The tallies of the parts, as a slice for each message in order.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Parts {
    tallies: Vec<Tally>,
    /// Where the tallies of each message end.
    ends: Vec<usize>,
}

impl Parts {
    /// The tallies of each message's parts.
    pub fn iter(&self) -> impl Iterator<Item = &[Tally]> {
        (0..self.ends.len()).map(|message| &self[message])
    }

    /// Zeroed tallies for the parts of `messages`.
    pub(super) fn of(messages: &[Message<'_>]) -> Self {
        let mut end = 0;
        let mut end_of = |message: &Message<'_>| {
            end += message.parts.len();
            end
        };
        let ends = messages.iter().map(&mut end_of).collect();
        Self { tallies: vec![Tally::default(); end], ends }
    }

    /// The tallies of all messages, one after another.
    pub(super) fn all_mut(&mut self) -> &mut [Tally] {
        &mut self.tallies
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
    use crate::conversation::{Kind, Part, Role};
    use crate::json::Json;

    #[test]
    fn each_message_has_its_own() {
        let json = Json::from_checked("{}");
        let message = |parts| Message {
            parts: vec![Part::new(Kind::Text, json); parts].into(),
            ..Message::new(Role::User, json)
        };
        let counts = [0, 2, 0, 1];
        let mut parts = Parts::of(&counts.map(message));
        for (at, tally) in parts.all_mut().iter_mut().enumerate() {
            tally.content = at;
        }
        let contents = parts.iter().map(|own| own.iter().map(|tally| tally.content).collect());
        assert_eq!(contents.collect::<Vec<Vec<_>>>(), [vec![], vec![0, 1], vec![], vec![2]]);
        assert_eq!(parts[3][0].content, 2);
    }
}
