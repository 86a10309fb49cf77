/**
 * Finding, starting and stopping the sidecar's process. The only file of the plugin that touches Node.
 *
 * One program is run, with an argument array and without a shell, in the home folder: never in the vault, where a note's
 * neighbour could pose as a Python module. Nothing is installed, nothing is written.
 */
import { type ChildProcess, spawn } from "child_process";
import { existsSync, promises as files } from "fs";
import { homedir, tmpdir } from "os";
import { type Cancel, type Clock } from "../clock";
import { type Announcement, type Endpoint, type ProgramVersion } from "../protocol/discovery";
import { parseAnnouncement, parseEndpoint, parseProgramVersion } from "../protocol/discovery";
import { type StartFailure, startFailureOf } from "./failure";
import { candidates } from "./locate";

export const READY_DEADLINE_MS = 10_000; // a cold start imports Python and opens the index: 1 to 3 s on a slow disk
const VERSION_DEADLINE_MS = 5_000;
const KILL_AFTER_MS = 2_000; // the sidecar commits the note in hand first, which takes milliseconds
const LOG_TAIL_CHARS = 8_000; // what a report can carry; the sidecar keeps whole logs itself
const LINE_LIMIT_CHARS = 64_000;

export interface Program {
  /** Absolute path. */
  readonly path: string;
  readonly version: string;
  readonly protocol: number;
}

/** The programs found, best first, and every place that was looked at. */
export interface SearchForPrograms {
  readonly found: readonly Program[];
  readonly tried: readonly string[];
}

export type StartOutcome = Announcement | { readonly kind: "failed"; readonly failure: StartFailure };

export interface Exit {
  readonly code: number | null;
  readonly signal: string | null;
}

/** A sidecar that we started. */
export interface EngineProcess {
  readonly pid: number | null;
  /** Settles once: announced, or failed (and then the process is gone or being killed). */
  readonly started: Promise<StartOutcome>;
  /** Settles when the process is gone. */
  readonly exited: Promise<Exit>;
  /** The last of what it wrote to stderr. */
  logTail(): string;
  /** Closes its stdin, which tells it to leave; kills it if it has not left in time. */
  stop(): Promise<void>;
}

/** Everything the plugin does to the machine. */
export interface Launcher {
  find(chosen: string | null): Promise<SearchForPrograms>;
  start(program: string): EngineProcess;
  /** Null when the discovery file is gone or not ours to read. */
  readEndpoint(discoveryPath: string): Promise<Endpoint | null>;
}

export interface LauncherOptions {
  readonly vaultPath: string;
  readonly clock: Clock;
  readonly readyDeadlineMs?: number;
  readonly killAfterMs?: number;
}

export function createLauncher(options: LauncherOptions): Launcher {
  return {
    find: (chosen) => findPrograms(chosen, options.clock),
    start: (program) => startEngine(program, options),
    readEndpoint: async (discoveryPath) => parseEndpoint(await readText(discoveryPath)),
  };
}

// --- finding ------------------------------------------------------------------------------------

async function findPrograms(chosen: string | null, clock: Clock): Promise<SearchForPrograms> {
  const tried = candidates({ platform: process.platform, env: process.env, home: homedir() }, chosen);
  const found: Program[] = [];
  for (const path of tried) {
    if (!(await isFile(path))) continue;
    const version = await askVersion(path, clock);
    if (version) found.push({ path, ...version });
  }
  return { found, tried };
}

/** Runs `PROGRAM --version`; null when it does not answer like Quarry. */
async function askVersion(program: string, clock: Clock): Promise<ProgramVersion | null> {
  const child = run(program, ["--version"]);
  let output = "";
  read(child.stdout, (text) => {
    if (output.length < LINE_LIMIT_CHARS) output += text;
  });
  read(child.stderr, () => undefined);
  child.stdin?.end();
  const exit = await firstOf(exitOf(child), clock, VERSION_DEADLINE_MS);
  if (exit === null) child.kill("SIGKILL");
  return exit?.code === 0 ? parseProgramVersion(output) : null;
}

// --- starting -----------------------------------------------------------------------------------

function startEngine(program: string, options: LauncherOptions): EngineProcess {
  const { vaultPath, clock, readyDeadlineMs = READY_DEADLINE_MS, killAfterMs = KILL_AFTER_MS } = options;
  // --lifeline: it leaves when its stdin closes, which also happens when Obsidian is killed.
  const child = run(program, ["serve", "--vault", vaultPath, "--parent-pid", String(process.pid), "--lifeline"]);
  const exited = exitOf(child);
  let log = "";
  let isGone = false;
  void exited.then(() => {
    isGone = true;
  });
  // Always read, or the pipe fills and the sidecar stops at its next word.
  read(child.stderr, (text) => {
    log = (log + text).slice(-LOG_TAIL_CHARS);
  });
  const started = announcementOf(child, clock, readyDeadlineMs).then((outcome) => {
    if (outcome.kind === "failed" && !isGone) child.kill("SIGKILL");
    return outcome;
  });
  return {
    pid: child.pid ?? null,
    started,
    exited,
    logTail: () => log,
    async stop() {
      if (isGone) return;
      child.stdin?.end();
      if ((await firstOf(exited, clock, killAfterMs)) !== null) return;
      child.kill("SIGKILL");
      await exited;
    },
  };
}

/** The first line on stdout, judged; whatever ends the wait first wins. */
function announcementOf(child: ChildProcess, clock: Clock, deadlineMs: number): Promise<StartOutcome> {
  return new Promise((resolve) => {
    const cancelDeadline = clock.after(deadlineMs, () => {
      settle({ kind: "failed", failure: { kind: "silent", afterMs: deadlineMs } });
    });
    const settle = (outcome: StartOutcome): void => {
      cancelDeadline();
      resolve(outcome); // a promise settles once: what comes later changes nothing
    };
    let pending = "";
    let isAnnounced = false;
    read(child.stdout, (text) => {
      if (isAnnounced) return; // drained all the same
      pending += text;
      const end = pending.indexOf("\n");
      if (end < 0 && pending.length < LINE_LIMIT_CHARS) return;
      isAnnounced = true;
      const line = end < 0 ? pending : pending.slice(0, end);
      settle(parseAnnouncement(line) ?? { kind: "failed", failure: { kind: "garbled", line: line.slice(0, 200) } });
      pending = "";
    });
    child.once("error", (error) => {
      settle({ kind: "failed", failure: { kind: "not-runnable", program: child.spawnfile, message: error.message } });
    });
    // "close", not "exit": the announcement of a sidecar that leaves at once may still be in the pipe.
    child.once("close", (code, signal) => {
      settle({ kind: "failed", failure: startFailureOf(code, signal) });
    });
  });
}

// --- Node, in the few forms used above ------------------------------------------------------------

function run(program: string, args: readonly string[]): ChildProcess {
  const home = homedir();
  const child = spawn(program, args, {
    cwd: existsSync(home) ? home : tmpdir(), // a missing working folder would read as "program not found"
    env: { ...process.env, PYTHONUTF8: "1" }, // paths and logs are UTF-8 on Windows too
    shell: false,
    stdio: ["pipe", "pipe", "pipe"],
    windowsHide: true,
  });
  // Writing to a process that just left is no failure of its own: its exit says everything.
  child.stdin.on("error", () => undefined);
  return child;
}

/** Passes on what a stream says, with characters that were cut in two put together again. */
function read(stream: NodeJS.ReadableStream | null, take: (text: string) => void): void {
  const decoder = new TextDecoder();
  stream?.on("data", (bytes: Uint8Array) => {
    take(decoder.decode(bytes, { stream: true }));
  });
}

function exitOf(child: ChildProcess): Promise<Exit> {
  return new Promise((resolve) => {
    child.once("close", (code, signal) => {
      resolve({ code, signal });
    });
    child.once("error", () => {
      // Only a process that never came to be has no pid; it will not "close" either.
      if (child.pid === undefined) resolve({ code: null, signal: null });
    });
  });
}

/** What `promise` gives, or null once `deadlineMs` have passed. */
function firstOf<T>(promise: Promise<T>, clock: Clock, deadlineMs: number): Promise<T | null> {
  return new Promise((resolve) => {
    const cancel: Cancel = clock.after(deadlineMs, () => {
      resolve(null);
    });
    void promise.then((value) => {
      cancel();
      resolve(value);
    });
  });
}

async function isFile(path: string): Promise<boolean> {
  try {
    return (await files.stat(path)).isFile();
  } catch {
    return false; // absent or not ours to see: not a candidate either way
  }
}

async function readText(path: string): Promise<string> {
  try {
    return await files.readFile(path, "utf8");
  } catch {
    return ""; // gone: its sidecar has left, which the caller handles
  }
}
