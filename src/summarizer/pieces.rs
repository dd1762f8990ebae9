//! Dividing the middle into pieces that each fit a request, cut only where a cut is legal.
//!
//! Relies on the groups that the caller marked. Invariants: the pieces are consecutive and together cover
//! everything; no group is split; a group that is too large by itself is shortened with a mark, and each of
//! its messages keeps at least its heading.

use std::ops::Range;

use super::job::Excerpt;
use super::prompt::shorten;
use crate::within::level_within;

/// The load of a full request.
const FULL: usize = 1_000_000;

/// The capacity of one request.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Capacity {
    pub(super) characters: usize,
    pub(super) tokens: usize,
}

impl Capacity {
    /// Returns the part of the capacity that a size takes, rounded up; [`FULL`] is all of it.
    fn load(self, size: Self) -> usize {
        let of = |part: usize, whole: usize| part.saturating_mul(FULL).div_ceil(whole.max(1));
        of(size.characters, self.characters).max(of(size.tokens, self.tokens))
    }
}

/// The middle as groups of excerpts.
#[derive(Debug)]
pub(super) struct Middle<'a> {
    excerpts: &'a [Excerpt],
    groups: Vec<Range<usize>>,
}

/// The text of a piece.
#[derive(Debug)]
pub(super) struct Rendered {
    pub(super) text: String,
    pub(super) messages: Vec<usize>,
    pub(super) shortened: Vec<usize>,
}

impl<'a> Middle<'a> {
    pub(super) fn new(excerpts: &'a [Excerpt]) -> Self {
        let mut groups: Vec<Range<usize>> = Vec::new();
        for (index, excerpt) in excerpts.iter().enumerate() {
            match groups.last_mut() {
                Some(last) if excerpts[last.start].group == excerpt.group => last.end = index + 1,
                _ => groups.push(index..index + 1),
            }
        }
        Self { excerpts, groups }
    }

    /// Returns the number of groups.
    pub(super) fn len(&self) -> usize {
        self.groups.len()
    }

    /// Returns the tokens and characters of the groups of `piece`.
    pub(super) fn size(&self, piece: &Range<usize>) -> Capacity {
        size(self.excerpts(piece).iter())
    }

    /// Divides the groups from `first` on into as few pieces as `capacity` allows, of about equal size.
    pub(super) fn pieces(&self, first: usize, capacity: Capacity) -> Vec<Range<usize>> {
        // A group that is too large will be shortened to fill one request.
        let load = |group: usize| capacity.load(self.size(&(group..group + 1))).min(FULL);
        let total: usize = (first..self.len()).map(load).sum();
        let share = total.div_ceil(total.div_ceil(FULL).max(1));
        let mut pieces = Vec::new();
        let (mut start, mut filled, mut before) = (first, 0, 0);
        for group in first..self.len() {
            let load = load(group);
            // Cut where the pieces are most equal, so that no small rest is left at the end.
            let is_share = before + load / 2 > share.saturating_mul(pieces.len() + 1);
            if group > start && (filled + load > FULL || is_share) {
                pieces.push(start..group);
                (start, filled) = (group, 0);
            }
            filled += load;
            before += load;
        }
        if start < self.len() {
            pieces.push(start..self.len());
        }
        pieces
    }

    /// Returns the text of `piece`, shortened if it exceeds `capacity`.
    pub(super) fn render(&self, piece: &Range<usize>, capacity: Capacity) -> Rendered {
        // Messages that stay are shown only if the others need not be shortened for it.
        let has_room = capacity.load(self.size(piece)) <= FULL;
        let excerpts = || self.excerpts(piece).iter().filter(|it| has_room || !it.stays);
        let size = size(excerpts());
        let load = capacity.load(size).max(1);
        let level = if load <= FULL {
            usize::MAX
        } else {
            // The texts share the room that the headings leave.
            let room = size.characters.saturating_mul(FULL) / load;
            let headings: usize =
                excerpts().map(|excerpt| heading(excerpt).chars().count() + 2).sum();
            let texts = excerpts().map(|excerpt| excerpt.text.chars().count()).collect();
            level_within(room.saturating_sub(headings), texts)
        };
        let mut rendered =
            Rendered { text: String::new(), messages: Vec::new(), shortened: Vec::new() };
        for excerpt in excerpts() {
            let text = &excerpt.text;
            rendered.text.push_str(&heading(excerpt));
            let is_large = text.chars().count() > level;
            if (is_large || excerpt.is_preview) && !excerpt.stays {
                rendered.shortened.push(excerpt.message);
            }
            if is_large {
                rendered.text.push_str(&annotate(excerpt, text, level));
            } else {
                rendered.text.push_str(text);
            }
            rendered.text.push_str("\n\n");
            rendered.messages.extend((!excerpt.stays).then_some(excerpt.message));
        }
        rendered
    }

    fn excerpts(&self, piece: &Range<usize>) -> &'a [Excerpt] {
        if piece.is_empty() {
            return &[];
        }
        &self.excerpts[self.groups[piece.start].start..self.groups[piece.end - 1].end]
    }
}

/// The tokens and characters of some excerpts.
fn size<'e>(excerpts: impl Iterator<Item = &'e Excerpt>) -> Capacity {
    let mut size = Capacity { characters: 0, tokens: 0 };
    for excerpt in excerpts {
        size.characters += characters(excerpt);
        size.tokens += excerpt.tokens;
    }
    size
}

fn characters(excerpt: &Excerpt) -> usize {
    heading(excerpt).chars().count() + excerpt.text.chars().count() + 2
}

fn heading(excerpt: &Excerpt) -> String {
    let Excerpt { role, message, stays, .. } = excerpt;
    format!("[{role} {message}{}]\n", if *stays { ", stays" } else { "" })
}

/// Returns the beginning and the end of a text that is too large, with a note, in at most `room` characters.
fn annotate(excerpt: &Excerpt, text: &str, room: usize) -> String {
    let thousands = excerpt.tokens.div_ceil(1000);
    let note = format!("[Large {} (~{thousands}K tokens), not all of it shown]\n", excerpt.role);
    let rest = room.saturating_sub(note.chars().count());
    let short = note + &shorten(text, rest).0;
    // If the room is far too small, only a part of the note fits.
    short.chars().take(room).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn excerpt(message: usize, group: usize, tokens: usize) -> Excerpt {
        let text = "word ".repeat(tokens);
        Excerpt {
            message,
            role: "user".into(),
            stays: false,
            text,
            tokens,
            is_preview: false,
            group,
        }
    }

    fn tokens(tokens: usize) -> Capacity {
        Capacity { characters: usize::MAX, tokens }
    }

    #[test]
    fn pieces_have_equal_shares_and_split_no_group() {
        let excerpts: Vec<Excerpt> =
            (0..12).map(|message| excerpt(message, message / 2, 10)).collect();
        let middle = Middle::new(&excerpts);
        let ends = |first, capacity| -> Vec<usize> {
            middle.pieces(first, tokens(capacity)).into_iter().map(|piece| piece.end).collect()
        };
        assert_eq!(middle.len(), 6);
        assert_eq!(ends(0, 1000), [6]);
        assert_eq!(ends(0, 110), [3, 6]);
        assert_eq!(ends(0, 40), [2, 4, 6]);
        assert_eq!(ends(4, 20), [5, 6]);
        assert_eq!(ends(6, 20), [0; 0]);
    }

    #[test]
    fn every_piece_fits_whatever_the_sizes() {
        for seed in 1..200_usize {
            let size = |message: usize| (message * seed * 7919) % 97;
            let excerpts: Vec<Excerpt> = (0..30)
                .map(|message| excerpt(message, message / (seed % 3 + 1), size(message)))
                .collect();
            let middle = Middle::new(&excerpts);
            let capacity = Capacity { characters: 2000, tokens: 150 + seed };
            let pieces = middle.pieces(0, capacity);
            let mut messages = Vec::new();
            for piece in &pieces {
                let rendered = middle.render(piece, capacity);
                let length = rendered.text.chars().count();
                assert!(length <= capacity.characters, "{length} {piece:?}");
                messages.extend(rendered.messages);
            }
            assert_eq!(messages, (0..30).collect::<Vec<_>>());
        }
    }

    #[test]
    fn an_oversized_message_is_annotated_and_its_neighbours_are_whole() {
        let excerpts = [excerpt(4, 1, 2), excerpt(5, 1, 5000), excerpt(6, 1, 3)];
        let middle = Middle::new(&excerpts);
        let capacity = Capacity { characters: 3000, tokens: 10_000 };
        let rendered = middle.render(&(0..1), capacity);
        assert_eq!((rendered.messages, rendered.shortened), (vec![4, 5, 6], vec![5]));
        assert!(rendered.text.contains("[Large user (~5K tokens), not all of it shown]"));
        assert!(rendered.text.contains("[user 4]\nword word \n"), "{}", rendered.text);
        assert!(rendered.text.chars().count() <= 3000);
    }

    #[test]
    fn what_stays_is_shown_where_it_shortens_nothing_that_goes() {
        let stays = Excerpt { stays: true, ..excerpt(1, 1, 20) };
        let excerpts = [stays, excerpt(2, 1, 300)];
        let render = |characters| {
            Middle::new(&excerpts).render(&(0..1), Capacity { characters, tokens: 10_000 })
        };
        let Rendered { text, messages, shortened } = render(1700);
        assert!(text.starts_with("[user 1, stays]\n") && text.contains("[user 2]\n"), "{text}");
        assert_eq!((messages, shortened), (vec![2], vec![]));
        let Rendered { text, shortened, .. } = render(1550);
        assert!(text.starts_with("[user 2]\n") && shortened.is_empty(), "{text}");
    }
}
