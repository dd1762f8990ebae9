//! Calls that are elements named after the tool, with the arguments as inner elements.
//!
//! Responsible for turning their arguments into a JSON object. It relies on the caller for which elements are
//! calls, because most tags are not.

use super::{Notation, Written, object};
use crate::json::{Json, quote};

/// Arguments that may contain their own end tag, or that of the call: the last end tag counts.
const WHOLE: &[&str] = &["content", "diff", "result", "response"];

/// Elements that hold elements (`args`, `file` and the parts of a file), and how deep they nest at most.
const LIST: &str = "args";
const FILE: &str = "file";
const DEEPEST: usize = 2;

/// The call that a text begins with.
pub(super) fn element(text: &str, tool: &str) -> Written {
    let (inner, end) = within(text, tool);
    let mut arguments = Arguments::default();
    arguments.read(inner, 0);
    let of_server = arguments.of_server();
    let (tool, arguments) = of_server.unwrap_or_else(|| (tool.to_owned(), arguments.written()));
    Written { span: 0..end, notation: Notation::Element, tool, arguments }
}

/// The last call of a tool, anywhere in a line or a block: its answer proves that there is one.
pub(in crate::text_calls) fn lone_element(text: &str, tool: &str) -> Option<Written> {
    let start = text.rfind(&format!("<{tool}>"))?;
    text[start..].contains(&format!("</{tool}>")).then_some(())?;
    let call = element(&text[start..], tool);
    Some(Written { span: start..start + call.span.end, ..call })
}

/// The content of the element that a text begins with, and the offset of its end. The end tag may be missing,
/// as the model's stop sequence may cut it off.
pub(super) fn within<'t>(text: &'t str, name: &str) -> (&'t str, usize) {
    let inner = &text[name.len() + "<>".len()..];
    let close = format!("</{name}>");
    let first = inner.find(&close);
    // The content of a file may contain the same tag.
    let is_open = |end: &usize| {
        WHOLE.iter().any(|part| {
            let held = inner[..*end].split_once(&format!("<{part}>"));
            held.is_some_and(|(_, held)| !held.contains(&format!("</{part}>")))
        })
    };
    let last = || inner.rfind(&close);
    match first.filter(|end| !is_open(end)).or_else(last) {
        Some(end) => (&inner[..end], text.len() - inner.len() + end + close.len()),
        None => (inner, text.len()),
    }
}

/// The name of the element that a text begins with.
pub(super) fn opened(text: &str) -> Option<&str> {
    let name = text.strip_prefix('<')?;
    let end = name.find(|c: char| !(c.is_ascii_alphanumeric() || c == '_'))?;
    (end > 0 && name[end..].starts_with('>')).then(|| &name[..end])
}

/// The arguments of a call.
#[derive(Default)]
struct Arguments<'t> {
    fields: Vec<(&'t str, &'t str)>,
    /// The arguments for each of several files.
    files: Vec<Self>,
}

impl<'t> Arguments<'t> {
    /// Reads the elements of a text as arguments.
    fn read(&mut self, text: &'t str, depth: usize) {
        let mut rest = text.trim_start();
        while let Some(name) = opened(rest) {
            let close = format!("</{name}>");
            let inner = &rest[name.len() + "<>".len()..];
            let end = if WHOLE.contains(&name) { inner.rfind(&close) } else { inner.find(&close) };
            let (value, behind) = match end {
                Some(end) => (&inner[..end], &inner[end + close.len()..]),
                None => (inner, ""),
            };
            if name == LIST && depth < DEEPEST {
                self.read(value, depth + 1);
            } else if name == FILE && depth < DEEPEST {
                let mut file = Self::default();
                file.read(value, depth + 1);
                self.files.push(file);
            } else {
                self.fields.push((name, value_of(value)));
            }
            rest = behind.trim_start();
        }
    }

    fn get(&self, name: &str) -> Option<&'t str> {
        self.fields.iter().find(|(key, _)| *key == name).map(|(_, value)| *value)
    }

    /// If the call addresses a tool of an MCP server: that tool and its arguments.
    fn of_server(&self) -> Option<(String, String)> {
        let (server, own) = (self.get("server_name")?, self.get("tool_name")?);
        let given = self.get("arguments").map(str::trim);
        let given = given.filter(|text| Json::parse(text).is_some_and(Json::is_object));
        let arguments = given.map_or_else(|| self.written(), str::to_owned);
        Some((format!("mcp__{server}__{own}"), arguments))
    }

    /// All arguments as JSON; the options of a question are appended to the question.
    fn written(&self) -> String {
        let said = |name: &str, value: &str| match name {
            "question" => quote(&format!("{value}{}", self.offers())),
            _ => quote(value),
        };
        let fields = self.fields.iter().map(|(name, value)| (*name, said(name, value)));
        let files: Vec<String> = self.files.iter().map(Self::written).collect();
        let files = (!files.is_empty()).then(|| ("files", format!("[{}]", files.join(","))));
        object(fields.chain(files))
    }

    /// The options of a question, one per line.
    fn offers(&self) -> String {
        let listed = self.get("options").and_then(Json::parse).into_iter().flat_map(Json::items);
        let listed = listed.filter_map(|offer| offer.text().map(|offer| offer.into_owned()));
        let suggested = self.get("follow_up").unwrap_or_default().split("</suggest>");
        let suggested = suggested.filter_map(|one| one.split_once("<suggest")?.1.split_once('>'));
        let suggested = suggested.map(|(_, offer)| offer.trim().to_owned());
        listed.chain(suggested).fold(String::new(), |offers, offer| offers + "\n- " + &offer)
    }
}

/// A value without the line breaks around it; a value of one line also without white space.
pub(super) fn value_of(text: &str) -> &str {
    let text = text.strip_prefix("\r\n").or(text.strip_prefix('\n')).unwrap_or(text);
    let text = text.trim_end_matches(' ');
    let text = text.strip_suffix('\n').map_or(text, |text| text.trim_end_matches('\r'));
    if text.contains('\n') { text } else { text.trim() }
}
