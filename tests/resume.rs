//! Session logs after an edit: what the agents would send is what the draft promised.
//!
//! The clients themselves are asked in `clients.sh`; here our own reading stands for theirs. Drafts
//! come from a generator without chance, over the test data and over sessions made up here.

use std::fs;
use std::path::Path;

use context_compact::conversation::{Conversation, Kind, Message, Origin, Role};
use context_compact::dialect::{self, Scope};
use context_compact::document::Document;
use context_compact::draft::{Draft, NewMessage};
use context_compact::pairing::{Cuts, Pairs};

/// Numbers that look random and are the same in every run.
struct Numbers(u64);

impl Numbers {
    fn below(&mut self, limit: usize) -> usize {
        self.0 =
            self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        usize::try_from(self.0 >> 33).unwrap() % limit.max(1)
    }

    fn one_in(&mut self, limit: usize) -> bool {
        self.below(limit) == 0
    }
}

/// What a message is and says.
type Said = (Role, bool, Vec<(Kind, String)>);

fn said(message: &Message<'_>) -> Said {
    let parts = message.parts.iter().map(|part| (part.kind, part.text().into_owned()));
    (message.role, message.origin == Origin::Summary, parts.collect())
}

fn read<T>(bytes: &[u8], read: impl for<'a> FnOnce(&Document<'a>, &Conversation<'a>) -> T) -> T {
    let document = Document::parse(bytes).expect("JSON");
    let shape = dialect::recognise(document.values(), None).expect("a dialect");
    let source = dialect::sources(&document, shape.layout).remove(0);
    read(&document, &dialect::decode(shape.dialect, source, Scope::Live))
}

fn conversation(bytes: &[u8]) -> Vec<Said> {
    read(bytes, |_, conversation| conversation.messages.iter().map(said).collect())
}

const SUMMARY: &str = "[Summary of the conversation so far, made by ctx]\n\nIt was \"said\".";

/// Decides something: a compaction or not, with texts cut, messages dropped and put in. Returns what
/// has to be read afterwards.
fn decide<'a>(draft: &mut Draft<'_, 'a>, numbers: &mut Numbers, compacts: bool) -> Vec<Said> {
    let conversation = draft.conversation();
    let messages = &conversation.messages;
    let pairs = Pairs::of(messages);
    let cuts = Cuts::of(conversation, &pairs);
    let first = messages.iter().position(|message| !message.units.is_empty());
    let first = first.unwrap_or(messages.len());
    let cut = cuts.at_or_before(first + numbers.below(messages.len() - first)).max(first);
    let mut expected: Vec<Said> = Vec::new();
    let mut summary = None;
    let note = |text: &str| (Role::User, false, vec![(Kind::Text, text.to_owned())]);
    for piece in cuts.pieces(0..messages.len()) {
        if piece.start == cut && compacts {
            summary = Some(expected.len());
            expected.push((Role::User, true, vec![(Kind::Text, SUMMARY.to_owned())]));
            let mut new = NewMessage::text(Role::User, SUMMARY);
            new.is_summary = true;
            draft.insert_message(cut, new);
            if numbers.one_in(3) {
                draft.insert_message(cut, NewMessage::text(Role::User, "a restored file"));
                expected.push(note("a restored file"));
            }
        } else if piece.start >= first && numbers.one_in(6) {
            let text = format!("a note before {}", piece.start);
            draft.insert_message(piece.start, NewMessage::text(Role::User, text.as_str()));
            expected.push(note(&text));
        }
        let drops = if compacts && piece.start < cut && piece.end < messages.len() {
            !(messages[piece.start].is_request() && piece.len() == 1 && numbers.one_in(3))
        } else {
            // Logs end with what was said last; a reminder behind it would be no end.
            piece.end < messages.len() && numbers.one_in(8)
        };
        for at in piece {
            if drops && at >= first {
                draft.drop_message(at);
                continue;
            }
            let mut now = said(&messages[at]);
            for (index, part) in messages[at].parts_of(Kind::ToolResult) {
                let is_shown = part.body.is_none_or(|body| messages[at].json.holds(body));
                if is_shown && numbers.one_in(3) {
                    draft.set_text((at, index), "cut \"short\"");
                    let shown = part.attachments().count() == 0;
                    now.2[index].1 = "cut \"short\"".to_owned();
                    assert!(shown || now.2[index].0 == Kind::ToolResult);
                }
            }
            expected.push(now);
        }
    }
    // What is live in a Claude Code session begins at the boundary: its summary comes first.
    let has_chain = conversation.source.units.iter().any(|unit| unit.json.member("uuid").is_some());
    if let Some(at) = summary.filter(|_| has_chain) {
        let summary = expected.remove(at);
        expected.insert(0, summary);
    }
    expected
}

/// Edits a log in many ways; each result reads as it was meant to, and the same every time.
pub fn check(bytes: &[u8], rounds: u64, name: &str) {
    for round in 0..rounds {
        let compacts = round % 3 != 0;
        read(bytes, |document, conversation| {
            let mut draft = Draft::new(conversation);
            let expected = decide(&mut draft, &mut Numbers(round), compacts);
            conversation.dialect.make_resumable(&mut draft, document, 7);
            let edits = draft.edits(document);
            let now = document.apply(&edits);
            let text = String::from_utf8_lossy(&now);
            if !expected.is_empty() {
                let found = self::conversation(&now);
                let differ = found.iter().zip(&expected).position(|(now, then)| now != then);
                let differ = differ.unwrap_or(found.len().min(expected.len()));
                assert!(
                    found == expected,
                    "{name} {round}, message {differ}: {:?} for {:?} in
{text}",
                    found.get(differ),
                    expected.get(differ)
                );
            }
            let mut again = Draft::new(conversation);
            decide(&mut again, &mut Numbers(round), compacts);
            conversation.dialect.make_resumable(&mut again, document, 7);
            assert_eq!(again.edits(document), edits, "{name} {round}");
            if compacts {
                let mut draft = Draft::new(conversation);
                decide(&mut draft, &mut Numbers(round), compacts);
                if let Some(lines) = conversation.dialect.append(&mut draft, document, 7) {
                    let mut now = bytes.to_vec();
                    if !now.ends_with(b"\n") {
                        now.push(b'\n');
                    }
                    for line in lines {
                        now.extend(line.into_bytes());
                        now.push(b'\n');
                    }
                    let text = String::from_utf8_lossy(&now[bytes.len()..]);
                    assert_eq!(
                        self::conversation(&now),
                        expected,
                        "{name} {round}, appended: {text}"
                    );
                }
            }
        });
    }
}

#[test]
fn test_data_is_read_as_promised() {
    for dialect in ["claude-code", "codex"] {
        let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("testdata").join(dialect);
        for entry in fs::read_dir(folder).unwrap() {
            let path = entry.unwrap().path();
            if path.extension().is_some_and(|end| end == "jsonl") {
                check(&fs::read(&path).unwrap(), 60, &path.display().to_string());
            }
        }
    }
}
