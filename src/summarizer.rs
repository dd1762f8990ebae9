//! Summaries of a conversation's middle, written by a model or a command, or read from a file.
//!
//! Plain data in, text out: the caller renders the middle as [`Excerpt`]s and gets a [`Summary`]
//! or a [`Failure`] back; this module knows no conversation, no file of the user's and no command
//! line. It relies on nothing but the network or the process that [`Settings`] name.
//!
//! Invariant: every excerpt is in some request, nothing is cut without a mark, no call outlives
//! the deadline, and no key is ever in a text that leaves this module.

mod answer;
mod audit;
mod breaker;
mod calls;
mod class;
mod code;
mod command;
mod dry_run;
mod exchange;
mod failure;
mod fault;
mod file;
mod group;
mod http;
mod job;
mod patterns;
mod pieces;
mod preview;
mod prompt;
pub mod provider;
mod proxy;
mod reasoning;
mod report;
mod retry_after;
mod settings;
mod stages;

pub use audit::{Audit, Entry, Mark, audit};
pub use breaker::{Breaker, Permit};
pub use class::{Class, Overflow, classify, overflow};
pub use dry_run::{Planned, dry_run};
pub use failure::{Cause, Failure, Reason};
pub use fault::Fault;
pub use file::Notes;
pub use job::{Earlier, Excerpt, Job, Notice};
pub use preview::preview;
pub use report::{Request, Stage, Summary};
pub use settings::{Endpoint, Key, Limits, Settings, Source};

use calls::{Calls, Recipient};
use http::Client;
use prompt::Frame;
use stages::Stages;

/// Makes the summary that `job` asks for.
///
/// Blocks until there is one, at most for the deadline of the settings.
pub fn summarise(settings: &Settings, job: &Job) -> Result<Summary, Failure> {
    let early = |reason| Failure { reason, attempts: 0, requests: Vec::new() };
    let line = match &settings.source {
        Source::Http(endpoint) => {
            Client::new(endpoint, settings.limits.connect).map(Recipient::Http)
        }
        Source::Command(command) => Ok(Recipient::Command(command)),
        Source::File(notes) => return file::take(notes, job).map_err(early),
    };
    let mut calls = Calls::new(settings, job, line.map_err(early)?);
    let frame = Frame::new(settings, job.target, job.say);
    (job.say)(&settings.source.asking(job.excerpts.iter().filter(|it| !it.stays).count()));
    let capacity = stages::capacity(settings);
    let divisions = settings.limits.retries + 1;
    let text = Stages { calls: &mut calls, frame: &frame, job, capacity, divisions }.run();
    let Calls { attempts, requests, .. } = calls;
    match text {
        Ok(text) => Ok(Summary { text, attempts, requests }),
        Err(reason) => Err(Failure { reason, attempts, requests }),
    }
}
