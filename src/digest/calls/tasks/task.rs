//! One task, and the number of tasks that are not told, as the digest writes them.
//!
//! Responsible for these lines and for reading them back: `parse` reads what [`Task::line`] and [`More::line`]
//! write.

use crate::line::clip;

/// A task and its state.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Task {
    pub(crate) id: Option<String>,
    pub(crate) text: String,
    /// `None` if nothing tells the state.
    pub(crate) status: Option<Status>,
}

/// The state of a task.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Status {
    Open,
    Active,
    Done,
    GivenUp,
}

impl Status {
    const ALL: [Self; 4] = [Self::Open, Self::Active, Self::Done, Self::GivenUp];

    /// The state that a tool calls by this word.
    pub(super) fn of(word: &str) -> Self {
        match word.to_ascii_lowercase().as_str() {
            "completed" | "complete" | "done" => Self::Done,
            "in_progress" | "in-progress" | "active" | "doing" => Self::Active,
            "cancelled" | "canceled" | "deleted" => Self::GivenUp,
            _ => Self::Open,
        }
    }

    /// The mark of the state before a task.
    fn mark(self) -> &'static str {
        match self {
            Self::Open => "[ ]",
            Self::Active => "[~]",
            Self::Done => "[x]",
            Self::GivenUp => "[-]",
        }
    }
}

impl Task {
    /// The line of the task: the mark of its state, its number if it has one, and its text.
    pub(crate) fn line(&self) -> String {
        let id = self.id.as_ref().map_or_else(String::new, |id| format!("#{id} "));
        let mark = self.status.unwrap_or(Status::Open).mark();
        format!("- {mark} {id}{}", self.text).trim_end().to_owned()
    }

    /// The line of the task with at most `most` bytes of its text.
    pub(crate) fn shortened(&self, most: usize) -> String {
        Self { text: clip(&self.text, most).into_string(), ..self.clone() }.line()
    }

    /// Whether it is still to be done.
    pub(crate) fn is_open(&self) -> bool {
        !matches!(self.status, Some(Status::Done | Status::GivenUp))
    }

    /// Parses the line of a task.
    pub(crate) fn parse(line: &str) -> Option<Self> {
        let rest = line.strip_prefix("- ")?;
        let (mark, text) = rest.split_at_checked(3)?;
        let status = Status::ALL.into_iter().find(|status| status.mark() == mark)?;
        let text = text.trim_start();
        let numbered =
            text.strip_prefix('#').map(|text| text.split_once(' ').unwrap_or((text, "")));
        let (id, text) = match numbered {
            Some((id, text)) => (Some(id.to_owned()), text),
            None => (None, text),
        };
        Some(Self { id, text: text.to_owned(), status: Some(status) })
    }
}

/// The number of tasks that are not told, by state.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct More {
    pub(super) open: usize,
    pub(super) done: usize,
    pub(super) given_up: usize,
}

impl More {
    pub(crate) fn count(&mut self, task: &Task) {
        *self.with(task.status) += 1;
    }

    /// The count of a state.
    pub(super) fn with(&mut self, status: Option<Status>) -> &mut usize {
        match status {
            Some(Status::Done) => &mut self.done,
            Some(Status::GivenUp) => &mut self.given_up,
            _ => &mut self.open,
        }
    }

    /// The line with these counts; `None` if all are zero. `is_alone` says that no task is told.
    pub(crate) fn line(self, is_alone: bool) -> Option<String> {
        let (and, more) = if is_alone { ("", " ") } else { (AND, MORE) };
        let part = |count: usize, word| (count > 0).then(|| format!("{count}{more}{word}"));
        let parts =
            [part(self.open, "open"), part(self.done, "done"), part(self.given_up, GIVEN_UP)];
        let parts: Vec<String> = parts.into_iter().flatten().collect();
        (!parts.is_empty()).then(|| format!("- {and}{}", parts.join(", ")))
    }

    /// Parses the line with the counts.
    pub(crate) fn parse(line: &str) -> Option<Self> {
        let mut more = Self::default();
        let line = line.strip_prefix("- ")?;
        for part in line.strip_prefix(AND).unwrap_or(line).split(", ") {
            let (count, word) = part.split_once(MORE).or_else(|| part.split_once(' '))?;
            let count = count.parse().ok()?;
            match word {
                "open" => more.open = count,
                "done" => more.done = count,
                GIVEN_UP => more.given_up = count,
                _ => return None,
            }
        }
        Some(more)
    }
}

const GIVEN_UP: &str = "given up";
const AND: &str = "and ";
const MORE: &str = " more ";

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_task_reads_back_as_it_was_written() {
        let status = Some(Status::of("Done"));
        let task = Task { id: Some("3".into()), text: "write it".into(), status };
        assert_eq!(task.line(), "- [x] #3 write it");
        assert_eq!(Task::parse(&task.line()).as_ref(), Some(&task));
        assert_eq!(Task::parse("- [x] #3"), Some(Task { text: String::new(), ..task }));
        let more = More { open: 2, done: 1, given_up: 3 };
        let line = "- and 2 more open, 1 more done, 3 more given up";
        assert_eq!(more.line(false).as_deref(), Some(line));
        assert_eq!(More::parse(line), Some(more));
        let alone = "- 2 open, 1 done, 3 given up";
        assert_eq!(more.line(true).as_deref(), Some(alone));
        assert_eq!(More::parse(alone), Some(more));
        assert_eq!(More::parse("- [x] #3"), None);
        assert_eq!(More::parse("- and 2 more: open"), None);
    }
}
