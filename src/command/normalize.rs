//! `ctx normalize`.
