//! What pictures and files count.

use crate::json::Json;

/// How a provider counts pictures.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Rule {
    /// A full-size picture, whatever its size.
    Flat(usize),
}

/// The tokens of a picture or file.
pub fn tokens(_item: Json<'_>, rule: Option<Rule>) -> usize {
    match rule {
        Some(Rule::Flat(tokens)) => tokens,
        None => 1_600,
    }
}
