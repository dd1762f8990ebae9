//! The double-array trie of all tokens.
//!
//! The children of a node lie at `base ^ byte`; each says by which byte it is reached, and each base is
//! one node's, which tells them from the cells of others in between. Nodes are placed in the order of the
//! first token that needs them. Lower ids are the more frequent tokens, so what is used together lies
//! together, at the front.

use std::collections::HashMap;

use crate::layout::{Cell, MAX_CELLS};

/// How many free cells are tried for a node before new ones are opened.
const TRIES: usize = 3000;

struct Node {
    token: Option<u32>,
    children: Vec<(u8, usize)>,
}

/// Returns the cells; the root is the first.
pub(crate) fn cells(tokens: &[Vec<u8>]) -> Vec<u64> {
    let nodes = nodes(tokens);
    let mut places = Places::default();
    let mut place_of = vec![0; nodes.len()];
    let mut bases = vec![0; nodes.len()];
    places.take(0);
    for (number, node) in nodes.iter().enumerate() {
        if node.children.is_empty() {
            continue;
        }
        let base = places.base_for(&node.children);
        bases[number] = base;
        places.is_base[base] = true;
        for &(byte, child) in &node.children {
            place_of[child] = base ^ usize::from(byte);
            places.take(place_of[child]);
        }
    }

    assert!(places.len() <= MAX_CELLS, "trie cells do not fit");
    let cell = |number: usize, byte: u8| {
        let node: &Node = &nodes[number];
        let base = u32::try_from(bases[number]).expect("checked above");
        let bytes: Vec<u8> = node.children.iter().map(|(byte, _)| *byte).collect();
        Cell::pack(node.token, base, byte, &bytes).0
    };
    let mut cells = vec![0; places.len()];
    cells[0] = cell(0, 0);
    for &(byte, child) in nodes.iter().flat_map(|node| &node.children) {
        cells[place_of[child]] = cell(child, byte);
    }
    cells
}

/// Returns the nodes of the trie, the root first, in the order of the tokens that need them.
fn nodes(tokens: &[Vec<u8>]) -> Vec<Node> {
    let mut nodes = vec![Node { token: None, children: Vec::new() }];
    let mut child_of = HashMap::new();
    for (token, id) in tokens.iter().zip(0..) {
        let mut node = 0;
        for &byte in token {
            node = *child_of.entry((node, byte)).or_insert_with(|| {
                let child = nodes.len();
                nodes.push(Node { token: None, children: Vec::new() });
                nodes[node].children.push((byte, child));
                child
            });
        }
        nodes[node].token = Some(id);
    }
    assert_eq!(
        nodes[0].children.len(),
        256,
        "every byte is a token, so no cell is the root's by mistake"
    );
    nodes
}

/// The free cells, as a list in ascending order; the last one's `next` is the first that does not exist yet.
#[derive(Default)]
struct Places {
    /// Whether some node has this base.
    is_base: Vec<bool>,
    next: Vec<usize>,
    previous: Vec<usize>,
    taken: Vec<bool>,
    first: usize,
    last: usize,
}

impl Places {
    fn len(&self) -> usize {
        self.taken.len()
    }

    /// Opens another 256 cells: as many as one node may have children.
    fn grow(&mut self) {
        let len = self.len();
        for place in len..len + 256 {
            self.next.push(place + 1);
            self.previous.push(if place == len { self.last } else { place - 1 });
            self.taken.push(false);
            self.is_base.push(false);
        }
        self.last = len + 255;
    }

    fn take(&mut self, place: usize) {
        while place >= self.len() {
            self.grow();
        }
        self.taken[place] = true;
        let (before, after) = (self.previous[place], self.next[place]);
        if place == self.first {
            self.first = after;
        } else {
            self.next[before] = after;
        }
        if place == self.last {
            self.last = before;
        } else {
            self.previous[after] = before;
        }
    }

    fn base_for(&mut self, children: &[(u8, usize)]) -> usize {
        let first = usize::from(children[0].0);
        let mut place = self.first;
        for _ in 0..TRIES {
            while place >= self.len() {
                self.grow();
            }
            let base = place ^ first;
            let is_free = |&(byte, _): &(u8, usize)| !self.taken[base ^ usize::from(byte)];
            if !self.is_base[base] && children.iter().all(is_free) {
                return base;
            }
            place = self.next[place];
        }
        let base = self.len();
        self.grow();
        base
    }
}
