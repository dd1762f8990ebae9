//! An object whose members are found once, for values that are queried many times.

use std::borrow::Cow;

use super::Json;

/// An object with an index of its members, because it is as large as the file or every dialect looks at it.
#[derive(Clone)]
pub struct Object<'a> {
    json: Json<'a>,
    members: Vec<(Cow<'a, str>, Json<'a>)>,
}

impl<'a> Object<'a> {
    /// Finds the members of `json`; other values have none.
    pub fn of(json: Json<'a>) -> Self {
        Self { json, members: json.members().map(|(key, value)| (key.text(), value)).collect() }
    }

    /// The object itself.
    pub fn json(&self) -> Json<'a> {
        self.json
    }

    /// The value of the member `key`; of duplicate keys the last counts.
    pub fn member(&self, key: &str) -> Option<Json<'a>> {
        self.members.iter().rfind(|(name, _)| name == key).map(|(_, value)| *value)
    }

    /// The values of several members.
    pub fn pick<const N: usize>(&self, keys: [&str; N]) -> [Option<Json<'a>>; N] {
        keys.map(|key| self.member(key))
    }

    /// The value at a dotted path of member names; the empty path is the object itself.
    pub fn at(&self, path: &str) -> Option<Json<'a>> {
        match path.split_once('.') {
            _ if path.is_empty() => Some(self.json),
            Some((first, rest)) => self.member(first)?.at(rest),
            None => self.member(path),
        }
    }
}
