//! One HTTP request, and its answer as status, headers of interest and a bounded body.
//!
//! Relies on ureq, with rustls to verify certificates against the built-in roots or the given file, and on
//! [`proxy`] for the proxy. Invariants: no redirect is followed, since it would carry the conversation and
//! the key to someone else; nothing runs beyond its timeout, however slowly data comes; no more than
//! [`LARGEST`] bytes are read.

use std::io::Read;
use std::time::{Duration, SystemTime};

use serde_json::Value;
use ureq::Agent;
use ureq::tls::{PemItem, RootCerts, TlsConfig, parse_pem};

use super::answer::LARGEST;
use super::failure::{Cause, Reason};
use super::fault::Fault;
use super::settings::{Endpoint, Key};
use super::{proxy, retry_after};

/// An answer as it was received.
#[derive(Debug)]
pub(super) struct Answer {
    pub(super) status: u16,
    pub(super) after: Option<Duration>,
    pub(super) content_type: Option<String>,
    pub(super) body: String,
}

/// A client for one endpoint.
pub(super) struct Client<'a> {
    pub(super) endpoint: &'a Endpoint,
    url: String,
    /// The host and port of the proxy that requests go through.
    proxy: Option<String>,
    agent: Agent,
}

impl<'a> Client<'a> {
    pub(super) fn new(endpoint: &'a Endpoint, connect: Duration) -> Result<Self, Reason> {
        endpoint.check()?;
        let url = endpoint.url();
        let proxy = proxy::of(&url, |name| std::env::var_os(name))?;
        let passes = proxy.as_ref().map(|proxy| format!("{}:{}", proxy.host(), proxy.port()));
        let mut config = Agent::config_builder()
            .http_status_as_error(false)
            .max_redirects(0)
            .max_idle_connections(0)
            .timeout_resolve(Some(connect))
            .timeout_connect(Some(connect))
            .proxy(proxy)
            .user_agent(concat!("ctx/", env!("CARGO_PKG_VERSION")));
        if let Some(path) = &endpoint.certificates {
            let unreadable = |why: &dyn std::fmt::Display| {
                Reason::Setting(format!("could not read certificates of {}: {why}", path.display()))
            };
            let pem = std::fs::read(path).map_err(|error| unreadable(&error))?;
            let certificates: Vec<_> = parse_pem(&pem)
                .filter_map(|item| match item {
                    Ok(PemItem::Certificate(certificate)) => Some(certificate),
                    _ => None,
                })
                .collect();
            if certificates.is_empty() {
                return Err(unreadable(&"there are none"));
            }
            let roots = RootCerts::new_with_certs(&certificates);
            config = config.tls_config(TlsConfig::builder().root_certs(roots).build());
        }
        Ok(Self { endpoint, url, proxy: passes, agent: Agent::from(config.build()) })
    }

    /// Sends `body` and waits for the whole answer, `timeout` at most.
    pub(super) fn send(&self, body: &Value, timeout: Duration) -> Result<Answer, Reason> {
        let key = self.endpoint.key.as_ref();
        let mut request = self.agent.post(&self.url).header("content-type", "application/json");
        for (name, value) in self.endpoint.provider.headers(key.map(Key::secret)) {
            request = request.header(name, value);
        }
        let request = request.config().timeout_global(Some(timeout)).build();
        let mut response = request.send(body.to_string()).map_err(|error| self.reason(&error))?;
        let header = |name: &str| {
            let value = response.headers().get(name)?.to_str().ok()?;
            Some(value.to_owned())
        };
        let content_type = header("content-type");
        let after = retry_after::of_headers(header, SystemTime::now());
        let mut body = Vec::new();
        // The bound applies after decompression, because a small answer may unpack to a huge one.
        let mut reader = response.body_mut().as_reader().take(LARGEST + 1);
        reader.read_to_end(&mut body).map_err(|error| self.reason(&error.into()))?;
        if body.len() as u64 > LARGEST {
            return Err(Reason::Answer(Fault::TooLarge));
        }
        let status = response.status();
        let body = match String::from_utf8(body) {
            Ok(body) => body,
            // A summary with replaced bytes would have holes; an error message is only shown.
            Err(_) if status.is_success() => return Err(Reason::Answer(Fault::NotUtf8)),
            Err(error) => String::from_utf8_lossy(error.as_bytes()).into_owned(),
        };
        // Servers quote requests that they refuse; a key must not get into a report that way.
        let body = key.map_or_else(|| body.clone(), |key| key.redact_answer(&body));
        let after = after.or_else(|| retry_after::of_body(&body));
        Ok(Answer { status: status.as_u16(), after, content_type, body })
    }

    /// Returns the failure for an error below HTTP: temporary or final.
    fn reason(&self, error: &ureq::Error) -> Reason {
        use ureq::Error;
        let mut host = self.endpoint.host();
        if let Some(proxy) = &self.proxy {
            host.extend([" through the proxy ", proxy]);
        }
        let cause = match self.proxy {
            Some(_) => Cause::Proxy,
            None if speaks_no_tls(error) => Cause::NoTls,
            None => Cause::Unreached,
        };
        let wait = |text| Reason::Wait { cause, text, after: None };
        match error {
            Error::ConnectProxyFailed(why) if is_refused(why) => {
                Reason::Final { cause, text: format!("could not reach {host}: {why}") }
            }
            Error::ConnectProxyFailed(why) => wait(format!("could not reach {host}: {why}")),
            Error::Timeout(_) => wait(format!("no answer from {host} in time")),
            Error::HostNotFound => wait(format!("could not find {host}")),
            // The error quotes the address, which may hold a password.
            Error::BadUri(_) => Reason::Setting(format!("could not use the address of {host}")),
            Error::Http(_) | Error::InvalidProxyUrl => {
                Reason::Setting(format!("could not use the address of {host}: {error}"))
            }
            error if is_distrust(error) => {
                let text = format!("could not trust {host}: {error}");
                Reason::Final { cause: Cause::Distrusted, text }
            }
            Error::Io(error) => wait(format!("connection to {host} failed: {error}")),
            error => wait(format!("connection to {host} failed: {error}")),
        }
    }
}

/// Whether a proxy that failed refused the request: its message then ends with a status of the form 40x.
fn is_refused(why: &str) -> bool {
    let status = why.rsplit([' ', '/']).next().unwrap_or_default();
    status.len() == 3 && status.starts_with("40")
}

/// Tells whether the other side answered without TLS.
fn speaks_no_tls(error: &ureq::Error) -> bool {
    error.to_string().contains("InvalidContentType")
}

/// Tells whether a certificate was not accepted; ureq wraps most such errors in I/O errors.
fn is_distrust(error: &ureq::Error) -> bool {
    match error {
        ureq::Error::Tls(_) | ureq::Error::Rustls(_) => true,
        ureq::Error::Io(error) => {
            let is_invalid = error.kind() == std::io::ErrorKind::InvalidData;
            is_invalid && error.to_string().contains("certificate")
        }
        _ => false,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_proxy_refuses_by_its_status_alone() {
        assert!(is_refused("proxy server responded 407/407"));
        for why in ["proxy server responded 540/540", "proxy server did not respond", "port 4040"] {
            assert!(!is_refused(why), "{why}");
        }
    }
}
