//! `ctx partition`: head, middle and tail, at legal cuts.

mod chunks;

use std::borrow::Cow;
use std::cell::OnceCell;
use std::io::Write;
use std::ops::Range;

use crate::cli::partition::{PartName, Partition};
use crate::command::shell::Fate;
use crate::command::{Need, Outcome, Shell, Visit, meter, read_each, say_if_estimated};
use crate::conversation::{Conversation, List, decode};
use crate::count::Count;
use crate::dialect::{self, Layout, NewIds, Site};
use crate::document::{BOM, Document, spliced};
use crate::draft::NewMessage;
use crate::json::quote;
use crate::output::Stdout;
use crate::partition::{self, cuts, edits_to_part, partition};
use chunks::Chunking;

/// Prints the parts, one part, or the middle in chunks.
///
/// # Errors
///
/// The model is unknown, or standard output can't be written.
pub fn run(arguments: &Partition) -> anyhow::Result<Outcome> {
    let (meter, _) = meter(&arguments.counting, Need::Count)?;
    // A part in the shape of the input keeps its lines.
    let mut shell = Shell::default();
    shell.fate = if arguments.part.is_none() { Fate::Dropped } else { Fate::Kept };
    say_if_estimated(&meter, &shell);
    let mut out = Stdout::open();
    read_each(&arguments.reading, &mut shell, &mut |visit, shell| {
        let conversation = visit.conversation;
        let cuts = cuts(conversation);
        let count = meter.count(conversation);
        let (keep_tail, first) = (arguments.keep_tail, arguments.keep_first_user);
        let parts = partition(conversation, &cuts, &count, keep_tail, first);
        if let Some(most) = arguments.chunks {
            let chunking = Chunking { meter: &meter, keep_tail, first, most };
            match chunking.lines(visit, &cuts, &count, &parts.middle) {
                Ok(lines) if lines.is_empty() => tell_no_middle(visit, shell, &parts.tail),
                Ok(lines) => lines.iter().try_for_each(|line| writeln!(out, "{line}"))?,
                // Report it and go on: later conversations have chunks of their own.
                Err(piece) => {
                    let trouble = chunking.too_large(visit, &cuts, &count, &parts.middle, &piece);
                    shell.fail(&visit.place(), &trouble.into());
                }
            }
            return Ok(());
        }
        let (name, part) = match arguments.part {
            Some(PartName::Head) => ("head", parts.head),
            Some(PartName::Middle) => ("middle", parts.middle),
            Some(PartName::Tail) => ("tail", parts.tail),
            None => return Ok(write_parts(visit, &count, parts, &mut out)?),
        };
        if part.is_empty() && conversation.source.whole().is_none() {
            // A part of lines may be empty, which no command can read.
            shell.say(format_args!("{}: the {name} is empty", visit.place()));
        }
        Ok(write_in_shape(visit, &part, &mut out)?)
    });
    out.flush()?;
    Ok(shell.outcome())
}

/// Reports that the middle is empty, with a hint if a shorter tail would help.
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

fn lines_of(visit: &Visit<'_, '_>, chunks: &[Range<usize>]) -> Vec<String> {
    let conversation = visit.conversation;
    let is_log = conversation.dialect.is_log() && conversation.source.whole().is_none();
    if is_log || conversation.is_tree() {
        let size = chunks.len().isqrt().max(1);
        return chunks.chunks(size).flat_map(|group| woven_of(visit, group)).collect();
    }
    chunks.iter().filter_map(|chunk| line_of(visit, chunk)).collect()
}

/// Writes an object with all parts and their tokens.
fn write_parts(
    visit: &Visit<'_, '_>,
    count: &Count,
    parts: partition::Partition,
    out: &mut Stdout,
) -> std::io::Result<()> {
    let parts = [("head", parts.head), ("middle", parts.middle), ("tail", parts.tail)];
    write!(out, "{{")?;
    for (name, range) in &parts {
        write!(out, r#""{name}": ["#)?;
        for (at, item) in items(visit, range).iter().enumerate() {
            write!(out, "{}{item}", if at == 0 { "" } else { ", " })?;
        }
        write!(out, "], ")?;
    }
    let tokens = parts.map(|(name, range)| (name, count.tokens_of(range)));
    let rest = count.tokens() - tokens.iter().map(|(_, tokens)| tokens).sum::<usize>();
    let tokens = tokens.into_iter().chain([("rest", rest)]);
    let tokens: Vec<_> = tokens.map(|(name, tokens)| format!(r#""{name}": {tokens}"#)).collect();
    writeln!(out, r#""tokens": {{{}}}}}"#, tokens.join(", "))
}

/// The units of some messages as written, preceded by messages that stand beside the list; a request that is
/// a plain text is written as units.
fn items<'a>(visit: &Visit<'_, 'a>, range: &Range<usize>) -> Vec<Cow<'a, str>> {
    let conversation = visit.conversation;
    let messages = &conversation.messages[range.clone()];
    let units = conversation.units_of(range);
    let after = units.first().copied();
    let source = &conversation.source;
    let site = Site { source, list: List::Stream, before: None, after, ids: &NewIds::default() };
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
    // If there are several conversations, write only the value of this one.
    let own = visit.conversation.source.whole().filter(|_| visit.is_one_of_many);
    let span = own.map_or(0..document.bytes().len(), |value| document.span(value));
    let pieces = || spliced(document.bytes(), span.clone(), &edits);
    // If no line is left there is no conversation, and the last line break is omitted too.
    let is_blank =
        |piece: &[u8]| piece.trim_ascii().is_empty() || piece.trim_ascii() == BOM.as_bytes();
    if pieces().all(is_blank) {
        return Ok(());
    }
    pieces().try_for_each(|piece| out.write_all(piece))?;
    if own.is_some() { out.write_all(b"\n") } else { Ok(()) }
}

/// Some messages as a conversation on one line of the same dialect; `None` if all of them stand beside the
/// list, as a system prompt does.
fn line_of(visit: &Visit<'_, '_>, range: &Range<usize>) -> Option<String> {
    let items = items(visit, range);
    if items.is_empty() {
        return None;
    }
    if visit.conversation.dialect.is_log() || visit.conversation.is_tree() {
        return one_of(visit.document, visit.conversation, range);
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

/// Neighbouring chunks of a log or tree, each as one value. The meaning of a line or node depends on all
/// others, so chunks are taken from the part that holds all of them; a log with many chunks is not read again
/// for each.
fn woven_of(visit: &Visit<'_, '_>, chunks: &[Range<usize>]) -> Vec<String> {
    let (document, conversation) = (visit.document, visit.conversation);
    let [first, .., last] = chunks else {
        return chunks.iter().filter_map(|chunk| line_of(visit, chunk)).collect();
    };
    let range = first.start..last.end;
    let whole = conversation.source.whole();
    let text = match whole {
        Some(_) => one_of(document, conversation, &range).unwrap_or_default().into_bytes(),
        None => document.apply(&edits_to_part(document, conversation, &range)),
    };
    let ends = OnceCell::new();
    let part = Document::by_line(&text, &ends);
    let layout = if whole.is_some() { visit.shape.layout.alone() } else { visit.shape.layout };
    let source = dialect::sources(&part, layout).pop();
    let within = source.map(|source| decode(visit.shape.dialect, source, conversation.scope));
    // The part must have as many messages as the chunks together.
    let within = within.filter(|within| within.messages.len() == last.end - first.start);
    let line = |chunk: &Range<usize>| match &within {
        Some(within) => {
            one_of(&part, within, &(chunk.start - first.start..chunk.end - first.start))
        }
        None => line_of(visit, chunk),
    };
    chunks.iter().filter_map(line).collect()
}

/// Some messages of a log or tree as one value, because the meaning of a line or node depends on others.
fn one_of<'a>(
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
    // Broken lines can't be items of an array.
    let part = Document::by_line(&text, &ends);
    let lines: Vec<&str> = part.values().iter().map(|line| line.source()).collect();
    Some(on_one_line(format!("[{}]", lines.join(", "))))
}
