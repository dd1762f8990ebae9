//! Counting parts that have no readable text: media, and values that only their provider can read.

use super::{Meter, content};
use crate::conversation::{Kind, Part};
use crate::count::Tally;
use crate::dialect::Dialect;
use crate::json::Json;
use crate::media::{self, Weight};

impl Meter {
    pub(super) fn attachments(&self, dialect: &dyn Dialect, part: &Part<'_>) -> Tally {
        let rule = self.media_rule(dialect);
        let beside = dialect.attached(part).into_iter().flat_map(Json::items);
        let all = part.attachments().chain(beside);
        all.map(|item| self.attachment(item, rule, part.kind)).sum()
    }

    /// The tokens of the titles of a document or a search result.
    pub(super) fn titles(&self, item: Json<'_>) -> usize {
        media::titles(item).map(|text| self.text(&text)).sum()
    }

    /// The tokens of the attachments of a result.
    pub fn attached(&self, dialect: &dyn Dialect, part: &Part<'_>) -> usize {
        self.attachments(dialect, part).tokens()
    }

    /// Counts an item without a text of its own: a medium, texts nested deeper, or data that only its
    /// provider can read.
    pub(super) fn attachment(&self, item: Json<'_>, rule: media::Rule, kind: Kind) -> Tally {
        let hidden = opaque(item, kind);
        if hidden > 0 {
            return content(hidden);
        }
        match media::weigh(item, rule, kind == Kind::File) {
            Some(Weight { tokens: media, is_guess }) => {
                let content = self.titles(item);
                Tally { content, media, guesses: usize::from(is_guess), ..Tally::default() }
            }
            None => content(media::texts(item).iter().map(|text| self.text(text)).sum()),
        }
    }
}

/// The tokens of a thought that only its signature holds whole, because its text may be a summary or left
/// out. Measured on sessions of Claude 4.5 to 4.7: the signature is the base64 of the thought and of 173 more
/// bytes; 4.2 bytes are a token of `o200k_base`.
pub(super) fn signed(part: Json<'_>) -> usize {
    let signature = part.at("reasoningContent.reasoningText.signature");
    let length = signature.or(part.member("signature")).map_or(0, |text| text.source().len());
    (length * 3 / 4).saturating_sub(173) * 10 / 42
}

/// The tokens of an item that only its provider can read, judged by size. Encrypted reasoning is the base64
/// of the text and of about 650 more bytes, an encrypted output is base64 applied twice; 4 bytes are a token.
/// Codex assumes the same.
fn opaque(item: Json<'_>, kind: Kind) -> usize {
    let [data, encrypted, kind_of_item, thought] =
        item.pick(["data", "encrypted_content", "type", "reasoningContent"]);
    let encrypted = encrypted.or_else(|| thought.and_then(|it| it.member("redactedContent")));
    // The types by which Anthropic and OpenRouter mark a hidden thought.
    let is_thought = kind_of_item
        .is_some_and(|kind| kind.says("redacted_thinking") || kind.says("reasoning.encrypted"));
    let hidden = encrypted.or(data.filter(|_| is_thought)).filter(|text| text.is_string());
    let length = hidden.map_or(0, |text| text.source().len() - 2);
    match kind {
        Kind::ToolResult => length * 9 / 16 / 4,
        _ => (length * 3 / 4).saturating_sub(650) / 4,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::dialect::named;

    fn part(dialect: &str, source: &str) -> Vec<Tally> {
        let dialect = named(dialect).unwrap();
        let message = dialect.message(Json::from_checked(source)).unwrap();
        let mut parts = Vec::new();
        Meter::of_words().message_and_parts(dialect, &message, |_, tally| parts.push(tally));
        parts
    }

    #[test]
    fn results_count_their_texts_and_their_pictures() {
        let source = r#"{"role":"user","content":[{"type":"tool_result","tool_use_id":"c","content":
            [{"type":"text","text":"one two"},{"type":"image","source":{"type":"url","url":"x"}}]}]}"#;
        assert_eq!(
            part("anthropic", source),
            [Tally { content: 2, framing: 4, media: 1_568, guesses: 0 }]
        );
    }

    #[test]
    fn documents_and_search_results_count_their_titles() {
        for (block, tokens) in [
            (
                r#"{"type":"search_result","title":"one two","source":"u","content":[{"type":"text","text":"a"}]}"#,
                4,
            ),
            (
                r#"{"type":"document","title":"one two","context":"three","source":{"type":"text","media_type":"text/plain","data":"a"}}"#,
                4,
            ),
            (
                r#"{"type":"document","title":"one two","context":"three","source":{"type":"base64","data":"A"}}"#,
                3,
            ),
        ] {
            let source = format!(r#"{{"role":"user","content":[{block}]}}"#);
            assert_eq!(part("anthropic", &source)[0].content, tokens, "{block}");
        }
        let refused = r#"{"role":"assistant","content":[{"type":"refusal","refusal":"one two"}]}"#;
        assert_eq!(part("openai", refused)[0].content, 2);
    }

    #[test]
    fn documents_given_as_text_count_as_text() {
        let source = r#"{"role":"user","content":[{"type":"document","source":
            {"type":"text","media_type":"text/plain","data":"one two three"}}]}"#;
        assert_eq!(part("anthropic", source), [Tally { content: 3, ..Tally::default() }]);
    }

    #[test]
    fn what_is_encrypted_counts_by_its_size() {
        let data = "A".repeat(4_000);
        let source = format!(
            r#"{{"role":"assistant","content":[{{"type":"redacted_thinking","data":"{data}"}}]}}"#
        );
        assert_eq!(part("anthropic", &source)[0].content, (3_000 - 650) / 4);
        let source = format!(
            r#"{{"role":"assistant","content":"a","reasoning_details":[{{"type":"reasoning.encrypted","data":"{data}"}}]}}"#
        );
        assert_eq!(part("openai", &source)[0].content, (3_000 - 650) / 4);
        let item = format!(r#"{{"encrypted_content":"{data}"}}"#);
        assert_eq!(opaque(Json::from_checked(&item), Kind::ToolResult), 4_000 * 9 / 16 / 4);
    }

    #[test]
    fn a_thought_counts_what_its_signature_holds() {
        let thought = |text: &str, length: usize| {
            let signature = "A".repeat(length);
            let source = format!(
                r#"{{"role":"assistant","content":[{{"type":"thinking","thinking":"{text}","signature":"{signature}"}}]}}"#
            );
            part("anthropic", &source)[0].content
        };
        assert_eq!(thought("", 5_488), (4_117 - 173) * 10 / 42);
        assert_eq!(thought("one two", 200), 2);
    }

    #[test]
    fn thoughts_that_are_sent_count_whatever_they_are_called() {
        for (dialect, thought) in [
            ("openai", r#""reasoning_content":"one two""#),
            ("openai", r#""reasoning":"one two""#),
            ("openai", r#""thinking":"one two""#),
            ("openai", r#""reasoning_details":[{"type":"reasoning.text","text":"one two"}]"#),
            // Both members hold the same text.
            (
                "openai",
                r#""reasoning":"one two","reasoning_details":[{"type":"reasoning.summary","summary":"one two"}]"#,
            ),
            ("langchain", r#""additional_kwargs":{"reasoning_content":"one two"}"#),
            ("langchain", r#""content":[{"type":"reasoning","reasoning":"one two"}]"#),
            (
                "langchain",
                r#""content":[{"type":"reasoning","summary":[{"type":"summary_text","text":"one two"}]}]"#,
            ),
        ] {
            let who = if dialect == "openai" { "role" } else { "type" };
            let name = if dialect == "openai" { "assistant" } else { "ai" };
            let source = format!(r#"{{"{who}":"{name}","content":"",{thought}}}"#);
            let tokens: usize = part(dialect, &source).iter().map(|tally| tally.content).sum();
            assert_eq!(tokens, 2, "{source}");
        }
    }

    #[test]
    fn data_in_parts_of_unknown_types_counts_nothing() {
        let data = "A".repeat(40_000);
        let part_of = |inner: String| {
            format!(r#"{{"role":"user","content":[{{"type":"hologram",{inner}}}]}}"#)
        };
        assert_eq!(part("anthropic", &part_of(format!(r#""data":"{data}""#)))[0].tokens(), 0);
        assert_eq!(part("openai", &part_of(format!(r#""data":"{data}""#)))[0].tokens(), 0);
        assert_eq!(part("openai", &part_of(r#""text":"one two""#.to_owned()))[0].tokens(), 2);
    }

    #[test]
    fn base64_in_parts_of_unknown_types_is_no_text() {
        let data = "A".repeat(4_000);
        let source = format!(
            r#"{{"role":"assistant","content":[{{"type":"server_tool_use","input":{{"x":"{data}"}}}}]}}"#
        );
        assert_eq!(part("anthropic", &source)[0].content, 1);
    }

    #[test]
    fn openai_chats_keep_the_published_framing() {
        let model = crate::models::named("gpt-5.6").unwrap();
        let framing = |dialect: &str| Meter::of_model(model).framing(named(dialect).unwrap());
        assert_eq!(framing("openai").message, 4);
        assert_eq!(framing("anthropic").text, 10);
    }
}
