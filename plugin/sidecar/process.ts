/**
 * Finding, starting and stopping the sidecar's process. The only file of the plugin that touches Node.
 *
 * It runs one program, with an argument array and without a shell, in the home folder: never in the vault, where a file
 * could pose as a Python module. It installs nothing and writes nothing.
 */
import { type ChildProcess, spawn } from "child_process";
import { existsSync, promises as files } from "fs";
import { homedir, tmpdir } from "os";
import { type Cancel, type Clock } from "../clock";
import { type Announcement, type Endpoint, parseAnnouncement, parseDiscovery, parseOwnerToken, parseProgramVersion, type ProgramVersion } from "../protocol/discovery";
import { type StartFailure, startFailureOf } from "./failure";
import { INSTALLERS, type Installer, type Machine, installerPaths, programPaths } from "./programs";

export const READY_DEADLINE_MS = 10_000; // a cold start loads Python and opens the index: 1 to 3 s on a slow disk
const VERSION_DEADLINE_MS = 20_000; // nothing is heard of it while Obsidian, as it starts, reads a large vault
const KILL_AFTER_MS = 2_000; // the sidecar first commits its current note, which takes milliseconds
const LOG_TAIL_CHARS = 8_000; // enough for a bug report; the sidecar keeps complete logs itself
const LINE_LIMIT_CHARS = 64_000;

export interface Program {
  /** Absolute path. */
  readonly path: string;
  readonly version: string;
  readonly protocol: number;
}

/** What was found on this computer. */
export interface FoundPrograms {
  /** Best first. */
  readonly found: readonly Program[];
  /** Paths of programs with the right name that may not be run: the user was not asked, or declined. */
  readonly unapproved: readonly string[];
  /** Every path that was looked at. */
  readonly tried: readonly string[];
  /** Node's `process.platform`. */
  readonly platform: string;
  /** Looked for only where there is no engine, and never run. */
  readonly installers: readonly Installer[];
}

export type StartOutcome = Announcement | { readonly kind: "failed"; readonly failure: StartFailure };

export interface Exit {
  readonly code: number | null;
  readonly signal: string | null;
}

/** A sidecar process that the plugin started. */
export interface EngineProcess {
  readonly pid: number | null;
  /** Settles once: with the announcement, or with a failure, after which the process is killed. */
  readonly started: Promise<StartOutcome>;
  /** Settles when the process is gone. */
  readonly exited: Promise<Exit>;
  /** The end of its stderr. */
  logTail(): string;
  /** Closes its stdin, which asks it to exit; kills it when it has not exited in time. */
  stop(): Promise<void>;
}

/** Every operation of the plugin outside Obsidian. */
export interface Launcher {
  /** Runs a program with `--version` only where the user chose its path, or `mayRun` says so. */
  find(chosen: string | null, mayRun: (path: string) => boolean): Promise<FoundPrograms>;
  start(program: string): EngineProcess;
  /** The endpoint with the owner's token. Null when the discovery file or the owner's is gone or cannot be read. */
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
    find: (chosen, mayRun) => findPrograms(chosen, mayRun, options.clock),
    start: (program) => startEngine(program, options),
    readEndpoint,
  };
}

// --- finding ------------------------------------------------------------------------------------

async function findPrograms(chosen: string | null, mayRun: (path: string) => boolean, clock: Clock): Promise<FoundPrograms> {
  const machine: Machine = { platform: process.platform, env: process.env, home: homedir() };
  const tried = programPaths(machine, chosen);
  const found: Program[] = [];
  const unapproved: string[] = [];
  for (const path of tried) {
    if (!(await isFile(path))) continue;
    if (chosen === null && !mayRun(path)) {
      unapproved.push(path);
      continue;
    }
    const version = await askVersion(path, clock);
    if (version) found.push({ path, ...version });
  }
  const installers = found.length + unapproved.length === 0 ? await installersOn(machine) : [];
  return { found, unapproved, tried, platform: machine.platform, installers };
}

async function installersOn(machine: Machine): Promise<readonly Installer[]> {
  const there: Installer[] = [];
  for (const installer of INSTALLERS) {
    const files = await Promise.all(installerPaths(installer, machine).map(isFile));
    if (files.includes(true)) there.push(installer);
  }
  return there;
}

/** Runs `PROGRAM --version`; null when its output is not that of Quarry. */
async function askVersion(program: string, clock: Clock): Promise<ProgramVersion | null> {
  const child = run(program, ["--version"]);
  let output = "";
  read(child.stdout, (text) => {
    if (output.length < LINE_LIMIT_CHARS) output += text;
  });
  read(child.stderr, () => undefined);
  child.stdin?.end();
  const exit = await withDeadline(exitOf(child), clock, VERSION_DEADLINE_MS);
  if (exit === null) child.kill("SIGKILL");
  return exit?.code === 0 ? parseProgramVersion(output) : null;
}

// --- attaching ----------------------------------------------------------------------------------

/** The plugin may change settings and stop the sidecar, as the person at the screen may: it shows the owner's token. */
async function readEndpoint(discoveryPath: string): Promise<Endpoint | null> {
  const discovery = parseDiscovery(await readText(discoveryPath));
  if (!discovery) return null;
  const { port, ownerPath } = discovery;
  const token = ownerPath === null ? discovery.token : parseOwnerToken(await readText(ownerPath));
  return token === null ? null : { port, token };
}

// --- starting -----------------------------------------------------------------------------------

function startEngine(program: string, options: LauncherOptions): EngineProcess {
  const { vaultPath, clock, readyDeadlineMs = READY_DEADLINE_MS, killAfterMs = KILL_AFTER_MS } = options;
  // --lifeline: it exits when its stdin closes, which also happens when Obsidian is killed.
  const child = run(program, ["serve", "--vault", vaultPath, "--parent-pid", String(process.pid), "--lifeline"]);
  const exited = exitOf(child);
  let log = "";
  let isGone = false;
  void exited.then(() => {
    isGone = true;
  });
  // Always drained: a full pipe would block the sidecar at its next log line.
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
      if ((await withDeadline(exited, clock, killAfterMs)) !== null) return;
      child.kill("SIGKILL");
      await exited;
    },
  };
}

/** Resolves with the first line on stdout, an error, the exit or the time-out, whichever comes first. */
function announcementOf(child: ChildProcess, clock: Clock, deadlineMs: number): Promise<StartOutcome> {
  return new Promise((resolve) => {
    const cancelDeadline = clock.after(deadlineMs, () => {
      settle({ kind: "failed", failure: { kind: "silent", afterMs: deadlineMs } });
    });
    const settle = (outcome: StartOutcome): void => {
      cancelDeadline();
      resolve(outcome); // a promise settles once: later calls have no effect
    };
    let pending = "";
    let isAnnounced = false;
    read(child.stdout, (text) => {
      if (isAnnounced) return; // drained, but ignored
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
    // "close", not "exit": the announcement of a sidecar that exits at once may still be in the pipe.
    child.once("close", (code, signal) => {
      settle({ kind: "failed", failure: startFailureOf(code, signal) });
    });
  });
}

// --- helpers around Node's API ---------------------------------------------------------------------

function run(program: string, args: readonly string[]): ChildProcess {
  const home = homedir();
  const child = spawn(program, args, {
    cwd: existsSync(home) ? home : tmpdir(), // a missing working folder would read as "program not found"
    env: { ...process.env, PYTHONUTF8: "1" }, // paths and logs are UTF-8 on Windows too
    shell: false,
    stdio: ["pipe", "pipe", "pipe"],
    windowsHide: true,
  });
  // Writing to a process that just exited is not an error of its own: its exit is reported.
  child.stdin.on("error", () => undefined);
  return child;
}

/** Decodes a stream as UTF-8, also where a character is split between two chunks. */
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
      // A process that could not be spawned has no pid, and never emits "close".
      if (child.pid === undefined) resolve({ code: null, signal: null });
    });
  });
}

/** The value of `promise`, or null after `deadlineMs`. */
function withDeadline<T>(promise: Promise<T>, clock: Clock, deadlineMs: number): Promise<T | null> {
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
    return false; // absent or not accessible
  }
}

async function readText(path: string): Promise<string> {
  try {
    return await files.readFile(path, "utf8");
  } catch {
    return ""; // gone: the sidecar has exited, which the caller handles
  }
}
