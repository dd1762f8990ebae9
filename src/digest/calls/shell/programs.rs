//! What is known of programs: their kinds, and which only run another one.
//!
//! Responsible for naming the programs of each kind, of which a program may have several, and for finding the one
//! that does the work behind variables, limits and hosts.

use super::{is_name, parts, unopened, words};

/// The programs of a kind, and the kinds that it includes.
pub(crate) struct Kind(&'static [&'static str], &'static [Kind]);

impl Kind {
    /// Whether a program is of this kind.
    pub(crate) fn has(&self, program: &str) -> bool {
        self.0.contains(&program) || self.1.iter().any(|kind| kind.has(program))
    }

    /// Whether a program of this kind is the last one that a command runs.
    pub(crate) fn ends(&self, command: &str) -> bool {
        parts(command).last().is_some_and(|part| self.has(part.program().0))
    }
}

// They end with status 1 if they find nothing, if they find a difference, and if a condition is false.
pub(crate) const FINDING: Kind =
    Kind(&["grep", "egrep", "fgrep", "zgrep", "rg", "ag", "pgrep"], &[]);
pub(crate) const COMPARING: Kind = Kind(&["diff", "cmp"], &[]);
pub(crate) const ASKING: Kind = Kind(&["test", "["], &[]);
/// They look for something: their failure only says that nothing is there.
pub(crate) const LOOKING: Kind = Kind(
    &["ls", "find", "which", "cat", "head", "tail", "command", "stat", "wc"],
    &[FINDING, COMPARING, ASKING],
);
/// They print what they read.
pub(crate) const SHOWING: Kind = Kind(
    &[
        "cat", "head", "tail", "less", "more", "bat", "nl", "sed", "awk", "jq", "echo", "printf",
        "journalctl", "dmesg", "zcat", "tac", "type", "Get-Content",
    ],
    &[FINDING],
);
/// They print what other machines send.
pub(crate) const FETCHING: Kind = Kind(&["curl", "wget", "http", "xh"], &[]);
pub(crate) const WATCHING: Kind = Kind(&[], &[SHOWING, LOOKING]);
// They pass on all that they read, or one end of it, or its size.
pub(crate) const PASSING: Kind = Kind(&["cat", "tee"], &[]);
pub(crate) const CLIPPING: Kind = Kind(&["head", "tail"], &[]);
pub(crate) const COUNTING: Kind = Kind(&["wc"], &[]);
/// They only prepare for the next command.
pub(crate) const PREPARING: Kind =
    Kind(&["cd", "pushd", "set", "export", "source", ".", "echo", "printf"], &[]);
/// They tell nothing of the work: they print what they are given, or wait.
pub(crate) const IDLE: Kind = Kind(&[":", "cd", "echo", "printf", "pwd", "sleep", "true"], &[]);
/// They move files, packages and commits, or ask other machines.
pub(crate) const MOVING: Kind = Kind(
    &[
        "git", "gh", "curl", "cd", "mkdir", "touch", "rm", "cp", "mv", "pip", "pip3", "kubectl",
        "docker", "for", "sleep", "brew", "apt", "tar", "zip", "createdb", "dropdb", "psql",
        "mysql", "sqlite3", "pg_dump", "mongosh",
    ],
    &[],
);
/// They only speak under their own name to complain. Those that show a text do not belong here: the text may
/// begin with any word.
pub(crate) const QUIET: Kind = Kind(
    &[
        "cd", "chgrp", "chmod", "chown", "cmp", "cp", "dd", "df", "diff", "du", "find", "gunzip",
        "gzip", "kill", "ln", "ls", "mkdir", "mv", "ping", "pkill", "rm", "rmdir", "sort", "stat",
        "tar", "touch", "tr", "tree", "uniq", "unzip", "wc", "wget", "xargs",
    ],
    &[],
);

/// The words of a command without assigned variables and without programs that only run another one.
pub(crate) fn unwrapped<'w, 'c>(mut words: &'w [&'c str]) -> &'w [&'c str] {
    while let [word, rest @ ..] = words
        && let Some(inner) = wrapped(words).or(assigns(word).then_some(rest))
    {
        words = inner;
    }
    words
}

/// The words behind a program that only runs them, and behind its options; `None` if they begin with none.
pub(crate) fn wrapped<'w, 'c>(words: &'w [&'c str]) -> Option<&'w [&'c str]> {
    match words {
        // It asks what it would run, or runs it elsewhere.
        ["command", flag, ..] if flag.starts_with('-') => None,
        [_, "-l" | "--list" | "-e" | "-v" | "--help" | "--version", ..] => None,
        [_, flag, ..] if flag.starts_with("--chdir") => None,
        [
            "env" | "sudo" | "nohup" | "time" | "timeout" | "gtimeout" | "nice" | "ionice"
            | "stdbuf" | "command" | "exec",
            rest @ ..,
        ] => Some(&rest[options(rest)..]),
        _ => None,
    }
}

/// The words that a program runs among the packages of a project, behind its flags that say nothing of them.
pub(crate) fn hosted<'w, 'c>(words: &'w [&'c str]) -> Option<&'w [&'c str]> {
    const HARMLESS: &[&str] = &[
        "--frozen", "--locked", "--no-sync", "--offline", "-q", "--quiet", "-y", "--yes",
        "--no-install",
    ];
    let (["uv" | "poetry" | "pipenv" | "pdm" | "rye", "run", inner @ ..]
    | ["bundle" | "pnpm", "exec", inner @ ..]
    | ["npx" | "bunx", inner @ ..]) = words
    else {
        return None;
    };
    let flags = inner.iter().take_while(|word| HARMLESS.contains(word)).count();
    Some(&inner[flags..])
}

/// Whether a part of a command installs packages or takes them away: `pip install lamp==2`.
pub(crate) fn installs(part: &str) -> bool {
    const PROGRAMS: &[&str] = &[
        "pip", "pip3", "uv", "poetry", "pipenv", "pdm", "conda", "npm", "pnpm", "yarn", "bun",
        "gem", "bundle", "composer", "cargo", "go", "apt", "apt-get", "apk", "dnf", "yum", "brew",
    ];
    const VERBS: &[&str] =
        &["install", "add", "uninstall", "remove", "upgrade", "update", "ci", "i", "sync", "get"];
    let words = words(part);
    let words = unwrapped(unopened(&words));
    let words = match words {
        [python, "-m", rest @ ..] if self::python(python).is_some() => rest,
        words => words,
    };
    let words =
        words.strip_prefix(&["uv"]).filter(|rest| rest.first() == Some(&"pip")).unwrap_or(words);
    matches!(words, [program, verb, ..] if PROGRAMS.contains(program) && VERBS.contains(verb))
}

/// How many words are such a program's own options, times or numbers.
fn options(words: &[&str]) -> usize {
    let is_number = |word: &str| {
        let number = word.trim_end_matches(['s', 'm', 'h', 'd']);
        !number.is_empty() && number.bytes().all(|byte| byte.is_ascii_digit() || byte == b'.')
    };
    let mut is_value = false;
    let is_own = |word: &&&str| {
        let is_own = is_value || word.starts_with('-') || is_number(word);
        // `sudo -u root`, `env -u LAMP`: the word behind the flag is its value.
        is_value = !is_value && matches!(**word, "-u" | "-g");
        is_own
    };
    words.iter().take_while(is_own).count()
}

/// Whether a word assigns a variable.
pub(crate) fn assigns(word: &str) -> bool {
    word.split_once('=').is_some_and(|(name, _)| is_name(name))
}

/// The version in the name of a Python interpreter: `3.12` of `python3.12`.
pub(crate) fn python(name: &str) -> Option<&str> {
    let version = name.strip_prefix("python")?;
    version.bytes().all(|byte| byte.is_ascii_digit() || byte == b'.').then_some(version)
}
