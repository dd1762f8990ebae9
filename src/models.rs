//! What is known of models: one table, one row a family.

use crate::dialect::Framing;
use crate::media::Rule;
use crate::tokenizer::Encoding;

/// A family of models that count alike.
#[derive(Debug)]
pub struct Model {
    /// The beginning of the names it stands for.
    pub name: &'static str,
    /// What its texts are counted in.
    pub encoding: Encoding,
    /// Its tokens for 1000 tokens of that encoding.
    pub permille: usize,
    /// Framing as measured, where it was.
    pub framing: Option<Framing>,
    /// Its context window, in tokens.
    pub window: usize,
    /// How it counts pictures.
    pub media: Rule,
}

/// Every family that is known.
pub static MODELS: &[Model] = &[Model {
    name: "gpt-5",
    encoding: Encoding::O200kBase,
    permille: 1000,
    framing: None,
    window: 272_000,
    media: Rule::Flat(1_500),
}];

/// The family that a model's name belongs to: the longest beginning wins.
pub fn named(name: &str) -> Option<&'static Model> {
    let fits = MODELS.iter().filter(|model| name.starts_with(model.name));
    fits.max_by_key(|model| model.name.len())
}
