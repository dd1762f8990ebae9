//! Repairs of names that are no call's: of speakers, of documents, and of the tools that a request defines.

use super::ids::good_name;
use super::plan::Plan;
use crate::check::table::{DUPLICATE_TOOL, NAME_FORM, TOOL_NAME_FORM};
use crate::demands::names::{RepeatedTool, StrangeName, repeated_tools, strange_names};
use crate::json::{Json, quote};

impl Plan<'_, '_> {
    /// Gives speakers and documents names that the provider reads.
    pub(super) fn mend_names(&mut self) {
        if !self.insists_on(&NAME_FORM) {
            return;
        }
        for StrangeName { message, part, name, good } in
            strange_names(self.conversation, self.provider, self.wire)
        {
            let of = if part.is_some() { "document" } else { "speaker" };
            let text = if good.is_empty() {
                let json = self.conversation.messages[message].json;
                self.draft.set_member(message, json, "name", None);
                format!("empty name of a {of} removed")
            } else {
                self.draft.set_value(message, name, quote(&good));
                format!("{of} \"{}\" is called \"{good}\" now", name.plain())
            };
            self.report_message(&NAME_FORM, Some(message), text).part = part;
        }
    }

    /// Removes definitions of tools whose name an earlier one has or gets.
    pub(super) fn drop_repeated_tools(&mut self) {
        if !self.insists_on(&DUPLICATE_TOOL) {
            return;
        }
        let (provider, renames) = (self.provider, self.insists_on(&TOOL_NAME_FORM));
        let named = |name: &str| if renames { good_name(provider, name) } else { name.to_owned() };
        let repeated = repeated_tools(self.conversation, provider, self.wire, named);
        let tools = self.conversation.tools;
        let mut emptied = Vec::new();
        for of_list in repeated.chunk_by(|one, next| one.list.is(next.list)) {
            let list = of_list[0].list;
            // A tool that declares no function is none.
            let mut holders = tools.into_iter().flat_map(Json::items);
            let holder = holders.position(|tool| tool.holds(list));
            let emptied_holder = holder.filter(|_| of_list.len() == list.items().count());
            if let Some(holder) = emptied_holder {
                emptied.push(holder);
            } else {
                let gone = of_list.iter().map(|tool| tool.index).collect();
                self.draft.remove_items_beside(list, gone);
            }
            for RepeatedTool { index, name, .. } in of_list {
                let text = format!("second tool \"{name}\" removed");
                let tool = list.items().nth(*index).unwrap_or(list);
                self.report_tools(&DUPLICATE_TOOL, tool, &text);
            }
        }
        if let Some(tools) = tools.filter(|_| !emptied.is_empty()) {
            self.draft.remove_items_beside(tools, emptied);
        }
    }
}
