//! The parts of a session log: each is read as what it was a part of, and all together are the whole.
//!
//! Over the test data, and over the logs of a folder:
//! `CTX_LOGS=DIR cargo test --release --test parts -- --ignored`.

#[path = "logs/mod.rs"]
mod logs;

use std::fs;
use std::ops::Range;
use std::path::Path;
use std::process::Command;

use context_compact::check::{Severity, findings};
use context_compact::conversation::{Conversation, Kind, Message, Origin, Role, decode};
use context_compact::count::Meter;
use context_compact::dialect::{self, Scope};
use context_compact::document::Document;
use context_compact::pairing::Pairs;
use context_compact::partition::{cuts, edits_to_part, partition};
use context_compact::tokenizer::Encoding;
use logs::logs;

/// What a message is and says.
type Said = (Role, bool, Vec<(Kind, String)>);

fn said(message: &Message<'_>) -> Said {
    let parts = message.parts.iter().map(|part| (part.kind, part.text().into_owned()));
    (message.role, message.origin == Origin::Summary, parts.collect())
}

/// A conversation, read.
#[derive(Default)]
struct Read {
    dialect: &'static str,
    said: Vec<Said>,
    tokens: usize,
    faults: Vec<String>,
}

impl Read {
    fn of(conversation: &Conversation<'_>, meter: &Meter) -> Self {
        let pairs = Pairs::of(&conversation.messages);
        let found = findings(conversation, &pairs, conversation.dialect.provider());
        let faults = found.iter().filter(|finding| finding.severity == Severity::Fault);
        Self {
            dialect: conversation.dialect.name(),
            said: conversation.messages.iter().map(said).collect(),
            tokens: meter.count(conversation).tokens(),
            faults: faults.map(|fault| format!("{}: {}", fault.rule.name, fault.text)).collect(),
        }
    }
}

/// Reads the one conversation of a text, if that is a log.
fn with<T>(
    text: &[u8],
    then: impl for<'a> FnOnce(&Document<'a>, &Conversation<'a>) -> T,
) -> Option<T> {
    let document = Document::parse(text).ok()?;
    let shape = dialect::recognise(document.values(), None).ok()?;
    let mut sources = dialect::sources(&document, shape.layout);
    let source = sources.pop().filter(|_| sources.is_empty() && shape.dialect.is_log())?;
    Some(then(&document, &decode(shape.dialect, source, Scope::Live)))
}

/// Complains where a text is not read as the messages `range` of the whole, which count so many tokens.
fn compare(whole: &Read, range: &Range<usize>, tokens: usize, part: &[u8]) -> Vec<String> {
    let meter = Meter::new(Encoding::default());
    let Some(read) = with(part, |_, conversation| Read::of(conversation, &meter)) else {
        return vec!["no log".to_owned()];
    };
    let mut complaints = Vec::new();
    let expected = whole.said.get(range.clone()).unwrap_or_default();
    if read.dialect != whole.dialect || read.said != expected {
        let differ = read.said.iter().zip(expected).position(|(now, then)| now != then);
        complaints.push(format!("{} messages, the first other one {differ:?}", read.said.len()));
    }
    if read.tokens != tokens {
        complaints.push(format!("counts {}, not {tokens}", read.tokens));
    }
    if whole.faults.is_empty() && !read.faults.is_empty() {
        complaints.push(format!("{:?}", read.faults));
    }
    complaints
}

/// Complains about the parts of one file.
fn complaints(path: &Path) -> Vec<String> {
    let (text, meter) = (fs::read(path).expect("a file"), Meter::new(Encoding::default()));
    let mut complaints = Vec::new();
    with(&text, |document, conversation| {
        let whole = Read::of(conversation, &meter);
        let count = meter.count(conversation);
        let tokens = |range: &Range<usize>| {
            let own = count.messages[range.clone()].iter().map(|tally| tally.tokens());
            own.sum::<usize>() + count.conversation.tokens()
        };
        let mut complain = |name: &str, range: &Range<usize>, what: Vec<String>| {
            let place = format!("{}: {name} {range:?}", path.display());
            complaints.extend(what.into_iter().map(|what| format!("{place}: {what}")));
        };
        let cuts = cuts(conversation);
        for (share, with_first) in [(0, false), (20, false), (60, true)] {
            let keep_tail = whole.tokens * share / 100;
            let parts = partition(conversation, &cuts, &count, keep_tail, with_first);
            for (name, range) in
                [("head", &parts.head), ("middle", &parts.middle), ("tail", &parts.tail)]
            {
                let part = document.apply(&edits_to_part(document, conversation, range));
                if !range.is_empty() {
                    complain(name, range, compare(&whole, range, tokens(range), &part));
                }
            }
            let pieces = cuts.pieces(parts.middle.clone());
            let most = pieces.iter().map(tokens).max().unwrap_or_default().max(whole.tokens / 4);
            let mut next = parts.middle.start;
            for chunk in chunks(path, keep_tail, most, with_first).lines() {
                let read = with(chunk.as_bytes(), |_, conversation| conversation.messages.len());
                let range = next..(next + read.unwrap_or_default()).min(parts.middle.end);
                next = range.end;
                complain(
                    "chunk",
                    &range,
                    compare(&whole, &range, tokens(&range), chunk.as_bytes()),
                );
            }
            if next != parts.middle.end {
                complain("chunks", &parts.middle, vec![format!("end at {next}")]);
            }
        }
    });
    complaints
}

/// What is printed of the middle in chunks.
fn chunks(path: &Path, keep_tail: usize, most: usize, keep_first_user: bool) -> String {
    let mut command = Command::new(env!("CARGO_BIN_EXE_ctx"));
    command.env_remove("CTX_MODEL").args(["partition", "--keep-tail", &keep_tail.to_string()]);
    command
        .args(["--chunks", &most.to_string()])
        .args(keep_first_user.then_some("--keep-first-user"));
    let out = command.arg(path).output().expect("ctx");
    String::from_utf8(out.stdout).expect("UTF-8")
}

fn check(folder: &Path) {
    let paths = logs(folder);
    let complaints: Vec<String> = paths.iter().flat_map(|path| complaints(path)).collect();
    assert!(complaints.is_empty(), "{}", complaints.join("\n"));
}

#[test]
fn parts_of_the_test_data_are_read_as_what_they_were() {
    check(&Path::new(env!("CARGO_MANIFEST_DIR")).join("testdata"));
}

#[test]
#[ignore = "needs logs; the head of the file says how to run it"]
fn parts_of_sessions_are_read_as_what_they_were() {
    let Some(folder) = std::env::var_os("CTX_LOGS") else { return };
    check(Path::new(&folder));
}
