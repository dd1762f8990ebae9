//! Counting a conversation while it is read.
//!
//! Responsible for conversations of which only the tokens are wanted. Each message is dropped as soon as it
//! is counted, because the messages of a long conversation take more memory than anything else, and all cores
//! read and count at once. It relies on [`share_out`] for threads.

use std::sync::atomic::Ordering::Relaxed;
use std::sync::atomic::{AtomicBool, AtomicUsize};

use super::spread::{LONG, SHARE, share_out};
use super::{Meter, Tally};
use crate::conversation::{Kind, Message, Origin, Source, Unit, decode};
use crate::cores::cores;
use crate::dialect::{Dialect, Scope};
use crate::media;

impl Meter {
    /// The tokens of a conversation; `None` if its units can't each be read alone, or if a part needs a
    /// remark because its type or length is unknown.
    pub fn skim(&self, dialect: &'static dyn Dialect, source: &Source<'_>) -> Option<usize> {
        if dialect.facts().reads_across {
            return None;
        }
        let fixed = self.beside(dialect, source)?;
        let is_known = AtomicBool::new(true);
        let (messages, tokens) = (AtomicUsize::new(0), AtomicUsize::new(fixed.tokens));
        let work = |meter: &Meter, units: &[Unit<'_>]| {
            for unit in units.iter().take_while(|_| is_known.load(Relaxed)) {
                let Some(mut message) = dialect.message(unit.json) else { continue };
                message.judge_origin();
                let tally = meter.message(dialect, &message);
                if !is_plain(&message, tally) {
                    is_known.store(false, Relaxed);
                }
                messages.fetch_add(1, Relaxed);
                tokens.fetch_add(tally.tokens(), Relaxed);
            }
        };
        let units = &source.units[..];
        let bytes: usize = units.iter().map(|unit| unit.json.source().len()).sum();
        if self.may_spread && bytes >= LONG && cores() > 1 {
            let per_share = (units.len() * SHARE).div_ceil(bytes);
            share_out(self, units.chunks(per_share).collect(), work);
        } else {
            work(self, units);
        }
        let is_framed = fixed.is_framed || messages.into_inner() == 0;
        let framing = if is_framed { 0 } else { self.framing(dialect).conversation };
        is_known.into_inner().then(|| framing + tokens.into_inner())
    }

    /// Counts what stands beside the list, read as a conversation without a list; `None` if a part needs a
    /// remark.
    fn beside(&self, dialect: &'static dyn Dialect, source: &Source<'_>) -> Option<Beside> {
        let (root, lists) = (source.root.clone(), source.lists.clone());
        let conversation = decode(dialect, Source { root, lists, units: Vec::new() }, Scope::Live);
        let count = self.count(&conversation);
        let mut all = conversation.messages.iter().zip(&count.messages);
        let is_framed = !conversation.messages.is_empty();
        let is_known = all.all(|(message, tally)| is_plain(message, *tally));
        is_known.then(|| Beside { tokens: count.tokens(), is_framed })
    }
}

/// The count of what stands beside a list of units.
struct Beside {
    tokens: usize,
    /// Whether a message stands there; the framing of the conversation is counted then.
    is_framed: bool,
}

/// Whether a message needs no remark besides its count.
fn is_plain(message: &Message<'_>, tally: Tally) -> bool {
    let is_known = message.origin == Origin::Internal || !message.has(Kind::Other);
    is_known && tally.media < media::DOCUMENT
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::dialect::{Found, named};
    use crate::document::Document;
    use crate::tokenizer::Encoding;

    #[test]
    fn what_is_skimmed_counts_as_what_is_kept() {
        let long = format!(r#"{{"role":"user","content":"{}"}}"#, "one two ".repeat(900));
        let long = vec![long; 60].join(",");
        let tools = r#""tools":[{"type":"function","function":{"name":"f","parameters":{}}}]"#;
        for text in [
            "[]".to_owned(),
            format!("[{long}]"),
            format!(r#"{{"messages":[{long}],{tools}}}"#),
            format!(r#"{{"model":"claude-opus-4-5","system":"Be brief.","messages":[{long}]}}"#),
            r#"{"system":"Be brief.","messages":[]}"#.to_owned(),
            r#"{"messages":[]}"#.to_owned(),
        ] {
            for dialect in ["openai", "anthropic"].map(|name| named(name).unwrap()) {
                let document = Document::parse(text.as_bytes()).unwrap();
                let found = Found::of(&document, Some(dialect), false);
                let Ok(Found { mut conversations, .. }) = found else { panic!("{text}") };
                let (shape, source) = conversations.remove(0);
                let mut meter = Meter::new(Encoding::O200kBase);
                let kept = meter.count(&decode(shape.dialect, source.clone(), Scope::Live));
                for spreads in [true, false] {
                    meter.spread(spreads);
                    assert_eq!(meter.skim(dialect, &source), Some(kept.tokens()), "{text}");
                }
            }
        }
    }
}
