//! Lines of a summary that name the files of results.
//!
//! Responsible for telling which results these are, and for how much room they take. It relies on the summary
//! standing for the results: those that stay name their files themselves.

use crate::compact::rebuild::Rebuild;
use crate::conversation::Place;
use crate::digest::in_passing;
use crate::marks;
use crate::subject::Subject;
use crate::truncate::spill;

/// Part of a summary's room that names of files may take.
const SHARE: usize = 4;

/// Lines that name the files of results that the summary stands for, those `spilled` now among them, as many as a
/// part of its room holds.
pub(super) fn lines(
    subject: &Subject<'_, '_>,
    rebuild: &Rebuild<'_, '_>,
    spilled: &[(Place, String)],
) -> String {
    let mut left = rebuild.summary_room() / SHARE;
    let mut lines = String::new();
    let now = spilled.iter().map(|(place, path)| (*place, path.clone()));
    let files = spill::written_before(subject).chain(now);
    for (place, path) in files.filter(|((at, _), _)| !rebuild.kept[*at]) {
        let call = subject.pairs.call_of(place).unwrap_or(place);
        let call = in_passing(subject.conversation.part(call));
        let line = marks::whole(&call, &path) + "\n";
        if let Some(rest) = left.checked_sub(subject.meter.text(&line)) {
            left = rest;
            lines.push_str(&line);
        }
    }
    lines
}
