//! A summary that exists already: notes written by hand or by another tool.
//!
//! Relies only on the file. Invariant: its text is judged like an answer, but never asked for twice.

use std::fs::File;
use std::io::{self, Read};
use std::path::{Path, PathBuf};
use std::sync::OnceLock;

use super::answer::{LARGEST, judge};
use super::failure::Reason;
use super::fault::Fault;
use super::job::Job;
use super::provider::Stop;
use super::report::{Request, Stage, Summary};

/// A file that holds a summary. It may be a pipe, so it is read only once, on first use.
#[derive(Clone, Debug)]
pub struct Notes {
    path: PathBuf,
    text: OnceLock<Result<String, String>>,
}

impl Notes {
    /// The file at `path`; `-` is standard input.
    pub fn at(path: impl Into<PathBuf>) -> Self {
        Self { path: path.into(), text: OnceLock::new() }
    }

    /// The path of the file.
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// Whether the file is standard input, which can hold only one text.
    pub fn is_stdin(&self) -> bool {
        ["-", "/dev/stdin"].iter().any(|name| self.path == Path::new(name))
    }

    /// The text of the file, or why it is not usable.
    fn text(&self) -> Result<&str, &str> {
        let read = || {
            let mut text = String::new();
            let mut read = |file: &mut dyn Read| file.take(LARGEST + 1).read_to_string(&mut text);
            let result = match self.path.to_str() {
                Some("-") => read(&mut io::stdin().lock()),
                _ => File::open(&self.path).and_then(|mut file| read(&mut file)),
            };
            match result {
                Err(error) => Err(error.to_string()),
                Ok(_) if text.len() as u64 > LARGEST => Err(Fault::TooLarge.words().to_owned()),
                Ok(_) => Ok(text),
            }
        };
        self.text.get_or_init(read).as_deref().map_err(String::as_str)
    }
}

/// Returns the summary in a file.
pub(super) fn take(notes: &Notes, job: &Job) -> Result<Summary, Reason> {
    let path = notes.path.display();
    let unusable = |why: &str| Reason::File(format!("could not use {path}: {why}"));
    let text = notes.text().map_err(unusable)?;
    let text = judge(text, Stop::Done).map_err(|fault| unusable(fault.words()))?;
    if (job.count)(&text) >= job.replaces {
        return Err(unusable(Fault::NotSmaller.words()));
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
