//! The author of the summary: the digest, or the summarizer that the arguments name, with the digest as a
//! fallback.
//!
//! Responsible for asking at most once per conversation, for fitting an answer into its room, and for the
//! case without an answer. It relies on [`summarizer`] for everything that can take long or fail.

mod job;
mod settings;

use std::fmt::Write as _;

use crate::cli::compact::{Compact, OnFailure, Summarizer};
use crate::command::{Shell, Trouble};
use crate::compact::digested::Digested;
use crate::compact::entries::entries;
use crate::compact::excerpts::Material;
use crate::compact::files;
use crate::compact::rebuild::{Rebuild, SHORT_SUMMARY};
use crate::conversation::Place;
use crate::marks;
use crate::profile;
use crate::redact::without;
use crate::subject::Subject;
use crate::summaries;
use crate::summarizer::{self, Settings, Source};
use crate::truncate::cut;
pub(super) use settings::{name_of, pace, warn_of_open_key, who};

/// The author of summaries in this run.
pub(super) struct Author<'r> {
    arguments: &'r Compact,
    settings: Option<Settings>,
    breaker: &'r summarizer::Breaker,
}

/// A summary and its origin.
#[derive(Default)]
pub(super) struct Summary {
    pub(super) text: String,
    pub(super) by: String,
    pub(super) attempts: usize,
    pub(super) requests: Vec<summarizer::Request>,
    /// Lines that were missing from the summary and were appended.
    pub(super) appended: Vec<String>,
    /// The tokens that were cut from the middle of the answer for lack of room.
    pub(super) cut: usize,
    /// Whether `--max-summary-tokens`, not the budget, limited its room.
    pub(super) is_bound: bool,
    /// Whether there was room for a summary, whether or not one was written.
    pub(super) had_room: bool,
}

impl Summary {
    fn of(text: String, by: &str) -> Self {
        Self { text, by: by.to_owned(), ..Self::default() }
    }

    /// Whether there is no summary, for lack of room, of content or of an author.
    pub(super) fn is_empty(&self) -> bool {
        self.text.is_empty()
    }
}

/// A conversation that waits for its summary.
#[derive(Default)]
pub(super) struct Commission<'s> {
    /// The place of the conversation, for messages.
    pub(super) place: &'s str,
    /// The file that holds the messages that the summary stands for.
    pub(super) archive: Option<&'s str>,
    /// Results with a file of their own, each with its path.
    pub(super) spilled: &'s [(Place, String)],
    /// How often the conversation has been compacted before.
    pub(super) compactions: usize,
    /// The answer of the summarizer, once it was asked.
    answer: Option<Result<summarizer::Summary, String>>,
    /// For each message, whether the answer stands for it.
    asked_of: Vec<bool>,
    /// The failed attempt, if there was one.
    pub(super) tried: Option<summarizer::Failure>,
    /// Why there is no summary, if that ends the command.
    pub(super) failure: Option<anyhow::Error>,
}

impl<'s> Commission<'s> {
    /// A conversation for which no summary was asked yet.
    pub(super) fn of(
        place: &'s str,
        archive: Option<&'s str>,
        spilled: &'s [(Place, String)],
        compactions: usize,
    ) -> Self {
        Self { place, archive, spilled, compactions, ..Self::default() }
    }

    /// Forgets an answer that does not stand for all messages that are to be removed now.
    fn forget_answer_unless_it_covers(&mut self, summarised: Vec<bool>) {
        let stands_for_all =
            self.asked_of.iter().zip(&summarised).all(|(asked, goes)| *asked || !goes);
        if !stands_for_all && matches!(self.answer, Some(Ok(_))) {
            self.answer = None;
        }
        if self.answer.is_none() {
            self.asked_of = summarised;
        }
    }

    /// The text before a summary that is not our own.
    fn opener(&self) -> String {
        let mut opener = format!("{}\n", marks::SUMMARY_OPENER);
        if self.compactions > 0 {
            let _ = writeln!(opener, "{}", summaries::count_line(self.compactions + 1));
        }
        if let Some(path) = self.archive {
            opener.extend([marks::ARCHIVED, path, ".\n"]);
        }
        opener
    }

    /// A hint for the user about a failure of `source`.
    fn hint(&self, source: &Source) -> Option<String> {
        Some(self.tried.as_ref()?.reason.hint(matches!(source, Source::Command(_))).to_owned())
    }

    /// Why the summarizer that was asked gave no summary.
    pub(super) fn why_none(&self) -> Option<String> {
        self.answer.as_ref()?.as_ref().err().cloned()
    }

    /// The number of calls that were made, and their requests.
    pub(super) fn tried(&self) -> (usize, Vec<summarizer::Request>) {
        let answered = self.answer.as_ref().and_then(|answer| answer.as_ref().ok());
        let tried = self.tried.as_ref().map(|it| (it.attempts, it.requests.clone()));
        answered.map(|it| (it.attempts, it.requests.clone())).or(tried).unwrap_or_default()
    }
}

/// The fewest tokens in which a summary is possible.
const FEWEST: usize = 4;

impl<'r> Author<'r> {
    /// Reads the summarizer from the arguments.
    pub(super) fn new(
        arguments: &'r Compact,
        breaker: &'r summarizer::Breaker,
    ) -> anyhow::Result<Self> {
        Ok(Self { arguments, settings: settings::settings(arguments)?, breaker })
    }

    /// Writes the summary; `None` if the conversation stays as it is or can't be compacted.
    pub(super) fn write(
        &self,
        shell: &Shell,
        subject: &Subject<'_, '_>,
        rebuild: &mut Rebuild<'_, '_>,
        commission: &mut Commission<'_>,
    ) -> Option<Summary> {
        if who(self.arguments) == Summarizer::None {
            rebuild.give_rest_to_tail("");
            return Some(Summary::of(String::new(), "none"));
        }
        let opener = commission.opener() + &files::lines(subject, rebuild, commission.spilled);
        let asked = self.asked(subject, rebuild, commission, &opener);
        let Some(settings) = asked.filter(|it| !self.arguments.dry_run || is_at_hand(it)) else {
            // In a dry run the digest stands in for the answer; the report still names the summarizer.
            let by = asked.map_or("digest".to_owned(), |it| it.source.name());
            let had_room = rebuild.summary_room() >= SHORT_SUMMARY;
            let text = self.digest(subject, rebuild, commission);
            return Some(Summary { had_room, ..Summary::of(text, &by) });
        };
        if let Err(trouble) = settings::check_proxy(&settings.source) {
            commission.answer = Some(Err(trouble.reason.clone()));
            commission.failure = Some(trouble.into());
            return None;
        }
        commission.forget_answer_unless_it_covers(rebuild.summarised());
        let is_news = commission.answer.is_none();
        let answer = commission.answer.get_or_insert_with(|| {
            let Some(permit) = self.breaker.permit() else {
                return Err("the summarizer failed three times in a row".to_owned());
            };
            let material = Material::of(subject, rebuild);
            let answer = job::ask(settings, shell, commission.place, subject, rebuild, &material);
            permit.record(answer.is_ok());
            answer.map_err(|failure| commission.tried.insert(failure).to_string())
        });
        let failure = match answer {
            Ok(summary) => {
                let fitted = self.fitted(subject, rebuild, &opener, &summary.text);
                let (attempts, requests) = (summary.attempts, summary.requests.clone());
                return Some(Summary { by: settings.source.name(), attempts, requests, ..fitted });
            }
            Err(failure) => failure.clone(),
        };
        let (place, hint) = (commission.place, commission.hint(&settings.source));
        let trouble = Trouble { reason: format!("could not summarise: {failure}"), hint };
        let warn = |instead| {
            shell.warn_with_hint(
                format_args!("{place}: {trouble}; {instead}"),
                trouble.hint.as_deref(),
            );
        };
        match self.arguments.on_failure.unwrap_or_default() {
            OnFailure::Digest => {
                if is_news {
                    warn("the digest stands in");
                }
                let (attempts, requests) = commission.tried();
                let text = self.digest(subject, rebuild, commission);
                Some(Summary { attempts, requests, ..Summary::of(text, "digest") })
            }
            OnFailure::Original => {
                warn("unchanged");
                None
            }
            OnFailure::Fail => {
                commission.failure = Some(trouble.into());
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
        let commission = Commission::default();
        let asked = self.asked(subject, rebuild, &commission, &commission.opener());
        asked.map_or(Ok(Vec::new()), |settings| job::planned(settings, subject, rebuild))
    }

    /// The settings of the summarizer, if it is asked. A model is not asked if no message is removed (only
    /// results are cut), or if a summary would have no room; then the digest reports everything.
    fn asked(
        &self,
        subject: &Subject<'_, '_>,
        rebuild: &Rebuild<'_, '_>,
        commission: &Commission<'_>,
        opener: &str,
    ) -> Option<&Settings> {
        let settings = self.settings.as_ref().filter(|_| rebuild.lets_go())?;
        // An existing answer costs nothing.
        let is_free = is_at_hand(settings) || commission.answer.is_some();
        let room = self.room(subject, rebuild, opener).min(job::replaced(subject, rebuild));
        (is_free || room >= FEWEST).then_some(settings)
    }

    /// The most tokens of an answer, behind our opener.
    fn room(&self, subject: &Subject<'_, '_>, rebuild: &Rebuild<'_, '_>, opener: &str) -> usize {
        let bound = self.arguments.max_summary_tokens.unwrap_or(usize::MAX);
        let room = rebuild.summary_room().min(bound);
        room.saturating_sub(subject.meter.text(opener) + 1)
    }

    fn digest(
        &self,
        subject: &Subject<'_, '_>,
        rebuild: &mut Rebuild<'_, '_>,
        commission: &Commission<'_>,
    ) -> String {
        let &Commission { archive, spilled, .. } = commission;
        let Compact { max_summary_tokens: most, redact, .. } = *self.arguments;
        Digested { most, archive, spilled, redact }.summary(subject, rebuild)
    }

    /// A model's summary under our opener, cut to its room, with the missing lines appended.
    fn fitted(
        &self,
        subject: &Subject<'_, '_>,
        rebuild: &mut Rebuild<'_, '_>,
        opener: &str,
        summary: &str,
    ) -> Summary {
        let count = |text: &str| subject.meter.text(text);
        let bound = self.arguments.max_summary_tokens.unwrap_or(usize::MAX);
        let is_bound = bound < rebuild.summary_room();
        let room = rebuild.summary_room().min(bound);
        let left = self.room(subject, rebuild, opener);
        let audits = self.arguments.audit.unwrap_or(true);
        // A model may repeat the frame of an earlier summary.
        let is_ours = |line: &str| line == marks::SUMMARY_OPENER || profile::is_closer(line);
        let lines = summary.split_inclusive('\n').filter(|line| !is_ours(line.trim_end()));
        let secrets = rebuild.secrets();
        let summary = without(secrets, lines.collect::<String>().into()).into_owned();
        let entries =
            if audits { entries(subject, &rebuild.summarised(), secrets) } else { Vec::new() };
        // The lines that an audit adds get up to an eighth of the room.
        let missing = summarizer::audit(&summary, &entries, left / 8, &count).text;
        let most = left - count(&missing).min(left / 8);
        let short = cut::cut_words(&summary, most, 0.7, subject.meter);
        let cut = short.as_ref().map_or(0, |short| count(&summary).saturating_sub(count(short)));
        let mut text = format!("{opener}\n{}", short.unwrap_or(summary));
        let left_to_audit = room.saturating_sub(count(&text) + 4);
        let audit = summarizer::audit(&text, &entries, left_to_audit, &count);
        text.push_str(&audit.text);
        let appended =
            audit.appended.into_iter().map(|index| entries[index].line.clone()).collect();
        if left == 0 || count(&text) > room {
            rebuild.give_rest_to_tail("");
            return Summary::default();
        }
        rebuild.give_rest_to_tail(&text);
        Summary { text, appended, cut, is_bound, ..Summary::default() }
    }
}

/// Whether the summary exists already, in a file.
fn is_at_hand(settings: &Settings) -> bool {
    matches!(settings.source, Source::File(_))
}
