//! Why there is no summary.
//!
//! Relies on nothing but whom was asked, and what an overflow tells. Invariant: no text in here holds a
//! key, a prompt or a part of one.

use std::fmt;
use std::time::Duration;

use super::answer::CUT_OFF;
use super::class::Overflow;
use super::report::Request;
use crate::line::counted;

/// A summary that could not be made, and what was tried.
#[derive(Clone, Debug)]
pub struct Failure {
    /// What went wrong last.
    pub reason: Reason,
    /// How many calls were made.
    pub attempts: usize,
    /// The requests that were made, the answered ones and the failed one.
    pub requests: Vec<Request>,
}

/// What is wrong with an answer that no model's interface gives.
pub(super) const OTHER_TYPE: &str = "of another content type than JSON";
pub(super) const NOT_JSON: &str = "not JSON";
/// What is wrong with an answer that is no text.
pub(super) const NOT_UTF_8: &str = "not UTF-8";
pub(super) const OTHER_SHAPE: &str = "of another shape than expected";

/// How the reason of a redirect ends.
pub(super) const REDIRECTED: &str = "redirects are not followed";

/// What stands between a server and the proxy on the way to it.
pub(super) const THROUGH: &str = " through the proxy ";

/// How the reason begins where a certificate was not accepted.
pub(super) const DISTRUSTED: &str = "could not trust ";

/// What stands between a server and the error that it answered with.
pub(super) const ANSWERED: &str = " answered ";

/// What the library says where the other side answers in the clear.
const NO_TLS: &str = "InvalidContentType";

/// What went wrong.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Reason {
    /// The settings cannot work: no key, no such address, an unreadable file.
    Setting(String),
    /// The file of an existing summary holds none that can be used.
    File(String),
    /// Rate limit, overload, a broken connection: might work later.
    Wait {
        /// What the other side said.
        text: String,
        /// How long it asked to be left alone.
        after: Option<Duration>,
    },
    /// The request has more tokens than the model takes, and could not be made smaller.
    Overflow(String),
    /// The request has more bytes than the server takes, and could not be made smaller.
    Payload(String),
    /// Refused for good: wrong key, unknown model, bad request.
    Final(String),
    /// An answer that is no summary: empty, cut off, a tool call, a refusal, not JSON, too large.
    Answer(&'static str),
    /// The deadline passed, or what had to be waited for is beyond it.
    Deadline(String),
    /// The command failed.
    Command(String),
}

/// Why a request has no answer.
#[derive(Debug)]
pub(super) enum Unanswered {
    /// It has to become smaller.
    TooLarge(Reason, Overflow),
    /// There is nothing more to be done.
    Failed(Reason),
}

impl fmt::Display for Reason {
    fn fmt(&self, f: &mut fmt::Formatter) -> fmt::Result {
        match self {
            Self::Setting(text)
            | Self::File(text)
            | Self::Final(text)
            | Self::Wait { text, .. } => f.write_str(text),
            Self::Overflow(text) => write!(f, "request too long for the model: {text}"),
            Self::Payload(text) => write!(f, "request too large for the server: {text}"),
            Self::Answer(text) => write!(f, "answer is {text}"),
            Self::Deadline(text) => write!(f, "out of time: {text}"),
            Self::Command(text) => write!(f, "command {text}"),
        }
    }
}

impl Reason {
    /// Returns what the user may do about it, who asked a command or a server.
    pub fn hint(&self, is_command: bool) -> &'static str {
        match self {
            Self::File(_) => {
                "--summary-file names a text in UTF-8 that is shorter than what it stands for"
            }
            Self::Deadline(_) => "--deadline TIME waits longer",
            Self::Command(_) => "the command reads the prompt on stdin and prints the summary",
            Self::Wait { .. } if is_command => "--timeout TIME waits longer for the command",
            Self::Overflow(_) | Self::Payload(_) if is_command => {
                "--command: one whose model has a larger window"
            }
            Self::Setting(_) | Self::Final(_) if is_command => {
                "sh runs the command: is it installed, and on the PATH?"
            }
            Self::Answer(NOT_UTF_8) if is_command => "the command prints text in UTF-8",
            Self::Answer(_) if is_command => {
                "the command prints the summary and nothing else; another model may do better"
            }
            Self::Setting(_) => {
                "--api-key-file, --base-url and --summary-model say whom to ask, see ctx compact --help"
            }
            Self::Wait { text, .. } if text.contains(ANSWERED) => {
                "the server is busy or in trouble: wait, or let --retries try more often"
            }
            Self::Wait { text, .. } if text.contains(THROUGH) => {
                "is the proxy up, and the server behind it? --retries and --timeout wait for them longer"
            }
            Self::Wait { text, .. } if text.contains(NO_TLS) => {
                "what answers there speaks no TLS: --base-url with http:// in place of https://?"
            }
            Self::Wait { .. } => {
                "is the server up, and --base-url right? --retries and --timeout wait for it longer"
            }
            Self::Overflow(_) => "--summary-model: one with a larger window",
            Self::Payload(_) => {
                "the server at --base-url, or a proxy before it, limits the bytes of a request"
            }
            Self::Final(text) if text.ends_with(REDIRECTED) => {
                "--base-url: the address that the server names, if you trust it with the key"
            }
            Self::Answer(OTHER_TYPE | NOT_JSON | NOT_UTF_8 | OTHER_SHAPE) => {
                "is --base-url right? it ends where /chat/completions, /responses or /messages begins"
            }
            Self::Final(text) if text.starts_with(DISTRUSTED) => {
                "SSL_CERT_FILE names a file with the certificates to trust"
            }
            Self::Final(text) => match text.split_once(ANSWERED) {
                Some((_, said)) if said.starts_with("401") || said.starts_with("403") => {
                    "the server does not take the key, or not for --summary-model"
                }
                Some((_, said)) if said.starts_with("404") || said.starts_with("405") => {
                    "the server does not know --summary-model, or --base-url is not its address"
                }
                None if text.contains(THROUGH) => {
                    "the proxy does not let us through: is it the right one, with user and password?"
                }
                _ => "what the server said tells why; another --summary-model may do",
            },
            Self::Answer(CUT_OFF) => "--max-summary-tokens TOKENS asks for a longer one",
            Self::Answer(_) => {
                "another model may do better; --instructions can tell it what to mind"
            }
        }
    }
}

impl fmt::Display for Failure {
    fn fmt(&self, f: &mut fmt::Formatter) -> fmt::Result {
        write!(f, "{}", self.reason)?;
        if self.attempts > 0 {
            write!(f, " ({})", counted(self.attempts, "attempt"))?;
        }
        Ok(())
    }
}

impl std::error::Error for Failure {}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn another_address_is_named_where_the_address_is_wrong() {
        let redirect = Reason::Final(format!("host answered 302: {REDIRECTED}"));
        for reason in [redirect, Reason::Answer(OTHER_TYPE), Reason::Answer(NOT_JSON)] {
            assert!(reason.hint(false).contains("--base-url"), "{reason:?}");
        }
        let model = Reason::Answer("a refusal").hint(false);
        assert!(model.starts_with("another model may do better"), "{model}");
    }

    #[test]
    fn hints_name_what_is_to_blame() {
        for (text, hint) in [
            ("host answered 401: no such key", "the key"),
            ("host answered 404: no such model", "--summary-model"),
            ("host answered 400: no", "--summary-model"),
            ("host answered 422", "--summary-model"),
            ("could not reach host through the proxy p:1: 407", "proxy"),
            ("could not trust host through the proxy p:1: no", "SSL_CERT_FILE"),
        ] {
            let said = Reason::Final(text.to_owned()).hint(false);
            assert!(said.contains(hint), "{text}: {said}");
            assert_eq!(said.contains("proxy"), hint == "proxy", "{text}: {said}");
            assert_eq!(said.contains("key"), hint == "the key", "{text}: {said}");
        }
        for is_command in [false, true] {
            let said = Reason::Answer(NOT_UTF_8).hint(is_command);
            assert!(!said.contains("--instructions") && !said.contains("model"), "{said}");
        }
    }

    #[test]
    fn a_server_that_answered_is_up() {
        let wait = |text: &str| Reason::Wait { text: text.to_owned(), after: None }.hint(false);
        assert!(wait("host answered 429: slow down").contains("--retries"));
        assert!(!wait("host answered 529").contains("is the server up"));
        assert!(wait("no answer from host in time").contains("is the server up"));
        assert!(
            wait("connection to host through the proxy p:1 failed").contains("is the proxy up")
        );
    }

    #[test]
    fn hints_about_a_command_speak_of_no_server() {
        let text = String::new;
        for reason in [
            Reason::Setting(text()),
            Reason::Wait { text: text(), after: None },
            Reason::Overflow(text()),
            Reason::Payload(text()),
            Reason::Final(text()),
            Reason::Answer("empty"),
            Reason::Deadline(text()),
            Reason::Command(text()),
        ] {
            let hint = reason.hint(true);
            for stranger in ["server", "key", "--base-url", "--summary-model", "--retries"] {
                assert!(!hint.contains(stranger), "{reason:?}: {hint}");
            }
        }
    }
}
