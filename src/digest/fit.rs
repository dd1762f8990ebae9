//! Fits as many choices as possible into the budget.
//!
//! Responsible for how many pages are written until one fits; the tokens of each page are counted.

use super::page::{Page, write};

/// A further choice is tried while more than one `PARTS`th of the budget is left. Measured: 50 is too coarse
/// for long summaries.
const PARTS: usize = 200;
/// How many further choices are tried: each costs writing a page.
const LOOKS: usize = 24;

/// The first guess of how many tokens a page grows by for each estimated token of its choices.
const RATE: f32 = 0.9;
/// How many guesses are made from the counts of the last two pages before the range is halved instead.
/// Measured: two or three are usual.
const GUESSES: usize = 8;

/// Writes the page with as many choices as fit. The choices were made by estimates, so pages are counted until
/// one fits.
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
    // `under`: the most choices that fit, with their tokens. `over`: the fewest that do not fit.
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
    // A choice that does not fit is passed over if that leaves room for others: in a small budget each choice
    // is a large part.
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
    /// Estimates how many choices meet the budget, given that `chosen` choices count `tokens` tokens and that
    /// more of them cost `rate` tokens for each estimated token.
    #[allow(clippy::cast_precision_loss, reason = "counts are far smaller than 2^24")]
    fn choices_beside(&self, (chosen, tokens): (usize, usize), rate: f32) -> usize {
        let left = self.request.budget as f32 - tokens as f32;
        let price = self.prices[chosen] + left / rate;
        self.prices.partition_point(|known| *known <= price).saturating_sub(1)
    }

    /// The tokens that choices cost for each estimated token, from the counts of two pages; `None` if they tell
    /// nothing.
    #[allow(clippy::cast_precision_loss, reason = "counts are far smaller than 2^24")]
    fn rate(&self, one: (usize, usize), other: (usize, usize)) -> Option<f32> {
        let tokens = other.1 as f32 - one.1 as f32;
        let rate = tokens / (self.prices[other.0] - self.prices[one.0]);
        (rate.is_finite() && rate > 0.0).then_some(rate)
    }

    /// Removes a choice from the page.
    fn pass_over(&mut self, chosen: usize) {
        self.arranged.retain(|(_, at)| *at as usize != chosen);
    }
}
