//! Recognising compressed inputs.
//!
//! Responsible for naming a command that decompresses an input; goes by the first bytes, as such commands do.

/// The first bytes of each format, and the command that writes the decompressed data.
const FORMATS: &[(&[u8], &str)] = &[
    (b"\x1f\x8b", "zcat FILE"),
    (b"\x28\xb5\x2f\xfd", "zstdcat FILE"),
    (b"\xfd7zXZ\0", "xzcat FILE"),
    (b"BZh", "bzcat FILE"),
    (b"PK\x03\x04", "unzip -p FILE"),
];

/// The command that decompresses an input, if its first bytes are those of a compressed file.
pub(super) fn decompressing(bytes: &[u8]) -> Option<&'static str> {
    FORMATS.iter().find(|(first, _)| bytes.starts_with(first)).map(|(_, command)| *command)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_compressed_is_known_by_its_first_bytes() {
        assert_eq!(decompressing(b"\x1f\x8b\x08\0"), Some("zcat FILE"));
        assert_eq!(decompressing(b"\x28\xb5\x2f\xfd"), Some("zstdcat FILE"));
        assert_eq!(decompressing(b"{\"messages\": []}"), None);
    }
}
