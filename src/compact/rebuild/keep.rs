//! Choosing the messages that stay besides those that have to, as far as there is room.
//!
//! Responsible for the shares: of the tail, of user messages, of exchanges whose results are protected. Each
//! takes from what the one before it left.

use std::ops::Range;

use super::Rebuild;
use crate::conversation::{self, Kind, LaterInstructions, Message, Origin, Role};
use crate::digest::{self, Force};
use crate::marks;
use crate::profile::{Position, Tail, Users};
use crate::truncate::cut;
use crate::wire::is_continued;

/// One part in this many of the room that exchanges protected by default may take, and the newest description
/// of the environment.
const PROTECTED_SHARE: usize = 10;

/// One part in this many of the room that the text of a command may take. Measured: with more, the summary
/// lacks too much.
const MEANT_SHARE: usize = 6;

/// One part in this many of the room that instructions behind the head may take.
const INSTRUCTIONS_SHARE: usize = 2;

/// One part in this many of what is left that older reminders of the same kind may take, and marks of aborted
/// turns.
const REMINDERS_SHARE: usize = 4;

/// One part in this many of the room that the answer may take with which a conversation ends. Measured: with a
/// quarter seven more of fifty examples to learn from lose their answer, and in records a name in a hundred is
/// kept more at a tenth of the tokens, none at a fifth.
const LAST_ANSWER_SHARE: usize = 2;

/// One part in this many of the room that the answer may take to which the newest message of a chat replies.
const REPLIED_SHARE: usize = 4;

/// One part in this many of the room that belongs to the summary if it has as much to say, even if the newest
/// messages that the user or the profile asks for are larger: a later compaction knows what was removed only
/// from the summary.
const LEAST_SUMMARY: usize = 5;

impl Rebuild<'_, '_> {
    pub(super) fn keep_tail(&mut self) {
        let room = self.room();
        let total = self.subject.count.tokens();
        let share = match (self.options.keep_tail, self.options.profile.tail) {
            (Some(tokens), _) if self.summary_share == 0 => tokens.min(room),
            (Some(tokens), _) => tokens.min(self.room_beside_summary()),
            (None, Tail::None) if self.options.profile.place == Position::AfterUsers => return,
            (None, Tail::None) => 0,
            (None, Tail::Share) => digest::tail_share(room, total, self.setting),
            (None, Tail::Percent(percent)) => room * percent / 100,
            (None, Tail::Messages(_)) => self.room_beside_summary(),
        };
        let least = self.foremost_tail().unwrap_or(0);
        self.least_share = room / LEAST_SUMMARY;
        let used = self.keep_unread_results(share);
        self.extend_tail(share.saturating_sub(used), least);
        let tail: usize = self.sizes.in_tail[self.tail..].iter().sum();
        let is_whole = self.summary_share == 0 && self.cut_in_tail().next().is_none();
        let is_short = self.options.keep_tail.is_some_and(|tokens| tail < tokens);
        if is_short && is_whole && self.tail > 0 {
            // Keep the message that crosses the limit whole, if that leaves at least as much room for the
            // rest.
            let least = self.subject.cuts.behind_leader(self.tail - 1);
            self.extend_tail(self.room() / 2, least);
        }
    }

    /// Keeps the answer with which the conversation ends, or to which the newest message of a chat replies, unless
    /// it takes too much room: an example to learn from needs its answer, and `OK, do that` says nothing without
    /// the offer. Elsewhere, and in session logs that end with an answer, the digest quotes the model's last words.
    pub(super) fn keep_last_answer(&mut self) {
        if self.options.keep_tail.is_some() || self.options.profile.tail != Tail::Share {
            return;
        }
        let conversation = self.subject.conversation;
        let messages = &conversation.messages;
        let is_answer = |at: usize| messages.get(at).is_some_and(is_answer);
        let newest = conversation.newest_request();
        let Some(last) = messages.len().checked_sub(1) else { return };
        let is_reply = newest == Some(last) && self.setting.is_talk();
        let (answer, share) = if is_answer(last) && !conversation.dialect.is_log() {
            (last, LAST_ANSWER_SHARE)
        } else if is_reply && last > 0 && is_answer(last - 1) {
            (last - 1, REPLIED_SHARE)
        } else {
            return;
        };
        let size: usize = (answer..messages.len()).map(|at| self.more_in_tail(at)).sum();
        if size <= self.room() / share {
            // The request that it answers, which stays anyway, stands before it.
            let asked = newest.filter(|newest| newest + 1 == answer);
            self.extend_tail(size, asked.unwrap_or(answer));
        }
    }

    /// The room for messages that the user or the profile asks for, beside the summary's share.
    fn room_beside_summary(&self) -> usize {
        self.room().min(self.summary_room().saturating_sub(self.summary_share))
    }

    /// Keeps calls whose results are still awaited, if there is room: the results will be put behind them,
    /// and without their calls would answer nothing.
    pub(super) fn keep_calls_in_flight(&mut self) {
        if let Some(first) = self.calls_in_flight() {
            self.extend_tail(self.room(), self.subject.cuts.behind_leader(first));
        }
    }

    /// The message with the first call whose result is still awaited.
    pub(super) fn calls_in_flight(&self) -> Option<usize> {
        self.subject.pairs.in_flight(self.subject.conversation)
    }

    /// Extends the tail backwards by whole pieces while they fit into `share` tokens, but not beyond message
    /// `least`. Returns the tokens used.
    pub(super) fn extend_tail(&mut self, mut share: usize, least: usize) -> usize {
        let mut used = 0;
        while self.tail > least {
            let start = self.subject.cuts.behind_leader(self.tail - 1);
            let leader = self.subject.cuts.leader(start).unwrap_or(start..start);
            let behind = (start..self.tail).map(|at| self.more_in_tail(at));
            let before = leader.clone().filter(|at| !self.kept[*at]).map(|at| self.size(at));
            let size = behind.chain(before).sum::<usize>();
            // An earlier summary is folded into the new one and never stays beside it.
            let is_summed_up = (start..self.tail).any(|at| self.is_readable_summary(at));
            if size > share || is_summed_up || leader.start < self.subject.conversation.head() {
                break;
            }
            share -= size;
            used += size;
            self.kept[start..self.tail].fill(true);
            self.kept[leader].fill(true);
            self.tail = start;
        }
        used
    }

    /// The additional tokens that a message would count in the tail.
    pub(super) fn more_in_tail(&self, at: usize) -> usize {
        let now = if self.kept[at] { self.size(at) } else { 0 };
        self.sizes.in_tail[at].saturating_sub(now)
    }

    /// The first message at which the tail could begin if the summary left all its room to it.
    pub fn furthest_tail(&self) -> usize {
        let Some(foremost) = self.foremost_tail() else { return self.tail };
        let mut room = self.summary_room();
        let fits = |at: &usize| {
            let rest = room.checked_sub(self.more_in_tail(*at));
            room = rest.unwrap_or(0);
            rest.is_some()
        };
        let whole = (foremost..self.tail).rev().take_while(fits).last().unwrap_or(self.tail);
        // A part of the message that crosses the limit may stay.
        whole.checked_sub(1).map_or(0, |at| self.subject.cuts.behind_leader(at)).max(foremost)
    }

    pub(super) fn keep_users(&mut self) {
        let said: Vec<usize> = (0..self.tail)
            .filter(|&at| !self.kept[at] && is_kept_user(&self.subject.conversation.messages[at]))
            .collect();
        let sizes: Vec<usize> = said.iter().map(|&at| self.size(at)).collect();
        let room = self.room();
        let keep = match (self.options.keep_users, self.options.profile.users) {
            (Some(tokens), _) => {
                self.lacks_users = tokens.min(sizes.iter().sum()) > room;
                return self.keep_newest_users(&said, tokens.min(room));
            }
            // If only the profile asks for them, the summary gets as much room.
            (None, Users::Tokens(tokens)) => {
                let room = self.room_beside_summary().min(room / 2);
                return self.keep_newest_users(&said, tokens.min(room));
            }
            (None, Users::None) => return,
            // If the digest chooses, it reports what matters of all user messages.
            (None, Users::Share) => {
                let chooses = self.options.digests || self.setting != digest::Setting::Advice;
                let setting = if chooses { self.setting } else { digest::Setting::Work };
                let force = |size: usize, at: usize| match () {
                    () if said.first() == Some(&at) => Force::Opens,
                    () if digest::may_bind(size, setting) && digest::binds(&self.words_of(at)) => {
                        Force::Binds
                    }
                    () => Force::Plain,
                };
                let messages = sizes.iter().zip(&said);
                let messages = messages.map(|(&size, &at)| (size, force(size, at)));
                digest::users_to_keep(&messages.collect::<Vec<_>>(), room, setting)
            }
        };
        for (at, keep) in said.into_iter().zip(keep) {
            self.kept[at] |= keep;
        }
    }

    /// Keeps user messages in `tokens` tokens: a tenth for the oldest, the rest for the newest. The message
    /// that crosses the limit is cut in its middle.
    fn keep_newest_users(&mut self, said: &[usize], tokens: usize) {
        let mut oldest = tokens / 10;
        let mut left = tokens;
        let mut front = 0;
        while front < said.len() && self.size(said[front]) <= oldest {
            oldest -= self.size(said[front]);
            left -= self.size(said[front]);
            self.kept[said[front]] = true;
            front += 1;
        }
        for &at in said[front..].iter().rev() {
            let size = self.size(at);
            if size <= left {
                self.kept[at] = true;
                left -= size;
                continue;
            }
            // At most one message is cut, and that may already be the newest request.
            if self.clipped.is_some() {
                break;
            }
            let room = left.saturating_sub(self.frame());
            let text = self.words_of(at);
            let text = cut::cut_words(&text, room, 0.5, self.subject.meter);
            if let Some(text) = text.filter(|_| room > 16) {
                self.kept[at] = true;
                self.clipped = Some((at, text));
            }
            break;
        }
    }

    /// Keeps the exchanges of results that the user asked to keep, and results that the server awaits. If
    /// there is no room for them, no compaction is possible.
    pub(super) fn pin_results(&mut self, results: &[(conversation::Place, String)]) {
        let newest = results.len().saturating_sub(self.options.keep_results.unwrap_or(0));
        let pins = |tool: &str| self.options.pins_tools && self.options.tools.protect(tool);
        let pinned = results.iter().enumerate();
        let is_continued = is_continued(self.subject.conversation);
        let waits =
            |result| is_continued && self.subject.pairs.orphans.binary_search(result).is_ok();
        let pinned = pinned
            .filter(|(index, (result, tool))| *index >= newest || pins(tool) || waits(result));
        for at in pinned.map(|(_, ((at, _), _))| *at).collect::<Vec<_>>() {
            let (exchange, leader) = self.subject.cuts.exchange(at);
            // A message may stay for the user's words, but the call of its result would not stay with it.
            if exchange.clone().any(|at| !self.kept[at]) {
                self.protect((exchange, leader));
            }
        }
    }

    /// Keeps an exchange and the leader of its tool loop.
    fn protect(&mut self, (exchange, leader): (Range<usize>, Range<usize>)) {
        self.kept[leader].fill(true);
        self.kept[exchange.clone()].fill(true);
        self.protected.push(exchange);
    }

    /// Keeps exchanges of tools protected by default: the newest of each tool, or all (as the profile says),
    /// as far as they fit; the others are summarised. An exchange with only summarised messages behind it is
    /// summarised too, because a conversation that ended with an answer would else end with a result that
    /// awaits one.
    pub(super) fn keep_protected(&mut self, results: &[(conversation::Place, String)]) {
        let tools = &self.options.tools;
        if self.options.pins_tools || tools.keep.is_none() {
            return;
        }
        let all = self.options.profile.protects_all;
        let mut share = if all { self.room() / 2 } else { self.room() / PROTECTED_SHARE };
        let mut seen: Vec<&str> = Vec::new();
        for ((at, _), tool) in results.iter().rev() {
            let is_new = all || !seen.contains(&tool.as_str());
            if !tools.protect(tool) || !is_new || self.kept[*at] {
                continue;
            }
            seen.push(tool);
            let (exchange, leader) = self.subject.cuts.exchange(*at);
            let behind = &self.kept[exchange.end..];
            if !behind.is_empty() && !behind.contains(&true) {
                continue;
            }
            let gone = leader.clone().chain(exchange.clone()).filter(|&at| !self.kept[at]);
            let size: usize = gone.map(|at| self.size(at)).sum();
            if size <= share {
                share -= size;
                self.protect((exchange, leader));
            }
        }
    }

    /// Keeps the newest summary that only its provider can read, because nothing of it can be folded into
    /// another summary.
    pub(super) fn keep_opaque_summary(&mut self) {
        let newest = self.opaque_summary();
        if let Some(at) = newest.filter(|&at| self.size(at) <= self.room()) {
            self.kept[at] = true;
        }
    }

    /// Keeps instructions behind the head, the newest first, unless they take too much room: no summary can
    /// carry an instruction with its rank.
    pub(super) fn keep_later_instructions(&mut self) {
        let LaterInstructions { standing, repeated } =
            self.subject.conversation.later_instructions();
        for (all, share) in [(standing, INSTRUCTIONS_SHARE), (repeated, REMINDERS_SHARE)] {
            let mut share = self.room() / share;
            for at in all {
                let size = self.size(at);
                if !self.kept[at] && size <= share {
                    share -= size;
                    self.kept[at] = true;
                }
            }
        }
    }

    /// Keeps the text that the newest request expands to, and the newest description of the environment,
    /// unless they take too much room.
    pub(super) fn keep_injected(&mut self) {
        let messages = &self.subject.conversation.messages;
        let is_environment = |message: &Message<'_>| {
            message.origin == Origin::Injected && marks::is_environment(&message.text())
        };
        let meant = messages.iter().rposition(|message| message.is_meant);
        let environment = messages.iter().rposition(is_environment);
        for (at, share) in [(meant, MEANT_SHARE), (environment, PROTECTED_SHARE)] {
            let at = at.filter(|&at| !self.kept[at] && self.size(at) <= self.room() / share);
            if let Some(at) = at {
                self.kept[at] = true;
            }
        }
    }

    /// Keeps the marks of aborted turns, the newest first. They count few tokens, and without them the model
    /// would go on with what the user stopped.
    pub(super) fn keep_aborted(&mut self) {
        let mut share = self.room() / REMINDERS_SHARE;
        for (at, message) in self.subject.conversation.messages.iter().enumerate().rev() {
            if self.kept[at] || !is_aborted(message) {
                continue;
            }
            if let Some(rest) = share.checked_sub(self.size(at)) {
                share = rest;
                self.kept[at] = true;
            }
        }
    }
}

/// Whether the message is the model's words, and waits for no tool.
fn is_answer(message: &Message<'_>) -> bool {
    let says = || message.parts_of(Kind::Text).any(|(_, part)| !part.text().trim().is_empty());
    message.role == Role::Assistant && !message.has(Kind::ToolCall) && says()
}

/// Whether the message is a user's request or the mark of an aborted turn.
fn is_kept_user(message: &Message<'_>) -> bool {
    message.is_request() || is_aborted(message)
}

fn is_aborted(message: &Message<'_>) -> bool {
    message.origin == Origin::Injected && marks::is_turn_aborted(&message.text())
}
