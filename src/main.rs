//! The `ctx` command: parses, runs, and ends with 0, 1 or 2. Nothing else knows these numbers.

use std::io::{self, IsTerminal};
use std::process::ExitCode;

use clap::Parser;
use context_compact::cli::{Cli, Command};
use context_compact::command::{self, Outcome, fault, mistaken};

/// musl's own allocator asks the system for memory for each size and returns it at once: that is a sixth of the
/// time for counting a small conversation, and half of the time for many files.
#[cfg(target_env = "musl")]
#[global_allocator]
static ALLOCATOR: dlmalloc::GlobalDlmalloc = dlmalloc::GlobalDlmalloc;

/// Prints what the arguments ask for (help or the version), or the error in them.
fn tell(told: &clap::Error) -> ExitCode {
    match told.print() {
        Err(error) if error.kind() != io::ErrorKind::BrokenPipe => {
            let reason = format!("could not write standard output: {error}");
            command::report("", &anyhow::Error::msg(reason));
            ExitCode::from(2)
        }
        _ => ExitCode::from(u8::try_from(told.exit_code()).unwrap_or(2)),
    }
}

fn main() -> ExitCode {
    fault::tell_panics();
    let cli = match Cli::try_parse() {
        Ok(cli) => cli,
        Err(told) => {
            let arguments: Vec<_> = std::env::args_os().collect();
            return tell(&mistaken::with_tip(told, &arguments));
        }
    };
    let (name, reading) = cli.command.reading();
    if reading.files.is_empty() && io::stdin().is_terminal() {
        command::help(name);
        return ExitCode::from(2);
    }
    let result = match &cli.command {
        Command::Count(arguments) => command::count::run(arguments),
        Command::Check(arguments) => command::check::run(arguments),
        Command::Normalize(arguments) => command::normalize::run(arguments),
        Command::Partition(arguments) => command::partition::run(arguments),
        Command::Truncate(arguments) => command::truncate::run(arguments),
        Command::Compact(arguments) => command::compact::run(arguments),
    };
    let outcome = result.unwrap_or_else(|error| {
        command::report("", &error);
        Outcome::Trouble
    });
    match outcome {
        Outcome::Yes => ExitCode::SUCCESS,
        Outcome::No => ExitCode::from(1),
        Outcome::Trouble => ExitCode::from(2),
    }
}
