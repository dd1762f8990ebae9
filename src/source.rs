//! The values that a conversation stands in: the lists of a document, and their items.
//!
//! Responsible for values that can be kept or removed as a whole, whatever they mean.

use crate::json::{Json, Object};

/// The values that hold a conversation: a stream of lines, an array, or several of them.
#[derive(Clone, Default)]
pub struct Source<'a> {
    /// The object that holds the list, as `{"messages": […]}` does.
    pub root: Option<Object<'a>>,
    /// The lists that units stand in: mostly one.
    pub lists: Vec<List<'a>>,
    /// The values that can be kept or removed, in the order of the text within each list.
    pub units: Vec<Unit<'a>>,
}

/// A list of units.
#[derive(Clone, Copy)]
pub enum List<'a> {
    /// The values of the document itself: JSON Lines, as a rule.
    Stream,
    /// The items of an array; or one object in its place, where the dialect allows that.
    Array(Json<'a>),
    /// The members of an object, all of them: a unit goes with its key.
    Members(Json<'a>),
}

/// The items of an array, or the one object that stands in its place.
pub(crate) fn units_in(list: Json<'_>) -> impl Iterator<Item = Json<'_>> {
    list.items().chain(list.is_object().then_some(list))
}

/// A value in a list: one message, one line of a session log.
#[derive(Clone, Copy)]
pub struct Unit<'a> {
    /// The value.
    pub json: Json<'a>,
    /// Its list, an index into [`Source::lists`].
    pub list: usize,
}

impl<'a> Source<'a> {
    /// The stream of a document's values.
    pub fn stream(values: &[Json<'a>]) -> Self {
        let units = values.iter().map(|&json| Unit { json, list: 0 }).collect();
        Self { root: None, lists: vec![List::Stream], units }
    }

    /// The object that holds the list, as JSON.
    pub fn value(&self) -> Option<Json<'a>> {
        self.root.as_ref().map(Object::json)
    }

    /// The object that has the first list as a member: the request, if other objects are around it.
    pub fn request(&self) -> Option<Json<'a>> {
        let mut object = self.value()?;
        let Some(List::Array(list)) = self.lists.first() else { return Some(object) };
        let around = |value: &Json<'a>| value.is_object() && value.holds(*list);
        let around = |value: &Json<'a>| around(value) && !value.is(*list);
        while let Some(inner) = object.members().map(|(_, value)| value).find(around) {
            object = inner;
        }
        Some(object)
    }

    /// The smallest value that holds the whole conversation: the object around it, or the first list.
    pub fn whole(&self) -> Option<Json<'a>> {
        self.value().or(match self.lists.first() {
            Some(List::Array(list) | List::Members(list)) => Some(*list),
            Some(List::Stream) | None => None,
        })
    }

    /// A source of the items of `array`, which `root` holds, or of the one object that stands in its place.
    pub fn array(root: Option<Json<'a>>, array: Json<'a>) -> Self {
        let units = units_in(array).map(|json| Unit { json, list: 0 }).collect();
        Self { root: root.map(Object::of), lists: vec![List::Array(array)], units }
    }

    /// A source of the items of `array`, which are given.
    pub fn of_items(array: Json<'a>, items: &[Json<'a>]) -> Self {
        let units = items.iter().map(|&json| Unit { json, list: 0 }).collect();
        Self { root: None, lists: vec![List::Array(array)], units }
    }

    /// Adds the items of another array, unless that list is in the source already.
    pub fn add_list(&mut self, array: Json<'a>) {
        let is_it = |list: &List<'a>| matches!(list, List::Array(found) if found.is(array));
        if !self.lists.iter().any(is_it) {
            let list = self.lists.len();
            self.lists.push(List::Array(array));
            self.units.extend(array.items().map(|json| Unit { json, list }));
        }
    }
}
