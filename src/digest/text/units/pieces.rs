//! Long units in pieces.
//!
//! Responsible for cutting where something else begins: after a mark, and inside code or brackets only if there is
//! no other place.

use std::ops::Range;

use super::{LONGEST, trimmed};

/// Cuts a long unit at separators or white space.
pub(super) fn pieces(text: &str, unit: Range<usize>, then: &mut impl FnMut(Range<usize>)) {
    let bytes = text.as_bytes();
    let mut start = unit.start;
    while unit.end - start > LONGEST {
        let limit = start + LONGEST;
        let is_blank = |at: usize| bytes.get(at).is_none_or(u8::is_ascii_whitespace);
        let back = |is_cut: &dyn Fn(u8, usize) -> bool| {
            (start + LONGEST / 2..limit).rfind(|&at| is_cut(bytes[at], at + 1))
        };
        // A mark inside code or brackets separates nothing.
        let back = |is_cut: &dyn Fn(u8, usize) -> bool| {
            back(&|byte, next| is_cut(byte, next) && !is_within(&bytes[start..next]))
                .or_else(|| back(is_cut))
        };
        let cut = back(&|byte, next| matches!(byte, b';' | b'|') && is_blank(next))
            .or_else(|| back(&|byte, _| byte == b','))
            .or_else(|| back(&|byte, _| byte == b' '))
            .map_or(limit, |at| at + 1);
        let cut = text.floor_char_boundary(cut);
        let piece = trimmed(text, start..cut);
        if !piece.is_empty() {
            then(piece);
        }
        start = cut;
    }
    let rest = trimmed(text, start..unit.end);
    if !rest.is_empty() {
        then(rest);
    }
}

/// Whether code or a bracket that begins in these bytes is still open at their end.
fn is_within(bytes: &[u8]) -> bool {
    let count = |mark: u8| memchr::memchr_iter(mark, bytes).count();
    count(b'`') % 2 == 1 || count(b'(') > count(b')')
}
