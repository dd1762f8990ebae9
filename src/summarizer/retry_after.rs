//! How long a server asks clients to wait.
//!
//! Relies on `Retry-After` as seconds or as a date, on `retry-after-ms`, and on the `retryDelay` in Gemini's
//! bodies. Invariant: a value that can't be read is ignored, not an error.

use std::time::{Duration, SystemTime};

use regex_lite::Regex;

use crate::calendar::days_since_1970;

/// Returns the delay that the headers ask for.
pub(super) fn of_headers(
    header: impl Fn(&str) -> Option<String>,
    now: SystemTime,
) -> Option<Duration> {
    if let Some(text) = header("retry-after-ms")
        && let Ok(milliseconds) = text.trim().parse::<f64>()
    {
        return Duration::try_from_secs_f64(milliseconds / 1000.0).ok();
    }
    let text = header("retry-after")?;
    match text.trim().parse::<f64>() {
        Ok(seconds) => Duration::try_from_secs_f64(seconds).ok(),
        Err(_) => Some(date(text.trim())?.duration_since(now).unwrap_or_default()),
    }
}

/// Returns the delay that the body asks for.
pub(super) fn of_body(body: &str) -> Option<Duration> {
    let regex = Regex::new(r#""retryDelay"\s*:\s*"(\d+(?:\.\d+)?)s""#).ok()?;
    let seconds = regex.captures(body)?.get(1)?.as_str().parse().ok()?;
    Duration::try_from_secs_f64(seconds).ok()
}

/// Reads an HTTP date: `Wed, 21 Oct 2015 07:28:00 GMT`.
fn date(text: &str) -> Option<SystemTime> {
    const MONTHS: &str = "JanFebMarAprMayJunJulAugSepOctNovDec";
    let mut fields = text.strip_suffix(" GMT")?.split_once(", ")?.1.split(' ');
    let day: i64 = fields.next()?.parse().ok()?;
    let month = i64::try_from(MONTHS.find(fields.next()?)?).ok()? / 3 + 1;
    let year: i64 = fields.next()?.parse().ok()?;
    let clock: Vec<u64> = fields.next()?.split(':').map_while(|part| part.parse().ok()).collect();
    let [hours, minutes, seconds] = clock[..] else {
        return None;
    };
    if !(1970..10_000).contains(&year) || !(1..=31).contains(&day) {
        return None;
    }
    let days = u64::try_from(days_since_1970(year, month, day)).ok()?;
    let seconds = days * 86_400 + hours * 3600 + minutes * 60 + seconds;
    Some(SystemTime::UNIX_EPOCH + Duration::from_secs(seconds))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn wish(name: &'static str, value: &str) -> Option<Duration> {
        let now = SystemTime::UNIX_EPOCH + Duration::from_secs(1_445_412_470);
        of_headers(|asked| (asked == name).then(|| value.to_owned()), now)
    }

    #[test]
    fn headers_are_read() {
        assert_eq!(wish("retry-after", "3"), Some(Duration::from_secs(3)));
        assert_eq!(wish("retry-after", " 0.5 "), Some(Duration::from_millis(500)));
        assert_eq!(wish("retry-after-ms", "20"), Some(Duration::from_millis(20)));
        assert_eq!(
            wish("retry-after", "Wed, 21 Oct 2015 07:28:00 GMT"),
            Some(Duration::from_secs(10))
        );
        assert_eq!(wish("retry-after", "Thu, 01 Jan 1970 00:00:00 GMT"), Some(Duration::ZERO));
        for nonsense in
            ["soon", "-1", "NaN", "inf", "Wed, 21 Oct", "Wed, 99 Foo 2015 07:28:00 GMT", ""]
        {
            assert_eq!(wish("retry-after", nonsense), None, "{nonsense}");
        }
    }

    #[test]
    fn bodies_are_read() {
        let body = r#"{"error":{"details":[{"retryDelay": "34.5s"}]}}"#;
        assert_eq!(of_body(body), Some(Duration::from_millis(34_500)));
        assert_eq!(of_body("{}"), None);
    }
}
