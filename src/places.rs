//! Places in a text, many at once: a bit of a word for each byte.

/// The lowest bits of eight bytes, side by side.
#[inline]
pub(crate) fn gather(eight: u64) -> u64 {
    (eight & 0x0101_0101_0101_0101).wrapping_mul(0x0102_0408_1020_4080) >> 56
}
