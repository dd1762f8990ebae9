//! The manual: clap's sections, and those that it does not know.

use std::collections::BTreeMap;
use std::fmt::Write as _;

use clap::Command;
use clap_mangen::Man;
use context_compact::check::{OWN_RULES, RULES, Severity};
use context_compact::dialect::DIALECTS;

use crate::examples;

/// Every page, by file name.
pub(crate) fn pages(command: &Command) -> BTreeMap<String, String> {
    let subs: Vec<&Command> = command.get_subcommands().collect();
    let mut pages = BTreeMap::from([("ctx.1".to_owned(), page(command, &subs))]);
    for sub in &subs {
        pages.insert(format!("ctx-{}.1", sub.get_name()), page(sub, &subs));
    }
    pages
}

fn page(command: &Command, subs: &[&Command]) -> String {
    let is_root = command.get_name() == "ctx";
    let man = Man::new(command.clone());
    let mut bytes = Vec::new();
    man.render_name_section(&mut bytes).expect("a vector");
    man.render_description_section(&mut bytes).expect("a vector");
    if is_root {
        man.render_subcommands_section(&mut bytes).expect("a vector");
    }
    let options = bytes.len();
    man.render_options_section(&mut bytes).expect("a vector");
    let rendered = String::from_utf8(bytes).expect("UTF-8");
    let (before, options) = rendered.split_at(options);
    let (name, rest) = before.split_once(".SH DESCRIPTION").expect("a description");
    let mut page = title(command);
    page.push_str(&without_preamble(name));
    page.push_str(&section("SYNOPSIS", &synopsis(command.get_name())));
    page.push_str(&section("DESCRIPTION", &without_preamble(rest.trim_start())));
    page.push_str(&subsections(&without_preamble(options)));
    page.push_str(&own_sections(command.get_name()));
    page.push_str(&section("EXIT STATUS", &exit_status(command.get_name())));
    page.push_str(&section("EXAMPLES", &literal(&examples::of_help(command))));
    let others = subs.iter().filter(|sub| sub.get_name() != command.get_name());
    let mut others: Vec<String> =
        others.map(|sub| format!(".BR ctx-{} (1)", sub.get_name().replace('-', "\\-"))).collect();
    if !is_root {
        others.insert(0, ".BR ctx (1)".to_owned());
    }
    page.push_str(&section("SEE ALSO", &(others.join(",\n") + "\n")));
    page
}

fn title(command: &Command) -> String {
    let name = command.get_display_name().unwrap_or("ctx").to_uppercase();
    let version = env!("CARGO_PKG_VERSION");
    format!("{PREAMBLE}.TH \"{name}\" \"1\" \"\" \"ctx {version}\" \"User Commands\"\n")
}

/// What `clap_mangen` puts before each section, to quote with; once is enough.
const PREAMBLE: &str = ".ie \\n(.g .ds Aq \\(aq\n.el .ds Aq '\n";

fn without_preamble(text: &str) -> String {
    text.replace(PREAMBLE, "").replace("\n.br\n\n.br\n", "\n.br\n")
}

fn synopsis(name: &str) -> String {
    match name {
        "ctx" => "\\fBctx\\fR \\fICOMMAND\\fR [\\fIOPTION\\fR...] [\\fIFILE\\fR...]\n".to_owned(),
        _ => format!("\\fBctx {name}\\fR [\\fIOPTION\\fR...] [\\fIFILE\\fR...]\n"),
    }
}

/// Headings of the help are subsections of OPTIONS, worded as they are there.
fn subsections(options: &str) -> String {
    let mut out = String::new();
    for line in options.lines() {
        match line.strip_prefix(".SH ") {
            Some("OPTIONS") | None => out.push_str(line),
            Some(heading) => {
                let heading = heading.trim_matches('"').to_lowercase();
                let (first, rest) = heading.split_at(1);
                let _ = write!(out, ".SS \"{}{rest}\"", first.to_uppercase());
            }
        }
        out.push('\n');
    }
    out.replace("[\\fIFILE\\fR]", "[\\fIFILE\\fR...]")
}

fn own_sections(name: &str) -> String {
    match name {
        "ctx" => section("INPUT", &dialects()) + &section("ENVIRONMENT", ENVIRONMENT),
        "check" => section("JSON", &members(CHECK_JSON)) + &section("RULES", &rules()),
        "normalize" => section("REPORT", &members(NORMALIZE_REPORT)),
        "compact" => {
            section("REPORT", &members(REPORT))
                + &section("ENVIRONMENT", KEYS)
                + &section("FILES", FILES)
        }
        "truncate" => section("FILES", SPILLED),
        "count" => section("JSON", &members(COUNT_JSON)),
        _ => String::new(),
    }
}

fn section(heading: &str, body: &str) -> String {
    let heading = if heading.contains(' ') { format!("\"{heading}\"") } else { heading.to_owned() };
    format!(".SH {heading}\n{body}")
}

/// Text as roff shows it: backslashes and hyphens as they are, no line a request.
fn text(text: &str) -> String {
    let text = text.replace('\\', "\\e").replace('-', "\\-").replace('\'', "\\(aq");
    let lines = text.lines().map(|line| {
        if line.starts_with('.') { format!("\\&{line}\n") } else { format!("{line}\n") }
    });
    lines.collect()
}

/// Text in which a name between stars is a member's, set in bold with what ends it; heads of entries are
/// roff already.
fn members(all: &str) -> String {
    let mut out = String::new();
    for line in all.lines() {
        if line.starts_with('.') {
            let _ = writeln!(out, "{line}");
            continue;
        }
        let mut pieces = line.split('*');
        out.push_str(&text(pieces.next().unwrap_or_default().trim()));
        while let (Some(name), Some(behind)) = (pieces.next(), pieces.next()) {
            let _ = match behind.chars().next().filter(char::is_ascii_punctuation) {
                Some(end @ (',' | ';' | '.')) => writeln!(out, ".BR {name} {end}"),
                _ => writeln!(out, ".B {name}"),
            };
            out.push_str(&text(behind.trim_start_matches([',', ';', '.']).trim()));
        }
    }
    out
}

/// An entry of a list: what, and what about it.
fn entry(head: &str, body: &str) -> String {
    format!(".TP\n.B {}{}", text(head), text(body))
}

fn literal(lines: &[String]) -> String {
    format!(".nf\n{}.fi\n", text(&lines.join("\n")))
}

fn exit_status(name: &str) -> String {
    let yes = match name {
        "check" => "Every conversation fits and is valid.",
        "ctx" => "Done; or `check` says yes.",
        _ => "Done.",
    };
    let no = "`check` says no: a conversation does not fit, or is not valid.";
    let done = "Trouble: bad usage, bad input, or a result that could not be written. \
                           With several FILEs the others are done all the same";
    let trouble = match name {
        "check" | "count" | "partition" => format!("{done}."),
        _ => format!(
            "{done}, but the one file of -o is not written. A conversation of a data set that can't be done is left \
             out, or with -i stays as it is, and the others are done."
        ),
    };
    let mut statuses = vec![("0", yes)];
    if name == "ctx" || name == "check" {
        statuses.push(("1", no));
    }
    statuses.push(("2", &trouble));
    statuses.into_iter().map(|(status, meaning)| entry(status, meaning)).collect()
}

fn dialects() -> String {
    let intro = "A FILE is a stream of JSON values: one array or object, or JSON Lines. Its dialect \
                 is recognised, or named by --dialect:";
    let rows = DIALECTS.iter().map(|dialect| entry(dialect.name(), dialect.facts().about));
    text(intro) + &rows.collect::<String>()
}

fn rules() -> String {
    let intro = "A finding names its rule in brackets. A fault makes the exit status 1, a note does \
                 not. Which providers see a fault in it stands behind each rule.";
    let mut out = text(intro);
    for rule in RULES {
        let mut faults: Vec<&str> = Vec::new();
        let mut notes: Vec<&str> = Vec::new();
        for row in rule.rows {
            let list = if row.severity == Severity::Fault { &mut faults } else { &mut notes };
            list.push(row.provider.name());
        }
        let mut body = format!("Holds when {}.", rule.holds);
        if !faults.is_empty() {
            let _ = write!(body, " Fault: {}.", faults.join(", "));
        }
        if !notes.is_empty() {
            let _ = write!(body, " Note: {}.", notes.join(", "));
        }
        let loss = if rule.loses { " That may lose content." } else { "" };
        let _ = write!(body, " Normalize: {}.{loss}", rule.repair);
        out.push_str(&entry(rule.name, &body));
    }
    for limit in OWN_RULES {
        let body = format!("Holds when {}. Fault. To mend it: {}.", limit.holds, limit.repair);
        out.push_str(&entry(limit.name, &body));
    }
    out
}

const ENVIRONMENT: &str = "\
.TP
.B CTX_MODEL
The model, where \\-\\-model is not given; empty is none.
.TP
.B NO_COLOR
Any value: no colour.
.TP
.B SOURCE_DATE_EPOCH
The time, in seconds since 1970, that the names of archived files carry.
";

const KEYS: &str = "\
.TP
.BR OPENAI_API_KEY \", \" ANTHROPIC_API_KEY \", \" GEMINI_API_KEY
The key for \\-\\-summarizer openai (or responses), anthropic, gemini; \\-\\-api\\-key\\-file goes before.
A key is never printed, archived or sent to a redirect.
.TP
.B SSL_CERT_FILE
Certificates to trust instead of those that are built in.
.TP
.BR ALL_PROXY \", \" HTTPS_PROXY \", \" HTTP_PROXY
Proxy that a model is reached through, as in http://USER:PASSWORD@HOST:PORT or socks5h://HOST:PORT; in
lower case too. This machine itself, and the hosts in
.BR NO_PROXY ,
are reached without.
.TP
.B SOURCE_DATE_EPOCH
The time, in seconds since 1970, that the names of archived files carry.
";

const FILES: &str = "\
.TP
.I DIR/SESSION/compact\\-TIME\\-NUMBER.json
With \\-\\-archive DIR: the removed messages as they stood, readable only by you. SESSION is what
\\-\\-session says, else the log\\(aqs own id, else the file\\(aqs name. The summary names the file.
.TP
.I DIR/SESSION/compact\\-TIME\\-NUMBER.lines.jsonl
The lines of a session log that went with them and are no part of the conversation, byte for byte.
.TP
.I DIR/CALL.txt
With \\-\\-spill DIR: the text of a result that a placeholder stands for, named after its call.
";

const SPILLED: &str = "\
.TP
.I DIR/CALL.txt
With \\-\\-tool\\-budget and \\-\\-spill DIR: the text of a result that a placeholder stands for, named after
its call.
";

const CHECK_JSON: &str = "\
With --json, one object a conversation: *file*, *line* (where it begins in the file), *dialect*, *encoding*,
*messages*, *tokens* (null where they were not asked or need not be counted), *window*, *threshold*,
*needs_compaction*, *valid* and the array *findings*.
A finding has *rule*, *severity* (fault or note), *message* (its index, from 0), *line*, *pointer*
(a JSON pointer from the root of the value on that line), *call_id*, *text*, *provider* and *provider_error*,
the sentence that the provider would answer with; what does not apply is null.
With --sarif, one SARIF 2.1.0 log of all files.
";

const NORMALIZE_REPORT: &str = "\
--report writes an array with an object for each repair: *file*, *line*, *message*
(its index in the input, from 0), *rule*, *call_id*, *text* and *loses_content*.
A line of a session log that goes though it is no part of the conversation, as what a later line replaced, is one
more, whose *rule* is null.
";

const COUNT_JSON: &str = "\
With --json, one object a conversation: *file*, *line* (where it begins in the file), *dialect*, *encoding*,
*model*, *messages*; *parts*, *roles* and *tools*, each by name with its *count* and *tokens*; *tokens*,
which are the sum of *content_tokens*, *framing_tokens* and *media_tokens*.
With --by there is an array *items* of *label*, *message* (its index, from 0; of a turn, the first), *line*,
*count* and *tokens*; the definitions of tools have neither message nor line.
With --usage there are *requests*, an array of *recorded*, *counted* and their *ratio* for each request that the
log records; *growth*, the same of how the conversation grew from one to the next; and *recorded_tokens* and
*ratio*, those of the newest request. What is not recorded is null.
";

/// Each member of the report, in its order; `report_is_documented` keeps it true.
const REPORT: &str = "\
--report FILE writes one JSON object a conversation, in its order. What is null was not done.
Messages are numbered from 0.
.TP
.B file
Where the conversation comes from.
.TP
.B compacted
Whether anything was compacted.
.TP
.B unchanged
Why not, where nothing went wrong: it is under the threshold, it fits, or too little would be saved.
.TP
.BR original_tokens \", \" compacted_tokens
Tokens before and after.
.TP
.B compaction_ratio
compacted_tokens / original_tokens.
.TP
.B next_request_tokens
compacted_tokens, and the instructions that went from a log but that its agent sends again.
.TP
.BR compacted_messages \", \" retained_messages
How many messages went, and how many stay.
.TP
.BR profile \", \" summarizer
The set of choices, and who summarised.
.TP
.BR summary_tokens \", \" summary_tokens_cut
What the summary counts, and how many tokens of a longer answer had no room.
.TP
.BR failure \", \" attempts
Why whoever was asked for the summary gave none (the digest stands in then, or what --on-failure
says), and how often it was asked.
.TP
.B requests
Each request to the summarizer: *stage*, *messages*, *shortened*, *characters*, *attempts*, *answered*.
Every message that the summary stands for is among the messages of one that was answered.
.TP
.B appended
Lines that the audit appended to a model's summary: files changed, commands, the newest request.
.TP
.B restored_files
Files that were put back behind the summary.
.TP
.B steps
What each step did, in order: *step* (spill, dedupe, window, clear, cut, summarise or drop), *tokens_saved*, and
*messages*, how many results or messages it touched. A step that was not needed is not there.
.TP
.B fates
What became of each input message in the result, repairs included: kept, shortened, cleared, summarised
or dropped. Empty where no result holds the conversation.
.TP
.B changed_lines
Lines of a session log that stay and are yet not as they were, for resuming requires it: the *parentUuid*
of a first kept line, recorded usage.
.TP
.B repairs
What the provider would have refused and was repaired: *rule*, *text*, *loses_content*.
.TP
.B thinking_removed
How many thinking parts went, for an edit before them made their signatures void.
.TP
.B archive
Where the removed messages were saved.
.TP
.BR lines_removed \", \" archived_lines
How many lines of a session log went though they are no part of the conversation, as side chains, other
branches, and what stands before an earlier compaction; and where they were saved.
.TP
.BR first_changed_message \", \" cache_tokens_lost
The first message that is not as it was, and the tokens from there on, which a prompt cache has to
read anew.
.TP
.B compactions
How often this conversation has been compacted now, earlier times that its summary speaks of included.
";

/// The report's members as the manual names them, in order.
pub(crate) fn documented_members() -> Vec<&'static str> {
    let heads = REPORT.lines().zip(REPORT.lines().skip(1)).filter(|(before, _)| *before == ".TP");
    heads
        .flat_map(|(_, head)| head.split([' ', '"', ',']).skip(1))
        .filter(|word| !word.is_empty())
        .collect()
}
