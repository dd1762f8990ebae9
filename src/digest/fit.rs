//! As many choices as fit into the budget.
//!
//! Responsible for how many pages are written until one fits: each is counted.

use super::page::{Page, write};

/// What is left of the budget is worth a further look where it is more than one of so many parts. Measured:
/// of 50 parts one is too much for long summaries.
const PARTS: usize = 200;
/// How many further choices are looked at: each is a page that is written.
const LOOKS: usize = 24;

/// What a page is guessed to count more for each token that its choices were estimated at.
const RATE: f32 = 0.9;
/// How many guesses go by what the last two pages counted. Measured: two or three are usual.
const GUESSES: usize = 8;

/// The page with as many choices as fit: they were made by estimates.
pub(super) fn longest(page: &mut Page<'_, '_>) -> String {
    let (count, budget) = (page.counter.text, page.request.budget);
    let write = |page: &Page<'_, '_>, chosen: usize| {
        let text = write::page(page, chosen);
        let tokens = count(&text);
        (text, tokens)
    };
    let all = page.items.len();
    let (mut best, tokens) = write(page, 0);
    if tokens > budget {
        return String::new();
    }
    // The most choices that fit, with what they count, and the fewest that do not.
    let mut under = (0, tokens);
    let mut over = all + 1;
    let (mut last, mut rate) = (under, RATE);
    let mut guesses = 0..GUESSES;
    while over - under.0 > 1 {
        let next = match guesses.next() {
            Some(_) => page.choices_beside(last, rate),
            None => under.0 + (over - under.0) / 2,
        };
        let next = next.clamp(under.0 + 1, over - 1);
        let (text, tokens) = write(page, next);
        rate = page.rate(last, (next, tokens)).unwrap_or(rate);
        last = (next, tokens);
        if tokens <= budget {
            (under, best) = (last, text);
        } else {
            over = next;
        }
    }
    if under.0 == all {
        return best;
    }
    // A choice that does not fit is passed over where it leaves room for others: in a small budget each is
    // a large part.
    page.pass_over(under.0);
    for next in (under.0 + 1..all).take(LOOKS) {
        if budget - under.1 <= budget / PARTS {
            break;
        }
        let (text, tokens) = write(page, next + 1);
        if tokens <= budget {
            under.1 = tokens;
            best = text;
        } else {
            page.pass_over(next);
        }
    }
    best
}

impl Page<'_, '_> {
    /// About how many choices meet the budget where some count so many tokens, and more of them at a rate.
    #[allow(clippy::cast_precision_loss, reason = "counts are far smaller than 2^24")]
    fn choices_beside(&self, (chosen, tokens): (usize, usize), rate: f32) -> usize {
        let left = self.request.budget as f32 - tokens as f32;
        let price = self.prices[chosen] + left / rate;
        self.prices.partition_point(|known| *known <= price).saturating_sub(1)
    }

    /// What choices count more for what they were estimated at, by two numbers of them.
    #[allow(clippy::cast_precision_loss, reason = "counts are far smaller than 2^24")]
    fn rate(&self, one: (usize, usize), other: (usize, usize)) -> Option<f32> {
        let tokens = other.1 as f32 - one.1 as f32;
        let rate = tokens / (self.prices[other.0] - self.prices[one.0]);
        (rate.is_finite() && rate > 0.0).then_some(rate)
    }

    /// Leaves a choice out.
    fn pass_over(&mut self, chosen: usize) {
        self.arranged.retain(|(_, at)| *at as usize != chosen);
    }
}
