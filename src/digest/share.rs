//! How a budget is shared between kept user messages, the digest and the tail.
//!
//! Responsible for the rules alone: pure arithmetic over token counts and over which messages bind. The digest
//! gets what the other two leave. The constants are the ones that retained most on real compactions.

use super::Setting;

/// The longest user message, in tokens, that is kept word for word; a longer one is clipped and quoted in the
/// digest. In work the limit is a fifth of the budget (`MUCH_OF_ROOM`), but at least `LONG_USER` and at most
/// `LONGEST_USER`. Measured: with 400 a tenth of the messages is lost, above 1200 nothing is gained; a message
/// of a fifth of the room costs a name in a hundred.
const LONGEST_USER: usize = 1200;
const LONG_USER: usize = 700;
const MUCH_OF_ROOM: usize = 5;

/// The budget, in tokens, from which there is room for both the records and the messages.
const AMPLE: usize = 1000;

/// The share of the budget that the user's messages may take, in per cent. Measured: in service
/// conversations more of them costs the records that are needed, where there is little room.
fn users_share(budget: usize, setting: Setting) -> usize {
    match setting {
        Setting::Work | Setting::Advice => 50,
        Setting::Service if budget >= AMPLE => 50,
        Setting::Service => 30,
        // In talk the shortest messages are the emptiest, so the digest chooses.
        Setting::Talk => 0,
    }
}

/// Half of the users' share is reserved for messages that open the conversation or bind, however many shorter
/// ones there are.
const BINDING: usize = 2;

/// Whether it matters if a message of `tokens` tokens binds. It does not for a message too long to be kept, nor
/// in talk and advice, where no message or all of them are kept.
pub fn may_bind(tokens: usize, setting: Setting) -> bool {
    tokens <= LONGEST_USER && !setting.is_talk()
}

/// What a user's message is to the conversation.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Force {
    /// The first request, which says what the conversation is about.
    Opens,
    /// It holds a rule, which stays in force.
    Binds,
    /// Neither of these.
    Plain,
}

/// Returns, for each of the user's messages, whether it is kept word for word. `messages` gives the tokens and
/// the force of each. First come the opening request and binding messages, in half of the users' share, then
/// the shortest messages, while they fit. In advice all messages are kept or none.
pub fn users_to_keep(messages: &[(usize, Force)], budget: usize, setting: Setting) -> Vec<bool> {
    let mut keep = vec![false; messages.len()];
    let share = budget * users_share(budget, setting) / 100;
    let all: usize = messages.iter().map(|(tokens, _)| tokens).sum();
    if setting == Setting::Advice && all > share {
        // As in talk, none is kept. Measured on long chats that we wrote: it keeps a third more of what is
        // asked for.
        return keep;
    }
    let is_work = setting == Setting::Work;
    let long = if is_work { LONG_USER } else { LONGEST_USER };
    let longest = (budget / MUCH_OF_ROOM).clamp(long, LONGEST_USER);
    let mut order: Vec<usize> = (0..messages.len()).collect();
    // Of equally long messages the newest is kept.
    order.sort_by_key(|&at| (messages[at].0, usize::MAX - at));
    let mut fill = |mut left: usize, order: &[usize], which: fn(Force) -> bool| {
        for &at in order {
            let (tokens, force) = messages[at];
            if which(force) && !keep[at] && tokens <= left.min(longest) {
                left -= tokens;
                keep[at] = true;
            }
        }
        left
    };
    // A later rule may take back an earlier one, so of what binds the newest is kept.
    let newest: Vec<usize> = (0..messages.len()).rev().collect();
    let left = fill(share / BINDING, &order, |force| force == Force::Opens);
    let left = fill(left, &newest, |force| force == Force::Binds);
    fill(share - share / BINDING + left, &order, |_| true);
    keep
}

/// Returns how many tokens of `budget` the tail gets if the conversation has `total` tokens: none if the budget
/// is a few per cent of that, a fifth if it is a quarter or more. Measured: below that, lines of the whole are
/// needed more often than the newest results word for word.
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

/// Returns how many tokens of `budget` go to results that the model has not read yet, and to their calls,
/// before the tail gets its share. Measured: a quarter costs six of a hundred names where the budget is a
/// twentieth, a tenth hardly one; where the budget is a quarter or more, what is new is most of what matters.
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
