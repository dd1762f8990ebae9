//! A conversation that is repaired before anything else is done to it.
//!
//! Responsible for decisions about what is broken: made of the repaired text, they are those that a second
//! run would make, for repairs move, remove and add what is counted.

use super::{exempt, read_changed};
use crate::document::Edit;
use crate::normalize::{Repair, normalize};
use crate::resume;
use crate::subject::Subject;
use crate::thinking::Signatures;

/// The edits that repair a conversation, the repairs, and what `then` says of the repaired one; `None` where
/// there is nothing to repair.
pub(crate) fn repaired_first<T>(
    subject: &Subject<'_, '_>,
    then: impl FnOnce(&Subject<'_, '_>) -> T,
) -> Option<(Vec<Edit>, Vec<Repair>, T)> {
    let Subject { document, conversation, meter, count, .. } = *subject;
    let (provider, signatures) =
        (conversation.dialect.provider(), Signatures::of(conversation, None));
    let (mut draft, repairs) = normalize(conversation, provider, signatures, exempt(conversation));
    if repairs.is_empty() {
        return None;
    }
    let tokens = meter.draft(&draft, count);
    let edits = resume::edits(&mut draft, document, tokens);
    let done = read_changed(subject, &edits, then);
    Some((edits, repairs, done?))
}
