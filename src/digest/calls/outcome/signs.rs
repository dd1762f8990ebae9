//! Weighs together everything that a result says of how its call ended.
//!
//! Responsible for which sign is believed: the status before the words, and the words only if there is no
//! status or if it may be another program's. It relies on the files beside it for the signs themselves.

use super::complaint::Speech;
use super::done::came_to;
use super::echoed::Echoed;
use super::failing::{conflicts, ends_well, failing_total, has_count, stops, tells_failures};
use super::frame::{is_frame, says_nothing};
use super::giving_up::{complaint, doubt, gives_up};
use super::report::lead;
use super::said::{leads_with_error, only_fails, says_failure};
use super::unchanged::leaves_all_unchanged;
use super::unended::unended;
use super::unseen::unseen;
use super::verdict::verdict;
use super::{Of, Unended, aim, repository, shell, status};
use crate::conversation::Part;

/// The status that is recorded beside the output of a command that is still running.
const GOES_ON: i32 = -1;

/// The signs that a result gives.
pub(super) struct Signs<'r> {
    /// The kind of call; its command is without the part that prints its own status.
    of: Of<'r>,
    /// Whether the result is flagged as an error.
    is_error: bool,
    /// The whole text of the tool, a record included.
    whole: &'r str,
    /// The output, without the status that the command itself prints.
    pub(super) text: &'r str,
    pub(super) status: Option<i32>,
    /// Whether it is known how the shell ended.
    is_told: bool,
    /// Whether the command's own `echo` says that all of it went well.
    is_sure: bool,
    /// Whether the recorded status is that of a command that is still running.
    goes_on: bool,
    /// Whether the command shows data, which may tell of another run.
    shows: bool,
    pub(super) is_check: bool,
}

impl<'r> Signs<'r> {
    /// Reads the signs of a result with the text `whole`, of which a program printed `printed`.
    pub(super) fn new(
        part: &Part<'_>,
        of: Of<'r>,
        whole: &'r str,
        printed: &'r str,
        echoed: Option<&'r Echoed>,
    ) -> Self {
        // A status that a command prints belongs neither to its output nor to what it runs.
        let of = echoed.map_or(of, |it| Of::Command(&it.command));
        let text = echoed.map_or(printed, |it| it.text.as_str());
        let command = of.command();
        let shows = command.is_some_and(shell::shows_data);
        let is_data = !part.is_error && (shows || command.is_none());
        // What a command prints may read like the words of a tool.
        let framed = if echoed.is_some() && !whole.starts_with('{') { text } else { whole };
        let beside = command.and_then(|_| status::beside(part));
        let told = status::exit_status(framed, command.is_some(), is_data)
            .or(beside.filter(|it| *it != GOES_ON));
        let own = echoed.and_then(|it| it.status);
        let status = own.filter(|_| told.is_none_or(|told| told == 0)).or(told);
        Self {
            of,
            is_error: part.is_error,
            whole,
            text,
            status,
            is_told: status.is_some() || status::is_flagged(part),
            is_sure: own == Some(0),
            goes_on: status.is_none() && beside == Some(GOES_ON),
            shows,
            is_check: command.is_some_and(aim::is_check),
        }
    }

    pub(super) fn command(&self) -> Option<&'r str> {
        self.of.command()
    }

    /// Why the call came to no end of its own; `None` if it did.
    pub(super) fn unended(&self) -> Option<Unended> {
        // A refused call has no status and no counts.
        let may_be_refused = || self.status.is_none() && !self.shows && !has_count(self.text);
        let is_launched = || {
            matches!(self.of, Of::Errand)
                && self.text.starts_with("Async agent launched successfully")
        };
        let is_running = || self.goes_on || is_launched();
        unended(self.text, self.is_error, may_be_refused)
            .or_else(|| is_running().then(|| Unended::Running("".into())))
    }

    /// The meaning of status 1 where it is an answer: that nothing was found, or that files differ.
    pub(super) fn answer(&self) -> Option<&'static str> {
        let command = self.command().filter(|_| self.status == Some(1))?;
        let printed = self.text.lines().find(|line| !says_nothing(line) && !is_frame(line));
        shell::answer_of_status(command, printed.unwrap_or_default())
    }

    /// Whether the call failed: by its flag, by its status, or without one by its words.
    pub(super) fn fails(&self) -> bool {
        self.is_error
            || self.status.map_or_else(|| self.says_failure(), |status| status != 0)
            || self.is_masked()
    }

    /// Whether the words say that the call failed.
    fn says_failure(&self) -> bool {
        let text = self.text;
        says_failure(text)
            || matches!(self.of, Of::Editor) && leaves_all_unchanged(text)
            || self.is_check && tells_failures(text)
            || match self.command() {
                Some(_) if self.shows => false,
                Some(command) => {
                    (self.tells_error() || gives_up(text)) && !self.has_passed()
                        || repository::does(command) && (conflicts(text).is_some() || stops(text))
                }
                None => self.tells_error(),
            }
    }

    /// The line in which a program of the command says that it failed, where no status tells how it ended.
    pub(super) fn complaint(&self) -> Option<&'r str> {
        let (speech, line) = self.spoken()?;
        (speech == Speech::Complaint).then_some(line)
    }

    fn spoken(&self) -> Option<(Speech, &'r str)> {
        let command = self.command().filter(|_| self.status.is_none() && !self.has_passed())?;
        complaint(command, self.shows, self.text)
    }

    /// A line that reads like an error, where nothing else tells how the command ended. The caller has looked
    /// for failures.
    pub(super) fn doubt(&self) -> Option<&'r str> {
        let command = self.command().filter(|_| self.status.is_none() && !self.is_sure)?;
        let looks = self.shows || shell::LOOKING.ends(command);
        if looks || self.has_passed() || !aim::may_hide(command, None) {
            return None;
        }
        let spoken = self.spoken().map(|(_, line)| line);
        spoken.or_else(|| doubt(self.text, self.is_check)).or_else(|| failing_total(self.text))
    }

    /// Why it is unknown how a command ended of which nothing was seen. The caller has looked for failures.
    pub(super) fn unseen(&self) -> Option<Unended> {
        let command = self.unsure_command().filter(|_| !self.has_passed())?;
        if !self.is_check && !command.contains('&') {
            return None;
        }
        unseen(command, self.text, self.is_told)
    }

    /// Whether the result begins with an error or is nothing else.
    fn tells_error(&self) -> bool {
        let is_error = |it| leads_with_error(it) || !matches!(self.of, Of::Look) && only_fails(it);
        is_error(self.whole) || is_error(self.text)
    }

    /// Whether the output ends like that of a check that passed.
    pub(super) fn has_passed(&self) -> bool {
        self.is_check && ends_well(self.text)
    }

    /// The command, if its status may be that of another program.
    fn unsure_command(&self) -> Option<&'r str> {
        self.command().filter(|_| !self.is_sure)
    }

    /// Whether the status belongs to another program than the one that failed.
    fn is_masked(&self) -> bool {
        self.unsure_command().is_some_and(aim::masks_status) && tells_failures(self.text)
    }

    /// The line in which a program says that it failed, where the status may hide that.
    pub(super) fn hidden_failure(&self) -> Option<&'r str> {
        let hides = |command: &&str| !self.shows && aim::may_hide(command, self.status);
        self.unsure_command()
            .filter(hides)
            .and_then(|command| verdict(self.text, self.is_check || aim::runs_script(command)))
    }

    /// What a successful call came to, and whether that tells what it has done.
    pub(super) fn came_to(&self) -> (Option<String>, bool) {
        match self.of {
            Of::Command(command) => came_to(self.text, command),
            Of::Errand => {
                let lead = lead(self.text);
                let says = lead.is_some();
                (lead, says)
            }
            Of::Editor | Of::Look | Of::Other => (None, false),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::super::{Ended, judge};
    use super::*;
    use crate::conversation::Kind;
    use crate::json::{Json, quote};

    /// How a command without a status ended, as it is told.
    fn told(command: &str, text: &str) -> String {
        let source = quote(text);
        let result = Part::whole(Kind::ToolResult, Json::parse(&source).unwrap());
        Ended::of(&judge(&result, Of::Command(command))).to_string()
    }

    /// Checks rows of a command, its output, and the beginning of what is told.
    fn check(rows: &[(&str, &str, &str)]) {
        for (command, text, wanted) in rows {
            let told = told(command, text);
            assert!(told.starts_with(wanted), "{command}: {text}\n{told}");
        }
    }

    #[test]
    fn without_a_status_the_words_tell_that_a_command_failed() {
        check(&[
            // What test runners, builds and formatters print at their end.
            (
                "./lamp_test",
                "[ RUN      ] Oil\na.cc:12: Failure\n[  PASSED  ] 2 tests.\n\n 1 FAILED TEST",
                "failed: a.cc:12: Failure",
            ),
            ("nosetests", "Ran 3 tests in 0.1s\n\nFAILED (errors=1)", "failed: (errors=1)"),
            (
                "phpunit",
                "FAILURES!\nTests: 3, Assertions: 5, Failures: 1.",
                "failed: Tests: 3, Assertions: 5, Failures: 1.",
            ),
            (
                "pytest",
                "12 passed in 1s\nFAIL Required test coverage of 99% not reached. Total coverage: 97%",
                "failed: FAIL Required",
            ),
            (
                "cmake ..",
                "CMake Error at CMakeLists.txt:3 (find_package): not found",
                "failed: CMake Error",
            ),
            (
                "cargo fmt --check", "Diff in src/main.rs:3:\n-a\n+b",
                "failed: Diff in src/main.rs:3:",
            ),
            (
                "shellcheck a.sh",
                "In a.sh line 3:\necho $x\n     ^-- SC2086 (info): Double quote",
                "failed",
            ),
            ("make", "a.c:1:1: Fehler: unbekannter Typname", "failed: a.c:1:1: Fehler"),
            (
                "node a.js",
                "Error: Cannot find module 'x'\n    at a.js:1\n\nNode.js v20.1.0",
                "failed: Error: Cannot find module",
            ),
            (
                "cargo run",
                "thread 'main' panicked at src/main.rs:2:5:\nboom\nnote: run with `RUST_BACKTRACE=1`",
                "failed: panicked at src/main.rs:2:5: boom",
            ),
            ("perl a.pl", "Can't locate Lamp.pm in @INC", "failed: Can't locate"),
            (
                "patch -p1 < a.patch | tail -1",
                "1 out of 1 hunk FAILED -- saving rejects to file a.rej",
                "failed: 1 out of 1 hunk FAILED",
            ),
            (
                "docker build . 2>&1 | tail -1",
                "#5 ERROR: process \"/bin/sh -c make\" did not complete successfully: exit code: 2",
                "failed: #5 ERROR: process",
            ),
            // What programs say of themselves.
            ("ls nada", "ls: 无法访问 'nada': 没有那个文件或目录", "failed: ls: 无法访问"),
            (
                "cat a.json | jq .b",
                "jq: error (at <stdin>:1): Cannot index array",
                "failed: jq: error",
            ),
            ("git status", "Schwerwiegend: Kein Git-Repository", "failed: Schwerwiegend"),
            ("dig lamp.org", ";; connection timed out; no servers could be reached", "failed"),
            // What may be an error.
            ("lamp burn", "lamp: kein Öl", "unclear: lamp: kein Öl"),
            ("./t.sh", "burning\nPermission denied", "unclear: Permission denied"),
            ("./t.sh", "E   assert 1 == 2\nFAILED", "unclear: FAILED"),
            ("./t.sh", "burning\nrc=1", "unclear: rc=1"),
            ("./t.sh", "burning\nDeployment failed", "unclear: Deployment failed"),
            ("./t.sh", "burning\nEnded with exit code 137", "unclear: Ended with exit code 137"),
            ("./t.sh", "burning\nError 500: Internal Server Error", "unclear: Error 500: Internal"),
            (
                "node a.js",
                "lit\nUnhandled rejection TypeError: a is undefined",
                "unclear: Unhandled",
            ),
            ("./t.sh", "lit\npsql: could not connect to server", "unclear: psql: could not"),
            ("lamp burn", "burning\nCould not reach the wick", "unclear: Could not reach the wick"),
            ("lint run", "level=error msg=\"no wick\"", "unclear: level=error"),
            ("python of_builds.py", "12 failed, 40 passed", "unclear: 12 failed, 40 passed"),
            (
                "echo a > /mnt/a; lamp",
                "write error: No space left on device",
                "unclear: write error",
            ),
            (
                "docker run --rm app pytest", "=== 2 failed, 3 passed in 0.2s ===",
                "unclear: 2 failed",
            ),
            ("perl a.pl", "the lamp is out at a.pl line 3.", "unclear: the lamp is out"),
        ]);
    }

    #[test]
    fn shown_texts_and_remarks_are_no_failures() {
        check(&[
            (
                "grep -rn FAILED logs",
                "logs/a.log:3: 1 FAILED TEST\nlogs/b.log:9: FAILED (errors=1)",
                "ok",
            ),
            ("cat a.log", "CMake Error at CMakeLists.txt:3\nlamp: cannot burn", "ok"),
            ("sed -n 1,9p notes.md", "error: is the word for it\nfatal: is worse", "ok"),
            (
                "git log --oneline",
                "1a2b3c4 Fix: error: could not burn\n2b3c4d5 test: FAILED (errors=1)",
                "ok",
            ),
            ("git diff", "+    panic!(\"a\");\n+// CMake Error", "ok"),
            (
                "git commit -m 'Fix the error'",
                "[main 1a2b3c4] Fix the error: cannot burn\n 1 file changed",
                "ok",
            ),
            ("curl -s lamp.org", "<h1>error: 404</h1>\nCould not find the lamp", "ok"),
            ("find . -name '*.log' -exec cat {} +", "Could not burn\nerror: no oil", "ok"),
            (
                "cargo test",
                "test error_is_told ... ok\ntest result: ok. 12 passed; 0 failed",
                "ok: 12 passed",
            ),
            ("go mod tidy", "go: downloading lamp.org/oil v1.2.3", "ok"),
            ("make", "make: Nothing to be done for 'all'.", "ok"),
            ("tar xf a.tar", "tar: Removing leading `/' from member names", "ok"),
            ("prove t", "Result: PASS", "ok"),
            ("node --test", "# tests 5\n# pass 5\n# fail 0", "ok"),
            ("npm run lint", "✔ No ESLint warnings or errors", "ok"),
            (
                "nginx -t",
                "nginx: configuration file /etc/nginx/nginx.conf test is successful",
                "ok",
            ),
            ("npm i", "npm warn deprecated a@1: not found\nadded 3 packages in 2s", "ok"),
            ("mkdir -v a", "mkdir: created directory 'a'", "ok"),
            ("diff a b", "1c1\n< error: a\n---\n> error: b", "ok"),
            ("python train.py", "epoch 1\nmean error: 0.12", "ok"),
            ("node stats.js", "requests: 10, failed: 0\nlatency 3 ms", "ok"),
            ("sudo ls", "sudo: unable to resolve host a: Name or service not known\nx\ny", "ok"),
            ("for it in *.log; do tail -1 $it; done", "error: no oil\nfatal: no wick", "ok"),
            ("ssh lamp cat a.log", "error: no oil", "ok"),
        ]);
    }
}
