//! What is generated and checked in is true: man pages, completions, the README's tables and blocks.
//!
//! `BLESS=1 cargo test --test generated` writes anew what the code decides: man pages, completions,
//! the README's table of dialects, and the output under each command of its transcripts.

#[path = "generated/examples.rs"]
mod examples;
#[path = "generated/man.rs"]
mod man;
#[path = "transcript/mod.rs"]
mod transcript;

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};

use clap::{Command, CommandFactory};
use clap_complete::Shell;
use context_compact::cli::Cli;
use context_compact::dialect::DIALECTS;

fn root() -> &'static Path {
    Path::new(env!("CARGO_MANIFEST_DIR"))
}

fn is_blessing() -> bool {
    std::env::var_os("BLESS").is_some()
}

/// The whole command line, as clap completes it.
fn command() -> Command {
    let mut command = Cli::command().disable_help_subcommand(true);
    command.build();
    command
}

/// Compares a file with what it has to hold, or writes it.
fn compare(path: &Path, expected: &str) {
    if is_blessing() {
        fs::create_dir_all(path.parent().expect("a directory")).expect("a directory is made");
        fs::write(path, expected).expect("a file is written");
        return;
    }
    let found = fs::read_to_string(path).unwrap_or_default();
    let differs = found.lines().zip(expected.lines()).position(|(found, line)| found != line);
    let line = differs.unwrap_or(found.lines().count().min(expected.lines().count()));
    assert!(
        found == expected,
        "{} is out of date from line {}; BLESS=1 cargo test --test generated writes it\n\
         - {}\n+ {}",
        path.display(),
        line + 1,
        found.lines().nth(line).unwrap_or("(end)"),
        expected.lines().nth(line).unwrap_or("(end)"),
    );
}

/// Compares a directory with the files it has to hold, no more and no fewer.
fn compare_all(directory: &str, expected: &BTreeMap<String, String>) {
    let directory = root().join(directory);
    for (name, text) in expected {
        compare(&directory.join(name), text);
    }
    let entries = fs::read_dir(&directory).expect("a directory");
    let names = entries.map(|entry| entry.expect("an entry").file_name());
    let names: Vec<String> = names.map(|name| name.to_string_lossy().into_owned()).collect();
    let stray: Vec<_> = names.iter().filter(|name| !expected.contains_key(*name)).collect();
    assert!(stray.is_empty(), "{} holds what nothing generates: {stray:?}", directory.display());
}

#[test]
fn man_pages_are_true() {
    compare_all("man", &man::pages(&command()));
}

#[test]
fn completions_are_true() {
    let shells = [(Shell::Bash, "ctx.bash"), (Shell::Zsh, "_ctx"), (Shell::Fish, "ctx.fish")];
    let files = shells.map(|(shell, name)| {
        let mut text = Vec::new();
        clap_complete::generate(shell, &mut Cli::command(), "ctx", &mut text);
        (name.to_owned(), String::from_utf8(text).expect("UTF-8"))
    });
    compare_all("completions", &files.into());
}

#[test]
fn arguments_are_consistent() {
    Cli::command().debug_assert();
}

/// A first line as others word theirs: it begins with a capital and ends without a full stop.
fn is_well_worded(help: &str) -> bool {
    let first = help.lines().next().unwrap_or_default();
    first.starts_with(char::is_uppercase) && !first.ends_with('.')
}

#[test]
fn every_flag_has_help() {
    for sub in command().get_subcommands() {
        assert!(is_well_worded(&sub.get_about().expect("about").to_string()), "{}", sub.get_name());
        for argument in sub.get_arguments() {
            let name = format!("{} {}", sub.get_name(), argument.get_id());
            let help = argument.get_help().unwrap_or_else(|| panic!("{name} has no help"));
            assert!(is_well_worded(&help.to_string()), "{name}: {help}");
            for value in argument.get_possible_values() {
                let is_table = argument.get_id() == "dialect";
                let is_yes_or_no = ["true", "false"].contains(&value.get_name());
                let is_said = value.get_help().is_some() || is_table || is_yes_or_no;
                assert!(is_said, "{name} {} has no help", value.get_name());
            }
        }
    }
}

#[test]
fn every_command_leads_with_examples() {
    for sub in command().get_subcommands() {
        let examples = examples::of_help(sub);
        assert!(examples.len() >= 3, "{} has {examples:?}", sub.get_name());
        let is_pipeline = |line: &String| line.contains(" | ") || line.contains(" || ");
        assert!(examples.iter().any(is_pipeline), "{} shows no pipeline", sub.get_name());
    }
}

fn readme() -> PathBuf {
    root().join("README.md")
}

#[test]
fn readme_lists_every_dialect() {
    let begin = "| dialect | what it is |\n|---|---|\n";
    let rows = DIALECTS.iter().map(|row| format!("| `{}` | {} |\n", row.name(), row.facts().about));
    let text = fs::read_to_string(readme()).expect("README.md");
    let (before, rest) = text.split_once(begin).expect("the table of dialects");
    let (_, after) = rest.split_once("\n\n").expect("text behind the table");
    let table: String = rows.collect();
    compare(&readme(), &format!("{before}{begin}{table}\n{after}"));
}

#[test]
fn readme_is_short() {
    let text = fs::read_to_string(readme()).expect("README.md");
    assert!(text.lines().count() <= 200, "{} lines", text.lines().count());
}

#[test]
fn readme_transcripts_are_true() {
    let text = fs::read_to_string(readme()).expect("README.md");
    compare(&readme(), &examples::replay(&text));
}

#[test]
fn examples_run() {
    let text = fs::read_to_string(readme()).expect("README.md");
    let mut scripts = examples::of_readme(&text);
    scripts.extend(examples::of_help(&command()));
    scripts.extend(command().get_subcommands().flat_map(examples::of_help));
    let failures: Vec<String> =
        scripts.iter().filter_map(|script| examples::run(script).err()).collect();
    assert!(failures.is_empty(), "{}", failures.join("\n\n"));
}

#[test]
fn report_is_documented() {
    let report = examples::report();
    let report: BTreeMap<String, serde_json::Value> =
        serde_json::from_str(&report).expect("an object");
    let mut documented = man::documented_members();
    documented.sort_unstable();
    assert_eq!(report.keys().map(String::as_str).collect::<Vec<_>>(), documented);
}
