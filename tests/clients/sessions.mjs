// Writes a session of each client, with parallel calls, for the test of resuming.
//
//     node sessions.mjs claude-code ID CWD    node sessions.mjs codex ID CWD
const [client, id, cwd] = process.argv.slice(2);
let seconds = 0;
const timestamp = () => new Date(Date.UTC(2026, 0, 1) + 1000 * seconds++).toISOString();
const print = (value) => console.log(JSON.stringify(value));
const output = (turn, call) =>
  Array.from({ length: 40 }, (_, line) => `line ${line} of result ${turn}.${call}: the value is ${turn * 1000 + line}`).join("\n");

function claudeCode() {
  let last = null;
  let lines = 0;
  const line = (parent, members) => {
    const uuid = `00000000-0000-4000-8000-${String(++lines).padStart(12, "0")}`;
    print({
      parentUuid: parent, isSidechain: false, userType: "external", cwd, sessionId: id,
      version: "2.1.197", gitBranch: "", ...members, uuid, timestamp: timestamp(),
    });
    return uuid;
  };
  const user = (content, more) => ({ type: "user", message: { role: "user", content }, ...more });
  const usage = { input_tokens: 3, cache_creation_input_tokens: 900, cache_read_input_tokens: 190000, output_tokens: 20 };
  const assistant = (turn, block) => ({
    type: "assistant",
    message: {
      id: `msg_${turn}`, type: "message", role: "assistant", model: "claude-sonnet-4-5",
      content: [block], stop_reason: null, stop_sequence: null, usage,
    },
  });
  const result = (call, text) =>
    user([{ type: "tool_result", tool_use_id: call, content: text }], { toolUseResult: { stdout: text } });
  for (let turn = 0; turn < 14; turn++) {
    last = line(last, user(`Request ${turn}: read the files a${turn} and b${turn}, please.`));
    last = line(last, assistant(`${turn}a`, { type: "text", text: `Reading for request ${turn}.` }));
    const calls = [0, 1].map((call) => {
      last = line(last, assistant(`${turn}a`, {
        type: "tool_use", id: `toolu_${turn}_${call}`, name: "Bash", input: { command: `cat ${"ab"[call]}${turn}` },
      }));
      return last;
    });
    line(calls[0], result(`toolu_${turn}_0`, output(turn, 0)));
    last = line(calls[1], result(`toolu_${turn}_1`, output(turn, 1)));
    last = line(last, { type: "progress", data: { type: "hook_progress" }, toolUseID: `toolu_${turn}_1` });
    last = line(last, assistant(`${turn}b`, { type: "text", text: `Both files of request ${turn} are read.` }));
  }
}

function codex() {
  const line = (type, payload) => print({ timestamp: timestamp(), type, payload });
  const item = (payload) => line("response_item", payload);
  const message = (role, text) =>
    item({ type: "message", role, content: [{ type: role === "assistant" ? "output_text" : "input_text", text }] });
  line("session_meta", {
    id, timestamp: timestamp(), cwd, originator: "codex_exec", cli_version: "0.169.0", source: "exec", model_provider: "loop",
    base_instructions: { text: "You are a client that is being tested." },
  });
  message("user", `<environment_context>\n  <cwd>${cwd}</cwd>\n</environment_context>`);
  for (let turn = 0; turn < 14; turn++) {
    message("user", `Request ${turn}: read the files a${turn} and b${turn}, please.`);
    for (const call of [0, 1]) {
      const args = JSON.stringify({ command: ["cat", `${"ab"[call]}${turn}`] });
      item({ type: "function_call", name: "shell", arguments: args, call_id: `call_${turn}_${call}` });
    }
    for (const call of [0, 1]) {
      item({ type: "function_call_output", call_id: `call_${turn}_${call}`, output: output(turn, call) });
    }
    message("assistant", `Both files of request ${turn} are read.`);
    const sizes = {
      input_tokens: 250000, cached_input_tokens: 0, output_tokens: 10, reasoning_output_tokens: 0, total_tokens: 250010,
    };
    const info = { total_token_usage: sizes, last_token_usage: sizes, model_context_window: 272000 };
    line("event_msg", { type: "token_count", info, rate_limits: null });
  }
}

({ "claude-code": claudeCode, codex })[client]();
