//! Pairing results that have no id with their calls, by the tool's name and the order.
//!
//! Responsible for pairing in time linear in the number of calls. It relies on results being asked for in
//! order, so that the range of calls they may answer only moves forward, and on answered calls staying
//! answered.

use std::borrow::Cow;
use std::collections::HashMap;
use std::ops::Range;

use crate::conversation::Place;

/// A result without an id, and the bounds of the calls that it may answer, as indices of calls.
pub(super) struct Nameless {
    pub(super) result: Place,
    pub(super) exchange: usize,
    pub(super) turn: usize,
    pub(super) end: usize,
}

/// The calls of one tool, as indices in ascending order.
#[derive(Default)]
struct OfTool {
    calls: Vec<usize>,
    /// All calls before this position are answered or belong to an earlier turn.
    late: usize,
    /// All calls before this position are answered or belong to an earlier exchange.
    early: usize,
}

/// The calls of a conversation, grouped by tool.
pub(super) struct Tools<'c, 'a> {
    all: &'c [(Place, Cow<'a, str>)],
    any: OfTool,
    by_name: HashMap<&'c str, OfTool>,
}

impl<'c, 'a> Tools<'c, 'a> {
    pub(super) fn of(all: &'c [(Place, Cow<'a, str>)]) -> Self {
        let mut by_name: HashMap<&str, OfTool> = HashMap::new();
        for (index, (_, name)) in all.iter().enumerate() {
            by_name.entry(name).or_default().calls.push(index);
        }
        let any = OfTool { calls: (0..all.len()).collect(), ..OfTool::default() };
        Self { all, any, by_name }
    }

    /// The call that a result of a tool answers: an open call of its exchange with a fitting name, those
    /// since the user's last words first. If none is open, the first fitting call.
    pub(super) fn answered_by(
        &mut self,
        nameless: &Nameless,
        name: &str,
        answer: &HashMap<Place, Place>,
    ) -> Option<Place> {
        let middle = nameless.turn.clamp(nameless.exchange, nameless.end);
        let (early, late) = (nameless.exchange..middle, middle..nameless.end);
        let names: &[&str] = if name.is_empty() { &[] } else { &[name, ""] };
        let is_open = |call: usize| !answer.contains_key(&self.all[call].0);
        let (mut open_late, mut open_early, mut first) = (None, None, None);
        let mut look = |of: &mut OfTool| {
            open_late = least(open_late, next(&of.calls, &mut of.late, &late, is_open));
            open_early = least(open_early, next(&of.calls, &mut of.early, &early, is_open));
            // Here too, calls since the user's last words come first.
            let any = first_in(&of.calls, &late).map(|call| (false, call));
            first = least(first, any.or_else(|| Some((true, first_in(&of.calls, &early)?))));
        };
        if names.is_empty() {
            look(&mut self.any);
        }
        for name in names {
            if let Some(of) = self.by_name.get_mut(*name) {
                look(of);
            }
        }
        let call = open_late.or(open_early).or(first.map(|(_, call)| call))?;
        Some(self.all[call].0)
    }
}

fn least<T: Ord>(one: Option<T>, other: Option<T>) -> Option<T> {
    one.into_iter().chain(other).min()
}

/// The first open call within `range`; all calls before `cursor` are known not to be.
fn next(
    calls: &[usize],
    cursor: &mut usize,
    range: &Range<usize>,
    is_open: impl Fn(usize) -> bool,
) -> Option<usize> {
    let is_past = |call: &&usize| **call < range.end && (**call < range.start || !is_open(**call));
    *cursor += calls[*cursor..].iter().take_while(is_past).count();
    calls.get(*cursor).copied().filter(|call| *call < range.end)
}

/// The first of `calls` within `range`.
fn first_in(calls: &[usize], range: &Range<usize>) -> Option<usize> {
    let at = calls.partition_point(|call| *call < range.start);
    calls.get(at).copied().filter(|call| *call < range.end)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The calls that results of these tools answer in turn. Each result is a tool name, the `turn` at which
    /// the user last spoke, and the `end` of the calls before it.
    fn answers(calls: &[&str], results: &[(&str, usize, usize)]) -> Vec<Option<usize>> {
        let all: Vec<_> =
            calls.iter().enumerate().map(|(at, name)| ((at, 0), Cow::Borrowed(*name))).collect();
        let mut tools = Tools::of(&all);
        let mut answer = HashMap::new();
        let mut found = Vec::new();
        for &(name, turn, end) in results {
            let nameless = Nameless { result: (99, 0), exchange: 0, turn, end };
            let call = tools.answered_by(&nameless, name, &answer);
            answer.extend(call.map(|call| (call, (99, 0))));
            found.push(call.map(|call| call.0));
        }
        found
    }

    #[test]
    fn a_result_answers_the_first_open_call_that_fits() {
        let of = |calls: &[&str], results: &[&str]| {
            let results: Vec<_> = results.iter().map(|name| (*name, 0, calls.len())).collect();
            answers(calls, &results)
        };
        assert_eq!(of(&["a", "b", "a"], &["b", "a", ""]), [Some(1), Some(0), Some(2)]);
        assert_eq!(of(&["", "a"], &["a", "a", "a"]), [Some(0), Some(1), Some(0)]);
        assert_eq!(of(&["a"], &["b"]), [None]);
    }

    #[test]
    fn calls_since_the_users_last_words_come_first() {
        let results = [("a", 1, 2), ("a", 1, 2), ("a", 1, 3), ("a", 1, 3)];
        assert_eq!(answers(&["a", "a", "a"], &results), [Some(1), Some(0), Some(2), Some(1)]);
    }
}
