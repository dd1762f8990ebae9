//! Words that announce a secret: a name for it, or the flag of a program.
//!
//! Responsible for what the next word may be; whether it is a secret also depends on its own form.

use super::cookies::is_of_cookies;

/// Names of secrets.
const NAMES: &[&str] = &[
    "password", "passwd", "pwd", "secret", "secret_key", "secret-key", "api_key", "apikey",
    "api-key", "access_key", "access-key", "token", "authorization", "bearer", "private_key",
    "private-key", "client_secret", "credential", "passphrase", "_pass", "passwort", "kennwort",
    "contraseña", "senha", "accountkey", "account_key", "subscription_key", "subscription-key",
    "functions-key", "auth_key", "auth-key", "signing_key", "signing-key", "encryption_key",
    "encryption-key",
];

/// Words before `key` that make it a secret, and words that make it none.
const SECRET_KEYS: &[&str] = &[
    "access", "account", "api", "auth", "encryption", "master", "private", "secret", "signing",
    "subscription",
];
const OPEN_KEYS: &[&str] = &[
    "cache", "foreign", "host", "idempotency", "object", "partition", "primary", "public", "sort",
];

/// Names behind which any word is a secret, if they are a flag or a variable.
const PASSWORDS: &[&str] = &["password", "passwd", "passphrase", "secret", "secret_key", "_pass"];

/// Names of secrets that are set to a value.
const SETTABLE: &[&str] = &["password", "passwd", "passphrase", "passwort", "pwd"];

/// Names of passwords in writing without blanks, and the words between such a name and its value.
const UNSPACED: &[&str] =
    &["密码", "密碼", "口令", "密钥", "密鑰", "パスワード", "暗証番号", "비밀번호"];
const IS: &[&str] = &["是", "为", "為", "设为", "設為", "は", "는", "은"];

/// What the next word may be.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Next {
    Anything,
    /// A secret, unless it is a plain word.
    Named,
    /// A secret, unless it is a plain word, or behind `to` a secret if it is unlike any word.
    Settable,
    /// A secret, whatever it looks like.
    Password,
    /// A secret, if it is a key of random characters.
    Key,
    /// A login: `user:password`.
    Login,
    /// Cookies: `name=value; name=value`.
    Cookies,
}

/// A program with a one-letter flag for a secret.
pub(super) struct Program {
    pub(super) names: &'static [&'static str],
    flags: &'static [&'static str],
    next: Next,
    /// Whether the secret has to follow the flag within the same word.
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
    /// The length of the flag that a word is or begins with, and what may follow it.
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

/// What may follow `word`, given the text around it.
pub(super) fn next_behind(word: &str, tail: &str, said: &str, before: Next) -> Next {
    let is_flag = word.starts_with('-') && tail.starts_with(['=', ' ']);
    let is_variable = is_constant(word) && tail.starts_with('=');
    if (is_flag || is_variable) && ends_with_one_of(word, PASSWORDS) {
        Next::Password
    } else if tail.starts_with([':', '=', '"', '\'', '\\', ' ', '>']) && is_named(word, said) {
        match () {
            () if ends_with_one_of(word, SETTABLE) => Next::Settable,
            // Behind `private key`, the name of a file or an algorithm may follow.
            () if !ends_with_one_of(word, NAMES) && !is_given(tail) => Next::Key,
            () => Next::Named,
        }
    } else if word.eq_ignore_ascii_case("key") && is_given(tail) && !is_open_key(said) {
        Next::Key
    } else if is_of_cookies(word, tail) {
        Next::Cookies
    } else if is_scheme(word) || word == "to" && before == Next::Settable {
        before
    } else {
        Next::Anything
    }
}

/// Where the value begins that a password has in a word which blanks do not part: `密码是…`.
pub(super) fn value_within(word: &str) -> Option<usize> {
    if word.is_ascii() {
        return None;
    }
    let ends = UNSPACED.iter().filter_map(|name| Some(word.rfind(name)? + name.len()));
    let end = ends.max()?;
    let is = IS.iter().find(|is| word[end..].starts_with(**is));
    Some(end + is.map_or(0, |is| is.len()))
}

/// Whether a word is the name of a secret, or the last word of one: `API key`.
fn is_named(word: &str, said: &str) -> bool {
    let is_key = || ["key", "keys"].iter().any(|key| word.eq_ignore_ascii_case(key));
    ends_with_one_of(word, NAMES) || is_key() && is_last_of(said, SECRET_KEYS)
}

fn is_open_key(said: &str) -> bool {
    is_last_of(said, OPEN_KEYS)
}

/// Whether the text said so far ends with one of these words.
fn is_last_of(said: &str, words: &[&str]) -> bool {
    let said = said.strip_suffix([' ', '-']).unwrap_or_default();
    let last = said.rsplit(|c: char| !c.is_alphanumeric()).next().unwrap_or_default();
    words.iter().any(|word| last.eq_ignore_ascii_case(word))
}

/// Whether a separator or `is` shows that the text behind a name gives its value.
fn is_given(tail: &str) -> bool {
    let value = tail.trim_start_matches(['"', '\'', '`', '\\', '*']);
    value.trim_start_matches(' ').starts_with([':', '=']) || value.starts_with(" is ")
}

/// Whether a word ends with one of these names, which are in lower case.
fn ends_with_one_of(word: &str, names: &[&str]) -> bool {
    let ends = |word: &str, name: &str| {
        let start = word.len().checked_sub(name.len());
        start.is_some_and(|at| word.as_bytes()[at..].eq_ignore_ascii_case(name.as_bytes()))
    };
    if let Some(last) = word.bytes().last().filter(|_| word.is_ascii()) {
        // Most words end with other letters.
        let last = last.to_ascii_lowercase();
        let mut alike = names.iter().filter(|name| name.as_bytes().last() == Some(&last));
        return alike.any(|name| ends(word, name));
    }
    let low = word.to_lowercase();
    names.iter().any(|name| ends(&low, name))
}

/// Whether a member of this name holds a secret.
pub(super) fn is_name(name: &str) -> bool {
    next_behind(name, ":", "", Next::Anything) != Next::Anything
}

pub(super) fn is_scheme(word: &str) -> bool {
    ["is", "was", "basic", "bearer"].iter().any(|scheme| word.eq_ignore_ascii_case(scheme))
}

/// Whether a word is written like the name of an environment variable.
pub(super) fn is_constant(word: &str) -> bool {
    let is_of_name = |byte: u8| byte.is_ascii_uppercase() || byte.is_ascii_digit() || byte == b'_';
    !word.is_empty() && word.bytes().all(is_of_name)
}

#[cfg(test)]
mod tests {
    use super::super::MASK;
    use super::super::tests::{assert_kept, assert_masked};

    #[test]
    fn masks_keys_whose_name_is_two_words() {
        let key = "a8f5f167f44f4964e6c998dee827110c";
        for said in [
            "my api key: {}", "API key is {}", "the API key {} works", "access key {}",
            "Secret Key = \"{}\"", "key: {}", "the key is {}", "\"key\": \"{}\"",
            "Ocp-Apim-Subscription-Key: {}", "x-functions-key: {}",
        ] {
            assert_masked(&[(&said.replace("{}", key), &said.replace("{}", MASK))]);
        }
        let commit = "9c1b2a3d4e5f60718293a4b5c6d7e8f901a2b3c4";
        assert_kept(&[
            "the keyboard: a8f5f167f44f4964e6c998dee827110c",
            "primary key id_1234",
            "key: \"compile_flags2\"",
            "key: v1-deps-abc123",
            "key: Linux-node-9c1b2a3d4e5f60718293a4b5c6d7e8f9",
            "cache key: a8f5f167f44f4964e6c998dee827110c",
            "public key: a8f5f167f44f4964e6c998dee827110c",
            "key: 550e8400-e29b-41d4-a716-446655440000",
            "key: uploads/2024/01/abc123def456ghi789.png",
            "session: 01a2b3c4d5e6f708192a3b4c5d6e7f80",
            "the key 01a2b3c4d5e6f708192a3b4c5d6e7f80 was evicted",
            "the API key is missing",
            "an api key for the staging host",
            &format!("key: {commit}"),
            &format!("key {commit}"),
            "key: value\nname: app2\nport: 8080",
        ]);
    }

    #[test]
    fn masks_what_a_password_is_set_to() {
        assert_masked(&[
            ("set the password to s3cr3tP4ss.", "set the password to [masked]"),
            ("the password was hunter2x", "the password was [masked]"),
        ]);
        assert_kept(&[
            "change the password to something else",
            "send the password to smtp2.example.com",
            "the password goes to `auth2.rs`",
            "pass the token to parseToken2",
            "the password was changed",
        ]);
    }

    #[test]
    fn masks_passwords_in_writing_without_blanks() {
        for said in [
            "密码是{}！", "数据库密码：{}", "我的密碼為 {}", "パスワードは「{}」です",
            "비밀번호는 {}",
        ] {
            assert_masked(&[(&said.replace("{}", "s3cr3tP4ss"), &said.replace("{}", MASK))]);
        }
        assert_kept(&["密码是什么", "密码：忘记了", "重置密码 reset_password.py"]);
    }
}
