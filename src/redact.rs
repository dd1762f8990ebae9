//! Masking secrets in text that we write or send to a summarizer.
//!
//! Responsible for keys, tokens and passwords. They are recognised by their form, by the name or flag before
//! them, and in the login of an address. It relies on no list of services except the prefixes of known keys
//! and the programs whose flags are too short to be names. A secret in one place of a conversation is masked
//! in all places. Invariant: masked text stays as it is.

mod announced;
mod conversation;
mod cookies;
mod keys;
mod known;
mod value;

use std::ops::Range;

pub(crate) use conversation::Masked;
pub(crate) use known::{Secrets, without};

use announced::{Next, PROGRAMS, Program, is_constant, is_scheme, next_behind, value_within};
use cookies::in_header;
use keys::{inside_of_key, is_beginning_of_key, is_key};
use value::{
    is_distinct, is_literal, is_long, is_random, looks_secret, value_length, without_stop,
};

/// Replaces a secret.
const MASK: &str = "[masked]";

/// Words behind the name of a flag in a sentence about it.
const PROSE: &[&str] =
    &["and", "argument", "flag", "for", "from", "in", "is", "option", "or", "to", "was", "with"];

/// The text with every secret masked.
pub(crate) fn mask(text: &str) -> String {
    masked(text).0
}

/// The text with every secret masked, and those secrets that only their surroundings show.
fn masked(text: &str) -> (String, Vec<&str>) {
    let out = String::with_capacity(text.len());
    let announced = Vec::new();
    let mut masking = Masking { rest: text, out, announced, next: Next::Anything, program: None };
    while !masking.rest.is_empty() {
        masking.step();
    }
    (masking.out, masking.announced)
}

/// The state of masking a text.
struct Masking<'t> {
    rest: &'t str,
    out: String,
    /// Secrets without a form of their own.
    announced: Vec<&'t str>,
    /// What the words so far announce about the next one.
    next: Next,
    /// The program whose flags follow.
    program: Option<&'static Program>,
}

impl Masking<'_> {
    /// Copies `length` bytes.
    fn pass(&mut self, length: usize) {
        let (passed, rest) = self.rest.split_at(length);
        self.out.push_str(passed);
        self.rest = rest;
    }

    /// Copies up to `secret`, a range of the rest, and masks that.
    fn mask(&mut self, secret: Range<usize>) {
        self.pass(secret.start);
        self.out.push_str(MASK);
        (self.rest, self.next) = (&self.rest[secret.len()..], Next::Anything);
    }

    /// Masks a secret that only its surroundings show, and remembers it.
    fn mask_announced(&mut self, secret: Range<usize>) {
        self.announced.push(&self.rest[secret.clone()]);
        self.mask(secret);
    }

    fn step(&mut self) {
        const ADDRESS: &str = "://";
        if self.rest.starts_with(ADDRESS) {
            self.pass(ADDRESS.len());
            self.mask_login_of_address();
            return;
        }
        if let Some(inside) = inside_of_key(self.rest) {
            self.mask(inside);
            return;
        }
        let length = self.rest.find(|c| !is_of_word(c)).unwrap_or(self.rest.len());
        let (word, tail) = self.rest.split_at(length);
        // In a diff, a sign stands before it.
        let dashes = word.strip_suffix("-----BEGIN").map_or(0, str::len);
        if dashes > 0 {
            self.pass(dashes);
        } else if length == 0 {
            self.pass_mark();
        } else if self.next == Next::Cookies {
            self.mask_cookies();
        } else if is_key(word) || is_beginning_of_key(word, tail) {
            self.mask(0..length);
        } else if let Some(secret) = self.secret(word) {
            // A word that only looks like a key may be a name elsewhere, so it is not remembered.
            if self.next == Next::Key {
                self.mask(secret);
            } else {
                self.mask_announced(secret);
            }
        } else {
            self.pass_word(word, tail);
        }
    }

    /// Copies a character that belongs to no word.
    fn pass_mark(&mut self) {
        let is_line_end = ["\n", "\\n", "\\r"].iter().any(|end| self.rest.starts_with(end));
        let c = self.rest.chars().next().unwrap_or(' ');
        // An announcement ends with the line, or with a character that is no separator.
        let is_separator = " :=\"'>`\\$@!*#&：「『“‘（".contains(c);
        if is_line_end || !is_separator {
            self.next = Next::Anything;
        }
        if is_line_end || matches!(c, ';' | '|') || self.rest.starts_with("&&") {
            self.program = None;
        }
        self.pass(if is_line_end && c == '\\' { 2 } else { c.len_utf8() });
    }

    /// The range of the announced secret that begins with this word, if there is one.
    fn secret(&self, word: &str) -> Option<Range<usize>> {
        if self.next == Next::Anything || is_scheme(word) {
            return None;
        }
        let value = &self.rest[..value_length(self.rest, self.out.chars().next_back())];
        let is_variable = self.out.ends_with('$') && is_constant(word);
        let secret = match self.next {
            _ if is_variable => None,
            Next::Settable if self.is_behind_to() => {
                is_distinct(without_stop(value)).then_some(value)
            }
            Next::Named | Next::Settable => looks_secret(word, value).then_some(value),
            Next::Key => is_random(value).then_some(value),
            Next::Password => {
                let is_prose = word.starts_with('-') || PROSE.contains(&word);
                (!is_prose).then_some(value)
            }
            Next::Login => value.split_once(':').map(|(_, password)| password),
            Next::Anything | Next::Cookies => None,
        };
        let secret = secret.filter(|secret| is_literal(secret))?;
        Some(value.len() - secret.len()..value.len())
    }

    /// Whether the last word was `to`: passwords are set to a value, but also sent to a person.
    fn is_behind_to(&self) -> bool {
        self.out.trim_end_matches([' ', '"', '\'', '`']).ends_with(" to")
    }

    /// Copies a word, and notes what it announces about the next one.
    fn pass_word(&mut self, word: &str, tail: &str) {
        if let Some(start) = value_within(word) {
            self.next = Next::Named;
            return self.pass(start);
        }
        let name = word.rsplit('/').next().unwrap_or(word);
        if let Some(found) = PROGRAMS.iter().find(|program| program.names.contains(&name)) {
            self.program = Some(found);
        }
        let flag = self.program.and_then(|program| program.flag(word, tail));
        let taken = flag.map_or(word.len(), |(taken, _)| taken);
        self.next =
            flag.map_or_else(|| next_behind(word, tail, &self.out, self.next), |(_, next)| next);
        self.pass(taken);
    }

    /// Copies the cookies of a header with their values masked.
    fn mask_cookies(&mut self) {
        let (secrets, end) = in_header(self.rest);
        let mut passed = 0;
        for secret in secrets {
            self.mask_announced(secret.start - passed..secret.end - passed);
            passed = secret.end;
        }
        self.pass(end - passed);
        self.next = Next::Anything;
    }

    /// Copies the login of an address with its password masked.
    fn mask_login_of_address(&mut self) {
        let is_end = |c: char| {
            c.is_whitespace() || matches!(c, '/' | '?' | '"' | '\'' | '`' | '<' | '>' | '\\' | '|')
        };
        self.next = Next::Anything;
        let host = &self.rest[..self.rest.find(is_end).unwrap_or(self.rest.len())];
        let Some(at) = host.rfind('@') else { return };
        let (user, password) = match host[..at].split_once(':') {
            Some((user, password)) => (user, Some(password)),
            None => (&host[..at], None),
        };
        if is_key(user) {
            self.mask(0..user.len());
        } else if password.is_none() && is_long(user) {
            self.mask_announced(0..user.len());
        } else {
            self.pass(user.len());
        }
        if let Some(password) = password {
            self.pass(1);
            if is_literal(password) {
                self.mask_announced(0..password.len());
            } else {
                self.pass(password.len());
            }
        }
    }
}

fn is_of_word(c: char) -> bool {
    c.is_alphanumeric() || matches!(c, '_' | '-' | '.' | '+' | '/' | '~' | '%')
}

#[cfg(test)]
mod tests {
    use super::mask;

    /// Checks that each text is masked as given beside it, and that masking the result changes nothing.
    pub(super) fn assert_masked(texts: &[(&str, &str)]) {
        for (text, masked) in texts {
            assert_eq!(mask(text), *masked);
            assert_eq!(mask(masked), *masked);
        }
    }

    pub(super) fn assert_kept(texts: &[&str]) {
        for text in texts {
            assert_eq!(mask(text), *text);
        }
    }

    #[test]
    fn masks_keys_by_their_shape() {
        let key = ["gh", "p_", "a1b2c3d4e5f6a7b8c9d0"].concat();
        assert_eq!(mask(&format!("use {key} now")), "use [masked] now");
        assert_eq!(mask(&format!("use {}…", &key[..8])), "use [masked]…");
        assert_eq!(mask("a skeleton key"), "a skeleton key");
    }

    #[test]
    fn masks_what_follows_a_secrets_name() {
        let value = ["abc", "123", "def", "456"].concat();
        assert_eq!(mask(&format!("password: {value}")), "password: [masked]");
        assert_eq!(mask(&format!("DB_PASSWORD=\"{value}\" ok")), "DB_PASSWORD=\"[masked]\" ok");
        let header = format!("Authorization: Bearer {value}");
        assert_eq!(mask(&header), "Authorization: Bearer [masked]");
        assert_eq!(mask("the token count is 42"), "the token count is 42");
        assert_eq!(mask(r#"{\"password\": \"a1b2!c3\"}"#), r#"{\"password\": \"[masked]\"}"#);
        assert_kept(&["token = self.tokens[0]", "MAX_TOKEN=4096", "PASSWORD=$DB_PASS1"]);
    }

    #[test]
    fn masks_private_keys_however_their_lines_end() {
        let (begin, end) = ("-----BEGIN RSA PRIVATE KEY-----", "-----END RSA PRIVATE KEY-----");
        for body in ["\nMIIEow\nIBAAK\n", "\\nMIIEow\\nIBAAK\\n"] {
            let masked = format!("a {begin}[masked]{end} b");
            assert_masked(&[(&format!("a {begin}{body}{end} b"), &masked)]);
        }
        assert_masked(&[(&format!("{begin}\nMIIEow"), &format!("{begin}[masked]"))]);
        let pgp = |body: &str| {
            let name = "PGP PRIVATE KEY BLOCK";
            format!("-----BEGIN {name}-----{body}-----END {name}-----")
        };
        assert_masked(&[(&pgp("\nVersion: 1\n\nlQOYBF\n"), &pgp("[masked]"))]);
        // A key that was cut behind the mask must not hide the text that follows.
        assert_kept(&[
            &format!("{begin}[mas… a"),
            &format!("{begin}… a"),
            &format!("{begin}[masked] a"),
        ]);
        assert_eq!(mask(&format!("+{begin}\n+MIIEow")), format!("+{begin}[masked]"));
        let others =
            format!("-----BEGIN CERTIFICATE-----\\n\"password\":\"a1b2c3d4\" {begin}\\nMII");
        assert!(!mask(&others).contains("a1b2c3d4"));
        assert_kept(&["-----BEGIN CERTIFICATE-----\nMIIEow\n-----END CERTIFICATE-----"]);
    }

    #[test]
    fn masks_passwords_under_any_name() {
        assert_masked(&[
            ("DB_PASS=hunter x", "DB_PASS=[masked] x"),
            ("<password>S3cret99</password>", "<password>[masked]</password>"),
            ("Passwort: abc123def", "Passwort: [masked]"),
            ("AccountKey=abc123def==;", "AccountKey=[masked];"),
        ]);
        assert_kept(&["BYPASS=1", "the compass: north"]);
    }

    #[test]
    fn masks_passwords_in_addresses() {
        assert_masked(&[
            ("see https://user:pa55w0rd@host/x", "see https://user:[masked]@host/x"),
            ("DB=postgres://admin:S3cret@db:5432/app", "DB=postgres://admin:[masked]@db:5432/app"),
            ("redis://:plain@cache", "redis://:[masked]@cache"),
        ]);
        let key = ["gh", "p_", "a1b2c3d4e5f6a7b8c9d0"].concat();
        assert_eq!(mask(&format!("https://{key}@host/x.git")), "https://[masked]@host/x.git");
        assert_kept(&[
            "https://host:8080/a@b",
            "ssh://git@host/x.git",
            "postgres://admin:$DB_PASS@db/app",
            "postgres://admin:${DB_PASS}@db/app",
            "postgres://{user}:{password}@{host}",
        ]);
    }

    #[test]
    fn masks_passwords_behind_flags() {
        assert_masked(&[
            ("curl -u admin:S3cret http://x", "curl -u admin:[masked] http://x"),
            ("curl -sSu 'me@x.com:a b' x", "curl -sSu 'me@x.com:[masked]' x"),
            ("curl --user admin:plain x", "curl --user admin:[masked] x"),
            ("mysql -u root -pS3cret app", "mysql -u root -p[masked] app"),
            ("mysql -p'S3c!ret' app", "mysql -p'[masked]' app"),
            ("x --password S3cret -v", "x --password [masked] -v"),
            ("x --password=hunter -v", "x --password=[masked] -v"),
            ("PGPASSWORD=hunter psql", "PGPASSWORD=[masked] psql"),
            ("docker login -u me -p hunter", "docker login -u me -p [masked]"),
            (r#"{"command":"ls\ncurl -u a:b x"}"#, r#"{"command":"ls\ncurl -u a:[masked] x"}"#),
        ]);
        assert_kept(&[
            "docker run -u 1000:1000 -p 8080:80 image",
            "curl x && docker run -u 1000:1000 image",
            "mysql -p app",
            "docker login --password-stdin",
            "x --password \"$DB_PASSWORD\"",
            "the --password flag is new",
            "curl -u \"$USER:$PASS\" x",
        ]);
    }
}
