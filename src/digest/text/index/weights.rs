//! How likely each name is to be needed.
//!
//! Responsible for the weight of a name, by where it was seen and by its form. Only the four basic
//! operations and square roots touch numbers, so that weights are the same on every machine.

use super::{CALLED, Entry, IN_FIRST_REQUEST, IN_LAST_REQUEST, Id, Index, SPOKEN};
use crate::digest::text::names::Form;
use crate::digest::{Setting, narrow};
use crate::tokenizer::Bpe;

impl Index {
    /// Looks up how rare the new names are, in talk; elsewhere rarity does not matter.
    pub(crate) fn rate(&mut self, setting: Setting) {
        if !setting.is_talk() {
            return;
        }
        let new = self.entries.iter().zip(0..).skip(self.rarities.len());
        let rate = |(entry, id): (&Entry, Id)| match entry.form {
            Form::Word => rarity(self.name(id)),
            _ => NAME_IN_TALK,
        };
        let new: Vec<f32> = new.map(rate).collect();
        self.rarities.extend(new);
    }

    /// The likelihood of each name to be needed, by its number; zero for a name that a canonical one stands for.
    ///
    /// The formula was made by hand: measured on real compactions, it does as well in the end as a model with
    /// seventy features. Names win that are said often, by a person or the model, and late, and so do paths that
    /// were named.
    pub(crate) fn weights(&mut self, messages: usize, setting: Setting) -> Vec<f32> {
        self.rate(setting);
        let mut merged: Vec<Entry> = self.entries.clone();
        for id in 0..self.entries.len() {
            let canonical = self.canonical(narrow(id)) as usize;
            if canonical != id {
                let from = merged[id].clone();
                merged[id].messages = 0;
                let into = &mut merged[canonical];
                into.messages = into.messages.saturating_add(from.messages);
                into.flags |= from.flags;
                into.last = into.last.max(from.last);
            }
        }
        let is_work = setting == Setting::Work;
        let weight = |(entry, id): (&Entry, Id)| {
            if entry.messages == 0 {
                return 0.0;
            }
            if setting.is_talk() {
                // Rare words tell much, however often they are said; what nobody said tells little.
                let said = if entry.flags & SPOKEN == 0 { 0.5 } else { 1.0 };
                return said * self.rarities[id as usize];
            }
            let has = |flag: u8, worth: f32| if entry.flags & flag == 0 { 0.0 } else { worth };
            #[allow(clippy::cast_precision_loss, reason = "positions are no exact matter")]
            let place = entry.last as f32 / messages.max(1) as f32;
            // Records repeat what matters.
            let repeated = if is_work { 1.5 } else { 3.0 };
            let mut weight = 1.0 + repeated * ln(1 + u32::from(entry.messages)) + 1.5 * place;
            weight += has(SPOKEN | CALLED, 2.0);
            if is_work && matches!(entry.form, Form::Path | Form::File) {
                weight += has(SPOKEN | CALLED, 2.0);
            }
            weight += has(IN_LAST_REQUEST, 1.0) + has(IN_FIRST_REQUEST, 0.5);
            if is_work {
                // Measured: the likely names must stand out more than by their weight alone.
                weight = weight * weight * weight / 64.0;
            }
            let name = self.name(id);
            if setting == Setting::Service && entry.flags & (SPOKEN | CALLED) == 0 {
                weight *= unspoken(name);
            }
            weight * scale(entry.form, name, setting)
        };
        merged.iter().zip(0..).map(weight).collect()
    }
}

/// The rarity of a name or number in plain talk, where the twenty thousandth word has 1. Measured on eight long
/// chats that we wrote, with 480 questions on them: at 3, and with less for what is said often, 21 questions fewer are
/// answered at a tenth of the tokens, 11 at a fifth, and 19 at three tenths.
const NAME_IN_TALK: f32 = 6.0;

/// The rarity of a word in all written text: the fourth root of its rank in a tokenizer's vocabulary, which
/// lists frequent words first. It is 1 for the twenty thousandth word.
fn rarity(word: &str) -> f32 {
    let is_wide = word.starts_with(|c: char| c >= '\u{2e80}');
    let blank = if is_wide { "" } else { " " };
    let place = Bpe::o200k_base().token(&[blank, word].concat());
    let place = place.map_or(200_000, |place| place.clamp(500, 200_000));
    #[allow(clippy::cast_precision_loss, reason = "a vocabulary is smaller than 2^24")]
    let place = place as f32 / 20_000.0;
    place.sqrt().sqrt()
}

/// The factor for a value in a record of which nobody has spoken yet. A value of several words (`credit_card_1`),
/// such as what to pay with, is asked for in the end; the time when something was made is not.
fn unspoken(value: &str) -> f32 {
    let is_time = value.contains([':', '-'])
        && value.bytes().all(|byte| byte.is_ascii_digit() || b":-+T.".contains(&byte));
    match (is_time, value.contains('_')) {
        (true, _) => 0.5,
        (_, true) => 3.0,
        _ => 1.0,
    }
}

/// The number of digits from which on a number is a name: amounts, years and postal codes have fewer.
const NUMBERED: usize = 6;

/// The factor for a name by its form.
fn scale(form: Form, name: &str, setting: Setting) -> f32 {
    let has = |test: fn(&u8) -> bool| name.as_bytes().iter().any(test);
    match (form, setting) {
        // The field in which a word stands decides what it is worth.
        (Form::Word, Setting::Service) => 0.0,
        (Form::Number, Setting::Work) => 0.1,
        (Form::Id, Setting::Work) => 0.25,
        // The names of tools and fields need not be kept; short numbers are mostly counts.
        (Form::Symbol, Setting::Service) if !has(u8::is_ascii_digit) => 0.1,
        (Form::Number, Setting::Service) if name.len() < 3 => 0.1,
        // Items and accounts have numbers as names.
        (Form::Number, Setting::Service) if name.len() >= NUMBERED => 1.0,
        (Form::Number, Setting::Service) => 0.8,
        _ => 1.0,
    }
}

/// The natural logarithm of a whole number, by basic operations alone: libraries differ in the last bits,
/// and a choice might depend on them.
fn ln(number: u32) -> f32 {
    let exponent = number.max(1).ilog2();
    #[allow(clippy::cast_precision_loss, reason = "messages are far fewer than 2^24")]
    let (mantissa, exponent) = (number.max(1) as f32 / (1_u64 << exponent) as f32, exponent as f32);
    let x = (mantissa - 1.0) / (mantissa + 1.0);
    let square = x * x;
    let series = x * (2.0 + square * (0.666_666_7 + square * (0.4 + square * 0.285_714_3)));
    exponent * std::f32::consts::LN_2 + series
}
