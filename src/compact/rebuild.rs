//! What a compacted conversation consists of: who stays, where the summary goes, how much room it has.
//!
//! Responsible for sharing the budget and for the order. What has to stay (the head, the newest
//! request) comes first; user messages, protected exchanges and the tail get their shares of the
//! rest, and all that is left is the summary's. What the summary does not use goes to the tail.

use crate::compact::profile::{Place, Tail, Users};
use crate::compact::{Options, Subject, restore};
use crate::conversation::{Kind, Message, Origin, Role};
use crate::dialect::Provider;
use crate::digest;
use crate::draft::{Draft, NewMessage};
use crate::marks;
use crate::thinking;
use crate::truncate::clear;
use crate::truncate::cut::{self, Limit, Measure};
use crate::truncate::elide::{self, Infeasible};

/// Room from which on files are restored unasked: below, the summary needs all of it (measured).
const ROOM_TO_RESTORE: usize = 20_000;

/// Tokens of a clipped request that still say what is asked.
const LEAST_REQUEST: usize = 40;

/// Part of the room that a clipped request takes: the digest tells the rest of it.
const CLIPPED_SHARE: usize = 4;

/// Part of the room that protected exchanges may take.
const PROTECTED_SHARE: usize = 10;

/// Who stays, and the room for the summary.
pub struct Rebuild<'c, 'a> {
    subject: &'c Subject<'c, 'a>,
    options: &'c Options,
    budget: usize,
    setting: digest::Setting,
    /// From here on thinking stays: the tool loop is still open.
    open_loop: usize,
    /// For each message, whether it stays.
    pub kept: Vec<bool>,
    /// Where the tail begins.
    pub tail: usize,
    /// A user's message of which only a part stays, and that part.
    pub clipped: Option<(usize, String)>,
    /// Recently read files, to be put behind the summary.
    pub restored: Option<NewMessage<'a>>,
}

impl<'c, 'a> Rebuild<'c, 'a> {
    /// Decides who stays.
    ///
    /// # Errors
    ///
    /// The head, the newest request and a least summary count more than the budget.
    pub fn plan(
        subject: &'c Subject<'c, 'a>,
        options: &'c Options,
        budget: usize,
    ) -> Result<Self, Infeasible> {
        let messages = &subject.conversation.messages;
        let all = messages.len();
        let mut rebuild = Self {
            subject,
            options,
            budget,
            setting: digest::Setting::of(subject.conversation),
            open_loop: thinking::open_loop(subject.conversation),
            kept: vec![false; all],
            tail: all,
            clipped: None,
            restored: None,
        };
        for (at, message) in messages.iter().enumerate() {
            rebuild.kept[at] =
                message.units.is_empty() || message.is_instruction() && rebuild.is_head(at);
        }
        if let Some(newest) = elide::newest_request(subject.conversation) {
            rebuild.kept[newest] = true;
        }
        let first = messages.iter().position(|message| message.is_request());
        if let Some(first) = first.filter(|_| options.keep_first_user || options.profile.first_user)
        {
            rebuild.kept[first] = true;
        }
        let least = rebuild.fixed() + rebuild.least_summary();
        if least > budget && !(rebuild.let_go_of_head() || rebuild.clip_newest_request()) {
            return Err(Infeasible { least });
        }
        rebuild.keep_tail();
        rebuild.keep_users();
        rebuild.keep_protected();
        rebuild.restore_files();
        Ok(rebuild)
    }

    fn is_head(&self, at: usize) -> bool {
        at < elide::head(self.subject.conversation)
    }

    /// What everything counts that stays, and the conversation as a whole.
    fn fixed(&self) -> usize {
        let count = self.subject.count;
        let kept = (0..self.kept.len()).filter(|&at| self.kept[at]);
        let kept: usize = kept.map(|at| self.size(at)).sum();
        let dialect = self.subject.conversation.dialect;
        let restored = self.restored.as_ref();
        let restored = restored.map_or(0, |files| self.subject.meter.new_message(dialect, files));
        kept + restored + count.tools.tokens() + count.conversation.tokens()
    }

    fn frame(&self) -> usize {
        let framing = self.subject.meter.framing(self.subject.conversation.dialect);
        framing.message + framing.text
    }

    /// In a session log, instructions that leave no room go: its agent sends its own again. False where
    /// that is not enough.
    fn let_go_of_head(&mut self) -> bool {
        let conversation = self.subject.conversation;
        if !conversation.dialect.is_log() {
            return false;
        }
        self.kept[..elide::head(conversation)].fill(false);
        self.fixed() + self.least_summary() <= self.budget
    }

    /// In a session log, a newest request that leaves no room is cut in its middle, for a saved
    /// transcript is to be shrunk all the same; everywhere else it stays word for word, or nothing is
    /// done. False where that is not enough.
    fn clip_newest_request(&mut self) -> bool {
        let conversation = self.subject.conversation;
        let Some(newest) = elide::newest_request(conversation) else { return false };
        let others = self.fixed() - self.size(newest) + self.least_summary();
        let room = self.budget.saturating_sub(others + self.frame()) / CLIPPED_SHARE;
        if !conversation.dialect.is_log() || room < LEAST_REQUEST {
            return false;
        }
        let limit = Limit { measure: Measure::Tokens, most: room, head_share: 0.7 };
        let text = conversation.messages[newest].text();
        self.clipped = cut::cut(&text, &limit, self.subject.meter).map(|text| (newest, text));
        self.clipped.is_some()
    }

    /// What the note counts that stands for the middle where there is no room for more.
    fn least_summary(&self) -> usize {
        self.subject.meter.new_message(self.subject.conversation.dialect, &elide::note())
    }

    /// What is left for more messages, beside the least that has to stand for the middle.
    fn room(&self) -> usize {
        self.budget.saturating_sub(self.fixed() + self.least_summary())
    }

    /// What a message counts, or the part of it that stays.
    fn size(&self, at: usize) -> usize {
        match &self.clipped {
            Some((clipped, text)) if *clipped == at => self.subject.meter.text(text) + self.frame(),
            _ => {
                let count = self.subject.count;
                let lost = self.lost_results(at).map(|index| count.parts[at][index].tokens());
                self.whole(at).saturating_sub(lost.sum::<usize>())
            }
        }
    }

    /// What a message counts without the thinking that a summary before it unbinds.
    fn whole(&self, at: usize) -> usize {
        let Subject { conversation, count, .. } = *self.subject;
        let message = &conversation.messages[at];
        let tokens = count.messages[at].tokens();
        let is_bound = conversation.dialect.provider() == Provider::Anthropic;
        if !is_bound || at >= self.open_loop || message.role != Role::Assistant {
            return tokens;
        }
        let thoughts = message.parts_of(Kind::Reasoning).map(|(index, _)| count.parts[at][index]);
        let (thoughts, tally) =
            thoughts.fold((0, 0), |(n, sum), tally| (n + 1, sum + tally.tokens()));
        if thoughts > 0 && thoughts == message.parts.len() { 0 } else { tokens - tally }
    }

    /// The results in a user's words whose calls do not stay: they go too, and the words stay.
    fn lost_results(&self, at: usize) -> impl Iterator<Item = usize> {
        let message = &self.subject.conversation.messages[at];
        let results = message.parts_of(Kind::ToolResult).map(|(index, _)| index);
        let is_lost = move |index: &usize| {
            let call = self.subject.pairs.call_of((at, *index));
            call.is_some_and(|call| !self.kept[call.0]) && message.is_request()
        };
        results.filter(is_lost)
    }

    /// Whether the newest request is among what is cut.
    pub fn clips_newest_request(&self) -> bool {
        let newest = elide::newest_request(self.subject.conversation);
        newest.is_some() && self.clipped.as_ref().map(|(at, _)| *at) == newest
    }

    fn keep_tail(&mut self) {
        let room = self.room();
        let total = self.subject.count.tokens();
        let share = match (self.options.keep_tail, self.options.profile.tail) {
            (Some(tokens), _) => tokens.min(room),
            (None, Tail::None) => 0,
            (None, Tail::Share) => digest::tail_share(room, total, self.setting),
            (None, Tail::Percent(percent)) => room * percent / 100,
            (None, Tail::Messages(_)) => room,
        };
        let least = match self.options.profile.tail {
            Tail::Messages(messages) => self.kept.len().saturating_sub(messages),
            _ => 0,
        };
        self.extend_tail(share, least);
    }

    /// Lets the tail reach back by whole pieces while they fit into `share` tokens, not before `least`.
    fn extend_tail(&mut self, mut share: usize, least: usize) -> usize {
        let mut used = 0;
        while self.tail > least {
            let Some(start) = (0..self.tail).rev().find(|&at| self.subject.cuts.is_legal(at))
            else {
                break;
            };
            let more = |at: usize| {
                self.whole(at).saturating_sub(if self.kept[at] { self.size(at) } else { 0 })
            };
            let size: usize = (start..self.tail).map(more).sum();
            if size > share || start < elide::head(self.subject.conversation) {
                break;
            }
            share -= size;
            used += size;
            self.kept[start..self.tail].fill(true);
            self.tail = start;
        }
        used
    }

    fn keep_users(&mut self) {
        let said: Vec<usize> = (0..self.tail)
            .filter(|&at| !self.kept[at] && is_kept_user(&self.subject.conversation.messages[at]))
            .collect();
        let sizes: Vec<usize> = said.iter().map(|&at| self.size(at)).collect();
        let room = self.room();
        let keep = match (self.options.keep_users, self.options.profile.users) {
            (Some(tokens), _) | (None, Users::Tokens(tokens)) => {
                self.keep_newest_users(&said, tokens.min(room));
                return;
            }
            (None, Users::None) => return,
            (None, Users::Share) => digest::users_to_keep(&sizes, room, self.setting),
        };
        for (at, keep) in said.into_iter().zip(keep) {
            self.kept[at] |= keep;
        }
    }

    /// A tenth of the tokens from the oldest, the rest from the newest on; the one that crosses the
    /// line is cut in its middle.
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
            let room = left.saturating_sub(self.frame());
            let text = self.subject.conversation.messages[at].text();
            let limit = Limit { measure: Measure::Tokens, most: room, head_share: 0.5 };
            if let Some(text) = cut::cut(&text, &limit, self.subject.meter).filter(|_| room > 16) {
                self.kept[at] = true;
                self.clipped = Some((at, text));
            }
            break;
        }
    }

    /// Keeps exchanges of protected tools: the newest of each tool, or all, as far as they fit.
    fn keep_protected(&mut self) {
        let tools = &self.options.tools;
        let draft = Draft::new(self.subject.conversation);
        let results = clear::results(&draft, self.subject.pairs);
        let all = self.options.profile.protects_all;
        let newest = self.options.keep_results.unwrap_or(0);
        let last = results.len().saturating_sub(newest);
        let mut share = if all { self.room() / 2 } else { self.room() / PROTECTED_SHARE };
        let mut seen: Vec<&str> = Vec::new();
        for (index, ((at, _), tool)) in results.iter().enumerate().rev() {
            let protects = tools.protect(tool) && (all || !seen.contains(&tool.as_str()));
            if !(protects || index >= last) || self.kept[*at] {
                continue;
            }
            seen.push(tool);
            let start = self.subject.cuts.at_or_before(*at);
            let end = self.subject.cuts.at_or_after(at + 1);
            let size: usize =
                (start..end).filter(|&at| !self.kept[at]).map(|at| self.size(at)).sum();
            if size <= share {
                share -= size;
                self.kept[start..end].fill(true);
            }
        }
    }

    /// Puts back files that were read lately: as many as asked for, or as the profile has them where
    /// there is much room.
    fn restore_files(&mut self) {
        let room = self.room();
        let files = match self.options.restore {
            Some(files) => files,
            None if room >= ROOM_TO_RESTORE => self.options.profile.restores,
            None => 0,
        };
        self.restored = restore::recent_files(self.subject, &self.kept, files, room);
    }

    /// Leaves so many tokens less to the summary; false where it has none left to give.
    pub fn tighten(&mut self, tokens: usize) -> bool {
        let has_room = self.summary_room() > 0;
        self.budget = self.budget.saturating_sub(tokens);
        has_room
    }

    /// Decides again who stays, in the budget as it was tightened; false where nothing fits into it.
    pub fn plan_anew(&mut self) -> bool {
        match Self::plan(self.subject, self.options, self.budget) {
            Ok(rebuild) => {
                *self = rebuild;
                true
            }
            Err(_) => false,
        }
    }

    /// For each message, whether the summary stands for it.
    pub fn summarised(&self) -> Vec<bool> {
        self.kept.iter().map(|kept| !kept).collect()
    }

    /// The tokens that the text of the summary may count.
    pub fn summary_room(&self) -> usize {
        let profile = self.options.profile;
        let wrapper =
            self.subject.meter.text(profile.opener) + self.subject.meter.text(profile.closer);
        let room = self.budget.saturating_sub(self.fixed());
        room.saturating_sub(wrapper + self.frame())
    }

    /// Gives what the summary left over to the tail; true where that changed who stays.
    pub fn give_rest_to_tail(&mut self, summary: &str) -> bool {
        let rest = self.summary_room().saturating_sub(self.subject.meter.text(summary));
        matches!(self.options.profile.tail, Tail::Share | Tail::Percent(_))
            && self.extend_tail(rest, 0) > 0
    }

    /// The conversation with the summary in it; without a text a note stands for the middle.
    pub fn with_summary(&self, summary: &str) -> Draft<'c, 'a> {
        let conversation = self.subject.conversation;
        let profile = self.options.profile;
        let mut draft = Draft::new(conversation);
        for (at, kept) in self.kept.iter().enumerate() {
            if !kept {
                draft.drop_message(at);
                continue;
            }
            for index in self.lost_results(at) {
                draft.remove_part((at, index));
            }
        }
        if let Some((at, text)) = &self.clipped {
            clip(&mut draft, *at, text);
        }
        if summary.is_empty() {
            draft.insert_message(self.place(), elide::note());
            return draft;
        }
        let text = format!("{}{}{}", profile.opener, summary, profile.closer);
        if profile.place == Place::IntoFirstUser && self.merge_into_first_user(&mut draft, &text) {
            draft.insert_messages(self.place(), self.restored.clone());
            return draft;
        }
        let message = NewMessage { is_summary: true, ..NewMessage::text(Role::User, text) };
        draft.insert_message(self.place(), message);
        draft.insert_messages(self.place(), self.restored.clone());
        draft
    }

    /// Before which message the summary goes.
    fn place(&self) -> usize {
        let conversation = self.subject.conversation;
        let head = elide::head(conversation);
        if conversation.dialect.summary_leads() {
            return (head..self.kept.len()).find(|&at| self.kept[at]).unwrap_or(self.tail);
        }
        self.tail.max(head)
    }

    fn merge_into_first_user(&self, draft: &mut Draft<'_, 'a>, text: &str) -> bool {
        let messages = &self.subject.conversation.messages;
        let Some(first) = messages.iter().position(|message| message.is_request()) else {
            return false;
        };
        let texts = messages[first].parts_of(Kind::Text);
        let Some((index, part)) = texts.last() else { return false };
        if self.subject.conversation.dialect.summary_leads() {
            return false;
        }
        draft.set_text((first, index), format!("{}\n\n{text}", part.text()));
        true
    }
}

/// Whether a message is one that a user wrote, or the mark of a turn that was broken off.
fn is_kept_user(message: &Message<'_>) -> bool {
    message.is_request() && !elide::is_note(message)
        || message.origin == Origin::Injected && marks::is_turn_aborted(&message.text())
}

/// Lets a message consist of one text.
fn clip(draft: &mut Draft<'_, '_>, at: usize, text: &str) {
    let parts = draft.conversation().messages[at].parts.len();
    let texts: Vec<usize> =
        draft.conversation().messages[at].parts_of(Kind::Text).map(|(index, _)| index).collect();
    for index in 0..parts {
        match texts.first() {
            Some(&first) if first == index => draft.set_text((at, index), text),
            _ => draft.remove_part((at, index)),
        }
    }
}
