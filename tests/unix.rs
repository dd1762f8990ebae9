//! What the shell sees: pipes, full disks, signals, terminals, links, permissions, and odd input.

#[path = "unix/files.rs"]
mod files;
#[path = "unix/inputs.rs"]
mod inputs;
#[path = "unix/lost.rs"]
mod lost;
#[path = "unix/many.rs"]
mod many;
#[path = "unix/place.rs"]
mod place;
#[path = "unix/streams.rs"]
mod streams;
