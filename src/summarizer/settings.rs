//! Who summarises, and within which limits.
//!
//! Relies on the caller for the environment: it is handed in as a function, so that tests and
//! libraries decide what is in it. Invariant: a [`Key`] shows itself to nobody but a request.

use std::fmt;
use std::path::{Path, PathBuf};
use std::time::Duration;

use super::failure::Reason;
use super::job::Notice;
use super::provider::Provider;

/// Everything about summarizing that does not depend on the conversation.
#[derive(Clone, Debug)]
pub struct Settings {
    /// Who summarises.
    pub source: Source,
    /// Replaces the built-in prompt's task; the text-only rule and the fences stay.
    pub prompt: Option<String>,
    /// Further instructions of the user's.
    pub instructions: Option<String>,
    /// What a summary may take.
    pub limits: Limits,
}

/// Who summarises.
#[derive(Clone, Debug)]
pub enum Source {
    /// A model behind HTTP.
    Http(Endpoint),
    /// A shell command: prompt on stdin, summary on stdout.
    Command(String),
    /// An existing summary; nothing is called.
    File(PathBuf),
}

/// A model behind HTTP.
#[derive(Clone)]
pub struct Endpoint {
    /// The wire shape.
    pub provider: &'static dyn Provider,
    /// Where the provider's path begins; `None` is the provider's own address.
    pub base_url: Option<String>,
    /// The model; `None` is the provider's cheap one.
    pub model: Option<String>,
    /// The key; local servers need none.
    pub key: Option<Key>,
    /// PEM file of the certificates to trust, instead of the built-in ones (`SSL_CERT_FILE`).
    pub certificates: Option<PathBuf>,
}

/// What a summary may take.
#[derive(Clone, Copy, Debug)]
pub struct Limits {
    /// How long connecting may take.
    pub connect: Duration,
    /// How long one answer may take.
    pub answer: Duration,
    /// How long all of it may take, waiting included.
    pub deadline: Duration,
    /// How often a failed request is repeated.
    pub retries: usize,
    /// The first pause before a repetition; it doubles each time.
    pub pause: Duration,
    /// How many tokens a model may answer with.
    pub summary_tokens: usize,
    /// The summarizer's own window in tokens, where it is known.
    pub window: Option<usize>,
}

impl Default for Limits {
    fn default() -> Self {
        Self {
            connect: Duration::from_secs(10),
            answer: Duration::from_mins(2),
            deadline: Duration::from_mins(10),
            retries: 2,
            pause: Duration::from_millis(500),
            summary_tokens: 4096,
            window: None,
        }
    }
}

impl Endpoint {
    /// Returns an endpoint with the provider's own address and model.
    pub fn new(provider: &'static dyn Provider) -> Self {
        Self { provider, base_url: None, model: None, key: None, certificates: None }
    }

    /// Returns the model that is asked.
    pub fn model(&self) -> &str {
        self.model.as_deref().unwrap_or(self.provider.model())
    }

    /// Returns the address that requests go to.
    pub fn url(&self) -> String {
        let base = self.base_url.as_deref().unwrap_or(self.provider.base_url());
        self.provider.url(base.trim_end_matches('/'), self.model())
    }

    /// Returns host and port of the address, without a user name.
    pub fn host(&self) -> String {
        let url = self.url();
        let rest = url.split_once("://").map_or(&*url, |(_, rest)| rest);
        let authority = rest.split(['/', '?', '#']).next().unwrap_or_default();
        authority.rsplit('@').next().unwrap_or_default().to_owned()
    }

    /// Tells what is wrong with the endpoint, before anything is sent.
    pub(super) fn check(&self) -> Result<(), Reason> {
        let url = self.url();
        if !url.starts_with("http://") && !url.starts_with("https://") {
            return Err(Reason::Setting(
                "base URL begins with neither http:// nor https://".into(),
            ));
        }
        if self.host().is_empty() {
            return Err(Reason::Setting("base URL names no host".into()));
        }
        // Local servers need no key; the provider's own address always does.
        if self.key.is_none() && self.base_url.is_none() {
            let variable = self.provider.key_variables()[0];
            return Err(Reason::Setting(format!("no API key: set {variable} or give a key file")));
        }
        Ok(())
    }
}

impl fmt::Debug for Endpoint {
    fn fmt(&self, f: &mut fmt::Formatter) -> fmt::Result {
        f.debug_struct("Endpoint")
            .field("provider", &self.provider.name())
            .field("host", &self.host())
            .field("model", &self.model())
            .finish_non_exhaustive()
    }
}

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
            Reason::Setting(format!("could not read {}: {error}", path.display()))
        })?;
        Self::new(&text)
    }

    /// Returns the first key that `variable` knows of those that `provider` looks for.
    pub fn from_environment(
        provider: &dyn Provider,
        variable: impl Fn(&str) -> Option<String>,
    ) -> Result<Option<Self>, Reason> {
        let mut keys = provider.key_variables().iter().filter_map(|name| variable(name));
        keys.find(|key| !key.trim().is_empty()).map(|key| Self::new(&key)).transpose()
    }

    /// Returns the key itself: for a request's header and nothing else.
    pub(super) fn secret(&self) -> &str {
        &self.0
    }

    /// Returns `text` without the key: servers like to quote what they refuse.
    pub(super) fn redact(&self, text: &str) -> String {
        text.replace(&self.0, "[key]")
    }
}

impl fmt::Debug for Key {
    fn fmt(&self, f: &mut fmt::Formatter) -> fmt::Result {
        f.write_str("Key(…)")
    }
}

impl Source {
    /// Returns who summarises, for reports: a command is not shown, since keys stand in some.
    pub fn name(&self) -> String {
        match self {
            Self::Http(endpoint) => endpoint.model().to_owned(),
            Self::Command(_) => "the command".to_owned(),
            Self::File(path) => path.display().to_string(),
        }
    }

    /// Returns what is said before `messages` messages are sent there.
    pub(super) fn asking(&self, messages: usize) -> Notice {
        let host = match self {
            Self::Http(endpoint) => Some(endpoint.host()),
            Self::Command(_) | Self::File(_) => None,
        };
        Notice::Asking { messages, who: self.name(), host }
    }
}
