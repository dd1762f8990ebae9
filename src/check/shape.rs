//! Whether a file has the shape of the requests that a provider reads.
//!
//! Responsible for a file that is checked for another provider than that of its dialect. Its messages are judged as
//! if they were converted on the way; as they stand they would be refused. Session logs and data sets are never
//! sent as they stand, so that nothing is refused there. Relies on the signs by which dialects are recognised.

use super::OwnRule;
use crate::conversation::{Conversation, List};
use crate::dialect::{DIALECTS, Dialect, Provider, Sign};
use crate::json::{Json, Object};

/// The file has the shape of another provider's requests.
pub const SHAPE: OwnRule = OwnRule {
    name: "shape",
    holds: "a list or a request that is checked --for a provider is written as that provider reads it",
    repair: "convert it, or check it --portable",
};

/// The first value that a provider does not read as it is written, or the request around it.
pub fn misshapen<'a>(conversation: &Conversation<'a>, provider: Provider) -> Option<Json<'a>> {
    let own = conversation.dialect;
    let is_read = |reader: &dyn Dialect| {
        reads(provider, reader.provider())
            || (invokes_claude(conversation, provider) && reader.provider() == Provider::Anthropic)
    };
    let readers = DIALECTS.iter().filter(|it| it.is_wire() && is_read(**it));
    if !own.is_wire() || readers.clone().any(|reader| reader.name() == own.name()) {
        return None;
    }
    let mut complaints = readers.map(|reader| strange(conversation, *reader));
    let first = complaints.next()??;
    complaints.all(|complaint| complaint.is_some()).then_some(first)
}

/// Whether a provider reads requests made for the provider `made_for`.
fn reads(provider: Provider, made_for: Provider) -> bool {
    provider == made_for || (provider, made_for) == (Provider::Mistral, Provider::OpenAi)
}

/// Whether a request says that it invokes Claude at Bedrock, which reads Anthropic's shape then.
fn invokes_claude(conversation: &Conversation<'_>, provider: Provider) -> bool {
    let request = conversation.source.request();
    let version = request.and_then(|request| request.str_member("anthropic_version"));
    provider == Provider::Bedrock && version.is_some_and(|version| version.starts_with("bedrock"))
}

/// What speaks against a conversation being of the dialect `reader`, which is not its own.
fn strange<'a>(conversation: &Conversation<'a>, reader: &dyn Dialect) -> Option<Json<'a>> {
    let (own, source) = (conversation.dialect, &conversation.source);
    if let (Some(root), Some(List::Array(list))) = (&source.root, source.lists.first()) {
        let holds = |path: &&'static str| root.at(path).is_some_and(|held| held.is(*list));
        if own.root_sign(root) >= Sign::Typical || !reader.facts().holders.iter().any(holds) {
            return Some(root.json());
        }
    }
    let units = source.units.iter().filter(|unit| unit.list == 0).map(|unit| unit.json);
    units.filter(|unit| unit.is_object()).find(|unit| {
        let object = Object::of(*unit);
        let sign = reader.sign(&object);
        sign == Sign::None
            || (!is_plain(*unit) && own.sign(&object) > sign)
            || (reader.provider() == Provider::Responses && !is_plain(*unit) && !is_item(*unit))
    })
}

/// Whether a message is a text that every dialect with such a role reads.
fn is_plain(unit: Json<'_>) -> bool {
    let [role, content, calls, call, answered] =
        unit.pick(["role", "content", "tool_calls", "function_call", "tool_call_id"]);
    let is_tools = role.is_some_and(|role| role.says("tool") || role.says("function"));
    content.is_some_and(Json::is_string) && calls.or(call).or(answered).is_none() && !is_tools
}

/// Whether a value is an item of Responses: parts say there which side wrote them.
fn is_item(unit: Json<'_>) -> bool {
    let [kind, role, content] = unit.pick(["type", "role", "content"]);
    let of_a_side = |part: Json<'_>| {
        let kind = part.str_member("type").unwrap_or_default();
        kind.starts_with("input_") || kind.starts_with("output_") || kind == "refusal"
    };
    let is_message = role.is_some() && content.is_some_and(Json::is_array);
    is_message && content.into_iter().flat_map(Json::items).all(of_a_side)
        || (kind.is_some() && role.is_none())
}
