//! The class of every code point, in two levels: the number of its block, then its place in the block.

use std::collections::HashMap;

use regex_syntax::hir::{Class, HirKind};

use crate::layout::{BLOCK, BLOCKS, class};

/// Returns the table: for each block its number in two bytes, then the distinct blocks.
///
/// The first block is number 0, so that ASCII needs no first level.
pub(crate) fn table() -> Vec<u8> {
    let mut classes = vec![class::OTHER; BLOCKS * BLOCK];
    for (pattern, class) in [
        (r"[\p{Lu}\p{Lt}]", class::UPPER),
        (r"\p{Ll}", class::LOWER),
        (r"[\p{Lm}\p{Lo}]", class::CASELESS),
        (r"\p{M}", class::MARK),
        (r"\p{N}", class::NUMBER),
        (r"\s", class::SPACE),
        (r"[\r\n]", class::NEWLINE),
    ] {
        for (first, last) in ranges(pattern) {
            classes[first as usize..=last as usize].fill(class);
        }
    }

    let mut numbers = HashMap::new();
    let mut index = Vec::new();
    let mut distinct = Vec::new();
    for block in classes.chunks(BLOCK) {
        let next = u16::try_from(numbers.len()).expect("fewer than 65536 blocks");
        let number = *numbers.entry(block).or_insert_with(|| {
            distinct.extend_from_slice(block);
            next
        });
        index.extend(number.to_le_bytes());
    }
    index.extend(distinct);
    index
}

fn ranges(pattern: &str) -> Vec<(char, char)> {
    let hir = regex_syntax::parse(pattern).expect("a valid class");
    match hir.kind() {
        HirKind::Class(Class::Unicode(class)) => {
            class.iter().map(|range| (range.start(), range.end())).collect()
        }
        kind => panic!("{pattern} is no class of code points but {kind:?}"),
    }
}
