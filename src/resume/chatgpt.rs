//! The tree of a ChatGPT conversation after some edits.
//!
//! Responsible for a tree in which the path to the live leaf holds what a draft keeps and inserts. Branches
//! on a dropped node are dropped if the conversation is made shorter; if it is repaired, they are attached to
//! the node before it.

use std::collections::{BTreeMap, HashMap, HashSet};

use crate::dialect::chatgpt::tree::{Tree, new_nodes, write_node};
use crate::document::Document;
use crate::draft::Draft;
use crate::json::{Json, quote};
use crate::message::NewMessage;

/// A node of the new live branch.
enum Node {
    Kept(usize),
    /// A node inserted before this unit, with its id and message.
    New(usize, String, String),
}

/// Leaves a tree whose live branch holds what the draft keeps and inserts.
pub(super) fn mend<'a>(draft: &mut Draft<'_, 'a>, document: &Document<'a>) {
    let conversation = draft.conversation();
    let source = &conversation.source;
    let is_touched = draft.gone_units().contains(&true) || draft.new_messages().next().is_some();
    if source.root.is_none() || !is_touched {
        return;
    }
    let tree = Tree::of(source);
    let branch = tree.branch();
    let hung = if draft.keeps_branches() {
        rehang_side_branches(draft, &tree, &branch)
    } else {
        drop_side_branches(draft, &tree, &branch);
        HashMap::new()
    };
    let gone = draft.gone_units();
    let mut placed: BTreeMap<usize, Vec<NewMessage<'a>>> = BTreeMap::new();
    for (at, message) in draft.take_new_messages() {
        let unit = conversation.messages[at..].iter().find_map(|m| m.units.first().copied());
        placed.entry(unit.unwrap_or(usize::MAX)).or_default().push(message);
    }
    let mut nodes: Vec<Node> = Vec::new();
    for &unit in branch.iter().chain([&usize::MAX]) {
        for message in placed.get(&unit).into_iter().flatten() {
            let at = unit.min(source.units.len());
            let place = nodes.len().to_string();
            let new = draft.with_edited(document, message, |message| new_nodes(message, &place));
            nodes.extend(new.into_iter().map(|(id, message)| Node::New(at, id, message)));
        }
        if unit < gone.len() && !gone[unit] {
            nodes.push(Node::Kept(unit));
        }
    }
    chain(draft, &tree, &branch, &nodes, &hung);
}

/// Attaches side branches on dropped nodes to the last kept node before those. Returns the ids of the
/// attached nodes, by the unit of that node.
fn rehang_side_branches(
    draft: &mut Draft<'_, '_>,
    tree: &Tree<'_>,
    branch: &[usize],
) -> HashMap<usize, Vec<String>> {
    let gone = draft.gone_units();
    let live: HashSet<usize> = branch.iter().copied().collect();
    let beside: Vec<usize> =
        (0..tree.ids.len()).filter(|unit| !live.contains(unit) && !gone[*unit]).collect();
    let units = &draft.conversation().source.units;
    let mut hung: HashMap<usize, Vec<String>> = HashMap::new();
    for &unit in &beside {
        let Some(held) = tree.parents[unit].filter(|&parent| gone[parent]) else { continue };
        let way = std::iter::successors(Some(held), |&parent| tree.parents[parent]);
        // A circle has no end.
        let held = way.take(tree.ids.len()).find(|&parent| !gone[parent] && parent != unit);
        let id = held.map_or_else(|| "null".to_owned(), |held| quote(&tree.ids[held]));
        if let Some(parent) = units[unit].json.member("parent") {
            draft.set_unit_value(unit, parent, id);
        }
        if let Some(held) = held {
            hung.entry(held).or_default().push(quote(&tree.ids[unit]));
        }
    }
    for unit in beside {
        let Some(children) = units[unit].json.member("children") else { continue };
        let stays = |child: &Json<'_>| tree.unit(*child).is_none_or(|child| !gone[child]);
        let was: Vec<&str> = children.items().map(Json::source).collect();
        let mut now: Vec<&str> = children.items().filter(stays).map(Json::source).collect();
        now.extend(hung.get(&unit).into_iter().flatten().map(String::as_str));
        if now != was {
            draft.set_unit_value(unit, children, format!("[{}]", now.join(",")));
        }
    }
    hung
}

/// Drops nodes outside the live branch that hang on a dropped node.
fn drop_side_branches(draft: &mut Draft<'_, '_>, tree: &Tree<'_>, branch: &[usize]) {
    let gone = draft.gone_units();
    let mut is_live = vec![false; tree.ids.len()];
    for &unit in branch {
        is_live[unit] = true;
    }
    // Follow parents only to the live branch, where dropped nodes are bridged.
    let is_end = |unit: usize| is_live[unit] || gone[unit];
    let mut goes: Vec<Option<bool>> =
        (0..tree.ids.len()).map(|unit| is_end(unit).then_some(gone[unit])).collect();
    for unit in 0..goes.len() {
        let (mut way, mut next) = (Vec::new(), Some(unit));
        while let Some(unit) = next.filter(|&unit| goes[unit].is_none()) {
            // A circle has no end.
            goes[unit] = Some(false);
            way.push(unit);
            next = tree.parents[unit];
        }
        let end = next.and_then(|unit| goes[unit]);
        for unit in way {
            goes[unit] = end.or(Some(false));
        }
        if !is_live[unit] && goes[unit] == Some(true) {
            draft.drop_unit(unit);
        }
    }
}

/// Updates the parent and the children of each node, including newly attached ones, and the leaf.
fn chain<'a>(
    draft: &mut Draft<'_, 'a>,
    tree: &Tree<'a>,
    branch: &[usize],
    nodes: &[Node],
    hung: &HashMap<usize, Vec<String>>,
) {
    let live_child: HashMap<usize, usize> = branch.windows(2).map(|two| (two[0], two[1])).collect();
    let source = &draft.conversation().source;
    let id = |node: Option<&Node>| match node {
        Some(Node::Kept(unit)) => quote(&tree.ids[*unit]),
        Some(Node::New(_, id, _)) => quote(id),
        None => String::new(),
    };
    let gone = draft.gone_units();
    for (at, node) in nodes.iter().enumerate() {
        let before = id(at.checked_sub(1).and_then(|before| nodes.get(before)));
        let before = if before.is_empty() { "null".to_owned() } else { before };
        let behind = id(nodes.get(at + 1));
        let unit = match node {
            Node::New(unit, id, message) => {
                let node = write_node(id, message, &before, &behind);
                draft.insert_unit(*unit, format!("{}:{node}", quote(id)));
                continue;
            }
            Node::Kept(unit) => *unit,
        };
        let [parent, children] = source.units[unit].json.pick(["parent", "children"]);
        match parent {
            Some(parent) if parent.source() != before => draft.set_unit_value(unit, parent, before),
            // The first node need not have a parent member.
            None if before != "null" => draft.add_unit_member(unit, "parent", before),
            _ => {}
        }
        // Other branches keep their order; the live one goes last, unless it is there already.
        let stays = |child: &Json<'_>| {
            let child_unit = tree.unit(*child);
            let was_live = child_unit.is_some() && child_unit == live_child.get(&unit).copied();
            child.source() == behind || !was_live && child_unit.is_none_or(|unit| !gone[unit])
        };
        let Some(children) = children else { continue };
        let was: Vec<&str> = children.items().map(Json::source).collect();
        let mut now: Vec<&str> = children.items().filter(stays).map(Json::source).collect();
        now.extend(hung.get(&unit).into_iter().flatten().map(String::as_str));
        if !behind.is_empty() && !now.contains(&behind.as_str()) {
            now.push(&behind);
        }
        if now != was {
            draft.set_unit_value(unit, children, format!("[{}]", now.join(",")));
        }
    }
    let kept = (0..draft.conversation().messages.len()).find(|&at| !draft.is_dropped(at));
    let leaf = id(nodes.last());
    if let (Some(kept), Some(current)) = (kept, tree.current)
        && !leaf.is_empty()
        && current.source() != leaf
    {
        draft.set_value(kept, current, leaf);
    }
}
