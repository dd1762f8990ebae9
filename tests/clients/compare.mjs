// What a client sent, without what it adds itself on every start, as a conversation for `ctx count`.
//
//     node compare.mjs REQUEST.json LOG > conversation.json
//
// LOG is the session that was resumed: of the reminders that Claude Code sends, those that stand in a message of it
// stay, and those that hold an attachment count as the attachment says; the wording around it is the client's own.
import fs from "node:fs";

const [requestFile, logFile] = process.argv.slice(2);
const request = JSON.parse(fs.readFileSync(requestFile, "utf8"));
const PROMPT = "the next request";
// What Claude Code puts behind a session that ends with a call or with a request.
const GOING_ON = ["Continue from where you left off.", "No response requested."];
// What it puts where a result names tools, if nothing searches for tools.
const NO_REFERENCES = "[Tool references removed - tool search not enabled]";
const REMINDER = /\n*<system-reminder>[^]*?<\/system-reminder>\n*/g;
const strings = (value) =>
  typeof value === "string" ? [value] : value && typeof value === "object" ? Object.values(value).flatMap(strings) : [];
const isWhole = (line) => line.trim().endsWith("}");
const log = fs.readFileSync(logFile, "utf8").split("\n").filter(isWhole).map((line) => JSON.parse(line));
const said = log.flatMap(strings);

// The texts of each attachment of the session, as lists.
function attachments() {
  const told = ["content", "text", "prompt", "snippet", "newDate", "banner", "addedLines", "addedBlocks", "skills"];
  return log
    .flatMap(({ attachment }) => attachment ?? [])
    .map((attachment) => told.flatMap((member) => strings(attachment[member])).filter((text) => text !== ""))
    .filter((texts) => texts.length > 0);
}

// The texts of the attachment that a reminder holds; of several the one that says most.
function heldBy(reminder, attached) {
  const length = (texts) => texts.reduce((sum, text) => sum + text.length, 0);
  const held = attached.filter((texts) => texts.every((text) => reminder.includes(text)));
  return held.sort((a, b) => length(b) - length(a))[0] ?? [];
}

function anthropic({ messages }) {
  const attached = attachments();
  const reminders = (text) => (text.match(REMINDER) ?? []).flatMap((reminder) => heldBy(reminder, attached));
  const isOfMessage = (reminder) => said.some((text) => text.includes(reminder.trim()));
  // A text without the reminders that are of no message, and the attachments that they hold.
  const parted = (text) => [text.replace(REMINDER, (it) => (isOfMessage(it) ? it : "")), ...reminders(text)];
  const block = (text) => ({ type: "text", text });
  const told = (old) => {
    if (old.type === "text") return old.text.includes("<system-reminder>") ? parted(old.text).filter(Boolean).map(block) : [old];
    if (old.type !== "tool_result") return [old];
    if (typeof old.content === "string") {
      const [content, ...more] = parted(old.content);
      return [{ ...old, content }, ...more.map(block)];
    }
    const pieces = (old.content ?? []).map((piece) => (piece.type === "text" ? parted(piece.text) : [piece]));
    const content = pieces.map(([own]) => (typeof own === "string" ? block(own) : own));
    const isOwn = (piece) => piece.type !== "text" || (piece.text !== "" && piece.text !== NO_REFERENCES);
    return [{ ...old, content: content.filter(isOwn) }, ...pieces.flatMap(([, ...more]) => more.map(block))];
  };
  const isAdded = (text) => text === PROMPT || GOING_ON.includes(text);
  const kept = [];
  for (const { role, content } of messages.filter(({ role }) => role !== "system")) {
    let blocks = typeof content === "string" ? [block(content)] : content;
    blocks = blocks.flatMap(told).filter((block) => block.type !== "text" || !isAdded(block.text));
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
  // Codex sends its own instructions where the session has none, and answers calls that nothing answered.
  const isOwn = (item) => item.output === "aborted" || (item.role === "developer" && !said.includes(text(item)));
  return { input: input.slice(0, end).filter((item) => !isOwn(item)) };
}

console.log(JSON.stringify(request.input ? responses(request) : anthropic(request)));
