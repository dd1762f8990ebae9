//! Two long lines that differ far from their beginning.
//!
//! Responsible for cutting both so that the part that differs is told.

use crate::line::clip;

/// How many bytes are told before the part that differs.
const BEFORE: usize = 40;

/// Cuts two lines whose common beginning is so long that the part that differs would be clipped. Each result
/// starts a little before that part and has at most `most` bytes.
pub(super) fn apart(before: &str, after: &str, most: usize) -> (Box<str>, Box<str>) {
    let same = before.bytes().zip(after.bytes()).take_while(|(a, b)| a == b).count();
    let told = |line: &str| {
        let from = line.floor_char_boundary(same.saturating_sub(BEFORE));
        clip(&format!("…{}", &line[from..]), most)
    };
    (told(before), told(after))
}

#[cfg(test)]
mod tests {
    use crate::digest::files::edit::Edit;

    #[test]
    fn of_long_lines_that_begin_alike_what_differs_is_told() {
        let told = |old: &str, new: &str| Edit::of(old, new).change.unwrap().to_string();
        let line =
            |word: &str| format!("{} and the {word} goes out", "the lamp burns oil ".repeat(9));
        let all = told(&line("wick"), &line("house"));
        let (before, after) = all.trim_matches('`').split_once("` → `").unwrap();
        assert!(before.starts_with('…') && before.ends_with("and the wick goes out"), "{all}");
        assert!(after.ends_with("and the house goes out"), "{all}");
        let wide = format!("{}ö", "ü".repeat(90));
        assert!(told(&wide, &wide.replace('ö', "ä")).contains("ö` → `"));
    }
}
