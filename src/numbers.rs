//! Numbers as the command line takes them: tokens, ratios, durations, byte sizes.
//!
//! Responsible for reading them as they are meant: the ratio of a threshold is an exact fraction, so 0.07 of
//! 100 is 7. Shares and factors, which are compared with nothing, are floats.

use std::num::NonZero;
use std::str::FromStr;

use crate::defaults::THRESHOLD;
use crate::line::is_number;

/// An exact decimal fraction.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Decimal {
    digits: u128,
    scale: u128,
}

impl Decimal {
    fn parse(text: &str) -> Option<Self> {
        let (whole, fraction) = text.split_once('.').unwrap_or((text, ""));
        let is_digits = |part: &str| part.bytes().all(|byte| byte.is_ascii_digit());
        let is_empty = whole.is_empty() && fraction.is_empty();
        if is_empty || fraction.len() > 12 || !is_digits(whole) || !is_digits(fraction) {
            return None;
        }
        let scale = 10_u128.pow(u32::try_from(fraction.len()).ok()?);
        Some(Self { digits: format!("{whole}{fraction}").parse().ok()?, scale })
    }

    /// The product with a whole number, rounded up; `None` if it is too large.
    fn of(self, number: u128) -> Option<usize> {
        usize::try_from(number.checked_mul(self.digits)?.div_ceil(self.scale)).ok()
    }
}

/// Why a number that consists only of digits is refused.
const TOO_LARGE: &str = "the number is too large";

/// A number of tokens, bytes or messages: `1500`, `20k`, `1M`.
pub(crate) fn size(text: &str) -> Result<usize, String> {
    let (number, factor) = match text.strip_suffix(['k', 'K']) {
        Some(number) => (number, 1_000),
        None => text.strip_suffix(['m', 'M']).map_or((text, 1), |number| (number, 1_000_000)),
    };
    let decimal = Decimal::parse(number).filter(|decimal| decimal.scale == 1 || factor > 1);
    let size = decimal.map(|decimal| decimal.of(factor));
    match size {
        Some(Some(size)) => Ok(size),
        Some(None) => Err(TOO_LARGE.to_owned()),
        None if is_number(number) => Err(TOO_LARGE.to_owned()),
        None if text.ends_with('%') => Err("expected a number, not a share: 1500, 20k, 1M".into()),
        None => {
            Err("expected a whole number, with k for thousands or M for millions: 1500, 20k, 1M"
                .to_owned())
        }
    }
}

/// A number of things, 0 allowed.
pub(crate) fn number(text: &str) -> Result<usize, String> {
    text.parse().map_err(|_| "expected a whole number: 0, 5, 10".to_owned())
}

/// A number of things, at least one.
pub(crate) fn at_least_one(text: &str) -> Result<NonZero<usize>, String> {
    text.parse().map_err(|_| "expected a whole number from 1".to_owned())
}

/// A duration in seconds: `90`, `90s`, `60m`, `2h`.
pub(crate) fn seconds(text: &str) -> Result<u64, String> {
    let (number, factor) = match text.chars().last() {
        Some('h') => (&text[..text.len() - 1], 3600),
        Some('m') => (&text[..text.len() - 1], 60),
        Some('s') => (&text[..text.len() - 1], 1),
        _ => (text, 1),
    };
    let number: u64 = number.parse().map_err(|_| "expected a duration: 90s, 60m, 2h".to_owned())?;
    number.checked_mul(factor).ok_or_else(|| "the duration is too long".to_owned())
}

/// A share between 0 and 1.
pub(crate) fn share(text: &str) -> Result<f64, String> {
    let share: Option<f64> = text.parse().ok();
    let share = share.filter(|share| (0.0..=1.0).contains(share));
    share.ok_or_else(|| format!("expected a number from 0 to 1{}", as_ratio(text)))
}

/// A factor of at least 1.
pub(crate) fn factor(text: &str) -> Result<f64, String> {
    let factor: Option<f64> = text.parse().ok();
    factor
        .filter(|factor| (1.0..=10.0).contains(factor))
        .ok_or("expected a number from 1 to 10".into())
}

/// Hint how to write a ratio that was given in per cent; empty for any other text.
fn as_ratio(text: &str) -> String {
    let per_cent = text.strip_suffix('%').and_then(|number| number.parse::<f64>().ok());
    let ratio = per_cent.map(|number| format!(": {text} is {}", number / 100.0));
    ratio.unwrap_or_default()
}

/// The size from which on a conversation is too long.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Threshold(Limit);

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Limit {
    Ratio(Decimal),
    Tokens(usize),
}

impl Threshold {
    /// A threshold of this many tokens.
    pub fn tokens(tokens: usize) -> Self {
        Self(Limit::Tokens(tokens))
    }

    /// The least count that reaches the threshold, in a window of `window` tokens.
    pub fn within(self, window: usize) -> usize {
        match self.0 {
            Limit::Tokens(tokens) => tokens,
            Limit::Ratio(ratio) => ratio.of(window as u128).unwrap_or(usize::MAX),
        }
    }
}

impl Default for Threshold {
    fn default() -> Self {
        Self(Limit::Ratio(Decimal { digits: THRESHOLD.into(), scale: 100 }))
    }
}

impl FromStr for Threshold {
    type Err = String;

    /// A number with a point that is at most 1 is a ratio of the window, any other one a number of tokens.
    fn from_str(text: &str) -> Result<Self, String> {
        match Decimal::parse(text).filter(|_| text.contains('.')) {
            Some(ratio) if ratio.digits <= ratio.scale => Ok(Self(Limit::Ratio(ratio))),
            _ => size(text).map(Self::tokens).map_err(|error| match error.as_str() {
                TOO_LARGE => error,
                _ => format!(
                    "expected a ratio of the window (0.92) or tokens (150k){}",
                    as_ratio(text)
                ),
            }),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn reads_sizes() {
        assert_eq!(size("1500"), Ok(1500));
        assert_eq!(size("20k"), Ok(20_000));
        assert_eq!(size("1.5M"), Ok(1_500_000));
        assert_eq!(size(".5k"), Ok(500));
        assert!(size("1.5").is_err() && size("-1").is_err() && size("k").is_err());
        for large in ["99999999999999999999", "99999999999999999999k", &"9".repeat(50)] {
            assert_eq!(size(large), Err(TOO_LARGE.to_owned()));
            assert!(large.parse::<Threshold>().is_err_and(|error| error == TOO_LARGE));
        }
    }

    #[test]
    fn ratios_are_exact() {
        let within = |text: &str, window| text.parse::<Threshold>().unwrap().within(window);
        assert_eq!(within("0.07", 100), 7);
        assert_eq!(within(".5", 100), 50);
        assert!(".".parse::<Threshold>().is_err());
        assert_eq!(within("0.92", 200_000), 184_000);
        assert_eq!(within("1.0", 100), 100);
        assert_eq!(within("1", 100), 1);
        assert_eq!(within("150k", 100), 150_000);
    }

    #[test]
    fn reads_durations() {
        assert_eq!(seconds("60m"), Ok(3600));
        assert_eq!(seconds("90"), Ok(90));
        assert!(seconds("soon").is_err());
    }
}
