//! A change told in few bytes.
//!
//! Responsible for shortening a replaced line to the part that differs, with a little before it. It works on
//! the text of a change as it is told.

use super::change::{BECAME, Change};
use crate::line::clip;

/// How many words are told before the part that differs.
const LEAD: usize = 2;

impl Change {
    /// The change in about `most` bytes. If it is longer, the definition around it is left out first, and then
    /// all but the part that differs, with a little before it.
    pub(crate) fn brief(&self, most: usize) -> String {
        let whole = self.to_string();
        if whole.len() <= most {
            return whole;
        }
        let whole = Self { within: None, ..self.clone() }.to_string();
        let (Some(before), Some(after)) = (&self.before, &self.after) else {
            return clip(&whole, most).into();
        };
        if whole.len() <= most {
            return whole;
        }
        let (one, other) = (pieces(&before.text), pieces(&after.text));
        let differs = one.iter().zip(&other).take_while(|(a, b)| a == b).count();
        let behind = one[differs..].iter().rev().zip(other[differs..].iter().rev());
        let behind = behind.take_while(|(a, b)| a == b).count();
        // Long words before the part that differs would take its place.
        let is_short = |from: &usize| one[*from..differs].concat().len() <= most / 4;
        let from = (differs.saturating_sub(LEAD)..differs).find(is_short).unwrap_or(differs);
        let told = |pieces: &[&str]| {
            let head = if from > 0 { "… " } else { "" };
            let foot = if behind > 0 { " …" } else { "" };
            let differs = pieces[from..pieces.len() - behind].concat();
            format!("{head}{}{foot}", clip(differs.trim(), most / 2))
        };
        format!("`{}{BECAME}{}`", told(&one), told(&other))
    }
}

/// The words of a line, each with the marks and blanks behind it.
fn pieces(line: &str) -> Vec<&str> {
    let is_in_word = |c: char| c.is_alphanumeric() || c == '_';
    let mut ends_word = false;
    let starts = line.char_indices().filter_map(|(at, c)| {
        let starts = is_in_word(c) && ends_word;
        ends_word = !is_in_word(c);
        starts.then_some(at)
    });
    let mut bounds: Vec<usize> = starts.collect();
    bounds.push(line.len());
    let mut from = 0;
    bounds.into_iter().map(|to| &line[std::mem::replace(&mut from, to)..to]).collect()
}

#[cfg(test)]
mod tests {
    use crate::digest::files::change::Change;

    #[test]
    fn what_differs_is_told_with_a_little_before_it() {
        let line = "lamp, err := house.Light(string(house.NameOfTheLamp))";
        let mended = "lamp, err := house.Light(house.NameOfTheLamp)";
        let change = Change::parse(&format!("`{line}` → `{mended}` in `main`")).unwrap();
        assert_eq!(change.brief(200), change.to_string());
        assert_eq!(change.brief(110), format!("`{line}` → `{mended}`"));
        let told =
            "`… house.Light(string(house.NameOfTheLamp))` → `… house.Light(house.NameOfTheLamp)`";
        assert_eq!(change.brief(80), told);
        // Where the words before the part that differs are long, they are left out.
        let line = "house.LightTheLampOfTheHouse(withTheOilOfTheLamp, wick";
        let change = Change::parse(&format!("`{line})` → `{line}, input.Oil)`")).unwrap();
        assert_eq!(change.brief(80), "`… wick)` → `… wick, input.Oil)`");
        let added = Change::parse("added `let lamp = light();` in `main`").unwrap();
        assert_eq!(added.brief(30), "added `let lamp = light();`");
    }
}
