//! The notations in which agents let a model write its calls.
//!
//! Responsible for finding the calls in a text. A model may just mention a notation: a call stands at the
//! beginning of a line and outside fenced blocks, in a notation and of a tool that the caller expects.
//! Invariant: the spans of calls ascend and do not overlap, and the text is read once, from beginning to end.

mod element;

use std::ops::Range;

use crate::json::{Json, quote};

use element::element;
pub(super) use element::lone_element;

/// A call in a text.
#[derive(Debug)]
pub(super) struct Written {
    /// Where the call stands in the text.
    pub(super) span: Range<usize>,
    pub(super) notation: Notation,
    pub(super) tool: String,
    /// The arguments, as a JSON object.
    pub(super) arguments: String,
}

/// The notation of a call.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Notation {
    /// A function with its parameters in tags: of OpenHands and Qwen, and (`Invocation`) of Claude.
    Function,
    Invocation,
    /// A JSON object between tags: of Hermes.
    Object,
    /// An element named after the tool, with its arguments as inner elements: of Cline and its derivatives.
    Element,
    /// An element that holds a program: of `CodeAct`.
    Program,
    /// A line that names the tool, and one with its input: of `ReAct`.
    Action,
    /// A fenced block for a shell: of SWE-agent.
    Block,
}

/// The tags of a function and its parameters.
struct Tags {
    open: &'static str,
    close: &'static str,
    parameter: &'static str,
    /// The text behind the name of the function or of a parameter.
    named: &'static str,
}

const FUNCTION: Tags =
    Tags { open: "<function=", close: "</function>", parameter: "<parameter=", named: ">" };
const INVOCATION: Tags = Tags {
    open: "<invoke name=\"",
    close: "</invoke>",
    parameter: "<parameter name=\"",
    named: "\">",
};
const PARAMETER_END: &str = "</parameter>";

/// The tags around a JSON object that is a call.
const OBJECT: [&str; 2] = ["<tool_call>", "</tool_call>"];

/// Tags around calls that mean nothing by themselves.
const OPENERS: [&str; 2] = [OBJECT[0], "<function_calls>"];
const CLOSERS: [&str; 2] = [OBJECT[1], "</function_calls>"];

/// The elements that hold a program, with the name of the argument that the program is.
const PROGRAMS: [[&str; 2]; 2] = [["execute_bash", "command"], ["execute_ipython", "code"]];

/// The words before an action and before its input; a model may go on with the output that it expects.
const ACTION: [&str; 2] = ["Action:", "\nAction Input:"];
const OBSERVED: &str = "\nObservation:";

/// The mark that opens and closes a block, and the ends of the names of languages that a shell reads; mostly
/// no language is named.
const FENCE: &str = "```";
const SHELLS: &[&str] = &["", "sh", "shell", "console", "bash_command"];

/// The name of the tool that a block calls.
const SHELL: &str = "shell";

/// The calls in tags that `is_wanted` accepts, by their notation and, for elements, their name.
pub(super) fn tagged(text: &str, is_wanted: impl Fn(Notation, &str) -> bool) -> Vec<Written> {
    let mut found = Vec::new();
    let (mut at, mut is_fenced) = (0, false);
    let last_object = text.rfind(OBJECT[1]).unwrap_or(0);
    // The beginning of the tags around the next call.
    let mut around: Option<usize> = None;
    while at < text.len() {
        let line = text[at..].trim_start_matches([' ', '\t']);
        let start = text.len() - line.len();
        if line.starts_with(FENCE) {
            is_fenced = !is_fenced;
        } else if line.starts_with('<') && !is_fenced {
            if let Some(mut call) = call_at(text, start, last_object, &is_wanted) {
                at = behind_closers(text, call.span.end);
                call.span = around.take().unwrap_or(start)..at;
                found.push(call);
                continue;
            }
            let mut tags = OPENERS.iter().chain(&CLOSERS).filter(|tag| line.starts_with(**tag));
            if let Some(tag) = tags.next() {
                if OPENERS.contains(tag) {
                    around.get_or_insert(start);
                }
                at = start + tag.len();
                continue;
            }
        }
        let line = line.split_inclusive('\n').next().unwrap_or_default();
        if !line.trim().is_empty() {
            around = None;
        }
        at = start + line.len();
    }
    found
}

/// The call that begins at `start`, if a wanted one does.
fn call_at(
    text: &str,
    start: usize,
    last_object: usize,
    is_wanted: &impl Fn(Notation, &str) -> bool,
) -> Option<Written> {
    let rest = &text[start..];
    // Test before reading: an unwanted call might be read to the end of the text.
    let is_wanted_so = |notation| is_wanted(notation, "");
    let call = if rest.starts_with(FUNCTION.open) {
        is_wanted_so(Notation::Function)
            .then(|| function(rest, Notation::Function, &FUNCTION))??
    } else if rest.starts_with(INVOCATION.open) {
        let notation = Notation::Invocation;
        is_wanted_so(notation).then(|| function(rest, notation, &INVOCATION))??
    } else if rest.starts_with(OBJECT[0]) {
        let is_closed = start < last_object;
        is_wanted_so(Notation::Object).then(|| object_of(rest, is_closed))??
    } else {
        let tool = element::opened(rest)?;
        if let Some([_, argument]) = PROGRAMS.iter().find(|[program, _]| *program == tool) {
            is_wanted_so(Notation::Program).then_some(())?;
            let (inner, end) = element::within(rest, tool);
            let arguments = object([(*argument, quote(element::value_of(inner)))]);
            let notation = Notation::Program;
            Written { span: 0..end, notation, tool: tool.to_owned(), arguments }
        } else {
            is_wanted(Notation::Element, tool).then(|| element(rest, tool))?
        }
    };
    Some(Written { span: start..start + call.span.end, ..call })
}

/// The function that a text begins with.
fn function(text: &str, notation: Notation, tags: &Tags) -> Option<Written> {
    let inner = &text[tags.open.len()..];
    // The end tag may be missing, as the model's stop sequence may cut it off.
    let (inner, end) = match inner.split_once(tags.close) {
        Some((inner, behind)) => (inner, text.len() - behind.len()),
        None => (inner, text.len()),
    };
    let (tool, rest) = inner.split_once(tags.named)?;
    let parameters = rest.split(tags.parameter).skip(1).filter_map(|parameter| {
        let (name, value) = parameter.split_once(tags.named)?;
        let value = value.rsplit_once(PARAMETER_END).map_or(value, |(value, _)| value);
        Some((name, quote(element::value_of(value))))
    });
    let arguments = object(parameters);
    Some(Written { span: 0..end, notation, tool: tool.trim().to_owned(), arguments })
}

/// The JSON object between tags that a text begins with.
fn object_of(text: &str, is_closed: bool) -> Option<Written> {
    let inner = &text[OBJECT[0].len()..];
    // Calls in other notations may stand between the same tags.
    if !inner.trim_start().starts_with('{') {
        return None;
    }
    let (inner, end) = match is_closed.then(|| inner.split_once(OBJECT[1])).flatten() {
        Some((inner, behind)) => (inner, text.len() - behind.len()),
        None => (inner, text.len()),
    };
    let call = Json::parse(inner.trim())?;
    let tool = call.str_member("name")?.into_owned();
    let arguments = ["arguments", "parameters"].iter().find_map(|key| call.member(key));
    let arguments = arguments.filter(|it| it.is_object()).map_or("{}", Json::source).to_owned();
    Some(Written { span: 0..end, notation: Notation::Object, tool, arguments })
}

/// The offset behind the tags that close those around calls.
fn behind_closers(text: &str, mut end: usize) -> usize {
    loop {
        let behind = text[end..].trim_start();
        let Some(closer) = CLOSERS.iter().find(|tag| behind.starts_with(**tag)) else { return end };
        end = text.len() - behind.len() + closer.len();
    }
}

/// The action at the end of a text, with its input.
pub(super) fn action(text: &str) -> Option<Written> {
    let start = text.rfind(ACTION[0]).filter(|at| *at == 0 || text[..*at].ends_with('\n'))?;
    let (tool, given) = text[start + ACTION[0].len()..].split_once(ACTION[1])?;
    let tool = Some(tool.trim()).filter(|tool| !tool.contains(char::is_whitespace))?;
    let given = given.split(OBSERVED).next().unwrap_or(given).trim();
    let arguments = match Json::parse(given).filter(|json| json.is_object()) {
        Some(_) => given.to_owned(),
        None => object([(argument_of(tool), quote(given))]),
    };
    let (span, notation) = (start..text.len(), Notation::Action);
    Some(Written { span, notation, tool: tool.to_owned(), arguments })
}

/// The name of the argument of a tool that gets a single input without a name.
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

/// The last fenced block of a text, if it is for a shell: a model puts the command it wants to run at the
/// end.
pub(super) fn block(text: &str) -> Option<Written> {
    let end = text.rfind(FENCE)?;
    let start = text[..end].rfind(FENCE)?;
    let (language, command) = text[start + FENCE.len()..end].split_once('\n')?;
    let is_shell = SHELLS.iter().any(|shell| match *shell {
        "" => language.trim().is_empty(),
        shell => language.trim().ends_with(shell),
    });
    let arguments = object([("command", quote(command.trim()))]);
    let (span, notation) = (start..end + FENCE.len(), Notation::Block);
    let is_command = is_shell && !command.trim().is_empty();
    is_command.then(|| Written { span, notation, tool: SHELL.to_owned(), arguments })
}

/// A JSON object of members whose values are given as JSON.
fn object<'m>(members: impl IntoIterator<Item = (&'m str, String)>) -> String {
    let members = members.into_iter().map(|(name, value)| format!("{}:{value}", quote(name)));
    format!("{{{}}}", members.collect::<Vec<_>>().join(","))
}

#[cfg(test)]
mod tests;
