//! Bytes of a text, many at once: a bit of a word for each.

/// How many bytes are looked at together.
pub(crate) const WIDTH: usize = 64;

/// The places of each bit of the codes of some bytes, the lowest bit first.
#[inline]
pub(crate) fn planes<const BITS: usize>(codes: &[u8; WIDTH]) -> [u64; BITS] {
    let mut planes = [0; BITS];
    for (at, eight) in codes.as_chunks().0.iter().enumerate() {
        let eight = u64::from_le_bytes(*eight);
        for (bit, plane) in planes.iter_mut().enumerate() {
            *plane |= gather(eight >> bit) << (8 * at);
        }
    }
    planes
}

/// The lowest bits of eight bytes, side by side.
#[inline]
pub(crate) fn gather(eight: u64) -> u64 {
    (eight & 0x0101_0101_0101_0101).wrapping_mul(0x0102_0408_1020_4080) >> 56
}
