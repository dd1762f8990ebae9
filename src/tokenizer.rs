//! Exact token counts.
//!
//! [`Encoding`] names a way to turn text into tokens. [`Tokenizer`] is the interface for the rest of the
//! program: how many tokens a text has, and how much of a text fits into a number of tokens. Counts follow
//! the encoding's own definition with *ordinary* semantics: `<|endoftext|>` in a text is plain text.
//!
//! Nothing is loaded or built at start: the tables are in the binary. The vocabularies are those of
//! `OpenAI`'s tiktoken (MIT).

use std::collections::HashMap;
use std::ops::RangeInclusive;
use std::str::FromStr;

use crate::hash::BuildQuick;

mod bpe;
mod cache;
mod classes;
mod encode;
#[allow(dead_code, reason = "the build script packs what the crate reads")]
mod layout;
mod pieces;
mod scan;
mod vocabulary;
mod window;

pub use bpe::Bpe;

/// The number of bytes of the longest token of either vocabulary.
const LONGEST_TOKEN: usize = 128;

/// A way to turn texts into tokens.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default)]
pub enum Encoding {
    /// The encoding of gpt-4o and all later `OpenAI` models.
    #[default]
    O200kBase,
    /// The encoding of gpt-4 and gpt-3.5.
    Cl100kBase,
    /// One token per four characters, rounded up; only for comparison.
    Approx,
}

impl Encoding {
    /// All encodings, the default first.
    pub const ALL: [Self; 3] = [Self::O200kBase, Self::Cl100kBase, Self::Approx];

    /// Returns the name.
    pub fn name(self) -> &'static str {
        match self {
            Self::O200kBase => "o200k_base",
            Self::Cl100kBase => "cl100k_base",
            Self::Approx => "approx",
        }
    }

    /// Returns a tokenizer. It is cheap to make, and each thread makes its own.
    pub fn tokenizer(self) -> Box<dyn Tokenizer> {
        match self {
            Self::O200kBase => Box::new(Bpe::o200k_base()),
            Self::Cl100kBase => Box::new(Bpe::cl100k_base()),
            Self::Approx => Box::new(Approx),
        }
    }

    /// Returns the least and the most tokens that texts of `bytes` bytes in all can have.
    ///
    /// No token of either vocabulary is longer than 128 bytes or empty; four characters have up to sixteen
    /// bytes.
    pub fn bounds(self, bytes: usize) -> RangeInclusive<usize> {
        let longest = match self {
            Self::O200kBase | Self::Cl100kBase => LONGEST_TOKEN,
            Self::Approx => 16,
        };
        bytes.div_ceil(longest)..=bytes
    }
}

impl FromStr for Encoding {
    type Err = String;

    /// Returns the encoding of this name or alias.
    fn from_str(name: &str) -> Result<Self, String> {
        match name {
            "o200k_base" | "o200k" | "o200k_harmony" => Ok(Self::O200kBase),
            "cl100k_base" | "cl100k" => Ok(Self::Cl100kBase),
            "approx" => Ok(Self::Approx),
            _ => {
                let names = Self::ALL.map(Self::name).join(", ");
                Err(format!("unknown encoding, expected one of {names}"))
            }
        }
    }
}

/// Lines with their token counts.
#[derive(Default)]
pub struct Lines(HashMap<Box<str>, usize, BuildQuick>);

impl Lines {
    /// About how many lines are remembered.
    const MOST: usize = 1 << 14;

    /// Forgets all lines if there are too many.
    fn make_room(&mut self) {
        if self.0.len() > Self::MOST {
            self.0.clear();
        }
    }

    /// The tokens of a line; counts it if it is new.
    fn tokens(&mut self, line: &str, count: impl FnOnce() -> usize) -> usize {
        self.0.get(line).copied().unwrap_or_else(|| {
            let tokens = count();
            self.0.insert(line.into(), tokens);
            tokens
        })
    }
}

/// Counts tokens.
pub trait Tokenizer {
    /// Returns the number of tokens of a text.
    fn count(&self, text: &str) -> usize;

    /// Returns the number of tokens of a text, most of whose lines are known.
    fn count_lines(&self, text: &str, _known: &mut Lines) -> usize {
        self.count(text)
    }

    /// Returns the number of tokens of a text if it is at most `limit`. May stop counting beyond it.
    fn count_up_to(&self, text: &str, limit: usize) -> Option<usize> {
        let count = self.count(text);
        (count <= limit).then_some(count)
    }

    /// Returns about the longest beginning of a text that has at most `max_tokens` tokens by itself.
    ///
    /// The bound is exact. The longest beginning is not always found, because a longer text can have fewer
    /// tokens.
    fn prefix<'t>(&self, text: &'t str, max_tokens: usize) -> &'t str {
        let fits = |end: usize| self.count_up_to(&text[..end], max_tokens).is_some();
        let mut ends = text.char_indices().map(|(at, _)| at).collect::<Vec<_>>();
        ends.push(text.len());
        &text[..ends[ends.partition_point(|&end| fits(end)).saturating_sub(1)]]
    }

    /// Returns about the longest end of a text that has at most `max_tokens` tokens by itself.
    fn suffix<'t>(&self, text: &'t str, max_tokens: usize) -> &'t str {
        let fits = |start: usize| self.count_up_to(&text[start..], max_tokens).is_some();
        let mut starts = text.char_indices().map(|(at, _)| at).collect::<Vec<_>>();
        starts.push(text.len());
        &text[starts[starts.partition_point(|&start| !fits(start))]..]
    }
}

/// One token per four characters, rounded up.
struct Approx;

impl Tokenizer for Approx {
    fn count(&self, text: &str) -> usize {
        text.chars().count().div_ceil(4)
    }

    fn prefix<'t>(&self, text: &'t str, max_tokens: usize) -> &'t str {
        let end = text.char_indices().nth(max_tokens.saturating_mul(4));
        end.map_or(text, |(at, _)| &text[..at])
    }

    fn suffix<'t>(&self, text: &'t str, max_tokens: usize) -> &'t str {
        let Some(others) = max_tokens.saturating_mul(4).checked_sub(1) else {
            return "";
        };
        text.char_indices().nth_back(others).map_or(text, |(at, _)| &text[at..])
    }
}
