//! Conversations in Anthropic's shape whose model thinks, and whose application instructs it midway.

use serde_json::json;

use super::Sample;

impl Sample {
    /// Thinking leads the calls of each turn, and some inside of it; if `instructs`, instructions follow
    /// every second request.
    pub(crate) fn thinking(&self, model: &str, instructs: bool) -> String {
        let thinking = json!({"type": "thinking", "thinking": "one by one", "signature": "sig"});
        let mut messages = Vec::new();
        let (mut requests, mut leads) = (0, false);
        for mut message in self.blocks() {
            let is_user = message["role"] == "user";
            let blocks = message["content"].as_array_mut();
            let is_request = is_user && blocks.is_none();
            if let Some(blocks) = blocks.filter(|_| !is_user)
                && (std::mem::take(&mut leads) || blocks.len() == 3)
            {
                blocks.insert(0, thinking.clone());
            }
            messages.push(message);
            if is_request {
                leads = true;
                requests += 1;
                if instructs && requests % 2 == 0 {
                    let text = format!("Instruction {requests}: be brief, and say so twice.");
                    messages.push(json!({"role": "system", "content": text}));
                }
            }
        }
        let system = self.system.as_deref().unwrap_or("s");
        json!({"model": model, "max_tokens": 9, "thinking": {"type": "enabled"}, "system": system,
            "messages": messages})
        .to_string()
    }
}
