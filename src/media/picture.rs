//! Each provider's rule for pictures: width and height in, tokens out.
//!
//! The figures are from the vendors' pages on vision. All arithmetic is in whole numbers, so that a count is
//! the same on every machine.

use crate::within::largest;

/// How a provider counts pictures.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Rule {
    /// OpenAI: a number of tokens per patch of 32 pixels.
    Patches {
        /// The size that a picture is fitted into.
        high: Fit,
        /// The size it is fitted into if the detail `original` is requested.
        original: Fit,
        /// Tokens for 1000 patches.
        permille: usize,
    },
    /// OpenAI: a base, and a number of tokens for each tile of 512 pixels.
    Tiles {
        /// The tokens of any picture, and all tokens of one in low detail.
        base: usize,
        /// The tokens of a tile.
        each: usize,
    },
    /// Anthropic: squares of 28 pixels, in a picture fitted into an edge and a number of tokens.
    Squares {
        /// The longest edge, in pixels.
        edge: usize,
        /// The most tokens.
        most: usize,
    },
    /// Gemini 1.5 to 2.5: 258 tokens per tile of 768 pixels.
    Gemini2,
    /// Gemini 3: by the requested resolution.
    Gemini3,
    /// A fixed number of tokens, whatever the size.
    Flat(usize),
}

/// The size that a picture is fitted into before its patches are counted.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Fit {
    /// The most patches.
    pub patches: usize,
    /// The longest edge, in pixels.
    pub edge: usize,
}

/// The detail in which the request asks the model to look.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Detail {
    /// The provider's default.
    #[default]
    Usual,
    /// Low resolution.
    Low,
    /// Medium resolution, which only Gemini has.
    Medium,
    /// The original size.
    Original,
}

const PATCH: usize = 32;
const TILE: usize = 512;
const SQUARE: usize = 28;
const GEMINI_TILE: usize = 768;

impl Rule {
    /// The rule of most models: at most 1,536 patches, a token each.
    pub const PATCHES: Rule = {
        let fit = Fit { patches: 1_536, edge: usize::MAX };
        Rule::Patches { high: fit, original: fit, permille: 1000 }
    };

    /// This rule with `permille` tokens for 1000 patches.
    #[must_use]
    pub const fn times(self, permille: usize) -> Rule {
        match self {
            Rule::Patches { high, original, .. } => Rule::Patches { high, original, permille },
            other => other,
        }
    }

    /// The tokens of a picture of `width` × `height` pixels.
    pub fn tokens(self, width: usize, height: usize, detail: Detail) -> usize {
        // Headers can claim any size, but no provider accepts larger pictures.
        let (width, height) = (width.clamp(1, 1 << 20), height.clamp(1, 1 << 20));
        match self {
            Rule::Patches { high, original, permille } => {
                let fit = if detail == Detail::Original { original } else { high };
                (patches(width, height, fit) * permille).div_ceil(1000)
            }
            Rule::Tiles { base, .. } if detail == Detail::Low => base,
            Rule::Tiles { base, each } => {
                let (width, height) = within(width, height, 2048);
                let short = width.min(height);
                let (width, height) = if short > 768 {
                    (width * 768 / short, height * 768 / short)
                } else {
                    (width, height)
                };
                base + each * width.div_ceil(TILE) * height.div_ceil(TILE)
            }
            Rule::Squares { edge, most } => squares(width, height, edge, most),
            Rule::Gemini2 if width <= 384 && height <= 384 => 258,
            Rule::Gemini2 => 258 * width.div_ceil(GEMINI_TILE) * height.div_ceil(GEMINI_TILE),
            Rule::Gemini3 => match detail {
                Detail::Low => 280,
                Detail::Medium => 560,
                Detail::Usual | Detail::Original => 1_120,
            },
            Rule::Flat(tokens) => tokens,
        }
    }

    /// The tokens of a page of a document. Gemini's are published; Anthropic's page says 1,500 to 3,000.
    pub fn page(self) -> usize {
        match self {
            Rule::Gemini2 => 258,
            Rule::Gemini3 => 560,
            _ => 2_580,
        }
    }

    /// The tokens of a picture that cannot be read: those of a large one, so that a conversation that is said
    /// to fit does fit.
    pub fn full_size(self, detail: Detail) -> usize {
        match self {
            Rule::Patches { high, original, permille } => {
                let fit = if detail == Detail::Original { original } else { high };
                (fit.patches * permille).div_ceil(1000)
            }
            Rule::Squares { most, .. } => most,
            other => other.tokens(1920, 1080, detail),
        }
    }
}

/// The size after fitting the longer edge into `edge`.
fn within(width: usize, height: usize, edge: usize) -> (usize, usize) {
    let long = width.max(height);
    if long <= edge {
        return (width, height);
    }
    ((width * edge / long).max(1), (height * edge / long).max(1))
}

/// The patches of a picture after fitting: scaled by √(32² · limit / area), and then once more so that one
/// side is a whole number of patches.
fn patches(width: usize, height: usize, fit: Fit) -> usize {
    let (width, height) = within(width, height, fit.edge);
    let count = width.div_ceil(PATCH) * height.div_ceil(PATCH);
    if count <= fit.patches {
        return count;
    }
    // Whole patches across and down after the first scaling.
    let whole = |square: usize| square.isqrt().clamp(1, fit.patches);
    let (across, down) = (whole(fit.patches * width / height), whole(fit.patches * height / width));
    if across * height < down * width {
        across * (across * height).div_ceil(width)
    } else {
        down * (down * width).div_ceil(height)
    }
}

/// The squares of a picture, scaled down to the largest size within the limits for its edge and its tokens.
fn squares(width: usize, height: usize, edge: usize, most: usize) -> usize {
    let (long, short) = (width.max(height), width.min(height));
    let at = |size: usize| {
        let other = (short * size * 2 + long) / (2 * long);
        size.div_ceil(SQUARE) * other.max(1).div_ceil(SQUARE)
    };
    let within = |size: usize| Some(at(size)).filter(|squares| *squares <= most);
    largest(2..long.min(edge) + 1, within).unwrap_or_else(|| at(1))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn patches_as_the_vendor_works_them_out() {
        let tokens = |w, h, rule: Rule| rule.tokens(w, h, Detail::Usual);
        assert_eq!(tokens(1800, 2400, Rule::PATCHES), 1452);
        assert_eq!(tokens(1024, 1024, Rule::PATCHES), 1024);
        assert_eq!(tokens(1024, 1024, Rule::PATCHES.times(1620)), 1659);
        assert_eq!(tokens(1, 1_000_000, Rule::PATCHES), 1_536);
    }

    #[test]
    fn patches_have_a_limit_for_each_detail() {
        let rule = Rule::Patches {
            high: Fit { patches: 2_500, edge: 2_048 },
            original: Fit { patches: 10_000, edge: 6_000 },
            permille: 1000,
        };
        assert_eq!(rule.tokens(1600, 1600, Detail::Usual), 2_500);
        assert_eq!(rule.tokens(4000, 1000, Detail::Usual), 64 * 16);
        assert_eq!(rule.tokens(3200, 3200, Detail::Original), 10_000);
    }

    #[test]
    fn tiles_as_the_vendor_works_them_out() {
        let rule = Rule::Tiles { base: 85, each: 170 };
        assert_eq!(rule.tokens(1024, 1024, Detail::Usual), 765);
        assert_eq!(rule.tokens(2048, 4096, Detail::Usual), 1105);
        assert_eq!(rule.tokens(4096, 8192, Detail::Low), 85);
        assert_eq!(rule.tokens(100, 100, Detail::Usual), 255);
    }

    #[test]
    fn squares_take_the_largest_size_that_fits() {
        let old = Rule::Squares { edge: 1_568, most: 1_568 };
        assert_eq!(old.tokens(1920, 1080, Detail::Usual), 1560);
        assert_eq!(old.tokens(1092, 1092, Detail::Usual), 39 * 39);
        assert_eq!(old.tokens(200, 200, Detail::Usual), 64);
        let new = Rule::Squares { edge: 2_576, most: 4_784 };
        assert_eq!(new.tokens(1920, 1080, Detail::Usual), 69 * 39);
    }

    #[test]
    fn gemini_has_tiles_and_then_resolutions() {
        assert_eq!(Rule::Gemini2.tokens(384, 384, Detail::Usual), 258);
        assert_eq!(Rule::Gemini2.tokens(960, 540, Detail::Usual), 516);
        assert_eq!(Rule::Gemini3.tokens(960, 540, Detail::Usual), 1_120);
        assert_eq!(Rule::Gemini3.tokens(960, 540, Detail::Medium), 560);
    }
}
