//! A digest being made: what is always said, what was chosen, and the whole as text.
//!
//! Responsible for the shares of the sections and for their order, in which a reader understands at
//! one reading: what was asked, what was decided and found, the files, the commands, the failures,
//! other findings, the plan, and where the work stands.

use std::collections::BTreeMap;

use super::calls::{self, Call};
use super::index::Id;
use super::ledger::Ledger;
use super::names;
use super::select::{Candidate, Choice, Group};
use super::survey::{self, Source, Survey, estimate};
use super::{Request, errors, outcome, plan, records, redact, share, units, write};
use crate::conversation::{Kind, Role};
use crate::marks;

/// Per cent of the budget that the prose may take before everything competes.
const PROSE: usize = 18;
/// Per cent for commands with their outcome. Measured: 5 keeps 42 % of them, 8 keeps 54 %, 15 keeps 73 %.
const COMMANDS: usize = 8;
/// Per cent for failures and what fixed them.
const FAILURES: usize = 8;
/// Per cent for the plan.
const PLAN: usize = 5;
/// Per cent for where the work stands.
const STATE: usize = 8;

/// What is said whatever is chosen.
#[derive(Default)]
struct Fixed {
    header: Vec<String>,
    asked: Vec<String>,
    failures: Vec<String>,
    plan: Vec<String>,
    state: Vec<String>,
}

/// What a candidate stands for.
#[derive(Clone, Copy)]
enum Item {
    Unit(u32),
    File(u32),
    Change(u32, u32),
    Command(u32),
}

pub(super) struct Page<'r, 'a> {
    request: &'r Request<'r, 'a>,
    calls: Vec<Call>,
    ledger: Ledger,
    survey: Survey,
    fixed: Fixed,
    items: Vec<Item>,
    groups: Vec<u32>,
    order: Vec<u32>,
    texts: Vec<String>,
}

impl<'r, 'a> Page<'r, 'a> {
    pub(super) fn of(request: &'r Request<'r, 'a>) -> Self {
        let calls = calls::read(request.conversation, request.pairs, request.summarised);
        let ledger = Ledger::of(&calls);
        let acting =
            calls.iter().filter(|call| !call.touches.is_empty() || call.command.is_some()).count();
        let coding = acting * 5 > calls.len();
        let survey = survey::read(request, &calls, &ledger, coding);
        let weights = survey.index.weights(request.conversation.messages.len(), coding);
        let mut page = Self {
            request,
            calls,
            ledger,
            survey,
            fixed: Fixed::default(),
            items: Vec::new(),
            groups: Vec::new(),
            order: Vec::new(),
            texts: Vec::new(),
        };
        page.choose(&weights);
        page.fetch();
        page
    }

    /// How many things were chosen.
    pub(super) fn choices(&self) -> usize {
        self.order.len()
    }

    fn tokens(&self, lines: &[String]) -> usize {
        lines.iter().map(|line| (self.request.count)(line) + 1).sum()
    }

    /// Group numbers: files, commands, calls, messages.
    fn group_of(&self, source: Source, message: u32) -> u32 {
        #[allow(clippy::cast_possible_truncation, reason = "all of them are far fewer than 2^32")]
        let (files, commands, calls) = (
            self.ledger.files.len() as u32,
            self.ledger.commands.len() as u32,
            self.calls.len() as u32,
        );
        match source {
            Source::File(number) => number,
            Source::Command(number) => files + number,
            Source::Call(u32::MAX) | Source::Asked | Source::Said | Source::Summary => {
                files + commands + calls + message
            }
            Source::Call(number) => files + commands + number,
        }
    }

    fn group_kind(&self, group: u32) -> Source {
        #[allow(clippy::cast_possible_truncation, reason = "all of them are far fewer than 2^32")]
        let (files, commands, calls) = (
            self.ledger.files.len() as u32,
            self.ledger.commands.len() as u32,
            self.calls.len() as u32,
        );
        if group < files {
            Source::File(group)
        } else if group < files + commands {
            Source::Command(group - files)
        } else if group < files + commands + calls {
            Source::Call(group - files - commands)
        } else {
            Source::Said
        }
    }

    #[allow(
        clippy::cast_precision_loss,
        clippy::cast_possible_truncation,
        reason = "costs are small"
    )]
    fn choose(&mut self, weights: &[f32]) {
        let budget = self.request.budget;
        let quoted = self.fix();
        let mut names: Vec<Id> = Vec::new();
        let mut candidates: Vec<Candidate> = Vec::new();
        let canonical = |id: &Id| self.survey.index.canonical(*id);
        let mut covered = vec![false; self.survey.index.len()];
        for id in &self.survey.shown {
            covered[canonical(id) as usize] = true;
        }
        for lines in [&self.fixed.asked, &self.fixed.failures, &self.fixed.plan, &self.fixed.state]
        {
            for line in lines {
                for id in self.known_names(line) {
                    covered[id as usize] = true;
                }
            }
        }
        let mut groups = vec![
            Group { cost: 6.0, ..Group::default() };
            self.group_of(Source::Said, self.request.conversation.messages.len() as u32)
                as usize
        ];
        for (number, file) in self.ledger.files.iter().enumerate() {
            let heading = write::file_heading(&self.ledger, number as u32);
            groups[number] = Group {
                cost: f32::from(estimate(&heading)) + 1.0,
                name: self.survey.index.known(&file.path),
                is_open: false,
            };
        }
        for (number, command) in self.ledger.commands.iter().enumerate() {
            let at = self.group_of(Source::Command(number as u32), 0) as usize;
            groups[at].cost = f32::from(estimate(&write::command_line(command))) + 1.0;
        }
        for (number, call) in self.calls.iter().enumerate() {
            let at = self.group_of(Source::Call(number as u32), 0) as usize;
            groups[at].cost = f32::from(estimate(&write::call_heading(call, &self.ledger))) + 1.0;
        }
        let mut add = |item: Item,
                       group: u32,
                       cost: f32,
                       worth: f32,
                       of: &mut dyn Iterator<Item = Id>,
                       items: &mut Vec<Item>,
                       all: &mut Vec<u32>| {
            let start = names.len() as u32;
            for id in of {
                if !names[start as usize..].contains(&id) {
                    names.push(id);
                }
            }
            candidates.push(Candidate { group, cost, worth, names: start..names.len() as u32 });
            items.push(item);
            all.push(group);
        };
        let (mut items, mut all) = (Vec::new(), Vec::new());
        for (number, unit) in self.survey.units.iter().enumerate() {
            let leaf = self.survey.leaves[unit.leaf as usize];
            if leaf.source == Source::Asked && quoted[leaf.message as usize] {
                continue;
            }
            let group = self.group_of(leaf.source, leaf.message);
            let mut of = self.survey.names_of(unit).iter().map(canonical);
            add(
                Item::Unit(number as u32),
                group,
                f32::from(unit.cost) + 2.0,
                unit.worth,
                &mut of,
                &mut items,
                &mut all,
            );
        }
        for (number, file) in self.ledger.files.iter().enumerate() {
            let number = number as u32;
            for (at, (_, change)) in file.changes.iter().enumerate() {
                let mut of = self.known_names(change).into_iter();
                add(
                    Item::Change(number, at as u32),
                    number,
                    f32::from(estimate(change)) + 2.0,
                    4.0,
                    &mut of,
                    &mut items,
                    &mut all,
                );
            }
        }
        // Grouped mentions stand under no heading of their own.
        let nowhere = groups.len() as u32;
        groups.push(Group { cost: 0.0, name: None, is_open: true });
        for (number, file) in self.ledger.files.iter().enumerate() {
            let name = file.path.rsplit('/').next().unwrap_or(&file.path);
            let Some(id) = self.survey.index.known(&file.path) else { continue };
            let worth = if file.is_changed() { 4.0 } else { 0.0 };
            add(
                Item::File(number as u32),
                nowhere,
                f32::from(estimate(name)) + 3.0,
                worth,
                &mut std::iter::once(id),
                &mut items,
                &mut all,
            );
        }
        for number in 0..self.ledger.commands.len() {
            let group = self.group_of(Source::Command(number as u32), 0);
            add(
                Item::Command(number as u32),
                group,
                0.5,
                1.0,
                &mut std::iter::empty(),
                &mut items,
                &mut all,
            );
        }
        let length = candidates.len();
        let mut choice = Choice {
            candidates: &candidates,
            names: &names,
            weights,
            groups,
            covered,
            is_chosen: vec![false; length],
            order: Vec::new(),
        };
        let fixed = [
            &self.fixed.header,
            &self.fixed.asked,
            &self.fixed.failures,
            &self.fixed.plan,
            &self.fixed.state,
        ];
        let spent: usize = fixed.iter().map(|lines| self.tokens(lines)).sum();
        // Headings of the sections, and a margin that the exact count takes back.
        let left = (budget.saturating_sub(spent) as f32) * 1.1 - 20.0;
        let part = |per_cent: usize| ((budget * per_cent / 100) as f32).min(left);
        let commands = part(COMMANDS);
        let prose = part(PROSE);
        let mut after = left;
        after -= commands - choice.spend(commands, |at| matches!(items[at], Item::Command(_)));
        let is_prose = |at: usize| match items[at] {
            Item::Unit(number) => {
                let leaf = self.survey.leaves[self.survey.units[number as usize].leaf as usize];
                matches!(leaf.source, Source::Said | Source::Asked | Source::Summary)
            }
            _ => false,
        };
        after -= prose - choice.spend(prose, is_prose);
        choice.spend(after, |at| !matches!(items[at], Item::Command(_)));
        self.order = choice.order;
        self.items = items;
        self.groups = all;
    }

    /// The names of a text of ours that the conversation knows.
    fn known_names(&self, text: &str) -> Vec<Id> {
        let mut found = Vec::new();
        names::scan(text, &mut names::Words::default(), |name| {
            found.extend(self.survey.index.known(&text[name.start..name.end]))
        });
        found
    }

    /// Reads the chosen units again, each text once.
    fn fetch(&mut self) {
        let mut wanted: Vec<(u32, u32)> = self
            .order
            .iter()
            .filter_map(|&at| match self.items[at as usize] {
                Item::Unit(unit) => Some((self.survey.units[unit as usize].leaf, at)),
                _ => None,
            })
            .collect();
        wanted.sort_unstable();
        self.texts = vec![String::new(); self.items.len()];
        for (_, at) in wanted {
            let Item::Unit(unit) = self.items[at as usize] else { continue };
            let unit = &self.survey.units[unit as usize];
            let leaf = self.survey.leaves[unit.leaf as usize];
            let text = self.survey.text(self.request.conversation, unit);
            let part = &self.request.conversation.messages[leaf.message as usize].parts
                [leaf.part as usize];
            let is_field =
                part.kind == Kind::ToolResult && text.starts_with('"') && text.contains("\":");
            self.texts[at as usize] = if is_field { records::plain(&text) } else { joined(&text) };
        }
    }

    /// Writes what is always said; tells which user's messages stand there whole.
    fn fix(&mut self) -> Vec<bool> {
        let request = self.request;
        let messages = &request.conversation.messages;
        let budget = request.budget;
        let mut fixed = Fixed::default();
        fixed.header.push(marks::SUMMARY_OPENER.to_owned());
        let mut quoted = vec![false; messages.len()];
        let asked: Vec<usize> = (0..messages.len())
            .filter(|&at| request.summarised[at] && !request.shown[at] && messages[at].is_request())
            .collect();
        let tokens: Vec<usize> =
            asked.iter().map(|&at| (request.count)(&messages[at].text())).collect();
        for (&at, keep) in asked.iter().zip(share::users_to_keep(&tokens, budget)) {
            if keep {
                quoted[at] = true;
                fixed.asked.push(quote(at, messages[at].text().trim()));
            }
        }
        let mut fit = |lines: Vec<String>, per_cent: usize| {
            let mut left = budget * per_cent / 100;
            let mut out = Vec::new();
            for line in lines {
                let cost = (request.count)(&line) + 1;
                if cost <= left {
                    left -= cost;
                    out.push(line);
                }
            }
            out
        };
        let tasks = plan::tasks(request, &self.calls);
        let open: Vec<String> =
            tasks.iter().map(|task| format!("- {} {}", task.mark(), task.text)).collect();
        fixed.plan = fit(open, PLAN);
        let failures = errors::failures(&self.calls, &self.ledger);
        // The open ones first, the newest first; written in order.
        let mut order: Vec<usize> = (0..failures.len()).rev().collect();
        order.sort_by_key(|&at| failures[at].is_fixed);
        let kept = fit(order.iter().map(|&at| failures[at].text.clone()).collect(), FAILURES);
        fixed.failures = failures
            .iter()
            .map(|failure| &failure.text)
            .filter(|text| kept.contains(text))
            .cloned()
            .collect();
        fixed.state = self.state(budget * STATE / 100);
        self.fixed = fixed;
        quoted
    }

    /// The last words of the model, and the last call.
    fn state(&self, budget: usize) -> Vec<String> {
        let request = self.request;
        let messages = &request.conversation.messages;
        let mut lines = Vec::new();
        let last = (0..messages.len()).rev().find(|&at| {
            request.summarised[at]
                && messages[at].role == Role::Assistant
                && messages[at].text().trim().len() >= 20
        });
        if let Some(at) = last {
            let text = messages[at].text();
            let mut said = String::new();
            let mut left = budget;
            units::sentences(&text, |range| {
                let sentence = &text[range];
                let cost = (request.count)(sentence) + 1;
                if cost <= left {
                    left -= cost;
                    if !said.is_empty() {
                        said.push(' ');
                    }
                    said.push_str(sentence);
                } else {
                    left = 0;
                }
            });
            if !said.is_empty() {
                lines.push(format!("- [{at}] The assistant said last: {said}"));
            }
        }
        if let Some(call) = self.calls.last() {
            let what = match &call.command {
                Some(command) => format!("ran `{}`", command.chars().take(60).collect::<String>()),
                None => call.touches.first().map_or_else(
                    || format!("called {}", call.tool),
                    |touch| format!("{} {}", call.deed.word(), self.ledger.relative(&touch.path)),
                ),
            };
            let end = if call.result.is_some() {
                outcome::phrase(&call.outcome)
            } else {
                "no answer yet".to_owned()
            };
            lines.push(format!("- [{}] The last step: {what} → {end}", call.place.0));
        }
        lines
    }

    /// Writes the digest with the first `chosen` choices.
    pub(super) fn write(&self, chosen: usize) -> String {
        let mut blocks: BTreeMap<u32, Vec<u32>> = BTreeMap::new();
        let mut mentioned: Vec<u32> = Vec::new();
        for &at in &self.order[..chosen] {
            match self.items[at as usize] {
                Item::File(file) => mentioned.push(file),
                _ => blocks.entry(self.groups[at as usize]).or_default().push(at),
            }
        }
        let mut sections: Vec<(&str, Vec<String>)> = Vec::new();
        let (mut asked, mut said) = (self.fixed.asked.clone(), Vec::new());
        let (mut changed, mut read, mut commands, mut found) =
            (Vec::new(), Vec::new(), Vec::new(), Vec::new());
        for (&group, members) in &blocks {
            let mut members = members.clone();
            members.sort_by_key(|&at| self.place(at));
            let kind = self.group_kind(group);
            match kind {
                Source::File(number) => {
                    let file = &self.ledger.files[number as usize];
                    let to = if file.is_changed() { &mut changed } else { &mut read };
                    let mut block = vec![write::file_heading(&self.ledger, number)];
                    block.extend(members.iter().map(|&at| self.line(at)));
                    to.push((file.last, block));
                }
                Source::Command(number) => {
                    let command = &self.ledger.commands[number as usize];
                    let mut block = vec![write::command_line(command)];
                    block.extend(
                        members
                            .iter()
                            .filter(|&&at| !matches!(self.items[at as usize], Item::Command(_)))
                            .map(|&at| self.line(at)),
                    );
                    commands.push((command.runs.last().map_or(0, |run| run.message), block));
                }
                Source::Call(number) => {
                    let call = &self.calls[number as usize];
                    let mut block = vec![write::call_heading(call, &self.ledger)];
                    block.extend(self.lines(&members));
                    found.push((call.place.0, block));
                }
                _ => {
                    let message = self.message(members[0]);
                    let parts: Vec<&str> = members
                        .iter()
                        .map(|&at| units::without_marks(&self.texts[at as usize]))
                        .collect();
                    let line = format!("- [{message}] {}", parts.join(" "));
                    let is_user = matches!(self.item_source(members[0]), Some(Source::Asked));
                    if is_user {
                        asked.push(format!("[{message}] (shortened) \"{}\"", parts.join(" … ")));
                    } else {
                        said.push(line);
                    }
                }
            }
        }
        for list in [&mut changed, &mut read, &mut commands, &mut found] {
            list.sort_by_key(|(message, _)| *message);
        }
        let open = |file: &u32| blocks.contains_key(file);
        let mut grouped: Vec<u32> = mentioned.into_iter().filter(|file| !open(file)).collect();
        grouped.sort_unstable();
        let (grouped_changed, grouped_read): (Vec<u32>, Vec<u32>) =
            grouped.into_iter().partition(|&file| self.ledger.files[file as usize].is_changed());
        let ambiguous = |name: &str| self.survey.index.is_ambiguous(name);
        let flat = |list: Vec<(usize, Vec<String>)>| {
            list.into_iter().flat_map(|(_, block)| block).collect::<Vec<_>>()
        };
        asked.sort_by_key(|line| {
            line[1..].split(']').next().and_then(|number| number.parse::<usize>().ok())
        });
        sections.push(("## What the user asked for", asked));
        sections.push(("## What was decided, found and done", said));
        let mut files = flat(changed);
        files.extend(write::grouped_files(&self.ledger, &grouped_changed, ambiguous));
        sections.push(("## Files changed", files));
        let mut files = flat(read);
        files.extend(write::grouped_files(&self.ledger, &grouped_read, ambiguous));
        sections.push(("## Files read", files));
        sections.push(("## Commands run", flat(commands)));
        sections.push(("## Failures and what fixed them", self.fixed.failures.clone()));
        sections.push(("## Other findings", flat(found)));
        sections.push(("## Plan", self.fixed.plan.clone()));
        sections.push(("## Where the work stands", self.fixed.state.clone()));
        let mut text = self.fixed.header.join("\n");
        for (title, lines) in sections.into_iter().filter(|(_, lines)| !lines.is_empty()) {
            text.push('\n');
            text.push_str(title);
            for line in lines {
                text.push('\n');
                text.push_str(&line);
            }
        }
        if self.request.redact { redact::mask(&text) } else { text }
    }

    fn item_source(&self, at: u32) -> Option<Source> {
        match self.items[at as usize] {
            Item::Unit(unit) => {
                Some(self.survey.leaves[self.survey.units[unit as usize].leaf as usize].source)
            }
            _ => None,
        }
    }

    fn message(&self, at: u32) -> u32 {
        match self.items[at as usize] {
            Item::Unit(unit) => {
                self.survey.leaves[self.survey.units[unit as usize].leaf as usize].message
            }
            _ => 0,
        }
    }

    /// Where a chosen thing stood.
    fn place(&self, at: u32) -> (u32, u32, u32) {
        match self.items[at as usize] {
            Item::Unit(unit) => {
                let unit = &self.survey.units[unit as usize];
                (self.survey.leaves[unit.leaf as usize].message, unit.leaf, unit.start)
            }
            #[allow(clippy::cast_possible_truncation, reason = "messages are far fewer than 2^32")]
            Item::Change(file, change) => {
                (self.ledger.files[file as usize].changes[change as usize].0 as u32, 0, change)
            }
            _ => (0, 0, 0),
        }
    }

    fn line(&self, at: u32) -> String {
        match self.items[at as usize] {
            Item::Change(file, change) => {
                format!("  {}", self.ledger.files[file as usize].changes[change as usize].1)
            }
            _ => format!("> {}", self.texts[at as usize]),
        }
    }

    /// Lines under one heading; the fields of one record on a line.
    fn lines(&self, members: &[u32]) -> Vec<String> {
        let mut lines: Vec<String> = Vec::new();
        let mut before: Option<u32> = None;
        for &at in members {
            let Item::Unit(unit) = self.items[at as usize] else { continue };
            let unit = &self.survey.units[unit as usize];
            let leaf = self.survey.leaves[unit.leaf as usize];
            let part = &self.request.conversation.messages[leaf.message as usize].parts
                [leaf.part as usize];
            let same = before.is_some_and(|end| {
                part.kind == Kind::ToolResult
                    && records::is_record(&part.text())
                    && !part.text()[end as usize..unit.start as usize].contains('{')
            });
            match lines.last_mut() {
                Some(line) if same && line.len() < 400 => {
                    line.push_str(", ");
                    line.push_str(&self.texts[at as usize]);
                }
                _ => lines.push(format!("> {}", self.texts[at as usize])),
            }
            before = Some(unit.end);
        }
        lines
    }
}

/// A text on one line; neighbours are told apart by a dot.
fn joined(text: &str) -> String {
    let mut lines = text.lines().map(str::trim).filter(|line| !line.is_empty());
    let first = lines.next().unwrap_or("").to_owned();
    lines.fold(first, |joined, line| {
        let line = line
            .split_once(['→', '\t'])
            .filter(|(number, _)| number.bytes().all(|byte| byte.is_ascii_digit()))
            .map_or(line, |(_, rest)| rest.trim());
        joined + " · " + line
    })
}

/// A user's message word for word.
fn quote(at: usize, text: &str) -> String {
    if text.contains('\n') {
        format!("[{at}] \"\"\"{text}\"\"\"")
    } else {
        format!("[{at}] \"{text}\"")
    }
}
