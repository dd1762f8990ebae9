//! The tree of a ChatGPT conversation: `mapping` names every node, `current_node` the live leaf.
//!
//! Responsible for the path from the root to that leaf (the order of the file means nothing), and for the
//! nodes of new messages.

use std::collections::HashMap;

use crate::dialect::shared::derived_id;
use crate::json::{Json, Object, quote};
use crate::message::{NewMessage, NewPart};
use crate::source::Source;

/// The tree, its live leaf and the title, of the conversation itself or of one wrapped by a recorder.
fn export<'a>(root: &Object<'a>) -> [Option<Json<'a>>; 3] {
    let names = ["mapping", "current_node", "title"];
    match root.member("raw_provider_payload") {
        Some(wrapped) if root.member("mapping").is_none() => wrapped.pick(names),
        _ => root.pick(names),
    }
}

/// The object that maps ids to nodes.
pub(super) fn mapping<'a>(root: &Object<'a>) -> Option<Json<'a>> {
    let [mapping, current, title] = export(root);
    mapping.filter(|mapping| mapping.is_object() && current.or(title).is_some())
}

/// The nodes of one conversation; vectors are indexed by unit.
pub(crate) struct Tree<'a> {
    pub(crate) ids: Vec<String>,
    units: HashMap<String, usize>,
    pub(crate) parents: Vec<Option<usize>>,
    pub(crate) current: Option<Json<'a>>,
    leaf: Option<usize>,
}

impl<'a> Tree<'a> {
    pub(crate) fn of(source: &Source<'a>) -> Self {
        let [mapping, current, _] = source.root.as_ref().map_or([None; 3], export);
        let members = mapping.into_iter().flat_map(Json::members);
        let ids: Vec<String> = members.map(|(key, _)| key.text().into_owned()).collect();
        let units: HashMap<String, usize> = ids.iter().cloned().zip(0..).collect();
        let find = |id: Option<Json<'a>>| unit_of(&units, id?);
        let parents = source.units.iter().map(|unit| find(unit.json.member("parent")));
        let parents: Vec<Option<usize>> = parents.collect();
        let mut is_leaf = vec![true; ids.len()];
        for &parent in parents.iter().flatten() {
            is_leaf[parent] = false;
        }
        let leaf = find(current).or_else(|| is_leaf.iter().rposition(|is_leaf| *is_leaf));
        Self { ids, units, parents, current, leaf }
    }

    /// The unit of the node with this id.
    pub(crate) fn unit(&self, id: Json<'_>) -> Option<usize> {
        unit_of(&self.units, id)
    }

    /// The units from the root to the live leaf; if the path is a circle, once around it.
    pub(crate) fn branch(&self) -> Vec<usize> {
        let mut is_seen = vec![false; self.ids.len()];
        let way = std::iter::successors(self.leaf, |&unit| self.parents[unit]);
        let mut way: Vec<usize> =
            way.take_while(|&unit| !std::mem::replace(&mut is_seen[unit], true)).collect();
        way.reverse();
        way
    }
}

fn unit_of(units: &HashMap<String, usize>, id: Json<'_>) -> Option<usize> {
    units.get(id.text()?.as_ref()).copied()
}

/// The nodes of a new message: their ids and messages.
pub(crate) fn new_nodes(message: &NewMessage<'_>, place: &str) -> Vec<(String, String)> {
    let role = message.role.among_three();
    let nodes = message.parts.iter().map(|part| {
        // A moved message is a node's message already.
        if let NewPart::Source(source) = part
            && Json::from_checked(source).member("author").is_some()
        {
            return (derived_id(source, place), (*source).to_owned());
        }
        let (author, content) = match part {
            NewPart::Text(text) => {
                (format!(r#"{{"role":"{role}"}}"#), format!(r#""text","parts":[{}]"#, quote(text)))
            }
            NewPart::Result { name, text, .. } => (
                format!(r#"{{"role":"tool","name":{}}}"#, quote(name)),
                format!(r#""execution_output","text":{}"#, quote(text)),
            ),
            NewPart::Source(source) => {
                (format!(r#"{{"role":"{role}"}}"#), format!(r#""text","parts":[{source}]"#))
            }
        };
        let id = derived_id(&content, place);
        let message = format!(
            r#"{{"id":"{id}","author":{author},"create_time":null,"content":{{"content_type":{content}}},"status":"finished_successfully","weight":1.0,"metadata":{{}},"recipient":"all"}}"#
        );
        (id, message)
    });
    nodes.collect()
}

/// A node as JSON, with its `parent` and its `child` given as JSON.
pub(crate) fn write_node(id: &str, message: &str, parent: &str, child: &str) -> String {
    format!(r#"{{"id":"{id}","message":{message},"parent":{parent},"children":[{child}]}}"#)
}
