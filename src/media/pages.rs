//! How many pages a PDF has.
//!
//! Responsible for the root of the page tree, the pages themselves and the head of a file that is made to
//! be read page by page, packed or not. Objects that are packed and
//! encrypted say nothing. Any bytes are taken.

use std::io::Read;

use flate2::read::ZlibDecoder;
use memchr::memmem;

/// The head of a linearized file stands in the first so many bytes.
const HEAD: usize = 1024;

/// So much of packed objects is unpacked, at most.
const UNPACKED: u64 = 16 << 20;

/// No page takes fewer bytes.
const PAGE: usize = 20;

/// The pages of a PDF.
pub(super) fn pages(bytes: &[u8]) -> Option<usize> {
    if !bytes.starts_with(b"%PDF") {
        return None;
    }
    let mut found = Found::default();
    let mut left = UNPACKED;
    let mut begin = 0;
    let ends = memmem::find_iter(bytes, b"endobj").chain([bytes.len()]);
    for end in ends {
        let object = &bytes[begin..end];
        begin = end;
        if kind(object) == Some(b"ObjStm") {
            let objects = unpacked(object, left);
            left -= objects.len() as u64;
            found.look_at_packed(&objects, object);
        } else {
            found.look_at(object);
        }
    }
    let head = &bytes[..bytes.len().min(HEAD)];
    let told = || number(&head[memmem::find(head, b"/Linearized")?..], b"/N");
    let found = [Some(found.root), told(), Some(found.single)].into_iter().flatten();
    let mut found = found.filter(|&pages| pages > 0 && pages <= bytes.len() / PAGE);
    found.next()
}

/// What the objects say that were looked at.
#[derive(Default)]
struct Found {
    /// The most that a branch of the page tree says it has: its root.
    root: usize,
    /// Pages.
    single: usize,
}

impl Found {
    fn look_at(&mut self, object: &[u8]) {
        match kind(object) {
            Some(b"Pages") => self.root = self.root.max(number(object, b"/Count").unwrap_or(0)),
            Some(b"Page") => self.single += 1,
            _ => {}
        }
    }

    /// Looks at the objects of a stream, whose numbers and places come first.
    fn look_at_packed(&mut self, objects: &[u8], stream: &[u8]) {
        let first = number(stream, b"/First").unwrap_or(0).min(objects.len());
        let (index, objects) = objects.split_at(first);
        let index = String::from_utf8_lossy(index);
        let places = index.split_ascii_whitespace().skip(1).step_by(2);
        let mut places: Vec<usize> = places.filter_map(|place| place.parse().ok()).collect();
        // They rise: else one might stand for the same bytes as the next, again and again.
        let mut last = 0;
        places.retain(|&place| {
            let rises = place >= last && place <= objects.len();
            last = if rises { place } else { last };
            rises
        });
        places.push(objects.len());
        for place in places.windows(2) {
            self.look_at(objects.get(place[0]..place[1]).unwrap_or_default());
        }
    }
}

/// What a stream of packed objects holds, up to `most` bytes; what can't be unpacked is left out.
fn unpacked(stream: &[u8], most: u64) -> Vec<u8> {
    let mut out = Vec::new();
    if let Some(at) = memmem::find(stream, b"stream") {
        // The data may break off: what was read until then is what it says.
        let data = stream[at + 6..].trim_ascii_start();
        let _ = ZlibDecoder::new(data).take(most).read_to_end(&mut out);
    }
    out
}

/// The type of an object.
fn kind(object: &[u8]) -> Option<&[u8]> {
    let at = memmem::find(object, b"/Type")?;
    let name = object[at + 5..].trim_ascii_start().strip_prefix(b"/")?;
    let end = name.iter().position(|byte| !byte.is_ascii_alphanumeric());
    Some(&name[..end.unwrap_or(name.len())])
}

/// The number that stands behind a key, unless it is in another object.
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

/// Whether behind a number stands what makes it a reference: `0 R`.
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

    /// With what pages say.
    fn padded(mut bytes: Vec<u8>) -> Vec<u8> {
        bytes.extend_from_slice(&[b' '; 600]);
        bytes
    }

    /// A file with packed objects.
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
        let outline = "8 0 obj <</Type/Outlines/Count 40>> endobj\n";
        assert_eq!(of(&format!("{root}{branch}{page}{outline}trailer")), Some(12));
        assert_eq!(of(&format!("{page}{page}")), Some(2));
        assert_eq!(of(&format!("2 0 obj <</Type/Pages/Count 12 0 R>> endobj {page}")), Some(1));
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
        // The places fall: a page at 0 would be counted for each of them.
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
