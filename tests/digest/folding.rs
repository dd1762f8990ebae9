//! A digest that is folded into the next one: what stays, what is settled, in which order.

use crate::script::{Digest, Script, chat, digested, digested_by_thirds, digested_of, reads, work};
use context_compact::digest::Setting;
use context_compact::json::quote;
use context_compact::marks::SUMMARY_OPENER;

/// A question of its own number.
fn question(at: usize) -> String {
    format!("Boat {at}{at}{at} goes where with all of us, and when?")
}

#[test]
fn nobody_speaks_twice_in_a_line_that_is_carried() {
    let digest = "[Summary of the conversation so far, made by ctx]\n[0] User: \"Who are you?\"\n\
                  [1] Assistant: I am a lamp.\n\
                  Assistant: My name is Vicuna, and the researchers of Argand built me in Geneva.\n[end]";
    let script = Script::after(digest).user("Where do you live?").assistant("In Geneva, I think.");
    let source = script.user("And who pays the oil?").user("Go on.").source();
    let mut told = 0;
    for budget in 20..90 {
        let text = digested(&source, budget);
        told += usize::from(text.contains("My name is Vicuna"));
        assert!(!text.contains("Assistant: Assistant:"), "{budget}: {text}");
    }
    assert!(told > 20);
}

#[test]
fn no_digest_says_how_it_is_read_alone_and_each_knows_how_many_it_sums_up() {
    let mut text = work().user("Go on.").digest(300);
    for round in 2..9 {
        let again = Script::after(&text).edits("door.rs", "b()", "open()").assistant("It opens.");
        let source = again.user("Close the door.").user("Go on.").source();
        for budget in 8..60 {
            let tight = digested(&source, budget);
            let said =
                |line: &&str| !line.starts_with("[Summary") && !line.starts_with("Compaction");
            assert!(tight.is_empty() || tight.lines().any(|line| said(&line)), "{budget}: {tight}");
        }
        text = digested(&source, 60);
        assert!(text.contains(&format!("\nCompaction {round}:")), "{text}");
    }
}

#[test]
fn a_rule_of_the_users_outlives_what_they_only_say_to_go_on() {
    let rule = "Write the lamp_table. Rule: never burn whale_oil, and always answer in French.";
    let mut script = Script::default().user(rule);
    for at in 0..12 {
        script = script.edits(&format!("lamp_{at}.rs"), "a()", &format!("trim_{at}()"));
        script = script.assistant(&format!("Lamp {at} burns, for its wick_{at} is trimmed."));
        script = script.user(&format!("Go on with lamp number {at}, of those behind the house."));
    }
    let mut text = script.user("Go on.").digest(150);
    for round in 0..6 {
        let again = Script::after(&text).edits("door.rs", "b()", "open()").assistant("It opens.");
        text = again
            .user(&format!("Go on with round {round} of all these lamps."))
            .user("Go on.")
            .digest(90);
        for rule in ["never burn whale_oil", "always answer in French"] {
            assert!(text.contains(rule), "{round}: {text}");
        }
    }
}

#[test]
fn rules_within_long_messages_come_before_plain_words() {
    let seen = "I looked at what you did so far and it seems fine to me in general. ".repeat(14);
    let rules = [
        "From now on, never burn whale_oil, it smokes.",
        "Always trim the wick_table before you light it.",
        "Don't touch lamp_case.rs, it is lent to us.",
    ];
    let mut script = Script::default().user("Write the lamp_table.");
    for (at, rule) in rules.iter().enumerate() {
        script = script.edits(&format!("lamp_{at}.rs"), "a()", &format!("trim_{at}()"));
        script = script.assistant(&format!("Lamp {at} burns, for its wick_{at} is trimmed."));
        script = script.user(&format!("{seen}{rule} Then go on with the next of these lamps."));
    }
    let mut text = script.user("Go on.").digest(360);
    for round in 0..6 {
        for rule in rules {
            assert!(text.contains(rule), "{round}: {text}");
        }
        let mut script = Script::after(&text);
        for at in 0..3 {
            script =
                script.user(&format!("Go on with lamp {at} of round {round}, as we said there."));
            script = script.edits("door.rs", "b()", "open()").assistant("It opens.");
        }
        text = script.user("Go on.").digest(360);
    }
}

#[test]
fn what_a_digest_settled_stays_settled_in_the_next() {
    let run = |command: &str| format!(r#"{{"command":"{command}"}}"#);
    let failed = "E  AssertionError: deadline_ms is unset\n1 failed, 2 passed in 0.2s";
    let script = Script::default()
        .user("Make it pass.")
        .calls("write_file", r#"{"path":"/w/app/gone.py","content":"a = 1"}"#, "ok")
        .runs("rm /w/app/gone.py", "")
        .runs("pytest tests/test_a.py", failed)
        .runs("pytest tests/test_a.py", "E  ImportError: zeta_core\n1 error in 0.1s")
        .runs("pytest tests/test_b.py", failed)
        .runs("pytest tests/test_b.py", "3 passed in 0.2s");
    let mut text = script.user("Go on.").digest(400);
    assert!(text.contains("ran `pytest tests/test_a.py` (failed)\n"), "{text}");
    assert!(!text.contains("ran `pytest tests/test_b.py` (failed)\n"), "{text}");
    for round in 0..3 {
        let script = Script::after(&text).user("And the rest?");
        let look = run(&format!("cat /w/app/other{round}.py"));
        let script =
            script.calls("bash", &look, "b = 2").runs("pytest tests/test_a.py", "3 passed in 0.2s");
        text = script.user("Good.").digest(400);
        assert!(text.contains("deleted in /w/app: gone.py"), "{text}");
        assert!(text.contains("test_a.py` (failed, then passed)"), "{text}");
        assert!(!text.contains("(failed)\n"), "{text}");
    }
}

#[test]
fn what_failed_in_one_step_has_not_passed_with_another() {
    let failed = "Exit code 1\ncat: deploy_zone.yml: No such file or directory";
    let command = "cat deploy_zone.yml && ./ship.sh";
    let first = Script::default().user("Ship it.").runs(command, failed);
    let first = first.user("Go on.").digest(400);
    assert!(first.contains("cat: deploy_zone.yml: No such file"), "{first}");
    for (again, has_passed) in [("./ship.sh", false), (command, true)] {
        for script in
            [Script::default().user("Ship it.").runs(command, failed), Script::after(&first)]
        {
            let script = script.user("And now?").runs(again, "shipped build_77");
            let text = script.user("Good.").digest(400);
            let passed = text.contains("then passed)") || text.contains(" → passed [");
            assert_eq!(passed, has_passed, "{again}: {text}");
        }
    }
}

#[test]
fn a_visible_request_stands_where_it_was_said_after_another_compaction() {
    let request = "Bump the version of the skill to 0.2.0, please.";
    let first = "[Summary of the conversation so far, made by ctx]\n[n] is message n.\n\
                 ## What was asked, decided, found and done\n\
                 [3] The skill stands in skills/handoff/SKILL.md.\n\
                 [4] User (kept): Bump the version of the…\n\
                 [9] I bumped the version to 0.2.0 in all seven places.";
    let script = Script::default().user(request).says("user", first);
    let text = digested_of(
        &script.user("What else?").assistant("Nothing.").source(),
        300,
        Some(Setting::Work),
        |at| at != 0,
    );
    let at = |words: &str| text.find(words).unwrap_or_else(|| panic!("{words} in {text}"));
    assert!(at("The skill stands") < at("[1.4] User (kept)"), "{text}");
    assert!(at("[1.4] User (kept)") < at("I bumped"), "{text}");
}

#[test]
fn a_request_that_is_visible_no_more_is_told_where_it_was_said() {
    let steps = |script: Script, from: usize| {
        (from..from + 3).fold(script, |script, at| {
            let said = format!("I chose parser_{at} because the lexer of part_{at} is slow.");
            reads(script, &[&format!("part_{at}")]).assistant(&said)
        })
    };
    let (first, other) = ("Go on with the parsers of all parts.", "What is the test coverage?");
    // All requests stay visible, and the newest has a line however short it is.
    let script = steps(Script::default().user(first), 0).user(other);
    let script = steps(steps(script, 3).user("so?"), 6);
    let shows = |at: usize| [0, 10, 20].contains(&at);
    let work = Some(Setting::Work);
    let one = digested_of(&script.user("Next.").source(), 900, work, |at| !shows(at));
    assert!(one.contains("[10] User (kept): What is the test coverag…"), "{one}");
    // They do so behind the next compaction, which tells of them alike.
    let kept = || Script::default().user(first).user(other).user("so?");
    let script = steps(kept().says("user", &one), 9).user("Next.");
    let two = digested_of(&script.source(), 900, work, |at| at > 2);
    assert!(two.contains("[1.10] User (kept): What is the test coverag…"), "{two}");
    // And then they are told word for word, now and from then on.
    let script = steps(kept().says("user", &two), 12).user("Next.");
    let mut text = script.digest(900);
    for round in 0..3 {
        let at =
            |words: &str| text.find(words).unwrap_or_else(|| panic!("{round} {words}: {text}"));
        let places = [
            at(&format!("[1.0] User: \"{first}\"")),
            at("I chose parser_2"),
            at(&format!("[1.10] User: \"{other}\"")),
            at("I chose parser_5"),
            at("[1.20] User: \"so?\""),
            at("I chose parser_8"),
            at("I chose parser_11"),
            at("I chose parser_14"),
        ];
        assert!(places.is_sorted(), "{round} {places:?}: {text}");
        assert!(!text.contains("User (kept)"), "{round}: {text}");
        let next = Script::after(&text).user(&format!("Round {round}."));
        text = reads(next, &["lexer"]).user("Next.").digest(900);
    }
}

#[test]
fn what_stays_visible_behind_a_digest_stands_where_it_was_said() {
    let steps = |script: Script, from: usize| {
        (from..from + 3).fold(script, |script, at| {
            let said = format!("I chose parser_{at} because the lexer of part_{at} is slow.");
            reads(script, &[&format!("part_{at}")]).assistant(&said)
        })
    };
    let (first, other) = ("Go on with the parsers of all parts.", "What is the test coverage?");
    let script = steps(Script::default().user(first), 0).user(other);
    let script = steps(script, 3).user("Ship it").assistant("I do.");
    let script = steps(script, 6);
    let shows = |at: usize| [0, 10, 20].contains(&at);
    let work = Some(Setting::Work);
    let one = digested_of(&script.source(), 900, work, |at| !shows(at));
    // However short, the newest has a line: what is told behind it is its answer.
    assert!(one.contains("[20] User (kept): Ship it"), "{one}");
    // Logs of some agents have the summary before what stays.
    let after = |digest: &str| Script::after(digest).user(first).user(other).user("Ship it");
    let script = steps(after(&one), 9).user("Ship it");
    let mut text = digested_of(&script.source(), 900, work, |at| !(1..4).contains(&at));
    for _ in 0..2 {
        let at = |words: &str| text.find(words).unwrap_or_else(|| panic!("{words} in {text}"));
        let places = [
            at("[1.0] User (kept): Go on"),
            at("I chose parser_2"),
            at("[1.10] User (kept): What is"),
            at("I chose parser_5"),
            at("[1.20] User (kept): Ship it"),
            at("I chose parser_7"),
            at("I chose parser_10"),
        ];
        assert!(places.is_sorted(), "{places:?}: {text}");
        let script = steps(after(&text), 12).user("Ship it");
        text = digested_of(&script.source(), 900, work, |at| !(1..4).contains(&at));
    }
    // Told word for word they stay there, too.
    let text = steps(after(&text), 15).user("Ship it").digest(900);
    let at = |words: &str| text.find(words).unwrap_or_else(|| panic!("{words} in {text}"));
    assert!(at("I chose parser_5") < at("[1.20] User: \"Ship it\""), "{text}");
    assert!(at("[1.20] User: \"Ship it\"") < at("I chose parser_7"), "{text}");
}

#[test]
fn a_decision_outlives_announcements_however_often_it_is_folded() {
    let names = ["hull", "keel", "mast", "sail", "deck", "rope"];
    let look = |at: usize| format!("Let me look at app/{}_{at}.go, as its caller does.", names[at]);
    let reason = "The rows are stored in UTC, because the buoys report in UTC all the year round.";
    let rule = "Never write to harbour_prod.";
    let said: Vec<String> = (0..6).map(|at| format!("[{}] {}", at + 5, look(at))).collect();
    let first = format!(
        "{SUMMARY_OPENER}\n[n] is message n.\n## What was asked, decided, found and done\n\
         [0] User, in parts: {rule}\n{}\n[20] {reason}",
        said.join("\n")
    );
    let mut text = first;
    for round in 0..4 {
        let script = Script::after(&text).user("Go on with the pilots, please.");
        let script = reads(script, &["pilot"]).assistant(&look(round));
        text = script.user("Next.").digest(150);
        assert!(text.contains(reason) && text.contains(rule), "{round}: {text}");
    }
}

#[test]
fn a_failure_that_several_digests_tell_is_told_once() {
    let command = "cd /home/me/app && python -m pytest tests/test_orders.py -q";
    let mut text = String::new();
    for round in 0..4 {
        let script = if round == 0 { Script::default() } else { Script::after(&text) };
        let log =
            "F...\nFAILED tests/test_orders.py::test_index - assert 1 == 2\n1 failed, 3 passed";
        let script = script.user("Fix the orders.").runs(command, log);
        text = script.edits("cart.py", "a()", "b()").user("Next.").digest(600);
        let failures = text.split("## Failures").nth(1).unwrap_or_default();
        let failures = failures.split("\n## ").next().unwrap_or_default();
        assert_eq!(failures.matches("test_orders.py::test_index").count(), 1, "{round}: {text}");
        assert!(failures.matches("failed again").count() < 2, "{round}: {text}");
    }
    let script = Script::after(&text).user("Go on.").runs(command, "....\n4 passed in 0.1s");
    let text = script.user("Next.").digest(600);
    assert!(text.contains(" → passed ["), "{text}");
}

#[test]
fn what_counts_failures_is_no_sentence_where_no_title_says_so() {
    let first = format!(
        "{SUMMARY_OPENER}\n[2] The oil is chosen.\n$ make oil → failed: no oil [3]\n\
         - [3] `make oil` failed: no oil → not run again\n- and 2 more, all passed"
    );
    let script = Script::after(&first).user("Go on.").assistant("I will.");
    let text = script.user("Next.").digest(900);
    let failures = text.split("## Failures").nth(1).unwrap_or_default();
    assert!(failures.contains("\n- and 2 more, all passed"), "{text}");
    assert_eq!(text.matches("- and ").count(), 1, "{text}");
}

#[test]
fn the_last_checks_stay_where_nothing_was_run_since() {
    let checked = "`make test` → failed: 2 of 9 [1.7]";
    let first = format!(
        "{SUMMARY_OPENER}\n[n] is message n.\n## Commands run\n$ make test → failed: 2 of 9 [7]\n\
         ## Where the work stands\n\
         - The last checks before the messages below: `make test` → failed: 2 of 9 [7]"
    );
    let script = Script::after(&first).user("Why does it fail?");
    let script = script.assistant("The lamp is lit before the oil is poured into it.");
    let text = script.clone().user("Next.").digest(900);
    assert!(text.contains(&format!("\n- The last checks: {checked}")), "{text}");
    let script = script.assistant("I will pour it first, then.");
    let text = digested_of(&script.source(), 900, None, |at| at < 2);
    assert!(
        text.contains(&format!("The last checks before the messages below: {checked}")),
        "{text}"
    );
}

#[test]
fn where_the_work_stood_stays_where_nothing_was_done_since() {
    let first = work().assistant("The retry is documented in the header.").user("Go on.");
    let first = first.digest(900);
    let text = Script::after(&first).user("So?").digest(400);
    for told in ["last words: The retry is documented", "The last checks: `cargo test upload`"] {
        assert!(first.contains(told), "{first}");
        assert!(text.contains(told), "{text}");
    }
}

#[test]
fn an_answer_that_stays_visible_stands_behind_its_question() {
    let script = Script::default().user("Sort the lamps by their oil, please.");
    let script = reads(script, &["lamps"]).assistant("Shall I write the new order to disk?");
    let script = reads(script.user("yes, do"), &["oils"]).assistant("I wrote oil_order to disk.");
    let shows = |at: usize| [0, 4].contains(&at);
    let work = Some(Setting::Work);
    let one = digested_of(&script.user("Next.").source(), 900, work, |at| !shows(at));
    assert!(one.contains("[3] Asked: ") && !one.contains("(kept): yes, do"), "{one}");
    let script = Script::after(&one);
    let script = script.user("Sort the lamps by their oil, please.").user("yes, do");
    let script = reads(script, &["wicks"]).assistant("I chose wick_7 because of its oil.");
    let text = script.user("Next.").digest(900);
    let at = |words: &str| text.find(words).unwrap_or_else(|| panic!("{words} in {text}"));
    let places = [at("] Asked: "), at("User: \"yes, do\""), at("I wrote oil_order")];
    assert!(places.is_sorted(), "{places:?}: {text}");
}

#[test]
fn questions_that_stay_visible_stand_before_their_answers() {
    let talk = |script: Script, from: usize| {
        (from..from + 3).fold(script, |script, at| {
            let said =
                format!("Take the harbour_{at} for your boat, since its quay_{at} is long. ");
            script.user(&question(at)).assistant(&said.repeat(3))
        })
    };
    let advice = Some(Setting::Advice);
    let is_asked = |at: usize| at.is_multiple_of(2);
    let script = talk(Script::default(), 0).user("Bye!");
    let one = digested_of(&script.source(), 900, advice, |at| !is_asked(at));
    let in_order = |text: &str, rounds: usize| {
        let at = |words: &str| text.find(words).unwrap_or_else(|| panic!("{words} in {text}"));
        let places: Vec<usize> = (0..rounds)
            .flat_map(|round| {
                [at(&question(round)[..12]), at(&format!("Take the harbour_{round}"))]
            })
            .collect();
        assert!(places.is_sorted(), "{places:?}: {text}");
    };
    in_order(&one, 3);
    // Before the summary, and in some logs behind it.
    let asked = |script: Script| (0..3).fold(script, |script, at| script.user(&question(at)));
    for first in [true, false] {
        let script = if first {
            asked(Script::after(&one))
        } else {
            asked(Script::default()).says("user", &one)
        };
        let script = talk(script, 3).user("Bye!");
        let is_summary = |at: usize| at == if first { 0 } else { 3 };
        let kept = |at: usize| is_summary(at) || at > 3;
        in_order(&digested_of(&script.source(), 900, advice, kept), 6);
        let mut text = digested_of(&script.source(), 900, advice, |_| true);
        for _ in 0..2 {
            in_order(&text, 6);
            let script = Script::after(&text).user("Is it warm?");
            let script = script.assistant("It is, as it was in May.").user("Bye!");
            text = digested_of(&script.source(), 900, advice, |_| true);
        }
    }
}

#[test]
fn two_earlier_digests_may_tell_of_one_file() {
    let file = "upload.rs";
    let first = [("a", "one"), ("b", "two"), ("c", "three")];
    let first =
        first.iter().fold(Script::default().user("Please mend it."), |script, (name, n)| {
            let old = format!("let {name} = {n}();");
            script.edits(file, &old, &format!("let {name}_rows = {n}_rows();"))
        });
    let first = first.user("Go on.").digest(900);
    let old = ("let d = four();", "let d_rows = four_rows();");
    let second = Script::default().user("And this.").edits(file, old.0, old.1);
    let second = second.user("Go on.").digest(900);
    let script = Script::after(&first).says("user", &second).user("Go on.");
    let script = script.edits(file, "let c_rows = three_rows();", "let c_all = three_all();");
    let text = script.user("So?").digest(900);
    for wanted in [
        "`let a = one();` → `let a_rows = one_rows();`",
        "`let c = three();` → `let c_all = three_all();`",
        "`let d = four();` → `let d_rows = four_rows();`",
    ] {
        assert!(text.contains(wanted), "{wanted}: {text}");
    }
    // One that only read it tells of no change.
    let read = r#"{"path":"/home/me/app/src/upload.rs"}"#;
    let read = Script::default().user("Look.").calls("read_file", read, "1→fn a() {}");
    let read = read.user("Go on.").digest(900);
    let script = Script::after(&first).says("user", &read).user("So?");
    let text = script.digest(900);
    assert!(text.contains("upload.rs: edited ×3"), "{text}");
}

#[test]
fn folds_an_earlier_digest_and_never_nests_it() {
    let first = work().digest(400);
    let script = Script::after(&first)
        .user("And now document it.")
        .calls("write_file", r##"{"path":"/home/me/app/README.md","content":"# Uploads\nA retry waits for the server clock."}"##, "ok")
        .runs("cargo test upload", "Exit code 0\ntest result: ok. 4 passed; 0 failed")
        .user("Good. Push it.");
    let second = script.digest(500);
    assert_eq!(second.matches(SUMMARY_OPENER).count(), 1, "{second}");
    for wanted in [
        "[1.0] User: \"Please fix the flaky upload test. Never touch the lock file.\"",
        "because the retry uses the local clock",
        "- [ ] document the retry",
        "- created: README.md",
        "$ cargo test upload ×3",
        "Compaction 2",
    ] {
        assert!(second.contains(wanted), "{wanted:?} is missing in:\n{second}");
    }
    let edited = second.lines().filter(|line| line.contains("src/upload.rs: edited")).count();
    assert_eq!(edited, 1, "{second}");
}

#[test]
fn an_earlier_digest_may_be_one_part_of_a_message() {
    let earlier = format!(
        "{SUMMARY_OPENER}\n## What was asked, decided, found and done\n[2] The cache of the server is tested.\n"
    );
    let summary = format!(
        r#"[{{"type":"text","text":{}}},{{"type":"text","text":"go on"}}]"#,
        quote(&earlier)
    );
    let source = format!(
        r#"[{{"role":"user","content":{summary}}},{{"role":"assistant","content":"The cache is cold."}},{{"role":"user","content":"next"}}]"#
    );
    let text = digested(&source, 60);
    assert!(text.contains("The cache of the server is tested."), "{text}");
}

#[test]
fn what_an_earlier_digest_left_open_is_closed_when_it_passes() {
    let run = "make check 2>&1 | tail -3";
    let first = work().runs(run, "Exit code 2\nmake: *** [check] Error 2");
    let first = first.user("Go on.").digest(700);
    assert!(first.contains("Error 2 → not run again"), "{first}");
    let second = Script::after(&first).user("And now document it.");
    let second = second.runs("make check", "Exit code 0\nfine");
    let text = second.user("Good.").digest(900);
    assert!(text.contains("Error 2 → passed [2]"), "{text}");
}

#[test]
fn folds_what_a_model_wrote_without_a_loss() {
    let facts = [
        "The user wants the lock file untouched: alpha_rule.",
        "Caching was given up because of beta_race in the pool.",
        "src/upload.rs: edited, gamma_field replaces the local clock.",
        "`cargo test upload`: passed with delta_flag set.",
        "error E0308 in epsilon_kind was fixed with a cast.",
        "[x] renamed to zeta_name",
        "README.md: eta_retry is still to be told of.",
        "Was about to rename theta_unit.",
        "The staging address is iota-host.example.net.",
    ];
    let bullets = facts.map(|fact| format!("## Section\n- {fact}\n")).join("");
    let headings = facts.map(|fact| format!("# {fact}\n\n")).join("");
    let titled = format!("## Plan\n{}\n", facts.join("\n"));
    for (summary, budget) in
        [bullets, headings, titled].iter().flat_map(|text| [(text, 600), (text, 240)])
    {
        let mut text = format!("{SUMMARY_OPENER}\nCompaction 3: it is all in here.\n\n{summary}");
        for generation in 4..8 {
            let script = Script::after(&text).user("Go on.");
            let script = script
                .runs("make all", "Exit code 0\n12 passed")
                .assistant("The build is green because the cache was dropped.")
                .user("Good.");
            text = script.digest(budget);
            assert!(text.contains(&format!("Compaction {generation}:")), "{text}");
            for fact in facts {
                let fact = fact.trim_start_matches("[x] ");
                assert!(text.contains(fact), "{fact:?} is missing in:\n{text}");
            }
        }
    }
}

#[test]
fn a_digest_alone_stays_as_it_is() {
    let first = work().digest(400);
    let again = Script::after(&first).user("And now document it.");
    assert_eq!(again.digest(400), first);
}

#[test]
fn days_stand_over_what_was_said_on_them_after_another_compaction() {
    let first = chat().user("Bye!").digest(42);
    let more = Script::after(&first);
    let more = more.user("[1 July 2023] Anna: I adopted a greyhound named Lenka.");
    let text = more.assistant("Lovely, that is great news!").user("Yes!").digest(70);
    for line in [
        "\n[1.2] 8 May 2023:\nAnna: Wow, I moved to Ljubljana",
        "\n[1.6] 2 June 2023:\nBert: I sold my accordion",
        "\n[1] 1 July 2023:\nAnna: I adopted a greyhound named Lenka.",
    ] {
        assert!(text.contains(line), "{line:?} is missing in:\n{text}");
    }
}

#[test]
fn no_sentence_of_talk_is_lost_by_folding_alone() {
    let said = |n: usize| format!("I bought {n} zebras in Ljubljana-{n} for my aunt.");
    let script = (10..22).fold(Script::default(), |script, n| {
        let script = script.user(&said(n)).assistant(&format!("[aside {n}] Nice, {n} it is."));
        script.user("Update: we moved with 2 cats.")
    });
    let first = script.user("Bye!").digest(400);
    let more = Script::after(&first).user("What else?");
    let text = more.assistant("Nothing.").user("Fine.").digest(4000);
    for n in (10..22).filter(|n| first.contains(&said(*n))) {
        assert!(text.contains(&said(n)), "{n} is missing in:\n{text}\nof:\n{first}");
    }
    assert!(first.contains(&said(10)) && !first.contains("we moved with 2 cats:"), "{first}");
}

#[test]
fn text_in_brackets_is_no_pointer_and_a_short_answer_no_section() {
    let script =
        Script::default().user("[32.98 is what I see.").assistant("[1.5 is what you see, is it?");
    let first = script.user("no\n## Plan\n- [ ] x").user("Bye!").digest(200);
    assert!(!first.contains("\n## Plan"), "{first}");
    let more = Script::after(&first).user("What else?");
    more.assistant("Nothing.").user("Fine.").digest(20);
}

#[test]
fn what_stands_before_words_is_looked_for_in_the_words_alone() {
    let plan = "漢字".repeat(150);
    let call = format!(
        r#"{{"role":"assistant","content":"[2023-05-08] Anna: Hello there, my friend.","tool_calls":[{{"id":"c","type":"function","function":{{"name":"exit","arguments":{}}}}}]}}"#,
        quote(&format!(r#"{{"plan":"{plan}"}}"#))
    );
    let mut script = chat();
    script.messages.push(call);
    script.messages.push(r#"{"role":"tool","tool_call_id":"c","content":"ok"}"#.to_owned());
    let text = script.user("Bye!").digest(900);
    assert!(text.contains("Hello there, my friend."), "{text}");
}

#[test]
fn a_smaller_budget_folds_what_was_quoted_into_beginnings() {
    for request in [
        "Request number {} is to write the words of it down. ",
        "第{}个要求：请把所有的配置文件都改成新的格式。",
    ] {
        let asked = |at: usize| request.replace("{}", &at.to_string()).repeat(3);
        let play = |script: Script, at| script.user(&asked(at)).runs("ls src", "src/main.rs");
        let source = (0..60).fold(Script::default(), play).user("end").source();
        let text = digested_by_thirds(&source, 8000);
        assert!(text.contains("] User: \""), "{text}");
        let next = Script::after(&text).assistant("Let me see.").user("end");
        let next = digested_by_thirds(&next.source(), 1600);
        assert!(next.matches("] User, in parts:").count() > 4, "{next}");
    }
}

#[test]
fn the_files_of_spilled_results_stay_named() {
    let line = "- The result of read_log is whole in /tmp/spill/L0.txt";
    let mut text = format!("{}\n{line}", work().digest(400));
    for round in 0..3 {
        let next = Script::after(&text).user(&format!("Go on, round {round}."));
        let read = r#"{"path":"/home/me/app/src/clock.rs"}"#;
        let next = next.calls("read_file", read, "fn now() {}").user("And now?");
        text = next.digest(400);
        assert_eq!(text.matches(line).count(), 1, "{text}");
    }
}

#[test]
fn a_check_of_another_folder_mends_nothing_of_an_earlier_digest() {
    let failed = "Exit code 1\n1 failing: login waits";
    let tries = |script: Script, to: &str, result: &str| {
        let script = script.runs(&format!("cd /home/me/app/{to}"), "");
        script.runs("npm test", result)
    };
    let tested = |to: &str| tries(work(), to, failed).user("Go on.").digest(600);
    let folded = |script: Script| script.user("And then?").digest(600);
    let after = |text: &str| Script::after(text).user("Go on.");
    // Its folder is told though it ran in no other, and is known by that.
    let first = tested("search");
    let text = folded(tries(after(&first), "web", "3 passing"));
    assert!(!text.contains("login waits → passed") && !text.contains("then ok: 3"), "{text}");
    let text = folded(tries(after(&text), "search", "4 passing"));
    assert!(text.contains("login waits → passed ["), "{text}");
    // Where nothing is run, it is still told where the shell stands: there it may run again.
    let text = folded(after(&first).assistant("I look at the log first."));
    assert!(text.contains("- [1.15] The last cd: /home/me/app/search"), "{text}");
    let script = after(&text).runs("npm test", "3 passing");
    let text = folded(script.runs("cd .", ""));
    assert!(text.contains("login waits → passed [2]"), "{text}");
    assert!(
        text.contains("$ cd /home/me/app/search && npm test ×2 → failed [1.15], then ok"),
        "{text}"
    );
}

#[test]
fn a_shortened_command_is_the_same_however_often_it_is_folded() {
    let way = "cd /home/me/app/with/a/long/way/down/to/where/it/all/is/kept";
    let long = format!(r#"{{"command":"{way} && node scripts/build.js --all"}}"#);
    let script = work().calls("bash", &long, "Exit code 1\nError: no wick");
    let mut text = script.user("Go on.").digest(600);
    for _ in 0..2 {
        let script = Script::after(&text).user("Go on.");
        text = script.assistant("I think of it.").user("So?").digest(600);
    }
    let script = Script::after(&text).user("Go on.");
    let script = script.calls("bash", &long, "Exit code 0\nbuilt the lamp");
    let text = script.user("So?").digest(600);
    assert!(text.contains("node scripts/build.js --all ×2 → failed [1.13], then ok"), "{text}");
    assert!(text.contains("no wick → passed [2]"), "{text}");
}

#[test]
fn what_a_quoted_message_demands_stays_where_it_fits_no_more() {
    let row = |at: u32| format!("    ring.go:{at}: row {at} of ring_{at} was written late\n");
    let screen: String = (10..40).map(row).collect();
    let asked =
        format!("--- FAIL: TestRing (3.40s)\n{screen}FAIL\n\nFix it, but never touch ring.go.");
    let script = Script::default().user(&asked);
    let script = script.edits("ring_store.go", "let ring = 1;", "let ring = 2;");
    let mut text = script.user("Go on.").digest(600);
    assert!(text.contains("[0] User: \""), "{text}");
    for budget in [130, 120] {
        let script = Script::after(&text).user("And now?").assistant("I see.");
        text = script.user("Go on.").digest(budget);
        assert!(text.contains("User, in parts:"), "{text}");
        assert!(text.contains("Fix it, but never touch ring.go."), "{text}");
    }
}

#[test]
fn a_record_stays_with_what_it_is_of() {
    let room = |n: usize| format!(r#"{{"room_number":"R{n}","rate":{n}40,"view":"sea"}}"#);
    let rooms = [(11, 12), (21, 22)].map(|(one, other)| format!("{},{}", room(one), room(other)));
    let look = |script: Script, (n, rooms): (usize, &String)| {
        let stay = format!(r#"{{"stay_id":"S{n}77","guest":"ana_{n}","rooms":[{rooms}]}}"#);
        script.calls("get_stay", &format!(r#"{{"stay_id":"S{n}77"}}"#), &stay)
    };
    let script = rooms.iter().enumerate().fold(Script::default().user("My stays?"), look);
    let book = r#"{"guest":"ana_1","note":"late","arrival":"2024-05-16","departure":"2024-05-19","board":"half"}"#;
    let booked = format!(r#"{{"stay_id":"S977","rooms":[{}]}}"#, room(91));
    let script = script
        .calls("book_stay", book, &booked)
        .calls("pay", r#"{"stay_id":"S977"}"#, "Error: no card");
    let first = script.assistant("There they are.").user("Thanks.").digest(600);
    let mut text = first;
    for budget in (30..150).rev().step_by(3) {
        let next = Script::after(&text).user("Which?").assistant("Those.");
        text = next.user("Well.").digest(budget);
        for line in text.lines() {
            for (rate, stay) in
                [("1140", "S077"), ("1240", "S077"), ("2140", "S177"), ("9140", "S977")]
            {
                assert!(
                    !line.contains(&format!("rate: {rate}")) || line.contains(stay),
                    "{budget}: {text}"
                );
            }
            assert!(!line.contains("] pay") || line.contains(": no card"), "{budget}: {text}");
        }
        assert!(budget < 120 || text.contains("rate: 2240"), "{budget}: {text}");
    }
}

#[test]
fn a_failure_that_passed_among_others_stays_ended_however_often_it_is_folded() {
    let run = |command: &str| format!(r#"{{"command":"{command}"}}"#);
    let failed = "Exit code 1\nMISSING in /tmp/new: 2026-09-12 low";
    let short = "python tools/compare.py /tmp/old /tmp/new";
    let long = "python tools/compare.py --left /tmp/old/with/a/long/way --right /tmp/new/as/long";
    for compare in [short, long] {
        let first = work().runs(compare, failed);
        let first = first.user("Go on.").digest(900);
        assert!(first.contains("MISSING in /tmp/new: 2026-09-12 low → not run again"), "{first}");
        let script = Script::after(&first).user("Mend it.");
        let script = script.edits("predict.py", "SCAN = 30", "SCAN = 12");
        let wider = run(&format!("python -m pytest -q && {compare}"));
        let script = script.calls("bash", &wider, "27 passed in 0.97s\nall extremes present");
        let mut text = script.user("Good.").digest(900);
        for round in 0..3 {
            let passed = if round == 0 { " low → passed [4]" } else { " low → passed [2.4]" };
            let is_it = |line: &str| line.starts_with("- [") && line.ends_with(passed);
            assert!(text.lines().any(is_it), "{round} {text}");
            let script = Script::after(&text).user(&format!("Round {round}."));
            text = script.assistant("I see.").user("And now?").digest(900);
        }
    }
}

#[test]
fn archives_of_earlier_compactions_are_named_or_said_to_be_elsewhere() {
    let mut text = String::new();
    for round in 1..=20 {
        let script = if round == 1 { work() } else { Script::after(&text) };
        let script = script.user("Go on.").runs(&format!("make step{round}"), "ok");
        let path = format!("/tmp/archive/{round}.json");
        let digest = Digest { archive: Some(&path), ..Digest::within(600) };
        text = digest.of(&script.user("Good.").source());
        let (all, named) = (round - 1, (1..round).filter(|past| named_at(&text, *past)).count());
        assert!((1..round).rev().take(8).all(|past| named_at(&text, past)), "{text}");
        let says_where = text.matches("in files that the first archive below names").count();
        assert_eq!(says_where, usize::from(named < all), "{text}");
    }
    assert!(!named_at(&text, 1), "{text}");
}

/// Whether the archive of an earlier compaction is named.
fn named_at(digest: &str, past: usize) -> bool {
    digest.contains(&format!("[{past}.n] are in /tmp/archive/{past}.json"))
}

#[test]
fn of_what_an_earlier_digest_says_an_edit_defined_only_what_stands_is_told() {
    let all = "fn one() {\n}\nfn two() {\n}\nfn three() {\n}\n";
    let script = Script::default().user("Go on.").edits(
        "lamp.rs",
        "mod lamp;",
        &format!("mod lamp;\n{all}"),
    );
    let first = script.assistant("They are there.").user("And?").digest(900);
    assert!(first.contains("added `fn one() {`, `two`, `three`"), "{first}");
    let after = |old: &str, new: &str| {
        Script::after(&first).user("Go on.").edits("lamp.rs", old, new).user("And?").digest(900)
    };
    let text = after("fn two() {\n}\n", "");
    assert!(text.contains("added `fn one() {`, `three`"), "{text}");
    let text = after("fn two() {", "fn deux() {");
    assert!(text.contains("added `fn one() {`, `three`"), "{text}");
    let text = after(all, "");
    assert!(!text.contains("added `"), "{text}");
}

#[test]
fn what_was_changed_since_a_digest_stands_behind_what_it_tells() {
    let script = (0..60).fold(work(), |script, at| script.assistant(&format!("Word {at}.")));
    let script = script.edits("lamp.rs", "let wick = 1;", "let wick_of_brass = 1;");
    let first = script.user("Go on.").digest(900);
    let script = Script::after(&first).edits("lamp.rs", "oil()", "oil_of_whales()");
    let text = script.user("Go on.").digest(900);
    let place = |words: &str| text.find(words).unwrap_or_else(|| panic!("{words}: {text}"));
    assert!(place("wick_of_brass") < place("oil_of_whales"), "{text}");
}

#[test]
fn every_commit_is_told_by_its_number_however_alike_the_commands_are() {
    let commit = |what: &str| {
        format!(
            "git -C /home/me/app/lamps add src/lamps/burners/of_brass/lamp_{what}.rs && git -C \
             /home/me/app/lamps commit -m 'Trim the wick of {what}, which burns unevenly'"
        )
    };
    let made = |number: &str, what: &str| format!("[main {number}] Trim the wick of {what}\n");
    let refused = "The user doesn't want to proceed with this tool use. The tool use was rejected \
                   (eg. if it was a file edit, the new_string was NOT written to the file). To tell you how to \
                   proceed, the user said:\nname the lamp";
    let run = |script: Script, what: &str, number: &str| {
        let script = script.runs(&commit(what), refused).runs(&commit(what), &made(number, what));
        script.runs("make lamps", "All lamps burn.")
    };
    let script = run(Script::default().user("Trim them all."), "one", "1a2b3c4");
    let mut text = script.user("Go on.").digest(2000);
    for (what, number) in [("two", "2b3c4d5"), ("three", "3c4d5e6"), ("three", "4d5e6f7")] {
        text = run(Script::after(&text), what, number).user("Go on.").digest(2000);
    }
    let commits: Vec<&str> = text.lines().filter(|line| line.starts_with("$ git")).collect();
    assert_eq!(commits.len(), 4, "{text}");
    for (line, number) in commits.iter().zip(["1a2b3c4", "2b3c4d5", "3c4d5e6", "4d5e6f7"]) {
        assert!(line.contains(&format!("… → ok: [{number}] Trim")), "{text}");
    }
}

#[test]
fn paths_are_told_from_the_folder_that_an_earlier_digest_names() {
    let refused = "The user doesn't want to proceed with this tool use. The tool use was rejected (eg. if it was a \
                   file edit, the new_string was NOT written to the file). To tell you how to proceed, the user said:\nname it";
    let edit = |file: &str| {
        format!(r#"{{"path":"/home/me/app/src/lamps/{file}","old_string":"a","new_string":"b"}}"#)
    };
    let script = reads(work(), &["lexer"]).user("Go on.");
    let script = script.calls("edit_file", &edit("wick/a.rs"), "ok");
    let script = script.calls("edit_file", &edit("wick/b.rs"), "ok");
    let script = script.calls("edit_file", &edit("oil/c.rs"), refused).user("Go on.");
    let first = script.digest(900);
    let root =
        |text: &str| text.lines().find(|line| line.starts_with("Paths are")).map(str::to_owned);
    let outside = r#"{"path":"/home/me/app/notes/a.md","old_string":"a","new_string":"b"}"#;
    let script =
        (0..4).fold(Script::after(&first), |script, _| script.calls("edit_file", outside, "ok"));
    let text = script.user("Go on.").digest(900);
    let begins = |text: &str| root(text).and_then(|line| Some(line.split(';').next()?.to_owned()));
    assert_eq!(begins(&text), begins(&first), "{text}");
}

#[test]
fn a_note_of_the_agent_ends_what_an_earlier_digest_tells_as_running() {
    let runs = "Command running in background with ID: b9. Output is being written to: /tmp/b9";
    let first = work().runs("make long test", runs).user("Go on.").digest(900);
    assert!(first.contains("$ make long test → still running as b9 ["), "{first}");
    let note = "<task-notification>\n<task-id>b9</task-id>\n<status>failed</status>\n\
                <summary>Background command failed with exit code 2</summary>\n</task-notification>";
    let script = Script::after(&first).user("Go on.").assistant("It runs.").user(note);
    let text = script.assistant("I see.").user("So?").digest(900);
    assert!(text.contains("$ make long test → failed (exit 2) [3]"), "{text}");
    assert!(text.contains("`make long test` → failed (exit 2) [3]"), "{text}");
}

#[test]
fn the_end_of_another_process_is_not_that_of_one_before() {
    let run = |cmd: &str| format!(r#"{{"cmd":"{cmd}"}}"#);
    let goes_on = "Chunk ID: 1\nProcess running with session ID 3\nOutput:\n";
    let script = work().calls("exec_command", &run("npm run lamps"), goes_on);
    let first = script.user("Go on.").digest(900);
    assert!(first.contains("→ still running as 3"), "{first}");
    let poll = r#"{"session_id":3,"chars":""}"#;
    let after = || Script::after(&first).user("Go on.");
    let again = after().calls("exec_command", &run("cargo test"), goes_on);
    let failed = "Chunk ID: 2\nProcess exited with code 101\nOutput:\nerror: no oil";
    let lost = "write_stdin failed: Unknown process id 3";
    for script in
        [again.calls("write_stdin", poll, failed), after().calls("write_stdin", poll, lost)]
    {
        let text = script.user("So?").digest(900);
        assert!(text.contains("$ npm run lamps → still running as 3 ["), "{text}");
    }
}
