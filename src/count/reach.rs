//! Whether a conversation counts at least a given number of tokens, decided as early as possible.
//!
//! Responsible for bounds by bytes: no text has more tokens than bytes, and no token has more than 128 bytes.
//! Most verdicts therefore need few texts counted, or none. The answer is always that of a full count.

use crate::conversation::{Conversation, Kind, Message, Origin};
use crate::count::{Count, Meter, spread};
use crate::json::Json;

/// The usual number of bytes in a token.
const USUAL: usize = 4;

impl Meter {
    /// Counts the conversation; `None` if it counts fewer than `tokens`. If it probably counts that many, all
    /// of it is counted at once, on all cores.
    pub fn count_from(&self, conversation: &Conversation<'_>, tokens: usize) -> Option<Count> {
        let bytes: usize = conversation.messages.iter().map(spread::size).sum();
        if bytes / USUAL < tokens && !self.reaches(conversation, tokens) {
            return None;
        }
        Some(self.count(conversation)).filter(|count| count.tokens() >= tokens)
    }

    /// Whether the conversation counts at least `tokens`.
    fn reaches(&self, conversation: &Conversation<'_>, tokens: usize) -> bool {
        let messages = &conversation.messages;
        let fixed = self.fixed(conversation).fixed();
        let mut bounds: Vec<(usize, usize)> =
            messages.iter().map(|message| self.bounds(conversation, message, length)).collect();
        let mut low = fixed.tokens() + bounds.iter().map(|(low, _)| low).sum::<usize>();
        let mut high = fixed.tokens() + bounds.iter().map(|(_, high)| high).sum::<usize>();
        // The longest messages first: they narrow the bounds most.
        let mut order: Vec<usize> = (0..messages.len()).collect();
        order.sort_by_key(|&at| std::cmp::Reverse(spread::size(&messages[at])));
        for at in order {
            if low >= tokens || high < tokens {
                break;
            }
            let counted = self.message(conversation.dialect, &messages[at]).tokens();
            let (least, most) = std::mem::take(&mut bounds[at]);
            low = low - least + counted;
            high = high - most + counted;
        }
        low >= tokens
    }

    /// Whether the conversation certainly counts at most `tokens`, judged without counting its texts. False
    /// if that is unknown.
    pub fn is_surely_within(&self, conversation: &Conversation<'_>, tokens: usize) -> bool {
        let fixed = self.fixed(conversation).fixed().tokens();
        let messages = conversation.messages.iter();
        let written = |string: Json<'_>| (0, string.source().len());
        let most = messages.map(|message| self.bounds(conversation, message, written).1);
        let most = most.sum::<usize>();
        self.encoding().is_some() && fixed + most <= tokens
    }

    /// Lower and upper bounds for the tokens of a message; `length` gives those for the bytes of a string.
    fn bounds(
        &self,
        conversation: &Conversation<'_>,
        message: &Message<'_>,
        length: impl Fn(Json<'_>) -> (usize, usize),
    ) -> (usize, usize) {
        let dialect = conversation.dialect;
        // The bounds hold only for the tokenizer of an encoding.
        let Some(encoding) = self.encoding().filter(|_| message.origin != Origin::Internal) else {
            let exact = self.message(dialect, message).tokens();
            return (exact, exact);
        };
        let mut exact = self.frame(&self.framing(dialect), message);
        let (mut low, mut high) = (0, 0);
        for part in &message.parts {
            if !matches!(part.kind, Kind::Text | Kind::ToolCall | Kind::ToolResult) {
                exact += self.part(dialect, part);
                continue;
            }
            exact += self.around(dialect, part);
            // A value counts in compact form, which is no longer than its source.
            let value = part.body.filter(|_| part.has_value());
            let value = value.map(|value| (0, value.source().len()));
            for (least, most) in value.into_iter().chain(part.strings().map(&length)) {
                low += self.scaled(*encoding.bounds(least).start());
                high += self.scaled(*encoding.bounds(most).end());
            }
        }
        (exact.tokens() + low, exact.tokens() + high)
    }
}

/// Lower and upper bounds for the bytes of an unescaped string: an escape of two to six bytes becomes at
/// least one byte, and at most as many as it is written in (U+FFFD has three).
fn length(string: Json<'_>) -> (usize, usize) {
    let written = string.source().len() - 2;
    let escapes = memchr::memchr_iter(b'\\', string.source().as_bytes()).count();
    (written.saturating_sub(5 * escapes), written)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::conversation::{Source, decode};
    use crate::dialect::{Scope, named};
    use crate::document::Document;
    use crate::models;
    use crate::tokenizer::Encoding;

    #[test]
    fn the_verdict_is_that_of_a_full_count() {
        let texts =
            ["a", "", "\\u00e9\\n", "\\ud83d\\ude00 \\ud83d", "=========", "the quick brown fox"];
        let mut lines = Vec::new();
        for (at, text) in texts.iter().enumerate() {
            let text = text.repeat(at * 7 + 1);
            lines.push(format!(r#"{{"role":"user","content":"{text}"}}"#));
            lines.push(format!(
                r#"{{"role":"assistant","content":null,"tool_calls":[{{"id":"c","function":
                {{"name":"f","arguments":"{text}"}}}}]}}"#
            ));
            lines.push(format!(
                r#"{{"role":"assistant","content":null,"tool_calls":[{{"id":"c","function":
                {{"name":"f","arguments":{{ "a" : [1, "{text}"] }}}}}}]}}"#
            ));
            lines.push(format!(
                r#"{{"role":"tool","tool_call_id":"c","content":[{{"type":"text","text":"{text}"}},
                {{"type":"image_url","image_url":{{"url":"https://x"}}}}]}}"#
            ));
        }
        let source = format!("[{}]", lines.join(","));
        let document = Document::parse(source.as_bytes()).unwrap();
        let list = Source::array(None, document.values()[0]);
        let conversation = decode(named("openai").unwrap(), list, Scope::Live);
        let claude = models::named("claude-opus-4-5").unwrap();
        let meters = Encoding::ALL.map(Meter::new).into_iter().chain([Meter::of_model(claude)]);
        for meter in meters {
            let tokens = meter.count(&conversation).tokens();
            for limit in 0..2 * tokens {
                assert!(tokens <= limit || !meter.is_surely_within(&conversation, limit));
                assert_eq!(meter.reaches(&conversation, limit), tokens >= limit, "{limit}");
                let counted = meter.count_from(&conversation, limit).map(|count| count.tokens());
                assert_eq!(counted, (tokens >= limit).then_some(tokens), "{limit}");
            }
        }
    }
}
