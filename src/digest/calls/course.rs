//! Where a command goes: the folder in which it runs, and the one in which it leaves its shell.
//!
//! Responsible for which part of a command is the one that it is run for. It relies on [`Walk`] for the folder
//! of each part.

use super::aim;
use super::shell::walk::{Walk, goes, may_go};
use super::shell::{parts, ungrouped};
use crate::digest::files::paths::is_fixed;

/// The folders of a command; `None` stands for an unknown one.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Course {
    /// The folder in which its main part runs.
    pub(crate) runs_in: Option<String>,
    /// The folder in which its shell stands afterwards, if the shell keeps its folder.
    pub(crate) leaves_in: Option<String>,
    /// Whether it does nothing but change the folder.
    pub(crate) only_goes: bool,
}

impl Course {
    /// The course of a command that changes no folder.
    pub(crate) const fn stays() -> Self {
        Self { runs_in: Some(String::new()), leaves_in: Some(String::new()), only_goes: false }
    }

    /// Whether it runs in the same folder wherever its shell stands.
    pub(crate) fn is_fixed(&self) -> bool {
        self.runs_in.as_deref().is_none_or(is_fixed)
    }

    pub(crate) fn of(command: &str) -> Self {
        if !may_go(command) {
            return Self::stays();
        }
        let inside = ungrouped(command);
        let is_apart = command.trim().starts_with('(') && inside.len() < command.trim().len();
        let core = aim::core_range(inside).start;
        let mut course = Self { only_goes: true, ..Self::stays() };
        let mut walk = Walk::default();
        for part in parts(inside) {
            walk.enter(&part);
            if part.range.start <= core {
                course.runs_in = walk.at().map(str::to_owned);
            }
            course.only_goes &= goes(&part);
            walk.leave(inside, &part);
        }
        course.leaves_in =
            if is_apart { Some(String::new()) } else { walk.at().map(str::to_owned) };
        course
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_command_runs_and_leaves_its_shell_where_it_goes() {
        for (command, runs_in, leaves_in) in [
            ("make", Some(""), Some("")),
            ("cd web", Some(""), Some("web")),
            ("cd web && npm test", Some("web"), Some("web")),
            ("mkdir -p web && cd web && npm test", Some("web"), Some("web")),
            ("cd web && npm test && cd ..", Some("web"), Some("")),
            ("cd a; cd ./b/; make test", Some("a/b"), Some("a/b")),
            ("cd '/r/a b' 2>/dev/null && make", Some("/r/a b"), Some("/r/a b")),
            ("cd a || exit 1; make test", Some("a"), Some("a")),
            ("(cd web && npm test)", Some("web"), Some("")),
            ("{ cd web; npm test; }", Some("web"), Some("web")),
            ("cd web && npm run dev &\nmake test", Some(""), Some("")),
            ("cd && make test", Some("~"), Some("~")),
            ("cd ~/a && make test", Some("~/a"), Some("~/a")),
            ("cd \"$A/b\" && make test", Some("$A/b"), Some("$A/b")),
            ("cd - && make test", None, None),
            ("pushd web; make test; popd", Some("web"), Some("")),
            ("popd; make test", None, None),
            ("(cd web && npm i) && make test", Some(""), Some("")),
            ("(cd a && (cd b; ls) > log; make test)", Some("a"), Some("")),
            ("if cd web; then make test; fi", None, None),
            ("make test || cd web", Some(""), None),
            ("cd -; cd /r; make test", Some("/r"), Some("/r")),
        ] {
            let course = Course::of(command);
            let seen = (course.runs_in.as_deref(), course.leaves_in.as_deref());
            assert_eq!(seen, (runs_in, leaves_in), "{command}");
        }
        assert!(Course::of("cd web; cd ..").only_goes && !Course::of("cd web && ls").only_goes);
    }
}
