//! `ctx partition`: head, middle and tail, at legal cuts.

use std::borrow::Cow;
use std::cell::OnceCell;
use std::io::Write;
use std::ops::Range;

use crate::cli::partition::{PartName, Partition};
use crate::command::shell::Fate;
use crate::command::{Need, Outcome, Shell, Trouble, Visit, meter, read_each};
use crate::conversation::{Conversation, Kind, List, decode};
use crate::count::{Count, Meter, Tally};
use crate::dialect::{self, Dialect, Layout, Site};
use crate::document::{BOM, Document, spliced};
use crate::draft::NewMessage;
use crate::json::quote;
use crate::output::Stdout;
use crate::pairing::Cuts;
use crate::partition::{self, TooLarge, chunks, cuts, edits_to_part, partition, results_to_fit};

/// Prints the parts, one part, or the middle in chunks.
///
/// # Errors
///
/// The model is unknown, or standard output can't be written.
pub fn run(arguments: &Partition) -> anyhow::Result<Outcome> {
    let (meter, _) = meter(&arguments.counting, Need::Count)?;
    // A part in the shape of the input has its lines.
    let mut shell = Shell::default();
    shell.fate = if arguments.part.is_none() { Fate::Dropped } else { Fate::Kept };
    let mut out = Stdout::open();
    read_each(&arguments.reading, &mut shell, &mut |visit, shell| {
        let conversation = visit.conversation;
        let cuts = cuts(conversation);
        let count = meter.count(conversation);
        let (keep_tail, first) = (arguments.keep_tail, arguments.keep_first_user);
        let parts = partition(conversation, &cuts, &count, keep_tail, first);
        if let Some(most) = arguments.chunks {
            return write_chunks(visit, shell, (&meter, &cuts, count), parts, most, &mut out);
        }
        let (name, part) = match arguments.part {
            Some(PartName::Head) => ("head", parts.head),
            Some(PartName::Middle) => ("middle", parts.middle),
            Some(PartName::Tail) => ("tail", parts.tail),
            None => return Ok(write_parts(visit, &count, parts, &mut out)?),
        };
        if part.is_empty() && conversation.source.whole().is_none() {
            // Of lines none may be left, and no command reads that.
            shell.say(format_args!("{}: the {name} is empty", visit.place()));
        }
        Ok(write_in_shape(visit, &part, &mut out)?)
    });
    out.flush()?;
    Ok(shell.outcome())
}

/// Says that there is nothing to be had in chunks, and what helps, where there is a tail that could be shorter.
fn tell_no_middle(visit: &Visit<'_, '_>, shell: &Shell, tail: &Range<usize>) {
    let place = visit.place();
    if visit.conversation.messages.is_empty() {
        shell.say(format_args!("{place}: there is no message"));
    } else if tail.is_empty() {
        shell.say(format_args!("{place}: the middle is empty"));
    } else {
        shell.say(format_args!("{place}: the middle is empty: lower --keep-tail"));
    }
}

/// Writes the middle in chunks of at most `most` tokens, a line each.
fn write_chunks(
    visit: &Visit<'_, '_>,
    shell: &mut Shell,
    (meter, cuts, mut count): (&Meter, &Cuts, Count),
    partition::Partition { middle, tail, .. }: partition::Partition,
    most: usize,
    out: &mut Stdout,
) -> anyhow::Result<()> {
    let conversation = visit.conversation;
    let mut others: Vec<&str> = Vec::new();
    let lines = loop {
        let chunks = match chunks(cuts, &count, middle.clone(), most) {
            Ok(chunks) => chunks,
            Err(piece) => {
                let results = results_to_fit(conversation, cuts, &count, middle, most);
                let trouble = too_large(visit, &piece, most, results);
                // The conversations behind this one have theirs.
                shell.fail(&visit.place(), &trouble.into());
                return Ok(());
            }
        };
        let lines = lines_of(visit, &chunks);
        let mut read = lines.iter().filter_map(|line| read_otherwise(visit, line));
        let Some(other) = read.find(|other| !others.contains(&other.name())) else { break lines };
        others.push(other.name());
        if let Some(theirs) = count_as(visit, other, &middle, meter) {
            raise(&mut count, middle.start, &theirs);
        }
    };
    if lines.is_empty() {
        tell_no_middle(visit, shell, &tail);
    }
    for line in lines {
        writeln!(out, "{line}")?;
    }
    Ok(())
}

fn lines_of(visit: &Visit<'_, '_>, chunks: &[Range<usize>]) -> Vec<String> {
    let conversation = visit.conversation;
    if conversation.dialect.is_log() && conversation.source.whole().is_none() {
        let size = chunks.len().isqrt().max(1);
        return chunks.chunks(size).flat_map(|group| logs_of(visit, group)).collect();
    }
    chunks.iter().filter_map(|chunk| line_of(visit, chunk)).collect()
}

/// The dialect that a line is read as, where that is another than what it was a part of: what that was known by need
/// not be in each of its parts.
fn read_otherwise(visit: &Visit<'_, '_>, line: &str) -> Option<&'static dyn Dialect> {
    if visit.shape.is_named || visit.conversation.dialect.is_log() {
        return None;
    }
    let ends = OnceCell::new();
    let document = Document::by_line(line.as_bytes(), &ends);
    let dialect = dialect::recognise(document.values(), None).ok()?.dialect;
    (dialect.name() != visit.shape.dialect.name()).then_some(dialect)
}

/// What some messages count as another dialect's.
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

/// Lets each message count what it does as another dialect's, where that is more; theirs begin at `start`.
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

/// Writes an object with all parts, and what each counts.
fn write_parts(
    visit: &Visit<'_, '_>,
    count: &Count,
    parts: partition::Partition,
    out: &mut Stdout,
) -> std::io::Result<()> {
    let tokens = |range: &Range<usize>| {
        count.messages[range.clone()].iter().map(|t| t.tokens()).sum::<usize>()
    };
    let parts = [("head", parts.head), ("middle", parts.middle), ("tail", parts.tail)];
    write!(out, "{{")?;
    for (name, range) in &parts {
        write!(out, r#""{name}": ["#)?;
        for (at, item) in items(visit, range).iter().enumerate() {
            write!(out, "{}{item}", if at == 0 { "" } else { ", " })?;
        }
        write!(out, "], ")?;
    }
    let tokens = parts.map(|(name, range)| format!(r#""{name}": {}"#, tokens(&range)));
    writeln!(out, r#""tokens": {{{}}}}}"#, tokens.join(", "))
}

/// The units of some messages, as they stand, behind what is said beside the list, as a request that
/// is one text: that is written as units.
fn items<'a>(visit: &Visit<'_, 'a>, range: &Range<usize>) -> Vec<Cow<'a, str>> {
    let conversation = visit.conversation;
    let messages = &conversation.messages[range.clone()];
    let units = conversation.units_of(|at| range.contains(&at));
    let after = units.first().copied();
    let all = &conversation.messages;
    let source = &conversation.source;
    let site = Site { source, messages: all, list: List::Stream, before: None, after };
    let beside = messages.iter().filter(|m| m.units.is_empty() && !m.is_instruction());
    let written = beside.flat_map(|message| {
        let new = NewMessage::text(message.role, message.text());
        conversation.dialect.write_message(&new, &site)
    });
    let units = units.iter().map(|unit| Cow::Borrowed(unit.source()));
    written.map(Cow::Owned).chain(units).collect()
}

/// Writes the conversation with only these messages in it, in the shape of the input.
fn write_in_shape(
    visit: &Visit<'_, '_>,
    range: &Range<usize>,
    out: &mut Stdout,
) -> std::io::Result<()> {
    let document = visit.document;
    let edits = edits_to_part(document, visit.conversation, range);
    // Of several conversations only this one's own value.
    let own = visit.conversation.source.whole().filter(|_| visit.is_one_of_many);
    let span = own.map_or(0..document.bytes().len(), |value| document.span(value));
    let pieces = || spliced(document.bytes(), span.clone(), &edits);
    // Lines of which none is left are no conversation, and the break behind the last is none.
    let is_blank =
        |piece: &[u8]| piece.trim_ascii().is_empty() || piece.trim_ascii() == BOM.as_bytes();
    if pieces().all(is_blank) {
        return Ok(());
    }
    pieces().try_for_each(|piece| out.write_all(piece))?;
    if own.is_some() { out.write_all(b"\n") } else { Ok(()) }
}

/// Some messages as a conversation on one line that is read as what it was; `None` where they all
/// stand beside the list, as a system prompt does.
fn line_of(visit: &Visit<'_, '_>, range: &Range<usize>) -> Option<String> {
    let items = items(visit, range);
    if items.is_empty() {
        return None;
    }
    if visit.conversation.dialect.is_log() || visit.conversation.is_tree() {
        return log_of(visit.document, visit.conversation, range);
    }
    let array = on_one_line(format!("[{}]", items.join(", ")));
    let path = match visit.shape.layout.alone() {
        Layout::Objects(path) => path,
        Layout::Stream | Layout::Array | Layout::Arrays | Layout::Whole => "",
    };
    let keys = path.rsplit('.').filter(|key| !key.is_empty());
    Some(keys.fold(array, |held, key| format!("{{{}: {held}}}", quote(key))))
}

fn on_one_line(text: impl Into<String>) -> String {
    text.into().replace(['\n', '\r'], " ")
}

/// Neighbouring chunks of a log, each as one value. What a line means depends on all others, so they are
/// taken from the part that holds them all: a log of many chunks is not gone through for each.
fn logs_of(visit: &Visit<'_, '_>, chunks: &[Range<usize>]) -> Vec<String> {
    let (document, conversation) = (visit.document, visit.conversation);
    let [first, .., last] = chunks else {
        return chunks.iter().filter_map(|chunk| line_of(visit, chunk)).collect();
    };
    let (text, ends) = (
        document.apply(&edits_to_part(document, conversation, &(first.start..last.end))),
        OnceCell::new(),
    );
    let part = Document::by_line(&text, &ends);
    let source = dialect::sources(&part, visit.shape.layout).pop();
    let within = source.map(|source| decode(visit.shape.dialect, source, conversation.scope));
    // A part is read as what it was a part of.
    let within = within.filter(|within| within.messages.len() == last.end - first.start);
    let line = |chunk: &Range<usize>| match &within {
        Some(within) => {
            log_of(&part, within, &(chunk.start - first.start..chunk.end - first.start))
        }
        None => line_of(visit, chunk),
    };
    chunks.iter().filter_map(line).collect()
}

/// Some messages of a log or a tree as one value: what a line or node means depends on others.
fn log_of<'a>(
    document: &Document<'a>,
    conversation: &Conversation<'a>,
    range: &Range<usize>,
) -> Option<String> {
    let edits = edits_to_part(document, conversation, range);
    if let Some(whole) = conversation.source.whole() {
        let text = document.apply_within(document.span(whole), &edits);
        return String::from_utf8(text).ok().map(on_one_line);
    }
    let (text, ends) = (document.apply(&edits), OnceCell::new());
    // Lines that are not JSON are in no array.
    let part = Document::by_line(&text, &ends);
    let lines: Vec<&str> = part.values().iter().map(|line| line.source()).collect();
    Some(on_one_line(format!("[{}]", lines.join(", "))))
}

/// Why a conversation has no chunks of at most `most` tokens, and what would help: larger ones, or
/// results of so many tokens.
fn too_large(
    visit: &Visit<'_, '_>,
    large: &TooLarge,
    most: usize,
    results: Option<usize>,
) -> Trouble {
    let tokens = large.tokens;
    let (first, last) = (visit.line(large.piece.start), visit.line(large.piece.end - 1));
    let piece = match first == last {
        // The place names the line.
        true if visit.is_one_of_many => format!("{tokens} tokens"),
        true => format!("line {first} counts {tokens} tokens and"),
        false => format!("lines {first} to {last} count {tokens} tokens and"),
    };
    let larger = format!("--chunks {tokens}");
    let hint = match results {
        Some(results) => format!("{larger}, or first ctx truncate --max-tokens {results}"),
        None => larger,
    };
    let messages = &visit.conversation.messages[large.piece.clone()];
    let has = |kind| messages.iter().any(|message| message.has(kind));
    let why = match messages {
        [_] => "a message stays whole",
        _ if has(Kind::Reasoning) => "thinking stays with the calls behind it and their results",
        _ => "calls stay with their results",
    };
    Trouble::new(format!("{piece} can't be parted, more than {most}: {why}"), hint)
}
