//! How a budget is shared between kept user messages, the digest and the tail.
//!
//! Responsible for the rules alone: pure arithmetic over token counts, and over what binds. What they leave
//! is the digest's. The constants are what retained most on real compactions.

use super::Setting;

/// A user's message over this many tokens is clipped and quoted in the digest instead of kept: where it is more
/// than a fifth of the room, from the lesser number on. Measured: with 400 a tenth of the messages is lost, above
/// 1200 nothing is gained; a message of a fifth of the room costs a name in a hundred.
const LONGEST_USER: usize = 1200;
const LONG_USER: usize = 700;
const MUCH_OF_ROOM: usize = 5;

/// From so many tokens on there is room for both the records and what is said.
const AMPLE: usize = 1000;

/// The share of the budget that the user's messages may take, in per cent. Measured: in service
/// conversations more of them costs the records that are needed, where there is little room.
fn users_share(budget: usize, setting: Setting) -> usize {
    match setting {
        Setting::Work | Setting::Advice => 50,
        Setting::Service if budget >= AMPLE => 50,
        Setting::Service => 30,
        // Where both talk alike, the shortest messages are the emptiest: the digest chooses.
        Setting::Talk => 0,
    }
}

/// The part of the users' share that is for what binds first, however many shorter messages there are.
const BINDING: usize = 2;

/// Whether it matters if a message of so many tokens binds: none that is longer stays, and where both talk, or
/// a model advises, all stay or none.
pub fn may_bind(tokens: usize, setting: Setting) -> bool {
    tokens <= LONGEST_USER && !setting.is_talk()
}

/// What a message of the user's is to the conversation.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Force {
    /// What was asked first is what it is all about.
    Opens,
    /// It holds a rule, which stays in force.
    Binds,
    /// Neither.
    Plain,
}

/// For each of the user's messages, given the tokens of each and its force, whether it stays word for word:
/// what was asked first, then the shortest, while all of them take at most their share of the budget; half of
/// it is for what binds. Where a model advises, all of them or none.
pub fn users_to_keep(messages: &[(usize, Force)], budget: usize, setting: Setting) -> Vec<bool> {
    let mut keep = vec![false; messages.len()];
    let share = budget * users_share(budget, setting) / 100;
    let all: usize = messages.iter().map(|(tokens, _)| tokens).sum();
    if setting == Setting::Advice && all > share {
        // As in talk. Measured on long chats that we wrote: it keeps a third more of what is asked for.
        return keep;
    }
    let is_work = setting == Setting::Work;
    let long = if is_work { LONG_USER } else { LONGEST_USER };
    let longest = (budget / MUCH_OF_ROOM).clamp(long, LONGEST_USER);
    let mut order: Vec<usize> = (0..messages.len()).collect();
    // Of equally long ones the newest stays.
    order.sort_by_key(|&at| (messages[at].0, usize::MAX - at));
    let mut fill = |mut left: usize, which: fn(Force) -> bool| {
        for &at in &order {
            let (tokens, force) = messages[at];
            if tokens > left.min(longest) {
                break;
            }
            if which(force) && !keep[at] {
                left -= tokens;
                keep[at] = true;
            }
        }
        left
    };
    let left = fill(share / BINDING, |force| force == Force::Opens);
    let left = fill(left, |force| force == Force::Binds);
    fill(share - share / BINDING + left, |_| true);
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

/// How many tokens of `budget` go to results that nobody has read yet, and to their calls, before the tail has
/// its share. Measured: a quarter costs six of a hundred names where the budget is a twentieth, a tenth
/// hardly one; where the budget is a quarter or more, what is new is most of what matters.
pub fn unread_share(budget: usize, total: usize, setting: Setting) -> usize {
    let is_shallow = setting == Setting::Work && budget.saturating_mul(4) >= total;
    if is_shallow { budget / 3 } else { budget / 10 }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn kept(tokens: &[usize], budget: usize, setting: Setting) -> Vec<bool> {
        let messages: Vec<_> = tokens.iter().map(|tokens| (*tokens, Force::Plain)).collect();
        users_to_keep(&messages, budget, setting)
    }

    #[test]
    fn keeps_the_shortest_messages_within_half_of_the_budget() {
        assert_eq!(kept(&[40, 5, 1300, 10], 40, Setting::Work), [false, true, false, true]);
        assert_eq!(kept(&[1300], 10_000, Setting::Work), [false]);
        assert_eq!(kept(&[1100], 10_000, Setting::Work), [true]);
        assert_eq!(kept(&[1100], 3_000, Setting::Work), [false]);
        assert_eq!(kept(&[600], 2_000, Setting::Work), [true]);
    }

    #[test]
    fn keeps_a_rule_before_what_is_shorter() {
        let with = |force| {
            let plain = (8, Force::Plain);
            [(9, force), plain, plain, plain, plain]
        };
        let keep = |force, budget| users_to_keep(&with(force), budget, Setting::Work);
        assert_eq!(keep(Force::Binds, 52), [true, false, false, true, true]);
        assert_eq!(keep(Force::Binds, 30), [false, false, false, false, true]);
    }

    #[test]
    fn keeps_what_was_asked_first_before_shorter_rules() {
        let rule = (8, Force::Binds);
        let keep = |budget| {
            users_to_keep(&[(20, Force::Opens), rule, rule, rule], budget, Setting::Service)
        };
        assert_eq!(keep(140), [true, false, true, true]);
        assert_eq!(keep(70), [false, false, true, true]);
    }

    #[test]
    fn keeps_all_messages_or_none_where_a_model_advises() {
        assert_eq!(kept(&[5, 10], 30, Setting::Advice), [true, true]);
        assert_eq!(kept(&[5, 11], 30, Setting::Advice), [false, false]);
        assert_eq!(kept(&[5, 1100], 3000, Setting::Advice), [true, true]);
    }

    #[test]
    fn gives_the_tail_a_share_only_where_there_is_room() {
        assert_eq!(tail_share(3000, 90_000, Setting::Work), 0);
        assert_eq!(tail_share(12_000, 90_000, Setting::Work), 1000);
        assert_eq!(tail_share(25_000, 90_000, Setting::Work), 5000);
        assert_eq!(tail_share(10, 0, Setting::Work), 0);
    }

    #[test]
    fn gives_unread_results_a_third_where_much_stays_of_work_and_else_a_tenth() {
        assert_eq!(unread_share(3000, 90_000, Setting::Work), 300);
        assert_eq!(unread_share(3000, 12_000, Setting::Work), 1000);
        assert_eq!(unread_share(3000, 12_000, Setting::Service), 300);
    }
}
