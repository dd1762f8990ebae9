//! The parts of a command line.
//!
//! Responsible for where one simple command ends and the next begins, and for the words of each. Quotes,
//! backslashes, `$(…)`, comments and here-documents are skipped: nothing inside of them divides a command.

use std::ops::Range;

/// What follows a part.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Joint {
    /// `|`: the next part reads its output.
    Pipe,
    /// `&&`
    And,
    /// `||`
    Or,
    /// `;`, `&`, the end of a line or of the command.
    End,
}

/// A simple command without surrounding blanks, and its range in the command line.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Part<'c> {
    pub(crate) text: &'c str,
    pub(crate) range: Range<usize>,
    pub(crate) joint: Joint,
}

/// The parts of a command line that are not empty, in order.
pub(crate) fn parts(command: &str) -> Vec<Part<'_>> {
    let bytes = command.as_bytes();
    let mut found = Vec::new();
    let mut start = 0;
    let mut document: Option<&str> = None;
    let mut put = |from: usize, to: usize, joint: Joint| {
        let from = to - command[from..to].trim_start().len();
        let text = command[from..to].trim_end();
        if !text.is_empty() {
            found.push(Part { text, range: from..from + text.len(), joint });
        }
    };
    let mut plain =
        Plain::of(bytes, |byte| matches!(byte, b'|' | b'&' | b';' | b'\n' | b'#' | b'<'));
    while let Some(at) = plain.next() {
        let next = bytes.get(at + 1).copied();
        let is_redirect = |at: Option<&u8>| at == Some(&b'>');
        let (joint, length) = match (bytes[at], next) {
            (b'|', Some(b'|')) => (Joint::Or, 2),
            (b'|', Some(b'&')) => (Joint::Pipe, 2),
            (b'|', _) => (Joint::Pipe, 1),
            (b'&', Some(b'&')) => (Joint::And, 2),
            (b'&', _) => {
                let before = at.checked_sub(1).and_then(|at| bytes.get(at));
                if is_redirect(next.as_ref()) || is_redirect(before) {
                    continue;
                }
                (Joint::End, 1)
            }
            (b';' | b'\n', _) => (Joint::End, 1),
            (b'#', _) => (Joint::End, plain.at - at),
            (b'<', Some(b'<')) => {
                let is_string = bytes.get(at + 2) == Some(&b'<');
                document =
                    document.or_else(|| delimiter(&command[at + 2..]).filter(|_| !is_string));
                plain.at = at + if is_string { 3 } else { 2 };
                continue;
            }
            _ => continue,
        };
        put(start, at, joint);
        plain.at = at + length;
        if bytes[at] == b'\n'
            && let Some(delimiter) = document.take()
        {
            plain.at = end_of_document(command, plain.at, delimiter);
        }
        start = plain.at;
    }
    put(start, command.len(), Joint::End);
    found
}

/// Whether a list that a part ends runs in the background: it is followed by `&`.
pub(crate) fn in_background(command: &str, part: &Part<'_>) -> bool {
    part.joint == Joint::End && command[part.range.end..].trim_start().starts_with('&')
}

/// The words of a part, with their quotes.
pub(crate) fn words(part: &str) -> Vec<&str> {
    let bytes = part.as_bytes();
    if !bytes.iter().any(|byte| b"\\'\"`$#".contains(byte)) {
        return part.split_ascii_whitespace().collect();
    }
    let mut found = Vec::new();
    let mut start = 0;
    for at in Plain::of(bytes, |byte| byte.is_ascii_whitespace()) {
        found.push(&part[start..at]);
        start = at + 1;
    }
    found.push(&part[start..]);
    // A backslash that continues a line is no word, even where the line breaks were removed.
    let whole = found.into_iter().map(|word| {
        let rest = word.strip_prefix('\\').filter(|rest| rest.starts_with(['\n', ' ']));
        rest.map_or(word, str::trim_start)
    });
    whole.filter(|word| !word.is_empty()).collect()
}

/// Where the redirection of a part's output begins; `None` without one.
pub(crate) fn redirection(part: &str) -> Option<usize> {
    let bytes = part.as_bytes();
    memchr::memchr(b'>', bytes)?;
    let at = Plain::of(bytes, |byte| byte == b'>').next()?;
    let descriptor = |byte: u8| byte == b'&' || byte.is_ascii_digit();
    let start = at - usize::from(at > 0 && descriptor(bytes[at - 1]));
    (start > 0 && bytes[start - 1].is_ascii_whitespace()).then_some(start)
}

/// A part without the redirection of its output.
pub(crate) fn undirected(part: &str) -> &str {
    &part[..redirection(part).unwrap_or(part.len())]
}

/// How many groups a part opens at its beginning, and at which places it closes groups that were open before.
pub(super) fn groups(part: &str) -> (usize, Vec<usize>) {
    let bytes = part.as_bytes();
    if !bytes.iter().any(|byte| matches!(byte, b'(' | b')')) {
        return (0, Vec::new());
    }
    let (mut opened, mut inner, mut ended) = (0, 0_usize, Vec::new());
    let mut is_beginning = true;
    for at in Plain::of(bytes, |byte| !byte.is_ascii_whitespace()) {
        match bytes[at] {
            b'(' if is_beginning => opened += 1,
            b'(' => inner += 1,
            b')' if inner > 0 => inner -= 1,
            b')' => ended.push(at),
            _ => {}
        }
        is_beginning &= bytes[at] == b'(';
    }
    (opened, ended)
}

/// A part without the parentheses of the groups that it begins or ends.
pub(super) fn within_groups(part: &str) -> &str {
    let (_, ended) = groups(part);
    let end = ended.first().copied().unwrap_or(part.len());
    part[..end].trim_start_matches(['(', ' ']).trim_end()
}

/// A part without the redirection of its output and without the parentheses of groups.
pub(crate) fn bare(part: &str) -> &str {
    undirected(within_groups(part)).trim_end()
}

/// The word that ends a here-document, from behind its `<<`.
fn delimiter(rest: &str) -> Option<&str> {
    let rest = rest.strip_prefix('-').unwrap_or(rest).trim_start_matches([' ', '\t']);
    let rest = rest.trim_start_matches(['\'', '"', '\\']);
    let length = rest.find(|c: char| !c.is_alphanumeric() && c != '_').unwrap_or(rest.len());
    Some(&rest[..length]).filter(|word| !word.is_empty())
}

/// Where the command continues behind a here-document that begins at `start`.
fn end_of_document(command: &str, start: usize, delimiter: &str) -> usize {
    let mut at = start;
    for line in command[start..].split_inclusive('\n') {
        at += line.len();
        if line.trim() == delimiter {
            return at - usize::from(line.ends_with('\n'));
        }
    }
    command.len()
}

/// Iterates over the places of wanted bytes that are neither quoted nor escaped nor inside of `$(…)`. Of a
/// comment only its `#` is yielded; any other `#` is not.
struct Plain<'a, F> {
    bytes: &'a [u8],
    at: usize,
    is_wanted: F,
}

impl<'a, F: Fn(u8) -> bool> Plain<'a, F> {
    fn of(bytes: &'a [u8], is_wanted: F) -> Self {
        Self { bytes, at: 0, is_wanted }
    }

    /// Moves behind the end of the current quote.
    fn close(&mut self, quote: u8) {
        while let Some(&byte) = self.bytes.get(self.at) {
            self.at += 1;
            match byte {
                b'\\' if quote != b'\'' => self.at += 1,
                byte if byte == quote => return,
                _ => {}
            }
        }
    }

    /// Moves behind the end of the current parenthesis.
    fn leave(&mut self) {
        let mut depth = 1_usize;
        while let Some(&byte) = self.bytes.get(self.at).filter(|_| depth > 0) {
            self.at += 1;
            match byte {
                b'\\' => self.at += 1,
                b'\'' | b'"' | b'`' => self.close(byte),
                b'(' => depth += 1,
                b')' => depth -= 1,
                _ => {}
            }
        }
    }
}

impl<F: Fn(u8) -> bool> Iterator for Plain<'_, F> {
    type Item = usize;

    fn next(&mut self) -> Option<usize> {
        loop {
            let at = self.at;
            let byte = *self.bytes.get(at)?;
            self.at += 1;
            match byte {
                b'\\' => self.at += 1,
                b'\'' | b'"' | b'`' => self.close(byte),
                b'$' if self.bytes.get(self.at) == Some(&b'(') => {
                    self.at += 1;
                    self.leave();
                }
                b'#' => {
                    let is_first = at == 0
                        || self.bytes[at - 1].is_ascii_whitespace()
                        || b";|&".contains(&self.bytes[at - 1]);
                    if is_first {
                        let rest = &self.bytes[at..];
                        self.at = at + memchr::memchr(b'\n', rest).unwrap_or(rest.len());
                        if (self.is_wanted)(byte) {
                            return Some(at);
                        }
                    }
                }
                _ if (self.is_wanted)(byte) => return Some(at),
                _ => {}
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn seen(command: &str) -> Vec<&str> {
        parts(command).into_iter().map(|part| part.text).collect()
    }

    #[test]
    fn parts_end_at_what_is_not_quoted() {
        assert_eq!(seen("grep -n \"a\\|b\" f | head"), ["grep -n \"a\\|b\" f", "head"]);
        assert_eq!(seen("echo 'a;b' a\\;b; ls &"), ["echo 'a;b' a\\;b", "ls"]);
        assert_eq!(seen("a 2>&1 |& b &> c || d"), ["a 2>&1", "b &> c", "d"]);
        assert_eq!(seen("x=$(a | (b; c)) && d"), ["x=$(a | (b; c))", "d"]);
        assert_eq!(seen("# don't\na # it's\nb#c"), ["a", "b#c"]);
        assert_eq!(seen("a \\\n  b\nc"), ["a \\\n  b", "c"]);
        assert_eq!(seen("cat <<'E' > f\nit's; x\nE\nmake"), ["cat <<'E' > f", "make"]);
        assert_eq!(seen("cat <<<\"a\"; b <<-E\n\tx\n\tE"), ["cat <<<\"a\"", "b <<-E"]);
        assert_eq!(seen("echo \"open"), ["echo \"open"]);
        assert_eq!(seen("\\"), ["\\"]);
        assert_eq!(seen(" ; "), [""; 0]);
        assert_eq!(words("sed -i 's/a b/c/' f"), ["sed", "-i", "'s/a b/c/'", "f"]);
        for (one, line) in [
            ("a \\\n  b", ["a", "b"]),
            ("\\\n git log", ["git", "log"]),
            ("\\ git log", ["git", "log"]),
        ] {
            assert_eq!(words(one), line, "{one}");
        }
        assert_eq!(redirection("make 2>&1"), Some(5));
        assert_eq!(redirection("grep '>' f"), None);
    }
}
