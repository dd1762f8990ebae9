//! The number of pages of a PDF.
//!
//! Responsible for the root of the page tree, the pages themselves and the header of a linearized file,
//! compressed or not. Encrypted objects that are also compressed tell nothing. Accepts any bytes.

use std::collections::HashMap;
use std::io::Read;

use flate2::read::ZlibDecoder;
use memchr::memmem;

/// The header of a linearized file stands within this many bytes of the beginning.
const HEAD: usize = 1024;

/// The most bytes that are decompressed, as a multiple of the file's size: objects are text, which compresses
/// no better.
const UNPACKED: u64 = 16;

/// The fewest bytes that a page takes.
const PAGE: usize = 20;

/// The number of pages of a PDF; `None` if the bytes are none or do not tell.
pub(super) fn pages(bytes: &[u8]) -> Option<usize> {
    if !bytes.starts_with(b"%PDF") {
        return None;
    }
    let mut found = Found::default();
    let mut left = UNPACKED * bytes.len() as u64;
    let mut begin = 0;
    let ends = memmem::find_iter(bytes, b"endobj").chain([bytes.len()]);
    for end in ends {
        let object = &bytes[begin..end];
        begin = end;
        let (name, object) = named(object);
        if kind(object) == Some(b"ObjStm") {
            let objects = unpacked(object, left);
            left -= objects.len() as u64;
            found.look_at_packed(&objects, object);
        } else {
            found.look_at(name, object);
        }
    }
    let head = &bytes[..bytes.len().min(HEAD)];
    let told = || number(&head[memmem::find(head, b"/Linearized")?..], b"/N");
    let root = found.objects.values().filter_map(|count| *count).max();
    let single = found.objects.values().filter(|count| count.is_none()).count();
    let found = [root, told(), Some(single)].into_iter().flatten();
    let mut found = found.filter(|&pages| pages > 0 && pages <= bytes.len() / PAGE);
    found.next()
}

/// The facts collected from objects so far.
#[derive(Default)]
struct Found {
    /// By object number: the page count that a branch of the page tree states, or `None` for a page. The
    /// largest count is that of the root. The last revision of an object counts.
    objects: HashMap<usize, Option<usize>>,
}

impl Found {
    fn look_at(&mut self, name: Option<usize>, object: &[u8]) {
        // An object without a number is no revision of another.
        let name = name.unwrap_or(usize::MAX - self.objects.len());
        let count = match kind(object) {
            Some(b"Pages") => Some(number(object, b"/Count").unwrap_or(0)),
            Some(b"Page") => None,
            _ => {
                self.objects.remove(&name);
                return;
            }
        };
        self.objects.insert(name, count);
    }

    /// Examines the objects in a stream, which begins with their numbers and offsets.
    fn look_at_packed(&mut self, objects: &[u8], stream: &[u8]) {
        let first = number(stream, b"/First").unwrap_or(0).min(objects.len());
        let (index, objects) = objects.split_at(first);
        let index = String::from_utf8_lossy(index);
        let index: Vec<usize> = index.split_ascii_whitespace().flat_map(str::parse).collect();
        let mut places: Vec<(usize, usize)> =
            index.chunks_exact(2).map(|object| (object[0], object[1])).collect();
        // Only ascending offsets count; otherwise many objects could stand for the same bytes.
        let mut last = 0;
        places.retain(|&(_, place)| {
            let rises = place >= last && place <= objects.len();
            last = if rises { place } else { last };
            rises
        });
        let ends = places.iter().skip(1).map(|(_, place)| *place).chain([objects.len()]);
        for (&(name, place), end) in places.iter().zip(ends) {
            self.look_at(Some(name), objects.get(place..end).unwrap_or_default());
        }
    }
}

/// The objects in a compressed stream, up to `most` bytes; broken data is left out.
fn unpacked(stream: &[u8], most: u64) -> Vec<u8> {
    let mut out = Vec::new();
    if let Some(at) = memmem::find(stream, b"stream") {
        // The data may break off; keep what was read until then.
        let data = stream[at + 6..].trim_ascii_start();
        let _ = ZlibDecoder::new(data).take(most).read_to_end(&mut out);
    }
    out
}

/// The number of an object, and the bytes behind it.
fn named(object: &[u8]) -> (Option<usize>, &[u8]) {
    let Some(at) = memmem::find(object, b" obj") else { return (None, object) };
    let mut words = object[..at].rsplit(u8::is_ascii_whitespace).filter(|word| !word.is_empty());
    let name = words.nth(1).and_then(|name| std::str::from_utf8(name).ok()?.parse().ok());
    (name, &object[at + 4..])
}

/// The type of an object, from its own dictionary and not from one nested in it.
fn kind(object: &[u8]) -> Option<&[u8]> {
    let (mut at, mut depth) = (0, 0);
    while let rest @ [_, ..] = &object[at..] {
        at += match rest {
            [b'<', b'<', ..] => {
                depth += 1;
                2
            }
            // Anything may follow the dictionary of an object.
            [b'>', b'>', ..] if depth <= 1 => return None,
            [b'>', b'>', ..] => {
                depth -= 1;
                2
            }
            [b'(', ..] => text(rest),
            [b'/', ..] if depth == 1 => match rest.strip_prefix(b"/Type").and_then(name) {
                Some(name) => return Some(name),
                None => 1,
            },
            _ => 1,
        };
    }
    None
}

/// The name that the bytes begin with.
fn name(bytes: &[u8]) -> Option<&[u8]> {
    let name = bytes.trim_ascii_start().strip_prefix(b"/")?;
    let end = name.iter().position(|byte| !byte.is_ascii_alphanumeric());
    Some(&name[..end.unwrap_or(name.len())])
}

/// The length of the parenthesised text that the bytes begin with.
fn text(bytes: &[u8]) -> usize {
    let (mut at, mut depth) = (0, 0);
    while let Some(byte) = bytes.get(at) {
        at += if *byte == b'\\' { 2 } else { 1 };
        match byte {
            b'(' => depth += 1,
            b')' if depth == 1 => break,
            b')' => depth -= 1,
            _ => {}
        }
    }
    at.min(bytes.len())
}

/// The number behind a key; `None` if that is a reference to another object.
fn number(object: &[u8], key: &[u8]) -> Option<usize> {
    memmem::find_iter(object, key).find_map(|at| {
        let digits = object[at + key.len()..].trim_ascii_start();
        let end = digits.iter().position(|byte| !byte.is_ascii_digit()).unwrap_or(digits.len());
        let (number, rest) = digits.split_at(end);
        if is_rest_of_reference(rest) {
            return None;
        }
        std::str::from_utf8(number).ok()?.parse().ok()
    })
}

/// Whether the bytes behind a number make it a reference: `0 R`.
fn is_rest_of_reference(rest: &[u8]) -> bool {
    let generation = rest.trim_ascii_start();
    let end = generation.iter().position(|byte| !byte.is_ascii_digit());
    end.is_some_and(|end| end > 0 && generation[end..].trim_ascii_start().starts_with(b"R"))
}

#[cfg(test)]
mod tests {
    use std::io::Write;

    use flate2::Compression;
    use flate2::write::ZlibEncoder;

    use super::*;

    fn of(text: &str) -> Option<usize> {
        pages(padded(format!("%PDF-1.7\n{text}").into_bytes()).as_slice())
    }

    /// Pads the bytes as if pages had content.
    fn padded(mut bytes: Vec<u8>) -> Vec<u8> {
        bytes.extend_from_slice(&[b' '; 600]);
        bytes
    }

    /// A file with compressed objects.
    fn packed(dictionary: &[u8], objects: &[u8]) -> Vec<u8> {
        let mut encoder = ZlibEncoder::new(Vec::new(), Compression::default());
        encoder.write_all(objects).unwrap();
        padded([dictionary, &encoder.finish().unwrap()[..], b"\nendstream endobj"].concat())
    }

    #[test]
    fn the_root_of_the_tree_counts_all_pages() {
        let root = "1 0 obj\n<</Type/Catalog/Pages 2 0 R>>\nendobj\n2 0 obj\n<< /Type /Pages /Kids [3 0 R 4 0 R] /Count 12 >>\nendobj\n";
        let branch = "3 0 obj <</Type/Pages/Count 5/Kids[]>> endobj\n";
        let page = "7 0 obj <</Type/Page/Parent 3 0 R>> endobj\n";
        let other = "8 0 obj <</Type/Page/Parent 3 0 R>> endobj\n";
        let outline = "8 0 obj <</Type/Outlines/Count 40>> endobj\n";
        assert_eq!(of(&format!("{root}{branch}{page}{outline}trailer")), Some(12));
        assert_eq!(of(&format!("{page}{other}")), Some(2));
        assert_eq!(of(&format!("2 0 obj <</Type/Pages/Count 12 0 R>> endobj {page}")), Some(1));
    }

    #[test]
    fn the_type_of_what_stands_within_an_object_is_not_its_own() {
        let fonts = "<</Font<</F1<</Type/Font/Subtype/Type1>>>>>>";
        assert_eq!(
            of(&format!("2 0 obj <</Resources {fonts}/Count 3/Type/Pages>> endobj")),
            Some(3)
        );
        let link = "<</Type/Annot/Subtype/Link>>";
        assert_eq!(of(&format!("3 0 obj <</Annots[{link}]/Type /Page>> endobj")), Some(1));
        assert_eq!(of(r"3 0 obj <</Note(\) (>>) >>)/Type/Page>> endobj"), Some(1));
    }

    #[test]
    fn the_last_revision_of_an_object_counts() {
        let first =
            "2 0 obj <</Type/Pages/Count 12/Kids[]>> endobj\nxref\ntrailer <</Root 1 0 R>>\n";
        assert_eq!(of(&format!("{first}2 0 obj <</Type/Pages/Count 3>> endobj")), Some(3));
        let page = "7 0 obj <</Type/Page>> endobj\n";
        assert_eq!(of(&format!("{page}{page}8 0 obj <</Type/Page>> endobj")), Some(2));
    }

    #[test]
    fn packed_objects_are_unpacked_and_the_head_tells_where_they_are_not() {
        let objects = b"2 0 3 30 <</Type/Pages/Count 7/Kids[]>> <</Type/Page/Parent 2 0 R>>";
        let dictionary = b"%PDF-1.5\n9 0 obj <</Type/ObjStm/N 2/First 9>>stream\r\n";
        assert_eq!(pages(&packed(dictionary, objects)), Some(7));
        let broken = "9 0 obj <</Type/ObjStm/N 80/First 600>>stream xx endstream endobj\n";
        let head = "1 0 obj <</Linearized 1/L 5000/O 3/E 400/N 31/T 4000>> endobj\n";
        assert_eq!(of(&format!("{head}{broken}")), Some(31));
        assert_eq!(of(broken), None);
    }

    #[test]
    fn no_byte_of_packed_objects_is_looked_at_twice() {
        // The offsets fall: a page at 0 would be counted for each object.
        let objects = b"1 0 2 14 3 0 4 14 5 0 <</Type/Page>>";
        let dictionary = b"%PDF-1.5\n9 0 obj <</Type/ObjStm/N 5/First 22>>stream\r\n";
        assert_eq!(pages(&packed(dictionary, objects)), Some(1));
        let falling = "1 9 1 0 ".repeat(300_000);
        let objects = format!("{falling}<</Type/Page>>");
        let dictionary =
            format!("%PDF-1.5\n9 0 obj <</Type/ObjStm/First {}>>stream\n", falling.len());
        assert_eq!(pages(&packed(dictionary.as_bytes(), objects.as_bytes())), None);
    }

    #[test]
    fn what_is_no_pdf_has_no_pages() {
        assert_eq!(pages(b"1 0 obj <</Type/Page>> endobj"), None);
        assert_eq!(of(""), None);
        assert_eq!(of("1 0 obj <</Type/Pages/Count 99999999999999999999>> endobj"), None);
        assert_eq!(of("1 0 obj <</Type/Pages/Count 4000000>> endobj"), None);
        assert_eq!(of("1 0 obj <</Type/Pages/Count 600>> endobj"), None);
    }
}
