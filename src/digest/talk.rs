//! Plain talk: who speaks, and when.
//!
//! Responsible for what stands before the words of a message, as `[8 May 2023] Anna: Wow, …`, so that
//! the digest says each date once, each speaker in a word, and no interjections. It relies on
//! repetition: what several messages begin with is no part of what they say, in any language.

use std::borrow::Cow;
use std::collections::HashMap;
use std::ops::Range;

use super::common::Set;
use super::write::Blocks;
use super::{Request, spread, units};
use crate::conversation::{Kind, Message, Origin, Role};

/// The longest date, name of a speaker and interjection, in bytes.
const LONGEST_DATE: usize = 60;
const LONGEST_NAME: usize = 30;
const LONGEST_OPENER: usize = 16;

/// A word and a colon without a date are a speaker, and a word and a comma an interjection, where so
/// many messages or sentences begin with them.
const REPEATED: u32 = 3;

/// What is left of a sentence without its interjection has at least so many bytes.
const SHORTEST: usize = 20;

/// So many messages further a number stands again.
const STRETCH: usize = 16;

/// The longest line that what the same speaker says next is put into, in bytes.
const LINE: usize = 200;

/// The speakers and dates of a conversation.
#[derive(Debug, Default)]
pub(super) struct Talk {
    /// Names of speakers, the two roles first.
    names: Labels,
    dates: Labels,
    turns: Vec<Turn>,
    /// How often something short and a comma begin a sentence.
    openers: HashMap<String, u32>,
}

/// Texts by number, each once.
#[derive(Debug, Default)]
struct Labels {
    list: Vec<String>,
    numbers: HashMap<String, usize>,
}

impl Labels {
    fn number(&mut self, text: &str) -> usize {
        if let Some(number) = self.numbers.get(text) {
            return *number;
        }
        self.numbers.insert(text.to_owned(), self.list.len());
        self.list.push(text.to_owned());
        self.list.len() - 1
    }
}

/// What stands before the words of some messages, and how often their sentences begin with what.
#[derive(Default)]
struct Beginnings {
    turns: Vec<Beginning>,
    openers: HashMap<String, u32>,
}

/// What may stand before the words of one message.
#[derive(Default)]
struct Beginning {
    /// The name that its role has.
    role: usize,
    day: Option<String>,
    /// Where its text goes on behind the day.
    dated: usize,
    name: Option<String>,
    /// Where it goes on behind the name.
    named: usize,
}

impl Beginnings {
    fn of(messages: &[Message<'_>]) -> Self {
        let (mut read, mut small) = (Self::default(), String::new());
        for message in messages {
            let role = usize::from(message.role == Role::Assistant);
            let mut beginning = Beginning { role, ..Beginning::default() };
            if let Some(text) = first_text(message) {
                let frame = frame(&text);
                (beginning.day, beginning.dated) = (frame.date.map(day), frame.dated);
                (beginning.name, beginning.named) = (frame.name.map(str::to_owned), frame.named);
                read.note_openers(&text[frame.words()..], &mut small);
            }
            read.turns.push(beginning);
        }
        read
    }

    /// Counts what the sentences of a text begin with; `small` is a text to work in.
    fn note_openers(&mut self, words: &str, small: &mut String) {
        units::sentences(words, |sentence| {
            let sentence = &words[sentence.range];
            let Some(length) = opener(sentence) else { return };
            units::make_small(&sentence[..length], small);
            match self.openers.get_mut(small.as_str()) {
                Some(times) => *times += 1,
                None => drop(self.openers.insert(small.clone(), 1)),
            }
        });
    }
}

/// What stands before the words of one message.
#[derive(Clone, Copy, Debug, Default)]
struct Turn {
    name: usize,
    /// The date that holds from here on.
    date: Option<usize>,
    /// Where its words begin in its first text.
    start: usize,
}

impl Talk {
    /// Reads what stands before the words of every message.
    pub(super) fn of(request: &Request<'_, '_>) -> Self {
        let messages = &request.conversation.messages;
        let mut talk = Self::default();
        talk.names.number("User");
        talk.names.number("Assistant");
        // What may be a speaker, and how often; of messages, which of them they begin with.
        let (mut labels, mut times) = (Labels::default(), Vec::<u32>::new());
        let mut labelled: Vec<(usize, usize, Beginning)> = Vec::new();
        let mut date = None;
        let take = |read: Beginnings| {
            for (opener, times) in read.openers {
                *talk.openers.entry(opener).or_default() += times;
            }
            for beginning in read.turns {
                if let Some(day) = &beginning.day {
                    date = Some(talk.dates.number(day));
                }
                let turn = Turn { name: beginning.role, date, start: beginning.dated };
                if let Some(name) = &beginning.name {
                    let label = labels.number(name);
                    times.resize(labels.list.len(), 0);
                    times[label] += 1;
                    labelled.push((talk.turns.len(), label, beginning));
                }
                talk.turns.push(turn);
            }
        };
        let read = |share: Range<usize>| Beginnings::of(&messages[share]);
        spread::read_each(messages, request.may_spread, read, take);
        for (at, label, beginning) in labelled {
            if beginning.day.is_some() || times[label] >= REPEATED {
                talk.turns[at].name = talk.names.number(&labels.list[label]);
                talk.turns[at].start = beginning.named;
            }
        }
        talk
    }

    /// Where the words of a message begin in its first text.
    pub(super) fn start(&self, message: usize) -> usize {
        self.turns.get(message).map_or(0, |turn| turn.start)
    }

    /// Where a sentence begins to say something.
    pub(super) fn lead(&self, sentence: &str) -> usize {
        let mut at = 0;
        while let Some(length) = opener(&sentence[at..]) {
            let count = self.openers.get(&sentence[at..at + length].to_lowercase());
            if count.is_none_or(|count| *count < REPEATED) {
                break;
            }
            let rest =
                sentence[at + length..].trim_start_matches([',', '!', '.', '，', '！', '。', ' ']);
            if rest.len() < SHORTEST {
                break;
            }
            at = sentence.len() - rest.len();
        }
        at
    }

    /// The turns, each with its speaker, unless what stands above is the same one's, and what else is
    /// told, all in their order.
    /// Where the date changes, it stands before them with the number of the message; where there is
    /// none, the number alone, every now and then.
    pub(super) fn told(&self, turns: Blocks, others: Blocks) -> Blocks {
        let turns = turns.into_iter().map(|(point, lines)| (point, lines, true));
        let others = others.into_iter().map(|(point, lines)| (point, lines, false));
        let mut blocks: Vec<_> = turns.chain(others).collect();
        blocks.sort_by_key(|(point, ..)| point.order());
        let mut told: Blocks = Vec::with_capacity(blocks.len());
        // The speaker and date of what stands above, and the last message whose number does.
        let (mut above, mut last): (Option<Turn>, usize) = (None, 0);
        for (point, mut lines, is_turn) in blocks {
            let turn = self.turns.get(point.message).filter(|_| is_turn);
            let (Some(turn), Some(first)) = (turn, lines.first_mut()) else {
                above = None;
                told.push((point, lines));
                continue;
            };
            let name = &self.names.list[turn.name];
            let is_new = above.is_none_or(|above| above.date != turn.date);
            let is_far = above.is_none() || point.message >= last + STRETCH;
            let line = told.last_mut().and_then(|(_, lines)| lines.last_mut());
            let joined = line.filter(|line| {
                let is_same = above.is_some_and(|above| above.name == turn.name);
                is_same && !line.starts_with(' ') && line.len() + first.len() <= LINE
            });
            if let Some(date) = turn.date.filter(|_| is_new) {
                first.insert_str(0, &format!("{name}: "));
                lines.insert(0, format!("[{point}] {}:", self.dates.list[date]));
                last = point.message;
            } else if is_far {
                first.insert_str(0, &format!("[{point}] {name}: "));
                last = point.message;
            } else if let Some(line) = joined {
                line.push(' ');
                line.push_str(&lines.remove(0));
            } else {
                first.insert_str(0, &format!("{name}: "));
            }
            above = Some(*turn);
            if !lines.is_empty() {
                told.push((point, lines));
            }
        }
        told
    }
}

/// Whether the heading of earlier sentences is a date.
pub(super) fn is_date(heading: &str) -> bool {
    let behind = heading.split_once("] ").map_or("", |(_, behind)| behind);
    behind.strip_suffix(':').is_some_and(looks_like_a_date)
}

/// Whether a short text names a day: by a year, by numbers with a mark between them, or by the signs
/// for year, month and day.
fn looks_like_a_date(text: &str) -> bool {
    let mut groups = text.split(|c: char| !c.is_ascii_digit()).filter(|group| !group.is_empty());
    let has_year = groups.any(|group| group.len() == 4 && group.starts_with(['1', '2']));
    let bytes = text.as_bytes();
    let is_joined = bytes.windows(3).any(|three| {
        three[0].is_ascii_digit() && b"-/.".contains(&three[1]) && three[2].is_ascii_digit()
    });
    let has_sign = text.contains(['年', '月']) && text.contains(|c: char| c.is_ascii_digit());
    text.len() <= LONGEST_DATE && !text.contains('\n') && (has_year || is_joined || has_sign)
}

/// Words by which people speak of themselves, in several languages.
static SELF: Set = Set::new(&[
    "i", "my", "mine", "me", "we", "our", "us", "ich", "mein", "meine", "meinen", "meinem",
    "meiner", "mir", "mich", "wir", "unser", "unsere", "unseren", "uns", "je", "j", "mon", "ma",
    "mes", "moi", "nous", "notre", "nos", "yo", "mi", "mis", "nosotros", "nuestro", "nuestra",
    "eu", "meu", "minha", "nossa", "io", "mio", "mia", "noi", "я", "Я", "мой", "моя", "мне",
    "меня", "мы", "Мы", "наш", "нас",
]);
const WIDE_SELF: &[&str] = &["我", "私", "僕", "俺", "저는", "제가", "나는"];

/// How much the names of a sentence count that has such a word: what people tell of themselves is asked
/// for later. Measured: twice as much keeps a seventh more.
pub(super) const OF_SELF: f32 = 2.0;

/// Whether a word is one by which people speak of themselves.
pub(super) fn is_self(word: &str) -> bool {
    SELF.has(word.as_bytes())
}

/// Whether a sentence has such a word in a script without spaces.
pub(super) fn has_wide_self(sentence: &str) -> bool {
    !sentence.is_ascii() && WIDE_SELF.iter().any(|me| sentence.contains(me))
}

/// A date without the time of day, if anything is left of it: people ask for the day.
fn day(date: &str) -> String {
    let mut words = date.split_whitespace().peekable();
    let mut day: Vec<&str> = Vec::new();
    while let Some(word) = words.next() {
        let bare = word.trim_end_matches([',', '.']);
        let is_time = bare.contains(':') && bare.bytes().all(|b| b.is_ascii_digit() || b == b':');
        if !is_time {
            day.push(word);
            continue;
        }
        // `pm on`, `Uhr`: small words that go with it.
        let goes_with =
            |next: &&str| next.bytes().all(|b| b.is_ascii_alphabetic()) && next.len() <= 3;
        for _ in 0..2 {
            words.next_if(goes_with);
        }
    }
    let is_left = day.iter().any(|word| word.bytes().any(|byte| byte.is_ascii_digit()));
    if is_left { day.join(" ").trim_end_matches(',').to_owned() } else { date.to_owned() }
}

fn first_text<'m>(message: &'m Message<'_>) -> Option<Cow<'m, str>> {
    let is_spoken = message.origin == Origin::Spoken && !message.is_instruction();
    let text = message.parts.iter().find(|part| part.kind == Kind::Text);
    text.filter(|_| is_spoken).map(|part| part.text())
}

/// The length of a word or two before a comma or a full stop that a sentence goes on behind.
fn opener(sentence: &str) -> Option<usize> {
    let mut blanks = 0;
    let near = &sentence[..sentence.floor_char_boundary(LONGEST_OPENER + 1)];
    for (at, c) in near.char_indices() {
        match c {
            ',' | '!' | '.' | '，' | '！' | '。' => return (at > 0).then_some(at),
            ' ' => blanks += 1,
            '\'' => {}
            _ if !c.is_alphabetic() => return None,
            _ => {}
        }
        if blanks > 1 {
            return None;
        }
    }
    None
}

/// What may stand before the words of a text.
#[derive(Debug, Default, PartialEq, Eq)]
struct Frame<'t> {
    date: Option<&'t str>,
    /// Where the text goes on behind the date.
    dated: usize,
    name: Option<&'t str>,
    /// Where it goes on behind the name.
    named: usize,
}

impl Frame<'_> {
    fn words(&self) -> usize {
        self.named.max(self.dated)
    }
}

/// Words of which one stands before a date on a line of its own.
const DATES: &[&str] = &["date", "datum", "time", "session", "fecha", "日期", "时间", "日時"];

/// A date in brackets or on a line that says so, and up to three words with a colon.
fn frame(text: &str) -> Frame<'_> {
    let mut frame = Frame::default();
    let skip = |at: usize| text.len() - text[at..].trim_start().len();
    let start = skip(0);
    let closed = match text[start..].chars().next() {
        Some('[') => text[start..].find(']'),
        Some('(') => text[start..].find(')'),
        _ => None,
    };
    let inside = closed.map(|length| &text[start + 1..start + length]);
    if let Some(date) = inside.filter(|inside| looks_like_a_date(inside)) {
        let behind = start + date.len() + 2;
        let behind = behind + usize::from(text[behind..].starts_with(':'));
        (frame.date, frame.dated) = (Some(date.trim()), skip(behind));
    }
    let line = text[frame.dated..].lines().next().unwrap_or("");
    if let Some((label, date)) = line.split_once([':', '：']).filter(|_| frame.date.is_none()) {
        let label = label.to_lowercase();
        if label.len() <= LONGEST_NAME
            && label.split(|c: char| !c.is_alphanumeric()).any(|word| DATES.contains(&word))
            && looks_like_a_date(date)
        {
            (frame.date, frame.dated) = (Some(date.trim()), skip(frame.dated + line.len()));
        }
    }
    let rest = &text[frame.dated..];
    let near = &rest[..rest.floor_char_boundary(LONGEST_NAME)];
    let colon = near.find([':', '：']).filter(|&at| {
        let name = &near[..at];
        let is_name = name.starts_with(|c: char| c.is_alphabetic() && !c.is_lowercase());
        is_name && name.split(' ').count() <= 3 && !name.contains(['.', ',', '!', '?', '\n'])
    });
    if let Some(at) = colon {
        let mark = rest[at..].chars().next().map_or(1, char::len_utf8);
        let behind = frame.dated + at + mark;
        // Wide colons need no blank behind them; a narrow one without is a time or an address.
        if mark > 1 || text[behind..].starts_with([' ', '\n']) {
            (frame.name, frame.named) = (Some(&rest[..at]), skip(behind));
        }
    }
    frame
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn finds_the_date_and_the_speaker_before_the_words() {
        let parts = |text| {
            let frame = frame(text);
            (frame.date, frame.name, &text[frame.words()..])
        };
        assert_eq!(
            parts("[1:56 pm on 8 May, 2023] Anna: Hello there"),
            (Some("1:56 pm on 8 May, 2023"), Some("Anna"), "Hello there")
        );
        assert_eq!(parts("(2024-02-01)\n好的"), (Some("2024-02-01"), None, "好的"));
        assert_eq!(
            parts("Session date: 8 May 2023\nAnna: Hi"),
            (Some("8 May 2023"), Some("Anna"), "Hi")
        );
        assert_eq!(parts("小林：你好"), (None, Some("小林"), "你好"));
        let plain = "[a] At 10:30 we met, see http://x.org";
        assert_eq!(parts(plain), (None, None, plain));
    }

    #[test]
    fn a_day_is_a_date_without_the_time() {
        assert_eq!(day("1:56 pm on 8 May, 2023"), "8 May, 2023");
        assert_eq!(day("2023/05/20 (Sat) 11:03"), "2023/05/20 (Sat)");
        assert_eq!(day("8. Mai 2023, 13:56:07"), "8. Mai 2023");
        assert_eq!(day("13:56"), "13:56");
    }

    #[test]
    fn an_opener_is_a_word_or_two_before_a_comma() {
        assert_eq!(opener("Oh wow, what a day"), Some(6));
        assert_eq!(opener("对啊，我楼下就有"), Some(6));
        assert_eq!(opener("On 3 May, we left"), None);
        assert_eq!(opener("We left on Monday"), None);
    }

    #[test]
    fn what_people_tell_of_themselves_counts_twice() {
        let is_double = |sentence: &str| {
            let mut is_of_self = has_wide_self(sentence);
            units::words(sentence, |word| is_of_self |= is_self(word));
            is_of_self
        };
        assert!(
            is_double("I’ve moved")
                && is_double("Seit Mai wohne ich hier")
                && is_double("我搬家了")
        );
        assert!(!is_double("It is warm here") && !is_double("In Mime"));
    }
}
