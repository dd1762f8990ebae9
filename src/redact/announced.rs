//! What says that a secret follows: its name, or the flag of a program.
//!
//! Responsible for what the next word may be; whether it is one, its own shape says too.

/// Names of what must not be said.
const NAMES: &[&str] = &[
    "password", "passwd", "pwd", "secret", "secret_key", "api_key", "apikey", "api-key",
    "access_key", "token", "authorization", "bearer", "private_key", "client_secret", "credential",
    "passphrase", "_pass", "passwort", "kennwort", "contraseña", "senha", "accountkey",
    "account_key",
];

/// Names behind which, as a flag or a variable, any word is a secret.
const PASSWORDS: &[&str] = &["password", "passwd", "passphrase", "secret", "secret_key", "_pass"];

/// What the next word may be.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Next {
    Anything,
    /// A secret, if it is no plain word.
    Named,
    /// A secret, whatever it looks like.
    Password,
    /// `user:password`.
    Login,
}

/// A program whose flag for a secret is a letter.
pub(super) struct Program {
    pub(super) names: &'static [&'static str],
    flags: &'static [&'static str],
    next: Next,
    /// Whether the secret has to stand in the flag's own word.
    is_joined: bool,
}

pub(super) const PROGRAMS: &[Program] = &[
    Program {
        names: &["curl", "wget"],
        flags: &["-u", "-U", "--user", "--proxy-user"],
        next: Next::Login,
        is_joined: false,
    },
    Program {
        names: &["mysql", "mysqldump", "mysqladmin", "mysqlimport", "mariadb", "mariadb-dump"],
        flags: &["-p"],
        next: Next::Password,
        is_joined: true,
    },
    // As in `docker login -u me -p …`.
    Program {
        names: &["sshpass", "login"],
        flags: &["-p"],
        next: Next::Password,
        is_joined: false,
    },
    Program { names: &["redis-cli"], flags: &["-a"], next: Next::Password, is_joined: false },
];

impl Program {
    /// The length of the flag that a word is or begins with, and what follows it.
    pub(super) fn flag(&self, word: &str, tail: &str) -> Option<(usize, Next)> {
        // Letters may stand together: `-su` is `-s -u`.
        let is_bundle = |flag: &str| {
            let letters = word.strip_prefix('-')?;
            let is_one = flag.len() == 2 && word.ends_with(&flag[1..]);
            (is_one && letters.bytes().all(|byte| byte.is_ascii_alphabetic())).then_some(word.len())
        };
        let joined =
            |flag: &str| (!flag.starts_with("--") && word.starts_with(flag)).then_some(flag.len());
        let whole = |flag: &str| (word == flag).then_some(word.len());
        let length = self.flags.iter().find_map(|flag| {
            whole(flag)
                .or_else(|| is_bundle(flag).filter(|_| !self.is_joined))
                .or_else(|| joined(flag))
        })?;
        let stands_alone = length == word.len() && !tail.starts_with(['"', '\'', '\\']);
        Some((length, if stands_alone && self.is_joined { Next::Anything } else { self.next }))
    }
}

/// What may follow a word.
pub(super) fn next_behind(word: &str, tail: &str, before: Next) -> Next {
    let low = word.to_lowercase();
    let is_one_of = |names: &[&str]| names.iter().any(|name| low.ends_with(name));
    let is_flag = word.starts_with('-') && tail.starts_with(['=', ' ']);
    let is_variable = is_constant(word) && tail.starts_with('=');
    if (is_flag || is_variable) && is_one_of(PASSWORDS) {
        Next::Password
    } else if is_one_of(NAMES) && tail.starts_with([':', '=', '"', '\'', '\\', ' ', '>']) {
        Next::Named
    } else if is_scheme(word) {
        before
    } else {
        Next::Anything
    }
}

/// Whether a member of this name holds a secret.
pub(super) fn is_name(name: &str) -> bool {
    next_behind(name, ":", Next::Anything) != Next::Anything
}

pub(super) fn is_scheme(word: &str) -> bool {
    ["is", "basic", "bearer"].iter().any(|scheme| word.eq_ignore_ascii_case(scheme))
}

/// Whether a word is written as the names of environment variables are.
pub(super) fn is_constant(word: &str) -> bool {
    let is_of_name = |byte: u8| byte.is_ascii_uppercase() || byte.is_ascii_digit() || byte == b'_';
    !word.is_empty() && word.bytes().all(is_of_name)
}
