//! Clauses: the parts of long sentences that say something by themselves.
//!
//! Responsible for where a sentence of plain talk may be cut, so that what matters of it is told for less. What
//! turns, bounds or denies the rest stays with it: half of it would say something else.

use super::{Sentence, sentences};
use crate::digest::text::talk::asks;

/// Shorter parts say too little alone, in bytes.
const LEAST: usize = 24;

/// Where a clause may end.
const MARKS: &[char] = &[',', ';', '–', '—', '，', '；'];

/// With which a clause begins that bears on the one beside it.
const BEARING: &[&str] = &[
    "if", "unless", "but", "though", "although", "except", "until", "only", "or", "nor", "not",
    "instead", "rather", "whether", "while", "wenn", "falls", "aber", "doch", "sondern", "außer",
    "obwohl", "bis", "oder", "nicht", "statt", "ob", "si", "mais", "sauf", "quoique", "ou", "pas",
    "pero", "sino", "salvo", "aunque", "hasta", "o", "no", "ma", "però", "se", "tranne", "mas",
    "exceto", "embora", "если", "но", "хотя", "кроме", "или", "не", "maar", "als", "tenzij", "of",
];
const WIDE_BEARING: &[&str] =
    &["如果", "但", "不过", "可是", "虽然", "除非", "而不", "でも", "もし"];

/// The sentences of a text, but long ones that ask nothing are cut where a clause ends.
pub(crate) fn clauses(text: &str, mut then: impl FnMut(Sentence)) {
    sentences(text, |sentence| {
        let Sentence { range, is_code, mut starts_line } = sentence;
        let (mut start, end) = (range.start, range.end);
        if !is_code && !asks(&text[range.clone()]) {
            for (at, mark) in text[range.clone()].match_indices(MARKS) {
                let cut = range.start + at + mark.len();
                let (part, rest) = (&text[start..cut], &text[cut..end]);
                let is_end = !mark.is_ascii() || rest.starts_with(' ');
                let is_long = part.len() >= LEAST && rest.len() >= LEAST;
                if is_end && is_long && !bears(part) && !bears(rest) && !is_open(part) {
                    then(Sentence { range: start..cut, is_code, starts_line });
                    starts_line = false;
                    start = cut + rest.len() - rest.trim_start().len();
                }
            }
        }
        then(Sentence { range: start..end, is_code, starts_line });
    });
}

/// What is told of a line that ends with a clause.
pub(crate) fn without_end(line: &str) -> &str {
    line.trim_end_matches(MARKS).trim_end()
}

/// Whether a clause begins with what bears on the one beside it.
fn bears(clause: &str) -> bool {
    let clause = clause.trim_start_matches(|c: char| !c.is_alphanumeric());
    let word = clause.split(|c: char| !c.is_alphanumeric()).next().unwrap_or_default();
    BEARING.iter().any(|it| word.eq_ignore_ascii_case(it))
        || WIDE_BEARING.iter().any(|it| clause.starts_with(it))
}

/// Whether a bracket or a quotation is open behind it.
fn is_open(part: &str) -> bool {
    let count = |mark: char| part.matches(mark).count();
    count('"') % 2 == 1 || [('(', ')'), ('“', '”')].iter().any(|(a, b)| count(*a) > count(*b))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_long_sentence_is_cut_where_a_clause_ends() {
        let cut = |text| {
            let mut found = Vec::new();
            clauses(text, |said| found.push((&text[said.range], said.starts_line)));
            found
        };
        let long = "We rehearse above a fishmonger, so all of us smell of herring.";
        assert_eq!(
            cut(long),
            [("We rehearse above a fishmonger,", true), ("so all of us smell of herring.", false)]
        );
        for whole in [
            "I was to move to the old mill, but in the end I stayed here.",
            "If it rains on that Saturday, we all meet at Ada's house.",
            "Did you move to the old mill, or to the house by the lake?",
            "He called it (a boat with two masts, as he told it later) his.",
            "Apples, pears, plums, three quinces and the basket.",
            "如果明天下大雨的话，我们就去奶奶家里吃饭。",
        ] {
            assert_eq!(cut(whole), [(whole, true)]);
        }
        assert_eq!(cut("我上个月搬到了海边的一个小镇，每天早上都去游泳。").len(), 2);
        assert_eq!(without_end("We rehearse there,"), "We rehearse there");
    }
}
