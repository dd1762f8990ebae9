//! Lines of a summary that name the files of results.
//!
//! Responsible for choosing these results, and for the room of their lines. It relies on the summary standing
//! for the results; kept results name their files themselves.

use crate::compact::rebuild::Rebuild;
use crate::conversation::Place;
use crate::digest::in_passing;
use crate::marks;
use crate::subject::Subject;
use crate::truncate::spill;

/// One part in this many of a summary's room that the names of files may take.
const SHARE: usize = 4;

/// The lines that name the files of results that the summary stands for, including those in `spilled`; as
/// many as their part of the room holds.
pub(crate) fn lines(
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
