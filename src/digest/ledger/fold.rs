//! Earlier digests, read back.
//!
//! Responsible for taking one of our digests apart again: its ledger, commands, failures and plan become
//! entries that newer ones are merged into, its sentences and quoted lines become units that compete with
//! the new ones. It relies on the text being as [`write`](crate::digest::page::write) left it. What it
//! cannot place, and everything that a model wrote under our opener, it keeps as sentences. So a digest
//! never stands inside a digest, and reading alone loses nothing.

mod placed;
mod recorded;
mod sections;

use std::ops::Range;

use crate::begins::begins_with_any;
use crate::conversation::{Conversation, Kind, Origin};
use crate::digest::calls::commands::Command;
use crate::digest::calls::tasks::Plan;
use crate::digest::files::File;
use crate::digest::files::change::Change;
use crate::digest::files::fates::Made;
use crate::digest::files::renames::Rename;
use crate::digest::ledger::answers;
use crate::digest::ledger::besides::Beside;
use crate::digest::text::more;
use crate::digest::text::point::{Point, aged};
use crate::digest::text::{labels, talk, units};
use crate::marks;
use crate::summary;
use crate::verbatim::{self, Unended, pointer};
use placed::Line;
pub(crate) use placed::Placed;
use recorded::record;
use sections::{guess, has_titles};

/// A heading, with the ranges of its quoted lines in the text of the digest.
#[derive(Debug)]
pub(crate) struct Quoted<T> {
    pub(crate) heading: T,
    pub(crate) lines: Vec<Range<usize>>,
}

impl Quoted<Placed> {
    /// Whether these are parts of a message of the user.
    pub(crate) fn is_asked(&self) -> bool {
        self.heading.text.ends_with(labels::PARTS)
    }
}

/// What an earlier digest said.
#[derive(Debug, Default)]
pub(crate) struct Earlier {
    /// The index of the message that holds the digest.
    pub(crate) message: usize,
    /// The index of the part that holds the digest.
    pub(crate) part: usize,
    /// How many compactions the digest sums up.
    pub(crate) generation: u32,
    /// The folder that its paths are relative to.
    pub(crate) root: String,
    /// The lines that say where the original messages are.
    pub(crate) archives: Vec<String>,
    /// The lines that name the files of spilled results.
    pub(crate) spilled: Vec<String>,
    /// The user's messages that it quotes word for word.
    pub(crate) asked: Vec<Placed>,
    /// Words of the user that stood in no message.
    pub(crate) besides: Vec<Beside>,
    /// What the user or the model said, each under its heading: `[1.12]`, `[1.12] User, in parts:`.
    pub(crate) said: Vec<Quoted<Placed>>,
    /// The beginnings of messages that stayed visible.
    pub(crate) shown: Vec<Placed>,
    /// Messages that answered a question; they may have stayed visible too.
    pub(crate) answers: Vec<Placed>,
    pub(crate) files: Vec<Quoted<File>>,
    pub(crate) renames: Vec<(Rename, Vec<String>)>,
    pub(crate) commands: Vec<Quoted<Command>>,
    /// How many more files were changed than are named.
    pub(crate) left_out: usize,
    pub(crate) failures: Vec<String>,
    pub(crate) found: Vec<Quoted<String>>,
    /// Whether it has the section [`labels::ACTS`]: calls beside those on files and commands.
    pub(crate) has_acts: bool,
    pub(crate) plan: Plan,
    pub(crate) state: Vec<String>,
    /// The folder that the last shell was left in, if the digest says so.
    pub(crate) left: Option<String>,
    /// The folder that the session began in, if the digest says so.
    pub(crate) home: Option<String>,
}

/// Reads every digest of ours in the summarised messages.
pub(crate) fn earlier(conversation: &Conversation<'_>, summarised: &[bool]) -> Vec<Earlier> {
    let messages = conversation.messages.iter().enumerate();
    let ours =
        messages.filter(|(at, message)| summarised[*at] && message.origin == Origin::Summary);
    ours.filter_map(|(at, message)| {
        message.parts_of(Kind::Text).find_map(|(index, part)| {
            let text = part.text();
            let found = summary::summary_in(&text)?;
            // Text after the digest in the same part belongs to it here, since nobody else speaks in this message.
            let is_all = text[found.whole.end..].trim().is_empty();
            let end = if is_all { found.summary.end } else { text.len() };
            let earlier = read(&text, found.summary.start..end);
            Some(Earlier { message: at, part: index, ..earlier })
        })
    })
    .collect()
}

/// Precedes a quoted line.
const QUOTE: &str = "> ";

/// The beginning of the lines that name archives.
const ARCHIVES: &str = "The messages ";

impl Earlier {
    /// Whether the digest tells of work on files: of files, commands, a plan, or calls beside these.
    pub(crate) fn tells_of_work(&self) -> bool {
        self.has_acts
            || !(self.files.is_empty() && self.commands.is_empty() && self.plan.tasks.is_empty())
    }

    /// Whether the digest tells of records that were looked up.
    pub(crate) fn tells_of_records(&self) -> bool {
        self.found.iter().any(|found| found.heading.starts_with("> ["))
    }

    /// Puts a quoted line under the last of these entries, or keeps it as a sentence if there is none.
    fn quote<T>(
        &mut self,
        line: &str,
        range: &Range<usize>,
        entries: fn(&mut Self) -> &mut Vec<Quoted<T>>,
    ) {
        match entries(self).last_mut() {
            Some(last) => last.lines.push(range.start + QUOTE.len()..range.end),
            None => self.keep(line, range),
        }
    }

    /// Keeps a line that has no other place as a sentence.
    fn keep(&mut self, line: &str, range: &Range<usize>) {
        if !line.trim().is_empty() {
            self.said.push(Quoted { heading: Placed::bare(), lines: Vec::from([range.clone()]) });
        }
    }
}

/// Takes apart the digest at `place` in a text.
fn read(text: &str, place: Range<usize>) -> Earlier {
    let text = &text[..place.end];
    let mut earlier = Earlier { generation: 1, ..Earlier::default() };
    let mut section = "";
    // A small digest has no titles; its lines show which section they are of.
    let is_titled = has_titles(text, &place);
    let mut unended = Unended::default();
    let mut lines = Vec::new();
    let mut at = place.start;
    while at < text.len() {
        let end = text[at..].find('\n').map_or(text.len(), |n| at + n);
        let line = &text[at..end];
        let range = at..end;
        at = end + 1;
        if let Some(title) = line.strip_prefix("## ") {
            section = labels::TITLES.iter().find(|known| **known == title).copied().unwrap_or("");
            earlier.has_acts |= section == labels::ACTS;
            continue;
        }
        if marks::is_whole(line) {
            earlier.spilled.push(line.to_owned());
            continue;
        }
        if !is_titled {
            section = guess(line, section);
        }
        if section.is_empty() && line.trim().is_empty() {
            // No digest has a blank line below its header, so a model wrote the rest.
            let rest = text.get(at..).unwrap_or("");
            let mut lines = Vec::new();
            units::sentences(rest, |sentence| {
                lines.push(at + sentence.range.start..at + sentence.range.end);
            });
            earlier.said.push(Quoted { heading: Placed::bare(), lines });
            break;
        }
        match section {
            "" => header(line, &range, &mut earlier),
            labels::STORY => {
                let point = pointer(line).and_then(|text| Point::parse(text, earlier.generation));
                let known = (earlier.shown.len(), earlier.said.len());
                if let Some((quote, end)) = verbatim::message(text, &range, &mut unended) {
                    lines.push(Line::Asked(earlier.asked.len()));
                    let words = text[quote].to_owned();
                    earlier.asked.push(Placed::at(point.unwrap_or_default(), words));
                    at = text[end..].find('\n').map_or(text.len(), |n| end + n + 1);
                } else {
                    story(line, range.start, &mut earlier);
                    lines.extend(point.map(|point| match known {
                        (shown, _) if earlier.shown.len() > shown => Line::Shown(shown),
                        (_, said) if earlier.said.len() > said => Line::Said(said),
                        _ => Line::Other(point),
                    }));
                }
            }
            labels::CHANGED if let Some(count) = more::count(line) => earlier.left_out += count,
            labels::CHANGED | labels::READ => files(line, &range, &mut earlier),
            labels::COMMANDS => commands(line, &range, &mut earlier),
            labels::FAILURES => earlier.failures.push(aged(line, earlier.generation)),
            labels::RECORDS | labels::ACTS if line.starts_with("> [") => {
                earlier.found.push(record(line, &range, earlier.generation));
            }
            labels::FOUND | labels::RECORDS | labels::ACTS => found(line, &range, &mut earlier),
            labels::PLAN => {
                if !earlier.plan.take(line) {
                    earlier.keep(line, &range);
                }
            }
            _ => state(line, &range, &mut earlier),
        }
    }
    placed::settle(&lines, &mut earlier);
    earlier
}

fn header(line: &str, range: &Range<usize>, earlier: &mut Earlier) {
    if let Some(number) = marks::compaction_in(line) {
        earlier.generation = u32::try_from(number).unwrap_or(1);
    } else if let Some(rest) = line.strip_prefix(labels::BASED) {
        rest.split(';').next().unwrap_or("").clone_into(&mut earlier.root);
    } else if line.starts_with(ARCHIVES) {
        earlier.archives.push(line.to_owned());
    } else if !is_header(line) {
        earlier.keep(line, range);
    }
}

/// Whether a line is one that a header consists of.
fn is_header(line: &str) -> bool {
    let is_mark = line == marks::SUMMARY_OPENER || marks::is_whole(line);
    let openers = [labels::BASED, ARCHIVES, "[n] is "];
    is_mark || marks::compaction_in(line).is_some() || begins_with_any(line, &openers)
}

fn story(line: &str, start: usize, earlier: &mut Earlier) {
    if let Some(inner) = pointer(line) {
        let rest = &line[inner.len() + 1..];
        let point = Point::parse(inner, earlier.generation).unwrap_or_default();
        if let Some(glimpse) = rest.strip_prefix(labels::KEPT) {
            earlier.shown.push(Placed::at(point, glimpse.to_owned()));
            return;
        }
        let beside = [labels::REFUSING, labels::CLAIMED, labels::MEANWHILE]
            .iter()
            .find_map(|label| Some((*label, rest.strip_prefix(label)?)));
        if let Some((label, text)) = beside {
            earlier.besides.push(Beside::parse(point, label, text, earlier.generation));
            return;
        }
        if talk::is_date(line) {
            let heading = Placed::at(point, aged(line, earlier.generation));
            earlier.said.push(Quoted { heading, lines: Vec::new() });
            return;
        }
        if let Some(answer) = answers::answer_in(rest) {
            earlier.answers.push(Placed::at(point, answer.to_owned()));
        }
        let label =
            labels::OF_WORDS.iter().find(|label| line[inner.len() + 2..].starts_with(**label));
        let head = inner.len() + 2 + label.map_or(0, |label| label.len());
        let heading =
            aged(&line[..head], earlier.generation).replace(labels::NEWEST, labels::PARTS);
        let blank = line[head..].len() - line[head..].trim_start().len();
        let range = start + head + blank..start + line.len();
        earlier.said.push(Quoted { heading: Placed::at(point, heading), lines: vec![range] });
        return;
    }
    let bare = line.trim_start_matches([' ', '>']);
    let range = start + line.len() - bare.len()..start + line.len();
    match earlier.said.last_mut() {
        Some(said) if !bare.is_empty() && !line.starts_with("- ") => said.lines.push(range),
        _ => earlier.keep(bare, &range),
    }
}

fn files(line: &str, range: &Range<usize>, earlier: &mut Earlier) {
    if line == labels::SEEN {
        return;
    }
    if let Some(change) = line.strip_prefix("  ") {
        match (earlier.files.last_mut(), Change::parse(change)) {
            (Some(Quoted { heading: file, .. }), Some(change)) => {
                let point = file.last.unwrap_or_default();
                let order = (0, 0);
                file.changes.push(Made { point, order, change });
            }
            _ => earlier.keep(line, range),
        }
    } else if line.starts_with(QUOTE) {
        earlier.quote(line, range, |earlier| &mut earlier.files);
    } else if let Some((rename, paths)) = Rename::parse(line) {
        earlier
            .renames
            .push((rename, paths.map(|path| File::at(path, &earlier.root).path).collect()));
    } else {
        let found = File::parse(line, &earlier.root, earlier.generation);
        if found.is_empty() {
            earlier.keep(line, range);
        }
        earlier
            .files
            .extend(found.into_iter().map(|heading| Quoted { heading, lines: Vec::new() }));
    }
}

fn commands(line: &str, range: &Range<usize>, earlier: &mut Earlier) {
    if line.starts_with(QUOTE) {
        earlier.quote(line, range, |earlier| &mut earlier.commands);
    } else if let Some(heading) = Command::parse(line, earlier.generation) {
        earlier.commands.push(Quoted { heading, lines: Vec::new() });
    } else {
        earlier.keep(line, range);
    }
}

fn found(line: &str, range: &Range<usize>, earlier: &mut Earlier) {
    if line.starts_with(QUOTE) {
        earlier.quote(line, range, |earlier| &mut earlier.found);
    } else {
        let heading = aged(line, earlier.generation);
        earlier.found.push(Quoted { heading, lines: Vec::new() });
    }
}

fn state(line: &str, range: &Range<usize>, earlier: &mut Earlier) {
    if let Some(folder) = labels::last_folder(line) {
        let folder = folder.split_once(": ").map_or("", |(_, folder)| folder);
        let (left, home) = folder.split_once(labels::BEGUN).unwrap_or((folder, ""));
        earlier.left = Some(left.to_owned());
        earlier.home = Some(home.to_owned()).filter(|home| !home.is_empty());
    }
    let Some(head) = line.find(labels::LAST_WORDS) else {
        earlier.state.push(aged(line, earlier.generation));
        return;
    };
    // These words are the last no more, and are told with the rest.
    let start = line[head..].find(": ").map_or(line.len(), |n| head + n + 2);
    let label = line[..head].trim_start_matches("- ").trim_end();
    let point = pointer(label).and_then(|text| Point::parse(text, earlier.generation));
    let heading = Placed::at(point.unwrap_or_default(), aged(label, earlier.generation));
    let words = range.start + start..range.end;
    earlier.said.push(Quoted { heading, lines: Vec::from([words]) });
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_sentence_about_a_result_names_no_file() {
        let line = "- The result of the run is 5 % better.";
        let text = format!("{}\n## {}\n{line}", marks::SUMMARY_OPENER, labels::STORY);
        let earlier = read(&text, 0..text.len());
        assert_eq!((earlier.spilled.len(), earlier.said.len()), (0, 1));
    }

    #[test]
    fn a_line_without_a_place_is_kept_as_a_sentence() {
        let lines = "- neither: a file\n  nor a change\n[1] A word.\n$ no outcome";
        let titled = "## Files changed\n> of nothing\n- read: and so on\n## Plan\nno task";
        for body in [lines, titled] {
            let text = format!("{}\n{body}", marks::SUMMARY_OPENER);
            let earlier = read(&text, 0..text.len());
            let said = earlier.said.iter().flat_map(|said| &said.lines);
            let mut kept: Vec<&str> = said.map(|line| &text[line.clone()]).collect();
            let files = earlier.files.iter().map(|file| file.heading.path.as_str());
            kept.extend(files);
            for line in body.lines().filter(|line| !line.starts_with("## ")) {
                let words = line.rsplit("- ").next().unwrap_or(line);
                let words = words.trim_start_matches("read: ").trim_start_matches("[1] ").trim();
                assert!(kept.iter().any(|kept| kept.contains(words)), "{line}: {kept:?}");
            }
        }
    }
}
