//! Where the long values of a text end, so that walking need not go through them again.
//!
//! Responsible for remembering what checking finds. A value is known by its address: a text and its ends
//! are made together and stay together. Without ends walking is as right, only slower.

/// A value of fewer bytes is gone through as fast as it is looked up.
const LONG: usize = 256;

/// A text is parted into blocks of so many bytes, as a power of two: few long values begin in one.
const BLOCK_BITS: u32 = 10;

/// Where the long values of a text end.
#[derive(Debug, Default)]
pub struct Ends {
    /// The address of the text.
    base: usize,
    /// Where each begins and ends, in bytes from the beginning of the text; the first one first.
    spans: Vec<[u32; 2]>,
    /// For each block, how many begin before it.
    blocks: Vec<u32>,
}

/// The ends of a text of which none are known.
pub(super) static NONE: Ends = Ends { base: 0, spans: Vec::new(), blocks: Vec::new() };

impl Ends {
    pub(super) fn of(text: &[u8]) -> Self {
        Self { base: text.as_ptr().addr(), ..Self::default() }
    }

    /// Notes that a value begins, before any that begins inside it. Returns what [`end`](Self::end) is to
    /// be told.
    pub(super) fn begin(&mut self, start: usize) -> usize {
        self.spans.push([saturated(start), u32::MAX]);
        self.spans.len() - 1
    }

    /// Notes that a value ends. One inside a short one is shorter still, and forgotten already.
    pub(super) fn end(&mut self, begun: usize, end: usize) {
        let [start, known_end] = &mut self.spans[begun];
        if end - *start as usize >= LONG {
            *known_end = saturated(end);
        } else {
            self.spans.pop();
        }
    }

    /// Notes a value that holds no other.
    pub(super) fn add(&mut self, start: usize, end: usize) {
        if end - start >= LONG {
            self.spans.push([saturated(start), saturated(end)]);
        }
    }

    /// How much was noted so far.
    pub(super) fn noted(&self) -> usize {
        self.spans.len()
    }

    /// Forgets what was noted since, for it was no JSON.
    pub(super) fn forget(&mut self, noted: usize) {
        self.spans.truncate(noted);
    }

    /// Makes what was noted quick to be found.
    pub(super) fn sort_into_blocks(&mut self) {
        for (before, [start, _]) in self.spans.iter().enumerate() {
            let block = (start >> BLOCK_BITS) as usize;
            if block >= self.blocks.len() {
                self.blocks.resize(block + 1, saturated(before));
            }
        }
    }

    /// The length of the value that begins at an address, if it is known.
    pub(super) fn length(&self, address: usize) -> Option<usize> {
        let wanted = u32::try_from(address.checked_sub(self.base)?).ok()?;
        let before = *self.blocks.get((wanted >> BLOCK_BITS) as usize)?;
        let spans = &self.spans[before as usize..];
        let [start, end] = *spans.iter().find(|[start, _]| *start >= wanted)?;
        (start == wanted && end < u32::MAX).then(|| (end - start) as usize)
    }
}

/// What is too far from the beginning to be told is not known.
fn saturated(at: usize) -> u32 {
    u32::try_from(at).unwrap_or(u32::MAX)
}
