//! `ctx normalize`: what a provider accepts, with as few edits as that needs.

mod again;
mod roles;

use serde::Serialize;

use crate::check::{Location, locate, must_speak, waived};
use crate::cli::normalize::Normalize;
use crate::command::pace::Pace;
use crate::command::rewrite::{Edited, Rewrite, rewrite_each};
use crate::command::{
    Outcome, Shell, Trouble, Unfit, Visit, is_named_for_all, keep_report_apart, write_report,
};
use crate::conversation::Message;
use crate::dialect::{Layout, Provider, Unrecognised};
use crate::document::{Edit, compose};
use crate::draft::Draft;
use crate::input::InputError;
use crate::json::Json;
use crate::models;
use crate::normalize::{Repair, normalize};
use crate::resume;
use crate::thinking::Signatures;
use crate::wire::Wire;

/// A repair, as the report prints it.
#[derive(Clone, Serialize)]
struct ToldRepair {
    file: String,
    line: Option<usize>,
    message: Option<usize>,
    /// The rule that holds now; `None` for lines that are removed with a message, as no rule requires that.
    rule: Option<&'static str>,
    call_id: Option<String>,
    text: String,
    loses_content: bool,
}

impl ToldRepair {
    fn of(repair: &Repair, place: &Location, visit: &Visit<'_, '_>) -> Self {
        Self {
            file: visit.name.plain(),
            line: (place.line > 0).then_some(visit.lines + place.line),
            message: repair.message,
            rule: Some(repair.rule.name),
            call_id: repair.call_id.clone(),
            text: repair.text.clone(),
            loses_content: repair.loses,
        }
    }

    /// The report of a log's line that is removed with a repaired message, although it belongs to none.
    fn of_lost(line: Json<'_>, visit: &Visit<'_, '_>) -> Self {
        let said = visit.conversation.dialect.message(line);
        Self {
            file: visit.name.plain(),
            line: Some(visit.line_of(line)),
            message: None,
            rule: None,
            call_id: None,
            text: "line removed, which is no part of the conversation".to_owned(),
            loses_content: said.is_some_and(|message| !message.parts.is_empty()),
        }
    }

    fn said(&self) -> String {
        self.rule.map_or(self.text.clone(), |rule| format!("{} [{rule}]", self.text))
    }
}

/// Writes the repaired conversations, and each repair as a line on standard error. A conversation that the
/// provider would still refuse is not written.
///
/// # Errors
///
/// The output or the report can't be written.
pub fn run(arguments: &Normalize) -> anyhow::Result<Outcome> {
    let Normalize { report, reading, writing, .. } = arguments;
    keep_report_apart(report.as_deref(), reading, writing)?;
    refuse_unknown_model(arguments)?;
    let mut shell = Shell::new(writing.quiet);
    let make = || Ok(Repairing { arguments });
    let pace = Pace::of(arguments.work.jobs);
    let mut lines = Vec::new();
    let report = |line| lines.push(line);
    rewrite_each(reading, writing, pace, &mut shell, make, report)?;
    if let Some(path) = &arguments.report {
        let text = serde_json::to_string(&lines)? + "\n";
        write_report(path, &text)?;
    }
    Ok(shell.outcome())
}

/// Refuses an unknown model given by flag. A name given for all commands is ignored here if it is unknown.
fn refuse_unknown_model(arguments: &Normalize) -> Result<(), Trouble> {
    let Some(name) =
        arguments.model.as_deref().filter(|name| !name.is_empty() && !is_named_for_all(name))
    else {
        return Ok(());
    };
    let hint = "without --model it is the one that the conversation names";
    models::named(name).map(drop).map_err(|unknown| Trouble::new(unknown.to_string(), hint))
}

/// The worker that repairs conversations.
struct Repairing<'r> {
    arguments: &'r Normalize,
}

impl Rewrite for Repairing<'_> {
    type Report = ToldRepair;

    fn edits(
        &mut self,
        visit: &Visit<'_, '_>,
        shell: &mut Shell,
    ) -> anyhow::Result<Edited<ToldRepair>> {
        let conversation = visit.conversation;
        let refused = |name: String, reason: String, hint: String| {
            Err(Unfit::from(InputError { name, place: None, reason, hint: Some(hint) }).into())
        };
        let Repaired { edits, lines, left, again, has_roles } =
            self.settled(visit, &mut Vec::new());
        let lines: Vec<_> = lines.into_iter().map(|(line, _)| line).collect();
        if let Some(loss) = lines.iter().find(|line| self.arguments.strict && line.loses_content) {
            let line = loss.line.unwrap_or_else(|| visit.first_line());
            let reason = format!("{}: that loses content", loss.said());
            let hint = "without --strict it is done".to_owned();
            return refused(visit.place_at(line), reason, hint);
        }
        if let Some((place, reason, hint)) = roles::left_out(visit, has_roles) {
            return refused(place, reason, hint);
        }
        for told in &lines {
            let name = visit.name;
            let place = told.line.map_or(name.to_string(), |line| format!("{name}:{line}"));
            shell.done(format_args!("{place}: {}", told.said()));
        }
        let unread = match again {
            Again::Unread(why) => Some(why),
            _ => None,
        };
        let hint = "`ctx check` says what is wrong".to_owned();
        if left < Left::Messages {
            let but = if left == Left::Prompt { " but the system prompt" } else { "" };
            let (place, provider) = (visit.place(), self.provider(visit));
            let is_refused = must_speak(conversation, provider);
            let is_list = matches!(visit.shape.layout, Layout::Stream | Layout::Array);
            let why = match visit.shape.named() {
                _ if edits.is_empty() => None,
                _ if again == Again::Another => {
                    Some("and what stays is another conversation".to_owned())
                }
                _ if !is_list || unread.is_none() => {
                    is_refused.then(|| "which is refused".to_owned())
                }
                Some(dialect) => Some(format!("and nothing that is read as {}", dialect.name())),
                None => Some("and nothing to know its dialect by".to_owned()),
            };
            if let Some(why) = why {
                return refused(place, format!("no message would be left{but}, {why}"), hint);
            }
            if !lines.is_empty() {
                shell.warn(format_args!("{place}: no message is left{but}"));
            } else if is_refused {
                shell.warn(format_args!(
                    "{place}: there is no message{but}, which a provider refuses"
                ));
            }
        } else if let Some(why) = unread {
            let name = visit.shape.dialect.name();
            let hint = match visit.shape.named() {
                Some(_) => hint,
                None => format!("--dialect {name} writes it, and whoever reads that has to say so"),
            };
            let reason = format!("what would be left is read as nothing: {why}");
            return refused(visit.place(), reason, hint);
        }
        Ok(Edited { edits, reports: lines, ..Edited::default() })
    }
}

impl Repairing<'_> {
    fn provider(&self, visit: &Visit<'_, '_>) -> Provider {
        self.arguments.provider.unwrap_or_else(|| visit.conversation.dialect.provider())
    }

    /// Repairs a conversation. If the result reads as one of another dialect, which has rules of its own, it
    /// is repaired as that too. `known` holds the names of the dialects it was read as so far.
    fn settled(&self, visit: &Visit<'_, '_>, known: &mut Vec<&'static str>) -> Repaired {
        if let Some(done) = self.with_roles(visit, known) {
            return done;
        }
        let mut done = self.repaired(visit);
        // A line of a log shows which log it belongs to.
        let is_known = visit.conversation.dialect.is_log() && done.left == Left::Messages;
        if done.edits.is_empty() || is_known {
            return done;
        }
        known.push(visit.shape.dialect.name());
        let again = again::read(visit, &done.edits, |read| {
            if done.left < Left::Messages {
                let is_foreign = Wire::of(read.conversation, self.provider(read)).foreign;
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
                    done.add(more, visit);
                }
            }
            Ok(None) => {}
            Err(why) => done.again = Again::Unread(why),
        }
        done
    }

    fn repaired(&self, visit: &Visit<'_, '_>) -> Repaired {
        let conversation = visit.conversation;
        let provider = self.provider(visit);
        let exempt = match self.arguments.provider {
            Some(_) => &[][..],
            None => waived(conversation),
        };
        let signatures = Signatures::of(conversation, self.arguments.model.as_deref());
        let (mut draft, repairs) = normalize(conversation, provider, signatures, exempt);
        let places: Vec<_> = repairs.iter().map(|repair| repair.place(conversation)).collect();
        let start = |json| visit.document.span(json).start;
        let starts = places.iter().map(|place| place.map(|(json, _)| start(json)));
        let starts: Vec<_> = starts.collect();
        let places = locate(visit.document, &places);
        let told =
            repairs.iter().zip(&places).map(|(repair, at)| ToldRepair::of(repair, at, visit));
        let mut lines: Vec<_> = told.zip(starts).collect();
        resume::make_resumable(&mut draft, visit.document, usize::MAX);
        let edits = draft.edits(visit.document);
        // In other files, each removed message was a repair.
        if conversation.dialect.is_log() {
            let lost = visit.lost(&edits).into_iter();
            lines.extend(lost.map(|line| (ToldRepair::of_lost(line, visit), Some(start(line)))));
        }
        let left = left_by(&draft, Wire::of(conversation, provider).foreign);
        Repaired { edits, lines, left, again: Again::Same, has_roles: false }
    }
}

/// The result of repairing a conversation.
struct Repaired {
    edits: Vec<Edit>,
    /// The repairs, each with the offset where it was made.
    lines: Vec<(ToldRepair, Option<usize>)>,
    left: Left,
    again: Again,
    /// Whether the roles are written that another member tells.
    has_roles: bool,
}

impl Repaired {
    /// Adds repairs of the result to this one.
    fn add(&mut self, more: Self, visit: &Visit<'_, '_>) {
        let Visit { document, conversation, .. } = *visit;
        let messages = conversation.messages.iter().enumerate();
        let mut starts: Vec<_> =
            messages.map(|(at, message)| (document.span(message.json).start, at)).collect();
        starts.sort_unstable();
        self.join(more, visit, |start, message| {
            let behind =
                starts.partition_point(|(begins, _)| start.is_some_and(|at| *begins <= at));
            let held = message.and(behind.checked_sub(1));
            held.map(|held| starts[held].1)
        });
    }

    /// Adds repairs of the result to this one. `number` returns the number of the message that stood at an
    /// offset before, and has this number in the result.
    fn join(
        &mut self,
        more: Self,
        visit: &Visit<'_, '_>,
        number: impl Fn(Option<usize>, Option<usize>) -> Option<usize>,
    ) {
        let span = again::span_of(visit);
        for (mut told, start) in more.lines {
            let start = start.map(|start| again::origin(&span, &self.edits, start));
            told.line = start.map(|start| visit.lines + visit.document.line(start));
            told.message = number(start, told.message);
            self.lines.push((told, start));
        }
        self.lines.sort_by_key(|(told, _)| told.line);
        self.edits = compose(span, &self.edits, &more.edits);
        self.left = more.left;
    }
}

/// What the result is read as.
#[derive(Clone, Copy, PartialEq)]
enum Again {
    /// The same conversation, repaired.
    Same,
    /// Another conversation, because no message of this one is left.
    Another,
    /// Nothing.
    Unread(Unrecognised),
}

/// What is left in the list that is sent.
#[derive(PartialEq, PartialOrd)]
enum Left {
    Nothing,
    /// System prompts, which the provider reads apart from the messages.
    Prompt,
    Messages,
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
