//! Logs of Claude Code in which side chains are written at the same time as what called them, lines stand twice, hang
//! elsewhere or are missing, and messages are several lines: whichever of them are read, they are repaired once.

use context_compact::check::{Severity, findings};
use context_compact::conversation::{Conversation, Message, Origin, decode};
use context_compact::dialect::{self, Scope};
use context_compact::document::Document;
use context_compact::normalize::normalize;
use context_compact::pairing::Pairs;
use context_compact::resume;
use context_compact::thinking::Signatures;
use proptest::prelude::*;
use proptest::sample::Index;
use proptest::test_runner::TestCaseError;
use serde_json::{Value, json};

/// One line to be written.
#[derive(Clone, Debug)]
struct Step {
    /// The conversation itself, or one of its side chains.
    thread: usize,
    what: What,
    /// Whether an answer goes on with the message before it, if nobody spoke between.
    goes_on: bool,
    /// What is chosen where there is a choice.
    pick: Index,
    parent: Parent,
    is_missing: bool,
}

#[derive(Clone, Copy, Debug)]
enum What {
    Call,
    Result,
    SecondResult,
    Answer,
    Thinking,
    Request,
    Attachment,
    Progress,
    Again,
}

#[derive(Clone, Copy, Debug)]
enum Parent {
    Last,
    Any,
    Nothing,
    Missing,
}

fn step() -> impl Strategy<Value = Step> {
    let what = prop_oneof![
        6 => Just(What::Call),
        5 => Just(What::Result),
        1 => Just(What::SecondResult),
        2 => Just(What::Answer),
        1 => Just(What::Thinking),
        1 => Just(What::Request),
        1 => Just(What::Attachment),
        1 => Just(What::Progress),
        1 => Just(What::Again),
    ];
    let parent = prop_oneof![
        16 => Just(Parent::Last),
        1 => Just(Parent::Any),
        1 => Just(Parent::Nothing),
        1 => Just(Parent::Missing),
    ];
    let step =
        (0..3_usize, what, any::<bool>(), any::<Index>(), parent, prop::bool::weighted(0.08));
    step.prop_map(|(thread, what, goes_on, pick, parent, is_missing)| Step {
        thread,
        what,
        goes_on,
        pick,
        parent,
        is_missing,
    })
}

/// The log that the steps write.
fn log(steps: &[Step]) -> String {
    let mut lines: Vec<Value> = Vec::new();
    let mut last: [Option<String>; 3] = [None, None, None];
    let mut message = [0; 3];
    let mut open: [Vec<String>; 3] = [vec![], vec![], vec![]];
    for (at, step) in steps.iter().enumerate() {
        let (thread, pick) = (step.thread, &step.pick);
        let newest = &mut message[thread];
        if !step.goes_on || matches!(step.what, What::Request) {
            *newest = at;
        }
        let answer = |block: Value| {
            let id = format!("msg_{thread}_{newest}");
            json!({"type": "assistant", "message": {"id": id, "role": "assistant", "content": [block]}})
        };
        let user = |content: Value| json!({"type": "user", "message": {"role": "user", "content": content}});
        let result = |id: &str| {
            user(json!([{"type": "tool_result", "tool_use_id": id, "content": format!("ok {at}")}]))
        };
        let waiting = &mut open[thread];
        let mut line = match step.what {
            _ if last[thread].is_none() => user(json!(format!("go {thread}"))),
            What::Call => {
                let id = format!("toolu_{at}");
                waiting.push(id.clone());
                answer(json!({"type": "tool_use", "id": id, "name": "Bash", "input": {}}))
            }
            What::Result if !waiting.is_empty() => {
                result(&waiting.remove(pick.index(waiting.len())))
            }
            What::SecondResult if !waiting.is_empty() => {
                result(&waiting[pick.index(waiting.len())])
            }
            What::Again => {
                lines.push(pick.get(&lines).clone());
                continue;
            }
            // The model thinks once it has what it asked for.
            What::Thinking if waiting.is_empty() => answer(
                json!({"type": "thinking", "thinking": "Hm.", "signature": "EqQBCgIYAhIM1234"}),
            ),
            What::Attachment => {
                json!({"type": "attachment", "attachment": {"type": "edited_text_file", "snippet": "x"}})
            }
            What::Progress => json!({"type": "progress", "data": {}}),
            What::Request => user(json!(format!("and {at}"))),
            _ => answer(json!({"type": "text", "text": format!("so {at}")})),
        };
        let kin: Vec<&Value> =
            lines.iter().filter(|line| line["agentId"] == json!(thread)).collect();
        let any = || Some(pick.get(&kin)["uuid"].as_str()?.to_owned());
        let parent = match step.parent {
            Parent::Any if !kin.is_empty() => any(),
            Parent::Nothing => None,
            Parent::Missing => Some("gone".to_owned()),
            _ => last[thread].clone(),
        };
        line["parentUuid"] = json!(parent);
        line["isSidechain"] = json!(thread > 0);
        line["agentId"] = json!(thread);
        line["sessionId"] = json!("s");
        line["timestamp"] = json!("2026-01-01T00:00:00Z");
        line["uuid"] = json!(format!("u{at}"));
        last[thread] = Some(format!("u{at}"));
        lines.push(line);
    }
    let missing = steps.iter().map(|step| step.is_missing);
    let lines = lines.iter().zip(missing).filter(|(_, is_missing)| !is_missing);
    let lines: Vec<String> = lines.map(|(line, _)| line.to_string()).collect();
    lines.join("\n") + "\n"
}

/// Reads a log; `None` where there is none.
fn read<T>(
    text: &str,
    scope: Scope,
    then: impl for<'a> FnOnce(&Document<'a>, &Conversation<'a>) -> T,
) -> Option<T> {
    let document = Document::parse(text.as_bytes()).ok()?;
    let shape = dialect::recognise(document.values(), dialect::named("claude-code")).ok()?;
    let source = dialect::sources(&document, shape.layout).into_iter().next()?;
    Some(then(&document, &decode(shape.dialect, source, scope)))
}

/// The repaired log; `None` where nothing is left of what is read.
fn normalized(text: &str, scope: Scope) -> Option<String> {
    read(text, scope, |document, conversation| {
        let (provider, signatures) =
            (conversation.dialect.provider(), Signatures::of(conversation, None));
        let (mut draft, _) = normalize(conversation, provider, signatures, &[]);
        // Where nothing of what is live stays but reminders, another thread is the conversation.
        let live = conversation.messages.last()?.thread;
        let mut messages = conversation.messages.iter().enumerate();
        let stays = |(at, message): (usize, &Message<'_>)| {
            !draft.is_dropped(at) && message.thread == live && message.origin == Origin::Spoken
        };
        if !messages.any(stays) {
            return None;
        }
        resume::make_resumable(&mut draft, document, usize::MAX);
        Some(String::from_utf8(document.apply(&draft.edits(document))).expect("a text"))
    })?
}

fn faults(text: &str, scope: Scope) -> Option<Vec<String>> {
    read(text, scope, |_, conversation| {
        let pairs = Pairs::of(&conversation.messages);
        let found = findings(conversation, &pairs, conversation.dialect.provider());
        // Nothing may be left: no repair makes a message up, or knows who speaks.
        let faults = found.iter().filter(|finding| {
            let is_mended = !["empty-conversation", "unknown-role"].contains(&finding.rule.name);
            finding.severity == Severity::Fault && is_mended
        });
        faults.map(|fault| format!("{}: {}", fault.rule.name, fault.text)).collect()
    })
}

fn assert_repaired_once(text: &str, scope: Scope) -> Result<(), TestCaseError> {
    let Some(once) = normalized(text, scope) else { return Ok(()) };
    let Some(left) = faults(&once, scope) else { return Ok(()) };
    prop_assert_eq!(left, [""; 0], "{:?}: {}\nfrom {}", scope, once, text);
    let twice = normalized(&once, scope);
    prop_assert_eq!(twice, Some(once), "{:?} of {}", scope, text);
    Ok(())
}

proptest! {
    #[test]
    fn threads_are_repaired_once(steps in prop::collection::vec(step(), 1..16)) {
        let text = log(&steps);
        assert_repaired_once(&text, Scope::Live)?;
        assert_repaired_once(&text, Scope::All)?;
    }
}
