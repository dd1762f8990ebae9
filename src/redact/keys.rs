//! Recognising keys by their form: those that services issue, and private keys in full.
//!
//! Responsible for telling them from other words by their first characters and their length.

use std::ops::Range;

use super::MASK;

/// The characters that follow the prefix of a key.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Behind {
    /// Anything with a digit, if the key is no short word.
    Some,
    /// So many characters that no name is as long, because names in code have the same prefix.
    Much,
    /// Exactly 32 hexadecimal digits, because words have the same prefix.
    Hex,
    /// Exactly this many letters and digits, of which none need be a digit.
    Exactly(usize),
    /// Exactly this many upper-case letters and digits.
    ExactlyUpper(usize),
}

/// Prefixes of keys that services issue.
#[rustfmt::skip]
const PREFIXES: &[(Behind, &[&str])] = &[
    (Behind::Some, &[
        "sk-", "pk-", "gsk_", "xai-", "pplx-", "nvapi-", "hf_", "r8_",
        "ghp_", "gho_", "ghs_", "ghu_", "ghr_", "github_pat_",
        "glpat-", "glptt-", "gldt-", "glrt-", "glcbt-", "glft-", "glimt-", "glsoat-", "glagent-",
        "xoxb-", "xoxp-", "xoxa-", "xoxe-", "xoxe.", "xoxr-", "xoxs-", "xapp-",
        "hooks.slack.com/services/", "discord.com/api/webhooks/", "discordapp.com/api/webhooks/",
        "AKIA", "ASIA", "AIza", "GOCSPX-", "ya29.", "LTAI", "eyJ",
        "sk_live_", "sk_test_", "rk_live_", "rk_test_", "whsec_", "sq0atp-", "sq0csp-",
        "shpat_", "shpca_", "shppa_", "shpss_",
        "npm_", "pypi-", "rubygems_", "dckr_pat_", "dckr_oat_",
        "dop_v1_", "doo_v1_", "dor_v1_", "hvs.", "hvb.", "tskey-", "HRKU-", "sbp_", "sb_secret_",
        "pscale_pw_", "pscale_tkn_", "pscale_oauth_", "dp.pt.", "AGE-SECRET-KEY-1",
        "sntrys_", "sntryu_", "glsa_", "glc_", "NRAK-", "figd_", "pat-na1-", "pat-eu1-",
        "lin_api_", "lin_oauth_", "ntn_", "PMAK-", "ATATT3", "xkeysib-", "xsmtpsib-",
    ]),
    (Behind::Much, &["SG.", "mfa.", "EAAC", "EAAB", "EAAAE"]),
    (Behind::Hex, &["SK", "dapi", "key-"]),
    (Behind::Exactly(36), &["ghp_", "gho_", "ghs_", "ghu_", "ghr_", "npm_"]),
    (Behind::Exactly(34), &["hf_"]),
    (Behind::ExactlyUpper(16), &["AKIA", "ASIA"]),
];

/// The fewest bytes of a key, and of a key of the kind [`Behind::Much`].
const LEAST: usize = 16;
const LEAST_OF_MUCH: usize = 40;

/// How a private key begins and ends, as a file or with its line breaks escaped.
const KEY_BEGINS: &str = "-----BEGIN ";
const KEY_ENDS: &str = "-----END ";
const KEYS: &[&str] = &["PRIVATE KEY", "PRIVATE KEY BLOCK"];

/// The range of the secret in a private key that a text begins with: to the line that ends it, or to the end
/// of the text if it was cut. `None` if it is masked already, even if the mask was cut.
pub(super) fn inside_of_key(text: &str) -> Option<Range<usize>> {
    let name = text.strip_prefix(KEY_BEGINS)?;
    let is_of_name = |c: char| c.is_ascii_uppercase() || c.is_ascii_digit() || c == ' ';
    let dashes = name.find(|c| !is_of_name(c))?;
    let is_key = KEYS.iter().any(|key| name[..dashes].ends_with(key));
    let start = KEY_BEGINS.len() + dashes + "-----".len();
    let secret = Some(&name[dashes..]).filter(|_| is_key)?.strip_prefix("-----")?;
    let is_masked = (0..MASK.len())
        .any(|cut| secret.strip_prefix(&MASK[..cut]).is_some_and(|behind| behind.starts_with('…')));
    let is_told = is_masked || secret.starts_with(MASK);
    (!is_told).then(|| start..end_of_key(secret).map_or(text.len(), |at| start + at))
}

/// The offset of the line that ends a private key, in the rest of that key.
pub(super) fn end_of_key(text: &str) -> Option<usize> {
    text.find(KEY_ENDS)
}

/// Whether a private key begins in a text but does not end in it.
pub(super) fn leaves_key_open(text: &str) -> bool {
    let begins = text.rfind(KEY_BEGINS).map_or("", |at| &text[at..]);
    end_of_key(begins).is_none() && inside_of_key(begins).is_some()
}

pub(super) fn is_key(word: &str) -> bool {
    if word.len() < LEAST {
        return false;
    }
    let has_digit = |rest: &str| rest.bytes().any(|byte| byte.is_ascii_digit());
    let is_hex = |rest: &str| {
        let rest = rest.trim_end_matches('.');
        rest.len() == 32 && rest.bytes().all(|byte| byte.is_ascii_hexdigit())
    };
    let rests = |behind: Behind| rests(word, behind);
    rests(Behind::Some).any(has_digit)
        || word.len() >= LEAST_OF_MUCH
            && rests(Behind::Much).any(|rest| has_digit(rest) && rest.matches('.').count() < 2)
        || rests(Behind::Hex).any(is_hex)
        || has_length_of_key(word)
}

/// Whether the number of characters behind a prefix shows that a word is a key.
fn has_length_of_key(word: &str) -> bool {
    let word = word.trim_end_matches('.');
    PREFIXES.iter().any(|(behind, _)| {
        let (length, is_one): (_, fn(u8) -> bool) = match behind {
            Behind::Exactly(length) => (*length, |byte| byte.is_ascii_alphanumeric()),
            Behind::ExactlyUpper(length) => {
                (*length, |byte| byte.is_ascii_uppercase() || byte.is_ascii_digit())
            }
            Behind::Some | Behind::Much | Behind::Hex => return false,
        };
        rests(word, *behind).any(|rest| rest.len() == length && rest.bytes().all(is_one))
    })
}

/// Whether a word is a key that was cut, of which even a few characters must not be shown.
pub(super) fn is_beginning_of_key(word: &str, tail: &str) -> bool {
    tail.starts_with('…') && rests(word, Behind::Some).next().is_some()
}

/// The rests of a word behind each prefix of this kind that it begins with.
fn rests(word: &str, behind: Behind) -> impl Iterator<Item = &str> {
    let kinds = PREFIXES.iter().filter(move |(kind, _)| *kind == behind);
    kinds.flat_map(|(_, prefixes)| *prefixes).filter_map(|prefix| word.strip_prefix(prefix))
}

#[cfg(test)]
mod tests {
    use super::super::tests::{assert_kept, assert_masked};

    #[test]
    fn masks_keys_of_many_services() {
        let hex = "0123456789abcdef".repeat(2);
        for key in [
            format!("SK{hex}"),
            format!("dapi{hex}"),
            format!("key-{hex}"),
            format!("SG.{}.{}", &hex[..22], &hex),
            format!("mfa.{hex}{hex}"),
            format!("dckr_pat_{hex}"),
            format!("AGE-SECRET-KEY-1{}", hex.to_uppercase()),
            format!("lin_api_{hex}"),
            format!("sq0csp-{hex}"),
            format!("xapp-1-{hex}"),
            format!("sntrys_{hex}"),
            format!("NRAK-{}", hex.to_uppercase()),
            "AKIAQWERTYUIOPASDFGH".to_owned(),
            format!("ghp_{}", "qwertyUIOPas".repeat(3)),
            format!("hf_{}", "qwertyUIOPasdfghj".repeat(2)),
        ] {
            assert_masked(&[(&format!("it is {key}, ok"), "it is [masked], ok")]);
        }
        assert_kept(&[
            &format!("AC{hex}"),
            &format!("SKU-{hex}"),
            "key-value-store-v2-with-a-name",
            "mfa.totp.verify_code_v2",
            "SG.Module2.Name",
            "figd_config_file_name",
            "r8_register_allocator",
            "dapi_client_version_2",
            "AKIAQWERTYUIOPASDFGHJ",
            "AKIA_ACCESS_KEY_NAME",
            "ghp_the_name_of_a_variable_that_is_longest",
        ]);
    }
}
