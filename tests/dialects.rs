//! Every dialect, over its test data: recognised as itself, read as expected, edited and read again.
//!
//! `testdata/<dialect>/expected.txt` holds what is read from each file beside it, in short lines;
//! `BLESS=1 cargo test --test dialects` writes it anew, to be checked by eye.

use std::cell::OnceCell;
use std::fmt::Write as _;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use context_compact::conversation::{Conversation, Kind, Message, Origin, Part, Role, decode};
use context_compact::dialect::{self, Answer, DIALECTS, Layout, Scope, Shape};
use context_compact::document::{Document, SyntaxError};
use context_compact::draft::{Draft, NewMessage};
use context_compact::json::Ends;
use context_compact::marks::is_placeholder;
use context_compact::pairing::Pairs;
use context_compact::resume;

/// Reads a text; behind a line that was torn off there may be others.
fn read_text<'a>(bytes: &'a [u8], ends: &'a OnceCell<Ends>) -> Result<Document<'a>, SyntaxError> {
    let by_line = |error| {
        let document = Document::by_line(bytes, ends);
        if document.values().len() > 1 { Ok(document) } else { Err(error) }
    };
    Document::parse(bytes).or_else(by_line)
}

/// Reads the conversations of a text, in a given shape or in the one that is recognised.
fn with_conversations<T>(
    bytes: &[u8],
    shape: Option<Shape>,
    read: impl for<'a> FnOnce(&Document<'a>, Shape, &[Conversation<'a>]) -> T,
) -> T {
    let ends = OnceCell::new();
    let document = read_text(bytes, &ends).expect("JSON");
    let shape = shape.unwrap_or_else(|| {
        dialect::recognise(document.values(), None).unwrap_or_else(|error| panic!("{error}"))
    });
    let sources = dialect::sources(&document, shape.layout).into_iter();
    let conversations: Vec<_> =
        sources.map(|source| decode(shape.dialect, source, Scope::Live)).collect();
    read(&document, shape, &conversations)
}

/// One message in one line: role, origin, and what each part is and says.
fn line(message: &Message<'_>) -> String {
    let mut line = message.role.name().to_owned();
    if let Some(name) = message.name {
        let _ = write!(line, " {}", name.source());
    }
    match message.origin {
        Origin::Spoken => {}
        Origin::Injected => line.push_str(" (injected)"),
        Origin::Summary => line.push_str(" (summary)"),
        Origin::Internal => line.push_str(" (internal)"),
    }
    for part in &message.parts {
        let _ = write!(line, " | {}", phrase(part));
    }
    line
}

fn phrase(part: &Part<'_>) -> String {
    let mut phrase = part.kind.name().to_owned();
    if part.name.is_some() {
        let _ = write!(phrase, " {}", part.tool());
    }
    if let Some(id) = part.id() {
        let _ = write!(phrase, " #{id}");
    }
    if part.is_error {
        phrase.push_str(" failed");
    }
    let said: Vec<_> = part.texts().collect();
    if !said.is_empty() {
        let _ = write!(phrase, " {said:?}");
    }
    match part.attachments().count() {
        0 => phrase,
        more => format!("{phrase} +{more}"),
    }
}

fn lines(conversation: &Conversation<'_>) -> Vec<String> {
    conversation.messages.iter().map(line).collect()
}

fn rendering(shape: Shape, conversations: &[Conversation<'_>]) -> String {
    let mut text = format!("{} {:?}\n", shape.dialect.name(), shape.layout);
    for conversation in conversations {
        let tools = if conversation.tools.is_some() { ", with tools" } else { "" };
        let _ = writeln!(text, "- {} messages{tools}", conversation.messages.len());
        for line in lines(conversation) {
            let _ = writeln!(text, "  {line}");
        }
        let pairs = Pairs::of(&conversation.messages);
        let unanswered: Vec<_> = pairs.unanswered().collect();
        if !unanswered.is_empty() {
            let _ = writeln!(text, "  unanswered: {unanswered:?}");
        }
        if !pairs.orphans.is_empty() || !pairs.duplicates.is_empty() {
            let _ = writeln!(text, "  orphans: {:?}, {:?}", pairs.orphans, pairs.duplicates);
        }
    }
    text
}

/// One of the conversations of a text, and what it was read from.
#[derive(Clone, Copy)]
struct Case<'r, 'a> {
    document: &'r Document<'a>,
    shape: Shape,
    at: usize,
    conversation: &'r Conversation<'a>,
}

impl<'a> Case<'_, 'a> {
    /// Applies a draft, and reads the conversation at the same place in the result.
    fn after(self, mut draft: Draft<'_, 'a>) -> Vec<String> {
        let Self { document, shape, at, .. } = self;
        resume::make_resumable(&mut draft, document, 0);
        let bytes = document.apply(&draft.edits(document));
        let text = String::from_utf8_lossy(&bytes);
        let ends = OnceCell::new();
        let found = match read_text(&bytes, &ends) {
            Ok(found) => found,
            // The only message of a stream was dropped.
            Err(_) if text.trim().is_empty() => return Vec::new(),
            Err(error) => panic!("{error}: {text}"),
        };
        let read = |bytes: &[u8]| {
            with_conversations(bytes, Some(shape), |_, _, conversations| {
                conversations.get(at).map(lines).unwrap_or_default()
            })
        };
        let now = read(&bytes);
        match dialect::recognise(found.values(), None) {
            // What is left may be too little to tell.
            _ if now.len() < 2 => {}
            Ok(again) => assert_eq!(again.dialect.name(), shape.dialect.name(), "{text}"),
            Err(error) => panic!("{error}: {text}"),
        }
        now
    }
}

/// Positions to try in a conversation: all of a short one, some of a long one.
fn positions(len: usize) -> impl Iterator<Item = usize> {
    (0..len).step_by((len / 12).max(1))
}

/// Every value stands where it says, and a draft without decisions changes nothing.
fn check_spans(case: Case<'_, '_>) {
    let Case { document, conversation, .. } = case;
    let text = document.bytes();
    for message in &conversation.messages {
        assert!(message.units.iter().all(|&unit| unit < conversation.source.units.len()));
        let parts = message.parts.iter().map(|part| part.json);
        for json in parts.chain([message.json]) {
            assert_eq!(&text[document.span(json)], json.source().as_bytes());
        }
    }
    assert_eq!(document.apply(&Draft::new(conversation).edits(document)), text);
}

/// A result that says something else is read again; nothing else has changed.
fn check_new_texts(case: Case<'_, '_>) {
    let conversation = case.conversation;
    let before = lines(conversation);
    let results = conversation.messages.iter().enumerate().flat_map(|(index, message)| {
        // What an agent shows in place of a result stands nowhere in the file, and what a tool shows
        // leaves no place for a text.
        let said = message.parts_of(Kind::ToolResult).filter(|(_, result)| {
            let has_place = result.body.is_some() || message.parts.len() == 1;
            has_place && !is_placeholder(&result.text())
        });
        said.map(move |(part, _)| (index, part))
    });
    for place in results.take(6) {
        let mut draft = Draft::new(conversation);
        draft.set_text(place, "new \"text\"");
        let now = case.after(draft);
        assert_eq!(now.len(), before.len());
        for (index, line) in now.iter().enumerate() {
            if index == place.0 {
                assert!(line.contains(r#"["new \"text\""]"#), "{line}");
            } else {
                assert_eq!(*line, before[index]);
            }
        }
    }
}

/// Dropping a message, with those that share a unit with it, leaves the others.
fn check_drops(case: Case<'_, '_>) {
    let conversation = case.conversation;
    let messages = &conversation.messages;
    for index in positions(messages.len()).filter(|&index| !messages[index].units.is_empty()) {
        let shares = |other: &usize| {
            let units = &messages[*other].units;
            units.iter().any(|unit| messages[index].units.contains(unit))
        };
        let mut draft = Draft::new(conversation);
        let mut expected = lines(conversation);
        for other in (0..messages.len()).rev().filter(shares) {
            draft.drop_message(other);
            expected.remove(other);
        }
        assert_eq!(case.after(draft), expected, "without {index}");
    }
}

/// A user's message is put in where it was meant to be.
fn check_inserts(case: Case<'_, '_>) {
    let conversation = case.conversation;
    let messages = &conversation.messages;
    if conversation.source.lists.is_empty() {
        return;
    }
    let first = messages.iter().position(|message| !message.units.is_empty());
    let first = first.unwrap_or(messages.len());
    for index in positions(messages.len() + 1).filter(|&index| index >= first) {
        let is_inside = index > 0
            && index < messages.len()
            && messages[index].units.iter().any(|unit| messages[index - 1].units.contains(unit));
        // Logs read their last compaction before everything else.
        let leads = messages.get(index).is_some_and(|message| message.origin == Origin::Summary);
        if is_inside || leads && conversation.dialect.facts().summary_leads {
            continue;
        }
        let mut draft = Draft::new(conversation);
        draft.insert_message(index, NewMessage::text(Role::User, "put in"));
        let mut expected = lines(conversation);
        expected.insert(index, "user | text [\"put in\"]".to_owned());
        assert_eq!(case.after(draft), expected, "with one before {index}");
    }
}

/// A call that holds its result itself is answered in its members.
fn check_answers(case: Case<'_, '_>) {
    let conversation = case.conversation;
    let messages = &conversation.messages;
    for (index, part) in Pairs::of(messages).unanswered() {
        let call = &messages[index].parts[part];
        let id = call.id().unwrap_or_default();
        let answer = Answer { call_id: &id, name: &call.tool(), text: "aborted" };
        let Some(members) = conversation.dialect.answered(call, &answer) else { return };
        let mut draft = Draft::new(conversation);
        for (object, key, value) in members {
            draft.set_member(index, object, key, value);
        }
        let now = case.after(draft);
        let result = format!("#{}", call.id().unwrap_or_default());
        assert_eq!(now[index].matches(&result).count(), 2, "{}", now[index]);
        assert!(now[index].contains(r#"["aborted"]"#), "{}", now[index]);
    }
}

/// Reads a text as the dialect `name`, edits it in every way, and tells what was read.
fn check(bytes: &[u8], name: &str) -> String {
    with_conversations(bytes, None, |document, shape, conversations| {
        assert_eq!(shape.dialect.name(), name);
        for (at, conversation) in conversations.iter().enumerate() {
            let case = Case { document, shape, at, conversation };
            check_spans(case);
            check_new_texts(case);
            check_drops(case);
            check_inserts(case);
            check_answers(case);
        }
        rendering(shape, conversations)
    })
}

fn testdata(dialect: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("testdata").join(dialect)
}

#[test]
fn reads_and_edits_its_test_data() {
    for dialect in DIALECTS {
        let folder = testdata(dialect.name());
        let mut files: Vec<PathBuf> = fs::read_dir(&folder)
            .unwrap_or_else(|error| panic!("{}: {error}", folder.display()))
            .map(|entry| entry.unwrap().path())
            .filter(|path| path.extension().is_some_and(|end| end == "json" || end == "jsonl"))
            .collect();
        files.sort();
        let mut found = String::new();
        for file in &files {
            let _ = writeln!(found, "# {}", file.file_name().unwrap().to_string_lossy());
            found.push_str(&check(&fs::read(file).unwrap(), dialect.name()));
        }
        let golden = folder.join("expected.txt");
        if std::env::var_os("BLESS").is_some() {
            fs::write(&golden, &found).unwrap();
        }
        let expected = fs::read_to_string(&golden).unwrap_or_default();
        assert_eq!(found, expected, "{}", golden.display());
    }
}

/// The chunks of every file, each of which is a conversation.
#[test]
fn reads_the_chunks_of_its_test_data() {
    let files = DIALECTS.iter().flat_map(|dialect| fs::read_dir(testdata(dialect.name())).unwrap());
    let files = files.map(|entry| entry.unwrap().path());
    for file in files.filter(|path| path.extension().is_some_and(|end| end != "txt")) {
        let output = Command::new(env!("CARGO_BIN_EXE_ctx"))
            .args(["partition", "--keep-tail", "0", "--chunks", "1M"])
            .arg(&file)
            .output()
            .unwrap();
        assert!(output.status.success(), "{}", file.display());
        for chunk in String::from_utf8(output.stdout).unwrap().lines() {
            with_conversations(chunk.as_bytes(), None, |_, _, conversations| {
                assert!(!conversations[0].messages.is_empty(), "{}: {chunk}", file.display());
            });
        }
    }
}

/// Where the second session of a stream begins.
fn second_session(text: &[u8]) -> Option<usize> {
    let ends = OnceCell::new();
    let document = read_text(text, &ends).expect("JSON");
    let shape = dialect::recognise(document.values(), None).expect("a dialect");
    let source = dialect::sources(&document, shape.layout).remove(0);
    let second = dialect::Sessions::of(shape.dialect, &source, false).second()?;
    Some(document.span(source.units[second].json).start)
}

#[test]
fn logs_are_parted_where_they_meet() {
    let mut logs = Vec::new();
    for dialect in DIALECTS.iter().filter(|dialect| dialect.facts().written.is_some()) {
        let entries = fs::read_dir(testdata(dialect.name())).expect("a directory");
        let mut paths: Vec<_> = entries.map(|entry| entry.expect("an entry").path()).collect();
        paths.retain(|path| path.extension().is_some_and(|ending| ending == "jsonl"));
        paths.sort();
        for (at, path) in paths.iter().enumerate() {
            let text = fs::read(path).expect("a file");
            assert_eq!(second_session(&text), None, "{}", path.display());
            if at == 0 {
                logs.push(text);
            }
        }
    }
    assert!(logs.len() > 5, "{} logs", logs.len());
    for (one, first) in logs.iter().enumerate() {
        for (two, second) in logs.iter().enumerate().filter(|(two, _)| *two != one) {
            let parted = second_session(&[&first[..], second].concat());
            assert_eq!(parted, Some(first.len()), "{one} and {two}");
        }
    }
}

#[test]
fn names_are_unique_and_told() {
    for (at, dialect) in DIALECTS.iter().enumerate() {
        assert!(DIALECTS[..at].iter().all(|other| other.name() != dialect.name()));
        assert!(dialect::named(dialect.name()).is_some());
        assert!(!dialect.facts().about.is_empty() && !dialect.facts().about.ends_with('.'));
    }
}

#[test]
fn refuses_what_is_no_conversation() {
    for text in ["{}", "[1,2]", "3", r#"{"a":"b"}"#, r#"[{"role":"user"}]"#, r#"{"messages":3}"#] {
        let document = Document::parse(text.as_bytes()).unwrap();
        assert!(dialect::recognise(document.values(), None).is_err(), "{text}");
    }
    let empty = Document::parse(b"[]").unwrap();
    let shape = dialect::recognise(empty.values(), None).unwrap();
    assert_eq!(shape.layout, Layout::Array);
}

#[test]
fn never_guesses_between_two_that_fit() {
    let text = r#"[{"role":"system","content":"s"},
        {"role":"assistant","content":[{"type":"tool_use","id":"t","name":"f","input":{}}]}]"#;
    let document = Document::parse(text.as_bytes()).unwrap();
    let error = dialect::recognise(document.values(), None).err().unwrap();
    assert_eq!(error.to_string(), "the dialect may be openai or anthropic");
    let anthropic = dialect::named("anthropic");
    assert!(dialect::recognise(document.values(), anthropic).is_ok());
}
