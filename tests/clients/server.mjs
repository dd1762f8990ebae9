// A model provider on the loopback interface: answers "ok", and keeps what it was sent.
//
//     node server.mjs DIR    writes DIR/port, then DIR/<n>.json for each request to a model
import fs from "node:fs";
import http from "node:http";

const dir = process.argv[2];
let requests = 0;

const event = (type, data) => `event: ${type}\ndata: ${JSON.stringify({ type, ...data })}\n\n`;

function anthropic(model, stream) {
  const usage = { input_tokens: 10, output_tokens: 1 };
  const message = { id: "msg_ok", type: "message", role: "assistant", model, stop_sequence: null };
  if (!stream) {
    const content = [{ type: "text", text: "ok" }];
    return JSON.stringify({ ...message, content, stop_reason: "end_turn", usage });
  }
  return [
    event("message_start", { message: { ...message, content: [], stop_reason: null, usage } }),
    event("content_block_start", { index: 0, content_block: { type: "text", text: "" } }),
    event("content_block_delta", { index: 0, delta: { type: "text_delta", text: "ok" } }),
    event("content_block_stop", { index: 0 }),
    event("message_delta", { delta: { stop_reason: "end_turn", stop_sequence: null }, usage }),
    event("message_stop", {}),
  ].join("");
}

function responses() {
  const item = {
    type: "message",
    id: "msg_ok",
    role: "assistant",
    content: [{ type: "output_text", text: "ok" }],
  };
  const usage = {
    input_tokens: 10,
    input_tokens_details: { cached_tokens: 0 },
    output_tokens: 1,
    output_tokens_details: { reasoning_tokens: 0 },
    total_tokens: 11,
  };
  return [
    event("response.created", { response: { id: "resp_ok" } }),
    event("response.output_item.done", { item }),
    event("response.completed", { response: { id: "resp_ok", usage } }),
  ].join("");
}

http
  .createServer((request, reply) => {
    const chunks = [];
    request.on("data", (chunk) => chunks.push(chunk));
    request.on("end", () => {
      const url = request.url.split("?")[0];
      const body = Buffer.concat(chunks).toString();
      const isModel = request.method === "POST" && /\/(messages|responses)$/.test(url);
      if (!isModel) {
        reply.writeHead(404, { "content-type": "application/json" });
        reply.end('{"error":{"message":"not here"}}');
        return;
      }
      fs.writeFileSync(`${dir}/${requests++}.json`, body);
      const { model, stream } = JSON.parse(body);
      reply.writeHead(200, { "content-type": stream ? "text/event-stream" : "application/json" });
      reply.end(url.endsWith("/messages") ? anthropic(model, stream) : responses());
    });
  })
  .listen(0, "127.0.0.1", function () {
    fs.writeFileSync(`${dir}/port`, String(this.address().port));
  });
