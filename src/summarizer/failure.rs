//! The reasons why there is no summary.
//!
//! Relies only on the name of the recipient and the sizes of an overflow. Invariant: no text in here holds a
//! key, a prompt or a part of one.

use std::fmt;
use std::time::Duration;

use super::class::Overflow;
use super::fault::Fault;
use super::report::Request;
use crate::line::counted;

/// The failure to make a summary, with the attempts.
#[derive(Clone, Debug)]
pub struct Failure {
    /// The last error.
    pub reason: Reason,
    /// The number of calls.
    pub attempts: usize,
    /// The requests that were made, the answered ones and the failed one.
    pub requests: Vec<Request>,
}

/// The kind of an error.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Reason {
    /// The settings can't work: no key, an invalid address, an unreadable file.
    Setting(String),
    /// The file with an existing summary holds none that is usable.
    File(String),
    /// Rate limit, overload, a broken connection: might work later.
    Wait {
        /// The cause of the failure.
        cause: Cause,
        /// The message of the other side.
        text: String,
        /// How long the other side asked us to wait.
        after: Option<Duration>,
    },
    /// The request has more tokens than the model accepts, and could not be made smaller.
    Overflow(String),
    /// The request has more bytes than the server accepts, and could not be made smaller.
    Payload(String),
    /// Refused for good: wrong key, unknown model, bad request.
    Final {
        /// The cause of the refusal.
        cause: Cause,
        /// The message of the other side.
        text: String,
    },
    /// An answer that is not a summary.
    Answer(Fault),
    /// The deadline has passed, or would pass while waiting.
    Deadline(String),
    /// The command failed.
    Command(String),
}

/// Where an exchange failed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Cause {
    /// The server, or something in its place, answered with this status.
    Answered(u16),
    /// The server's certificate was not accepted.
    Distrusted,
    /// The proxy, or the connection behind it.
    Proxy,
    /// The other side does not speak TLS.
    NoTls,
    /// The connection to the server.
    Unreached,
    /// The summarizer's command.
    Command,
}

/// Why a request has no answer.
#[derive(Debug)]
pub(super) enum Unanswered {
    /// The request has to become smaller.
    TooLarge(Reason, Overflow),
    /// The failure is final.
    Failed(Reason),
}

impl fmt::Display for Reason {
    fn fmt(&self, f: &mut fmt::Formatter) -> fmt::Result {
        match self {
            Self::Setting(text)
            | Self::File(text)
            | Self::Final { text, .. }
            | Self::Wait { text, .. } => f.write_str(text),
            Self::Overflow(text) => write!(f, "request too long for the model: {text}"),
            Self::Payload(text) => write!(f, "request too large for the server: {text}"),
            Self::Answer(fault) => write!(f, "answer is {}", fault.words()),
            Self::Deadline(text) => write!(f, "out of time: {text}"),
            Self::Command(text) => write!(f, "command {text}"),
        }
    }
}

impl Reason {
    /// Returns a hint for the user, who asked a command or a server.
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
            Self::Setting(_) | Self::Final { .. } if is_command => {
                "sh runs the command: is it installed, and on the PATH?"
            }
            Self::Answer(Fault::NotUtf8) if is_command => "the command prints text in UTF-8",
            Self::Answer(_) if is_command => {
                "the command prints the summary and nothing else; another model may do better"
            }
            Self::Setting(_) => {
                "--api-key-file, --base-url and --summary-model say whom to ask, see ctx compact --help"
            }
            Self::Wait { cause: Cause::Answered(_), .. } => {
                "the server is busy or in trouble: wait, or let --retries try more often"
            }
            Self::Wait { cause: Cause::Proxy, .. } => {
                "is the proxy up, and the server behind it? --retries and --timeout wait for them longer"
            }
            Self::Wait { cause: Cause::NoTls, .. } => {
                "what answers there speaks no TLS: --base-url with http:// in place of https://?"
            }
            Self::Wait { .. } => {
                "is the server up, and --base-url right? --retries and --timeout wait for it longer"
            }
            Self::Overflow(_) => "--summary-model: one with a larger window",
            Self::Payload(_) => {
                "the server at --base-url, or a proxy before it, limits the bytes of a request"
            }
            Self::Final { cause: Cause::Answered(300..=399), .. } => {
                "--base-url: the address that the server names, if you trust it with the key"
            }
            Self::Answer(
                Fault::OtherType | Fault::NotJson | Fault::NotUtf8 | Fault::OtherShape,
            ) => {
                "is --base-url right? it ends where /chat/completions, /responses or /messages begins"
            }
            Self::Final { cause: Cause::Distrusted, .. } => {
                "SSL_CERT_FILE names a file with the certificates to trust"
            }
            Self::Final { cause: Cause::Answered(401 | 403), .. } => {
                "the server does not take the key, or not for --summary-model"
            }
            Self::Final { cause: Cause::Answered(402 | 429), .. } => {
                "the account has no credit left: waiting does not help"
            }
            Self::Final { cause: Cause::Answered(404 | 405), .. } => {
                "the server does not know --summary-model, or --base-url is not its address"
            }
            Self::Final { cause: Cause::Proxy, .. } => {
                "the proxy does not let us through: is it the right one, with user and password?"
            }
            Self::Final { .. } => "what the server said tells why; another --summary-model may do",
            Self::Answer(Fault::CutOff) => "--max-summary-tokens TOKENS asks for a longer one",
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

    fn finally(cause: Cause) -> Reason {
        Reason::Final { cause, text: String::new() }
    }

    fn wait(cause: Cause) -> Reason {
        Reason::Wait { cause, text: String::new(), after: None }
    }

    #[test]
    fn another_address_is_named_where_the_address_is_wrong() {
        let redirect = finally(Cause::Answered(302));
        for reason in [redirect, Reason::Answer(Fault::OtherType), Reason::Answer(Fault::NotJson)] {
            assert!(reason.hint(false).contains("--base-url"), "{reason:?}");
        }
        let model = Reason::Answer(Fault::Refusal).hint(false);
        assert!(model.starts_with("another model may do better"), "{model}");
    }

    #[test]
    fn hints_name_what_is_to_blame() {
        for (cause, hint) in [
            (Cause::Answered(401), "the key"),
            (Cause::Answered(429), "credit"),
            (Cause::Answered(404), "--summary-model"),
            (Cause::Answered(400), "--summary-model"),
            (Cause::Answered(422), "--summary-model"),
            (Cause::Proxy, "proxy"),
            (Cause::Distrusted, "SSL_CERT_FILE"),
        ] {
            let said = finally(cause).hint(false);
            assert!(said.contains(hint), "{cause:?}: {said}");
            assert_eq!(said.contains("proxy"), hint == "proxy", "{cause:?}: {said}");
            assert_eq!(said.contains("key"), hint == "the key", "{cause:?}: {said}");
        }
        for is_command in [false, true] {
            let said = Reason::Answer(Fault::NotUtf8).hint(is_command);
            assert!(!said.contains("--instructions") && !said.contains("model"), "{said}");
        }
    }

    #[test]
    fn a_server_that_answered_is_up() {
        let hint = |cause| wait(cause).hint(false);
        assert!(hint(Cause::Answered(429)).contains("--retries"));
        assert!(!hint(Cause::Answered(529)).contains("is the server up"));
        assert!(hint(Cause::Unreached).contains("is the server up"));
        assert!(hint(Cause::Proxy).contains("is the proxy up"));
    }

    #[test]
    fn hints_about_a_command_speak_of_no_server() {
        let text = String::new;
        for reason in [
            Reason::Setting(text()),
            wait(Cause::Command),
            Reason::Overflow(text()),
            Reason::Payload(text()),
            finally(Cause::Command),
            Reason::Answer(Fault::Empty),
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
