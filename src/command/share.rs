//! Going through the conversations of all inputs on all cores, and telling what was found in order.
//!
//! Responsible for sharing out pieces: a data set comes in many, a small file is one. Who reads the next
//! piece holds the lock; what is done with it is done by many threads at once, each with a worker of
//! its own, for a tokenizer is not shared. What they find is told in the order of the inputs, so that
//! nothing that is printed depends on who was faster. There are never more pieces than threads.

use std::collections::BTreeMap;
use std::num::NonZero;
use std::sync::{Mutex, PoisonError, mpsc};
use std::thread;

use crate::cli::Reading;
use crate::command::{Shell, Visit, fail, forced, names, visit_piece};
use crate::dialect::Shape;
use crate::input::{Input, InputError, Name, Piece};

/// So many bytes are worked on by one thread before others are started.
const ALONE: usize = 1 << 19;

/// Answers a question about conversations, one after another.
pub trait Worker {
    /// What it finds out about one.
    type Answer: Send;

    /// Looks at a conversation.
    ///
    /// # Errors
    ///
    /// Why it can't be done; the rest of the input is left out.
    fn answer(&mut self, visit: &Visit<'_, '_>) -> anyhow::Result<Self::Answer>;
}

/// What is told, in order.
pub enum Told<'n, T> {
    /// What was found out about a conversation.
    Answer(T),
    /// All of an input was told.
    End(&'n Name),
}

/// Asks about all conversations of all inputs; a bad input is reported and the next one begun. `other`
/// makes workers for other threads.
pub fn ask_each<W: Worker>(
    reading: &Reading,
    shell: &mut Shell,
    mut own: W,
    other: Option<impl Fn() -> W + Sync>,
    tell: &mut dyn FnMut(Told<'_, W::Answer>, &mut Shell) -> anyhow::Result<()>,
) {
    let names = names(reading);
    let quiet = shell.quiet;
    let mut teller = Teller { names: &names, shell, bad: None, tell };
    let mut tasks = Tasks { names: &names, reading, number: 0, input: None }.enumerate();
    let mut shape = None;
    let mut bytes = 0;
    let mut next = tasks.next();
    while let Some((_, task)) = next.take_if(|(_, task)| bytes < ALONE || !task.is_work()) {
        bytes += task.size();
        teller.hear(task.done(&names, reading, quiet, &mut own, &mut shape));
        next = tasks.next();
    }
    let Some((first, _)) = next else { return };
    let cores = thread::available_parallelism().map_or(1, NonZero::get);
    let tasks = Mutex::new(next.into_iter().chain(tasks));
    let take = || tasks.lock().unwrap_or_else(PoisonError::into_inner).next();
    let Some(other) = other.filter(|_| cores > 1) else {
        while let Some((_, task)) = take() {
            teller.hear(task.done(&names, reading, quiet, &mut own, &mut shape));
        }
        return;
    };
    thread::scope(|scope| {
        let (send, receive) = mpsc::channel();
        for _ in 0..cores {
            let (send, take, other, names) = (send.clone(), &take, &other, &names);
            scope.spawn(move || {
                let (mut worker, mut shape) = (other(), None);
                while let Some((place, task)) = take() {
                    let done = task.done(names, reading, quiet, &mut worker, &mut shape);
                    if send.send((place, done)).is_err() {
                        break;
                    }
                }
            });
        }
        drop(send);
        let mut early = BTreeMap::new();
        let mut next = first;
        for (place, done) in receive {
            early.insert(place, done);
            while let Some(done) = early.remove(&next) {
                teller.hear(done);
                next += 1;
            }
        }
    });
}

/// The pieces of all inputs, and where each input ends.
struct Tasks<'r> {
    names: &'r [Name],
    reading: &'r Reading,
    number: usize,
    input: Option<Input>,
}

/// Something to do about an input.
struct Task {
    /// Which input.
    number: usize,
    work: Result<Option<Piece>, InputError>,
}

impl Iterator for Tasks<'_> {
    type Item = Task;

    fn next(&mut self) -> Option<Task> {
        let number = self.number;
        let name = self.names.get(number)?;
        let opened = match self.input.take() {
            Some(input) => Ok(input),
            None => Input::open(name.clone(), forced(self.reading)),
        };
        let work = opened.and_then(|mut input| {
            let piece = input.piece()?;
            self.input = piece.is_some().then_some(input);
            Ok(piece)
        });
        self.number += usize::from(self.input.is_none());
        Some(Task { number, work })
    }
}

impl Task {
    fn is_work(&self) -> bool {
        self.size() > 0
    }

    fn size(&self) -> usize {
        self.work.as_ref().ok().and_then(Option::as_ref).map_or(0, |piece| piece.bytes.len())
    }

    /// Has it done by a worker; `shape` is that of the worker's piece before.
    fn done<W: Worker>(
        self,
        names: &[Name],
        reading: &Reading,
        quiet: bool,
        worker: &mut W,
        shape: &mut Option<Shape>,
    ) -> Done<W::Answer> {
        let Self { number, work } = self;
        let mut done = Done { number, said: Vec::new(), answers: Vec::new(), end: Ok(false) };
        let piece = match work {
            Ok(Some(piece)) => piece,
            Ok(None) => return Done { end: Ok(true), ..done },
            Err(error) => return Done { end: Err(error.into()), ..done },
        };
        let mut say = |line| done.said.extend((!quiet).then_some(line));
        let input = (number, &names[number]);
        let result = visit_piece(input, reading, &piece, shape, &mut say, &mut |piece| {
            piece.visits().try_for_each(|visit| {
                done.answers.push(worker.answer(&visit)?);
                Ok(())
            })
        });
        Done { end: result.map(|()| false), ..done }
    }
}

/// What came of a task.
struct Done<T> {
    number: usize,
    said: Vec<String>,
    answers: Vec<T>,
    /// Whether it was the end of the input.
    end: anyhow::Result<bool>,
}

/// Tells what came of tasks.
struct Teller<'t, T> {
    names: &'t [Name],
    shell: &'t mut Shell,
    /// The input that had an error: no more of it is told.
    bad: Option<usize>,
    tell: &'t mut dyn FnMut(Told<'_, T>, &mut Shell) -> anyhow::Result<()>,
}

impl<T> Teller<'_, T> {
    fn hear(&mut self, done: Done<T>) {
        let number = done.number;
        if self.bad == Some(number) {
            return;
        }
        let name = &self.names[number];
        done.said.iter().for_each(|line| self.shell.say(line));
        let told = done.answers.into_iter();
        let told = told.map(Told::Answer).try_for_each(|told| (self.tell)(told, self.shell));
        let ended = told.and(done.end).and_then(|is_end| {
            if is_end { (self.tell)(Told::End(name), self.shell) } else { Ok(()) }
        });
        if let Err(error) = ended {
            self.bad = Some(number);
            fail(self.shell, name, &error);
        }
    }
}
