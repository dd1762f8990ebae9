//! How a budget is shared between kept user messages, the digest and the tail.
//!
//! Responsible for the rules alone: pure arithmetic over token counts. What they leave is the
//! digest's. The constants are what retained most on real compactions.

use super::Setting;

/// A user's message over this many tokens is clipped and quoted in the digest instead of kept.
/// Measured: with 400 a tenth of the messages is lost, above 1200 nothing is gained.
const LONGEST_USER: usize = 1200;

/// The share of the budget that the user's messages may take, in per cent. Measured: in service
/// conversations more of them costs the records that are needed.
fn users_share(setting: Setting) -> usize {
    match setting {
        Setting::Work | Setting::Advice => 50,
        Setting::Service => 30,
        // Where both talk alike, the shortest messages are the emptiest: the digest chooses.
        Setting::Talk => 0,
    }
}

/// The part of the users' share that a message has at most which goes before shorter ones for what it
/// demands: the room of many.
const BINDING: usize = 4;

/// For each of the user's messages, given the tokens of each, whether it stays word for word: what
/// `binds`, then the shortest first, while all of them take at most their share of the budget. Where a
/// model advises, all of them or none.
pub fn users_to_keep(
    tokens: &[usize],
    budget: usize,
    setting: Setting,
    binds: impl Fn(usize) -> bool,
) -> Vec<bool> {
    let mut keep = vec![false; tokens.len()];
    let mut left = budget * users_share(setting) / 100;
    if setting == Setting::Advice && tokens.iter().sum::<usize>() > left {
        // As in talk. Measured on long chats that we wrote: it keeps a third more of what is asked for.
        return keep;
    }
    let most = left / BINDING;
    let mut order: Vec<usize> = (0..tokens.len()).collect();
    // Of equally long ones the newest stays.
    order.sort_by_cached_key(|&at| {
        let goes_first = tokens[at] <= most && binds(at);
        (!goes_first, tokens[at], usize::MAX - at)
    });
    for at in order {
        if tokens[at] > left.min(LONGEST_USER) {
            continue;
        }
        left -= tokens[at];
        keep[at] = true;
    }
    keep
}

/// How many tokens of `budget` the tail gets where the conversation counts `total`: nothing where
/// the budget is a few per cent of it, a fifth where it is a quarter or more. Measured: below that, lines
/// of the whole are needed more often than the newest results word for word.
pub fn tail_share(budget: usize, total: usize, setting: Setting) -> usize {
    if total == 0 || setting != Setting::Work {
        return 0;
    }
    let per_mille = budget.saturating_mul(1000) / total;
    match per_mille {
        0..60 => 0,
        60..125 => budget / 20,
        125..250 => budget / 12,
        _ => budget / 5,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn kept(tokens: &[usize], budget: usize, setting: Setting) -> Vec<bool> {
        users_to_keep(tokens, budget, setting, |_| false)
    }

    #[test]
    fn keeps_the_shortest_messages_within_half_of_the_budget() {
        assert_eq!(kept(&[40, 5, 1300, 10], 40, Setting::Work), [false, true, false, true]);
        assert_eq!(kept(&[1300], 10_000, Setting::Work), [false]);
    }

    #[test]
    fn keeps_a_rule_before_what_is_shorter() {
        let keep =
            |binds: fn(usize) -> bool| users_to_keep(&[9, 30, 8, 6, 7], 60, Setting::Work, binds);
        assert_eq!(keep(|_| false), [true, false, true, true, true]);
        assert_eq!(keep(|at| at == 1), [true, false, true, true, true]);
        let keep =
            |binds: fn(usize) -> bool| users_to_keep(&[9, 8, 8, 8, 8], 66, Setting::Work, binds);
        assert_eq!(keep(|_| false), [false, true, true, true, true]);
        assert_eq!(keep(|at| at == 0), [false, true, true, true, true]);
        let keep =
            |binds: fn(usize) -> bool| users_to_keep(&[9, 8, 8, 8, 8], 74, Setting::Work, binds);
        assert_eq!(keep(|at| at == 0), [true, false, true, true, true]);
    }

    #[test]
    fn keeps_all_messages_or_none_where_a_model_advises() {
        assert_eq!(kept(&[5, 10], 30, Setting::Advice), [true, true]);
        assert_eq!(kept(&[5, 11], 30, Setting::Advice), [false, false]);
    }

    #[test]
    fn gives_the_tail_a_share_only_where_there_is_room() {
        assert_eq!(tail_share(3000, 90_000, Setting::Work), 0);
        assert_eq!(tail_share(12_000, 90_000, Setting::Work), 1000);
        assert_eq!(tail_share(25_000, 90_000, Setting::Work), 5000);
        assert_eq!(tail_share(10, 0, Setting::Work), 0);
    }
}
