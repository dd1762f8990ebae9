//! Where a session stands, as far as it is known.
//!
//! Responsible for paths as they are seen from the folder of a command. If nobody says where the session began,
//! no folder is guessed: in a repository of many projects each may have a file of the same name.

use super::folder::Folder;
use crate::digest::files::paths::{is_absolute, joined, within};

/// The folder in which the session began, empty if it is unknown.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Ground<'g> {
    pub(crate) home: &'g str,
}

impl Ground<'_> {
    /// The path of a folder from the root on; `None` if it is unknown.
    fn whole(&self, folder: &Folder) -> Option<String> {
        Some(joined(self.home, folder.path()?)).filter(|path| path.len() > 1 && is_absolute(path))
    }

    /// A path as it is seen from the folder of a command.
    pub(super) fn seen_from(&self, folder: &Folder, path: &str) -> String {
        let path = path.trim_end_matches('/');
        let path = path.strip_prefix("$PWD/").unwrap_or(path);
        let path = path.strip_prefix("./").unwrap_or(path);
        let whole = self.whole(folder).filter(|_| is_absolute(path));
        let inside = whole.as_deref().and_then(|whole| within(path, whole)?.strip_prefix('/'));
        inside.unwrap_or(path).to_owned()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_path_is_seen_from_where_a_command_runs() {
        let ground = Ground { home: "/w/app" };
        for (path, wanted) in
            [("/w/app/a/b.py", "a/b.py"), ("./a/", "a"), ("$PWD/a", "a"), ("/w/b.py", "/w/b.py")]
        {
            assert_eq!(ground.seen_from(Folder::HERE, path), wanted);
        }
        assert_eq!(ground.seen_from(&Folder::at("web"), "/w/app/web/a.js"), "a.js");
        assert_eq!(Ground::default().seen_from(Folder::HERE, "/w/a.py"), "/w/a.py");
    }
}
