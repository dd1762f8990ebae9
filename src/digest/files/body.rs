//! The lines of an edit that are told of the most recent edits, because the work continues there.
//!
//! Responsible for leaving out lines that say nothing beside the rest.

use super::change::Side;
use super::telling::is_framing;

/// How many bytes of an edit are told, roughly.
const LONGEST: usize = 260;

/// The first lines of an edit that say something; none if the essence of the change tells as much.
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

/// The lines that say something: no brackets, and no comments or imports beside code.
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
        // A single line is told by the change itself.
        assert!(told(&["b();", "}"]).is_empty());
        let long = "let lamp = house.find(\"the lamp of the second floor\").or(other);".repeat(3);
        assert_eq!(told(&[&long, &long, "burn();"]).len(), 2);
    }
}
