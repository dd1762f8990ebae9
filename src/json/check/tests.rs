//! The same texts are JSON here as for `serde_json`.

use proptest::prelude::*;
use serde_json::value::RawValue;

use super::*;

/// The values that `serde_json` reads from a stream, and whether an error follows them.
fn as_serde_json_has_it(text: &str) -> (Vec<&str>, bool) {
    let mut values = serde_json::Deserializer::from_str(text).into_iter::<&RawValue>();
    let mut taken = Vec::new();
    loop {
        match values.next() {
            Some(Ok(value)) => taken.push(value.get()),
            end => return (taken, end.is_some()),
        }
    }
}

#[track_caller]
fn assert_as_serde_json_has_it(text: &str) {
    let mut values = Values::of(text);
    let checked: Vec<_> = values.by_ref().map_while(Result::ok).map(Json::source).collect();
    let is_wrong = Values::of(text).nth(checked.len()).is_some();
    assert_eq!((checked, is_wrong), as_serde_json_has_it(text), "{text:?}");
}

#[test]
fn accepts_what_serde_json_accepts() {
    let plain = r#"
        null¦nul¦nulll¦true false¦truefalse¦true"x"¦null[]¦NaN¦'a'¦/**/1¦[1]//¦ ¦
        0¦-0¦00¦01¦-¦-a¦1.¦.5¦1.5¦1e5¦1e¦1E+05¦1e-¦+1¦1e400¦12a¦1 2¦1,2¦1]¦
        "¦"a¦"a"b¦"\"¦"\\"¦"\\\""¦"\u00e9"¦"\u00E9"¦"\ud83d"¦"\ud83d\ude00"¦"\u12"¦"\u12g4"¦"\u¦
        "\x"¦"\'"¦"\0"¦"\/\b\f\n\r\t"¦"é😀"¦
        [¦[]¦[ ]¦[,]¦[1,]¦[1 2]¦[1,2¦[1}¦[[]¦[]]¦{¦{}¦{ }¦{,}¦{"a"}¦{"a":}¦{"a":1¦{"a":1,}¦{"a":1]¦
        {a:1}¦{1:1}¦{"a" : 1 , "a" : {} }¦{"a"::1}¦{"a":1 "b":2}¦}¦]¦:¦,¦{}{}[]""1"#;
    let controls =
        "\"\t\"¦\"\n\"¦\"\u{0}\"¦\"\u{1f}\"¦\"\u{7f}\u{80}\u{2028}\"¦\u{a0}1¦\u{c}1¦\u{feff}1";
    let texts = plain.split('¦').chain(controls.split('¦'));
    for text in texts {
        assert_as_serde_json_has_it(text);
        // Tests every place of a window, behind all kinds of neighbours.
        for filler in ["x", "é", "\\\\", "\\n", "\\\"", "\\u0041"] {
            for length in 0..70 {
                let filler = filler.repeat(length);
                assert_as_serde_json_has_it(&format!("[\"{filler}\",{text}]"));
                assert_as_serde_json_has_it(&format!("\"{filler}{}", text.trim_matches('"')));
            }
        }
    }
}

#[test]
fn nesting_may_be_of_any_depth() {
    for depth in [127, 128, 129, 100_000] {
        let (open, close) = ("[{\"a\":".repeat(depth), "}]".repeat(depth));
        assert_as_serde_json_has_it(&format!("{open}1{close}"));
        assert_as_serde_json_has_it(&format!("{open}1{close}]"));
        assert_as_serde_json_has_it(&format!("{open}1{}", &close[1..]));
    }
}

proptest! {
    #[test]
    fn any_text_is_taken_as_serde_json_takes_it(text in "[\\[\\]{}:,\"\\\\ \n0-9eEu.+\\-abfnrtl/é\u{1}]{0,90}") {
        assert_as_serde_json_has_it(&text);
    }

    /// Checks JSON with a mistake: something inserted, removed or cut off.
    #[test]
    fn mistakes_are_found(
        tokens in prop::collection::vec(prop::sample::select(TOKENS), 0..40),
        at in any::<prop::sample::Index>(),
        mistake in prop::sample::select(&["", "\"", "\\", ",", "}", "]", "\u{1}", "\\u00", "1", " "][..]),
        gone in 0..3_usize,
    ) {
        let text = format!("[{}]", tokens.join(","));
        let places: Vec<usize> = text.char_indices().map(|(at, _)| at).collect();
        let at = *at.get(&places);
        let rest: String = text[at..].chars().skip(gone).collect();
        assert_as_serde_json_has_it(&text);
        assert_as_serde_json_has_it(&format!("{}{mistake}{rest}", &text[..at]));
        assert_as_serde_json_has_it(&text[..at]);
    }
}

const TOKENS: &[&str] = &[
    "null",
    "true",
    "-12.5e+3",
    "\"\"",
    "[]",
    "{}",
    "{\"a\":1,\"b\\n\":[\"x\"]}",
    "\"\\\\\"",
    "\"\\ud83d\\ude00\"",
    " \"words, words and more words that go over the end of a window, and \\\"quotes\\\" in them\" ",
    "\n[[1,2],{\"é\":{}}]",
];

#[test]
fn the_ends_of_long_values_are_known() {
    let long = "x\\\"".repeat(200);
    let text = format!(
        "{{\"a\":[\"{long}\",[1,{{\"b\":\"{long}\"}},\"short\"],{{}}],\"{long}\":[]}} \"{long}\""
    );
    let mut values = Values::of(&text);
    let found: Vec<_> = values.by_ref().map_while(Result::ok).collect();
    let ends = values.ends();
    let mut left: Vec<Json<'_>> = found;
    let mut known = 0;
    while let Some(json) = left.pop() {
        let length = ends.length(json.source().as_ptr().addr());
        assert!(length.is_none_or(|length| length == json.source().len()), "{json:?}");
        assert_eq!(length.is_some(), json.source().len() >= 256, "{json:?}");
        known += usize::from(length.is_some());
        left.extend(json.items().chain(json.members().map(|(_, value)| value)));
        let with = json.knowing(&ends);
        assert!(with.items().eq(json.items()));
        assert!(with.members().map(|(_, v)| v).eq(json.members().map(|(_, v)| v)));
    }
    assert_eq!(known, 7);
}
