//! Looking at many bytes of a text at once: one bit of a word per byte.

/// The number of bytes that are looked at together.
pub(crate) const WIDTH: usize = 64;

/// For each bit of the codes, lowest first, a word with that bit of every code.
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

/// The lowest bits of eight bytes, packed side by side.
#[inline]
pub(crate) fn gather(eight: u64) -> u64 {
    (eight & 0x0101_0101_0101_0101).wrapping_mul(0x0102_0408_1020_4080) >> 56
}
