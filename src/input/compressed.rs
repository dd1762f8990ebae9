//! What an input is compressed with.
//!
//! Responsible for naming the program that reads it; it goes by the first bytes, as those programs do.

/// First bytes, and the command that writes what they hold.
const FORMATS: &[(&[u8], &str)] = &[
    (b"\x1f\x8b", "zcat FILE"),
    (b"\x28\xb5\x2f\xfd", "zstdcat FILE"),
    (b"\xfd7zXZ\0", "xzcat FILE"),
    (b"BZh", "bzcat FILE"),
    (b"PK\x03\x04", "unzip -p FILE"),
];

/// The command that decompresses an input, if it begins as what is compressed.
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
