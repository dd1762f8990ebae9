//! The plan: the last state of the agent's list of tasks.
//!
//! Responsible for lists that are written whole (`todos`, `plan`) and for those kept task by task
//! (create, then update by number). It relies on what members are called, not on the tool's name.

use super::Request;
use super::calls::{self, Call, Deed, clip};
use crate::json::Json;

/// A task, and how far it is.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Task {
    pub(super) id: Option<String>,
    pub(super) text: String,
    pub(super) status: String,
    pub(super) message: usize,
}

impl Task {
    /// The box before it: done, under way, open.
    pub(super) fn mark(&self) -> &'static str {
        match self.status.as_str() {
            "completed" | "complete" | "done" => "[x]",
            "in_progress" | "in-progress" | "active" | "doing" => "[~]",
            "cancelled" | "canceled" | "deleted" => "[-]",
            _ => "[ ]",
        }
    }
}

/// The tasks as they stand after the last call that spoke of them.
pub(super) fn tasks(request: &Request<'_, '_>, all: &[Call]) -> Vec<Task> {
    let mut tasks: Vec<Task> = Vec::new();
    for call in all.iter().filter(|call| call.deed == Deed::Planned && !call.outcome.failed) {
        let part = &request.conversation.messages[call.place.0].parts[call.place.1];
        let answer = call.result.map(|place| calls::result_text(request.conversation, place));
        calls::with_arguments(part, |arguments| {
            let list = ["todos", "todoList", "plan", "tasks", "items"]
                .iter()
                .find_map(|key| arguments.at(key));
            if let Some(list) = list.filter(|list| list.is_array()) {
                let new: Vec<Task> =
                    list.items().filter_map(|item| task(item, call.place.0)).collect();
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
            let Some(mut one) = task(arguments, call.place.0) else { return };
            if one.id.is_none() {
                // The number is in the answer: `Task #3 created`.
                one.id = answer.as_deref().and_then(number_in);
            }
            update(&mut tasks, one);
        });
    }
    tasks
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
            task.message = new.message;
        }
        None if !new.text.is_empty() => tasks.push(new),
        None => {}
    }
}

fn task(item: Json<'_>, message: usize) -> Option<Task> {
    if let Some(text) = item.text() {
        return Some(Task { id: None, text: line(&text), status: String::new(), message });
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
        message,
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
