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
