//! What providers and libraries take stays as it is: no fault is found in it, and nothing repaired.
//!
//! Each is a form that files have, which reads like a fault where its dialect is not known well.

mod anthropic;
mod empty;
mod gemini;
mod langchain;
mod mistral;
mod names;
mod openai;
mod responses;
mod text_calls;

use context_compact::check::{self, Severity};
use context_compact::conversation::{self, Conversation, Kind, Message, Role};
use context_compact::dialect::{self, Provider};
use context_compact::document::Document;
use context_compact::draft::{Draft, NewMessage, NewPart};
use context_compact::normalize;
use context_compact::pairing::{Joints, Pairs};
use context_compact::thinking::Signatures;

/// Reads the one conversation of `document`.
fn decode<'a>(document: &Document<'a>) -> Conversation<'a> {
    let shape = dialect::recognise(document.values(), None).unwrap();
    let source = dialect::sources(document, shape.layout).remove(0);
    conversation::decode(shape.dialect, source, dialect::Scope::Live)
}

/// Each finding of this severity as `rule: text`.
fn findings(text: &str, provider: Provider, severity: Severity) -> Vec<String> {
    let document = Document::parse(text.as_bytes()).unwrap();
    let conversation = decode(&document);
    let pairs = Pairs::of(&conversation.messages);
    let found = check::findings(&conversation, &pairs, provider);
    let found = found.iter().filter(|finding| finding.severity == severity);
    found.map(|finding| format!("{}: {}", finding.rule.name, finding.text)).collect()
}

fn faults(text: &str, provider: Provider) -> Vec<String> {
    findings(text, provider, Severity::Fault)
}

/// The repaired text.
fn normalized(text: &str, provider: Provider) -> String {
    let document = Document::parse(text.as_bytes()).unwrap();
    let conversation = decode(&document);
    let (draft, _) = normalize::normalize(&conversation, provider, Signatures::default(), &[]);
    String::from_utf8(document.apply(&draft.edits(&document))).unwrap()
}

/// The dialect of a text.
fn dialect_of(text: &str) -> &'static str {
    let document = Document::parse(text.as_bytes()).unwrap();
    decode(&document).dialect.name()
}

fn own_provider(text: &str) -> Provider {
    let document = Document::parse(text.as_bytes()).unwrap();
    decode(&document).dialect.provider()
}

fn assert_valid(text: &str) {
    let provider = own_provider(text);
    assert_eq!(faults(text, provider), Vec::<String>::new(), "{text}");
    assert_eq!(normalized(text, provider), text);
}

/// What is repaired, into what; nothing is left to repair then.
fn assert_repaired(broken: &str, repaired: &str) {
    let provider = own_provider(broken);
    assert_ne!(faults(broken, provider), Vec::<String>::new(), "{broken}");
    assert_eq!(normalized(broken, provider), repaired);
    assert_eq!(faults(repaired, provider), Vec::<String>::new(), "{repaired}");
    assert_eq!(normalized(repaired, provider), repaired);
}
