//! Input as it really is: torn, marked, nested, broken.

use crate::place::{CHAT, Place, feed, run};

/// A message in JSON Lines.
const LINE: &str = r#"{"role": "user", "content": "Hello"}"#;

/// Runs each command that rewrites; none of them may change a byte.
fn assert_untouched(place: &Place, what: &str, input: &[u8]) {
    for arguments in [
        &["truncate", "--dialect", "openai", "--max-tokens", "100000000"][..],
        &["normalize", "--dialect", "openai"],
        &["compact", "--dialect", "openai"],
    ] {
        let ran = feed(&mut place.ctx(arguments), input);
        assert_eq!(ran.code(), Some(0), "{what}: {arguments:?}: {}", ran.err);
        assert!(ran.out == input, "{what}: {arguments:?}: {}", String::from_utf8_lossy(&ran.out));
    }
    let counted = feed(&mut place.ctx(["count", "--dialect", "openai"]), input);
    assert_eq!(counted.code(), Some(0), "{what}: {}", counted.err);
}

#[test]
fn what_no_edit_touches_stays() {
    let place = Place::new("untouched");
    let deep = |depth: usize| format!("{}{}", "[".repeat(depth), "]".repeat(depth));
    let nested = format!(r#"[{{"role": "user", "content": "hi", "deep": {}}}]"#, deep(100_000));
    for (what, input) in [
        ("empty array", "[]".to_owned()),
        ("empty array with a line break", "[]\n".to_owned()),
        ("empty request", "{\"messages\": []}".to_owned()),
        ("no line break at the end", LINE.to_owned()),
        ("byte order mark", format!("\u{feff}{LINE}\n{LINE}\n")),
        ("carriage returns", format!("{LINE}\r\n{LINE}\r\n")),
        ("blank lines", format!("\n{LINE}\n\n\n{LINE}\n\n")),
        ("two values on a line", format!("{LINE} {LINE}\n{LINE}{LINE}")),
        (
            "pretty-printed",
            "[\n\t{\n\t\t\"role\" : \"user\",\n\t\t\"content\":\"hi\"\n\t}\n]\n".to_owned(),
        ),
        ("nesting", nested),
        ("lone surrogate", r#"[{"role": "user", "content": "half a \ud83d face"}]"#.to_owned()),
        (
            "large exponent",
            r#"[{"role": "user", "content": "hi", "n": [1e400, -0, 1E+2, 0.10]}]"#.to_owned(),
        ),
        ("duplicate keys", r#"[{"role": "user", "content": "a", "x": 1, "x": 2}]"#.to_owned()),
        ("escapes", r#"[{"role": "user", "content": "caf\u00e9 \/ \u0000"}]"#.to_owned()),
        ("markup", r#"[{"role": "user", "content": "<|endoftext|> <|im_start|>"}]"#.to_owned()),
        (
            "unknown fields",
            r#"[{"role": "user", "content": "hi", "custom": {"a": [null]}}]"#.to_owned(),
        ),
    ] {
        assert_untouched(&place, what, input.as_bytes());
    }
}

#[test]
fn a_torn_last_line_is_kept_with_one_warning() {
    let place = Place::new("torn");
    let torn = format!("{LINE}\n{LINE}\n{{\"role\": \"assistant\", \"content\": \"caf\u{e9}");
    // Once between characters, once inside one.
    for length in [torn.len(), torn.len() - 1] {
        let input = &torn.as_bytes()[..length];
        assert_untouched(&place, "torn", input);
        let ran = feed(&mut place.ctx(["normalize"]), input);
        assert_eq!(ran.err, "ctx: <stdin>:3: the last line breaks off; it is kept as it is\n");
        for command in ["count", "check"] {
            let ran = feed(&mut place.ctx([command]), input);
            assert_eq!(ran.err, "ctx: <stdin>:3: the last line breaks off; it is passed over\n");
        }
    }
}

#[test]
fn a_broken_line_of_a_log_is_kept_with_one_warning() {
    let place = Place::new("broken");
    let log = include_str!("../../testdata/pi/tools.jsonl");
    let lines: Vec<&[u8]> = log.lines().map(str::as_bytes).collect();
    let broken: [&[u8]; 5] = [b"Killed", b"{\"type\":\"mess", b"\0\0\0", b"\"\xff\"\r", b"}{"];
    for (what, broken) in [("one", &broken[..1]), ("some", &broken[..])] {
        for at in 0..=lines.len() {
            let mut text = lines.clone();
            text.splice(at..at, broken.iter().copied());
            let input = [text.join(&b'\n'), vec![b'\n']].concat();
            let ran = feed(&mut place.ctx(["truncate", "--max-tokens", "1000000"]), &input);
            assert_eq!(ran.code(), Some(0), "{what}: {}", ran.err);
            assert!(ran.out == input, "{what}: {}", String::from_utf8_lossy(&ran.out));
            let note = match broken.len() {
                1 => "not JSON; it is kept as it is".to_owned(),
                more => format!(
                    "the first of {more} lines that are not JSON; they are kept as they are"
                ),
            };
            assert_eq!(ran.err, format!("ctx: <stdin>:{}: {note}\n", at + 1));
        }
    }
}

#[test]
fn a_last_line_that_is_no_json_at_all_does_not_break_off() {
    let place = Place::new("no-json");
    let log = include_str!("../../testdata/pi/plain.jsonl");
    let lines = log.lines().count();
    for (last, what) in [("xyz", "is not JSON"), ("{\"type\": ", "breaks off")] {
        let input = format!("{log}Killed\n{last}");
        let ran = feed(&mut place.ctx(["truncate", "--max-tokens", "1000000"]), input.as_bytes());
        assert_eq!((ran.code(), ran.out), (Some(0), input.into_bytes()));
        let note = format!(":{}: the last line {what}; it is kept as it is\n", lines + 2);
        assert!(ran.err.ends_with(&note), "{}", ran.err);
    }
}

#[test]
fn each_broken_line_of_a_log_is_in_one_part() {
    let place = Place::new("broken-parts");
    let log = include_str!("../../testdata/pi/tools.jsonl");
    let lines: Vec<&str> = log.lines().collect();
    let mut dirty = vec!["first".to_owned()];
    for (at, line) in lines.iter().enumerate() {
        dirty.push((*line).to_owned());
        dirty.extend((at % 2 == 1).then(|| format!("broken {at}")));
    }
    let dirty = format!("{}\n{{\"type\": ", dirty.join("\n"));
    let run = |more: &[&str], input: &str| {
        let arguments = [&["partition", "--keep-tail", "10"], more].concat();
        feed(&mut place.ctx(arguments), input.as_bytes()).printed()
    };
    let is_broken = |line: &&str| serde_json::from_str::<serde_json::Value>(line).is_err();
    let mut found = Vec::new();
    for part in ["head", "middle", "tail"] {
        let (clean, dirty) = (run(&["--part", part], log), run(&["--part", part], &dirty));
        let (broken, whole): (Vec<&str>, Vec<&str>) = dirty.lines().partition(is_broken);
        assert_eq!(whole, clean.lines().collect::<Vec<_>>(), "{part}");
        found.extend(broken.into_iter().map(str::to_owned));
    }
    assert_eq!(found, dirty.lines().filter(is_broken).collect::<Vec<_>>());
    assert_eq!(run(&["--chunks", "2000"], &dirty), run(&["--chunks", "2000"], log));
    // Chunks have none of them, and the note says so.
    let mut command = place.ctx(["partition", "--keep-tail", "10", "--chunks", "2000"]);
    let err = feed(&mut command, dirty.as_bytes()).err;
    assert!(err.contains("they are in no part\n") && !err.contains("kept"), "{err}");
}

#[test]
fn a_value_that_is_broken_is_no_log_of_its_last_item() {
    let place = Place::new("broken-value");
    let log = include_str!("../../testdata/claude-code/parallel.jsonl");
    let lines: Vec<&str> = log.lines().collect();
    let items = lines.join(",\n");
    for (input, what) in [
        (format!("[\n{items}\n"), "the JSON breaks off"),
        (format!("[{items}\n"), "the JSON breaks off"),
        (format!("[\n{items}\n}}\n"), "not JSON"),
        (format!("{{\"messages\": [\n{items}\n"), "the JSON breaks off"),
        ("[]\nKilled\n".to_owned(), "not JSON"),
    ] {
        for command in ["count", "check", "normalize"] {
            let ran = feed(&mut place.ctx([command]), input.as_bytes());
            let err = ran.trouble();
            assert!(err.starts_with("ctx: <stdin>:") && err.contains(what), "{command}: {err}");
        }
    }
}

#[test]
fn broken_lines_change_nothing_else_in_a_log() {
    let place = Place::new("broken-edited");
    let log = include_bytes!("../../testdata/sessions/tides.jsonl");
    let lines: Vec<&[u8]> = log.strip_suffix(b"\n").unwrap_or(log).split(|b| *b == b'\n').collect();
    let broken: [&[u8]; 3] = [b"Killed", b"{\"type\":\"user\",\"mess", b"\"\xff\""];
    let mut dirty: Vec<&[u8]> = broken[..1].to_vec();
    for (at, line) in lines.iter().enumerate() {
        dirty.push(line);
        dirty.extend((at % 9 == 4).then_some(broken[1 + at % 2]));
    }
    // The last line is torn off.
    let dirty = [dirty.join(&b'\n'), b"\n{\"type\":\"assist".to_vec()].concat();
    let is_broken = |line: &&[u8]| broken.contains(line) || *line == b"{\"type\":\"assist";
    for arguments in [
        &["truncate", "-q", "--max-tokens", "50"][..],
        &["compact", "-q", "--budget", "4k"],
        &["compact", "-q", "--append", "--budget", "4k"],
    ] {
        let run = |input: &[u8]| feed(&mut place.ctx(arguments), input).out;
        let (expected, found) = (run(log), run(&dirty));
        let found: Vec<&[u8]> = found.split(|byte| *byte == b'\n').collect();
        let kept = found.iter().filter(|line| is_broken(line)).count();
        assert_eq!(kept, dirty.split(|byte| *byte == b'\n').filter(is_broken).count());
        let found: Vec<&[u8]> = found.into_iter().filter(|line| !is_broken(line)).collect();
        let found = found.join(&b'\n');
        assert!(found.trim_ascii_end() == expected.trim_ascii_end(), "{arguments:?}");
    }
}

#[test]
fn bad_input_is_said_with_its_place() {
    let place = Place::new("bad");
    for (name, input, expected) in [
        ("empty.json", &b""[..], "ctx: empty.json:1:1: the input is empty"),
        ("blank.json", b" \n\n", "ctx: blank.json:"),
        ("torn.json", b"{\"messages\": [{\"role\": ", "ctx: torn.json:1:"),
        ("text.json", b"hello\n", "ctx: text.json:1:1: "),
        ("latin.json", b"[{\"role\": \"user\", \"content\": \"caf\xe9\"}]", "ctx: latin.json:1:34: not UTF-8 (byte 33)"),
        ("middle.jsonl", b"{\"role\": \"user\", \"content\": \"a\"}\n{\"role\": \n{\"role\": \"user\", \"content\": \"a\"}\n", "ctx: middle.jsonl:2:"),
        ("other.json", b"{\"name\": \"x\", \"version\": 1}", "ctx: other.json: "),
        ("number.json", b"42", "ctx: number.json: "),
    ] {
        place.write(name, input);
        for command in ["count", "check", "partition", "truncate", "normalize", "compact"] {
            let err = run(&mut place.ctx([command, name])).trouble();
            assert!(err.starts_with(expected), "{command}: {err}");
            assert!(err.contains("\nhint: "), "{command}: {err}");
        }
    }
    place.write("wide.json", b"[\0{\0\"\0");
    let err = run(&mut place.ctx(["count", "wide.json"])).trouble();
    assert!(err.contains("\nhint: it has NUL bytes as UTF-16LE has: iconv -f UTF-16LE "), "{err}");
    place.write("wide.json", b"\0[\0{\0\"");
    let err = run(&mut place.ctx(["count", "wide.json"])).trouble();
    assert!(err.contains("iconv -f UTF-16BE "), "{err}");
    for marked in [&b"\xff\xfe[\0]\0"[..], b"\xfe\xff\0[\0]"] {
        place.write("wide.json", marked);
        let err = run(&mut place.ctx(["count", "wide.json"])).trouble();
        assert!(err.contains("hint: it has NUL bytes as UTF-16 has: iconv -f UTF-16 -t"), "{err}");
    }
    place.write("wide.json", b"\xff\xfe\0\0[\0\0\0]\0\0\0");
    let err = run(&mut place.ctx(["count", "wide.json"])).trouble();
    assert!(err.contains("hint: it has NUL bytes as UTF-32 has: iconv -f UTF-32 -t"), "{err}");
    place.write("nul.json", b"[{\"role\": \"user\", \"content\": \"a\0b\"}]");
    let err = run(&mut place.ctx(["count", "nul.json"])).trouble();
    assert!(!err.contains("UTF-16"), "{err}");
    let err = run(&mut place.ctx(["count", "--dialect", "gemini", "other.json"])).trouble();
    assert!(
        err.starts_with("ctx: other.json: no conversation in the dialect gemini\nhint: "),
        "{err}"
    );
    let err = run(&mut place.ctx(["count", "."])).trouble();
    assert!(err.starts_with("ctx: .: is a directory\nhint: "), "{err}");
}

#[test]
fn a_data_set_is_many_conversations() {
    let place = Place::new("data-set");
    let data = CHAT.replace('\n', " ") + "\n";
    let data = data.repeat(3);
    let printed = feed(&mut place.ctx(["count", "--json"]), data.as_bytes()).printed();
    assert_eq!(printed.lines().count(), 3);
    assert_untouched(&place, "data set", data.as_bytes());
    let broken = format!("{data}{{\"messages\": [}}\n{data}");
    place.write("data.jsonl", &broken);
    let ran = run(&mut place.ctx(["normalize", "-i", "data.jsonl"]));
    assert!(ran.trouble().starts_with("ctx: data.jsonl:4:"));
    assert_eq!(place.read("data.jsonl"), broken.as_bytes());
}

#[test]
fn a_line_that_lists_messages_makes_no_data_set_of_a_log_nor_of_a_chat() {
    let place = Place::new("lists");
    let said = |number: usize| {
        let parent = if number == 0 { "null".to_owned() } else { format!("\"u{}\"", number - 1) };
        format!(
            r#"{{"type":"user","uuid":"u{number}","parentUuid":{parent},"sessionId":"s","message":{{"role":"user","content":"Hello"}}}}"#
        )
    };
    let log: Vec<String> = (0..4).map(said).collect();
    let list = r#"{"messages":[{"role":"user","content":"Hello"}]}"#;
    let header = r#"{"sessionId":"s","projectHash":"p","startTime":"2026-01-01T00:00:00.000Z","messages":[]}"#;
    let user =
        r#"{"id":"1","timestamp":"2026-01-01T00:00:00.000Z","type":"user","content":"Hello"}"#;
    let empty = r#"{"model":"m","messages":[]}"#;
    for (dialect, text) in [
        ("claude-code", format!("{}\n{list}\n", log.join("\n"))),
        ("gemini-cli", format!("{header}\n{user}\n")),
        ("openai", format!("{LINE}\n{empty}\n{LINE}\n")),
    ] {
        let out = feed(&mut place.ctx(["count", "--json"]), text.as_bytes()).printed();
        assert_eq!(out.lines().count(), 1, "{dialect}: {out}");
        assert!(out.contains(&format!("\"dialect\":\"{dialect}\"")), "{dialect}: {out}");
    }
}

#[test]
fn what_stands_before_a_bad_line_is_written_and_no_file_is_replaced() {
    let place = Place::new("bad-line");
    let line = |number| format!(r#"{{"messages":[{{"role":"user","content":"hi {number}"}}]}}"#);
    let lines = |numbers: std::ops::Range<usize>| -> String {
        numbers.map(|number| line(number) + "\n").collect()
    };
    // A few lines, and more than are read at once.
    for good in [3, 9000] {
        let before = lines(0..good);
        let set = format!("{before}{{\"messages\": oops}}\n{}", lines(0..9));
        place.write("set.jsonl", &set);
        let place_of_it = format!("ctx: set.jsonl:{}:", good + 1);
        let ran = run(&mut place.ctx(["normalize", "set.jsonl"]));
        assert_eq!((ran.code(), ran.out == before.as_bytes()), (Some(2), true), "{good}");
        assert!(ran.err.starts_with(&place_of_it), "{}", ran.err);
        for flags in [&["-i"][..], &["-o", "out.jsonl"]] {
            let ran = run(place.ctx(["normalize", "set.jsonl"]).args(flags));
            assert_eq!((ran.code(), &ran.out[..]), (Some(2), &b""[..]), "{flags:?}");
            assert!(ran.err.starts_with(&place_of_it), "{}", ran.err);
            assert_eq!(place.read("set.jsonl"), set.as_bytes(), "{flags:?}");
            assert_eq!(place.names(), ["set.jsonl"], "{flags:?}");
        }
    }
}
