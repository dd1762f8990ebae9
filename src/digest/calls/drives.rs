//! One file by the several names that the shells of Windows have for it: `C:\w\a.cs`, `c:/w/a.cs`, `/c/w/a.cs`.
//!
//! Responsible for writing all of them with the drive letter. It relies on some path having a drive letter: on
//! other systems `/c/` is an ordinary folder.

use super::Call;
use crate::digest::files::deed::Touch;

/// Writes all paths of a drive alike.
pub(super) fn settle(calls: &mut [Call]) {
    let mut drives: Vec<u8> = Vec::new();
    let all = calls.iter().flat_map(|call| &call.touches).flat_map(paths);
    for letter in all.filter_map(drive) {
        if !drives.iter().any(|known| known.eq_ignore_ascii_case(&letter)) {
            drives.push(letter);
        }
    }
    if drives.is_empty() {
        return;
    }
    for touch in calls.iter_mut().flat_map(|call| &mut call.touches) {
        let Touch { path, to, .. } = touch;
        for path in [path].into_iter().chain(to) {
            if let Some(told) = on_drive(path, &drives) {
                *path = told.into();
            }
        }
    }
}

fn paths(touch: &Touch) -> impl Iterator<Item = &str> {
    [&touch.path].into_iter().chain(&touch.to).map(AsRef::as_ref)
}

/// The letter of the drive that a path begins with.
fn drive(path: &str) -> Option<u8> {
    match path.as_bytes() {
        [letter, b':', b'/', ..] if letter.is_ascii_alphabetic() => Some(*letter),
        _ => None,
    }
}

/// A path with its drive letter, in the case that was used first; `None` if it needs no change.
fn on_drive(path: &str, drives: &[u8]) -> Option<String> {
    let known = |letter: u8| drives.iter().copied().find(|it| it.eq_ignore_ascii_case(&letter));
    if let Some(letter) = drive(path) {
        let known = known(letter).filter(|known| *known != letter)?;
        return Some(format!("{}{}", char::from(known), &path[1..]));
    }
    let inner = path.strip_prefix("/mnt").unwrap_or(path);
    let [b'/', letter, b'/', ..] = inner.as_bytes() else { return None };
    let letter = known(*letter)?;
    Some(format!("{}:{}", char::from(letter), &inner[2..]))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_drive_has_one_name() {
        for (path, wanted) in [
            ("/c/w/a.cs", Some("C:/w/a.cs")),
            ("/mnt/c/w/a.cs", Some("C:/w/a.cs")),
            ("c:/w/a.cs", Some("C:/w/a.cs")),
            ("C:/w/a.cs", None),
            ("/d/w/a.cs", None),
            ("c/w/a.cs", None),
            ("/cc/w", None),
        ] {
            assert_eq!(on_drive(path, b"C").as_deref(), wanted, "{path}");
        }
    }
}
