//! A list that mostly holds one item, which is then stored inline.
//!
//! Responsible for conversations of very many messages: most messages have one part and one unit, and a heap
//! block for each would take more memory than its content.

use std::ops::{Deref, DerefMut};

/// A list of few items, in order.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Few<T> {
    /// A single one.
    One(T),
    /// Any other number.
    Many(Vec<T>),
}

impl<T> Few<T> {
    /// An empty list.
    pub const fn new() -> Self {
        Self::Many(Vec::new())
    }

    /// Puts an item behind the others.
    pub fn push(&mut self, item: T) {
        self.insert(self.len(), item);
    }

    /// Puts an item before the one at an index, or behind the last.
    pub fn insert(&mut self, at: usize, item: T) {
        *self = match std::mem::take(self) {
            Self::Many(items) if items.is_empty() => Self::One(item),
            items => {
                let mut items = Vec::from(items);
                items.insert(at, item);
                Self::Many(items)
            }
        };
    }

    /// Frees spare capacity.
    pub fn shrink_to_fit(&mut self) {
        if let Self::Many(items) = self {
            items.shrink_to_fit();
        }
    }
}

impl<T> Default for Few<T> {
    fn default() -> Self {
        Self::new()
    }
}

impl<T> Deref for Few<T> {
    type Target = [T];

    fn deref(&self) -> &[T] {
        match self {
            Self::One(item) => std::slice::from_ref(item),
            Self::Many(items) => items,
        }
    }
}

impl<T> DerefMut for Few<T> {
    fn deref_mut(&mut self) -> &mut [T] {
        match self {
            Self::One(item) => std::slice::from_mut(item),
            Self::Many(items) => items,
        }
    }
}

impl<T> From<Vec<T>> for Few<T> {
    fn from(mut items: Vec<T>) -> Self {
        match items.pop() {
            Some(item) if items.is_empty() => Self::One(item),
            last => {
                items.extend(last);
                Self::Many(items)
            }
        }
    }
}

impl<T> From<Few<T>> for Vec<T> {
    fn from(few: Few<T>) -> Self {
        match few {
            Few::One(item) => vec![item],
            Few::Many(items) => items,
        }
    }
}

impl<T> FromIterator<T> for Few<T> {
    fn from_iter<I: IntoIterator<Item = T>>(items: I) -> Self {
        let mut few = Self::new();
        few.extend(items);
        few
    }
}

impl<T> Extend<T> for Few<T> {
    fn extend<I: IntoIterator<Item = T>>(&mut self, items: I) {
        items.into_iter().for_each(|item| self.push(item));
    }
}

impl<'f, T> IntoIterator for &'f Few<T> {
    type Item = &'f T;
    type IntoIter = std::slice::Iter<'f, T>;

    fn into_iter(self) -> Self::IntoIter {
        self.iter()
    }
}

impl<T> IntoIterator for Few<T> {
    type Item = T;
    type IntoIter = std::vec::IntoIter<T>;

    fn into_iter(self) -> Self::IntoIter {
        Vec::from(self).into_iter()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn is_the_list_that_was_put_in() {
        for length in 0..4 {
            let items: Vec<usize> = (0..length).collect();
            let few: Few<usize> = items.iter().copied().collect();
            assert_eq!((&few[..], few.len()), (&items[..], length));
            assert_eq!(few, Few::from(items.clone()));
            assert_eq!(Vec::from(few.clone()), items);
            assert_eq!(matches!(few, Few::One(_)), length == 1);
        }
        let mut few = Few::One('b');
        few.insert(0, 'a');
        few.extend("cd".chars());
        few[3] = 'e';
        assert_eq!(few.iter().collect::<String>(), "abce");
    }
}
