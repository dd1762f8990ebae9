//! The faults of an answer that is no summary.

/// Why an answer is not accepted.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[expect(missing_docs, reason = "their words say it")]
pub enum Fault {
    OtherType,
    NotJson,
    NotUtf8,
    OtherShape,
    TooLarge,
    CutOff,
    CutOffByWindow,
    CutOffInAnalysis,
    CutOffInSummary,
    Call,
    Refusal,
    Error,
    Empty,
    NotSmaller,
    TooShort,
}

impl Fault {
    /// Returns the fault in words, to follow "answer is".
    pub fn words(self) -> &'static str {
        match self {
            Self::OtherType => "of another content type than JSON",
            Self::NotJson => "not JSON",
            Self::NotUtf8 => "not UTF-8",
            Self::OtherShape => "of another shape than expected",
            Self::TooLarge => "larger than 4 MB",
            Self::CutOff => "cut off by the limit on its length",
            Self::CutOffByWindow => "cut off by the window",
            Self::CutOffInAnalysis => "cut off inside its analysis",
            Self::CutOffInSummary => "cut off inside its summary",
            Self::Call => "a tool call",
            Self::Refusal => "a refusal",
            Self::Error => "an error",
            Self::Empty => "empty",
            Self::NotSmaller => "too large for what it replaces",
            Self::TooShort => "too short to tell anything",
        }
    }
}
