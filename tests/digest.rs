//! The digest, seen from outside: what it keeps, that it fits, and that it folds into itself.

#[path = "digest/aside.rs"]
mod aside;
#[path = "digest/checked.rs"]
mod checked;
#[path = "digest/claims.rs"]
mod claims;
#[path = "digest/files.rs"]
mod files;
#[path = "digest/folding.rs"]
mod folding;
#[path = "digest/found.rs"]
mod found;
#[path = "digest/laws.rs"]
mod laws;
#[path = "digest/outcomes.rs"]
mod outcomes;
#[path = "digest/page.rs"]
mod page;
#[path = "digest/plain.rs"]
mod plain;
#[path = "digest/script.rs"]
mod script;
#[path = "digest/settings.rs"]
mod settings;
#[path = "digest/state.rs"]
mod state;
#[path = "digest/tools.rs"]
mod tools;
#[path = "digest/unread.rs"]
mod unread;
#[path = "digest/users.rs"]
mod users;
