//! The size of a picture or a recording, from its first bytes.
//!
//! Responsible for the headers of PNG, JPEG, GIF, WebP and WAV. It reads bytes from an iterator, so that no
//! more base64 is decoded than the header takes. Accepts any bytes; anything but a header gives `None`.

/// Decodes base64. Characters outside its alphabet are skipped, `\/` and line breaks included.
pub(super) fn decode(text: &str) -> impl Iterator<Item = u8> + '_ {
    let digits = text.bytes().filter_map(digit);
    let mut bits = 0_u32;
    let mut held = 0;
    digits.filter_map(move |digit| {
        bits = bits << 6 & 0xFFFF | u32::from(digit);
        held += 6;
        if held < 8 {
            return None;
        }
        held -= 8;
        Some((bits >> held).to_le_bytes()[0])
    })
}

fn digit(byte: u8) -> Option<u8> {
    match byte {
        b'A'..=b'Z' => Some(byte - b'A'),
        b'a'..=b'z' => Some(byte - b'a' + 26),
        b'0'..=b'9' => Some(byte - b'0' + 52),
        b'+' | b'-' => Some(62),
        b'/' | b'_' => Some(63),
        _ => None,
    }
}

/// The beginning of a file, which shows its format.
pub(super) struct Header<I> {
    start: [u8; 32],
    length: usize,
    rest: I,
}

impl<I: Iterator<Item = u8>> Header<I> {
    /// Reads the first bytes.
    pub(super) fn read(mut bytes: I) -> Self {
        let mut start = [0; 32];
        let mut length = 0;
        for (slot, byte) in start.iter_mut().zip(&mut bytes) {
            *slot = byte;
            length += 1;
        }
        Self { start, length, rest: bytes }
    }

    /// Whether the file begins with `magic`.
    pub(super) fn begins(&self, magic: &[u8]) -> bool {
        self.start[..self.length].starts_with(magic)
    }

    /// The media type of a picture; `None` if its format is unknown.
    pub(super) fn picture_type(&self) -> Option<&'static str> {
        let types: [(&[u8], _); 3] =
            [(b"\x89PNG", "image/png"), (b"\xFF\xD8\xFF", "image/jpeg"), (b"GIF8", "image/gif")];
        let named = types.iter().find(|(magic, _)| self.begins(magic)).map(|(_, name)| *name);
        let is_webp = self.begins(b"RIFF") && &self.start[8..12] == b"WEBP";
        named.or(is_webp.then_some("image/webp"))
    }

    /// Width and height of a picture, in pixels.
    pub(super) fn size(self) -> Option<(usize, usize)> {
        let start = self.start;
        let little = |at: usize| usize::from(u16::from_le_bytes([start[at], start[at + 1]]));
        let size = if self.begins(b"\x89PNG\r\n\x1a\n") && self.length >= 24 {
            (big32(&start[16..20]), big32(&start[20..24]))
        } else if self.begins(b"GIF8") && self.length >= 10 {
            (little(6), little(8))
        } else if self.begins(b"RIFF") && &start[8..12] == b"WEBP" && self.length >= 30 {
            let three = |at: usize| little(at) | usize::from(start[at + 2]) << 16;
            match &start[12..16] {
                b"VP8X" => (three(24) + 1, three(27) + 1),
                b"VP8L" => {
                    let bits = u32::from_le_bytes([start[21], start[22], start[23], start[24]]);
                    let part = |shift: u32| usize::try_from(bits >> shift & 0x3FFF).ok();
                    (part(0)? + 1, part(14)? + 1)
                }
                b"VP8 " => (little(26) & 0x3FFF, little(28) & 0x3FFF),
                _ => return None,
            }
        } else if self.begins(b"\xFF\xD8") {
            return jpeg_size(start.into_iter().take(self.length).chain(self.rest).skip(2));
        } else {
            return None;
        };
        (size.0 > 0 && size.1 > 0).then_some(size)
    }

    /// The number of bytes for a second of a WAV file.
    pub(super) fn byte_rate(&self) -> Option<usize> {
        let rate = [self.start[28], self.start[29], self.start[30], self.start[31]];
        let is_wave =
            self.begins(b"RIFF") && &self.start[8..16] == b"WAVEfmt " && self.length >= 32;
        let rate = usize::try_from(u32::from_le_bytes(rate)).ok()?;
        (is_wave && rate > 0).then_some(rate)
    }
}

fn big32(bytes: &[u8]) -> usize {
    bytes.iter().fold(0, |number, &byte| number << 8 | usize::from(byte))
}

/// The width and height of a JPEG; segments are skipped up to the one that begins a frame.
fn jpeg_size(mut bytes: impl Iterator<Item = u8>) -> Option<(usize, usize)> {
    loop {
        while bytes.next()? != 0xFF {}
        let mut marker = bytes.next()?;
        while marker == 0xFF {
            marker = bytes.next()?;
        }
        if matches!(marker, 0x00 | 0x01 | 0xD0..=0xD9) {
            continue;
        }
        let mut number = || Some(usize::from(bytes.next()?) << 8 | usize::from(bytes.next()?));
        let length = number()?;
        if matches!(marker, 0xC0..=0xCF) && !matches!(marker, 0xC4 | 0xC8 | 0xCC) {
            bytes.next()?;
            let mut number = || Some(usize::from(bytes.next()?) << 8 | usize::from(bytes.next()?));
            let (height, width) = (number()?, number()?);
            return (width > 0 && height > 0).then_some((width, height));
        }
        if length > 2 {
            bytes.nth(length - 3)?;
        }
    }
}

#[cfg(test)]
pub(super) mod tests {
    use super::*;

    pub(crate) fn base64(bytes: &[u8]) -> String {
        const DIGITS: &[u8] = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
        let mut out = String::new();
        for chunk in bytes.chunks(3) {
            let bits = chunk.iter().fold(0, |bits, &byte| bits << 8 | usize::from(byte));
            let bits = bits << (8 * (3 - chunk.len()));
            for at in 0..=chunk.len() {
                out.push(char::from(DIGITS[bits >> (18 - 6 * at) & 63]));
            }
        }
        out.push_str(["", "=", "=="][(3 - bytes.len() % 3) % 3]);
        out
    }

    pub(crate) fn png(width: u32, height: u32) -> Vec<u8> {
        let mut bytes = b"\x89PNG\r\n\x1a\n\0\0\0\rIHDR".to_vec();
        bytes.extend(width.to_be_bytes());
        bytes.extend(height.to_be_bytes());
        bytes.extend([8, 2, 0, 0, 0]);
        bytes
    }

    pub(crate) fn gif(width: u16, height: u16) -> Vec<u8> {
        let mut bytes = b"GIF89a".to_vec();
        bytes.extend(width.to_le_bytes());
        bytes.extend(height.to_le_bytes());
        bytes
    }

    pub(crate) fn jpeg(width: u16, height: u16) -> Vec<u8> {
        let mut bytes = vec![0xFF, 0xD8, 0xFF, 0xE1, 0x02, 0x02];
        bytes.extend([0xC0; 0x200]);
        bytes.extend([0xFF, 0xFF, 0xC4, 0, 3, 1, 0xFF, 0xC2, 0, 11, 8]);
        bytes.extend(height.to_be_bytes());
        bytes.extend(width.to_be_bytes());
        bytes
    }

    pub(crate) fn wav(seconds: usize, rate: u32) -> Vec<u8> {
        let mut bytes = b"RIFF\0\0\0\0WAVEfmt \x10\0\0\0\x01\0\x01\0".to_vec();
        bytes.extend(rate.to_le_bytes());
        bytes.extend(rate.to_le_bytes());
        bytes.extend(b"\x01\0\x08\0data\0\0\0\0");
        bytes.resize(44 + seconds * usize::try_from(rate).unwrap(), 0);
        bytes
    }

    fn webp(kind: &[u8], data: &[u8]) -> Vec<u8> {
        [b"RIFF\0\0\0\0WEBP", kind, b"\0\0\0\0", data, &[0; 8]].concat()
    }

    fn size(bytes: Vec<u8>) -> Option<(usize, usize)> {
        Header::read(bytes.into_iter()).size()
    }

    #[test]
    fn base64_is_undone_whatever_stands_between() {
        let bytes: Vec<u8> = (0..=255).collect();
        for length in [0, 1, 2, 3, 255, 256] {
            let text = base64(&bytes[..length]).replace('/', "\\/");
            assert_eq!(decode(&text).collect::<Vec<_>>(), bytes[..length]);
        }
    }

    #[test]
    fn sizes_are_read_from_each_format() {
        assert_eq!(size(png(1800, 2400)), Some((1800, 2400)));
        assert_eq!(size(gif(320, 200)), Some((320, 200)));
        assert_eq!(size(jpeg(640, 480)), Some((640, 480)));
        let lossy = [0, 0, 0, 0x9D, 0x01, 0x2A, 0x80, 0x02, 0xE0, 0x01];
        assert_eq!(size(webp(b"VP8 ", &lossy)), Some((640, 480)));
        let bits = (640_u32 - 1) | (480 - 1) << 14;
        let lossless = [&[0x2F][..], &bits.to_le_bytes(), &[0; 5]].concat();
        assert_eq!(size(webp(b"VP8L", &lossless)), Some((640, 480)));
        assert_eq!(size(webp(b"VP8X", &[0, 0, 0, 0, 0x7F, 2, 0, 0xDF, 1, 0])), Some((640, 480)));
    }

    #[test]
    fn what_is_no_header_has_no_size() {
        assert_eq!(size(Vec::new()), None);
        assert_eq!(size(png(0, 5)), None);
        for cut in 0..24 {
            assert_eq!(size(png(5, 5)[..cut].to_vec()), None);
        }
        for cut in 0..jpeg(5, 5).len() {
            assert_eq!(size(jpeg(5, 5)[..cut].to_vec()), None);
        }
    }
}
