//! Who writes the summary: the digest, or what the arguments name instead, with the digest to fall
//! back on.
//!
//! Responsible for asking at most once a conversation, for fitting an answer into the room that it
//! has, and for what happens without an answer. It relies on [`summarizer`] for everything that can
//! take long or fail.

use std::fs;
use std::time::Duration;

use anyhow::Context as _;

use crate::cli::compact::{Compact, OnFailure, Summarizer};
use crate::command::{Shell, Trouble};
use crate::compact::Subject;
use crate::compact::entries::entries;
use crate::compact::excerpts::excerpts;
use crate::compact::rebuild::Rebuild;
use crate::digest::{self, digest};
use crate::marks;
use crate::summarizer::{self, Endpoint, Job, Key, Notice, Settings, Source};
use crate::truncate::cut::{self, Limit, Measure};

/// Tokens below which a summary says nothing.
const LEAST_SUMMARY: usize = 100;

/// Who writes summaries in this run.
pub(super) struct Author<'r> {
    arguments: &'r Compact,
    settings: Option<Settings>,
    breaker: &'r summarizer::Breaker,
}

/// A summary, and where it comes from.
pub(super) struct Summary {
    pub(super) text: String,
    pub(super) by: String,
    pub(super) attempts: usize,
    pub(super) requests: Vec<summarizer::Request>,
}

impl Summary {
    fn of(text: String, by: &str) -> Self {
        Self { text, by: by.to_owned(), attempts: 0, requests: Vec::new() }
    }
}

/// A conversation that waits for its summary.
pub(super) struct Commission<'s> {
    /// Its place, for messages.
    pub(super) place: &'s str,
    /// The file that holds what the summary stands for.
    pub(super) archive: Option<&'s str>,
    /// What was answered, once somebody was asked.
    pub(super) answer: Option<Result<summarizer::Summary, String>>,
    /// Why there is no summary, where that ends the command.
    pub(super) failure: Option<anyhow::Error>,
    /// Whether the conversation is to stay as it is for want of a summary.
    pub(super) is_declined: bool,
}

impl<'s> Commission<'s> {
    /// A conversation that nobody was asked about yet.
    pub(super) fn of(place: &'s str, archive: Option<&'s str>) -> Self {
        Self { place, archive, answer: None, failure: None, is_declined: false }
    }
}

impl<'r> Author<'r> {
    /// Reads who summarises from the arguments.
    pub(super) fn new(
        arguments: &'r Compact,
        breaker: &'r summarizer::Breaker,
    ) -> anyhow::Result<Self> {
        Ok(Self { arguments, settings: settings(arguments)?, breaker })
    }

    /// The summary; `None` where the conversation stays as it is, or can't be compacted.
    pub(super) fn write(
        &self,
        shell: &Shell,
        subject: &Subject<'_, '_>,
        rebuild: &mut Rebuild<'_, '_>,
        commission: &mut Commission<'_>,
    ) -> Option<Summary> {
        if self.arguments.summarizer == Some(Summarizer::None) {
            rebuild.give_rest_to_tail("");
            return Some(Summary::of(String::new(), "none"));
        }
        let Some(settings) = self.settings.as_ref().filter(|_| !self.arguments.dry_run) else {
            return Some(Summary::of(self.digest(subject, rebuild, commission.archive), "digest"));
        };
        let answer = commission.answer.get_or_insert_with(|| {
            if self.breaker.is_open() {
                return Err("the summarizer failed three times in a row".to_owned());
            }
            let answer = ask(settings, shell, subject, rebuild);
            self.breaker.record(answer.is_ok());
            answer
        });
        let failure = match answer {
            Ok(summary) => {
                let text = self.fitted(subject, rebuild, commission.archive, &summary.text);
                let (attempts, requests) = (summary.attempts, summary.requests.clone());
                return Some(Summary { text, by: settings.source.name(), attempts, requests });
            }
            Err(failure) => failure,
        };
        let place = commission.place;
        let reason = format!("could not summarise: {failure}");
        match self.arguments.on_failure {
            OnFailure::Digest => {
                shell.say(format_args!("{place}: {reason}; the digest stands in"));
                Some(Summary::of(self.digest(subject, rebuild, commission.archive), "digest"))
            }
            OnFailure::Original => {
                shell.say(format_args!("{place}: {reason}; unchanged"));
                commission.is_declined = true;
                None
            }
            OnFailure::Fail => {
                let hint = "--on-failure digest needs no model";
                commission.failure = Some(Trouble::new(reason, hint).into());
                None
            }
        }
    }

    /// The requests that would be sent, as lines of JSON.
    pub(super) fn planned(
        &self,
        subject: &Subject<'_, '_>,
        rebuild: &Rebuild<'_, '_>,
    ) -> anyhow::Result<Vec<String>> {
        let Some(settings) = &self.settings else { return Ok(Vec::new()) };
        let (excerpts, earlier) = excerpts(subject, &rebuild.summarised());
        let count = |text: &str| subject.meter.text(text);
        let job = job(&excerpts, earlier.as_deref(), rebuild, &count, &|_| {});
        let planned =
            summarizer::plan(settings, &job).map_err(|reason| anyhow::anyhow!("{reason}"))?;
        planned.iter().map(|request| Ok(serde_json::to_string(request)?)).collect()
    }

    fn digest(
        &self,
        subject: &Subject<'_, '_>,
        rebuild: &mut Rebuild<'_, '_>,
        archive: Option<&str>,
    ) -> String {
        let write = |rebuild: &Rebuild<'_, '_>| {
            let most = self.arguments.max_summary_tokens.unwrap_or(usize::MAX);
            let partly_shown = rebuild.clipped.as_ref().map(|(at, text)| (*at, text.as_str()));
            digest(&digest::Request {
                partly_shown,
                conversation: subject.conversation,
                pairs: subject.pairs,
                summarised: &rebuild.summarised(),
                shown: &rebuild.kept,
                budget: rebuild.summary_room().min(most),
                count: &|text| subject.meter.text(text),
                archive,
                redact: self.arguments.redact,
            })
        };
        let text = write(rebuild);
        if rebuild.give_rest_to_tail(&text) { write(rebuild) } else { text }
    }

    /// A model's summary under our opener, cut where it is longer than the room.
    fn fitted(
        &self,
        subject: &Subject<'_, '_>,
        rebuild: &mut Rebuild<'_, '_>,
        archive: Option<&str>,
        summary: &str,
    ) -> String {
        let mut opener = format!("{}\n", marks::SUMMARY_OPENER);
        if let Some(path) = archive {
            opener.extend(["The messages themselves are in ", path, ".\n"]);
        }
        let meter = subject.meter;
        let room =
            rebuild.summary_room().min(self.arguments.max_summary_tokens.unwrap_or(usize::MAX));
        let room = room.saturating_sub(meter.text(&opener) + 1);
        // What an audit may have to add gets an eighth of the room.
        let most = if self.arguments.audit { room - room / 8 } else { room };
        let limit = Limit { measure: Measure::Tokens, most, head_share: 0.7 };
        let text = cut::cut(summary, &limit, meter).unwrap_or_else(|| summary.to_owned());
        let mut text = format!("{opener}\n{text}");
        if self.arguments.audit {
            let entries = entries(subject, &rebuild.summarised());
            let left = rebuild.summary_room().saturating_sub(meter.text(&text) + 4);
            let audit = summarizer::audit(&text, &entries, left, &|text| meter.text(text));
            text.push_str(&audit.text);
        }
        rebuild.give_rest_to_tail(&text);
        text
    }
}

/// Asks the summarizer.
fn ask(
    settings: &Settings,
    shell: &Shell,
    subject: &Subject<'_, '_>,
    rebuild: &Rebuild<'_, '_>,
) -> Result<summarizer::Summary, String> {
    let (excerpts, earlier) = excerpts(subject, &rebuild.summarised());
    let count = |text: &str| subject.meter.text(text);
    let say = |notice: &Notice| shell.say(notice);
    let job = job(&excerpts, earlier.as_deref(), rebuild, &count, &say);
    summarizer::summarise(settings, &job).map_err(|failure| failure.to_string())
}

fn job<'j>(
    excerpts: &'j [summarizer::Excerpt],
    earlier: Option<&'j str>,
    rebuild: &Rebuild<'_, '_>,
    count: &'j dyn Fn(&str) -> usize,
    say: &'j dyn Fn(&Notice),
) -> Job<'j> {
    let replaces = excerpts.iter().map(|excerpt| excerpt.tokens).sum();
    Job { excerpts, earlier, target: Some(rebuild.summary_room()), replaces, count, say }
}

/// How to summarise with anything but the digest.
fn settings(arguments: &Compact) -> anyhow::Result<Option<Settings>> {
    let default = match (&arguments.command, &arguments.summary_file) {
        (Some(_), _) => Summarizer::Command,
        (None, Some(_)) => Summarizer::File,
        (None, None) => Summarizer::Digest,
    };
    let who = arguments.summarizer.unwrap_or(default);
    refuse_contradictions(arguments, who)?;
    let source = match who {
        Summarizer::Digest | Summarizer::None => return Ok(None),
        Summarizer::Command => Source::Command(arguments.command.clone().ok_or_else(|| {
            Trouble::new("--summarizer command needs a command", "--command 'llm -m small'")
        })?),
        Summarizer::File => Source::File(arguments.summary_file.clone().ok_or_else(|| {
            Trouble::new("--summarizer file needs a file", "--summary-file notes.md")
        })?),
        Summarizer::Openai => Source::Http(endpoint(arguments, "openai")?),
        Summarizer::Responses => Source::Http(endpoint(arguments, "responses")?),
        Summarizer::Anthropic => Source::Http(endpoint(arguments, "anthropic")?),
        Summarizer::Gemini => Source::Http(endpoint(arguments, "gemini")?),
    };
    let read = |path: &std::path::PathBuf| {
        fs::read_to_string(path)
            .with_context(|| format!("could not read the prompt {}", path.display()))
    };
    let prompt = arguments.prompt_file.as_ref().map(read).transpose()?;
    let default = summarizer::Limits::default();
    let limits = summarizer::Limits {
        connect: Duration::from_secs(arguments.connect_timeout),
        answer: Duration::from_secs(arguments.timeout),
        deadline: Duration::from_secs(arguments.deadline),
        retries: arguments.retries,
        summary_tokens: arguments.max_summary_tokens.unwrap_or(default.summary_tokens),
        window: window_of(&source),
        ..default
    };
    Ok(Some(Settings { source, prompt, instructions: arguments.instructions.clone(), limits }))
}

/// Flags that the summarizer would ignore, and files that are not there, are mistakes.
fn refuse_contradictions(arguments: &Compact, who: Summarizer) -> anyhow::Result<()> {
    use Summarizer::{Command, File};
    if arguments.command.is_some() && who != Command {
        return Err(Trouble::new("--command is not asked", "leave out --summarizer").into());
    }
    if let Some(path) =
        arguments.summary_file.as_ref().filter(|path| who != File || !path.is_file())
    {
        let reason = format!("{} is no summary file, or is not asked", path.display());
        return Err(Trouble::new(reason, "--summary-file FILE, without --summarizer").into());
    }
    if arguments.max_summary_tokens.is_some_and(|most| most < LEAST_SUMMARY) {
        let reason = format!("a summary needs at least {LEAST_SUMMARY} tokens");
        return Err(Trouble::new(reason, "--max-summary-tokens 500").into());
    }
    Ok(())
}

/// The summarizer's own window, where its model is in the table.
fn window_of(source: &Source) -> Option<usize> {
    let Source::Http(endpoint) = source else { return None };
    crate::models::named(endpoint.model()).ok().map(|model| model.window)
}

fn endpoint(arguments: &Compact, provider: &str) -> anyhow::Result<Endpoint> {
    let provider = summarizer::provider::by_name(provider)
        .ok_or_else(|| anyhow::anyhow!("no provider {provider}"))?;
    let key = match &arguments.api_key_file {
        Some(path) => Some(Key::from_file(path)),
        None => Key::from_environment(provider, |name| std::env::var(name).ok()).transpose(),
    };
    let key = key.transpose().map_err(|reason| anyhow::anyhow!("{reason}"))?;
    let certificates = std::env::var_os("SSL_CERT_FILE").map(Into::into);
    let (base_url, model) = (arguments.base_url.clone(), arguments.summary_model.clone());
    Ok(Endpoint { base_url, model, key, certificates, ..Endpoint::new(provider) })
}
