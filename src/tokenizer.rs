//! Exact token counts.
