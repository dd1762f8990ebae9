//! The summarizer to ask and its limits, from the arguments and the environment.
//!
//! Responsible for refusing impossible settings before anything is read. Invariant: a key comes from the
//! environment or a file, never from an argument.

use std::fs::{self, Metadata};
use std::num::NonZero;
use std::os::unix::fs::MetadataExt;
use std::path::Path;
use std::time::Duration;

use clap::ValueEnum as _;

use crate::cli::compact::{Compact, OnFailure, Summarizer};
use crate::command::archive::is_time_fixed;
use crate::command::pace::Pace;
use crate::command::{Shell, Trouble, names, refuse_unread};
use crate::defaults::MODEL_JOBS;
use crate::input::Name;
use crate::models::{self, Model};
use crate::output::shown;
use crate::redact::mask;
use crate::summarizer::{self, Endpoint, Key, Notes, Settings, Source};

/// The fewest tokens in which a summary is useful.
const LEAST_SUMMARY: usize = 100;

/// The fewest tokens for an analysis before the summary.
const LEAST_ANALYSIS: usize = 500;

/// How many conversations are summarised at once: one thread each, as threads wait for the model.
pub(in crate::command::compact) fn pace(arguments: &Compact) -> Pace {
    let jobs = arguments.work.jobs;
    let is_named_in_turn =
        arguments.spill.is_some() || arguments.archive.is_some() && is_time_fixed();
    match who(arguments) {
        who if who.is_waited_for() => {
            Pace { jobs: jobs.map_or(MODEL_JOBS, NonZero::get), by_line: true }
        }
        _ if is_named_in_turn => Pace::in_turn(jobs),
        _ => Pace::of(jobs),
    }
}

/// Warns if others can read the file of the key.
pub(in crate::command::compact) fn warn_of_open_key(arguments: &Compact, shell: &Shell) {
    let Some(path) = &arguments.api_key_file else { return };
    // A pipe such as `<(pass show key)` is not a file that others could read.
    let is_open = |file: Metadata| file.is_file() && file.mode() & 0o077 != 0;
    if fs::metadata(path).is_ok_and(is_open) {
        let path = shown(path);
        let reason = format!("others can read the key in {path}");
        shell.say_with_hint(reason, Some(&format!("chmod 600 {path}")));
    }
}

/// The summarizer: as named, or the one that a given flag belongs to.
pub(in crate::command::compact) fn who(arguments: &Compact) -> Summarizer {
    let default = match (&arguments.command, &arguments.summary_file) {
        (Some(_), _) => Summarizer::Command,
        (None, Some(_)) => Summarizer::File,
        (None, None) => Summarizer::Digest,
    };
    arguments.summarizer.unwrap_or(default)
}

/// The name of a summarizer for `--summarizer`.
pub(in crate::command::compact) fn name_of(who: Summarizer) -> String {
    who.to_possible_value().map_or(String::new(), |value| value.get_name().to_owned())
}

/// The settings of a summarizer other than the digest; `None` for the digest.
pub(super) fn settings(arguments: &Compact) -> anyhow::Result<Option<Settings>> {
    let who = who(arguments);
    refuse_contradictions(arguments, who)?;
    let source = match who {
        Summarizer::Digest | Summarizer::None => return Ok(None),
        Summarizer::Command => Source::Command(arguments.command.clone().ok_or_else(|| {
            Trouble::new("--summarizer command needs a command", "--command 'llm -m small'")
        })?),
        Summarizer::File => Source::File(notes(arguments)?),
        Summarizer::Openai | Summarizer::Responses | Summarizer::Anthropic | Summarizer::Gemini => {
            Source::Http(endpoint(arguments, &name_of(who))?)
        }
    };
    let prompt = arguments.prompt_file.as_deref().map(prompt_in).transpose()?;
    let default = summarizer::Limits::default();
    let model = model_of(&source);
    let summary_tokens = arguments.max_summary_tokens.map(answer_tokens);
    let limits = summarizer::Limits {
        connect: arguments.connect_timeout.map_or(default.connect, Duration::from_secs),
        answer: arguments.timeout.map_or(default.answer, Duration::from_secs),
        deadline: arguments.deadline.map_or(default.deadline, Duration::from_secs),
        retries: arguments.retries.unwrap_or(default.retries),
        summary_tokens: summary_tokens.unwrap_or(default.summary_tokens),
        window: model.map(|model| model.window),
        most_answer: model.map(|model| model.output),
        ..default
    };
    let masked = |text: String| if arguments.redact { mask(&text) } else { text };
    let prompt = prompt.map(masked);
    let instructions = arguments.instructions.clone().map(masked);
    Ok(Some(Settings { source, prompt, instructions, limits }))
}

/// The prompt in a file; an empty file is refused, because it would act as if no file were named.
fn prompt_in(path: &Path) -> Result<String, Trouble> {
    let is_input = path == Path::new("-");
    let reason = match fs::read_to_string(path) {
        _ if is_input => "--prompt-file takes a file, and not standard input".to_owned(),
        Err(error) => format!("could not read the prompt {}: {error}", shown(path)),
        Ok(text) if text.trim().is_empty() => format!("the prompt {} is empty", shown(path)),
        Ok(text) => return Ok(text),
    };
    Err(Trouble::new(reason, "--prompt-file names a file that holds one"))
}

/// Refuses flags that the summarizer would ignore, and combinations that can't work.
fn refuse_contradictions(arguments: &Compact, who: Summarizer) -> anyhow::Result<()> {
    use Summarizer::{Command, File, None as Nobody};
    let is_waited_for = who.is_waited_for();
    let is_model = is_waited_for && who != Command;
    let is_not_our_own = who.is_not_our_own();
    let fails_without_archive =
        arguments.archive.is_some() && arguments.on_failure == Some(OnFailure::Fail);
    let flags = [
        ("--command", arguments.command.is_some(), who == Command),
        ("--summary-file", arguments.summary_file.is_some(), who == File),
        ("--base-url", arguments.base_url.is_some(), is_model),
        ("--summary-model", arguments.summary_model.is_some(), is_model),
        ("--api-key-file", arguments.api_key_file.is_some(), is_model),
        ("--connect-timeout", arguments.connect_timeout.is_some(), is_model),
        ("--prompt-file", arguments.prompt_file.is_some(), is_waited_for),
        ("--instructions", arguments.instructions.is_some(), is_waited_for),
        ("--timeout", arguments.timeout.is_some(), is_waited_for),
        ("--deadline", arguments.deadline.is_some(), is_waited_for),
        ("--retries", arguments.retries.is_some(), is_waited_for),
        ("--on-failure", arguments.on_failure.is_some(), is_not_our_own || fails_without_archive),
        ("--audit", arguments.audit.is_some(), is_not_our_own),
        ("--max-summary-tokens", arguments.max_summary_tokens.is_some(), who != Nobody),
        ("--restore", arguments.restore.is_some_and(|most| most > 0), who != Nobody),
    ];
    let reader = format!("--summarizer {}", name_of(who));
    refuse_unread(&flags, &reader, "name another summarizer")?;
    if arguments.command.as_ref().is_some_and(|command| command.trim().is_empty()) {
        return Err(Trouble::new("--command is empty", "--command 'llm -m small'").into());
    }
    let files = arguments.reading.files.len();
    if arguments.summary_file.is_some() && files > 1 {
        let reason =
            format!("--summary-file holds the summary of one conversation, not of {files} FILEs");
        return Err(Trouble::new(reason, "name one FILE at a time").into());
    }
    for (flag, seconds) in [
        ("--connect-timeout", arguments.connect_timeout),
        ("--timeout", arguments.timeout),
        ("--deadline", arguments.deadline),
    ] {
        if seconds == Some(0) {
            let reason = format!("{flag} 0 leaves no time for an answer");
            return Err(Trouble::new(reason, format!("{flag} 2m")).into());
        }
    }
    if arguments.max_summary_tokens.is_some_and(|most| most < LEAST_SUMMARY) {
        let reason = format!("a summary needs at least {LEAST_SUMMARY} tokens");
        return Err(Trouble::new(reason, "--max-summary-tokens 500").into());
    }
    Ok(())
}

/// Reads the summary that exists already.
fn notes(arguments: &Compact) -> Result<Notes, Trouble> {
    let path = arguments
        .summary_file
        .as_ref()
        .ok_or_else(|| Trouble::new("--summarizer file needs a file", "--summary-file notes.md"))?;
    let notes = Notes::at(path);
    if notes.is_stdin() {
        let reads_stdin = |name: &Name| name.path().is_none_or(|it| Notes::at(it).is_stdin());
        if names(&arguments.reading).iter().any(reads_stdin) {
            let reason = "standard input can't be the conversation and its summary";
            return Err(Trouble::new(reason, "name a FILE that holds the conversation"));
        }
    } else if !path.exists() || path.is_dir() {
        let what = if path.is_dir() { "is a directory" } else { "no such file" };
        let reason = format!("there is no summary in {}: {what}", shown(path));
        return Err(Trouble::new(reason, "--summary-file names one"));
    }
    Ok(notes)
}

/// The most tokens of a model's answer with a summary of so many tokens: its analysis comes first.
fn answer_tokens(summary: usize) -> usize {
    (summary + summary / 3).max(summary + LEAST_ANALYSIS)
}

/// The row of the summarizer's model, if the table has one.
fn model_of(source: &Source) -> Option<&'static Model> {
    let Source::Http(endpoint) = source else { return None };
    models::named(endpoint.model()).ok()
}

fn endpoint(arguments: &Compact, provider: &str) -> anyhow::Result<Endpoint> {
    let provider = summarizer::provider::by_name(provider)
        .ok_or_else(|| anyhow::anyhow!("no provider {provider}"))?;
    let key = match &arguments.api_key_file {
        Some(path) => Some(Key::from_file(path)),
        None => Key::from_environment(provider, |name| std::env::var(name).ok()).transpose(),
    };
    let key = key.transpose().map_err(|why| {
        Trouble::new(why.to_string(), "the file, or the variable, holds the key and nothing else")
    })?;
    let certificates = std::env::var_os("SSL_CERT_FILE").map(Into::into);
    let (base_url, model) = (arguments.base_url.clone(), arguments.summary_model.clone());
    let endpoint = Endpoint { base_url, model, key, certificates, ..Endpoint::new(provider) };
    endpoint.check_address().map_err(|why| {
        let hint = "--base-url ends before the path of a request, as http://localhost:8080/v1 does";
        Trouble::new(why.to_string(), hint)
    })?;
    Ok(endpoint)
}

/// Refuses an invalid proxy, if requests are sent at all.
pub(super) fn check_proxy(source: &Source) -> Result<(), Trouble> {
    let Source::Http(endpoint) = source else { return Ok(()) };
    endpoint.check_proxy().map_err(|why| {
        let hint = "as in http://HOST:PORT, or https, socks4, socks4a, socks5 or socks5h; empty it, or \
                    name the server in NO_PROXY, to do without";
        Trouble::new(why.to_string(), hint)
    })
}
