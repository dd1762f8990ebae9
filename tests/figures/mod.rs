//! The laws in figures: how often each is broken, over many conversations and budgets.
//!
//! Not run by default, for it takes minutes:
//! `CTX_CASES=10000 cargo test --release --test laws -- --ignored --nocapture`.

use std::io::Write;
use std::ops::Range;

use context_compact::check::{Severity, findings};
use context_compact::pairing::Pairs;
use context_compact::profile::PROFILES;
use proptest::strategy::{Strategy, ValueTree};
use proptest::test_runner::TestRunner;

use super::generate::sample_of;
use super::{Asked, Refusal, compacted, said, to_budget, tokens, truncated, with, words};

/// Turns of most conversations.
const SHORT: Range<usize> = 1..6;

/// Turns of those in which no exchange is a large part of the budget: they have enough to fill it.
const LONG: Range<usize> = 60..90;

/// A command: what it makes of an input, in a budget.
type Run<'r> = dyn Fn(&[u8], usize) -> Result<Vec<u8>, Refusal> + 'r;

/// How often what came out was not as promised.
#[derive(Default)]
struct Figures {
    results: usize,
    refused: usize,
    refused_wrongly: usize,
    invalid: usize,
    over: usize,
    lost: usize,
    changes_again: usize,
    differs: usize,
    larger: usize,
    /// Results of long conversations, and the sum of what part of the budget they fill.
    long: usize,
    fill: f64,
    /// A wrong refusal, to look at.
    wrong: String,
}

impl Figures {
    fn print(&self, name: &str) {
        #[allow(clippy::cast_precision_loss, reason = "a mean for people")]
        let fill = self.fill / self.long.max(1) as f64;
        writeln!(
            std::io::stdout(),
            "{name:12} {:7} results, {:6} refused ({} wrongly), {} invalid, {} over budget, {} newest \
             message lost, {} not idempotent, {} not deterministic, {} larger, budget filled {fill:.3} by long ones",
            self.results,
            self.refused,
            self.refused_wrongly,
            self.invalid,
            self.over,
            self.lost,
            self.changes_again,
            self.differs,
            self.larger,
        )
        .expect("standard output");
    }

    fn example(&self) -> Option<&str> {
        Some(self.wrong.as_str()).filter(|text| !text.is_empty())
    }

    fn faults(&self) -> usize {
        self.refused_wrongly
            + self.invalid
            + self.over
            + self.lost
            + self.changes_again
            + self.differs
            + self.larger
    }

    /// Tries one command on one conversation.
    fn take(&mut self, input: &[u8], budget: usize, newest: &str, is_long: bool, run: &Run<'_>) {
        let meter = words();
        let before = tokens(input, &meter);
        let result = match run(input, budget) {
            Ok(result) => result,
            Err(refusal) => {
                self.refused += 1;
                let least = refusal.0;
                let feasible = run(input, least);
                let is_right =
                    least > budget && feasible.is_ok_and(|result| tokens(&result, &meter) <= least);
                if !is_right {
                    let text = String::from_utf8_lossy(input);
                    self.wrong = format!("{refusal:?} for {budget} of {before}: {text}");
                }
                self.refused_wrongly += usize::from(!is_right);
                return;
            }
        };
        let after = tokens(&result, &meter);
        self.results += 1;
        self.invalid += usize::from(is_valid(input) && !is_valid(&result));
        self.over += usize::from(after > budget);
        self.larger += usize::from(after > before);
        self.lost += usize::from(!said(&result).iter().any(|said| said.contains(newest)));
        self.differs += usize::from(run(input, budget).ok().as_ref() != Some(&result));
        self.changes_again += usize::from(run(&result, budget).ok().as_ref() != Some(&result));
        if is_long {
            #[allow(clippy::cast_precision_loss, reason = "a mean for people")]
            let fill = after as f64 / budget as f64;
            self.fill += fill;
            self.long += 1;
        }
    }
}

fn is_valid(bytes: &[u8]) -> bool {
    with(bytes, |_, _, conversation| {
        let pairs = Pairs::of(&conversation.messages);
        let found = findings(conversation, &pairs, conversation.dialect.provider());
        found.iter().all(|finding| finding.severity != Severity::Fault)
    })
}

#[test]
#[ignore = "takes minutes; the head of the file says how to run it"]
fn figures() {
    let cases = std::env::var("CTX_CASES").ok().and_then(|cases| cases.parse().ok());
    let mut runner = TestRunner::deterministic();
    let mut truncate = Figures::default();
    let mut profiles: Vec<Figures> = PROFILES.iter().map(|_| Figures::default()).collect();
    for case in 0..cases.unwrap_or(1000) {
        let turns = if case % 10 == 0 { LONG } else { SHORT };
        let sample = sample_of(turns.clone()).new_tree(&mut runner).expect("a sample").current();
        let share = 10 + case * 7 % 81;
        for (_, text) in sample.files() {
            let input = text.as_bytes();
            let budget = tokens(input, &words()) * share / 100;
            let newest = sample.newest_request();
            truncate.take(input, budget, newest, turns == LONG, &|input, budget| {
                truncated(input, &to_budget(budget))
            });
            let which = (case + case / 10) % PROFILES.len();
            profiles[which].take(input, budget, newest, turns == LONG, &|input, budget| {
                compacted(input, budget, Asked::of(&PROFILES[which]))
            });
        }
    }
    truncate.print("truncate");
    for (profile, figures) in PROFILES.iter().zip(&profiles) {
        figures.print(profile.name);
    }
    for example in profiles.iter().chain([&truncate]).filter_map(Figures::example) {
        writeln!(std::io::stdout(), "refused wrongly: {example}").expect("standard output");
    }
    let faults: usize = profiles.iter().chain([&truncate]).map(Figures::faults).sum();
    assert_eq!(faults, 0);
}
