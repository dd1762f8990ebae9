//! Names: what a later step may need to say exactly, such as paths, symbols, hashes and ids.
//!
//! Responsible for finding the names in a line, and the plain words around them on the way. It relies on
//! shape alone: no name of any project is known here.

mod shape;

use std::ops::Range;

use memchr::memmem;

use super::common;
use super::kinds::{Block, Within};
use super::words::Words;
use crate::digest::files::paths;
pub(crate) use shape::Form;
use shape::{BOND, DIGIT, JOINT, SLASH, classes_in, is_joint, is_word, shape};

/// A name in a text: its form, and its place in bytes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Found {
    pub(crate) form: Form,
    pub(crate) start: usize,
    pub(crate) end: usize,
}

/// Finds the names of one line or sentence, in order, and collects its words.
pub(crate) fn scan(text: &str, kinds: Within<'_>, words: &mut Words, mut sink: impl FnMut(Found)) {
    let bytes = text.as_bytes();
    words.clear();
    for wide in kinds.runs(Block::wide) {
        // In scripts without spaces four characters count as a word.
        words.push_wide((wide.len() / 12).max(usize::from(wide.len() >= 6)));
    }
    for run in kinds.runs(Block::of_names) {
        let Range { start, end } = run;
        if kinds.find(start, |block| !block.small()) >= end {
            // A word in lower case, as most are, is no name.
            words.push(bytes, start, end, true);
            continue;
        }
        let all = classes_in(&bytes[start..end]);
        if all & JOINT == 0 {
            word(bytes, start, end, all, words, &mut sink);
        } else {
            chunk(bytes, start, end, all, words, &mut sink);
        }
    }
}

fn run(bytes: &[u8], start: usize, mut inside: impl FnMut(u8) -> bool) -> usize {
    bytes[start..].iter().position(|&byte| !inside(byte)).map_or(bytes.len(), |n| start + n)
}

/// Handles a run of word characters whose classes together are `all`: a word, perhaps a name.
fn word(
    bytes: &[u8],
    start: usize,
    end: usize,
    all: u8,
    words: &mut Words,
    sink: &mut impl FnMut(Found),
) {
    let shape = shape(&bytes[start..end], all);
    words.push(bytes, start, end, shape.is_plain());
    if let Some(form) = shape.form(end - start) {
        sink(Found { form, start, end });
    }
}

/// Finds the names and words in a run of words and joints whose classes together are `all`.
fn chunk(
    bytes: &[u8],
    start: usize,
    end: usize,
    all: u8,
    words: &mut Words,
    sink: &mut impl FnMut(Found),
) {
    let is_inside = |byte: &u8| is_word(*byte);
    let Some(first) = bytes[start..end].iter().position(is_inside) else { return };
    let last = bytes[start..end].iter().rposition(is_inside).unwrap_or(first);
    // Without digits and bonds the run only consists of words.
    let inside = || classes_in(&bytes[start + first..=start + last]);
    let is_bound = all & (DIGIT | SLASH) != 0 || all & BOND != 0 && inside() & BOND != 0;
    let mut at = start + first;
    while at <= start + last {
        let stop = run(&bytes[..end], at, is_word);
        let all = classes_in(&bytes[at..stop]);
        if stop == at {
            at += 1;
            continue;
        }
        if is_bound {
            words.push(bytes, at, stop, shape(&bytes[at..stop], all).is_plain());
        } else {
            word(bytes, at, stop, all, words, sink);
        }
        at = stop;
    }
    if is_bound {
        compound(bytes, start, end, sink);
    }
}

/// Finds the names in a bound run of words and joints.
fn compound(bytes: &[u8], start: usize, end: usize, sink: &mut impl FnMut(Found)) {
    if memchr::memchr(b':', &bytes[start..end]).is_none() {
        piece(bytes, start, end, sink);
        return;
    }
    if let Some(scheme) = memmem::find(&bytes[start..end], b"://") {
        let stop = trim_end(bytes, start, end);
        if scheme >= 2 && stop > start + scheme + 4 {
            sink(Found { form: Form::Address, start, end: stop });
        }
        return;
    }
    let is_time =
        bytes[start..end].iter().all(|byte| byte.is_ascii_digit() || matches!(byte, b':' | b'+'));
    let stop = trim_end(bytes, start, end);
    if is_time && bytes[start..stop].contains(&b':') && bytes[start].is_ascii_digit() {
        sink(Found { form: Form::Id, start, end: stop });
        return;
    }
    let mut at = start;
    while at < end {
        if bytes[at] == b':' {
            at += 1;
            continue;
        }
        let stop = run(&bytes[..end], at, |byte| byte != b':');
        let port = run(&bytes[..end], (stop + 1).min(end), |byte| byte.is_ascii_digit());
        let is_host = !bytes[at..stop].contains(&b'/')
            && (bytes[at..stop].contains(&b'.') || &bytes[at..stop] == b"localhost");
        if is_host
            && stop < end
            && (stop + 3..=stop + 6).contains(&port)
            && !has_extension(&bytes[at..stop])
        {
            sink(Found { form: Form::Address, start: at, end: port });
            at = port;
        } else {
            piece(bytes, at, stop, sink);
            at = stop;
        }
    }
}

fn trim_end(bytes: &[u8], start: usize, end: usize) -> usize {
    let kept = |byte: &u8| !matches!(byte, b'.' | b'-' | b'/' | b':' | b'~' | b'+' | b'@' | b'#');
    bytes[start..end].iter().rposition(kept).map_or(start, |at| start + at + 1)
}

/// Finds the names in a run without colons.
fn piece(bytes: &[u8], start: usize, end: usize, sink: &mut impl FnMut(Found)) {
    let end = trim_end(bytes, start, end);
    if start >= end {
        return;
    }
    if bytes[start] == b'#' {
        let digits = run(&bytes[..end], start + 1, |byte| byte.is_ascii_digit());
        if digits == end && (3..=7).contains(&(end - start)) {
            sink(Found { form: Form::Ticket, start, end });
            return;
        }
    }
    // The slashes of a comment are not the root of a path.
    let start = if bytes[start..end].starts_with(b"//") {
        start + bytes[start..end].iter().position(|&byte| byte != b'/').unwrap_or(0)
    } else {
        start
    };
    let text = &bytes[start..end];
    if text.contains(&b'/') {
        if is_path(text) {
            sink(Found { form: Form::Path, start, end });
        } else {
            let mut at = start;
            while at < end {
                let stop = run(&bytes[..end], at, |byte| byte != b'/');
                dotted(bytes, at, stop, sink);
                at = stop + 1;
            }
        }
        return;
    }
    dotted(bytes, start, end, sink);
}

/// Finds the names in a run of dotted and hyphenated words.
fn dotted(bytes: &[u8], start: usize, end: usize, sink: &mut impl FnMut(Found)) {
    let lead = bytes[start..end].iter().position(|&byte| is_word(byte));
    let Some(lead) = lead else { return };
    let hidden = lead > 0 && bytes[start + lead - 1] == b'.';
    let (start, dot) = (start + lead, usize::from(hidden));
    let text = &bytes[start..end];
    let all = classes_in(text);
    if all & JOINT == 0 {
        let is_numbered = all & DIGIT != 0 && (3..=20).contains(&text.len());
        let form = if is_numbered { Some(Form::Id) } else { shape(text, all).form(text.len()) };
        if let Some(form) = form {
            sink(Found { form, start, end });
        }
        return;
    }
    if has_extension(text) {
        sink(Found { form: Form::File, start: start - dot, end });
    } else if is_ticket(text) {
        sink(Found { form: Form::Ticket, start, end });
    } else if text.contains(&b'@') && text.contains(&b'.') {
        sink(Found { form: Form::Address, start, end });
    } else if all & DIGIT != 0 && is_numbered(text) {
        sink(Found { form: Form::Id, start, end });
    } else {
        let mut at = start;
        while at < end {
            let stop = run(&bytes[..end], at, |byte| !is_joint(byte));
            let word = &bytes[at..stop];
            if let Some(form) = shape(word, classes_in(word)).form(stop - at) {
                sink(Found { form, start: at, end: stop });
            }
            at = stop + 1;
        }
    }
}

/// Whether a run with a slash is a path and not `either/or`.
fn is_path(text: &[u8]) -> bool {
    let slashes = memchr::memchr_iter(b'/', text).count();
    let rooted = matches!(text[0], b'/' | b'~');
    let is_mark = |byte: &u8| matches!(byte, b'.' | b'_' | b'-' | b'0'..=b'9');
    let mut letters = text.iter().filter(|byte| byte.is_ascii_alphabetic());
    let mut parts = text.split(|&byte| byte == b'/').filter(|part| !part.is_empty());
    letters.nth(2).is_some()
        && parts.nth(1).is_some()
        && (slashes >= 2 || rooted || text.iter().any(is_mark))
        && memmem::find(text, b"//").is_none()
}

/// Whether a path ends with a known file extension.
pub(crate) fn is_file(path: &str) -> bool {
    has_extension(paths::name(path).as_bytes())
}

fn has_extension(text: &[u8]) -> bool {
    let Some(dot) = text.iter().rposition(|&byte| byte == b'.') else { return false };
    let stem = &text[..dot];
    common::is_extension(&text[dot + 1..])
        && stem.iter().any(u8::is_ascii_alphabetic)
        && stem.iter().all(|byte| !matches!(byte, b'@' | b'~' | b'#'))
}

fn is_ticket(text: &[u8]) -> bool {
    let Some(hyphen) = text.iter().position(|&byte| byte == b'-') else { return false };
    (2..=6).contains(&hyphen)
        && text[..hyphen].iter().all(u8::is_ascii_uppercase)
        && text.len() > hyphen + 1
        && text[hyphen + 1..].iter().all(u8::is_ascii_digit)
}

/// Whether a run is a version, a date, a time or an id of several parts: at least half of them have digits.
fn is_numbered(text: &[u8]) -> bool {
    let parts = || text.split(|&byte| is_joint(byte)).filter(|part| !part.is_empty());
    let with = parts().filter(|part| part.iter().any(u8::is_ascii_digit)).count();
    let long = parts().any(|part| part.len() > 20);
    text.len() >= 3 && 2 * with >= parts().count() && !long
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::digest::text::kinds::Kinds;

    fn names(text: &str) -> Vec<(Form, &str)> {
        let mut found = Vec::new();
        scan(text, Kinds::of(text).all(), &mut Words::default(), |name| {
            found.push((name.form, &text[name.start..name.end]));
        });
        found
    }

    #[test]
    fn finds_names_by_their_shape() {
        assert_eq!(
            names("see src/main.rs:12 and lib.rs."),
            [(Form::Path, "src/main.rs"), (Form::Number, "12"), (Form::File, "lib.rs"),]
        );
        assert_eq!(
            names("a::some_name(camelCase)"),
            [(Form::Symbol, "some_name"), (Form::Symbol, "camelCase"),]
        );
        assert_eq!(
            names("commit 3f9a2bc fixes ABC-12 and #345"),
            [(Form::Hash, "3f9a2bc"), (Form::Ticket, "ABC-12"), (Form::Ticket, "#345"),]
        );
        assert_eq!(
            names("http://x.org/a at 10.0.0.1:8080"),
            [(Form::Address, "http://x.org/a"), (Form::Address, "10.0.0.1:8080"),]
        );
        assert_eq!(
            names("at 06:30:00 on 2024-05-20"),
            [(Form::Id, "06:30:00"), (Form::Id, "2024-05-20"),]
        );
    }

    #[test]
    fn takes_plain_words_for_no_names() {
        assert_eq!(names("either/or, self.value // a comment"), []);
        assert_eq!(names("修改src/main.rs文件"), [(Form::Path, "src/main.rs")]);
    }
}
