//! What a call does to files, for callers outside of the digest.
//!
//! Responsible for telling which files a call certainly reads and which it changes, and the command that it
//! runs. Invariant: the output of a command never counts as reading, because it can show more than the file.

use std::ops::Range;

use super::tool::{READING, Words};
use super::{Call, Deed, alone, given, globs};
use crate::conversation::{Message, Part, Place};
use crate::digest::files::deed::Touch;
use crate::digest::files::paths;
use crate::digest::spread;
use crate::json::Json;
use crate::line::{clip, on_one_line};
use crate::redact::mask;

/// What a call does.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Does {
    /// Files that it reads, whole or the named part.
    pub reads: Vec<String>,
    /// Files that it changes, creates, moves or deletes.
    pub changes: Vec<String>,
    /// The beginning of the command line that it runs.
    pub command: Option<String>,
}

/// Judges a call by its arguments and by its tool's name.
#[must_use]
pub fn does(part: &Part<'_>) -> Does {
    let call = alone(part);
    let reads =
        is_reading(&call, part).then(|| call.touches.iter().map(|touch| touch.path.clone()));
    // The files that a pattern matches are not known here.
    let is_one = |touch: &&Touch| touch.deed.changes() && !globs::is_pattern(&touch.path);
    let changing = call.touches.iter().filter(is_one);
    let changes = changing.flat_map(|touch| [Some(&touch.path), touch.to.as_ref()]);
    let mut changes: Vec<String> = changes.flatten().map(ToString::to_string).collect();
    // A move tells the same path twice.
    changes.dedup();
    Does {
        reads: reads.into_iter().flatten().map(Into::into).collect(),
        changes,
        command: call.command.map(Into::into),
    }
}

/// How many bytes of a command are told in passing.
const COMMAND: usize = 40;

/// A call in a few words: its tool, and the file that it reads or the command that it runs. Secrets are masked
/// before the text is cut, because half a secret could not be recognised. The tool alone would not do: it may
/// have many results.
#[must_use]
pub fn in_passing(part: &Part<'_>) -> String {
    let (tool, Does { reads, command, .. }) = (part.tool(), does(part));
    let file = reads.first().map(|path| paths::name(path).to_owned());
    let command = || command.map(|it| format!("`{}`", clip(&on_one_line(&mask(&it)), COMMAND)));
    match file.or_else(command) {
        Some(what) => format!("{tool} {what}"),
        None => tool.into_owned(),
    }
}

/// What each of these calls does, in order. Other threads help if `may_spread`.
#[must_use]
pub fn does_each(messages: &[Message<'_>], calls: &[Place], may_spread: bool) -> Vec<Does> {
    let read = |share: Range<usize>| {
        let behind = |at: usize| calls.partition_point(|call| call.0 < at);
        let own = calls[behind(share.start)..behind(share.end)].iter();
        own.map(|call| does(&messages[call.0].parts[call.1])).collect::<Vec<_>>()
    };
    let mut all = Vec::with_capacity(calls.len());
    spread::read_each(messages, may_spread && !calls.is_empty(), read, |own| all.extend(own));
    all
}

/// The arguments by which a call asks for a part of its file: `offset=100 limit=50`; empty if it asks for the
/// whole file.
#[must_use]
pub fn range_asked(part: &Part<'_>) -> String {
    const NAMES: &[&str] = &["offset", "limit", "line", "range", "start", "end"];
    let asked = given::with_arguments(part, |arguments| {
        let is_number = |value: Json<'_>| value.source().parse::<i64>().is_ok();
        let is_range = |value: Json<'_>| {
            is_number(value) || value.items().next().is_some() && value.items().all(is_number)
        };
        let named = arguments.members().map(|(name, value)| (name.text(), value));
        let ranges = named.filter(|(name, value)| {
            NAMES.iter().any(|word| name.contains(word)) && is_range(*value)
        });
        let told = ranges.map(|(name, value)| format!("{name}={}", value.compact()));
        told.collect::<Vec<_>>().join(" ")
    });
    asked.unwrap_or_default()
}

/// Whether the result of a call is a file or a part of one.
fn is_reading(call: &Call, part: &Part<'_>) -> bool {
    call.deed == Deed::Read
        && (Words::of(&call.tool).has(READING)
            || part.argument("command").is_some_and(|command| command == "view"))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::conversation::decode;
    use crate::dialect::{self, Scope};
    use crate::document::Document;

    fn of(tool: &str, input: &str) -> Does {
        let text = format!(
            r#"[{{"role":"user","content":"a"}},{{"role":"assistant","content":[{{"type":"tool_use","id":"t1","name":"{tool}","input":{input}}}]}}]"#
        );
        let document = Document::parse(text.as_bytes()).expect("the tests write JSON");
        let shape = dialect::recognise(document.values(), dialect::named("anthropic")).unwrap();
        let source = dialect::sources(&document, shape.layout).remove(0);
        does(&decode(shape.dialect, source, Scope::Live).messages[1].parts[0])
    }

    fn reads(path: &str) -> Does {
        Does { reads: vec![path.into()], ..Does::default() }
    }

    fn changes(path: &str) -> Does {
        Does { changes: vec![path.into()], ..Does::default() }
    }

    #[test]
    fn a_path_has_many_names() {
        for name in ["path", "filepath", "relative_path", "relative_workspace_path", "uri"] {
            assert_eq!(of("read_file", &format!(r#"{{"{name}":"a.rs"}}"#)), reads("a.rs"));
        }
    }

    #[test]
    fn what_only_shows_is_no_change_whatever_the_tool_is_called() {
        let view = r#"{"command":"view","path":"a.rs","view_range":[60,70]}"#;
        assert_eq!(of("str_replace_based_edit_tool", view), reads("a.rs"));
        assert_eq!(of("str_replace_editor", view), reads("a.rs"));
        let replace = r#"{"command":"str_replace","path":"a.rs","old_str":"x","new_str":"y"}"#;
        assert_eq!(of("str_replace_based_edit_tool", replace), changes("a.rs"));
    }

    #[test]
    fn a_tool_s_name_tells_what_its_arguments_leave_open() {
        assert_eq!(of("write_file", r#"{"path":"a.rs","content":""}"#), changes("a.rs"));
        let edit = r#"{"target_file":"a.rs","code_edit":"fn main() {}"}"#;
        assert_eq!(of("edit_file", edit), changes("a.rs"));
        assert_eq!(of("lint", r#"{"path":"a.rs"}"#), Does::default());
        assert_eq!(of("list_dir", r#"{"path":"src"}"#), Does::default());
    }

    #[test]
    fn only_whole_words_of_the_tool_s_own_name_tell() {
        assert_eq!(of("mcp__dispatch__view_file", r#"{"path":"a.rs"}"#), reads("a.rs"));
        assert_eq!(of("read_patch_notes", r#"{"path":"a.md"}"#), reads("a.md"));
        for tool in ["mcp__text-editor__get_text_file_contents", "get_credit_report"] {
            assert_eq!(of(tool, r#"{"path":"a.rs"}"#), Does::default(), "{tool}");
        }
        assert_eq!(of("find_text", r#"{"path":"a.rs","text":"row"}"#), Does::default());
    }

    #[test]
    fn a_command_is_a_text_or_a_list_and_is_no_reading() {
        let ran = |command: &str, changes: &[&str]| Does {
            command: Some(command.into()),
            changes: changes.iter().map(ToString::to_string).collect(),
            ..Does::default()
        };
        assert_eq!(of("Bash", r#"{"command":"cat a.rs"}"#), ran("cat a.rs", &[]));
        let list = r#"{"command":["bash","-lc","mv a.rs b.rs"]}"#;
        assert_eq!(
            of("Bash", r#"{"command":"git checkout -- a.rs"}"#),
            ran("git checkout -- a.rs", &["a.rs"])
        );
        assert_eq!(of("shell", list), ran("mv a.rs b.rs", &["a.rs", "b.rs"]));
    }

    #[test]
    fn a_patch_changes_each_of_its_files() {
        let patch = r#"{"input":"*** Begin Patch\n*** Update File: a.rs\n@@\n-x\n+y\n*** Delete File: b.rs\n*** End Patch"}"#;
        let both = Does { changes: vec!["a.rs".into(), "b.rs".into()], ..Does::default() };
        assert_eq!(of("apply_patch", patch), both);
    }
}
