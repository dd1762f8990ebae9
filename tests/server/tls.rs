//! TLS: whom the summarizer trusts, and that nobody else gets to see a request.

use std::io::{Read, Write};
use std::net::TcpListener;
use std::path::PathBuf;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::{fs, thread};

use context_compact::summarizer::{Reason, Source};
use rustls::pki_types::pem::PemObject;
use rustls::pki_types::{CertificateDer, PrivateKeyDer};
use rustls::{ServerConfig, ServerConnection, Stream};

use super::loopback::{excerpt, run, settings};

/// The authority, and a certificate for `localhost` that it signed. They protect nothing.
const AUTHORITY: &str = include_str!("authority.pem");
const CERTIFICATE: &str = include_str!("localhost.pem");
const KEY: &str = include_str!("localhost.key");

/// Starts a server with that certificate; returns its port and how many bytes of requests it read.
fn start() -> (u16, Arc<AtomicUsize>) {
    let certificate = CertificateDer::from_pem_slice(CERTIFICATE.as_bytes()).unwrap();
    let key = PrivateKeyDer::from_pem_slice(KEY.as_bytes()).unwrap();
    let provider = Arc::new(rustls::crypto::ring::default_provider());
    let config = ServerConfig::builder_with_provider(provider)
        .with_safe_default_protocol_versions()
        .unwrap()
        .with_no_client_auth()
        .with_single_cert(vec![certificate], key)
        .unwrap();
    let config = Arc::new(config);
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let port = listener.local_addr().unwrap().port();
    let read = Arc::new(AtomicUsize::new(0));
    let count = Arc::clone(&read);
    thread::spawn(move || {
        for mut stream in listener.incoming().flatten() {
            let mut connection = ServerConnection::new(Arc::clone(&config)).unwrap();
            let mut stream = Stream::new(&mut connection, &mut stream);
            let mut request = [0; 16_384];
            // A client that distrusts us ends here.
            let Ok(length) = stream.read(&mut request) else {
                continue;
            };
            count.fetch_add(length, Ordering::SeqCst);
            let body = r#"{"choices":[{"message":{"content":"the work"},"finish_reason":"stop"}]}"#;
            let head = "HTTP/1.1 200 OK\r\ncontent-type: application/json\r\nconnection: close\r\n";
            let _ = write!(stream, "{head}content-length: {}\r\n\r\n{body}", body.len());
            // Reads the rest of the request, so that closing does not reset the connection.
            while matches!(stream.read(&mut request), Ok(1..)) {}
        }
    });
    (port, read)
}

#[test]
fn only_trusted_servers_get_a_request() {
    let path =
        std::env::temp_dir().join(format!("ctx-server-{}-authority.pem", std::process::id()));
    fs::write(&path, AUTHORITY).unwrap();
    let (port, read) = start();
    let ask = |host: &str, certificates: Option<PathBuf>| {
        let mut settings = settings("openai", &format!("https://{host}:{port}"));
        let Source::Http(endpoint) = &mut settings.source else { unreachable!("it is HTTP") };
        endpoint.certificates = certificates;
        run(&settings, &[excerpt(0, 5)]).0
    };
    for (host, certificates) in [("localhost", None), ("127.0.0.1", Some(path.clone()))] {
        let failure = ask(host, certificates).unwrap_err();
        assert!(
            matches!(&failure.reason, Reason::Final { text, .. } if text.contains("could not trust")),
            "{failure}"
        );
        assert_eq!((failure.attempts, read.load(Ordering::SeqCst)), (1, 0));
    }
    assert_eq!(ask("localhost", Some(path.clone())).unwrap().text, "the work");
    assert!(read.load(Ordering::SeqCst) > 0);

    fs::write(&path, "nothing").unwrap();
    assert!(matches!(ask("localhost", Some(path.clone())).unwrap_err().reason, Reason::Setting(_)));
    fs::remove_file(path).unwrap();
}
