//! The digest, seen from outside: what it keeps, that it fits, and that it folds into itself.

mod aside;
mod checked;
mod claims;
mod files;
mod folding;
mod found;
mod laws;
mod outcomes;
mod page;
mod plain;
mod script;
mod settings;
mod state;
mod tools;
mod unread;
mod users;
