//! The end of a process that a later call waited for, or that the agent noted in the user's role.
//!
//! Responsible for telling the end with the call that started the process.

use std::collections::HashMap;

use super::outcome::{
    Ended, LONGEST, Outcome, Unended, first_error, is_error_line, judge, lead, running_as, shorten,
};
use super::{Call, said};
use crate::conversation::{Conversation, Origin, Part, Place};
use crate::digest::narrow;
use crate::digest::text::labels::ARROW;
use crate::json::Json;

/// What is answered where nobody knows the process any more: it has ended somehow.
const LOST: &str = "write_stdin failed: Unknown process";

/// Gives each command that kept running the outcome of the later call that waited for its process.
pub(super) fn conclude(conversation: &Conversation<'_>, calls: &mut [Call]) {
    let text = |place: Place| said(conversation.part(place));
    let error = |text: &str| first_error(text).filter(|line| is_error_line(line));
    // The errors that each process printed, by the call that started it.
    let mut errors: HashMap<usize, String> = HashMap::new();
    let mut open: HashMap<Box<str>, usize> = HashMap::new();
    for at in 0..calls.len() {
        if let Some(Unended::Running(process)) = &calls[at].outcome.unended
            && calls[at].process.is_none()
        {
            open.insert(process.clone(), at);
            errors.extend(calls[at].result.and_then(|result| Some((at, error(&text(result))?))));
        }
        let waited = calls[at].process.as_ref().and_then(|process| open.get(process));
        let (Some(&started), Some(result)) = (waited, calls[at].result) else { continue };
        let answer = conversation.part(result);
        errors.extend(error(&text(result)).map(|error| (started, error)));
        calls[started].outcome = if stops(&calls[at]) {
            // A process that cannot be killed had already ended.
            let said = text(result).to_ascii_lowercase();
            let unended = (!answer.is_error).then_some(Unended::Interrupted);
            let failed = answer.is_error && said.contains("failed");
            Outcome { failed, unended, ..Outcome::default() }
        } else if text(result).starts_with(LOST) {
            Outcome::without_end(Unended::Unclear)
        } else {
            judge(answer, calls[started].results())
        };
        let outcome = &mut calls[started].outcome;
        let is_running = outcome.is_running();
        let says_why = outcome.line.as_deref().is_some_and(is_error_line);
        if let Some(error) = errors.get(&started)
            && (is_running || outcome.failed && !says_why)
        {
            outcome.line = Some(shorten(error, LONGEST));
            outcome.is_total = true;
        }
        if !calls[started].outcome.is_running() {
            open.retain(|_, other| *other != started);
        }
        // The failure and the output belong to the command. Typing into the process is an act of its own.
        calls[at].outcome = Outcome::default();
        let call = calls[at].place;
        if !types(conversation.part(call)) {
            calls[at].started = Some((narrow(started), calls[started].place.0));
        }
    }
    heed_notes(conversation, calls);
}

/// The end of a process that no call at hand started: an earlier digest may tell it as still running.
#[derive(Debug)]
pub(crate) struct Over {
    /// How such a digest tells it.
    pub(crate) running: String,
    pub(crate) ending: Ended,
    /// The message that tells the end.
    pub(crate) message: usize,
}

impl Over {
    /// Enters the end in a line of such a digest that tells the process as running.
    pub(crate) fn enter_in(&self, line: &mut String) {
        let running = format!("{ARROW}{}", self.running);
        let Some(at) = line.find(&running) else { return };
        let behind = &line[at + running.len()..];
        let ended = format!("{ARROW}{}", self.ending);
        if behind.is_empty() {
            line.replace_range(at.., &ended);
        } else if let Some(end) = behind.find(']').filter(|_| behind.starts_with(" [")) {
            let end = line.len() - behind.len() + end;
            line.replace_range(at..=end, &format!("{ended} [{}]", self.message));
        }
    }
}

/// The ends of such processes, as the calls that waited for them were told, and as notes of the agent tell.
pub(crate) fn over(conversation: &Conversation<'_>, calls: &[Call]) -> Vec<Over> {
    let mut over: Vec<Over> = calls.iter().filter_map(ended).collect();
    let texts = injected(conversation);
    for (message, note) in texts.iter().flat_map(|(at, text)| notes(*at, text)) {
        let process = element(note, "task-id").filter(|process| !process.is_empty());
        if let Some((process, outcome)) = process.zip(noted(note)) {
            let (running, ending) = (running_as(process), Ended::of(&outcome));
            over.push(Over { running, ending, message });
        }
    }
    over
}

/// How a process ended that was started before all calls, if a call that waited for it was told a status.
fn ended(call: &Call) -> Option<Over> {
    let is_own = call.command.is_none() && call.started.is_none();
    let process = call.process.as_deref().filter(|_| is_own && !stops(call))?;
    call.outcome.status?;
    let (running, ending) = (running_as(process), call.ending());
    Some(Over { running, ending, message: call.place.0 })
}

/// Whether a call types something into its process.
fn types(call: &Part<'_>) -> bool {
    const NAMES: &[&str] = &["chars", "input", "text", "data", "keys", "stdin"];
    let types = |arguments: Json<'_>| {
        let text = NAMES.iter().find_map(|name| arguments.str_member(name));
        text.is_some_and(|text| !text.trim().is_empty())
    };
    super::with_arguments(call, types) == Some(true)
}

/// Whether a call stops a process.
fn stops(call: &Call) -> bool {
    let tool = call.tool.to_ascii_lowercase();
    tool.contains("kill") || tool.contains("stop")
}

/// Gives each command that kept running the outcome that a note of the agent tells.
fn heed_notes(conversation: &Conversation<'_>, calls: &mut [Call]) {
    if !calls.iter().any(|call| call.outcome.is_running()) {
        return;
    }
    let texts = injected(conversation);
    // The notes by the ids that they name: of the process, and of the call that started it.
    let mut noted_of: HashMap<&str, Vec<(usize, &str)>> = HashMap::new();
    for (at, note) in texts.iter().flat_map(|(at, text)| notes(*at, text)) {
        for id in ["task-id", "tool-use-id"].iter().filter_map(|name| element(note, name)) {
            noted_of.entry(id).or_default().push((at, note));
        }
    }
    for call in calls {
        let Some(Unended::Running(process)) = &call.outcome.unended else { continue };
        let place = call.place;
        let id = conversation.part(place).call_id.and_then(Json::text);
        let named = [Some(&**process), id.as_deref()].into_iter().flatten();
        let own = named.filter_map(|id| noted_of.get(id)).flatten();
        let mut own: Vec<_> = own.filter(|(at, _)| *at > place.0).collect();
        own.sort_by_key(|(at, _)| std::cmp::Reverse(*at));
        if let Some(outcome) = own.iter().find_map(|(_, note)| noted(note)) {
            let line = own.iter().find_map(|(_, note)| came_of_it(note));
            call.outcome = Outcome { is_total: line.is_some(), line, ..outcome };
        }
    }
}

/// The texts that the agent put into the user's role, each with the index of its message.
fn injected(conversation: &Conversation<'_>) -> Vec<(usize, String)> {
    let messages = conversation.messages.iter().enumerate();
    let injected = messages.filter(|(_, message)| message.origin == Origin::Injected);
    injected.map(|(at, message)| (at, message.text())).collect()
}

/// The agent's notes of processes in the text of a message.
fn notes(at: usize, text: &str) -> impl Iterator<Item = (usize, &str)> {
    text.split("<task-notification>").skip(1).map(move |note| (at, note))
}

/// How a process ended, as a note tells it; `None` if the note only reports progress.
fn noted(note: &str) -> Option<Outcome> {
    let word = element(note, "status")?;
    let code = element(note, "summary").and_then(|said| said.split_once("exit code "));
    let code = code.map(|(_, code)| code);
    let code = code.and_then(|code| code.split(|c: char| !c.is_ascii_digit()).next()?.parse().ok());
    let failed = word == "failed" || code.is_some_and(|code: i32| code != 0);
    let unended = ["killed", "stopped"].contains(&word).then_some(Unended::Interrupted);
    Some(Outcome { status: code, failed, unended, ..Outcome::default() })
}

/// The result that a note reports: the event that was watched for, or the report of an errand.
fn came_of_it(note: &str) -> Option<Box<str>> {
    let event = element(note, "event").map(str::to_owned);
    let line = event.or_else(|| lead(element(note, "result")?))?;
    Some(shorten(line.lines().next_back()?, LONGEST))
}

/// The text inside the first element with this name.
fn element<'t>(text: &'t str, name: &str) -> Option<&'t str> {
    let (_, behind) = text.split_once(&format!("<{name}>"))?;
    let (inside, _) = behind.split_once(&format!("</{name}>"))?;
    Some(inside.trim())
}
