// What a client sent, without what it adds itself on every start, as a conversation for `ctx count`.
//
//     node compare.mjs REQUEST.json > conversation.json
import fs from "node:fs";

const request = JSON.parse(fs.readFileSync(process.argv[2], "utf8"));
const PROMPT = "the next request";
// What Claude Code puts behind a session that ends with a call or with a request.
const GOING_ON = ["Continue from where you left off.", "No response requested."];
const isAdded = (text) => text.startsWith("<system-reminder>") || text === PROMPT || GOING_ON.includes(text);

function anthropic({ messages }) {
  const kept = [];
  for (const { role, content } of messages.filter(({ role }) => role !== "system")) {
    let blocks = typeof content === "string" ? [{ type: "text", text: content }] : content;
    blocks = blocks.filter((block) => block.type !== "text" || !isAdded(block.text));
    // Of neighbouring texts all but the last get a line break.
    blocks = blocks.map((block, at) =>
      block.type === "text" && blocks[at + 1]?.type === "text" && block.text.endsWith("\n")
        ? { ...block, text: block.text.slice(0, -1) }
        : block,
    );
    if (blocks.length > 0) kept.push({ role, content: blocks });
  }
  return { messages: kept };
}

function responses({ input }) {
  const text = (item) => item.content?.[0]?.text ?? "";
  const isAdded = (item) =>
    item.role === "developer" || /^(<environment_context>|# AGENTS.md instructions)/.test(text(item));
  let end = input.findLastIndex((item) => text(item) === PROMPT);
  while (end > 0 && isAdded(input[end - 1])) end--;
  // Codex answers calls that nothing answered.
  return { input: input.slice(0, end).filter((item) => item.output !== "aborted") };
}

console.log(JSON.stringify(request.input ? responses(request) : anthropic(request)));
