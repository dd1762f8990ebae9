//! Our count against the token usage that real logs recorded.
//!
//! Not run by default, for logs are not part of this project:
//! `CTX_LOGS=DIR cargo test --release --test usage -- --ignored --nocapture`.

#[path = "logs/mod.rs"]
mod logs;

use std::collections::BTreeMap;
use std::io::Write;
use std::path::Path;

use context_compact::conversation::decode;
use context_compact::count::Meter;
use context_compact::dialect::{self, Scope};
use context_compact::document::Document;
use context_compact::models;
use context_compact::usage::{Compared, Usage, recorded};
use logs::logs;

/// A session with fewer requests says more of its first words than of counting.
const FEWEST: usize = 6;

/// The family whose usage the log recorded, and how the sizes of its requests grew.
fn session(path: &Path) -> Option<(&'static str, Compared)> {
    let bytes = std::fs::read(path).ok()?;
    let document = Document::parse(&bytes).ok()?;
    let shape = dialect::recognise(document.values(), None).ok()?;
    let source = dialect::sources(&document, shape.layout).into_iter().next()?;
    let conversation = decode(shape.dialect, source, Scope::Live);
    let requests = recorded(&conversation);
    if requests.len() < FEWEST {
        return None;
    }
    let model = models::named(requests.last()?.model.as_deref()?).ok()?;
    let count = Meter::of_model(model).count(&conversation);
    Some((model.name(), Usage::of(&conversation, &count).growth?))
}

#[test]
#[ignore = "reads the logs in CTX_LOGS"]
fn growth_is_what_logs_recorded() {
    let dir = std::env::var_os("CTX_LOGS").expect("CTX_LOGS names a directory of logs");
    let paths = logs(Path::new(&dir));
    let mut out = std::io::stdout().lock();
    let mut errors: BTreeMap<&str, Vec<usize>> = BTreeMap::new();
    for path in paths {
        let Some((family, grown)) = session(&path) else { continue };
        let error = grown.counted.abs_diff(grown.recorded) * 1000 / grown.recorded;
        let name = path.display();
        writeln!(
            out,
            "{family:18} recorded {:7} counted {:7} off {:3}.{} % {name}",
            grown.recorded,
            grown.counted,
            error / 10,
            error % 10
        )
        .unwrap();
        errors.entry(family).or_default().push(error);
    }
    for (family, errors) in errors {
        let mean = errors.iter().sum::<usize>() / errors.len();
        let close = errors.iter().filter(|error| **error <= 100).count();
        let all = errors.len();
        writeln!(
            out,
            "{family}: {all} sessions, {}.{} % off on average, {close} within 10 %",
            mean / 10,
            mean % 10
        )
        .unwrap();
    }
}
