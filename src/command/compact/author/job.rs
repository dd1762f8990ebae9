//! The job for a summarizer.

use crate::command::Shell;
use crate::compact::excerpts::Material;
use crate::compact::rebuild::Rebuild;
use crate::subject::Subject;
use crate::summarizer::{self, Job, Notice, Settings};

/// Asks the summarizer for a summary.
pub(super) fn ask(
    settings: &Settings,
    shell: &Shell,
    place: &str,
    subject: &Subject<'_, '_>,
    rebuild: &Rebuild<'_, '_>,
    material: &Material,
) -> Result<summarizer::Summary, summarizer::Failure> {
    let count = |text: &str| subject.meter.text(text);
    let say = |notice: &Notice| shell.say_now(format_args!("{place}: {notice}"));
    let job = job(settings, material, subject, rebuild, &count, &say);
    summarizer::summarise(settings, &job)
}

/// The requests that would be sent, as lines of JSON.
pub(super) fn planned(
    settings: &Settings,
    subject: &Subject<'_, '_>,
    rebuild: &Rebuild<'_, '_>,
) -> anyhow::Result<Vec<String>> {
    let material = Material::of(subject, rebuild);
    let count = |text: &str| subject.meter.text(text);
    let job = job(settings, &material, subject, rebuild, &count, &|_| {});
    let planned =
        summarizer::dry_run(settings, &job).map_err(|reason| anyhow::anyhow!("{reason}"))?;
    planned.iter().map(|request| Ok(serde_json::to_string(request)?)).collect()
}

fn job<'j>(
    settings: &Settings,
    material: &'j Material,
    subject: &Subject<'_, '_>,
    rebuild: &Rebuild<'_, '_>,
    count: &'j dyn Fn(&str) -> usize,
    say: &'j dyn Fn(&Notice),
) -> Job<'j> {
    let excerpts = &material.excerpts;
    let replaces = replaced(subject, rebuild);
    // A model's answer also holds its analysis.
    let most = settings.limits.summary_tokens * 3 / 4;
    // A summary as large as what it replaces would be discarded.
    let target = Some(rebuild.summary_room().min(most).min(replaces.saturating_sub(1)));
    Job { excerpts, earlier: material.earlier(), target, replaces, count, say }
}

/// The tokens that a summary replaces: messages, earlier summaries in kept messages, and text that was cut
/// from results.
pub(super) fn replaced(subject: &Subject<'_, '_>, rebuild: &Rebuild<'_, '_>) -> usize {
    let summarised = subject.count.messages.iter().zip(rebuild.summarised());
    let summarised = summarised.filter(|(_, goes)| *goes).map(|(tally, _)| tally.tokens());
    // An earlier summary in a kept message is replaced too.
    let in_kept = rebuild.earlier.iter().filter(|(place, _)| rebuild.kept[place.0]);
    let in_kept = in_kept.flat_map(|(_, apart)| &apart.summaries);
    let in_kept = in_kept.map(|text| subject.meter.text(text));
    summarised.sum::<usize>() + in_kept.sum::<usize>() + rebuild.left_out()
}
