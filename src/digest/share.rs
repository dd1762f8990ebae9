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

/// For each of the user's messages, given the tokens of each, whether it stays word for word: the
/// shortest first, while all of them take at most their share of the budget. Where a model advises, all of
/// them or none.
pub fn users_to_keep(tokens: &[usize], budget: usize, setting: Setting) -> Vec<bool> {
    let mut keep = vec![false; tokens.len()];
    let mut left = budget * users_share(setting) / 100;
    if setting == Setting::Advice && tokens.iter().sum::<usize>() > left {
        // As in talk. Measured on long chats that we wrote: it keeps a third more of what is asked for.
        return keep;
    }
    let mut order: Vec<usize> = (0..tokens.len()).collect();
    // Of equally long ones the newest stays.
    order.sort_by_key(|&at| (tokens[at], usize::MAX - at));
    for at in order {
        if tokens[at] > left.min(LONGEST_USER) {
            break;
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

    #[test]
    fn keeps_the_shortest_messages_within_half_of_the_budget() {
        assert_eq!(
            users_to_keep(&[40, 5, 1300, 10], 40, Setting::Work),
            [false, true, false, true]
        );
        assert_eq!(users_to_keep(&[1300], 10_000, Setting::Work), [false]);
    }

    #[test]
    fn keeps_all_messages_or_none_where_a_model_advises() {
        assert_eq!(users_to_keep(&[5, 10], 30, Setting::Advice), [true, true]);
        assert_eq!(users_to_keep(&[5, 11], 30, Setting::Advice), [false, false]);
    }

    #[test]
    fn gives_the_tail_a_share_only_where_there_is_room() {
        assert_eq!(tail_share(3000, 90_000, Setting::Work), 0);
        assert_eq!(tail_share(12_000, 90_000, Setting::Work), 1000);
        assert_eq!(tail_share(25_000, 90_000, Setting::Work), 5000);
        assert_eq!(tail_share(10, 0, Setting::Work), 0);
    }
}
