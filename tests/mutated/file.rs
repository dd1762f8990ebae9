//! Files of `testdata` in which something went wrong.

use std::fs;
use std::path::Path;
use std::sync::LazyLock;

use proptest::collection::vec;
use proptest::prelude::*;
use serde_json::{Value, json};

/// The values of a file, and the dialect that it is in.
#[derive(Clone, Debug)]
pub(crate) struct File {
    pub(crate) dialect: &'static str,
    /// Its lines, or the one value that it is.
    values: Value,
    is_lines: bool,
}

impl File {
    pub(crate) fn text(&self) -> String {
        match &self.values {
            Value::Array(lines) if self.is_lines => {
                lines.iter().flat_map(|line| [line.to_string(), "\n".to_owned()]).collect()
            }
            whole => whole.to_string(),
        }
    }
}

/// Files of a size of which a case is done at once.
static FILES: LazyLock<Vec<File>> = LazyLock::new(|| {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("testdata");
    let mut files = Vec::new();
    for dialect in context_compact::dialect::DIALECTS.iter().map(|dialect| dialect.name()) {
        let entries = fs::read_dir(folder.join(dialect)).expect("a folder a dialect");
        let mut paths: Vec<_> = entries.map(|entry| entry.expect("an entry").path()).collect();
        paths.sort();
        for path in paths.into_iter().filter(|path| path.extension().is_some_and(|it| it != "txt"))
        {
            let text = fs::read_to_string(path).unwrap_or_default();
            let lines: Option<Vec<Value>> =
                text.lines().map(|line| serde_json::from_str(line).ok()).collect();
            let whole = serde_json::from_str(&text).ok();
            let file = match (whole, lines) {
                (Some(values), _) => File { dialect, values, is_lines: false },
                (None, Some(lines)) => File { dialect, values: lines.into(), is_lines: true },
                (None, None) => continue,
            };
            files.extend(Some(file).filter(|_| text.len() < 8000));
        }
    }
    files
});

/// What goes wrong at a node.
#[derive(Clone, Copy, Debug)]
enum Wrong {
    Gone,
    Other(usize),
    /// Another node stands in its place.
    Replaced(usize),
    /// It stands once more, in the list that another node is in.
    Again(usize),
}

/// What stands where something else should.
fn others() -> Vec<Value> {
    vec![
        Value::Null,
        json!(5),
        json!(true),
        json!(""),
        json!(" "),
        json!("x"),
        json!([]),
        json!({}),
        json!([null]),
        json!({"x": 1}),
        json!("{\"a\":1}"),
        json!([{"type": "text", "text": ""}]),
        json!({"type": "text", "text": "y"}),
    ]
}

/// The pointers of all nodes in a value.
fn nodes(value: &Value, at: &str, found: &mut Vec<String>) {
    let mut add = |key: &str, value| {
        let pointer = format!("{at}/{}", key.replace('~', "~0").replace('/', "~1"));
        nodes(value, &pointer, found);
        found.push(pointer);
    };
    match value {
        Value::Array(items) => {
            items.iter().enumerate().for_each(|(at, item)| add(&at.to_string(), item));
        }
        Value::Object(members) => members.iter().for_each(|(key, value)| add(key, value)),
        _ => {}
    }
}

/// Lets something go wrong at one of the nodes.
fn go_wrong(values: &mut Value, node: usize, wrong: Wrong) {
    let mut all = Vec::new();
    nodes(values, "", &mut all);
    if all.is_empty() {
        return;
    }
    let pick = |node: usize| all[node % all.len()].as_str();
    let (holder, key) = pick(node).rsplit_once('/').expect("a pointer");
    match wrong {
        Wrong::Gone => match values.pointer_mut(holder) {
            Some(Value::Array(items)) => drop(items.remove(key.parse().expect("an index"))),
            Some(Value::Object(members)) => {
                let key = key.replace("~1", "/").replace("~0", "~");
                members.remove(&key);
            }
            _ => {}
        },
        Wrong::Other(other) => {
            let mut others = others();
            let other = others.swap_remove(other % others.len());
            values.pointer_mut(pick(node)).into_iter().for_each(|value| *value = other.clone());
        }
        Wrong::Replaced(by) => {
            // Of the same name, if there is one: ids and roles that are others'.
            let same: Vec<_> =
                all.iter().filter(|other| other.ends_with(&format!("/{key}"))).collect();
            let by = values.pointer(same[by % same.len()]).cloned();
            values.pointer_mut(pick(node)).zip(by).into_iter().for_each(|(value, by)| *value = by);
        }
        Wrong::Again(there) => {
            let copy = values.pointer(pick(node)).cloned();
            let lists: Vec<_> = all
                .iter()
                .filter(|node| values.pointer(node).is_some_and(Value::is_array))
                .collect();
            let list = if lists.is_empty() { "" } else { lists[there % lists.len()] };
            if let (Some(Value::Array(items)), Some(copy)) = (values.pointer_mut(list), copy) {
                items.insert(there % (items.len() + 1), copy);
            }
        }
    }
}

fn wrong() -> impl Strategy<Value = (usize, Wrong)> {
    let wrong = prop_oneof![
        3 => Just(Wrong::Gone),
        2 => any::<usize>().prop_map(Wrong::Other),
        3 => any::<usize>().prop_map(Wrong::Replaced),
        3 => any::<usize>().prop_map(Wrong::Again),
    ];
    (any::<usize>(), wrong)
}

/// A file in which some things went wrong.
pub(crate) fn file() -> impl Strategy<Value = File> {
    (0..FILES.len(), vec(wrong(), 0..5)).prop_map(|(file, wrong)| {
        let mut file = FILES[file].clone();
        for (node, wrong) in wrong {
            go_wrong(&mut file.values, node, wrong);
        }
        file
    })
}
