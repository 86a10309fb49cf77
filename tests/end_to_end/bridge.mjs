/**
 * Gives a page in the browser the host's files, and Node's `fs` and `child_process`.
 *
 * Over loopback HTTP: calls are POSTs (the page makes them synchronously), process and folder events come back on a
 * server-sent stream. Who reaches this server can run programs, so it listens on 127.0.0.1 only, asks for a cookie
 * made for this run, and takes calls from its own page alone.
 */
import { randomBytes } from "node:crypto";
import { createReadStream, existsSync, watch } from "node:fs";
import { createServer } from "node:http";
import { homedir, tmpdir } from "node:os";
import { extname } from "node:path";
import { FILE_CALLS, callFile, pack, scanVault, unpack } from "./host/files.mjs";
import { Processes, plainError } from "./host/processes.mjs";

const CONTENT_TYPES = /** @type {Record<string, string>} */ ({
  ".html": "text/html; charset=utf-8",
  ".js": "text/javascript; charset=utf-8",
  ".css": "text/css; charset=utf-8",
  ".json": "application/json; charset=utf-8",
});

/**
 * No string becomes HTML or script except through the loader's own policy (which a plugin cannot make a second time),
 * and nothing is fetched from anywhere but this machine.
 */
const PAGE_POLICY = [
  "require-trusted-types-for 'script'",
  "trusted-types host-loader",
  "default-src 'self'",
  "script-src 'self' 'unsafe-eval'",
  "style-src 'self' 'unsafe-inline'",
  "img-src 'self' data: blob:",
  "connect-src 'self' ws://127.0.0.1:*",
].join("; ");

/**
 * @typedef {{ vault: string, configDir: string, env: Record<string, string>, assets: Record<string, string | { text: string, type: string }> }} BridgeOptions
 *   assets: URL path -> file on disk, or text made in memory
 */

/**
 * Serve the host page until `close`.
 *
 * @param {BridgeOptions} options
 */
export async function startBridge(options) {
  const cookie = randomBytes(32).toString("hex");
  /** @type {Map<string, import("node:http").ServerResponse>} */
  const streams = new Map();
  const processes = new Processes((page, message) => sendEvent(streams.get(page), message));
  const calls = callTable(options, processes);

  const server = createServer((request, response) => {
    const url = new URL(request.url ?? "/", "http://127.0.0.1");
    if (url.pathname === "/enter" && url.searchParams.get("key") === cookie) return enter(response, cookie);
    if (!request.headers.cookie?.includes(cookie)) return refuse(response, 403);
    if (url.pathname === "/events") return openStream(url, request, response, streams, processes);
    if (url.pathname.startsWith("/call/")) return void answerCall(url, request, response, calls, origin);
    return serveAsset(options.assets[url.pathname], response);
  });
  /** @type {(string | undefined)[]} */
  const websocketOrigins = [];
  server.on("upgrade", (request, socket) => {
    websocketOrigins.push(request.headers.origin);
    socket.end("HTTP/1.1 403 Forbidden\r\n\r\n");
  });
  await new Promise((resolve) => server.listen(0, "127.0.0.1", () => resolve(undefined)));
  const { port } = /** @type {import("node:net").AddressInfo} */ (server.address());
  const origin = `http://127.0.0.1:${port}`;
  const watcher = watchVault(options, (path) => streams.forEach((stream) => sendEvent(stream, { changed: path })));

  return {
    url: `${origin}/enter?key=${cookie}`,
    /** What tried to open websockets to this server, all of which are refused. */
    websocketOrigins,
    processes,
    /** @returns {Promise<number[]>} pids of children that did not leave on their own */
    async close() {
      watcher.close();
      const stubborn = await processes.endAll();
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
      return stubborn;
    },
  };
}

/**
 * @param {BridgeOptions} options
 * @param {Processes} processes
 * @returns {Record<string, (request: any, page: string) => unknown>}
 */
function callTable({ vault, configDir, env }, processes) {
  return {
    hello: () => ({ vault, configDir, env, platform: process.platform, pid: process.pid, homedir: homedir(), tmpdir: tmpdir(), fileCalls: FILE_CALLS }),
    file: (request) => callFile(request),
    scanVault: () => scanVault(vault),
    spawn: (request, page) => processes.spawn(page, request),
    attach: (request) => processes.attach(request),
    stdin: (request) => processes.stdin(request),
    kill: (request) => processes.kill(request),
  };
}

/**
 * @param {import("node:http").ServerResponse} response
 * @param {string} cookie
 */
function enter(response, cookie) {
  response.writeHead(302, { "set-cookie": `host=${cookie}; HttpOnly; SameSite=Strict`, location: "/" });
  response.end();
}

/**
 * @param {import("node:http").ServerResponse} response
 * @param {number} status
 */
function refuse(response, status) {
  response.writeHead(status);
  response.end();
}

/**
 * @param {URL} url
 * @param {import("node:http").IncomingMessage} request
 * @param {import("node:http").ServerResponse} response
 * @param {Map<string, import("node:http").ServerResponse>} streams
 * @param {Processes} processes
 */
function openStream(url, request, response, streams, processes) {
  const page = url.searchParams.get("page") ?? "";
  response.writeHead(200, { "content-type": "text/event-stream", "cache-control": "no-store" });
  response.write(": open\n\n");
  streams.set(page, response);
  request.on("close", () => {
    streams.delete(page);
    processes.pageGone(page);
  });
}

/**
 * @param {import("node:http").ServerResponse | undefined} stream
 * @param {object} message
 */
function sendEvent(stream, message) {
  stream?.write(`data: ${JSON.stringify(message)}\n\n`);
}

/**
 * @param {URL} url
 * @param {import("node:http").IncomingMessage} request
 * @param {import("node:http").ServerResponse} response
 * @param {Record<string, (request: any, page: string) => unknown>} calls
 * @param {string} origin
 */
async function answerCall(url, request, response, calls, origin) {
  if (request.method !== "POST" || request.headers.origin !== origin) return refuse(response, 403);
  const text = await bodyOf(request);
  const call = calls[url.pathname.slice("/call/".length)];
  /** @type {object} */
  let answer;
  try {
    if (!call) throw new Error(`the bridge has no call ${url.pathname}`);
    answer = { value: pack(call(unpack(JSON.parse(text)), url.searchParams.get("page") ?? "")) };
  } catch (error) {
    answer = { error: plainError(error) }; // thrown again in the page, where Node would have thrown it
  }
  response.writeHead(200, { "content-type": "application/json", "cache-control": "no-store" });
  response.end(JSON.stringify(answer));
}

/** @param {import("node:http").IncomingMessage} request */
async function bodyOf(request) {
  const parts = [];
  for await (const part of request) parts.push(part);
  return Buffer.concat(parts).toString("utf8");
}

/**
 * @param {string | { text: string, type: string } | undefined} asset
 * @param {import("node:http").ServerResponse} response
 */
function serveAsset(asset, response) {
  if (asset === undefined || (typeof asset === "string" && !existsSync(asset))) return refuse(response, 404);
  const type = typeof asset === "string" ? extname(asset) : asset.type;
  const policy = type === ".html" ? { "content-security-policy": PAGE_POLICY } : {};
  response.writeHead(200, { "content-type": CONTENT_TYPES[type] ?? "application/octet-stream", "cache-control": "no-store", ...policy });
  if (typeof asset === "string") createReadStream(asset).pipe(response);
  else response.end(asset.text);
}

/**
 * Tell the vault-relative path of everything that changes in the vault, as Obsidian's own watcher sees it.
 *
 * @param {BridgeOptions} options
 * @param {(path: string) => void} changed
 */
function watchVault({ vault }, changed) {
  const watcher = watch(vault, { recursive: true }, (_event, name) => {
    const path = name?.replaceAll("\\", "/");
    if (path && !path.split("/").some((part) => part.startsWith("."))) changed(path);
  });
  watcher.on("error", () => watcher.close()); // the vault folder went away: no more changes to tell
  return watcher;
}
