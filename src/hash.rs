//! A hash that is the same on every machine and in every version, for names that are derived from what
//! they name.

/// FNV-1a of 64 bits.
pub(crate) fn fnv(text: &str) -> u64 {
    text.bytes().fold(0xcbf2_9ce4_8422_2325, |hash, byte| {
        (hash ^ u64::from(byte)).wrapping_mul(0x0100_0000_01b3)
    })
}
