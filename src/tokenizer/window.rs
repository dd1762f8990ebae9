//! The next 64 bytes of a text, examined all at once.
//!
//! Most of every text is ASCII, and where its pieces begin depends on little: which kinds of bytes are
//! neighbours. So a kind is a set of places, one bit of a word for each byte, and the beginnings of all
//! pieces in the window are computed with some fifty operations on such words, almost without branches. The
//! rules are those of the [patterns](super::scan) in another form. Cases that depend on text behind the
//! window, on characters outside ASCII, or on rare patterns are left to the scanner.

use super::scan::Pattern;
use crate::bits;

/// The bytes of a window, and as many behind it as a short piece that begins in it may have.
pub(super) type Chunk = [u8; WIDTH + 16];

pub(super) use bits::WIDTH;

/// A set of places in the window; the first byte is the lowest bit.
type Places = u64;

/// The last place of the window; what follows it is unknown.
const LAST: Places = 1 << (WIDTH - 1);

/// The places of each kind of byte in the window.
#[derive(Clone, Copy)]
pub(super) struct Window {
    capitals: Places,
    small: Places,
    digits: Places,
    newlines: Places,
    spaces: Places,
    /// White space of all three kinds.
    white: Places,
    slashes: Places,
    apostrophes: Places,
    /// All other ASCII, including slashes and apostrophes.
    symbols: Places,
    /// The bytes of characters outside ASCII.
    others: Places,
}

impl Window {
    /// Examines the first bytes of a chunk.
    #[inline]
    pub(super) fn of(chunk: &Chunk) -> Self {
        let [a, b, c, d] = code_planes(chunk);
        Self {
            capitals: d & !a,
            small: d & a,
            digits: c & b & a,
            newlines: c & !b & a,
            spaces: c & b & !a,
            white: c & !(b & a),
            slashes: !(d | c | b) & a,
            apostrophes: !(d | c | a) & b,
            symbols: !(d | c | b & a),
            others: !(d | c) & b & a,
        }
    }

    /// Returns where pieces begin, if a piece begins with the window. `rest` is the number of bytes of the
    /// text from there on; the end of the text counts as a beginning too.
    #[inline]
    pub(super) fn starts<P: Pattern>(&self, rest: usize) -> Places {
        let Self { digits, newlines, spaces, slashes, .. } = *self;
        let letters = self.capitals | self.small;

        // Newlines, and in o200k slashes among them, belong to the symbols before them.
        let taken = if P::TAKES_SLASHES { newlines | slashes } else { newlines };
        let first_taken = newlines & after(self.symbols);
        let taken = taken & !taken.wrapping_add(first_taken) | first_taken;
        let white = self.white & !taken;
        let symbols = self.symbols & !taken;
        let blanks = white & !newlines;

        // One space belongs to the symbols behind it; a blank or a lone symbol to the word behind it.
        let symbol_runs = runs(symbols) & !after(spaces);
        let prefixes = (blanks | symbol_runs) & before(letters);
        let mut words = runs(letters) & !after(prefixes);
        if P::PARTS_CASES {
            words |= self.capitals & after(self.small);
        }
        // White space is divided behind its last newline and before its last blank.
        let white_runs = runs(white);
        let behind_newlines = runs(blanks) & after(newlines & white);
        let starts = words
            | thirds(digits)
            | symbol_runs
            | white_runs
            | behind_newlines
            | blanks & !before(white);

        // Blanks between newlines are rare and left to the scanner, and so are possible contractions.
        let parted_wrongly = blanks.wrapping_add(behind_newlines) & !blanks & newlines;
        let contracted = self.apostrophes & (before(letters | self.others) | LAST);
        let contracted =
            if P::CONTRACTS_ANYWHERE { contracted } else { contracted & after(letters) };
        let unsure = self.others | parted_wrongly | contracted;
        let end = (unsure.trailing_zeros() as usize).min(rest);
        let mut sure = below(end);
        if white & sure & !(sure >> 1) != 0 {
            // How white space is divided depends on the text behind it.
            sure = up_to_last(white_runs & sure);
        } else if end == rest && rest < WIDTH {
            return starts & sure | 1 << rest | 1;
        }
        starts & sure | 1
    }
}

/// The places directly behind those of a set.
#[inline]
fn after(places: Places) -> Places {
    places << 1
}

/// The places directly before those of a set.
#[inline]
fn before(places: Places) -> Places {
    places >> 1
}

/// The first place of each run.
#[inline]
fn runs(places: Places) -> Places {
    places & !after(places)
}

/// The first place of each run, and every third place behind it in the same run.
#[inline]
fn thirds(places: Places) -> Places {
    let mut thirds = runs(places);
    let in_fours = places & places << 1 & places << 2 & places << 3;
    let mut next = thirds << 3 & in_fours;
    while next != 0 {
        thirds |= next;
        next = next << 3 & in_fours;
    }
    thirds
}

/// The first `end` places, at most all.
#[inline]
fn below(end: usize) -> Places {
    if end < WIDTH { (1 << end) - 1 } else { Places::MAX }
}

/// The places up to the last one of a set, which must not be empty.
#[inline]
fn up_to_last(places: Places) -> Places {
    Places::MAX >> places.leading_zeros()
}

/// For each bit of the bytes' codes, lowest first, the places that have it.
#[inline]
fn code_planes(chunk: &Chunk) -> [Places; 4] {
    let mut codes = [0; WIDTH];
    for (code, byte) in codes.iter_mut().zip(chunk) {
        *code = code_of(*byte);
    }
    bits::planes(&codes)
}

/// The code of a byte's kind, in four bits, so that four planes hold ten kinds.
///
/// Has no branch, so that the compiler can process many bytes at once.
#[inline]
fn code_of(byte: u8) -> u8 {
    let between = |first: u8, last: u8| byte.wrapping_sub(first) <= last - first;
    let code = |is: bool, code: u8| if is { code } else { 0 };
    code(byte == b'/', 1)
        | code(byte == b'\'', 2)
        | code(byte >= 0x80, 3)
        | code(between(b'\t', b'\r'), 4)
        | code(byte == b'\n' || byte == b'\r', 5)
        | code(byte == b' ', 6)
        | code(between(b'0', b'9'), 7)
        | code(between(b'A', b'Z'), 8)
        | code(between(b'a', b'z'), 9)
}
