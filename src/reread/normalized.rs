//! Repairing a conversation, and whatever it is read as then.
//!
//! Responsible for what a repair changes besides the faults: roles have to be there before anything is
//! paired, and a result may be read as one of another dialect, which has rules of its own. It relies on
//! [`normalize`] for one round of repairs.

use crate::check::shape::{SHAPE, misshapen};
use crate::check::{Rule, waived};
use crate::conversation::{Conversation, Message};
use crate::dialect::{Provider, Unrecognised};
use crate::document::{Document, Edit, compose, origin};
use crate::draft::Draft;
use crate::json::Json;
use crate::normalize::{Repair, normalize};
use crate::placed::Placed;
use crate::reread::{alone, faults};
use crate::resume;
use crate::resume::lost::lost_units;
use crate::thinking::Signatures;
use crate::wire::Wire;

/// Whom a conversation is repaired for.
#[derive(Clone, Copy, Default)]
pub struct Target<'r> {
    /// The provider; `None` for the one of the conversation's dialect.
    pub provider: Option<Provider>,
    /// The model; `None` for the one that the conversation names.
    pub model: Option<&'r str>,
}

/// A repair, and where it was made.
pub struct PlacedRepair {
    /// The offset in the document; `None` if the repair is about nothing that stands there.
    pub start: Option<usize>,
    /// The index of the repaired message in the input; `None` if no message was repaired.
    pub message: Option<usize>,
    /// The rule that holds now; `None` for lines that are removed with a message, as no rule requires that.
    pub rule: Option<&'static Rule>,
    /// The id of the call that it is about.
    pub call_id: Option<String>,
    /// What was done, lowercase and short.
    pub text: String,
    /// Whether any content was lost.
    pub loses: bool,
}

impl PlacedRepair {
    fn of(repair: Repair, place: Option<Json<'_>>, document: &Document<'_>) -> Self {
        let Repair { rule, message, call_id, text, loses, .. } = repair;
        let start = place.map(|json| document.span(json).start);
        Self { start, message, rule: Some(rule), call_id, text, loses }
    }

    /// A log's line that is removed with a repaired message, although it belongs to none.
    fn of_lost(line: Json<'_>, placed: &Placed<'_, '_>) -> Self {
        let said = placed.conversation.dialect.message(line);
        Self {
            start: Some(placed.document.span(line).start),
            message: None,
            rule: None,
            call_id: None,
            text: "line removed, which is no part of the conversation".to_owned(),
            loses: said.is_some_and(|message| !message.parts.is_empty()),
        }
    }

    /// The line of the document, from 1.
    pub fn line(&self, document: &Document<'_>) -> Option<usize> {
        self.start.map(|start| document.line(start))
    }
}

/// The result of repairing a conversation.
pub struct Normalized {
    /// The edits of its document.
    pub edits: Vec<Edit>,
    /// The repairs, by lines.
    pub repairs: Vec<PlacedRepair>,
    /// What is left.
    pub left: Left,
    /// What the result is read as.
    pub again: Again,
    /// Whether the roles are written that another member tells.
    pub has_roles: bool,
}

/// What the result of a repair is read as.
#[derive(Clone, Copy, PartialEq)]
pub enum Again {
    /// The same conversation, repaired.
    Same,
    /// Another conversation, because no message of this one is left.
    Another,
    /// Nothing.
    Unread(Unrecognised),
}

/// What is left in the list that is sent.
#[derive(Clone, Copy, PartialEq, PartialOrd)]
pub enum Left {
    /// No message.
    Nothing,
    /// System prompts, which the provider reads apart from the messages.
    Prompt,
    /// Messages.
    Messages,
}

impl Target<'_> {
    /// The provider whose rules hold for a conversation.
    pub fn provider(&self, conversation: &Conversation<'_>) -> Provider {
        self.provider.unwrap_or_else(|| conversation.dialect.provider())
    }

    /// Repairs a conversation, so that nothing is left to repair in what the result is read as.
    pub fn normalized(&self, placed: &Placed<'_, '_>) -> Normalized {
        self.settled(placed, &mut Vec::new())
    }

    /// The rule of each fault that is left once the edits are made, because no edit mends it.
    pub fn unmended(&self, placed: &Placed<'_, '_>, edits: &[Edit]) -> Vec<&'static str> {
        let broken = |read: &Placed<'_, '_>| {
            let conversation = read.conversation;
            let provider = self.provider(conversation);
            let signatures = Signatures::of(conversation, self.model);
            let exempt = self.exempt(conversation);
            let mut broken = faults(conversation, provider, signatures, exempt);
            let is_alone = self.provider.is_some() && !placed.is_one_of_many;
            let is_strange = is_alone && misshapen(conversation, provider).is_some();
            broken.extend(is_strange.then_some(SHAPE.name));
            broken
        };
        if edits.is_empty() {
            return broken(placed);
        }
        alone::read(placed, edits, broken).ok().flatten().unwrap_or_default()
    }

    /// The rules that are not applied, if no provider is named.
    fn exempt(&self, conversation: &Conversation<'_>) -> &'static [&'static Rule] {
        if self.provider.is_some() { &[] } else { waived(conversation) }
    }

    /// Repairs a conversation. If the result reads as one of another dialect, which has rules of its own, it
    /// is repaired as that too. `known` holds the names of the dialects it was read as so far.
    pub(super) fn settled(
        &self,
        placed: &Placed<'_, '_>,
        known: &mut Vec<&'static str>,
    ) -> Normalized {
        if let Some(done) = self.with_roles(placed, known) {
            return done;
        }
        let mut done = self.repaired(placed);
        // A line of a log shows which log it belongs to.
        let is_known = placed.conversation.dialect.is_log() && done.left == Left::Messages;
        if done.edits.is_empty() || is_known {
            return done;
        }
        known.push(placed.shape.dialect.name());
        let again = alone::read(placed, &done.edits, |read| {
            if done.left < Left::Messages {
                let is_foreign =
                    Wire::of(read.conversation, self.provider(read.conversation)).foreign;
                let messages = read.conversation.messages.iter();
                let left = left(messages.filter(|it| !it.units.is_empty()), is_foreign);
                return (if left == Left::Messages { Again::Another } else { Again::Same }, None);
            }
            let is_known = known.contains(&read.shape.dialect.name());
            let more = (!is_known).then(|| self.settled(read, known));
            (more.as_ref().map_or(Again::Same, |more| more.again), more)
        });
        match again {
            Ok(Some((again, more))) => {
                done.again = again;
                if let Some(more) = more {
                    done.add(more, placed);
                }
            }
            Ok(None) => {}
            Err(why) => done.again = Again::Unread(why),
        }
        done
    }

    /// One round of repairs.
    fn repaired(&self, placed: &Placed<'_, '_>) -> Normalized {
        let Placed { document, conversation, .. } = *placed;
        let provider = self.provider(conversation);
        let exempt = self.exempt(conversation);
        let signatures = Signatures::of(conversation, self.model);
        let (mut draft, repairs) = normalize(conversation, provider, signatures, exempt);
        let told = repairs.into_iter().map(|repair| {
            let place = repair.place(conversation).map(|(json, _)| json);
            PlacedRepair::of(repair, place, document)
        });
        let mut repairs: Vec<_> = told.collect();
        resume::make_resumable(&mut draft, document, usize::MAX);
        let edits = draft.edits(document);
        // In other files, each removed message was a repair.
        if conversation.dialect.is_log() {
            let lost = lost_units(document, conversation, &edits).into_iter();
            repairs.extend(lost.map(|line| PlacedRepair::of_lost(line, placed)));
        }
        let left = left_by(&draft, Wire::of(conversation, provider).foreign);
        Normalized { edits, repairs, left, again: Again::Same, has_roles: false }
    }
}

impl Normalized {
    /// Adds repairs of the result to this one.
    fn add(&mut self, more: Self, placed: &Placed<'_, '_>) {
        let messages = placed.conversation.messages.iter().enumerate();
        let mut starts: Vec<_> =
            messages.map(|(at, message)| (placed.document.span(message.json).start, at)).collect();
        starts.sort_unstable();
        self.join(more, placed, |start, message| {
            let behind =
                starts.partition_point(|(begins, _)| start.is_some_and(|at| *begins <= at));
            let held = message.and(behind.checked_sub(1));
            held.map(|held| starts[held].1)
        });
    }

    /// Adds repairs of the result to this one. `number` returns the number of the message that stood at an
    /// offset before, and has this number in the result.
    pub(super) fn join(
        &mut self,
        more: Self,
        placed: &Placed<'_, '_>,
        number: impl Fn(Option<usize>, Option<usize>) -> Option<usize>,
    ) {
        let span = placed.span();
        for mut repair in more.repairs {
            repair.start = repair.start.map(|start| origin(&span, &self.edits, start));
            repair.message = number(repair.start, repair.message);
            self.repairs.push(repair);
        }
        self.repairs.sort_by_cached_key(|repair| repair.line(placed.document));
        self.edits = compose(span, &self.edits, &more.edits);
        self.left = more.left;
    }
}

/// What a draft leaves.
fn left_by(draft: &Draft<'_, '_>, is_foreign: bool) -> Left {
    if draft.new_messages().next().is_some() {
        return Left::Messages;
    }
    let messages = draft.conversation().messages.iter().enumerate();
    let is_left =
        |(at, message): &(usize, &Message<'_>)| !message.units.is_empty() && !draft.is_dropped(*at);
    left(messages.filter(is_left).map(|(_, message)| message), is_foreign)
}

/// What these messages are to a provider. System prompts in a file of another shape are taken out when it is
/// converted.
fn left<'m, 'a: 'm>(messages: impl Iterator<Item = &'m Message<'a>>, is_foreign: bool) -> Left {
    let mut messages = messages.filter(|message| message.is_sent()).peekable();
    let has_any = messages.peek().is_some();
    match messages.any(|message| !(is_foreign && message.role.is_instruction())) {
        true => Left::Messages,
        false if has_any => Left::Prompt,
        false => Left::Nothing,
    }
}
