//! A lazy view of JSON text: the positions of a value's members and items, and the text of its strings.
//!
//! Responsible for walking JSON without building a tree and without changing a byte. Invariant: every
//! [`Json`] is exactly one valid value, without white space around it, because `check` has gone through it
//! once; so walking needs no error paths. Nesting is counted, never recursed into, so its depth is
//! unlimited.

mod check;
mod ends;
mod escape;
mod find;
mod object;
mod outline;
mod walk;

use std::borrow::Cow;
use std::fmt;
use std::ops::Range;

pub(crate) use check::{Lines, Values, first_value};
pub use ends::Ends;
pub(crate) use escape::mend_surrogates;
pub use escape::quote;
use escape::{unescape, unescaped_length, unescaped_opening};
pub use object::Object;
use walk::{Cursor, Names};
pub use walk::{Items, Key, Members};

/// One JSON value, as the text it is written in.
#[derive(Clone, Copy)]
pub struct Json<'a> {
    text: &'a str,
    /// Where long values inside this value end.
    ends: &'a Ends,
}

impl<'a> Json<'a> {
    /// The one value in `text`, if it is JSON.
    pub fn parse(text: &'a str) -> Option<Self> {
        let mut values = Values::of(text);
        let value = values.next()?.ok()?;
        values.next().is_none().then_some(value)
    }

    /// A view of `text`, which must be one valid JSON value without white space around it.
    pub(crate) fn from_checked(text: &'a str) -> Self {
        Self { text, ends: &ends::NONE }
    }

    /// This value with the known `ends` of its document.
    pub(crate) fn knowing(self, ends: &'a Ends) -> Self {
        Self { ends, ..self }
    }

    /// Whether both are the same value in the same place, not just equal.
    pub fn is(self, other: Json<'_>) -> bool {
        std::ptr::eq(self.text, other.text)
    }

    /// Whether the other value stands inside this one.
    pub fn holds(self, other: Json<'_>) -> bool {
        self.text.as_bytes().as_ptr_range().contains(&other.text.as_ptr())
    }

    /// The value as written.
    pub fn source(self) -> &'a str {
        self.text
    }

    fn first(self) -> u8 {
        self.text.as_bytes()[0]
    }

    /// Whether the value is an object.
    pub fn is_object(self) -> bool {
        self.first() == b'{'
    }

    /// Whether the value is an object without members.
    pub fn is_empty_object(self) -> bool {
        self.is_object() && self.members().next().is_none()
    }

    /// Whether the value is an array.
    pub fn is_array(self) -> bool {
        self.first() == b'['
    }

    /// Whether the value is a string.
    pub fn is_string(self) -> bool {
        self.first() == b'"'
    }

    /// Whether the value is a string, and not the empty one.
    pub fn is_filled_string(self) -> bool {
        self.is_string() && self.text != "\"\""
    }

    /// Whether the value is `null`.
    pub fn is_null(self) -> bool {
        self.first() == b'n'
    }

    /// Whether the value is `true`.
    pub fn is_true(self) -> bool {
        self.first() == b't'
    }

    /// The number, where the value is one that a `u64` holds.
    pub fn as_u64(self) -> Option<u64> {
        self.text.parse().ok()
    }

    /// The unescaped text of a string; any other value as written.
    pub fn plain(self) -> Cow<'a, str> {
        self.text().unwrap_or(self.text.into())
    }

    /// The unescaped text of a string; half a surrogate pair becomes U+FFFD. `None` for other values.
    pub fn text(self) -> Option<Cow<'a, str>> {
        let inner = self.text.strip_prefix('"')?.strip_suffix('"')?;
        Some(unescape(inner))
    }

    /// The length of a string's text in bytes, found without unescaping it. `None` for other values.
    pub fn length(self) -> Option<usize> {
        let inner = self.text.strip_prefix('"')?.strip_suffix('"')?;
        Some(unescaped_length(inner))
    }

    /// How a string begins: its first 512 bytes at most, however they are escaped. `None` for other values.
    pub fn opening(self) -> Option<Cow<'a, str>> {
        const ENOUGH: usize = 512;
        let inner = self.text.strip_prefix('"')?.strip_suffix('"')?;
        Some(unescaped_opening(inner, ENOUGH))
    }

    /// Whether the value is a string with the text `expected`.
    pub fn says(self, expected: &str) -> bool {
        // Each byte is written with at most six bytes, so the length usually decides.
        self.source().len() <= 6 * expected.len() + 2
            && self.text().is_some_and(|text| text == expected)
    }

    /// The items of an array; nothing for other values.
    pub fn items(self) -> Items<'a> {
        Items(if self.is_array() { Cursor::inside(self) } else { Cursor::empty() })
    }

    /// The value at `span` in this one's text; there must be one.
    pub(crate) fn piece(self, span: Range<usize>) -> Self {
        Self { text: &self.text[span], ..self }
    }

    /// The items of an array that are objects; nothing for other values.
    pub fn objects(self) -> impl Iterator<Item = Json<'a>> {
        self.items().filter(|item| item.is_object())
    }

    /// The members of an object in the order of the text; nothing for other values.
    pub fn members(self) -> Members<'a> {
        Members(if self.is_object() { Cursor::inside(self) } else { Cursor::empty() })
    }

    /// The value of the member `key`; the last one counts if the key is repeated, as in every client.
    pub fn member(self, key: &str) -> Option<Json<'a>> {
        self.pick([key])[0]
    }

    /// The values of several members, found in one pass.
    pub fn pick<const N: usize>(self, keys: [&str; N]) -> [Option<Json<'a>>; N] {
        let mut found = [None; N];
        let names = Names::of(&keys);
        for (key, value) in self.members() {
            if let Some(at) = key.position(&names) {
                found[at] = Some(value);
            }
        }
        found
    }

    /// The text of the string member `key`.
    pub fn str_member(self, key: &str) -> Option<Cow<'a, str>> {
        self.member(key)?.text()
    }

    /// The value at a dotted path of member names; the empty path is the value itself.
    pub fn at(self, path: &str) -> Option<Json<'a>> {
        path.split('.').filter(|step| !step.is_empty()).try_fold(self, |value, step| {
            if value.is_array() {
                value.items().nth(step.parse().ok()?)
            } else {
                value.member(step)
            }
        })
    }
}

impl PartialEq for Json<'_> {
    fn eq(&self, other: &Self) -> bool {
        self.is(*other) || self.text == other.text
    }
}

impl Eq for Json<'_> {}

impl fmt::Debug for Json<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.text)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn walks_members_and_items_in_order() {
        let json = Json::from_checked(r#"{ "a" : [1, "x,]}", {"b":null}], "c":true }"#);
        let keys: Vec<_> = json.members().map(|(key, _)| key.text().into_owned()).collect();
        assert_eq!(keys, ["a", "c"]);
        let items: Vec<_> = json.at("a").unwrap().items().map(Json::source).collect();
        assert_eq!(items, ["1", r#""x,]}""#, r#"{"b":null}"#]);
        assert!(json.at("a.2.b").unwrap().is_null());
    }

    #[test]
    fn takes_the_last_of_duplicate_keys() {
        assert_eq!(Json::from_checked(r#"{"a":1,"a":2}"#).member("a").unwrap().source(), "2");
        assert_eq!(Json::from_checked(r#"{"\u0061":1}"#).member("a").unwrap().source(), "1");
    }

    #[test]
    fn unescapes_strings_and_mends_half_surrogates() {
        assert_eq!(
            Json::from_checked(r#""a\n\"\\\/\u00e9\ud83d\ude00""#).text().unwrap(),
            "a\n\"\\/é😀"
        );
        assert_eq!(Json::from_checked(r#""x\ud83dy\ude00""#).text().unwrap(), "x\u{fffd}y\u{fffd}");
    }

    #[test]
    fn walks_any_depth() {
        let deep = format!("[{}{}]", "[".repeat(100_000), "]".repeat(100_000));
        assert_eq!(Json::from_checked(&deep).items().count(), 1);
    }
}
