//! The tokenizer against tiktoken-rs: the same ids for every text.
//!
//! A slice runs with all tests. The whole of it, and every file under `CTX_CORPUS` if that is set:
//!
//!     CTX_CORPUS=DIR cargo test --release --test tokenizer -- --include-ignored

use std::path::Path;
use std::{env, fs};

use context_compact::tokenizer::{Bpe, Encoding, Tokenizer};
use proptest::prelude::*;
use tiktoken_rs::CoreBPE;

struct Encoder {
    name: &'static str,
    ours: Bpe,
    oracle: &'static CoreBPE,
}

fn encoders() -> [Encoder; 2] {
    let (o200k, cl100k) =
        (tiktoken_rs::o200k_base_singleton(), tiktoken_rs::cl100k_base_singleton());
    [
        Encoder { name: "o200k_base", ours: Bpe::o200k_base(), oracle: o200k },
        Encoder { name: "cl100k_base", ours: Bpe::cl100k_base(), oracle: cl100k },
    ]
}

/// Asserts that both encodings give the ids of the oracle, and the text back, and what follows from it.
#[track_caller]
fn assert_same(encoders: &[Encoder; 2], text: &str) {
    for Encoder { name, ours, oracle } in encoders {
        let ids = ours.encode(text);
        assert!(ids == oracle.encode_ordinary(text), "{name} differs: {text:?}");
        // Twice: the first count may come from the encoder and the second one from the cache.
        assert_eq!([ours.count(text), ours.count(text)], [ids.len(); 2], "{name}: {text:?}");
        assert_eq!(ours.decode(&ids), text.as_bytes(), "{name}: {text:?}");
    }
}

/// Asserts that cuts keep their bounds, and give away little.
#[track_caller]
fn assert_cuts(encoders: &[Encoder; 2], text: &str, max_tokens: usize) {
    for Encoder { name, ours, .. } in encoders {
        let whole = ours.count(text);
        assert_eq!(ours.count_up_to(text, max_tokens), Some(whole).filter(|&n| n <= max_tokens));
        let (prefix, suffix) = (ours.prefix(text, max_tokens), ours.suffix(text, max_tokens));
        assert!(text.starts_with(prefix) && text.ends_with(suffix));
        for cut in [prefix, suffix] {
            let count = ours.count(cut);
            assert!(count <= max_tokens, "{name}: {count} tokens, not {max_tokens}: {text:?}");
            if whole <= max_tokens {
                assert_eq!(cut, text, "{name}: {max_tokens}");
            }
            assert!(
                count + 8 >= whole.min(max_tokens),
                "{name}: {count} of {max_tokens}: {text:?}"
            );
        }
    }
}

fn assert_code_points(range: std::ops::Range<u32>) {
    let encoders = encoders();
    for first in range.step_by(64) {
        let mut text = String::new();
        for c in (first..first + 64).filter_map(char::from_u32) {
            text.extend(['a', c, 'b', '.', ' ', c, '\n']);
        }
        assert_same(&encoders, &text);
    }
}

/// All that are assigned, but for private use.
#[test]
fn assigned_code_points_in_two_contexts() {
    assert_code_points(0..0x4_0000);
    assert_code_points(0xE_0000..0xE_1000);
}

#[test]
#[ignore = "takes long without optimisation"]
fn every_code_point_in_two_contexts() {
    assert_code_points(0..0x11_0000);
}

/// Texts that one tokenizer or another gets wrong.
const PITFALLS: &[&str] = &[
    "",
    // No part of a text is a special token.
    "<|endoftext|>",
    "a<|endofprompt|>b <|fim_prefix|><|im_start|>",
    // A long s is an s when case is ignored.
    "it'ſ It'S it's'ſx 'ſ we'LL We'Ll they'Re 'vE 'M 'd'D 't'T 'K \u{212A}'s",
    "foo'r'x'l'lx'v 's's 'sx a'",
    // A byte order mark is no white space; a no-break space is.
    "\u{FEFF}a \u{FEFF} b\u{A0}c \u{A0}\u{A0}d\u{85}e\u{2028}\u{2029}\u{3000}中",
    // Marks stand before words, in words, and after symbols.
    "\u{301}ABC \u{301}abc e\u{301}E\u{301}X .\u{301}. !\u{301}\u{302} \u{301}\u{301}",
    // The order of the two alternatives for words.
    "ABCdef中ABC中abcABC ǅa aǅ ʰAʰa中A中Aa AAA中 camelCaseHTTPServer",
    // White space before and between newlines, and at the end.
    "a  b   c\n\n d \n \n  e\t\t f\r\n\r\ng \r h \n",
    "a  ",
    "a \n ",
    " \n\n  \t",
    "  x",
    "\n\n\n   \r\n",
    // Slashes and newlines after symbols.
    "//\n/\r\n/x !\n\n/ a.\n\n. ://\r //",
    // Numbers of other scripts, in threes.
    "1 12 123 1234 12345x٣٤٥٦ ⅧⅨ½¾²³ 1٣²4",
    "\0\0a\0 \0\0\0b",
];

#[test]
fn a_small_word_that_is_a_token_is_encoded_as_it() {
    let bpe = Bpe::o200k_base();
    let is_small = |c: char| c.is_alphanumeric() && !c.is_uppercase();
    for id in 0..199_998 {
        let Ok(text) = String::from_utf8(bpe.decode(&[id])) else { continue };
        let word = text.strip_prefix(' ').unwrap_or(&text);
        if !word.is_empty() && word.chars().all(is_small) {
            assert_eq!(bpe.token(&text), Some(id), "{text:?}");
            assert_eq!(bpe.encode(&text), [id], "{text:?}");
        }
    }
    assert_eq!(bpe.token(" parser parser"), None);
    assert_eq!(bpe.token(""), None);
}

#[test]
fn pitfalls() {
    let encoders = encoders();
    for text in PITFALLS {
        assert_same(&encoders, text);
        for padding in ["x", " ", "\n", "中", "0123456789abcdef"] {
            assert_same(&encoders, &format!("{padding}{text}{padding}"));
        }
        for max_tokens in 0..20 {
            assert_cuts(&encoders, text, max_tokens);
        }
    }
}

#[test]
fn pieces_of_every_length_near_a_limit() {
    let encoders = encoders();
    for unit in
        ["a", "A", " ", "\n", "=", "é", "中", "ab", "aB", "Ab", "1", ".", "\u{301}", "😀", "\0"]
    {
        for len in (0..36).chain(60..68).chain(124..132) {
            let run = unit.repeat(len);
            assert_same(&encoders, &run);
            assert_same(&encoders, &format!(" {run} {run}'s\n"));
        }
    }
}

/// A generator of numbers, the same on every machine.
struct Random(u64);

impl Random {
    fn below(&mut self, limit: usize) -> usize {
        self.0 = self.0.wrapping_mul(0x5851_F42D_4C95_7F2D).wrapping_add(0x1405_7B7E_F767_814F);
        usize::try_from(self.0 >> 33).expect("31 bits") % limit
    }

    fn number(&mut self, limit: usize) -> u32 {
        u32::try_from(self.below(limit)).expect("a small limit")
    }

    fn pick<'a>(&mut self, choices: &[&'a str]) -> &'a str {
        choices[self.below(choices.len())]
    }

    fn char(&mut self) -> char {
        loop {
            let limit = [0x80, 0x800, 0x3000, 0x1_0000, 0x2_0000, 0x11_0000][self.below(6)];
            if let Some(c) = char::from_u32(self.number(limit)) {
                return c;
            }
        }
    }

    fn string(&mut self, alphabet: &str, len: usize) -> String {
        let alphabet: Vec<char> = alphabet.chars().collect();
        (0..len).map(|_| alphabet[self.below(alphabet.len())]).collect()
    }

    /// Returns a text that is hard to split or to encode.
    fn text(&mut self, oracle: &CoreBPE) -> String {
        const LOWER: &str = "abcdefghijklmnopqrstuvwxyz";
        const WHITE: &str = "   \n\n\r\t\u{A0}\u{3000}\u{2028}\u{B}";
        let mut text = String::new();
        for _ in 0..=self.below(40) {
            let few = 1 + self.below(6);
            let run = [few, few, 1 + self.below(40), 1 + self.below(300)][self.below(4)];
            text += &match self.below(20) {
                0 => self.char().to_string(),
                1 => (0..few).map(|_| self.char()).collect(),
                2 => self.string("aAbBzZ", few),
                3 => self.string(LOWER, few),
                4 => self.string("aAéÉſßǅʰ中の\u{301}\u{20D0}ा", few),
                5 => self
                    .pick(&["'s", "'S", "'ſ", "'t", "'LL", "'Re", "'ve", "'M", "'d", "'", "'l"])
                    .into(),
                6 => self.string("0123456789", few),
                7 => self.string("0٣½Ⅷ²", few),
                8 | 9 => self.string(WHITE, few),
                10 => " ".repeat(few),
                11 => self.string("!-=/\\.,:;(){}[]<>\"'_#*&|~`@$%^+?", few),
                12 => self.string("/\n\r! ", few),
                13 => self.string("ab", run),
                14 => self.string("0123456789abcdef", run),
                15 => self.string("😀👍🏽👩\u{200D}\u{FE0F}🇩🇪", few),
                16 => self
                    .pick(&["a", "=", "-", " ", "\n", "ab", "中", "A", ".", "\u{301}", "0"])
                    .repeat(run),
                17 => self
                    .pick(&["<|endoftext|>", "<|im_start|>", "\u{FEFF}", "\0", "://", "```\n"])
                    .into(),
                _ => {
                    let ids: Vec<u32> = (0..few).map(|_| self.number(100_000)).collect();
                    let bytes = oracle.decode_bytes(&ids).expect("ordinary ids");
                    String::from_utf8_lossy(&bytes).into_owned()
                }
            };
        }
        if self.below(200) == 0 {
            let run = self.pick(&["a", "=", " ", "\n", "ab", "中", "\t"]);
            text += &run.repeat(1 + self.below(3000));
        }
        text
    }
}

fn assert_generated(texts: usize) {
    let encoders = encoders();
    let mut random = Random(1);
    for number in 0..texts {
        let text = random.text(encoders[number % 2].oracle);
        assert_same(&encoders, &text);
        let max_tokens = random.below(text.len() + 2);
        assert_cuts(&encoders, &text, max_tokens);
        assert_cuts(&encoders, &text, max_tokens / 8);
    }
}

#[test]
fn generated_texts() {
    assert_generated(1_000);
}

#[test]
#[ignore = "takes a minute"]
fn many_generated_texts() {
    assert_generated(120_000);
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(64))]

    #[test]
    fn texts_of_other_seeds(seed: u64, any in ".*", max_tokens in 0_usize..100) {
        let encoders = encoders();
        let text = Random(seed).text(encoders[0].oracle);
        for text in [&text, &any] {
            assert_same(&encoders, text);
            assert_cuts(&encoders, text, max_tokens);
        }
    }
}

#[test]
#[ignore = "needs the directory CTX_CORPUS"]
fn every_file_of_a_corpus() {
    let Some(corpus) = env::var_os("CTX_CORPUS") else {
        return;
    };
    let encoders = encoders();
    let mut count = 0;
    for_each_file(Path::new(&corpus), &mut |bytes| {
        let text = String::from_utf8_lossy(&bytes);
        assert_same(&encoders, &text);
        count += 1;
        for value in serde_json::Deserializer::from_slice(&bytes).into_iter().map_while(Result::ok)
        {
            for_each_string(&value, &mut |text| {
                assert_same(&encoders, text);
                assert_cuts(&encoders, text, text.len() / 8);
                count += 1;
            });
        }
    });
    assert!(count > 0, "no files in CTX_CORPUS");
}

fn for_each_file(path: &Path, visit: &mut impl FnMut(Vec<u8>)) {
    if path.is_dir() {
        for entry in fs::read_dir(path).expect("a readable directory") {
            for_each_file(&entry.expect("a readable entry").path(), visit);
        }
    } else {
        visit(fs::read(path).expect("a readable file"));
    }
}

fn for_each_string(value: &serde_json::Value, visit: &mut impl FnMut(&str)) {
    use serde_json::Value::{Array, Object, String};
    match value {
        String(text) => visit(text),
        Array(values) => values.iter().for_each(|value| for_each_string(value, visit)),
        Object(fields) => fields.values().for_each(|value| for_each_string(value, visit)),
        _ => {}
    }
}

#[test]
fn approx_counts_and_cuts_by_four_characters() {
    let approx = Encoding::Approx.tokenizer();
    let counts = ["", "a", "abcd", "abcde", "中文字符一"].map(|text| approx.count(text));
    assert_eq!(counts, [0, 1, 1, 2, 2]);
    assert_eq!(approx.prefix("中文字符一二", 1), "中文字符");
    assert_eq!(approx.suffix("中文字符一二", 1), "字符一二");
    assert_eq!([approx.prefix("ab", 0), approx.suffix("ab", 0)], ["", ""]);
    assert_eq!([approx.prefix("ab", 9), approx.suffix("ab", 9)], ["ab", "ab"]);
}

#[test]
fn names_are_distinct_and_parsed() {
    for encoding in Encoding::ALL {
        assert_eq!(encoding.name().parse(), Ok(encoding));
    }
    assert_eq!("o200k_harmony".parse(), Ok(Encoding::O200kBase));
    assert!("gpt-4".parse::<Encoding>().is_err());
}

/// Counts words, so that numbers can be checked by eye, and cuts as the trait does by itself.
struct Words;

impl Tokenizer for Words {
    fn count(&self, text: &str) -> usize {
        text.split_whitespace().count()
    }
}

#[test]
fn cuts_of_any_tokenizer() {
    let text = "one two  three fünf";
    assert_eq!(Words.prefix(text, 2), "one two  ");
    assert_eq!(Words.suffix(text, 2), "  three fünf");
    assert_eq!([Words.prefix(text, 0), Words.suffix(text, 0)], ["", ""]);
    assert_eq!([Words.prefix(text, 4), Words.suffix(text, 4)], [text, text]);
    assert_eq!([Words.count_up_to(text, 3), Words.count_up_to(text, 4)], [None, Some(4)]);
}

#[test]
fn every_token_is_decoded() {
    for Encoder { name, ours, oracle } in encoders() {
        let mut longest = 0;
        for id in 0.. {
            let Ok(bytes) = oracle.decode_bytes(&[id]) else { break };
            assert_eq!(ours.decode(&[id]), bytes, "{name}: {id}");
            longest = longest.max(bytes.len());
        }
        assert_eq!(longest, 128, "{name}: the bounds rely on this");
        assert!(ours.decode(&[300_000, u32::MAX]).is_empty(), "{name}");
    }
}

#[test]
fn bounds_hold() {
    for encoding in Encoding::ALL {
        let tokenizer = encoding.tokenizer();
        for text in ["", "a", "😀😀😀😀", &" ".repeat(1000), &"\u{10FFFF}".repeat(100)] {
            assert!(encoding.bounds(text.len()).contains(&tokenizer.count(text)), "{text:?}");
        }
    }
}
