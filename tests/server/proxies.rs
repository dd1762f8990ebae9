//! Proxies between the command and the server: nothing goes past one, and no key to one.

use std::io::{self, Read, Write};
use std::net::{TcpListener, TcpStream};
use std::thread;

use super::cli::{Place, chat, part, run, text};
use super::loopback::{Act, KEY, Server};

const ARGUMENTS: &[&str] =
    &["--budget", "1000", "--retries", "0", "--on-failure", "fail", "chat.json"];

/// A conversation, and a server that only a proxy can find.
fn elsewhere(name: &str, url: &str) -> (Place, Server) {
    let place = Place::new(name);
    place.write("chat.json", &chat(20).to_string());
    let mut server = Server::start(vec![part("the work goes on well")]);
    server.url = url.into();
    (place, server)
}

/// The same, with a name for this machine that is not known as one: what goes past a proxy arrives.
fn here(name: &str) -> (Place, Server, Server) {
    let server = Server::start(vec![part("the work goes on well")]);
    let (place, here) = elsewhere(name, &server.url.replace("127.0.0.1", "0.0.0.0"));
    (place, server, here)
}

/// A SOCKS proxy that leads to a server whatever it is asked for; returns its host and port.
fn socks(server: &Server) -> String {
    let listener = TcpListener::bind("127.0.0.1:0").expect("a port");
    let host = listener.local_addr().expect("an address").to_string();
    let to = server.url.trim_start_matches("http://").to_owned();
    thread::spawn(move || {
        for client in listener.incoming() {
            // A client that hangs up ends it with an error that nobody needs.
            let _ = client.and_then(|client| lead(client, &to));
        }
    });
    host
}

fn lead(mut client: TcpStream, to: &str) -> io::Result<()> {
    client.read_exact(&mut [0; 3])?;
    client.write_all(&[5, 0])?;
    let mut asked = [0; 5];
    client.read_exact(&mut asked)?;
    assert_eq!(asked[3], 3, "it is asked for a name");
    client.read_exact(&mut vec![0; usize::from(asked[4]) + 2])?;
    client.write_all(&[5, 0, 0, 1, 0, 0, 0, 0, 0, 0])?;
    let mut server = TcpStream::connect(to)?;
    let (mut back, mut front) = (server.try_clone()?, client.try_clone()?);
    thread::spawn(move || io::copy(&mut back, &mut front));
    io::copy(&mut client, &mut server).map(drop)
}

#[test]
fn a_proxy_of_the_environment_is_used_and_named() {
    let (place, elsewhere) = elsewhere("proxy", "https://model.invalid");
    let proxy = Server::start(vec![Act::Answer(407, &[], String::new())]);
    let result = run(place.compact(&elsewhere, ARGUMENTS).env("HTTPS_PROXY", &proxy.url));
    assert_eq!(result.status.code(), Some(2));
    let (said, host) = (text(&result.stderr), proxy.url.trim_start_matches("http://"));
    assert!(said.contains(&format!("model.invalid through the proxy {host}")), "{said}");
    assert!(said.contains("407") && said.contains("(1 attempt)"), "{said}");
    assert!(said.contains("\nhint: the proxy does not let us through"), "{said}");
    let seen = proxy.seen();
    assert_eq!(seen[0].path, "model.invalid:443");
    assert!(!format!("{seen:?}").contains(KEY));
    let direct = Server::start(vec![part("the work goes on well")]);
    let result = run(place.compact(&direct, ARGUMENTS).env("HTTP_PROXY", &proxy.url));
    assert!(result.status.success(), "{}", text(&result.stderr));
    assert_eq!(proxy.seen().len(), 1, "this machine is reached without");
}

#[test]
fn a_socks_proxy_is_gone_through() {
    let (place, elsewhere) = elsewhere("socks", "http://model.invalid");
    let server = Server::start(vec![part("the work goes on well")]);
    let proxy = socks(&server);
    for scheme in ["socks5h", "SOCKS5H"] {
        let proxy = format!("{scheme}://{proxy}");
        let result = run(place.compact(&elsewhere, ARGUMENTS).env("ALL_PROXY", proxy));
        assert!(result.status.success(), "{}", text(&result.stderr));
    }
    let seen = server.seen();
    assert_eq!((seen.len(), seen[0].header("host")), (2, Some("model.invalid")));
}

#[test]
fn nothing_goes_past_a_proxy() {
    let listener = TcpListener::bind("127.0.0.1:0").expect("a port");
    let nobody = listener.local_addr().expect("an address").to_string();
    drop(listener);
    let (place, server, here) = here("past");
    for scheme in ["http", "socks4", "socks4a", "socks5", "socks5h"] {
        for variable in ["ALL_PROXY", "https_proxy", "HTTP_PROXY"] {
            let proxy = format!("{scheme}://{nobody}");
            let result = run(place.compact(&here, ARGUMENTS).env(variable, proxy));
            let said = text(&result.stderr);
            assert_eq!(result.status.code(), Some(2), "{scheme} {variable}: {said}");
            assert!(said.contains(&format!(" through the proxy {nobody} failed: ")), "{said}");
        }
    }
    assert!(server.seen().is_empty());
}

#[test]
fn what_names_no_proxy_is_refused() {
    let (place, server, here) = here("no-proxy");
    for proxy in ["foo://127.0.0.1:1", "::bad::", "http://"] {
        let result = run(place.compact(&here, ARGUMENTS).env("HTTP_PROXY", proxy));
        let said = text(&result.stderr);
        assert_eq!(result.status.code(), Some(2), "{proxy}: {said}");
        assert!(said.contains("HTTP_PROXY names no proxy\nhint: as in http://"), "{said}");
        for unsent in [&["--dry-run", "--budget", "1000"][..], &["--budget", "100000"]] {
            let arguments = [unsent, &["chat.json"]].concat();
            let result = run(place.compact(&here, &arguments).env("HTTP_PROXY", proxy));
            assert!(result.status.success(), "{unsent:?}: {}", text(&result.stderr));
        }
    }
    assert!(server.seen().is_empty());
    for proxy in ["socks5://me@a b", ""] {
        let mut command = place.compact(&here, ARGUMENTS);
        let result = run(command.env("ALL_PROXY", proxy).env("NO_PROXY", "b.com, 0.0.0.0"));
        assert!(result.status.success(), "{}", text(&result.stderr));
    }
    assert_eq!(server.seen().len(), 2);
}
