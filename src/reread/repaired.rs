//! Repairing a conversation before anything else is done to it.
//!
//! Responsible for decisions about broken conversations: made on the repaired text, they equal those of a
//! second run, although repairs move, remove and add messages that count.

use super::{exempt, read_changed};
use crate::document::Edit;
use crate::normalize::{Repair, normalize};
use crate::resume;
use crate::subject::Subject;
use crate::thinking::Signatures;

/// The edits that repair a conversation, the repairs, and what `then` returns for the repaired one; `None` if
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
