//! The tokens of tool definitions.
//!
//! Responsible for the tokens that a request's tools cost before any is called. OpenAI's formula comes from
//! its cookbook and agrees with the API to a few tokens; the size of Anthropic's hidden prompt comes from its
//! page on tool use; all other providers are assumed to send the JSON. Only requests hold the definitions,
//! session logs do not.

use crate::dialect::Provider;
use crate::json::Json;
use crate::tokenizer::Encoding;

/// How a provider counts the definitions of tools.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Rule {
    /// OpenAI: a measured formula, with a number of tokens per function.
    Functions {
        /// The tokens of a function besides its texts.
        each: usize,
    },
    /// Anthropic: the JSON, and a hidden system prompt.
    Anthropic {
        /// The tokens of that prompt if the model may choose.
        auto: usize,
        /// The tokens of that prompt if the model must call a tool.
        forced: usize,
    },
    /// The JSON, without its white space.
    Json,
}

/// The tokens of the definitions, and those that the provider puts around them.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Cost {
    /// Tokens of texts.
    pub texts: usize,
    /// All other tokens.
    pub framing: usize,
}

/// The rule of a provider if no model is named: that of its newest model.
pub(crate) fn rule_of(provider: Provider, encoding: Encoding) -> Rule {
    match provider {
        Provider::OpenAi if encoding == Encoding::Cl100kBase => Rule::Functions { each: 10 },
        Provider::OpenAi | Provider::Responses => Rule::Functions { each: 7 },
        Provider::Anthropic | Provider::Bedrock => Rule::Anthropic { auto: 286, forced: 406 },
        Provider::Gemini | Provider::Mistral => Rule::Json,
    }
}

/// The tokens of a request's tools; `text` counts texts, and `choice` is the request's `tool_choice`.
pub(crate) fn cost(
    tools: Json<'_>,
    choice: Option<Json<'_>>,
    rule: Rule,
    text: &dyn Fn(&str) -> usize,
) -> Cost {
    // Data sets whose columns have one type each hold the definitions as text.
    if let Some(written) = tools.text() {
        let tools = Json::parse(&written).filter(|tools| !tools.is_string());
        return tools.map_or(Cost::default(), |tools| cost(tools, choice, rule, text));
    }
    if tools.items().next().is_none() {
        return Cost::default();
    }
    match rule {
        Rule::Json => Cost { texts: text(&tools.compact()), framing: 0 },
        Rule::Anthropic { auto, forced } => {
            let [kind, any, tool] = choice.map_or([None; 3], |it| it.pick(["type", "any", "tool"]));
            let is_said = kind.is_some_and(|kind| kind.says("any") || kind.says("tool"));
            // Bedrock names the choice by a member.
            let must = is_said || any.or(tool).is_some();
            let framing = if must { forced } else { auto };
            let built_in: usize = tools.items().map(built_in).sum();
            Cost { texts: text(&tools.compact()), framing: framing + built_in }
        }
        Rule::Functions { each } => {
            let mut formula = Formula { text, cost: Cost { texts: 0, framing: END } };
            tools.items().for_each(|tool| formula.tool(tool, each));
            formula.cost
        }
    }
}

/// The tokens of a tool that Anthropic defines itself, from the pages on these tools.
fn built_in(tool: Json<'_>) -> usize {
    let kind = tool.str_member("type").unwrap_or_default();
    let known = [("bash_20", 245), ("text_editor_20", 700), ("computer_20", 735)];
    known.iter().find(|(name, _)| kind.starts_with(name)).map_or(0, |(_, tokens)| *tokens)
}

/// The tokens behind the last function.
const END: usize = 12;

/// The tokens for having properties, and for each property.
const PROPERTIES: usize = 3;
const PROPERTY: usize = 3;

/// The tokens of each value of an enum; the list itself saves as many.
const ENUM_VALUE: usize = 3;

struct Formula<'f> {
    text: &'f dyn Fn(&str) -> usize,
    cost: Cost,
}

impl Formula<'_> {
    fn tool(&mut self, tool: Json<'_>, each: usize) {
        let function = tool.member("function").filter(|inner| inner.is_object()).unwrap_or(tool);
        let Some(name) = function.str_member("name") else {
            // A hosted tool: the provider knows its definition, we only its options.
            self.cost.texts += (self.text)(&tool.compact());
            return;
        };
        self.cost.framing += each;
        self.line(&[&name, &function.str_member("description").unwrap_or_default()]);
        if let Some(parameters) = function.member("parameters") {
            self.properties(parameters);
        }
    }

    /// Counts the properties of a schema and of the schemas inside it. Nesting is limited by the length of
    /// the text, and references are not followed.
    fn properties(&mut self, schema: Json<'_>) {
        let mut open = vec![schema];
        while let Some(schema) = open.pop() {
            let [properties, items] = schema.pick(["properties", "items"]);
            open.extend(items.filter(|items| items.is_object()));
            let mut members = properties.into_iter().flat_map(Json::members).peekable();
            if members.peek().is_some() {
                self.cost.framing += PROPERTIES;
            }
            for (name, property) in members {
                self.cost.framing += PROPERTY;
                let [kind, description, values] = property.pick(["type", "description", "enum"]);
                let said = |json: Option<Json<'_>>| {
                    json.and_then(Json::text).map(std::borrow::Cow::into_owned).unwrap_or_default()
                };
                for (at, value) in values.into_iter().flat_map(Json::items).enumerate() {
                    self.cost.framing += if at == 0 { 0 } else { ENUM_VALUE };
                    self.cost.texts += (self.text)(&value.text().unwrap_or_default());
                }
                self.line(&[&name.text(), &said(kind), &said(description)]);
                open.push(property);
            }
        }
    }

    /// Counts a line of the signature that the model sees, without its last full stop.
    fn line(&mut self, parts: &[&str]) {
        let joined = parts.join(":");
        self.cost.texts += (self.text)(joined.strip_suffix('.').unwrap_or(&joined));
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const WEATHER: &str = r#"[{"type":"function","function":{"name":"get_current_weather",
        "description":"Get the current weather in a given location","parameters":{"type":"object",
        "properties":{"location":{"type":"string","description":"The city and state, e.g. San Francisco, CA"},
        "unit":{"type":"string","description":"The unit of temperature to return","enum":["celsius","fahrenheit"]}},
        "required":["location"]}}}]"#;

    fn tokens(source: &str, encoding: Encoding, choice: Option<&str>, rule: Rule) -> usize {
        let tokenizer = encoding.tokenizer();
        let text = |text: &str| tokenizer.count(text);
        let cost = cost(Json::from_checked(source), choice.map(Json::from_checked), rule, &text);
        cost.texts + cost.framing
    }

    /// The cookbook's example has 101 tokens by the API for gpt-4o and 105 for gpt-4; of these, its two
    /// messages take 33 and 34.
    #[test]
    fn the_formula_gives_what_the_api_counts() {
        let new = Rule::Functions { each: 7 };
        assert_eq!(tokens(WEATHER, Encoding::O200kBase, None, new), 101 - 33);
        let old = Rule::Functions { each: 10 };
        assert_eq!(tokens(WEATHER, Encoding::Cl100kBase, None, old), 105 - 34);
    }

    #[test]
    fn layout_does_not_matter() {
        let source = WEATHER.replace([' ', '\n'], "");
        let spaced = source.replace(':', " : ");
        for rule in [Rule::Json, Rule::Functions { each: 7 }] {
            let count = |source| tokens(source, Encoding::O200kBase, None, rule);
            assert_eq!(count(&source), count(&spaced));
            assert_eq!(count(&source), count(&crate::json::quote(&source)));
        }
    }

    #[test]
    fn anthropic_adds_a_hidden_prompt() {
        let source = r#"[{"name":"f","input_schema":{"type":"object"}}]"#;
        let rule = Rule::Anthropic { auto: 496, forced: 588 };
        let plain = tokens(source, Encoding::O200kBase, None, Rule::Json);
        let auto = tokens(source, Encoding::O200kBase, Some(r#"{"type":"auto"}"#), rule);
        let any = tokens(source, Encoding::O200kBase, Some(r#"{"type":"any"}"#), rule);
        assert_eq!((auto - plain, any - plain), (496, 588));
        assert_eq!(tokens("[]", Encoding::O200kBase, None, rule), 0);
        let source = r#"[{"type":"bash_20250124","name":"bash"}]"#;
        let plain = tokens(source, Encoding::O200kBase, None, Rule::Json);
        assert_eq!(tokens(source, Encoding::O200kBase, None, rule) - plain, 496 + 245);
    }
}
