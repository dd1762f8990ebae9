//! The edits of a message's parts: changed texts, removed parts, and the new parts between them.

use std::collections::BTreeMap;
use std::ops::Range;

use super::moved;
use crate::conversation::{Kind, Part, Role};
use crate::document::{Document, Edit};
use crate::draft::list::{self, Separator};
use crate::draft::{Draft, NewPart};
use crate::json::{Json, quote};

impl<'a> Draft<'_, 'a> {
    pub(super) fn edit_message(
        &self,
        document: &Document<'a>,
        at: usize,
        within: &[Edit],
        edits: &mut Vec<Edit>,
    ) {
        let message = &self.conversation.messages[at];
        let mut lists: Vec<Json<'a>> = Vec::new();
        for part in &message.parts {
            if let Some(list) = part.list.filter(|list| lists.iter().all(|of| !of.is(*list))) {
                lists.push(list);
            }
        }
        let has_new = self.new_parts(at).next().is_some();
        let known = |content: &Json<'a>| lists.iter().any(|list| list.is(*content));
        if let Some(content) = message.content.filter(|content| has_new && !known(content)) {
            if !content.is_array() {
                edits.push(self.content_with_new_parts(document, at, content, within));
                return;
            }
            lists.push(content);
        }
        for list in lists {
            self.edit_parts(document, at, list, within, edits);
        }
    }

    /// Replaces the text of a part; a cleared result loses the attachments of its body.
    pub(super) fn retext(
        &self,
        document: &Document<'a>,
        part: &Part<'a>,
        text: &str,
        is_cleared: bool,
    ) -> Edit {
        let dialect = self.conversation.dialect;
        // A result's body may be text that an agent keeps elsewhere, outside the document.
        let body = match part.body {
            Some(body) if !document.holds(body) => part.json.member("content"),
            body => body,
        };
        match (part.kind, body) {
            (Kind::ToolResult, Some(body)) => {
                let kept = if is_cleared { part.without_attachments() } else { *part };
                Edit { span: document.span(body), text: dialect.write_result(&kept, text) }
            }
            (_, Some(body)) => Edit { span: document.span(body), text: quote(text) },
            (_, None) => {
                // A result without a body: add the member at the end of its object.
                let object = dialect.object_of(part);
                let end = document.span(object).end - 1;
                let (key, said) = dialect.result_member(text);
                let comma = if object.members().next().is_some() { "," } else { "" };
                Edit { span: end..end, text: format!("{comma}\"{key}\":{said}") }
            }
        }
    }

    /// Rewrites a content that is no array as one, with the new parts around the old content. If the draft
    /// makes it an array anyway, that array holds the old content.
    fn content_with_new_parts(
        &self,
        document: &Document<'a>,
        at: usize,
        content: Json<'a>,
        within: &[Edit],
    ) -> Edit {
        let message = &self.conversation.messages[at];
        let dialect = self.conversation.dialect;
        let own = message.parts.iter().position(|part| part.json.is(content));
        let becomes = self.replacement(at, content).and_then(Json::parse);
        let mut items = Vec::new();
        for index in 0..=message.parts.len() {
            let new = self.new_parts.get(&(at, index)).into_iter().flatten();
            items.extend(new.map(|part| self.write_part(document, part, message.role, within)));
            let is_own = own == Some(index) && !self.is_removed((at, index));
            let becomes = becomes.filter(|_| is_own);
            if let Some(list) = becomes.filter(|json| json.is_array()) {
                items.extend(list.items().map(|item| item.source().to_owned()));
            } else if let Some(text) = becomes.and_then(Json::text) {
                items.push(dialect.write_part(&NewPart::Text(text), message.role));
            } else if is_own && content.is_object() {
                let mut within = Vec::new();
                self.edit_values(document, at, &mut within);
                within.sort_by_key(|edit| edit.span.start);
                items.push(moved(document, &NewPart::Source(content.source()), &within).into());
            } else if is_own {
                let text = match self.new_text((at, index)) {
                    Some(text) => text.to_owned(),
                    None => message.parts[index].text().into_owned(),
                };
                items.push(dialect.write_part(&NewPart::Text(text.into()), message.role));
            }
        }
        Edit { span: document.span(content), text: format!("[{}]", items.join(",")) }
    }

    fn edit_parts(
        &self,
        document: &Document<'a>,
        at: usize,
        list: Json<'a>,
        within: &[Edit],
        edits: &mut Vec<Edit>,
    ) {
        let message = &self.conversation.messages[at];
        let in_list = |part: &Part<'a>| part.list.is_some_and(|of| of.is(list));
        let indices: Vec<usize> =
            (0..message.parts.len()).filter(|&index| in_list(&message.parts[index])).collect();
        // Items that are no part stay, with their commas.
        let items: Vec<Json<'a>> = list.items().collect();
        let place = |json: Json<'_>| json.source().as_ptr();
        let item_of = |index: usize| {
            let part = place(message.parts[index].json);
            items.partition_point(|item| place(*item) <= part).saturating_sub(1)
        };
        let mut inserts: BTreeMap<usize, Vec<String>> = BTreeMap::new();
        let is_content = message.content.is_some_and(|content| content.is(list));
        if is_content {
            for (&(_, before), new) in self.new_parts.range((at, 0)..(at + 1, 0)) {
                let next = indices.iter().copied().find(|&index| index >= before);
                let written =
                    new.iter().map(|part| self.write_part(document, part, message.role, within));
                inserts.entry(next.map_or(items.len(), item_of)).or_default().extend(written);
            }
        }
        let (kept, removed): (Vec<usize>, Vec<usize>) =
            indices.into_iter().partition(|&index| !self.is_removed((at, index)));
        if inserts.is_empty() && removed.is_empty() {
            return;
        }
        if is_content && inserts.is_empty() && kept.is_empty() {
            // The content is empty now, but other parts of the message stand beside it.
            let beside = (0..message.parts.len()).any(|index| !self.is_removed((at, index)));
            let text = if beside { "null" } else { "[]" }.to_owned();
            edits.push(Edit { span: document.span(list), text });
            return;
        }
        let mut stays = vec![true; items.len()];
        for index in removed {
            stays[item_of(index)] = false;
        }
        for index in kept {
            stays[item_of(index)] = true;
        }
        let spans: Vec<Range<usize>> = items.iter().map(|item| document.span(*item)).collect();
        let keep = |item: usize| stays[item];
        let empty = document.span(list).start + 1;
        let bytes = document.bytes();
        edits.extend(list::rewrite(bytes, &Separator::Comma, &spans, empty, keep, &inserts));
    }

    fn write_part(
        &self,
        document: &Document<'a>,
        part: &NewPart<'a>,
        role: Role,
        within: &[Edit],
    ) -> String {
        let text = moved(document, part, within);
        self.conversation.dialect.write_part(&part.with_source(&text), role)
    }
}
