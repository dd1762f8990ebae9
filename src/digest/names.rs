//! Names: what a later step may need to say exactly, such as paths, symbols, hashes and ids.
//!
//! Responsible for finding them in a line, for telling how many plain words stand around them, and
//! for the table that counts where each was seen. It relies on shape alone: no name of any project
//! is known here. Invariant: a name's number is its first occurrence's, so that nothing depends on
//! the order of a hash table.

/// What a name is, by its shape.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Form {
    /// Several components: `src/main.rs`.
    Path,
    /// One component with an extension: `main.rs`.
    File,
    /// An identifier of several words: `camelCase`, `snake_case`.
    Symbol,
    /// A hash of 7 to 40 hexadecimal digits.
    Hash,
    /// `ABC-123` or `#123`.
    Ticket,
    /// A URL, or a host with its port.
    Address,
    /// Letters and digits, or several dotted or hyphenated parts with a digit: `HAT001`, `1.2.3`.
    Id,
    /// At least two digits.
    Number,
    /// A salient word of prose.
    Word,
}

/// A word of three letters and more that is not too common.
#[derive(Clone, Copy, Debug)]
struct Word {
    start: u32,
    end: u32,
    is_plain: bool,
}

/// How much a line says: its words, identifiers among them, each once.
#[derive(Clone, Debug, Default)]
pub(super) struct Words {
    found: Vec<Word>,
    /// What stands for words in scripts without spaces.
    wide: u16,
}

/// A name is explained by three other words, two of them plain. Measured: with less, a reader can do
/// nothing with it.
const OTHERS: usize = 3;
const PLAIN: usize = 2;

/// More words than this explain any name.
const ENOUGH: usize = 14;

impl Words {
    /// How many there are.
    pub(super) fn count(&self) -> usize {
        self.found.len() + usize::from(self.wide)
    }

    fn push(&mut self, text: &[u8], start: usize, end: usize, is_plain: bool) {
        let word = &text[start..end];
        if self.found.len() >= ENOUGH
            || word.len() < 3
            || !word[0].is_ascii_alphabetic()
            || is_common(word)
        {
            return;
        }
        let same = |known: &Word| {
            word.eq_ignore_ascii_case(&text[known.start as usize..known.end as usize])
        };
        if !self.found.iter().any(same) {
            #[allow(clippy::cast_possible_truncation, reason = "a line is smaller than 4 GB")]
            self.found.push(Word { start: start as u32, end: end as u32, is_plain });
        }
    }

    /// How many words say something beside `name`, and how many of them are plain; no further than
    /// to `most` of both.
    fn beside(&self, line: &str, name: &str, most: (usize, usize)) -> (usize, usize) {
        let (mut all, mut plain) = (usize::from(self.wide), usize::from(self.wide));
        for word in &self.found {
            if all >= most.0 && plain >= most.1 {
                break;
            }
            let text = &line.as_bytes()[word.start as usize..word.end as usize];
            if !contains(name.as_bytes(), text) {
                all += 1;
                plain += usize::from(word.is_plain);
            }
        }
        (all, plain)
    }

    /// Whether the words of `line` explain `name`.
    pub(super) fn explain(&self, line: &str, name: &str) -> bool {
        if self.found.len() >= ENOUGH {
            return true;
        }
        if self.count() < OTHERS {
            return false;
        }
        let (all, plain) = self.beside(line, name, (OTHERS, PLAIN));
        all >= OTHERS && plain >= PLAIN
    }

    /// How well the words of two neighbouring lines explain `name`: the words to spare, up to one.
    pub(super) fn explain_with(
        &self,
        line: &str,
        other: (&Words, &str),
        name: &str,
    ) -> Option<usize> {
        let most = (OTHERS + 1, PLAIN + 1);
        let (all, plain) = self.beside(line, name, most);
        let (more, more_plain) = other.0.beside(other.1, name, most);
        (all + more).checked_sub(OTHERS).min((plain + more_plain).checked_sub(PLAIN))
    }
}

/// Whether `word` stands in `name`, whatever the case.
fn contains(name: &[u8], word: &[u8]) -> bool {
    let Some(last) = name.len().checked_sub(word.len()) else { return false };
    let (first, second) = (word[0].to_ascii_lowercase(), word[1].to_ascii_lowercase());
    (0..=last).any(|at| {
        name[at].to_ascii_lowercase() == first
            && name[at + 1].to_ascii_lowercase() == second
            && name[at + 2..at + word.len()].eq_ignore_ascii_case(&word[2..])
    })
}

/// A name in a text: its shape, and where it stands in bytes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Found {
    pub(super) form: Form,
    pub(super) start: usize,
    pub(super) end: usize,
}

const WORD: u8 = 1;
const JOINT: u8 = 2;

/// What each byte may be part of: a word, a joint between words of one name, or neither.
static CLASS: [u8; 256] = classes();

const fn classes() -> [u8; 256] {
    let mut table = [0; 256];
    let mut at = 0;
    while at < 128 {
        #[allow(clippy::cast_possible_truncation, reason = "at is below 128")]
        let byte = at as u8;
        if byte.is_ascii_alphanumeric() || byte == b'_' {
            table[at] = WORD;
        } else if matches!(byte, b'-' | b'.' | b'/' | b':' | b'@' | b'~' | b'#' | b'+') {
            table[at] = JOINT;
        }
        at += 1;
    }
    table
}

/// Finds the names of one line or sentence, in order, and its words.
pub(super) fn scan(text: &str, words: &mut Words, mut sink: impl FnMut(Found)) {
    let bytes = text.as_bytes();
    words.found.clear();
    words.wide = 0;
    let mut at = 0;
    while at < bytes.len() {
        let class = CLASS[usize::from(bytes[at])];
        if class == 0 {
            if bytes[at] >= 0x80 {
                let end = run(bytes, at, |byte| byte >= 0x80);
                // Scripts without spaces: four characters stand for a word.
                let wide = ((end - at) / 12).max(usize::from(end - at >= 6));
                words.wide = words.wide.saturating_add(u16::try_from(wide).unwrap_or(u16::MAX));
                at = end;
            } else {
                at += 1;
            }
            continue;
        }
        let end = run(bytes, at, |byte| CLASS[usize::from(byte)] != 0);
        chunk(bytes, at, end, words, &mut sink);
        at = end;
    }
}

fn run(bytes: &[u8], start: usize, inside: impl Fn(u8) -> bool) -> usize {
    bytes[start..].iter().position(|&byte| !inside(byte)).map_or(bytes.len(), |n| start + n)
}

/// What a run of word characters looks like.
#[derive(Clone, Copy, Default)]
struct Shape {
    upper: bool,
    lower: bool,
    digit: bool,
    underscore: bool,
    inner_upper: bool,
    hex: bool,
}

fn shape(word: &[u8]) -> Shape {
    let mut shape = Shape { hex: true, ..Shape::default() };
    let mut was_lower = false;
    for (at, &byte) in word.iter().enumerate() {
        match byte {
            b'a'..=b'z' => {
                shape.lower = true;
                shape.hex &= byte <= b'f';
                was_lower = true;
            }
            b'A'..=b'Z' => {
                shape.upper = true;
                shape.hex = false;
                shape.inner_upper |= at > 0 && was_lower;
                was_lower = false;
            }
            b'0'..=b'9' => {
                shape.digit = true;
                // `i18nKey`: a digit between does not end the word.
            }
            _ => {
                shape.underscore |= at > 0 && at + 1 < word.len();
                shape.hex = false;
                was_lower = false;
            }
        }
    }
    shape
}

impl Shape {
    /// One capital at most, at the beginning, or capitals alone.
    fn is_plain(self) -> bool {
        !self.digit && !self.underscore && !self.inner_upper && (self.lower || self.upper)
    }

    fn form(self, length: usize) -> Option<Form> {
        if self.hex && self.digit && self.lower && (7..=40).contains(&length) {
            return Some(Form::Hash);
        }
        if (self.underscore || self.inner_upper) && length >= 4 && (self.lower || self.upper) {
            return Some(Form::Symbol);
        }
        if self.digit && !(self.lower || self.upper || self.underscore) {
            return (length >= 2).then_some(Form::Number);
        }
        (self.digit && length >= 3 && !self.underscore).then_some(Form::Id)
    }
}

/// Finds the names in a run without white space.
fn chunk(bytes: &[u8], start: usize, end: usize, words: &mut Words, sink: &mut impl FnMut(Found)) {
    let single = bytes[start..end].iter().all(|&byte| CLASS[usize::from(byte)] == WORD);
    if single {
        let word = &bytes[start..end];
        let shape = shape(word);
        words.push(bytes, start, end, shape.is_plain());
        if let Some(form) = shape.form(word.len()) {
            sink(Found { form, start, end });
        }
        return;
    }
    let is_word = |byte: u8| CLASS[usize::from(byte)] == WORD;
    let mut at = start;
    while at < end {
        if is_word(bytes[at]) {
            let stop = run(&bytes[..end], at, is_word);
            words.push(bytes, at, stop, shape(&bytes[at..stop]).is_plain());
            at = stop;
        } else {
            at += 1;
        }
    }
    compound(bytes, start, end, sink);
}

/// Finds the names in a run of words and joints.
fn compound(bytes: &[u8], start: usize, end: usize, sink: &mut impl FnMut(Found)) {
    if let Some(scheme) = find(&bytes[start..end], b"://") {
        let stop = trim_end(bytes, start, end);
        if scheme >= 2 && stop > start + scheme + 4 {
            sink(Found { form: Form::Address, start, end: stop });
        }
        return;
    }
    let is_time = bytes[start..end]
        .iter()
        .all(|byte| byte.is_ascii_digit() || matches!(byte, b':' | b'+' | b'.'));
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
            && !is_file(&bytes[at..stop])
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

fn find(bytes: &[u8], wanted: &[u8]) -> Option<usize> {
    bytes.windows(wanted.len()).position(|window| window == wanted)
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
    // A comment's slashes are no root.
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
            each(bytes, start, end, b'/', &mut |a, b| dotted(bytes, a, b, sink));
        }
        return;
    }
    dotted(bytes, start, end, sink);
}

/// Finds the names in a run of dotted and hyphenated words.
fn dotted(bytes: &[u8], start: usize, end: usize, sink: &mut impl FnMut(Found)) {
    let lead = bytes[start..end].iter().position(|&byte| CLASS[usize::from(byte)] == WORD);
    let Some(lead) = lead else { return };
    let hidden = lead > 0 && bytes[start + lead - 1] == b'.';
    let (start, dot) = (start + lead, usize::from(hidden));
    let text = &bytes[start..end];
    if is_file(text) {
        sink(Found { form: Form::File, start: start - dot, end });
    } else if is_ticket(text) {
        sink(Found { form: Form::Ticket, start, end });
    } else if text.contains(&b'@') && text.contains(&b'.') {
        sink(Found { form: Form::Address, start, end });
    } else if text.iter().any(u8::is_ascii_digit) && is_numbered(text) {
        sink(Found { form: Form::Id, start, end });
    } else {
        let joint = |byte: u8| CLASS[usize::from(byte)] == JOINT;
        let mut at = start;
        while at < end {
            let stop = run(&bytes[..end], at, |byte| !joint(byte));
            if let Some(form) =
                (stop > at).then(|| shape(&bytes[at..stop]).form(stop - at)).flatten()
            {
                sink(Found { form, start: at, end: stop });
            }
            at = stop + 1;
        }
    }
}

fn each(bytes: &[u8], start: usize, end: usize, by: u8, then: &mut impl FnMut(usize, usize)) {
    let mut at = start;
    while at < end {
        let stop = run(&bytes[..end], at, |byte| byte != by);
        if stop > at {
            then(at, stop);
        }
        at = stop + 1;
    }
}

/// Whether a run with a slash is a path and not `either/or`.
fn is_path(text: &[u8]) -> bool {
    let slashes = memchr::memchr_iter(b'/', text).count();
    let rooted = matches!(text[0], b'/' | b'~');
    let letters = text.iter().filter(|byte| byte.is_ascii_alphabetic()).count();
    let marked =
        text.iter().any(|byte| matches!(byte, b'.' | b'_' | b'-') || byte.is_ascii_digit());
    let parts = text.split(|&byte| byte == b'/').filter(|part| !part.is_empty()).count();
    letters >= 3 && parts >= 2 && (slashes >= 2 || rooted || marked) && find(text, b"//").is_none()
}

/// Extensions of files that conversations speak of; any other word behind a dot is a member.
fn is_extension(text: &[u8]) -> bool {
    matches!(
        text,
        b"rs"
            | b"go"
            | b"py"
            | b"js"
            | b"ts"
            | b"jsx"
            | b"tsx"
            | b"mjs"
            | b"cjs"
            | b"java"
            | b"kt"
            | b"kts"
            | b"swift"
            | b"c"
            | b"h"
            | b"cc"
            | b"cpp"
            | b"hpp"
            | b"cs"
            | b"rb"
            | b"php"
            | b"sol"
            | b"scala"
            | b"lua"
            | b"pl"
            | b"r"
            | b"dart"
            | b"ex"
            | b"exs"
            | b"hs"
            | b"ml"
            | b"zig"
            | b"vue"
            | b"svelte"
            | b"sh"
            | b"bash"
            | b"zsh"
            | b"fish"
            | b"ps1"
            | b"bat"
            | b"md"
            | b"mdx"
            | b"rst"
            | b"txt"
            | b"json"
            | b"jsonl"
            | b"yaml"
            | b"yml"
            | b"toml"
            | b"ini"
            | b"cfg"
            | b"conf"
            | b"env"
            | b"lock"
            | b"mod"
            | b"sum"
            | b"xml"
            | b"html"
            | b"css"
            | b"scss"
            | b"less"
            | b"sql"
            | b"csv"
            | b"tsv"
            | b"log"
            | b"proto"
            | b"graphql"
            | b"gradle"
            | b"tf"
            | b"ipynb"
            | b"svg"
            | b"png"
            | b"jpg"
            | b"jpeg"
            | b"gif"
            | b"webp"
            | b"pdf"
            | b"zip"
            | b"gz"
            | b"tar"
            | b"wasm"
            | b"db"
            | b"sqlite"
            | b"diff"
            | b"patch"
            | b"tmpl"
            | b"j2"
            | b"plist"
            | b"service"
    )
}

fn is_file(text: &[u8]) -> bool {
    let Some(dot) = text.iter().rposition(|&byte| byte == b'.') else { return false };
    let stem = &text[..dot];
    is_extension(&text[dot + 1..])
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

/// Versions, dates, times and ids of several parts: at least as many parts with digits as without.
fn is_numbered(text: &[u8]) -> bool {
    let parts =
        || text.split(|&byte| CLASS[usize::from(byte)] == JOINT).filter(|part| !part.is_empty());
    let with = parts().filter(|part| part.iter().any(u8::is_ascii_digit)).count();
    let long = parts().any(|part| part.len() > 20);
    text.len() >= 3 && 2 * with >= parts().count() && !long
}

/// Words that say nothing of a name beside them.
pub(super) fn is_common(word: &[u8]) -> bool {
    if word.len() > 6 {
        return false;
    }
    let mut low = [0; 6];
    for (to, from) in low.iter_mut().zip(word) {
        *to = from.to_ascii_lowercase();
    }
    matches!(
        &low[..word.len()],
        b"the"
            | b"and"
            | b"but"
            | b"then"
            | b"for"
            | b"with"
            | b"from"
            | b"are"
            | b"was"
            | b"were"
            | b"been"
            | b"being"
            | b"its"
            | b"this"
            | b"that"
            | b"these"
            | b"those"
            | b"you"
            | b"she"
            | b"they"
            | b"your"
            | b"his"
            | b"her"
            | b"our"
            | b"their"
            | b"them"
            | b"does"
            | b"did"
            | b"done"
            | b"has"
            | b"have"
            | b"had"
            | b"will"
            | b"would"
            | b"can"
            | b"could"
            | b"should"
            | b"may"
            | b"might"
            | b"must"
            | b"not"
            | b"yes"
            | b"just"
            | b"also"
            | b"about"
            | b"into"
            | b"over"
            | b"out"
            | b"down"
            | b"there"
            | b"here"
            | b"what"
            | b"which"
            | b"who"
            | b"when"
            | b"where"
            | b"why"
            | b"how"
            | b"all"
            | b"any"
            | b"each"
            | b"some"
            | b"more"
            | b"most"
            | b"other"
            | b"than"
            | b"such"
            | b"only"
            | b"own"
            | b"same"
            | b"let"
            | b"use"
            | b"used"
            | b"using"
            | b"now"
            | b"new"
            | b"one"
            | b"two"
            | b"get"
            | b"got"
            | b"want"
            | b"need"
            | b"see"
            | b"call"
            | b"result"
            | b"user"
    )
}
