//! The plan: the last state of the agent's list of tasks.
//!
//! Responsible for lists that are written whole (`todos`, `plan`) and for those kept task by task
//! (create, then update by number). It relies on what members are called, not on the tool's name.

use super::Call;
use crate::digest::Request;
use crate::digest::files::deed::Deed;
use crate::digest::has_failed;
use crate::json::Json;
use crate::line::clip;
use crate::pairing::Place;

/// A task, and how far it is.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Task {
    pub(crate) id: Option<String>,
    pub(crate) text: String,
    pub(crate) status: String,
}

impl Task {
    /// The task as it is written: done, under way, given up or open, and its number if it has one.
    pub(crate) fn line(&self) -> String {
        let id = self.id.as_ref().map_or_else(String::new, |id| format!("#{id} "));
        format!("- {} {id}{}", self.mark(), self.text)
    }

    /// Whether it is still to be done.
    pub(crate) fn is_open(&self) -> bool {
        !matches!(self.mark(), DONE | GIVEN_UP)
    }

    fn mark(&self) -> &'static str {
        match self.status.as_str() {
            "completed" | "complete" | "done" => DONE,
            "in_progress" | "in-progress" | "active" | "doing" => ACTIVE,
            "cancelled" | "canceled" | "deleted" => GIVEN_UP,
            _ => OPEN,
        }
    }

    /// Reads a line back.
    pub(crate) fn parse(line: &str) -> Option<Self> {
        let rest = line.strip_prefix("- ")?;
        let (mark, text) = rest.split_at_checked(3)?;
        let status = match mark {
            DONE => "completed",
            ACTIVE => "in_progress",
            GIVEN_UP => "cancelled",
            OPEN => "pending",
            _ => return None,
        };
        let text = text.trim_start();
        let numbered = text.strip_prefix('#').and_then(|text| text.split_once(' '));
        let (id, text) = match numbered {
            Some((id, text)) => (Some(id.to_owned()), text),
            None => (None, text),
        };
        Some(Self { id, text: text.to_owned(), status: status.to_owned() })
    }
}

const DONE: &str = "[x]";
const ACTIVE: &str = "[~]";
const GIVEN_UP: &str = "[-]";
const OPEN: &str = "[ ]";

/// The tasks as they stand after the last call that spoke of them, `old` being how they stood first.
pub(crate) fn tasks(request: &Request<'_, '_>, all: &[Call], old: Vec<Task>) -> Vec<Task> {
    let mut tasks = old;
    for call in all.iter().filter(|call| call.deed == Deed::Planned && call.outcome.went_well()) {
        let part = &request.conversation.messages[call.place.0].parts[call.place.1];
        let answer = call.result.map(|place| super::result_text(request.conversation, place));
        super::with_arguments(part, |arguments| {
            if let Some(list) = list_of(arguments) {
                let new: Vec<Task> = list.items().filter_map(|item| task(item)).collect();
                let partial = arguments.member("merge").is_some_and(Json::is_true);
                if partial {
                    for task in new {
                        update(&mut tasks, task);
                    }
                } else {
                    tasks = new;
                }
                return;
            }
            let Some(mut one) = task(arguments) else { return };
            if one.id.is_none() {
                // The number is in the answer: `Task #3 created`.
                one.id = answer.as_deref().and_then(number_in);
            }
            update(&mut tasks, one);
        });
    }
    tasks
}

/// Whether a list that was written whole stays visible: the newest word on the plan.
pub(crate) fn is_shown(request: &Request<'_, '_>) -> bool {
    let part = |(at, index): Place| &request.conversation.messages[at].parts[index];
    let mut visible = request.pairs.calls.iter().filter(|((at, _), _)| request.shown[*at]);
    visible.any(|&((at, index), result)| {
        let mut is_list = false;
        super::with_arguments(part((at, index)), |arguments| {
            is_list = list_of(arguments).is_some();
        });
        is_list && !result.is_some_and(|result| has_failed(part(result), None))
    })
}

fn list_of(arguments: Json<'_>) -> Option<Json<'_>> {
    super::task_list(|key| arguments.member(key))
}

fn update(tasks: &mut Vec<Task>, new: Task) {
    let known = tasks.iter_mut().find(|task| new.id.is_some() && task.id == new.id);
    match known {
        Some(task) => {
            if !new.text.is_empty() {
                task.text = new.text;
            }
            if !new.status.is_empty() {
                task.status = new.status;
            }
        }
        None if !new.text.is_empty() => tasks.push(new),
        None => {}
    }
}

fn task(item: Json<'_>) -> Option<Task> {
    if let Some(text) = item.text() {
        return Some(Task { id: None, text: line(&text), status: String::new() });
    }
    let pick = |keys: &[&str]| keys.iter().find_map(|key| item.str_member(key));
    let text =
        pick(&["content", "step", "subject", "title", "text", "task", "name", "description"]);
    let status = pick(&["status", "state"]);
    let id = ["id", "taskId", "task_id"].iter().find_map(|key| item.member(key));
    let id =
        id.map(|id| id.text().map_or_else(|| id.source().to_owned(), std::borrow::Cow::into_owned));
    (text.is_some() || id.is_some() && status.is_some()).then(|| Task {
        id,
        text: text.map_or_else(String::new, |text| line(&text)),
        status: status.map_or_else(String::new, |status| status.to_ascii_lowercase()),
    })
}

fn line(text: &str) -> String {
    clip(text.trim().lines().next().unwrap_or(""), 160).into_string()
}

fn number_in(text: &str) -> Option<String> {
    let at = text.find('#')?;
    let digits: String = text[at + 1..].chars().take_while(char::is_ascii_digit).collect();
    (!digits.is_empty()).then_some(digits)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_list_is_a_plan_by_its_name_or_by_the_state_of_its_members() {
        let is_list = |text: &str| list_of(Json::parse(text).unwrap()).is_some();
        for text in [
            r#"{"todos":["write it"]}"#,
            r#"{"plan":[{"step":"write it","status":"pending"}]}"#,
            r#"{"items":[{"text":"write it","state":"done"}]}"#,
        ] {
            assert!(is_list(text), "{text}");
        }
        for text in [
            r#"{"items":[{"name":"Lamp"}]}"#,
            r#"{"tasks":["a","b"]}"#,
            r#"{"plan":[]}"#,
            r#"{"items":[{"name":"Lamp","status":"new"},{"name":"Oil"}]}"#,
        ] {
            assert!(!is_list(text), "{text}");
        }
    }

    #[test]
    fn a_task_reads_back_as_it_was_written() {
        let task = Task { id: Some("3".into()), text: "write it".into(), status: "done".into() };
        assert_eq!(task.line(), "- [x] #3 write it");
        assert_eq!(Task::parse(&task.line()).unwrap().line(), task.line());
    }
}
