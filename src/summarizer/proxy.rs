//! The proxy through which a model is reached, as the environment names it.
//!
//! Responsible for never bypassing a proxy: a variable that names no valid proxy is an error. This machine
//! itself and the hosts in `NO_PROXY` are reached directly. Relies on ureq for proxies.

use std::ffi::OsString;

use ureq::http::Uri;
use ureq::{Proxy, ProxyProtocol};

use super::failure::Reason;

/// The variables that may name a proxy; the first one that is not empty decides.
const VARIABLES: &[&str] =
    &["ALL_PROXY", "all_proxy", "HTTPS_PROXY", "https_proxy", "HTTP_PROXY", "http_proxy"];

/// The variables that may name hosts to reach directly.
const EXCEPTIONS: &[&str] = &["NO_PROXY", "no_proxy"];

/// Returns the proxy for `url`, if there is one to be used.
///
/// # Errors
///
/// The value of the variable is no valid proxy.
pub(super) fn of(
    url: &str,
    variable: impl Fn(&str) -> Option<OsString>,
) -> Result<Option<Proxy>, Reason> {
    let first = |names: &[&'static str]| {
        let values = names.iter().map(|name| Some((*name, variable(name)?)));
        values.flatten().find(|(_, value)| !value.to_string_lossy().trim().is_empty())
    };
    // An invalid address is not asked.
    let Ok(uri) = url.parse::<Uri>() else { return Ok(None) };
    let Some((name, value)) = first(VARIABLES).filter(|_| !is_loopback(&uri)) else {
        return Ok(None);
    };
    let exceptions = first(EXCEPTIONS).map_or(String::new(), |(_, it)| it.to_string_lossy().into());
    if is_exception(&uri, &exceptions) {
        return Ok(None);
    }
    // The value is not shown, because it may hold a password.
    let proxy = value.to_str().and_then(|value| parse(value.trim()));
    proxy.map(Some).ok_or_else(|| Reason::Setting(format!("{name} names no proxy")))
}

/// Returns the proxy that an address names, if it has a host and, where given, a valid port.
fn parse(address: &str) -> Option<Proxy> {
    let proxy = Proxy::new(address).ok()?;
    let authority = proxy.uri().authority()?.as_str();
    let place = authority.rsplit('@').next()?;
    let port = place.strip_prefix(proxy.host())?;
    let number = port.strip_prefix(':').and_then(|port| port.parse::<u16>().ok());
    let is_place = port.is_empty() || number.is_some_and(|port| port > 0);
    (is_place && !proxy.host().is_empty()).then_some(proxy)
}

/// Tells whether a list of hosts, separated by commas, includes the host of an address. As in curl, a domain
/// includes its subdomains, and an entry with a port only that port.
fn is_exception(uri: &Uri, hosts: &str) -> bool {
    let port = uri.port_u16().unwrap_or(if uri.scheme_str() == Some("https") { 443 } else { 80 });
    let hosts = hosts.split(',').filter_map(|entry| {
        let (host, only) = host_and_port(entry.trim());
        (!host.is_empty() && only.is_none_or(|only| only == port)).then_some(host)
    });
    let list = hosts.fold(Proxy::builder(ProxyProtocol::Http), |list, host| {
        let is_pattern = host.starts_with('.') || host.contains('*');
        let list = list.no_proxy(host);
        if is_pattern { list } else { list.no_proxy(&format!(".{host}")) }
    });
    list.build().is_ok_and(|list| list.is_no_proxy(uri))
}

/// The host and port of an entry; an IPv6 address has its port behind a bracket.
fn host_and_port(entry: &str) -> (&str, Option<u16>) {
    let parts = entry.rsplit_once(':').and_then(|(host, port)| Some((host, port.parse().ok()?)));
    match parts {
        Some((host, port)) if !host.contains(':') || host.ends_with(']') => (host, Some(port)),
        _ => (entry, None),
    }
}

/// Tells whether an address is on this machine, which a proxy could not reach.
fn is_loopback(uri: &Uri) -> bool {
    let name = uri.host().unwrap_or_default().trim_matches(['[', ']']);
    let address = name.parse::<std::net::IpAddr>();
    name.eq_ignore_ascii_case("localhost") || address.is_ok_and(|address| address.is_loopback())
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The host and port of the proxy for an address, with these variables set.
    fn found(url: &str, variables: &[(&str, &str)]) -> Result<Option<String>, String> {
        let value = |name: &str| variables.iter().find(|(it, _)| *it == name);
        let proxy = of(url, |name| value(name).map(|(_, value)| value.into()));
        let proxy = proxy.map_err(|reason| reason.to_string())?;
        Ok(proxy.map(|proxy| format!("{}:{}", proxy.host(), proxy.port())))
    }

    const URL: &str = "https://api.example.com/v1/messages";

    #[test]
    fn the_first_variable_that_is_not_empty_decides() {
        let variables = [("ALL_PROXY", " "), ("https_proxy", "me:pw@a:1"), ("HTTP_PROXY", "b:2")];
        assert_eq!(found(URL, &variables), Ok(Some("a:1".into())));
        assert_eq!(found(URL, &variables[..1]), Ok(None));
        for (address, place) in [
            ("http://a", "a:80"),
            ("https://a/", "a:443"),
            ("HTTP://[::1]:3128", "[::1]:3128"),
            ("socks5://a", "a:1080"),
            ("socks4a://me:p%40w@a:9", "a:9"),
            (" localhost ", "localhost:80"),
        ] {
            assert_eq!(found(URL, &[("ALL_PROXY", address)]), Ok(Some(place.into())), "{address}");
        }
    }

    #[test]
    fn what_names_no_proxy_is_refused() {
        for address in [
            "foo://127.0.0.1:1", "::bad::", "http://", "http:///", "http://:8080", "a b", "/a",
            "http://a:x", "http://a:0", "a:65536", "http://me@", "socks6://a:1",
        ] {
            let variables = [("HTTPS_PROXY", address), ("HTTP_PROXY", "http://b:2")];
            let refused = Err("HTTPS_PROXY names no proxy".to_owned());
            assert_eq!(found(URL, &variables), refused, "{address}");
            let variables = [("HTTPS_PROXY", address), ("NO_PROXY", "a.com, *.Example.com")];
            assert_eq!(found(URL, &variables), Ok(None), "{address}");
        }
    }

    #[test]
    fn exceptions_are_reached_without() {
        for (hosts, is_exception) in [
            ("*", true),
            ("api.example.com", true),
            ("a, .example.com ,", true),
            ("a,,b", false),
            ("example.org", false),
            ("example.com", true),
            ("COM", true),
            ("ample.com", false),
            ("example.com:443", true),
            ("api.example.com:443", true),
            (".example.com:443", true),
            ("*:443", true),
            ("api.example.com:80", false),
            ("api.example.com:x", false),
            ("v1.api.example.com", false),
        ] {
            let variables = [("ALL_PROXY", "a:1"), ("NO_PROXY", ""), ("no_proxy", hosts)];
            assert_eq!(
                found(URL, &variables),
                Ok((!is_exception).then(|| "a:1".into())),
                "{hosts}"
            );
        }
    }

    #[test]
    fn an_exception_may_have_a_port() {
        for (url, hosts, is_exception) in [
            ("http://model.invalid", "invalid", true),
            ("http://model.invalid/v1", "model.invalid:80", true),
            ("http://model.invalid:8080", "model.invalid:80", false),
            ("http://model.invalid:8080", "invalid:8080", true),
            ("http://[fe80::1]:80/v1", "[fe80::1]:80", true),
            ("http://[fe80::1]:80/v1", "[fe80::1]:81", false),
            ("http://[fe80::1]:80/v1", "[fe80::1]", true),
        ] {
            let found = found(url, &[("ALL_PROXY", "a:1"), ("NO_PROXY", hosts)]);
            assert_eq!(found, Ok((!is_exception).then(|| "a:1".into())), "{url} {hosts}");
        }
    }

    #[test]
    fn this_machine_is_told_apart() {
        for host in ["localhost", "localhost:8080", "127.0.0.1:9", "[::1]:80", "127.1.2.3"] {
            let url = format!("http://{host}/v1");
            assert_eq!(found(&url, &[("ALL_PROXY", "foo://")]), Ok(None), "{host}");
        }
        for host in ["example.com", "localhost.example.com", "10.0.0.1:80"] {
            let url = format!("http://{host}/v1");
            assert_eq!(found(&url, &[("ALL_PROXY", "a:1")]), Ok(Some("a:1".into())), "{host}");
        }
    }
}
