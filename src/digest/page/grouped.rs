//! Lines of the ledger for files of which nothing else is told.
//!
//! Responsible for putting files together to which the same was done in the same folder.

use std::fmt::Write;

use super::Page;

/// How many names a line of the ledger has at most. Measured: readers no longer tell more names apart.
const NAMES_IN_LINE: usize = 8;
/// The greatest length of a line of the ledger, in bytes.
const LINE_LENGTH: usize = 150;

/// Returns the lines for these files: what was done, in which folder, to which files.
pub(crate) fn grouped_files(page: &Page<'_, '_>, files: &[u32]) -> Vec<String> {
    let ledger = &page.ledger;
    let mut groups: Vec<(String, Vec<&str>)> = Vec::new();
    let mut moved = Vec::new();
    for &number in files {
        let file = &ledger.files[number as usize];
        let deed = file.deed();
        if file.from.is_some() || file.unsure.is_some() || file.doubted || file.stashed {
            moved.push(file.heading());
            continue;
        }
        let mut folder = folder_of(&file.path);
        if page.survey.index.is_ambiguous(file.path[folder.len()..].trim_start_matches('/')) {
            folder = folder_of(folder);
        }
        let below = file.path[folder.len()..].strip_prefix('/');
        let name = below.filter(|_| !folder.is_empty()).unwrap_or(&file.path);
        let key = if folder.is_empty() { deed.to_owned() } else { format!("{deed} in {folder}") };
        match groups.iter_mut().find(|(known, _)| *known == key) {
            Some((_, names)) => names.push(name),
            None => groups.push((key, vec![name])),
        }
    }
    let mut lines = moved;
    for (key, names) in groups {
        let mut line = String::new();
        let mut count = 0;
        for name in names {
            if count == NAMES_IN_LINE || line.len() + name.len() > LINE_LENGTH {
                lines.push(std::mem::take(&mut line));
                count = 0;
            }
            if line.is_empty() {
                let _ = write!(line, "- {key}: {name}");
            } else {
                let _ = write!(line, ", {name}");
            }
            count += 1;
        }
        lines.push(line);
    }
    lines
}

/// The folder of a path; empty for a file in the root.
fn folder_of(path: &str) -> &str {
    path.rsplit_once('/').map_or("", |(folder, _)| folder)
}
