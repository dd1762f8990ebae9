//! How fast texts are counted: by this tokenizer, or by tiktoken-rs to compare.
//!
//!     cargo run --release --example throughput -- [--tiktoken] [--encoding NAME] [--repeat N] PATH…
//!
//! Reads all UTF-8 files under the paths, then counts each of them once on one core and prints bytes,
//! tokens, seconds of processor time and MB/s. With `--repeat N` it does so N times, each a line of its own. A PATH of
//! the form `gen:NAME` is a megabyte of the hardest inputs: equals, spaces, newlines, as, abab, base64,
//! letters, hex, chinese, emoji, marks.

#![allow(clippy::cast_precision_loss, reason = "figures are printed with few digits")]

use std::io::{self, Write};
use std::path::Path;
use std::time::Instant;
use std::{env, fs};

use context_compact::tokenizer::Encoding;
use tiktoken_rs::CoreBPE;

fn main() -> io::Result<()> {
    let mut encoding = Encoding::default();
    let mut tiktoken = false;
    let mut repeat = 1;
    let mut texts = Vec::new();
    let mut arguments = env::args().skip(1);
    while let Some(argument) = arguments.next() {
        match argument.as_str() {
            "--tiktoken" => tiktoken = true,
            "--encoding" => {
                let name = arguments.next().unwrap_or_default();
                encoding = name.parse().map_err(io::Error::other)?;
            }
            "--repeat" => {
                repeat = arguments.next().and_then(|n| n.parse().ok()).unwrap_or(1);
            }
            path => match path.strip_prefix("gen:") {
                Some(name) => texts.push(generate(name)),
                None => read(Path::new(path), &mut texts)?,
            },
        }
    }

    if tiktoken {
        // Made before the clock runs: `tests/bench.sh` times whole processes, too.
        oracle(encoding);
    }
    let bytes: usize = texts.iter().map(String::len).sum();
    for _ in 0..repeat {
        let (wall, cpu) = (Instant::now(), cpu_seconds());
        let tokens = count(&texts, encoding, tiktoken);
        let wall = wall.elapsed().as_secs_f64();
        let seconds = cpu.zip(cpu_seconds()).map_or(wall, |(start, end)| end - start);
        let speed = bytes as f64 / 1e6 / seconds;
        writeln!(
            io::stdout(),
            "{} texts  {bytes} bytes  {tokens} tokens  {seconds:.4} s  {speed:.1} MB/s",
            texts.len(),
        )?;
    }
    Ok(())
}

/// Returns the time for which this process ran, where the system tells: on a busy machine it says more
/// than the clock.
fn cpu_seconds() -> Option<f64> {
    let stat = fs::read_to_string("/proc/self/schedstat").ok()?;
    let nanoseconds: u64 = stat.split(' ').next()?.parse().ok()?;
    Some(nanoseconds as f64 / 1e9)
}

fn oracle(encoding: Encoding) -> &'static CoreBPE {
    match encoding {
        Encoding::Cl100kBase => tiktoken_rs::cl100k_base_singleton(),
        Encoding::O200kBase | Encoding::Approx => tiktoken_rs::o200k_base_singleton(),
    }
}

fn count(texts: &[String], encoding: Encoding, tiktoken: bool) -> usize {
    if tiktoken {
        let oracle = oracle(encoding);
        texts.iter().map(|text| oracle.count_ordinary(text)).sum()
    } else {
        let tokenizer = encoding.tokenizer();
        texts.iter().map(|text| tokenizer.count(text)).sum()
    }
}

/// Reads a file, or all files of a directory in the order of their names; what is not UTF-8 is left out.
fn read(path: &Path, texts: &mut Vec<String>) -> io::Result<()> {
    if path.is_symlink() {
        return Ok(());
    }
    if path.is_dir() {
        let mut entries = fs::read_dir(path)?.collect::<io::Result<Vec<_>>>()?;
        entries.sort_by_key(fs::DirEntry::file_name);
        return entries.iter().try_for_each(|entry| read(&entry.path(), texts));
    }
    texts.extend(String::from_utf8(fs::read(path)?));
    Ok(())
}

fn generate(name: &str) -> String {
    const LEN: usize = 1_000_000;
    let mut state = 1_u64;
    let mut random = |below: usize| {
        state = state.wrapping_mul(0x5851_F42D_4C95_7F2D).wrapping_add(1);
        (state >> 33) as usize % below
    };
    let mut pick = |alphabet: &str| {
        let alphabet: Vec<char> = alphabet.chars().collect();
        let mut text = String::new();
        while text.len() < LEN {
            text.push(alphabet[random(alphabet.len())]);
        }
        text
    };
    let lower = "abcdefghijklmnopqrstuvwxyz";
    match name {
        "equals" => "=".repeat(LEN),
        "spaces" => " ".repeat(LEN),
        "newlines" => "\n".repeat(LEN),
        "as" => "a".repeat(LEN),
        "abab" => pick("ab"),
        "letters" => pick(lower),
        "hex" => pick("0123456789abcdef"),
        "base64" => pick(&(lower.to_uppercase() + lower + "0123456789+/")),
        "chinese" => pick(&('\u{4E00}'..'\u{9FA5}').collect::<String>()),
        "emoji" => pick(&('\u{1F300}'..'\u{1F64F}').collect::<String>()),
        "marks" => pick("a\u{301}\u{302}A中"),
        name => panic!("no generated text is called {name}"),
    }
}
