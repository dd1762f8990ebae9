//! How agents let a model write its calls.
//!
//! Responsible for finding a call in a text and for its arguments, as JSON. A model may speak of a notation: a call
//! stands at the beginning of a line, and mostly its answer names the tool.

use std::ops::Range;

use crate::json::{Json, quote};

/// A call in a text.
pub(super) struct Written {
    /// Where it stands.
    pub(super) span: Range<usize>,
    pub(super) tool: String,
    /// An object of JSON.
    pub(super) arguments: String,
}

/// A function with its parameters in tags.
struct Tags {
    open: &'static str,
    close: &'static str,
    parameter: &'static str,
    /// What stands behind the name of the function and of a parameter.
    named: &'static str,
}

const PARAMETER_END: &str = "</parameter>";

/// Of OpenHands and Qwen, and of Claude.
const FUNCTIONS: [Tags; 2] = [
    Tags { open: "<function=", close: "</function>", parameter: "<parameter=", named: ">" },
    Tags {
        open: "<invoke name=\"",
        close: "</invoke>",
        parameter: "<parameter name=\"",
        named: "\">",
    },
];

/// What Hermes writes around an object that is a call.
const OBJECT: [&str; 2] = ["<tool_call>", "</tool_call>"];

/// What stands around functions, which says nothing.
const AROUND: &[&str] = &["<tool_call>", "</tool_call>", "<function_calls>", "</function_calls>"];

/// The elements of `CodeAct` that hold a program, with the name of the argument that it is.
const PROGRAMS: [[&str; 2]; 2] = [["execute_bash", "command"], ["execute_ipython", "code"]];

/// What stands before an action and before what it is given; a model may go on with what it expects to see.
const ACTION: [&str; 2] = ["Action:", "\nAction Input:"];
const OBSERVED: &str = "\nObservation:";

/// What opens and closes a block, and how the languages of blocks end that a shell reads; mostly none is named.
const FENCE: &str = "```";
const SHELLS: &[&str] = &["", "sh", "shell", "console", "bash_command"];

/// What the tool of a block is called.
const SHELL: &str = "shell";

/// The calls of a text, in order; `tool` is the one that the answer names, and `is_shells` says that it may be a
/// shell's.
pub(super) fn calls_in(text: &str, tool: Option<&str>, is_shells: bool) -> Vec<Written> {
    let mut found: Vec<Written> = FUNCTIONS.iter().flat_map(|tags| functions(text, tags)).collect();
    if found.is_empty() {
        found = objects(text);
    }
    if found.is_empty() {
        let mut names = tool.into_iter().chain(PROGRAMS.iter().map(|[name, _]| *name));
        found.extend(names.find_map(|name| element(text, name)));
    }
    if found.is_empty() && is_shells {
        found.extend(action(text).or_else(|| block(text)));
    }
    found
}

fn functions(text: &str, tags: &Tags) -> Vec<Written> {
    let mut found = Vec::new();
    let mut from = 0;
    while let Some(start) = at_line(text, tags.open, from) {
        let inner = start + tags.open.len();
        // The stop may cut the end off.
        let (end, next) = match text[inner..].find(tags.close) {
            Some(end) => (inner + end, inner + end + tags.close.len()),
            None => (text.len(), text.len()),
        };
        from = next;
        let Some((tool, rest)) = text[inner..end].split_once(tags.named) else { continue };
        let parameters = rest.split(tags.parameter).skip(1).filter_map(|parameter| {
            let (name, value) = parameter.split_once(tags.named)?;
            let value = value.rsplit_once(PARAMETER_END).map_or(value, |(value, _)| value);
            Some((name.to_owned(), value_of(value)))
        });
        let arguments = object(parameters);
        let span = with_tags_around(text, start..next);
        found.push(Written { span, tool: tool.trim().to_owned(), arguments });
    }
    found
}

/// A span and the tags around it that say nothing.
fn with_tags_around(text: &str, span: Range<usize>) -> Range<usize> {
    let (mut start, mut end) = (span.start, span.end);
    let before = text[..start].trim_end();
    if let Some(tag) = AROUND.iter().find(|tag| before.ends_with(**tag)) {
        start = before.len() - tag.len();
    }
    let behind = text[end..].trim_start();
    if let Some(tag) = AROUND.iter().find(|tag| behind.starts_with(**tag)) {
        end = text.len() - behind.len() + tag.len();
    }
    start..end
}

fn objects(text: &str) -> Vec<Written> {
    let mut found = Vec::new();
    let mut from = 0;
    while let Some(start) = at_line(text, OBJECT[0], from) {
        let inner = start + OBJECT[0].len();
        let (end, next) = match text[inner..].find(OBJECT[1]) {
            Some(end) => (inner + end, inner + end + OBJECT[1].len()),
            None => (text.len(), text.len()),
        };
        from = next;
        let Some(call) = Json::parse(text[inner..end].trim()) else { continue };
        let Some(tool) = call.str_member("name") else { continue };
        let arguments = ["arguments", "parameters"].iter().find_map(|key| call.member(key));
        let arguments = arguments.filter(|it| it.is_object());
        let arguments = arguments.map_or("{}", Json::source).to_owned();
        found.push(Written { span: start..next, tool: tool.into_owned(), arguments });
    }
    found
}

/// Whether a text has an element of this name where a call stands.
pub(super) fn has_element(text: &str, name: &str) -> bool {
    at_line(text, &format!("<{name}>"), 0).is_some()
}

/// A call that is an element of the tool's name, its arguments elements in it: of Cline and those made like it.
fn element(text: &str, name: &str) -> Option<Written> {
    let (open, close) = (format!("<{name}>"), format!("</{name}>"));
    let start = at_line(text, &open, 0)?;
    let inner = start + open.len();
    let (end, next) = match text[inner..].rfind(&close) {
        Some(end) => (inner + end, inner + end + close.len()),
        None => (text.len(), text.len()),
    };
    let inner = &text[inner..end];
    let program = PROGRAMS.iter().find(|[program, _]| *program == name);
    let mut arguments = match program {
        Some([_, argument]) => vec![((*argument).to_owned(), value_of(inner))],
        None => children(inner),
    };
    let mut tool = name.to_owned();
    // What a tool of a server is given stands in the call of another.
    let value = |key: &str| {
        let value = arguments.iter().find(|(name, _)| name == key)?;
        Json::parse(&value.1)?.text().map(|text| text.into_owned())
    };
    if let (Some(server), Some(own)) = (value("server_name"), value("tool_name")) {
        let given =
            value("arguments").filter(|text| Json::parse(text).is_some_and(Json::is_object));
        tool = format!("mcp__{server}__{own}");
        let arguments = given.unwrap_or_else(|| object(arguments.clone()));
        return Some(Written { span: start..next, tool, arguments });
    }
    add_offers(&mut arguments);
    Some(Written { span: start..next, tool, arguments: object(arguments) })
}

/// The elements that a text consists of, with what they hold as JSON.
fn children(text: &str) -> Vec<(String, String)> {
    /// Arguments that may hold their own end: the last one counts.
    const WHOLE: &[&str] = &["content", "diff", "result", "response"];
    let mut found: Vec<(String, String)> = Vec::new();
    let mut files = Vec::new();
    let mut rest = text;
    while let Some(name) = opened(rest) {
        let inner = &rest[rest.find('>').map_or(rest.len(), |end| end + 1)..];
        let close = format!("</{name}>");
        let end = if WHOLE.contains(&name) { inner.rfind(&close) } else { inner.find(&close) };
        let (value, behind) = match end {
            Some(end) => (&inner[..end], &inner[end + close.len()..]),
            None => (inner, ""),
        };
        match name {
            // Roo's: elements in elements.
            "args" => found.extend(children(value)),
            "file" => files.push(object(children(value))),
            _ => found.push((name.to_owned(), value_of(value))),
        }
        rest = behind;
    }
    if !files.is_empty() {
        found.push(("files".to_owned(), format!("[{}]", files.join(","))));
    }
    found
}

/// The name of the element that a text begins with, white space apart.
fn opened(text: &str) -> Option<&str> {
    let name = text.trim_start().strip_prefix('<')?.split_once('>')?.0;
    let is_name = |c: char| c.is_ascii_alphanumeric() || c == '_';
    (!name.is_empty() && name.chars().all(is_name)).then_some(name)
}

/// What the model lets the user choose between, behind its question.
fn add_offers(arguments: &mut [(String, String)]) {
    let text = |key: &str| {
        let value = arguments.iter().find(|(name, _)| name == key)?;
        Some(Json::parse(&value.1)?.text()?.into_owned())
    };
    let Some(asked) = text("question") else { return };
    let listed = text("options").unwrap_or_default();
    let listed = Json::parse(&listed).into_iter().flat_map(Json::items);
    let mut offers: Vec<String> = listed.filter_map(Json::text).map(Into::into).collect();
    let suggested = text("follow_up").unwrap_or_default();
    let suggested = suggested
        .split("</suggest>")
        .filter_map(|one| Some(one.split_once("<suggest")?.1.split_once('>')?.1.trim().to_owned()));
    offers.extend(suggested);
    let whole = offers.iter().fold(asked, |whole, offer| format!("{whole}\n- {offer}"));
    if let Some((_, value)) = arguments.iter_mut().find(|(name, _)| name == "question") {
        *value = quote(&whole);
    }
}

/// The action at the end of a text, and what it is given: of `ReAct`.
fn action(text: &str) -> Option<Written> {
    let start = text.rfind(ACTION[0]).filter(|at| *at == 0 || text[..*at].ends_with('\n'))?;
    let (tool, given) = text[start + ACTION[0].len()..].split_once(ACTION[1])?;
    let given = given.split(OBSERVED).next().unwrap_or(given).trim();
    let arguments = match Json::parse(given).filter(|json| json.is_object()) {
        Some(_) => given.to_owned(),
        None => object([(argument_of(tool).to_owned(), quote(given))]),
    };
    let tool = Some(tool.trim()).filter(|tool| !tool.contains(char::is_whitespace))?;
    Some(Written { span: start..text.len(), tool: tool.to_owned(), arguments })
}

/// What a tool is given that has one argument without a name.
fn argument_of(tool: &str) -> &'static str {
    let tool = tool.to_ascii_lowercase();
    let says = |words: &[&str]| words.iter().any(|word| tool.contains(word));
    if says(&["bash", "shell", "terminal"]) {
        "command"
    } else if says(&["python"]) {
        "code"
    } else if says(&["search", "query", "lookup"]) {
        "query"
    } else {
        "input"
    }
}

/// The last fenced block of a text, if a shell reads it: what a model runs stands at the end.
fn block(text: &str) -> Option<Written> {
    let end = text.rfind(FENCE)?;
    let start = text[..end].rfind(FENCE)?;
    let (language, command) = text[start + FENCE.len()..end].split_once('\n')?;
    let is_shell = SHELLS.iter().any(|shell| match *shell {
        "" => language.trim().is_empty(),
        shell => language.trim().ends_with(shell),
    });
    let arguments = object([("command".to_owned(), quote(command.trim()))]);
    let is_command = is_shell && !command.trim().is_empty();
    let span = start..end + FENCE.len();
    is_command.then(|| Written { span, tool: SHELL.to_owned(), arguments })
}

/// Where something stands at the beginning of a line, from a place on.
fn at_line(text: &str, what: &str, from: usize) -> Option<usize> {
    let begins = |at: &usize| {
        let line = text[..*at].rsplit('\n').next().unwrap_or_default();
        // What stands around functions may stand on their line.
        let line = AROUND.iter().fold(line, |line, tag| line.trim().trim_end_matches(tag));
        line.is_empty() && !is_fenced(&text[..*at])
    };
    text[from..].match_indices(what).map(|(at, _)| from + at).find(begins)
}

/// Whether a fenced block is open behind a text: what stands in it is an example.
fn is_fenced(text: &str) -> bool {
    text.lines().filter(|line| line.starts_with(FENCE)).count() % 2 == 1
}

/// A value as JSON: without the line breaks around it, or all white space where it is one line.
fn value_of(text: &str) -> String {
    let text = text.strip_prefix("\r\n").or(text.strip_prefix('\n')).unwrap_or(text);
    let text = text.trim_end_matches(' ');
    let text = text.strip_suffix('\n').map_or(text, |text| text.trim_end_matches('\r'));
    quote(if text.contains('\n') { text } else { text.trim() })
}

/// An object of members whose values are JSON.
fn object(members: impl IntoIterator<Item = (String, String)>) -> String {
    let members = members.into_iter().map(|(name, value)| format!("{}:{value}", quote(&name)));
    format!("{{{}}}", members.collect::<Vec<_>>().join(","))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(text: &str, tool: &str) -> Vec<String> {
        let calls = calls_in(text, Some(tool).filter(|tool| !tool.is_empty()), tool.is_empty());
        let told = |call: &Written| {
            format!("{} {} @{}", call.tool, call.arguments, &text[..call.span.start])
        };
        calls.iter().map(told).collect()
    }

    #[test]
    fn every_notation_is_read() {
        for (text, tool, wanted) in [
            (
                "I read.\n<read_file>\n<path>src/a.rs</path>\n</read_file>",
                "read_file",
                "read_file {\"path\":\"src/a.rs\"} @I read.\n",
            ),
            (
                "<write_to_file>\n<path>a.md</path>\n<content>\nThe end is </content>.\n</content>\n</write_to_file>",
                "write_to_file",
                "write_to_file {\"path\":\"a.md\",\"content\":\"The end is </content>.\"} @",
            ),
            (
                "<read_file><args><file><path>a</path></file><file><path>b</path></file></args></read_file>",
                "read_file",
                "read_file {\"files\":[{\"path\":\"a\"},{\"path\":\"b\"}]} @",
            ),
            (
                "<use_mcp_tool>\n<server_name>db</server_name>\n<tool_name>query</tool_name>\n<arguments>\n{\"sql\":\"1\"}\n</arguments>\n</use_mcp_tool>",
                "use_mcp_tool",
                "mcp__db__query {\"sql\":\"1\"} @",
            ),
            (
                "So:\n<tool_call>\n<function=bash>\n<parameter=command>\nls\n</parameter>\n</function>\n</tool_call>",
                "",
                "bash {\"command\":\"ls\"} @So:\n",
            ),
            (
                "<function_calls>\n<invoke name=\"f\">\n<parameter name=\"a\">b</parameter>\n</invoke>\n</function_calls>",
                "",
                "f {\"a\":\"b\"} @",
            ),
            (
                "<tool_call>{\"name\": \"f\", \"arguments\": {\"a\": 1}}</tool_call>",
                "",
                "f {\"a\": 1} @",
            ),
            ("Now <execute_bash>\nmake\n</execute_bash>", "", ""),
            (
                "Now\n<execute_bash>\nmake\n</execute_bash>",
                "",
                "execute_bash {\"command\":\"make\"} @Now\n",
            ),
            (
                "I saw\n```\nls\n```\nbefore. Now:\n```mswea_bash_command\nmake -j2\n```\n",
                "",
                "shell {\"command\":\"make -j2\"} @I saw\n```\nls\n```\nbefore. Now:\n",
            ),
            (
                "Thought: look.\nAction: search\nAction Input: rust\nObservation: 1",
                "",
                "search {\"query\":\"rust\"} @Thought: look.\n",
            ),
            ("Action: none", "", ""),
            ("Done.", "", ""),
            ("```\n", "", ""),
            ("```python\nprint(1)\n```", "", ""),
            ("```bash\n\n```", "", ""),
            ("The tag <read_file> reads.", "read_file", ""),
        ] {
            assert_eq!(read(text, tool).join("; "), wanted, "{text}");
        }
    }

    #[test]
    fn offers_stand_behind_their_question() {
        let asked = "<ask_followup_question>\n<question>Where?</question>\n<follow_up>\n<suggest>here</suggest>\n\
                     <suggest mode=\"code\">there</suggest>\n</follow_up>\n</ask_followup_question>";
        let read = read(asked, "ask_followup_question").join("");
        assert!(read.contains(r#""question":"Where?\n- here\n- there""#), "{read}");
    }
}
