//! Reading a file into a buffer.
//!
//! Responsible for reading as many bytes as are asked for, with two threads for large files. Most of the cost
//! of reading a large file is the system's work of finding memory for it; two cores need two thirds of the
//! time.

use std::fs::{File, Metadata};
use std::io::{self, Read, Seek, SeekFrom};
use std::os::unix::fs::FileExt;
use std::{mem, panic, thread};

use crate::cores::{cores, spawn_beside};

/// The fewest bytes that are worth a second thread.
const LARGE: usize = 1 << 23;

/// The bytes per read, few enough to stay in the cache.
const CHUNK: usize = 1 << 20;

/// The room that is always left in the buffer: the end of a file shows only if there is room to read on.
const ROOM: usize = 64;

/// A file, and the bytes read so far.
pub(super) struct Reader {
    file: File,
    /// The bytes that were read.
    buffer: Vec<u8>,
    /// How many of them were taken.
    taken: usize,
    /// Whether nothing is left to read.
    at_end: bool,
    /// The bytes of the file that are still to be read, as far as is known.
    left: usize,
}

impl Reader {
    /// A reader that has read nothing yet.
    pub(super) fn of(file: File, metadata: &Metadata) -> Self {
        let left = usize::try_from(metadata.len()).unwrap_or_default();
        Self { file, buffer: Vec::new(), taken: 0, at_end: false, left }
    }

    /// The bytes that were read and not taken yet.
    pub(super) fn held(&self) -> &[u8] {
        &self.buffer[self.taken..]
    }

    /// Whether nothing is left to read.
    pub(super) fn is_at_end(&self) -> bool {
        self.at_end
    }

    /// Takes the first `count` bytes that are held. Copies them or those that stay, whichever are fewer.
    pub(super) fn take(&mut self, count: usize) -> Vec<u8> {
        if self.taken == 0 && count >= self.buffer.len() - count {
            let rest = self.buffer.split_off(count);
            return mem::replace(&mut self.buffer, rest);
        }
        let bytes = self.held()[..count].to_vec();
        self.taken += count;
        bytes
    }

    /// Reads until `size` bytes are held or the input ends.
    ///
    /// # Errors
    ///
    /// The file can't be read.
    pub(super) fn fill(&mut self, size: usize) -> io::Result<()> {
        if self.held().len() >= size {
            return Ok(());
        }
        self.buffer.drain(..mem::take(&mut self.taken));
        let known = size.saturating_sub(self.buffer.len()).min(self.left);
        // Two threads read into a new buffer, into which the old one is copied: not worth it for a large one.
        if known >= LARGE.max(self.buffer.len()) && cores() > 1 {
            self.read_by_two(known)?;
        }
        let wanted = size.saturating_sub(self.buffer.len());
        self.buffer.reserve_exact(wanted.min(self.left + ROOM));
        while !self.at_end && self.buffer.len() < size {
            let wanted = (size - self.buffer.len()) as u64;
            let read = (&mut self.file).take(wanted).read_to_end(&mut self.buffer)?;
            self.left = self.left.saturating_sub(read);
            self.at_end = read == 0;
        }
        Ok(())
    }

    /// Reads the next `wanted` bytes, or as many as there are, one half in each of two threads.
    fn read_by_two(&mut self, wanted: usize) -> io::Result<()> {
        let (start, held) = (self.file.stream_position()?, self.buffer.len());
        // Zeroed memory costs nothing until it is written to.
        let mut bytes = vec![0; held + wanted + ROOM];
        bytes[..held].copy_from_slice(&self.buffer);
        let middle = wanted / 2;
        let (near, far) = bytes[held..held + wanted].split_at_mut(middle);
        let file = &self.file;
        let read = thread::scope(|scope| {
            let far = spawn_beside(scope, || read_from(file, start + middle as u64, far));
            let near = read_from(file, start, near)?;
            // If there is no second half, or the file became shorter meanwhile, keep only the first half.
            let Ok(far) = far.map(|it| it.join().unwrap_or_else(|it| panic::resume_unwind(it)))
            else {
                return Ok(near);
            };
            Ok::<_, io::Error>(if near < middle { near } else { near + far? })
        })?;
        bytes.truncate(held + read);
        self.buffer = bytes;
        self.left -= read;
        self.file.seek(SeekFrom::Start(start + read as u64))?;
        Ok(())
    }
}

/// Fills `bytes` from offset `start` of a file on; returns how many bytes there were.
fn read_from(file: &File, start: u64, bytes: &mut [u8]) -> io::Result<usize> {
    let mut read = 0;
    while read < bytes.len() {
        let end = bytes.len().min(read + CHUNK);
        match file.read_at(&mut bytes[read..end], start + read as u64) {
            Ok(0) => break,
            Ok(more) => read += more,
            Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
            Err(error) => return Err(error),
        }
    }
    Ok(read)
}

#[cfg(test)]
mod tests {
    use std::io::Write;
    use std::sync::atomic::{AtomicUsize, Ordering};

    use super::*;

    /// An unnamed file of `written` bytes, positioned at the byte `start`.
    fn file(written: &[u8], start: u64) -> File {
        // Tests run side by side in one process: each file has a name of its own until it has none.
        static FILES: AtomicUsize = AtomicUsize::new(0);
        let number = FILES.fetch_add(1, Ordering::Relaxed);
        let path = std::env::temp_dir().join(format!("ctx-reader-{}-{number}", std::process::id()));
        let mut file = File::options().read(true).write(true).create_new(true).open(&path).unwrap();
        std::fs::remove_file(path).unwrap();
        file.write_all(written).unwrap();
        file.seek(SeekFrom::Start(start)).unwrap();
        file
    }

    #[test]
    fn two_threads_read_what_one_does() {
        let written: Vec<u8> = (0..=250).cycle().take(2 * LARGE + 12_345).collect();
        for start in [0, 7] {
            let file = file(&written, start as u64);
            let metadata = file.metadata().unwrap();
            let mut reader = Reader::of(file, &metadata);
            reader.fill(1000).unwrap();
            assert_eq!(reader.buffer.len(), 1000);
            reader.fill(LARGE + 2000).unwrap();
            assert_eq!(reader.buffer.len(), LARGE + 2000);
            reader.fill(usize::MAX).unwrap();
            assert!(reader.at_end);
            assert!(reader.buffer == written[start..], "from {start}");
        }
    }

    #[test]
    fn pieces_of_a_large_buffer_are_those_of_the_file() {
        let written: Vec<u8> = (0..=250).cycle().take(10_000).collect();
        for piece in [1, 700, 4000, 10_000] {
            let file = file(&written, 0);
            let metadata = file.metadata().unwrap();
            let mut reader = Reader::of(file, &metadata);
            let mut pieces = Vec::new();
            reader.fill(6000).unwrap();
            while !reader.held().is_empty() {
                pieces.extend(reader.take(piece.min(reader.held().len())));
                reader.fill(piece).unwrap();
            }
            assert!(pieces == written, "{piece}");
        }
    }

    #[test]
    fn a_file_that_became_shorter_ends_there() {
        let written = vec![b'x'; 2 * LARGE];
        for length in [LARGE / 2, LARGE + LARGE / 2] {
            let file = file(&written, 0);
            let metadata = file.metadata().unwrap();
            file.set_len(length as u64).unwrap();
            let mut reader = Reader::of(file, &metadata);
            reader.fill(usize::MAX).unwrap();
            assert_eq!((reader.buffer.len(), reader.at_end), (length, true));
        }
    }
}
