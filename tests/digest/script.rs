//! Conversations that the tests play, and their digests.

use context_compact::conversation::{Conversation, decode};
use context_compact::dialect::{self, Scope};
use context_compact::digest::{Counter, Memory, Request, Setting, digest};
use context_compact::document::Document;
use context_compact::json::quote;
use context_compact::pairing::Pairs;

/// One token a word: quick, and as good for the laws as any.
pub(crate) fn words(text: &str) -> usize {
    text.split_whitespace().count()
}

pub(crate) fn with<T>(source: &str, then: impl FnOnce(&Conversation<'_>) -> T) -> T {
    with_dialect("openai", source, then)
}

fn with_dialect<T>(name: &str, source: &str, then: impl FnOnce(&Conversation<'_>) -> T) -> T {
    let document = Document::parse(source.as_bytes()).expect("the tests write JSON");
    let shape = dialect::recognise(document.values(), dialect::named(name)).unwrap();
    let source = dialect::sources(&document, shape.layout).remove(0);
    then(&decode(shape.dialect, source, Scope::Live))
}

/// How a conversation is digested; the last message always stays.
#[derive(Clone, Copy)]
pub(crate) struct Digest<'r> {
    pub(crate) budget: usize,
    pub(crate) dialect: &'r str,
    pub(crate) setting: Option<Setting>,
    /// Which of the messages before the last go.
    pub(crate) goes: &'r dyn Fn(usize) -> bool,
    /// The part of the last one that stays visible, where that is not all of it.
    pub(crate) part: Option<&'r str>,
    pub(crate) may_spread: bool,
    pub(crate) count: &'r dyn Fn(&str) -> usize,
    pub(crate) archive: Option<&'r str>,
    pub(crate) redact: bool,
}

impl Digest<'_> {
    /// All messages but the last go.
    pub(crate) const fn within(budget: usize) -> Self {
        Self {
            budget,
            dialect: "openai",
            setting: None,
            goes: &|_| true,
            part: None,
            may_spread: true,
            count: &words,
            archive: None,
            redact: false,
        }
    }

    pub(crate) fn of(&self, source: &str) -> String {
        self.remembering(source, &mut Memory::default())
    }

    pub(crate) fn remembering(&self, source: &str, memory: &mut Memory) -> String {
        with_dialect(self.dialect, source, |conversation| {
            let last = conversation.messages.len() - 1;
            let summarised: Vec<bool> = (0..=last).map(|at| at < last && (self.goes)(at)).collect();
            let request = Request {
                conversation,
                pairs: &Pairs::of(&conversation.messages),
                setting: self.setting.unwrap_or(Setting::of(conversation)),
                summarised: &summarised,
                shown: &summarised.iter().map(|summarised| !summarised).collect::<Vec<_>>(),
                is_joined: false,
                partly_shown: self.part.map(|part| (last, part)),
                cut_results: &[],
                budget: self.budget,
                may_spread: self.may_spread,
                archive: self.archive,
                redact: self.redact,
            };
            let said = &|at: usize| (self.count)(&conversation.messages[at].text());
            digest(&request, Counter { text: self.count, said }, memory)
        })
    }
}

/// The digest of all messages but the last.
pub(crate) fn digested(source: &str, budget: usize) -> String {
    Digest::within(budget).of(source)
}

/// The digest where three bytes are a token: a model's tokens are no words, in Chinese least of all.
pub(crate) fn digested_by_thirds(source: &str, budget: usize) -> String {
    let count = |text: &str| text.len().div_ceil(3);
    let text = Digest { count: &count, ..Digest::within(budget) }.of(source);
    assert!(count(&text) <= budget, "{text}");
    text
}

/// The digest of those messages before the last that go.
pub(crate) fn digested_of(
    source: &str,
    budget: usize,
    setting: Option<Setting>,
    goes: impl Fn(usize) -> bool,
) -> String {
    Digest { setting, goes: &goes, ..Digest::within(budget) }.of(source)
}

/// A conversation being written.
#[derive(Clone, Default)]
pub(crate) struct Script {
    pub(crate) messages: Vec<String>,
    calls: usize,
}

impl Script {
    /// One that goes on behind what was digested.
    pub(crate) fn after(digest: &str) -> Self {
        Self::default().user(digest)
    }

    pub(crate) fn says(mut self, role: &str, text: &str) -> Self {
        self.messages.push(format!(r#"{{"role":"{role}","content":{}}}"#, quote(text)));
        self
    }

    pub(crate) fn user(self, text: &str) -> Self {
        self.says("user", text)
    }

    pub(crate) fn assistant(self, text: &str) -> Self {
        self.says("assistant", text)
    }

    pub(crate) fn calls(mut self, tool: &str, arguments: &str, result: &str) -> Self {
        self.calls += 1;
        let id = self.calls;
        self.messages.push(format!(
            r#"{{"role":"assistant","content":null,"tool_calls":[{{"id":"c{id}","type":"function","function":{{"name":"{tool}","arguments":{}}}}}]}}"#,
            quote(arguments)
        ));
        self.messages.push(format!(
            r#"{{"role":"tool","tool_call_id":"c{id}","content":{}}}"#,
            quote(result)
        ));
        self
    }

    /// Runs a command in a shell.
    pub(crate) fn runs(self, command: &str, result: &str) -> Self {
        self.calls("bash", &format!(r#"{{"command":{}}}"#, quote(command)), result)
    }

    /// Edits a file of the work.
    pub(crate) fn edits(self, file: &str, old: &str, new: &str) -> Self {
        let (old, new) = (quote(old), quote(new));
        let edit = format!(
            r#"{{"path":"/home/me/app/src/{file}","old_string":{old},"new_string":{new}}}"#
        );
        self.calls("edit_file", &edit, "ok")
    }

    pub(crate) fn source(&self) -> String {
        format!("[{}]", self.messages.join(","))
    }

    /// The digest of all messages but the last.
    pub(crate) fn digest(&self, budget: usize) -> String {
        digested(&self.source(), budget)
    }
}

/// A short piece of work: a failing test, its fix, and the plan.
pub(crate) fn work() -> Script {
    Script::default()
        .user("Please fix the flaky upload test. Never touch the lock file.")
        .calls("read_file", r#"{"path":"/home/me/app/src/upload.rs"}"#, "  1→fn retry_upload(client: &Client) -> Result<Receipt> {\n  2→    // waits for the server clock")
        .calls("bash", r#"{"command":"cargo test upload"}"#, "Exit code 101\nrunning 4 tests\nerror: assertion failed in upload_twice at src/upload.rs:41\n3 passed; 1 failed")
        .assistant("The test fails because the retry uses the local clock instead of the server clock.")
        .calls("edit_file", r#"{"path":"/home/me/app/src/upload.rs","old_string":"let now = Local::now();","new_string":"let now = client.server_time();"}"#, "ok")
        .calls("bash", r#"{"command":"cargo test upload"}"#, "Exit code 0\ntest result: ok. 4 passed; 0 failed")
        .calls("todo_write", r#"{"todos":[{"content":"fix the clock","status":"completed"},{"content":"document the retry","status":"pending"}]}"#, "ok")
        .user("And now document it.")
}

/// More than one thread reads at a time.
pub(crate) fn long(at: usize) -> String {
    let line = |n: usize| {
        format!("Anna: read_part_{at} checks header {n} of part_{at}.rs before I trust its sum.\n")
    };
    (0..60).map(line).collect()
}

/// Two people who talk on two days, politely and at length, and tell a thing or two.
pub(crate) fn chat() -> Script {
    let first = [
        ("Anna", "Wow, it is so good to hear from you again after all of that time!"),
        ("Bert", "Wow, the same here, it is always such a pleasure to talk with you!"),
        ("Anna", "Wow, I moved to Ljubljana with my cousin Marjeta, of all places!"),
        ("Bert", "That sounds like a really wonderful thing for the two of you to do!"),
    ];
    let second = [
        ("Bert", "It has been such a long week, and the weather was not good at all."),
        ("Anna", "That is how it goes, and it is going to be better soon, for sure."),
        ("Bert", "I sold my accordion for 340 euros. It is what it is, after all."),
        ("Bert", "Nothing else is new, and everybody is as well as they could be."),
    ];
    let days = [("8 May 2023", first), ("2 June 2023", second)];
    let lines = days.into_iter().flat_map(|(day, lines)| lines.map(|line| (day, line)));
    lines.fold(Script::default(), |script, (day, (name, words))| {
        let text = format!("[{day}] {name}: {words}");
        if name == "Anna" { script.user(&text) } else { script.assistant(&text) }
    })
}

/// Reads files of a folder by their whole paths.
pub(crate) fn reads(script: Script, names: &[&str]) -> Script {
    names.iter().fold(script, |script, name| {
        let read = format!(r#"{{"path":"/home/me/shop/cmd/app/{name}.go"}}"#);
        script.calls("read_file", &read, &format!("1→func {name}Main() error {{ return nil }}"))
    })
}
