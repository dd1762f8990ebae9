//! Conversations that are nested deeper than any dialect looks for them: in the results of a batch, in
//! preference data, in the runs of a tracer.
//!
//! Responsible for finding the first one, outermost values first, and for the jq filter that extracts it.

use std::collections::VecDeque;

use super::found::{all_held, holders};
use super::{Layout, Shape, recognise};
use crate::dialect::contract::Scope;
use crate::json::Json;
use crate::source::Source;

/// How deep the search goes, and into how many values.
const DEPTH: usize = 4;
const VALUES: usize = 200;

/// A nested conversation and the way to it.
pub struct Inside {
    /// The members that lead to its messages.
    pub path: String,
    /// The jq filter that extracts it from the value.
    steps: String,
    /// Whether the filter yields one message, which has to become a list.
    is_message: bool,
}

impl Inside {
    /// The whole jq filter; `before` is the filter that extracts the value itself.
    pub fn filter(&self, before: &str) -> String {
        let Self { steps, is_message, .. } = self;
        let dot = if steps.starts_with('[') { "." } else { "" };
        match (is_message, before) {
            (false, "") => format!("{dot}{steps}"),
            (false, _) => format!("{before}{steps}"),
            (true, "") => format!("[{dot}{steps}]"),
            // Each message becomes a conversation of its own.
            (true, _) => format!("{before} | [{dot}{steps}]"),
        }
    }

    /// The jq filter that collects the messages of several values, if each value holds one message and their
    /// roles differ: a log of one conversation.
    pub fn filter_of_log(&self, values: &[Json<'_>]) -> Option<String> {
        let mut roles = values.iter().filter_map(|value| value.at(&self.path)?.str_member("role"));
        let first = roles.next().filter(|_| self.is_message)?;
        let dot = if self.steps.starts_with('[') { "." } else { "" };
        roles.any(|role| role != first).then(|| format!("[.[] | {dot}{} | objects]", self.steps))
    }
}

/// Finds the first conversation nested in a value that is none itself.
pub fn inside(value: Json<'_>) -> Option<Inside> {
    let mut queue = VecDeque::from([(String::new(), value, 0)]);
    for _ in 0..VALUES {
        let (steps, value, depth) = queue.pop_front()?;
        if depth > 0
            && let Some(found) = look(&steps, value)
        {
            return Some(found);
        }
        if depth < DEPTH {
            let step = |key: &str| match key {
                key if is_plain(key) => format!("{steps}.{key}"),
                key => format!("{steps}[{}]", crate::json::quote(key)),
            };
            // A piece of a streamed answer is no message.
            let is_piece = value.member("done").is_some_and(|done| done.source() == "false");
            let members = value
                .members()
                .filter(|(key, _)| !(key.is("delta") || is_piece && key.is("message")));
            let members = members.map(|(key, member)| (step(&key.text()), member));
            queue.extend(members.map(|(steps, member)| (steps, member, depth + 1)));
            let item = value.objects().next().map(|item| (format!("{steps}[]"), item, depth + 1));
            queue.extend(item);
        }
    }
    None
}

/// Whether jq accepts a key without quotes.
fn is_plain(key: &str) -> bool {
    key.bytes().all(|byte| byte.is_ascii_alphanumeric() || byte == b'_')
        && key.bytes().next().is_some_and(|first| !first.is_ascii_digit())
}

/// Checks whether a value, or the JSON that a text holds, is a conversation.
fn look(steps: &str, value: Json<'_>) -> Option<Inside> {
    if value.is_object() || value.is_array() {
        return is_conversation(value).map(|layout| of(steps.to_owned(), layout));
    }
    let text = value.text().filter(|text| text.starts_with(['[', '{']))?;
    let layout = is_conversation(Json::parse(&text)?)?;
    Some(Inside {
        path: steps.trim_start_matches('.').to_owned(),
        ..of(format!("{steps}|fromjson"), layout)
    })
}

fn of(steps: String, layout: Layout) -> Inside {
    let path = steps.trim_start_matches('.');
    let path = match layout {
        Layout::Objects(held) => format!("{path}.{held}"),
        _ => path.to_owned(),
    };
    Inside { path, steps, is_message: layout == Layout::Stream }
}

/// The layout of a value that is a conversation or one message; `None` for any other value.
fn is_conversation(value: Json<'_>) -> Option<Layout> {
    let values = [value];
    let Shape { dialect, layout, .. } = recognise(&values, None).ok()?;
    let sources = match layout {
        // A single line of a log is no conversation, and any object with a text could be a prompt.
        Layout::Stream if dialect.is_log() => return None,
        Layout::Whole => return None,
        Layout::Stream => vec![Source::stream(&values)],
        Layout::Array => vec![Source::array(None, value)],
        layout => all_held(&holders(&values), layout),
    };
    let says = |mut source: Source<'_>| {
        let messages = dialect.messages(&mut source, Scope::Live);
        messages.iter().any(|message| message.is_sent() && !message.parts.is_empty())
    };
    sources.into_iter().any(says).then_some(layout)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn filter(value: &str) -> Option<(String, String)> {
        inside(Json::from_checked(value)).map(|found| (found.path.clone(), found.filter("")))
    }

    #[test]
    fn finds_messages_one_level_down_and_deeper() {
        let said = r#"{"role":"user","content":"q"},{"role":"assistant","content":"a"}"#;
        for (value, path, expected) in [
            (format!(r#"{{"n":1,"input":{{"messages":[{said}]}}}}"#), "input.messages", ".input"),
            (format!(r#"{{"chosen":[{said}],"rejected":[]}}"#), "chosen", ".chosen"),
            (format!(r#"{{"a-b":[{said}]}}"#), "[\"a-b\"]", ".[\"a-b\"]"),
            (
                format!(r#"{{"a":{{"b-c":[{said}]}}}}"#),
                "a[\"b-c\"]",
                ".a[\"b-c\"]",
            ),
            (format!(r#"{{"rows":[{{"x":{{"messages":[{said}]}}}}]}}"#), "rows[].x.messages", ".rows[].x"),
            (
                r#"{"result":{"message":{"role":"assistant","content":[{"type":"text","text":"a"}]}}}"#.to_owned(),
                "result.message",
                "[.result.message]",
            ),
            (
                r#"{"response":{"body":{"choices":[{"index":0,"message":{"role":"assistant","content":"a"}}]}}}"#.to_owned(),
                "response.body.choices",
                ".response.body",
            ),
            (
                r#"{"inputs":{"messages":[[{"lc":1,"type":"constructor","id":["HumanMessage"],"kwargs":{"content":"q"}}]]}}"#.to_owned(),
                "inputs.messages",
                ".inputs.messages",
            ),
            (
                r#"{"messages":"[{\"role\":\"user\",\"content\":\"q\"}]"}"#.to_owned(),
                "messages",
                ".messages|fromjson",
            ),
        ] {
            assert_eq!(filter(&value), Some((path.to_owned(), expected.to_owned())), "{value}");
        }
    }

    #[test]
    fn finds_nothing_where_nobody_speaks() {
        assert!(filter(r#"{"choices":[{"delta":{"role":"assistant","content":"a"}}]}"#).is_none());
        let piece = r#"{"message":{"role":"assistant","content":"a"},"done":false}"#;
        assert!(filter(piece).is_none());
        assert!(filter(&piece.replace("false", "true")).is_some());
        assert!(filter(r#"{"body":{"model":"m","input":"embed this"}}"#).is_none());
        assert!(
            filter(r#"{"instruction":"a","input":"","output":"[3]","meta":{"role":"x"}}"#)
                .is_none()
        );
    }
}
