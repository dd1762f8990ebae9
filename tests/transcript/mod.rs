//! Transcripts: commands in ```` ```console ```` blocks of a text, and what they print.
//!
//! A line that begins with `$ ` is run by a shell, `> ` continues it, `? N` below it is its status if
//! that is not 0, and the lines below are what it prints on both streams.

use std::fmt::Write as _;

/// The status of a command, if that is to be shown, and what it prints; nothing where it can't be run
/// here, and what stands below it stays.
pub(crate) type Answer = Option<(Option<i32>, String)>;

/// Runs each command of a text and answers the text with what is printed now.
pub(crate) fn replay(text: &str, run: &mut dyn FnMut(&str) -> Answer) -> String {
    let mut out = String::new();
    let mut is_block = false;
    let mut lines = text.lines().peekable();
    while let Some(line) = lines.next() {
        let _ = writeln!(out, "{line}");
        if line.starts_with("```") {
            is_block = line == "```console";
        }
        let Some(first) = line.strip_prefix("$ ").filter(|_| is_block) else { continue };
        let mut command = first.to_owned();
        while let Some(more) = lines.next_if(|line| line.starts_with("> ")) {
            let _ = writeln!(out, "{more}");
            let _ = write!(command, "\n{}", &more[2..]);
        }
        let Some((status, printed)) = run(&command) else { continue };
        if let Some(status) = status.filter(|status| *status != 0) {
            let _ = writeln!(out, "? {status}");
        }
        out.push_str(&printed);
        if !printed.is_empty() && !printed.ends_with('\n') {
            out.push('\n');
        }
        let mut has_gap = false;
        while let Some(old) = lines.next_if(|line| *line != "```" && !line.starts_with("$ ")) {
            has_gap = old.is_empty();
        }
        if has_gap {
            out.push('\n');
        }
    }
    out
}
