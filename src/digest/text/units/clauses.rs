//! Clauses: the parts of long sentences that say something by themselves.
//!
//! Responsible for where a sentence of plain talk may be cut, so that what matters of it is told for less. It is
//! not cut before a clause that turns or restricts what was said, nor after a condition or a mere report. No list
//! of such words is complete, so a digest marks that the rest of a sentence is left out.

use super::{Sentence, sentences};
use crate::digest::text::talk::asks;

/// The least length of a part in bytes: shorter ones say too little alone.
const LEAST: usize = 24;

/// The marks after which a clause may end.
const MARKS: &[char] = &[',', '–', '—', '，'];

/// Words that show, among the first of a clause, that it turns, restricts or only reports what stands before it.
const TURNING: &[&str] = &[
    "if", "unless", "but", "though", "although", "except", "until", "only", "or", "nor", "not",
    "never", "instead", "rather", "whether", "while", "that", "were", "had", "should", "then",
    "otherwise", "yet", "however", "without", "actually", "really", "say", "says", "said",
    "claims", "thinks", "sagt", "meint", "dit", "dice", "diz", "говорит", "wenn", "falls", "aber",
    "doch", "sondern", "außer", "obwohl", "bis", "oder", "nicht", "statt", "ob", "sollte", "dann",
    "dass", "ohne", "si", "mais", "sauf", "quoique", "ou", "pas", "sans", "que", "pero", "sino",
    "salvo", "aunque", "hasta", "sin", "ma", "però", "se", "che", "tranne", "mas", "exceto", "sem",
    "если", "но", "хотя", "кроме", "или", "не", "а", "что", "чтобы", "без", "maar", "als",
    "tenzij", "dat", "niet",
];

/// Words that govern the rest of their sentence: conditions, reports, wishes.
const GOVERNING: &[&str] = &[
    "if", "unless", "when", "once", "suppose", "assuming", "provided", "says", "claims",
    "believes", "pretends", "jokes", "imagine", "wish", "wishes", "dreamt", "would", "wenn",
    "falls", "sobald", "solange", "sagt", "behauptet", "glaubt", "würde", "si", "quand", "prétend",
    "croit", "cuando", "dice", "cree", "se", "quando", "diz", "если", "когда", "бы", "говорит",
    "думает", "als",
];
const WIDE_GOVERNING: &[&str] =
    &["如果", "要是", "假如", "只要", "只有", "即使", "除非", "虽然", "もし", "たら", "れば"];
const WIDE_TURNING: &[&str] =
    &["但", "不过", "可是", "却", "而", "否则", "才", "就", "でも", "しかし"];

/// Calls `then` with the sentences of a text. Long ones that ask nothing are cut where a clause ends.
pub(crate) fn clauses(text: &str, mut then: impl FnMut(Sentence)) {
    sentences(text, |sentence| {
        let Sentence { range, is_code, mut starts_line } = sentence;
        let (mut start, end) = (range.start, range.end);
        if !is_code && !asks(&text[range.clone()]) {
            for behind in behind_marks(&text[range.clone()]) {
                let cut = range.start + behind;
                let (part, rest) = (&text[start..cut], &text[cut..end]);
                let is_end = !part.ends_with(',') || rest.starts_with(' ');
                let is_long = part.len() >= LEAST && rest.len() >= LEAST;
                if is_end && is_long && !is_open(part) && !turns(rest) && !governs(part) {
                    then(Sentence { range: start..cut, is_code, starts_line });
                    starts_line = false;
                    start = cut + rest.len() - rest.trim_start().len();
                }
            }
        }
        then(Sentence { range: start..end, is_code, starts_line });
    });
}

/// The offsets after the marks in a sentence. The fast path is for ASCII, where the comma is the only mark.
fn behind_marks(sentence: &str) -> Vec<usize> {
    if sentence.is_ascii() {
        memchr::memchr_iter(b',', sentence.as_bytes()).map(|at| at + 1).collect()
    } else {
        sentence.match_indices(MARKS).map(|(at, mark)| at + mark.len()).collect()
    }
}

/// A line without the mark of the clause at its end.
pub(crate) fn without_end(line: &str) -> &str {
    line.trim_end_matches(MARKS).trim_end()
}

/// The words of a clause, in lower case.
fn small_words(clause: &str) -> impl Iterator<Item = String> {
    clause
        .split(|c: char| !c.is_alphanumeric())
        .filter(|word| !word.is_empty())
        .map(str::to_lowercase)
}

fn turns(rest: &str) -> bool {
    const FIRST: usize = 3;
    let bare = rest.trim_start();
    small_words(rest).take(FIRST).any(|word| TURNING.contains(&&*word))
        || WIDE_TURNING.iter().any(|words| bare.starts_with(words))
}

fn governs(part: &str) -> bool {
    small_words(part).any(|word| GOVERNING.contains(&&*word))
        || WIDE_GOVERNING.iter().any(|words| part.contains(words))
}

/// Whether a bracket or a quotation is still open at the end of a part.
fn is_open(part: &str) -> bool {
    let count = |mark: char| part.matches(mark).count();
    count('"') % 2 == 1
        || [('(', ')'), ('“', '”'), ('„', '“'), ('«', '»'), ('「', '」'), ('（', '）')]
            .iter()
            .any(|(a, b)| count(*a) > count(*b))
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
            "She never once said in all those letters, that she loved him.",
            "I would gladly move to the old mill, were it for me alone.",
            "Wir ziehen in die alte Mühle am See, sagt Ada jedem im Dorf.",
            "如果明天下大雨的话，我们就去奶奶家里吃饭。",
        ] {
            assert_eq!(cut(whole), [(whole, true)]);
        }
        assert_eq!(cut("我上个月搬到了海边的一个小镇，每天早上都去游泳。").len(), 2);
        assert_eq!(without_end("We rehearse there,"), "We rehearse there");
    }
}
