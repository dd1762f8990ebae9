//! A call that runs several commands, with a record of each in its result.
//!
//! Responsible for the list of commands, and for what each record says. It relies on there being one record for
//! each command, in the same order.

use super::Call;
use super::outcome;
use super::within::Way;
use crate::conversation::Part;
use crate::json::Json;

/// The argument that lists the commands.
pub(super) const LIST: &str = "commands";

/// The commands of a list.
pub(super) fn commands<'a>(member: impl Fn(&str) -> Option<Json<'a>>) -> Option<Vec<String>> {
    let list = member(LIST).filter(|list| list.is_array())?;
    let text = |item: Json<'a>| {
        let own = || ["command", "cmd"].iter().find_map(|key| item.str_member(key));
        item.text().or_else(own).map(|text| text.into_owned())
    };
    let all: Option<Vec<String>> = list.items().map(text).collect();
    all.filter(|all| all.iter().any(|command| !command.trim().is_empty()))
}

/// Makes a call for each command of a list; `None` unless the result has a record of each.
pub(super) fn each(call: &Call, part: &Part<'_>, answer: &Part<'_>) -> Option<Vec<Call>> {
    // The source mostly shows that there is no list, which is quick to check.
    part.body.filter(|body| body.source().contains(LIST))?;
    let listed = super::with_arguments(part, |it| commands(|key| it.member(key))).flatten()?;
    let text = answer.text();
    let records = records(&text, listed.len())?;
    let one = |(command, record): (&String, Json<'_>)| {
        let around = call.way().around.clone();
        let way = Way { around: around.clone(), ..Way::NONE };
        let way = Some(Box::new(way));
        let (tool, place, result) = (call.tool.clone(), call.place, call.result);
        let mut one = Call { place, result, tool, way, ..Call::default() };
        super::run(&mut one, command, around.as_deref(), true);
        one.outcome = outcome::judge(&judged(answer, record), one.results());
        one
    };
    Some(listed.iter().zip(records).map(one).collect())
}

/// The records of a result; `None` if it does not have `count` of them.
fn records(text: &str, count: usize) -> Option<Vec<Json<'_>>> {
    let list = Json::parse(text.trim()).filter(|list| list.is_array())?;
    let records: Vec<Json<'_>> = list.items().collect();
    let is_record = |record: &Json<'_>| said(*record).is_some();
    (records.len() == count && records.iter().all(is_record)).then_some(records)
}

/// The text of a record, or else its error.
fn said(record: Json<'_>) -> Option<Json<'_>> {
    let text = |key: &&str| record.member(key).filter(|text| text.is_filled_string());
    ["result", "output", "error"].iter().find_map(text).or_else(|| record.member("result"))
}

/// The result of a single command, as its record tells it.
fn judged<'a>(answer: &Part<'a>, record: Json<'a>) -> Part<'a> {
    let failed = record.member("success").is_some_and(|it| it.source() == "false");
    Part { is_error: failed, body: said(record), ..*answer }
}
