//! What providers demand of messages and parts, as single questions.
//!
//! Responsible for plain predicates, by which `check` reports and `normalize` repairs. They know neither
//! findings nor repairs, so that both judge alike.

pub(crate) mod bedrock;
pub(crate) mod cache;
pub(crate) mod calls;
pub(crate) mod content;
pub(crate) mod content_types;
pub(crate) mod ids;
pub(crate) mod media_types;
pub(crate) mod names;
pub(crate) mod order;
pub(crate) mod part_types;
pub(crate) mod rows;
pub(crate) mod surrogates;
pub(crate) mod thinking;
pub(crate) mod told_role;
