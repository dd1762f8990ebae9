//! Where another session begins in a stream, as `cat a.jsonl b.jsonl` makes it. A log is one session.
//!
//! Responsible for the rule that all dialects share; each says only which of its lines name a session
//! ([`Dialect::naming`]). A name alone proves nothing: a fork repeats the headers of its origin before anyone
//! speaks, and a resumed session goes on under another name in the same chain.

use std::cell::OnceCell;
use std::collections::HashSet;

use super::contract::{Dialect, Sign};
use super::table::DIALECTS;
use crate::json::{Json, Object};
use crate::source::{Source, Unit};

/// What a line says about the session that it belongs to.
pub struct Naming<'a> {
    /// The id of the session; `None` if the line opens one that has no id.
    pub session: Option<Json<'a>>,
    /// Whether a session may begin with this line.
    pub may_open: bool,
    /// The id of the line that the session says it goes on from: it opens none if that line came before.
    pub from: Option<Json<'a>>,
    /// Whether the line is of a side chain, which is a session only where there is nothing else.
    pub is_aside: bool,
}

impl<'a> Naming<'a> {
    /// A header with the id of its session.
    pub(super) fn header(session: Option<Json<'a>>) -> Self {
        Self { session, may_open: true, from: None, is_aside: false }
    }
}

/// The sessions that a stream holds behind its first one.
#[derive(Default)]
pub struct Sessions {
    /// The units with which those of the same dialect begin.
    pub starts: Vec<usize>,
    /// The first unit of another dialect's log.
    pub border: Option<usize>,
}

impl Sessions {
    /// Finds them. Lines of another dialect only count if the dialect was recognised, and not named by the user
    /// (`is_named`).
    pub fn of(dialect: &dyn Dialect, source: &Source<'_>, is_named: bool) -> Self {
        let units = &source.units;
        let Some(first) = units.first() else { return Self::default() };
        let is_first = is_foreign(dialect, &Object::of(first.json));
        let mut names: Vec<(usize, Naming<'_>)> = Vec::new();
        let mut border = None;
        for (at, unit) in units.iter().enumerate() {
            let line = Object::of(unit.json);
            let naming = dialect.naming(&line);
            let is_border = || (naming.is_none() && is_foreign(dialect, &line)) != is_first;
            if border.is_none() && !is_named && is_border() {
                border = Some(at);
            }
            names.extend(naming.map(|naming| (at, naming)));
        }
        Self { starts: starts(dialect, units, &names), border }
    }

    /// The unit with which the second session begins.
    pub fn second(&self) -> Option<usize> {
        self.starts.first().copied().into_iter().chain(self.border).min()
    }

    /// The stream of each session by itself.
    pub fn part<'a>(&self, source: &Source<'a>) -> Vec<Source<'a>> {
        let ends = self.starts.iter().copied().chain([source.units.len()]);
        let begins = [0].into_iter().chain(self.starts.iter().copied());
        let units = |(begin, end): (usize, usize)| source.units[begin..end].to_vec();
        let one = |units| Source { root: None, lists: source.lists.clone(), units };
        begins.zip(ends).map(|ends| one(units(ends))).collect()
    }
}

/// The units that open a session of a new name after somebody has spoken in the one before: each the first behind
/// the lines that name known ones, because what a client writes before the first words names none.
fn starts(dialect: &dyn Dialect, units: &[Unit<'_>], names: &[(usize, Naming<'_>)]) -> Vec<usize> {
    let are_aside = names.iter().all(|(_, naming)| naming.is_aside);
    let speaks = |unit: &Unit<'_>| dialect.message(unit.json).is_some();
    let first_spoken = |start: usize| units[start..].iter().position(speaks).map(|at| start + at);
    let mut spoken = OnceCell::new();
    let (mut starts, mut known, mut behind) = (Vec::new(), HashSet::new(), 0);
    for (at, naming) in names {
        if naming.is_aside == are_aside {
            let session = naming.session.map(Json::source);
            let is_known = session.is_some() && known.contains(&session);
            let is_new = naming.may_open && !is_known && !known.is_empty();
            let start = || starts.last().copied().unwrap_or_default();
            let is_said =
                || spoken.get_or_init(|| first_spoken(start())).is_some_and(|said| said < *at);
            if is_new && is_said() && !goes_on(naming, &units[..*at]) {
                starts.push(behind);
                known.clear();
                spoken.take();
            }
            known.insert(session);
        }
        behind = at + 1;
    }
    starts
}

/// Whether one of the lines before is the one that the session says it goes on from.
fn goes_on(naming: &Naming<'_>, before: &[Unit<'_>]) -> bool {
    let is_it = |from: Json<'_>, unit: &Unit<'_>| {
        unit.json.member("uuid").is_some_and(|id| id.source() == from.source())
    };
    naming.from.is_some_and(|from| before.iter().any(|unit| is_it(from, unit)))
}

/// Whether a line is none of this dialect, but one of another agent's log, or among the lines of a log what
/// another dialect reads. Kinds of lines that nobody knows keep appearing in all logs, and are not foreign.
fn is_foreign(dialect: &dyn Dialect, line: &Object<'_>) -> bool {
    if dialect.sign(line) > Sign::None {
        return false;
    }
    let is_unread = dialect.is_log() && dialect.message(line.json()).is_none();
    // Lines of logs have a type, and what has none and reads like a message is one.
    let least = if line.member("type").is_some() { Sign::Typical } else { Sign::Possible };
    DIALECTS.iter().any(|other| match other.sign(line) {
        Sign::Certain if other.facts().written.is_some() => true,
        sign => is_unread && sign >= least,
    })
}
