//! The class of the character at an offset in a text.
//!
//! Relies on the text being UTF-8 and the offset a character boundary: the bytes are decoded by hand, without
//! repeating the checks of `str`.

use super::layout::{BLOCK, BLOCKS};

static TABLE: &[u8] = include_bytes!(concat!(env!("OUT_DIR"), "/classes"));

/// Returns the class and the length of the character at `at`; both are 0 at the end of the text.
#[inline]
pub(super) fn class_at(text: &[u8], at: usize) -> (u8, usize) {
    match text.get(at) {
        None => (0, 0),
        Some(&byte) if byte < 0x80 => (ascii(byte), 1),
        Some(&byte) => {
            let (code_point, len) = decode(text, at, byte);
            (class_of(code_point), len)
        }
    }
}

/// Returns the class of an ASCII character.
#[inline]
pub(super) fn ascii(byte: u8) -> u8 {
    TABLE[2 * BLOCKS + usize::from(byte)]
}

fn class_of(code_point: usize) -> u8 {
    let at = 2 * (code_point / BLOCK);
    let block = usize::from(u16::from_le_bytes([TABLE[at], TABLE[at + 1]]));
    TABLE[2 * BLOCKS + block * BLOCK + code_point % BLOCK]
}

#[inline]
fn decode(text: &[u8], at: usize, first: u8) -> (usize, usize) {
    let tail = |offset: usize| usize::from(text[at + offset] & 0x3F);
    let first = usize::from(first);
    if first < 0xE0 {
        ((first & 0x1F) << 6 | tail(1), 2)
    } else if first < 0xF0 {
        ((first & 0x0F) << 12 | tail(1) << 6 | tail(2), 3)
    } else {
        ((first & 0x07) << 18 | tail(1) << 12 | tail(2) << 6 | tail(3), 4)
    }
}
