/** `require("fs")` in the page: calls of the Node side, with Node's own values and errors. */
import { Buffer } from "buffer";
import { knownModule } from "../known";
import { call } from "./bridge-client";

interface PackedStat {
  readonly size: number;
  readonly mode: number;
  readonly mtimeMs: number;
  readonly ctimeMs: number;
  readonly birthtimeMs: number;
  readonly kind: Kind;
}

type Kind = "file" | "folder" | "link" | "other";

const CONSTANTS = { F_OK: 0, X_OK: 1, W_OK: 2, R_OK: 4 };

/** `stat` and `readdir({ withFileTypes })` give objects that answer these questions. */
class Questions {
  readonly #kind: Kind;

  constructor(kind: Kind) {
    this.#kind = kind;
  }

  isFile(): boolean {
    return this.#kind === "file";
  }

  isDirectory(): boolean {
    return this.#kind === "folder";
  }

  isSymbolicLink(): boolean {
    return this.#kind === "link";
  }
}

/** The module, with a function for each of *names*; `promises` has each without its `Sync`. */
export function fileModule(names: readonly string[]): object {
  const calls = Object.fromEntries(names.map((name) => [name, (...args: unknown[]) => unpackFile(call("file", { call: name, args }))]));
  const promised = Object.fromEntries(names.map((name) => [name.replace(/Sync$/, ""), promise(calls[name]!)]));
  const promises = knownModule("fs.promises", { ...promised, constants: CONSTANTS });
  return knownModule("fs", { ...calls, promises, constants: CONSTANTS });
}

function promise(syncCall: (...args: unknown[]) => unknown): (...args: unknown[]) => Promise<unknown> {
  // An async function, so that what the call throws becomes a rejection.
  return async (...args) => syncCall(...args);
}

/** A value of the Node side's `fs` as Node gives it. */
export function unpackFile(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(unpackFile);
  if (typeof value !== "object" || value === null) return value ?? undefined;
  if ("$bytes" in value) return Buffer.from(value.$bytes as string, "base64");
  if ("$stat" in value) return stat(value.$stat as PackedStat);
  if ("$entry" in value) return entry(value.$entry as { name: string; kind: Kind });
  return value;
}

function stat({ kind, ...figures }: PackedStat): Questions {
  return Object.assign(new Questions(kind), figures, {
    mtime: new Date(figures.mtimeMs),
    ctime: new Date(figures.ctimeMs),
    birthtime: new Date(figures.birthtimeMs),
  });
}

function entry({ kind, name }: { name: string; kind: Kind }): Questions {
  return Object.assign(new Questions(kind), { name });
}
