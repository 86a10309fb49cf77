/**
 * The programs that the page has started, and their input and output.
 *
 * A child belongs to the page that spawned it. When that page goes, its pipes are closed, as the system does when
 * Obsidian's process ends: a well-behaved child leaves on its own, and who does not is seen.
 */
import { spawn } from "node:child_process";

/** How long children may take to leave after their pipes closed; a clean stop takes tens of milliseconds. */
const PATIENCE_MS = 60_000;

/**
 * @typedef {{ child: import("node:child_process").ChildProcess, page: string, held: object[], attached: boolean, gone: Promise<void> }} Entry
 * @typedef {{ cwd?: string, env: Record<string, string>, stdio?: import("node:child_process").StdioOptions }} SpawnOptions
 */

export class Processes {
  /** @type {Map<number, Entry>} */
  #entries = new Map();
  #nextId = 1;
  #send;

  /** @param {(page: string, message: object) => void} send delivers a process event to a page */
  constructor(send) {
    this.#send = send;
  }

  /**
   * Start a program; its events are held until `attach`, when the page has its listeners on.
   *
   * @param {string} page
   * @param {{ command: string, args: string[], options: SpawnOptions }} request
   */
  spawn(page, { command, args, options }) {
    const child = spawn(command, args, { ...options, shell: false, windowsHide: true });
    const id = this.#nextId++;
    /** @type {Entry} */
    const entry = { child, page, held: [], attached: false, gone: ended(child) };
    this.#entries.set(id, entry);
    this.#forward(id, entry);
    return { id, pid: child.pid ?? null, streams: [child.stdin !== null, child.stdout !== null, child.stderr !== null] };
  }

  /** @param {{ id: number }} request */
  attach({ id }) {
    const entry = this.#entry(id);
    entry.attached = true;
    for (const message of entry.held.splice(0)) this.#send(entry.page, message);
  }

  /** @param {{ id: number }} request */
  stdin({ id }) {
    this.#entry(id).child.stdin?.end();
  }

  /** @param {{ id: number, signal?: NodeJS.Signals }} request */
  kill({ id, signal }) {
    return this.#entry(id).child.kill(signal);
  }

  /** @returns {number[]} pids of the children that live */
  alive() {
    return this.#living().map(({ child }) => /** @type {number} */ (child.pid));
  }

  /** @param {string} page whose children lose their pipes, because it went away */
  pageGone(page) {
    for (const entry of this.#living()) {
      if (entry.page !== page) continue;
      entry.child.stdin?.destroy();
      entry.child.stdout?.destroy();
      entry.child.stderr?.destroy();
    }
  }

  /**
   * Close every pipe, wait, and kill who stays.
   *
   * @returns {Promise<number[]>} pids that did not leave on their own
   */
  async endAll() {
    const living = this.#living();
    for (const { page } of living) this.pageGone(page);
    await within(PATIENCE_MS, Promise.all(living.map(({ gone }) => gone)));
    const stubborn = this.#living();
    for (const { child } of stubborn) child.kill("SIGKILL");
    await Promise.all(stubborn.map(({ gone }) => gone));
    return stubborn.map(({ child }) => /** @type {number} */ (child.pid));
  }

  #living() {
    return [...this.#entries.values()].filter(({ child }) => child.pid !== undefined && child.exitCode === null && child.signalCode === null);
  }

  /** @param {number} id */
  #entry(id) {
    const entry = this.#entries.get(id);
    if (!entry) throw new Error(`the page names child ${id}, which was never started`);
    return entry;
  }

  /**
   * @param {number} id
   * @param {Entry} entry
   */
  #forward(id, entry) {
    /** @param {object} event */
    const push = (event) => {
      const message = { child: id, ...event };
      if (entry.attached) this.#send(entry.page, message);
      else entry.held.push(message);
    };
    const { child } = entry;
    for (const stream of /** @type {const} */ (["stdout", "stderr"])) {
      child[stream]?.on("data", (/** @type {Buffer} */ bytes) => push({ stream, event: "data", data: bytes.toString("base64") }));
      child[stream]?.on("end", () => push({ stream, event: "end" }));
    }
    child.stdin?.on("error", (error) => push({ stream: "stdin", event: "error", data: plainError(error) }));
    child.on("spawn", () => push({ event: "spawn", data: [] }));
    child.on("error", (error) => push({ event: "error", data: plainError(error) }));
    child.on("exit", (...result) => push({ event: "exit", data: result }));
    child.on("close", (...result) => push({ event: "close", data: result }));
  }
}

/**
 * What of an error can travel as JSON.
 *
 * @param {unknown} error
 */
export function plainError(error) {
  if (!(error instanceof Error)) return { message: String(error) };
  const { code, errno, syscall, path } = /** @type {NodeJS.ErrnoException} */ (error);
  return { message: error.message, code, errno, syscall, path };
}

/** @param {import("node:child_process").ChildProcess} child */
function ended(child) {
  return /** @type {Promise<void>} */ (
    new Promise((resolve) => {
      child.once("exit", () => resolve());
      child.once("error", () => {
        if (child.pid === undefined) resolve(); // never started: no exit will come
      });
    })
  );
}

/**
 * @param {number} ms
 * @param {Promise<unknown>} work
 */
async function within(ms, work) {
  /** @type {NodeJS.Timeout | undefined} */
  let timer;
  await Promise.race([work, new Promise((resolve) => (timer = setTimeout(resolve, ms)))]);
  clearTimeout(timer);
}
