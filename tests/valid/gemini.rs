//! Gemini: one object stands for a list of it, as in every protocol buffer.

use crate::*;

const ONE: &str =
    r#"{"system_instruction":{"parts":{"text":"S"}},"contents":{"parts":{"text":"hi"}}}"#;

#[test]
fn one_content_and_one_part_are_read_as_lists_of_them() {
    assert_eq!(dialect_of(ONE), "gemini");
    assert_valid(ONE);
    assert_valid(
        r#"{"contents":[{"role":"user","parts":{"text":"q"}},{"role":"model","parts":{"functionCall":{"name":"f","args":{}}}},{"role":"user","parts":{"functionResponse":{"name":"f","response":{"a":1}}}}]}"#,
    );
    let document = Document::parse(ONE.as_bytes()).unwrap();
    let texts: Vec<String> = decode(&document).messages.iter().map(Message::text).collect();
    assert_eq!(texts, ["S", "hi"]);
}

#[test]
fn what_gets_more_becomes_a_list() {
    let document = Document::parse(ONE.as_bytes()).unwrap();
    let conversation = decode(&document);
    let edited = |edit: &dyn Fn(&mut Draft<'_, '_>)| {
        let mut draft = Draft::new(&conversation);
        edit(&mut draft);
        String::from_utf8(document.apply(&draft.edits(&document))).unwrap()
    };
    let contents = |list: &str| ONE.replace(r#"{"parts":{"text":"hi"}}"#, list);
    let new = || NewMessage::text(Role::User, "new");
    let one = r#"{"parts":{"text":"hi"}}"#;
    let other = r#"{"role":"user","parts":[{"text":"new"}]}"#;
    assert_eq!(
        edited(&|draft| draft.insert_message(1, new())),
        contents(&format!("[{other},{one}]"))
    );
    assert_eq!(
        edited(&|draft| draft.insert_message(2, new())),
        contents(&format!("[{one},{other}]"))
    );
    assert_eq!(edited(&|draft| draft.drop_message(1)), contents("[]"));
    assert_eq!(
        edited(&|draft| draft.insert_part((1, 1), NewPart::Text("new".into()))),
        contents(r#"{"parts":[{"text":"hi"},{"text":"new"}]}"#)
    );
    assert_eq!(
        edited(&|draft| {
            draft.set_text((1, 0), "ho");
            draft.insert_part((1, 0), NewPart::Text("new".into()));
        }),
        contents(r#"{"parts":[{"text":"new"},{"text":"ho"}]}"#)
    );
}

#[test]
fn an_empty_part_goes() {
    let said = |parts: &str| {
        format!(
            r#"{{"contents":[{{"role":"user","parts":[{{"text":"a"}}]}},{{"role":"model","parts":[{parts}]}},{{"role":"user","parts":[{{"text":"b"}}]}}]}}"#
        )
    };
    assert_repaired(&said(r#"{"text":"m"},{}"#), &said(r#"{"text":"m"}"#));
    assert_eq!(faults(&said("{}"), Provider::Gemini).len(), 1);
    assert_valid(&normalized(&said("{}"), Provider::Gemini));
}
