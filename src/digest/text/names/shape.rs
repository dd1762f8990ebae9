//! The shape of a word: which classes of characters are in it, and which form of name that makes it.
//!
//! Responsible for a single run of word characters; how runs are joined to longer names is not its concern.

/// The form of a name.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Form {
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

/// The classes of the bytes of a word.
const LOWER: u8 = 1;
const UPPER: u8 = 2;
pub(super) const DIGIT: u8 = 4;
const UNDERSCORE: u8 = 8;
/// A lower-case letter that is no hexadecimal digit.
const NO_HEX: u8 = 16;
const WORD: u8 = LOWER | UPPER | DIGIT | UNDERSCORE;
/// A mark that joins the words of one name.
pub(super) const JOINT: u8 = 32;
/// A mark that joins plain words to a file name or an address.
pub(super) const BOND: u8 = 64;
/// The mark that joins plain words to a path.
pub(super) const SLASH: u8 = 128;

/// The classes of each byte; 0 for a byte that is never part of a name.
static CLASS: [u8; 256] = classes();

const fn classes() -> [u8; 256] {
    let mut table = [0; 256];
    let mut at = 0;
    while at < 128 {
        #[allow(clippy::cast_possible_truncation, reason = "at is below 128")]
        let byte = at as u8;
        table[at] = match byte {
            b'a'..=b'f' => LOWER,
            b'g'..=b'z' => LOWER | NO_HEX,
            b'A'..=b'Z' => UPPER,
            b'0'..=b'9' => DIGIT,
            b'_' => UNDERSCORE,
            b'.' | b'@' => JOINT | BOND,
            b'/' => JOINT | SLASH,
            b'-' | b':' | b'~' | b'#' | b'+' => JOINT,
            _ => 0,
        };
        at += 1;
    }
    table
}

pub(super) fn is_word(byte: u8) -> bool {
    CLASS[usize::from(byte)] & WORD != 0
}

pub(super) fn is_joint(byte: u8) -> bool {
    CLASS[usize::from(byte)] & JOINT != 0
}

/// The classes of all these bytes together.
pub(super) fn classes_in(bytes: &[u8]) -> u8 {
    bytes.iter().fold(0, |all, &byte| all | CLASS[usize::from(byte)])
}

/// The shape of a run of word characters.
#[derive(Clone, Copy)]
pub(super) struct Shape {
    /// All classes in it.
    all: u8,
    /// Whether an underscore stands inside it.
    underscore: bool,
    inner_upper: bool,
}

/// The shape of a word whose classes together are `all`.
pub(super) fn shape(word: &[u8], all: u8) -> Shape {
    let inside = word.get(1..word.len().saturating_sub(1)).unwrap_or_default();
    let underscore = all & UNDERSCORE != 0 && inside.contains(&b'_');
    let inner_upper = all & UPPER != 0 && all & LOWER != 0 && has_inner_upper(word);
    Shape { all, underscore, inner_upper }
}

/// Whether a capital follows a lower-case letter. Digits between them do not end the word: `i18nKey`.
fn has_inner_upper(word: &[u8]) -> bool {
    let mut was_lower = false;
    word.iter().any(|byte| {
        let is_inner = was_lower && byte.is_ascii_uppercase();
        was_lower = byte.is_ascii_lowercase() || was_lower && byte.is_ascii_digit();
        is_inner
    })
}

impl Shape {
    fn has(self, class: u8) -> bool {
        self.all & class != 0
    }

    /// Whether it is a plain word: letters alone, with capitals at most at its beginning or throughout.
    pub(super) fn is_plain(self) -> bool {
        !self.has(DIGIT) && !self.underscore && !self.inner_upper && self.has(LOWER | UPPER)
    }

    pub(super) fn form(self, length: usize) -> Option<Form> {
        let is_hex = !self.has(UPPER | UNDERSCORE | NO_HEX);
        if is_hex && self.has(DIGIT) && self.has(LOWER) && (7..=40).contains(&length) {
            return Some(Form::Hash);
        }
        if (self.underscore || self.inner_upper) && length >= 4 && self.has(LOWER | UPPER) {
            return Some(Form::Symbol);
        }
        if self.has(DIGIT) && !self.has(LOWER | UPPER) && !self.underscore {
            return (length >= 2).then_some(Form::Number);
        }
        (self.has(DIGIT) && length >= 3 && !self.underscore).then_some(Form::Id)
    }
}
