//! The summarizer against a server on this machine that plays every provider and every failure.

#[path = "server/chunks.rs"]
mod chunks;
#[path = "server/cli.rs"]
mod cli;
#[path = "server/command.rs"]
mod command;
#[path = "server/failures.rs"]
mod failures;
#[path = "server/loopback.rs"]
mod loopback;
#[path = "server/providers.rs"]
mod providers;
#[path = "server/proxies.rs"]
mod proxies;
#[path = "server/tls.rs"]
mod tls;
