//! Explaining the steps of a compaction in advance.
//!
//! Responsible for one line per step, in the order in which they are taken, as the profile and the flags that
//! override it determine.

use crate::cli::compact::{Compact, Summarizer};
use crate::compact::Options;
use crate::output::shown;
use crate::profile::{Position, Tail, Users};
use crate::truncate::elide::window::FIRST_MESSAGES;
use crate::truncate::spill::FLOOR;

use super::asked::PLAN_TOOLS;
use super::author::{name_of, who};

/// One line for each step.
pub(super) fn explain(arguments: &Compact, options: &Options, threshold: usize) -> Vec<String> {
    let budget = options.budget;
    let mut lines = vec![if arguments.overflow.is_some() {
        format!("whatever it counts, down to what its provider takes, at most {budget}")
    } else if arguments.force {
        format!("whatever it counts, down to {budget}")
    } else {
        format!("from {threshold} tokens on, down to {budget}")
    }];
    lines.extend(cheap_edits(arguments, options));
    lines.extend(kept(arguments, options));
    lines.push(summary(arguments, options));
    let files = options.restore.unwrap_or(options.profile.restores);
    if files > 0 {
        let room = if options.restore.is_some() { "" } else { ", where there is much room" };
        lines.push(format!("restore: up to {files} files that were read lately{room}"));
    }
    lines
}

/// The steps before anything is summarised.
fn cheap_edits(arguments: &Compact, options: &Options) -> Vec<String> {
    let mut lines = Vec::new();
    if let (Some(bytes), Some(directory)) = (options.tool_budget, &arguments.spill) {
        let directory = shown(directory);
        let bytes = bytes.max(FLOOR);
        lines
            .push(format!("spill: results of the last batch over {bytes} bytes go to {directory}"));
    }
    let Some(cheap) = options.profile.cheap_edits else { return lines };
    lines.push("dedupe: readings that newer ones replace become placeholders".to_owned());
    if let Some(most) = options.window() {
        let first = FIRST_MESSAGES;
        lines.push(format!(
            "window: of more than {most} messages the first {first} and the newest stay"
        ));
    }
    let newest = options.keep_results.unwrap_or(cheap.results);
    let when = if options.clears_first() { "" } else { ", where no summary fits" };
    lines.push(format!(
        "clear: all but the newest {newest} results become placeholders, oldest first{when}"
    ));
    lines
}

/// What stays beside a summary, if the budget is not met before.
fn kept(arguments: &Compact, options: &Options) -> Vec<String> {
    let profile = options.profile;
    let mut lines = vec!["keep: instructions and the newest user message".to_owned()];
    if options.keep_first_user || profile.first_user {
        lines.push("keep: the first user message".to_owned());
    }
    match (options.keep_users, profile.users) {
        (Some(tokens), _) => {
            lines.push(format!("keep: user messages up to {tokens} tokens, newest first"));
        }
        (None, Users::Tokens(tokens)) => lines.push(format!(
            "keep: user messages up to {tokens} tokens or half the room, newest first"
        )),
        (None, Users::Share) => lines.push("keep: a share for user messages".to_owned()),
        (None, Users::None) => {}
    }
    if let Some(newest) = options.keep_results {
        lines.push(format!("keep: the newest {newest} results"));
    }
    let asked = arguments.tool_names.keep_tools.join(", ");
    lines.push(match (options.pins_tools, profile.protects_all) {
        (true, _) => format!("keep: results of {asked}"),
        (false, true) => format!("keep: results of {}, as far as they fit", PLAN_TOOLS.join(", ")),
        (false, false) => {
            format!("keep: the newest result of {}, if it fits", PLAN_TOOLS.join(", "))
        }
    });
    match (options.keep_tail, profile.tail) {
        (Some(tokens), _) => lines.push(format!("keep: {tokens} tokens of the newest messages")),
        (None, Tail::Share) => {
            lines.push(
                "keep: the answer at the end, up to half of the room, except in logs".to_owned(),
            );
            lines.push("keep: a share for the newest messages".to_owned());
        }
        (None, Tail::Percent(share)) => {
            lines.push(format!("keep: {share} % of the budget for the newest messages"));
        }
        (None, Tail::Messages(most)) => lines.push(format!("keep: the last {most} messages")),
        (None, Tail::None) => {}
    }
    if options.keeps_newest() {
        lines.push("keep: results without a reply yet, cut where they are large".to_owned());
    }
    lines
}

fn summary(arguments: &Compact, options: &Options) -> String {
    let by = who(arguments);
    let name = name_of(by);
    let place = match options.profile.place {
        Position::BeforeTail => "before the newest messages",
        Position::AfterUsers => "behind the user messages, before protected results",
        Position::IntoFirstUser => "in the first user message",
    };
    match by {
        Summarizer::None => format!("note: stands for everything else, {place}"),
        _ => format!("summarise: everything else, by {name}, {place}"),
    }
}
