// Search a vault over its socket: `node session.mjs DISCOVERY_FILE WORD` prints the titles found.

import { readFile } from "node:fs/promises";

// Browsers and Node 22 have it; Node 20 takes it from the package `ws`.
const WebSocket = globalThis.WebSocket ?? (await import("ws")).WebSocket;

const [discoveryFile, word] = process.argv.slice(2);
const sidecar = JSON.parse(await readFile(discoveryFile, "utf8"));
const socket = new WebSocket(`ws://127.0.0.1:${sidecar.port}/`);
const waiting = new Map();

socket.onmessage = ({ data }) => {
  const message = JSON.parse(data);
  const answer = waiting.get(message.id); // none for a notification, such as index/progress
  waiting.delete(message.id);
  if (message.error) answer?.reject(new Error(`${message.error.message} ${message.error.data.next}`));
  else answer?.resolve(message.result);
};

function call(method, params) {
  const id = crypto.randomUUID();
  socket.send(JSON.stringify({ jsonrpc: "2.0", id, method, params }));
  return new Promise((resolve, reject) => waiting.set(id, { resolve, reject }));
}

await new Promise((resolve, reject) => {
  socket.onopen = resolve;
  socket.onerror = () => reject(new Error("Nothing answers there: the discovery file is a stale one."));
  socket.onclose = ({ reason }) => waiting.forEach(({ reject }) => reject(new Error(`Connection closed. ${reason}`)));
});

await call("initialize", { token: sidecar.token, protocol: 1, client: { name: "session.mjs" } });
const { hits } = await call("search", { query: word, limit: 5 });
for (const hit of hits) console.log(hit.title);
socket.close();
