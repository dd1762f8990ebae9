//! What a shell command is run for, where it runs, and what it does to files.
//!
//! Responsible for where a command runs and for its kind: whether it shows, looks or prepares. The submodules
//! know the kinds of programs, the files that a command touches, and where a command and a word end.

mod effects;
pub(crate) mod git;
mod programs;
mod scripts;
mod split;
mod turns;
pub(crate) mod walk;

use crate::begins::begins_with_any;
use crate::digest::files::paths;

pub(crate) use effects::{place_patch, ran_before, stops_on_windows, touches};
pub(crate) use programs::{
    ASKING, CLIPPING, COMPARING, COUNTING, FETCHING, FINDING, IDLE, LOOKING, MOVING, PASSING,
    PREPARING, QUIET, SHOWING, WATCHING, assigns, hosted, installs, python, unwrapped, wrapped,
};
pub(crate) use split::{Joint, Part, bare, in_background, parts, redirection, undirected, words};

/// The words of a command behind those of the shell that may precede it.
pub(crate) fn unopened<'w, 'c>(words: &'w [&'c str]) -> &'w [&'c str] {
    const OPENING: &[&str] = &["(", "{", "if", "then", "else", "do", "while", "until", "!"];
    &words[words.iter().take_while(|word| OPENING.contains(word)).count()..]
}

/// A command without the brackets around all of it: `(cd a && make)`, `{ cd a; make; }`.
pub(super) fn ungrouped(command: &str) -> &str {
    let command = command.trim();
    let inside = |open: &str, close: char| {
        let inside = command.strip_prefix(open)?.strip_suffix(close)?;
        (!inside.contains(close)).then_some(inside.trim())
    };
    inside("(", ')').or_else(|| inside("{ ", '}')).unwrap_or(command)
}

/// Verbs of git that only show something.
const GIT_SHOWS: &[&str] =
    &["status", "log", "diff", "show", "blame", "ls-files", "rev-parse", "grep", "remote"];

/// Whether a command only shows or looks for something.
pub fn does_nothing(command: &str) -> bool {
    let writes = command.replace("2>&1", "").replace("2>/dev/null", "").contains('>')
        || ["sed -i", " --in-place", " -delete", " -exec"]
            .iter()
            .any(|flag| command.contains(flag));
    let looks = |part: &Part<'_>| match part.program() {
        ("git", "remote") => {
            let words = words(part.text);
            let behind = words.iter().skip_while(|word| **word != "remote").nth(1);
            behind.is_none_or(|word| matches!(*word, "-v" | "show" | "get-url"))
        }
        ("git", first) => GIT_SHOWS.contains(&first),
        ("cd" | "", _) => true,
        (name, _) => WATCHING.has(name),
    };
    !writes && parts(command).iter().all(looks)
}

/// Whether a command commits or stages with git: `None` if not, else whether it took everything that was
/// changed.
pub(crate) fn keeps(command: &str) -> Option<bool> {
    memchr::memmem::find(command.as_bytes(), b"git ")?;
    git::keeps(&commands(command))
}

/// What is told of a search that finds nothing.
pub(crate) const NOTHING_FOUND: &str = "nothing found";

/// Whether a search in a command prints none of its matches: it is quiet, or lists the files without a match.
pub(crate) fn finds_silently(command: &str) -> bool {
    let is_silent = |word: &str| match word.strip_prefix("--") {
        Some(name) => matches!(name, "quiet" | "silent" | "files-without-match"),
        None => word.starts_with('-') && word.contains(['q', 'L']),
    };
    parts(command)
        .iter()
        .any(|part| FINDING.has(part.program().0) && words(part.text).into_iter().any(is_silent))
}

/// The meaning of a command's status 1 if that is an answer and no failure; `printed` is its first line of
/// output.
pub(crate) fn answer_of_status(command: &str, printed: &str) -> Option<&'static str> {
    let parts = parts(command);
    let (last, before) = parts.split_last()?;
    // The status may belong to a command before `&&`, which had to succeed.
    let is_its =
        before.iter().all(|part| part.joint != Joint::And || PREPARING.has(part.program().0));
    let differs = printed.starts_with(['<', '>', '-', '@'])
        || printed.starts_with(|c: char| c.is_ascii_digit())
        || begins_with_any(printed, &["Files ", "Only in ", "diff "])
        || printed.contains(" differ");
    let (name, verb) = last.program();
    let is_silent = is_its && printed.is_empty();
    let finds = FINDING.has(name) || (name, verb) == ("git", "grep");
    let compares = || COMPARING.has(name) || git::compares(last.text);
    match name {
        _ if finds && is_silent => Some("nothing found (exit 1)"),
        _ if ASKING.has(name) && is_silent => Some("not so (exit 1)"),
        _ if (differs || is_silent) && compares() => Some("not the same (exit 1)"),
        _ => None,
    }
}

impl<'c> Part<'c> {
    /// The program that the part runs, and its first argument; for git its verb, wherever git is told to work.
    /// A part that only assigns variables is its own program.
    pub(crate) fn program(&self) -> (&'c str, &'c str) {
        let words: Vec<&str> = words(self.text).into_iter().map(unquoted).collect();
        let own = unwrapped(&words);
        let own = if own.is_empty() { &words } else { own };
        let verb = git::from_verb(own).and_then(<[_]>::first).or(own.get(1));
        (paths::name(own.first().unwrap_or(&"")), verb.unwrap_or(&""))
    }
}

/// A command without a final `| head` or `| tail`, unless that writes to a file or text follows it.
pub(crate) fn unshown(command: &str) -> &str {
    let command = command.trim_end();
    let parts = parts(command);
    let shows = |pair: &&[Part<'_>]| {
        let text = pair[1].text;
        pair[0].joint == Joint::Pipe
            && CLIPPING.has(pair[1].program().0)
            && redirection(text).is_none()
    };
    let is_last = parts.last().is_some_and(|last| last.range.end == command.len());
    let ends = if is_last { parts.windows(2).rev().take_while(shows).count() } else { 0 };
    let kept = parts.len().checked_sub(ends + 1).map(|at| parts[at].range.end);
    kept.filter(|_| ends > 0).map_or(command, |end| &command[..end])
}

/// Whether a command prints data that may read like a failure: a file, a log, the matches of a search.
pub(crate) fn shows_data(command: &str) -> bool {
    // A program that reads a pipe filters what another one prints, unless it is given the names of files.
    let shows = |word: &&str| SHOWING.has(paths::name(unquoted(word)));
    let runs_shown = |word: &str| unquoted(word).split(' ').next().is_some_and(|it| shows(&it));
    let mut is_fed = false;
    parts(command).iter().any(|part| {
        let is_first = !is_fed;
        is_fed = part.joint == Joint::Pipe;
        let program = part.program();
        (is_first || program.0 == "xargs")
            && !is_sent_away(part.text)
            && match program {
                ("find" | "xargs" | "ssh", _) => words(part.text).into_iter().any(runs_shown),
                ("docker" | "podman" | "kubectl", verb) => verb == "logs",
                ("git", verb) => verb == "grep",
                _ => unwrapped(unopened(&words(part.text))).first().is_some_and(shows),
            }
    })
}

/// Whether a command prints what another machine sends.
pub(crate) fn fetches(command: &str) -> bool {
    parts(command).iter().any(|part| FETCHING.has(part.program().0))
}

/// Whether the output of a part goes to a file.
fn is_sent_away(part: &str) -> bool {
    let is_file = |word: &str| word.starts_with('>') && !word.starts_with(">&");
    words(part).into_iter().any(is_file)
}

/// Whether the last output of a command is such data.
pub(crate) fn ends_showing(command: &str) -> bool {
    let parts = parts(command);
    let is_fed = |at: usize| at > 0 && parts[at - 1].joint == Joint::Pipe;
    let last = (0..parts.len()).rfind(|&at| !is_fed(at));
    last.is_some_and(|last| shows_data(&command[parts[last].range.start..]))
}

/// Whether a command runs nothing that tells of the work: it prints something, or waits.
pub(crate) fn runs_nothing(command: &str) -> bool {
    parts(command).iter().all(|part| IDLE.has(part.program().0))
}

/// A command from the first part that runs neither the program `name` nor something that prepares for it.
pub(crate) fn behind<'c>(command: &'c str, name: &str) -> Option<&'c str> {
    let parts = parts(command);
    let is_other = |part: &&Part<'_>| {
        let (program, _) = part.program();
        !program.starts_with(name) && !PREPARING.has(program)
    };
    parts.iter().find(is_other).map(|part| &command[part.range.start..])
}

/// The simple commands of a command line.
pub(crate) fn commands(command: &str) -> Vec<&str> {
    parts(command).into_iter().map(|part| part.text).collect()
}

/// Whether a letter may stand in the name of a variable.
pub(crate) fn is_in_name(c: char) -> bool {
    c.is_ascii_alphanumeric() || c == '_'
}

/// Whether a word is the name of a variable.
pub(crate) fn is_name(word: &str) -> bool {
    word.chars().all(is_in_name) && word.starts_with(|c: char| !c.is_ascii_digit())
}

pub(crate) fn unquoted(word: &str) -> &str {
    word.trim_matches(['"', '\''])
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn status_one_is_an_answer_of_who_asks_alone() {
        for (command, printed, wanted) in [
            ("grep x a.rs", "", Some("nothing found (exit 1)")),
            ("cd src && grep x a.rs", "", Some("nothing found (exit 1)")),
            ("cat a.rs | timeout 9 grep x", "", Some("nothing found (exit 1)")),
            ("npm test && grep x a.rs", "", None),
            ("[ -f x ]", "", Some("not so (exit 1)")),
            ("diff a b", "1c1", Some("not the same (exit 1)")),
            ("git diff --no-index --check /dev/null a", "", Some("not the same (exit 1)")),
            ("git diff --no-index --check /dev/null a", "a:3: trailing whitespace.", None),
            ("git -C web diff --exit-code", "diff --git a/x b/x", Some("not the same (exit 1)")),
            ("git diff a b", "", None),
            ("git grep foo", "", Some("nothing found (exit 1)")),
            ("make && diff a b", "3,4d2", Some("not the same (exit 1)")),
            ("make && diff a b", "make: *** [all] Error 1", None),
            ("diff <(a) <(b)", "bash: a: command not found", None),
        ] {
            assert_eq!(answer_of_status(command, printed), wanted, "{command}");
        }
    }

    #[test]
    fn knows_what_installs() {
        for part in
            ["pip install a==2", "python3 -m pip install -r a.txt", "uv pip install a", "npm ci"]
        {
            assert!(installs(part), "{part}");
        }
        for part in ["npm test", "go build", "apt list", "make install"] {
            assert!(!installs(part), "{part}");
        }
    }

    #[test]
    fn what_adds_a_remote_does_something() {
        assert!(does_nothing("git remote -v") && does_nothing("git remote"));
        assert!(!does_nothing("git remote add origin https://x.org/a"));
        assert!(!does_nothing("sed --in-place s/a/b/ f"));
    }

    #[test]
    fn knows_which_commands_show_data() {
        for command in ["cat build.log", "cd x && grep -n fatal: src", "docker logs web | tail"] {
            assert!(shows_data(command), "{command}");
        }
        for command in ["make 2>&1 | tail -5", "git status", "cd x && npm run build"] {
            assert!(!shows_data(command), "{command}");
        }
        assert!(ends_showing("make; cat a.log | tail") && !ends_showing("echo a; make | tail"));
    }

    #[test]
    fn what_is_quoted_parts_nothing() {
        let command = "cd a && grep -n \"a\\|b\" f | head";
        assert!(LOOKING.ends(command) && shows_data(command));
        assert!(LOOKING.ends("cd a && grep -n 'a|b' f"));
    }
}
