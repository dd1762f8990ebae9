//! Common words and file extensions.
//!
//! Responsible for the two lists and for looking words up in them quickly: it is done for every word of a
//! conversation.

use super::packed::{LONGEST, packed, place, small};

/// Words that say nothing of a name next to them.
const WORDS: &[&str] = &[
    "the", "and", "but", "then", "for", "with", "from", "are", "was", "were", "been", "being",
    "its", "this", "that", "these", "those", "you", "she", "they", "your", "his", "her", "our",
    "their", "them", "does", "did", "done", "has", "have", "had", "will", "would", "can", "could",
    "should", "may", "might", "must", "not", "yes", "just", "also", "about", "into", "over", "out",
    "down", "there", "here", "what", "which", "who", "when", "where", "why", "how", "all", "any",
    "each", "some", "more", "most", "other", "than", "such", "only", "own", "same", "let", "use",
    "used", "using", "now", "new", "one", "two", "get", "got", "want", "need", "see", "call",
    "result", "user",
];

/// Extensions of files in conversations; any other word after a dot is taken for a member.
const EXTENSIONS: &[&str] = &[
    "rs", "go", "py", "js", "ts", "jsx", "tsx", "mjs", "cjs", "java", "kt", "kts", "swift", "c",
    "h", "cc", "cpp", "hpp", "cs", "rb", "php", "sol", "scala", "lua", "pl", "r", "dart", "ex",
    "exs", "hs", "ml", "zig", "vue", "svelte", "sh", "bash", "zsh", "fish", "ps1", "bat", "md",
    "mdx", "rst", "txt", "json", "jsonl", "yaml", "yml", "toml", "ini", "cfg", "conf", "env",
    "lock", "mod", "sum", "xml", "html", "css", "scss", "less", "sql", "csv", "tsv", "log",
    "proto", "graphql", "gradle", "tf", "ipynb", "svg", "png", "jpg", "jpeg", "gif", "webp", "pdf",
    "zip", "gz", "tar", "wasm", "db", "sqlite", "diff", "patch", "tmpl", "j2", "plist", "service",
];

static COMMON: Set = Set::new(WORDS);
static KNOWN: Set = Set::new(EXTENSIONS);

/// Whether a word is too common to say anything, regardless of its case.
pub(crate) fn is_common(word: &[u8]) -> bool {
    word.len() <= 6 && COMMON.has(word)
}

/// Whether a text is a known file extension.
pub(crate) fn is_extension(text: &[u8]) -> bool {
    KNOWN.has(text)
}

/// A hash set of words of at most eight bytes, each stored as a number, regardless of case.
pub(crate) struct Set([u64; SLOTS]);

const SLOTS: usize = 512;

impl Set {
    /// Builds the set of these words.
    pub(crate) const fn new(words: &[&str]) -> Self {
        let mut slots = [0; SLOTS];
        let mut at = 0;
        while at < words.len() {
            let key = small(packed(words[at].as_bytes()));
            let mut slot = place(key, SLOTS);
            while slots[slot] != 0 {
                slot = (slot + 1) % SLOTS;
            }
            slots[slot] = key;
            at += 1;
        }
        Self(slots)
    }

    /// Whether the set contains a word, regardless of the case of its ASCII letters.
    pub(crate) fn has(&self, word: &[u8]) -> bool {
        if word.len() > LONGEST {
            return false;
        }
        let key = small(packed(word));
        let mut slot = place(key, SLOTS);
        while self.0[slot] != 0 {
            if self.0[slot] == key {
                return true;
            }
            slot = (slot + 1) % SLOTS;
        }
        false
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn knows_its_words_and_no_others() {
        assert!(WORDS.iter().all(|word| is_common(word.as_bytes())));
        assert!(EXTENSIONS.iter().all(|word| is_extension(word.as_bytes())));
        assert!(is_common(b"The") && !is_common(b"parser") && !is_extension(b"foo"));
    }
}
