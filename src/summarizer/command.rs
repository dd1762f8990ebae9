//! A shell command as the summarizer: prompt on stdin, summary on stdout.
//!
//! Relies on `sh`. The command gets its own process group, so that everything it started can be ended with
//! it. Invariants: a command that does not read stdin is no error; no answer is waited for beyond the
//! timeout, even if an escaped child holds the pipes; nothing that it started is left behind, neither after a
//! timeout nor after Ctrl-C.

use std::collections::VecDeque;
use std::io::{self, Read, Write};
use std::process::{Child, Command, ExitStatus, Stdio};
use std::sync::mpsc::{Receiver, channel};
use std::thread;
use std::time::{Duration, Instant};

use super::answer::LARGEST;
use super::class::{Class, classify};
use super::failure::{Cause, Reason};
use super::fault::Fault;
use super::group::Group;

/// How often a running command is checked.
const TICK: Duration = Duration::from_millis(10);
/// How long children may go on writing after the command itself ended.
const GRACE: Duration = Duration::from_secs(1);
/// How long to wait for output that was written before the end.
const LAST: Duration = Duration::from_millis(100);
/// The bytes of stderr that are kept to tell an overflow from another failure; also the most bytes of a line.
const REMEMBERED: usize = 8 * 1024;
/// How many lines of stderr are passed on at once; of further lines, only the last ones are, at the end.
const FIRST_LINES: usize = 1000;
/// How many of the last lines of stderr are passed on.
const LAST_LINES: usize = 100;

/// Runs `command` with `prompt` on its stdin and returns its stdout; `stderr` gets each line of its stderr as
/// it comes.
pub(super) fn run(
    command: &str,
    prompt: &str,
    timeout: Duration,
    stderr: &dyn Fn(String),
) -> Result<String, Reason> {
    let deadline = Instant::now() + timeout;
    let mut shell = Command::new("sh");
    shell.arg("-c").arg(command);
    shell.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
    let mut group = Group::spawn(&mut shell)
        .map_err(|error| Reason::Setting(format!("could not run sh: {error}")))?;
    feed(&mut group.child, prompt);
    let output = drain(group.child.stdout.take());
    let errors = drain_lines(group.child.stderr.take());

    let mut said = String::new();
    let mut hear = || {
        while let Ok(line) = errors.try_recv() {
            said.extend([&line, "\n"]);
            stderr(line);
        }
    };
    let end = wait(&mut group, &output, deadline, &mut hear)?;
    // The last lines may still be in the thread that reads them.
    let late = Instant::now() + LAST;
    while Instant::now() < late
        && let Ok(line) = errors.recv_timeout(TICK)
    {
        said.extend([&line, "\n"]);
        stderr(line);
    }
    end.judge(&said)
}

/// How a command ended.
struct End {
    /// `None` where it was killed.
    status: Option<ExitStatus>,
    /// Its output, if that was complete.
    text: Option<Result<String, Reason>>,
}

/// Waits until the command has answered and ended, or kills it at `deadline`; `hear` is called in the
/// meantime.
fn wait(
    group: &mut Group,
    output: &Receiver<Result<String, Reason>>,
    deadline: Instant,
    hear: &mut dyn FnMut(),
) -> Result<End, Reason> {
    let mut text = None;
    let mut ended: Option<(ExitStatus, Instant)> = None;
    loop {
        hear();
        match (&text, &ended) {
            (Some(Err(_)), _) | (Some(_), Some(_)) => break,
            (None, Some((_, since))) if since.elapsed() > GRACE => break,
            _ if Instant::now() >= deadline => break,
            _ => thread::sleep(TICK),
        }
        text = text.or_else(|| output.try_recv().ok());
        if ended.is_none() {
            let status = group.child.try_wait().map_err(|error| lost(&error))?;
            ended = status.map(|status| (status, Instant::now()));
        }
    }
    if text.is_none() || ended.is_none() {
        group.kill();
    }
    if ended.is_none() {
        // The process was killed; waiting removes it from the process table.
        let _ = group.child.wait();
    } else if text.is_none() {
        // The pipes are closed now, unless a child left the group.
        text = output.recv_timeout(LAST).ok();
    }
    Ok(End { status: ended.map(|(status, _)| status), text })
}

impl End {
    /// The answer, if the command succeeded; `said` is its stderr.
    fn judge(self, said: &str) -> Result<String, Reason> {
        match (self.status, self.text) {
            (_, Some(Err(reason))) => Err(reason),
            (None, _) => {
                let text = "command gave no answer in time".into();
                Err(Reason::Wait { cause: Cause::Command, text, after: None })
            }
            (Some(status), Some(Ok(text))) if status.success() => Ok(text),
            (Some(status), None) if status.success() => {
                Err(Reason::Command("left its output open".into()))
            }
            (Some(status), _) => Err(failed(status, said)),
        }
    }
}

/// Returns the reason why a command failed.
fn failed(status: ExitStatus, said: &str) -> Reason {
    let start = said.ceil_char_boundary(said.len().saturating_sub(REMEMBERED));
    let text = match status.code() {
        Some(code) => format!("exited with status {code}"),
        None => "was killed by a signal".into(),
    };
    match (status.code(), classify(None, &said[start..], false)) {
        (Some(126 | 127), _) => {
            let text = format!("command {text}: could not be run");
            Reason::Final { cause: Cause::Command, text }
        }
        (_, Class::Overflow(_)) => Reason::Overflow(format!("command {text}")),
        (_, Class::Payload) => Reason::Payload(format!("command {text}")),
        (_, Class::Wait | Class::Final) => Reason::Command(text),
    }
}

fn lost(error: &io::Error) -> Reason {
    Reason::Command(format!("was lost: {error}"))
}

/// Writes the prompt in a thread, because a command may answer before it has read everything.
fn feed(child: &mut Child, prompt: &str) {
    if let Some(mut stdin) = child.stdin.take() {
        let prompt = prompt.to_owned();
        // A command that does not read its stdin closes the pipe, which is no error.
        thread::spawn(move || stdin.write_all(prompt.as_bytes()));
    }
}

/// Reads a pipe to its end in a thread, so that reading can't outlast the timeout.
fn drain(pipe: Option<impl Read + Send + 'static>) -> Receiver<Result<String, Reason>> {
    let (sender, receiver) = channel();
    if let Some(pipe) = pipe {
        thread::spawn(move || {
            let mut bytes = Vec::new();
            let read = pipe.take(LARGEST + 1).read_to_end(&mut bytes);
            let text = match read {
                Err(error) => Err(lost(&error)),
                Ok(_) if bytes.len() as u64 > LARGEST => Err(Reason::Answer(Fault::TooLarge)),
                Ok(_) => String::from_utf8(bytes).map_err(|_| Reason::Answer(Fault::NotUtf8)),
            };
            // No one listens any more if the command was given up.
            let _ = sender.send(text);
        });
    }
    receiver
}

/// Reads a pipe line by line in a thread. A command that never stops writing is read to its end, but its
/// output neither fills the memory nor delays passing it on beyond the deadline.
fn drain_lines(pipe: Option<impl Read + Send + 'static>) -> Receiver<String> {
    let (sender, receiver) = channel();
    if let Some(pipe) = pipe {
        thread::spawn(move || {
            let mut pipe = io::BufReader::new(pipe);
            let mut line = Vec::new();
            let (mut lines, mut last) = (0, VecDeque::new());
            // The length of a line is bounded too, because a progress bar may never end one.
            while let Ok(1..) = read_line(&mut pipe, &mut line) {
                let text = String::from_utf8_lossy(&line).trim_end().to_owned();
                lines += 1;
                if lines > FIRST_LINES {
                    last.push_back(text);
                    if last.len() > LAST_LINES {
                        last.pop_front();
                    }
                } else if sender.send(text).is_err() {
                    return;
                }
                line.clear();
            }
            let left_out = lines.saturating_sub(FIRST_LINES + last.len());
            let note = (left_out > 0).then(|| format!("… {left_out} lines left out"));
            // No one listens any more if the command was given up.
            let _ = note.into_iter().chain(last).try_for_each(|line| sender.send(line));
        });
    }
    receiver
}

fn read_line(pipe: &mut impl io::BufRead, line: &mut Vec<u8>) -> io::Result<usize> {
    use io::BufRead;
    pipe.take(REMEMBERED as u64).read_until(b'\n', line)
}
