//! Records as a digest tells them: the request and the answer of a call, field by field.
//!
//! Responsible for the line of a call, `[n] tool(what it was asked): what it answered`, and for putting the
//! fields of one record together. It relies on the survey for which fields belong to one record.

use std::collections::{HashMap, HashSet};

use super::Page;
use super::quotes::quoted;
use crate::digest::calls::shell::NOTHING_FOUND;
use crate::digest::calls::{self, Call};
use crate::digest::ledger::answers::asks_the_user;
use crate::digest::reading::reader::tickets;
use crate::digest::text::{labels, records};
use crate::digest::{Request, Setting, narrow};
use crate::json::{Json, Key};
use crate::line::{clip, on_one_line, says};

/// How much is told of what a call is about, in bytes.
const SUBJECT: usize = 60;

/// How much is told of all arguments of a call that does something, where there is room, in bytes.
const LONGEST: usize = 4 * SUBJECT;

/// The longest answer, in bytes, that is told whole if nothing else is told of the answer.
const SHORT: usize = 40;
/// The longest answer, in bytes, that is told whole in work on files, where no fields tell the answer.
const SENTENCE: usize = 160;

/// The length in bytes up to which a value may stand in a text by chance.
const NUMBER: usize = 4;

/// The text that stands in the line of a call, whatever is chosen of its records: its beginning, and why it failed.
pub(super) fn record_heading(page: &Page<'_, '_>, number: usize) -> String {
    if page.calls[number].outcome.failed {
        return record_line(page, number, &[]);
    }
    heading(page, number, &[], |_| false)
}

/// The line of a call, with what was chosen of its arguments and of its result.
pub(super) fn record_line(page: &Page<'_, '_>, number: usize, members: &[u32]) -> String {
    let call = &page.calls[number];
    let is_asked = |at: &u32| {
        page.leaf(*at).is_some_and(|it| (it.message as usize, it.part as usize) == call.place)
    };
    let members: Vec<u32> = members.iter().copied().filter(|at| page.unit(*at).is_some()).collect();
    let (mut asked, mut answered): (Vec<u32>, Vec<u32>) =
        members.iter().partition(|at| is_asked(at));
    let fields = members.iter().filter(|at| page.unit(**at).is_some_and(|unit| unit.is_field));
    let fields: HashMap<u32, String> =
        fields.map(|at| (*at, records::plain(page.text(*at)))).collect();
    let is_part = |at: &u32| fields.get(at).is_some_and(|it| page.about[number].has(it));
    asked.retain(|at| !is_part(at));
    let asked = record_lines(page, &asked, "");
    let heading = heading(page, number, &asked, |part| fields.values().any(|told| told == part));
    // What stands in both the request and the answer is told once.
    answered.retain(|at| fields.get(at).is_none_or(|words| !says(&heading, words)));
    format!("{heading} {}", answer(page, call, &answered))
}

/// For each call that failed to change a record the last one of the same tool that went well behind it; `None` for
/// one without, and for any other call.
pub(super) fn each_made_good(calls: &[Call]) -> Vec<Option<u32>> {
    let mut done: HashMap<&str, u32> = HashMap::new();
    let mut made_good = vec![None; calls.len()];
    for (at, call) in calls.iter().enumerate().rev() {
        if call.outcome.went_well() {
            done.entry(&call.tool).or_insert(narrow(at));
        } else if call.outcome.failed && !call.only_looks() {
            made_good[at] = done.get(&*call.tool).copied();
        }
    }
    made_good
}

/// The request of a call: what it is about, if that is always told or `is_told`, and the chosen arguments.
fn heading(
    page: &Page<'_, '_>,
    number: usize,
    asked: &[String],
    is_told: impl Fn(&str) -> bool,
) -> String {
    let (call, about) = (&page.calls[number], &page.about[number]);
    // A chosen argument may tell in full what a part only begins.
    let is_begun = |part: &str| {
        let begins = part.strip_suffix('…');
        begins.is_some_and(|begins| asked.iter().any(|line| line.contains(begins)))
    };
    let parts = about.parts.iter();
    let parts = parts.filter(|part| (about.is_told || is_told(part)) && !is_begun(part));
    let parts: Vec<&str> = parts.map(String::as_str).collect();
    let subject = Some(parts.join(", ")).filter(|subject| !subject.is_empty());
    let asked: Vec<&str> = subject.iter().chain(asked).map(String::as_str).collect();
    let mut heading = format!("> [{}]", call.place.0);
    if page.request.is_roomy() || !call.only_looks() {
        heading.push(' ');
        heading.push_str(&clip(&on_one_line(&call.tool), SUBJECT));
    } else if !asked.is_empty() {
        heading.push(' ');
    }
    if !asked.is_empty() {
        heading = format!("{heading}({})", asked.join(labels::NEXT_RECORD));
    }
    heading + ":"
}

/// The answer of a call: why it failed, what was chosen of it, or at least how it ended.
fn answer(page: &Page<'_, '_>, call: &Call, members: &[u32]) -> String {
    if call.finds_nothing {
        return NOTHING_FOUND.to_owned();
    }
    let is_work = page.request.setting == Setting::Work;
    let most = if is_work && page.request.is_roomy() { SENTENCE } else { SHORT };
    let ending = match call.result.map(|at| calls::result_text(page.request.conversation, at)) {
        // What a user chose is no outcome.
        Some(words) if call.outcome.went_well() && asks_the_user(&call.tool) => {
            clip(&on_one_line(&words), SENTENCE).into()
        }
        // A short answer says more than that the call went well.
        Some(words) if call.outcome.went_well() && is_short(&words, most) => on_one_line(&words),
        _ => call.ending().to_string(),
    };
    let mut lines = record_lines(page, members, "");
    if let Some(made) = made(page, call) {
        if !lines.iter().any(|line| says(line, &made)) {
            lines.insert(0, made);
        }
    } else if call.outcome.failed || lines.is_empty() {
        let why = call.outcome.line.as_deref().filter(|why| !why.is_empty());
        let says = |words: &str| words.len() > NUMBER && ending.contains(words);
        let is_told = |line: &str| {
            let value = line.split_once(": ").map_or(line, |(_, value)| value);
            says(line) || says(value) || why.is_some_and(|why| line.contains(why))
        };
        lines.retain(|line| !is_told(line));
        lines.insert(0, ending);
    }
    lines.join(labels::NEXT_RECORD)
}

/// What a call made: the first member of the record that it answered, if no argument gave that; else `None`.
fn made(page: &Page<'_, '_>, call: &Call) -> Option<String> {
    let conversation = page.request.conversation;
    let result = call.result.filter(|_| call.outcome.went_well() && !call.only_looks())?;
    let text = calls::result_text(conversation, result);
    let answer = Json::parse(&text)?;
    let first = answer.members().next()?;
    // People name a record by its number rather than by what a program made up.
    let number =
        answer.members().find(|(key, value)| tickets::numbers(&key.text(), &value.plain()));
    let made = argument(if tickets::is_made_up(&first.1.plain()) {
        number.unwrap_or(first)
    } else {
        first
    })?;
    let part = conversation.part(call.place);
    let is_given = |arguments: Json<'_>| {
        arguments.members().any(|given| argument(given).as_ref() == Some(&made))
    };
    (calls::with_arguments(part, is_given) != Some(true)).then_some(made)
}

fn is_short(words: &str, most: usize) -> bool {
    (1..=most).contains(&words.trim().len()) && !words.trim_start().starts_with(['[', '{'])
}

/// Returns the lines of one call, each after a mark; the fields of one record form one line.
pub(super) fn record_lines(page: &Page<'_, '_>, members: &[u32], mark: &str) -> Vec<String> {
    let record = |at: &u32| page.unit(*at).filter(|unit| unit.is_field).map(|unit| unit.record);
    let mut object = "";
    let within = |at: &u32| page.around(*at).within.as_str();
    let mut objects = members.iter().map(within).filter(|within| !within.is_empty());
    let first = objects.next();
    let has_several = objects.any(|other| Some(other) != first);
    let lines = members.chunk_by(|a, b| record(a) == record(b)).flat_map(|members| {
        // If records have several objects, each record says anew which object a field belongs to.
        object = if has_several { "" } else { object };
        if record(&members[0]).is_none() {
            return quoted(page, members, |at| format!("{mark}{}", page.line(at)));
        }
        let title = title(page, members);
        let fields = members.iter().map(|at| field(page, *at, &mut object));
        let told: Vec<String> = title.into_iter().chain(fields).collect();
        vec![format!("{mark}{}", told.join(", ").replace(labels::NEXT_RECORD, ", "))]
    });
    lines.collect()
}

/// The title of a record, without the parts that a chosen field tells; `None` if nothing is left.
fn title(page: &Page<'_, '_>, members: &[u32]) -> Option<String> {
    let fields = members.iter().filter_map(|at| page.unit(*at));
    let fields: Vec<_> = fields.map(|unit| unit.start as usize..unit.end as usize).collect();
    let parts = page.around(members[0]).title.iter();
    let parts = parts.filter(|(start, _)| !fields.iter().any(|field| field.contains(start)));
    let parts: Vec<&str> = parts.map(|(_, part)| part.as_str()).collect();
    (!parts.is_empty()).then(|| parts.join(" "))
}

/// A field, with the object that it stands in if another object has a field of that name. Consecutive
/// fields tell it once.
fn field<'p>(page: &'p Page<'_, '_>, at: u32, object: &mut &'p str) -> String {
    let (told, around) = (records::plain(page.text(at)), page.around(at));
    let within = around.within.as_str();
    if within.is_empty() {
        return told;
    }
    let before = std::mem::replace(object, within);
    if before == within && !around.is_plain_too { told } else { format!("{within}.{told}") }
}

/// What a call is about: its arguments if they are few, else the first of them; and whether that is told
/// whatever is chosen.
pub(super) struct About {
    parts: Vec<String>,
    is_told: bool,
}

impl About {
    /// Whether there is anything to tell.
    pub(super) fn is_known(&self) -> bool {
        !self.parts.is_empty()
    }

    /// Whether both are about the same thing first of all.
    pub(super) fn begins_like(&self, other: &Self) -> bool {
        self.parts.first() == other.parts.first()
    }

    fn has(&self, words: &str) -> bool {
        self.parts.iter().any(|part| part == words)
    }
}

/// Returns what each call is about. In a small digest a call that only looks is about its only argument,
/// which is told if calls of its tool were about different things.
pub(super) fn each_about(request: &Request<'_, '_>, calls: &[Call]) -> Vec<About> {
    let all: Vec<About> = calls.iter().map(|call| about(request, call)).collect();
    let mut known: HashMap<&str, HashSet<&str>> = HashMap::new();
    for (call, about) in calls.iter().zip(&all) {
        known.entry(&call.tool).or_default().extend(about.parts.iter().map(String::as_str));
    }
    let is_one_of_several = |call: &Call| known[&*call.tool].len() > 1;
    let is_told = |call: &Call| request.is_roomy() || !call.only_looks() || is_one_of_several(call);
    let is_told: Vec<bool> = calls.iter().map(is_told).collect();
    let told = all.into_iter().zip(is_told);
    told.map(|(all, is_told)| About { is_told: all.is_told && is_told, ..all }).collect()
}

fn about(request: &Request<'_, '_>, call: &Call) -> About {
    let part = request.conversation.part(call.place);
    let mut all: Vec<Option<String>> = Vec::new();
    if request.setting != Setting::Work || call.is_act() {
        calls::with_arguments(part, |arguments| all.extend(arguments.members().map(argument)));
    }
    let length: usize = all.iter().map(|told| told.as_ref().map_or(SUBJECT, String::len)).sum();
    let is_told = all.len() == 1 || request.is_roomy() || !call.only_looks();
    let most = if call.only_looks() { SUBJECT } else { LONGEST };
    let is_short = length <= most && (request.is_roomy() || call.only_looks());
    let most = if is_short { all.len() } else { 1 };
    About { parts: all.into_iter().flatten().take(most).collect(), is_told }
}

/// An argument as it is told; `None` if it has members or holds the end of a heading.
fn argument((key, value): (Key<'_>, Json<'_>)) -> Option<String> {
    let value = on_one_line(&value.plain());
    let is_plain = !(value.starts_with(['[', '{']) || value.contains("): "));
    is_plain.then(|| format!("{}: {}", on_one_line(&key.text()), clip(&value, SUBJECT)))
}
