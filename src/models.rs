//! What is known about models: one table with one row per family, and how a name finds its row.
//!
//! Responsible for the encoding, factor, framing, window and rules that `--model` stands for. It relies on
//! the vendors' pages for limits and on recorded token usage for factors; each row says how certain it is.
//! Invariant: a name without a row is an error that lists similar names, never a silent default.

mod table;

use std::fmt;
use std::sync::LazyLock;

use crate::dialect::Framing;
use crate::media::Rule;
use crate::tokenizer::Encoding;
use crate::tools;

pub use table::MODELS;

/// A family of models that count tokens alike.
#[derive(Clone, Copy, Debug)]
pub struct Model {
    /// The beginnings of the names that belong to the family; the first is the family's own name.
    pub names: &'static [&'static str],
    /// The encoding in which its texts are counted.
    pub encoding: Encoding,
    /// The model's tokens for 1000 tokens of that encoding.
    pub permille: usize,
    /// Framing as fitted to recorded usage; `None` for the framing of the dialect.
    pub framing: Option<Framing>,
    /// The most tokens that a request may have, as the vendor states it.
    pub window: usize,
    /// The most tokens that an answer may have, as the vendor states it.
    pub output: usize,
    /// How it counts pictures, sound and files.
    pub media: Rule,
    /// How it counts the definitions of tools.
    pub tools: tools::Rule,
    /// How certain the count is, if it is an estimate: words printed behind "≈".
    pub estimate: Option<&'static str>,
}

impl Model {
    /// The name of the family.
    pub fn name(&self) -> &'static str {
        self.names[0]
    }

    /// The model's tokens for `tokens` of its encoding, rounded.
    pub fn scaled(&self, tokens: usize) -> usize {
        if self.permille == 1000 { tokens } else { (tokens * self.permille + 500) / 1000 }
    }
}

/// The error for a name without a row.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct UnknownModel {
    /// The name, as it was given.
    pub name: String,
    /// Similar names in the table, the most similar first.
    pub near: Vec<&'static str>,
}

impl fmt::Display for UnknownModel {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "unknown model \"{}\"", self.name)?;
        if !self.near.is_empty() {
            write!(f, ", near names are {}", self.near.join(", "))?;
        }
        Ok(())
    }
}

impl std::error::Error for UnknownModel {}

/// The suffix that Claude Code puts behind a model's name if it uses the long window.
const LONG: &str = "[1m]";

/// Claude's families with the long window.
static LONG_MODELS: LazyLock<Vec<Model>> = LazyLock::new(|| {
    let claudes = MODELS.iter().filter(|model| model.name().starts_with("claude-"));
    claudes.map(|model| Model { window: 1_000_000, ..*model }).collect()
});

/// The family that a model's name belongs to: the longest beginning wins.
///
/// Providers' prefixes (`openai/`, `us.anthropic.`, `ft:`) are passed over, and `claude-opus-4.5` is
/// `claude-opus-4-5`.
///
/// # Errors
///
/// No row matches the name.
pub fn named(name: &str) -> Result<&'static Model, UnknownModel> {
    let plain = plain(name);
    let fits = |pattern: &str| begins(&plain, pattern).then_some(pattern.len());
    let length = |model: &Model| model.names.iter().filter_map(|pattern| fits(pattern)).max();
    let models = if plain.ends_with(LONG) { &LONG_MODELS } else { MODELS };
    let found = models.iter().filter_map(|model| Some((length(model)?, model)));
    match found.max_by_key(|(length, _)| *length) {
        Some((_, model)) => Ok(model),
        None => Err(UnknownModel { name: name.to_owned(), near: near(&plain) }),
    }
}

/// Whether a name is that of a model by Mistral.
pub(crate) fn is_mistrals(name: &str) -> bool {
    named(name).is_ok_and(|model| model.name().contains("stral") || model.name().contains("xtral"))
}

/// A name in lower case, without the prefixes of providers.
fn plain(name: &str) -> String {
    let name = name.to_ascii_lowercase();
    let mut rest = name.rsplit('/').next().unwrap_or_default();
    rest = rest.strip_prefix("ft:").unwrap_or(rest);
    // Bedrock: `us.anthropic.claude-…`, `meta.llama3-…`. Versions have digits before their point.
    while let Some((vendor, model)) = rest.split_once('.') {
        let is_vendor = vendor.bytes().all(|b| b.is_ascii_lowercase() || b == b'-');
        if !is_vendor || !model.starts_with(|c: char| c.is_ascii_alphabetic()) {
            break;
        }
        rest = model;
    }
    rest.to_owned()
}

/// Whether a name begins with a pattern. `.`, `_` and `-` are equal, and a number must match whole.
fn begins(name: &str, pattern: &str) -> bool {
    let separator = |b: u8| if matches!(b, b'.' | b'_') { b'-' } else { b };
    let same = name.len() >= pattern.len()
        && name.bytes().zip(pattern.bytes()).all(|(a, b)| separator(a) == separator(b));
    let next = name.as_bytes().get(pattern.len());
    same && !(pattern.ends_with(|c: char| c.is_ascii_digit())
        && next.is_some_and(u8::is_ascii_alphanumeric))
}

/// How many near names an error lists.
const NEAR: usize = 5;

/// The names in the table that are most like `name`: with few changes, a long common beginning, or more.
fn near(name: &str) -> Vec<&'static str> {
    let all = MODELS.iter().flat_map(|model| model.names).copied();
    let mut scored: Vec<(usize, &str)> = all
        .filter_map(|known| {
            let changes = distance(name.as_bytes(), known.as_bytes());
            let common = name.bytes().zip(known.bytes()).take_while(|(a, b)| a == b).count();
            let is_beginning = common == name.len() && common >= 3;
            let is_near = changes <= known.len() / 3
                || common >= 4 && common * 2 >= known.len()
                || is_beginning;
            is_near.then_some((changes, known))
        })
        .collect();
    scored.sort_unstable();
    scored.truncate(NEAR);
    scored.into_iter().map(|(_, known)| known).collect()
}

/// The number of bytes to insert, delete or replace to turn one name into the other.
pub(crate) fn distance(a: &[u8], b: &[u8]) -> usize {
    let mut row: Vec<usize> = (0..=b.len()).collect();
    for (i, x) in a.iter().enumerate() {
        let mut diagonal = row[0];
        row[0] = i + 1;
        for (j, y) in b.iter().enumerate() {
            let replaced = diagonal + usize::from(x != y);
            diagonal = row[j + 1];
            row[j + 1] = replaced.min(row[j] + 1).min(diagonal + 1);
        }
    }
    row[b.len()]
}

#[cfg(test)]
mod tests {
    use super::*;

    fn family(name: &str) -> &'static str {
        named(name).unwrap().name()
    }

    #[test]
    fn the_longest_beginning_wins() {
        assert_eq!(family("gpt-4"), "gpt-4");
        assert_eq!(family("gpt-4-1106-preview"), "gpt-4-turbo");
        assert_eq!(family("gpt-4o-mini-2024-07-18"), "gpt-4o-mini");
        assert_eq!(family("gpt-5-2025-08-07"), "gpt-5");
        assert_eq!(family("gpt-5.6-sol"), "gpt-5.6");
        assert_eq!(family("claude-opus-4-20250514"), "claude-opus-4");
        assert_eq!(family("claude-opus-4-5-20251101"), "claude-opus-4-5");
    }

    #[test]
    fn providers_and_spellings_do_not_matter() {
        assert_eq!(family("openai/gpt-4.1-mini"), "gpt-4.1-mini");
        assert_eq!(family("ft:gpt-4o-mini-2024-07-18:org::id"), "gpt-4o-mini");
        assert_eq!(family("anthropic/claude-opus-4.5"), "claude-opus-4-5");
        assert_eq!(family("us.anthropic.claude-3-5-sonnet-20241022-v2:0"), "claude-3-5-sonnet");
        assert_eq!(family("claude-sonnet-4-5@20250929"), "claude-sonnet-4-5");
        assert_eq!(family("meta-llama/Llama-3.1-8B-Instruct"), "llama-3.1");
        assert_eq!(family("models/gemini-2.5-pro"), "gemini-2");
    }

    #[test]
    fn claude_code_names_the_long_window() {
        for name in
            ["claude-sonnet-4-5[1m]", "claude-sonnet-4-5-20250929[1M]", "claude-opus-4-6[1m]"]
        {
            assert_eq!(named(name).unwrap().window, 1_000_000, "{name}");
        }
        assert_eq!(family("claude-sonnet-4-5[1m]"), "claude-sonnet-4-5");
        assert_eq!(named("claude-sonnet-4-5").unwrap().window, 200_000);
        assert!(named("gpt-4o[1m]").is_err());
    }

    #[test]
    fn an_unknown_name_is_an_error_that_lists_near_names() {
        let error = named("gpt5").unwrap_err();
        assert_eq!(error.near[0], "gpt-5");
        assert!(error.to_string().starts_with("unknown model \"gpt5\", near names are gpt-5, "));
        assert!(named("gpt-55").is_err());
        assert_eq!(
            named("claude-opus-6").unwrap_err().near[..2],
            ["claude-opus-4", "claude-opus-5"]
        );
        let near = named("claude").unwrap_err().near;
        assert!(near.len() == NEAR && near.iter().all(|name| name.starts_with("claude-")));
        assert_eq!(named("x").unwrap_err().to_string(), "unknown model \"x\"");
    }

    #[test]
    fn every_name_stands_in_the_table_once_and_finds_its_own_row() {
        let mut seen = std::collections::HashSet::new();
        for model in MODELS {
            for name in model.names {
                assert!(seen.insert(name), "{name} twice");
                assert_eq!(family(name), model.name());
            }
            assert!(model.output <= model.window, "{}", model.name());
            assert!(model.permille == 1000 || model.estimate.is_some(), "{}", model.name());
        }
    }
}
