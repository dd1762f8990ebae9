//! `ctx normalize`: what a provider accepts, with as few edits as that needs.

use serde::Serialize;

use crate::check::table::CONTENT_TYPE;
use crate::check::{Location, locate, must_speak, roleless, waived};
use crate::cli::normalize::Normalize;
use crate::command::pace::Pace;
use crate::command::rewrite::{Edited, Rewrite, rewrite_each};
use crate::command::{
    Outcome, Shell, Trouble, Visit, is_named_for_all, keep_report_apart, write_report,
};
use crate::conversation::Message;
use crate::dialect::{self, Layout};
use crate::document::{Document, Edit};
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
    /// The rule that holds now; none asks for what goes with a message.
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

    /// A line of a log that goes with what was repaired, though it stands in no message.
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

/// Writes the repaired conversations; each repair is a line on standard error. What would
/// still be refused is not written.
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

/// Whoever asks for a model means one. A name that is for all commands asks nothing of this one where it is unknown.
fn refuse_unknown_model(arguments: &Normalize) -> Result<(), Trouble> {
    let Some(name) =
        arguments.model.as_deref().filter(|name| !name.is_empty() && !is_named_for_all(name))
    else {
        return Ok(());
    };
    let hint = "without --model it is the one that the conversation names";
    models::named(name).map(drop).map_err(|unknown| Trouble::new(unknown.to_string(), hint))
}

/// One worker.
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
        let (provider, exempt) = match self.arguments.provider {
            Some(provider) => (provider, &[][..]),
            None => (conversation.dialect.provider(), waived(conversation)),
        };
        let signatures = Signatures::of(conversation, self.arguments.model.as_deref());
        let (mut draft, repairs) = normalize(conversation, provider, signatures, exempt);
        let places: Vec<_> = repairs.iter().map(|repair| repair.place(conversation)).collect();
        let places = locate(visit.document, &places);
        let told =
            repairs.iter().zip(&places).map(|(repair, at)| ToldRepair::of(repair, at, visit));
        let mut lines: Vec<ToldRepair> = told.collect();
        resume::make_resumable(&mut draft, visit.document, usize::MAX);
        let edits = draft.edits(visit.document);
        // Elsewhere each was a repair.
        if conversation.dialect.is_log() {
            let lost = visit.lost(&edits).into_iter();
            lines.extend(lost.map(|line| ToldRepair::of_lost(line, visit)));
        }
        if let Some(loss) = lines.iter().find(|line| self.arguments.strict && line.loses_content) {
            let line = loss.line.unwrap_or_else(|| visit.first_line());
            let name = format!("{}:{line}", visit.name);
            let reason = format!("{}: that loses content", loss.said());
            let hint = Some("without --strict it is done".to_owned());
            return Err(InputError { name, place: None, reason, hint }.into());
        }
        if let Some((_, unit, wanted)) = roleless(conversation).next() {
            let name = format!("{}:{}", visit.name, visit.line_of(unit));
            let (fault, rule) = (wanted.name(None), CONTENT_TYPE.name);
            let reason = format!("{fault}, and nobody can tell whose it is [{rule}]");
            let hint =
                Some("`ctx check` names all of them: write each role into the file".to_owned());
            return Err(InputError { name, place: None, reason, hint }.into());
        }
        for told in &lines {
            let name = visit.name;
            let place = told.line.map_or(name.to_string(), |line| format!("{name}:{line}"));
            shell.done(format_args!("{place}: {}", told.said()));
        }
        let left = left(&draft, Wire::of(conversation, provider).foreign);
        if left < Left::Messages {
            let but = if left == Left::Prompt { " but the system prompt" } else { "" };
            let (place, is_refused) = (visit.place(), must_speak(conversation, provider));
            let why = match visit.shape.named() {
                _ if edits.is_empty() => None,
                _ if is_read_again(visit, &edits) => {
                    is_refused.then(|| "which is refused".to_owned())
                }
                Some(dialect) => Some(format!("and nothing that is read as {}", dialect.name())),
                None => Some("and nothing to know its dialect by".to_owned()),
            };
            if let Some(why) = why {
                let reason = format!("no message would be left{but}, {why}");
                let hint = Some("`ctx check` says what is wrong".to_owned());
                return Err(InputError { name: place, place: None, reason, hint }.into());
            }
            if !repairs.is_empty() {
                shell.warn(format_args!("{place}: no message is left{but}"));
            } else if is_refused {
                shell.warn(format_args!("{place}: there is no message{but}, which is refused"));
            }
        }
        Ok(Edited { edits, reports: lines, ..Edited::default() })
    }
}

/// Whether the edits leave something by which its dialect is known: what it stands in, or the header of a log.
fn is_read_again(visit: &Visit<'_, '_>, edits: &[Edit]) -> bool {
    if !matches!(visit.shape.layout, Layout::Stream | Layout::Array) {
        return true;
    }
    let text = visit.document.apply(edits);
    let again = Document::parse(&text);
    again.is_ok_and(|again| dialect::recognise(again.values(), visit.shape.named()).is_ok())
}

/// What is left in the list that is sent.
#[derive(PartialEq, PartialOrd)]
enum Left {
    Nothing,
    /// System prompts, which the provider reads apart from the messages.
    Prompt,
    Messages,
}

/// What a draft leaves; a file of another shape is converted, its system prompts taken out.
fn left(draft: &Draft<'_, '_>, is_foreign: bool) -> Left {
    let messages = draft.conversation().messages.iter().enumerate();
    let is_left = |(at, message): &(usize, &Message<'_>)| {
        message.is_sent() && !message.units.is_empty() && !draft.is_dropped(*at)
    };
    let mut messages = messages.filter(is_left).peekable();
    let has_any = messages.peek().is_some();
    let is_said =
        |(_, message): (usize, &Message<'_>)| !(is_foreign && message.role.is_instruction());
    match draft.new_messages().next().is_some() || messages.any(is_said) {
        true => Left::Messages,
        false if has_any => Left::Prompt,
        false => Left::Nothing,
    }
}
