//! The summarizer and its limits.
//!
//! Relies on the caller for the environment, which is passed in as a function, so that tests and libraries
//! decide its content. Invariant: a [`Key`] is shown only to requests.

use std::fmt;
use std::path::{Path, PathBuf};
use std::time::Duration;

use super::failure::Reason;
use super::file::Notes;
use super::job::Notice;
use super::provider::Provider;
use super::proxy;
use crate::defaults::{CONNECT_TIMEOUT, DEADLINE, RETRIES, TIMEOUT};
use crate::line::places;

/// The settings of a summarizer, which do not depend on the conversation.
#[derive(Clone)]
pub struct Settings {
    /// The summarizer.
    pub source: Source,
    /// Replaces the built-in prompt's task; the text-only rule and the fences stay.
    pub prompt: Option<String>,
    /// Further instructions of the user.
    pub instructions: Option<String>,
    /// The limits of a summary.
    pub limits: Limits,
}

/// The summarizer: a model, a command or a file.
#[derive(Clone)]
pub enum Source {
    /// A model behind HTTP.
    Http(Endpoint),
    /// A shell command: prompt on stdin, summary on stdout.
    Command(String),
    /// An existing summary; nothing is called.
    File(Notes),
}

/// A model behind HTTP.
#[derive(Clone)]
pub struct Endpoint {
    /// The wire shape.
    pub provider: &'static dyn Provider,
    /// The base of request addresses; `None` for the provider's own address.
    pub base_url: Option<String>,
    /// The model; `None` for the provider's cheap one.
    pub model: Option<String>,
    /// The key; local servers need none.
    pub key: Option<Key>,
    /// PEM file of the certificates to trust, instead of the built-in ones (`SSL_CERT_FILE`).
    pub certificates: Option<PathBuf>,
}

/// The limits of a summary in time, repetitions and tokens.
#[derive(Clone, Copy, Debug)]
pub struct Limits {
    /// The longest time for connecting.
    pub connect: Duration,
    /// The longest time for one answer.
    pub answer: Duration,
    /// The longest time for the whole summary, waiting included.
    pub deadline: Duration,
    /// How often a failed request is repeated.
    pub retries: usize,
    /// The first pause before a repetition; it doubles each time.
    pub pause: Duration,
    /// The most tokens of a model's answer.
    pub summary_tokens: usize,
    /// The summarizer's own window in tokens, if known.
    pub window: Option<usize>,
    /// The most tokens that the model can answer with, if known.
    pub most_answer: Option<usize>,
}

impl Default for Limits {
    fn default() -> Self {
        Self {
            connect: Duration::from_secs(CONNECT_TIMEOUT),
            answer: Duration::from_secs(TIMEOUT),
            deadline: Duration::from_secs(DEADLINE),
            retries: RETRIES,
            pause: Duration::from_millis(500),
            summary_tokens: 4096,
            window: None,
            most_answer: None,
        }
    }
}

/// The ends of complete request addresses, which a base address must not have.
const PATHS: &[&str] =
    &["/chat/completions", "/completions", "/responses", "/messages", ":generateContent"];

impl Endpoint {
    /// Returns an endpoint with the provider's own address and model.
    pub fn new(provider: &'static dyn Provider) -> Self {
        Self { provider, base_url: None, model: None, key: None, certificates: None }
    }

    /// Returns the model to ask.
    pub fn model(&self) -> &str {
        self.model.as_deref().unwrap_or(self.provider.facts().model)
    }

    /// Returns the address of requests.
    pub fn url(&self) -> String {
        let base = self.base_url.as_deref().unwrap_or(self.provider.facts().base_url);
        self.provider.url(base.trim_end_matches('/'), self.model())
    }

    /// Returns the host and port of the address, without a user name.
    pub fn host(&self) -> String {
        let url = self.url();
        let rest = url.split_once("://").map_or(&*url, |(_, rest)| rest);
        let authority = rest.split(['/', '?', '#']).next().unwrap_or_default();
        authority.rsplit('@').next().unwrap_or_default().to_owned()
    }

    /// Checks the address before anything is sent.
    pub fn check_address(&self) -> Result<(), Reason> {
        let url = self.url();
        if !url.starts_with("http://") && !url.starts_with("https://") {
            return Err(Reason::Setting(
                "base URL begins with neither http:// nor https://".into(),
            ));
        }
        if self.host().is_empty() {
            return Err(Reason::Setting("base URL names no host".into()));
        }
        let Some(base) = self.base_url.as_deref().map(|base| base.trim_end_matches('/')) else {
            return Ok(());
        };
        if base.contains(['?', '#']) {
            return Err(Reason::Setting("base URL has a query, which would not end it".into()));
        }
        if let Some(path) = PATHS.iter().find(|path| base.ends_with(**path)) {
            return Err(Reason::Setting(format!("base URL ends in {path}, which is added to it")));
        }
        Ok(())
    }

    /// Checks the proxy that the environment names, before anything is sent.
    pub fn check_proxy(&self) -> Result<(), Reason> {
        proxy::of(&self.url(), |name| std::env::var_os(name)).map(drop)
    }

    /// Checks the endpoint before anything is sent.
    pub(super) fn check(&self) -> Result<(), Reason> {
        self.check_address()?;
        // Local servers need no key, but the provider's own address always does.
        if self.key.is_none() && self.base_url.is_none() {
            let variable = self.provider.facts().key_variables[0];
            return Err(Reason::Setting(format!("no API key: set {variable}, or --api-key-file")));
        }
        Ok(())
    }
}

/// The most bytes of a key that may occur in any text by chance.
const WORD: usize = 4;

/// Replaces a key.
const KEY: &str = "[key]";

/// How many characters of a key reveal something of it.
const TELLING: usize = 10;

/// An API key.
#[derive(Clone, PartialEq, Eq)]
pub struct Key(String);

impl Key {
    /// Returns the key in `text`, without the white space around it.
    pub fn new(text: &str) -> Result<Self, Reason> {
        let text = text.trim();
        if text.is_empty() {
            return Err(Reason::Setting("API key is empty".into()));
        }
        if !text.bytes().all(|byte| byte.is_ascii_graphic()) {
            return Err(Reason::Setting("API key has characters that no key has".into()));
        }
        Ok(Self(text.to_owned()))
    }

    /// Reads the key that the file at `path` holds.
    pub fn from_file(path: &Path) -> Result<Self, Reason> {
        let text = std::fs::read_to_string(path).map_err(|error| {
            Reason::Setting(format!("could not read the key file {}: {error}", path.display()))
        })?;
        Self::new(&text).map_err(|error| Reason::Setting(format!("{}: {error}", path.display())))
    }

    /// Returns the first of the provider's key variables that has a value in `variable`.
    pub fn from_environment(
        provider: &dyn Provider,
        variable: impl Fn(&str) -> Option<String>,
    ) -> Result<Option<Self>, Reason> {
        let keys = provider.facts().key_variables.iter().map(|&name| (name, variable(name)));
        let mut keys = keys.filter_map(|(name, key)| Some((name, key?)));
        let Some((name, key)) = keys.find(|(_, key)| !key.trim().is_empty()) else {
            return Ok(None);
        };
        let key = Self::new(&key).map_err(|error| Reason::Setting(format!("{name}: {error}")));
        key.map(Some)
    }

    /// Returns the key itself; only for the header of a request.
    pub(super) fn secret(&self) -> &str {
        &self.0
    }

    /// Returns an error message without the key or a revealing piece of it, because servers quote what they
    /// refuse. For a key that could be an ordinary word, such as `x` or `local`, only whole words are
    /// replaced.
    pub(super) fn redact(&self, error: &str) -> String {
        let is_word = self.0.len() <= WORD || self.0.bytes().all(|byte| byte.is_ascii_alphabetic());
        if self.0.len() >= TELLING || !is_word {
            return self.without_pieces(error, self.0.len().min(TELLING));
        }
        let (mut out, mut from) = (String::with_capacity(error.len()), 0);
        for at in places(error, &self.0) {
            out.push_str(&error[from..at]);
            out.push_str(KEY);
            from = at + self.0.len();
        }
        out + &error[from..]
    }

    /// Returns an answer without the key or a revealing piece of it. Short keys, as used with local servers,
    /// are no secrets but may be words of the answer.
    pub(super) fn redact_answer(&self, answer: &str) -> String {
        self.without_pieces(answer, TELLING)
    }

    fn without_pieces(&self, text: &str, least: usize) -> String {
        let mut out = String::with_capacity(text.len());
        let mut rest = text;
        while let Some(first) = rest.chars().next() {
            let is_of_key =
                |length: &usize| rest.get(..*length).is_some_and(|piece| self.0.contains(piece));
            let quoted = if is_of_key(&least) {
                (least..=self.0.len()).take_while(is_of_key).last()
            } else {
                None
            };
            out.push_str(if quoted.is_some() { KEY } else { &rest[..first.len_utf8()] });
            rest = &rest[quoted.unwrap_or(first.len_utf8())..];
        }
        out
    }
}

impl fmt::Debug for Key {
    fn fmt(&self, f: &mut fmt::Formatter) -> fmt::Result {
        f.write_str("Key(…)")
    }
}

impl Source {
    /// Returns the name of the summarizer for reports; a command is not shown, because it may hold keys.
    pub fn name(&self) -> String {
        match self {
            Self::Http(endpoint) => endpoint.model().to_owned(),
            Self::Command(_) => "the command".to_owned(),
            Self::File(notes) => notes.path().display().to_string(),
        }
    }

    /// Returns the notice to show before `messages` messages are sent.
    pub(super) fn asking(&self, messages: usize) -> Notice {
        let host = match self {
            Self::Http(endpoint) => Some(endpoint.host()),
            Self::Command(_) | Self::File(_) => None,
        };
        Notice::Asking { messages, who: self.name(), host }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn no_error_tells_the_key_and_no_word_is_torn_for_a_short_one() {
        let key = |key: &str| Key::new(key).expect("a key");
        let said = "no such key: sk-0123456789, nor 0123456789…";
        assert_eq!(key("sk-0123456789").redact(said), "no such key: [key], nor [key]…");
        for short in ["secret12", "sk-012345", "0123456789"] {
            let said = format!("{short} Bearer%20{short} u0020{short}");
            let told = key(short).redact(&said);
            assert!(!told.contains(short) && told.matches(KEY).count() == 3, "{told}");
        }
        assert_eq!(key("local").redact("localhost: no local key"), "localhost: no [key] key");
        let said = "x: the maximum context of x is 8";
        assert_eq!(key("x").redact(said), "[key]: the maximum context of [key] is 8");
    }
}
