//! The plan of a compacted conversation: which messages stay, where the summary goes, how much room it has.
//!
//! Responsible for sharing the budget and for the order. Messages that have to stay (the head, the newest
//! request) come first; user messages, protected exchanges and the tail get their shares of the rest, and the
//! summary gets what remains. What the summary does not use goes to the tail.

mod cuts;
pub mod earlier;
mod keep;
mod order;
mod room;
mod steps;
mod unread;

use std::cell::OnceCell;
use std::collections::BTreeMap;
use std::ops::Range;

use crate::compact::sizes::Sizes;
use crate::compact::{Options, restore};
use crate::conversation::{Kind, Message, Origin, Place};
use crate::digest;
use crate::draft::{Draft, NewMessage};
use crate::redact::Secrets;
use crate::subject::Subject;
use crate::summary::Apart;
use crate::truncate::clear;
use crate::truncate::cut;
use crate::truncate::elide::Infeasible;
use crate::wire::Wire;

use cuts::Cut;
pub use room::SHORT_SUMMARY;

/// The least room, in tokens, with which files are restored unasked. Measured: below this, the summary needs
/// all of it.
const ROOM_TO_RESTORE: usize = 20_000;

/// The least tokens of a clipped request that still say what is asked.
const LEAST_REQUEST: usize = 40;

/// A clipped request takes one part in this many of the room: the digest reports the rest of it.
const CLIPPED_SHARE: usize = 4;

/// Which messages stay, and how much room the summary has.
pub struct Rebuild<'c, 'a> {
    subject: &'c Subject<'c, 'a>,
    options: &'c Options,
    /// The most tokens that the result may count; `tighten` lowers it.
    budget: usize,
    /// The budget for which the messages were chosen.
    planned: usize,
    /// Tokens reserved for the summary before messages are kept that only the profile asks for.
    summary_share: usize,
    /// Tokens that belong to the summary if it has as much to say.
    least_share: usize,
    /// The kind of conversation.
    pub setting: digest::Setting,
    sizes: Sizes,
    /// Whether the provider wants results apart from the user's words, so that the assistant has to speak
    /// between them.
    parts_results: bool,
    /// The draft without tail results that newer readings and files make needless.
    slim: Draft<'c, 'a>,
    /// Exchanges that stay because their results are protected.
    protected: Vec<Range<usize>>,
    /// The user texts into which earlier compactions wrote, separated into the user's words and the
    /// summaries.
    pub earlier: BTreeMap<Place, Apart>,
    /// For each message, whether it stays.
    pub kept: Vec<bool>,
    /// The message with which the tail begins.
    pub tail: usize,
    /// The index of a user message of which only a part stays, and that part.
    pub clipped: Option<(usize, String)>,
    /// Whether fewer user messages stay than were asked for.
    pub lacks_users: bool,
    /// The results of the tail that are cut, if any are.
    cut: Option<Cut<'c, 'a>>,
    /// Recently read files, to be put behind the summary.
    pub restored: Option<restore::Restored<'a>>,
    /// The file that holds the removed messages; a note names it if there is no summary.
    pub archive: Option<String>,
    /// The secrets to mask, once they were looked for.
    secrets: OnceCell<Secrets>,
}

impl<'c, 'a> Rebuild<'c, 'a> {
    /// Decides which messages stay.
    ///
    /// # Errors
    ///
    /// The head, the newest request and a note for the rest count more than the budget.
    pub fn plan(
        subject: &'c Subject<'c, 'a>,
        options: &'c Options,
        budget: usize,
        slim: Draft<'c, 'a>,
    ) -> Result<Self, Infeasible> {
        Self::plan_beside(subject, options, budget, slim, 0)
    }

    /// Decides which messages stay, with `summary_share` tokens reserved for the summary.
    fn plan_beside(
        subject: &'c Subject<'c, 'a>,
        options: &'c Options,
        budget: usize,
        slim: Draft<'c, 'a>,
        summary_share: usize,
    ) -> Result<Self, Infeasible> {
        let conversation = subject.conversation;
        let messages = &conversation.messages;
        let all = messages.len();
        let mut rebuild = Self {
            subject,
            options,
            budget,
            planned: budget,
            summary_share,
            least_share: 0,
            setting: digest::Setting::of(subject.conversation),
            sizes: Sizes::of(subject, &slim, options.form),
            parts_results: Wire::of(conversation, conversation.dialect.provider()).parts_results,
            slim,
            protected: Vec::new(),
            earlier: BTreeMap::new(),
            kept: vec![false; all],
            tail: all,
            clipped: None,
            lacks_users: false,
            cut: None,
            restored: None,
            archive: None,
            secrets: OnceCell::new(),
        };
        for (at, message) in messages.iter().enumerate() {
            rebuild.kept[at] =
                message.units.is_empty() || message.is_instruction() && rebuild.is_head(at);
        }
        if let Some(newest) = subject.conversation.newest_request() {
            rebuild.kept[newest] = true;
        }
        let first = subject.conversation.first_request();
        if let Some(first) = first.filter(|_| options.keep_first_user || options.profile.first_user)
        {
            rebuild.kept[first] = true;
        }
        rebuild.take_out_earlier();
        let results = clear::results(&Draft::new(subject.conversation), subject.pairs);
        rebuild.pin_results(&results);
        if rebuild.least() > budget || rebuild.is_mostly_head() {
            rebuild.let_go_of_head();
        }
        if rebuild.least() > budget && !rebuild.clip_newest_request() {
            let least = rebuild.least_clipped().unwrap_or(usize::MAX).min(rebuild.least());
            return Err(Infeasible { least });
        }
        rebuild.keep_calls_in_flight();
        rebuild.keep_opaque_summary();
        rebuild.keep_later_instructions();
        rebuild.keep_injected();
        rebuild.keep_aborted();
        rebuild.keep_last_answer();
        rebuild.keep_tail();
        rebuild.keep_users();
        rebuild.keep_protected(&results);
        rebuild.restore_files();
        rebuild.keep_all_that_fits();
        Ok(rebuild)
    }

    fn is_head(&self, at: usize) -> bool {
        at < self.subject.conversation.head()
    }

    /// The tokens of everything that stays and of the conversation as a whole, without the summary.
    fn fixed(&self) -> usize {
        let count = self.subject.count;
        let kept = (0..self.kept.len()).filter(|&at| self.kept[at]);
        let kept: usize = kept.map(|at| self.size(at)).sum();
        let restored = self.restored.as_ref().map_or(0, |files| self.added(&files.message));
        kept + restored + count.fixed().tokens() + self.said_between()
    }

    /// The tokens of everything that stays, with a note in place of a summary.
    fn least(&self) -> usize {
        self.fixed() + self.least_summary()
    }

    fn frame(&self) -> usize {
        let framing = self.subject.meter.framing(self.subject.conversation.dialect);
        framing.message + framing.text
    }

    /// Whether the instructions at the head take more than half of the budget.
    fn is_mostly_head(&self) -> bool {
        let head = 0..self.subject.conversation.head();
        let head: usize = head.filter(|&at| self.kept[at]).map(|at| self.size(at)).sum();
        head > self.budget / 2
    }

    /// Drops the head if it leaves little room in a session log, because the agent sends its own instructions
    /// again.
    fn let_go_of_head(&mut self) {
        let conversation = self.subject.conversation;
        if conversation.dialect.is_log() {
            self.kept[..conversation.head()].fill(false);
        }
    }

    /// Cuts the newest request in its middle if it leaves no room in a session log, because a saved
    /// transcript must shrink all the same. Everywhere else the request stays word for word, or nothing is
    /// done. Returns false if cutting is not possible or not enough.
    fn clip_newest_request(&mut self) -> bool {
        let conversation = self.subject.conversation;
        let Some(newest) = conversation.newest_request() else { return false };
        let room = self.budget.saturating_sub(self.beside(newest)) / CLIPPED_SHARE;
        if !conversation.dialect.is_log() || room < LEAST_REQUEST {
            return false;
        }
        self.clipped = self.clip(newest, room).map(|text| (newest, text));
        self.clipped.is_some()
    }

    /// The least that the result counts with the newest request cut; `None` if it can't be cut.
    fn least_clipped(&self) -> Option<usize> {
        let conversation = self.subject.conversation;
        let newest = conversation.newest_request().filter(|_| conversation.dialect.is_log())?;
        self.clip(newest, LEAST_REQUEST)?;
        Some(self.beside(newest) + CLIPPED_SHARE * LEAST_REQUEST)
    }

    /// The least that the result counts without the words of one message.
    fn beside(&self, message: usize) -> usize {
        self.least() - self.size(message) + self.frame()
    }

    /// The words of a message in at most `most` tokens: cut in their middle if they count more, and whole if
    /// leaving out what an agent put beside them saves tokens. `None` if neither saves any.
    fn clip(&self, message: usize, most: usize) -> Option<String> {
        let words = self.words_of(message);
        let meter = self.subject.meter;
        cut::cut_words(&words, most, 0.7, meter).or_else(|| {
            let tokens = meter.text(words.as_str());
            let are_less = tokens <= most && tokens + self.frame() < self.sizes.whole[message];
            (are_less && !words.trim().is_empty()).then_some(words)
        })
    }

    /// The tokens of the note that stands for the middle if there is no room for a summary.
    fn least_summary(&self) -> usize {
        self.added(&NewMessage::note())
    }

    /// The note that stands for the middle without a summary; it names the archive if there is room.
    fn note(&self) -> NewMessage<'a> {
        let named = self.archive.as_deref().map(NewMessage::note_of);
        let fits = |note: &NewMessage<'_>| self.fixed() + self.added(note) <= self.budget;
        named.filter(fits).unwrap_or_else(NewMessage::note)
    }

    /// The tokens of an inserted message.
    fn added(&self, message: &NewMessage<'_>) -> usize {
        self.subject.meter.new_message(self.subject.conversation.dialect, message)
    }

    /// The room for more messages, beside the note that has to stand for the middle.
    fn room(&self) -> usize {
        self.budget.saturating_sub(self.fixed() + self.least_summary())
    }

    /// The tokens of a message, or of the part of it that stays.
    fn size(&self, at: usize) -> usize {
        match &self.clipped {
            Some((clipped, text)) if *clipped == at => self.subject.meter.text(text) + self.frame(),
            _ if at >= self.tail => self.sizes.in_tail[at],
            _ => {
                let count = self.subject.count;
                let lost = self.lost_results(at).map(|index| count.parts[at][index].tokens());
                self.sizes.whole[at].saturating_sub(lost.sum::<usize>())
            }
        }
    }

    /// The results in a user message whose calls do not stay: these results go too, and the words stay.
    fn lost_results(&self, at: usize) -> impl Iterator<Item = usize> {
        let message = &self.subject.conversation.messages[at];
        let results = message.parts_of(Kind::ToolResult).map(|(index, _)| index);
        let is_lost = move |index: &usize| {
            let call = self.subject.pairs.call_of((at, *index));
            call.is_some_and(|call| !self.kept[call.0]) && message.is_request()
        };
        results.filter(is_lost)
    }

    /// Whether the newest request is cut.
    pub fn clips_newest_request(&self) -> bool {
        let newest = self.subject.conversation.newest_request();
        newest.is_some() && self.clipped.as_ref().map(|(at, _)| *at) == newest
    }

    /// Whether a call is dropped whose result is still awaited.
    pub fn drops_calls_in_flight(&self) -> bool {
        self.calls_in_flight().is_some_and(|at| !self.kept[at])
    }

    /// The dropped instructions behind the head: no summary can replace an instruction.
    pub fn dropped_instructions(&self) -> Vec<usize> {
        let later = self.subject.conversation.later_instructions();
        later.all().filter(|at| !self.kept[*at]).collect()
    }

    /// The newest summary that only its provider can read, if there is one.
    fn opaque_summary(&self) -> Option<usize> {
        let messages = &self.subject.conversation.messages;
        messages.iter().rposition(|it| it.origin == Origin::Summary && is_opaque(it))
    }

    /// Whether the message is an earlier summary in plain words.
    fn is_readable_summary(&self, at: usize) -> bool {
        let message = &self.subject.conversation.messages[at];
        message.origin == Origin::Summary && !is_opaque(message)
    }

    /// Whether a summary that only its provider can read is dropped, with all that it stood for.
    pub fn drops_opaque_summary(&self) -> bool {
        self.opaque_summary().is_some_and(|at| !self.kept[at])
    }

    /// Restores files that were read lately: as many as asked for, or by default as the profile says if there
    /// is much room.
    fn restore_files(&mut self) {
        let room = self.room();
        let files = match self.options.restore {
            Some(files) => files,
            // Only the built-in digest or a growing tail can use room that stays free, so others restore
            // files.
            None if room >= ROOM_TO_RESTORE
                || !(self.options.digests || self.foremost_tail() == Some(0)) =>
            {
                self.options.profile.restores
            }
            None => 0,
        };
        self.restored = self.recent_files(files, room);
    }

    /// Restores other files, in no more tokens, where the tail has come to hold one that was restored.
    fn restore_none_that_stays(&mut self) {
        let stays =
            |files: &mut restore::Restored<'_>| files.readings.iter().any(|&at| self.kept[at]);
        let Some(before) = self.restored.take_if(stays) else { return };
        let most = self.added(&before.message);
        let files = self.options.restore.unwrap_or(self.options.profile.restores);
        let restored = self.recent_files(files, most * restore::SHARE);
        self.restored = restored.filter(|files| self.added(&files.message) <= most);
    }

    /// Up to `files` recently read files, in their share of `room` tokens.
    fn recent_files(&self, files: usize, room: usize) -> Option<restore::Restored<'a>> {
        let secrets = if files > 0 { self.secrets() } else { None };
        restore::recent_files(self.subject, &self.kept, files, room, secrets)
    }

    /// The secrets of the conversation, if they are to be masked.
    pub fn secrets(&self) -> Option<&Secrets> {
        let find = || Secrets::of(self.subject.conversation);
        self.options.redact.then(|| self.secrets.get_or_init(find))
    }

    /// Whether the result can be written in the form asked for, since not every dialect has records to
    /// append. The words of the summary do not matter, so this is known before a summary is asked for.
    pub fn is_writable(&self) -> bool {
        self.options.form.can_settle(self.subject, &mut self.with_summary(""))
    }

    /// For each message, whether the summary stands for it.
    pub fn summarised(&self) -> Vec<bool> {
        self.kept.iter().map(|kept| !kept).collect()
    }

    /// The parts of a message that have a shorter text in the tail.
    fn replaced(&self, at: usize) -> impl Iterator<Item = usize> {
        let parts = self.subject.conversation.messages[at].parts.len();
        let parts = if self.slim.is_changed(at) { 0..parts } else { 0..0 };
        parts.filter(move |&index| self.slim.new_text((at, index)).is_some())
    }
}

/// Whether only the provider can read the message.
fn is_opaque(message: &Message<'_>) -> bool {
    message.parts.iter().all(|part| part.kind == Kind::Other)
}
