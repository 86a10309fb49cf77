/** `require("child_process")` in the page: real processes of this machine, with Node's events. */
import { Buffer } from "buffer";
import EventEmitter from "events";
import { type ChildEvent, call, onChildEvent } from "./bridge-client";

interface SpawnOptions {
  readonly cwd?: string;
  readonly env?: Record<string, string | undefined>;
  readonly stdio?: unknown;
  readonly shell?: boolean | string;
}

interface Spawned {
  readonly id: number;
  readonly pid: number | null;
  /** Which of stdin, stdout, stderr are pipes. */
  readonly streams: readonly [boolean, boolean, boolean];
}

/** A child's stdout or stderr: what it says is kept until somebody listens. */
class Readable extends EventEmitter {
  #flowing = false;
  #kept: (() => void)[] = [];

  override on(name: string, listener: (...data: unknown[]) => void): this {
    super.on(name, listener);
    if (name !== "data") return this;
    this.#flowing = true;
    queueMicrotask(() => {
      for (const deliver of this.#kept.splice(0)) deliver();
    });
    return this;
  }

  hostEmit(event: "data" | "end", data?: Buffer): void {
    const deliver = (): boolean => this.emit(event, data);
    if (this.#flowing && this.#kept.length === 0) deliver();
    else this.#kept.push(deliver);
  }
}

/** A child's stdin. */
class Writable extends EventEmitter {
  constructor(private readonly child: number) {
    super();
  }

  end(): void {
    call("stdin", { id: this.child });
  }
}

export class ChildProcess extends EventEmitter {
  readonly pid: number | undefined;
  readonly stdin: Writable | null;
  readonly stdout: Readable | null;
  readonly stderr: Readable | null;
  readonly spawnfile: string;
  exitCode: number | null = null;
  signalCode: string | null = null;
  readonly #id: number;

  constructor(command: string, spawned: Spawned) {
    super();
    const [stdin, stdout, stderr] = spawned.streams;
    this.#id = spawned.id;
    this.pid = spawned.pid ?? undefined;
    this.spawnfile = command;
    this.stdin = stdin ? new Writable(spawned.id) : null;
    this.stdout = stdout ? new Readable() : null;
    this.stderr = stderr ? new Readable() : null;
    onChildEvent(spawned.id, (event) => this.#deliver(event));
  }

  kill(signal: string = "SIGTERM"): boolean {
    return call("kill", { id: this.#id, signal }) as boolean;
  }

  #deliver({ stream, event, data }: ChildEvent): void {
    if (stream) return this.#deliverStream(stream, event, data);
    if (event === "exit") [this.exitCode, this.signalCode] = data as [number | null, string | null];
    if (event === "error") this.emit("error", errorOf(data));
    else this.emit(event, ...(data as unknown[]));
  }

  #deliverStream(stream: "stdin" | "stdout" | "stderr", event: string, data: unknown): void {
    if (stream === "stdin") this.stdin?.emit("error", errorOf(data));
    else if (event === "data") this[stream]?.hostEmit("data", Buffer.from(data as string, "base64"));
    else this[stream]?.hostEmit("end");
  }
}

export function spawn(command: string, args: readonly string[], options: SpawnOptions): ChildProcess {
  if (options.shell) throw new Error("the test host starts no program through a shell");
  const request = { cwd: options.cwd, env: definedOnly(options.env ?? process.env), stdio: options.stdio };
  const spawned = call("spawn", { command, args, options: request }) as Spawned;
  const child = new ChildProcess(command, spawned);
  // In Node, too, a child's first event comes after the code that spawned it has put its listeners on.
  setTimeout(() => call("attach", { id: spawned.id }));
  return child;
}

function errorOf(data: unknown): Error {
  return Object.assign(new Error((data as { message: string }).message), data);
}

function definedOnly(env: Record<string, string | undefined>): Record<string, string> {
  return Object.fromEntries(Object.entries(env).filter((entry): entry is [string, string] => entry[1] !== undefined));
}
