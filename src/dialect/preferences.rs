//! Examples of preferences: messages with two answers, one of which is better.
//!
//! Responsible for recognising them, and for the jq filters that make an answer part of the conversation:
//! only the reader knows which of the two is meant.

use crate::json::Json;

/// The members that hold the two answers, in the data sets of trainers and of OpenAI.
const ANSWERS: [[&str; 2]; 2] =
    [["chosen", "rejected"], ["preferred_output", "non_preferred_output"]];

/// Members that hold the prompt of the answers, if they stand beside no conversation that is read.
const PROMPTS: [&str; 2] = ["prompt", "input.messages"];

/// Two answers of which one is preferred.
pub(crate) struct Preferences<'a> {
    /// The members that hold them, the preferred one first.
    pub(crate) names: [&'static str; 2],
    /// The object that holds them.
    pub(crate) holder: Json<'a>,
    answer: Json<'a>,
}

impl<'a> Preferences<'a> {
    /// The answers that an object holds, if it holds any.
    pub(crate) fn of(holder: Json<'a>) -> Option<Self> {
        // A list of plain texts does not say who spoke.
        let holds = |json: &Json<'_>| {
            (json.is_object() || json.is_array()) && json.items().all(Json::is_object)
        };
        ANSWERS.into_iter().find_map(|names| {
            let [preferred, other] = holder.pick(names);
            let answer = preferred.filter(holds)?;
            other.filter(holds).map(|_| Self { names, holder, answer })
        })
    }

    /// The jq filter that extracts the preferred answer as a list.
    fn answer(&self) -> String {
        let [name, _] = self.names;
        if self.answer.is_array() { format!(".{name}") } else { format!("[.{name}]") }
    }

    /// The jq filter that makes a conversation of the prompt and the preferred answer.
    pub(crate) fn filter(&self) -> String {
        let is_list = |path: &&str| self.holder.at(path).is_some_and(Json::is_array);
        let (prompt, answer) = (PROMPTS.into_iter().find(is_list), self.answer());
        prompt.map_or(answer.clone(), |prompt| format!(".{prompt} + {answer}"))
    }

    /// The jq filter that appends the preferred answer to the messages under `list`.
    pub(crate) fn filter_into(&self, list: &str) -> String {
        let ([name, other], answer) = (self.names, self.answer());
        let first = |list: Option<Json<'a>>| list.and_then(|list| list.items().next());
        let [own, answers] = [self.holder.at(list), Some(self.answer)].map(first);
        // An answer may repeat the messages before it.
        let is_whole = own.is_some_and(|own| answers.is_some_and(|it| it.source() == own.source()));
        let sets = if is_whole { "=" } else { "+=" };
        format!(".{list} {sets} {answer} | del(.{name}, .{other})")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn filter(holder: &str) -> Option<String> {
        Preferences::of(Json::from_checked(holder)).map(|found| found.filter())
    }

    fn filter_into(holder: &str, list: &str) -> String {
        Preferences::of(Json::from_checked(holder)).unwrap().filter_into(list)
    }

    #[test]
    fn an_answer_continues_the_messages_or_repeats_them() {
        let beside = r#"{"messages":[{"n":1}],"chosen":[{}],"rejected":[{}]}"#;
        let wanted = ".messages += .chosen | del(.chosen, .rejected)";
        assert_eq!(filter_into(beside, "messages"), wanted);
        let repeating = r#"{"messages":[{"n":1}],"chosen":[{"n":1},{}],"rejected":[{"n":1},{}]}"#;
        let wanted = ".messages = .chosen | del(.chosen, .rejected)";
        assert_eq!(filter_into(repeating, "messages"), wanted);
        let objects =
            r#"{"input":{"messages":[1]},"preferred_output":{},"non_preferred_output":{}}"#;
        assert_eq!(filter(objects).unwrap(), ".input.messages + [.preferred_output]");
        assert_eq!(filter(r#"{"prompt":"1","chosen":[],"rejected":[]}"#).unwrap(), ".chosen");
        assert_eq!(filter(r#"{"chosen":true,"rejected":[]}"#), None);
        assert_eq!(filter(r#"{"chosen":["a"],"rejected":["b"]}"#), None);
    }
}
