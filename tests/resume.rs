//! Session logs after an edit: what the agents would send is what the draft promised.
//!
//! The clients themselves are asked in `clients.sh`; here our own reading stands for theirs. Drafts
//! come from a generator without chance, over the test data and over sessions made up here.

use std::fs;
use std::path::Path;

use context_compact::conversation::{Conversation, Kind, Message, Origin, Role, decode};
use context_compact::dialect::{self, Scope};
use context_compact::document::Document;
use context_compact::draft::{Draft, NewMessage, NewPart};
use context_compact::pairing::{Cuts, Pairs};
use context_compact::resume;

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
    read(&document, &decode(shape.dialect, source, Scope::Live))
}

fn conversation(bytes: &[u8]) -> Vec<Said> {
    read(bytes, |_, conversation| conversation.messages.iter().map(said).collect())
}

const SUMMARY: &str = "[Summary of the conversation so far, made by ctx]\n\nIt was \"said\".";

/// Whether what is live begins at the last compaction, with its summary, as where entries name the one before.
fn begins_with_summary(conversation: &Conversation<'_>) -> bool {
    let has_chain = conversation.source.units.iter().any(|unit| unit.json.member("uuid").is_some());
    has_chain || is_pi(conversation)
}

/// pi reads one summary, and nothing before it.
fn is_pi(conversation: &Conversation<'_>) -> bool {
    conversation.dialect.name() == "pi"
}

/// Decides something: a compaction or not, with texts cut, messages dropped and put in. Returns what
/// has to be read afterwards.
fn decide(draft: &mut Draft<'_, '_>, numbers: &mut Numbers, compacts: bool) -> Vec<Said> {
    let conversation = draft.conversation();
    let messages = &conversation.messages;
    let pairs = Pairs::of(messages);
    let cuts = Cuts::of(conversation, &pairs);
    let first = messages.iter().position(|message| !message.units.is_empty());
    let first = first.unwrap_or(messages.len());
    let has_old = is_pi(conversation) && messages.first().is_some_and(|first| said(first).1);
    let first = first + usize::from(has_old);
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
            if drops && at >= first || has_old && compacts && at == 0 {
                draft.drop_message(at);
                continue;
            }
            let mut now = said(&messages[at]);
            for (index, part) in messages[at].parts_of(Kind::ToolResult) {
                // What a tool shows leaves no place for a text.
                let is_alone = messages[at].parts.len() == 1;
                let is_shown = part.body.map_or(is_alone, |body| messages[at].json.holds(body));
                if is_shown && numbers.one_in(3) {
                    draft.set_text((at, index), "cut \"short\"");
                    "cut \"short\"".clone_into(&mut now.2[index].1);
                }
            }
            expected.push(now);
        }
    }
    if let Some(at) = summary.filter(|_| begins_with_summary(conversation)) {
        let summary = expected.remove(at);
        expected.insert(0, summary);
    }
    expected
}

/// Edits a log in many ways; each result reads as it was meant to, and the same every time.
fn check(bytes: &[u8], rounds: u64, name: &str) {
    for round in 0..rounds {
        let compacts = round % 3 != 0;
        read(bytes, |document, conversation| {
            let mut draft = Draft::new(conversation);
            let expected = decide(&mut draft, &mut Numbers(round), compacts);
            resume::make_resumable(&mut draft, document, 7);
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
            resume::make_resumable(&mut again, document, 7);
            assert_eq!(again.edits(document), edits, "{name} {round}");
            let mut draft = Draft::new(conversation);
            let mut expected = decide(&mut draft, &mut Numbers(round), compacts);
            let first_note = draft.new_messages().find_map(|(_, new)| match new.parts.first() {
                Some(NewPart::Text(text)) => Some(text.clone().into_owned()),
                _ => None,
            });
            let drops = (0..conversation.messages.len()).any(|at| draft.is_dropped(at));
            let repeats = is_pi(conversation) && expected.first().is_some_and(|first| first.1);
            if begins_with_summary(conversation) && !compacts && !repeats {
                match first_note {
                    // Without a summary the first note takes its place.
                    Some(note) => {
                        let said = vec![(Kind::Text, note)];
                        let at = expected.iter().position(|(.., text)| *text == said);
                        expected.remove(at.expect("the note"));
                        expected.insert(0, (Role::User, is_pi(conversation), said));
                    }
                    None if drops => return,
                    None => {}
                }
            }
            let lines = resume::append(&mut draft, document, 7);
            if let Some(lines) = lines.filter(|_| document.torn().is_none()) {
                let mut now = bytes.to_vec();
                if !now.ends_with(b"\n") {
                    now.push(b'\n');
                }
                for line in lines {
                    now.extend(line.into_bytes());
                    now.push(b'\n');
                }
                let text = String::from_utf8_lossy(&now[bytes.len()..]);
                assert_eq!(self::conversation(&now), expected, "{name} {round}, appended: {text}");
            }
        });
    }
}

#[test]
fn test_data_is_read_as_promised() {
    for dialect in ["claude-code", "codex", "pi"] {
        let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("testdata").join(dialect);
        for entry in fs::read_dir(folder).unwrap() {
            let path = entry.unwrap().path();
            if path.extension().is_some_and(|end| end == "jsonl") {
                check(&fs::read(&path).unwrap(), 60, &path.display().to_string());
            }
        }
    }
}

/// A session of Claude Code as nobody recorded it: parallel calls whose results come in any order,
/// side chains, progress, turns taken back, reminders and compactions.
fn session(numbers: &mut Numbers) -> Vec<String> {
    let mut lines: Vec<String> = Vec::new();
    let mut last = String::from("null");
    let mut count = 0;
    let mut line = |lines: &mut Vec<String>, parent: &str, members: &str| {
        count += 1;
        lines.push(format!(
            r#"{{"parentUuid":{parent},"sessionId":"s","timestamp":"2026-01-01T00:00:00Z",{members},"uuid":"u{count}"}}"#
        ));
        format!("\"u{count}\"")
    };
    let text = |role: &str, id: usize, text: &str| {
        let content = format!(r#"[{{"type":"text","text":"{text}"}}]"#);
        format!(r#""type":"{role}","message":{{"id":"m{id}","role":"{role}","content":{content}}}"#)
    };
    for turn in 0..2 + numbers.below(8) {
        let start = last.clone();
        last = line(&mut lines, &last, &text("user", 0, &format!("turn {turn}")));
        if numbers.one_in(4) {
            last = line(&mut lines, &last, r#""type":"progress","data":{}"#);
        }
        for step in 0..numbers.below(4) {
            let id = turn * 100 + step + 1;
            last = line(&mut lines, &last, &text("assistant", id, &format!("says {id}")));
            let mut calls = Vec::new();
            for call in 0..numbers.below(4) {
                let block = format!(
                    r#"{{"type":"tool_use","id":"t{id}-{call}","name":"f","input":{{"n":{call}}}}}"#
                );
                last = line(
                    &mut lines,
                    &last,
                    &format!(
                        r#""type":"assistant","message":{{"id":"m{id}","role":"assistant","content":[{block}],"usage":{{"input_tokens":9000}}}}"#
                    ),
                );
                calls.push((call, last.clone()));
            }
            while !calls.is_empty() {
                let (call, parent) = calls.remove(numbers.below(calls.len()));
                let result = format!(
                    r#""type":"user","message":{{"role":"user","content":[{{"type":"tool_result","tool_use_id":"t{id}-{call}","content":"out {id} {call}"}}]}},"toolUseResult":"out""#
                );
                last = line(&mut lines, &parent, &result);
            }
            if numbers.one_in(3) {
                let attachment =
                    r#""type":"attachment","attachment":{"type":"file","content":"file"}"#;
                last = line(&mut lines, &last, attachment);
            }
            if numbers.one_in(5) {
                let beside = text("user", 0, "beside");
                line(&mut lines, "null", &format!(r#""isSidechain":true,{beside}"#));
            }
        }
        last = line(&mut lines, &last, &text("assistant", turn * 100 + 99, "ends the turn"));
        if numbers.one_in(5) && start != "null" {
            last = start;
        } else if numbers.one_in(6) {
            let boundary = line(
                &mut lines,
                "null",
                r#""type":"system","subtype":"compact_boundary","compactMetadata":{"trigger":"auto"}"#,
            );
            let summary = text("user", 0, SUMMARY.split('\n').next().unwrap());
            last = line(&mut lines, &boundary, &format!(r#"{summary},"isCompactSummary":true"#));
        }
    }
    line(&mut lines, &last, &text("user", 0, "the end"));
    lines
}

#[test]
fn sessions_made_up_are_read_as_promised() {
    for seed in 0..400 {
        let text = session(&mut Numbers(seed)).join("\n") + "\n";
        check(text.as_bytes(), 3, &format!("session {seed}"));
    }
}

/// Compactions on top of compactions, appended and not, and turns between them.
#[test]
fn sessions_are_compacted_again_and_again() {
    for seed in 0..100 {
        let mut numbers = Numbers(seed);
        let mut bytes = (session(&mut numbers).join("\n") + "\n").into_bytes();
        for round in 0..5 {
            check(&bytes, 3, &format!("session {seed}, round {round}"));
            bytes = read(&bytes, |document, conversation| {
                let mut draft = Draft::new(conversation);
                decide(&mut draft, &mut Numbers(seed + round), true);
                let mut now = document.bytes().to_vec();
                if numbers.one_in(2) {
                    for line in resume::append(&mut draft, document, 7).unwrap() {
                        now.extend(line.into_bytes());
                        now.push(b'\n');
                    }
                } else {
                    resume::make_resumable(&mut draft, document, 7);
                    now = document.apply(&draft.edits(document));
                }
                now
            });
            let text = String::from_utf8_lossy(&bytes);
            let uuids: Vec<&str> = text
                .lines()
                .filter(|line| !line.contains("isSidechain\":true"))
                .filter_map(|line| line.split("\"uuid\":\"").nth(1)?.split('"').next())
                .collect();
            let last =
                if numbers.one_in(2) { uuids[uuids.len() - 1] } else { uuids[uuids.len() / 2] };
            // A new turn hangs on the end, or on something before it.
            let turn = format!(
                r#"{{"parentUuid":"{last}","sessionId":"s","timestamp":"2026-01-01T00:00:00Z","type":"user","message":{{"role":"user","content":"next {round}"}},"uuid":"n{round}"}}"#
            );
            bytes.extend(turn.into_bytes());
            bytes.push(b'\n');
        }
    }
}

/// Whatever is missing, doubled or out of place: reading and editing never panic, and what comes
/// out is read again.
#[test]
fn broken_sessions_are_edited_without_a_panic() {
    for seed in 0..600 {
        let mut numbers = Numbers(seed);
        let mut lines = session(&mut numbers);
        for _ in 0..=numbers.below(6) {
            let (a, b) = (numbers.below(lines.len()), numbers.below(lines.len()));
            match numbers.below(4) {
                0 if lines.len() > 2 => {
                    lines.remove(a);
                }
                1 => lines.swap(a, b),
                2 => lines.insert(a, lines[b].clone()),
                _ => lines[a] = lines[a].replace("\"parentUuid\":\"u", "\"parentUuid\":\"u1"),
            }
        }
        let text = lines.join("\n");
        read(text.as_bytes(), |document, conversation| {
            for compacts in [true, false] {
                if conversation.messages.is_empty() {
                    continue;
                }
                let mut draft = Draft::new(conversation);
                decide(&mut draft, &mut numbers, compacts);
                resume::make_resumable(&mut draft, document, 7);
                let now = document.apply(&draft.edits(document));
                assert!(Document::parse(&now).is_ok());
            }
        });
    }
}
