//! Where findings stand in the file: the line of the message, and a JSON pointer to the value.
//!
//! Responsible for turning views into places that people and programs can open. All places are found in one
//! walk over the text, because there may be as many as messages.

use crate::document::Document;
use crate::json::{Items, Json, Members};

/// A place in a file.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Location {
    /// The line, from 1; 0 if the value stands nowhere in the file.
    pub line: usize,
    /// The JSON pointer, from the root of the JSON value that holds the message.
    pub pointer: String,
}

/// The places of values. Each is a pair: the value whose line counts, and the value to point at.
pub fn locate(document: &Document<'_>, values: &[Option<(Json<'_>, Json<'_>)>]) -> Vec<Location> {
    let mut places = vec![Location::default(); values.len()];
    let known = || values.iter().enumerate().filter_map(|(at, value)| Some((at, (*value)?)));

    for (at, (message, _)) in known() {
        places[at].line = document.line(document.span(message).start);
    }

    let mut targets: Vec<_> = known().map(|(at, (_, value))| (document.span(value), at)).collect();
    // If two values begin at the same byte, the outer one comes first.
    targets.sort_unstable_by_key(|(span, at)| (span.start, std::cmp::Reverse(span.end), *at));
    let mut targets = targets.into_iter().peekable();
    while let Some((span, _)) = targets.peek() {
        let Some((root, number)) = document.value_at(span.start) else { break };
        let pointer = number.map_or_else(String::new, |number| format!("/{number}"));
        // A path of open values: the end of each, its pointer, and its children still to visit.
        let end = document.span(root).end;
        let mut open = vec![(end, pointer.clone(), Children::of(root))];
        let mut here = (document.span(root), pointer);
        while let Some((span, at)) = targets.next_if(|(span, _)| span.start < end) {
            loop {
                if here.0 == span {
                    places[at].pointer.clone_from(&here.1);
                    break;
                }
                let Some((end, pointer, children)) = open.last_mut() else { break };
                if span.start >= *end {
                    open.pop();
                    continue;
                }
                let Some((step, child)) = children.next() else {
                    open.pop();
                    continue;
                };
                let child_span = document.span(child);
                if child_span.end <= span.start {
                    continue;
                }
                here = (child_span.clone(), format!("{pointer}/{step}"));
                open.push((child_span.end, here.1.clone(), Children::of(child)));
            }
        }
    }
    places
}

/// The values inside a value, each with its step of a pointer.
enum Children<'a> {
    Items(usize, Items<'a>),
    Members(Members<'a>),
}

impl<'a> Children<'a> {
    fn of(value: Json<'a>) -> Self {
        if value.is_array() {
            Self::Items(0, value.items())
        } else {
            Self::Members(value.members())
        }
    }

    fn next(&mut self) -> Option<(String, Json<'a>)> {
        match self {
            Self::Items(at, items) => {
                let item = items.next()?;
                *at += 1;
                Some(((*at - 1).to_string(), item))
            }
            Self::Members(members) => {
                let (key, value) = members.next()?;
                Some((key.text().replace('~', "~0").replace('/', "~1"), value))
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn points_at_values_from_the_root_of_their_line() {
        let text = "{\"m\":[{\"a/b\":1},\n{\"c\":[2,3]}]}\n{\"x\":{\"~\":4}}\n";
        let document = Document::parse(text.as_bytes()).unwrap();
        let first = document.values()[0].at("m.0").unwrap();
        let second = document.values()[0].at("m.1").unwrap();
        let last = document.values()[1];
        let values = [
            Some((last, last.at("x.~").unwrap())),
            Some((second, second.at("c.1").unwrap())),
            None,
            Some((first, first)),
            Some((first, first.member("a/b").unwrap())),
            Some((second, second.at("c").unwrap())),
            Some((last, last)),
        ];
        let places: Vec<_> =
            locate(&document, &values).into_iter().map(|at| (at.line, at.pointer)).collect();
        let expected = [
            (3, "/x/~0"),
            (2, "/m/1/c/1"),
            (0, ""),
            (1, "/m/0"),
            (1, "/m/0/a~1b"),
            (2, "/m/1/c"),
            (3, ""),
        ];
        assert_eq!(places, expected.map(|(line, pointer)| (line, pointer.to_owned())));
    }

    #[test]
    fn points_at_values_from_the_root_of_the_one_array() {
        let document = Document::parse(b"[1, {\"m\":[2]},\n [3]]").unwrap();
        let root = document.values()[0];
        let pointer = |path: &str| {
            let value = root.at(path).unwrap();
            let place = locate(&document, &[Some((value, value))]).remove(0);
            (place.line, place.pointer)
        };
        let paths = ["2.0", "0", "1.m.0", "2", "1"];
        let lines = [2, 1, 1, 2, 1];
        for (path, line) in paths.into_iter().zip(lines) {
            assert_eq!(pointer(path), (line, format!("/{}", path.replace('.', "/"))));
        }
        let all = [Some((root, root)), Some((root, root.at("1.m.0").unwrap()))];
        let places = locate(&document, &all);
        assert_eq!([&places[0].pointer[..], &places[1].pointer], ["", "/1/m/0"]);
    }
}
