//! Middles that no request holds: all of it is sent, in legal pieces, and merged.

use std::cell::RefCell;

use context_compact::summarizer::{Earlier, Excerpt, Job, Stage, dry_run};

use super::loopback::{Act, Server, answer, error, excerpt, run, settings, with_earlier, words};

fn part(text: &str) -> Act {
    answer("openai", &format!("<summary>{text}</summary>"), "stop")
}

/// Returns what stands between the fences of a prompt.
fn material(prompt: &str) -> &str {
    let from = prompt.find("\n<material-").expect("a fence");
    let to = prompt.rfind("\n</material-").expect("its end");
    &prompt[from..to]
}

#[test]
fn a_large_middle_goes_in_pieces_and_is_merged() {
    let server = Server::start(vec![part("one"), part("two"), part("three"), part("merged")]);
    // 25 groups of two messages, 10,000 characters each: three requests of at most 100,000.
    let mut excerpts: Vec<Excerpt> = (0..50).map(|message| excerpt(message, 1000)).collect();
    for excerpt in &mut excerpts {
        excerpt.group /= 2;
    }
    let (result, said) =
        with_earlier(&settings("openai", &server.url), &excerpts, Some("the story so far"));
    let summary = result.unwrap();
    assert_eq!(summary.text, "merged");
    assert_eq!(summary.attempts, 4);
    assert_eq!(said.len(), 1);

    let stages: Vec<Stage> = summary.requests.iter().map(|request| request.stage).collect();
    assert_eq!(stages, [Stage::Chunk, Stage::Chunk, Stage::Chunk, Stage::Merge]);
    let sizes: Vec<usize> = summary.requests.iter().map(|request| request.messages.len()).collect();
    assert_eq!(sizes, [16, 18, 16, 0]);
    let messages: Vec<usize> =
        summary.requests.iter().flat_map(|request| request.messages.clone()).collect();
    assert_eq!(messages, (0..50).collect::<Vec<_>>());

    let seen = server.seen();
    for (seen, request) in seen.iter().zip(&summary.requests) {
        assert_eq!(seen.prompt().chars().count(), request.characters);
        assert!(material(seen.prompt()).chars().count() <= 100_000);
        for message in &request.messages {
            assert!(seen.prompt().contains(&format!("start{message} ")));
            assert!(seen.prompt().contains(&format!(" end{message}\n")));
        }
    }
    let merge = material(seen[3].prompt());
    for text in ["the story so far", "one", "two", "three"] {
        assert!(merge.contains(text), "{merge}");
    }
    assert!(!seen[0].prompt().contains("the story so far"));
}

#[test]
fn a_dry_run_tells_what_is_sent() {
    let server = Server::start(vec![part("one")]);
    for count in [3, 40] {
        let excerpts: Vec<Excerpt> = (0..count).map(|message| excerpt(message, 1000)).collect();
        let settings = settings("openai", &server.url);
        let job = Job {
            excerpts: &excerpts,
            earlier: Some(Earlier { text: "before", messages: &[] }),
            target: None,
            replaces: 1999,
            count: &words,
            say: &|_| {},
        };
        let before = server.seen().len();
        let planned = dry_run(&settings, &job).unwrap();
        assert_eq!(server.seen().len(), before, "a dry run sends nothing");
        let summary = context_compact::summarizer::summarise(&settings, &job).unwrap();
        assert_eq!(planned.len(), summary.requests.len());
        for ((planned, request), seen) in
            planned.iter().zip(&summary.requests).zip(&server.seen()[before..])
        {
            assert_eq!((planned.stage, &planned.messages), (request.stage, &request.messages));
            if planned.stage != Stage::Merge {
                assert_eq!(planned.body, seen.body);
            }
            assert_eq!(planned.to, format!("{}/v1/chat/completions", server.url));
            assert!(!serde_json::to_string(planned).unwrap().contains(super::loopback::KEY));
        }
    }
}

#[test]
fn an_earlier_summary_is_folded_in_once() {
    let server = Server::start(vec![part("all")]);
    let (result, _) =
        with_earlier(&settings("openai", &server.url), &[excerpt(0, 5)], Some("the story so far"));
    assert_eq!(result.unwrap().text, "all");
    assert_eq!(server.seen()[0].prompt().matches("the story so far").count(), 1);
}

#[test]
fn an_earlier_summary_alone_is_enough() {
    let server = Server::start(vec![part("all")]);
    let settings = settings("openai", &server.url);
    let summary = with_earlier(&settings, &[], Some("the story so far")).0.unwrap();
    assert_eq!((&*summary.text, server.seen().len()), ("all", 1));
    assert!(server.seen()[0].prompt().contains("the story so far"));
    assert!(with_earlier(&settings, &[], None).0.is_err());
}

#[test]
fn a_message_that_fits_nowhere_is_shortened_with_a_mark() {
    let server = Server::start(vec![part("all")]);
    let excerpts = [excerpt(0, 5), excerpt(1, 100_000), excerpt(2, 5)];
    let summary = run(&settings("openai", &server.url), &excerpts).0.unwrap();
    let shortened: Vec<usize> =
        summary.requests.iter().flat_map(|request| request.shortened.clone()).collect();
    assert_eq!(shortened, [1]);
    let prompts: String = server.seen().iter().map(|seen| seen.prompt().to_owned()).collect();
    assert!(prompts.contains("[Large user (~101K tokens), not all of it shown]"));
    for text in ["start0 ", " end0", "start1 ", " end1", "start2 ", " end2"] {
        assert!(prompts.contains(text), "{text}");
    }
}

#[test]
fn the_window_of_the_summarizer_is_respected() {
    let server = Server::start(vec![part("all")]);
    let mut settings = settings("openai", &server.url);
    settings.limits.window = Some(8000);
    settings.limits.summary_tokens = 1000;
    let excerpts: Vec<Excerpt> = (0..20).map(|message| excerpt(message, 500)).collect();
    let summary = run(&settings, &excerpts).0.unwrap();
    assert!(summary.requests.len() > 3);
    for seen in server.seen() {
        assert!(words(seen.prompt()) + 1000 <= 8000);
    }
}

#[test]
fn real_sizes_in_an_overflow_are_used() {
    // Twice as large as what fits: halves would still be too large with the margin, thirds are not.
    let script =
        vec![error(400, "prompt is too long: 400000 tokens > 200000 maximum"), part("all")];
    let server = Server::start(script);
    let excerpts: Vec<Excerpt> = (0..30).map(|message| excerpt(message, 50)).collect();
    let summary = run(&settings("openai", &server.url), &excerpts).0.unwrap();
    let sizes: Vec<usize> = summary.requests.iter().map(|request| request.messages.len()).collect();
    assert_eq!(sizes, [30, 10, 10, 10, 0]);
}

#[test]
fn many_large_summaries_are_merged_in_stages() {
    let long = part(&"word ".repeat(10_000));
    let mut script = vec![long; 7];
    script.push(part("all of it, once more"));
    let server = Server::start(script);
    let excerpts: Vec<Excerpt> = (0..140).map(|message| excerpt(message, 1000)).collect();
    let job_said = RefCell::new(0);
    let say = |_: &_| *job_said.borrow_mut() += 1;
    let job = Job {
        excerpts: &excerpts,
        earlier: None,
        target: None,
        replaces: 20_000,
        count: &words,
        say: &say,
    };
    let summary =
        context_compact::summarizer::summarise(&settings("openai", &server.url), &job).unwrap();
    assert_eq!(summary.text, "all of it, once more");
    let merges = summary.requests.iter().filter(|request| request.stage == Stage::Merge).count();
    assert!(merges > 2, "{merges}");
    for seen in server.seen() {
        assert!(material(seen.prompt()).chars().count() <= 100_000);
    }
}
