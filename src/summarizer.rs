//! Summaries of the middle of a conversation.
