//! Writes the tokenizer's tables into `OUT_DIR`.
//!
//! Relies on tiktoken-rs for the vocabularies and on regex-syntax for the Unicode classes: the version
//! that tiktoken-rs's own regex uses, so that both split texts alike. What the tables hold is decided
//! here; how they are packed is in `src/tokenizer/layout.rs`, which the crate reads them with.

use std::path::Path;
use std::process::Command;
use std::{env, fs};

use tiktoken_rs::CoreBPE;

#[path = "build/classes.rs"]
mod classes;
#[allow(dead_code, reason = "the build script packs what the crate reads")]
#[path = "src/tokenizer/layout.rs"]
mod layout;
#[path = "build/pairs.rs"]
mod pairs;
#[path = "build/trie.rs"]
mod trie;
#[path = "build/vocabulary.rs"]
mod vocabulary;

use vocabulary::Vocabulary;

fn main() {
    for path in ["build.rs", "build", "src/tokenizer/layout.rs"] {
        println!("cargo::rerun-if-changed={path}");
    }
    let out = env::var_os("OUT_DIR").expect("cargo sets OUT_DIR");
    let out = Path::new(&out);

    fs::write(out.join("classes"), classes::table()).expect("could not write the class table");
    write_tables(out, "o200k_base", &tiktoken_rs::o200k_base().expect("o200k_base is built in"));
    write_tables(out, "cl100k_base", &tiktoken_rs::cl100k_base().expect("cl100k_base is built in"));

    if env::var("CARGO_CFG_TARGET_ENV").is_ok_and(|it| it == "gnu")
        && env::var("HOST") == env::var("TARGET")
    {
        link_the_unwinder();
        // With a place of its own the program needs no addresses written into it: to write seven thousand
        // at each start is a quarter of the time that counting a small conversation takes.
        println!("cargo::rustc-link-arg-bins=-no-pie");
    }
}

/// Puts the unwinder into the program where the C compiler has it as an archive: a shared library that
/// only panics need is a sixth of the time that counting a small conversation takes.
fn link_the_unwinder() {
    let found = Command::new("cc").arg("-print-file-name=libgcc_eh.a").output();
    let path =
        found.ok().and_then(|found| String::from_utf8(found.stdout).ok()).unwrap_or_default();
    let path = Path::new(path.trim());
    if let Some(folder) = path.parent().filter(|_| path.is_absolute()) {
        println!("cargo::rustc-link-search=native={}", folder.display());
        println!("cargo::rustc-link-lib=static:-bundle=gcc_eh");
    }
}

fn write_tables(out: &Path, name: &str, source: &CoreBPE) {
    let vocabulary = Vocabulary::read(source);
    let merges = vocabulary.merges();
    let write = |table: &str, words: &[u64]| {
        let bytes: Vec<u8> = words.iter().flat_map(|word| word.to_le_bytes()).collect();
        fs::write(out.join(format!("{name}.{table}")), bytes).expect("could not write a table");
    };
    write("trie", &trie::cells(&vocabulary.tokens));
    write("info", &vocabulary.info(&merges));
    write("pairs", &pairs::table(&merges));
    write("filter", &pairs::filter(&merges));
}
