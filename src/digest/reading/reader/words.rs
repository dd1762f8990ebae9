//! Reading of words: the salient words of plain talk, and the spoken words of service conversations, by
//! which the fields of records are known to have been spoken of.

use std::ops::Range;

use super::Reader;
use super::meanings::Meaning;
use crate::digest::Setting;
use crate::digest::reading::survey::{Leaf, Source};
use crate::digest::text::index::Id;
use crate::digest::text::kinds::Block;
use crate::digest::text::names::Form;
use crate::digest::text::talk::Person;
use crate::digest::text::{common, names, talk, units};

impl Reader<'_> {
    /// The factor for the names of a sentence in talk, at `range` of `text`.
    pub(super) fn share_in_talk(&mut self, text: &str, range: &Range<usize>, leaf: Leaf) -> f32 {
        let sentence = &text[range.clone()];
        let person = self.salient(text, range).max(Person::in_wide(sentence));
        let answers = self.known.talk.answers(leaf.message as usize);
        match (self.setting, leaf.source) {
            (Setting::Advice, Source::Asked) => {
                talk::share_of_user(person, sentence, answers) * talk::typed(text.len())
            }
            (Setting::Advice, _) => talk::share_of_model(sentence),
            _ => talk::share(person, sentence, answers),
        }
    }

    /// Notes the salient words of a sentence: names by their capitals, words that are not too common, and
    /// in scripts without spaces every pair of characters. Returns the person that it speaks of.
    pub(super) fn salient(&mut self, text: &str, range: &Range<usize>) -> Person {
        let (mut is_first, mut person) = (true, Person::Nobody);
        let kinds = std::mem::take(&mut self.kinds);
        let is_wide_text = kinds.within(range).has(Block::wide);
        units::words(&text[range.clone()], kinds.within(range), |word| {
            let may_be_name = !std::mem::take(&mut is_first) && word.len() > 1;
            let is_number = word.len() == 1 && word.as_bytes()[0].is_ascii_digit();
            if is_wide_text && word.chars().any(is_wide) {
                person = person.max(Person::of_word(word));
                let ends = word.char_indices().skip(1).map(|(at, c)| at + c.len_utf8());
                for (start, end) in word.char_indices().map(|(at, _)| at).zip(ends) {
                    self.salient_word(&word[start..end], Form::Word);
                }
            } else if is_number {
                self.salient_word(word, Form::Number);
            } else if may_be_name && word.chars().next().is_some_and(char::is_uppercase) {
                person = person.max(Person::of_word(word));
                self.salient_word(word, Form::Symbol);
            } else {
                person = person.max(self.plain_word(word));
            }
        });
        self.kinds = kinds;
        if self.is_shown {
            self.survey.shown.extend_from_slice(&self.found);
        }
        person
    }

    /// Notes the words of a text, so that a field with the same words is known to have been spoken of.
    pub(super) fn hear(&mut self, text: &str, range: &Range<usize>) {
        self.found.clear();
        let (kinds, mut room) = (std::mem::take(&mut self.kinds), std::mem::take(&mut self.small));
        units::words(&text[range.clone()], kinds.within(range), |word| {
            if word.chars().all(char::is_alphabetic) {
                self.salient_word(units::small(word, &mut room), Form::Word);
            }
        });
        (self.kinds, self.small) = (kinds, room);
    }

    fn salient_word(&mut self, word: &str, form: Form) -> Option<Id> {
        let found = names::Found { form, start: 0, end: word.len() };
        let id = self.survey.index.note(word, found, self.origin)?;
        self.find(id);
        Some(id)
    }

    fn find(&mut self, id: Id) {
        if !self.found.contains(&id) {
            self.found.push(id);
        }
    }

    /// Notes a word that is no name, if it is not too common. Returns the person that it speaks of. The
    /// result for a short word is cached.
    fn plain_word(&mut self, word: &str) -> Person {
        if let Some(Meaning { id, person }) = self.meanings.get(word) {
            if let Some(id) = id {
                self.survey.index.note_again(id, self.origin);
                self.find(id);
            }
            return person;
        }
        let mut room = std::mem::take(&mut self.small);
        let is_salient = word.len() >= 3 && !common::is_common(word.as_bytes());
        let id = is_salient.then(|| self.salient_word(units::small(word, &mut room), Form::Word));
        self.small = room;
        let meaning = Meaning { id: id.flatten(), person: Person::of_word(word) };
        self.meanings.put(word, meaning);
        meaning.person
    }
}

/// Whether a character is of a script without spaces between words.
fn is_wide(c: char) -> bool {
    matches!(c, '\u{2e80}'..='\u{9fff}' | '\u{ac00}'..='\u{d7af}' | '\u{f900}'..='\u{faff}' | '\u{20000}'..='\u{3ffff}')
}
