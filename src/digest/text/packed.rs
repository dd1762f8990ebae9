//! Short words packed into numbers, which are compared and looked up in one step.

/// The longest word that fits into a number, in bytes.
pub(crate) const LONGEST: usize = 8;

/// A word of at most [`LONGEST`] bytes as a number; of a longer word its beginning. A word must not end
/// with a zero byte.
pub(crate) const fn packed(word: &[u8]) -> u64 {
    if let Some(all) = word.first_chunk() {
        return u64::from_le_bytes(*all);
    }
    // Two halves that may overlap cover the whole word.
    let (first, last, half) = match (word.first_chunk(), word.last_chunk()) {
        (Some(first), Some(last)) => (u32::from_le_bytes(*first), u32::from_le_bytes(*last), 4),
        _ => match (word.first_chunk(), word.last_chunk()) {
            (Some(first), Some(last)) => {
                (u16::from_le_bytes(*first) as u32, u16::from_le_bytes(*last) as u32, 2)
            }
            _ => return if let [byte] = word { *byte as u64 } else { 0 },
        },
    };
    first as u64 | (last as u64) << (8 * (word.len() - half))
}

/// The packed word with its ASCII letters in lower case.
pub(crate) const fn small(word: u64) -> u64 {
    const fn repeat(byte: u8) -> u64 {
        u64::from_le_bytes([byte; 8])
    }
    let low = word & repeat(0x7f);
    let from_a = low + repeat(0x80 - b'A');
    let behind_z = low + repeat(0x7f - b'Z');
    let capitals = from_a & !behind_z & !word & repeat(0x80);
    word | capitals >> 2
}

/// The slot of a word in a table of `places` slots, which must be a power of two.
pub(crate) const fn place(word: u64, places: usize) -> usize {
    let product = word.wrapping_mul(0x9e37_79b9_7f4a_7c15);
    #[allow(clippy::cast_possible_truncation, reason = "as many bits are left as a place has")]
    let place = (product >> (u64::BITS - places.trailing_zeros())) as usize;
    place
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_word_is_the_same_in_any_case() {
        for word in ["", "a", "Ab", "aBc", "ABCD", "aZ@[`", "[{}~@Z", "straßE", "Ab_12-Yz"] {
            let bytes = word.bytes().rev().fold(0, |all, byte| all << 8 | u64::from(byte));
            assert_eq!(packed(word.as_bytes()), bytes, "{word}");
            assert_eq!(small(bytes), packed(word.to_ascii_lowercase().as_bytes()), "{word}");
        }
    }
}
