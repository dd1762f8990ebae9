//! The summary that the digest writes, of everything that does not stay.
//!
//! Responsible for asking the digest about what a rebuild removes, and again about less where the tail takes
//! what the digest left over; the names of written files stand behind it. It relies on
//! [`digest`] for the text and on [`Rebuild`] for the room.

use crate::compact::files;
use crate::compact::rebuild::Rebuild;
use crate::compact::rebuild::earlier::Written;
use crate::conversation::Place;
use crate::digest;
use crate::subject::Subject;

/// How often a digest is rewritten beside a longer tail, so that it reports on nothing that stays.
const REWRITES: usize = 4;

/// What a digest has to say or to leave out besides the conversation.
#[derive(Clone, Copy, Default)]
pub struct Digested<'d> {
    /// The most tokens of the summary; `None` for as many as have room.
    pub most: Option<usize>,
    /// The file that holds the messages that the summary stands for.
    pub archive: Option<&'d str>,
    /// Results with a file of their own, each with its path.
    pub spilled: &'d [(Place, String)],
    /// Whether secrets are masked.
    pub redact: bool,
}

impl Digested<'_> {
    /// The summary that stands in a rebuild, of at most the room that this leaves; what it does not use goes
    /// to the tail. Empty if there is too little room.
    pub fn summary(&self, subject: &Subject<'_, '_>, rebuild: &mut Rebuild<'_, '_>) -> String {
        rebuild.summary(|rebuild| self.beside_longest_tail(subject, rebuild))
    }

    fn beside_longest_tail(
        &self,
        subject: &Subject<'_, '_>,
        rebuild: &mut Rebuild<'_, '_>,
    ) -> String {
        let written = Written::of(rebuild);
        let apart = written.told_apart(subject.conversation);
        let mut memory = digest::Memory::before(rebuild.furthest_tail());
        let mut write = |rebuild: &Rebuild<'_, '_>| {
            let partly_shown = rebuild.clipped.as_ref().map(|(at, text)| (*at, text.as_str()));
            let cut_results: Vec<_> = rebuild.cut_in_tail().collect();
            let (mut summarised, mut shown) = (rebuild.summarised(), rebuild.kept.clone());
            summarised.extend(written.summaries.iter().map(|_| true));
            shown.extend(written.summaries.iter().map(|_| false));
            let files = files::lines(subject, rebuild, self.spilled);
            let room = rebuild.summary_room().saturating_sub(subject.meter.text(&files));
            let request = digest::Request {
                partly_shown,
                cut_results: &cut_results,
                conversation: apart.as_ref().unwrap_or(subject.conversation),
                pairs: subject.pairs,
                setting: rebuild.setting,
                summarised: &summarised,
                shown: &shown,
                is_joined: rebuild.joins_first_user(),
                budget: self.most.map_or(room, |most| room.min(most)),
                may_spread: subject.meter.shares(subject.conversation),
                archive: self.archive,
                redact: self.redact,
            };
            let counter = digest::Counter {
                text: &|text| subject.meter.page(text),
                said: &|at| rebuild.said(at),
            };
            let text = digest::digest(&request, counter, &mut memory);
            if text.is_empty() {
                return text;
            }
            [&text, files.trim_end()].join("\n").trim_end().to_owned()
        };
        let mut text = write(rebuild);
        for _ in 0..REWRITES {
            if !(rebuild.leaves_much(&text) && rebuild.give_rest_to_tail(&text)) {
                break;
            }
            let again = write(rebuild);
            if again.is_empty() && rebuild.lets_go() {
                // A shorter digest would have no room, so the one that also reports on the tail stays.
                break;
            }
            text = again;
        }
        text
    }
}
