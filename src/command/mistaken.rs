//! What to do about an argument that nobody knows, for it begins with a dash.
//!
//! Responsible for a tip that works: behind `--` everything is a FILE, which helps neither the value of a
//! flag nor somebody who meant a flag.

use std::ffi::OsString;

use clap::builder::StyledStr;
use clap::error::{ContextKind, ContextValue, ErrorKind};
use clap::{Arg, Command, CommandFactory};

use crate::cli::Cli;

/// The error, with a tip that says how the argument is given as what it may be.
#[must_use]
pub fn with_tip(mut error: clap::Error, arguments: &[OsString]) -> clap::Error {
    if error.kind() == ErrorKind::UnknownArgument
        && let Some(tip) = tip(&error, arguments)
    {
        error.remove(ContextKind::SuggestedArg);
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
    if let Some(others) = commands_with(&cli, unknown) {
        return Some(format!("'{unknown}' is of {others}"));
    }
    if !matches!(error.get(ContextKind::Suggested), Some(ContextValue::StyledStrs(_))) {
        return None;
    }
    let arguments: Vec<_> = arguments.iter().map(|argument| argument.to_string_lossy()).collect();
    let at = arguments.iter().position(|argument| argument.starts_with(unknown.as_str()))?;
    let (given, before) = (&arguments[at], arguments[..at].last()?);
    let command = cli.find_subcommand(arguments.get(1)?.as_ref())?;
    if command
        .get_arguments()
        .any(|flag| is_named(flag, before) && flag.get_action().takes_values())
    {
        let joint = if before.starts_with("--") { "=" } else { "" };
        return Some(format!("as the value of '{before}' write '{before}{joint}{given}'"));
    }
    Some(format!("a FILE of this name is './{given}'"))
}

/// The subcommands that know a flag, told one after the other.
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

/// Whether a flag is called so.
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
