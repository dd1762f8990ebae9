//! The ends of the long values of a text, so that walking need not search for them again.
//!
//! Responsible for remembering what checking found. A value is identified by its address: a text and its ends
//! are made together and stay together. Without ends, walking is just as correct but slower.

/// Values of fewer bytes are walked through as fast as they are looked up.
const LONG: usize = 256;

/// The binary logarithm of the block size in bytes; few long values begin in one block.
const BLOCK_BITS: u32 = 10;

/// Where the long values of a text end.
#[derive(Debug, Default)]
pub struct Ends {
    /// The address of the text.
    base: usize,
    /// Where each long value begins and ends, in bytes from the beginning of the text; in ascending order.
    spans: Vec<[u32; 2]>,
    /// For each block, the number of long values that begin before it.
    blocks: Vec<u32>,
}

/// For a text of which no ends are known.
pub(super) static NONE: Ends = Ends { base: 0, spans: Vec::new(), blocks: Vec::new() };

impl Ends {
    pub(super) fn of(text: &[u8]) -> Self {
        Self { base: text.as_ptr().addr(), ..Self::default() }
    }

    /// Notes that a value begins, before any value inside it begins. Returns the number to pass to
    /// [`end`](Self::end).
    pub(super) fn begin(&mut self, start: usize) -> usize {
        self.spans.push([saturated(start), u32::MAX]);
        self.spans.len() - 1
    }

    /// Notes that a value ends. Values inside a short value are shorter still, and forgotten already.
    pub(super) fn end(&mut self, begun: usize, end: usize) {
        let [start, known_end] = &mut self.spans[begun];
        if end - *start as usize >= LONG {
            *known_end = saturated(end);
        } else {
            self.spans.pop();
        }
    }

    /// Notes a value that holds no other values.
    pub(super) fn add(&mut self, start: usize, end: usize) {
        if end - start >= LONG {
            self.spans.push([saturated(start), saturated(end)]);
        }
    }

    /// The number of values noted so far.
    pub(super) fn noted(&self) -> usize {
        self.spans.len()
    }

    /// Forgets the values noted since, because the text turned out not to be JSON.
    pub(super) fn forget(&mut self, noted: usize) {
        self.spans.truncate(noted);
    }

    /// Builds the index that makes lookups fast.
    pub(super) fn sort_into_blocks(&mut self) {
        for (before, [start, _]) in self.spans.iter().enumerate() {
            let block = (start >> BLOCK_BITS) as usize;
            if block >= self.blocks.len() {
                self.blocks.resize(block + 1, saturated(before));
            }
        }
    }

    /// The length of the value that begins at `address`, if it is known.
    pub(super) fn length(&self, address: usize) -> Option<usize> {
        let wanted = u32::try_from(address.checked_sub(self.base)?).ok()?;
        let before = *self.blocks.get((wanted >> BLOCK_BITS) as usize)?;
        let spans = &self.spans[before as usize..];
        let [start, end] = *spans.iter().find(|[start, _]| *start >= wanted)?;
        (start == wanted && end < u32::MAX).then(|| (end - start) as usize)
    }
}

/// An offset as `u32`; an offset that is too large is stored as unknown.
fn saturated(at: usize) -> u32 {
    u32::try_from(at).unwrap_or(u32::MAX)
}
