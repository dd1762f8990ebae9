//! The plan: the last state of the agent's list of tasks.
//!
//! Responsible for lists that are written whole (`todos`, `plan`) and for lists that are kept task by task
//! (create, then update by number). It relies on the names of arguments, not on the tool's name.

mod task;

use std::borrow::Cow;

use super::{Call, Does};
use crate::conversation::{Part, Place};
use crate::digest::Request;
use crate::digest::files::deed::Deed;
use crate::digest::has_failed;
use crate::json::Json;
use crate::line::{clip, is_number};
pub(crate) use task::{More, Status, Task};

/// The agent's list of tasks.
#[derive(Clone, Debug, Default)]
pub(crate) struct Plan {
    pub(crate) tasks: Vec<Task>,
    pub(crate) more: More,
    /// The numbers and states of tasks that are counted in `more`: what they are about is unknown.
    unnamed: Vec<(String, Option<Status>)>,
}

impl Plan {
    /// Takes in a line of an earlier digest; returns whether it is a line of a plan.
    pub(crate) fn take(&mut self, line: &str) -> bool {
        let task = Task::parse(line);
        let more = More::parse(line);
        let is_taken = task.is_some() || more.is_some();
        let tasks = task.into_iter().collect();
        self.add(&Self { tasks, more: more.unwrap_or_default(), ..Self::default() });
        is_taken
    }

    /// Adds the tasks of another plan.
    pub(crate) fn add(&mut self, other: &Self) {
        self.tasks.extend(other.tasks.iter().cloned());
        self.more.open += other.more.open;
        self.more.done += other.more.done;
        self.more.given_up += other.more.given_up;
    }

    /// Whether the task with this number has a text.
    fn names(&self, id: Option<&str>) -> bool {
        let mut tasks = self.tasks.iter();
        id.is_some() && tasks.any(|task| task.id.as_deref() == id && !task.text.is_empty())
    }

    fn update(&mut self, new: Task) {
        let known = self.tasks.iter_mut().find(|task| new.id.is_some() && task.id == new.id);
        match known {
            Some(task) => {
                if !new.text.is_empty() {
                    task.text = new.text;
                }
                task.status = new.status.or(task.status);
            }
            None if !new.text.is_empty() => self.tasks.push(new),
            None => self.update_unnamed(new),
        }
    }

    /// Enters the state of a task without a text: one that an earlier digest left out, or that never had one.
    fn update_unnamed(&mut self, new: Task) {
        let known = self.unnamed.iter().position(|(id, _)| Some(id) == new.id.as_ref());
        let was = known.map(|at| self.unnamed.swap_remove(at).1);
        // Of the tasks that an earlier digest counts, it is most likely an open one.
        let own = |more: &mut More, status| {
            let counted = self.unnamed.iter().filter(|(_, other)| *other == Some(status)).count();
            *more.with(Some(status)) > counted
        };
        let old =
            [Status::Open, Status::Done].into_iter().find(|status| own(&mut self.more, *status));
        if let Some(status) = was.or(old.map(Some)) {
            *self.more.with(status) -= 1;
        }
        if new.is_open() {
            // An open task is told even without a text.
            self.tasks.push(new);
        } else {
            self.more.count(&new);
            self.unnamed.extend(new.id.map(|id| (id, new.status)));
        }
    }
}

/// Updates a plan with every call that changed or listed it.
pub(crate) fn follow(request: &Request<'_, '_>, all: &[Call], plan: &mut Plan) {
    let plans = |call: &Call| {
        call.tells_progress || call.deed == Deed::Planned && call.outcome.may_have_gone_well()
    };
    for call in all {
        let part = request.conversation.part(call.place);
        let answer = || call.result.map(|place| super::result_text(request.conversation, place));
        // Lists of issues may look alike, so the tool's name decides.
        let of_tasks = || ["task", "todo"].iter().any(|of| call.tool.to_lowercase().contains(of));
        if of_tasks() && asks_nothing(part) {
            let listed = answer().and_then(|text| text.lines().map(listed).collect());
            if let Some(tasks) = listed.filter(|tasks: &Vec<Task>| !tasks.is_empty()) {
                *plan = Plan { tasks, ..Plan::default() };
            }
        }
        if !plans(call) {
            continue;
        }
        super::with_arguments(part, |arguments| {
            if let Some(text) = checklist(arguments) {
                *plan =
                    Plan { tasks: text.lines().filter_map(checked).collect(), ..Plan::default() };
                return;
            }
            if let Some(list) = list_of(arguments) {
                let new = list.items().filter_map(|item| task(item));
                if arguments.member("merge").is_some_and(Json::is_true) {
                    new.for_each(|task| plan.update(task));
                } else {
                    *plan = Plan { tasks: new.collect(), ..Plan::default() };
                }
                return;
            }
            let Some(mut one) = task(arguments) else { return };
            if is_untitled(arguments) && plan.names(one.id.as_deref()) {
                one.text.clear();
            }
            if one.id.is_none() {
                // The result tells the number: `Task #3 created`.
                one.id = answer().as_deref().and_then(number_in);
            }
            plan.update(one);
        });
    }
}

/// Whether a list that was written whole stays visible, which then is the newest state of the plan.
pub(crate) fn is_shown(request: &Request<'_, '_>) -> bool {
    let part = |place: Place| request.conversation.part(place);
    let is_list = |it: Json<'_>| list_of(it).is_some() || checklist(it).is_some();
    let mut visible = request.pairs.calls.iter().filter(|((at, _), _)| request.shown[*at]);
    visible.any(|&(call, result)| {
        super::with_arguments(part(call), is_list) == Some(true)
            && !result.is_some_and(|result| has_failed(part(result), &Does::default()))
    })
}

fn checklist(arguments: Json<'_>) -> Option<Cow<'_, str>> {
    let keys = [super::CHECKLIST, super::PROGRESS];
    keys.iter().find_map(|key| super::checklist(arguments.member(key)))
}

fn list_of(arguments: Json<'_>) -> Option<Json<'_>> {
    super::task_list(|key| arguments.member(key))
}

/// The members that hold the text of a task, and the one that does if there are none of these.
const TITLES: &[&str] = &["content", "step", "subject", "title", "text", "task", "name"];
const DESCRIPTION: &str = "description";

/// Whether an update has only a description, so that the task keeps its text.
fn is_untitled(item: Json<'_>) -> bool {
    item.is_object() && TITLES.iter().all(|title| item.str_member(title).is_none())
}

fn task(item: Json<'_>) -> Option<Task> {
    if let Some(text) = item.text() {
        return Some(Task { id: None, text: line(&text), status: None });
    }
    let pick = |keys: &[&str]| keys.iter().find_map(|key| item.str_member(key));
    let text = pick(TITLES).or_else(|| pick(&[DESCRIPTION]));
    let status = pick(&["status", "state"]);
    let id = ["id", "taskId", "task_id"].iter().find_map(|key| item.member(key));
    let id = id.map(|id| id.plain().into_owned());
    (text.is_some() || id.is_some() && status.is_some()).then(|| Task {
        id,
        text: text.map_or_else(String::new, |text| line(&text)),
        status: status.filter(|word| !word.is_empty()).map(|word| Status::of(&word)),
    })
}

/// The task that a line of a list ticks or leaves open: `- [x] write it`.
pub(super) fn checked(line: &str) -> Option<Task> {
    let number = |c: char| c.is_ascii_digit() || c == '.';
    let rest = line.trim().trim_start_matches(['-', '*']).trim_start_matches(number).trim_start();
    let (mark, text) = rest.strip_prefix('[')?.split_once(']')?;
    let status = match mark.trim() {
        "" => Status::Open,
        "x" | "X" => Status::Done,
        "-" | "~" | "/" => Status::Active,
        _ => return None,
    };
    let text = self::line(text);
    (!text.is_empty()).then_some(Task { id: None, text, status: Some(status) })
}

/// Whether a call has no arguments, and so may ask for the list.
fn asks_nothing(part: &Part<'_>) -> bool {
    super::with_arguments(part, |arguments| arguments.is_empty_object()) == Some(true)
}

/// The task in a line of a result: `#3 [completed] write it [blocked by #2]`.
fn listed(line: &str) -> Option<Task> {
    let (id, rest) = line.strip_prefix('#')?.split_once(" [")?;
    let (status, text) = rest.split_once("] ")?;
    let (text, _) = text.split_once(" [blocked by").unwrap_or((text, ""));
    // Numbers of issues and pull requests precede other words.
    let is_task = is_number(id) && matches!(status, "pending" | "in_progress" | "completed");
    let status = Some(Status::of(status));
    is_task.then(|| Task { id: Some(id.to_owned()), text: self::line(text), status })
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
    fn a_list_may_be_a_text() {
        let told = |line: &str| checked(line).map(|task| task.line());
        assert_eq!(told("[x] write it").as_deref(), Some("- [x] write it"));
        assert_eq!(told("- [ ] write it").as_deref(), Some("- [ ] write it"));
        assert_eq!(told("  2. [-] write it").as_deref(), Some("- [~] write it"));
        for line in ["write it", "[a](b)", "[x]", "- write [x]"] {
            assert_eq!(told(line), None, "{line}");
        }
    }

    #[test]
    fn what_was_never_named_is_counted_once() {
        let told = |plan: &mut Plan, id: &str, status: &str| {
            let (id, status) = (Some(id.to_owned()), Some(Status::of(status)));
            plan.update(Task { id, text: String::new(), status });
            plan.more.line(false).unwrap_or_default()
        };
        let mut plan = Plan::default();
        assert_eq!(told(&mut plan, "1", "completed"), "- and 1 more done");
        assert_eq!(told(&mut plan, "1", "completed"), "- and 1 more done");
        assert_eq!(told(&mut plan, "2", "deleted"), "- and 1 more done, 1 more given up");
        assert_eq!(told(&mut plan, "1", "in_progress"), "- and 1 more given up");
        assert_eq!(plan.tasks.len(), 1);
        // They may be among the tasks that an earlier digest counts.
        let mut plan = Plan::default();
        assert!(plan.take("- and 1 more open, 1 more done"));
        assert_eq!(told(&mut plan, "7", "completed"), "- and 2 more done");
        assert_eq!(told(&mut plan, "8", "completed"), "- and 2 more done");
        assert_eq!(told(&mut plan, "9", "completed"), "- and 3 more done");
    }
}
