//! The tokenizer against tiktoken-rs: the same ids for every text.

use context_compact::tokenizer::{Bpe, Encoding, Tokenizer};
use tiktoken_rs::CoreBPE;

fn encoders() -> [(&'static str, Bpe, &'static CoreBPE); 2] {
    [
        ("o200k_base", Bpe::o200k_base(), tiktoken_rs::o200k_base_singleton()),
        ("cl100k_base", Bpe::cl100k_base(), tiktoken_rs::cl100k_base_singleton()),
    ]
}

/// Asserts that both encoders give the ids and counts of the oracle, and the text back.
#[track_caller]
fn assert_same(text: &str) {
    for (name, ours, oracle) in encoders() {
        let ids = ours.encode(text);
        assert_eq!(ids, oracle.encode_ordinary(text), "{name}: {text:?}");
        assert_eq!(ours.count(text), ids.len(), "{name}: {text:?}");
        assert_eq!(ours.decode(&ids), text.as_bytes(), "{name}: {text:?}");
    }
}

#[test]
fn every_code_point_in_two_contexts() {
    for block in 0..0x11_0000 / 64 {
        let mut text = String::new();
        for c in (block * 64..(block + 1) * 64).filter_map(char::from_u32) {
            text.extend(['a', c, 'b', '.', ' ', c, '\n']);
        }
        assert_same(&text);
    }
}

#[test]
fn ordinary_semantics() {
    for text in ["<|endoftext|>", "a<|endofprompt|>b", "<|fim_prefix|> <|im_start|>"] {
        assert_same(text);
    }
}

#[test]
fn names_are_distinct_and_parsed() {
    for encoding in Encoding::ALL {
        assert_eq!(encoding.name().parse(), Ok(encoding));
    }
}
