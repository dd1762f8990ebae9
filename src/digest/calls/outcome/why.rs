//! Why a call failed, in one line.
//!
//! Responsible for what is told of it first: the files in conflict, the count of what went wrong, the error.

use std::borrow::Cow;

use super::error::{first_error, without_command, without_folders};
use super::failing::{conflicts, failures_counted};
use super::giving_up::last_word;
use super::lines::is_error_line;

/// What the result of a failed call says went wrong, if it does; of a command what is in conflict or counted
/// comes before the error.
pub(super) fn why(text: &str, command: Option<&str>) -> Option<String> {
    let of_command = command.is_some();
    let text: &str = &command.map_or(Cow::Borrowed(text), |it| without_command(text, it));
    conflicts(text).filter(|_| of_command).or_else(|| {
        let count = failures_counted(text).filter(|_| of_command);
        let count = count.map(|count| without_rules(&count).to_owned());
        let is_more = |error: &String| !count.as_ref().is_some_and(|count| count.contains(error));
        let vague = |line: &String| !is_error_line(line);
        let error = first_error(text);
        let gave_up = last_word(text).filter(|_| error.as_ref().is_some_and(vague));
        let error = gave_up.map(str::to_owned).or(error).filter(is_more);
        let error = error.map(|error| without_folders(&error).to_owned());
        let told: Vec<String> = count.into_iter().chain(error).collect();
        (!told.is_empty()).then(|| told.join("; "))
    })
}

/// A line without the rules that a test runner draws on both sides of it: `=== 9 passed in 1.2s ===`.
pub(super) fn without_rules(line: &str) -> &str {
    let is_ruled = line.starts_with("==") && line.ends_with("==");
    if is_ruled { line.trim_matches(['=', ' ']) } else { line }
}
