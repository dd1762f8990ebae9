//! Keeping inputs and outputs apart.
//!
//! Responsible for recognising that two paths lead to the same file, and for refusing outputs that would
//! replace an input, before anything is done.

use std::path::Path;
use std::{fs, io};

use super::{Trouble, names, rewrite};
use crate::cli::{Reading, Writing};
use crate::input::Name;
use crate::output::shown;

/// Whether two paths lead to the same file.
pub(super) fn is_same_file(one: &Path, other: &Path) -> bool {
    let [here, there] = [one, other].map(|path| fs::canonicalize(path).ok());
    one == other || here.is_some() && here == there
}

/// Whether the result replaces the input.
pub fn replaces(writing: &Writing, input: &Name) -> bool {
    let is_input = |path: &Path| input.path().is_some_and(|input| is_same_file(input, path));
    writing.in_place || writing.output.as_deref().is_some_and(is_input)
}

/// Refuses a report that would replace an input or the result, or that can't be written to its place, before
/// there is anything to report.
///
/// # Errors
///
/// The report would replace one of them, or has no place.
pub fn keep_report_apart(
    report: Option<&Path>,
    reading: &Reading,
    writing: &Writing,
) -> anyhow::Result<()> {
    let Some(report) = report.filter(|path| *path != Path::new("-")) else { return Ok(()) };
    let is_report = |path: &Path| is_same_file(path, report);
    let names = names(reading);
    // What standard input is redirected from, where the system names it.
    let piped = Path::new("/dev/stdin");
    let piped = Some(piped).filter(|piped| names.contains(&Name::Stdin) && piped.is_file());
    let inputs = names.iter().filter_map(Name::path).chain(piped);
    let mut taken = inputs.chain(writing.output.as_deref());
    if taken.any(is_report) {
        let reason = format!("{} would hold a conversation and the report", shown(report));
        return Err(Trouble::new(reason, "name another file for --report").into());
    }
    let directory = report.parent().filter(|path| !path.as_os_str().is_empty());
    let trouble = match fs::metadata(report) {
        Ok(found) => found.is_dir().then(|| io::ErrorKind::IsADirectory.into()),
        Err(error) if error.kind() != io::ErrorKind::NotFound => Some(error),
        Err(_) => directory.and_then(|directory| fs::metadata(directory).err()),
    };
    trouble.map_or(Ok(()), |error| Err(rewrite::could_not_write(report, &error)))
}

/// Refuses a result or report that would replace another file that is read; each path comes with its flag.
///
/// # Errors
///
/// One of them would replace a file that is read.
pub fn keep_read_files(
    written: &[(&str, Option<&Path>)],
    read: &[(&str, Option<&Path>)],
) -> anyhow::Result<()> {
    // What is written to `-` is an output, and what is read from it is an input.
    let is_file = |path: &&Path| *path != Path::new("-");
    for (flag, path) in
        written.iter().filter_map(|(flag, path)| Some((flag, path.filter(is_file)?)))
    {
        let is_it = |one: Option<&Path>| one.is_some_and(|one| is_same_file(one, path));
        if let Some((reader, _)) = read.iter().find(|(_, one)| is_it(*one)) {
            let reason = format!("{} is what {reader} reads", shown(path));
            return Err(Trouble::new(reason, format!("name another file for {flag}")).into());
        }
    }
    Ok(())
}
