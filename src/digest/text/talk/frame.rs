//! The frame of a text of plain talk: a date and the name of the speaker before the words.
//!
//! Responsible for finding both, and for shortening a date to its day.

/// The greatest length of a date, in bytes.
const LONGEST_DATE: usize = 60;
/// The greatest length of the name of a speaker, in bytes.
const LONGEST_NAME: usize = 30;

/// What may stand before the words of a text.
#[derive(Debug, Default, PartialEq, Eq)]
pub(super) struct Frame<'t> {
    pub(super) date: Option<&'t str>,
    /// The offset of the text after the date; 0 without a date.
    pub(super) dated: usize,
    pub(super) name: Option<&'t str>,
    /// The offset of the text after the name; 0 without a name.
    pub(super) named: usize,
}

/// Words of which one stands before a date on a line of its own.
const DATES: &[&str] = &["date", "datum", "time", "session", "fecha", "日期", "时间", "日時"];

/// Finds a date, in brackets or on a line that says so, and a name of up to three words before a colon.
pub(super) fn frame(text: &str) -> Frame<'_> {
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
    if let Some((name, behind)) = named(&text[frame.dated..]) {
        (frame.name, frame.named) = (Some(name), skip(frame.dated + behind));
    }
    frame
}

/// The name of up to three words before a colon that a text begins with, and the offset after the colon.
pub(super) fn named(rest: &str) -> Option<(&str, usize)> {
    let near = &rest[..rest.floor_char_boundary(LONGEST_NAME)];
    let colon = near.find([':', '：']).filter(|&at| {
        let name = &near[..at];
        let is_name = name.starts_with(|c: char| c.is_alphabetic() && !c.is_lowercase());
        is_name && name.split(' ').count() <= 3 && !name.contains(['.', ',', '!', '?', '\n'])
    });
    let at = colon?;
    let mark = rest[at..].chars().next().map_or(1, char::len_utf8);
    // Wide colons need no space after them; a narrow one without a space belongs to a time or an address.
    let is_name = mark > 1 || rest[at + mark..].starts_with([' ', '\n']);
    is_name.then(|| (&rest[..at], at + mark))
}

/// Whether the heading of words in an earlier digest is a date.
pub(crate) fn is_date(heading: &str) -> bool {
    let behind = heading.split_once("] ").map_or("", |(_, behind)| behind);
    behind.strip_suffix(':').is_some_and(looks_like_a_date)
}

/// Whether a short text names a day: by a year, by three numbers with marks between them, by a number beside a time
/// of day, or by the characters for year, month and day.
fn looks_like_a_date(text: &str) -> bool {
    if text.len() > LONGEST_DATE || text.contains('\n') {
        return false;
    }
    let mut groups = text.split(|c: char| !c.is_ascii_digit()).filter(|group| !group.is_empty());
    let has_year = groups.any(|group| group.len() == 4 && group.starts_with(['1', '2']));
    let mut words = text.split(|c: char| c.is_whitespace() || c == ',');
    let is_joined = words.clone().any(is_day);
    let is_timed = words.clone().any(is_time) && words.any(is_number);
    let has_sign = text.contains(['年', '月']) && text.contains(|c: char| c.is_ascii_digit());
    has_year || is_joined || is_timed || has_sign
}

/// Whether a word is a time of day: `7:40`.
fn is_time(word: &str) -> bool {
    word.contains(':') && word.bytes().all(|byte| byte.is_ascii_digit() || byte == b':')
}

/// Whether a word is a number of a month's days: `8`, `8.`, `8th`.
fn is_number(word: &str) -> bool {
    let digits = word.bytes().take_while(u8::is_ascii_digit).count();
    (1..=2).contains(&digits) && matches!(&word[digits..], "" | "." | "st" | "nd" | "rd" | "th")
}

/// Whether a word is a day in numbers: `08.05.23`, `5/8/23`. Between full stops each number needs two digits, since
/// those of versions are shorter.
fn is_day(word: &str) -> bool {
    let word = word.trim_end_matches(['.', ':']);
    ['-', '/', '.'].into_iter().any(|mark| {
        let mut numbers = word.split(mark).map(|number| {
            let is_long = number.len() == 2 || number.len() == 1 && mark != '.';
            let is_number = is_long && number.bytes().all(|byte| byte.is_ascii_digit());
            number.parse::<u8>().ok().filter(|_| is_number)
        });
        let three = [numbers.next(), numbers.next(), numbers.next()].map(Option::flatten);
        let [Some(first), Some(second), Some(_)] = three else { return false };
        // A year in two digits stands at either end, the month never does.
        let has_year = word.split(mark).next_back().is_some_and(|number| number.len() == 2);
        numbers.next().is_none() && has_year && first.min(second) <= 12 && first.min(second) > 0
    })
}

/// A date without the time of day, unless nothing is left then: people ask for the day.
pub(super) fn day(date: &str) -> String {
    let mut words = date.split_whitespace().peekable();
    let mut day: Vec<&str> = Vec::new();
    while let Some(word) = words.next() {
        let bare = word.trim_end_matches([',', '.']);
        if !is_time(bare) {
            day.push(word);
            continue;
        }
        // Short words such as `pm on` or `Uhr` belong to the time.
        let goes_with =
            |next: &&str| next.bytes().all(|b| b.is_ascii_alphabetic()) && next.len() <= 3;
        for _ in 0..2 {
            words.next_if(goes_with);
        }
    }
    let is_left = day.iter().any(|word| word.bytes().any(|byte| byte.is_ascii_digit()));
    if is_left { day.join(" ").trim_end_matches(',').to_owned() } else { date.to_owned() }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn finds_the_date_and_the_speaker_before_the_words() {
        let parts = |text| {
            let frame = frame(text);
            (frame.date, frame.name, &text[frame.named.max(frame.dated)..])
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
        assert_eq!(
            parts("[08.05.23, 13:56] Anna: Hi"),
            (Some("08.05.23, 13:56"), Some("Anna"), "Hi")
        );
        assert_eq!(
            parts("[8 May, 7:40 pm] Anna: Hi"),
            (Some("8 May, 7:40 pm"), Some("Anna"), "Hi")
        );
        for text in [
            "[v1.2.3] it came back", "[12:03:44] started", "[1.10.22] the release",
            "[3/5] Copying", "(1.5) is a number",
        ] {
            assert_eq!(parts(text).0, None, "{text}");
        }
        let plain = "[a] At 10:30 we met, see http://x.org";
        assert_eq!(parts(plain), (None, None, plain));
    }

    #[test]
    fn a_day_is_a_date_without_the_time() {
        assert_eq!(day("1:56 pm on 8 May, 2023"), "8 May, 2023");
        assert_eq!(day("2023/05/20 (Sat) 11:03"), "2023/05/20 (Sat)");
        assert_eq!(day("8. Mai 2023, 13:56:07"), "8. Mai 2023");
        assert_eq!(day("8 May, 7:40 pm"), "8 May");
        assert_eq!(day("13:56"), "13:56");
    }
}
