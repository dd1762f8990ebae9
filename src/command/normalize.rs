//! `ctx normalize`: what a provider accepts, with as few edits as that needs.

use serde::Serialize;

use crate::check::table::CONTENT_TYPE;
use crate::check::{locate, must_speak};
use crate::cli::normalize::Normalize;
use crate::command::pace::Pace;
use crate::command::rewrite::{Edited, Rewrite, rewrite_each};
use crate::command::{
    Outcome, Shell, Trouble, Unfit, Visit, is_named_for_all, keep_report_apart, write_report,
};
use crate::demands::content_types::roleless;
use crate::demands::told_role::told_roles;
use crate::dialect::Layout;
use crate::input::InputError;
use crate::json::Json;
use crate::line::counted;
use crate::models;
use crate::reread::{Again, Left, Normalized, PlacedRepair, Target};

/// A repair, as the report prints it.
#[derive(Clone, Serialize)]
struct ToldRepair {
    file: String,
    line: Option<usize>,
    message: Option<usize>,
    rule: Option<&'static str>,
    call_id: Option<String>,
    text: String,
    loses_content: bool,
}

impl ToldRepair {
    fn of(repair: PlacedRepair, visit: &Visit<'_, '_>) -> Self {
        Self {
            file: visit.name.plain(),
            line: repair.line(visit.document).map(|line| visit.lines + line),
            message: repair.message,
            rule: repair.rule.map(|rule| rule.name),
            call_id: repair.call_id,
            text: repair.text,
            loses_content: repair.loses,
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
        let Normalize { provider, model, .. } = self.arguments;
        let target = Target { provider: *provider, model: model.as_deref() };
        let Normalized { edits, repairs, left, again, has_roles } =
            target.normalized(&visit.placed());
        let told = repairs.into_iter().map(|repair| ToldRepair::of(repair, visit));
        let lines: Vec<_> = told.collect();
        if let Some(loss) = lines.iter().find(|line| self.arguments.strict && line.loses_content) {
            let line = loss.line.unwrap_or_else(|| visit.first_line());
            let reason = format!("{}: that loses content", loss.said());
            let hint = "without --strict it is done".to_owned();
            return refused(visit.place_at(line), reason, hint);
        }
        if let Some((place, reason, hint)) = left_out(visit, has_roles) {
            return refused(place, reason, hint);
        }
        for told in &lines {
            let name = visit.name;
            let place = told.line.map_or(name.to_string(), |line| format!("{name}:{line}"));
            shell.done(format_args!("{place}: {}", told.said()));
        }
        let mut unmended = target.unmended(&visit.placed(), &edits);
        if left == Left::Messages && !unmended.is_empty() {
            let faults = counted(unmended.len(), "fault");
            unmended.sort_unstable();
            unmended.dedup();
            let named = target.provider.map_or(String::new(), |it| format!(" --for {}", it.name()));
            shell.warn_when_done(format_args!(
                "{}: left: {faults} that no edit mends [{}]: `ctx check{named}` says where",
                visit.place(),
                unmended.join(", ")
            ));
        }
        let unread = match again {
            Again::Unread(why) => Some(why),
            _ => None,
        };
        let hint = "`ctx check` says what is wrong".to_owned();
        if left < Left::Messages {
            let but = if left == Left::Prompt { " but the system prompt" } else { "" };
            let (place, provider) = (visit.place(), target.provider(conversation));
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

/// The place of the first message whose role nobody can tell, with the reason and a hint; `has_roles` says
/// whether the roles that can be told are written.
fn left_out(visit: &Visit<'_, '_>, has_roles: bool) -> Option<(String, String, String)> {
    let conversation = visit.conversation;
    let told = if has_roles { told_roles(conversation) } else { Vec::new() };
    let is_told = |unit: Json<'_>| told.iter().any(|told| told.unit.is(unit));
    let (_, unit, wanted) = roleless(conversation).find(|(_, unit, _)| !is_told(*unit))?;
    let pointer = locate(visit.document, &[Some((unit, unit))]).remove(0).pointer;
    let (fault, rule) = (wanted.name(None), CONTENT_TYPE.name);
    let reason = format!("{fault} at {pointer}, and nobody can tell whose it is [{rule}]");
    let hint = "`ctx check` names all of them: write each role into the file".to_owned();
    Some((visit.place_at(visit.line_of(unit)), reason, hint))
}
