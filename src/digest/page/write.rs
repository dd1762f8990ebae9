//! The text of the digest.
//!
//! Responsible for the order of the sections, for putting lines under their file or command, and for
//! keeping quoted text apart from our own: quoted lines begin with `> `. It relies on everything having
//! been chosen; it only writes, and the same choice gives the same text.

use std::fmt::Write;

use super::grouped::grouped_files;
use super::left_out;
use super::outline::{Lead, Outline};
use super::quotes::{line, quotes};
use super::recorded::{record_line, record_lines};
use super::{Heading, Item, Page};
use crate::digest::Setting;
use crate::digest::calls::folder::Folder;
use crate::digest::calls::{self, Call, commands};
use crate::digest::files::deed::Deed;
use crate::digest::ledger::Ledger;
use crate::digest::reading::survey::{Source, Stand};
use crate::digest::text::attached;
use crate::digest::text::labels::{
    ACTS, AMENDED, APPROVED, CHANGED, COMMANDS, FAILURES, FOUND, NEWEST, PARTS, PLAN, READ,
    RECORDS, SAID, STATE, STORY, SUMMARY,
};
use crate::digest::text::point::{Blocks, Point};
use crate::digest::text::talk::Said;
use crate::digest::text::{labels, more, talk, tidy, units};
use crate::redact;

/// How many bytes of white space stand between two consecutive sentences at most.
const MOST_BLANK: u32 = 3;

/// The text of the digest with the first `chosen` choices.
pub(crate) fn page(page: &Page<'_, '_>, chosen: usize) -> String {
    let mut sections = Sections::default();
    let (mut members, mut told, mut mentioned) = (Vec::new(), Vec::new(), Vec::new());
    let mut renamed = Vec::new();
    for block in page.arranged.chunk_by(|(one, _), (other, _)| one == other) {
        members.clear();
        members.extend(block.iter().map(|(_, at)| *at).filter(|at| (*at as usize) < chosen));
        page.drop_retold(&mut members);
        match block[0].0 {
            _ if members.is_empty() => {}
            Heading::Ledger => {
                mentioned.extend(members.iter().filter_map(|at| page.file(*at)));
                renamed.extend(members.iter().filter_map(|at| page.rename(*at)));
            }
            heading => {
                if let Heading::File(file) = heading {
                    told.push(file);
                }
                sections.add(page, heading, &members);
            }
        }
    }
    mentioned.retain(|file| told.binary_search(file).is_err());
    mentioned.sort_unstable();
    renamed.sort_unstable();
    sections.said.extend(page.fixed.said().map(|(at, line)| (at, vec![line.to_owned()])));
    let (changed, read): (Vec<u32>, Vec<u32>) =
        mentioned.into_iter().partition(|&file| page.ledger.files[file as usize].is_changed());
    // The sections of a small digest are known by their lines: titles would take the room of lines.
    let is_roomy = page.request.is_roomy();
    let mut text = page.header();
    let mut put = |title: &str, blocks: Blocks, lines: &[String]| {
        if blocks.is_empty() && lines.is_empty() {
            return;
        }
        if is_roomy {
            text.push_str("\n## ");
            text.push_str(title);
        }
        for line in flat(blocks).iter().chain(lines) {
            text.push('\n');
            text.push_str(line);
        }
    };
    put(STORY, page.talk.told(sections.turns, sections.said), &[]);
    let ledger = &page.ledger;
    let names = renamed.iter().map(|&at: &u32| ledger.renames[at as usize].line(&ledger.files));
    let mut lines: Vec<String> = names.chain(grouped_files(page, &changed)).collect();
    if is_roomy && !(sections.changed.is_empty() && lines.is_empty()) {
        lines.extend(more::line(left_out::changed_files(page, chosen)));
    }
    put(CHANGED, sections.changed, &lines);
    put(READ, sections.read, &grouped_files(page, &read));
    put(COMMANDS, sections.commands, &[]);
    put(FAILURES, Vec::new(), &page.fixed.failures);
    if page.request.setting == Setting::Work {
        put(ACTS, sections.records, &[]);
        put(FOUND, sections.found, &[]);
    } else {
        put(RECORDS, sections.records.into_iter().chain(sections.found).collect(), &[]);
    }
    put(PLAN, Vec::new(), &page.fixed.plan);
    put(STATE, Vec::new(), &page.fixed.state);
    if page.request.redact { redact::mask(&text) } else { text }
}

/// The length in bytes from which on a line of a result is the same as one within the line of a failure.
const SAME: usize = 24;

/// The blocks in the order of their messages, as lines.
fn flat(mut blocks: Blocks) -> Vec<String> {
    blocks.sort_by_key(|(point, _)| point.order());
    blocks.into_iter().flat_map(|(_, lines)| lines).collect()
}

#[derive(Default)]
struct Sections {
    /// The words of plain talk, still without their speakers.
    turns: Vec<Said>,
    said: Blocks,
    changed: Blocks,
    read: Blocks,
    commands: Blocks,
    records: Blocks,
    found: Blocks,
}

impl Sections {
    /// Adds a heading and the choices under it to its section.
    fn add(&mut self, page: &Page<'_, '_>, heading: Heading, members: &[u32]) {
        match heading {
            Heading::File(number) => self.add_file(page, number, members),
            Heading::Command(number) => self.add_command(page, number, members),
            Heading::Call(number) => self.add_call(page, number, members),
            Heading::Message(number) => self.add_message(page, number, members),
            Heading::Earlier(number) => self.add_earlier(page, number, members),
            Heading::Ledger => {}
        }
    }

    fn add_file(&mut self, page: &Page<'_, '_>, number: u32, members: &[u32]) {
        let file = &page.ledger.files[number as usize];
        let point = file.last.unwrap_or_default();
        // What was done comes before what is quoted.
        let (changes, lines): (Vec<u32>, Vec<u32>) =
            members.iter().partition(|at| matches!(page.items[**at as usize], Item::Change(..)));
        let (put, seen): (Vec<u32>, Vec<u32>) =
            lines.into_iter().partition(|at| file.is_changed() && page.is_put(*at));
        let mut block = vec![file.heading()];
        block.extend(changes.into_iter().map(|at| line(page, at)));
        block.extend(quotes(page, &put));
        if file.is_changed() && !seen.is_empty() {
            block.push(labels::SEEN.to_owned());
        }
        block.extend(quotes(page, &seen));
        let section = if file.is_changed() { &mut self.changed } else { &mut self.read };
        section.push((point, block));
    }

    fn add_command(&mut self, page: &Page<'_, '_>, number: u32, members: &[u32]) {
        let command = &page.ledger.commands[number as usize];
        // What the heading tells in full is not quoted below it.
        let masked =
            |text: &str| if page.request.redact { redact::mask(text) } else { text.into() };
        let tells = |text: &str| {
            command.is_short() && command.text.contains(text) || command.outcome.tells(text)
        };
        let is_told = |at: u32| tells(&masked(page.text(at)));
        let lines = members.iter().copied();
        let lines: Vec<u32> = lines.filter(|&at| page.unit(at).is_some() && !is_told(at)).collect();
        let block = std::iter::once(command.heading()).chain(quotes(page, &lines));
        self.commands.push((command.last, block.collect()));
    }

    fn add_call(&mut self, page: &Page<'_, '_>, number: u32, members: &[u32]) {
        let call = &page.calls[number as usize];
        let point = Point::now(call.place.0);
        if page.is_recorded(number) {
            self.records.push((point, vec![record_line(page, number as usize, members)]));
            return;
        }
        // What the failures tell is told once. A few characters may stand in any of them.
        let tells = |line: &str| page.fixed.failures.iter().any(|failure| failure.contains(line));
        let is_told = |at: u32| page.line(at).len() >= SAME && tells(page.line(at));
        let members: Vec<u32> = members.iter().copied().filter(|&at| !is_told(at)).collect();
        if members.is_empty() {
            return;
        }
        let lines = match call.command {
            Some(_) => quotes(page, &members),
            None => page.again(&members, || record_lines(page, &members, "> ")),
        };
        let heading = std::iter::once(call_heading(call, &page.ledger));
        self.found.push((point, heading.chain(lines).collect()));
    }

    /// Adds a result whose call stays visible or is unknown: nobody's words.
    fn add_result(&mut self, page: &Page<'_, '_>, (at, part): (usize, u32), members: &[u32]) {
        let place = (at, part as usize);
        let messages = &page.request.conversation.messages;
        let is_cut = page.request.cut_results.iter().any(|(cut, _)| *cut == place);
        let what = if is_cut { labels::CUT_RESULT } else { labels::RESULT };
        let (call, index) = page.request.pairs.call_of(place).unwrap_or(place);
        let call = calls::in_passing(&messages[call].parts[index]);
        let of = if call.is_empty() { String::new() } else { format!(" of {call}") };
        let has_fields = members.iter().any(|at| page.unit(*at).is_some_and(|unit| unit.is_field));
        let lines = if has_fields {
            page.again(members, || record_lines(page, members, "> "))
        } else {
            quotes(page, members)
        };
        let heading = std::iter::once(format!("- [{at}] {what}{of}"));
        self.found.push((Point::now(at), heading.chain(lines).collect()));
    }

    fn add_message(&mut self, page: &Page<'_, '_>, number: u32, members: &[u32]) {
        let part = |at: &u32| page.leaf(*at).filter(|leaf| matches!(leaf.source, Source::Call(_)));
        let (results, members): (Vec<u32>, Vec<u32>) =
            members.iter().partition(|at| part(at).is_some());
        let part = |at: &u32| part(at).map(|leaf| leaf.part);
        for members in results.chunk_by(|one, other| part(one) == part(other)) {
            self.add_result(page, (number as usize, part(&members[0]).unwrap_or(0)), members);
        }
        if members.is_empty() {
            return;
        }
        let members = &members[..];
        let source = members.first().and_then(|&at| page.leaf(at)).map(|leaf| leaf.source);
        let is_turn =
            page.request.setting.is_talk() && matches!(source, Some(Source::Asked | Source::Said));
        let seen = &page.fixed.seen;
        let seen =
            seen.binary_search_by_key(&(number as usize), |seen| seen.message).map(|at| &seen[at]);
        let now = Point::now(number as usize);
        let (point, place) = seen.map_or((now, now), |seen| (seen.point, seen.place));
        let newest = page.request.conversation.newest_request();
        let label = match source {
            _ if is_turn => "",
            Some(Source::Asked) if newest == Some(number as usize) => NEWEST,
            Some(Source::Asked) => PARTS,
            Some(Source::Summary) => SUMMARY,
            _ if page.request.setting == Setting::Service => SAID,
            _ if members.iter().any(|&at| page.is_approved(at)) => APPROVED,
            _ if page.is_amended(number as usize) => AMENDED,
            _ if members.first().is_some_and(|&at| labels::is_taken(page.text(at))) => SAID,
            _ => "",
        };
        let heading = if is_turn { String::new() } else { format!("[{point}]{label}") };
        let mut lines = page.again(members, || said(page, &heading, members));
        // If a message is visible in part, its attachments are visible too.
        let is_cut = page.request.partly_shown.is_some_and(|(partly, _)| partly == number as usize);
        if source == Some(Source::Asked)
            && !is_cut
            && let Some(attached) =
                attached::attached(&page.request.conversation.messages[number as usize])
            && let Some(line) = lines.last_mut()
        {
            line.push(' ');
            line.push_str(&attached);
        }
        if is_turn {
            self.turns.push(Said { place, point, message: number as usize, lines });
        } else {
            self.said.push((place, lines));
        }
    }

    fn add_earlier(&mut self, page: &Page<'_, '_>, number: u32, members: &[u32]) {
        let Some((text, place)) = page.headings().nth(number as usize) else { return };
        // In talk a line from within a block may name its speaker; elsewhere words may only look like it.
        let [user, model] = labels::SPEAKERS;
        let speaks = |&at: &u32| {
            let said = page.text(at);
            said.starts_with(model) || page.request.setting.is_talk() && said.starts_with(user)
        };
        let bare = text.strip_suffix(SAID).filter(|_| members.first().is_some_and(speaks));
        let text = bare.unwrap_or(text);
        if let Some(place) = place {
            let lines = if talk::is_date(text) {
                let lines = said(page, "", members);
                let lines = lines.iter().map(|line| line.trim_start().to_owned());
                std::iter::once(text.to_owned()).chain(lines).collect()
            } else {
                said(page, text, members)
            };
            self.said.push((place, lines));
            return;
        }
        let point = text.trim_start_matches(['-', '>', ' ', '[']).split(']').next();
        let point = point.and_then(|point| Point::parse(point, 0)).unwrap_or_default();
        if text.starts_with("> ") {
            let lines: Vec<&str> = members.iter().map(|&at| page.text(at)).collect();
            let records = lines.join(labels::NEXT_RECORD);
            self.records.push((point, vec![format!("{text} {records}")]));
        } else {
            let mut block = vec![text.to_owned()];
            block.extend(quotes(page, members));
            self.found.push((point, block));
        }
    }
}

/// The sentences of one message: those of one line stay together, others go below.
fn said(page: &Page<'_, '_>, heading: &str, members: &[u32]) -> Vec<String> {
    let mut lines: Vec<String> = Vec::new();
    let mut before: Option<(u32, u32, u32)> = None;
    let mut outline = Outline::default();
    // The mark shows that the rest of a sentence is left out.
    let may_be_cut = page.request.setting == Setting::Talk;
    let end = |line: &mut String, mark: &str| {
        let whole = units::without_end(line).len();
        if may_be_cut && whole < line.len() {
            line.truncate(whole);
            line.push_str(mark);
        }
    };
    for &at in members {
        let Some(unit) = page.unit(at) else { continue };
        // A title and its line are one.
        let text = &*page.text(at).replace('\n', " ");
        let is_said = page.leaf(at).is_some_and(|leaf| leaf.source == Source::Said);
        let text = units::without_marks(text);
        let text = &*if is_said { tidy::without_paths(text) } else { text.into() };
        // Sentences of one line stand together; what is left out between them is marked.
        let is_same_line =
            before.is_some_and(|(leaf, record, _)| (leaf, record) == (unit.leaf, unit.record));
        let is_next = before.is_some_and(|(.., end)| unit.start <= end + MOST_BLANK);
        before = Some((unit.leaf, unit.record, unit.end));
        if let Some(line) = lines.last_mut().filter(|line| is_same_line && !line.starts_with("> "))
        {
            if !is_next {
                end(line, "");
            }
            // Full-width marks are not followed by a space.
            let is_close = is_next && line.ends_with('，');
            line.push_str(match (is_close, is_next) {
                (true, _) => "",
                (false, true) => " ",
                (false, false) => " … ",
            });
            line.push_str(text);
            continue;
        }
        if let Some(line) = lines.last_mut() {
            end(line, " …");
            line.push_str(outline.end());
        }
        let is_code = unit.stand == Stand::Code;
        let Lead { above, head } = if unit.stand == Stand::First {
            outline.lead(page, members, at)
        } else {
            Lead::default()
        };
        let mut put = |text: &str| {
            let line = match (lines.is_empty(), is_code) {
                (false, true) => ["> ", text].concat(),
                (false, false) => ["  ", text].concat(),
                (true, _) if heading.is_empty() => text.to_owned(),
                (true, true) => [heading, " > ", text].concat(),
                (true, false) => [heading, " ", text].concat(),
            };
            lines.push(line);
        };
        above.as_deref().into_iter().for_each(&mut put);
        let speaker = &page.around(at).speaker;
        let colon = if speaker.is_empty() { "" } else { ": " };
        put(&[&head, speaker, colon, text].concat());
    }
    if let Some(line) = lines.last_mut() {
        end(line, " …");
        line.push_str(outline.end());
    }
    lines
}

/// The heading of a call that is neither on a file nor told as a record.
pub(crate) fn call_heading(call: &Call, ledger: &Ledger) -> String {
    let mut line = format!("- [{}] ", call.place.0);
    let tool = if call.deed == Deed::Other { call.tool.as_ref() } else { call.deed.word() };
    line.push_str(tool);
    if let Some(command) = &call.command {
        // A failed command may be recognised by its folder later.
        let within = if call.outcome.failed { &call.within } else { Folder::HERE };
        let _ = write!(line, " `{}`", commands::named_in(command, within));
    } else if let Some(about) = &call.about {
        let about: String = about.chars().take(70).collect();
        let _ = write!(line, " `{about}`");
    }
    // A touch of a whole folder names no file.
    if let Some(touch) = call.touches.first().filter(|touch| !touch.path.ends_with('/')) {
        let _ = write!(line, " in {}", ledger.paths.told(&touch.path));
    }
    if call.outcome.failed {
        let place = Point::now(call.place.0);
        let why = call.outcome.line.as_deref().unwrap_or_default();
        let passed = |command: &str| ledger.passed_since(command, &call.within, why, place);
        let has_passed = call.command.as_deref().and_then(passed).is_some();
        line.push_str(if has_passed { labels::PASSED_SINCE } else { labels::HAS_FAILED });
    } else if call.command.is_some() && call.result.is_some() && call.outcome.went_well() {
        line.push_str(labels::WENT_WELL);
    }
    line
}
