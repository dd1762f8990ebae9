//! The plan: the tasks that fit, and the count of the others.
//!
//! Responsible for what goes first if there is no room: first the words of a task after the first few, then
//! tasks that are done, the oldest first, and last open tasks. What is left out is counted.

use super::Left;
use crate::digest::Request;
use crate::digest::calls::tasks::{More, Plan, Task};

/// Per cent of the budget for the plan.
const PLAN: usize = 5;
/// Per cent of the budget for open tasks in their short form, if they need more.
const OPEN: usize = 10;
/// How much of a task is told where there is little room, in bytes.
const SHORT: usize = 60;

/// Returns the lines of the tasks that fit, chosen open ones first and then the newest, in their order.
pub(super) fn lines(request: &Request<'_, '_>, plan: &Plan, left: &mut Left<'_>) -> Vec<String> {
    let Plan { tasks, more, .. } = plan;
    let short = |at: usize| tasks[at].shortened(SHORT);
    let mut order: Vec<usize> = (0..tasks.len()).collect();
    order.sort_by_key(|&at| {
        (!tasks[at].is_open(), if tasks[at].is_open() { at } else { tasks.len() - at })
    });
    let open = order.iter().take_while(|&&at| tasks[at].is_open());
    let open: usize = open.map(|&at| left.cost(&short(at))).sum();
    let most = request.share(if request.is_roomy() { OPEN } else { PLAN });
    let share = request.share(PLAN).max(open.min(most));
    let mut more = *more;
    let mut room = left.room(share);
    let mut told: Vec<(usize, String)> = Vec::new();
    let mut leaves_open = false;
    for at in order {
        // A task that is only a number says nothing once it is done; neither does a task that is done while
        // an open one is left out.
        let says = tasks[at].is_open() || !tasks[at].text.is_empty() && !leaves_open;
        if says && room.fits(&short(at)) {
            told.push((at, short(at)));
        } else {
            leaves_open |= tasks[at].is_open();
            more.count(&tasks[at]);
        }
    }
    for (at, line) in &mut told {
        let long = tasks[*at].line();
        if room.fits_instead(&long, line) {
            *line = long;
        }
    }
    told.sort_unstable_by_key(|(at, _)| *at);
    let mut lines: Vec<String> = told.into_iter().map(|(_, line)| line).collect();
    // In a small digest a count without any task says little.
    let counted = more.line(lines.is_empty()).filter(|_| request.is_roomy() || !lines.is_empty());
    let counted = counted.filter(|line| left.fits(line));
    lines.extend(counted);
    lines
}

/// Removes the line that is missed least, counts it, and returns it.
pub(super) fn shorten(lines: &mut Vec<String>) -> Option<String> {
    let mut more = lines.last().and_then(|line| More::parse(line));
    let tasks = lines.len() - usize::from(more.is_some());
    let is_done = |line: &String| Task::parse(line).is_some_and(|task| !task.is_open());
    let Some(last) = tasks.checked_sub(1) else { return lines.pop() };
    let line = lines.remove(lines[..tasks].iter().position(is_done).unwrap_or(last));
    if more.is_some() {
        lines.pop();
    }
    if let Some(task) = Task::parse(&line) {
        more.get_or_insert_default().count(&task);
    }
    let is_alone = lines.is_empty();
    lines.extend(more.and_then(|more| more.line(is_alone)));
    Some(line)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_open_goes_last_and_what_is_gone_is_counted() {
        let lines = ["- [x] #1 read it", "- [ ] #2 write it", "- [~] #3 try it"];
        let mut lines: Vec<String> = lines.map(str::to_owned).to_vec();
        assert_eq!(shorten(&mut lines).as_deref(), Some("- [x] #1 read it"));
        assert_eq!(lines, ["- [ ] #2 write it", "- [~] #3 try it", "- and 1 more done"]);
        shorten(&mut lines);
        assert_eq!(lines, ["- [ ] #2 write it", "- and 1 more open, 1 more done"]);
        shorten(&mut lines);
        assert_eq!(lines, ["- 2 open, 1 done"]);
        shorten(&mut lines);
        assert!(lines.is_empty() && shorten(&mut lines).is_none());
    }
}
