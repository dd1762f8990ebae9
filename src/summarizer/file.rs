//! A summary that exists already: notes that were kept by hand, or by another tool.
//!
//! Relies on nothing but the file. Invariant: it is judged like an answer, but never asked for twice.

use std::fs::File;
use std::io::Read;
use std::path::Path;

use super::answer::{LARGEST, TOO_LARGE, judge};
use super::failure::Reason;
use super::job::Job;
use super::provider::Stop;
use super::report::{Request, Stage, Summary};

/// Takes the summary in the file at `path`.
pub(super) fn take(path: &Path, job: &Job) -> Result<Summary, Reason> {
    let unusable = |why: &str| Reason::File(format!("could not use {}: {why}", path.display()));
    let mut text = String::new();
    File::open(path)
        .and_then(|file| file.take(LARGEST + 1).read_to_string(&mut text))
        .map_err(|error| unusable(&error.to_string()))?;
    if text.len() as u64 > LARGEST {
        return Err(unusable(TOO_LARGE));
    }
    let text = judge(&text, Stop::Done).map_err(unusable)?;
    if (job.count)(&text) >= job.replaces {
        return Err(unusable("too large for what it replaces"));
    }
    let messages = job.excerpts.iter().filter(|it| !it.stays).map(|it| it.message).collect();
    let (shortened, characters) = (Vec::new(), 0);
    let request = Request {
        stage: Stage::File,
        messages,
        shortened,
        characters,
        attempts: 0,
        answered: true,
    };
    Ok(Summary { text, attempts: 0, requests: vec![request] })
}
