//! `ctx count`: tokens, and where they are.

use std::io::Write;

use crate::cli::Count;
use crate::command::{Outcome, Shell, meter, read_each};
use crate::output::Stdout;

/// Prints `TOKENS FILE` for each input, and a total for several.
///
/// # Errors
///
/// The model is unknown, or standard output can't be written.
pub fn run(arguments: &Count) -> anyhow::Result<Outcome> {
    let (meter, _) = meter(&arguments.counting)?;
    let mut shell = Shell::default();
    let mut out = Stdout::lock();
    let mut lines: Vec<(usize, String)> = Vec::new();
    let tokens = std::cell::Cell::new(0);
    read_each(
        &arguments.reading,
        &mut shell,
        &mut |visit, _| {
            tokens.set(tokens.get() + meter.count(visit.conversation).tokens());
            Ok(())
        },
        |name, _| {
            lines.push((tokens.take(), name.to_string()));
            Ok(())
        },
    );
    let total: usize = lines.iter().map(|(tokens, _)| tokens).sum();
    if lines.len() > 1 {
        lines.push((total, "total".to_owned()));
    }
    let width = total.to_string().len();
    for (tokens, name) in &lines {
        match name.as_str() {
            "<stdin>" => writeln!(out, "{tokens}")?,
            name => writeln!(out, "{tokens:>width$} {name}")?,
        }
    }
    out.flush()?;
    Ok(shell.outcome())
}
