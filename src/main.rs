//! The `ctx` command.
fn main() {}
