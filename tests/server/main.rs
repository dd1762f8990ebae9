//! The summarizer against a server on this machine that plays every provider and every failure.

mod chunks;
mod cli;
mod command;
mod failures;
mod loopback;
mod providers;
mod proxies;
mod tls;
