//! Names beside those of calls: of speakers, of documents, and of the tools that a request defines.

use std::borrow::Cow;
use std::collections::HashSet;

use crate::conversation::{Conversation, Kind, Part};
use crate::demands::bedrock::has_blocks;
use crate::dialect::Provider;
use crate::json::Json;
use crate::wire::Wire;

/// A name that the provider refuses.
pub(crate) struct StrangeName<'a> {
    pub(crate) message: usize,
    /// The index of the part that holds it; `None` for the name of the speaker.
    pub(crate) part: Option<usize>,
    pub(crate) name: Json<'a>,
    /// The name in a form that is read; empty if nothing of it is.
    pub(crate) good: String,
}

/// The names of speakers or documents that the provider refuses.
pub(crate) fn strange_names<'a>(
    conversation: &Conversation<'a>,
    provider: Provider,
    wire: Wire,
) -> Vec<StrangeName<'a>> {
    let mut found = Vec::new();
    if !wire.is_sent_as_it_is() {
        return found;
    }
    for (message, of) in conversation.messages.iter().enumerate().filter(|(_, it)| it.is_sent()) {
        let mut add = |part, name: Option<Json<'a>>, good: fn(&str) -> String| {
            let Some((name, text)) = name.and_then(|name| Some((name, name.text()?))) else {
                return;
            };
            let good = good(&text);
            if good != text || good.is_empty() {
                found.push(StrangeName { message, part, name, good });
            }
        };
        if provider == Provider::OpenAi {
            add(None, of.name, good_speaker);
        } else if has_blocks(conversation, provider) {
            for (index, part) in of.parts.iter().enumerate() {
                for document in documents(part) {
                    add(Some(index), document.member("name"), good_document);
                }
            }
        }
    }
    found
}

/// The documents in a block of Bedrock's: the block itself, or those in a result.
fn documents<'a>(part: &Part<'a>) -> impl Iterator<Item = Json<'a>> + use<'a> {
    let content = part.json.at("toolResult.content").filter(|_| part.kind == Kind::ToolResult);
    let items = content.into_iter().flat_map(Json::items);
    items.chain([part.json]).filter_map(|block| block.member("document"))
}

/// The name of a speaker as OpenAI reads it.
fn good_speaker(name: &str) -> String {
    let is_good = |c: char| !c.is_whitespace() && !"<|\\/>".contains(c);
    name.chars().map(|c| if is_good(c) { c } else { '-' }).collect()
}

/// The name of a document as Bedrock reads it: single spaces, and no marks but hyphens and brackets.
fn good_document(name: &str) -> String {
    let mut good = String::with_capacity(name.len());
    for c in name.chars() {
        let is_good = c.is_ascii_alphanumeric() || c.is_ascii_whitespace() || "-()[]".contains(c);
        let is_second =
            c.is_ascii_whitespace() && good.ends_with(|c: char| c.is_ascii_whitespace());
        if !is_second {
            good.push(if is_good { c } else { '-' });
        }
    }
    if good.is_empty() { "document".to_owned() } else { good }
}

/// A tool whose name an earlier one has.
pub(crate) struct RepeatedTool<'a> {
    /// The list that its definition stands in, and its index there.
    pub(crate) list: Json<'a>,
    pub(crate) index: usize,
    pub(crate) name: Cow<'a, str>,
}

/// The tools whose name, once it is as `named` gives it, an earlier one has.
pub(crate) fn repeated_tools<'a>(
    conversation: &Conversation<'a>,
    provider: Provider,
    wire: Wire,
    named: impl Fn(&str) -> String,
) -> Vec<RepeatedTool<'a>> {
    let tools = conversation.tools.filter(|tools| tools.is_array() && wire.is_sent_as_it_is());
    let lists = tools.into_iter().flat_map(|tools| -> Vec<Json<'a>> {
        if provider != Provider::Gemini {
            return vec![tools];
        }
        let declared =
            |tool: Json<'a>| tool.pick(["functionDeclarations", "function_declarations"]);
        tools.items().flat_map(declared).flatten().collect()
    });
    let mut seen = HashSet::new();
    let mut found = Vec::new();
    for list in lists {
        for (index, tool) in list.items().enumerate() {
            let Some(name) = tool.str_member("name") else { continue };
            if !seen.insert(named(&name)) {
                found.push(RepeatedTool { list, index, name });
            }
        }
    }
    found
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_keep_what_is_read() {
        assert_eq!(good_speaker("Ann Lee"), "Ann-Lee");
        assert_eq!(good_speaker("Zoë.1"), "Zoë.1");
        assert_eq!(good_document("a/b.pdf"), "a-b-pdf");
        assert_eq!(good_document("Report  (2) [x]"), "Report (2) [x]");
        assert_eq!(good_document(""), "document");
    }
}
