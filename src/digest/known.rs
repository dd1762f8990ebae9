//! What is known of a conversation apart from its texts.

use super::Request;
use super::calls::Call;
use super::ledger::Ledger;
use super::ledger::fold::Earlier;
use super::text::talk::Talk;

/// The request, and what the calls and the earlier digests tell.
#[derive(Clone, Copy)]
pub(super) struct Known<'k> {
    pub(super) request: &'k Request<'k, 'k>,
    pub(super) calls: &'k [Call],
    pub(super) ledger: &'k Ledger,
    pub(super) earlier: &'k [Earlier],
    pub(super) talk: &'k Talk,
}

impl Known<'_> {
    /// The index of the first call behind message `at`.
    pub(super) fn first_call_behind(&self, at: usize) -> usize {
        self.calls.partition_point(|call| call.place.0 < at)
    }

    /// The same, with only the calls behind the last earlier digest: what stayed visible before it is older than
    /// what it tells, although its numbers are of this conversation.
    pub(super) fn behind_digest(&self) -> Self {
        let digest = self.earlier.last().map_or(0, |earlier| earlier.message);
        Self { calls: &self.calls[self.first_call_behind(digest)..], ..*self }
    }
}
