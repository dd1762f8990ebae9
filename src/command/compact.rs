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
use crate::compact::report::{Fate, Report, Step, fates};
use crate::compact::{Options, Plan, Subject, plan, profile};
use crate::conversation::Origin;
use crate::count::{Count, Meter};
use crate::digest::{self, digest};
use crate::document::Edit;
use crate::draft::Draft;
use crate::json::Json;
use crate::marks;
use crate::numbers::Threshold;
use crate::pairing::{Cuts, Pairs};
use crate::summarizer::{self, Endpoint, Job, Key, Notice, Settings, Source};
use crate::truncate::cut::{self, Limit, Measure};
use crate::truncate::elide;

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
        let subject =
            Subject { conversation, pairs: &pairs, cuts: &cuts, meter: &self.meter, count: &count };
        let plan = plan(&subject, &self.options).map_err(|infeasible| {
            let least = infeasible.least;
            Trouble::new(
                format!("what has to stay counts {least} tokens with the least summary"),
                format!("the least feasible budget is --budget {least}"),
            )
        })?;
        match plan {
            Plan::Fits => {
                let budget = self.options.budget;
                shell.say(format_args!(
                    "{place}: {tokens} tokens fit the budget of {budget}: unchanged"
                ));
                reports.push(self.unchanged(visit, &place));
                Ok(Vec::new())
            }
            Plan::Shortened(draft, steps) => {
                let report = self.report(visit, &place, &draft, &count, steps, None);
                Ok(self.finish(visit, shell, reports, draft, report))
            }
            Plan::Summarise(rebuild, steps) => {
                self.summarise(visit, shell, reports, &subject, rebuild, steps)
            }
        }
    }

    fn summarise(
        &self,
        visit: &Visit<'_, '_>,
        shell: &mut Shell,
        reports: &mut Vec<Report>,
        subject: &Subject<'_, '_>,
        mut rebuild: Rebuild<'_, '_>,
        mut steps: Vec<Step>,
    ) -> anyhow::Result<Vec<Edit>> {
        let place = visit.place();
        let archive = self.archive(visit, shell, &rebuild);
        let path = archive.as_ref().map(|archive| archive.path.display().to_string());
        let summary = self.summary(visit, shell, subject, &mut rebuild, path.as_deref());
        let Some(summary) = summary? else {
            archive.into_iter().for_each(Archive::discard);
            reports.push(self.unchanged(visit, &place));
            return Ok(Vec::new());
        };
        let draft = rebuild.with_summary(&summary.text);
        let tokens = self.meter.draft(&draft, subject.count);
        let before = subject.count.tokens();
        if tokens > self.options.budget || tokens >= before {
            archive.into_iter().for_each(Archive::discard);
            let budget = self.options.budget;
            let reason = format!("the result would count {tokens} tokens, more than {budget}");
            return Err(Trouble::new(reason, "a larger --budget, or a smaller --keep-tail").into());
        }
        let messages = rebuild.kept.iter().filter(|kept| !**kept).count();
        steps.push(Step { step: "summarise", tokens_saved: before - tokens, messages });
        let mut report = self.report(visit, &place, &draft, subject.count, steps, Some(&summary));
        report.archive = path;
        if report.compactions > 1 {
            let times = report.compactions;
            shell.say(format_args!(
                "{place}: compacted for the {times}. time; repeated compaction costs accuracy"
            ));
        }
        Ok(self.finish(visit, shell, reports, draft, report))
    }

    fn finish<'a>(
        &self,
        visit: &Visit<'_, 'a>,
        shell: &mut Shell,
        reports: &mut Vec<Report>,
        mut draft: Draft<'_, 'a>,
        report: Report,
    ) -> Vec<Edit> {
        let would = if self.arguments.dry_run { "would be " } else { "" };
        let after = report.compacted_tokens.unwrap_or(0);
        shell.say(format_args!(
            "{}: {would}compacted, {} messages summarised, {} -> {after} tokens",
            report.file,
            report.fates.iter().filter(|fate| **fate == Fate::Summarised).count(),
            report.original_tokens.unwrap_or(0),
        ));
        reports.push(report);
        visit.conversation.dialect.make_resumable(&mut draft, visit.document, after);
        draft.edits(visit.document)
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

    /// The summary; `None` where the conversation is to stay as it is.
    fn summary(
        &self,
        visit: &Visit<'_, '_>,
        shell: &mut Shell,
        subject: &Subject<'_, '_>,
        rebuild: &mut Rebuild<'_, '_>,
        archive: Option<&str>,
    ) -> anyhow::Result<Option<Summary>> {
        if self.arguments.summarizer == Some(Summarizer::None) {
            let note = elide::note();
            let text = note.parts.iter().map(|part| match part {
                crate::draft::NewPart::Text(text) => text.to_string(),
                _ => String::new(),
            });
            return Ok(Some(Summary { text: text.collect(), by: "none".into(), attempts: 0 }));
        }
        let Some(settings) = self.settings.as_ref().filter(|_| !self.arguments.dry_run) else {
            return Ok(Some(self.digest(subject, rebuild, archive)));
        };
        let failure = if self.breaker.is_open() {
            "the summarizer failed three times in a row and is not asked again".to_owned()
        } else {
            let asked = self.ask(settings, shell, subject, rebuild, archive);
            self.breaker.record(asked.is_ok());
            match asked {
                Ok(summary) => return Ok(Some(summary)),
                Err(failure) => failure,
            }
        };
        let place = visit.place();
        match self.arguments.on_failure {
            OnFailure::Digest => {
                shell.say(format_args!(
                    "{place}: could not summarise: {failure}; the digest stands in"
                ));
                Ok(Some(self.digest(subject, rebuild, archive)))
            }
            OnFailure::Original => {
                shell.say(format_args!("{place}: could not summarise: {failure}; unchanged"));
                Ok(None)
            }
            OnFailure::Fail => {
                let hint = "--on-failure digest needs no model";
                Err(Trouble::new(format!("could not summarise: {failure}"), hint).into())
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

    /// Asks the summarizer; the answer fits the room.
    fn ask(
        &self,
        settings: &Settings,
        shell: &Shell,
        subject: &Subject<'_, '_>,
        rebuild: &mut Rebuild<'_, '_>,
        archive: Option<&str>,
    ) -> Result<Summary, String> {
        let (excerpts, earlier) = excerpts(subject, &rebuild.summarised());
        let opener = match archive {
            Some(path) => {
                format!("{}\nThe messages themselves are in {path}.\n\n", marks::SUMMARY_OPENER)
            }
            None => format!("{}\n\n", marks::SUMMARY_OPENER),
        };
        let room = rebuild.summary_room().saturating_sub(self.meter.text(&opener));
        let summary = summarizer::summarise(
            settings,
            &Job {
                excerpts: &excerpts,
                earlier: earlier.as_deref(),
                target: Some(room),
                replaces: excerpts.iter().map(|excerpt| excerpt.tokens).sum(),
                count: &|text| self.meter.text(text),
                say: &|notice: &Notice| shell.say(notice),
            },
        )
        .map_err(|failure| failure.to_string())?;
        let limit = Limit { measure: Measure::Tokens, most: room, head_share: 0.7 };
        let text = cut::cut(&summary.text, &limit, &self.meter).unwrap_or(summary.text);
        let text = format!("{opener}{text}");
        rebuild.give_rest_to_tail(&text);
        Ok(Summary { text, by: settings.source.name(), attempts: summary.attempts })
    }

    fn report(
        &self,
        visit: &Visit<'_, '_>,
        place: &str,
        draft: &Draft<'_, '_>,
        count: &Count,
        steps: Vec<Step>,
        summary: Option<&Summary>,
    ) -> Report {
        let original = count.tokens();
        let compacted = self.meter.draft(draft, count);
        let fates = fates(draft, summary.is_some());
        let first_changed = fates.iter().position(|fate| *fate != Fate::Kept);
        let lost = first_changed
            .map(|first| count.messages[first..].iter().map(|tally| tally.tokens()).sum());
        let gone = |fate: &&Fate| matches!(fate, Fate::Summarised | Fate::Dropped);
        let summarised = fates.iter().filter(gone).count();
        #[allow(clippy::cast_precision_loss, reason = "a ratio for people")]
        let ratio = compacted as f64 / original.max(1) as f64;
        Report {
            compacted: true,
            original_tokens: Some(original),
            compacted_tokens: Some(compacted),
            compaction_ratio: Some(ratio),
            compacted_messages: Some(summarised),
            retained_messages: Some(fates.len() - summarised),
            summarizer: summary.map(|summary| summary.by.clone()),
            attempts: summary.map_or(0, |summary| summary.attempts),
            steps,
            fates,
            first_changed_message: first_changed,
            cache_tokens_lost: lost,
            compactions: 1 + self.unchanged(visit, place).compactions,
            ..self.unchanged(visit, place)
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
