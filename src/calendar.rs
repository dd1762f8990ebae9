//! Times, as logs and file names write them.
//!
//! Responsible for the civil calendar: years are counted in eras of 400 that begin in March, so that
//! leap days come last.

use crate::json::Json;

/// Seconds since 1970 of an RFC 3339 string, or of a number of seconds or milliseconds.
pub(crate) fn seconds(value: &Json<'_>) -> Option<i64> {
    if let Some(number) = value.as_u64() {
        let number = i64::try_from(number).ok()?;
        return Some(if number > 100_000_000_000 { number / 1000 } else { number });
    }
    let text = value.text()?;
    let number = |range: std::ops::Range<usize>| text.get(range)?.parse::<i64>().ok();
    let (year, month, day) = (number(0..4)?, number(5..7)?, number(8..10)?);
    let (hour, minute, second) = (number(11..13)?, number(14..16)?, number(17..19)?);
    let days = days_since_1970(year, month, day);
    Some(days * 86_400 + hour * 3600 + minute * 60 + second - offset(&text).unwrap_or(0))
}

/// Formats seconds since 1970 as `YYYYMMDDTHHMMSSZ`.
pub(crate) fn stamp(seconds: u64) -> String {
    let (days, rest) = (seconds / 86_400, seconds % 86_400);
    let shifted = days + 719_468;
    let (era, day_of_era) = (shifted / 146_097, shifted % 146_097);
    let year_of_era =
        (day_of_era - day_of_era / 1460 + day_of_era / 36_524 - day_of_era / 146_096) / 365;
    let day_of_year = day_of_era - (365 * year_of_era + year_of_era / 4 - year_of_era / 100);
    let shifted_month = (5 * day_of_year + 2) / 153;
    let day = day_of_year - (153 * shifted_month + 2) / 5 + 1;
    let month = if shifted_month < 10 { shifted_month + 3 } else { shifted_month - 9 };
    let year = era * 400 + year_of_era + u64::from(month <= 2);
    let (hour, minute, second) = (rest / 3600, rest / 60 % 60, rest % 60);
    format!("{year:04}{month:02}{day:02}T{hour:02}{minute:02}{second:02}Z")
}

/// The days from 1970 to a day of the Gregorian calendar.
pub(crate) fn days_since_1970(year: i64, month: i64, day: i64) -> i64 {
    let shifted = if month > 2 { year } else { year - 1 };
    let (era, of_year) = (shifted.div_euclid(400), shifted.rem_euclid(400));
    let day_of_year = (153 * ((month + 9) % 12) + 2) / 5 + day - 1;
    let day_of_era = of_year * 365 + of_year / 4 - of_year / 100 + day_of_year;
    era * 146_097 + day_of_era - 719_468
}

/// How far the clock of a time stamp is ahead of UTC, in seconds; `None` if the stamp has no offset.
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

    #[test]
    fn writes_moments() {
        assert_eq!(stamp(0), "19700101T000000Z");
        assert_eq!(stamp(1_771_315_200), "20260217T080000Z");
        assert_eq!(stamp(1_709_251_199), "20240229T235959Z");
    }

    #[test]
    fn writes_what_it_reads() {
        for seconds in [0, 951_782_400, 951_868_800, 1_709_164_800, 4_107_542_400] {
            let stamp = stamp(seconds);
            let dashed = format!(
                "\"{}-{}-{}T{}:{}:{}Z\"",
                &stamp[..4],
                &stamp[4..6],
                &stamp[6..8],
                &stamp[9..11],
                &stamp[11..13],
                &stamp[13..15]
            );
            assert_eq!(self::seconds(&Json::from_checked(&dashed)), i64::try_from(seconds).ok());
        }
    }
}
