//! The providers' error messages, word for word, typos included.
//!
//! `A` is Anthropic, `O` OpenAI, `R` Responses, `G` Gemini, `B` Bedrock, `M` Mistral. Blanks in
//! braces are filled with positions (`n` the message, `m` the part), ids and names.

pub(super) const A1: &str = "messages.{n}: `tool_use` ids were found without `tool_result` blocks immediately after: {ids}. Each `tool_use` block must have a corresponding `tool_result` block in the next message.";
pub(super) const A1_SERVER: &str = "messages.{n}: `{name}` tool use with id `{id}` was found without a corresponding `{name}_tool_result` block";
pub(super) const A2: &str = "messages.{n}.content.{m}: unexpected `tool_use_id` found in `tool_result` blocks: {id}. Each `tool_result` block must have a corresponding `tool_use` block in the previous message.";
pub(super) const A2_SERVER: &str = "messages.{n}.content.{m}: unexpected `tool_use_id` found in `{type}` blocks: {id}. Each `{type}` block must have a corresponding `server_tool_use` block before it.";
pub(super) const A3: &str = "messages.{n}.content.{m}: each tool_use must have a single result. Found multiple `tool_result` blocks with id: {id}";
pub(super) const A4: &str = "messages.{n}.content.{m}: `tool_use` ids must be unique";
pub(super) const A5: &[&str] = &[
    "messages.{n}.content.{m}.tool_use.id: String should match pattern '^[a-zA-Z0-9_-]+$'",
    "messages.{n}.content.{m}.server_tool_use.id: String should match pattern '^srvtoolu_[a-zA-Z0-9_]+$'",
];
pub(super) const A6: &str = "messages.{n}.content.{m}.tool_result.tool_use_id: Field required";
pub(super) const A6_CALL: &str = "messages.{n}.content.{m}.tool_use.id: Field required";
pub(super) const A7: &str = "messages.{n}: Did not find {k} `tool_result` block(s) at the beginning of this message. Messages following `tool_use` blocks must begin with a matching number of `tool_result` blocks.";
pub(super) const A8: &[&str] = &[
    "messages.{n}: `tool_result` blocks can only be in `user` messages",
    "messages.{n}: `tool_use` blocks can only be in `assistant` messages",
    "messages.{n}: `thinking` blocks can only be in `assistant` messages",
];
pub(super) const A9: &str = "messages: first message must use the \"user\" role";
pub(super) const A10: &str = "messages: roles must alternate between \"user\" and \"assistant\", but found multiple \"{role}\" roles in a row";
pub(super) const A11: &[&str] = &[
    "This model does not support assistant message prefill. The conversation must end with a user message.",
    A11_SPACE,
];
pub(super) const A11_SPACE: &str =
    "messages: final assistant content cannot end with trailing whitespace";
pub(super) const A12: &[&str] = &[
    "messages: text content blocks must be non-empty",
    "messages: text content blocks must contain non-whitespace text",
    "system: text content blocks must be non-empty",
];
pub(super) const A13: &str = "messages.{n}: all messages must have non-empty content except for the optional final assistant message";
pub(super) const A14: &str = "messages: at least one message is required";
pub(super) const A15: &str = "messages: Unexpected role \"{role}\". The Messages API accepts a top-level `system` parameter, not \"system\" as an input message role.";
pub(super) const A15_OTHER: &str =
    "messages: Unexpected role \"{role}\". Allowed roles are \"user\" or \"assistant\"";
pub(super) const A16: &[&str] = &[
    "messages.{n}: The final block in an assistant message cannot be `thinking`.",
    "messages.{n}: If an assistant message contains any thinking blocks, the first block must be `thinking` or `redacted_thinking`. Found `{type}`.",
];
pub(super) const A17: &str = "messages.{n}.content.0.type: Expected `thinking` or `redacted_thinking`, but found `{type}`. When `thinking` is enabled, a final `assistant` message must start with a thinking block (preceeding the lastmost set of `tool_use` and `tool_result` blocks).";
pub(super) const A18: &[&str] = &[
    "messages.{n}.content.{m}: Invalid `signature` in `thinking` block",
    "messages.{n}.content.{m}: Invalid `data` in `redacted_thinking` block",
    "messages.{n}.content.{m}.thinking: each thinking block must contain thinking",
];
pub(super) const A19: &str =
    "messages.{n}.content.{m}.tool_result: content cannot be empty if `is_error` is true";
pub(super) const A20: &str =
    "messages.{n}.content.{m}.tool_use.input: Input should be a valid dictionary";
pub(super) const A21: &str =
    "messages.{n}.content.{m}.tool_use.name: String should match pattern '^[a-zA-Z0-9_-]{1,128}$'";
pub(super) const A22: &str =
    "messages.{n}: Too much media: 0 document pages + {count} images > {limit}";
pub(super) const A23: &[&str] = &[
    "messages.{n}.content: Input should be a valid list",
    "messages.{n}.content.{m}: Input should be an object",
    "messages.{n}.content.{m}.text.text: Input should be a valid string",
    "messages.{n}.content.{m}.tool_result.content: Input should be a valid list",
    "messages.{n}.role: Input should be 'user' or 'assistant'",
    "messages.{n}.role: Field required",
    "messages.{n}.content.{m}.text.text: Field required",
];
pub(super) const A24: &str = "The request body is not valid JSON: no low surrogate in string";
pub(super) const A25: &[&str] = &[
    "A maximum of 4 blocks with cache_control may be provided. Found {count}.",
    "messages.{n}.content.{m}.{type}.cache_control: Extra inputs are not permitted",
    "{block}.cache_control.ttl: a ttl='1h' cache_control block must not come after a ttl='5m' cache_control block. Note that blocks are processed in the following order: `tools`, `system`, `messages`.",
];
pub(super) const A26: &[&str] = &[
    "messages.{n}.content.{m}.image.source.base64.media_type: Input should be 'image/jpeg', 'image/png', 'image/gif' or 'image/webp'",
    "messages.{n}.content.{m}.image.source.base64.data: Image does not match the provided media type {type}",
    "messages.{n}.content.{m}.image.source.base64.media_type: Field required",
    "messages.{n}.content.{m}.document.source.base64.media_type: Input should be 'application/pdf'",
    "messages.{n}.content.{m}.document.source.base64.media_type: Field required",
    "messages.{n}.content.{m}.image.source.base64: invalid base64 data",
    "messages.{n}.content.{m}.document.source.base64: invalid base64 data",
];
pub(super) const A27: &str = "messages.{n}.content.{m}.type: Field required";
pub(super) const A28: &str = "messages.{n}.content.{m}: Input tag '{type}' found using 'type' does not match any of the expected tags";
pub(super) const A29: &str = "tools: Tool names must be unique.";
pub(super) const O1: &str = "An assistant message with 'tool_calls' must be followed by tool messages responding to each 'tool_call_id'. The following tool_call_ids did not have response messages: {ids}";
pub(super) const O2: &str = "Invalid parameter: messages with role 'tool' must be a response to a preceeding message with 'tool_calls'.";
pub(super) const O3: &[&str] = &[
    "Missing parameter 'tool_call_id': messages with role 'tool' must have a 'tool_call_id'.",
    "Missing required parameter: 'messages[{n}].tool_calls[{m}].id'.",
];
pub(super) const O4: &str = "Invalid value for 'content': expected a string, got null.";
pub(super) const O5: &str = "Invalid 'messages[{n}].{key}': empty array. Expected an array with minimum length 1, but got an empty array instead.";
pub(super) const O6: &str = "Invalid 'messages[{n}].tool_calls[{m}].id': string too long. Expected a string with maximum length 40, but got a string with length {length} instead.";
pub(super) const O7: &str = "Duplicate value for 'tool_call_id' of {id} in message[{n}]";
pub(super) const O8: &[&str] = &[
    "Invalid 'messages[{n}].tool_calls[{m}].function.name': string does not match pattern. Expected a string that matches the pattern '^[a-zA-Z0-9_-]+$'.",
    "Invalid 'messages[{n}].tool_calls[{m}].function.name': string too long. Expected a string with maximum length 64, but got a string with length {length} instead.",
];
pub(super) const O9: &str = "Invalid type for 'messages[{n}].tool_calls[{m}].function.arguments': expected a string, but got {type} instead.";
pub(super) const O10: &[&str] = &[
    "Invalid type for 'messages[{n}]': expected an object, but got {type} instead.",
    "Missing required parameter: 'messages[{n}].role'.",
];
pub(super) const O11: &[&str] = &[
    "Invalid type for 'messages[{n}].content': expected one of a string or array of objects, but got {type} instead.",
    "Invalid type for 'messages[{n}].content[{m}]': expected an object, but got {type} instead.",
    "Invalid type for 'messages[{n}].content[{m}].{key}': expected a string, but got {type} instead.",
    "Invalid type for 'messages[{n}].content': expected one of a string or array of objects, but got {type} instead.",
    "Invalid type for 'messages[{n}].role': expected a string, but got {type} instead.",
    "Missing required parameter: 'messages[{n}].role'.",
    "Missing required parameter: 'messages[{n}].content[{m}].{key}'.",
    "Invalid type for 'messages[{n}].content[{m}].image_url': expected an object, but got {type} instead.",
    "Invalid type for 'messages[{n}].tool_calls': expected an array of objects, but got {type} instead.",
    "Invalid type for 'messages[{n}].tool_calls[{m}]': expected an object, but got {type} instead.",
];
pub(super) const O12: &str = "Invalid 'messages': empty array. Expected an array with minimum length 1, but got an empty array instead.";
pub(super) const O13: &str = "Invalid 'messages[{n}]'. Image URLs are only allowed for messages with role 'user', but this message with role '{role}' contains an image URL.";
pub(super) const O14: &[&str] = &[
    "Missing required parameter: 'messages[{n}].tool_calls[{m}].type'.",
    "Invalid value: '{type}'. Supported values are: 'function' and 'custom'.",
    "Missing required parameter: 'messages[{n}].content[{m}].type'.",
];
pub(super) const O15: &str = "Invalid value: '{role}'. Supported values are: 'system', 'assistant', 'user', 'function', 'tool', and 'developer'.";
pub(super) const O16: &str = "Invalid value: '{type}'. Supported values are: 'text', 'image_url', 'input_audio', 'refusal', 'audio', and 'file'.";
pub(super) const O17: &str = "Invalid 'messages[{n}].name': string does not match pattern. Expected a string that matches the pattern '^[^\\s<|\\\\/>]+$'.";
pub(super) const R1: &str = "No tool output found for function call {id}.";
pub(super) const R2: &str = "No tool call found for function call output with call_id {id}.";
pub(super) const R3: &str =
    "Item '{item}' of type 'reasoning' was provided without its required following item.";
pub(super) const R4: &str =
    "Duplicate item found with id {id}. Remove duplicate items from your input and try again.";
pub(super) const R5: &str = "Missing required parameter: 'input[{n}].call_id'.";
pub(super) const R6: &[&str] = &[
    "Invalid 'input[{n}].name': string does not match pattern. Expected a string that matches the pattern '^[a-zA-Z0-9_-]+$'.",
    "Invalid 'input[{n}].name': string too long. Expected a string with maximum length 128, but got a string with length {length} instead.",
];
pub(super) const R7: &str =
    "Invalid type for 'input[{n}].arguments': expected a string, but got {type} instead.";
pub(super) const R8: &[&str] = &[
    "Invalid type for 'input[{n}].content': expected one of an array of objects or string, but got {type} instead.",
    "Invalid type for 'input[{n}].{list}[{m}]': expected an object, but got {type} instead.",
    "Invalid type for 'input[{n}].{list}[{m}].{key}': expected a string, but got {type} instead.",
    "Invalid type for 'input[{n}].output': expected one of an array of objects or string, but got {type} instead.",
    "Invalid type for 'input[{n}].role': expected a string, but got {type} instead.",
    "Missing required parameter: 'input[{n}].role'.",
    "Missing required parameter: 'input[{n}].{list}[{m}].{key}'.",
    "Invalid type for 'input[{n}].{list}[{m}].image_url': expected an image URL, but got {type} instead.",
    "Missing required parameter: 'input[{n}].summary'.",
];
pub(super) const R9: &[&str] = &[
    "Invalid value: 'input_text'. Supported values are: 'output_text' and 'refusal'.",
    "Missing required parameter: 'input[{n}].type'.",
    "Missing required parameter: 'input[{n}].content[{m}].type'.",
    R11,
    "Invalid value: 'output_text'. Supported values are: 'input_text', 'input_image', 'input_file', 'scoped_content', and 'input_audio'.",
    "Invalid value: 'output_text'. Supported values are: 'input_text', 'input_image', 'input_file', and 'scoped_content'.",
];
pub(super) const R10: &str = "Invalid value: '{role}'. Supported values are: 'assistant', 'system', 'developer', and 'user'.";
pub(super) const R11: &str = "Invalid value: '{type}'. Supported values are: 'input_text', 'input_image', 'input_audio', 'output_text', 'refusal', 'input_file', 'computer_screenshot', 'summary_text', and 'encrypted_content'.";
pub(super) const R12: &str = "Invalid 'input[{n}].call_id': string too long. Expected a string with maximum length 64, but got a string with length {length} instead.";
pub(super) const R13: &[&str] = &[
    "Invalid 'input[{n}].id': '{item}'. Expected an ID that begins with '{prefix}'.",
    "Invalid 'input[{n}].id': string too long. Expected a string with maximum length 64, but got a string with length {length} instead.",
    "Invalid 'input[{n}].id': '{item}'. Expected an ID that contains letters, numbers, underscores, or dashes, but this value contained additional characters.",
];
pub(super) const G1: &str = "Please ensure that function call turn comes immediately after a user turn or after a function response turn.";
pub(super) const G2: &str = "Please ensure that the number of function response parts is equal to the number of function call parts of the function call turn.";
pub(super) const G3: &str =
    "Please ensure that multiturn requests alternate between user and model.";
pub(super) const G5: &str = "Function call is missing a thought_signature in functionCall parts. This is required for tools to work correctly, and missing thought_signature may lead to degraded model performance.";
pub(super) const G6: &str = "* GenerateContentRequest.contents: contents is not specified";
pub(super) const G7: &str =
    "* GenerateContentRequest.contents[{n}].parts: contents.parts must not be empty.";
pub(super) const G8: &str = "Invalid value at 'contents[{n}].parts[{m}].function_call.args' (type.googleapis.com/google.protobuf.Struct)";
pub(super) const G9: &[&str] = &[
    "Invalid value at 'contents[{n}].parts' (type.googleapis.com/google.ai.generativelanguage.v1beta.Part)",
    "Invalid value at 'contents[{n}].parts[{m}]' (type.googleapis.com/google.ai.generativelanguage.v1beta.Part)",
    "Invalid value at 'contents[{n}].parts[{m}].text' (TYPE_STRING)",
    "Invalid value at 'contents[{n}].parts[{m}].function_response.response' (type.googleapis.com/google.protobuf.Struct)",
    "Invalid value at 'contents[{n}].role' (TYPE_STRING)",
    "* GenerateContentRequest.contents[{n}].parts[{m}].data: required oneof field 'data' must have one initialized field",
];
pub(super) const G10: &str = "Please use a valid role: user, model.";
pub(super) const G11: &[&str] = &[
    "* GenerateContentRequest.contents[{n}].parts[{m}].function_call.name: Name cannot be empty.",
    "* GenerateContentRequest.contents[{n}].parts[{m}].function_response.name: Name cannot be empty.",
];
pub(super) const G12: &str = "Invalid JSON payload received. Unknown name \"{type}\" at 'contents[{n}].parts[{m}]': Cannot find field.";
pub(super) const G13: &str = "Duplicate function declaration found: {name}";
pub(super) const B1: &str = "The number of toolResult blocks at messages.{n}.content exceeds the number of toolUse blocks of previous turn.";
pub(super) const B2: &str =
    "Expected toolResult blocks at messages.{next}.content for the following Ids: {ids}";
pub(super) const B3: &str = "A conversation must start with a user message. Try again with a conversation that starts with a user message.";
pub(super) const B4: &str = "A conversation must alternate between user and assistant roles. Make sure the conversation alternates between user and assistant roles and try again.";
pub(super) const B5: &str = "The text field in the ContentBlock object at messages.{n}.content.{m} is blank. Add text to the text field, and try again.";
pub(super) const B5_WHOLE: &str = "The content field in the Message object at messages.{n} is empty. Add a ContentBlock object to the content field and try again.";
pub(super) const B6: &str =
    "The toolConfig field must be defined when using toolUse and toolResult content blocks.";
pub(super) const B7: &str = "Value '{name}' at 'messages.{n}.member.content.{m}.member.toolUse.name' failed to satisfy constraint: Member must satisfy regular expression pattern: [a-zA-Z0-9_-]+";
pub(super) const B8: &str = "Value '{id}' at 'messages.{n}.member.content.{m}.member.toolUse.toolUseId' failed to satisfy constraint: Member must satisfy regular expression pattern: [a-zA-Z0-9_-]+";
pub(super) const B9: &str =
    "Conversation blocks and tool result blocks cannot be provided in the same turn.";
pub(super) const B10: &str = "User messages cannot contain reasoning content";
pub(super) const B11: &str = "The model returned the following errors: messages.{n}.content.{m}: `tool_use` ids must be unique";
pub(super) const B12: &[&str] = &[
    "Missing required parameter in messages[{n}].content[{m}].toolResult: \"toolUseId\"",
    "Missing required parameter in messages[{n}].content[{m}].toolUse: \"toolUseId\"",
];
pub(super) const B13: &[&str] = &[
    "Parameter validation failed: Invalid type for parameter messages[{n}].content[{m}]",
    "The format of the value at messages.{n}.content.{m}.json is invalid. Provide a json object for the field and try again.",
    "Parameter validation failed: Missing required parameter in messages[{n}].content[{m}].toolResult: \"content\"",
    "Parameter validation failed: Must set one of the following keys for tagged unionstructure messages[{n}].content[{m}]: text, image, document, video, audio, toolUse, toolResult, guardContent, cachePoint, reasoningContent, citationsContent, searchResult.",
];
pub(super) const B14: &str = "The format of the value at messages.{n}.content.{m}.toolUse.input is invalid. Provide a json object for the field and try again.";
pub(super) const B15: &str = "The content field at messages.{n}.content.{m}.toolResult cannot be empty when status value is error.";
pub(super) const B16: &str = "Value '{role}' at 'messages.{n}.member.role' failed to satisfy constraint: Member must satisfy enum value set: [user, assistant]";
pub(super) const B17: &str = "The model returned the following errors: This model does not support assistant message prefill. The conversation must end with a user message.";
pub(super) const B18: &[&str] = &[
    "Parameter validation failed: Invalid number of parameters set for tagged union structure messages[{n}].content[{m}]. Can only set one of the following keys: text, image, document, video, audio, toolUse, toolResult, guardContent, cachePoint, reasoningContent, citationsContent, searchResult.",
    "Parameter validation failed: Unknown parameter in messages[{n}].content[{m}]: \"{member}\", must be one of: text, image, document, video, audio, toolUse, toolResult, guardContent, cachePoint, reasoningContent, citationsContent, searchResult",
    "Value '{status}' at 'messages.{n}.member.content.{m}.member.toolResult.status' failed to satisfy constraint: Member must satisfy enum value set: [success, error]",
];
pub(super) const B19: &str =
    "A text block must be included when using documents. Add a text block and retry your request.";
pub(super) const B20: &str = "1 validation error detected: Value at 'toolConfig.tools' failed to satisfy constraint: Member must have length greater than or equal to 1";
pub(super) const B21: &[&str] = &[
    "The model returned the following errors: A maximum of 4 blocks with cache_control may be provided. Found {count}.",
    "Cache point cannot be inserted after reasoning block. Please remove the invalid cache point and try again.",
];
pub(super) const B22: &str = "The document file name can only contain alphanumeric characters, whitespace characters, hyphens, parentheses, and square brackets. The name can't contain more than one consecutive whitespace character. Edit the file name and try again.";
pub(super) const M1: &str = "Not the same number of function calls and responses";
pub(super) const M2: &str = "Unexpected role '{role}' after role '{before}'";
pub(super) const M3: &str = "Conversation must start with a user message or system message";
pub(super) const M4: &str =
    "Expected last role User or Tool (or Assistant with prefix) for serving but got assistant";
pub(super) const M5: &str = "Tool call id was {id} but must be a-z, A-Z, 0-9, with a length of 9.";
pub(super) const M6: &str = "Duplicate tool call id {id} in assistant message";
pub(super) const M7: &str = "Conversation must have at least one message";
pub(super) const M8: &str =
    "Assistant message must have either content or tool_calls, but not both.";
pub(super) const M9: &str = "Function name was {name} but must be a-z, A-Z, 0-9, or contain underscores and dashes, with a maximum length of 64.";
pub(super) const M10: &str = "Tool call id has to be defined.";
pub(super) const M11: &[&str] = &["Input should be a valid string", "Field required"];
pub(super) const M12: &str = "Input should be a valid string";
