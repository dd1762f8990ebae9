//! A server that answers each connection by the next line of a script, and jobs to send to it.
//!
//! The last line of the script is repeated. Every request is kept as it came.

use std::cell::RefCell;
use std::io::{BufRead, BufReader, Read, Write};
use std::net::{Shutdown, TcpListener, TcpStream};
use std::sync::{Arc, Mutex};
use std::thread;
use std::time::Duration;

use context_compact::summarizer::provider::by_name;
use context_compact::summarizer::{
    Earlier, Endpoint, Excerpt, Failure, Job, Key, Limits, Notice, Settings, Source, Summary,
    summarise,
};
use serde_json::{Value, json};

pub(super) const KEY: &str = "sk-very-secret-0123456789";

/// How the server treats a connection.
#[derive(Clone, Debug)]
pub(super) enum Act {
    /// Status, further headers, body; the content type is JSON unless a header says otherwise.
    Answer(u16, &'static [(&'static str, &'static str)], String),
    /// A body of these bytes.
    Raw(Vec<u8>),
    /// A header with the address of another server.
    Redirect(u16, String),
    /// Reads, and says nothing.
    Stall,
    /// Closes at once, with the request unread: a reset.
    Reset,
    /// Promises more body than it sends.
    Truncate(String),
    /// Sends a byte now and then, for ever.
    Drip,
    /// Sends as fast as it can, for ever.
    Flood,
}

/// A request, as it came.
#[derive(Clone, Debug)]
pub(super) struct Seen {
    pub(super) path: String,
    pub(super) headers: Vec<(String, String)>,
    pub(super) body: Value,
}

impl Seen {
    pub(super) fn header(&self, name: &str) -> Option<&str> {
        self.headers.iter().find(|(key, _)| key == name).map(|(_, value)| &**value)
    }

    /// The prompt in a body of any provider's.
    pub(super) fn prompt(&self) -> &str {
        ["/messages/0/content", "/input", "/contents/0/parts/0/text"]
            .iter()
            .find_map(|pointer| self.body.pointer(pointer)?.as_str())
            .expect("a prompt")
    }
}

pub(super) struct Server {
    pub(super) url: String,
    seen: Arc<Mutex<Vec<Seen>>>,
}

impl Server {
    pub(super) fn start(script: Vec<Act>) -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").expect("a port");
        let url = format!("http://{}", listener.local_addr().expect("an address"));
        let seen = Arc::new(Mutex::new(Vec::new()));
        let log = Arc::clone(&seen);
        thread::spawn(move || {
            for (index, stream) in listener.incoming().enumerate() {
                let act = script[index.min(script.len() - 1)].clone();
                let log = Arc::clone(&log);
                // A client that hangs up ends its thread with an error that nobody needs.
                thread::spawn(move || stream.and_then(|stream| play(&stream, &act, &log)));
            }
        });
        Self { url, seen }
    }

    pub(super) fn seen(&self) -> Vec<Seen> {
        self.seen.lock().expect("the log").clone()
    }
}

fn play(mut stream: &TcpStream, act: &Act, log: &Mutex<Vec<Seen>>) -> std::io::Result<()> {
    if let Act::Reset = act {
        thread::sleep(Duration::from_millis(20));
        return Ok(());
    }
    let seen = read(stream)?;
    log.lock().expect("the log").push(seen);
    let head = "HTTP/1.1 200 OK\r\ncontent-type: application/json\r\n";
    match act {
        Act::Answer(status, headers, body) => {
            let mut head = format!("HTTP/1.1 {status} X\r\ncontent-length: {}\r\n", body.len());
            if !headers.iter().any(|(name, _)| *name == "content-type") {
                head += "content-type: application/json\r\n";
            }
            for (name, value) in *headers {
                head.extend([name, ": ", value, "\r\n"]);
            }
            write!(stream, "{head}\r\n{body}")
        }
        Act::Raw(body) => {
            write!(stream, "{head}content-length: {}\r\n\r\n", body.len())?;
            stream.write_all(body)
        }
        Act::Redirect(status, to) => {
            write!(stream, "HTTP/1.1 {status} X\r\ncontent-length: 0\r\nlocation: {to}\r\n\r\n")
        }
        Act::Truncate(body) => {
            write!(stream, "{head}content-length: 9999\r\n\r\n{body}")?;
            stream.shutdown(Shutdown::Write)
        }
        Act::Drip => {
            write!(stream, "{head}content-length: 999999\r\n\r\n")?;
            loop {
                write!(stream, " ")?;
                thread::sleep(Duration::from_millis(20));
            }
        }
        Act::Flood => {
            write!(stream, "{head}\r\n")?;
            loop {
                stream.write_all(&[b' '; 16384])?;
            }
        }
        Act::Stall | Act::Reset => {
            thread::sleep(Duration::from_mins(1));
            Ok(())
        }
    }
}

fn read(stream: &TcpStream) -> std::io::Result<Seen> {
    let mut reader = BufReader::new(stream);
    let mut line = String::new();
    reader.read_line(&mut line)?;
    let path = line.split(' ').nth(1).unwrap_or_default().to_owned();
    let mut headers = Vec::new();
    loop {
        line.clear();
        reader.read_line(&mut line)?;
        match line.trim_end().split_once(": ") {
            Some((name, value)) => headers.push((name.to_lowercase(), value.to_owned())),
            None => break,
        }
    }
    let length = headers.iter().find(|(name, _)| name == "content-length");
    let length = length.and_then(|(_, value)| value.parse().ok()).unwrap_or(0);
    let mut body = vec![0; length];
    reader.read_exact(&mut body)?;
    Ok(Seen { path, headers, body: serde_json::from_slice(&body).unwrap_or_default() })
}

/// Returns an answer of `provider` with `text`, ended in the way it calls `stop`.
pub(super) fn answer(provider: &str, text: &str, stop: &str) -> Act {
    let body = match provider {
        "openai" => json!({"choices": [{"message": {"content": text}, "finish_reason": stop}]}),
        "anthropic" => json!({"content": [{"type": "text", "text": text}], "stop_reason": stop}),
        "gemini" => {
            json!({"candidates": [{"content": {"parts": [{"text": text}]}, "finishReason": stop}]})
        }
        _ => json!({
            "status": if stop.is_empty() { "completed" } else { "incomplete" },
            "incomplete_details": {"reason": stop},
            "output": [{"type": "message", "content": [{"type": "output_text", "text": text}]}],
        }),
    };
    Act::Answer(200, &[], body.to_string())
}

/// Returns a good answer of the first provider's.
pub(super) fn good() -> Act {
    answer("openai", "<analysis>hm</analysis><summary>the work</summary>", "stop")
}

pub(super) fn error(status: u16, message: &str) -> Act {
    Act::Answer(status, &[], json!({"error": {"message": message}}).to_string())
}

/// Returns settings for a server of `provider`'s kind, in a hurry.
pub(super) fn settings(provider: &str, url: &str) -> Settings {
    let mut endpoint = Endpoint::new(by_name(provider).expect("a provider"));
    let version = match provider {
        "openai" | "responses" => "/v1",
        "gemini" => "/v1beta",
        _ => "",
    };
    endpoint.base_url = Some(format!("{url}{version}"));
    endpoint.key = Some(Key::new(KEY).expect("a key"));
    Settings { source: Source::Http(endpoint), prompt: None, instructions: None, limits: limits() }
}

pub(super) fn limits() -> Limits {
    Limits {
        answer: Duration::from_secs(5),
        deadline: Duration::from_secs(10),
        pause: Duration::from_millis(5),
        ..Limits::default()
    }
}

pub(super) fn excerpt(message: usize, words: usize) -> Excerpt {
    let text = format!("start{message} {}end{message}", "word ".repeat(words));
    Excerpt {
        message,
        role: "user".into(),
        stays: false,
        text,
        tokens: words + 2,
        is_preview: false,
        group: message,
    }
}

pub(super) fn words(text: &str) -> usize {
    text.split_whitespace().count()
}

/// Summarises, and returns what was said too.
pub(super) fn run(
    settings: &Settings,
    excerpts: &[Excerpt],
) -> (Result<Summary, Failure>, Vec<Notice>) {
    with_earlier(settings, excerpts, None)
}

pub(super) fn with_earlier(
    settings: &Settings,
    excerpts: &[Excerpt],
    earlier: Option<&str>,
) -> (Result<Summary, Failure>, Vec<Notice>) {
    let said = RefCell::new(Vec::new());
    let say = |notice: &Notice| said.borrow_mut().push(notice.clone());
    let earlier = earlier.map(|text| Earlier { text, messages: &[] });
    let job =
        Job { excerpts, earlier, target: Some(500), replaces: 1000, count: &words, say: &say };
    let result = summarise(settings, &job);
    (result, said.into_inner())
}

/// Summarises two messages by the chat completions of a server with this script.
pub(super) fn play_out(script: Vec<Act>) -> (Result<Summary, Failure>, Vec<Notice>, Vec<Seen>) {
    let server = Server::start(script);
    let (result, said) = run(&settings("openai", &server.url), &[excerpt(3, 5), excerpt(4, 5)]);
    (result, said, server.seen())
}
