//! Where commands run that run in several folders.
//!
//! Responsible for telling a check of one folder from the same words in another. It relies on what calls
//! say. Where one says nothing, its shell may still stand where an earlier call went.

use std::collections::HashMap;

use super::{Call, commands, shell};

/// Tells of each command that runs in more than one folder in which it does, seen from the `session`'s or
/// from the nearest above all.
pub(super) fn tell_apart(session: Option<&str>, calls: &mut [Call]) {
    let home = session.map(str::to_owned).or_else(|| common(calls)).unwrap_or_default();
    let home = home.trim_end_matches('/');
    let mut same: HashMap<String, Vec<usize>> = HashMap::new();
    for (at, call) in calls.iter().enumerate().filter(|(_, call)| call.command.is_some()) {
        let command = call.command.as_deref().unwrap_or_default();
        same.entry(commands::identity(command)).or_default().push(at);
    }
    let mut within: Vec<Box<str>> = vec![Box::default(); calls.len()];
    for runs in same.values() {
        let folder = |&at: &usize| below(home, &calls[at].within);
        let Some(first) = runs.iter().find_map(folder) else { continue };
        if runs.iter().filter_map(folder).all(|folder| folder == first) {
            continue;
        }
        let mut last = first;
        for at in runs {
            last = folder(at).unwrap_or(last);
            within[*at] = last.into();
        }
    }
    for (call, within) in calls.iter_mut().zip(within) {
        // What its call says beside a command is told with it.
        if let Some(command) = &mut call.command
            && !within.is_empty()
            && below(home, &call.within).is_some()
            && shell::entered(command).is_none()
        {
            let quote = if within.contains(char::is_whitespace) { "'" } else { "" };
            *command = format!("cd {quote}{within}{quote} && {command}").into();
        }
        call.within = within;
    }
}

/// The nearest folder above all that calls name, unless that is too near the root to be that of the work.
fn common(calls: &[Call]) -> Option<String> {
    let mut whole = calls.iter().map(|call| &*call.within).filter(|folder| folder.starts_with('/'));
    let first = whole.next()?.trim_end_matches('/');
    let common = whole.fold(first, |common, folder| {
        let is_in = |above: &&str| {
            folder.strip_prefix(above).is_some_and(|rest| rest.is_empty() || rest.starts_with('/'))
        };
        std::iter::successors(Some(common), |folder| Some(folder.rsplit_once('/')?.0))
            .find(is_in)
            .unwrap_or("")
    });
    (common.matches('/').count() > 1).then(|| common.to_owned())
}

/// A folder as it is seen from another one; none where a call says nothing, or goes up from wherever its
/// shell stands.
fn below<'f>(home: &str, folder: &'f str) -> Option<&'f str> {
    let folder = folder.trim_end_matches('/');
    let inside = folder.strip_prefix(home).filter(|_| !home.is_empty());
    match inside.map(|rest| rest.strip_prefix('/').ok_or(rest)) {
        Some(Err("")) => return Some(""),
        Some(Ok(rest)) => return Some(rest),
        _ => {}
    }
    let folder = folder.strip_prefix("./").unwrap_or(folder);
    (!folder.is_empty() && !folder.starts_with('.')).then_some(folder)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_folder_is_told_from_that_of_the_work() {
        for (folder, wanted) in [
            ("/w/app", Some("")),
            ("/w/app/", Some("")),
            ("/w/app/web", Some("web")),
            ("web/", Some("web")),
            ("./web", Some("web")),
            (".", None),
            ("..", None),
            ("/w/apple", Some("/w/apple")),
            ("", None),
        ] {
            assert_eq!(below("/w/app", folder), wanted, "{folder}");
        }
        assert_eq!(below("", "/w"), Some("/w"));
    }
}
