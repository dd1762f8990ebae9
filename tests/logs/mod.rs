//! The logs of a folder, for tests that read real ones.

use std::fs;
use std::path::{Path, PathBuf};

/// The JSON and JSON Lines files below a folder, sorted.
pub(crate) fn logs(folder: &Path) -> Vec<PathBuf> {
    let mut found = Vec::new();
    for entry in fs::read_dir(folder).into_iter().flatten().flatten() {
        let path = entry.path();
        if path.is_dir() {
            found.extend(logs(&path));
        } else if path.extension().is_some_and(|ending| ending == "json" || ending == "jsonl") {
            found.push(path);
        }
    }
    found.sort();
    found
}
