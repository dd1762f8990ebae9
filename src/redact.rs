//! Masking of secrets in what we author, and in what a summarizer is sent.
//!
//! Responsible for keys, tokens and passwords: by their shape, by the name or the flag before them,
//! and in the login of an address. It relies on no list of services beyond the prefixes that keys are
//! known by and the programs whose flags are too short to be a name. Invariant: what is masked
//! already stays as it is.

mod announced;
mod conversation;
mod keys;

use std::ops::Range;

pub use conversation::Masked;

use announced::{Next, PROGRAMS, Program, is_constant, is_scheme, next_behind};
use keys::{inside_of_key, is_beginning_of_key, is_key};

/// What stands where a secret was.
const MASK: &str = "[masked]";

/// Words that follow a flag where a sentence is about it.
const PROSE: &[&str] =
    &["and", "argument", "flag", "for", "from", "in", "is", "option", "or", "to", "was", "with"];

/// The text with every secret masked.
pub fn mask(text: &str) -> String {
    let out = String::with_capacity(text.len());
    let mut masking = Masking { rest: text, out, next: Next::Anything, program: None };
    while !masking.rest.is_empty() {
        masking.step();
    }
    masking.out
}

/// A text that is being masked.
struct Masking<'t> {
    rest: &'t str,
    out: String,
    /// What the words before say of the next one.
    next: Next,
    /// Whose flags these are.
    program: Option<&'static Program>,
}

impl Masking<'_> {
    /// Writes so many bytes as they are.
    fn pass(&mut self, length: usize) {
        let (passed, rest) = self.rest.split_at(length);
        self.out.push_str(passed);
        self.rest = rest;
    }

    /// Masks what stands at a place of the rest.
    fn mask(&mut self, secret: Range<usize>) {
        self.pass(secret.start);
        self.out.push_str(MASK);
        (self.rest, self.next) = (&self.rest[secret.len()..], Next::Anything);
    }

    fn step(&mut self) {
        const ADDRESS: &str = "://";
        if self.rest.starts_with(ADDRESS) {
            self.pass(ADDRESS.len());
            self.rest = mask_login_of_address(self.rest, &mut self.out);
            self.next = Next::Anything;
            return;
        }
        if let Some(inside) = inside_of_key(self.rest) {
            self.mask(inside);
            return;
        }
        let length = self.rest.find(|c| !is_of_word(c)).unwrap_or(self.rest.len());
        let (word, tail) = self.rest.split_at(length);
        // In a diff a sign stands before it.
        let dashes = word.strip_suffix("-----BEGIN").map_or(0, str::len);
        if dashes > 0 {
            self.pass(dashes);
        } else if length == 0 {
            self.pass_mark();
        } else if is_key(word) || is_beginning_of_key(word, tail) {
            self.mask(0..length);
        } else if let Some(secret) = self.secret(word) {
            self.mask(secret);
        } else {
            self.pass_word(word, tail);
        }
    }

    /// Passes a character that is of no word.
    fn pass_mark(&mut self) {
        let is_line_end = ["\n", "\\n", "\\r"].iter().any(|end| self.rest.starts_with(end));
        let c = self.rest.chars().next().unwrap_or(' ');
        // What is said of a secret's name ends with the line, or with what is no separator.
        let is_separator = matches!(
            c,
            ' ' | ':' | '=' | '"' | '\'' | '>' | '`' | '\\' | '$' | '@' | '!' | '*' | '#' | '&'
        );
        if is_line_end || !is_separator {
            self.next = Next::Anything;
        }
        if is_line_end || matches!(c, ';' | '|') || self.rest.starts_with("&&") {
            self.program = None;
        }
        self.pass(if is_line_end && c == '\\' { 2 } else { c.len_utf8() });
    }

    /// Where a secret stands that begins with this word, where the words before it announce one.
    fn secret(&self, word: &str) -> Option<Range<usize>> {
        if self.next == Next::Anything || is_scheme(word) {
            return None;
        }
        let value = &self.rest[..value_length(self.rest, self.out.chars().next_back())];
        let is_variable = self.out.ends_with('$') && is_constant(word);
        let secret = match self.next {
            _ if is_variable => None,
            Next::Named => looks_secret(word, value).then_some(value),
            Next::Password => {
                let is_prose = word.starts_with('-') || PROSE.contains(&word);
                (!is_prose).then_some(value)
            }
            Next::Login => value.split_once(':').map(|(_, password)| password),
            Next::Anything => None,
        };
        let secret = secret.filter(|secret| is_literal(secret))?;
        Some(value.len() - secret.len()..value.len())
    }

    /// Passes a word, and notes what it says of the next one.
    fn pass_word(&mut self, word: &str, tail: &str) {
        let name = word.rsplit('/').next().unwrap_or(word);
        if let Some(found) = PROGRAMS.iter().find(|program| program.names.contains(&name)) {
            self.program = Some(found);
        }
        let flag = self.program.and_then(|program| program.flag(word, tail));
        let taken = flag.map_or(word.len(), |(taken, _)| taken);
        self.next = flag.map_or_else(|| next_behind(word, tail, self.next), |(_, next)| next);
        self.pass(taken);
    }
}

/// Writes the login of an address, its password masked, and returns what follows it.
fn mask_login_of_address<'t>(address: &'t str, out: &mut String) -> &'t str {
    let is_end = |c: char| {
        c.is_whitespace() || matches!(c, '/' | '?' | '"' | '\'' | '`' | '<' | '>' | '\\' | '|')
    };
    let host = &address[..address.find(is_end).unwrap_or(address.len())];
    let Some(at) = host.rfind('@') else { return address };
    let (user, password) = match host[..at].split_once(':') {
        Some((user, password)) => (user, Some(password)),
        None => (&host[..at], None),
    };
    out.push_str(if is_key(user) || password.is_none() && is_long(user) { MASK } else { user });
    if let Some(password) = password {
        out.push(':');
        out.push_str(if is_literal(password) { MASK } else { password });
    }
    &address[at..]
}

fn is_of_word(c: char) -> bool {
    c.is_alphanumeric() || matches!(c, '_' | '-' | '.' | '+' | '/' | '~' | '%')
}

/// Whether a login without a password is a token.
fn is_long(user: &str) -> bool {
    user.len() >= 20 && is_no_plain_word(user)
}

/// Whether it is a secret itself, and not where one is to be put in or was masked.
fn is_literal(secret: &str) -> bool {
    let is_reference = secret
        .strip_prefix('$')
        .is_some_and(|name| name.starts_with(['{', '(']) || is_constant(name));
    !secret.is_empty() && !is_reference && !secret.starts_with(['{', '[', '%', '<'])
}

/// How far a secret reaches: to the quote that closes it, else to what ends a word of a command.
fn value_length(rest: &str, before: Option<char>) -> usize {
    let is_end = |c: char| {
        c.is_whitespace()
            || matches!(
                c,
                '"' | '\'' | '`' | ',' | ';' | ')' | '}' | ']' | '&' | '<' | '>' | '|' | '\\'
            )
    };
    let bare = || rest.find(is_end).unwrap_or(rest.len());
    let Some(quote) = before.filter(|c| matches!(c, '"' | '\'')) else { return bare() };
    let closing = rest.find([quote, '\\', '\n']);
    closing.filter(|at| rest[*at..].starts_with([quote, '\\'])).unwrap_or_else(bare)
}

/// Whether what stands behind a secret's name is its value: neither a plain word nor code.
fn looks_secret(word: &str, value: &str) -> bool {
    is_no_plain_word(word) || is_no_plain_word(value) && !value.contains(['(', '[', '{', ' '])
}

fn is_no_plain_word(word: &str) -> bool {
    let has_digit = word.bytes().any(|byte| byte.is_ascii_digit());
    let pairs = word.as_bytes().windows(2);
    let is_mixed =
        pairs.into_iter().any(|pair| pair[0].is_ascii_lowercase() && pair[1].is_ascii_uppercase());
    word.len() >= 6 && (has_digit || is_mixed)
}

#[cfg(test)]
mod tests {
    use super::mask;

    /// Whether each text is masked as the one beside it, and stays so.
    fn assert_masked(texts: &[(&str, &str)]) {
        for (text, masked) in texts {
            assert_eq!(mask(text), *masked);
            assert_eq!(mask(masked), *masked);
        }
    }

    fn assert_kept(texts: &[&str]) {
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
        // What was cut behind the mask hides nothing of what follows.
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
