/** `require("child_process")` in the page: real processes of this machine, with Node's events. */
import { Buffer } from "buffer";
import EventEmitter from "events";
import { type ChildEvent, call, onChildEvent } from "./bridge-client";

interface SpawnOptions {
  readonly cwd?: string;
  readonly env?: Record<string, string | undefined>;
  readonly detached?: boolean;
  readonly stdio?: unknown;
  readonly shell?: boolean | string;
  readonly windowsHide?: boolean;
}

interface Spawned {
  readonly id: number;
  readonly pid: number | null;
  /** Which of stdin, stdout, stderr are pipes. */
  readonly streams: readonly [boolean, boolean, boolean];
}

type ExecCallback = (error: Error | null, stdout: string, stderr: string) => void;

/** A child's stdout or stderr: what it says is kept until somebody listens. */
class Readable extends EventEmitter {
  #encoding: BufferEncoding | undefined;
  #decoder: TextDecoder | undefined;
  #flowing = false;
  #kept: (() => void)[] = [];

  setEncoding(encoding: BufferEncoding): this {
    this.#encoding = encoding;
    // A character may be cut by the end of a piece, so UTF-8 is decoded as a stream.
    this.#decoder = /^utf-?8$/i.test(encoding) ? new TextDecoder() : undefined;
    return this;
  }

  override on(name: string, listener: (...data: unknown[]) => void): this {
    super.on(name, listener);
    if (name === "data") this.resume();
    return this;
  }

  override addListener(name: string, listener: (...data: unknown[]) => void): this {
    return this.on(name, listener);
  }

  resume(): this {
    this.#flowing = true;
    queueMicrotask(() => {
      for (const deliver of this.#kept.splice(0)) deliver();
    });
    return this;
  }

  destroy(): this {
    this.removeAllListeners("data");
    return this.resume();
  }

  /** The child said *bytes*. */
  hostSay(bytes: Buffer): void {
    this.#inOrder(() => this.emit("data", this.#decode(bytes)));
  }

  hostEnd(): void {
    this.#inOrder(() => this.emit("end"));
  }

  unref(): void {}

  #inOrder(deliver: () => void): void {
    if (this.#flowing && this.#kept.length === 0) deliver();
    else this.#kept.push(deliver);
  }

  #decode(bytes: Buffer): string | Buffer {
    if (this.#decoder) return this.#decoder.decode(bytes, { stream: true });
    return this.#encoding ? bytes.toString(this.#encoding) : bytes;
  }
}

/** A child's stdin. */
class Writable extends EventEmitter {
  destroyed = false;
  writableEnded = false;

  constructor(private readonly child: number) {
    super();
  }

  write(data: string | Uint8Array, ...rest: unknown[]): boolean {
    call("stdin", { id: this.child, bytes: Buffer.from(data as string) });
    finish(rest);
    return true;
  }

  end(data?: unknown, ...rest: unknown[]): this {
    if (typeof data === "string" || data instanceof Uint8Array) this.write(data);
    if (!this.writableEnded) call("stdin", { id: this.child, end: true });
    this.writableEnded = true;
    finish([data, ...rest]);
    return this;
  }

  destroy(): this {
    this.destroyed = true;
    return this.end();
  }

  unref(): void {}
}

export class ChildProcess extends EventEmitter {
  readonly pid: number | undefined;
  readonly stdin: Writable | null;
  readonly stdout: Readable | null;
  readonly stderr: Readable | null;
  readonly spawnfile: string;
  readonly spawnargs: readonly string[];
  exitCode: number | null = null;
  signalCode: string | null = null;
  killed = false;
  connected = false;
  readonly #id: number;

  constructor(command: string, args: readonly string[], spawned: Spawned) {
    super();
    const [stdin, stdout, stderr] = spawned.streams;
    this.#id = spawned.id;
    this.pid = spawned.pid ?? undefined;
    this.spawnfile = command;
    this.spawnargs = [command, ...args];
    this.stdin = stdin ? new Writable(spawned.id) : null;
    this.stdout = stdout ? new Readable() : null;
    this.stderr = stderr ? new Readable() : null;
    onChildEvent(spawned.id, (event) => this.#deliver(event));
  }

  kill(signal: string = "SIGTERM"): boolean {
    const sent = call("kill", { id: this.#id, signal }) as boolean;
    this.killed ||= sent;
    return sent;
  }

  ref(): void {}
  unref(): void {}

  #deliver({ stream, event, data }: ChildEvent): void {
    if (stream) return this.#deliverStream(stream, event, data);
    if (event === "exit") [this.exitCode, this.signalCode] = data as [number | null, string | null];
    if (event === "error") this.emit("error", errorOf(data));
    else this.emit(event, ...(data as unknown[]));
  }

  #deliverStream(stream: "stdin" | "stdout" | "stderr", event: string, data: unknown): void {
    if (stream === "stdin") this.stdin?.emit("error", errorOf(data));
    else if (event === "data") this[stream]?.hostSay(Buffer.from(data as string, "base64"));
    else this[stream]?.hostEnd();
  }
}

export function spawn(command: string, argsOrOptions?: readonly string[] | SpawnOptions, maybeOptions?: SpawnOptions): ChildProcess {
  const args = Array.isArray(argsOrOptions) ? (argsOrOptions as readonly string[]) : [];
  const options = (Array.isArray(argsOrOptions) ? maybeOptions : (argsOrOptions as SpawnOptions | undefined)) ?? {};
  if (options.shell) throw new Error("the test host starts no program through a shell");
  const request = { cwd: options.cwd, env: definedOnly(options.env ?? process.env), detached: options.detached, stdio: options.stdio };
  const spawned = call("spawn", { command, args, options: request }) as Spawned;
  const child = new ChildProcess(command, args, spawned);
  // In Node, too, a child's first event comes after the code that spawned it has put its listeners on.
  setTimeout(() => call("attach", { id: spawned.id }));
  return child;
}

/** Run a program and give its whole output; `timeout` in milliseconds ends it. */
export function execFile(file: string, args: readonly string[], options: SpawnOptions & { timeout?: number; signal?: AbortSignal }, callback: ExecCallback): ChildProcess {
  const child = spawn(file, args, options);
  const output = { stdout: "", stderr: "" };
  child.stdout?.setEncoding("utf8").on("data", (text) => (output.stdout += String(text)));
  child.stderr?.setEncoding("utf8").on("data", (text) => (output.stderr += String(text)));
  const timer = options.timeout ? setTimeout(() => child.kill(), options.timeout) : undefined;
  options.signal?.addEventListener("abort", () => child.kill());
  let done = false;
  const settle = (error: Error | null): void => {
    clearTimeout(timer);
    if (!done) callback(error, output.stdout, output.stderr);
    done = true;
  };
  child.on("error", settle);
  child.on("close", (code: number | null, signal: string | null) => {
    const failure = Object.assign(new Error(`Command failed: ${[file, ...args].join(" ")}\n${output.stderr}`), { code, signal, killed: child.killed });
    settle(code === 0 ? null : failure);
  });
  return child;
}

export function execFileSync(file: string, args: readonly string[] = [], options: SpawnOptions & { timeout?: number; encoding?: BufferEncoding } = {}): string | Buffer {
  const request = { cwd: options.cwd, env: definedOnly(options.env ?? process.env), timeout: options.timeout };
  const { $bytes } = call("execFileSync", { command: file, args, options: request }) as { $bytes: string };
  const bytes = Buffer.from($bytes, "base64");
  return options.encoding ? bytes.toString(options.encoding) : bytes;
}

function finish(args: unknown[]): void {
  const callback = args.find((argument) => typeof argument === "function") as (() => void) | undefined;
  if (callback) queueMicrotask(callback);
}

function errorOf(data: unknown): Error {
  return Object.assign(new Error((data as { message: string }).message), data);
}

function definedOnly(env: Record<string, string | undefined>): Record<string, string> {
  return Object.fromEntries(Object.entries(env).filter((entry): entry is [string, string] => entry[1] !== undefined));
}
