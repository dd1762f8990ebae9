//! `ctx count`: tokens, and where they are.

use std::cmp::Reverse;
use std::collections::BTreeMap;
use std::io::{IsTerminal, Write};
use std::mem;

use serde::Serialize;
use serde_json::Value;

use crate::cli::count::Count as Arguments;
use crate::command::share::{Told, Worker, ask_each};
use crate::command::{Need, Outcome, Shell, Visit, may_spread, meter, say_if_estimated, usage};
use crate::conversation::{Kind, Origin, Source};
use crate::count::{Breakdown, By, Count, Meter, NO_TOOL, Row};
use crate::dialect::Shape;
use crate::input::Name;
use crate::line::counted;
use crate::media;
use crate::output::{Stdout, on_one_row};
use crate::usage::Usage;

/// Prints `TOKENS FILE` for each input and a total for several, a table, or an object for each
/// conversation.
///
/// # Errors
///
/// The model is unknown, or standard output can't be written.
pub fn run(arguments: &Arguments) -> anyhow::Result<Outcome> {
    let (meter, _) = meter(&arguments.counting, Need::Count)?;
    let mut shell = Shell::default();
    say_if_estimated(&meter, &shell);
    let mut out = Stdout::open();
    let mut inputs: Vec<(String, Breakdown, String)> = Vec::new();
    let mut sums = Breakdown::default();
    let mut recorded = String::new();
    let tell = |told: Told<'_, Counted>| {
        match told {
            Told::Answer(_, Counted { object: Some(object), .. }) => out.line(&object)?,
            Told::Answer(_, counted) => {
                recorded += &counted.recorded;
                sums.tokens += counted.tokens;
                sums.rows.extend(counted.rows);
            }
            Told::End(name) => {
                let label = if *name == Name::Stdin { String::new() } else { name.to_string() };
                inputs.push((label, mem::take(&mut sums), mem::take(&mut recorded)));
            }
            Told::Trouble(..) => {}
        }
        Ok(())
    };
    ask_each(&arguments.reading, &mut shell, || Counter::new(arguments), tell)?;
    if arguments.json {
        out.flush()?;
        return Ok(shell.outcome());
    }
    if inputs.len() > 1 {
        let tokens = inputs.iter().map(|(_, sums, _)| sums.tokens).sum();
        let sums = Breakdown { tokens, rows: Vec::new() };
        inputs.push(("total".to_owned(), sums, String::new()));
    }
    let width = inputs.iter().map(|(_, sums, _)| sums.tokens.to_string().len()).max().unwrap_or(0);
    for (name, sums, recorded) in &inputs {
        let line = format!("{:>width$} {name}", sums.tokens);
        out.line(line.trim_end())?;
        table(&mut out, sums)?;
        out.write_all(recorded.as_bytes())?;
    }
    out.flush()?;
    Ok(shell.outcome())
}

/// Counts the conversations of all inputs.
struct Counter<'r> {
    arguments: &'r Arguments,
    meter: Meter,
}

impl<'r> Counter<'r> {
    fn new(arguments: &'r Arguments) -> anyhow::Result<Self> {
        Ok(Self { arguments, meter: meter(&arguments.counting, Need::Count)?.0 })
    }
}

/// The counts of a conversation, as far as they are printed.
#[derive(Default)]
struct Counted {
    tokens: usize,
    rows: Vec<Row>,
    recorded: String,
    object: Option<String>,
}

impl Worker for Counter<'_> {
    type Answer = Counted;
    const PASSES_OVER: bool = true;

    fn skim(&mut self, shape: Shape, source: &Source<'_>, is_one_of_many: bool) -> Option<Counted> {
        let Self { arguments, meter } = self;
        if arguments.json || arguments.usage || arguments.by.is_some() {
            return None;
        }
        meter.spread(may_spread(&arguments.reading, is_one_of_many));
        let tokens = meter.skim(shape.dialect, source)?;
        Some(Counted { tokens, ..Counted::default() })
    }

    fn answer(&mut self, visit: &Visit<'_, '_>, shell: &Shell) -> anyhow::Result<Counted> {
        let Self { arguments, meter } = self;
        meter.spread(may_spread(&arguments.reading, visit.is_one_of_many));
        let conversation = visit.conversation;
        let count = meter.count(conversation);
        let mut counted = Counted { tokens: count.tokens(), ..Counted::default() };
        warn_of_unknown(visit, shell);
        warn_of_guesses(visit, &count, shell);
        if arguments.json {
            counted.object = Some(object(arguments, visit, meter, &count)?);
            return Ok(counted);
        }
        if arguments.usage {
            counted.recorded = usage::table(&Usage::of(conversation, &count));
        }
        if let Some(by) = arguments.by {
            counted.rows = Breakdown::of(conversation, &count, by).rows;
            // The messages of several conversations have the same numbers.
            let places = counted.rows.iter_mut().filter(|row| row.message.is_some());
            for row in places.filter(|_| visit.is_one_of_many) {
                row.label = format!("line {}: {}", visit.where_within(), row.label);
            }
        }
        Ok(counted)
    }
}

/// The most characters of a label that a table shows.
const LABEL: usize = 40;

/// Writes rows with bars, the largest first; rows with the same label are merged.
fn table(out: &mut Stdout, sums: &Breakdown) -> anyhow::Result<()> {
    let mut merged: BTreeMap<(Option<usize>, &str), (usize, usize)> = BTreeMap::new();
    for (at, row) in sums.rows.iter().enumerate() {
        let (_, tokens) = merged.entry((row.message, &row.label)).or_insert((at, 0));
        *tokens += row.tokens;
    }
    let mut rows: Vec<_> = merged.into_iter().collect();
    // Of equal rows the one that is found first comes first.
    rows.sort_by_key(|((message, _), (at, tokens))| (Reverse(*tokens), *message, *at));
    let shown = |label: &str| on_one_row(label).chars().take(LABEL).collect::<String>();
    let rows = rows.into_iter().map(|((_, label), (_, tokens))| (shown(label), tokens));
    let rows: Vec<(String, usize)> = rows.collect();
    let label = rows.iter().map(|(label, _)| label.chars().count()).max().unwrap_or(0);
    let digits = rows.iter().map(|(_, tokens)| tokens.to_string().len()).max().unwrap_or(0);
    let bar = bar_width().saturating_sub(label + digits + 14).clamp(8, 60);
    let most = rows.first().map_or(1, |(_, tokens)| (*tokens).max(1));
    for (name, tokens) in rows {
        // Rounded to a tenth.
        let share = (tokens * 1000 + sums.tokens / 2).checked_div(sums.tokens).unwrap_or(0);
        let filled = "█".repeat((tokens * bar).div_ceil(most));
        let percent = format!("{}.{} %", share / 10, share % 10);
        let line = format!("  {name:label$}  {tokens:>digits$}  {percent:>7}  {filled}");
        out.line(line.trim_end())?;
    }
    Ok(())
}

/// The width of a table in columns: that of the terminal, else 80.
fn bar_width() -> usize {
    if !std::io::stdout().is_terminal() {
        return 80;
    }
    let columns = std::env::var("COLUMNS").ok().and_then(|columns| columns.parse().ok());
    columns
        .or_else(|| terminal_size::terminal_size().map(|(width, _)| width.0.into()))
        .unwrap_or(80)
}

/// Warns of parts that the dialect does not know, because only their texts are counted.
fn warn_of_unknown(visit: &Visit<'_, '_>, shell: &Shell) {
    let parts = visit.conversation.messages.iter().filter(|m| m.origin != Origin::Internal);
    let others = parts.flat_map(|message| message.parts_of(Kind::Other));
    let dialect = visit.conversation.dialect;
    let unknown = others.filter(|(_, part)| dialect.unknown_type(part).is_some()).count();
    if unknown > 0 {
        let (place, parts) = (visit.place(), counted(unknown, "part"));
        shell.say(format_args!("{place}: {parts} of unknown type: only texts are counted"));
    }
}

/// Warns of documents of unknown length, which count as ten of the largest pages.
fn warn_of_guesses(visit: &Visit<'_, '_>, count: &Count, shell: &Shell) {
    let guessed = count.tally().guesses;
    if guessed > 0 {
        let (place, documents) = (visit.place(), counted(guessed, "document"));
        let each = media::DOCUMENT;
        shell.say(format_args!("{place}: {documents} of unknown length: {each} tokens each"));
    }
}

/// A conversation, as `--json` prints it.
#[derive(Serialize)]
struct Object {
    file: String,
    /// The line on which the conversation begins.
    line: usize,
    dialect: &'static str,
    encoding: Option<&'static str>,
    model: Option<&'static str>,
    messages: usize,
    parts: BTreeMap<&'static str, Sum>,
    roles: BTreeMap<String, Sum>,
    tools: BTreeMap<String, Sum>,
    tokens: usize,
    content_tokens: usize,
    framing_tokens: usize,
    media_tokens: usize,
    #[serde(skip_serializing_if = "Option::is_none")]
    recorded_tokens: Option<Value>,
    #[serde(skip_serializing_if = "Option::is_none")]
    ratio: Option<Value>,
    #[serde(skip_serializing_if = "Option::is_none")]
    growth: Option<Value>,
    #[serde(skip_serializing_if = "Option::is_none")]
    requests: Option<Value>,
    #[serde(skip_serializing_if = "Option::is_none")]
    items: Option<Vec<Item>>,
}

/// A number of things, and their tokens.
#[derive(Default, Serialize)]
struct Sum {
    count: usize,
    tokens: usize,
}

/// A row of a breakdown.
#[derive(Serialize)]
struct Item {
    label: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    message: Option<usize>,
    #[serde(skip_serializing_if = "Option::is_none")]
    line: Option<usize>,
    count: usize,
    tokens: usize,
}

fn object(
    arguments: &Arguments,
    visit: &Visit<'_, '_>,
    meter: &Meter,
    count: &Count,
) -> anyhow::Result<String> {
    let conversation = visit.conversation;
    let sums = |by| {
        let rows = Breakdown::of(conversation, count, by).rows.into_iter();
        // Framing and other rows that belong to no message have members of their own.
        let own = rows.filter(|row| row.count > 0 && row.label != NO_TOOL);
        own.map(|Row { label, count, tokens, .. }| (label, Sum { count, tokens })).collect()
    };
    let mut parts: BTreeMap<&'static str, Sum> = BTreeMap::new();
    for (message, tallies) in conversation.messages.iter().zip(count.parts.iter()) {
        for (part, tally) in message.parts.iter().zip(tallies) {
            let sum = parts.entry(part.kind.name()).or_default();
            sum.count += 1;
            sum.tokens += tally.tokens();
        }
    }
    let items = arguments.by.map(|by| {
        let mut rows = Breakdown::of(conversation, count, by).rows;
        if by == By::Message || by == By::Turn {
            rows.sort_by_key(|row| row.message.unwrap_or(usize::MAX));
        }
        let item = |row: Row| Item {
            line: row.message.map(|message| visit.line(message)),
            label: row.label,
            message: row.message,
            count: row.count,
            tokens: row.tokens,
        };
        rows.into_iter().map(item).collect()
    });
    let usage = arguments.usage.then(|| Usage::of(conversation, count));
    let usage = usage.as_ref();
    let tally = count.tally();
    let object = Object {
        file: visit.name.plain(),
        line: visit.first_line(),
        dialect: conversation.dialect.name(),
        encoding: meter.encoding().map(|encoding| encoding.name()),
        model: meter.model().map(|model| model.name()),
        messages: conversation.messages.len(),
        parts,
        roles: sums(By::Role),
        tools: sums(By::Tool),
        tokens: tally.tokens(),
        content_tokens: tally.content,
        framing_tokens: tally.framing,
        media_tokens: tally.media,
        recorded_tokens: usage.map(|usage| usage.newest().map(|newest| newest.recorded).into()),
        ratio: usage.map(|usage| usage.newest().map(usage::ratio).into()),
        growth: usage.map(|usage| usage.growth.map(usage::value).into()),
        requests: usage.map(|usage| usage.requests.iter().copied().map(usage::value).collect()),
        items,
    };
    Ok(serde_json::to_string(&object)?)
}
