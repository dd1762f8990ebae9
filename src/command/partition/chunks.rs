//! The middle of a conversation in chunks, one per line.
//!
//! Responsible for chunks that count at most as many tokens as asked for, whatever dialect each is read as,
//! and for a hint that was tried and works.

use std::cell::OnceCell;
use std::ops::Range;

use super::{line_of, lines_of};
use crate::command::{Trouble, Visit};
use crate::conversation::{Kind, decode};
use crate::count::{Count, Meter, Tally};
use crate::defaults::HEAD_SHARE;
use crate::dialect::{self, Dialect};
use crate::document::Document;
use crate::pairing::{Cuts, Joints};
use crate::partition::{TooLarge, chunks, cuts, partition, results_to_fit};
use crate::reread::{Form, read_changed};
use crate::subject::Subject;
use crate::truncate::cut::{Limit, Measure};
use crate::truncate::{Policies, shortened};

/// How often a smaller limit for the results is tried before the hint is given up.
const TRIES: usize = 4;

/// The options for chunks.
#[derive(Clone, Copy)]
pub(super) struct Chunking<'m> {
    pub(super) meter: &'m Meter,
    /// The tokens of the tail.
    pub(super) keep_tail: usize,
    /// Whether the head includes the first user message.
    pub(super) first: bool,
    /// The most tokens of a chunk.
    pub(super) most: usize,
}

impl Chunking<'_> {
    /// The middle as lines of at most `most` tokens each.
    ///
    /// # Errors
    ///
    /// A piece that can't be divided is larger.
    pub(super) fn lines(
        self,
        visit: &Visit<'_, '_>,
        cuts: &Cuts,
        count: &Count,
        middle: &Range<usize>,
    ) -> Result<Vec<String>, TooLarge> {
        let mut others: Vec<&str> = Vec::new();
        let mut raised: Option<Count> = None;
        loop {
            let count = raised.as_ref().unwrap_or(count);
            let lines = lines_of(visit, &chunks(cuts, count, middle.clone(), self.most)?);
            let mut read = lines.iter().filter_map(|line| read_otherwise(visit, line));
            let Some(other) = read.find(|other| !others.contains(&other.name())) else {
                return Ok(lines);
            };
            others.push(other.name());
            if let Some(theirs) = count_as(visit, other, middle, self.meter) {
                let mut count = count.clone();
                raise(&mut count, middle.start, &theirs);
                raised = Some(count);
            }
        }
    }

    /// The error for a piece that is too large, with a hint: larger chunks, or smaller results.
    pub(super) fn too_large(
        self,
        visit: &Visit<'_, '_>,
        cuts: &Cuts,
        count: &Count,
        middle: &Range<usize>,
        large: &TooLarge,
    ) -> Trouble {
        // Larger chunks may be read as a dialect in which they count more.
        let mut larger = large.tokens;
        while let Err(more) = (Self { most: larger, ..self }).lines(visit, cuts, count, middle) {
            larger = more.tokens;
        }
        let larger = format!("--chunks {larger}");
        let hint = match self.results_to_fit(visit, cuts, count, middle) {
            Some(results) => format!("{larger}, or first ctx truncate --max-tokens {results}"),
            None => larger,
        };
        let (tokens, most) = (large.tokens, self.most);
        let Range { start, end } = large.piece;
        let (first, last) = (visit.line(start), visit.line(end - 1));
        let all = visit.conversation.messages.len();
        let piece = match (visit.line(0) == visit.line(all - 1), end - start) {
            // A line number does not help if all messages stand on one line.
            (true, 1) => format!("message [{start}] counts"),
            (true, _) => format!("messages [{start}] to [{}] count", end - 1),
            (false, _) if first == last => format!("line {first} counts"),
            (false, _) => format!("lines {first} to {last} count"),
        };
        let messages = &visit.conversation.messages[large.piece.clone()];
        let has = |kind| messages.iter().any(|message| message.has(kind));
        let why = match messages {
            [_] => "a message stays whole",
            _ if has(Kind::Reasoning) => {
                "thinking stays with the calls behind it and their results"
            }
            _ => "calls stay with their results",
        };
        let piece = format!("{piece} {tokens} tokens and");
        Trouble::new(format!("{piece} can't be parted, more than {most}: {why}"), hint)
    }

    /// The most tokens per result with which the middle can be divided, if such a limit helps.
    fn results_to_fit(
        self,
        visit: &Visit<'_, '_>,
        cuts: &Cuts,
        count: &Count,
        middle: &Range<usize>,
    ) -> Option<usize> {
        let conversation = visit.conversation;
        let mut room = self.most;
        for _ in 0..TRIES {
            let results = results_to_fit(conversation, cuts, count, middle.clone(), room)?;
            match self.lines_with_results_of(visit, count, results)? {
                Ok(_) => return Some(results),
                Err(large) => room = room.checked_sub(large.tokens.checked_sub(self.most)?)?,
            }
        }
        None
    }

    /// The lines that would result if each result were cut to this many tokens.
    fn lines_with_results_of(
        self,
        visit: &Visit<'_, '_>,
        count: &Count,
        results: usize,
    ) -> Option<Result<Vec<String>, TooLarge>> {
        let joints = Joints::of(visit.conversation);
        let subject = visit.subject(&joints, self.meter, count);
        let limit = Limit { measure: Measure::Tokens, most: results, head_share: HEAD_SHARE };
        let policies = Policies { per_result: Some(limit), ..Policies::default() };
        let done = shortened(&subject, &policies, Form::Shorter, &mut |_| None).ok()??;
        read_changed(&subject, &done.settled.edits, |subject| {
            let Subject { document, shape, conversation, .. } = *subject;
            let visit = Visit { document, shape, conversation, ..*visit };
            let (cuts, count) = (cuts(conversation), subject.count);
            let parts = partition(conversation, &cuts, count, self.keep_tail, self.first);
            self.lines(&visit, &cuts, count, &parts.middle)
        })
    }
}

/// The dialect that a line is read as, if that is not the dialect of the conversation, because not every part
/// has its marks.
fn read_otherwise(visit: &Visit<'_, '_>, line: &str) -> Option<&'static dyn Dialect> {
    if visit.shape.is_named || visit.conversation.dialect.is_log() {
        return None;
    }
    let ends = OnceCell::new();
    let document = Document::by_line(line.as_bytes(), &ends);
    let dialect = dialect::recognise(document.values(), None).ok()?.dialect;
    (dialect.name() != visit.shape.dialect.name()).then_some(dialect)
}

/// The counts of some messages in another dialect.
fn count_as(
    visit: &Visit<'_, '_>,
    other: &'static dyn Dialect,
    range: &Range<usize>,
    meter: &Meter,
) -> Option<Count> {
    let (line, ends) = (line_of(visit, range)?, OnceCell::new());
    let document = Document::by_line(line.as_bytes(), &ends);
    let shape = dialect::recognise(document.values(), Some(other)).ok()?;
    let source = dialect::sources(&document, shape.layout).pop()?;
    let conversation = decode(other, source, visit.conversation.scope);
    (conversation.messages.len() == range.len()).then(|| meter.count(&conversation))
}

/// Raises the count of each message to that in another dialect, if that is larger; `theirs` begins with
/// message `start`.
fn raise(count: &mut Count, start: usize, theirs: &Count) {
    let larger = |own: &mut Tally, other: Tally| {
        if other.tokens() > own.tokens() {
            *own = other;
        }
    };
    for (own, other) in count.messages[start..].iter_mut().zip(&theirs.messages) {
        larger(own, *other);
    }
    larger(&mut count.conversation, theirs.conversation);
}
