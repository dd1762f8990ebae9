//! `ctx compact`: a summary in place of the middle.

use std::fs;
use std::io::Write;
use std::path::Path;
use std::time::Duration;

use crate::archive::Archive;
use crate::cli::compact::{Compact, OnFailure, Summarizer};
use crate::command::truncate::tools;
use crate::command::{Outcome, Shell, Trouble, Visit, WINDOW, meter, read_each, rewrite_each};
use crate::compact::excerpts::excerpts;
use crate::compact::rebuild::Rebuild;
use crate::compact::report::{Fate, Report};
use crate::compact::{Compacted, Options, Plan, Subject, carry_out, plan, profile};
use crate::conversation::Origin;
use crate::count::{Count, Meter};
use crate::digest::{self, digest};
use crate::document::Edit;
use crate::json::Json;
use crate::marks;
use crate::numbers::Threshold;
use crate::pairing::{Cuts, Pairs};
use crate::summarizer::{self, Endpoint, Job, Key, Notice, Settings, Source};
use crate::truncate::cut::{self, Limit, Measure};

/// Whose results survive where `--keep-tools` says nothing: the state of the agent's plan.
const PLAN_TOOLS: &[&str] = &["manage_todo_list", "todo_write", "TodoWrite", "update_plan"];

/// Writes the compacted conversations.
///
/// # Errors
///
/// The arguments contradict each other, or the output can't be written.
pub fn run(arguments: &Compact) -> anyhow::Result<Outcome> {
    let compaction = Compaction::new(arguments)?;
    let mut shell = Shell::new(arguments.writing.quiet);
    let mut reports = Vec::new();
    if arguments.dry_run {
        let each = &mut |visit: &Visit<'_, '_>, shell: &mut Shell| {
            compaction.one(visit, shell, &mut reports).map(|_| ())
        };
        read_each(&arguments.reading, &mut shell, each, |_, _| Ok(()));
    } else {
        let each = &mut |visit: &Visit<'_, '_>, shell: &mut Shell| {
            compaction.one(visit, shell, &mut reports)
        };
        rewrite_each(&arguments.reading, &arguments.writing, &mut shell, each)?;
    }
    if let Some(path) = &arguments.report {
        write_report(path, &reports)?;
    }
    Ok(shell.outcome())
}

/// One report is an object, several are lines.
fn write_report(path: &Path, reports: &[Report]) -> anyhow::Result<()> {
    let lines: Result<Vec<String>, _> = reports.iter().map(serde_json::to_string).collect();
    let text = lines?.join("\n") + "\n";
    if path == Path::new("-") {
        std::io::stderr().write_all(text.as_bytes())?;
    } else {
        fs::write(path, text).map_err(|error| {
            anyhow::anyhow!("could not write the report to {}: {error}", path.display())
        })?;
    }
    Ok(())
}

/// What the arguments ask for.
struct Compaction<'r> {
    arguments: &'r Compact,
    meter: Meter,
    options: Options,
    threshold: usize,
    settings: Option<Settings>,
    breaker: summarizer::Breaker,
}

/// A summary, and where it comes from.
struct Summary {
    text: String,
    by: String,
    attempts: usize,
}

/// What a model answered, or why it did not: it is asked once a conversation.
struct Model {
    answer: Option<Result<(String, usize), String>>,
    failure: Option<anyhow::Error>,
}

impl<'r> Compaction<'r> {
    fn new(arguments: &'r Compact) -> anyhow::Result<Self> {
        let (meter, model_window) = meter(&arguments.counting)?;
        let known = arguments.limits.window.or(model_window);
        let window = known.unwrap_or(WINDOW);
        let budget = arguments.budget.unwrap_or(window / 4);
        let threshold = match (arguments.limits.threshold, arguments.reserve, arguments.budget) {
            (Some(threshold), ..) => threshold.within(window),
            (None, Some(reserve), _) => window.saturating_sub(reserve),
            (None, None, Some(budget)) if known.is_none() => budget,
            _ => Threshold::default().within(window),
        };
        let mut tools = tools(&arguments.tool_names)?;
        if tools.keep.is_none() {
            let mut set = globset::GlobSetBuilder::new();
            for name in PLAN_TOOLS {
                set.add(globset::Glob::new(name)?);
            }
            tools.keep = Some(set.build()?);
        }
        #[allow(
            clippy::cast_possible_truncation,
            clippy::cast_sign_loss,
            reason = "a share between 0 and 1"
        )]
        let min_saving = (arguments.min_saving * 1000.0).round() as usize;
        let options = Options {
            budget,
            profile: profile::named(&arguments.profile).unwrap_or(&profile::PROFILES[0]),
            keep_first_user: arguments.keep_first_user,
            keep_users: arguments.keep_users,
            keep_tail: arguments.keep_tail,
            keep_results: arguments.keep_results,
            tools,
            min_saving,
        };
        let settings = settings(arguments)?;
        let breaker = summarizer::Breaker::default();
        Ok(Self { arguments, meter, options, threshold, settings, breaker })
    }

    /// The edits that compact one conversation.
    fn one(
        &self,
        visit: &Visit<'_, '_>,
        shell: &mut Shell,
        reports: &mut Vec<Report>,
    ) -> anyhow::Result<Vec<Edit>> {
        let conversation = visit.conversation;
        let count = self.meter.count(conversation);
        let tokens = count.tokens();
        let place = visit.place();
        if tokens < self.threshold && !self.arguments.force {
            let threshold = self.threshold;
            shell.say(format_args!(
                "{place}: {tokens} tokens, under the threshold of {threshold}: unchanged"
            ));
            reports.push(self.unchanged(visit, &place));
            return Ok(Vec::new());
        }
        let pairs = Pairs::of(&conversation.messages);
        let cuts = Cuts::of(conversation, &pairs);
        let subject = Subject {
            document: visit.document,
            shape: visit.shape,
            conversation,
            pairs: &pairs,
            cuts: &cuts,
            meter: &self.meter,
            count: &count,
        };
        let plan = plan(&subject, &self.options).map_err(|infeasible| {
            let least = infeasible.least;
            Trouble::new(
                format!("what has to stay counts {least} tokens with the least summary"),
                format!("the least feasible budget is --budget {least}"),
            )
        })?;
        let archive = match &plan {
            Plan::Summarise(rebuild, _) => self.archive(visit, shell, rebuild),
            Plan::Fits | Plan::Shortened(..) => None,
        };
        if let Plan::Fits = plan {
            let budget = self.options.budget;
            shell.say(format_args!(
                "{place}: {tokens} tokens fit the budget of {budget}: unchanged"
            ));
        }
        let path = archive.as_ref().map(|archive| archive.path.display().to_string());
        let mut model = Model { answer: None, failure: None };
        let compacted = carry_out(&subject, plan, self.options.budget, |rebuild| {
            let summary =
                self.summary(visit, shell, &subject, rebuild, path.as_deref(), &mut model)?;
            let text = summary.text.clone();
            Some((summary, text))
        });
        let done = compacted.filter(|done| self.keeps(done, tokens));
        let Some(done) = done else {
            archive.into_iter().for_each(Archive::discard);
            reports.push(self.unchanged(visit, &place));
            return model.failure.map_or(Ok(Vec::new()), Err);
        };
        if done.settled.tokens > self.options.budget {
            archive.into_iter().for_each(Archive::discard);
            let (tokens, budget) = (done.settled.tokens, self.options.budget);
            let reason = format!("the result would count {tokens} tokens, more than {budget}");
            return Err(Trouble::new(reason, "a larger --budget, or a smaller --keep-tail").into());
        }
        let mut report = self.report(visit, &place, &count, &done);
        report.archive = path;
        visit.tell_repairs(shell, &done.settled);
        self.tell(shell, &report);
        reports.push(report);
        Ok(done.settled.edits)
    }

    /// Whether a result is smaller by what it has to save at least.
    fn keeps(&self, done: &Compacted<Summary>, before: usize) -> bool {
        let saved = before.saturating_sub(done.settled.tokens);
        saved > 0 && saved * 1000 >= before * self.options.min_saving
    }

    /// Says what was done.
    fn tell(&self, shell: &Shell, report: &Report) {
        let place = &report.file;
        if report.compactions > 1 {
            let times = report.compactions;
            shell.say(format_args!(
                "{place}: compacted {times} times now; repeated compaction costs accuracy"
            ));
        }
        let would = if self.arguments.dry_run { "would be " } else { "" };
        shell.say(format_args!(
            "{place}: {would}compacted, {} messages summarised, {} -> {} tokens",
            report.fates.iter().filter(|fate| **fate == Fate::Summarised).count(),
            report.original_tokens.unwrap_or(0),
            report.compacted_tokens.unwrap_or(0),
        ));
    }

    /// Saves the messages that go; a failure is a warning, not a stop.
    fn archive(
        &self,
        visit: &Visit<'_, '_>,
        shell: &Shell,
        rebuild: &Rebuild<'_, '_>,
    ) -> Option<Archive> {
        let directory = self.arguments.archive.as_deref().filter(|_| !self.arguments.dry_run)?;
        let conversation = visit.conversation;
        let mut units: Vec<usize> = Vec::new();
        for (message, kept) in conversation.messages.iter().zip(&rebuild.kept) {
            units.extend(message.units.iter().filter(|_| !kept));
        }
        units.sort_unstable();
        let messages: Vec<Json<'_>> =
            units.iter().map(|&unit| conversation.source.units[unit].json).collect();
        let written = Archive::write(directory, &self.session(visit), &messages);
        written
            .inspect_err(|error| {
                let directory = directory.display();
                shell.say(format_args!(
                    "{}: could not archive to {directory}: {error}",
                    visit.place()
                ));
            })
            .ok()
    }

    /// The session's name: as given, the log's own, the file's, or `stdin`.
    fn session(&self, visit: &Visit<'_, '_>) -> String {
        let own = || visit.conversation.dialect.session(&visit.conversation.source);
        let stem =
            || visit.name.path()?.file_stem().map(|stem| stem.to_string_lossy().into_owned());
        self.arguments.session.clone().or_else(own).or_else(stem).unwrap_or("stdin".to_owned())
    }

    /// The summary; `None` where the conversation is to stay as it is, or can't be compacted.
    fn summary(
        &self,
        visit: &Visit<'_, '_>,
        shell: &Shell,
        subject: &Subject<'_, '_>,
        rebuild: &mut Rebuild<'_, '_>,
        archive: Option<&str>,
        model: &mut Model,
    ) -> Option<Summary> {
        if self.arguments.summarizer == Some(Summarizer::None) {
            return Some(Summary { text: String::new(), by: "none".into(), attempts: 0 });
        }
        let Some(settings) = self.settings.as_ref().filter(|_| !self.arguments.dry_run) else {
            return Some(self.digest(subject, rebuild, archive));
        };
        let answer = model.answer.take().unwrap_or_else(|| {
            if self.breaker.is_open() {
                return Err("the summarizer failed three times in a row".to_owned());
            }
            let answer = self.ask(settings, shell, subject, rebuild);
            self.breaker.record(answer.is_ok());
            answer
        });
        model.answer = Some(answer.clone());
        let failure = match answer {
            Ok((text, attempts)) => {
                let text = self.fitted(rebuild, archive, text);
                return Some(Summary { text, by: settings.source.name(), attempts });
            }
            Err(failure) => failure,
        };
        let place = visit.place();
        match self.arguments.on_failure {
            OnFailure::Digest => {
                shell.say(format_args!(
                    "{place}: could not summarise: {failure}; the digest stands in"
                ));
                Some(self.digest(subject, rebuild, archive))
            }
            OnFailure::Original => {
                shell.say(format_args!("{place}: could not summarise: {failure}; unchanged"));
                None
            }
            OnFailure::Fail => {
                let hint = "--on-failure digest needs no model";
                let trouble = Trouble::new(format!("could not summarise: {failure}"), hint);
                model.failure = Some(trouble.into());
                None
            }
        }
    }

    fn digest(
        &self,
        subject: &Subject<'_, '_>,
        rebuild: &mut Rebuild<'_, '_>,
        archive: Option<&str>,
    ) -> Summary {
        let write = |rebuild: &Rebuild<'_, '_>| {
            let most = self.arguments.max_summary_tokens.unwrap_or(usize::MAX);
            digest(&digest::Request {
                conversation: subject.conversation,
                pairs: subject.pairs,
                summarised: &rebuild.summarised(),
                shown: &rebuild.kept,
                budget: rebuild.summary_room().min(most),
                count: &|text| self.meter.text(text),
                archive,
                redact: self.arguments.redact,
            })
        };
        let mut text = write(rebuild);
        if rebuild.give_rest_to_tail(&text) {
            text = write(rebuild);
        }
        Summary { text, by: "digest".to_owned(), attempts: 0 }
    }

    /// Asks the summarizer; its text and how often it was asked.
    fn ask(
        &self,
        settings: &Settings,
        shell: &Shell,
        subject: &Subject<'_, '_>,
        rebuild: &Rebuild<'_, '_>,
    ) -> Result<(String, usize), String> {
        let (excerpts, earlier) = excerpts(subject, &rebuild.summarised());
        let summary = summarizer::summarise(
            settings,
            &Job {
                excerpts: &excerpts,
                earlier: earlier.as_deref(),
                target: Some(rebuild.summary_room()),
                replaces: excerpts.iter().map(|excerpt| excerpt.tokens).sum(),
                count: &|text| self.meter.text(text),
                say: &|notice: &Notice| shell.say(notice),
            },
        );
        summary
            .map(|summary| (summary.text, summary.attempts))
            .map_err(|failure| failure.to_string())
    }

    /// A model's summary under our opener, cut where it is longer than the room.
    fn fitted(&self, rebuild: &mut Rebuild<'_, '_>, archive: Option<&str>, text: String) -> String {
        let opener = match archive {
            Some(path) => {
                format!("{}\nThe messages themselves are in {path}.\n\n", marks::SUMMARY_OPENER)
            }
            None => format!("{}\n\n", marks::SUMMARY_OPENER),
        };
        let room = rebuild.summary_room().saturating_sub(self.meter.text(&opener));
        let limit = Limit { measure: Measure::Tokens, most: room, head_share: 0.7 };
        let text = format!("{opener}{}", cut::cut(&text, &limit, &self.meter).unwrap_or(text));
        rebuild.give_rest_to_tail(&text);
        text
    }

    fn report(
        &self,
        visit: &Visit<'_, '_>,
        place: &str,
        count: &Count,
        done: &Compacted<Summary>,
    ) -> Report {
        let original = count.tokens();
        let compacted = done.settled.tokens;
        let fates = done.fates.clone();
        let first_changed = fates.iter().position(|fate| *fate != Fate::Kept);
        let lost = first_changed
            .map(|first| count.messages[first..].iter().map(|tally| tally.tokens()).sum());
        let gone = |fate: &&Fate| matches!(fate, Fate::Summarised | Fate::Dropped);
        let summarised = fates.iter().filter(gone).count();
        #[allow(clippy::cast_precision_loss, reason = "a ratio for people")]
        let ratio = compacted as f64 / original.max(1) as f64;
        let unchanged = self.unchanged(visit, place);
        Report {
            compacted: true,
            original_tokens: Some(original),
            compacted_tokens: Some(compacted),
            compaction_ratio: Some(ratio),
            compacted_messages: Some(summarised),
            retained_messages: Some(fates.len() - summarised),
            summarizer: done.summary.as_ref().map(|summary| summary.by.clone()),
            attempts: done.summary.as_ref().map_or(0, |summary| summary.attempts),
            steps: done.steps.clone(),
            fates,
            first_changed_message: first_changed,
            cache_tokens_lost: lost,
            compactions: unchanged.compactions + usize::from(done.summary.is_some()),
            ..unchanged
        }
    }

    /// The report of a conversation that stays as it is.
    fn unchanged(&self, visit: &Visit<'_, '_>, place: &str) -> Report {
        let messages = &visit.conversation.messages;
        Report {
            file: place.to_owned(),
            compacted: false,
            original_tokens: None,
            compacted_tokens: None,
            compaction_ratio: None,
            compacted_messages: None,
            retained_messages: None,
            profile: self.options.profile.name,
            summarizer: None,
            attempts: 0,
            steps: Vec::new(),
            fates: vec![Fate::Kept; messages.len()],
            archive: None,
            first_changed_message: None,
            cache_tokens_lost: None,
            compactions: messages
                .iter()
                .filter(|message| message.origin == Origin::Summary)
                .count(),
        }
    }
}

/// How to summarise with anything but the digest.
fn settings(arguments: &Compact) -> anyhow::Result<Option<Settings>> {
    let default = match (&arguments.command, &arguments.summary_file) {
        (Some(_), _) => Summarizer::Command,
        (None, Some(_)) => Summarizer::File,
        (None, None) => Summarizer::Digest,
    };
    let source = match arguments.summarizer.unwrap_or(default) {
        Summarizer::Digest | Summarizer::None => return Ok(None),
        Summarizer::Command => {
            let command = arguments.command.clone().ok_or_else(|| {
                Trouble::new("--summarizer command needs a command", "--command 'llm -m small'")
            })?;
            Source::Command(command)
        }
        Summarizer::File => {
            let file = arguments.summary_file.clone().ok_or_else(|| {
                Trouble::new("--summarizer file needs a file", "--summary-file notes.md")
            })?;
            Source::File(file)
        }
        Summarizer::Openai => Source::Http(endpoint(arguments, "openai")?),
        Summarizer::Responses => Source::Http(endpoint(arguments, "responses")?),
        Summarizer::Anthropic => Source::Http(endpoint(arguments, "anthropic")?),
        Summarizer::Gemini => Source::Http(endpoint(arguments, "gemini")?),
    };
    let prompt = match &arguments.prompt_file {
        Some(path) => Some(fs::read_to_string(path).map_err(|error| {
            anyhow::anyhow!("could not read the prompt {}: {error}", path.display())
        })?),
        None => None,
    };
    let default = summarizer::Limits::default();
    let limits = summarizer::Limits {
        connect: Duration::from_secs(arguments.connect_timeout),
        answer: Duration::from_secs(arguments.timeout),
        deadline: Duration::from_secs(arguments.deadline),
        retries: arguments.retries,
        summary_tokens: arguments.max_summary_tokens.unwrap_or(default.summary_tokens),
        ..default
    };
    Ok(Some(Settings { source, prompt, instructions: arguments.instructions.clone(), limits }))
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
