//! `ctx check`.
