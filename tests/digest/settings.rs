//! Other settings than work on files: talk, advice, service, and scripts without blanks.

use crate::script::{Script, chat, digested, digested_of, with, work};
use context_compact::digest::Setting;
use context_compact::marks::SUMMARY_OPENER;

#[test]
fn keeps_records_with_the_names_of_their_fields() {
    let script = Script::default()
        .user("My order, please.")
        .calls("get_order", r#"{"order_id":"W123"}"#, r#"{"order_id":"W123","status":"pending","items":[{"item_id":"4410284"},{"item_id":"7706410"}],"payment":{"id":"card_77"}}"#)
        .assistant("Here it is.")
        .user("Thanks.");
    let text = script.digest(60);
    for wanted in ["item_id: 4410284", "item_id: 7706410", "id: card_77"] {
        assert!(text.contains(wanted), "{wanted:?} is missing in:\n{text}");
    }
}

#[test]
fn what_a_map_holds_of_one_thing_is_not_told_of_another() {
    let user = r#"{"user_id":"mia_1","cards":{"card_11":{"id":"card_11"},"gift_22":{"amount":431,"id":"gift_22"}},"days":{"2024-05-16":{"seats":17},"2024-05-17":{"seats":23}}}"#;
    let script = Script::default().user("My profile, please.").calls("get_user", "{}", user);
    let text = script.assistant("Here it is.").user("Thanks.").digest(90);
    let wanted = "user_id: mia_1; id: card_11; amount: 431, id: gift_22; 2024-05-16, seats: 17; 2024-05-17, seats: 23";
    assert!(text.contains(wanted), "{text}");
}

#[test]
fn what_a_record_is_of_is_told_with_its_fields() {
    let order = r#"{"items":[{"name":"Lamp","item_id":"4410284","price":120},{"name":"Chair","item_id":"7706410","price":95}],"guests":[{"first_name":"Ana","last_name":"Lopez","dob":"1991-11-04"},{"first_name":"Bo","last_name":"Lopez","dob":"1993-02-17"}],"customer":{"name":"Ana","zip":"90210"}}"#;
    let script = Script::default().user("My order, please.").calls("get_order", "{}", order);
    let text = script.assistant("Here it is.").user("Thanks.").digest(120);
    for wanted in [
        "Lamp, item_id: 4410284, price: 120; Chair, item_id: 7706410, price: 95",
        "Ana Lopez, dob: 1991-11-04; Bo Lopez, dob: 1993-02-17",
        " zip: 90210",
    ] {
        assert!(text.contains(wanted), "{wanted:?} is missing in:\n{text}");
    }
}

#[test]
fn a_record_tells_the_plain_words_that_were_spoken_of() {
    let booked = |script: Script, (number, from, cabin): (&str, &str, &str)| {
        let booking = format!(
            r#"{{"booking_id":"{number}","from":"{from}","cabin":"{cabin}","meal":"vegetables","paid":{}}}"#,
            100 + number.len()
        );
        script.calls("get_booking", &format!(r#"{{"booking_id":"{number}"}}"#), &booking)
    };
    let all = [
        ("KW7Q1", "Lisbon", "economy"),
        ("RT8Z2", "Denver", "business"),
        ("PL9X33", "Oslo", "first"),
    ];
    let script =
        all.into_iter().fold(Script::default().user("I mean my trip from Denver."), booked);
    let said = "I'm unable to change the cabin of a trip that is under way, as the rules have it.";
    let text = script.assistant(said).user("Then cancel it.").digest(90);
    assert!(text.contains("RT8Z2") && text.contains("from: Denver"), "{text}");
    assert!(text.contains("unable to change the cabin"), "{text}");
    assert!(!text.contains("vegetables"), "{text}");
}

#[test]
fn a_record_whose_number_is_told_elsewhere_is_known_by_it() {
    let rooms = r#"[{"room_number":"R17","rate":240},{"room_number":"R23","rate":265}]"#;
    let script = Script::default().user("A room, please.").calls("find_rooms", "{}", rooms);
    let script = script.assistant("There are two.").user("I take R23, and not R17.");
    for budget in 16..40 {
        let text = script.digest(budget);
        for (number, rate) in [("R17", "rate: 240"), ("R23", "rate: 265")] {
            assert!(!text.contains(rate) || text.contains(&format!("{number}, {rate}")), "{text}");
        }
        assert!(budget < 30 || text.contains("rate: 240"), "{text}");
    }
}

#[test]
fn fields_of_one_name_are_told_with_the_object_that_they_stand_in() {
    let room = |n, seats| {
        format!(
            r#"{{"id":"R{n}","left":{{"single":{seats}}},"rates":{{"single":{n}5,"double":{n}9}}}}"#
        )
    };
    let rooms = format!("[{},{},{}]", room(11, 101), room(12, 102), room(13, 103));
    let script = Script::default().user("A room, please.").calls("find_rooms", "{}", &rooms);
    let text = script.assistant("There are some.").user("Thanks.").digest(120);
    let wanted = "id: R11, left.single: 101, rates.single: 115, double: 119; id: R12, left.single: 102, rates.single: 125";
    assert!(text.contains(wanted), "{text}");
}

#[test]
fn of_several_lookups_each_says_of_what_it_is() {
    let order = |script: Script, n| {
        let args = format!(r#"{{"order_id":"W{n}"}}"#);
        script.calls(
            "get_order",
            &args,
            &format!(r#"{{"order_id":"W{n}","total":{n}0,"paid":"no"}}"#),
        )
    };
    let list = r#"{"orders":["W101","W102","W103"]}"#;
    let script = Script::default().user("Hi!").calls("get_user", r#"{"user_id":"ana_7"}"#, list);
    let script = [101, 102, 103].into_iter().fold(script, order).assistant("Which?").user("W102.");
    for budget in 16..120 {
        let text = script.digest(budget);
        let is_of = |line: &str, n: usize| line.contains(&format!("W{n}"));
        for (line, n) in text.lines().flat_map(|line| [101, 102, 103].map(|n| (line, n))) {
            assert!(!line.contains(&format!("total: {n}0")) || is_of(line, n), "{text}");
        }
        assert!(budget < 100 || text.contains("total: 1010"), "{text}");
    }
    let text = script.digest(600);
    assert!(text.contains("] get_user(user_id: ana_7): orders: W101, W102, W103"), "{text}");
    assert!(text.contains("] get_order(order_id: W102): total: 1020, paid: no"), "{text}");
}

#[test]
fn keeps_chinese_sentences_whole() {
    let script = Script::default()
        .user("请修复登录。")
        .assistant("问题是令牌过期。所以我们决定改为自动刷新令牌。")
        .user("好的。");
    let text = script.digest(100);
    assert!(text.contains("问题是令牌过期。"), "{text}");
    assert!(text.contains("所以我们决定改为自动刷新令牌。"), "{text}");
}

#[test]
fn tells_the_settings_apart() {
    let setting = |script: &Script| with(&script.source(), Setting::of);
    assert_eq!(setting(&work()), Setting::Work);
    let service = Script::default().user("Hi").calls("get_user", r#"{"user_id":"a_1"}"#, "{}");
    assert_eq!(setting(&service), Setting::Service);
    let talk = || Script::default().user("How is Anna today?").assistant("She is well, thank you.");
    assert_eq!(setting(&talk()), Setting::Talk);
    let advice = talk().user("Why is the sky blue?").assistant(&"Light is scattered. ".repeat(10));
    assert_eq!(setting(&advice), Setting::Advice);
    // What is escaped is as long as what it says, and reminders are not the user's.
    let quotes = "\"\"\"\"".repeat(20);
    let escaped =
        Script::default().user(&quotes).assistant(&"Those are quotation marks. ".repeat(5));
    assert_eq!(setting(&escaped), Setting::Advice);
    let reminder = format!("<system-reminder>\n{}</system-reminder>", "Be brief.\n".repeat(30));
    let with_reminder = advice.user(&reminder).assistant("I am.");
    assert_eq!(setting(&with_reminder), Setting::Advice);
    // Where nothing is left that was answered, an earlier summary says that questions were.
    let open = Script::default().user("How is Anna today?");
    assert_eq!(setting(&open), Setting::Talk);
    let left = Script::default().says("user", &format!("{SUMMARY_OPENER}\nAll is well.\n[end]"));
    assert_eq!(setting(&left.user("How is Anna today?")), Setting::Advice);
}

#[test]
fn talk_is_told_by_day_and_speaker() {
    let text = chat().user("Bye!").digest(44);
    for line in [
        "\n[2] 8 May 2023:\nAnna: Wow, I moved to Ljubljana with my cousin Marjeta, of all places!",
        "\n[6] 2 June 2023:\nBert: I sold my accordion for 340 euros.",
    ] {
        assert!(text.contains(line), "{line:?} is missing in:\n{text}");
    }
    assert!(!text.contains("] Anna"), "{text}");
}

#[test]
fn a_condition_stays_however_often_it_is_said() {
    let script = Script::default()
        .user("If not, cancel the booking at the Hotel Meridian in Trieste.")
        .assistant("If not, I cancel the table at the Osteria Marino as well.")
        .user("If not, cancel the boat of Captain Zorzi, too. 如果下雨，我们就取消去的里雅斯特的旅行。")
        .assistant("如果下雨，我们就取消晚饭。 如果下雨，我们就取消船。");
    let text = script.user("Bye!").digest(100);
    assert_eq!(text.matches("If not, ").count(), 3, "{text}");
    assert!(text.contains("如果下雨，我们就取消去的里雅斯特"), "{text}");
}

#[test]
fn neighbours_of_one_speaker_share_a_line() {
    let text = chat().user("Bye!").digest(200);
    assert!(text.contains("340 euros. It is what it is, after all. … Nothing else"), "{text}");
}

#[test]
fn what_one_says_in_a_message_is_not_put_into_the_mouth_of_another() {
    let talk = "Anna: I moved to Ljubljana. It is so nice here!\n\
                Bert: That is so nice for the two of you! I sold my accordion for 340 euros.";
    let more = "That is how it goes, and it is going to be better soon, for sure.";
    let script = Script::default().user(talk).assistant(more).user(more).assistant(more);
    let text = script.user("Bye!").digest(40);
    let line = text.lines().find(|line| line.contains("Ljubljana")).unwrap_or_default();
    assert!(!line.contains("accordion") && text.contains("accordion"), "{text}");
}

#[test]
fn where_nothing_has_a_name_the_last_call_is_told() {
    let call = |script: Script, text: &str| script.calls("f", "{}", text);
    let rows = (0..5).fold(Script::default(), |script, _| call(script, &"row of it\n".repeat(99)));
    let text = digested(&call(rows.clone(), "").user("next").source(), 300);
    assert!(text.contains("called f → ok"), "{text}");
    // What nobody has read yet is told, each line once.
    let text = digested(&rows.user("next").source(), 300);
    assert_eq!(text.matches("- [8] f\n> row of it\n").count(), 1, "{text}");
}

#[test]
fn the_last_words_of_a_language_without_blanks_are_told() {
    let script = work()
        .runs("cargo test", "12 passed; 0 failed")
        .assistant("已经修复了令牌过期的问题，所有测试都通过了，接下来需要更新文档并发布新的版本。")
        .runs("ls", "a.rs");
    let text = script.user("好").digest(900);
    assert!(text.contains("last words: 已经修复了"), "{text}");
}

#[test]
fn a_record_that_was_not_written_is_told_as_that() {
    let script = Script::default().user("Change my flight to May 20, and pay with the gift card.");
    let seats = r#"[{"flight":"HAT136","seats":4,"price":152}]"#;
    let script = script.calls("search_flights", r#"{"date":"2024-05-20"}"#, seats);
    let pay = r#"{"reservation_id":"K1NW8N","payment_id":"gift_card_8190333"}"#;
    let script = script.calls("pay", pay, "Error: gift card balance is not enough");
    let book = r#"{"reservation_id":"K1NW8N","flight":"HAT136"}"#;
    let script = script.calls("update_flight", book, "Error: flight HAT136 not available");
    let script = script.assistant("I could not change it.").user("Why?");
    let text = script.digest(500);
    let failed = "> [3] pay(reservation_id: K1NW8N, payment_id: gift_card_8190333): failed: ";
    assert!(text.contains(&format!("{failed}Error: gift card balance is not enough")), "{text}");
    let last = "- [5] The last step: called update_flight → failed";
    for budget in [60, 80, 120, 200, 500] {
        let text = script.digest(budget);
        assert!(text.contains(last), "{budget}: {text}");
        assert!(budget < 200 || text.contains(": flight HAT136 not available"), "{text}");
    }
    // What stays visible behind it goes on.
    let visible = script.clone().calls("update_flight", r#"{"flight":"HAT7"}"#, r#"{"ok":true}"#);
    let visible = visible.assistant("It is booked.").user("Thanks.").source();
    let before = digested_of(&visible, 120, None, |at| at < 7);
    assert!(before.contains("The last step before the messages below: called"), "{before}");
    // It is so until something else is called.
    let next = Script::after(&text).assistant("The flight is full.").user("And?");
    let text = next.digest(80);
    assert!(text.contains("The last step: called update_flight → failed"), "{text}");
}

#[test]
fn what_a_call_was_asked_is_told_apart_from_what_it_answered() {
    let asked = r#"{"from":"KRK","to":"TRS","date":"2024-05-20"}"#;
    let found = r#"[{"boat_number":"B117","from":"KRK","date":"2024-05-20","price":152}]"#;
    let script = Script::default().user("A boat, please.").calls("search_boats", asked, found);
    let book = r#"{"boat_number":"B117","guests":[{"first_name":"Ana","dob":"1991-11-04"}]}"#;
    let script = script.calls("book_boat", book, r#"{"booking_id":"K1NW8N","price":152}"#);
    let text = script.assistant("It is booked.").user("Thanks.").digest(600);
    for line in [
        "> [1] search_boats(from: KRK, to: TRS, date: 2024-05-20): boat_number: B117, price: 152",
        "> [3] book_boat(boat_number: B117; Ana, dob: 1991-11-04): booking_id: K1NW8N, price: 152",
    ] {
        assert!(text.contains(line), "{line:?} is missing in:\n{text}");
    }
}

#[test]
fn a_search_that_found_nothing_is_told_as_that() {
    let search = |script: Script, (to, found)| {
        script.calls("search_boats", &format!(r#"{{"to":"{to}"}}"#), found)
    };
    let script = Script::default().user("A boat to Trieste, please.");
    let script = [("TRS", "[]"), ("PLA", ""), ("RJK", "{}")].into_iter().fold(script, search);
    // An empty answer of what does something is none.
    let script = script.calls("cancel_boat", r#"{"booking_id":"K1NW8N"}"#, "{}");
    let script = script.assistant("There is none.").user("Well.");
    let text = script.digest(600);
    for line in [
        "] search_boats(to: TRS): nothing found",
        "] search_boats(to: PLA): nothing found",
        "] search_boats(to: RJK): nothing found",
        "] cancel_boat(booking_id: K1NW8N): ok",
    ] {
        assert!(text.contains(line), "{line:?} is missing in:\n{text}");
    }
    let late = format!("{}Boat 7 at noon", "\n".repeat(600));
    let script = search(Script::default().user("A boat to Pula, please."), ("PUY", &late));
    let text_of_late = script.assistant("Boat 7.").user("Well.").digest(600);
    assert!(!text_of_late.contains("nothing found"), "{text_of_late}");
    // So it is after another compaction.
    let next = Script::after(&text).user("And to Pula?").assistant("No.");
    let next = next.user("Thanks.").digest(600);
    assert!(next.contains("> [1.1] search_boats(to: TRS): nothing found"), "{next}");
}

#[test]
fn of_several_names_only_those_of_a_person_are_one() {
    let list = r#"[{"product_name":"Lamp","brand_name":"Lux","price":31},{"first_name":"Ana","last_name":"Lopez","user_name":"alo","age":32}]"#;
    let script = Script::default().user("What is there?").calls("list_all", "{}", list);
    let text = script.assistant("Two.").user("Thanks.").digest(600);
    let wanted = ": Lamp, brand_name: Lux, price: 31; Ana Lopez, user_name: alo, age: 32";
    assert!(
        text.contains(wanted) || text.contains(&wanted.replace("Lamp,", "product_name: Lamp,")),
        "{text}"
    );
}

#[test]
fn what_was_done_to_records_is_told_before_what_was_looked_up() {
    let look = |script: Script, at: usize| {
        let boat = format!(
            r#"{{"boat_number":"B{at}7","skipper":"Ana Kos","berths":{at},"price":{at}40,"sails_on":"2024-05-{at}"}}"#
        );
        script.calls("get_boat", &format!(r#"{{"boat_number":"B{at}7"}}"#), &boat)
    };
    let book = |boat: &str| format!(r#"{{"boat_number":"{boat}","card":"card_8812"}}"#);
    let script = (10..22).fold(Script::default().user("A boat for two, please."), look);
    let refused = "Error: card_8812 is not enough";
    let script = script.calls("book_boat", &book("B117"), refused);
    let script = script.calls("book_boat", &book("B117"), refused);
    let made = r#"{"booking_id":"K1NW8N","boat_number":"B127","paid":"card_8812"}"#;
    let script = script.calls("book_boat", &book("B127"), made);
    let source =
        (22..30).fold(script, look).assistant("It is booked.").user("And a skipper?").source();
    for budget in [160, 400, 700] {
        let text = digested(&source, budget);
        // What failed twice alike is told once, the last time, beside what was done, and with room also with what.
        assert_eq!(text.matches("failed: Error: card_8812").count(), 1, "{budget}: {text}");
        assert!(text.contains("booking_id: K1NW8N"), "{text}");
        assert!(text.contains("card: card_8812") || budget < 200, "{text}");
    }
    // With less room, what failed is never told without what was done in the end.
    for budget in (20..160).step_by(4) {
        let text = digested(&source, budget);
        assert!(text.contains("K1NW8N") || !text.contains("failed"), "{budget}: {text}");
    }
}

#[test]
fn a_picture_is_not_nothing() {
    let source = r#"{"messages":[{"role":"user","content":"My usage, please."},
        {"role":"assistant","content":[{"type":"tool_use","id":"t1","name":"get_chart","input":{"customer_id":"AK-7731"}}]},
        {"role":"user","content":[{"type":"tool_result","tool_use_id":"t1","content":[{"type":"image","source":{"type":"base64","media_type":"image/png","data":"iVBORw0KGgo="}}]}]},
        {"role":"assistant","content":"There it is."},{"role":"user","content":"And the year before?"}]}"#;
    let text = digested(source, 300);
    assert!(!text.contains("nothing found"), "{text}");
}

#[test]
fn an_argument_that_would_part_a_heading_stands_in_none() {
    let boat = r#"{"skipper":"Ana_7","note":"with (all): extras; and more"}"#;
    let script = Script::default().user("A boat, please.");
    let script = script.calls("book_boat", boat, r#"{"booking_id":"K1NW8N","fare":412}"#);
    let text = script.assistant("It is booked.").user("Fine.").digest(400);
    assert!(text.contains("] book_boat(skipper: Ana_7"), "{text}");
    let next = Script::after(&text).user("And the fare?").assistant("412.");
    let next = next.user("Thanks.").digest(400);
    let line = next.lines().find(|line| line.contains("K1NW8N")).unwrap_or_default();
    assert!(line.contains("Ana_7") && line.contains("412"), "{next}");
    assert_eq!(line.matches('(').count(), line.matches(')').count(), "{next}");
}

#[test]
fn what_a_user_was_offered_last_is_told() {
    let boats = r#"[{"boat_number":"B117","price":152},{"boat_number":"B127","price":140}]"#;
    let offer =
        "I found two boats:\n1. B117 sails at 10:00 AM.\n2. B127 sails at 02:30 PM.\nWhich one?";
    let script = Script::default().user("A boat, please.").calls("search_boats", "{}", boats);
    let script = script.calls("think", r#"{"thought":"Both are small."}"#, "").assistant(offer);
    let text = script.clone().user("The second.").digest(600);
    let words = "- [5] The assistant's last words: I found two boats: 1. B117 sails at 10:00 AM.";
    assert!(text.contains(words) && text.contains("02:30 PM. Which one?"), "{text}");
    // What is told of a second compaction is told of what was said since.
    let next = Script::after(&text).assistant("B127 it is, for 140 euros.");
    let next = next.user("Thanks.").digest(600);
    assert!(next.contains("last words: B127 it is"), "{next}");
    assert_eq!(next.matches("last words").count(), 1, "{next}");
    // What was offered before something was done is over.
    let booked = script.clone().user("The second.");
    let booked =
        booked.calls("book_boat", r#"{"boat_number":"B127"}"#, r#"{"booking_id":"K1NW8N"}"#);
    let booked = booked.assistant("Done.").user("Thanks.").digest(600);
    assert!(!booked.contains("last words"), "{booked}");
    // What was asked and answered since is over as well.
    let answered = script.clone().user("The second.").assistant("It is full.").user("Oh.");
    assert!(answered.digest(600).contains("last words: It is full."));
    let quiet = Script::after(&text).user("The second.").user("Hello?");
    let quiet = quiet.digest(600);
    assert!(quiet.contains("2. B127 sails at 02:30 PM. Which one?"), "{quiet}");
    assert!(!quiet.contains("nothing found"), "{quiet}");
}

#[test]
fn a_record_of_any_depth_is_read_in_its_own_time() {
    let nested =
        |depth| format!(r#"{}"bolt_7731"{}"#, r#"{"part":"#.repeat(depth), "}".repeat(depth));
    let listed = |depth| format!("{}1{}", r#"{"parts":["#.repeat(depth), "]}".repeat(depth));
    // Each level read for every one around it would take minutes.
    let script = Script::default().user("Which part is worn?");
    let script = script.calls("get_part", &listed(40_000), &nested(40_000));
    let text = script.assistant("A bolt.").user("Which?").digest(300);
    assert!(text.contains("Which part is worn?"), "{text}");
    let shallow = Script::default().user("Which?").calls("get_part", "{}", &nested(20));
    let text = shallow.assistant("A bolt.").user("Which?").digest(300);
    assert!(text.contains("part: bolt_7731"), "{text}");
}

#[test]
fn it_is_the_same_talk_however_its_letters_are_written() {
    let script = Script::default()
        .user("Как хранить письма?")
        .assistant("Keep them in folders by year, and write down who sent each.")
        .user("А фото?")
        .assistant("The same, in albums.");
    let source = script.source();
    let escaped = |c: char| match u32::from(c) {
        ..128 => c.to_string(),
        code => format!("\\u{code:04x}"),
    };
    let ascii: String = source.chars().map(escaped).collect();
    assert_eq!(with(&source, Setting::of), Setting::Advice);
    assert_eq!(with(&ascii, Setting::of), Setting::Advice);
}

/// An agent that edits a contract, whose tools answer in texts.
fn contract() -> Script {
    let clause = |at: usize| {
        let words = "The supplier shall, without prejudice to any remedy of the customer, pay. ";
        format!("{at}. Liability\n{}", words.repeat(6))
    };
    let rules = "Work on the draft of Harbour Foods. Never touch schedule 3: others negotiate it. \
                 The cap on liability is at least 150 % of the charges, and the courts decide.";
    let script = Script::default().user(rules);
    let script = script.calls("doc_read", r#"{"section":"9"}"#, &clause(9));
    let script = script.assistant("Clause 9.2 caps liability at 100 %, which is too low.");
    let raise = r#"{"section":"9.2","old":"100 %","new":"150 % (of what is paid or payable)"}"#;
    let script = script.calls("doc_replace", raise, "OK: tracked change #1");
    let script = script.user("They offer 125 %; never mind.").calls(
        "doc_read",
        r#"{"section":"14"}"#,
        &clause(14),
    );
    let lower = r#"{"section":"9.2","old":"150 %","new":"125 %"}"#;
    let script = script.calls("doc_replace", lower, "OK: tracked change #2");
    let again = r#"{"section":"9.2","old":"125 %","new":"150 %"}"#;
    script.calls("doc_replace", again, "OK: tracked change #3")
}

#[test]
fn what_other_tools_did_is_told_with_what_the_agent_says() {
    let script = contract().assistant("9.2 is back at 150 %.").user("What is left to be done?");
    let text = script.digest(600);
    for line in [
        "[3] Clause 9.2 caps liability at 100 %, which is too low.",
        "## Other calls\n> [4] doc_replace(section: 9.2, old: 100 %, new: 150 % (of what is paid or \
         payable)): OK: tracked change #1\n",
        "> [11] doc_replace(section: 9.2, old: 125 %, new: 150 %): OK: tracked change #3\n",
    ] {
        assert!(text.contains(line), "{line:?} is missing in:\n{text}");
    }
    // It is work still where nothing was called since, and each call stays one line.
    let next = Script::after(&text).user("And clause 14?").assistant("It is as it was.");
    let text = next.user("Then send it.").digest(600);
    let line =
        "> [1.11] doc_replace(section: 9.2, old: 125 %, new: 150 %): OK: tracked change #3\n";
    assert!(text.contains("## Other calls\n") && text.contains(line), "{text}");
    assert!(!text.contains("## Records"), "{text}");
}

#[test]
fn what_was_asked_first_is_kept_before_shorter_rules() {
    let mut script = contract();
    for at in 0..9 {
        script = script.user(&format!("Never use word {at} in a clause.")).assistant("No.");
    }
    let text = script.user("Go on.").digest(300);
    assert!(text.contains("[0] User: \"Work on the draft"), "{text}");
}

#[test]
fn of_a_crowd_of_records_what_stands_out_is_told() {
    let event = |at: usize| match at {
        17 => r#"{"op":"a91c20","text":"Handed to M. Ferrer, porter"}"#.to_owned(),
        at => format!(r#"{{"op":"{:06x}","text":"Left the centre"}}"#, 0x9f_3a11 + at * 7919),
    };
    let events = (0..40).map(event).collect::<Vec<_>>().join(",");
    let script = Script::default().user("Where is my parcel?");
    let script =
        script.calls("track", r#"{"parcel":"ZX88120734"}"#, &format!(r#"{{"events":[{events}]}}"#));
    let text = script.assistant("I am looking into it.").user("Well?").digest(60);
    assert!(text.contains("Handed to M. Ferrer, porter"), "{text}");
}

#[test]
fn what_a_call_is_told_by_is_told_once_and_before_its_telemetry() {
    let asked =
        "The customer wrote on 15 April and was never answered, and the window is closed since";
    let refund = format!(r#"{{"order_id":"A50232","amount":1339,"reason":"{asked}"}}"#);
    let failed = "{\n  \"error\": {\n    \"code\": \"MISMATCH\",\n    \"message\": \"1339 matches no line\"\n  },\n  \"request_id\": \"r731606413\"\n}";
    let script = Script::default().user("Refund the socks of order A50232.");
    let script = script.calls("create_refund", &refund, failed);
    let done =
        r#"{"refund_id":"RF-6620","state":"paid","request_id":"r801505970","latency_ms":341}"#;
    let script =
        script.calls("create_refund", r#"{"order_id":"A50232","amount":1240}"#, done).user("And?");
    let text = script.digest(600);
    assert!(
        text.contains("failed: { \"error\": { \"code\": \"MISMATCH\", \"message\": "),
        "{text}"
    );
    assert_eq!(text.matches("The customer wrote on 15 April").count(), 1, "{text}");
    let text = script.digest(100);
    assert!(text.contains("RF-6620") && !text.contains("latency_ms"), "{text}");
}

#[test]
fn what_a_customer_asked_for_is_told_beside_many_records() {
    let lookup = |script: Script, number: usize| {
        let (id, plane, gate) = (format!("HAT{number}"), number * 7919, number * 31);
        let flight = format!(r#"{{"flight":"{id}","plane":"N{plane}","gate":"G{gate}"}}"#);
        script.calls("get_flight", &format!(r#"{{"flight":"{id}"}}"#), &flight)
    };
    let asked = "Additionally, I would like to bring my guitar along.";
    let script = Script::default().user("Hello there.").user(asked);
    let script = (100..180).fold(script, lookup).assistant("Here they are.");
    let text = script.user("Thanks.").digest(700);
    assert!(text.contains(asked), "{text}");
}

#[test]
fn of_a_customers_message_the_request_is_told_before_the_courtesy() {
    let lookup = |script: Script, number: usize| {
        let flight = format!(r#"{{"flight":"HAT{number}","plane":"N{}"}}"#, number * 7919);
        script.calls("get_flight", &format!(r#"{{"flight":"HAT{number}"}}"#), &flight)
    };
    for asked in [
        "Could you add a bag to it as well?",
        "I’d like to bring my guitar along.",
        "If that costs more than the seat, leave it.",
    ] {
        let said = format!("Thanks for looking that up. {asked} It was a long day for all of us.");
        let script = Script::default().user("Hello there.").user(&said);
        let script = (100..180).fold(script, lookup).assistant("Here they are.");
        let text = script.user("Thanks.").digest(300);
        assert!(text.contains(asked) && !text.contains("looking that up"), "{text}");
    }
}

#[test]
fn how_something_was_paid_is_told_though_it_was_tried_again() {
    let book = |flight: &str| {
        format!(
            r#"{{"user_id":"mia_1","flight":"{flight}","payments":[{{"payment_id":"voucher_7504069","amount":250}}]}}"#
        )
    };
    let lookup = |script: Script, number: usize| {
        let flight = format!(r#"{{"flight":"HAT{number}","plane":"N{}"}}"#, number * 7919);
        script.calls("get_flight", &format!(r#"{{"flight":"HAT{number}"}}"#), &flight)
    };
    let script = Script::default()
        .user("Book HAT136, please.")
        .calls("book_flight", &book("HAT136"), r#"{"booking_id":"KW7Q1"}"#)
        .user("And HAT201.")
        .calls("book_flight", &book("HAT201"), "Error: voucher not found");
    let script = (300..340).fold(script, lookup).assistant("The voucher was used before.");
    let text = script.user("Thanks.").digest(700);
    let (first, _) = text.split_once("> [4]").expect("both are told");
    assert!(first.contains("payment_id: voucher_7504069"), "{text}");
}
