//! Tips for unknown arguments.
//!
//! Responsible for tips that work. Clap's tip to put an argument behind `--` would make it a file, which
//! helps neither with the value of a flag nor with a mistyped flag; and names from other tools are unlike any
//! of ours.

use std::ffi::OsString;

use clap::builder::StyledStr;
use clap::error::{ContextKind, ContextValue, ErrorKind};
use clap::{Arg, Command, CommandFactory};

use crate::cli::Cli;

/// What other tools call our subcommands.
const SUBCOMMANDS: &[(&str, &[&str])] = &[
    ("count", &["tokens", "stat", "stats", "size", "wc"]),
    ("check", &["validate", "verify", "lint", "test"]),
    ("partition", &["split", "chunk", "segment"]),
    ("truncate", &["trim", "cut", "clip", "prune", "shorten"]),
    ("normalize", &["fix", "repair", "sanitize", "mend", "convert"]),
    ("compact", &["summarize", "summarise", "summary", "compress", "condense", "shrink"]),
];

/// What other tools call our flags.
const FLAGS: &[(&str, &[&str])] = &[
    ("--budget", &["--limit", "--target", "--tokens", "--max-size", "--to"]),
    ("--window", &["--context", "--context-window", "--context-size", "--max-context"]),
    ("--keep-tail", &["--keep-last", "--keep-recent", "--keep", "--tail", "--recent"]),
    ("--max-messages", &["--keep-last", "--last", "--messages"]),
    ("--in-place", &["--inplace", "--write", "--fix"]),
    ("--output", &["--out", "--out-file"]),
    ("--json", &["--format"]),
    ("--dialect", &["--from", "--type"]),
    ("--for", &["--provider", "--to"]),
];

/// Our name for something that others call `other`, from the table `names`.
fn called(
    names: &[(&'static str, &[&str])],
    other: &str,
    is_known: impl Fn(&str) -> bool,
) -> Option<&'static str> {
    let mut found = names.iter().filter(|(own, others)| others.contains(&other) && is_known(own));
    found.next().map(|(own, _)| *own)
}

/// The error, with a tip that tells how to give the argument as what was probably meant.
#[must_use]
pub fn with_tip(mut error: clap::Error, arguments: &[OsString]) -> clap::Error {
    if let Some(ContextValue::String(unknown)) = error.get(ContextKind::InvalidSubcommand)
        && let Some(own) = called(SUBCOMMANDS, &unknown.to_lowercase(), |_| true)
    {
        let own = ContextValue::Strings(vec![own.to_owned()]);
        error.insert(ContextKind::SuggestedSubcommand, own);
    }
    if error.kind() == ErrorKind::UnknownArgument
        && let Some(tip) = tip(&error, arguments)
    {
        if error.remove(ContextKind::SuggestedArg).is_some() {
            // Remove the usage of the argument that our tip replaces.
            error.remove(ContextKind::Usage);
        }
        let tips = ContextValue::StyledStrs(vec![StyledStr::from(tip)]);
        error.insert(ContextKind::Suggested, tips);
    }
    error
}

fn tip(error: &clap::Error, arguments: &[OsString]) -> Option<String> {
    let Some(ContextValue::String(unknown)) = error.get(ContextKind::InvalidArg) else {
        return None;
    };
    let mut cli = Cli::command();
    cli.build();
    let arguments: Vec<_> = arguments.iter().map(|argument| argument.to_string_lossy()).collect();
    let at = arguments.iter().position(|argument| argument.starts_with(unknown.as_str()));
    let command = arguments.get(1).and_then(|name| cli.find_subcommand(name.as_ref()));
    let knows = |flag: &str| {
        command.is_some_and(|command| command.get_arguments().any(|own| is_named(own, flag)))
    };
    if let Some(own) = called(FLAGS, unknown, knows) {
        let flag = command?.get_arguments().find(|flag| is_named(flag, own))?;
        let value = flag.get_value_names().filter(|_| flag.get_action().takes_values());
        let value = value.map(|names| format!(" <{}>", names.join("> <"))).unwrap_or_default();
        return Some(format!("'ctx {}' calls it '{own}{value}'", command?.get_name()));
    }
    if let Some(long) = at.map(|at| format!("-{}", arguments[at])).filter(|long| knows(long)) {
        return Some(format!("a long name has two dashes: '{long}'"));
    }
    if let Some(others) = commands_with(&cli, unknown) {
        return Some(format!("'{unknown}' is of {others}"));
    }
    if !matches!(error.get(ContextKind::Suggested), Some(ContextValue::StyledStrs(_))) {
        return None;
    }
    let (at, command) = (at?, command?);
    let (given, before) = (&arguments[at], arguments[..at].last()?);
    if command
        .get_arguments()
        .any(|flag| is_named(flag, before) && flag.get_action().takes_values())
    {
        let joint = if before.starts_with("--") { "=" } else { "" };
        return Some(format!("as the value of '{before}' write '{before}{joint}{given}'"));
    }
    Some(if given.contains('.') {
        format!("a FILE of this name is './{given}'")
    } else {
        format!("'ctx {} --help' lists its flags", command.get_name())
    })
}

/// The subcommands that have a flag, in words.
fn commands_with(cli: &Command, flag: &str) -> Option<String> {
    let knows = |command: &&Command| command.get_arguments().any(|own| is_named(own, flag));
    let names: Vec<String> = cli
        .get_subcommands()
        .filter(knows)
        .map(|own| format!("'ctx {}'", own.get_name()))
        .collect();
    let (last, others) = names.split_last()?;
    Some(if others.is_empty() { last.clone() } else { format!("{} and {last}", others.join(", ")) })
}

/// Whether a flag has this name.
fn is_named(flag: &Arg, argument: &str) -> bool {
    let long = flag.get_long().is_some_and(|long| argument.strip_prefix("--") == Some(long));
    long || flag.get_short().is_some_and(|short| argument == format!("-{short}"))
}

#[cfg(test)]
mod tests {
    use clap::Parser;

    use super::*;

    #[test]
    fn a_tip_says_how_a_dash_is_given() {
        let told = |line: &str| {
            let arguments: Vec<OsString> = line.split(' ').map(Into::into).collect();
            let error = Cli::try_parse_from(&arguments).expect_err("nobody knows it");
            with_tip(error, &arguments).to_string()
        };
        for (line, tip) in [
            ("ctx compact --session -x a.json", "write '--session=-x'"),
            ("ctx compact -o -x a.json", "write '-o-x'"),
            ("ctx count -x.jsonl", "is './-x.jsonl'"),
            ("ctx count --json -x.jsonl", "is './-x.jsonl'"),
            ("ctx compact -budget 4k", "two dashes: '--budget'"),
            ("ctx compact --frobnicate", "'ctx compact --help' lists"),
            ("ctx compact --limit 4k", "'ctx compact' calls it '--budget <TOKENS>'"),
            ("ctx truncate --keep-last 5", "'ctx truncate' calls it '--max-messages <N>'"),
            ("ctx count -json", "two dashes: '--json'"),
            ("ctx count --format json", "calls it '--json'"),
            ("ctx compact --keep-last 5", "calls it '--keep-tail <TOKENS>'"),
            ("ctx compact --max-tokens 5", "is of 'ctx truncate'"),
            ("ctx Summarize a.json", "'compact'"),
            ("ctx count --modle x", "'--model'"),
            ("ctx normalize --by role", "'--by' is of 'ctx count'"),
            ("ctx check --budget 5", "'--budget' is of 'ctx truncate' and 'ctx compact'"),
            ("ctx normalize --window=5", "is of 'ctx check' and 'ctx compact'"),
        ] {
            let told = told(line);
            assert!(told.contains(tip) && !told.contains("'-- -"), "{line}: {told}");
        }
    }
}
