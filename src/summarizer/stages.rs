//! The stages of a summary: everything at once if it fits, else pieces and then their merger.
//!
//! Relies on [`Middle`] for dividing and on [`Calls`] for answers. Requests that turn out too large are
//! divided further, oldest first. Invariants: every excerpt is in some answered request of a returned
//! summary; each stage leaves fewer texts than it took, so the stages end.

use std::borrow::Cow;
use std::collections::VecDeque;
use std::ops::Range;

use super::calls::Calls;
use super::class::Overflow;
use super::failure::{Reason, Unanswered};
use super::fault::Fault;
use super::job::{Earlier, Excerpt, Job, Notice};
use super::pieces::{Capacity, Middle};
use super::prompt::{CONVERSATION, Frame, earlier_room};
use super::report::{Request, Stage};
use super::settings::{Limits, Settings};
use crate::within::scaled;

/// The smallest part to which a single overflow may reduce a request.
const SMALLEST: f64 = 0.05;
/// The factor by which estimates of tokens may be wrong.
const MARGIN: f64 = 1.2;
/// An answer of fewer than `FEWEST` tokens can't summarise a conversation of `MUCH` tokens.
const FEWEST: usize = 4;
const MUCH: usize = 2000;
/// The tokens of the prompt around the conversation.
const AROUND: usize = 2000;

/// Makes one summary in as many stages as necessary.
pub(super) struct Stages<'a, 'b> {
    pub(super) calls: &'b mut Calls<'a>,
    pub(super) frame: &'b Frame,
    pub(super) job: &'a Job<'a>,
    pub(super) capacity: Capacity,
    pub(super) divisions: usize,
}

impl Stages<'_, '_> {
    /// Returns the summary of everything.
    pub(super) fn run(&mut self) -> Result<String, Reason> {
        let mut stage = Stage::Whole;
        let mut excerpts = Cow::Borrowed(self.job.excerpts);
        loop {
            let mut texts = self.stage(stage, &excerpts)?;
            match texts.pop() {
                Some(text) if texts.is_empty() => return Ok(text),
                Some(last) => texts.push(last),
                None => return Err(Reason::Setting("there is nothing to summarise".into())),
            }
            stage = Stage::Merge;
            excerpts = Cow::Owned(self.parts(&texts));
        }
    }

    /// Returns summaries as excerpts for the next stage. Pairs stay together, so that their number decreases
    /// whatever their size.
    fn parts(&self, texts: &[String]) -> Vec<Excerpt> {
        let part = |(index, text): (usize, &String)| Excerpt {
            tokens: (self.job.count)(text),
            group: index / 2,
            ..Excerpt::part(index, text.clone())
        };
        texts.iter().enumerate().map(part).collect()
    }

    /// Returns the answers for all pieces; a single answer is the summary.
    fn stage(&mut self, stage: Stage, excerpts: &[Excerpt]) -> Result<Vec<String>, Reason> {
        let middle = Middle::new(excerpts);
        let mut texts = Vec::new();
        let mut queue: VecDeque<Range<usize>> = self.divide(&middle, 0);
        while let Some(piece) = queue.pop_front() {
            let is_all = piece == (0..middle.len());
            let (reason, overflow) = match self.ask(stage, &middle, &piece, is_all) {
                Ok(text) => {
                    texts.push(text);
                    continue;
                }
                Err(Unanswered::Failed(reason)) => return Err(reason),
                Err(Unanswered::TooLarge(reason, overflow)) => (reason, overflow),
            };
            if self.divisions == 0 {
                return Err(reason);
            }
            self.divisions -= 1;
            (self.job.say)(&Notice::Divided { reason: reason.to_string() });
            self.capacity = smaller(middle.size(&piece), &overflow);
            queue = self.divide(&middle, piece.start);
        }
        Ok(texts)
    }

    /// Divides the rest, from group `first` on.
    fn divide(&self, middle: &Middle, first: usize) -> VecDeque<Range<usize>> {
        divide(middle, first, self.capacity, self.job.earlier.map(|earlier| earlier.text)).into()
    }

    /// Asks for the summary of one piece.
    fn ask(
        &mut self,
        stage: Stage,
        middle: &Middle,
        piece: &Range<usize>,
        is_all: bool,
    ) -> Result<String, Unanswered> {
        let (request, body) =
            compose(stage, middle, piece, self.capacity, is_all, self.job.earlier);
        let (frame, job, stage) = (self.frame, self.job, request.stage);
        let earlier = job.earlier.filter(|_| is_all).map(|earlier| earlier.text);
        let accept = |text: &str| {
            if is_all && (job.count)(text) >= job.replaces {
                return Err(Fault::NotSmaller);
            }
            if is_all && job.replaces >= MUCH && (job.count)(text) < FEWEST {
                return Err(Fault::TooShort);
            }
            Ok(())
        };
        let tokens = middle.size(piece).tokens;
        self.calls.ask(request, tokens, |again| frame.prompt(stage, earlier, &body, again), accept)
    }
}

/// Divides groups into pieces; a single piece must have room for the earlier summary too.
pub(super) fn divide(
    middle: &Middle,
    first: usize,
    capacity: Capacity,
    earlier: Option<&str>,
) -> Vec<Range<usize>> {
    let room = earlier_room(earlier);
    let characters = capacity.characters.saturating_sub(room).max(capacity.characters / 2);
    // A text has fewer tokens than characters, usually one per four.
    let tokens = capacity.tokens.saturating_sub(room / 4).max(capacity.tokens / 2);
    if middle.len() == 0 && earlier.is_some() {
        // Nothing follows the earlier summary, which is rewritten alone.
        return vec![Range::default()];
    }
    let with_earlier = middle.pieces(first, Capacity { characters, tokens });
    if with_earlier.len() <= 1 { with_earlier } else { middle.pieces(first, capacity) }
}

/// Returns one request without its prompt, and the text of its piece.
pub(super) fn compose(
    stage: Stage,
    middle: &Middle,
    piece: &Range<usize>,
    mut capacity: Capacity,
    is_all: bool,
    earlier: Option<Earlier<'_>>,
) -> (Request, String) {
    let earlier = earlier.filter(|_| is_all);
    let room = earlier_room(earlier.map(|earlier| earlier.text));
    capacity.characters = capacity.characters.min(CONVERSATION - room);
    let rendered = middle.render(piece, capacity);
    let stage = if stage == Stage::Whole && !is_all { Stage::Chunk } else { stage };
    let mut messages = earlier.map_or_else(Vec::new, |earlier| earlier.messages.to_vec());
    let mut shortened = Vec::new();
    // The parts that are merged are no messages.
    if stage != Stage::Merge {
        messages.extend(rendered.messages);
        shortened = rendered.shortened;
    }
    let request =
        Request { stage, messages, shortened, characters: 0, attempts: 0, answered: false };
    (request, rendered.text)
}

/// Returns the capacity of one request with these settings.
pub(super) fn capacity(settings: &Settings) -> Capacity {
    let Limits { window, summary_tokens, .. } = settings.limits;
    let texts = [&settings.prompt, &settings.instructions];
    let around = AROUND + texts.into_iter().flatten().map(|text| text.len() / 4).sum::<usize>();
    let tokens = window.map_or(usize::MAX, |window| {
        let room = window.saturating_sub(summary_tokens + around).max(window / 4);
        scaled(room, 1.0 / MARGIN, f64::floor)
    });
    Capacity { characters: CONVERSATION, tokens }
}

/// Returns the capacity to use after a request of `size` was too large.
fn smaller(size: Capacity, overflow: &Overflow) -> Capacity {
    let part = match (overflow.size, overflow.room()) {
        (Some(size), Some(room)) if size > 0 => {
            // The error names the real sizes, and so the part of the request that would have fitted.
            as_f64(room) / as_f64(size) / MARGIN
        }
        _ => 0.5,
    };
    let part = part.clamp(SMALLEST, 0.9);
    Capacity {
        characters: scaled(size.characters, part, f64::floor).max(1),
        tokens: scaled(size.tokens, part, f64::floor).max(1),
    }
}

fn as_f64(number: usize) -> f64 {
    f64::from(u32::try_from(number).unwrap_or(u32::MAX))
}
