//! The lines of an edit, as they are told of one of the last: what the work goes on with is wanted whole.
//!
//! Responsible for leaving out what says nothing beside the rest, and for telling what came in place of what.

use std::fmt;

use crate::begins::begins_with_any;
use crate::digest::text::prose;
use crate::line::clip;

/// How much is told of what came, and of what it came in place of, in bytes.
const PUT: usize = 260;
const GONE: usize = 80;

/// What a merge that stopped writes around what both sides have.
const CONFLICT: &[&str] = &["<<<<<<<", "|||||||", ">>>>>>>"];

/// What an edit took out and put in, each on one line.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Body {
    gone: Box<str>,
    put: Box<str>,
}

impl Body {
    /// That of these lines; none where the essence of the change tells as much.
    pub(super) fn of(gone: &[&str], put: &[&str]) -> Option<Self> {
        let (gone, put) = (told(gone), told(put));
        let is_more = gone.len() > 1 || put.len() > 1;
        let joined = |lines: &[&str], most| clip(&lines.join(" · "), most);
        is_more.then(|| Self { gone: joined(&gone, GONE), put: joined(&put, PUT) })
    }
}

/// The lines that say something: brackets and comments do not, beside others.
fn told<'l>(lines: &[&'l str]) -> Vec<&'l str> {
    let has_words = |line: &&&str| {
        let words = line.trim_matches(|c: char| !c.is_alphanumeric());
        !words.is_empty() && words != "else" && !begins_with_any(line, CONFLICT)
    };
    let words: Vec<&str> = lines.iter().filter(has_words).copied().collect();
    let is_code = |line: &&str| !prose::is_comment(line) && !prose::is_import(line);
    let code: Vec<&str> = words.iter().copied().filter(is_code).collect();
    if code.is_empty() { words } else { code }
}

impl fmt::Display for Body {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match (&*self.gone, &*self.put) {
            ("", put) => write!(f, "added `{put}`"),
            (gone, "") => write!(f, "removed `{gone}`"),
            (gone, put) => write!(f, "`{put}` in place of `{gone}`"),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_edit_is_told_without_what_says_nothing() {
        let told = |gone: &[&str], put: &[&str]| Body::of(gone, put).map(|body| body.to_string());
        let put = ["// The lamp of the house is lit here.", "if is_dark() {", "light(lamp);", "}"];
        assert_eq!(told(&[], &put).as_deref(), Some("added `if is_dark() { · light(lamp);`"));
        let gone = ["light(lamp);", "return true"];
        let wanted = "`if is_dark() { · light(lamp);` in place of `light(lamp); · return true`";
        assert_eq!(told(&gone, &put).as_deref(), Some(wanted));
        assert_eq!(told(&gone, &[]).as_deref(), Some("removed `light(lamp); · return true`"));
        // The change itself says that.
        assert_eq!(told(&["a();"], &["b();", "}"]), None);
    }
}
