//! Where another session begins in a stream, as `cat a.jsonl b.jsonl` makes it. A log is one session.
//!
//! Responsible for the rule that all dialects share; each says only which of its lines name a session
//! ([`Dialect::naming`]). A name alone proves nothing: a fork repeats the headers of its origin before anyone
//! speaks, and a resumed session goes on under another name in the same chain.

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
    /// Whether the line is of a side chain, which is a session only where there is nothing else.
    pub is_aside: bool,
}

impl<'a> Naming<'a> {
    /// A header with the id of its session.
    pub(super) fn header(session: Option<Json<'a>>) -> Self {
        Self { session, may_open: true, is_aside: false }
    }
}

/// The line with which another session begins, if the stream holds more than one.
pub fn another_session<'a>(dialect: &dyn Dialect, source: &Source<'a>) -> Option<Json<'a>> {
    let units = &source.units;
    let first = [opening(dialect, units), border(dialect, units)].into_iter().flatten().min()?;
    Some(units[first].json)
}

/// The unit that opens a session of a new name after somebody has spoken in one of another name.
fn opening<'a>(dialect: &dyn Dialect, units: &[Unit<'a>]) -> Option<usize> {
    let naming = |(at, unit): (usize, &Unit<'a>)| {
        let Naming { session, may_open, is_aside } = dialect.naming(unit.json)?;
        Some((at, session.map(Json::source), may_open, is_aside))
    };
    let named: Vec<_> = units.iter().enumerate().filter_map(naming).collect();
    let are_aside = named.iter().all(|(.., is_aside)| *is_aside);
    let mut known = HashSet::new();
    for (at, session, may_open, _) in named.into_iter().filter(|named| named.3 == are_aside) {
        let is_known = session.is_some() && known.contains(&session);
        let is_said = || units[..at].iter().any(|unit| dialect.message(unit.json).is_some());
        if may_open && !is_known && !known.is_empty() && is_said() {
            return Some(at);
        }
        known.insert(session);
    }
    None
}

/// The first unit that is of this dialect where the first unit is of another one, or the other way around.
fn border(dialect: &dyn Dialect, units: &[Unit<'_>]) -> Option<usize> {
    let is_foreign = |unit: &Unit<'_>| is_foreign(dialect, unit.json);
    let is_first = is_foreign(units.first()?);
    units.iter().position(|unit| is_foreign(unit) != is_first)
}

/// Whether a line is none of this dialect, but one of another agent's log, or among the lines of a log what
/// another dialect reads. Kinds of lines that nobody knows keep appearing in all logs, and are not foreign.
fn is_foreign(dialect: &dyn Dialect, line: Json<'_>) -> bool {
    let object = Object::of(line);
    if dialect.sign(&object) > Sign::None {
        return false;
    }
    let is_unread = dialect.is_log() && dialect.message(line).is_none();
    // Lines of logs have a type, and what has none and reads like a message is one.
    let least = if line.member("type").is_some() { Sign::Typical } else { Sign::Possible };
    DIALECTS.iter().any(|other| match other.sign(&object) {
        Sign::Certain if other.facts().written.is_some() => true,
        sign => is_unread && sign >= least,
    })
}
