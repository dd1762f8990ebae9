//! What is asked of a summarizer for a conversation.

use crate::command::Shell;
use crate::compact::excerpts::Material;
use crate::compact::rebuild::Rebuild;
use crate::subject::Subject;
use crate::summarizer::{self, Job, Notice, Settings};

/// Asks the summarizer.
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
    // What a model may answer with is for its analysis too.
    let most = settings.limits.summary_tokens * 3 / 4;
    // What is no smaller than what it replaces would be thrown away.
    let target = Some(rebuild.summary_room().min(most).min(replaces.saturating_sub(1)));
    Job { excerpts, earlier: material.earlier(), target, replaces, count, say }
}

/// What a summary replaces: messages, earlier summaries in those that stay, and what was cut from results.
pub(super) fn replaced(subject: &Subject<'_, '_>, rebuild: &Rebuild<'_, '_>) -> usize {
    let summarised = subject.count.messages.iter().zip(rebuild.summarised());
    let summarised = summarised.filter(|(_, goes)| *goes).map(|(tally, _)| tally.tokens());
    // An earlier summary in a message that stays goes all the same.
    let in_kept = rebuild.earlier.iter().filter(|(place, _)| rebuild.kept[place.0]);
    let in_kept = in_kept.flat_map(|(_, apart)| &apart.summaries);
    let in_kept = in_kept.map(|text| subject.meter.text(text));
    summarised.sum::<usize>() + in_kept.sum::<usize>() + rebuild.left_out()
}
