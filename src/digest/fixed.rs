//! What a digest always says: messages of the user that fit, failures, the plan, the last state.
//!
//! Responsible for these sections within their shares of the budget; what a section leaves goes to
//! the rest.

use super::calls::Call;
use super::ledger::Ledger;
use super::{Request, Setting, errors, outcome, plan, share, units};
use crate::conversation::Role;

/// Per cent of the budget for failures and what fixed them.
const FAILURES: usize = 7;
/// Per cent for the plan.
const PLAN: usize = 5;
/// Per cent for where the work stands.
const STATE: usize = 6;

/// The sections that are not chosen.
#[derive(Debug, Default)]
pub(super) struct Fixed {
    /// The user's messages word for word, each with its number.
    pub(super) asked: Vec<(usize, String)>,
    pub(super) failures: Vec<String>,
    pub(super) plan: Vec<String>,
    pub(super) state: Vec<String>,
    /// For each message, whether it stands in `asked`.
    pub(super) is_quoted: Vec<bool>,
}

impl Fixed {
    pub(super) fn of(
        request: &Request<'_, '_>,
        setting: Setting,
        all: &[Call],
        ledger: &Ledger,
    ) -> Self {
        let mut fixed =
            Self { is_quoted: vec![false; request.conversation.messages.len()], ..Self::default() };
        fixed.quote(request, setting);
        let share = |per_cent: usize| request.budget * per_cent / 100;
        if setting == Setting::Work {
            let tasks = plan::tasks(request, all);
            let lines = tasks.iter().map(|task| format!("- {} {}", task.mark(), task.text));
            fixed.plan = fitting(request, lines.collect(), share(PLAN));
            fixed.failures = failures(request, all, ledger, share(FAILURES));
        }
        if setting == Setting::Work {
            fixed.state = state(request, all, ledger, share(STATE));
        }
        fixed
    }

    /// All lines.
    pub(super) fn lines(&self) -> impl Iterator<Item = &str> {
        let asked = self.asked.iter().map(|(_, line)| line);
        asked.chain(&self.failures).chain(&self.plan).chain(&self.state).map(String::as_str)
    }

    fn quote(&mut self, request: &Request<'_, '_>, setting: Setting) {
        let messages = &request.conversation.messages;
        let asked: Vec<usize> = (0..messages.len())
            .filter(|&at| {
                messages[at].is_request() && (request.summarised[at] || request.shown[at])
            })
            .collect();
        let tokens: Vec<usize> =
            asked.iter().map(|&at| (request.count)(&messages[at].text())).collect();
        // What stays visible counts in the whole budget and in the share of it.
        let shown = asked.iter().zip(&tokens).filter(|(at, _)| request.shown[**at]);
        let shown: usize = shown.map(|(_, tokens)| tokens).sum();
        let kept = share::users_to_keep(&tokens, request.budget + shown, setting);
        for (&at, keep) in asked.iter().zip(kept) {
            let keep = keep && !request.shown[at];
            if keep {
                self.is_quoted[at] = true;
                let text = messages[at].text();
                let text = text.trim();
                let mark = if text.contains('\n') { "\"\"\"" } else { "\"" };
                self.asked.push((at, format!("[{at}] User: {mark}{text}{mark}")));
            }
        }
    }
}

/// The lines that fit into `left` tokens, in their order.
fn fitting(request: &Request<'_, '_>, lines: Vec<String>, mut left: usize) -> Vec<String> {
    let fits = |line: &String| {
        let cost = (request.count)(line) + 1;
        let fits = cost <= left;
        left -= if fits { cost } else { 0 };
        fits
    };
    lines.into_iter().filter(fits).collect()
}

fn failures(request: &Request<'_, '_>, all: &[Call], ledger: &Ledger, share: usize) -> Vec<String> {
    let found = errors::failures(all, ledger);
    // Open ones first, then the newest; written in their order.
    let mut order: Vec<usize> = (0..found.len()).rev().collect();
    order.sort_by_key(|&at| found[at].is_fixed);
    let lines = order.iter().map(|&at| found[at].text.clone()).collect();
    let mut kept = fitting(request, lines, share);
    kept.sort_by_key(|line| found.iter().position(|failure| failure.text == *line));
    kept
}

/// The last words of the model, and the last step.
fn state(request: &Request<'_, '_>, all: &[Call], ledger: &Ledger, share: usize) -> Vec<String> {
    let messages = &request.conversation.messages;
    let mut lines = Vec::new();
    let speaks = |at: &usize| {
        request.summarised[*at]
            && messages[*at].role == Role::Assistant
            && messages[*at].text().trim().len() >= 20
    };
    if let Some(at) = (0..messages.len()).rev().find(speaks) {
        let text = messages[at].text();
        let (mut said, mut left) = (String::new(), share);
        units::sentences(&text, |sentence| {
            let range = sentence.range;
            let cost = (request.count)(&text[range.clone()]) + 1;
            left = if cost <= left { left - cost } else { 0 };
            if left > 0 {
                said.push_str(if said.is_empty() { "" } else { " " });
                said.push_str(&text[range]);
            }
        });
        if !said.is_empty() {
            lines.push(format!("- [{at}] The assistant's last words: {said}"));
        }
    }
    let Some(call) = all.last() else { return lines };
    let what = match (&call.command, call.touches.first()) {
        (Some(command), _) => format!("ran `{}`", command.chars().take(60).collect::<String>()),
        (None, Some(touch)) => format!("{} {}", call.deed.word(), ledger.relative(&touch.path)),
        (None, None) => format!("called {}", call.tool),
    };
    let end = match call.result {
        Some(_) => outcome::phrase(&call.outcome),
        None => "no answer yet".to_owned(),
    };
    lines.push(format!("- [{}] The last step: {what} → {end}", call.place.0));
    lines
}
