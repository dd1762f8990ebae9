//! What the shell sees: pipes, full disks, signals, terminals, links, permissions, and odd input.

mod files;
mod inputs;
mod lost;
mod many;
mod place;
mod streams;
