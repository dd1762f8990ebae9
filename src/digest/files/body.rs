//! The lines of an edit, as they are told of one of the last: what the work goes on with is wanted whole.
//!
//! Responsible for leaving out what says nothing beside the rest.

use super::change::Side;
use super::telling::is_framing;

/// How much is told, in bytes.
const LONGEST: usize = 260;

/// The lines that an edit put in, the first of them that say something; none where the essence of the change tells
/// as much.
pub(super) fn body(put: &[&str]) -> Vec<Side> {
    let lines = saying(put);
    if lines.len() < 2 {
        return Vec::new();
    }
    let mut left = LONGEST;
    let fits = |line: &&str| {
        let fits = left > 0;
        left = left.saturating_sub(line.len());
        fits
    };
    lines.into_iter().take_while(fits).map(Side::of).collect()
}

/// The lines that say something: brackets do not, nor what stands around what a program does beside that.
fn saying<'l>(lines: &[&'l str]) -> Vec<&'l str> {
    let has_words = |line: &&&str| {
        let words = line.trim_matches(|c: char| !c.is_alphanumeric());
        !words.is_empty() && words != "else"
    };
    let words: Vec<&str> = lines.iter().filter(has_words).copied().collect();
    let code: Vec<&str> = words.iter().copied().filter(|line| !is_framing(line)).collect();
    if code.is_empty() { words } else { code }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_edit_is_told_without_what_says_nothing() {
        let told = |put: &[&str]| -> Vec<String> {
            body(put).into_iter().map(|side| side.text.into_string()).collect()
        };
        let put = ["// The lamp of the house is lit here.", "if is_dark() {", "light(lamp);", "}"];
        assert_eq!(told(&put), ["if is_dark() {", "light(lamp);"]);
        let put = ["let a = 1;", "} else {", "let b = 2;"];
        assert_eq!(told(&put), ["let a = 1;", "let b = 2;"]);
        // The change itself says that.
        assert!(told(&["b();", "}"]).is_empty());
        let long = "let lamp = house.find(\"the lamp of the second floor\").or(other);".repeat(3);
        assert_eq!(told(&[&long, &long, "burn();"]).len(), 2);
    }
}
