//! Clearing old tool results: a placeholder stands where the text was.
//!
//! Responsible for which results are old: all but the newest few, or those from before the last long
//! pause. Calls stay, so pairs stay whole; a result that a placeholder would not make smaller stays.

use globset::GlobSet;

use crate::conversation::{Conversation, Kind};
use crate::count::{Count, Meter};
use crate::draft::Draft;
use crate::marks;
use crate::pairing::{Pairs, Place};
use crate::thinking;

/// Which tools' results an edit may touch.
#[derive(Clone, Debug, Default)]
pub struct Tools {
    /// Only these, if any are named.
    pub only: Option<GlobSet>,
    /// Never these.
    pub keep: Option<GlobSet>,
}

impl Tools {
    /// Whether results of this tool may be touched.
    pub fn allow(&self, name: &str) -> bool {
        self.only.as_ref().is_none_or(|only| only.is_match(name)) && !self.protect(name)
    }

    /// Whether results of this tool are to survive whatever happens.
    pub fn protect(&self, name: &str) -> bool {
        self.keep.as_ref().is_some_and(|keep| keep.is_match(name))
    }
}

/// Every tool result that stays, in order, with the name of its tool.
pub fn results(draft: &Draft<'_, '_>, pairs: &Pairs) -> Vec<(Place, String)> {
    let conversation = draft.conversation();
    let mut results = Vec::new();
    for (at, message) in conversation.messages.iter().enumerate() {
        for (index, part) in message.parts_of(Kind::ToolResult) {
            if !draft.is_removed((at, index)) {
                let call = pairs.call_of((at, index));
                let name = call.map_or_else(
                    || part.tool().into_owned(),
                    |(at, index)| conversation.messages[at].parts[index].tool().into_owned(),
                );
                results.push(((at, index), name));
            }
        }
    }
    results
}

/// Clears all but the newest `keep` results; returns how many were cleared.
pub fn clear_old(
    draft: &mut Draft<'_, '_>,
    pairs: &Pairs,
    meter: &Meter,
    keep: usize,
    tools: &Tools,
) -> usize {
    let results = results(draft, pairs);
    let old = results.len().saturating_sub(keep);
    results[..old]
        .iter()
        .filter(|(place, tool)| tools.allow(tool) && clear(draft, meter, *place))
        .count()
}

/// Clears results, the oldest first and never the newest `keep`, until the draft counts at most
/// `budget`; returns how many.
pub fn clear_until(
    draft: &mut Draft<'_, '_>,
    pairs: &Pairs,
    meter: &Meter,
    count: &Count,
    keep: usize,
    tools: &Tools,
    budget: usize,
) -> usize {
    let results = results(draft, pairs);
    let old = results.len().saturating_sub(keep);
    let mut tokens = meter.draft(draft, count);
    let mut cleared = 0;
    for (place, tool) in &results[..old] {
        if tokens <= budget {
            break;
        }
        let before = meter.drafted(draft, place.0, count);
        if tools.allow(tool) && clear(draft, meter, *place) {
            tokens -= before - meter.drafted(draft, place.0, count);
            cleared += 1;
            if cleared == 1 {
                // The first change unbinds the thinking behind it, which goes too.
                thinking::drop_behind_edits(draft);
                tokens = meter.draft(draft, count);
            }
        }
    }
    cleared
}

/// Clears the results that stand before the last pause of at least `pause` seconds.
pub fn clear_before_pause(
    draft: &mut Draft<'_, '_>,
    pairs: &Pairs,
    meter: &Meter,
    pause: u64,
    tools: &Tools,
    keep: usize,
) -> usize {
    let Some(pause) = last_pause(draft.conversation(), pause) else { return 0 };
    let results = results(draft, pairs);
    let old = results.len().saturating_sub(keep);
    let before = results[..old].iter().filter(|((at, _), _)| *at < pause);
    before.filter(|(place, tool)| tools.allow(tool) && clear(draft, meter, *place)).count()
}

/// Puts a placeholder in the place of a result, where that saves tokens.
pub fn clear(draft: &mut Draft<'_, '_>, meter: &Meter, place: Place) -> bool {
    replace(draft, meter, place, marks::CLEARED)
}

/// Lets a result say `text` instead, where that saves tokens and it is no placeholder already.
pub fn replace(draft: &mut Draft<'_, '_>, meter: &Meter, place: Place, text: &str) -> bool {
    let part = &draft.conversation().messages[place.0].parts[place.1];
    let now = draft.new_text(place).map_or_else(|| part.text().into_owned(), str::to_owned);
    let saves = !marks::is_placeholder(&now) && meter.text(text) < meter.text(&now);
    if saves {
        draft.set_text(place, text);
    }
    saves
}

/// The message that the last pause of at least `seconds` stands before.
fn last_pause(conversation: &Conversation<'_>, seconds: u64) -> Option<usize> {
    let times = conversation
        .messages
        .iter()
        .enumerate()
        .filter_map(|(at, message)| Some((at, time::seconds(&message.timestamp?)?)));
    let times: Vec<(usize, i64)> = times.collect();
    let pause = times
        .windows(2)
        .rev()
        .find(|pair| u64::try_from(pair[1].1 - pair[0].1).is_ok_and(|length| length >= seconds))?;
    Some(pause[1].0)
}

mod time {
    //! Moments as logs write them.

    use crate::json::Json;

    /// Seconds since 1970 of an RFC 3339 string or a number of seconds or milliseconds.
    pub(super) fn seconds(value: &Json<'_>) -> Option<i64> {
        if let Some(number) = value.as_u64() {
            let number = i64::try_from(number).ok()?;
            return Some(if number > 100_000_000_000 { number / 1000 } else { number });
        }
        let text = value.text()?;
        let number = |range: std::ops::Range<usize>| text.get(range)?.parse::<i64>().ok();
        let (year, month, day) = (number(0..4)?, number(5..7)?, number(8..10)?);
        let (hour, minute, second) = (number(11..13)?, number(14..16)?, number(17..19)?);
        // Days of the civil calendar, counted from March so that leap days come last.
        let shifted = if month > 2 { year } else { year - 1 };
        let (era, of_year) = (shifted.div_euclid(400), shifted.rem_euclid(400));
        let day_of_year = (153 * ((month + 9) % 12) + 2) / 5 + day - 1;
        let day_of_era = of_year * 365 + of_year / 4 - of_year / 100 + day_of_year;
        let days = era * 146_097 + day_of_era - 719_468;
        Some(days * 86_400 + hour * 3600 + minute * 60 + second - offset(&text).unwrap_or(0))
    }

    /// How far the clock of a time stamp is ahead of universal time, in seconds.
    fn offset(text: &str) -> Option<i64> {
        let at = text.get(19..)?.find(['+', '-'])? + 19;
        let sign = if text[at..].starts_with('-') { -1 } else { 1 };
        let hours = text.get(at + 1..at + 3)?.parse::<i64>().ok()?;
        let minutes = text.get(at + 4..at + 6).and_then(|minutes| minutes.parse::<i64>().ok());
        Some(sign * (hours * 3600 + minutes.unwrap_or(0) * 60))
    }

    #[cfg(test)]
    mod tests {
        use super::*;

        #[test]
        fn reads_moments() {
            let of = |text| seconds(&Json::from_checked(text));
            assert_eq!(of("\"1970-01-02T00:00:01.5Z\""), Some(86_401));
            assert_eq!(of("\"2026-02-17T10:00:00+02:00\""), Some(1_771_315_200));
            assert_eq!(of("1771315200123"), Some(1_771_315_200));
            assert_eq!(of("\"soon\""), None);
        }
    }
}
